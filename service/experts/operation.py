"""The ranking of experts, as the engine runs it."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Final

from loaders.names import organisation_name
from service.answer.language import Language
from service.answer.model import Expert
from service.authority.score import Authority
from service.documents import Document, number, present, question_document
from service.evidence import Figures
from service.experts.jsonld import expert_document
from service.experts.ranking import Order, Spread, Standing, spreads, standings, value
from service.filters import NamedFilters
from service.findings import Findings
from service.pipeline import Engine
from service.progress import Progress
from service.question import Question
from service.thesaurus import words
from service.topical import find_on

MOST: Final = 200
"""Experts that a ranking gives; the rest are counted."""
PAGE: Final = 25


@dataclass(frozen=True, slots=True)
class ExpertsRequest:
    """A topic, and which of those who were weighed for it are wanted in which order."""

    topic: str
    filters: NamedFilters
    as_of: date | None = None
    committee: str | None = None
    """A committee by IRI or by its whole name."""
    name: str | None = None
    """Words that stand in the name."""
    order: Order = "authority"
    page: int = 1
    language: Language = "it"


@dataclass(frozen=True, slots=True)
class Committee:
    """A committee with a member among those who were weighed, and how many."""

    iri: str
    label: str
    members: int


@dataclass(frozen=True, slots=True)
class Experts:
    """One page of a ranking; documents are JSON-LD without a context."""

    question: Document
    experts: tuple[Document, ...]
    spread: tuple[Document, ...]
    committees: tuple[Committee, ...]
    matching: int
    """Those whom the filters by committee and name leave."""
    weighed: int
    pages: int
    figures: Figures


def experts(request: ExpertsRequest, engine: Engine, progress: Progress) -> Experts:
    """Rank all who were weighed for a topic. Raises `QuestionError`, `DataError`, `QueryError`.

    Ranks and spread are those of all who were weighed, whatever the filters by committee and name leave.
    """
    question, findings = find_on(request.topic, request.filters, request.as_of, engine, progress)
    return _page(request, question, findings, engine)


def _page(request: ExpertsRequest, question: Question, findings: Findings, engine: Engine) -> Experts:
    authorities = tuple(findings.authorities.values())
    places = standings(authorities)
    matching = [a for a in authorities if _wanted(a, request, findings)]
    ordered = sorted(matching, key=lambda a: (*_key(a, request.order, findings), places[a.speaker].rank, a.speaker))
    bounded = ordered[:MOST]
    first = (request.page - 1) * PAGE
    shown = bounded[first : first + PAGE]
    on, organisations = question.reference_date, engine.chamber.organisations
    groups = {
        speaker: (group, organisation_name(organisations[group].name_on(on)))
        for speaker, group in engine.chamber.groups_of((a.speaker for a in shown), on).items()
    }
    return Experts(
        question=present(question_document(question, request.language)),
        experts=tuple(
            _document(authority, order, places[authority.speaker], len(authorities), findings, groups)
            for order, authority in enumerate(shown, start=first + 1)
        ),
        spread=tuple(_spread(spread, order) for order, spread in enumerate(spreads(authorities), start=1))
        if authorities
        else (),
        committees=_committees(findings),
        matching=len(matching),
        weighed=len(authorities),
        pages=max(1, -(-len(bounded) // PAGE)),
        figures=findings.figures,
    )


def _wanted(authority: Authority, request: ExpertsRequest, findings: Findings) -> bool:
    features = findings.features[authority.speaker]
    if request.committee:
        wanted = request.committee.strip()
        if not any(wanted == s.iri or wanted.casefold() == s.label.casefold() for s in features.seats):
            return False
    return not request.name or all(word in " ".join(words(features.name or "")) for word in words(request.name))


def _key(authority: Authority, order: Order, findings: Findings) -> tuple[float | str, ...]:
    """By value, the highest first and the unknown last, or by the words of the name."""
    if order == "name":
        name = findings.features[authority.speaker].name or ""
        # Registers give the first name first; people look for the last.
        return (words(name)[-1] if words(name) else "", name)
    known = value(authority, order)
    return (1.0, 0.0) if known is None else (0.0, -known)


def _document(
    authority: Authority,
    order: int,
    place: Standing,
    weighed: int,
    findings: Findings,
    groups: dict[str, tuple[str, str]],
) -> Document:
    features = findings.features[authority.speaker]
    group, group_name = groups.get(authority.speaker, (None, None))
    expert = Expert(
        speaker=authority.speaker,
        name=features.name or "",
        authority=authority,
        features=features,
        rank=place.rank,
        group=group,
        group_name=group_name,
    )
    return expert_document(expert, order, weighed, place.tied)


def _spread(spread: Spread, order: int) -> Document:
    document: Document = present(
        {
            "type": "ExpertSpread",
            "order": order,
            "measure": spread.measure,
            "weight": number(spread.weight),
            "minimum": number(spread.minimum),
            "lowerQuartile": number(spread.lower_quartile),
            "median": number(spread.median),
            "upperQuartile": number(spread.upper_quartile),
            "maximum": number(spread.maximum),
            "saturated": number(spread.saturated),
            "missing": spread.missing,
        }
    )
    return document


def _committees(findings: Findings) -> tuple[Committee, ...]:
    seats = {(seat.iri, seat.label, speaker) for speaker, f in findings.features.items() for seat in f.seats}
    counts = Counter((iri, label) for iri, label, _ in seats)
    ordered = sorted(counts.items(), key=lambda pair: (pair[0][1], pair[0][0]))
    return tuple(Committee(iri, label, members) for (iri, label), members in ordered)
