"""What resources, properties and classes are called, in the reader's language and on the day in question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode

import sparql
from loaders.names import organisation_name
from ontology import DCAT, DCTERMS, EMI, FOAF, ORG, RDF, RDFS, SCHEMA, SKOS
from service.chamber import Chamber
from service.graph import GraphStore, Term
from service.resources.wording import gettext, in_words, span

TYPE: Final = f"{RDF}type"
_SKOSXL: Final = "http://www.w3.org/2008/05/skos-xl#"
_TITLES: Final = (
    f"{SKOS}prefLabel",
    f"{FOAF}name",
    f"{DCTERMS}title",
    f"{_SKOSXL}literalForm",
    f"{SCHEMA}name",
    f"{RDFS}label",
)
_REFERENCES: Final = (f"{EMI}speaker", f"{EMI}government", f"{ORG}member", f"{ORG}organization", f"{ORG}role")
_MEMBERSHIP: Final = f"{ORG}Membership"
_COLLABORATION: Final = f"{ORG}OrganizationalCollaboration"
_BODIES: Final = frozenset({f"{EMI}Group", f"{EMI}Component", f"{EMI}Committee", f"{ORG}Organization"})
_AT_ONCE: Final = 200
"""Resources that one query asks about."""

Facts = Mapping[str, Sequence[Term]]


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a language (None where it has none), of a resource that is described here or only mentioned."""

    text: str
    language: str | None = None
    described: bool = True
    types: tuple[str, ...] = ()


class Names:
    """The names of resources of one graph, for readers of one language."""

    def __init__(self, graph: GraphStore, language: str, chamber: Chamber | None = None) -> None:
        self._graph = graph
        self._chamber = chamber
        self.language = language
        self._known: dict[str, Facts] = {}
        self._described: dict[str, bool] = {}

    @cached_property
    def chamber(self) -> Chamber:
        """Groups and components with their names over time."""
        return self._chamber or Chamber(self._graph)

    def of(self, iris: Iterable[str]) -> dict[str, Name]:
        """A name for each IRI; one that is made of the IRI where nothing gives it another."""
        wanted = sorted(set(iris))
        self._read(wanted)
        # What a name is made of may have a made name itself: a side's membership, in what a government faces.
        self._read(self._referred(self._referred(wanted)))
        self._look_for([iri for iri in wanted if not self._known[iri]])
        return {iri: self._name(iri) for iri in wanted}

    def one(self, iri: str) -> Name:
        """The name of one IRI."""
        return self.of([iri])[iri]

    def on(self, iri: str, day: date | None) -> str:
        """The name of a group or component on a day; its present one without a day, and anything's plain name."""
        organisation = self.chamber.organisations.get(iri)
        if organisation is None:
            return self.one(iri).text
        return organisation_name(organisation.name_on(day) if day else organisation.present_name)

    def sigla(self, iri: str, day: date | None) -> str:
        """The abbreviation of a group or component on a day, or its name where it has none."""
        organisation = self.chamber.organisations.get(iri)
        return (organisation.sigla_on(day) if organisation and day else None) or self.on(iri, day)

    def day(self, iri: str) -> date | None:
        """The day of an event or an act; None where it has none."""
        self._read([iri])
        return _day(self._known[iri], f"{EMI}date")

    def _referred(self, iris: Iterable[str]) -> list[str]:
        """What the names of resources without a title are made of."""
        found = [
            term.value
            for iri in iris
            if not self._titled(iri)
            for reference in _REFERENCES
            for term in self._known[iri].get(reference, ())
            if isinstance(term, NamedNode)
        ]
        self._read(found)
        return found

    def _read(self, iris: Iterable[str]) -> None:
        missing = sorted({iri for iri in iris if iri not in self._known})
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            found: defaultdict[str, defaultdict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
            query = sparql.bind(sparql.query("resources/labels"), "?resource", [NamedNode(iri) for iri in some])
            for row in self._graph.select(query):
                found[row["resource"].value][row["property"].value].append(row["value"])
            for iri in some:
                self._known[iri] = found.get(iri, {})

    def _look_for(self, iris: Iterable[str]) -> None:
        """Find out which of some resources without type and name are described here nevertheless."""
        missing = [NamedNode(iri) for iri in iris if iri not in self._described]
        if missing:
            query = sparql.bind(sparql.query("resources/described"), "?resource", missing)
            found = {row["resource"].value for row in self._graph.select(query)}
            self._described |= {iri.value: iri.value in found for iri in missing}

    def _name(self, iri: str) -> Name:
        facts = self._known[iri]
        types = tuple(sorted(term.value for term in facts.get(TYPE, ())))
        title = self._title(iri)
        made = None if self._titled(iri) else self._made(facts, set(types))
        if made:
            return Name(made, self.language, True, types)
        if title is not None:
            text = " ".join(title.value.split())
            # Registries print the names of bodies in capitals.
            shown = organisation_name(text) if _BODIES.intersection(types) else text
            return Name(shown, title.language or None, True, types)
        return Name(tail(iri), None, bool(facts) or self._described[iri], types)

    def _titled(self, iri: str) -> bool:
        """Whether a resource's own title names it. What sources call a membership leaves out whose it is, and when."""
        member = any(term.value == _MEMBERSHIP for term in self._known[iri].get(TYPE, ()))
        return not member and self._title(iri) is not None

    def _title(self, iri: str) -> Literal | None:
        facts = self._known.get(iri, {})
        for predicate in _TITLES:
            found = [t for t in facts.get(predicate, ()) if isinstance(t, Literal) and t.value.strip()]
            if found:
                return min(found, key=self._preference)
        return None

    def _preference(self, term: Literal) -> tuple[bool, bool, str]:
        return (term.language != self.language, bool(term.language) and term.language != "en", term.value)

    def _made(self, facts: Facts, types: set[str]) -> str | None:
        """A name made of what a resource without one states."""
        begin, end = _day(facts, f"{EMI}from"), _day(facts, f"{EMI}until")
        if f"{EMI}Speech" in types:
            who = self._reference(facts, f"{EMI}speaker") or _first(facts, f"{EMI}speakerAsPrinted")
            day = _day(facts, f"{EMI}date")
            head = who or gettext("speech")
            return f"{head}, {in_words(day)}" if day else head
        if f"{EMI}Sitting" in types:
            number, day = _first(facts, f"{EMI}number"), _day(facts, f"{EMI}date")
            head = gettext("Sitting %(number)s", number=number) if number else gettext("Sitting")
            return f"{head}, {in_words(day)}" if day else head
        if f"{EMI}Chunk" in types:
            return gettext(
                "Passage, characters %(start)s to %(end)s",
                start=_first(facts, f"{EMI}start"),
                end=_first(facts, f"{EMI}end"),
            )
        if _MEMBERSHIP in types:
            printed = _first(facts, f"{EMI}officeAsPrinted")
            office = organisation_name(printed) if printed else self._reference(facts, f"{ORG}role")
            body = self._reference(facts, f"{ORG}organization", begin)
            parts = (self._reference(facts, f"{ORG}member", begin), office, body)
            return ", ".join([*(part for part in parts if part), *([span(begin, end)] if begin else [])])
        if _COLLABORATION in types:
            government = self._reference(facts, f"{EMI}government")
            return gettext("Sides under %(government)s", government=government) if government else None
        begin, end = _day(facts, f"{DCAT}startDate"), _day(facts, f"{DCAT}endDate")
        return span(begin, end) if begin else None

    def _reference(self, facts: Facts, predicate: str, day: date | None = None) -> str | None:
        for term in facts.get(predicate, ()):
            organisation = self.chamber.organisations.get(term.value) if day else None
            if organisation and day:
                return organisation_name(organisation.name_on(day))
            if isinstance(term, NamedNode):
                return self._referent(term.value)
            if isinstance(term, Literal):
                return term.value
        return None

    def _referent(self, iri: str) -> str:
        """What something is called within the name of another: by its title, or as the sides under a government."""
        facts = self._known.get(iri, {})
        types = {term.value for term in facts.get(TYPE, ())}
        title = self._title(iri)
        if title:
            return organisation_name(title.value) if _BODIES.intersection(types) else title.value
        if _COLLABORATION in types:
            governments = (self._title(term.value) for term in facts.get(f"{EMI}government", ()))
            government = next((found.value for found in governments if found), None)
            if government:
                return gettext("Sides under %(government)s", government=government)
        return tail(iri)


def tail(iri: str) -> str:
    """The last part of an IRI, readable; the IRI itself where it has none."""
    last = iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    return unquote(last) or iri


def as_day(text: str | None) -> date | None:
    """A day in the form of `xsd:date`; None for anything else."""
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None


def _first(facts: Facts, predicate: str) -> str | None:
    return next((term.value for term in facts.get(predicate, ())), None)


def _day(facts: Facts, predicate: str) -> date | None:
    return as_day(_first(facts, predicate))
