"""Statistics: the numbers are those that counting by other means gives."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Store, Triple

from ontology import EMI, ORG, RDF, SKOS
from service.publication import statistics
from service.publication.dumps import Content, graph_key
from service.publication.making import make
from service.publication.statistics import GraphCounts, count
from tests.service.publication.parts import plain, version_of
from tests.service.publication.test_dumps import EX, node, quads

TYPE = NamedNode(f"{RDF}type")


def expected(found: list[Quad]) -> dict[str, object]:
    """The counts of quads, each triple taken once, by sets."""
    triples = {quad.triple for quad in found}
    subjects = {triple.subject for triple in triples}
    classes = Counter(t.object.value for t in triples if t.predicate == TYPE and isinstance(t.object, NamedNode))
    return {
        "triples": len(triples),
        "entities": sum(isinstance(subject, NamedNode) for subject in subjects),
        "subjects": len(subjects),
        "objects": len({triple.object for triple in triples}),
        "properties": Counter(triple.predicate.value for triple in triples),
        "classes": classes,
        "languages": Counter(t.object.language for t in triples if isinstance(t.object, Literal) and t.object.language),
    }


def told(counts: GraphCounts) -> dict[str, object]:
    """The same of what was counted."""
    assert counts.properties == len(counts.property_usage)
    assert counts.classes == len(counts.class_usage)
    return {
        "triples": counts.triples,
        "entities": counts.entities,
        "subjects": counts.subjects,
        "objects": counts.objects,
        "properties": {usage.iri: usage.count for usage in counts.property_usage},
        "classes": {usage.iri: usage.count for usage in counts.class_usage},
        "languages": dict(counts.languages),
    }


def test_the_numbers_of_esperia_are_those_of_its_quads(published_version: Path) -> None:
    content = Content.open(published_version)
    found = count(content)
    assert told(found.everything) == expected(list(content.store))
    assert len(found.graphs) == 3
    for name, counts in found.graphs.items():
        assert told(counts) == expected(list(content.store.quads_for_pattern(None, None, None, NamedNode(name))))


def test_the_numbers_of_classes_are_those_that_a_query_gives(published_version: Path) -> None:
    content = Content.open(published_version)
    rows = content.store.query(
        "SELECT ?class (COUNT(DISTINCT ?s) AS ?n) { ?s a ?class FILTER(isIRI(?class)) } GROUP BY ?class",
        use_default_graph_as_union=True,
    )
    usages = {usage.iri: usage.count for usage in count(content).everything.class_usage}
    assert usages == {row["class"].value: int(row["n"].value) for row in rows}
    assert usages[f"{ORG}Membership"] > 100


@given(st.lists(quads, max_size=25))
def test_the_numbers_of_any_graph_are_those_of_its_quads(given_quads: list[Quad]) -> None:
    store = Store()
    store.extend(given_quads)
    content = Content(store)
    found = count(content)
    for graph in content.graphs():
        assert told(found.graphs[graph_key(graph)]) == expected([quad for quad in store if quad.graph_name == graph])


def test_a_triple_in_two_graphs_is_one_triple_of_everything(tmp_path: Path) -> None:
    lines = [f"<{EX}a> <{EX}p> <{EX}b> <{EX}g> .", f"<{EX}a> <{EX}p> <{EX}b> <{EX}h> .", f"<{EX}a> <{EX}p> <{EX}c> ."]
    found = count(Content.open((plain(tmp_path, "\n".join(lines) + "\n") / "current").resolve()))
    assert found.everything.triples == 2
    assert found.everything.objects == 2
    assert {name: counts.triples for name, counts in found.graphs.items()} == {"": 1, f"{EX}g": 1, f"{EX}h": 1}


def test_an_example_of_a_class_is_an_instance_of_it(published_version: Path) -> None:
    content = Content.open(published_version)
    usages = count(content).everything.class_usage
    assert any(usage.iri == f"{EMI}Speech" for usage in usages)
    for usage in usages:
        assert usage.example
        assert any(content.store.quads_for_pattern(NamedNode(usage.example), TYPE, NamedNode(usage.iri), None))


def test_most_used_come_first(published_version: Path) -> None:
    numbers = [usage.count for usage in count(Content.open(published_version)).everything.property_usage]
    assert numbers == sorted(numbers, reverse=True)


def store_of(*triples: tuple[str, str, str]) -> Content:
    store = Store()
    store.extend(Quad(NamedNode(s), NamedNode(p), NamedNode(o), node("g")) for s, p, o in triples)
    return Content(store)


def test_links_lead_into_other_datasets_and_are_counted_by_property_and_host() -> None:
    match, same = f"{SKOS}exactMatch", "http://www.w3.org/2002/07/owl#sameAs"
    found = count(store_of(
        (f"{EX}a", same, "http://www.wikidata.org/entity/Q1"),
        (f"{EX}b", same, "http://www.wikidata.org/entity/Q2"),
        (f"{EX}a", match, "http://eurovoc.europa.eu/1"),
        (f"{EX}a", same, f"{EX}b"),
        (f"{EX}a", f"{EX}p", "http://it.dbpedia.org/resource/Roma"),
    )).everything.links  # fmt: skip
    assert {(link.predicate, link.target, link.triples) for link in found} == {
        (same, "http://www.wikidata.org", 2),
        (match, "http://eurovoc.europa.eu", 1),
    }


def test_how_entities_begin_is_told_unless_they_begin_in_many_ways() -> None:
    few = count(store_of((f"{EX}x/a", f"{EX}p", f"{EX}b"), (f"{EX}x/b#c", f"{EX}p", f"{EX}b"))).everything
    assert few.spaces == (f"{EX}x/",)
    many = count(store_of(*((f"http://{n}.example/a", f"{EX}p", f"{EX}b") for n in range(30)))).everything
    assert many.spaces == ()


def test_a_triple_term_is_no_class_and_no_link() -> None:
    store = Store()
    inner = Triple(node("a"), node("p"), Literal("two words"))
    store.add(Quad(BlankNode(), TYPE, inner, DefaultGraph()))
    store.add(Quad(BlankNode(), NamedNode("http://www.w3.org/2002/07/owl#sameAs"), inner, DefaultGraph()))
    found = count(Content(store)).everything
    assert (found.triples, found.classes, found.objects, found.links) == (2, 0, 1, ())


def test_what_is_kept_of_very_many_properties_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MOST_PARTITIONS", 5)
    found = count(store_of(*((f"{EX}a", f"{EX}p{n}", f"{EX}b") for n in range(20)))).everything
    assert found.properties == 20
    assert len(found.property_usage) == 5


def test_hashes_that_are_settled_on_the_way_give_the_same_numbers(
    published_version: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Content.open(published_version)
    whole = count(content)
    monkeypatch.setattr(statistics, "_FULL", 100)
    assert count(content) == whole


def test_statistics_of_a_version_are_those_that_are_kept_or_else_counted(tmp_path: Path) -> None:
    version = version_of(tmp_path / "v", [Quad(node("a"), node("p"), Literal("x", language="it"), node("g"))])
    assert statistics.read(version) is None
    counted = statistics.statistics(version)
    make(version)
    assert statistics.read(version) == counted == statistics.statistics(version)


def test_statistics_of_another_release_are_counted_again(tmp_path: Path) -> None:
    version = version_of(tmp_path / "v", [Quad(node("a"), node("p"), node("b"), node("g"))])
    (version / "publication").mkdir()
    (version / statistics.FILE).write_text('{"triples": 7}', encoding="utf-8")
    assert statistics.statistics(version).everything.triples == 1
