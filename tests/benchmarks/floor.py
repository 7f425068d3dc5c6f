"""Fixed replies from the web server of the service, with and without Flask: the least that an answer can take.

python -m tests.benchmarks.floor bare|flask PORT
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from flask import Flask, Response
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from service.settings import Settings
from service.web.server import CONNECTIONS

BODY: Final = b'{"head":{},"boolean":true}'
TYPE: Final = "application/sparql-results+json"


def bare(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """A WSGI application that says the same to everybody."""
    start_response("200 OK", [("Content-Type", TYPE), ("Content-Length", str(len(BODY)))])
    return [BODY]


def flask() -> Flask:
    """The same as a route of Flask."""
    app = Flask(__name__)
    app.add_url_rule("/sparql", view_func=lambda: Response(BODY, mimetype=TYPE))
    return app


def serve(kind: str, port: int) -> None:
    """Serve one of them until stopped, as the service is served."""
    server = Granian(
        "fixed",
        port=port,
        interface=Interfaces.WSGI,
        blocking_threads=Settings().web_threads,
        backpressure=CONNECTIONS,
        websockets=False,
        log_level=LogLevels.error,
    )
    server.serve(target_loader=lambda: bare if kind == "bare" else flask(), wrap_loader=False)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
