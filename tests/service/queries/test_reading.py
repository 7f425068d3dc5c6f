"""Mistakes that people make in SPARQL: each is placed, and told in words that help."""

import pytest

from service.prefixes import PREFIXES, nearest
from service.queries.tokens import Place
from tests.service.queries.reading_with import reading, refusal

MISTAKES = [
    ("SELCT ?x WHERE { ?x a foaf:Person }", 1, "did you mean SELECT"),
    ("SELECT ?x WERE { ?x a foaf:Person }", 11, "did you mean WHERE"),
    ("SELECT ?x WHERE { ?x a odc:deputato }", 24, "did you mean ocd:"),
    ("SELECT ?x WHERE { ?x a foaf:Person", 17, "never closed"),
    ("SELECT ?x WHERE ?x a foaf:Person", 17, "WHERE { … }"),
    ("SELECT ?x WHERE { ?x a foaf:Person ?x foaf:name ?n }", 36, "a dot is missing"),
    ("SELECT ?x WHERE { ?x foaf:name Mario }", 32, "a text in quotes"),
    ('SELECT ?x WHERE { ?x foaf:name "Mario }', 32, "no closing quote"),
    ("SELECT ?x WHERE { ?x foaf:name “Mario” }", 32, "straight"),
    ("SELECT x WHERE { ?x a foaf:Person }", 8, "a variable is written ?x"),
    ("SELECT ?x, ?y WHERE { ?x a ?y } LIMIT", 38, "not complete"),
    ("SELECT ?x WHERE { ?x a foaf:Person } LIMIT ?n", 44, "whole number"),
    ("SELECT ?x WHERE { ?x a foaf:Person } ORDER ?x", 44, "ORDER BY"),
    ("SELECT ?x WHERE { ?x a foaf:Person } ORDER BY ?x DESC", 54, "DESC(?x)"),
    ("SELECT ?x WHERE { ?x a foaf:Person } LIMIT 10 ORDER BY ?x", 47, "ORDER BY, LIMIT"),
    ("SELECT ?x WHERE { ?x a foaf:Person . LIMIT 10 }", 38, "after the last brace"),
    ("SELECT ?x WHERE { ?x a ?y FILTER(?x = 3 AND ?x > 2) }", 41, "write &&"),
    ("SELECT ?x WHERE { ?x a ?y . FILTER(?x == 3) }", 40, "one sign"),
    ("SELECT ?x WHERE { ?x a ?y . FILTER(CONTAIN(?x, 'a')) }", 36, "did you mean CONTAINS"),
    ("SELECT ?x WHERE { ?x a ?y . FILTER(CONTAINS(?x)) }", 47, "CONTAINS(…) lacks"),
    ("SELECT ?x WHERE { ?x a ?y . FILTER(UCASE(?x, 1)) }", 44, "UCASE(…) takes no more"),
    ("SELECT ?x WHERE { ?x a ?y . FILTER(REGEX(?x, 'a') }", 51, "still open"),
    ("SELECT ?x (COUNT(?y) ?n) WHERE { ?x a ?y } GROUP BY ?x", 22, "AS"),
    ("SELECT ?x ?y (COUNT(?z) AS ?n) WHERE { ?x ?y ?z } GROUP BY ?x", 1, "neither in GROUP BY"),
    ("SELECT ?x (1 AS ?x) WHERE { ?x a ?y }", 1, "take another"),
    ("PREFIX foaf <http://xmlns.com/foaf/0.1/> ASK {}", 8, "ends with a colon"),
    ("PREFIX foaf: http://xmlns.com/foaf/0.1/ ASK {}", 21, "angle brackets"),
    ("@prefix foaf: <http://xmlns.com/foaf/0.1/> . ASK {}", 1, "Turtle"),
    ("PREFIX foaf: <http://xmlns.com/foaf/0.1/>; ASK {}", 42, "no “;”"),
    ("SELECT ?x WHERE { ?x http://xmlns.com/foaf/0.1/name ?n }", 29, "angle brackets"),
    ("SELECT ?x WHERE { ?x foaf:name ?n ; } }", 39, "closes nothing"),
    ("SELECT ?x WHERE { OPTIONAL ?x a foaf:Person }", 28, "OPTIONAL { … }"),
    ("SELECT ?x WHERE { { ?x a ?y } UNION ?x a ?z }", 37, "UNION { … }"),
    ("SELECT ?x WHERE { ?x a ?y FILTER NOT EXISTS ?x a ?z }", 45, "EXISTS { … }"),
    ("SELECT ?x WHERE { ?x a ?y . BIND(STR(?x) ?s) }", 42, "AS"),
    ("SELECT ?x WHERE { ?x a ?y . BIND(?y AS ?x) }", 44, "has a value already"),
    ('SELECT ?x WHERE { ?x a "2020"^xsd:date }', 30, "^^"),
    ("SELECT ?x WHERE { VALUES ?x { foaf:a, foaf:b } }", 37, "without commas"),
    ("SELECT ?x WHERE { VALUES ?x ?y { foaf:a foaf:b } }", 29, "in brackets"),
    ("SELECT (SUM ?x AS ?n) WHERE { ?s ?p ?x }", 13, "SUM(?x)"),
    ("SELECT ?x WHERE { ?x foaf:knows . }", 33, "subject, predicate and value"),
    ("SELECT ?x WHERE {\u200b ?x a ?y }", 18, "U+200B"),
]


@pytest.mark.parametrize(("text", "column", "told"), MISTAKES, ids=[text[:60] for text, _, _ in MISTAKES])
def test_a_mistake_is_placed_and_explained(text: str, column: int, told: str) -> None:
    problem = refusal(text)
    assert problem.status == 400
    assert problem.place == Place(1, column)
    assert told in problem.detail
    assert len(problem.detail) < 400
    assert "\n" not in problem.detail
    assert "[_]" not in problem.detail


def test_a_mistake_is_placed_in_its_line() -> None:
    problem = refusal('SELECT ?x # è\nWHERE {\n  ?x foaf:name "città" ;\n     foaf:knows .\n}')
    assert problem.place == Place(4, 17)
    assert problem.detail.startswith("line 4, column 17: ")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("odc", "ocd"), ("faof", "foaf"), ("dctems", "dcterms"), ("FOAF", "foaf"), ("skoss", "skos"), ("zzzzzz", None)],
)
def test_a_misspelt_prefix_is_answered_with_the_nearest_known_one(written: str, meant: str | None) -> None:
    assert nearest(written, set(PREFIXES)) == meant
    problem = refusal(f"ASK {{ ?x {written}:name ?y }}")
    assert problem.suggestion == (f"{meant}:name" if meant else None)
    assert problem.place == Place(1, 10)


def test_a_prefix_of_the_query_is_nearer_than_none() -> None:
    assert refusal("PREFIX deputati: <http://d/> ASK { ?x deptati:name ?y }").suggestion == "deputati:name"


def test_the_prefixes_of_virtuoso_need_no_declaration_and_ones_own_win() -> None:
    found = reading("PREFIX dc: <http://mine/> ASK { ?x foaf:name ?n ; dc:title ?t ; a ocd:deputato } # skos:x")
    assert found.prefixes == {prefix: PREFIXES[prefix] for prefix in ("foaf", "ocd")}
    assert found.structure.declared == {"dc": "http://mine/"}


def test_an_unknown_complaint_of_an_engine_is_given_in_one_short_line() -> None:
    problem = reading("ASK {}").complaint("something\n\n  new " + "x" * 1000)
    assert (problem.status, problem.place) == (400, None)
    assert "something new" in problem.detail
    assert len(problem.detail) < 400


@pytest.mark.parametrize("place", ["1:1", "1:9999", "99:1", "0:0"])
def test_a_place_outside_the_text_does_no_harm(place: str) -> None:
    for word in ("error", "fails"):
        assert reading("ASK {}").complaint(f"{word} at {place}: expected x").place is not None
