"""The sittings of the record over HTTP: the list, one sitting, one debate; JSON-LD and pages."""

import datetime
from typing import Annotated, Final, Literal
from urllib.parse import urlencode

from flask import Blueprint, render_template, request, url_for
from pydantic import Field, StringConstraints
from pyoxigraph import NamedNode
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as AnyResponse

from ontology import CAPACITY
from service.record.register import Held, Register
from service.record.sittings import Listed, Share, by_group, by_speaker, discussed, find_sittings
from service.resources.agenda import Part, Turn, read_agenda
from service.resources.generic import paged
from service.resources.names import Names, as_day
from service.resources.wording import gettext
from service.web.api import Answers, Paged, Parameters, api
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
    names_of,
    served,
    view_of,
)
from service.web.site import Site, site

blueprint = Blueprint("sittings", __name__)

SHOWN_WITH_SPEECHES: Final = 250
"""A sitting with more speeches shows its debates alone, each with a page of its own."""
PER_PAGE: Final = 400
"""Speeches on a page of a debate."""
MOST_SPEAKERS: Final = 12
"""Speakers whose bars are shown at once; the others are folded."""


class SittingsQuery(Paged):
    """Which sittings to list."""

    period: Annotated[str, StringConstraints(pattern=r"^(\d{4}(-(0[1-9]|1[0-2]))?)?$")] = Field(
        default="", description="Only of this year (`2025`) or month (`2025-12`)."
    )
    q: str = Field(
        default="", max_length=200, description="Only sittings with a debate that is called so, or is on such an act."
    )


class DebateQuery(Paged):
    """A page of a debate."""


class DebateEntry(Described):
    """A debate of a list, or a phase of a debate."""

    id: str
    type: Literal["Debate", "Phase"] = "Debate"
    title: str | None = None
    order: int | None = None
    url: str | None = None
    discusses: list[str] | None = None
    speeches_count: int | None = None
    words: int | None = None
    parts: list["DebateEntry | SpeechEntry"] | None = None


class SpeechEntry(Described):
    """A speech: who spoke, in which group or capacity that day, and how long."""

    id: str
    type: Literal["Speech"] = "Speech"
    order: int
    speaker: str | None = None
    speaker_name: str
    label: str | None = Field(default=None, description="The sigla of the group or component on that day.")
    group: str | None = Field(default=None, description="The group, or the component of the gruppo misto, that day.")
    capacity: str | None = None
    words: int


class ShareEntry(Described):
    """How much a speaker or a group spoke, or the chair."""

    type: Literal["Share"] = "Share"
    speaker: str | None = None
    group: str | None = None
    label: str
    speeches_count: int
    words: int


class SittingEntry(Described):
    """A sitting of a list."""

    id: str
    type: Literal["Sitting"] = "Sitting"
    number: int | None = None
    date: datetime.date
    url: str
    debates_count: int
    speeches_count: int
    words: int
    parts: list[DebateEntry]


class SittingsDocument(Document):
    """A page of sittings, latest first."""

    id: str
    type: Literal["Collection"] = "Collection"
    total_items: int
    member: list[SittingEntry]
    view: PageView


class SittingDocument(Document):
    """A sitting with its debates, and who spoke how long."""

    id: str
    type: Literal["Sitting"] = "Sitting"
    label: str
    number: int | None = None
    date: datetime.date
    url: str
    debates_count: int
    speeches_count: int
    words: int
    parts: list[DebateEntry | SpeechEntry]
    shares: list[ShareEntry]


class DebateDocument(Document):
    """A debate with its phases and speeches, and who spoke how long."""

    id: str
    type: Literal["Debate"] = "Debate"
    title: str | None = None
    date: datetime.date
    url: str
    discusses: list[str]
    speeches_count: int
    words: int
    parts: list[DebateEntry | SpeechEntry]
    shares: list[ShareEntry]


@blueprint.get("/sittings")
@api.validate(query=SittingsQuery, resp=Answers(SittingsDocument, JSON_LD, HTML, refusals=(404,)), tags=["record"])
def sittings(query: SittingsQuery) -> AnyResponse:
    """The sittings, latest first: with their debates, how many speeches they have and how many words were spoken."""
    here = site()
    form = choose(OFFERED)
    lists = known(here)
    year, _, month = query.period.partition("-")
    found = find_sittings(
        lists,
        here.graph,
        year=int(year) if year else None,
        month=int(month) if month else None,
        query=query.q,
        number=query.page,
    )

    def document() -> SittingsDocument:
        return SittingsDocument(
            id=here.url("/sittings"),
            total_items=found.page.total,
            member=[_entry(listed, lists, here) for listed in found.page.items],
            view=view_of(found.page, here),
        )

    def page() -> str:
        return render_template(
            "sittings/list.html",
            found=found,
            asked=query,
            years=_years(found.months),
            short=lists.sitting_ids.of,
            alternates=[("jsonld", JSON_LD.media_type)],
        )

    return served(form, OFFERED, document, page)


@blueprint.get("/sittings/<name>")
@api.validate(
    query=Parameters, resp=Answers(SittingDocument, *OF_A_THING, also={303: None}, refusals=(404,)), tags=["record"]
)
def sitting(name: str, query: Parameters) -> AnyResponse:
    """One sitting, by the last part of its IRI or by its day: debates, phases, speeches, and who spoke how long."""
    here = site()
    form = choose(OF_A_THING)
    lists = known(here)
    held = _held(name, lists)
    if held is None:
        return _by_day(name, lists)
    away = elsewhere(held.iri, form)
    if away:
        return away
    names = names_of(lists, here)
    agenda = read_agenda(NamedNode(held.iri), here.graph, names, held.day)
    ids = lists.debate_ids(held.iri)
    turns = agenda.all_turns
    light = len(turns) <= SHOWN_WITH_SPEECHES

    def url(debate: str) -> str | None:
        short = ids.of(debate)
        return url_for("sittings.debate", name=name, debate=short) if short else None

    def document() -> SittingDocument:
        return SittingDocument(
            id=held.iri,
            label=names.one(held.iri).text,
            number=_number(held),
            date=held.day,
            url=here.url(request.path),
            debates_count=len(lists.debates.get(held.iri, ())),
            speeches_count=len(turns),
            words=agenda.words,
            parts=[
                *(_part(part, here, speeches=False, address=url(part.iri)) for part in agenda.parts),
                *map(_speech, agenda.turns),
            ],
            shares=_shares(turns),
        )

    def page() -> str:
        before, after = lists.beside(held.iri)
        return render_template(
            "sittings/sitting.html",
            iri=held.iri,
            title=names.one(held.iri),
            held=held,
            agenda=agenda,
            light=light,
            address=url,
            person=lists.person_ids.of,
            speakers=by_speaker(turns),
            groups=_by_group(turns),
            chair=sum(turn.words for turn in turns if turn.chair),
            before=before,
            after=after,
            short=lists.sitting_ids.of,
            shown=MOST_SPEAKERS,
        )

    return served(form, OF_A_THING, document, page)


@blueprint.get("/sittings/<name>/<debate>")
@api.validate(
    query=DebateQuery, resp=Answers(DebateDocument, *OF_A_THING, also={303: None}, refusals=(404,)), tags=["record"]
)
def debate(name: str, debate: str, query: DebateQuery) -> AnyResponse:
    """One debate of a sitting with every speech, and who spoke how long; pages of 400 speeches for readers."""
    here = site()
    form = choose(OF_A_THING)
    lists = known(here)
    held = _held(name, lists)
    iri = lists.debate_ids(held.iri).iri(debate) if held else None
    if held is None or iri is None:
        raise Problem(404, gettext("there is no such debate in a sitting here; the sittings are at /sittings"))
    away = elsewhere(iri, form)
    if away:
        return away
    names = names_of(lists, here)
    ordered = lists.debates[held.iri]
    place = next(n for n, other in enumerate(ordered) if other.iri == iri)
    whole = read_agenda(NamedNode(iri), here.graph, names, held.day)
    turns = whole.all_turns
    acts = _acts(iri, names, here)

    def document() -> DebateDocument:
        return DebateDocument(
            id=iri,
            title=ordered[place].title,
            date=held.day,
            url=here.url(request.path),
            discusses=[act for act, _ in acts],
            speeches_count=len(turns),
            words=whole.words,
            parts=[*(_part(part, here) for part in whole.parts), *map(_speech, whole.turns)],
            shares=_shares(turns),
        )

    def page() -> str:
        ids = lists.debate_ids(held.iri)

        def beside(n: int) -> tuple[str, str] | None:
            if not 0 <= n < len(ordered):
                return None
            return url_for("sittings.debate", name=name, debate=ids.of(ordered[n].iri)), ordered[n].title or ""

        listed = paged(_flat(whole), query.page, PER_PAGE)
        return render_template(
            "sittings/debate.html",
            iri=iri,
            held=held,
            sitting=names.one(held.iri),
            debate=ordered[place],
            acts=acts,
            agenda=whole,
            speeches=listed,
            person=lists.person_ids.of,
            speakers=by_speaker(turns),
            groups=_by_group(turns),
            chair=sum(turn.words for turn in turns if turn.chair),
            before=beside(place - 1),
            after=beside(place + 1),
            short=lists.sitting_ids.of,
            shown=MOST_SPEAKERS,
        )

    return served(form, OF_A_THING, document, page)


def _held(name: str, lists: Register) -> Held | None:
    iri = lists.sitting_ids.iri(name)
    return lists.sittings[iri] if iri else None


def _by_day(name: str, lists: Register) -> AnyResponse:
    """The sitting of a day. Raises `Problem` 404 where there is none, or more than one."""
    day = as_day(name) if len(name) == 10 else None
    found = [held for held in lists.sittings.values() if held.day == day]
    if len(found) == 1:
        path = url_for("sittings.sitting", name=lists.sitting_ids.of(found[0].iri))
        return redirect(f"{path}?{urlencode(request.args)}" if request.args else path, 303)
    if found:
        return redirect(url_for("sittings.sittings", period=name[:7]), 303)
    raise Problem(404, gettext("there is no sitting of that name or day here; the sittings are at /sittings"))


def _acts(iri: str, names: Names, here: Site) -> list[tuple[str, str]]:
    """IRI and title of the acts that a debate is on."""
    return [(act, names.one(act).text) for act in discussed(NamedNode(iri), here.graph)]


def _flat(whole: Part) -> list[tuple[Part | None, Turn]]:
    """Each speech with the phase that it opens, or None within one."""
    found: list[tuple[Part | None, Turn]] = []

    def walk(part: Part, head: Part | None) -> None:
        found.extend((head if n == 0 else None, turn) for n, turn in enumerate(part.turns))
        for below in part.parts:
            walk(below, below)

    walk(whole, None)
    return found


def _entry(listed: Listed, lists: Register, here: Site) -> SittingEntry:
    held = listed.held
    return SittingEntry(
        id=held.iri,
        number=_number(held),
        date=held.day,
        url=here.url(url_for("sittings.sitting", name=lists.sitting_ids.of(held.iri))),
        debates_count=len(listed.debates),
        speeches_count=listed.speeches,
        words=listed.words,
        parts=[DebateEntry(id=d.iri, title=d.title, order=d.order) for d in listed.debates],
    )


def _part(part: Part, here: Site, *, speeches: bool = True, address: str | None = None) -> DebateEntry:
    """A debate or a phase; a debate alone has an address."""
    below: list[DebateEntry | SpeechEntry] = [_part(child, here, speeches=speeches) for child in part.parts]
    if speeches:
        below.extend(map(_speech, part.turns))
    return DebateEntry(
        id=part.iri,
        type="Debate" if address else "Phase",
        title=part.title,
        order=part.order,
        url=here.url(address) if address else None,
        discusses=[act for act, _ in part.acts],
        speeches_count=part.speeches,
        words=part.words,
        parts=below,
    )


def _speech(turn: Turn) -> SpeechEntry:
    return SpeechEntry(
        id=turn.iri,
        order=turn.order,
        speaker=turn.speaker,
        speaker_name=turn.name,
        label=turn.sigla,
        group=turn.bloc,
        capacity=turn.capacity_iri.removeprefix(CAPACITY) if turn.capacity_iri else None,
        words=turn.words,
    )


def _by_group(turns: tuple[Turn, ...]) -> tuple[Share, ...]:
    return by_group(turns, gettext("Chair"), gettext("Others"))


def _shares(turns: tuple[Turn, ...]) -> list[ShareEntry]:
    groups = [
        ShareEntry(group=share.iri, label=share.name, speeches_count=share.speeches, words=share.words)
        for share in _by_group(turns)
    ]
    speakers = [
        ShareEntry(speaker=share.iri, label=share.name, speeches_count=share.speeches, words=share.words)
        for share in by_speaker(turns)
    ]
    return groups + speakers


def _number(held: Held) -> int | None:
    return int(held.number) if held.number and held.number.isdecimal() and len(held.number) < 10 else None


def _years(months: tuple[tuple[int, int, int], ...]) -> list[tuple[int, list[tuple[datetime.date, int]]]]:
    """(year, [(first day of a month, sittings)]), latest first."""
    found: dict[int, list[tuple[datetime.date, int]]] = {}
    for year, month, number in months:
        found.setdefault(year, []).append((datetime.date(year, month, 1), number))
    return list(found.items())
