"""A search from the request to the answer, as the engine runs it."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from datetime import date
from typing import Final, TypeVar

from pyoxigraph import NamedNode

import sparql
from loaders.names import organisation_name
from service.embedding import Vectors
from service.errors import QuestionError
from service.evidence import GOVERNMENT, SpeechRecord
from service.filters import NamedFilters
from service.graph import text_of
from service.pipeline import Engine
from service.progress import Progress
from service.question import topic_of, understand
from service.retrieval import records
from service.search import acts, facets, people, scope, speeches
from service.search.heads import read_heads
from service.search.request import ActHit, Facet, Filter, Found, SearchRequest, SearchResult, SpeechHit
from service.search.words import LONGEST, Query, marks, read, window

Item = TypeVar("Item")

SNIPPET: Final = 320
"""Code points of a passage that are shown."""
VECTORS: Final = 256
"""Texts whose vectors are kept."""
ACTS_BESIDE: Final = 3
"""Acts that are shown beside speeches."""


_vectors: OrderedDict[tuple[str, str, str], Vectors] = OrderedDict()
"""The vectors of the latest texts by corpus, model and text: the next page of a search embeds nothing."""
_lock = threading.Lock()


def _vector(text: str, engine: Engine) -> Vectors:
    """The vector of a text as a question's is made."""
    corpus = engine.corpus
    key = (corpus.manifest.version, corpus.embedder.model, text)
    with _lock:
        if key in _vectors:
            _vectors.move_to_end(key)
            return _vectors[key]
    vector = understand(text, corpus, engine.thesaurus).vector
    with _lock:
        _vectors[key] = vector
        while len(_vectors) > VECTORS:
            _vectors.popitem(last=False)
    return vector


def search(request: SearchRequest, engine: Engine, progress: Progress) -> SearchResult:
    """Search. Raises `QuestionError` for filters that make no sense, `DataError`, `QueryError`."""
    if len(request.text) > LONGEST:
        raise QuestionError(f"the search has {len(request.text)} characters; at most {LONGEST} are read")
    within = scope.resolve(request, engine)
    query = read(request.text)
    spoken = any(c.isalnum() for c in query.text)
    if not spoken:
        return _listed(request, within, engine) if request.narrowed else _nothing(request, within, query, engine)
    if within.capacity in scope.UNSEARCHED:
        raise QuestionError(
            f"speeches in the capacity {within.capacity} are not searched by words; leave the text empty to list them"
        )
    corpus, settings = engine.corpus, engine.settings.retrieval
    vector = None
    if request.mode != "text":
        vector = _vector(query.text, engine)
    hits: tuple[SpeechHit, ...] = ()
    found = Found()
    counted: tuple[Facet, ...] = ()
    if request.kind != "acts":
        candidates = speeches.find(
            query,
            vector,
            request.mode,
            within,
            corpus,
            minimum=settings.minimum_relevance,
            lexical_weight=settings.lexical_weight,
        )
        groups = candidates.groups
        if request.sort == "date":
            groups = tuple(sorted(groups, key=lambda group: (-group.best.day, group.speech)))
        heads = read_heads((group.speech for group in groups), corpus.graph)
        counted = facets.count(list(heads.values()), corpus.graph, engine.chamber, within.until)
        hits = _hits(_page(groups, request), query, request, engine)
        found = Found(len(groups), candidates.at_least, candidates.passages)
    found_acts = acts.FoundActs((), False)
    if request.kind != "speeches":
        found_acts = acts.find(query, vector, request.mode, within, corpus, settings.act_relevance)
    if request.kind == "acts":
        counted = acts.count(found_acts.acts, corpus.graph, engine.chamber, within.until)
    return SearchResult(
        speeches=hits,
        found=found,
        acts=_acts_shown(found_acts, query, request, engine),
        acts_found=Found(len(found_acts.acts), found_acts.at_least),
        people=people.find(query.text, corpus.graph) if request.page == 1 and request.kind == "all" else (),
        facets=counted,
        words=tuple(wanted.shown for wanted in query.wanted),
        filters=_filters(request, within, engine),
        groups=_groups(within, engine),
        until=within.until,
    )


def _nothing(request: SearchRequest, within: scope.Scope, query: Query, engine: Engine) -> SearchResult:
    """The answer to a search for nothing."""
    return SearchResult(
        speeches=(),
        found=Found(),
        acts=(),
        acts_found=Found(),
        people=(),
        facets=(),
        words=tuple(wanted.shown for wanted in query.wanted),
        filters=_filters(request, within, engine),
        groups=_groups(within, engine),
        until=within.until,
    )


def _listed(request: SearchRequest, within: scope.Scope, engine: Engine) -> SearchResult:
    """What fits the filters, the latest first, with the words of the topic that speeches have to name."""
    corpus = engine.corpus
    query = read(topic_of(request.answering) if request.answering else "")
    hits: tuple[SpeechHit, ...] = ()
    found = Found()
    counted: tuple[Facet, ...] = ()
    if request.kind != "acts":
        heads, more = speeches.latest(within, corpus)
        counted = facets.count(heads, corpus.graph, engine.chamber, within.until)
        groups = tuple(speeches.Group(head.speech, "listed", ()) for head in _page(tuple(heads), request))
        hits = _hits(groups, query, request, engine)
        found = Found(len(heads), more)
    found_acts = acts.FoundActs((), False)
    if request.kind != "speeches":
        found_acts = acts.latest(within, corpus)
    if request.kind == "acts":
        counted = acts.count(found_acts.acts, corpus.graph, engine.chamber, within.until)
    return SearchResult(
        speeches=hits,
        found=found,
        acts=_acts_shown(found_acts, query, request, engine),
        acts_found=Found(len(found_acts.acts), found_acts.at_least),
        people=(),
        facets=counted,
        words=(),
        filters=_filters(request, within, engine),
        groups=_groups(within, engine),
        until=within.until,
    )


def _page(items: tuple[Item, ...], request: SearchRequest) -> tuple[Item, ...]:
    start = (request.page - 1) * request.size
    return items[start : start + request.size]


def _acts_shown(found: acts.FoundActs, query: Query, request: SearchRequest, engine: Engine) -> tuple[ActHit, ...]:
    """The page of acts, or the few that are shown beside speeches."""
    if request.kind == "acts":
        ordered = found.acts
        if request.sort == "date":
            days = _days_of((f.act for f in ordered), engine)
            ordered = tuple(sorted(ordered, key=lambda f: (days.get(f.act, ""), f.act), reverse=True))
        shown = _page(ordered, request)
    else:
        shown = found.acts[:ACTS_BESIDE] if request.page == 1 else ()
    return acts.details(shown, query, engine.corpus.graph, engine.chamber)


def _days_of(iris: Iterable[str], engine: Engine) -> dict[str, str]:
    nodes = [NamedNode(iri) for iri in sorted(set(iris))]
    if not nodes:
        return {}
    rows = engine.corpus.graph.select(sparql.bind(sparql.query("retrieval/acts"), "?act", nodes))
    return {row["act"].value: row["date"].value for row in rows}


def _hits(
    groups: tuple[speeches.Group, ...], query: Query, request: SearchRequest, engine: Engine
) -> tuple[SpeechHit, ...]:
    read_ = records.speeches((group.speech for group in groups), engine.corpus)
    return tuple(_hit(group, read_[group.speech], query, request, engine) for group in groups if group.speech in read_)


def _hit(
    group: speeches.Group, record: SpeechRecord, query: Query, request: SearchRequest, engine: Engine
) -> SpeechHit:
    best = group.best if group.passages else None
    start, end = (best.start, best.end) if best else (0, len(record.text))
    standing = marks(query.wanted, record.text, start, end) if request.mode != "semantic" else ()
    begin, until = window(record.text, start, end, standing, SNIPPET)
    return SpeechHit(
        speech=group.speech,
        chunk=best.chunk if best else None,
        start=begin,
        end=until,
        text=record.text[begin:until],
        length=len(record.text),
        marks=tuple((a, b) for a, b in standing if begin <= a and b <= until),
        further=max(0, len(group.passages) - 1),
        matched=group.matched,
        lexical=best.lexical if best else None,
        similarity=best.similarity if best else None,
        relevance=best.relevance if best else None,
        score=best.score if best else None,
        speaker=record.speaker,
        name=record.name,
        capacity=record.capacity,
        group=record.group,
        group_name=acts.name_on(engine.chamber, record.group, record.date),
        component=record.component,
        component_name=acts.name_on(engine.chamber, record.component, record.date),
        date=record.date,
        debate=record.debate,
        debate_title=record.debate_title,
        sitting=record.sitting,
        source=record.source,
    )


def _filters(request: SearchRequest, within: scope.Scope, engine: Engine) -> tuple[Filter, ...]:
    """What the filters are called."""
    graph, chamber = engine.corpus.graph, engine.chamber
    found: list[Filter] = []
    for name in request.filters.groups:
        named = NamedFilters((name,)).resolve(chamber, within.until).groups
        own = next((iri for iri in named if iri == GOVERNMENT or not chamber.organisations[iri].is_component), named[0])
        found.append(Filter("group", name, acts.name_on(chamber, own, within.until) or own))
    names = {person.iri: person.name for person in people.everybody(graph)} if request.filters.speakers else {}
    found += [Filter("speaker", iri, names.get(iri, iri)) for iri in request.filters.speakers]
    if request.capacity:
        found.append(Filter("capacity", request.capacity, request.capacity))
    if request.answering:
        found.append(Filter("answering", request.answering, topic_of(request.answering)))
    if request.month:
        found.append(Filter("month", f"{request.month:%Y-%m}", f"{request.month:%Y-%m}", request.month))
    if request.sitting:
        rows = graph.select(sparql.bind(sparql.query("search/sitting"), "?sitting", [scope.node(request.sitting)]))
        number = text_of(rows[0], "number") if rows else None
        day = date.fromisoformat(rows[0]["date"].value[:10]) if rows else None
        found.append(Filter("sitting", request.sitting, number or "", day))
    if request.act:
        found.append(Filter("act", request.act, facets.titles([request.act], graph).get(request.act, request.act)))
    return tuple(found)


def _groups(within: scope.Scope, engine: Engine) -> tuple[tuple[str, str], ...]:
    """The groups that had a name on the last day that counts."""
    day = within.until
    present = (
        (o.iri, organisation_name(o.name_on(day)))
        for o in engine.chamber.organisations.values()
        if not o.is_component and any(n.begin <= day and (n.until is None or day <= n.until) for n in o.names)
    )
    return tuple(sorted(present, key=lambda group: (group[1], group[0])))
