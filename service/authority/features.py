"""Gathers the features of many speakers at once: facts by SPARQL, similarities by Qdrant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from ontology import ROLE, SIDE
from service.authority import kept
from service.authority.bodies import UNKNOWN, Bodies, DatedSide, bodies_of
from service.authority.score import (
    CO_SIGNATORY,
    FIRST_SIGNATORY,
    MINIMUM_RELEVANCE,
    Activity,
    Features,
    Office,
    Seat,
    Stance,
)
from service.corpus import Corpus
from service.graph import Row, day_of, in_order, text_of
from service.question import Filters, Question
from service.retrieval.graph_channel import Act, Signature
from service.retrieval.nearby import HORIZON, Nearby
from service.vectors import CHUNKS, COMMITTEES, PROFILES, Hit, Where

_RANKS: Final = {"group": 0, "component": 1, "government": 2}
_MEMBER: Final = f"{ROLE}member"
_MAJORITY: Final = f"{SIDE}majority"


def gather(
    question: Question,
    corpus: Corpus,
    near: Nearby,
    speakers: Sequence[str],
    acts: Sequence[Act],
    signatures: Sequence[Signature],
) -> tuple[Features, ...]:
    """Return the features of each speaker, in the order given. At most two queries, and two searches in all."""
    if not speakers:
        return ()
    relevance = _committee_relevance(question, corpus)
    profiles = _profiles(question, corpus, speakers)
    until = question.reference_date.isoformat()
    rows = (row for row in kept.memberships.read(corpus.graph, speakers) if row["from"].value <= until)
    memberships = in_order(rows, "speaker", "from", "organisation", "role", "until")
    bodies = bodies_of(corpus.graph)
    seats, offices = _held(memberships, question.reference_date, bodies, relevance)
    stances = _stances(memberships, bodies)
    signed = _signed(acts, signatures)
    spoken = _spoken(question, corpus, near, speakers)
    return tuple(
        Features(
            speaker=speaker,
            name=text_of(profiles[speaker][0], "name"),
            gender=text_of(profiles[speaker][0], "gender"),
            education=text_of(profiles[speaker][0], "education"),
            profession=text_of(profiles[speaker][0], "profession"),
            education_relevance=profiles[speaker][1].get("education"),
            profession_relevance=profiles[speaker][1].get("profession"),
            seats=tuple(seats[speaker]),
            offices=tuple(offices[speaker]),
            acts=tuple(signed[speaker]),
            speeches=tuple(spoken[speaker]),
            stances=tuple(stances[speaker]),
        )
        for speaker in speakers
    )


def _committee_relevance(question: Question, corpus: Corpus) -> dict[str, float]:
    hits = corpus.vectors.nearest(COMMITTEES, question.vector, limit=1000)
    return {hit.iri: corpus.embedder.calibration.label_relevance(hit.score) for hit in hits}


def _profiles(question: Question, corpus: Corpus, speakers: Sequence[str]) -> dict[str, tuple[Row, dict[str, float]]]:
    hits = corpus.vectors.nearest(
        PROFILES,
        question.vector,
        limit=2 * len(speakers),
        where=Where().narrowed(speaker=speakers),
    )
    relevance: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for hit in hits:
        value = corpus.embedder.calibration.label_relevance(hit.score)
        relevance[str(hit.payload["speaker"])][str(hit.payload["kind"])] = value
    rows: dict[str, Row] = {}
    for row in kept.profiles.read(corpus.graph, speakers):
        rows.setdefault(row["speaker"].value, row)
    return {speaker: (rows.get(speaker, {}), relevance[speaker]) for speaker in speakers}


def _held(
    memberships: Iterable[Row], day: date, bodies: Bodies, relevance: Mapping[str, float]
) -> tuple[defaultdict[str, list[Seat]], defaultdict[str, list[Office]]]:
    """The seats in committees and the offices of each speaker on a day."""
    seats: defaultdict[str, dict[Seat, None]] = defaultdict(dict)
    offices: defaultdict[str, dict[Office, None]] = defaultdict(dict)
    for row in memberships:
        until = day_of(row, "until")
        if until is not None and until < day:
            continue
        speaker, iri, role = row["speaker"].value, row["organisation"].value, row["role"].value
        body = bodies.by_iri.get(iri, UNKNOWN)
        if body.is_committee and body.label is not None:
            seats[speaker][Seat(iri, body.label, relevance.get(iri, 0.0))] = None
        if role in bodies.weights and "printed" in row:
            office = Office(
                role=role,
                printed=row["printed"].value,
                weight=bodies.weights[role],
                organisation=iri,
                label=body.italian_label,
                relevance=relevance.get(iri),
            )
            offices[speaker][office] = None
    return (
        defaultdict(list, {who: sorted(found, key=lambda seat: seat.iri) for who, found in seats.items()}),
        defaultdict(
            list,
            {who: sorted(found, key=lambda o: (o.role, o.organisation, o.printed)) for who, found in offices.items()},
        ),
    )


def _stances(memberships: Iterable[Row], bodies: Bodies) -> defaultdict[str, list[Stance]]:
    """Sides over time: of groups, of components of the gruppo misto, and of the government while in office.

    A body without a stated side stands for itself, on no side of others.
    """
    stances: defaultdict[str, dict[Stance, None]] = defaultdict(dict)
    for row in memberships:
        begin, until = day_of(row, "from"), day_of(row, "until")
        assert begin is not None
        speaker, iri = row["speaker"].value, row["organisation"].value
        body = bodies.by_iri.get(iri, UNKNOWN)
        if row["role"].value == _MEMBER and (body.is_group or body.is_component):
            rank = _RANKS["group" if body.is_group else "component"]
            for dated in body.sides or (DatedSide(iri, begin, None),):
                first = max(begin, dated.begin)
                last = min((day for day in (until, dated.until) if day), default=None)
                if last is None or first <= last:
                    stances[speaker][Stance(dated.side, first, last, rank)] = None
        if "governs" in row and (until is None or begin <= until):
            stances[speaker][Stance(_MAJORITY, begin, until, _RANKS["government"])] = None
    return defaultdict(list, {who: list(found) for who, found in stances.items()})


def _signed(acts: Sequence[Act], signatures: Sequence[Signature]) -> defaultdict[str, list[Activity]]:
    relevance = {act.iri: act.relevance for act in acts}
    signed: defaultdict[str, list[Activity]] = defaultdict(list)
    for signature in signatures:
        weight = FIRST_SIGNATORY if signature.first else CO_SIGNATORY
        signed[signature.speaker].append(Activity(signature.act, signature.date, relevance[signature.act], weight))
    return signed


def _spoken(
    question: Question, corpus: Corpus, near: Nearby, speakers: Sequence[str]
) -> defaultdict[str, list[Activity]]:
    """Speeches by their nearest chunk, whatever a question is limited to; where that is nothing, of what is nearby."""
    calibration = corpus.embedder.calibration
    least = calibration.cosine(MINIMUM_RELEVANCE)
    hits: Sequence[Hit] = near.down_to(least)
    if question.filters != Filters() or near.least > least:
        until = Filters().passages(question.reference_date, corpus.manifest.last_day)
        hits = corpus.vectors.nearest(
            CHUNKS,
            question.vector,
            limit=HORIZON,
            where=until.narrowed(speaker=speakers),
            at_least=least,
        )
    spoken: defaultdict[str, list[Activity]] = defaultdict(list)
    wanted = set(speakers)
    seen: set[str] = set()
    for hit in hits:
        speech = str(hit.payload["speech"])
        if speech not in seen and hit.payload.get("speaker") in wanted:
            seen.add(speech)
            day = date.fromisoformat(str(hit.payload["day"]))
            relevance = calibration.relevance(hit.score)
            spoken[str(hit.payload["speaker"])].append(Activity(speech, day, relevance))
    return spoken
