"""The page of a resource for people: the view that fits its class, or a table of everything stated about it."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final

from flask import render_template, request, url_for
from pyoxigraph import Literal, NamedNode, Triple

from ontology import DC, DCTERMS, EMI, FOAF, OCD
from service.resources.acts import read_act
from service.resources.agenda import read_agenda, trail
from service.resources.bodies import read_body
from service.resources.description import as_property, describe, is_held
from service.resources.generic import facts_of, inverses
from service.resources.kept import KeptAnswers
from service.resources.names import TYPE, Names, as_day
from service.resources.speeches import passage, read_speech
from service.resources.vocabulary import terms
from service.resources.wording import gettext
from service.web.language import language
from service.web.people import person_page
from service.web.problems import Problem
from service.web.record import lists_of
from service.web.site import Site

STATEMENTS: Final = "statements"
"""`?view=` of the table, for resources that have a view of their own."""
MOST_TURNS: Final = 400
"""Speeches that the agenda of a sitting or a debate lists; those of a longer one have pages at /sittings."""
_BODIES: Final = (f"{EMI}Group", f"{EMI}Component", f"{EMI}Committee")
_PARTS: Final = (f"{EMI}Sitting", f"{EMI}Debate", f"{EMI}Phase")
_NUMBER: Final = NamedNode(f"{DC}identifier")
_ACT_FACTS: Final = (
    f"{DC}identifier",
    f"{DC}type",
    f"{DC}creator",
    f"{DCTERMS}subject",
    f"{DCTERMS}isReferencedBy",
    f"{DCTERMS}description",
    f"{OCD}iniziativa",
)

_ANSWER: Final = re.compile(r"/answers/[A-Za-z0-9][A-Za-z0-9._~-]{0,199}(#[A-Za-z][A-Za-z0-9._-]{0,79})?")
"""The path of an answer on this site, which may point at a place in it."""

View = Callable[[NamedNode, Site, Names], str | None]
"""Makes a page, or None where the resource lacks what the view shows."""


def render(iri: NamedNode, here: Site) -> str | None:
    """The page of a resource; None if nothing is held about it. Raises `Problem` 400 for senseless parameters."""
    names = Names(here.graph, language())
    name = names.one(iri.value)
    if not name.described and not is_held(iri, here.graph):
        return _of_answers(iri, here, names)
    if request.args.get("view") != STATEMENTS:
        view = next((_VIEWS[kind] for kind in name.types if kind in _VIEWS), None)
        page = view(iri, here, names) if view else None
        if page is not None:
            return page
    return _table(iri, here, names, describe(iri, here.graph) if name.described else as_property(iri, here.graph))


def _of_answers(iri: NamedNode, here: Site, names: Names) -> str | None:
    """What only the answers know: a quotation in its place, or an answer as a table."""
    kept = KeptAnswers.open(here.data.answers)
    if kept is None:
        return None
    span = kept.span(iri)
    if span and request.args.get("view") != STATEMENTS:
        page = _spoken(span[0], here, names, (span[1], span[2]), iri.value)
        if page is not None:
            return page
    triples = kept.describe(iri)
    return _table(iri, here, names, triples) if triples else None


def _table(iri: NamedNode, here: Site, names: Names, triples: tuple[Triple, ...]) -> str:
    name = names.one(iri.value)
    typed = (t.object for t in triples if t.predicate.value == TYPE and t.subject == iri)
    types = sorted({kind.value for kind in typed if isinstance(kind, NamedNode)})
    called = terms(set(types), names)
    return render_template(
        "resource/table.html",
        iri=iri.value,
        name=name,
        types=tuple({called[kind].casefold(): (kind, called[kind]) for kind in types}.values()),
        facts=facts_of(iri, triples, names),
        inverses=inverses(iri, here.graph, names, request.args.get("inverse"), _number("page")),
        own_view=any(kind in _VIEWS for kind in name.types),
    )


def _person(iri: NamedNode, here: Site, names: Names) -> str:
    return person_page(iri, here, names, _number("acts"), _number("page"))


def _body(iri: NamedNode, here: Site, names: Names) -> str:
    manifest = here.manifest
    day = _day("day") or manifest.last_day or date.fromisoformat(manifest.loaded_at[:10])
    body = read_body(iri, here.graph, names, day)
    kinds = terms(set(names.one(iri.value).types) & set(_BODIES), names)
    return render_template(
        "resource/body.html",
        iri=iri.value,
        name=names.one(iri.value),
        kind=next(iter(kinds.values()), ""),
        title=names.on(iri.value, day),
        body=body,
    )


def _act(iri: NamedNode, here: Site, names: Names) -> str:
    day = names.day(iri.value)
    triples = tuple(t for t in describe(iri, here.graph) if t.predicate.value in _ACT_FACTS)
    return render_template(
        "resource/act.html",
        iri=iri.value,
        name=names.one(iri.value),
        day=day,
        number=next((t.object.value for t in triples if t.predicate == _NUMBER and isinstance(t.object, Literal)), ""),
        act=read_act(iri, here.graph, names, day),
        facts=facts_of(iri, triples, names),
    )


def _part(iri: NamedNode, here: Site, names: Names) -> str:
    places = trail(iri, here.graph, names)
    day = next((found for place in (iri.value, *(p.iri for p in places)) if (found := names.day(place))), None)
    name = names.one(iri.value)
    kinds = terms(set(name.types) & set(_PARTS), names)
    agenda = read_agenda(iri, here.graph, names, day)
    return render_template(
        "resource/agenda.html",
        iri=iri.value,
        name=name,
        kind=next(iter(kinds.values()), ""),
        trail=places,
        day=day,
        agenda=agenda,
        own=_browsed(iri.value, [place.iri for place in places], here),
        light=agenda.speeches <= MOST_TURNS,
    )


def _browsed(iri: str, within: Sequence[str], here: Site) -> str | None:
    """The path at which a sitting or a debate is browsed; None for what is within a debate."""
    lists = lists_of(here)
    if lists is None:
        return None
    sitting = lists.sitting_ids.of(iri)
    if sitting:
        return url_for("sittings.sitting", name=sitting)
    above = next((place for place in within if lists.sitting_ids.of(place)), None)
    debate = lists.debate_ids(above).of(iri) if above else None
    return url_for("sittings.debate", name=lists.sitting_ids.of(above), debate=debate) if above and debate else None


def _speech(iri: NamedNode, here: Site, names: Names) -> str | None:
    start, end = request.args.get("start"), request.args.get("end")
    if start is None and end is None:
        return _spoken(iri, here, names, None, iri.value)
    if not (start and end and start.isdecimal() and end.isdecimal() and len(start + end) < 20):
        raise Problem(400, gettext("start and end are offsets in characters, both given, such as start=0&end=120"))
    return _spoken(iri, here, names, (int(start), int(end)), iri.value)


def _passage(iri: NamedNode, here: Site, names: Names) -> str | None:
    found = passage(iri, here.graph)
    return _spoken(found[0], here, names, (found[1], found[2]), iri.value) if found else None


def _spoken(iri: NamedNode, here: Site, names: Names, asked: tuple[int, int] | None, shown: str) -> str | None:
    """A speech in its place, with a span pointed at; `shown` is the IRI that the page is about."""
    places = trail(iri, here.graph, names)
    kept = KeptAnswers.open(here.data.answers)
    quotations = kept.quotations(iri) if kept else ()
    speech = read_speech(iri, here.graph, names, [place.iri for place in places], quotations, asked)
    if speech is None:
        return None
    return render_template(
        "resource/speech.html",
        iri=shown,
        speech=speech,
        trail=places,
        asked_for=asked,
        about=shown != iri.value,
        back=_back(),
    )


def _back() -> str | None:
    """The answer that the reader came from, by the path in `from`; anything else there is passed over."""
    path = request.args.get("from", "")
    return path if _ANSWER.fullmatch(path) else None


_VIEWS: Final[Mapping[str, View]] = {
    f"{FOAF}Person": _person,
    **dict.fromkeys(_BODIES, _body),
    f"{EMI}Act": _act,
    **dict.fromkeys(_PARTS, _part),
    f"{EMI}Speech": _speech,
    f"{EMI}Chunk": _passage,
}


def _number(parameter: str) -> int:
    """A page number. Raises `Problem` 400."""
    text = request.args.get(parameter, "1")
    if not (text.isdecimal() and 0 < len(text) < 7 and int(text)):
        raise Problem(400, gettext("%(parameter)s is a page number, from 1", parameter=parameter))
    return int(text)


def _day(parameter: str) -> date | None:
    """A day, or None where none is asked for. Raises `Problem` 400."""
    text = request.args.get(parameter)
    if not text:
        return None
    day = as_day(text)
    if day is None or len(text) != 10:
        raise Problem(400, gettext("%(parameter)s is a day such as 2026-02-04", parameter=parameter))
    return day


def external(iri: str) -> bool:
    """Whether an IRI may stand as a link that leads away from here."""
    return iri.startswith(("https://", "http://"))
