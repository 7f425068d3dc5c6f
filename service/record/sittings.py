"""Sittings as a reader browses them: the list by month, and who spoke how long in one."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pyoxigraph import NamedNode

import sparql
from ontology import CAPACITY
from service.graph import GraphStore
from service.record.register import Debated, Held, Register, matching
from service.resources.agenda import Turn
from service.resources.generic import Page, paged

PER_PAGE: Final = 20
RAPPORTEUR: Final = f"{CAPACITY}rapporteur"


@dataclass(frozen=True, slots=True)
class Listed:
    """A sitting in a list; the words are those spoken in it."""

    held: Held
    debates: tuple[Debated, ...]
    speeches: int
    words: int


@dataclass(frozen=True, slots=True)
class Found:
    """A page of sittings, latest first, and what there is to choose from."""

    page: Page[Listed]
    months: tuple[tuple[int, int, int], ...]
    """(year, month, sittings) of the whole record, latest first."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much one speaker or one group spoke."""

    iri: str | None
    name: str
    bloc: str | None
    """The sigla of the speaker's group on the day; None for a group itself."""
    speeches: int
    words: int


def find_sittings(
    known: Register, graph: GraphStore, *, year: int | None, month: int | None, query: str | None, number: int
) -> Found:
    """A page of the sittings of a year or a month in which a debate is called as the query says."""
    wanted = matching(query) if query and query.strip() else None

    def fits(held: Held) -> bool:
        if (year and held.day.year != year) or (month and held.day.month != month):
            return False
        return wanted is None or any(wanted(debate.folded) for debate in known.debates.get(held.iri, ()))

    page = paged([held for held in known.sittings.values() if fits(held)], number, PER_PAGE)
    sizes = figures(graph, known, tuple(held.iri for held in page.items))
    items = tuple(Listed(held, known.debates.get(held.iri, ()), *sizes.get(held.iri, (0, 0))) for held in page.items)
    return Found(Page(items, page.number, page.pages, page.total), _months(known.sittings.values()))


@lru_cache(maxsize=256)
def figures(graph: GraphStore, known: Register, sittings: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Speeches and words of each of some sittings that has any; counted once, for `known` is of one version."""
    if not sittings:
        return {}
    query = sparql.bind(sparql.query("record/sitting-figures"), "?sitting", [NamedNode(iri) for iri in sittings])
    rows = graph.select(query)
    return {row["sitting"].value: (int(row["speeches"].value), int(row["words"].value)) for row in rows}


def by_speaker(turns: Iterable[Turn]) -> tuple[Share, ...]:
    """Who spoke, most words first; who presides is left out, as the chair speaks between all others."""
    return _shares(
        (turn for turn in turns if not turn.chair),
        key=lambda turn: (turn.speaker, turn.name if turn.speaker is None else None),
        head=lambda turn: (turn.speaker, turn.name, _stands_for(turn)),
    )


def _stands_for(turn: Turn) -> str | None:
    """For whom somebody spoke: a rapporteur sits in a group all the same, and speaks for it too the same day."""
    return turn.sigla or turn.capacity if turn.capacity_iri == RAPPORTEUR else turn.capacity or turn.sigla


def by_group(turns: Iterable[Turn], chair: str, others: str) -> tuple[Share, ...]:
    """How much each group spoke, most words first: by the group or the capacity of each speech, the chair last.

    `chair` and `others` are what the turns of the chair, and those in no group, are called.
    """

    def key(turn: Turn) -> tuple[str | None, str]:
        if turn.chair:
            return None, chair
        if turn.capacity:
            return None, turn.capacity
        return (turn.bloc, turn.sigla or "") if turn.bloc else (None, others)

    found = _shares(
        turns, key=key, head=lambda turn: (key(turn)[0], (turn.bloc_name or "") if key(turn)[0] else key(turn)[1], None)
    )
    return tuple(sorted(found, key=lambda share: share.iri is None and share.name == chair))


def _shares(
    turns: Iterable[Turn],
    *,
    key: Callable[[Turn], Hashable],
    head: Callable[[Turn], tuple[str | None, str, str | None]],
) -> tuple[Share, ...]:
    grouped: defaultdict[Hashable, list[Turn]] = defaultdict(list)
    for turn in turns:
        grouped[key(turn)].append(turn)
    shares = (Share(*head(found[0]), len(found), sum(turn.words for turn in found)) for found in grouped.values())
    return tuple(sorted(shares, key=lambda share: (-share.words, share.name, share.iri or "")))


def _months(sittings: Iterable[Held]) -> tuple[tuple[int, int, int], ...]:
    counts: defaultdict[tuple[int, int], int] = defaultdict(int)
    for held in sittings:
        counts[held.day.year, held.day.month] += 1
    return tuple((year, month, counts[year, month]) for year, month in sorted(counts, reverse=True))


def discussed(debate: NamedNode, graph: GraphStore) -> tuple[str, ...]:
    """The acts that a debate is on."""
    rows = graph.select(sparql.bind(sparql.query("record/debate-acts"), "?debate", [debate]))
    return tuple(row["act"].value for row in rows)
