"""`GET /answers`: the answers that were given here, the last first."""

from datetime import date
from typing import Any, Final, Literal

from flask import Blueprint, render_template
from pydantic import Field
from werkzeug.wrappers import Response as AnyResponse

from service.answers.listing import Summary, kept_answers, summaries
from service.resources.generic import Page, paged
from service.web.api import Answers, Paged, api
from service.web.negotiation import HTML, JSON_LD, choose
from service.web.record import Described, Document, PageView, served, view_of
from service.web.site import Site, site

blueprint = Blueprint("answers_listing", __name__)

PER_PAGE: Final = 20
OFFERED: Final = (JSON_LD, HTML)


class QuestionEntry(Described):
    """What was asked."""

    type: Literal["Question"] = "Question"
    text: str
    reference_date: date | None = Field(default=None, description="The day after which nothing was looked at.")


class CoverageEntry(Described):
    """How much an answer holds."""

    type: Literal["Coverage"] = "Coverage"
    groups_covered: int = Field(description="Groups that are quoted.")
    groups_total: int
    quotations_count: int


class AskedEntry(Described):
    """When the work on an answer began."""

    type: Literal["Activity"] = "Activity"
    started_at: str


class AnswerEntry(Described):
    """An answer in a line or two; the whole is at `url`."""

    id: str
    type: Literal["Answer"] = "Answer"
    title: str
    url: str
    language: str | None = None
    invented: bool
    question: QuestionEntry
    coverage: CoverageEntry
    activities: list[AskedEntry]


class AnswersDocument(Document):
    """A page of the answers, the last that was asked first."""

    id: str
    type: Literal["Collection"] = "Collection"
    total_items: int
    member: list[AnswerEntry]
    view: PageView


@blueprint.get("/answers")
@api.validate(query=Paged, resp=Answers(AnswersDocument, JSON_LD, HTML), tags=["answers"])
def answers(query: Paged) -> AnyResponse:
    """The answers that were given here, the last first. Questions are public."""
    here = site()
    form = choose(OFFERED)
    page = paged(kept_answers(here.data.answers), query.page, PER_PAGE)
    entries = summaries(here.data.answers, page.items)

    def document() -> AnswersDocument:
        return AnswersDocument(
            id=here.url("/answers"),
            total_items=page.total,
            member=[_entry(entry, here) for entry in entries],
            view=view_of(page, here),
        )

    response = served(form, OFFERED, document, lambda: _html(page, entries))
    response.headers["Cache-Control"] = "no-cache"  # another may be given at any moment
    return response


@blueprint.app_template_global("answer_path")
def path_of(iri: str) -> str:
    """The path of the page of an answer."""
    return f"/answers/{iri.rsplit('/answer/', 1)[-1]}"


def _entry(entry: Summary, here: Site) -> AnswerEntry:
    asked = [AskedEntry(started_at=entry.asked.strftime("%Y-%m-%dT%H:%M:%SZ"))] if entry.asked else []
    return AnswerEntry(
        id=entry.iri,
        title=entry.title,
        url=here.url(path_of(entry.iri)),
        language=entry.language,
        invented=entry.invented,
        question=QuestionEntry(text=entry.question, reference_date=entry.reference_date),
        coverage=CoverageEntry(
            groups_covered=entry.covered, groups_total=entry.total, quotations_count=entry.quotations
        ),
        activities=asked,
    )


def _html(page: Page[Any], entries: tuple[Summary, ...]) -> str:
    return render_template("answer/list.html", page=page, entries=entries)
