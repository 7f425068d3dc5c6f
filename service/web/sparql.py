"""`/sparql`: the endpoint over what is published."""

from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response
from pyoxigraph import Triple

from service.snapshots.runner import QueryRunner
from service.web import console, datasets, protocol, search_service, service_description
from service.web.site import site

blueprint = Blueprint("sparql", __name__)

COUNTING_SECONDS: Final = 5.0
"""How long the service description waits for the statistics of a corpus that has just been published."""


@blueprint.route("/sparql", methods=["OPTIONS"], provide_automatic_options=False)
def options() -> Response:
    """What may be asked here."""
    return protocol.options()


@blueprint.route("/sparql", methods=["GET", "POST"], provide_automatic_options=False)
def endpoint() -> Response:
    """Answer a query; without one, describe the service or open the console."""
    return protocol.respond(ENDPOINT)


def _runner() -> QueryRunner:
    runner = site().runner
    assert runner is not None, "the blueprint is registered with a runner only"
    return runner


def _describe() -> Iterator[Triple]:
    here, runner = site(), _runner()
    version = here.data.published()
    counts = datasets.ready(version, wait=COUNTING_SECONDS).statistics
    return service_description.describe(
        here.url(ENDPOINT.path),
        here.settings.sparql,
        [(name, counts.graphs[name].triples if counts and name in counts.graphs else None) for name in runner.graphs()],
        triples=counts.everything.triples if counts else here.manifest.counts.get("triples"),
        dataset=here.url("data#dataset"),
        version=runner.version,
    )


def _own() -> dict[str, QueryRunner]:
    """The search of this site, by its address and by the one that is relative to this endpoint's."""
    search = search_service.runner()
    return {site().url(search_service.PATH): search, search_service.PATH: search} if search else {}


ENDPOINT: Final = protocol.Endpoint(
    path="sparql",
    runner=_runner,
    settings=lambda: site().settings.sparql,
    describe=_describe,
    described_by=".well-known/void",
    place=console.RECORD,
    own=_own,
)
