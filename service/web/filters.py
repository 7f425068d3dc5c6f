"""The filters that searches, rankings and questions have in common, as parameters of an address."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from service.filters import NamedFilters
from service.web.api import Parameters

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class Filtered(Parameters):
    """Limits to groups, speakers and days. `asOf` is the day after which nothing counts."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    group: list[Name] = Field(
        default=[], max_length=50, description="Only this group: IRI, sigla or name of any date, or `government`."
    )
    speaker: list[Name] = Field(default=[], max_length=50, description="Only this speaker, by IRI.")
    date_from: date | None = Field(default=None, alias="from", description="Only from this day on.")
    date_until: date | None = Field(default=None, alias="until", description="Only up to this day, included.")
    as_of: date | None = Field(
        default=None, alias="asOf", description="Nothing after this day counts; the last day of the record if left out."
    )

    @property
    def named(self) -> NamedFilters:
        """The filters for the engine, which knows the groups."""
        return NamedFilters(tuple(self.group), tuple(self.speaker), self.date_from, self.date_until)
