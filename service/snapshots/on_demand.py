"""A pool of query workers that is there while somebody asks: what is seldom queried costs nothing meanwhile."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from service.queries.refusal import QueryRefused
from service.snapshots.pool import QueryPool
from service.snapshots.runner import QueryAnswer, QueryLimits, QueryRequest

IDLE_SECONDS: Final = 300.0
"""Without a query, after which the workers are ended."""
START_SECONDS: Final = 60.0
"""How long a query waits for the first worker, at most."""
_log: Final = logging.getLogger(__name__)


class PoolOnDemand:
    """A `QueryRunner` whose pool is opened by the first query and closed when none came for a while."""

    def __init__(self, limits: QueryLimits, make: Callable[[], QueryPool], *, idle_seconds: float = IDLE_SECONDS):
        """Where `make` raises, the query is refused and the next one tries again."""
        self.limits = limits
        self._make = make
        self._idle_seconds = idle_seconds
        self._changed = threading.Condition()
        self._pool: QueryPool | None = None
        self._failed = False
        self._keeper: threading.Thread | None = None
        self._users = 0
        self._used_at = 0.0
        self._closed = False

    @property
    def version(self) -> str:
        with self._opened() as pool:
            return pool.version

    def graphs(self) -> tuple[str, ...]:
        with self._opened() as pool:
            return pool.graphs()

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        """Run a query for a client. Raises `QueryRefused`."""
        with self._opened() as pool:
            return pool.run(request, client)

    def processes(self) -> list[int]:
        """The process ids of the workers; none while nobody asks."""
        with self._changed:
            return self._pool.processes() if self._pool else []

    def close(self) -> None:
        """End what was started; what is asked later is refused."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            keeper = self._keeper
        if keeper:
            keeper.join(START_SECONDS)

    @contextmanager
    def _opened(self) -> Iterator[QueryPool]:
        with self._changed:
            self._users += 1
        try:
            yield self._wait_for_pool()
        finally:
            with self._changed:
                self._users -= 1
                self._used_at = time.monotonic()

    def _wait_for_pool(self) -> QueryPool:
        deadline = time.monotonic() + START_SECONDS
        with self._changed:
            self._failed = False
            while self._pool is None:
                left = deadline - time.monotonic()
                if self._closed or self._failed or left <= 0:
                    raise QueryRefused(503, "the answers cannot be queried now; try again later", retry_after=10)
                if self._keeper is None:
                    # Workers end with the thread that started them: not one that serves a request.
                    self._keeper = threading.Thread(target=self._keep, name="pool-on-demand", daemon=True)
                    self._keeper.start()
                self._changed.wait(left)
            return self._pool

    def _keep(self) -> None:
        """Open the pool, wait until nobody uses it any more, close it."""
        try:
            pool = self._make()
        except Exception:  # whatever it is, those who wait must be told
            _log.exception("no query worker can be started")
            with self._changed:
                self._failed, self._keeper = True, None
                self._changed.notify_all()
            return
        with self._changed:
            self._pool, self._used_at = pool, time.monotonic()
            self._changed.notify_all()
            while not self._closed and (left := self._left()) > 0:
                self._changed.wait(left)
            self._pool = None
        pool.close()
        with self._changed:
            self._keeper = None
            self._changed.notify_all()

    def _left(self) -> float:
        """Seconds for which the pool stays open yet."""
        if self._users:
            return self._idle_seconds
        return self._used_at + self._idle_seconds - time.monotonic()
