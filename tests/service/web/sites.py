"""The whole site in this process, for tests that ask and write: pages, endpoint, engine, queue."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.corpus import open_corpus
from service.engines.local import LocalEngine
from service.settings import JobsSettings, Settings, SparqlSettings
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits
from service.web.answers.endpoint import open_runner
from service.web.app import create_app
from service.web.site import EXTENSION
from tests.conftest import wait_until

QUESTION = "il salario minimo legale"
PATIENT = JobsSettings(per_client=1000, per_client_hourly=10_000, streams_per_client=1000)


class Client(FlaskClient):
    """Reads every response to its end and closes it, as a web server does."""

    def open(self, *args: Any, **how: Any) -> TestResponse:
        return super().open(*args, **({"buffered": True} | how))


@contextmanager
def running(data: Path, **settings: Any) -> Iterator[Flask]:
    """The site over a data directory in which it may write."""
    sparql = SparqlSettings(seconds=1.0, workers=2, query_characters=20_000)
    chosen = Settings(**({"embedder": "hash", "sparql": sparql, "jobs": PATIENT} | settings))
    corpus = open_corpus(data, chosen)
    graph = (data / "current" / "graph").resolve()
    limits = QueryLimits(sparql.seconds, sparql.rows, sparql.bytes, sparql.memory_mb)
    pool = QueryPool(lambda: Snapshot(graph, "1"), limits, PoolSize(2, 2, 2, 5.0))
    engine = LocalEngine(data, chosen)
    answers = open_runner(data / "answers", sparql)
    app = create_app(data, chosen, corpus.graph, pool, engine, answers)
    app.test_client_class = Client
    try:
        yield app
    finally:
        jobs = app.extensions[EXTENSION].jobs
        if jobs:
            jobs.close()
        engine.close()
        pool.close()
        answers.close()


def copied(data: Path, folder: Path) -> Path:
    """A copy of a data directory."""
    shutil.copytree(data, folder, symlinks=True)
    return folder


def answered(client: FlaskClient, question: str = QUESTION, **more: Any) -> str:
    """Ask, wait for the answer, and return its path."""
    asked = client.post("/answers", json={"question": question, **more})
    assert asked.status_code in (200, 202), asked.text
    path = asked.headers["Location"]
    wait_until(lambda: client.get(path, headers={"Accept": "application/json"}).status_code != 202, "the answer", 60)
    assert client.get(path).status_code == 200, client.get(path).text
    return path
