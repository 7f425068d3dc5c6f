"""The compass over HTTP: where groups stand on a topic; JSON-LD and a page."""

import datetime
from typing import Any, Literal
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from flask.blueprints import BlueprintSetupState
from pydantic import Field
from werkzeug.wrappers import Response as AnyResponse

from service.compass.drawing import draw, key
from service.compass.model import CompassKind, Unavailable, Verdict
from service.compass.operation import CompassRequest, CompassResult, compass
from service.compass.projection import LITTLE
from service.resources.wording import gettext
from service.web.api import Answers, api
from service.web.negotiation import HTML, JSON_LD, choose
from service.web.problems import Problem
from service.web.record import OFFERED, Described, Document, served
from service.web.site import Site, site
from service.web.topics import TopicQuery, run, spoken

blueprint = Blueprint("compass", __name__)
blueprint.add_app_template_filter(draw, "compass_drawing")
blueprint.add_app_template_filter(key, "compass_key")


@blueprint.record
def _constants(state: BlueprintSetupState) -> None:
    """What the macros compare with, which are imported without a page's context."""
    state.app.jinja_env.globals["COMPASS_LITTLE"] = LITTLE


class ConceptEntry(Described):
    """A concept of the thesaurus that the topic names."""

    id: str
    type: Literal["Concept"]
    label: str


class QuestionEntry(Described):
    """The topic as it was understood."""

    type: Literal["Question"]
    text: str
    topic: str
    expansion: str | None = None
    language: str
    reference_date: datetime.date
    date_from: datetime.date | None = None
    date_until: datetime.date | None = None
    filter_group: list[str] | None = None
    concepts: list[ConceptEntry] | None = None
    committees: list[str] | None = None


class PositionSelector(Described):
    """A span of a speech's text in code points, the end excluded."""

    type: Literal["TextPositionSelector"]
    start: int
    end: int


class QuoteSelector(Described):
    """The words of the span."""

    type: Literal["TextQuoteSelector"]
    exact: str


class ExcerptEntry(Described):
    """Words as they stand in a speech, with the place of their passage."""

    type: Literal["CompassExcerpt"]
    order: int
    title: str = Field(description="Whose words: the group's name.")
    speech: str
    speaker: str | None = None
    speaker_name: str | None = None
    date: datetime.date
    x: float
    y: float | None = None
    selector: list[PositionSelector | QuoteSelector]


class TermEntry(Described):
    """A word that tells a pole from the other one."""

    type: Literal["CompassTerm"]
    order: int
    label: str
    weight: float


class PoleEntry(Described):
    """One end of an axis."""

    type: Literal["CompassPole"]
    terms: list[TermEntry]
    excerpts: list[ExcerptEntry]


class AxisEntry(Described):
    """A direction in which the passages differ; which end is the high one is arbitrary."""

    type: Literal["CompassAxis"]
    order: int
    explained: float
    low: PoleEntry
    high: PoleEntry


class EllipseEntry(Described):
    """The ellipse of a group, and the share of its passages that it holds."""

    type: Literal["CompassEllipse"]
    major: float
    minor: float
    rotation: float
    held: float


class PositionEntry(Described):
    """Where a group stands."""

    type: Literal["CompassPosition"]
    order: int
    kind: CompassKind
    group: str | None = None
    component: str | None = None
    title: str
    sigla: str | None = None
    x: float
    y: float | None = None
    ellipse: EllipseEntry | None = None
    stays: float | None = None
    passages_count: int
    places: str
    excerpts: list[ExcerptEntry]


class CompassDocument(Document):
    """A compass, or why there is none."""

    id: str
    type: Literal["Compass"]
    question: QuestionEntry
    available: bool
    unavailable_because: Unavailable | None = None
    passages_count: int
    groups_count: int
    explained: float | None = None
    verdict: Verdict | None = None
    resamples: int | None = None
    order_kept: float | None = None
    pairs_kept: float | None = None
    between: float | None = None
    chance: float | None = None
    claimed: float | None = None
    axes: list[AxisEntry]
    positions: list[PositionEntry]


@blueprint.get("/compass")
@api.validate(query=TopicQuery, resp=Answers(CompassDocument, JSON_LD, HTML, refusals=(404,)), tags=["compass"])
def of_topic(query: TopicQuery) -> AnyResponse:
    """Tell where the groups stand on a topic, from what they said of it; without passages enough, say so."""
    here = site()
    form = choose(OFFERED)
    if not query.topic.strip():
        if form is not HTML:
            raise Problem(400, gettext("give a topic in the parameter topic"))
        return served(form, OFFERED, _nothing, lambda: render_template("compass/page.html", query=query, result=None))
    asked = CompassRequest(query.topic, query.named, query.as_of, spoken())
    result = run(compass, asked, here)
    return served(form, OFFERED, lambda: _document(result, here), lambda: _page(query, result))


def _nothing() -> Document:
    raise Problem(400, gettext("give a topic in the parameter topic"))


def _document(result: CompassResult, here: Site) -> CompassDocument:
    kept = [(name, value) for name, value in request.args.items(multi=True) if name not in ("format", "lang")]
    told: dict[str, Any] = {"id": f"{here.url('/compass')}?{urlencode(kept)}", "question": result.question}
    return CompassDocument.model_validate(told | result.compass)


def _page(query: TopicQuery, result: CompassResult) -> str:
    kept = [(name, value) for name, value in request.args.items(multi=True) if name not in ("format", "lang")]
    return render_template(
        "compass/page.html", query=query, result=result, data=f"/compass?{urlencode([*kept, ('format', 'jsonld')])}"
    )
