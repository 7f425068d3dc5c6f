"""Every query of the pipeline is a file of plain SPARQL 1.1 that runs as it stands on any store."""

import ast
import re
from pathlib import Path

import pytest

import mappings
import sparql
from service.examples import examples
from service.graph import GraphStore
from service.loading.checks import About, Level

ROOT = Path(sparql.__file__).parent
FEDERATED = {f"examples/{example.name}" for example in examples() if example.partners}
"""What asks other endpoints; it cannot run here."""
FILES = sorted({path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.rq")} - FEDERATED)
RULES = dict(sparql.rules(mappings.folder("camera")))

_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_FORM = re.compile(r"\b(SELECT|ASK|CONSTRUCT|DESCRIBE)\b")
_NOT_PORTABLE = re.compile(r"\b(LATERAL|bif:|text:query|fn:|xpath:|geof:|SERVICE|INSERT|DELETE|<<)", re.IGNORECASE)


def run(graph: GraphStore, text: str) -> object:
    form = _FORM.search(_COMMENT.sub("", text))
    assert form
    match form[1]:
        case "SELECT":
            return graph.select(text)
        case "ASK":
            return graph.ask(text)
        case _:
            return list(graph.construct(text))


def test_there_are_queries() -> None:
    assert len(FILES) > 30
    assert len(RULES) > 5


@pytest.mark.parametrize("name", FILES)
def test_a_query_runs_as_it_stands_on_both_forms_of_the_graph(name: str, esperia_graph: GraphStore) -> None:
    run(esperia_graph, sparql.query(name))


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_mapping_rule_runs_as_it_stands_on_both_forms_of_the_graph(name: str, esperia_graph: GraphStore) -> None:
    run(esperia_graph, RULES[name])


@pytest.mark.parametrize("name", FILES)
def test_a_query_with_a_limit_is_ordered_first_F58(name: str) -> None:
    text = _COMMENT.sub("", sparql.query(name))
    assert "LIMIT" not in text or "ORDER BY" in text


def _lists_rows(name: str) -> bool:
    text = _COMMENT.sub("", sparql.query(name))
    one_row = "GROUP BY" not in text and re.search(r"\((COUNT|MIN|MAX)\(", text)
    form = _FORM.search(text)
    return form is not None and form[1] == "SELECT" and not one_row


@pytest.mark.parametrize("name", [name for name in FILES if _lists_rows(name)])
def test_a_query_that_lists_rows_states_their_order_F58(name: str) -> None:
    """Or that they have none, so that whoever asks puts them in one."""
    assert ("ORDER BY" in sparql.query(name)) != ("\n# In no order: " in sparql.query(name))


@pytest.mark.parametrize("name", FILES)
def test_a_query_begins_with_a_comment_and_uses_no_extension_of_an_engine(name: str) -> None:
    text = sparql.query(name)
    assert text.startswith("# ")
    assert not _NOT_PORTABLE.search(_COMMENT.sub("", text))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("checks/") and name.count("/") == 1])
def test_a_check_has_a_title_and_a_level_and_returns_subject_and_detail(name: str) -> None:
    text = sparql.query(name)
    header = dict(re.findall(r"^# (title|level|about): (.+)$", text, re.MULTILINE))
    assert header["title"]
    assert header["level"] in Level.__args__
    assert header["about"] in About.__args__
    assert re.search(r"SELECT (DISTINCT )?\?subject \?detail\b", text)


DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
COMPOSED = ("federation.py", "words.py")
"""What a partner is asked is made of a person's own pattern; the other tells what SPARQL's words are for."""


def test_the_program_holds_no_query_text() -> None:
    query = re.compile(r"\b(SELECT|CONSTRUCT|ASK|DESCRIBE|INSERT|DELETE|WHERE)\b.*(\{|\?\w)", re.DOTALL)
    found = []
    for path in sorted((ROOT.parent / "service").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        described = {id(ast.get_docstring(node, clean=False)) for node in ast.walk(tree) if isinstance(node, DESCRIBED)}
        found += [
            f"{path.name}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node.value) not in described
            and query.search(node.value)
            and path.name not in COMPOSED
        ]
    assert found == []


def test_names_lists_a_folder_in_order_and_query_reads_each() -> None:
    names = sparql.names("enrich")
    assert names == tuple(sorted(names))
    assert all(sparql.query(name).startswith("#") for name in names)


def test_a_query_bound_to_many_values_gives_the_same_rows_on_both_forms(
    esperia: object, esperia_graph: GraphStore
) -> None:
    deputies = [row["speaker"] for row in esperia_graph.select(sparql.query("index/profiles"))]
    assert len(deputies) > 40
    bound = sparql.bind(sparql.query("authority/profiles"), "?speaker", deputies)
    assert esperia_graph.select(bound) == esperia.corpus.graph.select(bound)  # type: ignore[attr-defined]
