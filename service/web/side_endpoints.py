"""What the SPARQL endpoints beside the record's have in common: narrower limits, workers on demand, example queries."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response, json, render_template

from service.examples import as_document, examples
from service.settings import SparqlSettings
from service.snapshots.handle import Snapshot
from service.snapshots.on_demand import PoolOnDemand
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits
from service.web.language import DEFAULT, language
from service.web.negotiation import HTML, JSON, choose, vary


def narrowed(settings: SparqlSettings, workers: int) -> SparqlSettings:
    """The limits of the record's endpoint, with so many workers and nobody that SERVICE may name."""
    long = min(workers, settings.long_queries)
    return settings.model_copy(
        update={
            "workers": workers,
            "long_queries": long,
            "long_queries_per_client": min(long, settings.long_queries_per_client),
            "partners": (),
        }
    )


def workers_on_demand(limits: SparqlSettings, snapshot: Callable[[], Snapshot]) -> PoolOnDemand:
    """Workers over a snapshot; they are started by the first query."""
    of_a_query = QueryLimits(limits.seconds, limits.rows, limits.bytes, limits.memory_mb)
    size = PoolSize(limits.workers, limits.long_queries, limits.long_queries_per_client, limits.wait_seconds)
    return PoolOnDemand(of_a_query, partial(QueryPool, snapshot, of_a_query, size))


def example_queries(folder: str, template: str, **more: Any) -> Response:
    """The queries of a folder below `sparql/`, as JSON or as a page."""
    form = choose((JSON, HTML))
    chosen = examples(folder)
    if form is HTML:
        spoken = language() if language() in chosen[0].titles else DEFAULT
        body = render_template(template, examples=chosen, spoken=spoken, **more)
    else:
        body = json.dumps([as_document(example) for example in chosen], indent=1) + "\n"
    return vary(Response(body, mimetype=form.media_type))
