"""`/answers/sparql`: the endpoint over the answers, by the protocol and within the limits of the record's."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from flask import Blueprint, Response
from pyoxigraph import Triple
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.wrappers import Response as AnyResponse

from service.answers.store import snapshot_or_empty
from service.settings import SparqlSettings
from service.snapshots.on_demand import PoolOnDemand
from service.snapshots.runner import QueryRunner
from service.web import console, protocol, service_description, side_endpoints
from service.web.side_endpoints import narrowed, workers_on_demand
from service.web.site import site

blueprint = Blueprint("answers_endpoint", __name__)

PATH: Final = "answers/sparql"
EXAMPLES: Final = f"{PATH}/examples"
FOLDER: Final = "answers"
"""Of the example queries, below `sparql/`."""
PLACE: Final = console.Place(f"/{PATH}", f"/{EXAMPLES}", "console/answers")


def limits_of(settings: SparqlSettings) -> SparqlSettings:
    """The limits of this endpoint: those of the record's, with fewer workers and nobody that SERVICE may name."""
    return narrowed(settings, settings.answers_workers)


def open_runner(folder: Path, settings: SparqlSettings) -> PoolOnDemand:
    """What runs queries over the answers of a folder; its workers are started by the first one."""
    return workers_on_demand(limits_of(settings), partial(snapshot_or_empty, folder))


@blueprint.route(f"/{PATH}", methods=["OPTIONS"], provide_automatic_options=False)
def options() -> Response:
    """What may be asked here."""
    return protocol.options()


@blueprint.route(f"/{PATH}", methods=["GET", "POST"], provide_automatic_options=False)
def endpoint() -> Response:
    """Answer a query; without one, describe the service or open the console."""
    return protocol.respond(ENDPOINT)


@blueprint.delete(f"/{PATH}")
def refuse() -> AnyResponse:
    """Nothing is deleted here; without this, it would be taken for an answer of that name."""
    raise MethodNotAllowed(["GET", "HEAD", "OPTIONS", "POST"])


@blueprint.get(f"/{EXAMPLES}")
def example_queries() -> AnyResponse:
    """Queries that can be asked here, as JSON or as a page."""
    return side_endpoints.example_queries(FOLDER, "answer/examples.html", endpoint=PLACE.endpoint)


def _runner() -> QueryRunner:
    runner = site().answers_runner
    assert runner is not None, "the blueprint is registered with a runner only"
    return runner


def _settings() -> SparqlSettings:
    return limits_of(site().settings.sparql)


def _describe() -> Iterator[Triple]:
    here, runner = site(), _runner()
    return service_description.describe(
        here.url(PATH),
        _settings(),
        [(name, None) for name in runner.graphs()],
        triples=None,
        dataset=here.url("answers"),
        version=runner.version,
    )


ENDPOINT: Final = protocol.Endpoint(
    path=PATH,
    runner=_runner,
    settings=_settings,
    describe=_describe,
    described_by="answers",
    place=PLACE,
)
