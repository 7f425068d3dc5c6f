"""Every group that spoke of the topic is heard: a search inside each group that has too little."""

from collections import Counter
from collections.abc import Sequence

from service.corpus import Corpus
from service.evidence import Candidate, Reason
from service.question import Question
from service.retrieval.dense import candidate
from service.retrieval.nearby import Nearby, nearest
from service.settings import RetrievalSettings


def fill(
    question: Question,
    corpus: Corpus,
    near: Nearby,
    pool: Sequence[Candidate],
    blocs: Sequence[str],
    settings: RetrievalSettings,
) -> tuple[Candidate, ...]:
    """Find further chunks of the blocs that have fewer than `per_group_minimum` in the pool.

    However many nearer ones there are of other groups, a small group is not crowded out; a chunk
    below the minimum relevance never counts.
    """
    calibration = corpus.embedder.calibration
    counts = Counter(
        found.bloc for found in pool if calibration.relevance(found.similarity) >= settings.minimum_relevance
    )
    known = {found.chunk for found in pool}
    added: list[Candidate] = []
    for bloc in sorted(blocs):
        if counts[bloc] >= settings.per_group_minimum:
            continue
        hits = nearest(
            question,
            corpus,
            near,
            limit=settings.per_group_minimum,
            at_least=calibration.cosine(settings.minimum_relevance),
            bloc=[bloc],
        )
        added += [candidate(hit, Reason("coverage", bloc)) for hit in hits if hit.iri not in known]
    return tuple(added)
