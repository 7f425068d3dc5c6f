"""`/answers/{id}`: an answer in every form, or how far it is while it is made; and taking a question back."""

import hashlib
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from flask import Blueprint, Response, current_app, request
from pydantic import BaseModel, ConfigDict, Field
from pyoxigraph import NamedNode

from service.answer.jsonld import CONTEXT, Document, dumps
from service.answers import read_answer
from service.answers.forms import WRITERS
from service.answers.store import open_store
from service.errors import DataError
from service.jobs.model import Job
from service.jobs.queue import JobQueue, Place
from service.jobs.refusal import JobRefused
from service.progress import Step
from service.resources.wording import gettext
from service.web.admission import client_of_request
from service.web.answers import page
from service.web.answers.forms import OFFERED
from service.web.api import Answers, Parameters, api
from service.web.negotiation import HTML, JSON_LD, Form, beside, choose, vary
from service.web.problems import Problem
from service.web.site import Site, site

blueprint = Blueprint("answers_reading", __name__)

FRESH_SECONDS: Final = 300
POLL_SECONDS: Final = 2
"""When a client that polls should ask again."""
LONGEST_NAME: Final = 200
"""Characters of the last segment of an answer's IRI."""
READ: Final = 64
"""Answers that are kept as text, as they are read again and again."""
JSON: Final = Form("application/json", "json", ("application/ld+json",), ("jsonld", "json-ld"))
CONTEXT_LINK: Final = f'<{CONTEXT}>; rel="describedby"; type="application/ld+json"'


class JobLinks(BaseModel):
    """Where to go on from a job."""

    self: str = Field(description="This job, and the answer once it is there.")
    events: str = Field(description="Progress as server-sent events.")
    answer: str = Field(description="The IRI of the answer.")


class JobProblem(BaseModel):
    """Why there is no answer."""

    status: int
    title: str
    detail: str


class JobDocument(BaseModel):
    """A question that was put, and how far its answer is."""

    model_config = ConfigDict(populate_by_name=True)
    id: str = Field(description="The last segment of the answer's IRI.")
    type: Literal["Job"] = "Job"
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    position: int | None = Field(default=None, ge=0, description="Place in the queue, from 1; 0 is worked on.")
    ahead: int | None = Field(default=None, ge=0, description="Jobs before it, with those that are worked on.")
    question: str
    dataset: str
    corpus_version: str = Field(alias="corpusVersion")
    language: str
    asked: str = Field(description="When it was put, in UTC.")
    started: str | None = None
    ended: str | None = None
    problem: JobProblem | None = None
    links: JobLinks


@blueprint.get("/answers/<name>")
@api.validate(
    query=Parameters,
    resp=Answers(None, *OFFERED, also={202: JobDocument}, refusals=(404, 406, 410, 500)),
    tags=["answers"],
)
def answer(name: str, query: Parameters) -> Response:
    """An answer; while it is made (status 202), how far it is."""
    here = site()
    job = job_of(name, here)
    if job and job.state == "failed":
        assert job.failure is not None
        raise Problem(job.failure.status, gettext(job.failure.detail), job=_dumped(job, here))
    if job and job.state == "cancelled":
        raise Problem(
            410, gettext("this question was taken back before it was answered; ask it again"), job=_dumped(job, here)
        )
    if job and job.state != "done":
        return _unfinished(job, here)
    document = _document(name, here)
    if document is None:
        if job:
            raise Problem(410, gettext("this answer is not kept any more; ask the question again"))
        raise _unknown(name)
    return _served(document, name, here)


@blueprint.delete("/answers/<name>")
@api.validate(query=Parameters, resp=Answers(JobDocument, JSON, refusals=(403, 404, 409)), tags=["answers"])
def cancel(name: str, query: Parameters) -> Response:
    """Take a question back, from the address that asked it. It is worked on as long as another asker waits for it."""
    here = site()
    return respond(taken_back(name, here), here, 200)


def taken_back(name: str, here: Site) -> Job:
    """A question taken back. Raises `Problem`."""
    job = None
    if here.jobs:
        try:
            job = here.jobs.cancel(name, client_of_request())
        except JobRefused as refusal:
            raise problem_of(refusal) from refusal
    if job is None:
        if _text(name, here) is not None:
            raise Problem(409, gettext("an answer that is there stays; only a question that waits can be taken back"))
        raise _unknown(name)
    return job


def respond(job: Job, here: Site, status: int) -> Response:
    """A job as a response."""
    response = Response(current_app.json.dumps(_dumped(job, here)) + "\n", status, mimetype=JSON.media_type)
    response.headers["Cache-Control"] = "no-store"
    return vary(response)


def problem_of(refusal: JobRefused) -> Problem:
    """A refusal as a problem."""
    headers = {"Retry-After": str(refusal.retry_after)} if refusal.retry_after is not None else {}
    return Problem(
        refusal.status, refusal.detail, headers=headers, **({"limit": refusal.limit} if refusal.limit else {})
    )


def is_kept(name: str, here: Site) -> bool:
    """Whether an answer is in the store, however it was made."""
    return _text(name, here) is not None


def job_document(job: Job, here: Site, place: Place | None) -> JobDocument:
    """A job as programs get it."""
    return JobDocument(
        id=job.id,
        state=job.state,
        position=place.position if place else None,
        ahead=place.ahead if place else None,
        question=job.question,
        dataset=job.dataset,
        corpusVersion=job.version,
        language=job.request.language,
        asked=_instant(job.asked) or "",
        started=_instant(job.started),
        ended=_instant(job.ended),
        problem=(
            JobProblem(
                status=job.failure.status, title=Problem(job.failure.status, "").title, detail=job.failure.detail
            )
            if job.failure
            else None
        ),
        links=JobLinks(
            self=here.url(f"/answers/{job.id}"), events=here.url(f"/answers/{job.id}/events"), answer=job.iri
        ),
    )


def _dumped(job: Job, here: Site) -> dict[str, Any]:
    job, place = here.jobs.now(job) if here.jobs else (job, None)
    return job_document(job, here, place).model_dump(by_alias=True, exclude_none=True)


def job_of(name: str, here: Site) -> Job | None:
    """The job of an answer. Where the table is of no use, a kept answer is served nevertheless. Raises `DataError`."""
    if here.jobs is None:
        return None
    try:
        return here.jobs.job(name)
    except DataError:
        if _text(name, here) is None:
            raise
        return None


def _unfinished(job: Job, here: Site) -> Response:
    form = choose((JSON, HTML, *(form for form in OFFERED if form not in (HTML, JSON_LD))))
    if form is HTML:
        response = vary(Response(page.render_waiting(waiting(job, here.jobs)), 202, mimetype=HTML.media_type))
        response.headers["Cache-Control"] = "no-store"
    else:
        response = respond(job, here, 202)
    response.headers["Retry-After"] = str(POLL_SECONDS)
    response.headers["Link"] = f'<{here.url(f"/answers/{job.id}/events")}>; rel="monitor"; type="text/event-stream"'
    return response


def waiting(job: Job, jobs: JobQueue | None) -> page.Waiting:
    """A job as its page shows it."""
    job, place = jobs.now(job) if jobs else (job, None)
    steps = [event.data for event in jobs.events(job.id) if event.name == "stage"] if jobs else []
    return page.Waiting(
        identifier=job.id,
        question=job.question,
        state="queued" if job.state == "queued" else "running",
        position=place.position if place else None,
        ahead=place.ahead if place else None,
        steps=tuple(Step(step["stage"], step["state"], step["figures"]) for step in steps),
    )


def _served(document: Document, name: str, here: Site) -> Response:
    form = choose(OFFERED)
    body = page.render_answer(document, name).encode() if form is HTML else WRITERS[form.name](document, here.root)
    response = Response(body, mimetype=form.media_type)
    if form.media_type.startswith("text/"):
        response.headers["Content-Type"] = f"{form.media_type}; charset=utf-8"
    response.headers["X-Corpus-Version"] = str(document["corpus"]["corpusVersion"])
    response.headers["Content-Location"] = f"/answers/{name}?format={form.name}"
    # A page comes in the language of a cookie, and is linked with what is there now.
    response.headers["Cache-Control"] = "no-cache" if form is HTML else f"public, max-age={FRESH_SECONDS}"
    for other in beside(OFFERED, form):
        link = f'</answers/{name}?format={other.name}>; rel="alternate"; type="{other.media_type}"'
        response.headers.add("Link", link)
    response.headers.add("Link", f'<{document["id"]}>; rel="about"')
    response.headers.add("Link", CONTEXT_LINK)
    response.set_etag(hashlib.sha256(body).hexdigest()[:32], weak=True)
    vary(response)
    response.make_conditional(request)
    return response


def _document(name: str, here: Site) -> Document | None:
    text = _text(name, here)
    document: Document | None = current_app.json.loads(text) if text is not None else None
    return document


def _text(name: str, here: Site) -> str | None:
    """A kept answer as JSON; None for what is none."""
    if len(name) > LONGEST_NAME:
        return None
    iri = f"{here.manifest.base_iri}answer/{name}"
    try:
        graph = NamedNode(iri)
    except ValueError:
        return None
    store = open_store(here.data.answers)
    if store is None or not store.contains_named_graph(graph):
        return None
    return _read(here.data.answers, iri)


@lru_cache(maxsize=READ)
def _read(folder: Path, iri: str) -> str | None:
    """Read an answer, which takes a fifth of a second and is the same as long as it is kept."""
    document = read_answer(folder, iri)
    return dumps(document) if document else None


def _unknown(name: str) -> Problem:
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return Problem(404, gettext("no answer %(name)s is kept here; those that are stand at /answers", name=shown))


def _instant(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None
