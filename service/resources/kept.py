"""What the store of answers says about an IRI, and what was quoted from a speech.

The store is read while another process may write to it; where it is not there, or cannot be
opened a few times in a row, nothing is kept.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Store, Triple

from ontology import DCTERMS, OA
from service.resources.description import bounded

MOST_QUOTATIONS: Final = 200
"""Quotations of one speech, counted once an answer, that a page shows."""
_PAUSES: Final = (0.0, 0.01, 0.03, 0.06)
"""Seconds between the attempts to open it."""
_QUOTED_FROM: Final = NamedNode("http://www.w3.org/ns/prov#wasQuotedFrom")
_SELECTOR: Final = NamedNode(f"{OA}hasSelector")
_START: Final = NamedNode(f"{OA}start")
_END: Final = NamedNode(f"{OA}end")
_TITLE: Final = NamedNode(f"{DCTERMS}title")


@dataclass(frozen=True, slots=True)
class KeptQuotation:
    """A quotation of a speech: offsets in Unicode code points, end excluded, and the answers that it is in."""

    iri: str
    start: int
    end: int
    answers: tuple[tuple[str, str], ...]
    """IRI and title of each answer."""


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The files of a store as they are now; another state is another store to open."""
    with os.scandir(folder) as entries:
        return tuple(sorted((e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in entries))


@lru_cache(maxsize=1)
def _opened(folder: Path, state: tuple[tuple[str, int, int], ...]) -> Store:
    """Open a store that many requests read; opening takes far longer than reading."""
    return Store.read_only(str(folder))


class KeptAnswers:
    """The store of answers as it was when it was opened."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def open(cls, folder: Path) -> "KeptAnswers | None":
        """Open the store of a folder read-only; None if there is none that can be read now."""
        if not folder.is_dir():
            return None
        for pause in _PAUSES:  # a writer may just have moved the files that were listed
            try:
                return cls(_opened(folder, _state(folder)))
            except (OSError, RuntimeError):
                time.sleep(pause)
        return None

    def describe(self, iri: NamedNode) -> tuple[Triple, ...]:
        """An answer as a whole, or what answers state about an IRI with its blank nodes; empty if nothing."""
        whole = self._store.quads_for_pattern(None, None, None, iri)
        return bounded(iri, (quad.triple for quad in whole)) or bounded(iri, self._closure(iri))

    def quotations(self, speech: NamedNode) -> tuple[KeptQuotation, ...]:
        """What was quoted from a speech, by position."""
        found: dict[NamedNode, list[NamedNode]] = {}
        for quad in islice(self._store.quads_for_pattern(None, _QUOTED_FROM, speech), MOST_QUOTATIONS):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode):
                found.setdefault(quad.subject, []).append(quad.graph_name)
        quotations = (self._quotation(iri, answers) for iri, answers in found.items())
        return tuple(sorted((q for q in quotations if q), key=lambda q: (q.start, q.end, q.iri)))

    def span(self, quotation: NamedNode) -> tuple[NamedNode, int, int] | None:
        """The speech of a quotation, its start and its end; None if it is no quotation that is kept."""
        position = self._position(quotation)
        for quad in self._store.quads_for_pattern(quotation, _QUOTED_FROM, None):
            if position and isinstance(quad.object, NamedNode):
                return quad.object, *position
        return None

    def _quotation(self, iri: NamedNode, answers: list[NamedNode]) -> KeptQuotation | None:
        position = self._position(iri)
        if position is None:
            return None
        titled = sorted({(answer.value, self._text(answer, _TITLE) or answer.value) for answer in answers})
        return KeptQuotation(iri.value, *position, tuple(titled))

    def _position(self, quotation: NamedNode) -> tuple[int, int] | None:
        for quad in self._store.quads_for_pattern(quotation, _SELECTOR, None):
            if isinstance(quad.object, NamedNode | BlankNode):
                start, end = self._text(quad.object, _START), self._text(quad.object, _END)
                if start and end and start.isdecimal() and end.isdecimal():
                    return int(start), int(end)
        return None

    def _text(self, subject: NamedNode | BlankNode, predicate: NamedNode) -> str | None:
        found = self._store.quads_for_pattern(subject, predicate, None)
        return next((quad.object.value for quad in found if isinstance(quad.object, Literal)), None)

    def _closure(self, iri: NamedNode) -> Iterator[Triple]:
        waiting: list[NamedNode | BlankNode] = [iri]
        seen: set[NamedNode | BlankNode] = {iri}
        while waiting:
            for quad in self._store.quads_for_pattern(waiting.pop(), None, None):
                yield quad.triple
                if isinstance(quad.object, BlankNode) and quad.object not in seen:
                    seen.add(quad.object)
                    waiting.append(quad.object)
