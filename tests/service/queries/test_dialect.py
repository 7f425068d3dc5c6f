"""Virtuoso's leniencies become standard SPARQL with the same result, and standard SPARQL stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, Store

from service.queries.dialect import STANDARD, Edit, edit
from service.queries.tokens import Place
from tests.conftest import REPOSITORY
from tests.service.queries.reading_with import BASE, reading, refusal
from tests.w3c.suite import ROOT, sound_queries

EX = "http://ex.example/"
IN, AGE, NAME = (NamedNode(EX + name) for name in ("in", "age", "name"))
PROLOGUE = f"PREFIX ex: <{EX}> "


def _store() -> Store:
    store = Store()
    for number, (group, name) in enumerate(
        [("g", "Anna"), ("g", "Bruno"), ("h", "Carla"), ("h", "Anna"), ("k", "Ada")]
    ):
        person = NamedNode(f"{EX}p{number}")
        store.add(Quad(person, IN, NamedNode(EX + group)))
        store.add(Quad(person, AGE, Literal(30 + number)))
        store.add(Quad(person, NAME, Literal(name, language="it")))
    return store


STORE = _store()


def rows(text: str) -> list[tuple[str, ...]]:
    """What a query gives as it is read here, each row with the names of its variables, in a fixed order."""
    found = reading(PROLOGUE + text)
    solutions = STORE.query(found.text, base_iri=BASE, prefixes=found.prefixes)
    assert isinstance(solutions, QuerySolutions)
    names = [variable.value for variable in solutions.variables]
    return sorted(tuple(f"{name}={row[name]}" for name in sorted(names)) for row in solutions)


@pytest.mark.parametrize(
    ("lenient", "standard"),
    [
        ("SELECT COUNT(?p) AS ?n { ?p ex:in ?g }", "SELECT (COUNT(?p) AS ?n) { ?p ex:in ?g }"),
        ("SELECT COUNT(*) { ?p ex:in ?g }", "SELECT (COUNT(*) AS ?callret_0) { ?p ex:in ?g }"),
        ("SELECT (COUNT(DISTINCT ?g)) { ?p ex:in ?g }", "SELECT (COUNT(DISTINCT ?g) AS ?callret_0) { ?p ex:in ?g }"),
        (
            "SELECT ?g COUNT(?p) AS ?n { ?p ex:in ?g } ORDER BY DESC(?n)",
            "SELECT ?g (COUNT(?p) AS ?n) { ?p ex:in ?g } GROUP BY ?g ORDER BY DESC(?n)",
        ),
        (
            "SELECT ?g, (COUNT(DISTINCT ?p) AS ?n), MAX(?a) AS ?m WHERE { ?p ex:in ?g ; ex:age ?a }",
            "SELECT ?g (COUNT(DISTINCT ?p) AS ?n) (MAX(?a) AS ?m) WHERE { ?p ex:in ?g ; ex:age ?a } GROUP BY ?g",
        ),
        (
            "SELECT (?g) SUM(?a)/COUNT(?a) AS ?mean { ?p ex:in ?g ; ex:age ?a }",
            "SELECT ?g (SUM(?a)/COUNT(?a) AS ?mean) { ?p ex:in ?g ; ex:age ?a } GROUP BY ?g",
        ),
        (
            "SELECT DISTINCT ?g, ?n { ?p ex:in ?g ; ex:name ?n };",
            "SELECT DISTINCT ?g ?n { ?p ex:in ?g ; ex:name ?n }",
        ),
        (
            "SELECT STR(?n) AS ?s 1+2 AS ?three { ?p ex:name ?n }",
            "SELECT (STR(?n) AS ?s) (1+2 AS ?three) { ?p ex:name ?n }",
        ),
        (
            'SELECT ?g (GROUP_CONCAT(DISTINCT ?n, "; ") AS ?l) { SELECT * { ?p ex:in ?g ; ex:name ?n } ORDER BY ?n }',
            'SELECT ?g (GROUP_CONCAT(DISTINCT ?n; SEPARATOR="; ") AS ?l) '
            "{ SELECT * { ?p ex:in ?g ; ex:name ?n } ORDER BY ?n } GROUP BY ?g",
        ),
        (
            "SELECT ?g (COUNT(?p) AS ?n) { ?p ex:in ?g } GROUP BY ?g HAVING COUNT(?p) > 1",
            "SELECT ?g (COUNT(?p) AS ?n) { ?p ex:in ?g } GROUP BY ?g HAVING (COUNT(?p) > 1)",
        ),
        ("SELECT ?p { ?p ex:age ?a FILTER ?a > 31 }", "SELECT ?p { ?p ex:age ?a FILTER(?a > 31) }"),
        (
            "SELECT ?p { ?p ex:age ?a FILTER ?a > 31 && ?a < 33 . ?p ex:in ?g }",
            "SELECT ?p { ?p ex:age ?a FILTER(?a > 31 && ?a < 33) . ?p ex:in ?g }",
        ),
        ("SELECT ?p { ?p ex:age ?a FILTER !(?a = 31) }", "SELECT ?p { ?p ex:age ?a FILTER(!(?a = 31)) }"),
        (
            "SELECT ?p { ?p ex:age ?a OPTIONAL { ?p ex:no ?x } FILTER !bound(?x) }",
            "SELECT ?p { ?p ex:age ?a OPTIONAL { ?p ex:no ?x } FILTER(!bound(?x)) }",
        ),
        ("SELECT ?p { ?p ex:age ?a FILTER ?a IN (31, 32) }", "SELECT ?p { ?p ex:age ?a FILTER(?a IN (31, 32)) }"),
        ("SELECT ?p { ?p ex:age ?a FILTER ?a NOT IN (31) }", "SELECT ?p { ?p ex:age ?a FILTER(?a NOT IN (31)) }"),
        (
            'SELECT ?p { ?p ex:name ?n FILTER REGEX(?n, "^A") && LANG(?n) = "it" }',
            'SELECT ?p { ?p ex:name ?n FILTER(REGEX(?n, "^A") && LANG(?n) = "it") }',
        ),
        ("SELECT ?p { ?p ex:age ?a } ORDER BY DESC ?a LIMIT 2", "SELECT ?p { ?p ex:age ?a } ORDER BY DESC(?a) LIMIT 2"),
        (
            "SELECT ?p { ?p ex:age ?a } ORDER BY DESC ABS(?a) LIMIT 2",
            "SELECT ?p { ?p ex:age ?a } ORDER BY DESC(ABS(?a)) LIMIT 2",
        ),
        (
            "SELECT * { { SELECT ?g COUNT(?p) AS ?n { ?p ex:in ?g } } FILTER ?n > 1 }",
            "SELECT * { { SELECT ?g (COUNT(?p) AS ?n) { ?p ex:in ?g } GROUP BY ?g } FILTER(?n > 1) }",
        ),
        ("SELECT\u00a0?p {\u2003?p ex:in ?g\u00a0}", "SELECT ?p { ?p ex:in ?g }"),
    ],
)
def test_a_leniency_means_what_the_standard_query_means(lenient: str, standard: str) -> None:
    assert reading(PROLOGUE + standard).text == PROLOGUE + standard
    assert rows(lenient) == rows(standard)
    assert rows(standard)


def test_pragmas_that_tune_virtuoso_are_left_out_and_others_refused() -> None:
    assert reading('define sql:select-option "order" ASK {}').text.strip() == "ASK {}"
    for pragma in ('define input:inference "x"', "define get:soft 'soft'", "define input:default-graph-uri <http://a>"):
        assert "Virtuoso only" in refusal(f"{pragma} ASK {{}}").detail


def test_a_query_from_a_file_with_a_byte_order_mark_is_read() -> None:
    assert reading("\ufeffASK {}").text == " ASK {}"


@pytest.mark.parametrize("name", sorted(STANDARD))
@pytest.mark.parametrize("call", ["bif:{}(?x)", "<bif:{}>(?x)", "sql:{}(?x)", "BIF:x(?x)"][:2])
def test_a_function_of_virtuoso_is_refused_with_the_standard_way(name: str, call: str) -> None:
    problem = refusal(f"SELECT * {{\n  ?x ?p ?o FILTER({call.format(name)}) }}")
    assert problem.status == 400
    assert problem.suggestion == STANDARD[name]
    assert STANDARD[name] in problem.detail
    assert problem.place == Place(2, 19)


@pytest.mark.parametrize(
    "call", ["bif:unheard_of(?x)", "<bif:unheard_of>(?x)", "<http://www.openlinksw.com/schemas/bif#x>(?x)"]
)
def test_a_function_that_nobody_knows_is_refused_too(call: str) -> None:
    assert "Virtuoso only" in refusal(f"SELECT * {{ ?x ?p ?o FILTER({call}) }}").detail


def test_bif_may_be_a_prefix_of_ones_own() -> None:
    reading("PREFIX bif: <http://mine.example/> SELECT * { ?x bif:contains ?y }")


@pytest.mark.parametrize("clause", ['FILTER(?o LIKE "%a%")', "?s ?p ?o OPTION (TRANSITIVE, t_distinct)"])
def test_clauses_of_virtuoso_and_sql_are_refused_with_the_standard_way(clause: str) -> None:
    problem = refusal(f"SELECT * {{ ?s ?p ?o . {clause} }}")
    assert problem.suggestion
    assert problem.place


def test_what_stands_in_strings_comments_and_names_is_no_dialect() -> None:
    text = 'SELECT * { ?s ex:LIKE "bif:contains", \'define OPTION(\', <http://a/> #bif:x LIKE\n FILTER(?o = "a, b") }'
    assert reading(PROLOGUE + text).text == PROLOGUE + text


def test_no_query_of_the_project_is_edited_or_refused() -> None:
    paths = sorted((REPOSITORY / "sparql").rglob("*.rq"))
    assert len(paths) > 80
    for path in paths:
        text = path.read_text("utf-8")
        assert reading(text).text == text, path


@pytest.mark.skipif(not ROOT.is_dir(), reason=f"the W3C's tests are not at {ROOT}")
def test_no_query_of_the_w3c_is_edited_or_refused() -> None:
    assert len(sound_queries()) > 800
    for path in sound_queries():
        text = path.read_text("utf-8")
        assert reading(text).text == text, path


TEXT = "SELECT ?x, ?y\nWHERE { ?x ?p ?y }"


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 3), st.sampled_from(["", " ", "()", "long text"])), max_size=6
    )
)
def test_every_character_that_is_kept_knows_where_it_was(wanted: list[tuple[int, int, str]]) -> None:
    changes: list[Edit] = []
    for start, length, text in sorted(wanted):
        if not changes or start > changes[-1].end:
            changes.append(Edit(start, min(start + length, len(TEXT)), text))
    made = edit(TEXT, changes)
    gone = {at for change in changes for at in range(change.start, change.end)}
    kept = [at for at in range(len(TEXT)) if at not in gone]
    backs = [made.origin(at) for at in range(len(made.text))]
    assert backs == sorted(backs)
    assert set(kept) <= set(backs)
    for at, back in enumerate(backs):
        assert 0 <= back <= len(TEXT)
        if back in kept and backs.count(back) == 1:
            assert made.text[at] == TEXT[back]
    assert made.origin(len(made.text)) <= len(TEXT)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("SELECT ?g, COUNT(?p) AS ?n\nWHERE { ?p foaf:a ?g . ?p foaf:b ?a ?b }", Place(2, 37)),
        ("SELECT ?g, ?p, ?q\nWHERE { ?p foaf:a ?g ?q }", Place(2, 22)),
        ("SELECT MAX(?a) AS ?m { ?p foaf:a ?a FILTER ?a > 1 . } GROUP ?p", Place(1, 61)),
        ("\ufeffSELECT\u00a0?g, ?p { ?p foaf:a . }", Place(1, 28)),
        ("define sql:x 'y' SELECT COUNT(?x)\n?y { ?x a ?y } LIMIT ?x", Place(2, 22)),
    ],
)
def test_an_error_behind_an_edit_is_placed_in_the_text_as_sent(text: str, where: Place) -> None:
    assert refusal(text).place == where
