"""The text of a speech cut into paragraphs and marked passages.

Offsets are Unicode code points, ends excluded. The pieces of all paragraphs, put together,
are the text: nothing is added, dropped or changed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage to be marked, with the key that tells it from others."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a text that lies in the same marks throughout."""

    text: str
    marks: tuple[str, ...]
    """Keys of the marks that it lies in."""
    begins: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A run of a text from one break to the next."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


def paragraphs(text: str, breaks: Iterable[int], marks: Sequence[Mark]) -> tuple[Paragraph, ...]:
    """Cut a text at its own line ends and at `breaks`, and mark it; what lies outside it is left out."""
    size = len(text)
    inside = [mark for mark in marks if 0 <= mark.start < mark.end <= size]
    lines = {n + 1 for n, character in enumerate(text) if character == "\n"}
    edges = sorted({0, size} | {place for place in breaks if 0 < place < size} | lines)
    cuts = sorted({*edges, *(mark.start for mark in inside), *(mark.end for mark in inside)})
    found = []
    for begin, end in pairwise(edges):
        places = cuts[bisect_left(cuts, begin) : bisect_right(cuts, end)]
        pieces = tuple(_piece(text, first, last, inside) for first, last in pairwise(places))
        found.append(Paragraph(begin, end, pieces))
    return tuple(found)


def _piece(text: str, start: int, end: int, marks: Sequence[Mark]) -> Piece:
    return Piece(
        text[start:end],
        tuple(mark.key for mark in marks if mark.start <= start and end <= mark.end),
        tuple(mark.key for mark in marks if mark.start == start),
        tuple(mark.key for mark in marks if mark.end == end),
    )
