"""Solutions counted while a result is written: exact for every format, whatever its strings hold, however it is cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QueryResultsFormat, Store, Triple

from service.snapshots.counting import counter

FORMATS = (QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.CSV, QueryResultsFormat.TSV)
S, P = NamedNode("http://a.example/s"), NamedNode("http://a.example/p")
HOSTILE = st.text(alphabet="\"\\{}[]:,<>&'\n\r\t aé😀/result", max_size=12)
TERMS = st.one_of(
    HOSTILE.map(Literal),
    HOSTILE.map(lambda text: Literal(text, language="it")),
    st.just(NamedNode("http://a.example/,;%22")),
    st.just(BlankNode("b")),
    st.builds(
        lambda text, inner: Triple(S, P, Triple(S, P, Literal(text)) if inner else Literal(text)),
        HOSTILE,
        st.booleans(),
    ),
)


def written(query: str, terms: list[object], form: QueryResultsFormat) -> bytes:
    store = Store()
    for number, term in enumerate(terms):
        store.add(Quad(NamedNode(f"http://a.example/{number}"), P, term))  # type: ignore[arg-type]
    content = store.query(query).serialize(format=form)  # type: ignore[union-attr]
    assert content is not None
    return content


def counted(content: bytes, cuts: list[int], form: QueryResultsFormat) -> int:
    count = counter(form.media_type.split(";")[0])
    edges = [0, *sorted(cut % (len(content) + 1) for cut in cuts), len(content)]
    return sum(count(content[start:end]) for start, end in pairwise(edges))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.file_extension)
@given(terms=st.lists(TERMS, max_size=5), cuts=st.lists(st.integers(0, 10_000), max_size=8))
def test_every_solution_is_counted_once(form: QueryResultsFormat, terms: list[object], cuts: list[int]) -> None:
    content = written("SELECT ?s ?o ?unbound { ?s ?p ?o }", terms, form)
    assert counted(content, cuts, form) == len(terms)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.file_extension)
def test_every_cut_byte_by_byte_counts_alike(form: QueryResultsFormat) -> None:
    content = written(
        "SELECT ?o { ?s ?p ?o }", [Literal('a"\\"{,{[{\n'), Literal("</result><result>"), Literal("")], form
    )
    assert counted(content, list(range(len(content))), form) == 3


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.file_extension)
@pytest.mark.parametrize("query", ["SELECT * {}", "SELECT ?x { BIND(1 AS ?y) }", "SELECT * { ?s <http://none> ?o }"])
def test_solutions_without_bindings_are_counted_too(form: QueryResultsFormat, query: str) -> None:
    assert counted(written(query, [], form), [3, 9], form) == (0 if "none" in query else 1)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.file_extension)
def test_a_boolean_has_no_solutions(form: QueryResultsFormat) -> None:
    assert counted(written("ASK {}", [], form), [2], form) == 0


@given(st.lists(HOSTILE, max_size=4), st.integers(0, 4))
def test_json_that_another_store_writes_with_white_space_is_counted_too(texts: list[str], indent: int) -> None:
    rows = [{"x": {"type": "literal", "value": text}} for text in texts]
    document = {"head": {"link": [], "vars": ["x"]}, "results": {"distinct": False, "bindings": rows}}
    content = json.dumps(document, indent=indent or None, separators=(" , ", " : ")).encode()
    assert counted(content, [7, 50], QueryResultsFormat.JSON) == len(texts)


def test_one_long_string_is_read_once_and_not_again_with_each_piece() -> None:
    """Counted in bytes that the counter looks at again: it keeps no more than it needs between two pieces."""
    count = counter(QueryResultsFormat.JSON.media_type)
    count(b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"')
    kept = []
    for _ in range(50):
        count(b"x" * 10_000)
        kept.append(
            sum(len(cell.cell_contents) for cell in count.__closure__ or () if isinstance(cell.cell_contents, bytes))
        )
    assert max(kept) < 100
    assert count(b'"}}]}}') == 0


def test_a_format_that_is_no_table_is_a_lookup_error() -> None:
    with pytest.raises(LookupError):
        counter("text/turtle")
