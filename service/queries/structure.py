"""The structure of a query: which bracket closes which, its form, prefixes, graphs and services, and its size."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import urljoin

from service.prefixes import PREFIXES
from service.queries.refusal import QueryRefused
from service.queries.tokens import Kind, Place, Token, place, tokens

FORMS: Final = frozenset({"SELECT", "CONSTRUCT", "DESCRIBE", "ASK"})
UPDATES: Final = frozenset({"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"})
VOLATILE: Final = frozenset({"NOW", "RAND", "UUID", "STRUUID"})
"""Functions whose value another run would not repeat."""
_CLOSES: Final = {"}": "{", ")": "(", "]": "[", "|}": "{|", ")>>": "<<(", ">>": "<<"}
_OPENS: Final = frozenset(_CLOSES.values())
_STEPS: Final = frozenset({"/", "|", "^"})
_PATTERNS: Final = frozenset(
    {"UNION", "OPTIONAL", "GRAPH", "MINUS", "FILTER", "BIND", "SERVICE", "EXISTS", "SELECT", "LATERAL", "VALUES"}
)
_OPERATORS: Final = frozenset({"||", "&&", "!", "!=", "<", ">", "<=", ">=", "=", "+", "-", "*"})
_ESCAPED: Final = re.compile(r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ENTITIES: Final = {"&gt;": ">", "&lt;": "<", "&amp;": "&", "&quot;": '"', "&#39;": "'", "&nbsp;": "a space"}
"""What queries that are copied from the source of a page hold."""
_TERMS: Final = frozenset({Kind.IRI, Kind.PREFIXED, Kind.STRING, Kind.NUMBER, Kind.VARIABLE, Kind.BLANK})


@dataclass(frozen=True, slots=True)
class QuerySize:
    """How large a query may be before a parser sees it. Engines recurse where people nest."""

    characters: int
    depth: int
    """Brackets inside brackets."""
    patterns: int
    """Triple patterns, path steps and group patterns together."""
    operators: int
    """Operators in expressions."""


class Service(NamedTuple):
    """A SERVICE clause: the tokens of its keyword and of its braces, by index, and its address."""

    keyword: int
    opening: int
    closing: int
    address: str | None
    """None where it is a variable."""
    silent: bool


@dataclass(frozen=True, slots=True)
class Structure:
    """What was read from the tokens of one query."""

    text: str
    tokens: tuple[Token, ...]
    closing: dict[int, int]
    """Index of an opening bracket to that of its closing one."""
    form: str
    """SELECT, CONSTRUCT, DESCRIBE or ASK."""
    base: str
    """The base IRI that the query declares; empty if none."""
    declared: dict[str, str]
    used: dict[str, Token]
    """Prefix to the first name that uses it, declarations aside."""
    graphs: tuple[tuple[str, Token], ...]
    """The IRIs after FROM and FROM NAMED."""
    services: tuple[Service, ...]
    volatile: bool

    @property
    def dataset(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The default graphs and the named graphs that FROM names."""
        named = {token for before, token in pairwise(self.tokens) if before.word == "NAMED"}
        default = tuple(dict.fromkeys(iri for iri, token in self.graphs if token not in named))
        return default, tuple(dict.fromkeys(iri for iri, token in self.graphs if token in named))

    def at(self, token: Token) -> Place:
        """Where a token stands."""
        return place(self.text, token.start)


def read_structure(text: str, size: QuerySize) -> Structure:
    """Read the structure of a query. Raises `QueryRefused` for what is too large, not closed, or no query."""
    if len(text) > size.characters:
        raise QueryRefused(
            413, f"the query has {len(text):,} characters; {size.characters:,} are allowed", limit="query_characters"
        )
    read, closing = _balanced(text, size)
    if not read:
        raise QueryRefused(
            400, "the query is empty; write a SELECT, ASK, CONSTRUCT or DESCRIBE query", place=Place(1, 1)
        )
    form = _form(text, read)
    base, declared, prologue = _prologue(read)
    used: dict[str, Token] = {}
    for token in read[prologue:]:
        if token.kind is Kind.PREFIXED:
            used.setdefault(token.prefix, token)
    words = {token.word for token in read}
    return Structure(
        text=text,
        tokens=read,
        closing=closing,
        form=form,
        base=base,
        declared=declared,
        used=used,
        graphs=tuple(_graphs(read, base, declared)) if "FROM" in words else (),
        services=tuple(_services(read, closing, base, declared)) if "SERVICE" in words else (),
        volatile=not VOLATILE.isdisjoint(words),
    )


def _balanced(text: str, size: QuerySize) -> tuple[tuple[Token, ...], dict[int, int]]:
    """The tokens, and which bracket closes which; refuses as soon as a limit is passed."""
    read: list[Token] = []
    closing: dict[int, int] = {}
    opened: list[int] = []
    data = -1  # the depth at which a VALUES block stands; what is in it are terms, no patterns
    patterns = operators = 0
    for index, token in enumerate(tokens(text)):
        read.append(token)
        if token.kind is Kind.STRAY:
            raise _refused(text, token, _stray(text, token))
        word = token.word
        if not word:
            if token.kind in _TERMS and data < 0 and _in_collection(read, opened):
                patterns += 1
        elif word in _OPENS:
            if word == "{" and data < 0:
                if _begins_data(read, closing):
                    data = len(opened)
                else:
                    patterns += read[index - 1].kind is not Kind.WORD  # a group that no keyword begins
            opened.append(index)
            if len(opened) > size.depth:
                raise _too_large(text, token, "brackets inside brackets", size.depth, "query_depth")
        elif word in _CLOSES:
            if not opened or read[opened[-1]].text != _CLOSES[word]:
                wanted = f"; {_shown(read[opened[-1]])} is still open" if opened else ""
                raise _refused(text, token, f"{_shown(token)} closes nothing{wanted}")
            closing[opened.pop()] = index
            if len(opened) == data:
                data = -1
        elif word in _STEPS or word in _PATTERNS:
            patterns += 1
        elif word in (".", ";", ","):
            patterns += data < 0 and not (opened and read[opened[-1]].text == "(")
        elif word in _OPERATORS:
            operators += 1
        if patterns > size.patterns:
            raise _too_large(text, token, "triple patterns and path steps", size.patterns, "query_patterns")
        if operators > size.operators:
            raise _too_large(text, token, "operators", size.operators, "query_operators")
    if opened:
        last = read[opened[-1]]
        raise _refused(text, last, f"{_shown(last)} is never closed")
    return tuple(read), closing


def _stray(text: str, token: Token) -> str:
    """What is wrong with a character that begins no token."""
    first = token.text[0]
    for entity, meant in _ENTITIES.items():
        if text.startswith(entity, token.start):
            return f"“{entity}” is HTML for {meant}; write {meant}"
    if first in "\"'":
        return f"the text {_shown(token)} has no closing quote on its line"
    if first in "“”„«»‘’‚":
        return f'{_shown(token)} is a typographic quote; write a straight one: "'
    shown = f"“{first}”" if first.isprintable() and not first.isspace() else "an invisible character"
    return f"{shown} (U+{ord(first):04X}) begins nothing that SPARQL knows"


def _in_collection(read: list[Token], opened: list[int]) -> bool:
    """Whether the last term stands in an RDF collection: brackets among triples that belong to no function."""
    if len(opened) < 2 or read[opened[-1]].text != "(":
        return False
    before = read[opened[-1] - 1]
    return before.kind is not Kind.WORD and read[opened[-2]].text in ("{", "[", "(")


def _begins_data(read: list[Token], closing: dict[int, int]) -> bool:
    """Whether the last token, a brace, opens the rows of a VALUES clause."""
    before = len(read) - 2
    if before > 0 and read[before].text == ")":
        # The bracket that closed last is this one; its opening stands at the end of the dictionary.
        before = next(reversed(closing))
    elif before < 1 or read[before].kind is not Kind.VARIABLE:
        return False
    return before >= 1 and read[before - 1].word == "VALUES"


def _form(text: str, read: tuple[Token, ...]) -> str:
    for token in read:
        if token.word in FORMS:
            return token.word
        if token.word in UPDATES:
            raise QueryRefused(
                400,
                f"this is an update ({token.word}); the endpoint is read-only and takes SPARQL queries alone",
                place=place(text, token.start),
            )
        if token.word == "{":
            break
    for token in read:
        meant = get_close_matches(token.word[:20], FORMS, n=1, cutoff=0.7) if token.kind is Kind.WORD else ()
        if meant:
            where = place(text, token.start)
            raise QueryRefused(
                400,
                f"{where}: {_shown(token)} is no word of SPARQL; did you mean {meant[0]}?",
                suggestion=meant[0],
                place=where,
            )
        if token.word == "{":
            break
    raise QueryRefused(
        400,
        "this is no SPARQL query: SELECT, ASK, CONSTRUCT or DESCRIBE is missing",
        place=place(text, read[0].start),
    )


def _prologue(read: tuple[Token, ...]) -> tuple[str, dict[str, str], int]:
    """The base IRI, the declared prefixes, and the index of the first token after them."""
    base, declared, index = "", dict[str, str](), 0
    while index < len(read):
        word = read[index].word
        if word == "PREFIX" and index + 2 < len(read) and read[index + 2].kind is Kind.IRI:
            declared[read[index + 1].prefix] = _joined(base, iri_of(read[index + 2]))
            index += 3
        elif word == "BASE" and index + 1 < len(read):
            base = _joined(base, iri_of(read[index + 1]))
            index += 2
        elif word in FORMS or word in UPDATES:
            break
        else:
            index += 1
    return base, declared, index


def _graphs(read: tuple[Token, ...], base: str, declared: dict[str, str]) -> Iterable[tuple[str, Token]]:
    for index, token in enumerate(read[:-1]):
        if token.word == "FROM":
            named = read[index + 1 + (read[index + 1].word == "NAMED")] if index + 2 < len(read) else read[index + 1]
            iri = resolve(named, base, declared)
            if iri is not None:
                yield iri, named


def _services(
    read: tuple[Token, ...], closing: dict[int, int], base: str, declared: dict[str, str]
) -> Iterable[Service]:
    for index, token in enumerate(read):
        if token.word != "SERVICE":
            continue
        silent = index + 1 < len(read) and read[index + 1].word == "SILENT"
        name = index + 1 + silent
        opening = name + 1
        if opening in closing:
            yield Service(index, opening, closing[opening], resolve(read[name], base, declared), silent)


def resolve(token: Token, base: str, declared: dict[str, str]) -> str | None:
    """The IRI that a token names, by base and prefixes; None for what is no IRI."""
    if token.kind is Kind.IRI:
        return _joined(base, iri_of(token))
    if token.kind is Kind.PREFIXED:
        namespace = declared.get(token.prefix, PREFIXES.get(token.prefix))
        local = token.text.split(":", 1)[1].replace("\\", "")
        return None if namespace is None else namespace + local
    return None


def _joined(base: str, iri: str) -> str:
    """An IRI reference by its base."""
    if not base or _SCHEME.match(iri):
        return iri
    try:
        joined = urljoin(base, iri)
    except ValueError:  # such as "//[": what it names is for the engine to refuse
        return iri
    return joined + "#" if iri.endswith("#") and not joined.endswith("#") else joined  # which urljoin drops


def iri_of(token: Token) -> str:
    """The text between the angle brackets, with code point escapes resolved."""
    inner = token.text[1:-1] if token.kind is Kind.IRI else ""
    return _ESCAPED.sub(lambda found: _character(int(found[0][2:], 16)), inner)


def _character(number: int) -> str:
    """The character of a code point; surrogates and what is beyond Unicode are none."""
    return "\ufffd" if 0xD800 <= number < 0xE000 or number > 0x10FFFF else chr(number)


def _shown(token: Token) -> str:
    text = token.text if len(token.text) <= 30 else token.text[:30] + "…"
    return f"“{text}”"


def _refused(text: str, token: Token, what: str) -> QueryRefused:
    where = place(text, token.start)
    return QueryRefused(400, f"{where}: {what}", place=where)


def _too_large(text: str, token: Token, what: str, limit: int, name: str) -> QueryRefused:
    where = place(text, token.start)
    return QueryRefused(
        400,
        f"{where}: the query has more than {limit:,} {what}, which is the limit here; split it",
        place=where,
        limit=name,
    )
