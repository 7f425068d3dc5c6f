"""Acts found by number, by the words of their titles and subjects, or by meaning."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import Literal, NamedNode

import sparql
from loaders.names import organisation_name
from service.chamber import Chamber
from service.corpus import Corpus
from service.embedding import Vectors
from service.graph import GraphStore, Row, day_literal, text_of
from service.search.facets import facet
from service.search.request import ActHit, Facet, Matched, Mode
from service.search.scope import Scope, listed, node
from service.search.words import Query, marks, stands
from service.vectors import ACTS

CANDIDATES: Final = 200
"""Acts that are fetched by each way."""
COUNTED: Final = 500
"""Acts that facets count."""
_NUMBER: Final = re.compile(
    r"(?:\b(?:a\.?\s?c\.?|atto(?:\s+camera)?|act|ddl|pdl|n\.?|n°)\s*)?(\d{1,5}(?:-[a-z]{1,8}){0,3})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FoundAct:
    """An act with the ways by which it was found."""

    act: str
    matched: Matched
    lexical: float | None = None
    similarity: float | None = None
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class FoundActs:
    """Acts in order; there may be more where `at_least`."""

    acts: tuple[FoundAct, ...]
    at_least: bool


def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of an act that a text as a whole is ("A.C. 1234", "1234-A"), as registries may print them."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return ()
    number = found[1].upper()
    return tuple(dict.fromkeys((number, number.split("-")[0])))


def find(query: Query, vector: Vectors | None, mode: Mode, scope: Scope, corpus: Corpus, minimum: float) -> FoundActs:
    """Acts with the number asked for, then those with all the words, then those near in meaning."""
    if scope.acts == ():
        return FoundActs((), False)
    where = scope.where_acts
    direct = _numbered(query.text, scope, corpus.graph)
    relevance = corpus.embedder.calibration.relevance
    words = corpus.vectors.lexical(ACTS, query.lexical, limit=CANDIDATES, where=where) if mode != "semantic" else []
    lexical = {hit.iri: hit.score for hit in words}
    cosines: dict[str, float] = {}
    if mode != "text" and vector is not None:
        floor = corpus.embedder.calibration.cosine(minimum)
        near = corpus.vectors.nearest(ACTS, vector, limit=CANDIDATES, where=where, at_least=floor)
        cosines = {hit.iri: hit.score for hit in near}
        missing = [iri for iri in lexical if iri not in cosines]
        rest = corpus.vectors.nearest(ACTS, vector, limit=len(missing), where=where.only(missing))
        cosines |= {hit.iri: hit.score for hit in rest}
    texts = _texts({*lexical, *cosines}, corpus.graph)
    found = [FoundAct(act, "words") for act in direct]
    for act in {*lexical, *cosines} - set(direct):
        text = texts.get(act, "")
        held = [w for w in query.wanted if stands(w, text)] if mode != "semantic" else []
        if mode != "semantic" and not all(w in held for w in query.required):
            continue
        complete = bool(query.wanted) and len(held) == len(query.wanted)
        relevant = relevance(cosines[act]) if act in cosines else None
        if complete or (held if mode == "text" else relevant is not None and relevant >= minimum):
            matched: Matched = "words" if complete else "some" if mode == "text" else "meaning"
            found.append(FoundAct(act, matched, lexical.get(act), cosines.get(act), relevant))
    firsts = set(direct)
    found.sort(
        key=lambda f: (
            f.act not in firsts,
            f.matched != "words",
            -(f.relevance or 0.0) if mode != "text" else -(f.lexical or 0.0),
            f.act,
        )
    )
    return FoundActs(tuple(found), len(words) >= CANDIDATES or len(cosines) >= CANDIDATES)


def latest(scope: Scope, corpus: Corpus) -> FoundActs:
    """The latest acts that the filters allow."""
    if scope.acts == ():
        return FoundActs((), False)
    days = (day_literal(scope.filters.date_from or date(1000, 1, 1)), day_literal(scope.until))
    rows = corpus.graph.select(sparql.bind(sparql.query("search/latest-acts"), "?first ?last", [days]))
    allowed = None if scope.acts is None else set(scope.acts)
    acts = dict.fromkeys(row["act"].value for row in rows if allowed is None or row["act"].value in allowed)
    return FoundActs(tuple(FoundAct(act, "listed") for act in acts), False)


def _numbered(text: str, scope: Scope, graph: GraphStore) -> tuple[str, ...]:
    numbers = [Literal(number) for number in numbers_in(text)]
    found = listed("numbered", "?number", numbers, "act", graph)
    allowed = None if scope.acts is None else set(scope.acts)
    first, last = scope.filters.date_from, scope.until
    if not found:
        return ()
    rows = graph.select(sparql.bind(sparql.query("retrieval/acts"), "?act", map(node, found)))
    days = {row["act"].value: row["date"].value[:10] for row in rows}
    return tuple(
        act
        for act in found
        if (allowed is None or act in allowed)
        and (first.isoformat() if first else "") <= days.get(act, "") <= last.isoformat()
    )


def _texts(acts: set[str], graph: GraphStore) -> dict[str, str]:
    """Titles with the labels of the subjects."""
    if not acts:
        return {}
    nodes = [node(act) for act in sorted(acts)]
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for row in graph.select(sparql.bind(sparql.query("retrieval/acts"), "?act", nodes)):
        texts[row["act"].value].append(row["title"].value)
    for row in graph.select(sparql.bind(sparql.query("search/act-facts"), "?act", nodes)):
        if row["fact"].value == "subject":
            texts[row["act"].value].append(row["value"].value)
    return {act: " ; ".join(parts) for act, parts in texts.items()}


def details(found: tuple[FoundAct, ...], query: Query, graph: GraphStore, chamber: Chamber) -> tuple[ActHit, ...]:
    """What is shown of acts, in two queries."""
    if not found:
        return ()
    nodes = [node(f.act) for f in found]
    heads = _heads(nodes, graph)
    facts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in graph.select(sparql.bind(sparql.query("search/act-facts"), "?act", nodes)):
        facts[row["act"].value, row["fact"].value].append(row["value"].value)
    groups = _groups(heads.values(), graph)
    hits = []
    for f in found:
        head = heads.get(f.act)
        if head is None:
            continue
        title = " ".join(head["title"].value.split())
        day = _day(head)
        speaker = text_of(head, "speaker")
        group = groups.get((speaker, day)) if speaker else None
        hits.append(
            ActHit(
                act=f.act,
                title=title,
                marks=marks(query.wanted, title) if f.matched != "meaning" or f.lexical else (),
                number=text_of(head, "number"),
                date=day,
                subjects=tuple(dict.fromkeys(facts[f.act, "subject"])),
                speaker=speaker,
                name=text_of(head, "name"),
                group=group,
                group_name=name_on(chamber, group, day),
                signatories=len(set(facts[f.act, "signatory"])),
                discussed=bool(facts[f.act, "debate"]),
                matched=f.matched,
                lexical=f.lexical,
                similarity=f.similarity,
                relevance=f.relevance,
            )
        )
    return tuple(hits)


def _heads(nodes: Sequence[NamedNode], graph: GraphStore) -> dict[str, Row]:
    heads: dict[str, Row] = {}
    for row in graph.select(sparql.bind(sparql.query("search/act-heads"), "?act", nodes)):
        heads.setdefault(row["act"].value, row)
    return heads


def count(found: tuple[FoundAct, ...], graph: GraphStore, chamber: Chamber, on: date) -> tuple[Facet, ...]:
    """Count acts by first signatory, by that person's group on the day of the act, and by month."""
    if not found:
        return ()
    heads = _heads([node(f.act) for f in found[:COUNTED]], graph)
    groups = _groups(heads.values(), graph)
    signed = [(head["speaker"].value, _day(head), head) for head in heads.values() if "speaker" in head]
    names = {speaker: text_of(head, "name") or speaker for speaker, _, head in signed}
    of_groups = Counter(group for speaker, day, _ in signed if (group := groups.get((speaker, day))))
    months = Counter(f"{_day(head):%Y-%m}" for head in heads.values())
    days = {f"{_day(head):%Y-%m}": _day(head).replace(day=1) for head in heads.values()}
    facets = (
        facet("group", of_groups, {group: name_on(chamber, group, on) or group for group in of_groups}, {}),
        facet("speaker", Counter(speaker for speaker, _, _ in signed), names, {}),
        facet("month", months, {}, days),
    )
    return tuple(counted for counted in facets if counted.values)


def _groups(heads: Iterable[Row], graph: GraphStore) -> dict[tuple[str, date], str]:
    """The groups of first signatories on the days of their acts."""
    signed = {(head["speaker"].value, _day(head)) for head in heads if "speaker" in head}
    if not signed:
        return {}
    pairs = [(node(speaker), day_literal(day)) for speaker, day in sorted(signed)]
    rows = graph.select(sparql.bind(sparql.query("search/groups-on-days"), "?speaker ?day", pairs))
    return {
        (row["speaker"].value, date.fromisoformat(row["day"].value[:10])): row["group"].value for row in reversed(rows)
    }


def _day(head: Row) -> date:
    return date.fromisoformat(head["date"].value[:10])


def name_on(chamber: Chamber, iri: str | None, day: date) -> str | None:
    """The name of a group or component on a day, as it is displayed."""
    organisation = chamber.organisations.get(iri) if iri else None
    return organisation_name(organisation.name_on(day)) if organisation else None
