"""An embeddings endpoint of the OpenAI kind on loopback, in a process of its own as a remote one is.

python -m tests.benchmarks.paper.embedding_server KIND PORT
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask, request
from werkzeug.serving import WSGIRequestHandler, make_server

from service.embedding import Embedder
from tests.benchmarks.paper.embedders import inner
from tests.benchmarks.serving import ROOT, free_port, listens, wait_until


@contextmanager
def embedding_server(kind: str) -> Iterator[str]:
    """Serve an embedder; yields the base address for the settings."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", __name__, kind, str(port)], cwd=ROOT)
    try:
        wait_until(lambda: process.poll() is not None or listens(port), "the server of embeddings")
        if process.poll() is not None:
            raise RuntimeError(f"the server of embeddings ended with status {process.returncode}")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def application(embedder: Embedder) -> Flask:
    """`POST /v1/embeddings` with one text or several; vectors as numbers."""
    app = Flask(__name__)

    @app.post("/v1/embeddings")
    def embeddings() -> dict[str, Any]:
        asked = request.get_json()
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        items = [
            {"object": "embedding", "index": place, "embedding": vector.tolist()}
            for place, vector in enumerate(embedder.queries(texts))
        ]
        return {
            "object": "list",
            "model": asked["model"],
            "data": items,
            "usage": {"prompt_tokens": 0, "total_tokens": 0},
        }

    return app


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection, as the servers of the trade do

    def log_request(self, *_: object) -> None:
        """Tell nobody."""


if __name__ == "__main__":
    app = application(inner(sys.argv[1]))
    make_server("127.0.0.1", int(sys.argv[2]), app, threaded=True, request_handler=_Silent).serve_forever()
