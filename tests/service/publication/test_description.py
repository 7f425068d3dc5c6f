"""The descriptions: what a catalogue needs is there, and the numbers of VoID are the graph's."""

import re
from datetime import date
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from ontology import DCAT, DCTERMS, EMI, RDF
from service.corpus import Manifest, read_manifest
from service.graph import EmbeddedGraph
from service.publication import description
from service.publication.description import (
    PROV,
    SPDX,
    VOID,
    Described,
    describe_catalogue,
    describe_dataset,
    uri_pattern,
)
from service.publication.making import make
from service.publication.statistics import statistics

ROOT = "https://dati.example.org/"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def described(version: Path, manifest: Manifest | None = None) -> Described:
    publication = make(version)
    return Described(
        manifest=manifest or read_manifest(version),
        root=ROOT,
        dumps=publication.dumps,
        graphs={dump.name: dump.graph for dump in publication.dumps if dump.graph is not None},
        statistics=publication.statistics,
        licence=LICENCE,
    )


class Facts:
    """Triples by subject and predicate."""

    def __init__(self, triples: list[Triple]) -> None:
        self.triples = triples

    def of(self, subject: str, predicate: str) -> list[str]:
        wanted = (NamedNode(subject), NamedNode(predicate))
        return [t.object.value for t in self.triples if (t.subject, t.predicate) == wanted]

    def one(self, subject: str, predicate: str) -> str:
        (value,) = self.of(subject, predicate)
        return value

    def typed(self, kind: str) -> list[str]:
        wanted = (NamedNode(f"{RDF}type"), NamedNode(kind))
        return [t.subject.value for t in self.triples if (t.predicate, t.object) == wanted]


@pytest.fixture(scope="module")
def void(published_version: Path) -> Facts:
    return Facts(describe_dataset(described(published_version)))


@pytest.fixture(scope="module")
def dcat(published_version: Path) -> Facts:
    return Facts(describe_catalogue(described(published_version)))


DATASET = f"{ROOT}data#dataset"


def test_void_has_the_numbers_of_the_graph(void: Facts, published_version: Path) -> None:
    everything = statistics(published_version).everything
    assert int(void.one(DATASET, f"{VOID}triples")) == everything.triples > 10_000
    assert int(void.one(DATASET, f"{VOID}entities")) == everything.entities
    assert int(void.one(DATASET, f"{VOID}distinctSubjects")) == everything.subjects
    assert int(void.one(DATASET, f"{VOID}distinctObjects")) == everything.objects
    assert int(void.one(DATASET, f"{VOID}properties")) == everything.properties
    assert int(void.one(DATASET, f"{VOID}classes")) == everything.classes


@pytest.mark.parametrize(("kind", "measure", "pattern"), [
    ("class", "entities", "SELECT ?x (COUNT(*) AS ?n) { ?s a ?x } GROUP BY ?x"),
    ("property", "triples", "SELECT ?x (COUNT(*) AS ?n) { ?s ?x ?o } GROUP BY ?x"),
])  # fmt: skip
def test_partitions_are_those_that_a_query_gives(
    kind: str, measure: str, pattern: str, void: Facts, published_version: Path
) -> None:
    graph = EmbeddedGraph.open(published_version / "graph")
    partitions = {
        void.one(node, f"{VOID}{kind}"): int(void.one(node, f"{VOID}{measure}"))
        for node in void.of(DATASET, f"{VOID}{kind}Partition")
    }
    assert partitions == {row["x"].value: int(row["n"].value) for row in graph.select(pattern)}


def test_each_graph_is_a_subset_with_its_own_dump_and_numbers(void: Facts, published_version: Path) -> None:
    subsets = [s for s in void.of(DATASET, f"{VOID}subset") if s in void.typed(f"{VOID}Dataset")]
    assert len(subsets) == 3
    numbers = {void.one(node, f"{VOID}dataDump"): int(void.one(node, f"{VOID}triples")) for node in subsets}
    assert numbers == {
        f"{ROOT}dumps/{dump.name}.nq.gz": dump.quads for dump in make(published_version).dumps if dump.graph is not None
    }


def test_every_entity_matches_the_pattern(void: Facts, published_version: Path) -> None:
    pattern = re.compile(void.one(DATASET, f"{VOID}uriRegexPattern"))
    graph = EmbeddedGraph.open(published_version / "graph")
    entities = [row["s"].value for row in graph.select("SELECT DISTINCT ?s { ?s ?p ?o FILTER(isIRI(?s)) }")]
    assert entities
    assert all(pattern.match(entity) for entity in entities)
    assert not pattern.match("http://elsewhere.example/x")


def test_a_pattern_takes_letters_that_mean_something_to_it_as_they_are() -> None:
    pattern = re.compile(uri_pattern(("http://a.b/(x)+[1]?/",)))
    assert pattern.match("http://a.b/(x)+[1]?/y")
    assert not pattern.match("http://aXb/(x)+[1]?/y")


def test_vocabularies_links_and_examples_are_told(void: Facts) -> None:
    assert {EMI, DCTERMS} <= set(void.of(DATASET, f"{VOID}vocabulary"))
    assert void.typed(f"{VOID}Linkset")
    targets = {void.one(node, f"{VOID}objectsTarget") for node in void.typed(f"{VOID}Linkset")}
    assert "http://eurovoc.europa.eu/" in targets
    assert len(void.of(DATASET, f"{VOID}exampleResource")) >= 5


def test_dcat_has_what_its_application_profile_asks_for(dcat: Facts) -> None:
    (catalogue,) = dcat.typed(f"{DCAT}Catalog")
    for subject in (catalogue, DATASET):
        for term in ("title", "description", "publisher"):
            assert dcat.of(subject, f"{DCTERMS}{term}"), (subject, term)
    assert dcat.of(catalogue, f"{DCAT}dataset") == [DATASET]
    assert dcat.one(DATASET, f"{DCTERMS}license") == LICENCE
    (service,) = dcat.typed(f"{DCAT}DataService")
    assert dcat.one(service, f"{DCAT}endpointURL") == f"{ROOT}sparql"
    assert dcat.of(service, f"{DCAT}servesDataset") == [DATASET]
    for distribution in dcat.of(DATASET, f"{DCAT}distribution"):
        for term in ("accessURL", "downloadURL", "byteSize", "mediaType", "compressFormat"):
            assert dcat.one(distribution, f"{DCAT}{term}")


def test_distributions_carry_the_checksums_of_the_files(dcat: Facts, published_version: Path) -> None:
    found = {}
    for distribution in dcat.of(DATASET, f"{DCAT}distribution"):
        checksum = dcat.one(distribution, f"{SPDX}checksum")
        assert dcat.one(checksum, f"{SPDX}algorithm") == f"{SPDX}checksumAlgorithm_sha256"
        found[dcat.one(distribution, f"{DCAT}downloadURL")] = dcat.one(checksum, f"{SPDX}checksumValue")
    assert found == {f"{ROOT}dumps/{dump.name}.nq.gz": dump.sha256 for dump in make(published_version).dumps}


def test_the_days_of_the_record_are_its_coverage_in_time(dcat: Facts, published_version: Path) -> None:
    manifest = read_manifest(published_version)
    period = dcat.one(DATASET, f"{DCTERMS}temporal")
    days = [date.fromisoformat(dcat.one(period, f"{DCAT}{term}")) for term in ("startDate", "endDate")]
    assert days == [manifest.first_day, manifest.last_day]


def test_languages_of_the_texts_are_told(dcat: Facts) -> None:
    names = {iri.rsplit("/", 1)[-1] for iri in dcat.of(DATASET, f"{DCTERMS}language")}
    assert names == {"ITA", "ENG"}


def test_every_source_file_is_told_by_its_hash(dcat: Facts, published_version: Path) -> None:
    manifest = read_manifest(published_version)
    found = {
        dcat.one(node, f"{DCTERMS}title"): dcat.one(dcat.one(node, f"{SPDX}checksum"), f"{SPDX}checksumValue")
        for node in dcat.of(DATASET, f"{PROV}wasDerivedFrom")
    }
    assert found == manifest.sources
    assert len(found) > 10


def test_both_descriptions_come_out_the_same_each_time_and_say_nothing_twice(published_version: Path) -> None:
    corpus = described(published_version)
    for describe in (describe_dataset, describe_catalogue):
        triples = describe(corpus)
        assert triples == describe(corpus)
        assert len(triples) == len(set(triples))
        turtle = serialize(triples, format=RdfFormat.TURTLE)
        assert {quad.triple for quad in parse(turtle, format=RdfFormat.TURTLE)} == set(triples)


def test_plain_rdf_is_described_without_what_only_a_parliament_has(published_version: Path) -> None:
    plain = Manifest(
        kind="rdf", version="v", dataset="x", title={}, base_iri="https://w3id.org/emiciclo/id/",
        loaded_at="2026-02-11T10:00:00+00:00",
        sources={"a b/è#?.nq": "0" * 64}, counts={}, seconds={},
    )  # fmt: skip
    corpus = described(published_version, manifest=plain)
    void, dcat = Facts(describe_dataset(corpus)), Facts(describe_catalogue(corpus))
    assert void.of(DATASET, f"{DCTERMS}title") == ["x"]
    assert dcat.of(DATASET, f"{DCTERMS}temporal") == dcat.of(DATASET, f"{DCAT}theme") == []
    (source,) = dcat.of(DATASET, f"{PROV}wasDerivedFrom")
    assert dcat.one(source, f"{DCTERMS}title") == "a b/è#?.nq"


def test_without_statistics_and_dumps_the_rest_is_told(published_version: Path) -> None:
    corpus = Described(read_manifest(published_version), ROOT, (), {"esperia-1": f"{EMI}g"}, None, None)
    void, dcat = Facts(describe_dataset(corpus)), Facts(describe_catalogue(corpus))
    assert void.of(DATASET, f"{VOID}triples") == []
    assert void.one(DATASET, f"{VOID}sparqlEndpoint") == f"{ROOT}sparql"
    assert len(dcat.of(DATASET, f"{DCAT}distribution")) == 2
    assert dcat.typed(f"{SPDX}Checksum") == [f"{node}-checksum" for node in dcat.of(DATASET, f"{PROV}wasDerivedFrom")]


def test_an_invented_parliament_says_so(void: Facts) -> None:
    descriptions = void.of(DATASET, f"{DCTERMS}description")
    assert any("invented" in text for text in descriptions)
    assert any("inventato" in text for text in descriptions)
    title = (NamedNode(DATASET), NamedNode(f"{DCTERMS}title"))
    titles = [triple.object for triple in void.triples if (triple.subject, triple.predicate) == title]
    assert {title.language for title in titles if isinstance(title, Literal)} == {"it", "en"}


def test_partitions_of_everything_come_first_and_those_of_graphs_while_they_fit(
    published_version: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = statistics(published_version).everything
    monkeypatch.setattr(description, "_MOST_PARTITIONS", everything.classes + everything.properties)
    void = Facts(describe_dataset(described(published_version)))
    assert len(void.of(DATASET, f"{VOID}classPartition")) == everything.classes
    subsets = [s for s in void.of(DATASET, f"{VOID}subset") if s in void.typed(f"{VOID}Dataset")]
    assert [void.of(subset, f"{VOID}classPartition") for subset in subsets] == [[]] * len(subsets)
    assert all(void.of(subset, f"{VOID}triples") for subset in subsets)
