"""About the data: what is loaded and as of when, what the load's checks found, how answers are made, how to cite."""

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal

from flask import Blueprint, render_template
from pydantic import Field
from werkzeug.wrappers import Response as AnyResponse

from service.authority.score import HALF_LIFE_DAYS, Weights
from service.corpus import Manifest
from service.loading.checks import CheckResult
from service.publication.licence import licence
from service.record.about import Coverage, calibration_of, coverage, disagreements, read_report
from service.record.people import groups_on
from service.record.sittings import find_sittings
from service.resources.wording import gettext, in_words
from service.web.api import Answers, Parameters, api
from service.web.language import language
from service.web.negotiation import HTML, JSON_LD, choose
from service.web.record import OFFERED, Described, Document, known, names_of, served
from service.web.site import Site, site

blueprint = Blueprint("about", __name__)

SHOWN_FINDINGS: Final = 5
"""Findings of a check that the page shows; `emiciclo check --json` has them all."""
LATEST: Final = 9
"""Sittings that the page leads to."""
SHOWN_UNRESOLVED: Final = 40
"""Printed names of speakers who are not resolved."""
_COUNTS: Final = ("people", "memberships", "acts", "sittings", "debates", "speeches", "chunks", "triples")


def _(message: str) -> str:
    """Mark a message for the catalogue; it is translated when it is shown."""
    return message


CHECKS: Final = (
    _("Shapes of the ontology (SHACL)"),
    _("Debate about an act that is not in the data"),
    _("Chunk outside its speech"),
    _("Committee without topic words in the mapping"),
    _("Committee of the mapping that is not in the data"),
    _("Group of the mapping that is not in the data"),
    _("Published interval of no length, not extended"),
    _("Period that ends before it begins"),
    _("Group or component of no stated side (its side is unknown, not assumed)"),
    _("Member without a group on the day of the speech"),
    _("Membership that ends in the source and not here"),
    _("No sitting is loaded, so nothing can be answered"),
    _("Membership outside the mandate"),
    _("Two groups on one day"),
    _("Printed group differs from the dated one"),
    _("Speech without speaker or stated reason"),
    _("Speaker not resolved, kept with the printed name"),
    _("Text that does not match its hash"),
    _("error"),
    _("warning"),
    _("info"),
)
"""Titles and levels of the checks, which come in English with their results."""


class FigureEntry(Described):
    """A number about the corpus."""

    type: Literal["Figure"] = "Figure"
    name: str
    value: int


class CheckEntry(Described):
    """A check of the load, with the number of its findings."""

    type: Literal["Check"] = "Check"
    name: str
    label: str
    level: Literal["error", "warning", "info"]
    value: int


class SourceEntry(Described):
    """A file that the corpus was loaded from."""

    type: Literal["prov:Entity"] = "prov:Entity"
    name: str
    sha256: str


class AboutDocument(Document):
    """The corpus: version, days, sources, counts, checks."""

    id: str
    type: Literal["Corpus"] = "Corpus"
    title: str
    dataset: str
    corpus_version: str
    invented: bool
    first_date: datetime.date | None = None
    last_date: datetime.date | None = None
    embedding_model: str | None = None
    license: str | None = None
    figures: list[FigureEntry]
    checks: list[CheckEntry]
    sources: list[SourceEntry]
    ended_at: str = Field(description="When it was loaded.")


@dataclass(frozen=True, slots=True)
class Weight:
    """A term of a formula with its weight."""

    name: str
    value: float


@blueprint.get("/about")
@api.validate(query=Parameters, resp=Answers(AboutDocument, JSON_LD, HTML), tags=["record"])
def about(query: Parameters) -> AnyResponse:
    """About the data that are loaded: sources, counts, coverage, checks, method, licence."""
    here = site()
    return served(choose(OFFERED), OFFERED, lambda: _document(here), lambda: _page(here))


def _document(here: Site) -> AboutDocument:
    manifest = here.manifest
    return AboutDocument(
        id=f"{manifest.base_iri}corpus/{manifest.dataset}/{manifest.version}",
        title=_title(manifest),
        dataset=manifest.dataset,
        corpus_version=manifest.version,
        invented=manifest.invented,
        first_date=manifest.first_day,
        last_date=manifest.last_day,
        embedding_model=manifest.embedding_model,
        license=licence(here.graph, manifest),
        figures=[FigureEntry(name=name, value=value) for name, value in manifest.counts.items()],
        checks=[
            CheckEntry(name=check.name, label=check.title, level=check.level, value=len(check.findings))
            for check in read_report(here.data.published())
        ],
        sources=[SourceEntry(name=name, sha256=digest) for name, digest in manifest.sources.items()],
        ended_at=manifest.loaded_at.replace("+00:00", "Z"),
    )


def _page(here: Site) -> str:
    manifest = here.data.manifest()
    if manifest is None:
        return render_template("about/page.html", counts={}, kind=None)
    counts = {name: manifest.counts[name] for name in _COUNTS if name in manifest.counts}
    if manifest.kind != "parliament":
        return render_template("about/page.html", counts=counts, names=_names(), kind="rdf", loaded=_loaded(manifest))
    checks = read_report(here.data.published())
    lists = known(here)
    names = names_of(lists, here)
    held = coverage(lists)
    return render_template(
        "about/page.html",
        kind="parliament",
        counts=counts,
        names=_names(),
        loaded=_loaded(manifest),
        groups=groups_on(lists, here.graph, names, manifest.last_day) if manifest.last_day else (),
        sittings=find_sittings(lists, here.graph, year=None, month=None, query=None, number=1).page.items[:LATEST],
        coverage=held,
        quiet=_quiet(held),
        checks=checks,
        failing=[check for check in checks if check.findings],
        shown=SHOWN_FINDINGS,
        unresolved=_unresolved(checks),
        printed=disagreements(here.graph, here.data.published()),
        retrieval=here.settings.retrieval,
        score=_weights(_score_weights(here)),
        authority=_weights(asdict(Weights())),
        half_life=HALF_LIFE_DAYS,
        calibration=calibration_of(manifest.embedding_model),
        language_model=here.settings.llm_model if here.settings.llm_base_url else None,
        short=lists.sitting_ids.of,
        citation=_citation(manifest, here),
    )


def _score_weights(here: Site) -> dict[str, float]:
    """The weights of the score of a passage, by name."""
    weights: dict[str, float] = here.settings.retrieval.weights.model_dump()
    return weights


def _weights(weights: dict[str, float]) -> list[Weight]:
    """With their names in the reader's language, greatest first."""
    called = {
        "relevance": gettext("relevance to the question"),
        "diversity": gettext("diversity of speakers"),
        "coverage": gettext("coverage of groups"),
        "authority": gettext("standing of the speaker"),
        "salience": gettext("salience of the passage"),
        "profession": gettext("profession"),
        "education": gettext("education"),
        "committee": gettext("committees"),
        "acts": gettext("acts"),
        "speeches": gettext("speeches"),
        "role": gettext("office"),
    }
    return sorted((Weight(called.get(name, name), value) for name, value in weights.items()), key=lambda w: -w.value)


def _unresolved(checks: Sequence[CheckResult]) -> list[tuple[str, int]]:
    """The printed names of speakers who are not in the register, with the number of their speeches, most first."""
    found = next((check.findings for check in checks if check.name == "unresolved-speaker"), ())
    counted = Counter(finding.detail for finding in found)
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_UNRESOLVED]


def _quiet(held: Coverage) -> int:
    """Months of the record without a sitting."""
    return sum(not number for _, _, number in held.months)


def _loaded(manifest: Manifest) -> datetime.datetime:
    return datetime.datetime.fromisoformat(manifest.loaded_at)


def _citation(manifest: Manifest, here: Site) -> str:
    """How to cite the data, in the words of a bibliography."""
    return gettext(
        "%(title)s, version %(version)s, loaded %(day)s. Emiciclo, %(address)s",
        title=_title(manifest),
        version=manifest.version,
        day=in_words(_loaded(manifest).date()),
        address=here.url("/about"),
    )


def _title(manifest: Manifest) -> str:
    titles = manifest.title
    return titles.get(language()) or titles.get("en") or next(iter(titles.values()), manifest.dataset)


def _names() -> dict[str, str]:
    return {
        "people": gettext("people"),
        "memberships": gettext("memberships"),
        "acts": gettext("acts"),
        "sittings": gettext("sittings"),
        "debates": gettext("debates"),
        "speeches": gettext("speeches"),
        "chunks": gettext("passages in the index"),
        "triples": gettext("triples"),
    }
