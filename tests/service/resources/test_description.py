"""What is held about an IRI: its own statements with their blank nodes, or those that mention it."""

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Store, Triple

from ontology import XSD
from service.graph import EmbeddedGraph
from service.resources import description
from service.resources.description import TooLargeError, canonical, describe, is_held, parse_iri

A = NamedNode("https://parliament.example/a")
P = NamedNode("https://parliament.example/p")


def graph(turtle: str) -> EmbeddedGraph:
    store = Store()
    store.load(f"@prefix : <https://parliament.example/> .\n{turtle}".encode(), format=RdfFormat.TRIG)
    return EmbeddedGraph(store)


def test_a_resource_comes_with_its_blank_nodes_and_nothing_of_what_it_links_to() -> None:
    held = graph(":a :p [ :q [ :r (1 2) ] ] , :b . :b :p 1 . :c :p :a .")
    triples = describe(A, held)
    assert {triple.subject for triple in triples if isinstance(triple.subject, NamedNode)} == {A}
    assert len(triples) == 2 + 2 + 4


def test_blank_nodes_in_a_circle_come_once() -> None:
    assert len(describe(A, graph(":a :p _:x . _:x :p _:y . _:y :p _:x , :a ."))) == 4


def test_a_statement_in_two_graphs_comes_once() -> None:
    assert len(describe(A, graph(":g { :a :p 1 } :h { :a :p 1 }"))) == 1


def test_what_is_only_mentioned_is_described_by_its_mentions() -> None:
    held = graph(":b :p :a . :c :p :a . :c :p :d .")
    assert {str(triple.subject) for triple in describe(A, held)} == {
        "<https://parliament.example/b>",
        "<https://parliament.example/c>",
    }
    assert is_held(A, held)
    assert not is_held(NamedNode("https://parliament.example/nobody"), held)
    assert describe(NamedNode("https://parliament.example/nobody"), held) == ()


def test_a_property_that_is_used_is_held_and_is_one() -> None:
    held = graph(":b :p :c .")
    assert is_held(P, held)
    (said,) = describe(P, held)
    assert (said.subject, said.object) == (P, NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#Property"))


def test_types_come_first_and_the_order_is_fixed() -> None:
    held = graph(":a :b 2 , 1 ; a :C ; :a [ :x 1 ] .")
    predicates = [triple.predicate.value.rsplit("/", 1)[-1] for triple in describe(A, held)]
    assert predicates[0].endswith("type")
    assert predicates == ["22-rdf-syntax-ns#type", "a", "b", "b", "x"]
    assert describe(A, held) == describe(A, held)


@pytest.mark.parametrize("deep", [False, True], ids=["its own", "of its blank node"])
def test_too_many_statements_are_refused(deep: bool) -> None:
    subject = BlankNode("x") if deep else A
    store = Store()
    store.bulk_extend(Quad(subject, P, Literal(str(n))) for n in range(description.MOST_TRIPLES + 1))
    store.add(Quad(A, P, BlankNode("x")))
    with pytest.raises(TooLargeError, match="10000"):
        describe(A, EmbeddedGraph(store))


def test_what_most_others_point_at_is_described_all_the_same() -> None:
    store = Store()
    store.bulk_extend(
        Quad(NamedNode(f"https://parliament.example/{n}"), P, A) for n in range(description.MOST_TRIPLES + 1)
    )
    with pytest.raises(TooLargeError):
        describe(A, EmbeddedGraph(store))
    store.add(Quad(A, P, Literal("a hub")))
    assert len(describe(A, EmbeddedGraph(store))) == 1


@pytest.mark.parametrize("text", ["", "a", "//a", "http://a b", "http://a/<b>", 'http://a/"', "http://a/%zz"])
def test_what_is_no_absolute_iri_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_iri(text)


def test_an_iri_of_boundless_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2000"):
        parse_iri("http://a/" + "a" * 2000)


@pytest.mark.parametrize(
    ("written", "canonically"),
    [
        ("0.88051", "8.8051E-1"),
        ("1", "1.0E0"),
        ("-0", "-0.0E0"),
        ("1e22", "1.0E22"),
        ("123456789012345678", "123456789012345678"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("NaN", "NaN"),
        ("INF", "INF"),
        ("1e999", "1e999"),
        ("1_0", "1_0"),
        ("many", "many"),
    ],
)
def test_doubles_are_written_canonically_where_the_number_stays_the_same(written: str, canonically: str) -> None:
    double = NamedNode(f"{XSD}double")
    term = canonical(Triple(A, P, Literal(written, datatype=double))).object
    assert term == Literal(canonically, datatype=double)
    assert canonical(Triple(A, P, Literal("1"))).object == Literal("1")
