"""The dense channel: chunks near the question by vector, ordered with the help of BM25."""

from service.corpus import Corpus
from service.evidence import Candidate, Reason
from service.question import Question
from service.settings import RetrievalSettings
from service.vectors import CHUNKS, Hit


def candidate(hit: Hit, *reasons: Reason) -> Candidate:
    """Make a candidate of a chunk's hit; the hit's score must be a cosine."""
    payload = hit.payload
    speaker = payload.get("speaker")
    return Candidate(
        chunk=hit.iri,
        speech=str(payload["speech"]),
        start=int(payload["start"]),
        end=int(payload["end"]),
        speaker=str(speaker) if speaker is not None else None,
        bloc=str(payload["bloc"]),
        day=int(payload["day"]),
        salience=float(payload["salience"]),
        similarity=hit.score,
        reasons=reasons,
    )


def search(question: Question, corpus: Corpus, settings: RetrievalSettings) -> tuple[Candidate, ...]:
    """Find at most `top_k` chunks by cosine and by BM25.

    The fusion decides only which chunks are kept: dense and lexical scores are scaled to
    [0, 1] by the best of each, and dense weighs three times as much by default. A chunk that
    was found by its words alone is given its true cosine by a second search.
    """
    where = question.filters.where(question.reference_date)
    dense = corpus.vectors.nearest(CHUNKS, question.vector, limit=settings.top_k, where=where)
    lexical = corpus.vectors.lexical(CHUNKS, question.lexical, limit=settings.top_k, where=where)
    known = {hit.iri for hit in dense}
    missing = [hit.iri for hit in lexical if hit.iri not in known]
    rest = corpus.vectors.nearest(CHUNKS, question.vector, limit=len(missing), where=where.only(missing))
    words = {hit.iri: hit.score for hit in lexical}
    candidates = [candidate(hit, *_reasons(hit.iri in known, hit.iri in words)) for hit in (*dense, *rest)]
    fused = _fused(candidates, words, corpus, settings.lexical_weight)
    order = sorted(candidates, key=lambda found: (-fused[found.chunk], found.chunk))
    return tuple(order[: settings.top_k])


def _reasons(dense: bool, lexical: bool) -> tuple[Reason, ...]:
    return (*((Reason("dense"),) if dense else ()), *((Reason("lexical"),) if lexical else ()))


def _fused(
    candidates: list[Candidate], words: dict[str, float], corpus: Corpus, lexical_weight: float
) -> dict[str, float]:
    best_words = max(words.values(), default=0.0) or 1.0
    relevance = corpus.embedder.calibration.relevance
    best = max((relevance(found.similarity) for found in candidates), default=0.0) or 1.0
    return {
        found.chunk: (1 - lexical_weight) * relevance(found.similarity) / best
        + lexical_weight * words.get(found.chunk, 0.0) / best_words
        for found in candidates
    }
