"""The table of jobs and their events, in one SQLite file that one process uses at a time."""

import contextlib
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from service.errors import DataError
from service.jobs.model import AskRequest, Event, Failure, Job, State

RELEASE: Final = 1
"""Of the tables' form; a file of another release is not read."""
KEPT_DAYS: Final = 30
"""How long it is told why a question failed or that it was cancelled, and how an answer was made."""
ADDRESS_HOURS: Final = 24
"""How long it is kept who asked, after the end."""
MOST_WITHOUT_ANSWER: Final = 10_000
"""Failed and cancelled jobs that are kept, however young."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    key TEXT NOT NULL,
    iri TEXT NOT NULL,
    request TEXT NOT NULL,
    dataset TEXT NOT NULL,
    version TEXT NOT NULL,
    state TEXT NOT NULL,
    client TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    asked REAL NOT NULL,
    started REAL,
    ended REAL,
    problem TEXT,
    last_event INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS job_key ON job (key);
CREATE INDEX IF NOT EXISTS job_state ON job (state, place);
CREATE INDEX IF NOT EXISTS job_client ON job (client, asked);
CREATE TABLE IF NOT EXISTS asker (
    job TEXT NOT NULL REFERENCES job ON DELETE CASCADE,
    client TEXT NOT NULL,
    PRIMARY KEY (job, client)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
    job TEXT NOT NULL REFERENCES job ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    topic TEXT NOT NULL,
    data TEXT NOT NULL,
    time REAL NOT NULL,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
"""
_COLUMNS: Final = (
    "id, key, iri, request, dataset, version, state, client, attempts, asked, started, ended, problem, last_event"
)


class JobTable:
    """Jobs that outlive the process. Its user sees to it that one thread works with it at a time."""

    def __init__(self, path: Path) -> None:
        """Open the table, made if need be. Raises `DataError`: it cannot be written, or another process has it."""
        self._place = f"{path.parent.name}/{path.name}"  # the whole world may be told this, and no more of the disk
        with self._working():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(path)
            try:
                self._connection = sqlite3.connect(path, timeout=10, check_same_thread=False, isolation_level=None)
                self._prepare()
            except BaseException:
                os.close(self._lock)
                raise

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        # What is committed outlives the process; a machine that fails may lose the last moments, and nothing is torn.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        release = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if release not in (0, RELEASE):
            raise DataError(f"{self._place} was written by another release; move it away, which forgets what was asked")
        self._connection.executescript(_SCHEMA)
        self._connection.execute(f"PRAGMA user_version = {RELEASE}")

    def close(self) -> None:
        """Close the file and let another process have it."""
        self._connection.close()
        os.close(self._lock)

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Change several things or none. Raises `DataError`."""
        with self._working():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def job(self, id_: str) -> Job | None:
        """A job by its id."""
        return next(iter(self._jobs("id = ?", id_)), None)

    def of_key(self, key: str) -> tuple[Job, ...]:
        """The jobs of a question that wait, are worked on or are done; the latest first."""
        return self._jobs("key = ? AND state IN ('queued', 'running', 'done') ORDER BY asked DESC LIMIT 20", key)

    def in_state(self, state: State) -> tuple[Job, ...]:
        """The jobs of a state, in the order of the queue."""
        return self._jobs("state = ? ORDER BY place", state)

    def waiting(self) -> list[tuple[str, str]]:
        """Id and client of the jobs that wait, as they came."""
        with self._working():
            rows = self._connection.execute("SELECT id, client FROM job WHERE state = 'queued' ORDER BY place")
            return [(id_, client) for id_, client in rows]

    def under_way(self, client: str) -> int:
        """How many jobs of a client wait or are worked on."""
        return self._number("SELECT count(*) FROM job WHERE client = ? AND state IN ('queued', 'running')", client)

    def asked_since(self, client: str, since: datetime) -> tuple[int, datetime | None]:
        """How many new answers a client has asked for since a time, and when the first of them."""
        with self._working():
            row = self._connection.execute(
                "SELECT count(*), min(asked) FROM job WHERE client = ? AND asked > ?", (client, since.timestamp())
            ).fetchone()
        return int(row[0]), _time(row[1])

    def add(self, job: Job) -> None:
        """Put a new job at the end of the queue, with who asked."""
        self._connection.execute(
            f"INSERT INTO job ({_COLUMNS}, place) "  # noqa: S608 - names of columns
            f"VALUES ({', '.join('?' * 14)}, (SELECT coalesce(max(place), 0) + 1 FROM job))",
            (
                job.id, job.key, job.iri, json.dumps(job.request.members(), ensure_ascii=False), job.dataset,
                job.version, job.state, job.client, job.attempts, job.asked.timestamp(), None, None, None, 0,
            ),
        )  # fmt: skip
        self.join(job.id, job.client)

    def join(self, id_: str, client: str) -> None:
        """Remember that a client asked for a job too."""
        self._connection.execute("INSERT OR IGNORE INTO asker VALUES (?, ?)", (id_, client))

    def leave(self, id_: str, client: str) -> str | None:
        """Forget that a client asked for a job; returns one that still does, to whom the job then counts."""
        self._connection.execute("DELETE FROM asker WHERE job = ? AND client = ?", (id_, client))
        row = self._connection.execute("SELECT client FROM asker WHERE job = ? LIMIT 1", (id_,)).fetchone()
        if row:
            self._connection.execute("UPDATE job SET client = ? WHERE id = ? AND client = ?", (row[0], id_, client))
        return str(row[0]) if row else None

    def asks(self, id_: str, client: str) -> bool:
        """Whether a client asked for a job."""
        return bool(self._number("SELECT count(*) FROM asker WHERE job = ? AND client = ?", id_, client))

    def begin(self, id_: str, now: datetime) -> None:
        """A job is worked on from now."""
        self._connection.execute(
            "UPDATE job SET state = 'running', started = ?, attempts = attempts + 1 WHERE id = ?",
            (now.timestamp(), id_),
        )

    def wait_again(self, id_: str, attempts: int) -> None:
        """Put a job back to its place in the queue; what was told of its stages is told anew then."""
        self._connection.execute(
            "UPDATE job SET state = 'queued', started = NULL, ended = NULL, problem = NULL, attempts = ? WHERE id = ?",
            (attempts, id_),
        )
        self._connection.execute("DELETE FROM event WHERE job = ?", (id_,))

    def end(self, id_: str, state: State, now: datetime, failure: Failure | None = None) -> None:
        """A job has ended."""
        problem = json.dumps([failure.status, failure.detail], ensure_ascii=False) if failure else None
        self._connection.execute(
            "UPDATE job SET state = ?, ended = ?, problem = ? WHERE id = ?", (state, now.timestamp(), problem, id_)
        )

    def put_to(self, id_: str, key: str, version: str) -> None:
        """A job was worked on with another version of the corpus than it was put to."""
        self._connection.execute("UPDATE job SET key = ?, version = ? WHERE id = ?", (key, version, id_))

    def tell(self, id_: str, name: str, data: Mapping[str, Any], now: datetime, topic: str = "") -> None:
        """Add an event. It takes the place of a former one of the same topic, unless that is empty."""
        if topic:
            self._connection.execute("DELETE FROM event WHERE job = ? AND topic = ?", (id_, topic))
        self._connection.execute("UPDATE job SET last_event = last_event + 1 WHERE id = ?", (id_,))
        self._connection.execute(
            "INSERT INTO event SELECT id, last_event, ?, ?, ?, ? FROM job WHERE id = ?",
            (name, topic, json.dumps(data, ensure_ascii=False), now.timestamp(), id_),
        )

    def events(self, id_: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a job that come after a number."""
        with self._working():
            rows = self._connection.execute(
                "SELECT number, name, data, time FROM event WHERE job = ? AND number > ? ORDER BY number", (id_, after)
            ).fetchall()
        return tuple(Event(n, name, json.loads(data), datetime.fromtimestamp(t, UTC)) for n, name, data, t in rows)

    def tidy(self, now: datetime) -> None:
        """Forget what is kept for a while only."""
        old = (now - timedelta(days=KEPT_DAYS)).timestamp()
        with self.changing():
            self._connection.execute("DELETE FROM job WHERE state IN ('failed', 'cancelled') AND ended < ?", (old,))
            self._connection.execute(
                "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE state IN ('failed', 'cancelled') "
                "ORDER BY ended DESC LIMIT -1 OFFSET ?)",
                (MOST_WITHOUT_ANSWER,),
            )
            self._connection.execute(
                "DELETE FROM event WHERE job IN (SELECT id FROM job WHERE state = 'done' AND ended < ?)", (old,)
            )
            forgotten = ((now - timedelta(hours=ADDRESS_HOURS)).timestamp(),)
            self._connection.execute(
                "DELETE FROM asker WHERE job IN (SELECT id FROM job WHERE ended IS NOT NULL AND ended < ?)", forgotten
            )
            self._connection.execute(
                "UPDATE job SET client = '' WHERE ended IS NOT NULL AND ended < ? AND client <> ''", forgotten
            )

    def _jobs(self, condition: str, *values: str) -> tuple[Job, ...]:
        with self._working():
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM job WHERE {condition}", values)  # noqa: S608
            return tuple(map(_job, rows))

    def _number(self, query: str, *values: str) -> int:
        with self._working():
            return int(self._connection.execute(query, values).fetchone()[0])

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(f"the table of questions {self._place} cannot be written: {error.strerror}") from error
        except sqlite3.Error as error:
            raise DataError(
                f"the table of questions {self._place} cannot be used ({error}); make room for it, or move it away, "
                "which forgets what was asked but no answer"
            ) from error


def _lock(path: Path) -> int:
    """Hold the table for this process until it ends, however that is. Raises `DataError`."""
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise DataError("another service takes the questions of this data directory; ask there") from error
    return descriptor


def _job(row: tuple[Any, ...]) -> Job:
    (id_, key, iri, request, dataset, version, state, client, attempts, asked, started, ended, problem, last) = row
    return Job(
        id=id_,
        key=key,
        request=AskRequest.of(json.loads(request), iri),
        dataset=dataset,
        version=version,
        state=state,
        client=client,
        attempts=attempts,
        asked=datetime.fromtimestamp(asked, UTC),
        started=_time(started),
        ended=_time(ended),
        failure=Failure(*json.loads(problem)) if problem else None,
        last_event=last,
    )


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
