"""The dense search beside exact dot products of the same vectors in memory, question by question in turn."""

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.cache import VectorCache
from service.chamber import sittings
from service.corpus import DataDirectory, open_corpus
from service.embedding import Embedder, Vectors
from service.loading.documents import of_sittings
from service.loading.indexing import rounded
from service.question import understand
from service.settings import load_settings
from service.thesaurus import Thesaurus
from service.vectors import CHUNKS, Where
from tests.benchmarks.paper.embedders import opened
from tests.benchmarks.paper.figures import ratio, spread

LIMIT: Final = 200
BATCH: Final = 256
TIE: Final = 1e-5
"""Cosines that differ by less are equal: the engine and numpy add up in another order."""


def write_matrix(data: str, embedder: str, questions: Sequence[str], folder: str) -> dict[str, Any]:
    """Write vectors of all chunks as they were given to the index, their IRIs and days, and the questions' vectors."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    model = opened(embedder)
    corpus = open_corpus(Path(data), load_settings(), model)
    thesaurus = Thesaurus.read(corpus.graph)
    asked = np.stack([understand(text, corpus, thesaurus).vector for text in questions])
    np.save(target / "questions.npy", asked)
    number = corpus.vectors.count(CHUNKS)
    matrix = np.lib.format.open_memmap(
        target / "chunks.npy", mode="w+", dtype=np.float32, shape=(number, model.dimensions)
    )
    iris, days = [], []
    with VectorCache(DataDirectory(Path(data)).cache) as cache:
        texts: list[str] = []
        for document in of_sittings(corpus.graph, sittings(corpus.graph)):
            iris.append(document.iri)
            days.append(int(document.payload["day"]))
            texts.append(document.text)
            if len(texts) == BATCH:
                matrix[len(iris) - len(texts) : len(iris)] = _vectors(texts, model, cache)
                texts.clear()
        if texts:
            matrix[len(iris) - len(texts) : len(iris)] = _vectors(texts, model, cache)
    if len(iris) != number:
        raise ValueError(f"the index holds {number} chunks and the graph {len(iris)}")
    matrix.flush()
    np.save(target / "days.npy", np.asarray(days, np.int32))
    (target / "iris.json").write_text(json.dumps(iris), encoding="utf-8")
    return {"chunks": number}


def _vectors(texts: Sequence[str], model: Embedder, cache: VectorCache) -> Vectors:
    known = cache.get(model.model, texts)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        known.update(zip(missing, rounded(model.passages(missing)), strict=True))
    return np.stack([known[text] for text in texts])


def measure_dense(data: str, embedder: str, folder: str, repetitions: int) -> dict[str, Any]:
    """Milliseconds of both and recall of the index, over all chunks, as questions ask, and with filters by day.

    How many threads numpy's BLAS has is for the environment to say; the processor time of both is told, too.
    """
    source = Path(folder)
    matrix: Vectors = np.load(source / "chunks.npy")  # wholly in memory
    days: NDArray[np.int32] = np.load(source / "days.npy")
    places = {iri: place for place, iri in enumerate(json.loads((source / "iris.json").read_bytes()))}
    asked: Vectors = np.load(source / "questions.npy")
    corpus = open_corpus(Path(data), load_settings(), opened(embedder))
    half = int(np.median(days))
    filters: dict[str, tuple[Where, NDArray[np.bool_] | None]] = {
        "all chunks": (Where(), None),
        "until the last day": (Where(day_until=int(days.max())), None),
        "the later half": (Where(day_from=half), days >= half),
    }
    found: dict[str, Any] = {
        "chunks": len(matrix),
        "dimensions": matrix.shape[1],
        "numpy_threads": os.environ.get("OPENBLAS_NUM_THREADS", f"default ({os.cpu_count()} processors)"),
    }
    for name, (where, mask) in filters.items():
        clock = _Clock()
        recalls: list[float] = []
        for repetition in range(repetitions + 1):
            for vector in asked:
                exact = clock.time("numpy", lambda: _exact(matrix, vector, mask))  # noqa: B023
                hits = clock.time(
                    "index",
                    lambda: corpus.vectors.nearest(CHUNKS, vector, limit=LIMIT, where=where),  # noqa: B023
                )
                if repetition == 0:
                    clock.laps.clear()  # the first round opens the index and reads its files
                    recalls.append(_recall([places[hit.iri] for hit in hits], exact, matrix @ vector))
        found[name] = {
            **{who: spread(wall for wall, _ in laps) for who, laps in clock.laps.items()},
            **{f"{who}_cpu": spread(cpu for _, cpu in laps) for who, laps in clock.laps.items()},
            "recall": round(sum(recalls) / len(recalls), 4),
            "least_recall": round(min(recalls), 4),
        }
        found[name]["ratio"] = ratio(found[name]["index"]["median"], found[name]["numpy"]["median"])
    return found


def _exact(matrix: Vectors, vector: Vectors, mask: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    """The rows with the highest dot products, best first."""
    scores = matrix @ vector
    if mask is not None:
        scores[~mask] = -np.inf
    limit = min(LIMIT, len(scores) - 1)
    best = np.argpartition(scores, -limit)[-limit:] if limit > 0 else np.arange(len(scores))
    return best[np.argsort(-scores[best])]


def _recall(rows: Sequence[int], exact: NDArray[np.intp], scores: Vectors) -> float:
    """Share of the exact result that was found; one of equal cosine is as good."""
    least = scores[exact].min() - TIE
    return min(1.0, int(sum(scores[row] >= least for row in rows)) / len(exact))


class _Clock:
    """Wall and processor milliseconds by name."""

    def __init__(self) -> None:
        self.laps: dict[str, list[tuple[float, float]]] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        lap = ((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)
        self.laps.setdefault(name, []).append(lap)
        return result
