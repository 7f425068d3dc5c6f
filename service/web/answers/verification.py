"""`GET /answers/{id}/verify`: every quotation of an answer compared with the record as it is now."""

from typing import Final, Literal

from flask import Blueprint, Response, current_app, render_template, request
from pydantic import Field
from pyoxigraph import NamedNode

from service.answer.jsonld import Document as Answer
from service.answers import read_answer
from service.answers.verification import Corpus, Verification, to_document, verify
from service.resources.wording import gettext
from service.web.answers.listing import path_of
from service.web.api import Answers, Parameters, api
from service.web.language import DEFAULT, language
from service.web.negotiation import HTML, JSON_LD, choose, vary
from service.web.problems import Problem
from service.web.record import Described, Document
from service.web.site import Site, site

blueprint = Blueprint("answers_verification", __name__)

OFFERED: Final = (JSON_LD, HTML)
LONGEST_NAME: Final = 200
"""Characters of the last segment of an answer's IRI."""


class ComparisonEntry(Described):
    """One thing that was compared; what is not there is left out."""

    type: Literal["Comparison"] = "Comparison"
    compared: str = Field(description="What: `sha256`, `span`, `exact`, `speaker`, `date`, `groupAtSpeech` …")
    expected: str | None = None
    found: str | None = None
    verified: bool = Field(description="Whether the two agree.")


class PositionEntry(Described):
    """A span, in Unicode code points, end excluded."""

    type: Literal["TextPositionSelector"] = "TextPositionSelector"
    start: int
    end: int


class VerdictEntry(Described):
    """What became of one quotation."""

    type: Literal["Verdict"] = "Verdict"
    order: int
    about: str = Field(description="The quotation.")
    outcome: Literal["unchanged", "retouched", "moved", "reattributed", "altered", "missing"]
    verified: bool
    comparisons: list[ComparisonEntry]
    speech: str | None = Field(default=None, description="Where the words stand now …")
    selector: list[PositionEntry] | None = Field(default=None, description="… and at which span.")


class VerificationDocument(Document):
    """The quotations of an answer, compared with the record as it is now."""

    id: str
    type: Literal["Verification"] = "Verification"
    answer: str
    started_at: str
    ended_at: str
    verified: bool = Field(description="Whether every quotation is as it was recorded.")
    quotations_count: int
    comparisons: list[ComparisonEntry] = Field(
        description="Dataset and version: those of the answer, and those here now."
    )
    verdicts: list[VerdictEntry]


@blueprint.get("/answers/<name>/verify")
@api.validate(query=Parameters, resp=Answers(VerificationDocument, JSON_LD, HTML, refusals=(404,)), tags=["answers"])
def verification(name: str, query: Parameters) -> Response:
    """Compare every quotation of an answer with the record as it is now."""
    here = site()
    form = choose(OFFERED)
    answer = _answer(name, here)
    manifest = here.manifest
    title = manifest.title.get(language()) or manifest.title.get(DEFAULT)
    found = verify(answer, here.graph, Corpus(manifest.dataset, title, manifest.version))
    if form is HTML:
        body = _page(answer, found)
    else:
        told = to_document(found, here.url(request.path))
        body = current_app.json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    response = Response(body, mimetype=form.media_type)
    response.headers["Cache-Control"] = "no-store"  # it was done just now
    response.headers["X-Corpus-Version"] = manifest.version
    return vary(response, "Accept")


def _answer(name: str, here: Site) -> Answer:
    iri = f"{here.manifest.base_iri}answer/{name}"
    kept = None
    if len(name) <= LONGEST_NAME:
        try:
            NamedNode(iri)
        except ValueError:
            pass
        else:
            kept = read_answer(here.data.answers, iri)
    if kept is None:
        shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
        raise Problem(404, gettext("no answer %(name)s is kept here; those that are stand at /answers", name=shown))
    return kept


def _page(answer: Answer, found: Verification) -> str:
    return render_template(
        "answer/verification.html",
        answer=answer,
        found=found,
        address=path_of(answer["id"]),
        outcomes=_outcomes(),
        compared=_compared(),
    )


def _outcomes() -> dict[str, str]:
    """What each outcome is called in the reader's language."""
    return {
        "unchanged": gettext("As it was recorded"),
        "retouched": gettext("The words stand; the speech was changed elsewhere"),
        "moved": gettext("The words stand in another place"),
        "reattributed": gettext("The words stand; speaker, day or standing have changed"),
        "altered": gettext("The words are no longer in the speech"),
        "missing": gettext("The speech is no longer in the record"),
    }


def _compared() -> dict[str, str]:
    """What each comparison is called in the reader's language."""
    return {
        "speech": gettext("Speech"),
        "sha256": gettext("Text of the speech (SHA-256)"),
        "statedSha256": gettext("SHA-256 as the record states it"),
        "span": gettext("Span within the text"),
        "exact": gettext("Words at the span"),
        "date": gettext("Day"),
        "speaker": gettext("Speaker"),
        "capacity": gettext("Capacity"),
        "groupAtSpeech": gettext("Group that day"),
        "componentAtSpeech": gettext("Component that day"),
    }
