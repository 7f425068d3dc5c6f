"""`/health`: whether the service is ready to answer, for whatever watches over it.

Any answer means that the process is alive; 200 means that a corpus is published and that a
query of the site's own was answered just now, and 503 says what is wrong.
"""

import time
from typing import Any, Final

from flask import Blueprint, Response, current_app, json
from flask.blueprints import BlueprintSetupState

import sparql
from service.errors import DataError, EmicicloError
from service.snapshots.pool import QueryPool
from service.web.site import Site, site

blueprint = Blueprint("health", __name__)

_STARTED: Final = "emiciclo-started"


@blueprint.record_once
def _started(state: BlueprintSetupState) -> None:
    state.app.extensions[_STARTED] = time.monotonic()


@blueprint.get("/health")
def health() -> Response:
    """Tell the state of the service as JSON: 200 if it can answer, else 503."""
    document: dict[str, Any] = {"status": "ok", "seconds": round(time.monotonic() - current_app.extensions[_STARTED])}
    try:
        document |= _corpus(site())
        document |= _workers(site())
        site().graph.ask(sparql.query("index/alive"))
    except EmicicloError as error:
        document |= {"status": "unavailable", "detail": str(error)}
    response = Response(json.dumps(document) + "\n", mimetype="application/json")
    response.status_code = 200 if document["status"] == "ok" else 503
    response.headers["Cache-Control"] = "no-store"
    return response


def _corpus(here: Site) -> dict[str, Any]:
    """What is served. Raises `DataError` where nothing is loaded."""
    manifest = here.manifest
    version = here.runner.version if here.runner else manifest.version
    return {"dataset": manifest.dataset, "version": version, "loaded_at": manifest.loaded_at}


def _workers(here: Site) -> dict[str, Any]:
    """The processes that run the public's queries; nothing where a store by URL runs them. Raises `DataError`."""
    pool = here.runner
    if not isinstance(pool, QueryPool):
        return {}
    running = len(pool.processes())
    if not running:
        raise DataError("no query worker is running; the log of the service says why")
    # Why workers are not isolated is for the log, not for everyone.
    isolation = pool.isolation.partition(":")[0]
    return {"workers": {"running": running, "of": pool.size.workers, "isolation": isolation}}
