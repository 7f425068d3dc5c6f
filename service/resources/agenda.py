"""A sitting, a debate or a phase as an agenda: its parts in order, and who spoke in each."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date

from pyoxigraph import NamedNode

import sparql
from ontology import CAPACITY
from service.graph import GraphStore, Row, text_of
from service.resources.names import Names


@dataclass(frozen=True, slots=True)
class Turn:
    """A speech in an agenda."""

    iri: str
    order: int
    name: str
    capacity: str | None
    """None for members, whose group is told."""
    chair: bool
    bloc: str | None
    """The group, or the component of the gruppo misto, on the day."""
    bloc_name: str | None
    sigla: str | None
    speaker: str | None = None
    words: int = 0
    capacity_iri: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the record with what lies directly in it; the outermost is the resource itself."""

    iri: str
    title: str | None
    acts: tuple[tuple[str, str], ...]
    turns: tuple[Turn, ...]
    parts: "tuple[Part, ...]"
    order: int = 0

    @property
    def speeches(self) -> int:
        """Turns at all depths."""
        return len(self.turns) + sum(part.speeches for part in self.parts)

    @property
    def words(self) -> int:
        """Words at all depths."""
        return sum(turn.words for turn in self.turns) + sum(part.words for part in self.parts)

    @property
    def all_turns(self) -> tuple[Turn, ...]:
        """Turns at all depths, in the order of the parts."""
        return (*self.turns, *(turn for part in self.parts for turn in part.all_turns))


@dataclass(frozen=True, slots=True)
class Place:
    """Something that a part of the record lies in."""

    iri: str
    name: str


def read_agenda(iri: NamedNode, graph: GraphStore, names: Names, day: date | None) -> Part:
    """Read the agenda of a part of the record, at whatever depth its speeches lie."""
    parts = graph.select(sparql.bind(sparql.query("resources/agenda-parts"), "?container", [iri]))
    speeches = graph.select(sparql.bind(sparql.query("resources/agenda-speeches"), "?container", [iri]))
    names.of(row["capacity"].value for row in speeches if "capacity" in row)
    called = names.of(row["act"].value for row in parts if "act" in row)
    turns: defaultdict[str, dict[str, Turn]] = defaultdict(dict)
    for row in speeches:
        turns[row["parent"].value][row["speech"].value] = _turn(row, names, day)
    heads: dict[str, Part] = {}
    children: defaultdict[str, list[str]] = defaultdict(list)
    for row in parts:
        part, act = row["part"].value, text_of(row, "act")
        if part not in heads:
            heads[part] = Part(part, text_of(row, "title"), (), (), (), _number(row))
            children[row["parent"].value].append(part)
        if act:
            heads[part] = replace(heads[part], acts=(*heads[part].acts, (act, called[act].text)))

    def filled(part: Part, above: frozenset[str]) -> Part:
        below = [heads[child] for child in children[part.iri] if child not in above]
        return replace(
            part,
            turns=tuple(sorted(turns[part.iri].values(), key=lambda turn: (turn.order, turn.iri))),
            parts=tuple(
                filled(child, above | {part.iri}) for child in sorted(below, key=lambda child: (child.order, child.iri))
            ),
        )

    return filled(Part(iri.value, None, (), (), ()), frozenset())


def trail(iri: NamedNode, graph: GraphStore, names: Names) -> tuple[Place, ...]:
    """What a part of the record lies in, outermost first."""
    rows = graph.select(sparql.bind(sparql.query("resources/trail"), "?start", [iri]))
    inside = {row["part"].value: row["inside"].value for row in reversed(rows)}
    found: list[str] = []
    here = inside.get(iri.value)
    while here and here not in found and here != iri.value:
        found.append(here)
        here = inside.get(here)
    called = names.of(found)
    return tuple(Place(place, called[place].text) for place in reversed(found))


def _turn(row: Row, names: Names, day: date | None) -> Turn:
    capacity = text_of(row, "capacity")
    bloc = text_of(row, "component") or text_of(row, "group")
    return Turn(
        row["speech"].value,
        _number(row),
        text_of(row, "name") or text_of(row, "printed") or names.one(row["speech"].value).text,
        names.one(capacity).text if capacity and capacity != f"{CAPACITY}member" else None,
        capacity == f"{CAPACITY}chair",
        bloc,
        names.on(bloc, day) if bloc else None,
        names.sigla(bloc, day) if bloc else None,
        text_of(row, "speaker"),
        _number(row, "words"),
        capacity,
    )


def _number(row: Row, name: str = "order") -> int:
    try:
        return int(text_of(row, name) or 0)
    except ValueError:
        return 0
