"""The tokens of a SPARQL text, by the terminals of the grammar (SPARQL 1.1 §19.8, with 1.2's).

Everything that is decided about a query before it runs is decided on tokens: what looks like a
keyword inside a string, an IRI or a comment is none.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple


class Kind(Enum):
    """What a token is."""

    IRI = auto()
    STRING = auto()
    VARIABLE = auto()
    BLANK = auto()
    PREFIXED = auto()
    """A prefixed name, or a namespace with an empty local part (`ocd:`)."""
    NUMBER = auto()
    LANGUAGE = auto()
    WORD = auto()
    MARK = auto()
    STRAY = auto()
    """A character that begins no token of SPARQL."""


class Token(NamedTuple):
    """A piece of a query: its kind, its text, and where it begins in code points."""

    kind: Kind
    text: str
    start: int
    word: str
    """The keyword or mark in capitals; empty for every other kind, so that no string passes for one."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def prefix(self) -> str:
        """What stands before the colon of a prefixed name."""
        return self.text.split(":", 1)[0]


_BASE: Final = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
_BASE_2: Final = "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
_FIRST: Final = f"{_BASE}{_BASE_2}"
_NAME: Final = f"{_FIRST}_0-9\u00b7\u0300-\u036f\u203f\u2040"
# Bounded, so that a text of dots and letters is not read to its end at each of them. Repetitions are
# possessive (*+) wherever that is the same: nothing that was read is tried again in another way.
_PREFIX: Final = f"(?:[{_FIRST}](?:[{_NAME}.\\-]{{0,100}}[{_NAME}\\-])?)?"
_ESCAPE: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL: Final = f"(?:[{_NAME}:]|{_ESCAPE})(?:(?:[{_NAME}.:\\-]|{_ESCAPE})*(?:[{_NAME}:\\-]|{_ESCAPE}))?"

_CODE_POINT: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"

_TOKEN: Final = re.compile(
    rf"""
    (?P<SPACE>\s+|\A\ufeff|\#[^\n\r]*)
  | (?P<IRI><(?:[^<>"{{}}|^`\\\x00-\x20]++|{_CODE_POINT})*+>)
  | (?P<STRING>\"\"\"(?:\"{{0,2}}(?:[^"\\]|\\.))*+\"\"\"|'''(?:'{{0,2}}(?:[^'\\]|\\.))*+'''
      |"(?:[^"\\\n\r]|\\.)*+"|'(?:[^'\\\n\r]|\\.)*+')
  | (?P<VARIABLE>[?$][{_NAME}]+)
  | (?P<BLANK>_:[{_NAME}](?:[{_NAME}.\-]*[{_NAME}\-])?)
  | (?P<PREFIXED>{_PREFIX}:(?:{_LOCAL})?)
  | (?P<NUMBER>(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+)
  | (?P<LANGUAGE>@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[A-Za-z]+)?)
  | (?P<WORD>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<MARK>\^\^|&&|\|\||!=|<=|>=|<<\(|\)>>|<<|>>|\{{\||\|\}}|[{{}}()\[\];,.=<>!|/^*+?\-~])
  | (?P<STRAY>["'].*|.)  # a string that does not end: nothing after it can be told
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS: Final = {kind.name: kind for kind in Kind}


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text in order; white space and comments are left out."""
    for found in _TOKEN.finditer(text):
        name = found.lastgroup
        if name != "SPACE" and name is not None:
            kind, part = _KINDS[name], found[0]
            word = part.upper() if kind is Kind.WORD else part if kind is Kind.MARK else ""
            yield Token(kind, part, found.start(), word)


class Place(NamedTuple):
    """A position for people: line and column, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


def place(text: str, offset: int) -> Place:
    """The line and column of an offset in code points."""
    before = text[:offset]
    return Place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def offset_of(text: str, line: int, column: int) -> int:
    """The offset of a line and column, kept within the text."""
    start = 0
    for _ in range(line - 1):
        following = text.find("\n", start)
        if following < 0:
            break
        start = following + 1
    return min(start + column - 1, len(text))
