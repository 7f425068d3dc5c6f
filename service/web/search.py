"""Search over HTTP: speeches, acts and people; JSON-LD, a page, and a feed of the latest results."""

import datetime
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import urlencode

import flask_babel
from flask import Blueprint, Response, render_template, request
from lxml import etree
from pydantic import ConfigDict, Field, StringConstraints
from werkzeug.wrappers import Response as AnyResponse

from ontology import CAPACITY
from service.evidence import GOVERNMENT
from service.resources.generic import Page
from service.resources.names import Names
from service.resources.wording import gettext, in_words
from service.search.operation import search as find
from service.search.request import (
    ActHit,
    FacetValue,
    Filter,
    Found,
    Matched,
    Mode,
    SearchRequest,
    SearchResult,
    SpeechHit,
)
from service.search.words import LONGEST, Span
from service.web.api import Answers, Paged, api
from service.web.filters import Filtered
from service.web.language import language
from service.web.negotiation import HTML, JSON_LD, Form, choose
from service.web.problems import Problem
from service.web.record import OFFERED, Described, Document, PageView, served, view_of
from service.web.resources import address as resource_url
from service.web.site import Site, site

blueprint = Blueprint("search", __name__)

ATOM: Final = Form("application/atom+xml", "atom")
LARGEST: Final = 50
"""Results of a page."""
FEED: Final = 30
"""Entries of a feed."""
_ATOM: Final = "http://www.w3.org/2005/Atom"
KEPT: Final = ("speaker", "sitting", "act", "month", "answering", "answeringGroup")
"""Filters without a field in the form, which keeps them."""
_SHOWN_MODE: Final[tuple[Mode, ...]] = ("hybrid", "text", "semantic")

Iri = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]


class SearchQuery(Filtered, Paged):
    """What to search for, and in what."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    q: str = Field(
        default="",
        max_length=LONGEST,
        description='Words; `"…"` is a phrase, `+word` must occur. Without any, what fits the filters is listed.',
    )
    kind: Literal["all", "speeches", "acts"] = Field(default="all", description="What to search for.")
    mode: Literal["text", "semantic", "hybrid"] = Field(
        default="hybrid", description="By words, by meaning, or both: those with all the words first."
    )
    sort: Literal["relevance", "date"] = Field(default="relevance", description="Best or latest first.")
    sitting: Iri = Field(default="", description="Only speeches of this sitting, and acts debated in it, by IRI.")
    act: Iri = Field(default="", description="Only speeches in debates on this act, by IRI.")
    month: Annotated[str, StringConstraints(pattern=r"^([12]\d{3}-(0[1-9]|1[0-2]))?$")] = Field(
        default="", description="Only of this month, such as `2025-12`."
    )
    capacity: Literal["", "member", "government", "rapporteur", "guest", "chair", "presidency", "unresolved"] = Field(
        default="", description="Only speeches in this capacity. `presidency` is `chair`."
    )
    answering: str = Field(
        default="",
        max_length=LONGEST,
        description="Only speeches that name the topic of this question, those that its answer counts.",
    )
    answering_group: list[Annotated[str, StringConstraints(max_length=500)]] = Field(
        default_factory=list,
        max_length=50,
        alias="answeringGroup",
        description="The groups to which that question is limited.",
    )
    size: int = Field(default=10, ge=1, le=LARGEST, description="Results of a page.")

    def request(self, **other: Any) -> SearchRequest:
        """The search for the engine."""
        values: dict[str, Any] = {
            "text": self.q,
            "kind": self.kind,
            "mode": self.mode,
            "sort": self.sort,
            "filters": self.named,
            "as_of": self.as_of,
            "month": datetime.date.fromisoformat(f"{self.month}-01") if self.month else None,
            "sitting": self.sitting or None,
            "act": self.act or None,
            "capacity": "chair" if self.capacity == "presidency" else self.capacity or None,
            "answering": self.answering.strip() or None,
            "answering_groups": tuple(self.answering_group),
            "page": self.page,
            "size": self.size,
        }
        return SearchRequest(**(values | other))


class Place(Described):
    """A span of a text in code points, the end excluded."""

    type: Literal["TextPositionSelector"] = "TextPositionSelector"
    start: int
    end: int


class SpeechEntry(Described):
    """A speech that was found, with its best passage and the speaker's standing on that day."""

    type: Literal["SearchResult"] = "SearchResult"
    order: int = Field(description="The place among all results, from 1.")
    speech: str
    url: str = Field(description="The page of the speech, at the passage.")
    passage: str | None = None
    exact: str
    selector: list[Place] = Field(description="Where `exact` stands in the text of the speech.")
    highlights: list[Place] = Field(description="Where the words stand in the text of the speech.")
    further_passages: int
    found_by: Literal["words", "some", "meaning", "listed"]
    lexical_score: float | None = None
    similarity: float | None = None
    relevance: float | None = None
    speaker: str | None = None
    speaker_name: str | None = None
    group_at_speech: str | None = None
    component_at_speech: str | None = None
    label: str | None = Field(default=None, description="The group or component by its name on that day.")
    capacity: str
    date: datetime.date
    debate: str | None = None
    debate_title: str | None = None
    sitting: str
    source: str


class ActEntry(Described):
    """An act that was found, with its first signatory and that person's group on the day of the act."""

    type: Literal["SearchResult"] = "SearchResult"
    order: int = Field(description="The place among all acts found, from 1.")
    act: str
    url: str
    title: str
    highlights: list[Place] = Field(description="Where the words stand in the title.")
    act_number: str | None = None
    date: datetime.date
    subjects: list[str]
    first_signatory: str | None = None
    name: str | None = None
    group: str | None = None
    label: str | None = Field(default=None, description="The group by its name on that day.")
    signatories_count: int
    discussed: bool
    found_by: Literal["words", "some", "meaning", "listed"]
    lexical_score: float | None = None
    similarity: float | None = None
    relevance: float | None = None


class PersonEntry(Described):
    """A person whose name was searched for."""

    id: str
    type: Literal["Person"] = "Person"
    name: str
    url: str


class ValueEntry(Described):
    """A value of a facet, and the search that is limited to it."""

    type: Literal["FacetValue"] = "FacetValue"
    value: str
    label: str
    count: int
    narrows: str


class FacetEntry(Described):
    """How the results are spread over one dimension: the commonest values."""

    type: Literal["Facet"] = "Facet"
    dimension: Literal["group", "speaker", "capacity", "month", "sitting", "act"]
    facet_values: list[ValueEntry]


class ActsDocument(Described):
    """The best acts beside the speeches; `id` finds them all."""

    id: str
    type: Literal["Collection"] = "Collection"
    total_items: int
    at_least: bool
    member: list[ActEntry]


class SearchDocument(Document):
    """A page of results. `totalItems` is a lower bound where `atLeast` is true."""

    id: str
    type: Literal["Collection"] = "Collection"
    mode: Literal["text", "semantic", "hybrid"]
    searched_words: list[str]
    reference_date: datetime.date = Field(description="The last day that counts.")
    total_items: int
    at_least: bool
    passages_found: int
    member: list[SpeechEntry | ActEntry]
    view: PageView
    facets: list[FacetEntry]
    found_acts: ActsDocument | None = None
    found_people: list[PersonEntry]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a facet on the page, or a filter that is set, with where its link leads."""

    label: str
    address: str
    count: int = 0
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """A facet on the page."""

    title: str
    values: tuple[Choice, ...]
    further: int


@blueprint.get("/search")
@api.validate(query=SearchQuery, resp=Answers(SearchDocument, JSON_LD, HTML, refusals=(404,)), tags=["search"])
def search(query: SearchQuery) -> Response:
    """Search in speeches and acts by words, by meaning or both, with every filter in each of them."""
    here = site()
    form = choose(OFFERED)
    result = _run(query.request(), here)
    shown = result.acts_found if query.kind == "acts" else result.found
    pages = max(1, -(-shown.total // query.size))
    page: Page[Any] = Page((), query.page, pages, shown.total)

    def document() -> SearchDocument:
        return _document(query, result, shown, page, here)

    def rendered() -> str:
        return _rendered(query, result, shown, page, here)

    return served(form, OFFERED, document, rendered)


@blueprint.get("/search.atom")
@api.validate(query=SearchQuery, resp=Answers(None, ATOM, refusals=(404,)), tags=["search"])
def feed(query: SearchQuery) -> AnyResponse:
    """The latest results of a search as an Atom feed."""
    here = site()
    result = _run(query.request(sort="date", page=1, size=FEED), here)
    response = Response(_atom(query, result, here), mimetype=ATOM.media_type)
    response.headers["Cache-Control"] = "public, max-age=300"
    response.vary.update(("Accept-Language", "Cookie"))
    response.add_etag()
    return response.make_conditional(request)


def _run(wanted: SearchRequest, here: Site) -> SearchResult:
    """Ask the engine. Raises `Problem` where there is none or where it has nothing to search."""
    if here.manifest.kind != "parliament":
        raise Problem(404, gettext("no parliament is loaded here, but plain RDF; ask it at /sparql"))
    if here.engine is None:
        raise Problem(503, gettext("this service runs without a search engine; query the data at /sparql"))
    return here.engine.run(find, wanted)


# JSON-LD


def _document(query: SearchQuery, result: SearchResult, shown: Found, page: Page[Any], here: Site) -> SearchDocument:
    first = (query.page - 1) * query.size + 1
    view = view_of(page, here)
    return SearchDocument(
        id=here.url(_address({})),
        mode=query.mode,
        searched_words=list(result.words),
        reference_date=result.until,
        total_items=shown.total,
        at_least=shown.at_least,
        passages_found=shown.passages,
        member=[_act(hit, first + n, here) for n, hit in enumerate(result.acts)]
        if query.kind == "acts"
        else [_speech(hit, first + n, here) for n, hit in enumerate(result.speeches)],
        view=view,
        facets=[
            FacetEntry(
                dimension=facet.dimension,
                facet_values=[
                    ValueEntry(
                        value=value.value,
                        label=_told(value),
                        count=value.count,
                        narrows=here.url(_address({facet.dimension: value.value})),
                    )
                    for value in facet.values
                ],
            )
            for facet in result.facets
        ],
        found_acts=ActsDocument(
            id=here.url(_address({"kind": "acts"})),
            total_items=result.acts_found.total,
            at_least=result.acts_found.at_least,
            member=[_act(hit, n, here) for n, hit in enumerate(result.acts, start=1)],
        )
        if query.kind == "all"
        else None,
        found_people=[
            PersonEntry(id=person.iri, name=person.name, url=here.url(resource_url(person.iri)))
            for person in result.people
        ],
    )


def _speech(hit: SpeechHit, order: int, here: Site) -> SpeechEntry:
    return SpeechEntry(
        order=order,
        speech=hit.speech,
        url=here.url(_at_passage(hit)),
        passage=hit.chunk,
        exact=hit.text,
        selector=[Place(start=hit.start, end=hit.end)],
        highlights=[Place(start=start, end=end) for start, end in hit.marks],
        further_passages=hit.further,
        found_by=hit.matched,
        lexical_score=hit.lexical,
        similarity=hit.similarity,
        relevance=hit.relevance,
        speaker=hit.speaker,
        speaker_name=hit.name,
        group_at_speech=hit.group,
        component_at_speech=hit.component,
        label=hit.component_name or hit.group_name,
        capacity=hit.capacity,
        date=hit.date,
        debate=hit.debate,
        debate_title=hit.debate_title,
        sitting=hit.sitting,
        source=hit.source,
    )


def _act(hit: ActHit, order: int, here: Site) -> ActEntry:
    return ActEntry(
        order=order,
        act=hit.act,
        url=here.url(resource_url(hit.act)),
        title=hit.title,
        highlights=[Place(start=start, end=end) for start, end in hit.marks],
        act_number=hit.number,
        date=hit.date,
        subjects=list(hit.subjects),
        first_signatory=hit.speaker,
        name=hit.name,
        group=hit.group,
        label=hit.group_name,
        signatories_count=hit.signatories,
        discussed=hit.discussed,
        found_by=hit.matched,
        lexical_score=hit.lexical,
        similarity=hit.similarity,
        relevance=hit.relevance,
    )


# The page


def _rendered(query: SearchQuery, result: SearchResult, shown: Found, page: Page[Any], here: Site) -> str:
    capacities = _capacities(result, here)
    titles = {
        "group": gettext("Group"),
        "speaker": gettext("Speaker"),
        "capacity": gettext("Capacity"),
        "month": gettext("Month"),
        "sitting": gettext("Sitting"),
        "act": gettext("Act under debate"),
        "answering": gettext("On the topic"),
    }
    chosen = {(f.dimension, f.value) for f in result.filters}
    facets = tuple(
        Choices(
            titles[facet.dimension],
            tuple(
                Choice(
                    capacities.get(value.value) or _told(value) if facet.dimension == "capacity" else _told(value),
                    _address({facet.dimension: value.value}),
                    value.count,
                    (facet.dimension, value.value) in chosen,
                )
                for value in facet.values
            ),
            facet.further,
        )
        for facet in result.facets
        if len(facet.values) > 1
    )
    filters = [
        Choice(
            f"{titles[f.dimension]}: {capacities.get(f.value, f.label) if f.dimension == 'capacity' else _told(f)}",
            _address({}, without=(f.dimension, f.value)),
        )
        for f in result.filters
    ]
    for name, day, title in (
        ("from", query.date_from, gettext("From")),
        ("until", query.date_until, gettext("Until")),
        ("asOf", query.as_of, gettext("As of")),
    ):
        if day:
            filters.append(Choice(f"{title}: {in_words(day)}", _address({}, without=(name, None))))
    view = view_of(page, here)
    return render_template(
        "search/search.html",
        asked=query,
        result=result,
        shown=shown,
        page=page,
        view=view,
        facets=facets,
        filters=filters,
        modes=_SHOWN_MODE,
        capacities=capacities,
        groups=[(GOVERNMENT, gettext("Government")), *result.groups],
        other={kind: _address({"kind": kind}) for kind in ("all", "speeches", "acts")},
        sorts={sort: _address({"sort": sort}) for sort in ("relevance", "date")},
        by_mode={mode: _address({"mode": mode}) for mode in _SHOWN_MODE},
        feed="/search.atom" + _address({}).removeprefix("/search"),
        tiers=[
            (matched, hits)
            for matched in get_args(Matched)
            if (hits := [hit for hit in result.speeches if hit.matched == matched])
        ]
        if query.sort == "relevance"
        else [],
        marked=marked,
        at_passage=_at_passage,
        searched=bool(query.q.strip() or query.request().narrowed),
        kept=[(name, value) for name in KEPT for value in request.args.getlist(name)],
    )


def _capacities(result: SearchResult, here: Site) -> dict[str, str]:
    """What the capacities are called in the reader's language."""
    values = {value.value for facet in result.facets if facet.dimension == "capacity" for value in facet.values}
    values |= {hit.capacity for hit in result.speeches} | {f.value for f in result.filters if f.dimension == "capacity"}
    if not values:
        return {}
    called = Names(here.graph, language()).of(CAPACITY + value for value in values)
    return {iri.removeprefix(CAPACITY): name.text for iri, name in called.items()}


def _told(value: FacetValue | Filter) -> str:
    """What a value is called where its label is not a name: sittings, months, the government."""
    if value.day is None:
        return gettext("Government") if value.label == GOVERNMENT else value.label
    if value.label == value.value:
        return month_in_words(value.day)
    day = in_words(value.day)
    return f"{value.label}, {day}" if value.label else day


def month_in_words(day: datetime.date) -> str:
    """A month as it is written out, such as "December 2025"."""
    return str(flask_babel.format_date(day, "LLLL y"))  # type: ignore[no-untyped-call]


def marked(text: str, start: int, marks: tuple[Span, ...]) -> list[tuple[str, bool]]:
    """A text in pieces, with whether each is marked; `marks` are counted from where `start` is the text's first."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for begin, end in marks:
        pieces += [(text[at : begin - start], False), (text[begin - start : end - start], True)]
        at = end - start
    return [piece for piece in [*pieces, (text[at:], False)] if piece[0]]


def _at_passage(hit: SpeechHit) -> str:
    """The page of a speech, at the passage that is shown."""
    return resource_url(hit.speech, start=str(hit.start), end=str(hit.end))


def _address(changed: dict[str, str], without: tuple[str, str | None] | None = None) -> str:
    """The path of this search with some parameters changed, from its first page."""
    kept = [
        (name, value)
        for name, value in request.args.items(multi=True)
        if name not in ("page", "lang", "format", *changed)
        and value
        and not (without and name == without[0] and without[1] in (None, value))
    ]
    query = urlencode([*kept, *changed.items()])
    return f"/search?{query}" if query else "/search"


# The feed


def _atom(query: SearchQuery, result: SearchResult, here: Site) -> bytes:
    address = here.url(_address({}))

    def add(parent: Any, name: str, text: str | None = None, **attributes: str) -> Any:
        node = etree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes)
        if text is not None:
            node.text = _of_xml(text)
        return node

    root = etree.Element(f"{{{_ATOM}}}feed", nsmap={None: _ATOM})
    add(root, "id", address)
    add(root, "title", gettext("Search: %(text)s", text=query.q) if query.q else gettext("Search"))
    add(root, "link", rel="alternate", type="text/html", href=address)
    add(
        root,
        "link",
        rel="self",
        type=ATOM.media_type,
        href=here.url("/search.atom" + _address({}).removeprefix("/search")),
    )
    days = [hit.date for hit in result.speeches] + [hit.date for hit in result.acts if query.kind == "acts"]
    add(root, "updated", _midnight(max(days, default=result.until)))
    for hit in result.speeches:
        entry = add(root, "entry")
        add(entry, "id", hit.speech)
        group = hit.component_name or hit.group_name
        who = hit.name or gettext("Speaker not identified")
        add(entry, "title", " · ".join(filter(None, (who, group, hit.debate_title))))
        add(entry, "updated", _midnight(hit.date))
        add(add(entry, "author"), "name", who)
        add(entry, "link", rel="alternate", type="text/html", href=here.url(_at_passage(hit)))
        add(entry, "summary", hit.text)
    for act in result.acts if query.kind == "acts" else ():
        entry = add(root, "entry")
        add(entry, "id", act.act)
        add(entry, "title", act.title)
        add(entry, "updated", _midnight(act.date))
        add(add(entry, "author"), "name", act.name or gettext("Without a named signatory"))
        add(entry, "link", rel="alternate", type="text/html", href=here.url(resource_url(act.act)))
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True))


def _midnight(day: datetime.date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


def _of_xml(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return "".join(
        c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    )
