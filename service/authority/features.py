"""Gathers the features of many speakers at once: facts by SPARQL, similarities by Qdrant."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from pyoxigraph import NamedNode

import sparql
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
from service.graph import Row, day_literal, text_of
from service.question import Question
from service.retrieval.graph_channel import Act, Signature
from service.vectors import CHUNKS, COMMITTEES, PROFILES, Where

LARGEST_RESULT = 10_000
_RANKS = {"group": 0, "component": 1, "government": 2}


def gather(
    question: Question,
    corpus: Corpus,
    speakers: Sequence[str],
    acts: Sequence[Act],
    signatures: Sequence[Signature],
) -> tuple[Features, ...]:
    """Return the features of each speaker, in the order given. Five queries and three searches in all."""
    if not speakers:
        return ()
    people = [NamedNode(speaker) for speaker in speakers]
    relevance = _committee_relevance(question, corpus)
    profiles = _profiles(question, corpus, people)
    seats = _seats(question, corpus, people, relevance)
    offices = _offices(question, corpus, people, relevance)
    stances = _stances(question, corpus, people)
    signed = _signed(acts, signatures)
    spoken = _spoken(question, corpus, speakers)
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


def _rows(name: str, corpus: Corpus, people: list[NamedNode], day: date | None = None) -> list[Row]:
    query = sparql.bind(sparql.query(name), "?speaker", people)
    if day is not None:
        query = sparql.bind(query, "?day", [day_literal(day)])
    return corpus.graph.select(query)


def _committee_relevance(question: Question, corpus: Corpus) -> dict[str, float]:
    hits = corpus.vectors.nearest(COMMITTEES, question.vector, limit=1000)
    return {hit.iri: corpus.embedder.calibration.label_relevance(hit.score) for hit in hits}


def _profiles(question: Question, corpus: Corpus, people: list[NamedNode]) -> dict[str, tuple[Row, dict[str, float]]]:
    speakers = [person.value for person in people]
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
    for row in _rows("authority/profiles", corpus, people):
        rows.setdefault(row["speaker"].value, row)
    return {speaker: (rows.get(speaker, {}), relevance[speaker]) for speaker in speakers}


def _seats(
    question: Question, corpus: Corpus, people: list[NamedNode], relevance: dict[str, float]
) -> defaultdict[str, list[Seat]]:
    seats: defaultdict[str, list[Seat]] = defaultdict(list)
    for row in _rows("authority/committees", corpus, people, question.reference_date):
        iri = row["committee"].value
        seats[row["speaker"].value].append(Seat(iri, row["label"].value, relevance.get(iri, 0.0)))
    return seats


def _offices(
    question: Question, corpus: Corpus, people: list[NamedNode], relevance: dict[str, float]
) -> defaultdict[str, list[Office]]:
    offices: defaultdict[str, list[Office]] = defaultdict(list)
    for row in _rows("authority/offices", corpus, people, question.reference_date):
        organisation = row["organisation"].value
        offices[row["speaker"].value].append(
            Office(
                role=row["role"].value,
                printed=row["printed"].value,
                weight=float(row["weight"].value),
                organisation=organisation,
                label=text_of(row, "label"),
                relevance=relevance.get(organisation),
            )
        )
    return offices


def _stances(question: Question, corpus: Corpus, people: list[NamedNode]) -> defaultdict[str, list[Stance]]:
    """Sides over time. A body without a stated side stands for itself, on no side of others."""
    stances: defaultdict[str, list[Stance]] = defaultdict(list)
    for row in _rows("authority/sides", corpus, people, question.reference_date):
        begin, until = _day(row, "from"), _day(row, "until")
        side_begin, side_until = _day(row, "sideFrom"), _day(row, "sideUntil")
        assert begin is not None
        first = max(begin, side_begin) if side_begin else begin
        last = min((day for day in (until, side_until) if day), default=None)
        if last is None or first <= last:
            side = text_of(row, "side") or row["organisation"].value
            rank = _RANKS[row["kind"].value]
            stances[row["speaker"].value].append(Stance(side, first, last, rank))
    return stances


def _signed(acts: Sequence[Act], signatures: Sequence[Signature]) -> defaultdict[str, list[Activity]]:
    relevance = {act.iri: act.relevance for act in acts}
    signed: defaultdict[str, list[Activity]] = defaultdict(list)
    for signature in signatures:
        weight = FIRST_SIGNATORY if signature.first else CO_SIGNATORY
        signed[signature.speaker].append(Activity(signature.act, signature.date, relevance[signature.act], weight))
    return signed


def _spoken(question: Question, corpus: Corpus, speakers: Sequence[str]) -> defaultdict[str, list[Activity]]:
    """Speeches by their nearest chunk, found in one search over all the speakers."""
    calibration = corpus.embedder.calibration
    where = Where(day_until=int(question.reference_date.strftime("%Y%m%d"))).narrowed(speaker=speakers)
    hits = corpus.vectors.nearest(
        CHUNKS,
        question.vector,
        limit=LARGEST_RESULT,
        where=where,
        at_least=calibration.cosine(MINIMUM_RELEVANCE),
    )
    spoken: defaultdict[str, list[Activity]] = defaultdict(list)
    seen: set[str] = set()
    for hit in hits:
        speech = str(hit.payload["speech"])
        if speech not in seen:
            seen.add(speech)
            day = date.fromisoformat(str(hit.payload["day"]))
            relevance = calibration.relevance(hit.score)
            spoken[str(hit.payload["speaker"])].append(Activity(speech, day, relevance))
    return spoken


def _day(row: Row, name: str) -> date | None:
    value = text_of(row, name)
    return date.fromisoformat(value) if value else None
