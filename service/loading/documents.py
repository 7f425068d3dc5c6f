"""What is embedded of a corpus: chunks, acts, profiles, committees and concepts, and what each is filtered by.

The chunks of a sitting are known where its transcript is read. A load keeps them in a file until the graph is
published, as reading them out of it takes several times as long; whoever has but the graph reads them there.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode

import sparql
from service.chamber import committees, sittings
from service.evidence import GOVERNMENT, UNSEATED
from service.graph import GraphStore, Row, in_order, text_of
from service.thesaurus import labels_of_concepts
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES, Payload

AT_ONCE: Final = 50
"""Sittings whose texts are read out of the graph at once."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to embed, the resource that it stands for, and the payload of its point."""

    collection: str
    iri: str
    text: str
    payload: Payload


def documents(graph: GraphStore) -> Iterator[Document]:
    """Everything that is embedded of a corpus, in a fixed order."""
    yield from of_sittings(graph, sittings(graph))
    yield from of_register(graph)


def of_sittings(graph: GraphStore, wanted: Sequence[NamedNode]) -> Iterator[Document]:
    """The chunks of sittings, read of a few at a time, as texts fill the memory."""
    for begin in range(0, len(wanted), AT_ONCE):
        yield from _chunks(graph, wanted[begin : begin + AT_ONCE])


def _chunks(graph: GraphStore, wanted: Sequence[NamedNode]) -> Iterator[Document]:
    def rows(name: str) -> Sequence[Row]:
        return graph.select(sparql.bind(sparql.query(f"index/{name}"), "?sitting", wanted))

    speeches = by_speech(rows("speeches"))
    texts = {row["speech"].value: row["text"].value for row in rows("texts")}
    # Ordered here, as the engine takes as long for that as for the rest of a query.
    for row in in_order(rows("chunks"), "chunk"):
        speech = row["speech"].value
        if speech in speeches:
            start, end = int(row["start"].value), int(row["end"].value)
            text = texts[speech][start:end]
            yield chunk_document(row["chunk"].value, text, start, end, float(row["salience"].value), speeches[speech])


def by_speech(rows: Sequence[Row]) -> dict[str, Row]:
    """The rows of `index/speeches` by speech: one for each, the first in a fixed order."""
    found: dict[str, Row] = {}
    for row in in_order(rows, "speech", "component", "side"):
        found.setdefault(row["speech"].value, row)
    return found


def chunk_document(iri: str, text: str, start: int, end: int, salience: float, speech: Row) -> Document:
    """A chunk of a speech, of which a row of `index/speeches` tells."""
    payload: dict[str, str | int | float] = {
        "speech": speech["speech"].value,
        "start": start,
        "end": end,
        "salience": salience,
        "day": compact_day(speech["date"].value),
        "bloc": bloc_of(speech),
        "capacity": speech["capacity"].value,
    }
    if "speaker" in speech:
        payload["speaker"] = speech["speaker"].value
    return Document(CHUNKS, iri, text, payload)


def compact_day(date: str) -> int:
    """`"2025-09-09"` as 20250909, which Qdrant filters as a range."""
    return int(date[:10].replace("-", ""))


def bloc_of(speech: Row) -> str:
    """For whom somebody spoke: the government, a component of the gruppo misto, a group, or nobody's."""
    if speech["capacity"].value.endswith("/government"):
        return GOVERNMENT
    return text_of(speech, "component") or text_of(speech, "group") or UNSEATED


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


def lines_of(found: Iterable[Document]) -> bytes:
    """Documents as they are kept in a file until they are indexed: one a line, in JSON."""
    lines = (json.dumps([d.collection, d.iri, d.text, d.payload], ensure_ascii=False) + "\n" for d in found)
    return "".join(lines).encode()


def from_lines(path: Path) -> Iterator[Document]:
    """The documents of a file of `lines_of`."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield Document(*json.loads(line))
