"""The W3C's SPARQL tests: the engine fails none that it passed before, and the reading spoils none."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.service.queries.reading_with import reading
from tests.w3c.suite import CHECK, ROOT

ALLOWED = Path(__file__).with_name("allowed-failures.txt")
pytestmark = pytest.mark.skipif(
    not (ROOT.is_dir() and CHECK.is_file()), reason=f"the W3C's tests and their runner are not at {CHECK.parent}"
)


def allowed() -> set[str]:
    """The tests that are known to fail, each as folder and name."""
    lines = (line.partition("#")[0].strip() for line in ALLOWED.read_text("utf-8").splitlines())
    return {line for line in lines if line}


def failures(path: Path) -> set[str]:
    """The failed tests of a run; the reasons are left out."""
    return {" ".join(line.split("\t")[:2]) for line in path.read_text("utf-8").splitlines() if line.strip()}


def test_the_engine_fails_no_test_that_is_not_known_to_fail(tmp_path: Path) -> None:
    found = tmp_path / "failures.txt"
    done = subprocess.run(
        [sys.executable, str(CHECK), str(ROOT), "--fails", str(found)], capture_output=True, text=True, timeout=100
    )
    passed = re.search(r"(\d+) passed, (\d+) failed", done.stdout)
    assert passed, done.stdout + done.stderr
    assert failures(found) - allowed() == set()
    assert int(passed[1]) >= 1200


SOUND = (
    "QueryEvaluationTest",
    "CSVResultFormatTest",
    "PositiveSyntaxTest",
    "PositiveSyntaxTest11",
    "PositiveSyntaxTest12",
)


def _check() -> ModuleType:
    """The runner of the suite, as a module."""
    spec = importlib.util.spec_from_file_location("w3c_sparql_check", CHECK)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _failed_through_the_reading(check: ModuleType) -> Iterator[tuple[str, Exception | None]]:
    class Engine(check.Pyoxigraph):  # type: ignore[misc, name-defined]
        """The engine behind the reading that the endpoint gives every query."""

        def query(self, text: str, base: str) -> object:
            return super().query(reading(text).text, base)

        @staticmethod
        def parse_query(text: str, base: str) -> None:
            check.Pyoxigraph.parse_query(reading(text).text, base)

    services = check.Services()
    for manifest in sorted(ROOT.resolve().glob("sparql1[012]/**/manifest*.ttl")):
        folder = str(manifest.parent.relative_to(ROOT.resolve()))
        if re.search(r"entailment|protocol|http-rdf-update|service-description", folder):
            continue
        graph = check.Graph(manifest)
        for head in [head for subject in list(graph.index) for head in graph.all(subject, f"{check.MF}entries")]:
            for test in graph.items(head):
                kinds = [kind.value.rpartition("#")[2] for kind in graph.all(test, f"{check.RDF}type")]
                if kinds and kinds[0] in SOUND:
                    passed, why = _run(check, Engine, graph, test, kinds[0], services)
                    if not passed:
                        yield f"{folder} {test.value.rpartition('#')[2]}", why
    services.server.shutdown()
    services.server.server_close()


def _run(check: ModuleType, *how: object) -> tuple[bool, Exception | None]:
    try:
        return check.run_test(*how), None
    except Exception as error:  # the check of others raises what it likes; that is its verdict
        return False, error


def test_the_reading_spoils_no_test_that_the_engine_passes() -> None:
    failed = dict(_failed_through_the_reading(_check()))
    assert {name: str(why) for name, why in failed.items() if name not in allowed()} == {}
    assert failed, "some are known to fail; that none does means that none was run"
