"""The engine in a process of its own: it answers as one in this process does, and what befalls it is told."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.engines import wire
from service.engines.local import LocalEngine
from service.engines.remote import RemoteEngine
from service.errors import ConfigurationError, DataError, QuestionError
from service.progress import Step
from service.queries.refusal import QueryRefused
from service.queries.tokens import Place
from service.settings import Settings
from tests.conftest import REPOSITORY, Esperia, wait_until
from tests.service.engines import operations
from tests.service.engines.operations import Waiting

PACKAGES = ("service", "tests")


@pytest.fixture(scope="module")
def remote(esperia: Esperia) -> Iterator[RemoteEngine]:
    engine = RemoteEngine(esperia.data, esperia.settings, packages=PACKAGES)
    yield engine
    engine.close()


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(tmp_path / "begun", tmp_path / "ended")


def test_an_operation_runs_elsewhere_and_its_steps_are_told_here(esperia: Esperia, remote: RemoteEngine) -> None:
    told: list[Step] = []
    answer = remote.run(operations.asked, "la pesca", told.append)
    assert remote.run(operations.process_id, None) == remote.pid != os.getpid()
    known: list[Step] = []
    local = LocalEngine(esperia.data, esperia.settings)
    here = local.run(operations.asked, "la pesca", known.append)
    assert told == known
    assert answer.sections == here.sections
    assert [step.stage for step in told if step.state == "ended"] == [
        "understand", "retrieve", "choose", "verify", "write"
    ]  # fmt: skip


def test_errors_of_ours_arrive_as_they_are(remote: RemoteEngine) -> None:
    with pytest.raises(QuestionError, match=r"^which tide\?$"):
        remote.run(operations.not_understood, "which tide?")
    with pytest.raises(QueryRefused, match="too long") as found:
        remote.run(operations.refused, None)
    refusal = found.value
    assert (refusal.status, refusal.place, refusal.limit, refusal.retry_after) == (413, Place(2, 3), "result_rows", 5)
    assert refusal.suggestion is None


@pytest.mark.parametrize("operation", [operations.breaks, operations.leaves, operations.cannot_be_sent])
def test_other_errors_tell_nothing_and_end_nothing(remote: RemoteEngine, operation: Callable[..., None]) -> None:
    before = remote.run(operations.process_id, None)
    with pytest.raises(DataError, match="failed at this") as found:
        remote.run(operation, None)
    assert operations.SECRET not in str(found.value)
    assert remote.run(operations.process_id, None) == before


def test_nobody_waits_for_ever_for_an_engine_that_hangs(
    remote: RemoteEngine, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.engines.remote.PAGE_SECONDS", 0.05)
    with pytest.raises(DataError, match="takes too long"):
        remote.run(operations.waits_for, waiting)
    waiting.ended.touch()


def test_only_functions_of_the_packages_are_run(esperia: Esperia) -> None:
    for module, name in [
        ("os", "getpid"),
        ("services.pipeline", "ask"),
        ("service", "errors"),
        ("service.pipeline", "os"),
        ("service.pipeline", "Engine"),
        ("service.pipeline", "Engine.open"),
        ("service.pipeline", "find"),  # of another module
        ("service.pipeline", "nothing"),
        ("service.nothing", "ask"),
        ("tests.service.engines.operations", "asked"),
    ]:
        with pytest.raises(LookupError):
            wire.function(wire.Asked(module, name, b""), ("service",))
    assert wire.function(wire.Asked("service.pipeline", "ask", b""), ("service",)).__name__ == "ask"


def test_what_progress_raises_ends_the_operation_and_is_raised_here(remote: RemoteEngine, waiting: Waiting) -> None:
    class Enough(Exception):
        pass

    def stop(_: Step) -> None:
        raise Enough

    with pytest.raises(Enough):
        remote.run(operations.steps_for_ever, waiting, stop)
    wait_until(waiting.ended.exists, "the operation to end")


def test_a_process_that_is_lost_is_told_and_replaced(remote: RemoteEngine, waiting: Waiting) -> None:
    first = remote.run(operations.process_id, None)
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(remote.run, operations.waits_for, waiting)
        wait_until(waiting.begun.exists, "an operation beside it")
        with pytest.raises(DataError, match="lost"):
            remote.run(operations.dies, None)
        with pytest.raises(DataError, match="lost"):
            other.result()
    second = remote.run(operations.process_id, None)
    assert second != first
    assert remote.pid == second


def test_the_process_knows_no_secret_of_the_environment(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMICICLO_LLM_API_KEY", operations.SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", operations.SECRET)
    engine = RemoteEngine(esperia.data, esperia.settings, packages=PACKAGES)
    try:
        known = engine.run(operations.environment, None)
        command = Path(f"/proc/{engine.pid}/cmdline").read_bytes()
    finally:
        engine.close()
    assert operations.SECRET not in {*known.values()}
    assert operations.SECRET.encode() not in command
    with pytest.raises(DataError, match="not running"):
        engine.run(operations.process_id, None)


def test_another_corpus_is_opened_when_it_is_published(esperia: Esperia, tmp_path: Path, waiting: Waiting) -> None:
    data = tmp_path / "data"
    shutil.copytree(esperia.data, data, symlinks=True)
    first = (data / "current").resolve()
    second = first.with_name("another")
    shutil.copytree(first, second)
    manifest = second / "manifest.json"
    manifest.write_text(manifest.read_text().replace(esperia.corpus.manifest.version, "another"))
    engine = RemoteEngine(data, esperia.settings, packages=PACKAGES)
    try:
        assert engine.run(operations.version, None) == esperia.corpus.manifest.version
        with ThreadPoolExecutor(1) as threads:
            former = threads.submit(engine.run, operations.waits_for, waiting)
            wait_until(waiting.begun.exists, "an operation on the former corpus")
            (data / "next").symlink_to(second)
            (data / "next").rename(data / "current")
            assert engine.run(operations.version, None) == "another"
            waiting.ended.touch()
            assert former.result() == esperia.corpus.manifest.version
    finally:
        engine.close()


def test_what_hinders_the_opening_is_told_to_each_who_asks(esperia: Esperia, tmp_path: Path) -> None:
    for data, settings, expected in (
        (tmp_path, esperia.settings, DataError),
        (esperia.data, Settings(embedder="usem3"), ConfigurationError),
    ):
        engine = RemoteEngine(data, settings, packages=PACKAGES)
        try:
            for _ in range(2):
                with pytest.raises(expected):
                    engine.run(operations.version, None)
        finally:
            engine.close()


def test_it_ends_with_the_program_that_started_it(esperia: Esperia) -> None:
    program = (
        "import sys, time; from pathlib import Path; from service.engines.remote import RemoteEngine\n"
        "from service.settings import Settings\n"
        "from tests.service.engines.operations import process_id\n"
        "engine = RemoteEngine(Path(sys.argv[1]), Settings(embedder='hash'), packages=('service', 'tests'))\n"
        "print(engine.run(process_id, None), flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(esperia.data)], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
    )
    assert parent.stdout is not None
    with parent:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: _ended(child), "the process to end with its parent")


def _ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
