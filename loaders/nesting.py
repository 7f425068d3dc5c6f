"""How deep the brackets of a file are nested, told before a parser sees it.

The parsers of the RDF library recurse into nested triple terms and JSON, and crash the process from
some thousands of levels; of nested blank nodes and lists they keep some 500 bytes a level, so
that a file of a few megabytes fills the memory. No published data nests beyond a few dozen.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from pyoxigraph import RdfFormat

from loaders.errors import SourceError

DEEPEST: Final = 200
"""Brackets inside one another; a triple term, `<<( … )>>`, is three."""
LONGEST_LINE: Final = 256 * 1024**2
LONGEST_STRING: Final = 32 * 1024**2
"""Bytes; the parsers refuse half of it."""

# What may hold brackets that are none: strings, comments, IRIs, and escapes outside of strings. A
# long string that has not ended yet is the group, so that it is kept. Other strings end with the line.
_JSON: Final = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"?', re.DOTALL)
_TURTLE: Final = re.compile(
    rb'\\.|#[^\n\r]*+|"""(?:[^"\\]++|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]++|\\.|\'(?!\'\'))*+\'\'\'|((?:"""|\'\'\').*+)'
    rb'|"(?:[^"\\\n\r]++|\\.)*+"?|\'(?:[^\'\\\n\r]++|\\.)*+\'?|<(?!<)[^<>"{}|^`\x00-\x20]*+>',
    re.DOTALL,
)
_STEPS: Final = np.array([(bytes([b]) in b"[({<") - (bytes([b]) in b"])}>") for b in range(256)], np.int8)
_NO_BRACKETS: Final = bytes(np.flatnonzero(_STEPS == 0).astype(np.uint8))
_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)


class Nesting:
    """Reads a file in pieces and refuses it when its brackets are nested too deep."""

    def __init__(self, path: Path, serialisation: RdfFormat) -> None:
        self._path, self._lines = path, serialisation in _LINES
        self._opaque = _JSON if serialisation == RdfFormat.JSON_LD else _TURTLE
        self._waiting: list[bytes] = []
        self._line, self._depth = 1, 0

    def feed(self, block: bytes) -> None:
        """Read on. Raises `SourceError`."""
        self._waiting.append(block)
        if b"\n" in block:
            data = b"".join(self._waiting)
            end = data.rfind(b"\n") + 1
            self._waiting = [self._scan(data[:end]), data[end:]]
        elif sum(map(len, self._waiting)) > LONGEST_LINE:
            raise self._refused(f"has a line longer than {LONGEST_LINE // 1024**2} MiB, which is refused")

    def end(self) -> None:
        """Read what is left. Raises `SourceError`."""
        self._scan(b"".join(self._waiting))

    def _scan(self, data: bytes) -> bytes:
        """Follow the brackets of whole lines; return the long string in which they end, if they do."""
        if self._lines and b"<<" not in data:
            self._line += data.count(b"\n")
            return b""
        bare = self._opaque.sub(rb"\1" if self._opaque is _TURTLE else b"", data)
        quote = re.search(rb'["\']{3}', bare)
        rest = bare[quote.start() :] if quote and self._opaque is _TURTLE else b""
        if len(rest) > LONGEST_STRING:
            raise self._refused("holds a string longer than 16 MiB, which is refused")
        brackets = bare[: len(bare) - len(rest)].translate(None, _NO_BRACKETS)
        depths = self._depth + _STEPS[np.frombuffer(brackets, np.uint8)].cumsum(dtype=np.int64)
        too_deep = np.flatnonzero(depths > DEEPEST)
        if too_deep.size:
            self._line += data.count(b"\n", 0, self._place(data, int(too_deep[0])))
            raise self._refused(f"is nested more than {DEEPEST} brackets deep, which is refused")
        self._depth = int(depths[-1]) if depths.size else self._depth
        self._line += data.count(b"\n") - rest.count(b"\n")
        return rest

    def _place(self, data: bytes, bracket: int) -> int:
        """Where the bracket of this number stands."""
        blank = self._opaque.sub(lambda found: b" " * len(found[0]), data)
        return next(islice(re.finditer(rb"[][(){}<>]", blank), bracket, None)).start()

    def _refused(self, problem: str) -> SourceError:
        return SourceError(self._path, problem, self._line)
