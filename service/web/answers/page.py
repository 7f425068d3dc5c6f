"""The pages of an answer: the finished one, made of its document, and the one that is shown while it is made."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, Literal
from urllib.parse import urlencode

from flask import render_template

from loaders.names import organisation_name
from ontology import CAPACITY
from service.answer import jsonld
from service.answer.jsonld import Document
from service.answers import citations
from service.answers.reading import MARKER, Quoted, language_of
from service.answers.reading import quotations as read_quotations
from service.answers.reading import sections as read_sections
from service.errors import EmicicloError
from service.evidence import GOVERNMENT
from service.progress import Stage, Step
from service.resources.names import Names, as_day
from service.resources.wording import gettext
from service.web.language import language
from service.web.site import Site, site

RECORD_LANGUAGE: Final = "it"
"""Of the words of the record, whatever language the answer is written in."""
STAGES: Final[tuple[Stage, ...]] = ("understand", "retrieve", "choose", "verify", "write")
FIGURES: Final[Mapping[Stage, tuple[str, ...]]] = {
    "understand": ("concepts", "committees"),
    "retrieve": (
        "acts", "signatories", "committees", "byDense", "byGraph", "merged", "evidence", "speakers", "speeches",
    ),
    "choose": ("passages", "groups"),
    "verify": ("verified", "compared"),
    "write": ("sections", "quotations"),
}  # fmt: skip
"""What each stage tells, in the order of the page."""
REFRESH_SECONDS: Final = 2
"""After which the page of an answer in the making asks again where no script runs."""
FORMS: Final = {"jsonld": "JSON-LD", "ttl": "Turtle", "trig": "TriG", "txt": "", "md": "Markdown"}
"""Short names of the forms to download, with what each is called; plain text has a name in each language."""
MEDIA_TYPES: Final = {
    "jsonld": "application/ld+json",
    "ttl": "text/turtle",
    "trig": "application/trig",
    "txt": "text/plain",
    "md": "text/markdown",
}
CITED: Final = 32
"""Answers whose citations are kept."""
_LEFT_OPEN: Final = re.compile(r"[\s«“\"]+$")
_CLOSES: Final = re.compile(r"^[\s»”\".,;:]+")
_TERMS: Final = ("relevance", "diversity", "coverageTerm", "authorityTerm", "salience")
_WEIGHTS: Final = {"coverageTerm": "coverage", "authorityTerm": "authority"}
"""Members whose weight in the settings has another name."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that is not there yet. `steps` has the latest step of each stage that began."""

    identifier: str
    question: str
    state: Literal["queued", "running"]
    position: int | None = None
    """The place in the queue, from 1; 0 is worked on."""
    ahead: int | None = None
    """How many are before it."""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Something that is named and, where it has an address, led to."""

    text: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a score: its value in [0, 1], and the share of the whole that it has."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation as it is shown. Names of groups are those of its day."""

    number: int
    document: Document
    exact: str
    prefix: str
    """The whole words before it that the document has; `suffix` those after it."""
    suffix: str
    start: int
    end: int
    day: date | None
    group: str | None
    component: str | None
    group_now: str | None
    capacity: str | None
    """In what capacity it was said, unless simply as a member."""
    terms: tuple[Term, ...]
    reasons: tuple[Document, ...]
    citations: Mapping[str, str]

    @property
    def anchor(self) -> str:
        return f"q{self.number}"


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its running text cut at its quotations."""

    number: int
    document: Document
    pieces: tuple["tuple[Link, ...] | Quotation", ...]
    """Paragraphs, in which a figure may open its list, and the quotations between them."""
    quotations: tuple[Quotation, ...]
    search: str
    """The path of a search for what this bloc said on the topic."""

    @property
    def anchor(self) -> str:
        return f"s{self.number}"


@dataclass(frozen=True, slots=True)
class Bloc:
    """The sections of one kind, in their order."""

    kind: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """What an answer was made of, and how: the statement at its end."""

    groups: tuple[Link, ...] = ()
    committees: tuple[Link, ...] = ()
    activities: Mapping[str, Document] = field(default_factory=dict)
    seconds: float | None = None


def render_answer(document: Document, identifier: str) -> str:
    """The page of a finished answer; `identifier` is its part of the address, after `/answers/`."""
    here = site()
    names = Names(here.graph, language())
    parts = tuple(_parts(document, here, names))
    topic = document["question"].get("topic") or document["question"]["text"]
    return render_template(
        "answer/answer.html",
        answer=document,
        identifier=identifier,
        path=f"/answers/{identifier}",
        address=here.url(f"/answers/{identifier}"),
        spoken=language_of(document),
        topic=topic,
        introduction=_introduction(document),
        blocs=tuple(Bloc(kind, tuple(found)) for kind, found in groupby(parts, key=lambda p: p.document["kind"])),
        parts=parts,
        # Where nothing was found, ten sections that say so ten times are no answer.
        found=any(part.document.get("interventions") or part.quotations for part in parts),
        most=max((len(part.quotations) for part in parts), default=0),
        silent=tuple(p for p in parts if not p.quotations and p.document["kind"] != "government"),
        searched=_searched(document, names),
        cited={name: write(document, here.root) for name, write in citations.ANSWER.items()},
        kind_name=words_of_kind,
        day_of=day_of,
        record_language=RECORD_LANGUAGE,
        edit_query=urlencode([(name, value) for name, value in _again(document) if name != "language"]),
        forms=FORMS,
        media_types=MEDIA_TYPES,
        again=_again(document),
        search=_search(document),
        topic_query=_same_topic(document),
    )


def render_waiting(waiting: Waiting) -> str:
    """The page of an answer in the making."""
    steps = {step.stage: step for step in waiting.steps}
    return render_template(
        "answer/waiting.html",
        waiting=waiting,
        path=f"/answers/{waiting.identifier}",
        stages=STAGES,
        steps=steps,
        refresh=REFRESH_SECONDS,
        stage_name=words_of_stage,
        figure_name=words_of_figure,
        figures=FIGURES,
    )


def day_of(text: str | None) -> date | None:
    """A day of a document; None for what is none."""
    return as_day(text) if text else None


def _parts(document: Document, here: Site, names: Names) -> Iterator[Part]:
    naming = _naming(here, names)
    cited = _cited(jsonld.dumps(document), here.root)
    for number, (section, quoted) in enumerate(read_sections(document), start=1):
        quotations = tuple(_quotation(q, document, here, naming, cited[q.number]) for q in quoted)
        search = _search(document, _bloc(section))
        yield Part(
            number,
            section,
            tuple(_pieces(section["text"], quotations, (section.get("interventions"), search))),
            quotations,
            search,
        )


@lru_cache(maxsize=CITED)
def _cited(text: str, root: str) -> Mapping[int, Mapping[str, str]]:
    """The citations of each quotation of an answer, by its number. To make the RDF of each takes some milliseconds."""
    document: Document = json.loads(text)
    return {
        quoted.number: {name: write(document, quoted.document, root) for name, write in citations.QUOTATION.items()}
        for quoted in read_quotations(document)
    }


def _naming(here: Site, names: Names) -> "_Naming":
    try:
        names.chamber  # noqa: B018 - read now, so that a record that cannot be asked is noticed once
        return _Naming(names, here)
    except EmicicloError:  # an answer stands by itself: the record may be loaded anew just now
        return _Naming(None, here)


@dataclass(frozen=True, slots=True)
class _Naming:
    """Names of groups by day; none where the record cannot be asked."""

    names: Names | None
    here: Site

    def capacity(self, code: str | None) -> str | None:
        """What a capacity is called; None for that of a member, which goes without saying."""
        if not code or code == "member" or self.names is None:
            return None
        if code == GOVERNMENT:
            return gettext("for the Government")
        return self.names.one(f"{CAPACITY}{code}").text

    def on(self, iri: str | None, day: date | None) -> str | None:
        if not iri or self.names is None or iri not in self.names.chamber.organisations:
            return None
        return self.names.on(iri, day)


def _quotation(quoted: Quoted, document: Document, here: Site, naming: _Naming, cited: Mapping[str, str]) -> Quotation:
    told = quoted.document
    day, reference = day_of(told.get("date")), day_of(document["question"].get("referenceDate"))
    words: Document = next(s for s in told["selector"] if "exact" in s)
    start, end = quoted.span
    weights = here.settings.retrieval.weights
    return Quotation(
        number=quoted.number,
        document=told,
        exact=words["exact"],
        prefix=words.get("prefix", "").partition(" ")[2],
        suffix=words.get("suffix", "").rpartition(" ")[0],
        start=start,
        end=end,
        day=day,
        group=naming.on(told.get("groupAtSpeech"), day) or quoted.group,
        component=naming.on(told.get("componentAtSpeech"), day),
        group_now=naming.on(told.get("groupNow"), reference),
        capacity=naming.capacity(told.get("capacity")),
        terms=tuple(
            Term(name, float(told[name]), float(getattr(weights, _WEIGHTS.get(name, name))))
            for name in _TERMS
            if name in told
        ),
        reasons=tuple(_reason(reason) for reason in told.get("reasons", ())),
        citations=cited,
    )


def _reason(reason: Document) -> Document:
    """A reason whose committee is not shouted: registries print the names of bodies in capitals."""
    if reason.get("channel") != "committee" or "label" not in reason:
        return reason
    return {**reason, "label": organisation_name(reason["label"])}


def _pieces(
    text: str, quotations: Sequence[Quotation], opens: tuple[int | None, str]
) -> Iterator[tuple[Link, ...] | Quotation]:
    """The running text, with each quotation where its marker stood; one without a marker comes at the end.

    Marks of quotation around a marker are left out: the quotation is set apart. The figure that
    `opens` names, where the text begins with it, leads to its list.
    """
    at, shown = 0, set()
    for marker in MARKER.finditer(text):
        for said in _said(text[at : marker.start()], begins=at == 0, before=True):
            yield _opened(said, [opens] if at == 0 else [])
        at = marker.end()
        position = int(marker[1])
        if 1 <= position <= len(quotations) and position not in shown:
            shown.add(position)
            yield quotations[position - 1]
    for said in _said(text[at:], begins=at == 0, before=False):
        yield _opened(said, [opens] if at == 0 else [])
    yield from (quotation for n, quotation in enumerate(quotations, start=1) if n not in shown)


def _said(text: str, *, begins: bool, before: bool) -> Iterator[str]:
    """The words between two quotations, by paragraph, without the marks that closed the one and opened the other."""
    text = text if begins else _CLOSES.sub("", text)
    text = _LEFT_OPEN.sub("", text) if before else text
    yield from (part.strip() for part in re.split(r"\n\s*\n", text) if any(c.isalnum() for c in part))


def _introduction(document: Document) -> tuple[Link, ...]:
    """The introduction, in which the numbers of speeches and of speakers open their lists.

    The speakers' list is that of all who were weighed; where these are not as many, no list is promised.
    """
    opens = [(document.get("interventions"), _search(document))]
    weighed = next((a.get("rankOf") for a in document.get("activities", ()) if a.get("stage") == "weigh"), None)
    if weighed == document.get("speakersCount"):
        opens.append((weighed, f"/experts?{_same_topic(document)}"))
    return _opened(document["introduction"], opens)


def _opened(text: str, opens: Iterable[tuple[int | None, str]]) -> tuple[Link, ...]:
    """A text in which the first mention of each figure, with the word after it, leads to an address."""
    pieces: list[Link] = []
    # What the person asked stands within marks, and may have numbers of its own.
    at, begin = max(text.find("»"), text.find("”")) + 1, 0
    for number, address in opens:
        found = re.compile(rf"(?<![\w.,]){number}\s\w+").search(text, at) if number else None
        if found:
            pieces += (Link(text[begin : found.start()]), Link(found[0], address))
            at = begin = found.end()
    return (*pieces, Link(text[begin:]))


def _bloc(section: Document) -> str | None:
    return GOVERNMENT if section["kind"] == "government" else section.get("component") or section.get("group")


def _search(document: Document, bloc: str | None = None) -> str:
    """The path of the list of the speeches that the answer counts, within a bloc: those that name the topic."""
    asked = document["question"]
    found = {
        "answering": asked["text"],
        "answeringGroup": list(_listed(asked.get("filterGroup"))),
        "kind": "speeches",
        "group": bloc,
        "from": asked.get("dateFrom"),
        "until": asked.get("dateUntil"),
        "asOf": asked.get("referenceDate"),
    }
    return "/search?" + urlencode({name: value for name, value in found.items() if value}, doseq=True)


def _same_topic(document: Document) -> str:
    """What experts and compass are asked with to tell the same numbers: the question's very words and its filters."""
    asked = document["question"]
    found = {
        "topic": asked["text"],
        "group": list(_listed(asked.get("filterGroup"))),
        "from": asked.get("dateFrom"),
        "until": asked.get("dateUntil"),
        "asOf": asked.get("referenceDate"),
    }
    return urlencode({name: value for name, value in found.items() if value}, doseq=True)


def _again(document: Document) -> Sequence[tuple[str, str]]:
    """The fields of a form that asks the same question."""
    asked = document["question"]
    found = [
        ("question", asked["text"]),
        *(("group", group) for group in _listed(asked.get("filterGroup"))),
        ("from", asked.get("dateFrom")),
        ("until", asked.get("dateUntil")),
        ("asOf", asked.get("referenceDate")),
        ("language", document.get("language")),
    ]
    return tuple((name, str(value)) for name, value in found if value)


def _searched(document: Document, names: Names) -> Searched:
    asked = document["question"]
    reference = day_of(asked.get("referenceDate"))
    activities: dict[str, Document] = {a["stage"]: a for a in document.get("activities", ()) if "stage" in a}
    began = _instant(min((a["startedAt"] for a in activities.values() if "startedAt" in a), default=None))
    ended = _instant(max((a["endedAt"] for a in activities.values() if "endedAt" in a), default=None))
    try:
        groups = tuple(Link(names.on(iri, reference), iri) for iri in _listed(asked.get("filterGroup")))
        committees = tuple(Link(names.one(iri).text, iri) for iri in _listed(asked.get("committees")))
    except EmicicloError:
        groups = committees = ()
    return Searched(groups, committees, activities, (ended - began).total_seconds() if began and ended else None)


def _listed(value: Any) -> Iterable[str]:
    """The strings of a member that has one, several or none."""
    return [value] if isinstance(value, str) else [v for v in value or () if isinstance(v, str)]


def _instant(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def words_of_kind(kind: str) -> str:
    """The heading of the sections of a kind, in the language of the page."""
    return {
        "government": gettext("Government"),
        "majority": gettext("Majority"),
        "opposition": gettext("Opposition"),
        "mixed": gettext("Mixed group"),
        "other": gettext("Other speeches"),
    }.get(kind, kind)


def words_of_stage(stage: str) -> str:
    """What is done in a stage, in the language of the page."""
    return {
        "understand": gettext("Understanding the question"),
        "retrieve": gettext("Searching the record"),
        "choose": gettext("Choosing passages to quote"),
        "verify": gettext("Comparing each passage with the record"),
        "write": gettext("Writing, group by group"),
    }.get(stage, stage)


def words_of_figure(name: str) -> str:
    """What a figure of a stage counts."""
    return {
        "concepts": gettext("concepts of the thesaurus"),
        "committees": gettext("committees"),
        "acts": gettext("acts"),
        "signatories": gettext("signatories"),
        "byDense": gettext("passages by their meaning"),
        "byGraph": gettext("passages through acts and committees"),
        "merged": gettext("passages together"),
        "evidence": gettext("passages weighed"),
        "speakers": gettext("speakers"),
        "speeches": gettext("speeches"),
        "passages": gettext("passages chosen"),
        "groups": gettext("groups"),
        "verified": gettext("passages verified"),
        "compared": gettext("passages compared"),
        "sections": gettext("sections"),
        "quotations": gettext("quotations"),
    }.get(name, name)
