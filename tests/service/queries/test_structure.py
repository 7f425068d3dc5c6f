"""The structure of a query, read from its tokens: brackets, prologue, graphs, services, and its size."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, Structure, read_structure
from service.queries.tokens import Place
from tests.service.queries.reading_with import SIZE, reading, refusal


def structure(text: str, **size: int) -> Structure:
    return read_structure(
        text, QuerySize(**({"characters": 500_000, "depth": 100, "patterns": 256, "operators": 2_000} | size))
    )


def refused(text: str, **size: int) -> QueryRefused:
    with pytest.raises(QueryRefused) as caught:
        structure(text, **size)
    return caught.value


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SELECT * {}", "SELECT"),
        ("ask {}", "ASK"),
        ("PREFIX select: <http://ask/> # DESCRIBE\nCONSTRUCT {} WHERE {}", "CONSTRUCT"),
        ("BASE <http://a/> DESCRIBE <x>", "DESCRIBE"),
        ("define sql:select-option 'order' ASK {}", "ASK"),
    ],
)
def test_the_form_of_a_query_is_its_first_word_after_the_prologue(text: str, form: str) -> None:
    assert structure(text).form == form


@pytest.mark.parametrize(
    "update",
    [
        "INSERT DATA { <a> <b> 1 }",
        "DROP ALL",
        "load <http://a>",
        "PREFIX a: <b> DELETE WHERE {}",
        "WITH <g> DELETE {} WHERE {}",
    ],
)
def test_an_update_is_told_to_be_one(update: str) -> None:
    problem = refused(update)
    assert problem.status == 400
    assert "read-only" in problem.detail


def test_no_query_at_all_is_told_so() -> None:
    assert "empty" in refused("").detail
    assert "empty" in refused(" # SELECT\n").detail
    assert "no SPARQL query" in refused("hello").detail
    assert refused("SELCT ?x {}").suggestion == "SELECT"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("SELECT * {\n  ( }", Place(2, 5)),
        ("SELECT * { ?x ?y [ }", Place(1, 20)),
        ("SELECT * }", Place(1, 10)),
        ("SELECT * {\n{ ?x", Place(2, 1)),
        ('SELECT * { "}" # }\n', Place(1, 10)),
        ("SELECT * { ?x ?y <<( ?a ?b ?c >> }", Place(1, 31)),
    ],
)
def test_a_bracket_that_does_not_fit_is_placed(text: str, where: Place) -> None:
    assert refused(text).place == where


@given(st.recursive(st.just(""), lambda inner: st.builds(lambda a, b: f"{{{a}}}{b}", inner, inner), max_leaves=12))
def test_every_bracket_is_told_its_own(nested: str) -> None:
    read = structure(f"ASK {{{nested}}}")
    for first, last in read.closing.items():
        inside = "".join(token.text for token in read.tokens[first + 1 : last])
        assert (read.tokens[first].text, read.tokens[last].text) == ("{", "}")
        assert inside.count("{") == inside.count("}")
    assert len(read.closing) * 2 == len(read.tokens) - 1


def test_a_namespace_keeps_its_hash_beside_a_base() -> None:
    read = structure("BASE <http://a/b> PREFIX x: <http://c/d#> PREFIX y: <#> PREFIX z: <urn:e#> ASK {}")
    assert read.declared == {"x": "http://c/d#", "y": "http://a/b#", "z": "urn:e#"}


@pytest.mark.parametrize(("first", "last"), [("(", ")"), ("[", "]"), ("<<", ">>"), ("<<(", ")>>"), ("{|", "|}")])
def test_brackets_of_every_kind_are_limited_in_depth(first: str, last: str) -> None:
    assert refused("ASK {" + first * 200 + last * 200 + "}").limit == "query_depth"


def test_nesting_is_limited_exactly() -> None:
    assert structure("ASK " + "{" * 20 + "}" * 20, depth=20)
    assert refused("ASK " + "{" * 21 + "}" * 21, depth=20).limit == "query_depth"
    assert structure('ASK { ?x ?y "' + "{" * 50 + '" } # ' + "(" * 50, depth=20)


@pytest.mark.parametrize(
    "pattern",
    [
        "?s ?p ?o. ", "?s ?p 1. ", "?s ?p ?o; ?q ?r. ", "?s ?p 1, 2. ", "{?s ?p ?o} ", "OPTIONAL {?s ?p ?o} ",
        "GRAPH ?g {} ",
        "{} UNION {} ", "MINUS {} ", "FILTER(?x) ", "BIND(1 AS ?x) ", "FILTER EXISTS {} ", "?s ex:a/ex:b ?o ",
        "?s ex:a|ex:b ?o ",
        "?s ^ex:a ?o ", "?s !(ex:a|ex:b) ?o. ", "?s ?p (1 2 3). ", "?s ?p [ ?q 1; ?r 2 ]. ", "{ SELECT * {} } ",
    ],
)  # fmt: skip
def test_patterns_are_limited_however_they_are_written(pattern: str) -> None:
    assert structure("ASK {" + pattern * 5 + "}")
    assert refused("ASK {" + pattern * 300 + "}").limit == "query_patterns"


def test_what_is_no_pattern_is_not_counted_as_one() -> None:
    iris = " ".join(f"<http://a.example/{number}>" for number in range(5_000))
    assert structure(f"SELECT * {{ VALUES ?x {{ {iris} }} ?x ?p ?o }}")
    assert structure(f"SELECT * {{ ?x ?p ?o }} VALUES (?x) {{ {' '.join(f'({iri})' for iri in iris.split())} }}")
    assert structure(f"SELECT * {{ ?x ?p ?o FILTER(?x IN ({iris.replace(' ', ', ')})) }}")
    assert structure('SELECT * { ?x ?p "' + ". " * 1000 + '" }')


def test_patterns_after_data_are_counted_again() -> None:
    patterns = "?s ?p ?o . " * 300
    for data in ("VALUES ?x { 1 2 }", "VALUES (?x ?y) { (1 2) }", "VALUES () { }", "VALUES ?x { <<( <a> <b> 1 )>> }"):
        assert refused(f"ASK {{ {data} {patterns} }}").limit == "query_patterns"


def test_operators_are_limited() -> None:
    assert structure("ASK { FILTER(" + "+".join("1" * 1000) + ") }")
    assert refused("ASK { FILTER(" + "+".join("1" * 3000) + ") }").limit == "query_operators"
    assert refused("ASK { FILTER(" + "!" * 3000 + "true) }").limit == "query_operators"


def test_a_long_text_is_refused_before_it_is_read() -> None:
    problem = refused("(" * 2000, characters=1000)
    assert (problem.status, problem.limit) == (413, "query_characters")


def test_the_prologue_is_read_in_its_order() -> None:
    read = structure(
        "PREFIX a: <x#> BASE <http://h.example/d/> PREFIX b: <y#> PREFIX : <> BASE <e/> PREFIX c: <z#> "
        "ASK { a:1 b:2 c:3 }"
    )
    assert read.declared == {
        "a": "x#",
        "b": "http://h.example/d/y#",
        "": "http://h.example/d/",
        "c": "http://h.example/d/e/z#",
    }
    assert set(read.used) == {"a", "b", "c"}


@pytest.mark.parametrize("prologue", ["PREFIX", "PREFIX a:", "PREFIX a: ASK", "BASE", "BASE ASK", "PREFIX a: b: <c>"])
def test_a_prologue_that_is_cut_short_is_read_without_harm(prologue: str) -> None:
    with suppress(QueryRefused):
        assert structure(f"{prologue} ASK {{}}").form == "ASK"


@pytest.mark.parametrize("iri", ["//[", "http://[", "http://a:b:c", "\\uD800", "\\UFFFFFFFF", "\\u0041"])
def test_an_iri_that_is_none_harms_no_reading(iri: str) -> None:
    read = structure(f"BASE <http://a/> PREFIX x: <{iri}> SELECT * FROM <{iri}> {{ SERVICE <{iri}> {{}} }}")
    for found in (read.graphs[0][0], read.services[0].address, read.declared["x"]):
        assert found is not None
        found.encode("utf-8")


def test_graphs_are_those_after_from() -> None:
    read = structure(
        "BASE <http://a/> PREFIX g: <http://g/> "
        "SELECT * FROM <b> FROM NAMED g:n FROM <c> { ?x ?FROM <FROM> } # FROM <d>"
    )
    assert [iri for iri, _ in read.graphs] == ["http://a/b", "http://g/n", "http://a/c"]


@pytest.mark.parametrize(
    ("clause", "address", "silent"),
    [
        ("SERVICE <http://s/> {}", "http://s/", False),
        ("service silent <http://s/> {}", "http://s/", True),
        ("SERVICE<http://s/>{}", "http://s/", False),
        ("SERVICE # <http://no/> {\n <http://s/> {}", "http://s/", False),
        ("SERVICE s:x {}", "http://declared/x", False),
        ("SERVICE SILENT :x {}", "http://empty/x", True),
        ("SERVICE <http:\\u002F/s/> {}", "http://s/", False),
        ("SERVICE ?where {}", None, False),
        ("?a ?b 1.SERVICE <http://s/> {}", "http://s/", False),
        ('?a ?b "x"SERVICE <http://s/> {}', "http://s/", False),
        ("GRAPH ?g { OPTIONAL { SERVICE <http://s/> {} } }", "http://s/", False),
        ("FILTER EXISTS { SERVICE <http://s/> {} }", "http://s/", False),
        ("{ SELECT * { SERVICE <http://s/> {} } }", "http://s/", False),
    ],
)
def test_a_service_clause_is_found_wherever_it_stands(clause: str, address: str | None, silent: bool) -> None:
    read = structure(f"PREFIX s: <http://declared/> PREFIX : <http://empty/> SELECT * {{ {clause} }}")
    assert [(service.address, service.silent) for service in read.services] == [(address, silent)]
    assert read.tokens[read.services[0].opening].text == "{"


@pytest.mark.parametrize(
    "text",
    ['?x ?y "SERVICE <http://s/> {}"', "# SERVICE <http://s/> {}\n", "?x service:y service:z", "?x <SERVICE> ?SERVICE"],
)
def test_what_is_no_service_clause_is_none(text: str) -> None:
    assert not structure(f"PREFIX service: <http://s/> SELECT * {{ {text} }}").services


@pytest.mark.parametrize("call", ["now()", "RAND()", "uuid()", "STRUUID()"])
def test_functions_that_change_make_a_query_volatile(call: str) -> None:
    assert structure(f"SELECT ({call} AS ?x) {{}}").volatile
    assert not structure(f"SELECT ('{call}' AS ?now) {{}} # {call}").volatile


def test_limits_are_those_of_the_service() -> None:
    assert reading("ASK {}").structure == read_structure("ASK {}", SIZE)
    assert refusal("ASK {").place == Place(1, 5)
