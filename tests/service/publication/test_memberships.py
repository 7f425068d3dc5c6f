"""Memberships by page, and the RDF 1.2 view: it says the same, in both directions."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse, serialize

import ontology
from ontology import EMI, ORG, RDF
from service.graph import EmbeddedGraph, GraphStore
from service.publication.memberships import PAGE, Wanted, memberships, reified
from tests.conftest import Esperia

MEMBER, ORGANIZATION, MEMBER_OF = (NamedNode(f"{ORG}{name}") for name in ("member", "organization", "memberOf"))
REIFIES = NamedNode(f"{RDF}reifies")
EX = "http://example.org/"


def plain(triples: tuple[Triple, ...]) -> set[Triple]:
    """A reified view turned back into W3C ORG."""
    found: set[Triple] = set()
    for triple in triples:
        if triple.predicate == REIFIES:
            inner = triple.object
            assert isinstance(inner, Triple)
            assert inner.predicate == MEMBER_OF
            found |= {
                Triple(triple.subject, MEMBER, inner.subject),
                Triple(triple.subject, ORGANIZATION, inner.object),
            }
        else:
            found.add(triple)
    return found


def test_the_view_says_what_the_memberships_say_and_nothing_else(esperia: Esperia) -> None:
    page = memberships(Wanted(), esperia.corpus.graph)
    view = reified(page.triples)
    assert page.count > 100
    assert plain(view) == set(page.triples)
    assert {t.subject for t in view if t.predicate == REIFIES} == {t.subject for t in page.triples}


def test_the_view_asserts_no_membership(esperia: Esperia) -> None:
    view = reified(memberships(Wanted(), esperia.corpus.graph).triples)
    assert not [triple for triple in view if triple.predicate in (MEMBER_OF, MEMBER, ORGANIZATION)]


@pytest.mark.parametrize("form", [RdfFormat.TURTLE, RdfFormat.N_TRIPLES])
def test_the_view_is_read_back(form: RdfFormat, esperia: Esperia) -> None:
    view = reified(memberships(Wanted(), esperia.corpus.graph).triples)
    assert {quad.triple for quad in parse(serialize(view, format=form), format=form)} == set(view)


def test_a_person_a_body_and_a_day_filter(esperia_graph: GraphStore) -> None:
    day = date(2026, 1, 15)
    everything = memberships(Wanted(), esperia_graph)
    values: dict[str, dict[NamedNode, str]] = {}
    for triple in everything.triples:
        values.setdefault(triple.subject.value, {})[triple.predicate] = triple.object.value  # type: ignore[union-attr]
    first, until = NamedNode(f"{EMI}from"), NamedNode(f"{EMI}until")
    person, body = next((v[MEMBER], v[ORGANIZATION]) for v in values.values() if until in v)
    for wanted, holds in (
        (Wanted(member=NamedNode(person)), lambda v: v[MEMBER] == person),
        (Wanted(organization=NamedNode(body)), lambda v: v[ORGANIZATION] == body),
        (Wanted(day=day), lambda v: v[first] <= day.isoformat() <= v.get(until, "9")),
    ):
        page = memberships(wanted, esperia_graph)
        expected = {name for name, value in values.items() if holds(value)}
        assert 0 < len(expected) < len(values)
        assert {triple.subject.value for triple in page.triples} == expected  # type: ignore[union-attr]


def many(count: int, *, start: date = date(2026, 1, 1)) -> EmbeddedGraph:
    store = Store()
    for n in range(count):
        node, graph = NamedNode(f"{EX}m/{n:04}-"), NamedNode(f"{EX}g")
        day = Literal((start + timedelta(n)).isoformat(), datatype=NamedNode(f"{ontology.XSD}date"))
        store.add(Quad(node, MEMBER, NamedNode(f"{EX}p"), graph))
        store.add(Quad(node, ORGANIZATION, NamedNode(f"{EX}o"), graph))
        store.add(Quad(node, NamedNode(f"{EMI}from"), day, graph))
    return EmbeddedGraph(store)


@pytest.mark.parametrize("count", [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 2 * PAGE + 3])
def test_pages_follow_each_other_and_leave_nothing_out(count: int) -> None:
    graph, found, after = many(count), [], ""
    while True:
        page = memberships(Wanted(after=after), graph)
        names = sorted({triple.subject.value for triple in page.triples})  # type: ignore[union-attr]
        assert len(names) == page.count <= PAGE
        found += names
        if page.next is None:
            break
        assert page.count == PAGE
        after = page.next
    assert found == [f"{EX}m/{n:04}-" for n in range(count)]


@given(st.lists(st.sampled_from(["a", "a-", "a-1", "a/", "a1", "A", "è", "a%20"]), unique=True, min_size=1))
def test_the_order_of_the_query_is_that_of_the_pages(names: list[str]) -> None:
    store = Store()
    for name in names:
        store.add(Quad(NamedNode(EX + name), MEMBER, NamedNode(f"{EX}p"), NamedNode(f"{EX}g")))
        store.add(Quad(NamedNode(EX + name), ORGANIZATION, NamedNode(f"{EX}o"), NamedNode(f"{EX}g")))
    graph = EmbeddedGraph(store)
    ordered = sorted(EX + name for name in names)
    for position, name in enumerate(ordered):
        page = memberships(Wanted(after=name), graph)
        assert sorted({triple.subject.value for triple in page.triples}) == ordered[position + 1 :]  # type: ignore[union-attr]


def test_a_membership_of_two_members_is_reified_twice() -> None:
    m, first, second, body = (NamedNode(EX + name) for name in ("m", "p1", "p2", "o"))
    view = reified([Triple(m, MEMBER, first), Triple(m, MEMBER, second), Triple(m, ORGANIZATION, body)])
    assert set(view) == {
        Triple(m, REIFIES, Triple(first, MEMBER_OF, body)),
        Triple(m, REIFIES, Triple(second, MEMBER_OF, body)),
    }
