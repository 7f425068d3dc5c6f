"""The triple patterns of a query, read from its tokens: enough of each to tell what is sought.

What the grammar allows beyond that (paths, collections, quoted triples) is read over. Whether the
query is right at all is for the engine to tell.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from ontology import RDF, XSD
from service.queries.dialect import expression_end
from service.queries.structure import Structure, resolve
from service.queries.tokens import Kind, Token

_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CHARACTERS: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_STARTS: Final = frozenset({Kind.IRI, Kind.PREFIXED, Kind.STRING, Kind.NUMBER, Kind.VARIABLE, Kind.BLANK})
_VERB_MARKS: Final = frozenset({"^", "!", "("})

Value = NamedNode | Literal


class Unbound(NamedTuple):
    """A variable or a blank node, by how it is written; one of brackets by their place."""

    name: str


Node = Value | Unbound | None
"""A part of a pattern; None for what is more than a term."""


class Pattern(NamedTuple):
    """A triple pattern. `group` is the index of the brace around it, `verb` that of its predicate's token."""

    group: int
    subject: Node
    verb: int
    predicate: str | None
    """None where it is a variable or a path."""
    object: Node


@dataclass(slots=True)
class Patterns:
    """What is read of a query."""

    where: int
    """The index of the brace of the query's own pattern."""
    triples: list[Pattern] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    """The keywords GRAPH."""
    values: defaultdict[str, list[Value]] = field(default_factory=lambda: defaultdict(list))
    """Variable to the terms that VALUES and BIND give it, and those that a filter compares it with."""

    def of(self, node: Node) -> list[Value]:
        """The terms that a part of a pattern may stand for, as far as the query itself says."""
        if isinstance(node, Unbound):
            return list(dict.fromkeys(self.values.get(node.name, ())))
        return [node] if node is not None else []


def read_patterns(query: Structure) -> Patterns | None:
    """The patterns of a query; None where it has none at all, as `DESCRIBE <…>`."""
    where = _where(query)
    if where is None:
        return None
    reader = _Reader(query, Patterns(where))
    reader.group(where)
    index = query.closing[where] + 1
    while index < len(query.tokens):
        index = reader.data(index + 1) if query.tokens[index].word == "VALUES" else index + 1
    return reader.found


def _where(query: Structure) -> int | None:
    """The brace that opens the pattern of the whole query: the first, or the second after a template."""
    index, template = 0, False
    tokens = query.tokens
    while index < len(tokens):
        word = tokens[index].word
        if word == "CONSTRUCT":
            template = index + 1 < len(tokens) and tokens[index + 1].text == "{"
        if word == "{" and not template:
            return index
        template = template and word != "{"
        index = query.closing.get(index, index) + 1
    return None


class _Reader:
    """Reads groups from the outside inwards."""

    def __init__(self, query: Structure, found: Patterns) -> None:
        self._query = query
        self._tokens, self._closing = query.tokens, query.closing
        self.found = found

    def group(self, opening: int) -> None:
        """Read the group that a brace opens."""
        index, end = opening + 1, self._closing[opening]
        while index < end:
            word = self._tokens[index].word
            if word == "{":
                self.group(index)
                index = self._closing[index] + 1
            elif word in ("FILTER", "BIND", "HAVING"):
                index = self._expression(index + 1)
            elif word == "VALUES":
                index = self.data(index + 1)
            elif word == "SELECT":
                index = self._head(index + 1, end)
            elif self._begins(index):
                index = max(index + 1, self._triples(opening, index, end))
            else:
                if word == "GRAPH":
                    self.found.named.append(index)
                    index += 1  # its name is no subject
                index += 1

    def _head(self, index: int, end: int) -> int:
        """Read over the head of a subquery, to the brace of its pattern."""
        while index < end and self._tokens[index].word != "{":
            index = self._closing.get(index, index) + 1
        return index

    def _expression(self, index: int) -> int:
        """Read an expression for its groups (EXISTS) and for values of variables; return where it ends."""
        tokens = self._tokens
        if tokens[index].word in ("EXISTS", "NOT"):
            return index + 1
        end = min(expression_end(self._query, index), len(tokens))
        if end - index >= 5 and tokens[end - 3].word == "AS" and self._node(index, index + 1)[1] == end - 3:
            self._value(tokens[end - 2].text[1:], index + 1)
        inside = index
        while inside < end:
            if tokens[inside].word == "{":
                self.group(inside)
                inside = self._closing[inside]
            elif tokens[inside].kind is Kind.VARIABLE:
                self._compared(inside, end)
            inside += 1
        return end

    def _compared(self, index: int, end: int) -> None:
        """Take what a filter compares a variable with (`=`, IN) for its values: so Virtuoso sends VALUES on."""
        tokens = self._tokens
        name, sign = tokens[index].text[1:], tokens[index + 1].word if index + 1 < end else ""
        if sign == "=":
            self._value(name, index + 2)
        elif sign == "IN" and index + 2 in self._closing:
            last, at = self._closing[index + 2], index + 3
            while at < last:
                at = max(at + 1, self._value(name, at))
        if index >= 2 and tokens[index - 1].word == "=" and tokens[index - 2].kind is Kind.STRING:
            self._value(name, index - 2)

    def _value(self, name: str, index: int) -> int:
        """Note the term that begins here as a value of a variable; return where it ends."""
        value, after = self._node(index, index)
        if isinstance(value, NamedNode | Literal):
            self.found.values[name].append(value)
        return after

    def data(self, index: int) -> int:
        """Read the rows of VALUES; return where they end."""
        tokens = self._tokens
        names = []
        while index < len(tokens) and tokens[index].word != "{":
            if tokens[index].kind is Kind.VARIABLE:
                names.append(tokens[index].text[1:])
            index += 1
        if index not in self._closing:
            return index
        end, column = self._closing[index], 0
        index += 1
        while index < end:
            if tokens[index].text in ("(", ")"):
                column, index = 0, index + 1
                continue
            value, after = self._node(index, index)
            if column < len(names):
                if isinstance(value, NamedNode | Literal):
                    self.found.values[names[column]].append(value)
                column += len(names) > 1
            index = max(after, index + 1)
        return end + 1

    def _begins(self, index: int) -> bool:
        token = self._tokens[index]
        return token.kind in _STARTS or token.text in ("[", "(") or token.word in ("TRUE", "FALSE", "+", "-")

    def _triples(self, group: int, index: int, end: int) -> int:
        """Read the patterns of one subject; return where they end."""
        subject, index = self._node(group, index)
        return self._properties(group, subject, index, end)

    def _properties(self, group: int, subject: Node, index: int, end: int) -> int:
        tokens = self._tokens
        while index < end:
            if tokens[index].text == ";":
                index += 1
                continue
            verb, after = index, self._verb(index, end)
            if after == verb:
                return index
            token = tokens[verb]
            simple = after == verb + 1
            predicate = (f"{RDF}type" if token.word == "A" else self._iri(token)) if simple else None
            index = after
            while index < end:
                value, index = self._node(group, index)
                self.found.triples.append(Pattern(group, subject, verb, predicate, value))
                if index >= end or tokens[index].text != ",":
                    break
                index += 1
            if index < end and tokens[index].text == "{|":
                index = self._closing[index] + 1
        return index

    def _verb(self, index: int, end: int) -> int:
        """Where a predicate or a path ends that begins here; here if none does."""
        tokens = self._tokens
        while index < end:
            while index < end and tokens[index].text in ("^", "!"):
                index += 1
            if index >= end:
                return index
            token = tokens[index]
            if token.text == "(":
                index = self._closing[index] + 1
            elif token.kind in (Kind.IRI, Kind.PREFIXED, Kind.VARIABLE) or token.word == "A":
                index += 1
            else:
                return index
            while index < end and tokens[index].text in ("*", "+", "?"):
                index += 1
            if index >= end or tokens[index].text not in ("/", "|"):
                return index
            index += 1
        return index

    def _node(self, group: int, index: int) -> tuple[Node, int]:
        """A subject or an object, and where it ends."""
        tokens = self._tokens
        if index >= len(tokens):
            return None, index
        token = tokens[index]
        if token.kind is Kind.VARIABLE:
            return Unbound(token.text[1:]), index + 1
        if token.kind is Kind.BLANK:
            return Unbound(token.text), index + 1
        if token.kind in (Kind.IRI, Kind.PREFIXED):
            iri = self._iri(token)
            return NamedNode(iri) if iri is not None and ":" in iri else None, index + 1
        if token.kind is Kind.STRING:
            return self._literal(index)
        if token.kind is Kind.NUMBER:
            return _number(token.text), index + 1
        if token.word in ("+", "-") and index + 1 < len(tokens) and tokens[index + 1].kind is Kind.NUMBER:
            return _number(token.text + tokens[index + 1].text), index + 2
        if token.word in ("TRUE", "FALSE"):
            return Literal(token.word.lower(), datatype=NamedNode(f"{XSD}boolean")), index + 1
        if token.text == "[":
            node, closing = Unbound(f"[{index}"), self._closing[index]
            self._properties(group, node, index + 1, closing)
            return node, closing + 1
        return None, self._closing.get(index, index) + 1

    def _literal(self, index: int) -> tuple[Literal | None, int]:
        tokens = self._tokens
        text = text_of_string(tokens[index])
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is not None and following.kind is Kind.LANGUAGE:
            try:
                return Literal(text, language=following.text[1:]), index + 2
            except ValueError:  # a direction behind it
                return None, index + 2
        if following is not None and following.text == "^^" and index + 2 < len(tokens):
            iri = self._iri(tokens[index + 2])
            try:
                return Literal(text, datatype=NamedNode(iri)) if iri else None, index + 3
            except ValueError:
                return None, index + 3
        return Literal(text), index + 1

    def _iri(self, token: Token) -> str | None:
        return resolve(token, self._query.base, self._query.declared)


def text_of_string(token: Token) -> str:
    """The characters that a string stands for."""
    quotes = 3 if token.text[:3] in ('"""', "'''") and len(token.text) >= 6 else 1
    return _ESCAPE.sub(_unescaped, token.text[quotes:-quotes])


def _unescaped(found: re.Match[str]) -> str:
    if found[3] is not None:
        return _CHARACTERS.get(found[3], found[3])
    number = int(found[1] or found[2], 16)
    return "\ufffd" if 0xD800 <= number < 0xE000 or number > 0x10FFFF else chr(number)


def _number(text: str) -> Literal:
    kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
    return Literal(text, datatype=NamedNode(XSD + kind))
