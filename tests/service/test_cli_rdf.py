"""Plain RDF on the command line: loaded, told of, exported, and not to be asked."""

import json
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

from service.embedding import HashEmbedder
from tests.service.test_cli import invoke, refused, refused_load, run

X = "http://data.example/"
FACTS = f"""<{X}anna> <{X}knows> <{X}lia> <{X}one> .
<{X}anna> <{X}knows> <{X}lia> <{X}two> .
<{X}anna> <{X}age> "41" .
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "facts.nq"
    path.write_text(FACTS, encoding="utf-8")
    return path


@pytest.fixture
def data(source: Path, tmp_path: Path) -> Path:
    result = invoke("load", "rdf", "--from", source, "--data", tmp_path / "data", "--json")
    assert result.exit_code == 0, result.output
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def _no_embedding_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("an embedding model was asked for")

    monkeypatch.setattr("service.embedders.open_embedder", asked)
    monkeypatch.setattr(HashEmbedder, "__init__", asked)


def test_a_load_tells_what_it_did_and_draws_its_progress_elsewhere(source: Path, tmp_path: Path) -> None:
    result = run("load", "rdf", "--from", source, "--data", tmp_path / "data")
    assert result.returncode == 0
    for part in (
        "Loaded facts.nq as it is",
        "quads read",
        f"{X}one",
        "(unnamed)",
        "2 triples, 3 quads in 2 named graphs",
    ):
        assert part in " ".join(result.stdout.split())
    assert "Reading RDF" in result.stderr


def test_a_load_with_json_prints_the_report_alone(source: Path, tmp_path: Path) -> None:
    result = run("load", "rdf", "--from", source, "--data", tmp_path / "data", "--json")
    report = json.loads(result.stdout)
    assert report["read"] == 3
    assert report["graphs"] == {"": 1, f"{X}one": 1, f"{X}two": 1}
    assert report["counts"] == {"triples": 2, "quads": 3, "graphs": 2}
    assert report["defaultGraph"] == "merged"
    assert set(report["seconds"]) == {"read RDF", "compare graphs", "merge graphs", "publish graph"}


def test_a_folder_may_be_given(source: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    source.rename(tmp_path / "more" / "b.nq")
    (tmp_path / "more" / "a.ttl").write_text(f"<{X}lia> <{X}age> 7 .", encoding="utf-8")
    result = invoke("load", "rdf", "--from", tmp_path / "more", "--data", tmp_path / "data", "--json")
    assert json.loads(result.stdout)["read"] == 4


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.nq", FACTS + "oops\n", "bad.nq, line 4: is not valid"),
        ("deep.ttl", f"<{X}a> <{X}b> " + "[" * 1000, "deep.ttl, line 1: is nested"),
        ("[red].csv", "a,b", "[red].csv: has no suffix of an RDF serialisation"),
    ],
)
def test_a_source_that_cannot_be_used_is_one_message_and_exit_code_2(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    told = refused_load(run("load", "rdf", "--from", tmp_path / name, "--data", tmp_path / "data"))
    assert message.replace(" ", "") in told.replace(" ", "")  # lines are broken where the terminal ends
    assert not (tmp_path / "data" / "current").exists()


def test_check_tells_what_is_loaded_and_that_its_checks_do_not_apply(data: Path) -> None:
    result = run("check", "--data", data)
    assert result.returncode == 0
    assert "2 triples, 3 quads in 2 named graphs, some in more than one" in " ".join(result.stdout.split())
    assert "the checks of a parliament do not apply" in " ".join(result.stdout.split())
    report = json.loads(run("check", "--data", data, "--json").stdout)
    assert (report["kind"], report["counts"]["triples"]) == ("rdf", 2)


def test_export_gives_back_what_was_loaded(data: Path) -> None:
    result = run("export", "--data", data)
    assert result.returncode == 0
    assert set(parse(result.stdout.encode(), format=RdfFormat.N_QUADS)) == set(parse(FACTS, format=RdfFormat.N_QUADS))


@pytest.mark.parametrize("command", [("ask", "il salario minimo"), ("demo",)])
def test_what_needs_a_parliament_says_that_there_is_none(data: Path, command: tuple[str, ...]) -> None:
    result = run(*command, "--data", data)
    message = refused(result.returncode, result.stdout, result.stderr)
    assert "holds plain RDF (facts)" in message
