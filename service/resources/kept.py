"""What the store of answers says about an IRI, and what was quoted from a speech.

What is read is a snapshot that nobody writes to; where none is there that can be opened, nothing is kept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Store, Triple

from ontology import DCTERMS, EMI, OA
from service.answers.store import open_store
from service.errors import DataError
from service.resources.description import bounded

MOST_QUOTATIONS: Final = 200
"""Quotations of one speech, counted once an answer, that a page shows."""
_MERGED: Final = DefaultGraph()
"""Holds each triple of the answers once."""
_QUOTED_FROM: Final = NamedNode("http://www.w3.org/ns/prov#wasQuotedFrom")
_SELECTOR: Final = NamedNode(f"{OA}hasSelector")
_START: Final = NamedNode(f"{OA}start")
_END: Final = NamedNode(f"{OA}end")
_TITLE: Final = NamedNode(f"{DCTERMS}title")
_SPEAKER: Final = NamedNode(f"{EMI}speaker")
_EXACT: Final = NamedNode(f"{OA}exact")
_DATE: Final = NamedNode(f"{EMI}date")


@dataclass(frozen=True, slots=True)
class KeptQuotation:
    """A quotation of a speech: offsets in Unicode code points, end excluded, and the answers that it is in."""

    iri: str
    start: int
    end: int
    answers: tuple[tuple[str, str], ...]
    """IRI and title of each answer."""


@dataclass(frozen=True, slots=True)
class KeptWords:
    """Words of somebody that answers quote: the span of the speech, and the answers by IRI and title."""

    iri: str
    speech: str
    start: int
    end: int
    exact: str
    day: date | None
    answers: tuple[tuple[str, str], ...]


class KeptAnswers:
    """The answers as they were when they were opened."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def open(cls, folder: Path) -> "KeptAnswers | None":
        """The answers of a folder as they are published now; None if there are none that can be read."""
        try:
            store = open_store(folder)
        except DataError:  # the record is readable nevertheless
            return None
        return cls(store) if store else None

    def describe(self, iri: NamedNode) -> tuple[Triple, ...]:
        """An answer as a whole, or what answers state about an IRI with its blank nodes; empty if nothing."""
        whole = self._store.quads_for_pattern(None, None, None, iri)
        return bounded(iri, (quad.triple for quad in whole)) or bounded(iri, self._closure(iri))

    def quotations(self, speech: NamedNode) -> tuple[KeptQuotation, ...]:
        """What was quoted from a speech, by position."""
        found: dict[NamedNode, list[NamedNode]] = {}
        stated = self._store.quads_for_pattern(None, _QUOTED_FROM, speech)
        for quad in islice((quad for quad in stated if quad.graph_name != _MERGED), MOST_QUOTATIONS):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode):
                found.setdefault(quad.subject, []).append(quad.graph_name)
        quotations = (self._quotation(iri, answers) for iri, answers in found.items())
        return tuple(sorted((q for q in quotations if q), key=lambda q: (q.start, q.end, q.iri)))

    def span(self, quotation: NamedNode) -> tuple[NamedNode, int, int] | None:
        """The speech of a quotation, its start and its end; None if it is no quotation that is kept."""
        position = self._position(quotation)
        for quad in self._store.quads_for_pattern(quotation, _QUOTED_FROM, None, _MERGED):
            if position and isinstance(quad.object, NamedNode):
                return quad.object, *position
        return None

    def of_speaker(self, person: NamedNode) -> tuple[KeptWords, ...]:
        """What answers quote of a person, latest speech first."""
        found: dict[NamedNode, set[NamedNode]] = {}
        stated = self._store.quads_for_pattern(None, _SPEAKER, person)
        for quad in islice((quad for quad in stated if quad.graph_name != _MERGED), MOST_QUOTATIONS):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode):
                found.setdefault(quad.subject, set()).add(quad.graph_name)
        words = (self._words(iri, answers) for iri, answers in found.items())
        told = sorted((w for w in words if w), key=lambda w: (w.speech, w.start, w.iri))
        return tuple(sorted(told, key=lambda w: w.day or date.min, reverse=True))

    def _words(self, iri: NamedNode, answers: Iterable[NamedNode]) -> KeptWords | None:
        span = self.span(iri)
        selectors = [quad.object for quad in self._store.quads_for_pattern(iri, _SELECTOR, None, _MERGED)]
        exact = next(
            (text for s in selectors if isinstance(s, NamedNode | BlankNode) and (text := self._text(s, _EXACT))), None
        )
        if span is None or exact is None:
            return None
        said = self._text(iri, _DATE)
        titled = sorted({(answer.value, self._text(answer, _TITLE) or answer.value) for answer in answers})
        try:
            day = date.fromisoformat(said) if said else None
        except ValueError:
            day = None
        return KeptWords(iri.value, span[0].value, span[1], span[2], exact, day, tuple(titled))

    def _quotation(self, iri: NamedNode, answers: list[NamedNode]) -> KeptQuotation | None:
        position = self._position(iri)
        if position is None:
            return None
        titled = sorted({(answer.value, self._text(answer, _TITLE) or answer.value) for answer in answers})
        return KeptQuotation(iri.value, *position, tuple(titled))

    def _position(self, quotation: NamedNode) -> tuple[int, int] | None:
        for quad in self._store.quads_for_pattern(quotation, _SELECTOR, None, _MERGED):
            if isinstance(quad.object, NamedNode | BlankNode):
                start, end = self._text(quad.object, _START), self._text(quad.object, _END)
                if start and end and start.isdecimal() and end.isdecimal():
                    return int(start), int(end)
        return None

    def _text(self, subject: NamedNode | BlankNode, predicate: NamedNode) -> str | None:
        found = self._store.quads_for_pattern(subject, predicate, None, _MERGED)
        return next((quad.object.value for quad in found if isinstance(quad.object, Literal)), None)

    def _closure(self, iri: NamedNode) -> Iterator[Triple]:
        waiting: list[NamedNode | BlankNode] = [iri]
        seen: set[NamedNode | BlankNode] = {iri}
        while waiting:
            for quad in self._store.quads_for_pattern(waiting.pop(), None, None, _MERGED):
                yield quad.triple
                if isinstance(quad.object, BlankNode) and quad.object not in seen:
                    seen.add(quad.object)
                    waiting.append(quad.object)
