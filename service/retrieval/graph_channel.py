"""The graph channel: acts near the question, who signed them, and what these people said of it."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from pyoxigraph import NamedNode

import sparql
from service.corpus import Corpus
from service.evidence import Candidate, Reason
from service.graph import day_literal, in_order
from service.question import Question
from service.retrieval.dense import candidate
from service.retrieval.nearby import Nearby, nearest
from service.settings import RetrievalSettings
from service.vectors import ACTS, Where

REASONS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Act:
    """An act near the question, with its relevance on the calibrated scale."""

    iri: str
    relevance: float
    day: date


@dataclass(frozen=True, slots=True)
class Signature:
    """That somebody signed an act near the question: as first signatory, or as a co-signatory."""

    act: str
    speaker: str
    first: bool
    date: date


@dataclass(frozen=True, slots=True)
class Found:
    """What the graph channel found on its way, for the authority features and for the reader."""

    acts: tuple[Act, ...]
    signatures: tuple[Signature, ...]
    speakers: tuple[str, ...]
    candidates: tuple[Candidate, ...]


def near_acts(question: Question, corpus: Corpus, limit: int, minimum: float) -> tuple[Act, ...]:
    """Acts up to the reference date whose title is near the question, best first.

    Found by vector or by words; in both cases the relevance is the calibrated cosine.
    """
    calibration = corpus.embedder.calibration
    where = Where(day_until=int(question.reference_date.strftime("%Y%m%d")))
    dense = corpus.vectors.nearest(
        ACTS, question.vector, limit=limit, where=where, at_least=calibration.cosine(minimum)
    )
    lexical = corpus.vectors.lexical(ACTS, question.lexical, limit=limit, where=where)
    missing = {hit.iri for hit in lexical} - {hit.iri for hit in dense}
    rest = corpus.vectors.nearest(
        ACTS, question.vector, limit=len(missing), where=where.only(missing), at_least=calibration.cosine(minimum)
    )
    hits = sorted((*dense, *rest), key=lambda hit: (-hit.score, hit.iri))[:limit]
    return tuple(
        Act(hit.iri, calibration.relevance(hit.score), date.fromisoformat(str(hit.payload["day"]))) for hit in hits
    )


def signatures(acts: tuple[Act, ...], corpus: Corpus) -> tuple[Signature, ...]:
    """Who signed the acts."""
    if not acts:
        return ()
    query = sparql.bind(sparql.query("retrieval/signatories"), "?act", [NamedNode(act.iri) for act in acts])
    days = {act.iri: act.day for act in acts}
    return tuple(
        Signature(
            act=row["act"].value,
            speaker=row["speaker"].value,
            first=row["role"].value == "first",
            date=days[row["act"].value],
        )
        for row in in_order(corpus.graph.select(query), "act", "role", "speaker")
    )


def search(question: Question, corpus: Corpus, near: Nearby, settings: RetrievalSettings) -> Found:
    """Follow acts to their signatories, and committees to their members, to what they said."""
    acts = near_acts(question, corpus, settings.acts, settings.act_relevance)
    signed = signatures(acts, corpus)
    reasons = _act_reasons(acts, signed)
    for speaker, reason in _committee_reasons(question, corpus):
        reasons[speaker].append(reason)
    speakers = tuple(sorted(reasons))
    hits = nearest(
        question,
        corpus,
        near,
        limit=settings.top_k,
        at_least=corpus.embedder.calibration.cosine(settings.minimum_relevance),
        speaker=speakers,
    )
    candidates = tuple(candidate(hit, *reasons[str(hit.payload["speaker"])][:REASONS_SHOWN]) for hit in hits)
    return Found(acts, signed, speakers, candidates)


def _act_reasons(acts: tuple[Act, ...], signed: tuple[Signature, ...]) -> defaultdict[str, list[Reason]]:
    relevance = {act.iri: act.relevance for act in acts}
    best_first = sorted(signed, key=lambda s: (-relevance[s.act], not s.first, s.act, s.speaker))
    reasons: defaultdict[str, list[Reason]] = defaultdict(list)
    for signature in best_first:
        detail = "first" if signature.first else "co"
        reasons[signature.speaker].append(Reason("signatory", signature.act, detail=detail))
    return reasons


def _committee_reasons(question: Question, corpus: Corpus) -> list[tuple[str, Reason]]:
    if not question.committees:
        return []
    labels = {match.iri: match.label for match in question.committees}
    query = sparql.bind(sparql.query("retrieval/committee-members"), "?committee", [NamedNode(iri) for iri in labels])
    query = sparql.bind(query, "?day", [day_literal(question.reference_date)])
    return [
        (row["speaker"].value, Reason("committee", row["committee"].value, labels[row["committee"].value]))
        for row in corpus.graph.select(query)
    ]
