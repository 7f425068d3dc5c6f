"""The quotations of an answer compared with the record as it is now: text, hash, words, speaker, day, standing."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from pyoxigraph import Literal as Term
from pyoxigraph import NamedNode

import sparql
from ontology import XSD
from service.answer.jsonld import CONTEXT, Document
from service.answers.reading import Quoted, quotations
from service.graph import GraphStore, Row, text_of

Outcome = Literal["unchanged", "retouched", "moved", "reattributed", "altered", "missing"]
"""What became of a quotation:

unchanged     everything is as it was recorded
retouched     the words stand where they stood, and something else of the speech's text has changed
moved         the words stand elsewhere now: in the same speech, or in another of the same person and day
reattributed  the words stand, and speaker, day or standing are others now
altered       the speech is there, and the words are not
missing       the speech is not there, and the words are in no other of that person and day
"""
_AGREEING: Final = ("unchanged",)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A speech as the record has it now. Standings are IRIs; `capacity` is its last segment."""

    iri: str
    text: str
    sha256: str | None
    """As the record states it."""
    date: str | None
    speaker: str | None
    capacity: str | None
    groups: tuple[str, ...]
    """More than one where the record contradicts itself."""
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One thing that was compared; None is what is not there."""

    what: str
    expected: str | None
    found: str | None
    equal: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: offsets in Unicode code points, end excluded."""

    speech: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one quotation."""

    quoted: Quoted
    outcome: Outcome
    comparisons: tuple[Comparison, ...]
    place: Place | None
    """Where the words are now; None if nowhere."""

    @property
    def verified(self) -> bool:
        return self.outcome in _AGREEING


@dataclass(frozen=True, slots=True)
class Corpus:
    """Which data an answer was made from, or are here now."""

    dataset: str | None
    title: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class Verification:
    """All quotations of an answer, compared."""

    answer: str
    started: datetime
    ended: datetime
    then: Corpus
    now: Corpus
    verdicts: tuple[Verdict, ...]

    @property
    def verified(self) -> bool:
        """Whether every quotation is as it was recorded."""
        return all(verdict.verified for verdict in self.verdicts)

    @property
    def replaced(self) -> bool:
        """Whether another dataset stands here now than the one that was asked."""
        return self.then.dataset is not None and self.then.dataset != self.now.dataset


def verify(document: Document, graph: GraphStore, now: Corpus) -> Verification:
    """Compare every quotation of an answer with the record in `graph`, which is that of `now`."""
    started = datetime.now(UTC)
    quoted = quotations(document)
    record = read_speeches((quotation.document["speech"] for quotation in quoted), graph)
    verdicts = [judge(quotation, record.get(quotation.document["speech"])) for quotation in quoted]
    astray = [verdict.quoted for verdict in verdicts if verdict.place is None]
    others = _read_elsewhere(astray, graph) if astray else {}
    told = document.get("corpus", {})
    return Verification(
        answer=document["id"],
        started=started,
        ended=datetime.now(UTC),
        then=Corpus(told.get("dataset"), told.get("title"), told.get("corpusVersion")),
        now=now,
        verdicts=tuple(_looked_for(verdict, others) for verdict in verdicts),
    )


def judge(quoted: Quoted, recorded: Recorded | None) -> Verdict:
    """Compare a quotation with its speech; the words are looked for in that speech alone."""
    told, (start, end), exact = quoted.document, quoted.span, quoted.exact
    if recorded is None:
        return Verdict(quoted, "missing", (Comparison("speech", told["speech"], None, False),), None)
    computed = hashlib.sha256(recorded.text.encode(errors="surrogatepass")).hexdigest()
    inside = 0 <= start < end <= len(recorded.text)
    words = recorded.text[start:end] if inside else None
    texts = (
        _compare("speech", told["speech"], recorded.iri),
        _compare("sha256", told.get("sha256"), computed),
        _compare("statedSha256", computed, recorded.sha256),
        Comparison("span", f"{start}-{end}", f"0-{len(recorded.text)}", inside),
        _compare("exact", exact, words),
    )
    standing = (
        _compare("date", told.get("date"), recorded.date),
        _compare("speaker", told.get("speaker"), recorded.speaker),
        _compare("capacity", told.get("capacity"), recorded.capacity),
        _among("groupAtSpeech", told.get("groupAtSpeech"), recorded.groups),
        _among("componentAtSpeech", told.get("componentAtSpeech"), recorded.components),
    )
    at = start if words == exact else _nearest(recorded.text, exact, start)
    place = Place(recorded.iri, at, at + len(exact)) if at is not None else None
    outcome: Outcome
    if place is None:
        outcome = "altered"
    elif place.start != start:
        outcome = "moved"
    elif not all(comparison.equal for comparison in standing):
        outcome = "reattributed"
    elif not all(comparison.equal for comparison in texts):
        outcome = "retouched"
    else:
        outcome = "unchanged"
    return Verdict(quoted, outcome, (*texts, *standing), place)


def read_speeches(iris: Iterable[str], graph: GraphStore) -> dict[str, Recorded]:
    """Read speeches, in one query. Raises `QueryError`."""
    wanted = [NamedNode(iri) for iri in sorted(set(iris))]
    if not wanted:
        return {}
    rows: dict[str, list[Row]] = {}
    for row in graph.select(sparql.bind(sparql.query("verification/speeches"), "?speech", wanted)):
        rows.setdefault(row["speech"].value, []).append(row)
    return {iri: _recorded(iri, found) for iri, found in rows.items()}


def to_document(verification: Verification, address: str) -> Document:
    """The verification as JSON-LD; its IRI is the address at which it was asked for."""
    return {
        "@context": CONTEXT,
        "id": address,
        "type": "Verification",
        "answer": verification.answer,
        "startedAt": _instant(verification.started),
        "endedAt": _instant(verification.ended),
        "verified": verification.verified,
        "quotationsCount": len(verification.verdicts),
        "comparisons": [
            _comparison(_compare("dataset", verification.then.dataset, verification.now.dataset)),
            _comparison(_compare("corpusVersion", verification.then.version, verification.now.version)),
        ],
        "verdicts": [_verdict(verdict) for verdict in verification.verdicts],
    }


def _verdict(verdict: Verdict) -> Document:
    told: Document = {
        "type": "Verdict",
        "order": verdict.quoted.number,
        "about": verdict.quoted.document["id"],
        "outcome": verdict.outcome,
        "verified": verdict.verified,
        "comparisons": [_comparison(comparison) for comparison in verdict.comparisons],
    }
    if verdict.place:
        told["speech"] = verdict.place.speech
        told["selector"] = [{"type": "TextPositionSelector", "start": verdict.place.start, "end": verdict.place.end}]
    return told


def _comparison(comparison: Comparison) -> Document:
    told: Document = {"type": "Comparison", "compared": comparison.what, "verified": comparison.equal}
    if comparison.expected is not None:
        told["expected"] = comparison.expected
    if comparison.found is not None:
        told["found"] = comparison.found
    return told


def _compare(what: str, expected: str | None, found: str | None) -> Comparison:
    return Comparison(what, expected, found, expected == found)


def _among(what: str, expected: str | None, found: Sequence[str]) -> Comparison:
    """A comparison with what the record has several of only if it contradicts itself."""
    told = ", ".join(found) or None
    return Comparison(what, expected, told, expected in found if expected else not found)


def _nearest(text: str, words: str, start: int) -> int | None:
    """Where words stand in a text, nearest to where they stood."""
    before = text.rfind(words, 0, max(0, start) + len(words))
    after = text.find(words, max(0, start))
    found = [at for at in (before, after) if at >= 0]
    return min(found, key=lambda at: abs(at - start), default=None) if words else None


def _looked_for(verdict: Verdict, others: Mapping[tuple[str, str], Sequence[tuple[str, str]]]) -> Verdict:
    """The verdict with the place where lost words stand in another speech of the person and day, if they do."""
    if verdict.place is not None:
        return verdict
    told, exact = verdict.quoted.document, verdict.quoted.exact
    for speech, text in others.get((told.get("speaker", ""), told["date"]), ()):
        at = text.find(exact)
        if exact and at >= 0:
            return replace(verdict, outcome="moved", place=Place(speech, at, at + len(exact)))
    return verdict


def _read_elsewhere(astray: Iterable[Quoted], graph: GraphStore) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """(Speaker, day) to (IRI, text) of their speeches."""
    wanted = sorted({(q.document["speaker"], q.document["date"]) for q in astray if q.document.get("speaker")})
    if not wanted:
        return {}
    rows = [(NamedNode(speaker), Term(day, datatype=NamedNode(f"{XSD}date"))) for speaker, day in wanted]
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in graph.select(sparql.bind(sparql.query("verification/elsewhere"), "?speaker ?date", rows)):
        key = row["speaker"].value, row["date"].value
        found.setdefault(key, []).append((row["speech"].value, row["text"].value))
    return found


def _recorded(iri: str, rows: Sequence[Row]) -> Recorded:
    first = rows[0]
    capacity = text_of(first, "capacity")
    return Recorded(
        iri=iri,
        text=first["text"].value,
        sha256=text_of(first, "sha256"),
        date=text_of(first, "date"),
        speaker=text_of(first, "speaker"),
        capacity=capacity.rsplit("/", 1)[-1] if capacity else None,
        groups=_all(rows, "group"),
        components=_all(rows, "component"),
    )


def _all(rows: Iterable[Row], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row[name].value for row in rows if name in row))


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
