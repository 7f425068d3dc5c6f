"""Published snapshots of a small store, and pools of workers over them."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store

from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits, QueryRequest

G, H, P = (NamedNode(f"http://a.example/{name}") for name in "ghp")
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . FILTER(?b != ?d || ?d != ?f) }"
"""A query that takes minutes over any of these stores."""
LIMITS = QueryLimits(seconds=1.2, rows=5_000, bytes=200_000, memory_mb=512)
SIZE = PoolSize(workers=2, long=2, long_of_client=1, wait_seconds=5)


def table(text: str, media_type: str = "application/sparql-results+json", **more: object) -> QueryRequest:
    """A query for a table or a boolean."""
    return QueryRequest(text, True, media_type, **more)  # type: ignore[arg-type]


def publish(folder: Path, triples: int) -> Path:
    """Write a store as a load does, and make it the current one by moving one link."""
    version = folder / "versions" / str(triples)
    version.parent.mkdir(exist_ok=True)
    store = Store(str(version))
    store.bulk_extend(
        Quad(NamedNode(f"http://a.example/{n}"), P, Literal(n), G if n % 2 else H) for n in range(triples)
    )
    store.flush()
    del store
    link = folder / "next"
    link.symlink_to(version)
    os.replace(link, folder / "current")
    return version


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with 1,000 triples in two graphs."""
    return publish(tmp_path_factory.mktemp("stored"), 1000)


MakePool = Callable[..., QueryPool]


@pytest.fixture
def make_pool(stored: Path) -> Iterator[MakePool]:
    """Make a pool that is closed after the test."""
    with ExitStack() as running:

        def make(
            limits: QueryLimits = LIMITS, size: PoolSize = SIZE, find: Callable[[], Snapshot] | None = None
        ) -> QueryPool:
            pool = QueryPool(find or (lambda: Snapshot(stored, "1")), limits, size)
            running.callback(pool.close)
            return pool

        yield make


@pytest.fixture(scope="module")
def pool(stored: Path) -> Iterator[QueryPool]:
    """A pool that the tests of a module share."""
    made = QueryPool(lambda: Snapshot(stored, "1"), LIMITS, SIZE)
    yield made
    made.close()
