"""From a query as a person sent it to one that an engine runs, or a refusal that says what to write."""

import re
from dataclasses import dataclass
from typing import Final

from service.prefixes import PREFIXES, nearest
from service.queries.dialect import Edited, edit, leniencies
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, Structure, read_structure
from service.queries.tokens import offset_of, place, tokens

_ENGINE: Final = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_NOISE: Final = re.compile(r"\[[^\[\]]*\](?:\s*\|\s*)?")
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
        sent = self.structure.text
        offset = self.edited.origin(offset_of(self.text, int(found[1]), int(found[2])))
        # The engine names the character after the last that it could read; people look for the word.
        near = next((token for token in tokens(sent) if token.end >= offset), None)
        where = place(sent, near.start if near and near.start <= offset else offset)
        expected = " ".join(_NOISE.sub("", found[3]).replace("expected one of", "expected").split(" "))
        expected = " ".join(expected.split()).strip(" ,|")
        said = f" near “{near.text[:30]}”" if near else " at the end"
        more = f": {expected[:LONGEST]}" if len(expected) > len("expected ") else ""
        return QueryRefused(400, f"{where}: syntax error{said}{more}", place=where)


def read(text: str, size: QuerySize) -> ReadQuery:
    """Read a query. Raises `QueryRefused` for what is too large, no query, or written for one engine only."""
    structure = read_structure(text, size)
    return ReadQuery(structure, edit(text, leniencies(structure)), _predeclared(structure))


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
        told = f"did you mean {close}:? " if close else ""
        raise QueryRefused(
            400,
            f"{where}: the prefix {prefix}: is not declared; {told}Declare it with PREFIX {prefix}: <…>, "
            f"or use a predeclared one: {', '.join(sorted(PREFIXES))}",
            place=where,
            suggestion=f"{close}:{token.text.split(':', 1)[1]}" if close else None,
        )
    return needed
