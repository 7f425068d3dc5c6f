"""Makes a compass of the passages that were found for a question."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.answer.extract import bloc_name
from service.answer.wording import Wording
from service.chamber import Chamber
from service.compass import passages, spread, stability, terms
from service.compass.model import Axis, Compass, CompassKind, Passage, Place, Pole, Position, Term
from service.compass.projection import Numbers, Projection, Rows, project, weights_of
from service.corpus import Corpus
from service.evidence import GOVERNMENT, UNSEATED, Evidence
from service.question import Question
from service.thesaurus import stems
from service.vectors import CHUNKS

FEWEST_GROUPS: Final = 3
FEWEST_PASSAGES: Final = 10
OWN_PLACE: Final = 3
"""Passages from which a component of the gruppo Misto stands by itself."""
POLE_SHARE: Final = 1 / 3
"""Share of the passages at one end of an axis whose words make its terms …"""
POLE_LEAST: Final = 3
"""… and their least number; three such poles never meet under ten passages or more."""
SHOWN_AT_POLE: Final = 2


def make(
    question: Question, evidence: Sequence[Evidence], corpus: Corpus, chamber: Chamber, wording: Wording
) -> Compass:
    """The compass of the evidence of a question. Raises `DataError` if the index cannot be read.

    Guests speak for no group and have no place.
    """
    speaking = [item for item in evidence if item.bloc != UNSEATED]
    vectors = corpus.vectors.vectors(CHUNKS, [item.chunk for item in speaking])
    held = sorted((item for item in speaking if item.chunk in vectors), key=lambda item: item.chunk)
    groups = _groups(held, chamber)
    number, several = len(held), len(set(groups))
    if several < FEWEST_GROUPS:
        return Compass(number, several, "few-groups")
    if number < FEWEST_PASSAGES:
        return Compass(number, several, "few-passages")
    weights = weights_of(groups)
    projection = project(np.stack([vectors[item.chunk] for item in held]), weights)
    if projection is None:
        return Compass(number, several, "no-difference")
    found = _Found(tuple(held), groups, weights, projection)
    names = {key: bloc_name(key, chamber, question, wording) for key in groups}
    return _drawn(question, found, names, corpus, chamber)


@dataclass(frozen=True, slots=True)
class _Found:
    """The passages with their groups and weights, all in one order, and the axes."""

    evidence: tuple[Evidence, ...]
    groups: tuple[str, ...]
    weights: Numbers
    projection: Projection

    @property
    def places(self) -> Numbers:
        return self.projection.places


def _groups(evidence: Sequence[Evidence], chamber: Chamber) -> tuple[str, ...]:
    """Whose each passage is: a small component of the gruppo Misto speaks as the gruppo Misto."""
    counts = Counter(item.bloc for item in evidence)

    def group(bloc: str) -> str:
        organisation = chamber.organisations.get(bloc)
        small = organisation is not None and organisation.is_component and counts[bloc] < OWN_PLACE
        return (organisation.parent or bloc) if organisation and small else bloc

    return tuple(group(item.bloc) for item in evidence)


def _drawn(question: Question, found: _Found, names: Mapping[str, str], corpus: Corpus, chamber: Chamber) -> Compass:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, group in enumerate(found.groups):
        rows[group].append(row)
    centres = {key: spread.centre(found.places[held], found.weights[held]) for key, held in rows.items()}
    speeches = [item.speech.iri for item in found.evidence]
    resampled = stability.assess(found.projection, found.weights, found.groups, speeches, centres)
    said = _said(question, found, corpus, chamber)
    topic = terms.topic_stems(question.lexical)
    axes = tuple(_axis(number, found, said, names, topic) for number in range(found.places.shape[1]))
    telling = {
        stem for axis in axes for pole in (axis.low, axis.high) for term in pole.terms for stem in stems(term.label)
    }
    positions = [
        _position(key, held, centres[key], resampled.groups[key], found, names, telling, question, chamber)
        for key, held in rows.items()
    ]
    return Compass(
        passages=len(found.evidence),
        groups=len(rows),
        unavailable=None,
        axes=axes,
        positions=tuple(sorted(positions, key=lambda p: (p.centre[0], p.title))),
        stability=resampled.whole,
    )


def _said(question: Question, found: _Found, corpus: Corpus, chamber: Chamber) -> tuple[terms.Said, ...]:
    names = terms.names_of(chamber, corpus.graph)
    topic = terms.topic_stems(question.lexical)
    return tuple(terms.said(item.speech.iri, item.text, names, topic) for item in found.evidence)


def pole_size(number: int) -> int:
    """How many passages make a pole; the two never share one."""
    return min(number // 2, max(POLE_LEAST, round(POLE_SHARE * number)))


def _axis(
    number: int, found: _Found, said: Sequence[terms.Said], names: Mapping[str, str], topic: frozenset[str]
) -> Axis:
    order = np.argsort(found.places[:, number], kind="stable")
    size = pole_size(len(order))
    low, high = order[:size], order[::-1][:size]
    of_low, of_high = terms.separate([said[row] for row in low], [said[row] for row in high], said)
    return Axis(
        explained=found.projection.explained[number],
        low=Pole(of_low, _outermost(low, found, names, of_low, topic)),
        high=Pole(of_high, _outermost(high, found, names, of_high, topic)),
    )


def _outermost(
    rows: Rows, found: _Found, names: Mapping[str, str], telling: Sequence[Term], topic: frozenset[str]
) -> tuple[Passage, ...]:
    """The outermost passages of a pole, given from its end inwards: of different speeches, and groups if there are."""
    words = {stem for term in telling for stem in stems(term.label)} | topic
    chosen: list[int] = []
    for other_group in (True, False):
        for row in rows.tolist():
            speeches = {found.evidence[taken].speech.iri for taken in chosen}
            groups = {found.groups[taken] for taken in chosen}
            fresh = found.evidence[row].speech.iri not in speeches
            if len(chosen) < SHOWN_AT_POLE and fresh and not (other_group and found.groups[row] in groups):
                chosen.append(row)
    ordered = sorted(chosen, key=rows.tolist().index)
    return tuple(_passage(row, found, names, words) for row in ordered)


def _position(
    key: str,
    rows: Sequence[int],
    centre: Numbers,
    stays: float | None,
    found: _Found,
    names: Mapping[str, str],
    telling: set[str],
    question: Question,
    chamber: Chamber,
) -> Position:
    places = found.places[rows]
    inwards = [rows[at] for at in np.argsort(np.linalg.norm(places - centre, axis=1), kind="stable")]
    outwards = [rows[at] for at in np.argsort(-np.linalg.norm(places, axis=1), kind="stable")]
    nearest = _passage(inwards[0], found, names, telling)
    others = (_passage(row, found, names, telling) for row in outwards if row != inwards[0])
    # Neighbouring chunks share a sentence, which need not be read twice.
    farthest = next((p for p in others if p.speech != nearest.speech or not p.span.overlaps(nearest.span)), None)
    kind, group, component, sigla = _identity(key, question, chamber)
    return Position(
        kind=kind,
        group=group,
        component=component,
        title=names[key],
        sigla=sigla,
        centre=_place(centre),
        ellipse=spread.ellipse(places, found.weights[rows], centre),
        stability=stays,
        places=tuple(_place(place) for place in places),
        passages=(nearest, farthest) if farthest else (nearest,),
    )


def _identity(key: str, question: Question, chamber: Chamber) -> tuple[CompassKind, str | None, str | None, str | None]:
    if key == GOVERNMENT:
        return "government", None, None, None
    organisation = chamber.organisations.get(key)
    if organisation is None:
        return "other", None, None, None
    sigla = organisation.sigla_on(question.reference_date)
    if chamber.is_mixed(key):
        component = key if organisation.is_component else None
        return "mixed", organisation.parent or key, component, sigla
    side = chamber.sides_on(question.reference_date).get(key)
    kind: CompassKind = (
        "majority" if side in ("majority", "external-support") else "opposition" if side == "opposition" else "other"
    )
    return kind, key, None, sigla


def _passage(row: int, found: _Found, names: Mapping[str, str], telling: set[str]) -> Passage:
    item = found.evidence[row]
    span = passages.cut(item, telling)
    return Passage(
        chunk=item.chunk,
        speech=item.speech.iri,
        span=span,
        exact=span.of(item.speech.text),
        speaker=item.speech.speaker,
        name=item.speech.name,
        title=names[found.groups[row]],
        day=item.speech.date,
        place=_place(found.places[row]),
    )


def _place(place: Numbers) -> Place:
    return tuple(float(value) for value in place)
