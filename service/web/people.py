"""People over HTTP: finding them, and the page of one person; JSON-LD and pages."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flask import Blueprint, render_template, request, url_for
from pydantic import ConfigDict, Field
from pyoxigraph import NamedNode
from werkzeug.wrappers import Response as AnyResponse

from ontology import EMI
from service.errors import EmicicloError
from service.evidence import GOVERNMENT
from service.filters import NamedFilters
from service.record.people import Entry, Standing, Wanted, find_people, groups_on
from service.record.register import Register, Someone
from service.record.timeline import Period, by_period, line, overlaps
from service.record.titles import of_gender
from service.resources.description import describe
from service.resources.generic import facts_of
from service.resources.kept import KeptAnswers
from service.resources.names import Names
from service.resources.people import Stint, read_person
from service.resources.wording import gettext
from service.web.api import Answers, Paged, Parameters, api
from service.web.filters import Name
from service.web.negotiation import HTML, JSON_LD, choose
from service.web.problems import Problem
from service.web.record import (
    OF_A_THING,
    OFFERED,
    Described,
    Document,
    PageView,
    elsewhere,
    known,
    lists_of,
    names_of,
    served,
    view_of,
)
from service.web.site import Site, site

blueprint = Blueprint("people", __name__)

QUOTED_SHOWN: Final = 8
"""Quotations of a person that the page shows; the speeches themselves show all."""
_FACTS: Final = (f"{EMI}profession", f"{EMI}education")
_SOURCE: Final = ("http://dati.camera.it/", "https://dati.camera.it/")

blueprint.add_app_template_filter(of_gender, "of_gender")


@blueprint.app_template_filter("of_person")
def of_person(title: str, person: str | None) -> str:
    """A title as it follows the gender of a person of the register; the title itself where that cannot be read."""
    try:
        lists = lists_of(site())
        someone = lists.people.get(person) if lists and person else None
    except EmicicloError:  # a stored answer is shown even while the record cannot be asked
        return title
    return of_gender(title, someone.gender if someone else None)


class PeopleQuery(Paged):
    """Whom to list."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    q: str = Field(
        default="", max_length=200, description="The beginning of each name, in any order; accents do not count."
    )
    group: list[Name] = Field(
        default=[],
        max_length=50,
        description="Only members on the day of this group: IRI, sigla or name, or `government`.",
    )
    role: Standing = Field(default="", description="Only who on the day was a deputy, in the government, or presided.")
    as_of: datetime.date | None = Field(
        default=None, alias="asOf", description="The day; the last one of the record if left out."
    )


class PersonQuery(Parameters):
    """Which pages of a person's speeches and acts to show."""

    page: int = Field(default=1, ge=1, le=1000, description="The page of speeches.")
    acts: int = Field(default=1, ge=1, le=1000, description="The page of acts.")


class OfficeEntry(Described):
    """An office held on the day."""

    id: str
    type: Literal["Membership"] = "Membership"
    label: str
    organization: str | None = None
    date_from: datetime.date = Field(alias="from")
    until: datetime.date | None = None


class PersonEntry(Described):
    """A person of a list, with the group and the offices of the day."""

    id: str
    type: Literal["Person"] = "Person"
    name: str
    surname: str
    gender: str | None = None
    url: str
    group: str | None = None
    label: str | None = Field(default=None, description="The sigla of the group or component on the day.")
    memberships: list[OfficeEntry] | None = None


class PeopleDocument(Document):
    """A page of people in alphabetical order; the government by rank."""

    id: str
    type: Literal["Collection"] = "Collection"
    reference_date: datetime.date
    total_items: int
    member: list[PersonEntry]
    view: PageView


class MembershipEntry(Described):
    """A membership, a mandate or an office with its days, both included."""

    id: str
    type: Literal["Membership"] = "Membership"
    organization: str | None = None
    name: str | None = Field(default=None, description="What the body was called on the first day.")
    label: str | None = Field(default=None, description="The office, titled after the person's gender.")
    date_from: datetime.date = Field(alias="from")
    until: datetime.date | None = None


class PeriodEntry(Described):
    """What a person did in a month or a year."""

    type: Literal["Share"] = "Share"
    first_date: datetime.date
    last_date: datetime.date
    speeches_count: int | None = None
    words: int | None = None
    first_signatures: int | None = None
    co_signatures: int | None = None


class PersonDocument(Document):
    """A person: memberships in time, and what was signed and said in figures."""

    id: str
    type: Literal["Person"] = "Person"
    name: str
    surname: str | None = None
    gender: str | None = None
    url: str
    memberships: list[MembershipEntry]
    speeches_count: int
    first_signatures: int
    co_signatures: int
    activity: list[PeriodEntry]


@dataclass(frozen=True, slots=True)
class Signing:
    """The acts signed in a year."""

    year: int
    first: int
    others: int

    @property
    def total(self) -> int:
        return self.first + self.others


@blueprint.get("/people")
@api.validate(query=PeopleQuery, resp=Answers(PeopleDocument, JSON_LD, HTML, refusals=(404,)), tags=["record"])
def people(query: PeopleQuery) -> AnyResponse:
    """The people of the register, by name, by the group of a day, by office."""
    here = site()
    form = choose(OFFERED)
    lists = known(here)
    names = names_of(lists, here)
    day = query.as_of or _last_day(here)
    groups = NamedFilters(tuple(query.group)).resolve(names.chamber, day).groups if query.group else ()
    found = find_people(Wanted(query.q, groups, query.role, day), lists, here.graph, names, query.page)

    def document() -> PeopleDocument:
        return PeopleDocument(
            id=here.url("/people"),
            reference_date=day,
            total_items=found.total,
            member=[_entry(entry, lists, here) for entry in found.items],
            view=view_of(found, here),
        )

    def page() -> str:
        return render_template(
            "people/list.html",
            found=found,
            asked=query,
            day=day,
            last_day=_last_day(here),
            groups=groups_on(lists, here.graph, names, day),
            chosen=groups,
            government=GOVERNMENT,
            short=lists.person_ids.of,
            kept={"q": query.q, "role": query.role, "asOf": day.isoformat() if query.as_of else ""},
        )

    return served(form, OFFERED, document, page)


@blueprint.get("/people/<name>")
@api.validate(
    query=PersonQuery, resp=Answers(PersonDocument, *OF_A_THING, also={303: None}, refusals=(404,)), tags=["record"]
)
def person(name: str, query: PersonQuery) -> AnyResponse:
    """One person, by the last part of the IRI: memberships in time, offices, acts, speeches, what answers quote."""
    here = site()
    form = choose(OF_A_THING)
    lists = known(here)
    iri = lists.person_ids.iri(name)
    if iri is None:
        raise Problem(404, gettext("there is nobody of that name in the register here; find people at /people"))
    away = elsewhere(iri, form)
    if away:
        return away
    names = names_of(lists, here)
    return served(
        form,
        OF_A_THING,
        lambda: _document(NamedNode(iri), here, names),
        lambda: person_page(NamedNode(iri), here, names, query.acts, query.page),
    )


def person_page(iri: NamedNode, here: Site, names: Names, acts: int, speeches: int) -> str:
    """The page of a person, which /people/… and /resource share, with the given pages of acts and speeches."""
    lists = lists_of(here)
    someone = lists.people.get(iri.value) if lists else None
    last_day = _last_day(here)
    found = read_person(iri, here.graph, names, last_day, acts, speeches)
    triples = tuple(t for t in describe(iri, here.graph) if t.predicate.value in _FACTS)
    kept = KeptAnswers.open(here.data.answers)
    bodies = [stint for stint in found.stints if stint.kind == "groups" and (stint.component or stint.role is None)]
    return render_template(
        "people/person.html",
        iri=iri.value,
        name=names.one(iri.value),
        person=found,
        someone=someone,
        gender=someone.gender if someone else None,
        facts=facts_of(iri, triples, names),
        own=_own(iri.value, lists) if lists else None,
        line=line(bodies, last_day),
        overlaps=overlaps(found.stints),
        last_day=last_day,
        spoken=by_period(found.spoken_on),
        signed=signings(found.signed_on),
        first_signed=sum(first for _, first in found.signed_on),
        quoted=kept.of_speaker(iri) if kept else (),
        quoted_shown=QUOTED_SHOWN,
        from_source=iri.value.startswith(_SOURCE),
    )


def signings(signed_on: Sequence[tuple[datetime.date | None, bool]]) -> tuple[Signing, ...]:
    """Acts signed by year, quiet years between included; acts without a day are left out."""
    first = {p.begin.year: p for p in by_period(((d, int(f)) for d, f in signed_on), months=False)}
    return tuple(Signing(year, p.weight, p.count - p.weight) for year, p in sorted(first.items()))


def _document(iri: NamedNode, here: Site, names: Names) -> PersonDocument:
    lists = known(here)
    someone = lists.people.get(iri.value)
    found = read_person(iri, here.graph, names, _last_day(here))
    first = sum(first for _, first in found.signed_on)
    return PersonDocument(
        id=iri.value,
        name=someone.name if someone else names.one(iri.value).text,
        surname=someone.surname if someone else None,
        gender=someone.gender if someone else None,
        url=here.url(request.path),
        memberships=[_membership(stint, someone) for stint in found.stints],
        speeches_count=found.speeches.total,
        first_signatures=first,
        co_signatures=len(found.signed_on) - first,
        activity=[*map(_said, by_period(found.spoken_on)), *map(_signed, signings(found.signed_on))],
    )


def _membership(stint: Stint, someone: Someone | None) -> MembershipEntry:
    return MembershipEntry.model_validate(
        {
            "id": stint.iri,
            "organization": stint.body,
            "name": stint.body_name,
            "label": of_gender(stint.role, someone.gender if someone else None) if stint.role else None,
            "from": stint.begin,
            "until": stint.until,
        }
    )


def _said(period: Period) -> PeriodEntry:
    return PeriodEntry(first_date=period.begin, last_date=period.end, speeches_count=period.count, words=period.weight)


def _signed(signing: Signing) -> PeriodEntry:
    return PeriodEntry(
        first_date=datetime.date(signing.year, 1, 1),
        last_date=datetime.date(signing.year, 12, 31),
        first_signatures=signing.first,
        co_signatures=signing.others,
    )


def _entry(entry: Entry, lists: Register, here: Site) -> PersonEntry:
    person = entry.person
    return PersonEntry(
        id=person.iri,
        name=person.name,
        surname=person.surname,
        gender=person.gender,
        url=here.url(_own(person.iri, lists) or ""),
        group=entry.body,
        label=entry.sigla,
        memberships=[
            OfficeEntry.model_validate(
                {
                    "id": office.iri,
                    "label": office.title,
                    "organization": office.body,
                    "from": office.begin,
                    "until": office.until,
                }
            )
            for office in entry.offices
        ]
        or None,
    )


def _own(iri: str, lists: Register) -> str | None:
    """The path of a person's page."""
    short = lists.person_ids.of(iri)
    return url_for("people.person", name=short) if short else None


def _last_day(here: Site) -> datetime.date:
    """The last day of the record; the day of the load where it has none."""
    manifest = here.manifest
    return manifest.last_day or datetime.date.fromisoformat(manifest.loaded_at[:10])
