"""From documents to the vector index: they are embedded, and the points are made of them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

import numpy as np

from service.cache import VectorCache
from service.embedding import Embedder, Vectors
from service.loading.documents import Document
from service.loading.progress import Clock
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES, Point, VectorWriter

BATCH: Final = 16
"""Texts that are embedded at once."""
KEPT_EVERY: Final = 1.0
"""Seconds of embedding that a load which was killed has to do again, beside the batch that it was at."""
ADDED: Final = 256
"""Documents that are looked up in the cache, and added to the index, at once."""


def create_collections(writer: VectorWriter, dimensions: int) -> None:
    """Make the empty collections of a new index."""
    for collection in (CHUNKS, ACTS, PROFILES, COMMITTEES, CONCEPTS):
        writer.create(collection, dimensions)


def fill_index(
    found: Iterable[Document],
    writer: VectorWriter,
    embedder: Embedder,
    cache: VectorCache,
    clock: Clock,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Embed and index documents; return how many texts had to be embedded anew.

    What was embedded is in the cache within `KEPT_EVERY` seconds, so a load that was killed goes on
    where it was. `progress` is called with the number of documents done so far.
    """
    embedded = done = 0
    for collection, members in groupby(found, key=lambda document: document.collection):
        while part := _next(members, clock):
            with clock.time("embed"):
                vectors = cache.get(embedder.model, [document.text for document in part])
                missing = list(dict.fromkeys(d.text for d in part if d.text not in vectors))
                for texts, fresh in _embed(missing, embedder, cache):
                    vectors.update(zip(texts, rounded(fresh), strict=True))
                    progress(done + min(len(part), len(vectors)))
                embedded += len(missing)
            with clock.time("index"):
                writer.add(collection, [Point(d.iri, vectors[d.text], _lexical(d), d.payload) for d in part])
            done += len(part)
            progress(done)
    with clock.time("index"):
        writer.finish()
    return embedded


def _embed(texts: Sequence[str], embedder: Embedder, cache: VectorCache) -> Iterator[tuple[Sequence[str], Vectors]]:
    """Embed texts, and yield them in batches; also if one fails or is interrupted, those before it are kept.

    The batches of `KEPT_EVERY` seconds are kept together, as a few vectors cost the cache as much as many.
    """
    waiting: list[tuple[Sequence[str], Vectors]] = []

    def keep() -> None:
        if waiting:
            known = [text for batch, _ in waiting for text in batch]
            cache.put(embedder.model, known, np.concatenate([vectors for _, vectors in waiting]))
            waiting.clear()

    since = time.monotonic()
    try:
        for begin in range(0, len(texts), BATCH):
            batch = texts[begin : begin + BATCH]
            waiting.append((batch, embedder.passages(batch)))
            yield waiting[-1]
            if time.monotonic() - since >= KEPT_EVERY:
                keep()
                since = time.monotonic()
    finally:
        keep()


def _next(members: Iterator[Document], clock: Clock) -> list[Document]:
    """The next few documents, which are read as they are wanted."""
    with clock.time("read texts"):
        return list(islice(members, ADDED))


def _lexical(document: Document) -> str | None:
    return document.text if document.collection in (CHUNKS, ACTS) else None


def rounded(vectors: Vectors) -> Vectors:
    """Vectors as the cache gives them back, so that a first load equals a second one."""
    return vectors.astype(np.float16).astype(np.float32)
