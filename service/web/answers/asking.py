"""`POST /answers`: put a question, as JSON or from the form of the page."""

from collections.abc import Mapping
from datetime import date
from http import HTTPStatus
from typing import Any, Final, Literal
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, json, redirect, request
from pydantic import ConfigDict, Field, model_validator
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as AnyResponse

from service.filters import NamedFilters
from service.jobs.model import AskRequest
from service.jobs.queue import JobQueue
from service.jobs.refusal import JobRefused
from service.question import LONGEST, clean, language_of
from service.resources.wording import gettext
from service.web import api as web_api
from service.web.admission import client_of_request
from service.web.answers import reading
from service.web.answers.reading import JSON, JobDocument, problem_of
from service.web.api import Answers, Parameters, Taken, api, without_empty
from service.web.filters import Name
from service.web.language import language
from service.web.negotiation import HTML
from service.web.problems import Problem, preferred
from service.web.site import Site, site

blueprint = Blueprint("answers_asking", __name__)

LONGEST_BODY: Final = 65_536
"""Bytes: a question of the greatest length with all filters fits several times."""
FORM_TYPES: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_LISTS: Final = ("group", "speaker")


class QuestionTaken(Taken):
    """A question, and what it is limited to. Parameters are named as those of the searches."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    question: str = Field(min_length=1, max_length=LONGEST, description="A topic or a question, in Italian.")
    dataset: str | None = Field(default=None, max_length=200, description="The dataset that is meant: the one here.")
    group: list[Name] = Field(
        default=[], max_length=50, description="Only these groups: IRI, sigla or name of any date, or `government`."
    )
    speaker: list[Name] = Field(default=[], max_length=50, description="Only these speakers, by IRI.")
    date_from: date | None = Field(default=None, alias="from", description="Only what was said from this day on.")
    date_until: date | None = Field(default=None, alias="until", description="Only up to this day, included.")
    as_of: date | None = Field(
        default=None, alias="asOf", description="Nothing after this day counts; the last day of the record if left out."
    )
    language: Literal["it", "en"] | None = Field(
        default=None,
        description="The language of the answer; quotations stay in their own. That of the question if left out, of a "
        "form that of the page.",
    )
    fresh: bool = Field(default=False, description="Answer anew, even where the same question has an answer already.")


class QuestionForm(QuestionTaken):
    """The same as a form: what is left empty is left out."""

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        return without_empty(
            {name: [value] if name in _LISTS and isinstance(value, str) else value for name, value in values.items()}
        )


@blueprint.before_request
def _read_body() -> None:
    """Read what is sent, within the limits of size and time. Raises `Problem`."""
    if request.method != "POST":
        return
    if (request.content_length or 0) > LONGEST_BODY:
        raise _too_long()
    request.max_content_length = LONGEST_BODY + 1  # of a body of unknown length, as much is read
    if request.mimetype in FORM_TYPES:
        _refuse_other_sites()
    elif request.mimetype != JSON.media_type and not request.mimetype.endswith("+json"):
        raise Problem(
            415,
            gettext("send the question as JSON (application/json) or as a form (application/x-www-form-urlencoded)"),
            headers={"Accept-Post": f"{JSON.media_type}, {FORM_TYPES[0]}"},
        )
    web_api.read_body()
    if len(request.get_data()) > LONGEST_BODY:
        raise _too_long()
    if request.mimetype not in FORM_TYPES:
        _require_object()


def _require_object() -> None:
    """Raise `Problem` 400 unless the body is a JSON object whose texts can be written as UTF-8."""
    try:
        body = request.get_json(force=True, cache=True)
        json.dumps(body, ensure_ascii=False).encode()
    except (BadRequest, RecursionError, UnicodeEncodeError):
        body = None
    if not isinstance(body, dict):
        raise Problem(400, gettext('the body is a JSON object in UTF-8, such as {"question": "…"}'))


def _too_long() -> Problem:
    return Problem(
        413,
        gettext(
            "a question has at most %(characters)s characters, and the whole request %(bytes)s bytes",
            characters=LONGEST,
            bytes=LONGEST_BODY,
        ),
    )


def _refuse_other_sites() -> None:
    """A form of another site would make its visitors fill the queue here. Raises `Problem` 403.

    Programs, and scripts that a browser asks leave for, send JSON.
    """
    where = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    own = urlsplit(site().root).netloc
    if where not in (None, "same-origin", "none") or (where is None and origin and urlsplit(origin).netloc != own):
        raise Problem(403, gettext("questions are taken from this site's own form; other sites can send JSON"))


@blueprint.post("/answers")
@api.validate(
    query=Parameters,
    json=QuestionTaken,
    form=QuestionForm,
    resp=Answers(JobDocument, JSON, status=202, also={200: JobDocument, 303: None}, refusals=(403, 404, 408, 413, 415)),
    tags=["answers"],
)
def ask(query: Parameters, json: QuestionTaken, form: QuestionForm) -> AnyResponse:
    """Put a question. 202 with where its answer will be; 200 where the same question has its answer already.

    A form of the page is led there (303).
    """
    here = site()
    of_page = request.mimetype in FORM_TYPES
    taken = form if of_page else json  # the other one is None
    jobs = _jobs(taken, here)
    asked = _request(taken, of_page=of_page)
    try:
        job, _ = jobs.submit(asked, client_of_request(), fresh=taken.fresh)
    except JobRefused as refusal:
        raise problem_of(refusal) from refusal
    location = f"/answers/{job.id}"
    if preferred(JSON.media_type, HTML.media_type) == HTML.media_type:
        return redirect(location, HTTPStatus.SEE_OTHER)
    response = reading.respond(job, here, 200 if job.state == "done" else 202)
    response.headers["Location"] = location
    return response


@blueprint.post("/answers/<name>/cancel")
def cancel(name: str) -> AnyResponse:
    """Take a question back by the form of its page, which leads to the question again."""
    job = reading.taken_back(name, site())
    return redirect(f"/?{urlencode({'question': job.question})}", HTTPStatus.SEE_OTHER)


def _jobs(taken: QuestionTaken, here: Site) -> JobQueue:
    """The queue that takes the question. Raises `Problem`, `DataError`."""
    manifest = here.manifest
    if manifest.kind != "parliament":
        raise Problem(404, gettext("plain RDF is loaded here, which SPARQL can query but nobody can ask"))
    if taken.dataset not in (None, manifest.dataset):
        raise Problem(
            404,
            gettext(
                "the dataset %(asked)s is not served here; %(served)s is", asked=taken.dataset, served=manifest.dataset
            ),
        )
    if here.jobs is None:
        raise Problem(503, gettext("questions are not taken here: this service only publishes"))
    return here.jobs


def _request(taken: QuestionTaken, *, of_page: bool) -> AskRequest:
    """The question for the queue. Raises `QuestionError`, `Problem`."""
    question = clean(taken.question)
    if taken.date_from and taken.date_until and taken.date_from > taken.date_until:
        raise Problem(
            400,
            gettext(
                "the first day, %(first)s, is after the last one, %(last)s",
                first=taken.date_from,
                last=taken.date_until,
            ),
        )
    spoken = taken.language or (language() if of_page else language_of(taken.question))
    return AskRequest(
        question=question,
        filters=NamedFilters(tuple(taken.group), tuple(taken.speaker), taken.date_from, taken.date_until),
        as_of=taken.as_of,
        language="en" if spoken == "en" else "it",
    )
