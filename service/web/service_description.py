"""The SPARQL 1.1 Service Description of the public endpoint."""

from collections.abc import Iterator, Sequence
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology import DCTERMS, EMI, RDF, XSD
from service.queries.structure import QuerySize
from service.settings import SparqlSettings

SD: Final = "http://www.w3.org/ns/sparql-service-description#"
VOID: Final = "http://rdfs.org/ns/void#"
FORMATS: Final = "http://www.w3.org/ns/formats/"
_RESULTS: Final = (
    "SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV",
    "Turtle", "N-Triples", "RDF_XML", "JSON-LD", "TriG", "N-Quads",
)  # fmt: skip


def limits(settings: SparqlSettings) -> dict[str, int | float]:
    """The limits of the endpoint by the names that settings and refusals use."""
    told = settings.model_dump(
        exclude={"partners", "private_partners", "page_seconds", "page_workers", "answers_workers"}
    )
    return {name: value for name, value in told.items() if not name.startswith("partner_") or settings.partners}


def query_size(settings: SparqlSettings) -> QuerySize:
    """How large a query may be."""
    return QuerySize(settings.query_characters, settings.query_depth, settings.query_patterns, settings.query_operators)


def describe(
    endpoint: str,
    settings: SparqlSettings,
    graphs: Sequence[tuple[str, int | None]],
    *,
    triples: int | None,
    dataset: str,
    version: str,
) -> Iterator[Triple]:
    """Describe the service at `endpoint`; `graphs` are the named graphs held, with their number of triples."""
    # Blank nodes have names, so that the same service is described by the same bytes.
    service, default = NamedNode(endpoint), BlankNode("dataset")
    default_graph = BlankNode("graph")

    def sd(name: str) -> NamedNode:
        return NamedNode(SD + name)

    yield Triple(service, NamedNode(f"{RDF}type"), sd("Service"))
    yield Triple(service, sd("endpoint"), service)
    for language in ("SPARQL10Query", "SPARQL11Query"):
        yield Triple(service, sd("supportedLanguage"), sd(language))
    for name in _RESULTS:
        yield Triple(service, sd("resultFormat"), NamedNode(FORMATS + name))
    for feature in ("UnionDefaultGraph", *(["BasicFederatedQuery"] if settings.partners else [])):
        yield Triple(service, sd("feature"), sd(feature))
    for name, value in limits(settings).items():
        limit = BlankNode(f"limit-{name}")
        yield Triple(service, NamedNode(f"{EMI}queryLimit"), limit)
        yield Triple(limit, NamedNode(f"{RDF}type"), NamedNode(f"{EMI}QueryLimit"))
        yield Triple(limit, NamedNode(f"{DCTERMS}identifier"), Literal(name))
        yield Triple(limit, NamedNode(f"{RDF}value"), _number(value))
    for partner in settings.partners:
        yield Triple(service, NamedNode(f"{EMI}federatesWith"), NamedNode(partner))
    yield Triple(service, sd("defaultDataset"), default)
    yield Triple(default, NamedNode(f"{RDF}type"), sd("Dataset"))
    yield Triple(default, NamedNode(f"{DCTERMS}identifier"), Literal(version))
    yield Triple(default, NamedNode(f"{DCTERMS}source"), NamedNode(dataset))
    yield Triple(default, sd("defaultGraph"), default_graph)
    yield Triple(default_graph, NamedNode(f"{RDF}type"), sd("Graph"))
    if triples is not None:
        yield Triple(default_graph, NamedNode(f"{VOID}triples"), _number(triples))
    for index, (name, number) in enumerate(graphs):
        named, graph = BlankNode(f"named-{index}"), BlankNode(f"graph-{index}")
        yield Triple(default, sd("namedGraph"), named)
        yield Triple(named, NamedNode(f"{RDF}type"), sd("NamedGraph"))
        yield Triple(named, sd("name"), NamedNode(name))
        yield Triple(named, sd("graph"), graph)
        yield Triple(graph, NamedNode(f"{RDF}type"), sd("Graph"))
        if number is not None:
            yield Triple(graph, NamedNode(f"{VOID}triples"), _number(number))


def _number(value: int | float) -> Literal:
    kind = "integer" if isinstance(value, int) else "decimal"
    return Literal(str(value), datatype=NamedNode(XSD + kind))
