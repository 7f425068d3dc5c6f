"""Filters as a person names them, and the filters that they stand for."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from loaders.names import organisation_name
from service.chamber import Chamber
from service.errors import QuestionError
from service.evidence import GOVERNMENT
from service.question import Filters

_GOVERNMENT: Final = ("governo", "government")


@dataclass(frozen=True, slots=True)
class NamedFilters:
    """What a question or a search is limited to, in a person's words: a group by IRI, sigla or name of any date."""

    groups: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    date_from: date | None = None
    date_until: date | None = None

    def resolve(self, chamber: Chamber, on: date | None) -> Filters:
        """The filters themselves; a group brings its components. Raises `QuestionError` for a group nobody knows,
        with the siglas of the day `on`, and for a range of days that is empty."""
        if self.date_from and self.date_until and self.date_from > self.date_until:
            raise QuestionError(f"the first day, {self.date_from}, is after the last one, {self.date_until}")
        groups = [iri for name in self.groups for iri in _named(name, chamber, on or date.max)]
        return Filters(tuple(dict.fromkeys(groups)), self.speakers, self.date_from, self.date_until)


def _named(name: str, chamber: Chamber, on: date) -> tuple[str, ...]:
    if name.strip().casefold() in _GOVERNMENT:
        return (GOVERNMENT,)
    found = chamber.find(name) or _displayed(name, chamber)
    if not found:
        known = sorted(filter(None, (o.sigla_on(on) for o in chamber.organisations.values())))
        raise QuestionError(f"there is no group {name[:100]!r}; known: Governo, {', '.join(known)}")
    return found


def _displayed(name: str, chamber: Chamber) -> tuple[str, ...]:
    """The organisations whose name is displayed so; registries print it in capitals, without accents."""
    wanted = name.strip().casefold()
    named = (
        organisation.iri
        for organisation in chamber.organisations.values()
        if wanted in {organisation_name(dated.name).casefold() for dated in organisation.names}
    )
    return tuple(iri for found in named for iri in chamber.find(found))
