"""Values enter a query as RDF terms, and stay values whatever they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Store

import sparql

ONE = 'SELECT ?x WHERE { VALUES ?x { "example" } }'
TWO = "SELECT ?a ?b WHERE { VALUES (?a ?b) { (1 2) } }"


def rows(query: str) -> list[tuple[object, ...]]:
    solutions = Store().query(query)
    return [tuple(solution) for solution in solutions]


def test_the_rows_of_the_block_are_replaced_by_the_terms_given() -> None:
    values = [Literal("uno"), Literal("due", language="it"), NamedNode("http://a.example/x#y?z=1&k='")]
    assert rows(sparql.bind(ONE, "?x", values)) == [(value,) for value in values]


def test_several_variables_take_rows_in_their_order_and_none_is_undef() -> None:
    bound = sparql.bind(TWO, "?a ?b", [(Literal("a"), None), (None, Literal("b"))])
    assert rows(bound) == [(Literal("a"), None), (None, Literal("b"))]


def test_no_rows_match_nothing() -> None:
    assert rows(sparql.bind(ONE, "?x", [])) == []


def test_every_block_over_the_same_variables_is_bound_and_no_other() -> None:
    query = (
        'SELECT ?x ?y WHERE { { VALUES ?x { "a" } } UNION { VALUES (?x) { ("b") } } '
        'VALUES ?y { "kept" } VALUES (?y ?x) { (UNDEF UNDEF) } }'
    )
    bound = sparql.bind(query, "?x", [Literal("new")])
    assert rows(bound) == [(Literal("new"), Literal("kept"))] * 2
    assert "VALUES (?y ?x) { (UNDEF UNDEF) }" in bound


def test_a_row_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(ValueError, match="1 terms for 2 variables"):
        sparql.bind(TWO, "?a ?b", [(Literal("a"),)])
    with pytest.raises(ValueError, match="1 terms for 2 variables"):
        sparql.bind(TWO, "?a ?b", [Literal("a")])


def test_a_blank_node_is_refused_since_no_endpoint_would_know_it() -> None:
    with pytest.raises(TypeError, match="blank node"):
        sparql.bind(ONE, "?x", [(BlankNode("b"),)])  # type: ignore[list-item]


@pytest.mark.parametrize("pasted", ["x", ("x } DROP ALL",), (1,), (b"x",)])
def test_what_is_not_an_rdf_term_is_never_pasted(pasted: object) -> None:
    with pytest.raises(TypeError, match="RDF term"):
        sparql.bind(ONE, "?x", [pasted])  # type: ignore[list-item]


@pytest.mark.parametrize("variables", ["?y", "?a", "?b ?a", "?a ?b ?c"])
def test_a_query_without_such_a_block_is_an_error(variables: str) -> None:
    with pytest.raises(LookupError, match="no VALUES block"):
        sparql.bind(TWO, variables, [])


NASTY = [
    '"',
    "'",
    '"""',
    "\\",
    '\\"',
    "} } DROP ALL #",
    '") } SELECT * WHERE { ?s ?p ?o } #',
    "riga\nnuova\r\n\ttab",
    "{ } ( ) < > # ? $",
    "<http://a.example/>",
    "VALUES ?x { }",
    "VALUES (?a ?b) { (1 2) }",
    "«L'Aula» – perché? 🏛",
    "\u0000\u0001\u007f",
    "?x",
    "UNDEF",
]


@pytest.mark.parametrize("text", NASTY)
def test_a_text_that_tries_to_break_out_stays_a_literal(text: str) -> None:
    assert rows(sparql.bind(ONE, "?x", [Literal(text)])) == [(Literal(text),)]
    tagged = Literal(text, language="it")
    assert rows(sparql.bind(TWO, "?a ?b", [(tagged, Literal(text))])) == [(tagged, Literal(text))]


@pytest.mark.parametrize("first", NASTY)
@pytest.mark.parametrize("second", ['") } DROP ALL #', "plain"])
def test_a_second_binding_does_not_look_into_the_values_of_the_first(first: str, second: str) -> None:
    query = 'SELECT ?y ?x WHERE { VALUES ?y { "e" } VALUES ?x { "e" } }'
    bound = sparql.bind(sparql.bind(query, "?y", [Literal(first)]), "?x", [Literal(second)])
    assert rows(bound) == [(Literal(first), Literal(second))]


def test_bound_rows_can_be_bound_again() -> None:
    once = sparql.bind(ONE, "?x", [Literal('{ } #" <a>'), NamedNode("http://a.example/#part")])
    assert rows(sparql.bind(once, "?x", [Literal("again")])) == [(Literal("again"),)]


def test_a_block_in_a_comment_is_left_alone() -> None:
    query = '# for example VALUES ?x { "comment" }\nSELECT ?x WHERE { VALUES ?x { "example" } }'
    bound = sparql.bind(query, "?x", [Literal("new")])
    assert bound.startswith('# for example VALUES ?x { "comment" }\n')
    assert rows(bound) == [(Literal("new"),)]


def test_an_iri_that_tries_to_break_out_cannot_be_made() -> None:
    for text in ["http://a.example/> } DROP ALL #", "http://a.example/a b", 'http://a.example/"', "x"]:
        with pytest.raises(ValueError, match=r"."):
            NamedNode(text)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_any_texts_come_out_as_they_went_in(texts: list[str]) -> None:
    values = [Literal(text) for text in texts]
    assert rows(sparql.bind(ONE, "?x", values)) == [(value,) for value in values]
    everything = [(Literal(a), Literal(b)) for a in texts for b in texts]
    assert rows(sparql.bind(TWO, "?a ?b", everything)) == everything
