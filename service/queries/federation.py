"""SERVICE clauses: which may be called, what each partner is asked, and its answer put in their place.

The engine never calls anybody: a clause becomes a VALUES block of the partner's solutions before
the query runs. Values that the query binds before the clause are sent along (as keys), so that a
partner gives what can join and not all it has.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from pyoxigraph import BlankNode, Literal, NamedNode

import sparql
from service.queries.dialect import Edit, edit, expression_end
from service.queries.reading import ReadQuery, read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, Service, Structure
from service.queries.tokens import Kind

MOST_CLAUSES: Final = 5
EXPANDED: Final = 20
"""How many times longer a query may become by the answers that are put into it."""

Value = NamedNode | Literal | None
Rows = Sequence[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Solutions:
    """A table: variables without their marks, and rows in their order."""

    variables: tuple[str, ...]
    rows: Rows


class Partner(Protocol):
    """Asks a partner. Raises `QueryRefused` (502, 413) if it does not answer within its limits."""

    def __call__(self, address: str, query: str) -> Solutions: ...


@dataclass(frozen=True, slots=True)
class Federation:
    """Whom SERVICE may name, and how they are asked."""

    partners: tuple[str, ...]
    most_keys: int
    ask: Partner


def federate(
    found: ReadQuery, federation: Federation, size: QuerySize, local: Callable[[str, ReadQuery], Solutions]
) -> ReadQuery:
    """Ask the partners of a query, in its order, and return it with their answers in place.

    `local` runs a SELECT query with the prefixes of the query given. Raises `QueryRefused`: 403 for
    an address that is no partner, 400 for a form that cannot be carried out, 502 for a partner that fails.
    """
    refuse_strangers(found.structure, federation.partners)
    roomy = replace(size, characters=size.characters * EXPANDED)
    while found.structure.services:
        found = _without_first(found, federation, roomy, local)
    return found


def refuse_strangers(query: Structure, partners: tuple[str, ...]) -> None:
    """Refuse every clause that may not be carried out, before anybody is asked."""
    if len(query.services) > MOST_CLAUSES:
        raise QueryRefused(400, f"at most {MOST_CLAUSES} SERVICE clauses a query", limit="service_clauses")
    listed = ", ".join(f"<{partner}>" for partner in partners) or "none"
    for service in query.services:
        where = query.at(query.tokens[service.keyword])
        if service.address is None:
            raise QueryRefused(
                403,
                f"{where}: SERVICE must name its endpoint; a variable could name any. Partners: {listed}",
                place=where,
            )
        if service.address not in partners:
            raise QueryRefused(
                403,
                f"{where}: SERVICE <{service.address}> is not called from here; partners of this endpoint: {listed}",
                place=where,
            )
        if any(other.opening < service.keyword < other.closing for other in query.services):
            raise QueryRefused(400, f"{where}: a SERVICE clause inside another is not carried out", place=where)


def _without_first(
    found: ReadQuery, federation: Federation, size: QuerySize, local: Callable[[str, ReadQuery], Solutions]
) -> ReadQuery:
    """The query with the answer to its first clause in place."""
    query = found.structure
    service = query.services[0]
    first, last = query.tokens[service.keyword], query.tokens[service.closing]
    try:
        answer = _answer(found, service, federation, local)
        block = _values(answer)
    except QueryRefused as refusal:
        if not service.silent or refusal.status != 502:
            raise
        block = ""  # SILENT: one solution without bindings
    # On the lines that the clause had, so that what follows stays on its own.
    lines = "\n" * query.text.count("\n", first.start, last.end)
    changed = edit(query.text, [Edit(first.start, last.end, f" {block.replace(chr(10), ' ')} {lines}")])
    return read(changed.text, size)


def _answer(
    found: ReadQuery, service: Service, federation: Federation, local: Callable[[str, ReadQuery], Solutions]
) -> Solutions:
    query = found.structure
    inside = query.text[query.tokens[service.opening].end : query.tokens[service.closing].start]
    keys = _keys(found, service, federation.most_keys, local)
    if keys is not None and not keys.rows:
        return Solutions(tuple(sorted(_variables(query, service.opening, service.closing))), ())
    pushed = _values(keys) if keys else ""
    assert service.address is not None
    return federation.ask(service.address, f"{_prologue(found, service)}SELECT * WHERE {{ {pushed} {{ {inside} }} }}")


def _prologue(found: ReadQuery, service: Service) -> str:
    """The declarations that the pattern of a clause needs at its partner."""
    query = found.structure
    known = found.prefixes | query.declared
    used = {
        token.prefix: known[token.prefix]
        for token in query.tokens[service.opening : service.closing]
        if token.kind is Kind.PREFIXED
    }
    base = f"BASE <{query.base}>\n" if query.base else ""
    return base + "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in sorted(used.items()))


def _keys(
    found: ReadQuery, service: Service, most: int, local: Callable[[str, ReadQuery], Solutions]
) -> Solutions | None:
    """The values that the query binds before a clause for variables of the clause; None if they are unknown or many."""
    query = found.structure
    before = _before(query, service)
    if before is None or not most:
        return None
    shared = sorted(_variables(query, service.opening, service.closing) & before.variables)
    if not shared:
        return None
    names = " ".join(f"?{name}" for name in shared)
    dataset = " ".join(_dataset(query))
    solutions = local(f"SELECT DISTINCT {names} {dataset} WHERE {{ {before.text} }} LIMIT {most + 1}", found)
    if len(solutions.rows) > most:
        return None
    bound = [index for index in range(len(shared)) if all(row[index] is not None for row in solutions.rows)]
    rows = dict.fromkeys(tuple(row[index] for index in bound) for row in solutions.rows)
    return Solutions(tuple(shared[index] for index in bound), tuple(rows)) if bound else None


@dataclass(frozen=True, slots=True)
class _Before:
    """What stands before a clause in its group, without filters: they may need what comes after."""

    text: str
    variables: frozenset[str]


def _before(query: Structure, service: Service) -> _Before | None:
    """What is evaluated before a clause; from the group around an OPTIONAL too, which is joined to it."""
    start, end = _group(query, service.keyword), service.keyword
    while start is not None and start + 1 == end and query.tokens[start - 1].word == "OPTIONAL":
        end = start - 1
        start = _group(query, start)
    if start is None or start + 1 >= end or _in_named_graph(query, start):
        return None
    removed = list(_filters(query, start + 1, end))
    if any(query.tokens[index].word == "SERVICE" for index in range(start + 1, end)):
        return None
    offset = query.tokens[start].end
    edits = [Edit(change.start - offset, change.end - offset, "") for change in removed]
    text = edit(query.text[offset : query.tokens[end].start], edits).text
    return _Before(text, frozenset(_variables(query, start, end)))


def _group(query: Structure, index: int) -> int | None:
    """The index of the brace that opens the innermost group around a token."""
    found = [
        opening
        for opening, closing in query.closing.items()
        if opening < index <= closing and query.tokens[opening].text == "{"
    ]
    return max(found, default=None)


def _in_named_graph(query: Structure, opening: int) -> bool:
    """Whether a group stands inside GRAPH: what is before it there is not in the default graph."""
    around: int | None = opening
    while around is not None:
        if around >= 2 and query.tokens[around - 2].word == "GRAPH":
            return True
        around = _group(query, around)
    return False


def _filters(query: Structure, start: int, end: int) -> Iterator[Edit]:
    """The filters of a group, as what to leave out."""
    index = start
    while index < end:
        token = query.tokens[index]
        if token.word == "FILTER":
            last = index + 1
            while query.tokens[last].word in ("NOT", "EXISTS"):
                last += 1
            last = query.closing[last] + 1 if query.tokens[last].text == "{" else expression_end(query, last)
            yield Edit(token.start, query.tokens[last - 1].end, "")
            index = last
        else:
            index = query.closing.get(index, index) + 1


def _variables(query: Structure, start: int, end: int) -> set[str]:
    return {token.text[1:] for token in query.tokens[start:end] if token.kind is Kind.VARIABLE}


def _dataset(query: Structure) -> Iterator[str]:
    for index, token in enumerate(query.tokens[:-1]):
        if token.word == "FROM":
            named = query.tokens[index + 1].word == "NAMED"
            yield f"FROM {'NAMED ' if named else ''}{query.tokens[index + 1 + named].text}"


def _values(solutions: Solutions) -> str:
    """Solutions as a VALUES block."""
    if not solutions.variables:
        return "" if solutions.rows else "FILTER(false)"
    names = " ".join(f"?{name}" for name in solutions.variables)
    return sparql.bind(f"VALUES ({names}) {{ }}", names, solutions.rows)


def skolemised(term: object, scope: str) -> Value:
    """A term of a partner as a value: its blank nodes become IRIs, since no VALUES can hold them."""
    if isinstance(term, BlankNode):
        return NamedNode(f"{scope}{term.value}")
    if term is None or isinstance(term, NamedNode | Literal):
        return term
    raise QueryRefused(502, "a partner answers with quoted triples, which cannot be joined here")
