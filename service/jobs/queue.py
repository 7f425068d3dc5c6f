"""The queue of questions: who may put one, whose turn it is, who works on it, and what is told meanwhile.

Jobs survive the process. What was worked on when it ended is worked on again, some times at most; an
answer counts as made once the store of answers has it.
"""

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from pyoxigraph import NamedNode

from service.answer.jsonld import Document
from service.answers import keep_answer, read_answer
from service.answers.store import open_store
from service.corpus import DataDirectory, read_manifest
from service.engines.interface import EngineHost
from service.errors import DataError, EmicicloError, QuestionError
from service.jobs.answering import answer
from service.jobs.identity import key_of
from service.jobs.model import AskRequest, Event, Failure, Job, State
from service.jobs.refusal import JobRefused
from service.jobs.table import JobTable
from service.jobs.turns import in_order
from service.progress import Step
from service.resources.wording import gettext
from service.settings import JobsSettings, Settings

HOUR: Final = timedelta(hours=1)
TIDY_SECONDS: Final = 3600.0
KEEP_PAUSES: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each attempt to keep an answer; each waits for others by itself."""
TROUBLE_SECONDS: Final = 2.0
"""How long a worker rests when the table cannot be used."""
_log: Final = logging.getLogger(__name__)


class Stopped(BaseException):
    """Nobody wants the answer any more. No `Exception`: work that bears failures of its own must not bear this."""


@dataclass(slots=True, eq=False)
class _Work:
    """What one thread works on."""

    job: Job
    deadline: float
    stopped: bool = False
    keeping: bool = False
    """The answer is there and is about to be kept: too late to cancel."""
    last_step: Step | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue, from 1; 0 is worked on. `ahead` are the jobs before it, with those under way."""

    position: int
    ahead: int


class JobQueue:
    """The jobs of one data directory. Threads are started by the first job; files are made by it too."""

    def __init__(self, data: DataDirectory, settings: Settings, engine: EngineHost) -> None:
        self._data = data
        self._settings = settings
        self._engine = engine
        self._changed = threading.Condition()
        self._opened: JobTable | None = None
        self._closed = False
        self._workers: dict[threading.Thread, _Work | None] = {}
        self._clock: threading.Thread | None = None
        self._served: dict[str, int] = {}
        self._turn = 0
        self._told: dict[str, Place] = {}
        self._unsettled: set[str] = set()  # jobs whose end could not be written down: a full disk may have room later
        self._tidied = 0.0

    @property
    def limits(self) -> JobsSettings:
        return self._settings.jobs

    # What the web asks

    def resume(self) -> None:
        """Go on with what is left from before, where there is anything. What hinders it is told to the log."""
        try:
            with self._changed:
                if self._there():
                    self._table()
        except DataError as error:
            _log.warning("%s", error)

    def submit(self, request: AskRequest, client: str, *, fresh: bool = False) -> tuple[Job, bool]:
        """Put a question; returns its job and whether it is a new one.

        The same question to the same corpus is one job: the one under way, or, unless `fresh`, the one
        whose answer is kept. Raises `QuestionError`, `JobRefused`, `DataError`.
        """
        manifest = read_manifest(self._data.published())
        key = key_of(request, manifest, self._settings)
        with self._changed:
            table = self._table()
            for job in table.of_key(key):
                if job.state != "done":
                    with table.changing():
                        table.join(job.id, client)
                    return job, False
                if not fresh and self._is_kept(job):
                    return job, False
            now = datetime.now(UTC)
            self._admit(table, client, now)
            id_ = str(uuid.uuid4())
            iri = f"{manifest.base_iri}answer/{id_}"
            asked = AskRequest(request.question, request.filters, request.as_of, request.language, iri)
            job = Job(id_, key, asked, manifest.dataset, manifest.version, "queued", client, 0, now)
            with table.changing():
                table.add(job)
                self._tell_places(table, now)
            self._changed.notify_all()
            return table.job(id_) or job, True

    def job(self, id_: str) -> Job | None:
        """A job by its id; None where there is none. Raises `DataError`."""
        with self._changed:
            return self._table().job(id_) if self._there() else None

    def place(self, id_: str) -> Place | None:
        """Where a job stands now; None for one that has ended or is not known."""
        with self._changed:
            return self._told.get(id_)

    def now(self, job: Job) -> tuple[Job, Place | None]:
        """A job as it is now, and where it stands. Raises `DataError`."""
        with self._changed:
            return self.job(job.id) or job, self._told.get(job.id)

    def events(self, id_: str, after: int = 0, wait: float = 0.0) -> tuple[Event, ...]:
        """What is told of a job after an event; waits so many seconds for the first. Raises `DataError`."""
        until = time.monotonic() + wait
        with self._changed:
            while self._there():
                table = self._table()
                job, found = table.job(id_), table.events(id_, after)
                left = until - time.monotonic()
                if found or job is None or job.ended_for_good or left <= 0:
                    return found
                self._changed.wait(left)
        return ()

    def cancel(self, id_: str, client: str) -> Job | None:
        """Take a client's question back; it is worked on no more once nobody waits for it.

        Returns the job as it is then, or None where there is none. Raises `JobRefused`: 403 to
        whoever did not ask, 409 where it has ended; `DataError`.
        """
        with self._changed:
            if not self._there() or (job := self._table().job(id_)) is None:
                return None
            table = self._table()
            if job.state == "cancelled":
                return job
            work = self._work_on(id_)
            if job.ended_for_good or (work and work.keeping):
                raise JobRefused(409, gettext("this question has been answered or has failed: it cannot be taken back"))
            if not table.asks(id_, client):
                raise JobRefused(
                    403, gettext("only whoever asked a question can take it back, from the address that asked it")
                )
            with table.changing():
                others = table.leave(id_, client)
                if others is None:
                    self._end(table, id_, "cancelled", {})
            if others is None:
                if work:
                    work.stopped = True
                self._retell()
            self._changed.notify_all()
            return table.job(id_)

    def close(self) -> None:
        """Stop, once or more often; what is under way is worked on again at the next start."""
        with self._changed:
            self._closed = True
            table, self._opened = self._opened, None
            if table:
                try:
                    with table.changing():
                        for work in self._under_way():
                            work.stopped = True
                            table.wait_again(work.job.id, work.job.attempts)  # as it was taken: this one does not count
                except DataError as error:
                    _log.warning("%s", error)
                table.close()
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        return self._closed

    # The table

    def _there(self) -> bool:
        """Whether anything was ever asked. Raises `DataError` when closed."""
        if self._closed:
            raise DataError(gettext("the service is being stopped; try again in a minute"))
        return self._opened is not None or self._data.jobs.is_file()

    def _table(self) -> JobTable:
        """The table; the first time it is put in order, and the threads are started. Raises `DataError`."""
        self._there()
        if self._opened is None:
            table = JobTable(self._data.jobs)
            try:
                self._recover(table)
            except BaseException:
                table.close()
                raise
            self._opened = table
        self._start()
        return self._opened

    def _recover(self, table: JobTable) -> None:
        """Put in order what a process left that ended somehow."""
        now = datetime.now(UTC)
        table.tidy(now)
        with table.changing():
            for job in (*table.in_state("running"), *table.in_state("queued")):
                self._settle(table, job)
            for job in table.in_state("done"):
                if not self._is_kept(job):
                    table.wait_again(job.id, 0)
            self._tell_places(table, now)

    def _settle(self, table: JobTable, job: Job) -> None:
        """Put in order a job that nobody works on: its answer is kept, or it waits again, or it was tried enough."""
        document = read_answer(self._data.answers, job.iri) if self._is_kept(job) else None
        if document:
            self._end(table, job.id, "done", _summary(job.id, document))
        elif job.state == "running" and job.attempts >= self.limits.attempts:
            failure = Failure(
                503,
                gettext("the service stopped while it worked on this, as often as it is tried; ask it again"),
            )
            self._end(table, job.id, "failed", _told(failure), failure)
        elif job.state == "running":
            table.wait_again(job.id, job.attempts)
            self._told.pop(job.id, None)  # with its events, its place is forgotten

    def _settle_later(self, table: JobTable) -> None:
        """Settle jobs whose end could not be written down when it came. Raises `DataError` where it still cannot."""
        if not self._unsettled:
            return
        with table.changing():
            for job in map(table.job, sorted(self._unsettled)):
                if job and job.state == "running":
                    self._settle(table, job)
            self._tell_places(table, datetime.now(UTC))
        self._unsettled.clear()
        self._changed.notify_all()

    def _is_kept(self, job: Job) -> bool:
        """Whether the store of answers has the answer of a job."""
        store = open_store(self._data.answers)
        return store is not None and store.contains_named_graph(NamedNode(job.iri))

    def _admit(self, table: JobTable, client: str, now: datetime) -> None:
        """Raises `JobRefused` where a client, or the queue, has as much as it may."""
        limits = self.limits
        if table.under_way(client) >= limits.per_client:
            raise JobRefused(
                429,
                gettext(
                    "%(number)s of your questions wait or are worked on, which is the limit for one client; "
                    "wait for an answer, or take one back",
                    number=limits.per_client,
                ),
                limit="jobs.per_client",
                retry_after=10,
            )
        asked, first = table.asked_since(client, now - HOUR)
        if asked >= limits.per_client_hourly and first:
            raise JobRefused(
                429,
                gettext(
                    "you have asked %(number)s new questions within an hour, which is the limit for one client",
                    number=asked,
                ),
                limit="jobs.per_client_hourly",
                retry_after=max(1, int((first + HOUR - now).total_seconds())),
            )
        if len(table.waiting()) >= limits.queue:
            raise JobRefused(
                503,
                gettext("%(number)s questions wait already, and no more can; try again later", number=limits.queue),
                limit="jobs.queue",
                retry_after=30,
            )

    def _tell_places(self, table: JobTable, now: datetime) -> None:
        """Tell every job that waits where it stands, if that has changed."""
        running = len(self._under_way())
        waiting = in_order(table.waiting(), self._served)
        for n, id_ in enumerate(waiting):
            self._tell_place(table, id_, Place(n + 1, n + running), now)

    def _tell_place(self, table: JobTable, id_: str, place: Place, now: datetime) -> None:
        if self._told.get(id_) != place:
            self._told[id_] = place
            table.tell(id_, "queued", {"position": place.position, "ahead": place.ahead}, now, "queued")

    def _end(
        self, table: JobTable, id_: str, state: State, data: Mapping[str, Any], failure: Failure | None = None
    ) -> None:
        now = datetime.now(UTC)
        table.end(id_, state, now, failure)
        table.tell(id_, state, data, now)
        self._told.pop(id_, None)

    # The threads

    def _start(self) -> None:
        """Have as many threads as work at once, and one that looks at the time."""
        while len(self._workers) < self.limits.at_once:
            worker = threading.Thread(target=self._work, name="job", daemon=True)
            self._workers[worker] = None
            worker.start()
        if self._clock is None:
            self._clock = threading.Thread(target=self._watch, name="jobs", daemon=True)
            self._clock.start()

    def _under_way(self) -> list[_Work]:
        return [work for work in self._workers.values() if work and not work.stopped]

    def _work_on(self, id_: str) -> _Work | None:
        return next((work for work in self._under_way() if work.job.id == id_), None)

    def _work(self) -> None:
        """Take jobs in their order and work on them, one at a time, until the queue is closed."""
        me = threading.current_thread()
        while True:
            with self._changed:
                work = None
                while work is None:
                    if self._closed or me not in self._workers:  # this thread was given up, and has been replaced
                        return
                    try:
                        work = self._take()
                    except EmicicloError:
                        self._workers[me] = None
                        _log.exception("no question can be taken")
                        self._changed.wait(TROUBLE_SECONDS)
                    else:
                        if work is None:
                            self._changed.wait()
                self._workers[me] = work
                self._changed.notify_all()
            try:
                self._run(work)
            except EmicicloError:
                _log.exception("how a question ended could not be written down")
                with self._changed:
                    self._unsettled.add(work.job.id)
            finally:
                with self._changed:
                    if me in self._workers:
                        self._workers[me] = None
                    if work.stopped and not self._closed:  # the places of those that wait may have changed
                        self._retell()
                    self._changed.notify_all()

    def _take(self) -> _Work | None:
        """Begin with the job whose turn it is. Raises `DataError`."""
        table = self._opened
        if table is None:
            return None
        self._settle_later(table)
        waiting = table.waiting()
        if not waiting:
            return None
        now = datetime.now(UTC)
        id_ = in_order(waiting, self._served)[0]
        client = dict(waiting)[id_]
        before = table.job(id_)
        assert before is not None
        work = _Work(before, time.monotonic() + self.limits.seconds)
        with table.changing():
            table.begin(id_, now)
            self._turn += 1
            self._served[client] = self._turn
            self._tell_place(table, id_, Place(0, 0), now)
            # This one is under way from here on; the others' places are told with it counted.
            self._workers[threading.current_thread()] = work
            self._tell_places(table, now)
        self._forget_turns({client for _, client in waiting})
        return work

    def _forget_turns(self, waiting: set[str]) -> None:
        """Keep the last turns of clients who wait, and of some others."""
        if len(self._served) > 1000:
            recent = sorted(self._served, key=lambda client: self._served[client])[-500:]
            self._served = {client: self._served[client] for client in {*recent, *(waiting & self._served.keys())}}

    def _retell(self) -> None:
        if self._opened:
            try:
                with self._opened.changing():
                    self._tell_places(self._opened, datetime.now(UTC))
            except DataError:
                _log.exception("places in the queue could not be told")

    def _run(self, work: _Work) -> None:
        """Work on a job to its end."""
        try:
            document = self._engine.run(answer, work.job.request, partial(self._progress, work))
            if document["corpus"]["dataset"] != work.job.dataset:
                text = gettext("another dataset was published while this question waited; ask it again")
                self._fail(work, Failure(503, text))
                return
            with self._changed:
                self._require(work)
                work.keeping = True
            self._keep(document)
        except Stopped:
            return
        except QuestionError as error:
            self._fail(work, Failure(400, str(error)))
        except DataError as error:
            _log.warning("a question could not be answered: %s", error)
            if work.job.attempts + 1 < self.limits.attempts and not work.keeping:
                self._again(work)
            else:
                self._fail(work, Failure(503, str(error)))
        except Exception:  # whatever it is, the job must end and its thread go on with others
            _log.exception("a question could not be answered")
            self._fail(work, Failure(500, gettext("something went wrong here; the log of the service says what")))
        else:
            # An answer that is kept is no failure, even where this cannot be written down now.
            with contextlib.suppress(Stopped):
                self._finish(work, "done", _summary(work.job.id, document), document=document)

    def _progress(self, work: _Work, step: Step) -> None:
        """Tell a step of the engine; raises `Stopped` where nobody wants the answer any more."""
        with self._changed:
            table = self._require(work)
            if step == work.last_step:  # told only to learn whether to go on
                return
            work.last_step = step
            data = {"stage": step.stage, "state": step.state, "figures": dict(step.figures)}
            with table.changing():
                table.tell(work.job.id, "stage", data, datetime.now(UTC), step.stage)
            self._changed.notify_all()

    def _require(self, work: _Work) -> JobTable:
        """The table, if the work is still wanted. Raises `Stopped`."""
        if self._closed or work.stopped or self._opened is None:
            raise Stopped
        return self._opened

    def _keep(self, document: Document) -> None:
        """Keep an answer. Raises `DataError` where that fails again and again."""
        for pause in KEEP_PAUSES:
            time.sleep(pause)
            if keep_answer(self._data.answers, document):
                return
        raise DataError(gettext("the answer is made but cannot be kept; the log of the service says why"))

    def _finish(
        self,
        work: _Work,
        state: State,
        data: Mapping[str, Any],
        failure: Failure | None = None,
        document: Document | None = None,
    ) -> None:
        with self._changed:
            table = self._require(work)
            work.stopped = True
            with table.changing():
                if document:
                    self._note_version(table, work.job, document)
                self._end(table, work.job.id, state, data, failure)
                self._tell_places(table, datetime.now(UTC))
            self._changed.notify_all()

    def _note_version(self, table: JobTable, job: Job, document: Document) -> None:
        """Another corpus may have been published between question and answer."""
        made_from = str(document["corpus"]["corpusVersion"])
        if made_from != job.version:
            manifest = read_manifest(self._data.published())
            same = manifest.version == made_from
            table.put_to(job.id, key_of(job.request, manifest, self._settings) if same else job.id, made_from)

    def _fail(self, work: _Work, failure: Failure) -> None:
        try:
            self._finish(work, "failed", _told(failure), failure)
        except Stopped:
            return

    def _again(self, work: _Work) -> None:
        """Let a job wait for another attempt."""
        with self._changed:
            if self._closed or work.stopped or self._opened is None:
                return
            work.stopped = True
            with self._opened.changing():
                self._opened.wait_again(work.job.id, work.job.attempts + 1)
                self._tell_places(self._opened, datetime.now(UTC))
            self._changed.notify_all()

    def _watch(self) -> None:
        """End what takes too long, and forget what is old."""
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                deadlines = [work.deadline for work in self._workers.values() if work]
                self._changed.wait(max(0.05, min([*deadlines, now + TIDY_SECONDS]) - now))
                if self._closed:
                    return
                try:
                    self._give_up(time.monotonic())
                    if self._opened and time.monotonic() - self._tidied > TIDY_SECONDS:
                        self._tidied = time.monotonic()
                        self._opened.tidy(datetime.now(UTC))
                except DataError:
                    _log.exception("the queue could not be looked after")

    def _give_up(self, now: float) -> None:
        """Fail jobs whose time is over, and replace their threads: the engine may hang."""
        for worker, work in list(self._workers.items()):
            if work is None or work.deadline > now or work.keeping or self._opened is None:
                continue
            del self._workers[worker]
            if not work.stopped:
                work.stopped = True
                self._fail_late(self._opened, work.job)
            self._start()
            self._changed.notify_all()

    def _fail_late(self, table: JobTable, job: Job) -> None:
        """Fail a job whose time is over, or settle it later where that cannot be written down now."""
        failure = Failure(503, gettext("this took longer than an answer may take, and was stopped"))
        try:
            with table.changing():
                self._end(table, job.id, "failed", _told(failure), failure)
        except DataError:
            _log.exception("that a question took too long could not be written down")
            self._unsettled.add(job.id)


def _summary(id_: str, document: Document) -> dict[str, Any]:
    """What is told of an answer that is there."""
    quoted = [len(section["quotations"]) for section in document["sections"]]
    return {"location": f"/answers/{id_}", "quotations": sum(quoted), "groups": sum(map(bool, quoted))}


def _told(failure: Failure) -> dict[str, Any]:
    """A failure as its event has it."""
    return {"status": failure.status, "title": HTTPStatus(failure.status).phrase, "detail": failure.detail}
