"""Every group that spoke of the topic is heard: a search inside each group that has too little."""

from collections import Counter
from collections.abc import Sequence

from service.corpus import Corpus
from service.evidence import Candidate, Reason
from service.question import Question
from service.retrieval.dense import candidate
from service.settings import RetrievalSettings
from service.vectors import CHUNKS


def fill(
    question: Question,
    corpus: Corpus,
    pool: Sequence[Candidate],
    blocs: Sequence[str],
    settings: RetrievalSettings,
) -> tuple[Candidate, ...]:
    """Find further chunks of the blocs that have fewer than `per_group_minimum` in the pool.

    The group is a filter inside the search, so a small group is not crowded out by large
    ones; a chunk below the minimum relevance never counts.
    """
    calibration = corpus.embedder.calibration
    counts = Counter(
        found.bloc for found in pool if calibration.relevance(found.similarity) >= settings.minimum_relevance
    )
    known = {found.chunk for found in pool}
    where = question.filters.where(question.reference_date)
    added: list[Candidate] = []
    for bloc in sorted(blocs):
        if counts[bloc] >= settings.per_group_minimum:
            continue
        hits = corpus.vectors.nearest(
            CHUNKS,
            question.vector,
            limit=settings.per_group_minimum,
            where=where.narrowed(bloc=[bloc]),
            at_least=calibration.cosine(settings.minimum_relevance),
        )
        added += [candidate(hit, Reason("coverage", bloc)) for hit in hits if hit.iri not in known]
    return tuple(added)
