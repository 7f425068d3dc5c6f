"""From the staged graph to the vector index: what is embedded, and what it is filtered by."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

import numpy as np
from pyoxigraph import NamedNode

import sparql
from service.cache import VectorCache
from service.chamber import committees, sittings
from service.embedding import Embedder, Vectors
from service.evidence import GOVERNMENT, UNSEATED
from service.graph import GraphStore, Row, in_order, text_of
from service.loading.progress import Clock
from service.thesaurus import labels_of_concepts
from service.vectors import (
    ACTS,
    CHUNKS,
    COMMITTEES,
    CONCEPTS,
    PROFILES,
    Payload,
    Point,
    VectorWriter,
)

BATCH: Final = 16
"""Texts that are embedded at once."""
KEPT_EVERY: Final = 1.0
"""Seconds of embedding that a load which was killed has to do again, beside the batch that it was at."""
ADDED: Final = 256
"""Documents that are looked up in the cache, and added to the index, at once."""
AT_ONCE: Final = 50
"""Sittings whose texts are read at once."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to embed, the resource that it stands for, and the payload of its point."""

    collection: str
    iri: str
    text: str
    payload: Payload


def compact_day(date: str) -> int:
    """`"2025-09-09"` as 20250909, which Qdrant filters as a range."""
    return int(date[:10].replace("-", ""))


def documents(graph: GraphStore, dataset: str) -> Iterator[Document]:
    """Everything that is embedded of a corpus, in a fixed order."""
    yield from of_sittings(graph, dataset, sittings(graph))
    yield from of_register(graph)


def of_sittings(graph: GraphStore, dataset: str, wanted: Sequence[NamedNode]) -> Iterator[Document]:
    """The chunks of sittings, read of a few at a time, as texts fill the memory."""
    for begin in range(0, len(wanted), AT_ONCE):
        yield from _chunks(graph, dataset, wanted[begin : begin + AT_ONCE])


def of_register(graph: GraphStore) -> Iterator[Document]:
    """All else that is embedded: acts, studies and professions, committees, concepts."""
    yield from _acts(graph)
    for row in graph.select(sparql.query("index/profiles")):
        speaker, kind = row["speaker"].value, row["kind"].value
        yield Document(PROFILES, f"{speaker}#{kind}", row["text"].value, {"speaker": speaker, "kind": kind})
    for committee in committees(graph):
        yield Document(COMMITTEES, committee.iri, ", ".join(committee.words) or committee.label, {})
    labels: dict[str, list[str]] = {}
    for row in labels_of_concepts(graph):
        if getattr(row["label"], "language", None) == "it":
            labels.setdefault(row["concept"].value, []).append(row["label"].value)
    for concept, words in labels.items():
        yield Document(CONCEPTS, concept, ", ".join(words), {})


def _acts(graph: GraphStore) -> Iterator[Document]:
    """Acts by their titles, with the labels of their subjects behind in brackets."""
    ordered = in_order(graph.select(sparql.query("index/acts")), "act", "title", "subject")
    for act, rows in groupby(ordered, key=lambda row: row["act"].value):
        found = list(rows)
        first = found[0]
        subjects = [row["subject"].value for row in found if "subject" in row and row["title"] == first["title"]]
        text = f"{first['title'].value} ({'; '.join(subjects)})" if subjects else first["title"].value
        yield Document(ACTS, act, text, {"day": compact_day(first["date"].value)})


def _chunks(graph: GraphStore, dataset: str, wanted: Sequence[NamedNode]) -> Iterator[Document]:
    speeches: dict[str, Row] = {}
    # Ordered here, as the engine takes as long for that as for the rest of a query.
    found = graph.select(sparql.bind(sparql.query("index/speeches"), "?sitting", wanted))
    for row in in_order(found, "speech", "component", "side"):
        speeches.setdefault(row["speech"].value, row)
    for row in in_order(graph.select(sparql.bind(sparql.query("index/chunks"), "?sitting", wanted)), "chunk"):
        speech = speeches.get(row["speech"].value)
        if speech is None:
            continue
        start, end = int(row["start"].value), int(row["end"].value)
        yield Document(
            CHUNKS,
            row["chunk"].value,
            speech["text"].value[start:end],
            {
                "speech": row["speech"].value,
                "start": start,
                "end": end,
                "salience": float(row["salience"].value),
                "day": compact_day(speech["date"].value),
                "dataset": dataset,
                "bloc": bloc_of(speech),
                **{name: speech[name].value for name in ("speaker", "side", "capacity") if name in speech},
            },
        )


def bloc_of(speech: Row) -> str:
    """For whom somebody spoke: the government, a component of the gruppo misto, a group, or nobody's."""
    if speech["capacity"].value.endswith("/government"):
        return GOVERNMENT
    return text_of(speech, "component") or text_of(speech, "group") or UNSEATED


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
    """The next few documents, which are read from the graph as they are wanted."""
    with clock.time("read texts"):
        return list(islice(members, ADDED))


def _lexical(document: Document) -> str | None:
    return document.text if document.collection in (CHUNKS, ACTS) else None


def rounded(vectors: Vectors) -> Vectors:
    """Vectors as the cache gives them back, so that a first load equals a second one."""
    return vectors.astype(np.float16).astype(np.float32)
