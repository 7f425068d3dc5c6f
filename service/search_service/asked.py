"""What a query seeks: its searches with their options, and the query as it is run over their hits.

A search is a pattern with `emi:matches`; its options are the further patterns of the same subject. Of
several searches in one query each gets terms of its own for what only it can tell (`emi:similarity` …), and a
group whose text is one of several stands once for each, so that no hit of one passes for a hit of another.
"""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import product
from typing import Final, Literal, NoReturn, cast

import pyoxigraph as ox

from ontology import EMI
from service.queries.dialect import Edit, edit
from service.queries.refusal import QueryRefused
from service.queries.structure import Structure, resolve
from service.search_service import terms
from service.search_service.patterns import Pattern, Patterns, Unbound, Value, read_patterns

OWN: Final = "urn:emiciclo:search:"
"""Before the terms that one of several searches has of its own."""
Mode = Literal["hybrid", "semantic", "text"]
Kind = Literal["chunks", "acts"]
_MODES: Final = ("hybrid", "semantic", "text")
_STEPS: Final = frozenset({"/", "|", "^", "*", "+", "?", "!"})
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Search:
    """One search, for the engine. Groups are as a person names them; days are included."""

    text: str
    kind: Kind = "chunks"
    mode: Mode = "hybrid"
    limit: int = terms.DEFAULT_LIMIT
    groups: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    date_from: date | None = None
    date_until: date | None = None
    minimum_relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class Sought:
    """A search as the query writes it."""

    search: Search
    own: str
    """Before the local names of what only this search tells: the ontology's namespace if there is no other search."""
    said: tuple[tuple[str, Value], ...]
    """Properties with the values that the query gives, which are true of every hit."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The searches of a query, and what is run over their hits."""

    sought: tuple[Sought, ...]
    text: str


@dataclass(slots=True)
class _Asked:
    """One `emi:matches` with what belongs to it; a search for each of its texts."""

    pattern: Pattern
    texts: list[ox.Literal]
    options: "_Options"
    verbs: list[Pattern]
    """The patterns whose predicates only this search can tell."""


@dataclass(slots=True)
class _Options:
    search: Search
    said: list[tuple[str, Value]] = field(default_factory=list)


def plan(query: Structure) -> Plan:
    """Read what a query seeks. Raises `QueryRefused` that says how to write it."""
    found = read_patterns(query)
    if found is None:
        return Plan((), query.text)
    if found.named:
        _refuse(query, found.named[0], "there are no named graphs here: leave GRAPH out")
    around = _Around(query)
    matches = [pattern for pattern in found.triples if pattern.predicate == terms.MATCHES]
    _refuse_paths(query)
    if not matches and found.triples:
        _refuse(query, found.triples[0].verb, f"nothing is sought; write {terms.EXAMPLE}")
    asked = [_read(query, found, pattern, around) for pattern in matches]
    _refuse_shared(query, asked)
    together = sum(len(one.texts) for one in asked)
    if together > terms.MOST_SEARCHES:
        _refuse(query, matches[-1].verb, f"{together} searches in one query; {terms.MOST_SEARCHES} are allowed")
    hits = sum(len(one.texts) * one.options.search.limit for one in asked)
    if hits > terms.MOST_HITS_TOGETHER:
        _refuse(
            query, matches[-1].verb,
            f"the limits of the searches add up to {hits:,} hits; {terms.MOST_HITS_TOGETHER:,} are allowed together",
        )  # fmt: skip
    return _planned(query, asked, around, found.where)


def _read(query: Structure, found: Patterns, pattern: Pattern, around: "_Around") -> _Asked:
    """A search with its options."""
    subject = pattern.subject
    if subject is None:
        _refuse(query, pattern.verb, f"what is sought must be a variable; write {terms.EXAMPLE}")
    related = [
        other
        for other in found.triples
        if other.subject == subject and other is not pattern and around.related(other.group, pattern.group)
    ]
    if any(other.predicate == terms.MATCHES for other in related):
        _refuse(
            query, pattern.verb,
            "one text for each variable: seek the second text with a variable of its own, "
            "and join the two by FILTER(?first = ?second), or write them as branches of a UNION",
        )  # fmt: skip
    return _Asked(
        pattern,
        _texts(query, found, pattern),
        _options(query, found, pattern, related),
        [pattern, *(other for other in related if other.predicate in terms.OF_ONE_SEARCH)],
    )


def _texts(query: Structure, found: Patterns, pattern: Pattern) -> list[ox.Literal]:
    values = found.of(pattern.object)
    texts = [value for value in values if isinstance(value, ox.Literal)]
    if not texts or len(texts) < len(values):
        told = f"?{pattern.object.name} has no text here" if isinstance(pattern.object, Unbound) else "this is no text"
        _refuse(
            query, pattern.verb + 1,
            f'{told}: emi:matches takes a text in quotes, or a variable that VALUES gives texts inside the same '
            f"SERVICE clause; write {terms.EXAMPLE}",
        )  # fmt: skip
    return texts


def _options(query: Structure, found: Patterns, pattern: Pattern, related: Sequence[Pattern]) -> _Options:
    """The options of a search, from the patterns of its subject."""
    options = _Options(Search(""))
    given: dict[str, list[tuple[Pattern, Value]]] = {}
    for other in related:
        if other.predicate in terms.OPTIONS or other.predicate == terms.TYPE:
            for value in _given(query, found, other):
                given.setdefault(other.predicate, []).append((other, value))
    taken: dict[str, object] = {"kind": _kind(query, given.get(terms.TYPE, []))}
    for predicate, name, reading in (
        (terms.LIMIT, "limit", _limit),
        (terms.MODE, "mode", _mode),
        (terms.FROM, "date_from", _day),
        (terms.UNTIL, "date_until", _day),
        (terms.MINIMUM_RELEVANCE, "minimum_relevance", _share),
    ):
        values = given.get(predicate, [])
        if len({value for _, value in values}) > 1:
            _refuse(query, values[1][0].verb, f"emi:{predicate.removeprefix(EMI)} has two values for one search")
        for other, value in values[:1]:
            taken[name] = reading(query, other, value)
    for predicate, name in ((terms.GROUP, "groups"), (terms.SPEAKER, "speakers")):
        values = given.get(predicate, [])
        if values and taken["kind"] == "acts":
            _refuse(query, values[0][0].verb, "acts are not limited by group or speaker; leave this out")
        taken[name] = tuple(value.value for _, value in values)
    options.search = Search("", **taken)  # type: ignore[arg-type]
    options.said = [(predicate, value) for predicate, values in given.items() for _, value in values]
    return options


def _given(query: Structure, found: Patterns, pattern: Pattern) -> list[Value]:
    """The values that the query gives for an option; none for a variable that only asks what it is."""
    values = found.of(pattern.object)
    if pattern.object is None:
        _refuse(query, pattern.verb + 1, "the value of an option must be a term")
    if isinstance(pattern.object, Unbound) and len(values) > 1 and pattern.predicate in (terms.GROUP, terms.SPEAKER):
        return []  # each row has one: they are joined with what is found, not sought together
    return values


def _kind(query: Structure, types: Sequence[tuple[Pattern, Value]]) -> Kind:
    kinds: set[Kind] = set()
    for pattern, value in types:
        if value.value not in (terms.CHUNK, terms.ACT):
            _refuse(
                query, pattern.verb + 1,
                "passages (emi:Chunk) and acts (emi:Act) are sought here; for the speech of a passage write "
                "?chunk emi:partOf ?speech",
            )  # fmt: skip
        kinds.add("acts" if value.value == terms.ACT else "chunks")
    if len(kinds) > 1:
        _refuse(query, types[0][0].verb, "nothing is a passage and an act; use a UNION of two searches")
    return kinds.pop() if kinds else "chunks"


def _limit(query: Structure, pattern: Pattern, value: Value) -> int:
    text = value.value.strip()
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= terms.MOST_HITS):
        _refuse(query, pattern.verb + 1, f"emi:limit is a whole number from 1 to {terms.MOST_HITS}")
    return int(text[:9])


def _mode(query: Structure, pattern: Pattern, value: Value) -> Mode:
    if value.value not in _MODES:
        _refuse(query, pattern.verb + 1, 'emi:mode is "hybrid", "semantic" or "text"')
    return cast(Mode, value.value)


def _day(query: Structure, pattern: Pattern, value: Value) -> date:
    with contextlib.suppress(ValueError):
        if _DAY.fullmatch(value.value):
            return date.fromisoformat(value.value)
    return _refuse(query, pattern.verb + 1, 'a day is written as "2025-12-31"^^xsd:date')


def _share(query: Structure, pattern: Pattern, value: Value) -> float:
    try:
        share = float(value.value)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        _refuse(query, pattern.verb + 1, "emi:minimumRelevance is a number from 0 to 1")
    return share


def _refuse_paths(query: Structure) -> None:
    """Refuse `emi:matches` inside a path, where nothing would be sought."""
    for index, token in enumerate(query.tokens):
        if token.text.endswith(("matches", "matches>")):
            near = query.tokens[max(0, index - 1) : index + 2]
            names_it = resolve(token, query.base, query.declared) == terms.MATCHES
            if names_it and any(other.text in _STEPS for other in near):
                _refuse(query, index, f"emi:matches cannot be part of a path; write {terms.EXAMPLE}")


def _refuse_shared(query: Structure, asked: Sequence[_Asked]) -> None:
    """Refuse a pattern that would belong to the searches of several branches."""
    owners: dict[int, int] = {}
    for number, one in enumerate(asked):
        for pattern in one.verbs:
            if owners.setdefault(pattern.verb, number) != number:
                _refuse(
                    query, pattern.verb,
                    "this stands outside of the branches that seek; put it into each, beside its emi:matches",
                )  # fmt: skip


class _Around:
    """Which groups stand around which."""

    def __init__(self, query: Structure) -> None:
        self._closing = query.closing

    def holds(self, outer: int, inner: int) -> bool:
        """Whether a group is another or stands around it."""
        return outer <= inner <= self._closing[outer]

    def related(self, one: int, other: int) -> bool:
        """Whether one of two groups stands around the other."""
        return self.holds(one, other) or self.holds(other, one)


def _planned(query: Structure, asked: list[_Asked], around: _Around, where: int) -> Plan:
    """Give every search its terms, and write the query with them."""
    together = sum(len(one.texts) for one in asked)
    if together <= 1:
        return Plan(tuple(_sought(one, text, EMI) for one in asked for text in one.texts), query.text)
    if query.form == "CONSTRUCT" and not any(token.text == "{" for token in query.tokens[:where]):
        _refuse(query, where, "with several searches CONSTRUCT needs a template of its own, in braces before WHERE")
    sought: list[Sought] = []
    groups: dict[int, list[tuple[_Asked, list[str]]]] = {}
    for one in asked:
        owns = []
        for text in one.texts:
            owns.append(f"{OWN}{len(sought) + 1}:")
            sought.append(_sought(one, text, owns[-1]))
        groups.setdefault(one.pattern.group, []).append((one, owns))
    return Plan(tuple(sought), _written(query, groups, around))


def _sought(one: _Asked, text: ox.Literal, own: str) -> Sought:
    options = one.options
    found = options.search
    search = Search(
        text.value, found.kind, found.mode, found.limit, found.groups, found.speakers,
        found.date_from, found.date_until, found.minimum_relevance,
    )  # fmt: skip
    return Sought(search, own, ((terms.MATCHES, text), *options.said))


def _written(query: Structure, groups: dict[int, list[tuple[_Asked, list[str]]]], around: _Around) -> str:
    """The query with the terms of each search in the places of those of the ontology."""
    fixed: list[Edit] = []
    manifold = []
    for group, searches in groups.items():
        if all(len(owns) == 1 for _, owns in searches):
            fixed += [change for one, owns in searches for change in _terms(query, one, owns[0])]
        else:
            manifold.append(group)
    for group in manifold:
        for other in manifold:
            if group != other and around.holds(group, other):
                one = groups[other][0][0]
                _refuse(query, one.pattern.verb, "a search with several texts stands inside another; write them apart")
        for one, _ in groups[group]:
            for pattern in one.verbs:
                if not around.holds(group, pattern.group):
                    _refuse(
                        query, pattern.verb, "put this beside the emi:matches that it belongs to, in the same group"
                    )
    edits = [change for change in fixed if not any(_inside(query, group, change) for group in manifold)]
    for group in manifold:
        first, last = query.tokens[group], query.tokens[query.closing[group]]
        inner = [change for change in fixed if _inside(query, group, change)]
        copies = []
        for chosen in product(*(owns for _, owns in groups[group])):
            own = [
                change
                for (one, _), name in zip(groups[group], chosen, strict=True)
                for change in _terms(query, one, name)
            ]
            moved = [Edit(c.start - first.start, c.end - first.start, c.text) for c in (*inner, *own)]
            copies.append(edit(query.text[first.start : last.end], moved).text)
        edits.append(Edit(first.start, last.end, "{ " + " UNION ".join(copies) + " }"))
    return edit(query.text, edits).text


def _terms(query: Structure, one: _Asked, own: str) -> list[Edit]:
    """The edits that give the patterns of a search its own terms."""
    return [
        Edit(token.start, token.end, f"<{own}{pattern.predicate.removeprefix(EMI)}>")
        for pattern in one.verbs
        if pattern.predicate is not None
        for token in (query.tokens[pattern.verb],)
    ]


def _inside(query: Structure, group: int, change: Edit) -> bool:
    return query.tokens[group].start < change.start < query.tokens[query.closing[group]].start


def _refuse(query: Structure, index: int, told: str) -> NoReturn:
    where = query.at(query.tokens[min(index, len(query.tokens) - 1)])
    raise QueryRefused(400, f"{where}: {told}", place=where)
