"""Queries as people have them from Virtuoso, made standard where they have one meaning.

Each leniency is an edit of the text; `Edited` keeps where every character came from, so that an
engine's complaint about the standard text is placed in the text as it was sent.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from service.prefixes import PREFIXES
from service.queries.refusal import QueryRefused
from service.queries.structure import Structure
from service.queries.tokens import Kind, Token

AGGREGATES: Final = frozenset({"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"})
_CLAUSE_ENDS: Final = frozenset({"WHERE", "{", "FROM"})
_BINARY: Final = frozenset({"||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "IN"})
_ODD_SPACE: Final = re.compile(r"[^\S \t\r\n]|\ufeff")
_BIF: Final = PREFIXES["bif"]

STANDARD: Final = {
    "contains": 'FILTER(CONTAINS(LCASE(STR(?text)), "word")) or FILTER(REGEX(STR(?text), "word", "i"))',
    "search_excerpt": "SUBSTR(?text, start, length)",
    "lower": "LCASE(?text)",
    "lcase": "LCASE(?text)",
    "upper": "UCASE(?text)",
    "ucase": "UCASE(?text)",
    "length": "STRLEN(?text)",
    "left": "SUBSTR(?text, 1, length)",
    "right": "SUBSTR(?text, STRLEN(?text) - length + 1)",
    "substring": "SUBSTR(?text, start, length)",
    "subseq": "SUBSTR(?text, start + 1, length)",
    "concat": "CONCAT(?a, ?b)",
    "strstr": "CONTAINS(?text, ?part), or STRBEFORE and STRAFTER",
    "strcasestr": "CONTAINS(LCASE(?text), LCASE(?part))",
    "locate": "STRLEN(STRBEFORE(?text, ?part)) + 1",
    "starts_with": "STRSTARTS(?text, ?start)",
    "ends_with": "STRENDS(?text, ?end)",
    "regexp_match": "REGEX(?text, pattern, flags)",
    "regexp_like": "REGEX(?text, pattern, flags)",
    "regexp_substr": "REPLACE(?text, pattern, replacement)",
    "regexp_replace": "REPLACE(?text, pattern, replacement)",
    "replace": "REPLACE(?text, pattern, replacement)",
    "sprintf": "CONCAT(…)",
    "trim": 'REPLACE(?text, "^\\\\s+|\\\\s+$", "")',
    "either": "IF(test, then, else)",
    "coalesce": "COALESCE(?a, ?b)",
    "isnull": "!BOUND(?x)",
    "now": "NOW()",
    "curdate": "NOW()",
    "curdatetime": "NOW()",
    "year": "YEAR(?dateTime)",
    "month": "MONTH(?dateTime)",
    "dayofmonth": "DAY(?dateTime)",
    "datediff": "a comparison of xsd:date values; whole days between two days are not in SPARQL 1.1",
    "dateadd": "a comparison of xsd:date values",
    "stringdate": "xsd:date(?text)",
    "atoi": "xsd:integer(?text)",
    "atof": "xsd:decimal(?text)",
    "md5": "MD5(?text)",
    "abs": "ABS(?n)",
    "ceiling": "CEIL(?n)",
    "floor": "FLOOR(?n)",
    "round": "ROUND(?n)",
    "rnd": "RAND()",
    "rand": "RAND()",
    "iri": "IRI(?text)",
    "rdf_box": "STRDT or STRLANG",
    "st_distance": "geof:distance(?a, ?b, unit)",
    "st_intersects": "geof:sfIntersects(?a, ?b)",
    "st_point": "a geo:wktLiteral",
}
"""A function of Virtuoso, without `bif:`, to the standard way."""


class Edit(NamedTuple):
    """Put `text` in place of the characters from `start` to `end`, end excluded."""

    start: int
    end: int
    text: str


class Edited(NamedTuple):
    """A text after edits, and the way back."""

    text: str
    starts: tuple[int, ...]
    """Where each kept stretch begins in the new text, ascending …"""
    origins: tuple[int, ...]
    """… and where it began in the former one."""

    def origin(self, offset: int) -> int:
        """The offset in the former text of an offset in this one."""
        index = bisect_right(self.starts, offset) - 1
        following = self.origins[index + 1] if index + 1 < len(self.origins) else None
        came = self.origins[index] + offset - self.starts[index]
        return came if following is None else min(came, following)


def edit(text: str, edits: list[Edit]) -> Edited:
    """Make edits that do not overlap."""
    parts: list[str] = []
    starts, origins = [0], [0]
    done = length = 0
    for change in sorted(edits):
        kept = text[done : change.start]
        parts += [kept, change.text]
        length += len(kept) + len(change.text)
        done = change.end
        starts.append(length)
        origins.append(done)
    parts.append(text[done:])
    return Edited("".join(parts), tuple(starts), tuple(origins))


def leniencies(query: Structure) -> list[Edit]:
    """The edits that make a query standard. Raises `QueryRefused` for Virtuoso's own that has no one meaning."""
    refuse_extensions(query)
    tokens = query.tokens
    edits = [change for index, token in enumerate(tokens) if token.word == "SELECT" for change in _select(query, index)]
    for index, token in enumerate(tokens):
        if token.word == "DEFINE":
            edits.append(_pragma(query, index))
        elif token.word == "GROUP_CONCAT" and index + 1 in query.closing:
            edits += _separator(query, index + 1)
        elif token.word in ("HAVING", "FILTER", "ASC", "DESC"):
            edits += _bracketed(query, index + 1, calls=token.word in ("HAVING", "FILTER"))
    edits += _last_semicolon(tokens)
    edits += _spaces(query)
    return edits


def refuse_extensions(query: Structure) -> None:
    """Refuse Virtuoso's functions and clauses, each with what the standard has in its place."""
    for index, token in enumerate(query.tokens):
        tunes = index > 0 and query.tokens[index - 1].word == "DEFINE"
        name = None if tunes else _extension(token, query.declared)
        if name is not None:
            told = STANDARD.get(name.casefold())
            raise QueryRefused(
                400,
                f"{token.text.strip('<>')} exists on Virtuoso only; in standard SPARQL write "
                + (told or "FILTER with the functions of SPARQL 1.1 §17.4, such as CONTAINS, REGEX, SUBSTR"),
                suggestion=told,
                place=query.at(token),
            )
        if token.word == "LIKE" and index and query.tokens[index - 1].kind in (Kind.VARIABLE, Kind.MARK):
            raise QueryRefused(
                400,
                'LIKE is SQL; in SPARQL write FILTER(CONTAINS(STR(?text), "part")), STRSTARTS or REGEX',
                suggestion="CONTAINS",
                place=query.at(token),
            )
        if token.word == "OPTION" and index + 1 in query.closing:
            raise QueryRefused(
                400,
                "OPTION (…) exists on Virtuoso only; a transitive step is a property path in standard SPARQL: "
                "?a skos:broader+ ?b",
                suggestion="a property path, such as skos:broader+",
                place=query.at(token),
            )


def _extension(token: Token, declared: dict[str, str]) -> str | None:
    """The name of a function of Virtuoso that a token calls, without its prefix."""
    if token.kind is Kind.PREFIXED and token.prefix in ("bif", "sql"):
        own = declared.get(token.prefix, PREFIXES[token.prefix])
        return token.text.split(":", 1)[1] if own in (_BIF, PREFIXES["sql"], "bif:") else None
    if token.kind is Kind.IRI and token.text[1:].startswith(("bif:", "sql:", _BIF)):
        return token.text[1:-1].removeprefix(_BIF).removeprefix("bif:").removeprefix("sql:")
    return None


def _pragma(query: Structure, index: int) -> Edit:
    """Leave out a `define` that tunes Virtuoso's engine; one that changes the meaning is refused."""
    name = query.tokens[index + 1] if index + 2 < len(query.tokens) else None
    if name is None or name.prefix != "sql":
        said = name.text if name else ""
        raise QueryRefused(
            400,
            f"define {said} exists on Virtuoso only; leave it out (FROM chooses a graph; nothing is inferred)",
            place=query.at(query.tokens[index]),
        )
    return Edit(query.tokens[index].start, query.tokens[index + 2].end, "")


def _last_semicolon(tokens: tuple[Token, ...]) -> Iterator[Edit]:
    """A query that ends like an SQL statement."""
    for token in reversed(tokens):
        if token.text != ";":
            return
        yield Edit(token.start, token.end, "")


def _spaces(query: Structure) -> Iterator[Edit]:
    """White space that SPARQL has not, as pages and word processors give it."""
    if not _ODD_SPACE.search(query.text):
        return
    done = 0
    for token in query.tokens:
        for found in _ODD_SPACE.finditer(query.text, done, token.start):
            yield Edit(found.start(), found.end(), " ")
        done = token.end
    for found in _ODD_SPACE.finditer(query.text, done):
        yield Edit(found.start(), found.end(), " ")


def _separator(query: Structure, opening: int) -> Iterator[Edit]:
    """`GROUP_CONCAT(?x, ", ")`, as Virtuoso writes the separator."""
    closing = query.closing[opening]
    last = query.tokens[closing - 1]
    if closing - opening > 3 and last.kind is Kind.STRING and query.tokens[closing - 2].text == ",":
        comma = query.tokens[closing - 2]
        yield Edit(comma.start, last.end, f"; SEPARATOR={last.text}")


def _bracketed(query: Structure, index: int, *, calls: bool) -> Iterator[Edit]:
    """`HAVING COUNT(?x) > 1`, `FILTER ?a = ?b`, `DESC ?n`: brackets round an expression that lacks them.

    `calls` says that a call of a function may stand there without them.
    """
    end = expression_end(query, index)
    if index >= end or query.tokens[index].word in ("EXISTS", "NOT"):
        return
    first = query.tokens[index]
    named = first.kind in (Kind.WORD, Kind.PREFIXED, Kind.IRI)
    called = calls and named and index + 1 in query.closing and query.closing[index + 1] == end - 1
    if not (first.text == "(" and query.closing[index] == end - 1) and not called:
        yield Edit(first.start, first.start, "(")
        yield Edit(query.tokens[end - 1].end, query.tokens[end - 1].end, ")")


class _Item(NamedTuple):
    """One item of a SELECT clause: its tokens by index, end excluded, and whether it has a name."""

    start: int
    end: int
    named: bool
    bracketed: bool


def _select(query: Structure, index: int) -> Iterator[Edit]:
    """Bracket the expressions of a SELECT clause, drop its commas, and group by its plain variables.

    `SELECT ?g, COUNT(?x) AS ?n` is `SELECT ?g (COUNT(?x) AS ?n) … GROUP BY ?g` on Virtuoso.
    """
    tokens = query.tokens
    items, end, commas = _items(query, index + 1)
    yield from (Edit(comma.start, comma.end, " ") for comma in commas)
    plain: list[str] = []
    unnamed = 0
    for item in items:
        first, last = tokens[item.start], tokens[item.end - 1]
        inside = tokens[item.start + 1 : item.end - 1]
        if item.end - item.start == 1 and first.kind is Kind.VARIABLE:
            plain.append(first.text)
        elif item.bracketed and len(inside) == 1 and inside[0].kind is Kind.VARIABLE:
            plain.append(inside[0].text)
            yield Edit(first.start, first.end, " ")
            yield Edit(last.start, last.end, " ")
        else:
            name = "" if item.named else f" AS ?callret_{unnamed}"
            unnamed += not item.named
            if not item.bracketed:
                yield Edit(first.start, first.start, "(")
                yield Edit(last.end, last.end, f"{name})")
            elif name:
                yield Edit(last.start, last.start, name)
    aggregates = any(token.word in AGGREGATES for item in items for token in tokens[item.start : item.end])
    where = next((at for at in range(end, len(tokens)) if tokens[at].text == "{"), None)
    if aggregates and plain and where is not None:
        body = query.closing[where]
        if body + 1 == len(tokens) or tokens[body + 1].word != "GROUP":
            yield Edit(tokens[body].end, tokens[body].end, f" GROUP BY {' '.join(plain)} ")


def _items(query: Structure, index: int) -> tuple[list[_Item], int, list[Token]]:
    """The items of the SELECT clause from a token on, the index after them, and the commas between them."""
    tokens = query.tokens
    items: list[_Item] = []
    commas: list[Token] = []
    if index < len(tokens) and tokens[index].word in ("DISTINCT", "REDUCED"):
        index += 1
    while index < len(tokens) and tokens[index].word not in _CLAUSE_ENDS:
        if tokens[index].text == ",":
            commas.append(tokens[index])
            index += 1
        elif tokens[index].text == "*":
            index += 1
        else:
            start = index
            index = expression_end(query, index)
            bracketed = tokens[start].text == "(" and query.closing[start] == index - 1
            named = bracketed and tokens[index - 3].word == "AS"
            if index + 1 < len(tokens) and tokens[index].word == "AS" and tokens[index + 1].kind is Kind.VARIABLE:
                index, named, bracketed = index + 2, True, False
            items.append(_Item(start, index, named, bracketed))
    return items, index, commas


def expression_end(query: Structure, index: int) -> int:
    """The index after one expression: operands, calls and the operators between them."""
    tokens = query.tokens
    while index < len(tokens):
        while index < len(tokens) and tokens[index].word in ("!", "-", "+"):
            index += 1
        called = index < len(tokens) and tokens[index].kind in (Kind.WORD, Kind.PREFIXED, Kind.IRI)
        if index in query.closing:
            index = query.closing[index] + 1
        else:
            index += 1
            if called and index in query.closing and tokens[index].text == "(":
                index = query.closing[index] + 1
        if index + 1 < len(tokens) and tokens[index].word == "NOT" and tokens[index + 1].word == "IN":
            index += 1
        if index >= len(tokens) or tokens[index].word not in _BINARY:
            break
        index += 1
    return min(index, len(tokens))
