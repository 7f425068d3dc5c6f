"""The dense channel: chunks near the question by vector, ordered with the help of BM25."""

from service.corpus import Corpus
from service.evidence import Candidate, Reason
from service.question import Question
from service.retrieval.nearby import Nearby, nearest
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


def search(question: Question, corpus: Corpus, near: Nearby, settings: RetrievalSettings) -> tuple[Candidate, ...]:
    """Choose at most `top_k` chunks by cosine and by BM25.

    The fusion decides only which chunks are kept: dense and lexical scores are scaled to
    [0, 1] by the best of each, and dense weighs three times as much by default. A chunk that
    was found by its words alone is given its true cosine, if need be by a second search.
    """
    dense = nearest(question, corpus, near, limit=settings.top_k)
    lexical = near.lexical[: settings.top_k]
    known = {hit.iri for hit in dense}
    rest = _by_words(question, corpus, near, {hit.iri for hit in lexical} - known)
    words = {hit.iri: hit.score for hit in lexical}
    candidates = [candidate(hit, *_reasons(hit.iri in known, hit.iri in words)) for hit in (*dense, *rest)]
    fused = _fused(candidates, words, corpus, settings.lexical_weight)
    order = sorted(candidates, key=lambda found: (-fused[found.chunk], found.chunk))
    return tuple(order[: settings.top_k])


def _by_words(question: Question, corpus: Corpus, near: Nearby, missing: set[str]) -> list[Hit]:
    """Passages that were found by their words alone, with their cosines."""
    nearby = [hit for hit in near.dense if hit.iri in missing]
    far = sorted(missing - {hit.iri for hit in nearby})
    where = question.where.only(far)
    return [*nearby, *corpus.vectors.nearest(CHUNKS, question.vector, limit=len(far), where=where)]


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
