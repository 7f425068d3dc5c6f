"""A pool of query workers: one query each, killed at the limit, replaced, and moved to a new snapshot.

A query that has used a processor for a moment is *long*. It takes its worker along, and another is started in
that one's place; it goes on only when nothing else wants a processor, and waits, halted, while as many
long queries run as may. So the quick ones, which are nearly all, find a worker and a processor.
"""

import contextlib
import json
import logging
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from service.queries.refusal import QueryRefused
from service.snapshots import worker as process
from service.snapshots.handle import READY_SECONDS, Snapshot, Worker
from service.snapshots.runner import IN_MEMORY, QueryAnswer, QueryLimits, QueryRequest, too_late, too_long

LOOK_SECONDS: Final = 1.0
"""Between two looks for a new snapshot."""
LONG_SECONDS: Final = 0.1
MOST_WAITED: Final = 10
"""Times those seconds, after which a query is long that has hardly had a processor."""
WAITING_PER_PLACE: Final = 2
"""Long queries that may wait, for each that may run; each holds a process."""
REFUSAL_SECONDS: Final = 1.0
"""After which a long query is told that it finds no place: whoever tries again at once would keep workers busy."""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PoolSize:
    """How much a pool does at once."""

    workers: int
    long: int
    """Long queries that run at once, of all clients …"""
    long_of_client: int
    """… and of one."""
    wait_seconds: float
    """How long a query waits for a worker, and a long one for its place."""
    long_seconds: float = LONG_SECONDS
    """Of a processor, after which a query is long."""


class QueryPool:
    """Runs queries in worker processes over the snapshot that is published now."""

    def __init__(self, find: Callable[[], Snapshot], limits: QueryLimits, size: PoolSize) -> None:
        """`find` names the published snapshot; it is asked again about once a second.

        Raises `OSError` if no worker starts.
        """
        self.limits = limits
        self.size = size
        self._find = find
        self._state = threading.Lock()
        self._worker_free = threading.Condition(self._state)
        self._place_free = threading.Condition(self._state)
        self._worker_missing = threading.Condition(self._state)
        """What the keeper waits for; it must not be woken by every query."""
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._taken_along: set[Worker] = set()
        """Workers of long queries."""
        self._long: Counter[str] = Counter()
        """Client to long queries that run."""
        self._waiting = 0
        """Long queries that wait for a place."""
        self._closed = False
        self._snapshot = find()
        first = Worker(self._snapshot, limits.memory_mb)
        self.isolation = first.isolation
        if first.isolation != "isolated":
            _log.warning("query workers are %s", first.isolation)
        self._graphs = first.graphs
        self._idle.append(first)
        # All others come from one thread, which lives as long as the pool: they end with the thread that started them.
        self._keeper = threading.Thread(target=self._keep, name="query-pool", daemon=True)
        self._keeper.start()

    @property
    def version(self) -> str:
        return self._snapshot.version

    def graphs(self) -> tuple[str, ...]:
        return self._graphs

    def processes(self) -> list[int]:
        """The process ids of the workers."""
        with self._state:
            return [worker.process.pid for worker in (*self._idle, *self._busy, *self._taken_along)]

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        """Run a query. Raises `QueryRefused`: 400 for a wrong one, 413 or 503 for one that passes a limit."""
        worker = self._take()
        started = time.monotonic()
        whole = turned_away = False
        body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (it outlives this call)
        run = _Run(self, worker, client)
        try:
            worker.send(self._job(request, worker.snapshot))
            length = run.collect(body)
            whole = True
        except QueryRefused as refusal:
            # What it said by itself, it lives to tell: a wrong query, a form that cannot be written.
            whole = refusal.status in (400, 406)
            turned_away = refusal.limit in ("long_queries", "long_queries_per_client")
            body.close()
            raise
        except (EOFError, OSError) as error:
            body.close()
            raise self.died() from error
        except BaseException:
            body.close()
            raise
        finally:
            run.end()
            self._give_back(worker, reusable=whole and not run.heavy)
            if turned_away:
                time.sleep(REFUSAL_SECONDS)
        body.seek(0)
        seconds = time.monotonic() - started
        return QueryAnswer(body, length, request.media_type, seconds, worker.snapshot.version)

    def close(self) -> None:
        """End every worker."""
        with self._state:
            self._closed = True
            workers = [*self._idle, *self._busy, *self._taken_along]
            self._idle.clear()
            for condition in (self._worker_free, self._place_free, self._worker_missing):
                condition.notify_all()
        for worker in workers:
            worker.kill()
        self._keeper.join(READY_SECONDS)

    def _job(self, request: QueryRequest, snapshot: Snapshot) -> dict[str, Any]:
        return {
            "query": request.text,
            "table": request.table,
            "media_type": request.media_type,
            "base": request.base,
            "prefixes": dict(request.prefixes),
            "shown_prefixes": dict(request.shown_prefixes),
            "default": request.default_graphs,
            "named": request.named_graphs,
            "triples": request.triples,
            "union": snapshot.union_default_graph,
            "overlapping": not snapshot.union_default_graph,
            "seconds": self.limits.seconds,
            "rows": self.limits.rows,
            "bytes": self.limits.bytes,
        }

    def _take(self) -> Worker:
        deadline = time.monotonic() + self.size.wait_seconds
        with self._state:
            while not (worker := self._next_alive()):
                left = deadline - time.monotonic()
                if left <= 0 or self._closed:
                    raise QueryRefused(
                        503,
                        f"every worker is busy ({self.size.workers} queries at once); try again in a moment",
                        retry_after=1,
                        limit="workers",
                    )
                self._worker_free.wait(left)
            self._busy.add(worker)
            return worker

    def _next_alive(self) -> Worker | None:
        """An idle worker, if any. One that the system ended meanwhile is no query's fault; the keeper replaces it."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.connection.close()
            self._worker_missing.notify()
        return None

    def _give_back(self, worker: Worker, *, reusable: bool) -> None:
        with self._state:
            self._busy.discard(worker)
            self._taken_along.discard(worker)
            keep = reusable and not worker.low_priority and worker.snapshot is self._snapshot and not self._closed
            if keep:
                self._idle.append(worker)
                self._worker_free.notify()
            else:
                self._worker_missing.notify()
        if not keep:
            worker.kill()

    def becomes_long(self, client: str, worker: Worker) -> None:
        """Let a query go on as a long one, when there is a place. Raises `QueryRefused` where none comes free."""
        worker.lower_priority()
        with self._state:
            self._busy.discard(worker)
            self._taken_along.add(worker)
            self._worker_missing.notify()
            if not self._has_place(client):
                if self._waiting >= WAITING_PER_PLACE * self.size.long:
                    raise self._no_place(client)
                with worker.halted():
                    self._wait_for_place(client)
            self._long[client] += 1

    def _has_place(self, client: str) -> bool:
        return self._long.total() < self.size.long and self._long[client] < self.size.long_of_client

    def _wait_for_place(self, client: str) -> None:
        deadline = time.monotonic() + self.size.wait_seconds
        self._waiting += 1
        try:
            while not self._has_place(client):
                left = deadline - time.monotonic()
                if left <= 0 or self._closed:
                    raise self._no_place(client)
                self._place_free.wait(left)
        finally:
            self._waiting -= 1

    def _no_place(self, client: str) -> QueryRefused:
        later = max(1, round(self.limits.seconds))
        if self._long[client] >= self.size.long_of_client:
            return QueryRefused(
                429,
                f"you have {self._long[client]} long queries running, which is the limit for one client; "
                "wait for them, or ask for less",
                retry_after=later,
                limit="long_queries_per_client",
            )
        return QueryRefused(
            503,
            f"{self._long.total()} long queries are running, which is the limit, and others wait; try again later",
            retry_after=later,
            limit="long_queries",
        )

    def no_longer_long(self, client: str) -> None:
        """A long query has ended."""
        with self._state:
            self._long[client] -= 1
            if not self._long[client]:
                del self._long[client]
            self._place_free.notify_all()

    def died(self) -> QueryRefused:
        """The refusal of a query that ended its worker."""
        return QueryRefused(
            503,
            f"the query needs more memory ({self.limits.memory_mb} MB are allowed) or nesting than the engine has; "
            "ask for less: LIMIT, a narrower pattern, fewer brackets",
            retry_after=60,
            limit="memory_mb",
        )

    def _keep(self) -> None:
        """Keep the pool full, and on the snapshot that is published."""
        look_at = time.monotonic() + LOOK_SECONDS
        while True:
            with self._state:
                # A worker that is missing wakes this thread: it looks for a snapshot no more often for that.
                while not self._closed and (full := self._full()) and (left := look_at - time.monotonic()) > 0:
                    self._worker_missing.wait(left)
                if self._closed:
                    return
            try:
                look_at = time.monotonic() + LOOK_SECONDS
                self._follow()
                if not full:
                    self._add(Worker(self._snapshot, self.limits.memory_mb))
            except Exception:  # whatever it is, a pool whose keeper has died would never fill again
                _log.exception("a query worker could not be started")
                time.sleep(LOOK_SECONDS)

    def _full(self) -> bool:
        return len(self._idle) + len(self._busy) >= self.size.workers

    def _follow(self) -> None:
        """Move to the published snapshot if that is another; queries that run end where they began."""
        found = self._find()
        if found == self._snapshot:
            return
        first = Worker(found, self.limits.memory_mb)
        with self._state:
            former = list(self._idle)
            self._idle = [first]
            self._snapshot, self._graphs = found, first.graphs
            self._worker_free.notify()
        for worker in former:
            worker.kill()

    def _add(self, worker: Worker) -> None:
        with self._state:
            if not self._closed:
                self._idle.append(worker)
                self._worker_free.notify()
                return
        worker.kill()


class _Run:
    """One query on one worker."""

    def __init__(self, pool: QueryPool, worker: Worker, client: str) -> None:
        self._pool = pool
        self._worker = worker
        self._client = client
        begin = time.monotonic()
        self._long_after = begin + pool.size.long_seconds
        self._long_at_last = begin + MOST_WAITED * pool.size.long_seconds
        self._deadline = begin + pool.limits.seconds
        self._is_long = False
        self.heavy = False
        """Whether the worker holds so much memory that it had better be replaced."""

    def collect(self, body: "tempfile.SpooledTemporaryFile[bytes]") -> int:
        """Write the answer into a file and return its length."""
        length = 0
        while True:
            kind, data = self._frame()
            if kind == process.DATA:
                body.write(data)
                length += len(data)
            elif kind == process.END:
                told = json.loads(data)
                self._worker.processor = told["processor"]
                self.heavy = self._worker.grown(told["resident"])
                return length
            else:
                raise self._refusal(json.loads(data))

    def _frame(self) -> tuple[bytes, bytes]:
        while not self._is_long and self._long_after < self._deadline:
            with contextlib.suppress(TimeoutError):
                return self._worker.frame(self._long_after)
            begin = time.monotonic()
            missing = self._pool.size.long_seconds - self._worker.used()
            if missing > 0 and begin < self._long_at_last:
                # Kept waiting, by its data or by a busy machine.
                self._long_after = min(begin + max(missing, 0.01), self._long_at_last)
                continue
            self._pool.becomes_long(self._client, self._worker)
            self._is_long = True
            self._deadline += time.monotonic() - begin
        try:
            return self._worker.frame(self._deadline)
        except TimeoutError as error:
            raise too_late(self._pool.limits) from error

    def end(self) -> None:
        if self._is_long:
            self._pool.no_longer_long(self._client)

    def _refusal(self, told: dict[str, str]) -> QueryRefused:
        why, message = told["why"], told["message"]
        if why == "syntax":
            return QueryRefused(400, message, limit="syntax")
        if why == "form":
            return QueryRefused(406, f"{message}; ask for Turtle, N-Triples or JSON-LD")
        if why == "memory":
            return self._pool.died()
        if why == "limit":
            return too_long(self._pool.limits, message)
        return QueryRefused(400, f"the query cannot be evaluated: {' '.join(message.split())[:300]}")
