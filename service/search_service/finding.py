"""The engine's part: the hits of searches, ranked, and what the record says of them."""

from dataclasses import dataclass

from pyoxigraph import NamedNode

import sparql
from service.filters import NamedFilters
from service.pipeline import Engine
from service.progress import Progress
from service.question import understand
from service.search_service.asked import Search
from service.vectors import ACTS, CHUNKS


@dataclass(frozen=True, slots=True)
class Request:
    """The searches of one query."""

    searches: tuple[Search, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit: the cosine to the text, the same on the scale of the model, and what it is ordered by."""

    iri: str
    similarity: float
    relevance: float
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of each search, best first, and the record's triples of all of them as N-Triples."""

    version: str
    hits: tuple[tuple[Ranked, ...], ...]
    facts: str


def find(request: Request, engine: Engine, _: Progress) -> Found:
    """Run searches. Raises `QuestionError`, `DataError`, `QueryError`."""
    known: dict[Search, tuple[Ranked, ...]] = {}
    for search in request.searches:
        if search not in known:
            known[search] = _ranked(search, engine)
    chunks = {hit.iri for search, hits in known.items() if search.kind == "chunks" for hit in hits}
    acts = {hit.iri for search, hits in known.items() if search.kind == "acts" for hit in hits}
    facts = _facts("chunks", "?chunk", chunks, engine) + _facts("acts", "?act", acts, engine)
    return Found(engine.corpus.manifest.version, tuple(known[search] for search in request.searches), facts)


def _ranked(search: Search, engine: Engine) -> tuple[Ranked, ...]:
    """The hits of one search. Cosines and BM25 are scaled by the best of each, as in the dense channel."""
    corpus, settings = engine.corpus, engine.settings.retrieval
    filters = NamedFilters(search.groups, search.speakers, search.date_from, search.date_until)
    resolved = filters.resolve(engine.chamber, corpus.manifest.last_day)
    question = understand(search.text, corpus, engine.thesaurus, filters=resolved)
    collection = ACTS if search.kind == "acts" else CHUNKS
    # Acts go on after the last sitting.
    where = question.filters.where(question.reference_date) if collection == ACTS else question.where
    pool = max(search.limit, settings.top_k)
    vectors = corpus.vectors
    # By words alone means by those that were given, without what the thesaurus adds.
    sought = question.topic if search.mode == "text" else question.lexical
    dense = vectors.nearest(collection, question.vector, limit=pool, where=where) if search.mode != "text" else []
    lexical = vectors.lexical(collection, sought, limit=pool, where=where) if search.mode != "semantic" else []
    words = {hit.iri: hit.score for hit in lexical}
    cosines = {hit.iri: hit.score for hit in dense}
    missing = [iri for iri in words if iri not in cosines]
    rest = vectors.nearest(collection, question.vector, limit=len(missing), where=where.only(missing))
    cosines |= {hit.iri: hit.score for hit in rest}
    relevance = corpus.embedder.calibration.relevance
    weight = {"hybrid": settings.lexical_weight, "semantic": 0.0, "text": 1.0}[search.mode]
    best = max(map(relevance, cosines.values()), default=0.0) or 1.0
    best_words = max(words.values(), default=0.0) or 1.0
    hits = [
        Ranked(
            iri,
            cosine,
            relevance(cosine),
            (1 - weight) * relevance(cosine) / best + weight * words.get(iri, 0.0) / best_words,
        )
        for iri, cosine in cosines.items()
        if relevance(cosine) >= search.minimum_relevance
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, -hit.similarity, hit.iri))[: search.limit])


def _facts(name: str, variable: str, iris: set[str], engine: Engine) -> str:
    """What the record says of resources, as N-Triples."""
    if not iris:
        return ""
    query = sparql.bind(sparql.query(f"search_service/{name}"), variable, [NamedNode(iri) for iri in sorted(iris)])
    return "".join(sorted({f"{triple} .\n" for triple in engine.corpus.graph.construct(query)}))
