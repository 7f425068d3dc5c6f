"""The command line, as a shell runs it: what it prints where, and with what exit code."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import typer.testing
from pyoxigraph import RdfFormat, Store, parse

from service import cli
from service.answer.jsonld import from_rdf, to_rdf
from service.answers import read_answer
from service.embedding import HashEmbedder
from service.loading.checks import CheckResult, Finding, run_checks
from tests.conftest import REPOSITORY, SOURCES, Esperia

TOPIC = "il salario minimo legale"


@pytest.fixture(autouse=True)
def _hash_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMICICLO_EMBEDDER", "hash")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
    return subprocess.run(
        [sys.executable, "-m", "service.cli", *map(str, arguments)],
        env={**clean, "EMICICLO_EMBEDDER": "hash"},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
    )


def invoke(*arguments: str | Path) -> typer.testing.Result:
    """Run the command inside this process."""
    return typer.testing.CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the consoles write to whatever standard output is at the time."""
    from rich.console import Console

    monkeypatch.setattr(cli, "_out", Console(highlight=False, width=100))
    monkeypatch.setattr(cli, "_err", Console(stderr=True, highlight=False, width=100))


def refused(code: int, printed: str, told: str) -> str:
    """The one message of a refused command: exit code 2, nothing on standard output, no traceback."""
    assert code == 2, told
    assert printed == ""
    assert "Traceback" not in told
    assert told.count("Error") == 1
    return " ".join(told.split())


def test_ask_with_json_prints_the_document_alone_on_standard_output(esperia: Esperia) -> None:
    result = run("ask", TOPIC, "--data", esperia.data, "--json")
    assert result.returncode == 0
    assert result.stderr == ""
    document = json.loads(result.stdout)
    assert document["type"] == "Answer"
    assert from_rdf(to_rdf(document)) == document
    assert read_answer(esperia.data / "answers", document["id"]) == document


@pytest.mark.usefixtures("printed")
def test_ask_prints_a_report_with_its_sources(esperia: Esperia) -> None:
    result = invoke("ask", TOPIC, "--data", esperia.data)
    assert result.exit_code == 0
    for part in ("Parlamento inventato", "GOVERNO", "MAGGIORANZA", "OPPOSIZIONE", "CITAZIONI", "[1]", "Autorevolezza"):
        assert part in result.output
    assert "{q" not in result.output


@pytest.mark.usefixtures("printed")
def test_ask_about_what_nobody_spoke_of_succeeds_and_says_so(esperia: Esperia) -> None:
    result = invoke("ask", "il ponte sullo Stretto di Gibilterra e le balene", "--data", esperia.data)
    assert result.exit_code == 0
    assert "non risultano interventi" in result.output
    assert "Nessuna citazione." in result.output
    assert "CITAZIONI" not in result.output


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize("name", ["PLS", "pls", "Partito del Lavoro e della Solidarietà"])
def test_a_group_may_be_named_by_sigla_or_name(esperia: Esperia, name: str) -> None:
    result = invoke("ask", TOPIC, "--data", esperia.data, "--group", name, "--json")
    assert result.exit_code == 0
    (section,) = json.loads(result.stdout)["sections"]
    assert section["title"] == "Partito del Lavoro e della Solidarietà"


@pytest.mark.usefixtures("printed")
def test_the_government_may_be_asked_for_alone(esperia: Esperia) -> None:
    result = invoke("ask", TOPIC, "--data", esperia.data, "--group", "Governo", "--json")
    assert [section["kind"] for section in json.loads(result.stdout)["sections"]] == ["government"]


@pytest.mark.usefixtures("printed")
def test_an_answer_may_be_asked_for_as_of_a_day_and_between_days(esperia: Esperia) -> None:
    result = invoke("ask", TOPIC, "--data", esperia.data, "--as-of", "2025-06-01", "--json")
    assert json.loads(result.stdout)["question"]["referenceDate"] == "2025-06-01"
    days = ("--from-date", "2025-02-01", "--until-date", "2025-02-28")
    asked = json.loads(invoke("ask", TOPIC, "--data", esperia.data, *days, "--json").stdout)
    assert (asked["question"]["dateFrom"], asked["question"]["dateUntil"]) == ("2025-02-01", "2025-02-28")
    assert {q["date"][:7] for s in asked["sections"] for q in s["quotations"]} == {"2025-02"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("ask", ""), "question is empty", id="an empty question"),
        pytest.param(("ask", "x" * 1001), "1001 characters", id="an endless question"),
        pytest.param(("ask", TOPIC, "--group", "Nessuno"), "no group 'Nessuno'; known: Governo", id="no such group"),
        pytest.param(("ask", TOPIC, "--as-of", "ieri"), "--as-of", id="no such day"),
        pytest.param(("ask",), "Missing argument", id="no question"),
        pytest.param(("load", "nowhere", "--from", "."), "nowhere", id="no such institution"),
    ],
)
@pytest.mark.usefixtures("printed")
def test_unusable_input_is_one_message_and_exit_code_2(
    esperia: Esperia, arguments: tuple[str, ...], message: str
) -> None:
    result = invoke(*arguments, "--data", esperia.data)
    assert message in refused(result.exit_code, result.stdout, result.stderr)


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize("command", [("ask", TOPIC), ("check",), ("export",)])
def test_a_folder_without_data_is_told_with_what_to_do(tmp_path: Path, command: tuple[str, ...]) -> None:
    result = invoke(*command, "--data", tmp_path)
    message = refused(result.exit_code, result.stdout, result.stderr)
    assert "no data are loaded" in message
    assert tmp_path.name in message.replace(" ", "")


@pytest.mark.usefixtures("printed")
def test_a_wrong_embedding_model_is_told_with_what_to_set(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HashEmbedder, "model", "hash-2")
    result = invoke("ask", TOPIC, "--data", esperia.data)
    assert "set EMICICLO_EMBEDDER" in refused(result.exit_code, result.stdout, result.stderr)
    assert invoke("check", "--data", esperia.data).exit_code == 0


@pytest.mark.usefixtures("printed")
def test_a_misspelt_setting_is_told_by_its_name(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMICICLO_EMBEDER", "hash")
    result = invoke("ask", TOPIC, "--data", esperia.data)
    assert "EMICICLO_EMBEDER" in refused(result.exit_code, result.stdout, result.stderr)


@pytest.mark.usefixtures("printed")
def test_load_with_json_prints_its_report_alone_and_publishes(tmp_path: Path) -> None:
    result = invoke("load", "esperia", "--from", SOURCES, "--data", tmp_path / "data", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["counts"]["sittings"] == 15
    assert report["printedGroups"]["agreeing"] == report["printedGroups"]["comparable"]
    assert invoke("check", "--data", tmp_path / "data").exit_code == 0


@pytest.mark.usefixtures("printed")
def test_a_load_whose_checks_fail_exits_with_1(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Finding(subject="https://example.org/id/speech/1", detail="spoilt for a test")
    spoilt = CheckResult(name="spoilt", title="A spoilt check", level="error", findings=(row,))
    report = replace(esperia.report, checks=(*esperia.report.checks, spoilt))
    monkeypatch.setattr(cli, "_load", lambda *_, **__: report)
    result = invoke("load", "esperia", "--from", SOURCES)
    assert result.exit_code == 1
    for part in ("quads read", "speeches", "Printed group = dated group", "Checks", "spoilt for a test"):
        assert part in result.output


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("stenographic/stenografico_leg1_0003.xml", lambda text: text.replace("</fase>", "</fasi>", 1)),
        ("ocd/esperia.nq", lambda text: text[: len(text) // 2].rsplit(" ", 2)[0]),
    ],
    ids=["a broken transcript", "a truncated graph"],
)
def test_a_broken_source_is_told_with_its_file_and_line(sources: Path, tmp_path: Path, name: str, spoil) -> None:  # type: ignore[no-untyped-def]
    path = sources / name
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    message = refused_load(run("load", "esperia", "--from", sources, "--data", tmp_path / "data"))
    assert path.name in message
    assert any(character.isdigit() for character in message.split(path.name)[1][:30])
    assert not (tmp_path / "data" / "current").exists()


def refused_load(result: subprocess.CompletedProcess[str] | typer.testing.Result) -> str:
    """The message of a refused load, whose progress is drawn on standard error before it."""
    assert (result.exit_code if isinstance(result, typer.testing.Result) else result.returncode) == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.count("Error:") == 1
    return result.stderr.split("Error:")[1].replace("\n", "")


@pytest.mark.usefixtures("printed")
def test_an_empty_folder_of_sources_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "empty" in refused_load(invoke("load", "esperia", "--from", tmp_path / "empty", "--data", tmp_path / "data"))


@pytest.mark.usefixtures("printed")
def test_check_counts_what_is_loaded_by_kind(esperia: Esperia) -> None:
    result = invoke("check", "--data", esperia.data)
    assert result.exit_code == 0
    for kind, number in esperia.report.manifest.counts.items():
        assert kind in result.output
        assert str(number) in result.output
    kinds = {"sittings", "speeches", "chunks", "people", "memberships", "acts", "signatures", "triples"}
    assert kinds <= set(esperia.report.manifest.counts)


@pytest.mark.usefixtures("printed")
def test_check_with_json_prints_every_row_of_every_check(esperia: Esperia) -> None:
    result = invoke("check", "--data", esperia.data, "--json")
    report = json.loads(result.stdout)
    assert report["counts"] == esperia.report.manifest.counts
    assert {check["level"] for check in report["checks"]} >= {"error", "warning"}
    at_load = {check.name: len(check.findings) for check in esperia.report.checks if check.name != "shapes"}
    assert {check["name"]: len(check["findings"]) for check in report["checks"]} == at_load


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize(("level", "code"), [("error", 1), ("warning", 0), ("info", 0)])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_check_exits_with_1_on_a_row_of_error_level_alone(
    esperia: Esperia, monkeypatch: pytest.MonkeyPatch, level: str, code: int, form: tuple[str, ...]
) -> None:
    row = Finding(subject="https://example.org/id/speech/1", detail="spoilt [for] a test")
    spoilt = CheckResult(name="spoilt", title="A spoilt check", level=level, findings=(row,))  # type: ignore[arg-type]
    monkeypatch.setattr("service.loading.checks.run_checks", lambda graph: (*run_checks(graph), spoilt))
    result = invoke("check", "--data", esperia.data, *form)
    assert result.exit_code == code
    if level != "info" or form:
        assert "spoilt [for] a test" in result.output


def test_export_is_the_whole_graph_as_n_quads(esperia: Esperia) -> None:
    result = run("export", "--data", esperia.data)
    assert result.returncode == 0
    assert result.stderr == ""
    exported = Counter(parse(result.stdout.encode(), format=RdfFormat.N_QUADS))
    stored = Store.read_only(str((esperia.data / "current" / "graph").resolve()))
    assert sum(exported.values()) == len(exported) == len(stored) == esperia.report.manifest.counts["triples"]


@pytest.mark.skipif(shutil.which("head") is None, reason="needs head")
@pytest.mark.parametrize("command", ["export", f"ask '{TOPIC}' --json", "check --json"])
def test_output_may_be_cut_short_by_a_pipe(esperia: Esperia, command: str) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
    result = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m service.cli {command} --data {esperia.data} | head -n 1"],
        env={**clean, "EMICICLO_EMBEDDER": "hash"},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.usefixtures("printed")
def test_the_demonstration_loads_once_answers_and_says_what_to_try(tmp_path: Path) -> None:
    first = invoke("demo", "--data", tmp_path / "esperia")
    assert first.exit_code == 0
    assert "Loaded" in first.output
    for part in ("Parlamento inventato", TOPIC, "What to try next", "emiciclo serve --data", "http://127.0.0.1:8000/"):
        assert part in first.output
    second = invoke("demo", "--data", tmp_path / "esperia", "--question", "l'energia nucleare")
    assert second.exit_code == 0
    assert "Loaded" not in second.output
    assert "L'energia nucleare" in second.output


def test_help_names_every_command() -> None:
    result = invoke("--help")
    assert result.exit_code == 0
    for command in ("load", "ask", "check", "export", "serve", "demo"):
        assert command in result.output
