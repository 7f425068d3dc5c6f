"""Groups and components of a chamber: their names over time, and on which side they stood."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from pyoxigraph import NamedNode

import sparql
from ontology import EMI
from service.evidence import GOVERNMENT
from service.graph import GraphStore, day_literal, text_of

DAYS_KEPT: Final = 1000
"""Days whose sides are kept."""


@dataclass(frozen=True, slots=True)
class DatedName:
    """A name with its sigla; both days included, None where it has no end."""

    name: str
    sigla: str | None
    begin: date
    until: date | None


@dataclass(frozen=True, slots=True)
class Organisation:
    """A group, or a component of the gruppo misto (which then is its parent)."""

    iri: str
    is_component: bool
    parent: str | None
    present_name: str
    names: tuple[DatedName, ...]

    def name_on(self, day: date) -> str:
        """The name on a day; the present one where none is dated then."""
        dated = self._dated(day)
        return dated.name if dated else self.present_name

    def sigla_on(self, day: date) -> str | None:
        """The abbreviation on a day, as transcripts print it."""
        dated = self._dated(day)
        return dated.sigla if dated else None

    def _dated(self, day: date) -> DatedName | None:
        return next((n for n in self.names if n.begin <= day and (n.until is None or day <= n.until)), None)


@dataclass(frozen=True, slots=True)
class Committee:
    """A committee with its published label and the words it deals with (none if it is not configured)."""

    iri: str
    label: str
    words: tuple[str, ...]


def committees(graph: GraphStore) -> tuple[Committee, ...]:
    """Every committee, in the order of the IRIs."""
    rows = graph.select(sparql.query("index/committees"))
    grouped = ((iri, list(group)) for iri, group in groupby(rows, key=lambda row: row["committee"].value))
    return tuple(
        Committee(iri, found[0]["label"].value, tuple(row["word"].value for row in found if "word" in row))
        for iri, found in grouped
    )


def sittings(graph: GraphStore) -> list[NamedNode]:
    """Every sitting of the record, in the order of the numbers."""
    return [NamedNode(row["sitting"].value) for row in graph.select(sparql.query("index/sittings"))]


class Chamber:
    """What is asked of the groups at every question, read once for a corpus."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph
        names: defaultdict[str, list[DatedName]] = defaultdict(list)
        heads: dict[str, tuple[bool, str | None, str]] = {}
        for row in graph.select(sparql.query("retrieval/organisations")):
            iri = row["organisation"].value
            heads[iri] = (
                row["class"].value == f"{EMI}Component",
                text_of(row, "parent"),
                row["present"].value,
            )
            if "form" in row:
                until = text_of(row, "until")
                names[iri].append(
                    DatedName(
                        row["form"].value,
                        text_of(row, "sigla"),
                        date.fromisoformat(row["from"].value),
                        date.fromisoformat(until) if until else None,
                    )
                )
        self.organisations = {
            iri: Organisation(iri, component, parent, present, tuple(names[iri]))
            for iri, (component, parent, present) in heads.items()
        }
        self._sides: dict[date, dict[str, str]] = {}

    @property
    def blocs(self) -> tuple[str, ...]:
        """All for whom somebody may speak: the government, groups, components."""
        return (GOVERNMENT, *sorted(self.organisations))

    def components_of(self, group: str) -> tuple[str, ...]:
        """The components of a group; only the gruppo misto has any."""
        return tuple(sorted(o.iri for o in self.organisations.values() if o.parent == group))

    def groups_among(self, blocs: Iterable[str]) -> frozenset[str]:
        """The groups that some blocs are or belong to; the government and those outside the groups are none."""
        held = (self.organisations.get(bloc) for bloc in blocs)
        return frozenset(o.parent or o.iri for o in held if o)

    def is_mixed(self, iri: str) -> bool:
        """Whether an organisation is the gruppo misto or a component of it."""
        organisation = self.organisations.get(iri)
        return organisation is not None and (organisation.is_component or bool(self.components_of(organisation.iri)))

    def sides_on(self, day: date) -> dict[str, str]:
        """The side (`majority`, `opposition` …) of each organisation that has one on a day."""
        found = self._sides.get(day)
        if found is None:
            query = sparql.bind(sparql.query("retrieval/group-sides"), "?day", [day_literal(day)])
            found = {
                row["organisation"].value: row["side"].value.rsplit("/", 1)[-1] for row in self._graph.select(query)
            }
            if len(self._sides) >= DAYS_KEPT:  # of days that people may choose freely
                self._sides.clear()
            self._sides[day] = found
        return found

    def groups_of(self, speakers: Iterable[str], day: date) -> dict[str, str]:
        """The group of each speaker on a day, in one query; those without one are left out. Whoever sits with a
        component of the gruppo misto is in that group."""
        wanted = [NamedNode(speaker) for speaker in sorted(set(speakers))]
        if not wanted:
            return {}
        query = sparql.bind(sparql.query("retrieval/present-groups"), "?speaker", wanted)
        rows = self._graph.select(sparql.bind(query, "?day", [day_literal(day)]))
        held = {row["speaker"].value: self.organisations[row["organisation"].value] for row in rows}
        return {speaker: organisation.parent or organisation.iri for speaker, organisation in held.items()}

    def find(self, text: str) -> tuple[str, ...]:
        """The organisations that a person names: by IRI, by sigla or by whole name of any date.

        For the command line and forms; a group brings its components with it.
        """
        wanted = text.strip().casefold()
        if not wanted:
            return ()
        found = {
            o.iri
            for o in self.organisations.values()
            if wanted in {o.iri.casefold(), o.present_name.casefold()}
            or any(wanted in {n.name.casefold(), (n.sigla or "").casefold()} for n in o.names)
        }
        return tuple(sorted(found | {part for iri in found for part in self.components_of(iri)}))
