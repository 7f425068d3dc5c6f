"""`/sparql/search`: the search as a SPARQL service, by the protocol and within the limits of the record's endpoint."""

from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Flask, Response, current_app
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from werkzeug.wrappers import Response as AnyResponse

from ontology import DCTERMS, EMI, RDF, XSD
from service.corpus import DataDirectory
from service.engines.interface import EngineHost
from service.search_service import terms
from service.search_service.runner import SearchRunner
from service.settings import Settings, SparqlSettings
from service.snapshots.handle import Snapshot
from service.web import console, protocol, service_description, side_endpoints
from service.web.side_endpoints import narrowed, workers_on_demand
from service.web.site import site

blueprint = Blueprint("search_service", __name__)

EXTENSION: Final = "emiciclo-search-service"
PATH: Final = "sparql/search"
EXAMPLES: Final = f"{PATH}/examples"
FOLDER: Final = "search_examples"
"""Of the example queries, below `sparql/`."""
PLACE: Final = console.Place(f"/{PATH}", f"/{EXAMPLES}", f"{FOLDER}/passages")
WORKERS: Final = 2
"""Queries at once over hits; they are small, and nearly all are quick."""
_HITS: Final = Snapshot(None, "hits", union_default_graph=False)


def register(app: Flask, engine: EngineHost, data: DataDirectory, settings: Settings) -> None:
    """Offer the search of an engine; the workers behind it are started by the first query."""
    own = limits_of(settings.sparql)
    workers = workers_on_demand(own, lambda: _HITS)
    app.extensions[EXTENSION] = SearchRunner(
        workers, engine, lambda: data.published().name, service_description.query_size(own)
    )
    app.register_blueprint(blueprint)


def limits_of(settings: SparqlSettings) -> SparqlSettings:
    """The limits of this endpoint: those of the record's, with fewer workers and nobody that SERVICE may name."""
    return narrowed(settings, WORKERS)


@blueprint.route(f"/{PATH}", methods=["OPTIONS"], provide_automatic_options=False)
def options() -> Response:
    """What may be asked here."""
    return protocol.options()


@blueprint.route(f"/{PATH}", methods=["GET", "POST"], provide_automatic_options=False)
def endpoint() -> Response:
    """Answer a query that seeks; without one, describe the service or open its console."""
    return protocol.respond(ENDPOINT)


@blueprint.get(f"/{EXAMPLES}")
def example_queries() -> AnyResponse:
    """How a search is written, with queries that can be asked here, as a page; the queries as JSON too."""
    return side_endpoints.example_queries(
        FOLDER, "search_service/examples.html", endpoint=PLACE.endpoint, address=site().url(PATH), terms=terms
    )


def runner() -> SearchRunner | None:
    """What runs queries that seek; None where there is no engine."""
    found: SearchRunner | None = current_app.extensions.get(EXTENSION)
    return found


def _runner() -> SearchRunner:
    found = runner()
    assert found is not None, "the blueprint is registered with an engine only"
    return found


def _settings() -> SparqlSettings:
    return limits_of(site().settings.sparql)


def _describe() -> Iterator[Triple]:
    """The service description, with the limits of searches and how one is written."""
    here = site()
    service = NamedNode(here.url(PATH))
    yield from service_description.describe(
        service.value, _settings(), [], triples=None, dataset=here.url("data#dataset"), version=_runner().version
    )
    for name, value in (
        ("searches", terms.MOST_SEARCHES),
        ("hits", terms.MOST_HITS),
        ("hits_together", terms.MOST_HITS_TOGETHER),
    ):
        limit = BlankNode(f"limit-{name}")
        yield Triple(service, NamedNode(f"{EMI}queryLimit"), limit)
        yield Triple(limit, NamedNode(f"{RDF}type"), NamedNode(f"{EMI}QueryLimit"))
        yield Triple(limit, NamedNode(f"{DCTERMS}identifier"), Literal(name))
        yield Triple(limit, NamedNode(f"{RDF}value"), Literal(str(value), datatype=NamedNode(f"{XSD}integer")))
    yield Triple(service, NamedNode(f"{service_description.SD}propertyFeature"), NamedNode(terms.MATCHES))


ENDPOINT: Final = protocol.Endpoint(
    path=PATH,
    runner=_runner,
    settings=_settings,
    describe=_describe,
    described_by=".well-known/void",
    place=PLACE,
)
