"""`/health`: 200 where a query is answered, 503 with the reason where none is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.corpus import DataDirectory
from service.errors import QueryError
from service.graph import EmbeddedGraph
from service.settings import Settings
from service.snapshots.graph import PooledGraph
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits
from service.web.app import create_app
from tests.conftest import Esperia

SETTINGS = Settings(embedder="hash")


class Lost:
    """A graph whose store is out of reach."""

    def select(self, query: str) -> Any:
        raise QueryError("the graph store does not answer; try again later")

    ask = construct = select


@pytest.fixture(scope="module")
def pool(esperia: Esperia) -> Iterator[QueryPool]:
    version = DataDirectory(esperia.data).published()
    found = QueryPool(
        lambda: Snapshot(version / "graph", version.name),
        QueryLimits(seconds=5, rows=1000, bytes=100_000, memory_mb=512),
        PoolSize(workers=1, long=1, long_of_client=1, wait_seconds=5),
    )
    yield found
    found.close()


@pytest.fixture(scope="module")
def app(esperia: Esperia, pool: QueryPool) -> Flask:
    return create_app(esperia.data, SETTINGS, PooledGraph(pool), pool)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def test_a_service_that_answers_says_of_what_and_with_which_workers(
    client: FlaskClient, esperia: Esperia, pool: QueryPool
) -> None:
    answer = client.get("/health")

    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    told = answer.get_json()
    assert told["status"] == "ok"
    assert told["dataset"] == esperia.corpus.manifest.dataset
    assert told["version"] == pool.version
    assert told["seconds"] >= 0
    assert told["workers"] == {"running": 1, "of": 1, "isolation": pool.isolation.partition(":")[0]}


def test_nobody_keeps_the_state(client: FlaskClient) -> None:
    assert client.get("/health").headers["Cache-Control"] == "no-store"


def test_the_head_alone_can_be_asked_for(client: FlaskClient) -> None:
    answer = client.head("/health")

    assert (answer.status_code, answer.data) == (200, b"")


def test_why_workers_are_not_isolated_is_not_for_everyone(esperia: Esperia, pool: QueryPool) -> None:
    pool.isolation, former = "not isolated: /lib/secret.so", pool.isolation
    try:
        answer = create_app(esperia.data, SETTINGS, PooledGraph(pool), pool).test_client().get("/health")
    finally:
        pool.isolation = former

    assert answer.get_json()["workers"]["isolation"] == "not isolated"


def test_without_data_the_service_is_not_ready(tmp_path: Path, esperia: Esperia) -> None:
    answer = create_app(tmp_path, SETTINGS, esperia.corpus.graph).test_client().get("/health")

    assert answer.status_code == 503
    assert answer.get_json()["status"] == "unavailable"
    assert "no data are loaded" in answer.get_json()["detail"]
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_store_that_is_lost_makes_the_service_not_ready(esperia: Esperia) -> None:
    answer = create_app(esperia.data, SETTINGS, Lost()).test_client().get("/health")

    assert answer.status_code == 503
    assert answer.get_json()["dataset"] == esperia.corpus.manifest.dataset
    assert "does not answer" in answer.get_json()["detail"]


def test_without_a_worker_the_service_is_not_ready(esperia: Esperia) -> None:
    version = DataDirectory(esperia.data).published()
    closed = QueryPool(
        lambda: Snapshot(version / "graph", version.name),
        QueryLimits(seconds=5, rows=1000, bytes=100_000, memory_mb=512),
        PoolSize(workers=1, long=1, long_of_client=1, wait_seconds=0),
    )
    closed.close()
    graph = EmbeddedGraph.open(version / "graph")

    answer = create_app(esperia.data, SETTINGS, graph, closed).test_client().get("/health")

    assert answer.status_code == 503
    assert "no query worker is running" in answer.get_json()["detail"]


def test_the_site_s_own_parliament_without_an_endpoint_has_no_workers_to_tell_of(esperia: Esperia) -> None:
    answer = create_app(esperia.data, SETTINGS, esperia.corpus.graph).test_client().get("/health")

    assert answer.status_code == 200
    assert "workers" not in answer.get_json()
