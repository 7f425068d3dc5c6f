"""From a query as a person sent it to one that an engine runs, or a refusal that says what to write."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from service.prefixes import PREFIXES, nearest
from service.queries.dialect import Edited, edit, leniencies
from service.queries.hints import hint, of_meaning
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, Structure, read_structure
from service.queries.tokens import Token, offset_of, place
from service.queries.words import refuse_unknown_words

_ENGINE: Final = re.compile(r"(error|fails) at (\d+):(\d+): (.*)", re.DOTALL)
EXACT: Final = "fails"
"""The word with which a message begins whose place is exact."""
SHORT: Final = 2000
"""Characters of a query whose reading is kept …"""
KEPT: Final = 256
"""… and how many are, at most."""
LONGEST: Final = 300
"""Characters of an engine's complaint that a refusal repeats."""


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that may be run."""

    structure: Structure
    edited: Edited
    prefixes: dict[str, str]
    """The predeclared prefixes that it uses."""

    @property
    def text(self) -> str:
        """What an engine gets."""
        return self.edited.text

    @property
    def declarations(self) -> str:
        """Its own base and prefixes as declarations; the predeclared ones go apart."""
        base = f"BASE <{self.structure.base}>\n" if self.structure.base else ""
        return base + "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in self.structure.declared.items())

    def complaint(self, message: str) -> QueryRefused:
        """An engine's syntax error as a refusal, placed in the text as it was sent."""
        found = _ENGINE.match(message)
        if not found:
            return QueryRefused(400, f"the query cannot be run: {' '.join(message.split())[:LONGEST]}")
        read = self.structure.tokens
        offset = self.edited.origin(offset_of(self.text, int(found[2]), int(found[3])))
        index = next((index for index, token in enumerate(read) if token.end > offset), len(read))
        told = of_meaning(found[4])
        if told:
            index = max((at for at, token in enumerate(read[:index]) if token.word == "SELECT"), default=index)
        where = place(self.structure.text, read[index].start if index < len(read) else len(self.structure.text))
        if not told:
            # Places that were not diagnosed are some characters too far on.
            told = hint(self.structure, index) if found[1] == EXACT else f"it breaks off near “{_near(read, index)}”"
        return QueryRefused(400, f"{where}: {told}", place=where)


def _near(read: tuple[Token, ...], index: int) -> str:
    return read[min(index, len(read) - 1)].text[:30]


def read(text: str, size: QuerySize) -> ReadQuery:
    """Read a query. Raises `QueryRefused` for what is too large, no query, or written for one engine only.

    Short ones are kept: programs ask the same again and again.
    """
    return _read_and_keep(text, size) if len(text) <= SHORT else _read(text, size)


def _read(text: str, size: QuerySize) -> ReadQuery:
    structure = read_structure(text, size)
    edits = leniencies(structure)
    refuse_unknown_words(structure)
    return ReadQuery(structure, edit(text, edits), _predeclared(structure))


_read_and_keep: Final = lru_cache(KEPT)(_read)


def _predeclared(structure: Structure) -> dict[str, str]:
    """The prefixes that a query uses and does not declare. Raises `QueryRefused` for unknown ones."""
    needed: dict[str, str] = {}
    for prefix, token in structure.used.items():
        if prefix in structure.declared:
            continue
        if prefix in PREFIXES:
            needed[prefix] = PREFIXES[prefix]
            continue
        where = place(structure.text, token.start)
        close = nearest(prefix, {*PREFIXES, *structure.declared})
        told = f"did you mean {close}:?" if close else f"predeclared are {', '.join(sorted(PREFIXES))}"
        raise QueryRefused(
            400,
            f"{where}: the prefix {prefix}: is not declared; declare it with PREFIX {prefix}: <…>; {told}",
            place=where,
            suggestion=f"{close}:{token.text.split(':', 1)[1]}" if close else None,
        )
    return needed
