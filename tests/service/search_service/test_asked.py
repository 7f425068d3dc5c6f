"""What a query seeks, as it is read from its text, and how the query is rewritten where it seeks several things."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from ontology import EMI
from service.queries.reading import read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, read_structure
from service.queries.tokens import tokens
from service.search_service.asked import OWN, Plan, Search, plan
from service.search_service.patterns import read_patterns, text_of_string

SIZE = QuerySize(100_000, 100, 256, 2000)


def planned(pattern: str, head: str = "SELECT *") -> Plan:
    return plan(read(f"{head} {{ {pattern} }}", SIZE).structure)


def searches(pattern: str, head: str = "SELECT *") -> list[Search]:
    return [sought.search for sought in planned(pattern, head).sought]


def refusal(pattern: str, head: str = "SELECT *") -> str:
    with pytest.raises(QueryRefused) as found:
        planned(pattern, head)
    assert found.value.status == 400
    assert found.value.place is not None
    return found.value.detail


@pytest.mark.parametrize(
    "pattern",
    [
        '?c emi:matches "pesca"',
        '?c emi:matches "pesca" .',
        "?c emi:matches 'pesca' ; emi:similarity ?s",
        '?c emi:similarity ?s ; emi:matches """pesca"""@it , ?t',
        '?c <https://w3id.org/emiciclo/ns#matches> "pesca"^^xsd:string . ?c emi:rank ?r',
        '{ ?c emi:matches "pesca" } ?c emi:partOf/emi:sitting ?x',
        'OPTIONAL { ?c emi:matches "pesca" }',
        '{} UNION { ?c emi:matches "pesca" }',
        'FILTER EXISTS { ?c emi:matches "pesca" }',
        'FILTER(1 = 1 || EXISTS { ?c emi:matches "pesca" })',
        '{ SELECT (COUNT(*) AS ?n) WHERE { ?c emi:matches "pesca" } GROUP BY ?c HAVING(COUNT(*) > 0) LIMIT 5 }',
        '[] emi:matches "pesca" ; emi:similarity ?s',
        '[ emi:matches "pesca" ; emi:limit 20 ; emi:partOf ?speech ] emi:similarity ?s .',
        '_:c emi:matches "pesca"',
        'VALUES ?t { "pesca" } ?c emi:matches ?t',
        '?c emi:matches ?t VALUES (?n ?t) { (1 "pesca") }',
        'BIND("pesca" AS ?t) ?c emi:matches ?t',
        '?c emi:matches ?t FILTER(isLITERAL(?t)) FILTER((?t = "pesca"))',  # as Virtuoso sends VALUES
        '?c emi:matches ?t FILTER("pesca" = ?t)',
        '?c emi:matches ?t FILTER(?t IN ("pesca", "pesca"))',
    ],
)
def test_a_search_is_read_wherever_it_stands(pattern: str) -> None:
    if ", ?t" in pattern:
        assert "one text" in refusal(pattern)
        return
    assert searches(pattern) == [Search("pesca")]
    assert planned(pattern).text == f"SELECT * {{ {pattern} }}"


def test_options_are_read_of_the_same_subject_alone() -> None:
    (search,) = searches(
        '?c a emi:Chunk ; emi:matches "pesca" ; emi:limit "7"^^xsd:integer ; emi:mode "text" ; '
        'emi:group "PdL", <http://a/g> ; emi:speaker <http://a/p> ; emi:from "2025-01-01" ; '
        'emi:until "2025-12-31"^^xsd:date ; emi:minimumRelevance .5 . ?d emi:limit 9 . ?c emi:partOf ?d'
    )
    assert search == Search(
        "pesca", "chunks", "text", 7, ("PdL", "http://a/g"), ("http://a/p",), date(2025, 1, 1), date(2025, 12, 31), 0.5
    )
    assert searches('?a emi:matches "pesca" ; a emi:Act') == [Search("pesca", "acts")]
    assert searches('?c emi:matches "pesca" ; emi:speaker ?who ; emi:limit ?n') == [Search("pesca")]


def test_what_the_query_gives_is_told_again_as_it_was_written() -> None:
    (sought,) = planned('?c emi:matches "pesca"@it ; emi:limit 050 ; emi:group "PdL"').sought
    integer = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
    assert set(sought.said) == {
        (f"{EMI}matches", Literal("pesca", language="it")),
        (f"{EMI}limit", Literal("050", datatype=integer)),
        (f"{EMI}group", Literal("PdL")),
    }


def test_each_of_several_searches_has_terms_of_its_own() -> None:
    found = planned('?c emi:matches "a" ; emi:similarity ?s ; emi:date ?x . ?d emi:matches "b" ; emi:similarity ?t')
    assert [sought.search.text for sought in found.sought] == ["a", "b"]
    assert f'?c <{OWN}1:matches> "a" ; <{OWN}1:similarity> ?s ; emi:date ?x' in found.text
    assert f'?d <{OWN}2:matches> "b" ; <{OWN}2:similarity> ?t' in found.text


def test_branches_may_seek_with_the_same_variable() -> None:
    found = planned('{ ?c emi:matches "a" ; emi:rank ?r } UNION { ?c emi:matches "b" ; emi:rank ?r }')
    assert found.text.count(f"<{OWN}1:rank>") == found.text.count(f"<{OWN}2:rank>") == 1


def test_a_group_with_several_texts_stands_once_for_each() -> None:
    found = planned('{ VALUES ?t { "a" "b" } ?c emi:matches ?t ; emi:score ?s } ?c emi:date ?day')
    assert [sought.search.text for sought in found.sought] == ["a", "b"]
    assert found.text.count("UNION") == 1
    assert found.text.count("emi:date ?day") == 1
    for number in (1, 2):
        assert f"?c <{OWN}{number}:matches> ?t ; <{OWN}{number}:score> ?s" in found.text
    read_structure(found.text, SIZE)  # brackets and all


def test_a_template_seeks_nothing() -> None:
    assert searches('?c emi:matches "a"', 'CONSTRUCT { ?c emi:matches "x" ; emi:limit "no" } WHERE') == [Search("a")]
    assert searches('?c emi:matches "a"', "CONSTRUCT WHERE") == [Search("a")]
    assert searches('?c emi:matches "a"', "DESCRIBE ?c") == [Search("a")]
    assert plan(read("DESCRIBE <http://a/b>", SIZE).structure).sought == ()
    assert plan(read("ASK {}", SIZE).structure).sought == ()


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("?s ?p ?o", "nothing is sought; write"),
        ("?c emi:matches ?t", "?t has no text here"),
        ("?c emi:matches <http://a/b>", "this is no text"),
        ('?c emi:matches ?t VALUES ?t { <http://a/b> "a" }', "?t has no text here"),
        ('?c emi:matches ("a")', "this is no text"),
        ('("a") emi:matches "a"', "must be a variable"),
        ('?c emi:matches "a" ; emi:limit 0', "from 1 to 500"),
        ('?c emi:matches "a" ; emi:limit 501', "from 1 to 500"),
        ('?c emi:matches "a" ; emi:limit -1', "from 1 to 500"),
        ('?c emi:matches "a" ; emi:limit "²"', "from 1 to 500"),
        (f'?c emi:matches "a" ; emi:limit {"9" * 5000}', "from 1 to 500"),
        ('?c emi:matches "a" ; emi:limit 1, 2', "two values"),
        ('?c emi:matches "a" ; emi:mode "fast"', '"hybrid", "semantic" or "text"'),
        ('?c emi:matches "a" ; emi:from "2025-02-30"', "a day is written as"),
        ('?c emi:matches "a" ; emi:until 2025', "a day is written as"),
        ('?c emi:matches "a" ; emi:minimumRelevance "NaN"', "from 0 to 1"),
        ('?c emi:matches "a" ; emi:minimumRelevance 1e9', "from 0 to 1"),
        ('?c a emi:Speech ; emi:matches "a"', "?chunk emi:partOf ?speech"),
        ('?c a emi:Act ; emi:matches "a" ; emi:group "PdL"', "acts are not limited by group"),
        ('?c a emi:Act, emi:Chunk ; emi:matches "a"', "nothing is a passage and an act"),
        ('?c emi:matches "a" ; emi:matches "b"', "one text for each variable"),
        ('?c emi:matches "a" . { ?c emi:matches "b" }', "one text for each variable"),
        ('{ ?c emi:matches "a" } UNION { ?c emi:matches "b" } ?c emi:rank ?r', "put it into each"),
        ('"a" ^emi:matches ?c', "cannot be part of a path"),
        ('?c emi:matches|emi:rank "a"', "cannot be part of a path"),
        ('GRAPH ?g { ?c emi:matches "a" }', "no named graphs"),
        ("VALUES ?t { " + " ".join(f'"{n}"' for n in range(21)) + " } ?c emi:matches ?t", "21 searches"),
        ('VALUES ?t { "a" "b" "c" "d" "e" } ?c emi:matches ?t ; emi:limit 500', "2,500 hits"),
    ],
)
def test_a_refusal_says_how_it_is_written(pattern: str, told: str) -> None:
    assert told in refusal(pattern)


def test_several_searches_need_a_template_of_their_own() -> None:
    assert "template" in refusal('?c emi:matches "a" . ?d emi:matches "b"', "CONSTRUCT WHERE")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_string_is_read_as_an_engine_writes_it(text: str) -> None:
    (token,) = tokens(str(Literal(text)))
    assert text_of_string(token) == text


PIECES = """?c emi:matches "a" { } [ ] ; , . a ( ) VALUES FILTER BIND AS SELECT OPTIONAL = IN / ^ GRAPH _:b 1""".split()


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_whatever_the_tokens_are_nothing_worse_than_a_refusal_comes_of_them(parts: list[str]) -> None:
    try:
        structure = read_structure("SELECT * { " + " ".join(parts) + " }", SIZE)
        read_patterns(structure)
        plan(structure)
    except QueryRefused:
        pass
