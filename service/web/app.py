"""The Flask application: blueprints, headers of every response, errors."""

from pathlib import Path

from flask import Flask, Response

from service.corpus import DataDirectory
from service.graph import GraphStore
from service.settings import Settings
from service.web import problems
from service.web.site import EXTENSION, Site

POLICY = (
    "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)


def create_app(data: Path, settings: Settings, graph: GraphStore) -> Flask:
    """Make the application over a data directory."""
    app = Flask("service.web")
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions[EXTENSION] = Site(DataDirectory(data), settings, graph)
    problems.register(app)
    app.after_request(_headers)
    return app


def _headers(response: Response) -> Response:
    """What every response says; the data are public, so any page may read them."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers.setdefault("Referrer-Policy", "strict-origin-when-cross-origin")
    response.headers.setdefault("Access-Control-Allow-Origin", "*")
    response.headers.setdefault("Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After, X-Corpus-Version")
    return response
