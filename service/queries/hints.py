"""What was most likely meant where a query breaks the grammar, by what stands around that place."""

from typing import Final

from service.queries.structure import Structure
from service.queries.tokens import Kind, Token

_TERMS: Final = frozenset({Kind.IRI, Kind.PREFIXED, Kind.STRING, Kind.NUMBER, Kind.VARIABLE, Kind.BLANK, Kind.LANGUAGE})
_BRACED: Final = frozenset({"OPTIONAL", "UNION", "MINUS", "EXISTS", "WHERE", "LATERAL"})
_LAST: Final = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET")
_NO_CALLS: Final = frozenset({"AS", "BIND", "FILTER", "IN", "VALUES", "SELECT", "DISTINCT", "HAVING", "BY", "A"})

COMPLAINTS: Final = {
    "The SELECT contains a variable that is unbound": "SELECT names a variable that is neither in GROUP BY nor inside "
    "an aggregate such as COUNT or SAMPLE",
    "The SELECT contains an expression with a variable that is unbound": "an expression in SELECT uses a variable "
    "that is neither in GROUP BY nor inside an aggregate",
    "The SELECT overrides an existing variable": "AS gives a name that the patterns have already; take another",
    "Duplicated variable name in SELECT": "SELECT names a variable twice",
    "SELECT * is not authorized with GROUP BY": "SELECT * cannot stand with GROUP BY or aggregates; name variables",
}
"""What an engine says about a query that is grammatical and yet none; to what a person is told."""


def of_meaning(message: str) -> str | None:
    """What a person is told of an engine's complaint that is not about the grammar."""
    return next((told for said, told in COMPLAINTS.items() if said in message), None)


def hint(query: Structure, index: int) -> str:
    """What is wrong at a token, which is the first that cannot stand where it does; past the last at the end."""
    before = query.tokens[index - 1] if index else None
    if before and before.word in ("ASC", "DESC"):
        return f"write {before.word}(?x)"
    if index >= len(query.tokens):
        return f"the query is not complete: something is missing after {_shown(before)}"
    here = query.tokens[index]
    around = _around(query, index)
    if index > 1 and query.tokens[index - 2].word == "VALUES" and here.kind is Kind.VARIABLE:
        return "several variables of VALUES stand in brackets: VALUES (?x ?y) { (1 2) }"
    if before and before.text == ")" and _owner(query, index - 1) == "BIND":
        return f"the variable after AS, {_shown(query.tokens[index - 2])}, has a value already; take a new name"
    return (
        _by_word(here, before, around)
        or _by_mark(here, before, around)
        or f"{_shown(here)} cannot stand here" + (f", after {_shown(before)}" if before else "")
    )


def _by_word(here: Token, before: Token | None, around: tuple[str, Token | None]) -> str | None:
    """Where a keyword tells it."""
    bracket, owner = around
    last = before.word if before else ""
    if here.kind is Kind.LANGUAGE and here.text.lower() in ("@prefix", "@base"):
        return f"{here.text} is Turtle; in SPARQL write {here.text[1:].upper()} without the @ and without the dot"
    if last in ("LIMIT", "OFFSET"):
        return f"{last} is followed by a whole number, such as {last} 100"
    if last in ("ORDER", "GROUP"):
        return f"BY is missing: {last} BY ?x"
    if here.word in ("ASC", "DESC"):
        return f"write {here.word}(?x)"
    if last in _BRACED and here.text != "{":
        return f"{last} is followed by braces: {last} {{ … }}"
    if here.word in _LAST:
        place = "comes after the last brace" if bracket == "{" else f"stands in another place: {_order()}"
        return f"{here.word} {place}"
    if before and before.kind is Kind.WORD and here.text not in "({" and last not in _NO_CALLS and here.kind in _TERMS:
        return f"{last} is followed by something else: brackets, if it is a function: {last}(?x)"
    if not bracket and here.text in (".", ";"):
        return f"nothing stands between declarations and the query, no {_shown(here)}"
    if bracket == "{" and owner is not None and owner.word == "VALUES" and here.text == ",":
        return "the values of VALUES stand side by side, without commas"
    return None


def _by_mark(here: Token, before: Token | None, around: tuple[str, Token | None]) -> str | None:
    """Where terms and marks tell it."""
    bracket, owner = around
    called = owner.word if owner is not None and owner.kind is Kind.WORD and owner.word not in _NO_CALLS else ""
    if before is None:
        return None
    if here.text == "=" and before.text == "=":
        return "equality is one sign: ="
    if here.text == "^" and before.kind is Kind.STRING:
        return 'a datatype has two signs: "2020-01-01"^^xsd:date'
    if bracket == "(" and called and here.text == ")":
        return f"{called}(…) lacks something before this bracket"
    if bracket == "(" and called and here.text == ",":
        return f"{called}(…) takes no more than this"
    if bracket == "(" and before.kind is Kind.VARIABLE and here.text == ")":
        return f"{_shown(before)} cannot be the name here: it has a value already, or AS is missing before it"
    if bracket == "(" and here.kind is Kind.VARIABLE:
        return f"AS, a comma or an operator is missing before {_shown(here)}"
    if bracket == "{" and here.kind in _TERMS and (before.kind in _TERMS or before.text in (")", "]")):
        return f"a dot is missing between two patterns, before {_shown(here)}"
    if here.text in (".", ";", ",", "}") and before.kind in _TERMS:
        return f"something is missing after {_shown(before)}: a pattern is subject, predicate and value"
    return None


def _around(query: Structure, index: int) -> tuple[str, Token | None]:
    """The bracket that is open at a token, empty if none, and the word that it belongs to."""
    opening = max((first for first, last in query.closing.items() if first < index <= last), default=None)
    if opening is None:
        return "", None
    at = opening - 1
    closed = {last: first for first, last in query.closing.items()}
    while at > 0 and (query.tokens[at].kind is Kind.VARIABLE or at in closed):
        at = closed.get(at, at) - 1
    return query.tokens[opening].text, query.tokens[at] if at >= 0 else None


def _owner(query: Structure, index: int) -> str:
    word = _around(query, index)[1]
    return word.word if word else ""


def _order() -> str:
    return "GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET follow one another after the last brace"


def _shown(token: Token | None) -> str:
    return f"“{token.text[:40]}”" if token else "its beginning"
