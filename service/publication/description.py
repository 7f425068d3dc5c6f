"""Describes a published corpus for catalogues and for programs: DCAT (as DCAT-AP shapes it) and VoID.

Both speak of the same dataset, `…/data#dataset`. Every node has an IRI below `/data` or
`/void`, so that the same corpus gives the same description, triple for triple.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import quote, urlsplit

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology import DCAT, DCTERMS, EMI, FOAF, RDF, RDFS, XSD
from service.corpus import Manifest
from service.prefixes import PREFIXES
from service.publication.dumps import EVERYTHING
from service.publication.making import SUFFIX, Dump
from service.publication.statistics import GraphCounts, GraphStatistics, Usage

VOID: Final = "http://rdfs.org/ns/void#"
PROV: Final = "http://www.w3.org/ns/prov#"
SPDX: Final = "http://spdx.org/rdf/terms#"
_MEDIA: Final = "https://www.iana.org/assignments/media-types/"
_AUTHORITY: Final = "http://publications.europa.eu/resource/authority/"
_FORMATS: Final = ("Turtle", "N-Triples", "JSON-LD", "RDF_XML")
_MOST_VOCABULARIES: Final = 100
_MOST_PARTITIONS: Final = 5_000
"""Partitions of a description; those of everything come first, then graph by graph while they fit."""
_EXAMPLES: Final = ("Speech", "Act", "Group", "Committee", "Sitting")
_LANGUAGES: Final = {
    "bg": "BUL", "cs": "CES", "da": "DAN", "de": "DEU", "el": "ELL", "en": "ENG", "es": "SPA", "et": "EST",
    "fi": "FIN", "fr": "FRA", "ga": "GLE", "hr": "HRV", "hu": "HUN", "it": "ITA", "lt": "LIT", "lv": "LAV",
    "mt": "MLT", "nl": "NLD", "pl": "POL", "pt": "POR", "ro": "RON", "sk": "SLK", "sl": "SLV", "sv": "SWE",
}  # fmt: skip
"""Language tags and what the Publications Office calls them."""

Terms = NamedNode | Literal
Subject = NamedNode | BlankNode | Triple


@dataclass(frozen=True, slots=True)
class Described:
    """What a description is made of."""

    manifest: Manifest
    root: str
    """Where the site begins, with a slash at the end."""
    dumps: tuple[Dump, ...]
    """Those that are made; none while they are not."""
    graphs: dict[str, str]
    """Name of a graph's dump to the `graph_key` of the graph."""
    statistics: GraphStatistics | None
    licence: str | None


def describe_dataset(corpus: Described) -> list[Triple]:
    """The VoID description: the dataset, its graphs as subsets, and how much of what each holds."""
    made = _Description(corpus)
    document = f"{corpus.root}void"
    made.add(document, f"{RDF}type", _node(f"{VOID}DatasetDescription"))
    made.add(document, f"{FOAF}primaryTopic", _node(made.dataset))
    made.add(document, f"{RDFS}seeAlso", _node(made.page))
    made.dataset_core()
    made.void_access()
    if corpus.statistics:
        made.counts(made.dataset, EVERYTHING, corpus.statistics.everything)
        made.vocabularies(corpus.statistics.everything)
        made.links(corpus.statistics.everything)
        made.examples(corpus.statistics.everything)
    for name, graph in corpus.graphs.items():
        made.subset(name, graph)
    return _grouped(made.triples)


def describe_catalogue(corpus: Described) -> list[Triple]:
    """The DCAT description: catalogue, dataset, distributions with checksums, SPARQL service, sources."""
    made = _Description(corpus)
    made.catalogue()
    made.dataset_core()
    made.dcat_details()
    for name, graph in ((EVERYTHING, None), *corpus.graphs.items()):
        made.distribution(name, graph)
    made.service()
    made.sources()
    return _grouped(made.triples)


def _grouped(triples: list[Triple]) -> list[Triple]:
    """The triples node by node, in the order in which the nodes first come; what is said twice once."""
    nodes: dict[Subject, dict[Triple, None]] = {}
    for triple in triples:
        nodes.setdefault(triple.subject, {})[triple] = None
    return [triple for said in nodes.values() for triple in said]


class _Description:
    def __init__(self, corpus: Described) -> None:
        self.corpus = corpus
        self.page = f"{corpus.root}data"
        self.dataset = self.here("dataset")
        self.triples: list[Triple] = []
        self.partitions_left = _MOST_PARTITIONS

    def here(self, name: str) -> str:
        return f"{self.page}#{name}"

    def add(self, subject: str, predicate: str, *objects: Terms | None) -> None:
        """State something, unless there is nothing to state."""
        node, property_ = NamedNode(subject), NamedNode(predicate)
        self.triples.extend(Triple(node, property_, value) for value in objects if value is not None)

    def dataset_core(self) -> None:
        """What both descriptions say about the dataset."""
        manifest, licence = self.corpus.manifest, self.corpus.licence
        loaded = Literal(manifest.loaded_at, datatype=NamedNode(f"{XSD}dateTime"))
        self.add(self.dataset, f"{RDF}type", _node(f"{VOID}Dataset"), _node(f"{DCAT}Dataset"))
        self.add(self.dataset, f"{DCTERMS}title", *_titles(manifest))
        self.add(self.dataset, f"{DCTERMS}description", *_descriptions(manifest))
        self.add(self.dataset, f"{DCTERMS}identifier", Literal(manifest.dataset))
        self.add(self.dataset, f"{DCAT}version", Literal(manifest.version))
        self.add(self.dataset, f"{DCTERMS}issued", loaded)
        self.add(self.dataset, f"{DCTERMS}modified", loaded)
        self.add(self.dataset, f"{DCTERMS}publisher", _node(self.here("publisher")))
        self.add(self.dataset, f"{DCTERMS}license", _node(licence) if licence else None)
        self.add(self.dataset, f"{FOAF}homepage", _node(self.corpus.root))
        self.add(self.dataset, f"{DCTERMS}language", *self._languages())
        self.add(self.here("publisher"), f"{RDF}type", _node(f"{FOAF}Agent"))
        host = urlsplit(self.corpus.root).netloc
        self.add(self.here("publisher"), f"{FOAF}name", Literal(f"Emiciclo, {host}"))
        self.add(self.here("publisher"), f"{FOAF}homepage", _node(self.corpus.root))

    def _languages(self) -> list[NamedNode]:
        statistics = self.corpus.statistics
        tags = statistics.everything.languages if statistics else {}
        codes = {_LANGUAGES[tag.lower()[:2]] for tag in tags if re.split("[-_]", tag.lower())[0] in _LANGUAGES}
        return [NamedNode(f"{_AUTHORITY}language/{code}") for code in sorted(codes)]

    # DCAT

    def catalogue(self) -> None:
        catalogue, root = self.here("catalogue"), self.corpus.root
        self.add(catalogue, f"{RDF}type", _node(f"{DCAT}Catalog"))
        self.add(
            catalogue,
            f"{DCTERMS}title",
            Literal("Parliamentary data of this site", language="en"),
            Literal("Dati parlamentari di questo sito", language="it"),
        )
        self.add(
            catalogue,
            f"{DCTERMS}description",
            Literal("The corpus that is published here, its dumps and its SPARQL endpoint.", language="en"),
            Literal("Il corpus pubblicato qui, i suoi file da scaricare e il suo endpoint SPARQL.", language="it"),
        )
        self.add(catalogue, f"{DCTERMS}publisher", _node(self.here("publisher")))
        self.add(catalogue, f"{FOAF}homepage", _node(root))
        self.add(catalogue, f"{DCAT}dataset", _node(self.dataset))
        self.add(catalogue, f"{DCAT}service", _node(self.here("sparql")))

    def dcat_details(self) -> None:
        manifest = self.corpus.manifest
        self.add(self.dataset, f"{DCTERMS}accessRights", NamedNode(f"{_AUTHORITY}access-right/PUBLIC"))
        self.add(self.dataset, f"{DCTERMS}conformsTo", _node(EMI.rstrip("#")) if _is_parliament(manifest) else None)
        if _is_parliament(manifest):
            self.add(self.dataset, f"{DCAT}theme", NamedNode(f"{_AUTHORITY}data-theme/GOVE"))
            self.add(
                self.dataset,
                f"{DCAT}keyword",
                *(Literal(word, language="en") for word in ("parliament", "debates", "RDF")),
            )
            self.add(
                self.dataset, f"{DCAT}keyword", *(Literal(word, language="it") for word in ("parlamento", "resoconti"))
            )
        if manifest.first_day and manifest.last_day:
            period = self.here("period")
            self.add(self.dataset, f"{DCTERMS}temporal", _node(period))
            self.add(period, f"{RDF}type", _node(f"{DCTERMS}PeriodOfTime"))
            self.add(period, f"{DCAT}startDate", _day(manifest.first_day))
            self.add(period, f"{DCAT}endDate", _day(manifest.last_day))

    def distribution(self, name: str, graph: str | None) -> None:
        """One dump as a distribution, with size and checksum where it is made."""
        node, url, licence = self.here(f"dump-{name}"), self._url(name), self.corpus.licence
        self.add(self.dataset, f"{DCAT}distribution", _node(node))
        self.add(node, f"{RDF}type", _node(f"{DCAT}Distribution"))
        self.add(node, f"{DCTERMS}title", Literal(f"{name}{SUFFIX}"))
        self.add(node, f"{DCTERMS}description", *_contents(graph))
        self.add(node, f"{DCAT}accessURL", _node(self.page))
        self.add(node, f"{DCAT}downloadURL", _node(url))
        self.add(node, f"{DCAT}mediaType", NamedNode(f"{_MEDIA}application/n-quads"))
        self.add(node, f"{DCAT}compressFormat", NamedNode(f"{_MEDIA}application/gzip"))
        self.add(node, f"{DCTERMS}format", NamedNode(f"{_AUTHORITY}file-type/RDF_N_QUADS"))
        self.add(node, f"{DCTERMS}license", _node(licence) if licence else None)
        self.add(node, f"{DCAT}accessService", _node(self.here("sparql")))
        for dump in self.corpus.dumps:
            if dump.name == name:
                checksum = self.here(f"checksum-{name}")
                size = Literal(str(dump.size), datatype=NamedNode(f"{XSD}nonNegativeInteger"))
                self.add(node, f"{DCAT}byteSize", size)
                self.add(node, f"{SPDX}checksum", _node(checksum))
                self._checksum(checksum, dump.sha256)

    def _checksum(self, node: str, sha256: str) -> None:
        self.add(node, f"{RDF}type", _node(f"{SPDX}Checksum"))
        self.add(node, f"{SPDX}algorithm", NamedNode(f"{SPDX}checksumAlgorithm_sha256"))
        self.add(node, f"{SPDX}checksumValue", Literal(sha256, datatype=NamedNode(f"{XSD}hexBinary")))

    def service(self) -> None:
        """The SPARQL endpoint."""
        node, endpoint = self.here("sparql"), _node(f"{self.corpus.root}sparql")
        self.add(node, f"{RDF}type", _node(f"{DCAT}DataService"))
        self.add(
            node,
            f"{DCTERMS}title",
            Literal("SPARQL endpoint", language="en"),
            Literal("Endpoint SPARQL", language="it"),
        )
        self.add(node, f"{DCAT}endpointURL", endpoint)
        self.add(node, f"{DCAT}endpointDescription", endpoint)
        self.add(node, f"{DCTERMS}conformsTo", NamedNode("https://www.w3.org/TR/sparql11-protocol/"))
        self.add(node, f"{DCAT}servesDataset", _node(self.dataset))
        self.add(node, f"{DCTERMS}publisher", _node(self.here("publisher")))

    def sources(self) -> None:
        """The files that the corpus was loaded from, by their hashes."""
        for name, sha256 in self.corpus.manifest.sources.items():
            node = self.here(f"source-{quote(name, safe='')}")
            self.add(self.dataset, f"{PROV}wasDerivedFrom", _node(node))
            self.add(node, f"{RDF}type", _node(f"{PROV}Entity"))
            self.add(node, f"{DCTERMS}title", Literal(name))
            self.add(node, f"{SPDX}checksum", _node(f"{node}-checksum"))
            self._checksum(f"{node}-checksum", sha256)

    # VoID

    def _url(self, name: str) -> str:
        return f"{self.corpus.root}dumps/{name}{SUFFIX}"

    def void_access(self) -> None:
        root = self.corpus.root
        self.add(self.dataset, f"{VOID}sparqlEndpoint", _node(f"{root}sparql"))
        self.add(self.dataset, f"{VOID}uriLookupEndpoint", _node(f"{root}resource?iri="))
        self.add(self.dataset, f"{VOID}dataDump", _node(self._url(EVERYTHING)))
        self.add(
            self.dataset, f"{VOID}feature", *(NamedNode(f"http://www.w3.org/ns/formats/{name}") for name in _FORMATS)
        )

    def subset(self, name: str, graph: str) -> None:
        """One graph as a dataset."""
        node = self.here(f"graph-{name}")
        self.add(self.dataset, f"{VOID}subset", _node(node))
        self.add(node, f"{RDF}type", _node(f"{VOID}Dataset"))
        self.add(node, f"{DCTERMS}title", Literal(name))
        self.add(node, f"{DCTERMS}description", *_contents(graph))
        self.add(node, f"{VOID}dataDump", _node(self._url(name)))
        self.add(node, f"{FOAF}page", _node(self.page))
        statistics = self.corpus.statistics
        if statistics and graph in statistics.graphs:
            self.counts(node, name, statistics.graphs[graph])

    def counts(self, node: str, name: str, counts: GraphCounts) -> None:
        """Numbers, and partitions by class and property."""
        for term, number in (
            ("triples", counts.triples),
            ("entities", counts.entities),
            ("distinctSubjects", counts.subjects),
            ("distinctObjects", counts.objects),
            ("properties", counts.properties),
            ("classes", counts.classes),
        ):
            self.add(node, f"{VOID}{term}", Literal(number))
        if len(counts.spaces) == 1:
            self.add(node, f"{VOID}uriSpace", Literal(counts.spaces[0]))
        if counts.spaces:
            self.add(node, f"{VOID}uriRegexPattern", Literal(uri_pattern(counts.spaces)))
        partitions = len(counts.class_usage) + len(counts.property_usage)
        if partitions > self.partitions_left:
            return
        self.partitions_left -= partitions
        for kind, measure, usages in (
            ("class", "entities", counts.class_usage),
            ("property", "triples", counts.property_usage),
        ):
            for position, usage in enumerate(usages, start=1):
                if term_ := _node(usage.iri):
                    partition = f"{self.corpus.root}void#{name}-{kind}-{position}"
                    self.add(node, f"{VOID}{kind}Partition", _node(partition))
                    self.add(partition, f"{VOID}{kind}", term_)
                    self.add(partition, f"{VOID}{measure}", Literal(usage.count))

    def vocabularies(self, counts: GraphCounts) -> None:
        used = (usage.iri for usage in (*counts.property_usage, *counts.class_usage))
        spaces = dict.fromkeys(namespace for iri in used if (namespace := _namespace(iri)))
        self.add(self.dataset, f"{VOID}vocabulary", *(_node(space) for space in sorted(spaces)[:_MOST_VOCABULARIES]))

    def links(self, counts: GraphCounts) -> None:
        """Triples that point into other datasets, by property and host."""
        for position, link in enumerate(counts.links, start=1):
            target, predicate = _node(f"{link.target}/"), _node(link.predicate)
            if target and predicate:
                node = f"{self.corpus.root}void#linkset-{position}"
                self.add(self.dataset, f"{VOID}subset", _node(node))
                self.add(node, f"{RDF}type", _node(f"{VOID}Linkset"))
                self.add(node, f"{VOID}subjectsTarget", _node(self.dataset))
                self.add(node, f"{VOID}objectsTarget", target)
                self.add(node, f"{VOID}linkPredicate", predicate)
                self.add(node, f"{VOID}triples", Literal(link.triples))

    def examples(self, counts: GraphCounts) -> None:
        self.add(self.dataset, f"{VOID}exampleResource", *(_node(usage.example or "") for usage in examples(counts)))


def examples(counts: GraphCounts) -> tuple[Usage, ...]:
    """Resources to start from: one of each main class of the ontology, else of the classes used most."""
    by_class = {usage.iri: usage for usage in counts.class_usage if usage.example}
    wanted = [f"{FOAF}Person", *(f"{EMI}{name}" for name in _EXAMPLES)]
    main = [by_class[iri] for iri in wanted if iri in by_class]
    return tuple(main or list(by_class.values())[: len(wanted)])


def uri_pattern(spaces: Sequence[str]) -> str:
    """A regular expression that matches the IRIs that begin with one of `spaces`."""
    return f"^({'|'.join(_escaped(space) for space in spaces)})"


def _escaped(text: str) -> str:
    return re.sub(r"([.+*?^$(){}\[\]|\\])", r"\\\1", text)


def _namespace(iri: str) -> str | None:
    known = max((space for space in PREFIXES.values() if iri.startswith(space)), key=len, default="")
    if known:
        return known
    found = re.match(r".*[/#]", iri)
    return found[0] if found else None


def _node(iri: str) -> NamedNode | None:
    """An IRI, or nothing where data hold a text in its place that is none."""
    try:
        return NamedNode(iri)
    except ValueError:
        return None


def _day(day: date) -> Literal:
    return Literal(day.isoformat(), datatype=NamedNode(f"{XSD}date"))


def _is_parliament(manifest: Manifest) -> bool:
    """Whether a mapping made the corpus, or RDF was loaded as it was."""
    return manifest.kind == "parliament"


def _titles(manifest: Manifest) -> list[Literal]:
    found = [Literal(text, language=tag) for tag, text in sorted(manifest.title.items())]
    return found or [Literal(manifest.dataset)]


def _descriptions(manifest: Manifest) -> Iterator[Literal]:
    title = manifest.title
    if not _is_parliament(manifest):
        yield Literal("RDF as it was published, with the graphs of its source.", language="en")
        yield Literal("RDF così come è stato pubblicato, con i grafi della sua fonte.", language="it")
        return
    english, italian = title.get("en", manifest.dataset), title.get("it", manifest.dataset)
    made_up = manifest.invented
    yield Literal(
        f"{english}: people, memberships with their dates, acts, and the record of sittings speech by speech."
        + (" All of it is invented, for demonstration." if made_up else ""),
        language="en",
    )
    yield Literal(
        f"{italian}: persone, appartenenze con le loro date, atti e resoconti delle sedute, intervento per intervento."
        + (" Tutto è inventato, a scopo dimostrativo." if made_up else ""),
        language="it",
    )


def _contents(graph: str | None) -> Iterator[Literal]:
    if graph is None:
        yield Literal("All graphs.", language="en")
        yield Literal("Tutti i grafi.", language="it")
    elif graph:
        yield Literal(f"The named graph {graph}.", language="en")
        yield Literal(f"Il grafo {graph}.", language="it")
    else:
        yield Literal("The default graph.", language="en")
        yield Literal("Il grafo predefinito.", language="it")
