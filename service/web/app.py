"""The Flask application: blueprints, headers of every response, errors."""

from pathlib import Path
from typing import Final

from flask import Flask, Response, request
from flask_compress import Compress
from werkzeug.middleware.proxy_fix import ProxyFix

from service.corpus import DataDirectory
from service.engines.interface import EngineHost
from service.graph import GraphStore
from service.jobs.queue import JobQueue
from service.settings import Settings
from service.snapshots.runner import QueryRunner
from service.web import (
    about,
    admission,
    api_page,
    compass,
    console,
    datasets,
    examples,
    experts,
    health,
    language,
    memberships,
    pages,
    people,
    problems,
    resources,
    search,
    search_service,
    sittings,
    sparql,
    vocabulary,
)
from service.web.admission import Admission
from service.web.answers import asking, endpoint, events, listing, reading, verification
from service.web.bodies import Bodies
from service.web.site import EXTENSION, Site

COMPRESSED: Final = [
    "text/html", "text/css", "text/javascript", "text/csv", "text/tab-separated-values", "text/turtle",
    "application/json", "application/ld+json", "application/problem+json", "application/n-triples",
    "application/n-quads", "application/trig", "application/rdf+xml", "application/sparql-query",
    "application/sparql-results+json", "application/sparql-results+xml", "image/svg+xml",
]  # fmt: skip
EXPOSED: Final = (
    "Accept-Ranges, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, Server-Timing, X-Corpus-Version"
)
ALLOWED: Final = (
    "Accept, Accept-Language, Authorization, Cache-Control, Content-Type, If-Modified-Since, If-None-Match, If-Range, "
    "Last-Event-ID, Range, User-Agent, X-Requested-With"
)
"""Headers that a script of another site may send. `Accept` is among them, as browsers ask before sending a long one."""
POLICY: Final = (
    "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)

COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED,
}
"""Headers of every response that does not set them itself."""


def create_app(
    data: Path,
    settings: Settings,
    graph: GraphStore,
    runner: QueryRunner | None = None,
    engine: EngineHost | None = None,
    answers_runner: QueryRunner | None = None,
) -> Flask:
    """Make the application over a data directory.

    The site's pages ask `graph`, the public asks `runner`, and of the answers `answers_runner`; without
    one there is no such endpoint, and without an `engine` nothing can be asked, searched or ranked.
    """
    app = Flask("service.web")
    app.config.from_mapping(
        MAX_CONTENT_LENGTH=12 * settings.sparql.query_characters,  # of UTF-8, percent-encoded
        MAX_FORM_MEMORY_SIZE=None,
        COMPRESS_MIMETYPES=COMPRESSED,
        COMPRESS_ALGORITHM=["zstd", "br", "gzip"],
        COMPRESS_ALGORITHM_STREAMING=["zstd", "gzip"],
    )
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    limits = settings.sparql
    jobs = JobQueue(DataDirectory(data), settings, engine) if engine else None
    app.extensions[EXTENSION] = Site(
        DataDirectory(data),
        settings,
        graph,
        runner,
        answers_runner,
        engine,
        Admission(limits.queries_per_client),
        Bodies(seconds=limits.body_seconds, at_once=limits.bodies, of_client=limits.bodies_per_client),
        jobs,
    )
    problems.register(app)
    admission.register(app, settings.web_requests_per_client)
    language.register(app)
    pages.register(app)
    app.register_blueprint(api_page.blueprint)
    app.register_blueprint(resources.blueprint)
    app.register_blueprint(datasets.blueprint)
    app.register_blueprint(vocabulary.blueprint)
    app.register_blueprint(memberships.blueprint)
    app.register_blueprint(compass.blueprint)
    app.register_blueprint(experts.blueprint)
    app.register_blueprint(console.blueprint)
    app.register_blueprint(examples.blueprint)
    app.register_blueprint(search.blueprint)
    app.register_blueprint(sittings.blueprint)
    app.register_blueprint(people.blueprint)
    app.register_blueprint(about.blueprint)
    app.register_blueprint(listing.blueprint)
    app.register_blueprint(verification.blueprint)
    app.register_blueprint(asking.blueprint)
    app.register_blueprint(reading.blueprint)
    app.register_blueprint(events.blueprint)
    app.register_blueprint(health.blueprint)
    if runner is not None:
        app.register_blueprint(sparql.blueprint)
    if answers_runner is not None:
        app.register_blueprint(endpoint.blueprint)
    if engine is not None:
        search_service.register(app, engine, DataDirectory(data), settings)
    if jobs:
        jobs.resume()
    Compress(app)
    app.after_request(_headers)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count, x_prefix=count)  # type: ignore[method-assign]
    return app


def _headers(response: Response) -> Response:
    """What every response says; the data are public, so any page may read them."""
    said = {name.lower() for name, _ in response.headers}
    for name, value in COMMON.items():
        if name.lower() not in said:
            response.headers.add(name, value)
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Headers"] = ALLOWED
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "GET, HEAD, OPTIONS")
        response.headers["Access-Control-Max-Age"] = "86400"
    return response
