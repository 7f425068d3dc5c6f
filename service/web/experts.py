"""The ranking of experts over HTTP: all who were weighed for a topic, with their components; JSON-LD and a page."""

import datetime
from typing import Any, Final, Literal
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from flask.blueprints import BlueprintSetupState
from pydantic import ConfigDict, Field
from werkzeug.wrappers import Response as AnyResponse

from loaders.names import organisation_name
from service.experts.operation import MOST, PAGE, Experts, ExpertsRequest, experts
from service.experts.ranking import COMPONENTS, WEIGHTS, Measure, Order
from service.resources.generic import Page
from service.resources.wording import gettext
from service.web.api import Answers, Paged, api
from service.web.compass import QuestionEntry
from service.web.negotiation import HTML, JSON_LD, choose
from service.web.problems import Problem
from service.web.record import OFFERED, Described, Document, PageView, served, view_of
from service.web.site import Site, site
from service.web.topics import TopicQuery, run, spoken

blueprint = Blueprint("experts", __name__)
blueprint.add_app_template_filter(organisation_name, "organisation_name")


@blueprint.record
def _constants(state: BlueprintSetupState) -> None:
    """What the macros tell of the formula, which are imported without a page's context."""
    state.app.jinja_env.globals.update(EXPERT_COMPONENTS=COMPONENTS, EXPERT_WEIGHTS=WEIGHTS)


LAST_PAGE: Final = -(-MOST // PAGE)


class ExpertsQuery(TopicQuery, Paged):
    """A topic, and which of those who were weighed for it are shown in which order."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    committee: str = Field(
        default="", max_length=500, description="Only members of this committee: its IRI or whole name."
    )
    name: str = Field(default="", max_length=200, description="Only people in whose name these words stand.")
    sort: Order = Field(default="authority", description="Ordered by this component, the highest first, or by name.")
    page: int = Field(default=1, ge=1, le=LAST_PAGE, description="The page, from 1.")


class SeatEntry(Described):
    """A committee of the speaker on the reference date."""

    type: Literal["ExpertSeat"]
    order: int
    about: str
    label: str
    relevance: float


class OfficeEntry(Described):
    """An office of the speaker on the reference date."""

    type: Literal["ExpertOffice"]
    order: int
    about: str
    label: str
    detail: str | None = None
    weight: float
    relevance: float | None = None


class ExpertEntry(Described):
    """A speaker with the authority on the topic and all that it was made of; a component left out is not available."""

    type: Literal["Expert"]
    order: int
    speaker: str
    speaker_name: str
    group: str | None = None
    group_name: str | None = None
    authority: float
    profession: float | None = None
    education: float | None = None
    committee: float
    acts: float
    speeches: float
    role: float
    rank: int
    rank_of: int
    tied: int = Field(description="How many share the rank.")
    profession_text: str | None = None
    education_text: str | None = None
    seats: list[SeatEntry]
    offices: list[OfficeEntry]
    acts_as_first: int
    acts_as_co_signatory: int
    acts_from: datetime.date | None = None
    acts_until: datetime.date | None = None
    speeches_counted: int
    speeches_from: datetime.date | None = None
    speeches_until: datetime.date | None = None
    other_side: int | None = Field(default=None, description="Acts and speeches not counted, as of another side.")


class SpreadEntry(Described):
    """How a component, or the authority, is spread over all who were weighed."""

    type: Literal["ExpertSpread"]
    order: int
    measure: Measure
    weight: float | None = None
    minimum: float | None = None
    lower_quartile: float | None = None
    median: float | None = None
    upper_quartile: float | None = None
    maximum: float | None = None
    saturated: float
    missing: int


class ExpertsDocument(Document):
    """A page of the ranking. `totalItems` counts those whom the filters leave, of `rankOf` who were weighed."""

    id: str
    type: Literal["Collection"] = "Collection"
    question: QuestionEntry
    total_items: int
    rank_of: int
    spread: list[SpreadEntry]
    member: list[ExpertEntry]
    view: PageView


@blueprint.get("/experts")
@api.validate(query=ExpertsQuery, resp=Answers(ExpertsDocument, JSON_LD, HTML, refusals=(404,)), tags=["experts"])
def of_topic(query: ExpertsQuery) -> AnyResponse:
    """Rank all who were weighed for a topic by their authority on it, or by one component of it."""
    here = site()
    form = choose(OFFERED)
    if not query.topic.strip():
        if form is not HTML:
            raise Problem(400, gettext("give a topic in the parameter topic"))
        return served(form, OFFERED, _nothing, lambda: render_template("experts/page.html", query=query, result=None))
    asked = ExpertsRequest(
        topic=query.topic,
        filters=query.named,
        as_of=query.as_of,
        committee=query.committee or None,
        name=query.name or None,
        order=query.sort,
        page=query.page,
        language=spoken(),
    )
    result = run(experts, asked, here)
    page: Page[Any] = Page((), query.page, max(result.pages, query.page), result.matching)
    return served(form, OFFERED, lambda: _document(result, page, here), lambda: _page(query, result, page))


def _nothing() -> Document:
    raise Problem(400, gettext("give a topic in the parameter topic"))


def _document(result: Experts, page: Page[Any], here: Site) -> ExpertsDocument:
    kept = [(name, value) for name, value in request.args.items(multi=True) if name not in ("format", "lang", "page")]
    return ExpertsDocument.model_validate(
        {
            "id": f"{here.url('/experts')}?{urlencode(kept)}",
            "question": result.question,
            "total_items": result.matching,
            "rank_of": result.weighed,
            "spread": result.spread,
            "member": result.experts,
            "view": view_of(page, here),
        }
    )


def _page(query: ExpertsQuery, result: Experts, page: Page[Any]) -> str:
    kept = [(name, value) for name, value in request.args.items(multi=True) if name not in ("format", "lang", "page")]

    def address(**changed: object) -> str:
        rest = [(name, value) for name, value in kept if name not in changed]
        return f"/experts?{urlencode([*rest, *((name, str(value)) for name, value in changed.items())])}"

    return render_template("experts/page.html", query=query, result=result, page=page, address=address, most=MOST)
