"""Words that SPARQL has not, and calls that an engine could see where the reading does not."""

import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from service.queries.reading import read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize
from service.queries.tokens import Place
from service.queries.words import WORDS, meaning
from tests.service.queries.reading_with import BASE, reading, refusal

SIZE = QuerySize(10_000, 50, 100, 100)
A = NamedNode("http://a.example/")
STORE = Store()
STORE.extend([Quad(A, A, Literal(True)), Quad(A, A, Literal(1))])
UNREACHABLE = "<http://127.0.0.1:9/>"
"""A port that no client of HTTP may call: the engine says so at once if it would have called."""
PROLOGUE = (
    "PREFIX : <http://127.0.0.1:9/> PREFIX ex: <http://e/> PREFIX SERVICE: <http://x/> PREFIX trueSERVICE: <http://x/> "
    "PREFIX true.SERVICE: <http://x/> PREFIX SILENT: <http://x/> PREFIX SERVICESILENT: <http://x/> "
)
PIECES = (
    "?s ?p ", "true", "1", "1.", "1e1", '"a"', '"a"@en', "ex:a", "_:b", "?o", "[]", "()", ".", "-", "#\n", " ",
    "SERVICE", "service",
    "SILENT", UNREACHABLE, "{}", "{", "}", ":x", "SERVICE:x", "trueSERVICE:x", "true.SERVICE:x", "SERVICESILENT:x",
    "SILENT:x",
    "<", ">", "\\u0053", "OPTIONAL", "FILTER EXISTS", "a", "LATERAL", "GRAPH ?g", "{ ?s ?p ?o }",
)  # fmt: skip


def would_call(text: str) -> bool:
    """Whether the engine calls somebody for a query."""
    try:
        list(STORE.query(text, base_iri=BASE, use_default_graph_as_union=True))  # type: ignore[arg-type]
    except (OSError, RuntimeError, ValueError) as error:
        return "not allowed" in str(error)
    except (SyntaxError, TypeError):
        return False
    return False


def passes_unseen(text: str) -> bool:
    """Whether the reading lets a query pass and sees no SERVICE clause in it."""
    try:
        return not reading(text).structure.services
    except QueryRefused:
        return False


SMUGGLED = [
    f"?s ?p trueSERVICE{UNREACHABLE}{{}}",
    "SERVICE:x {}",
    "?s ?p trueSERVICE:x {}",
    "?s ?p true.SERVICE:x {}",
    "SERVICE # silent\n :x {}",
    f"OPTIONAL {{ ?s ?p falseSERVICE{UNREACHABLE}{{}} }}",
]


@pytest.mark.parametrize("pattern", SMUGGLED)
def test_no_call_is_hidden_by_words_that_are_glued(pattern: str) -> None:
    assert not passes_unseen(f"{PROLOGUE} SELECT * {{ {pattern} }}")


def test_the_hidden_calls_are_calls_to_an_engine_that_reads_without_tokens() -> None:
    assert sum(would_call(f"{PROLOGUE} SELECT * {{ {pattern} }}") for pattern in SMUGGLED) >= 3


@how(max_examples=600)
@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=9).map("".join))
def test_whatever_the_engine_would_call_the_reading_sees(pattern: str) -> None:
    text = f"{PROLOGUE} SELECT * {{ {pattern} }}"
    assert not (passes_unseen(text) and would_call(text))


@pytest.mark.parametrize("silent", ["SERVICESILENT", "servicesilent", "SERVICESilent"])
def test_a_silent_call_is_not_hidden_either(silent: str) -> None:
    assert not passes_unseen(f"SELECT * {{ {silent}{UNREACHABLE}{{ ?s ?p ?o }} }}")


def test_a_prefix_named_service_may_be_used() -> None:
    reading("PREFIX service: <http://s/> SELECT * { GRAPH service:g { ?s service:p service:o } ?s ?p service:o . { } }")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("SELCT", "SELECT"), ("WERE", "WHERE"), ("OPTINAL", "OPTIONAL"), ("FILTRE", "FILTER"), ("GROUPBY",
        "GROUP BY"),
        ("ORDERBY", "ORDER BY"), ("SELECTDISTINCT", "SELECT DISTINCT"), ("NOTEXISTS", "NOT EXISTS"), ("AND", "&&"),
        ("A", "a"),
        ("contain", "CONTAINS"), ("Substring", "SUBSTR(?x, start, length)"), ("Mario", None), ("name", None),
        ("x" * 500_000, None),
    ],
)  # fmt: skip
def test_a_misspelt_word_is_told_what_was_meant(word: str, meant: str | None) -> None:
    assert meaning(word) == meant


def test_the_refusal_of_a_word_places_it_and_says_what_to_write() -> None:
    problem = refusal("SELECT *\nWHERE { ?x a ?y FILTRE(?y = 1) }")
    assert (problem.place, problem.suggestion) == (Place(2, 17), "FILTER")
    assert "did you mean FILTER?" in problem.detail
    assert "?Mario" in refusal("SELECT * { ?x ?y Mario }").detail


@pytest.mark.parametrize("word", sorted(WORDS))
def test_no_word_of_sparql_is_taken_for_another_or_for_two(word: str) -> None:
    assert word == word.upper()
    assert word in WORDS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT * { ocd:persona.rdf/p302103 ?p ?o }", "<http://dati.camera.it/ocd/persona.rdf/p302103>"),
        ("SELECT * { ?s ?p ocd:persona.rdf/p302103. }", "<http://dati.camera.it/ocd/persona.rdf/p302103>"),
        ("PREFIX x: <urn:x:> SELECT * { x:a/b ?p ?o }", "<urn:x:a/b>"),
        ("SELECT * { ?s ?p ?o } // tutto", "a comment begins with #"),
        ("-- tutto\nSELECT * { ?s ?p ?o }", "a comment begins with #"),
        ("SELECT * { ?s ?p ?o FILTER(?o &gt; 3) }", "HTML for >"),
    ],
)
def test_slips_of_people_who_copy_are_told_with_what_to_write(text: str, told: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        read(text, SIZE)
    assert told in refused.value.detail
    assert refused.value.place is not None


def test_a_path_of_two_short_names_is_no_slip() -> None:
    assert read("SELECT * { ?s foaf:knows/foaf:name ?o }", SIZE).structure.form == "SELECT"
