"""Counting the solutions of a serialised result as it is written, exactly, whatever the strings in it hold."""

import re
from collections.abc import Callable
from typing import Final

_ESCAPES: Final = re.compile(rb"\\.", re.DOTALL)


def counter(media_type: str) -> Callable[[bytes], int]:
    """A function that takes a result in pieces and tells how many solutions each piece completes.

    Raises `LookupError` for a format that is not one of SPARQL's results.
    """
    return _COUNTERS[media_type]()


def _xml() -> Callable[[bytes], int]:
    # "<" is escaped in values, so every "<result>" is one; pieces may cut one in two.
    tail = b""

    def count(piece: bytes) -> int:
        nonlocal tail
        whole = tail + piece
        tail = whole[-(len(b"<result>") - 1) :]
        return whole.count(b"<result>")

    return count


def _lines(header: int) -> Callable[[bytes], int]:
    # Line breaks are escaped in TSV values, so every one ends a row.
    skipped = header

    def count(piece: bytes) -> int:
        nonlocal skipped
        found = piece.count(b"\n")
        heading = min(skipped, found)
        skipped -= heading
        return found - heading

    return count


def _csv() -> Callable[[bytes], int]:
    # A line break inside quotes is part of a value: it has an odd number of quotes before it.
    quotes, heading = 0, 1

    def count(piece: bytes) -> int:
        nonlocal quotes, heading
        found = 0
        for index, part in enumerate(piece.split(b'"')):
            quotes += index > 0
            found += part.count(b"\n") if quotes % 2 == 0 else 0
        header = min(heading, found)
        heading -= header
        return found - header

    return count


def _json() -> Callable[[bytes], int]:
    # Without its strings and white space, a solution is "{" after "[" or ","; a term is "{" after ":".
    inside, cut, before = 0, b"", b""

    def count(piece: bytes) -> int:
        nonlocal inside, cut, before
        whole = _ESCAPES.sub(b"", cut + piece)
        cut = b"\\" if whole.endswith(b"\\") else b""
        parts = whole.split(b'"')
        bare = b"".join(parts[inside::2]).translate(None, b" \t\r\n")
        inside = (inside + len(parts) - 1) % 2
        joined = before + bare
        before = joined[-1:]
        return joined.count(b"[{") + joined.count(b",{")

    return count


_COUNTERS: Final[dict[str, Callable[[], Callable[[bytes], int]]]] = {
    "application/sparql-results+xml": _xml,
    "application/sparql-results+json": _json,
    "text/csv": _csv,
    "text/tab-separated-values": lambda: _lines(1),
}
