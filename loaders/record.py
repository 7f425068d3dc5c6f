"""The record of a parliament as data: sittings, debates, phases, speeches; and the same as RDF.

Readers of transcripts make these classes; `quads` mints one IRI for each of their parts, with
chamber, legislature and sitting in it, and `chunks` cuts the speeches into passages.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import takewhile
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad

import ontology
from loaders.errors import SourceError
from loaders.names import display_name
from loaders.salience import rated, span_salience
from loaders.text import Span, grouped, sentences
from mappings import Mapping


@dataclass(frozen=True, slots=True)
class Speech:
    """One contribution, as printed. `anchor` is its id in the report (`tit00020.int00010`)."""

    anchor: str
    order: int
    text: str
    speaker_number: str | None
    speaker_printed: str
    name_printed: str | None
    group_printed: str | None
    role_printed: str | None
    continues: str | None

    @property
    def by_chair(self) -> bool:
        """Whether the report prints the chair: "PRESIDENTE", but not "PRESIDENTE DEL CONSIGLIO"."""
        printed = self.speaker_printed.upper()
        return printed.startswith("PRESIDENTE") and not printed.startswith("PRESIDENTE DE")


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a debate, such as the final declarations of vote."""

    anchor: str
    order: int
    title: str | None
    speeches: tuple[Speech, ...]


@dataclass(frozen=True, slots=True)
class Debate:
    """A debate, its speeches outside any phase, its phases, and the acts it is about."""

    anchor: str
    order: int
    title: str | None
    act_codes: tuple[str, ...]
    speeches: tuple[Speech, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Sitting:
    """One day's sitting. `speeches` are those that stand in no debate."""

    legislature: int
    number: int
    date: date
    speeches: tuple[Speech, ...]
    debates: tuple[Debate, ...]
    path: Path

    def all_speeches(self) -> Iterator[Speech]:
        """Every speech of the sitting, in the order of the report."""
        found = list(self.speeches)
        for debate in self.debates:
            found += debate.speeches
            for phase in debate.phases:
                found += phase.speeches
        yield from sorted(found, key=lambda speech: speech.order)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a speech in whole sentences, with its text and its salience in two decimals."""

    node: NamedNode
    speech: NamedNode
    order: int
    span: Span
    text: str
    salience: str


@dataclass(frozen=True, slots=True)
class Names:
    """Mints the IRIs of one dataset's record below `base`."""

    base: str
    mapping: Mapping

    def part(self, kind: str, sitting: Sitting, anchor: str = "") -> NamedNode:
        """`{base}{kind}/{dataset}/sed0526/{anchor}`; the sitting itself has no anchor."""
        path = f"{kind}/{self.mapping.dataset.id}/sed{sitting.number:04d}"
        return NamedNode(f"{self.base}{path}/{anchor}" if anchor else f"{self.base}{path}")

    @property
    def chamber(self) -> NamedNode:
        """The chamber whose record it is."""
        return NamedNode(f"{self.base}chamber/{self.mapping.dataset.id}")

    @property
    def graph(self) -> NamedNode:
        """The extension graph, which holds all that is minted for the dataset."""
        return NamedNode(f"{self.base}graph/{self.mapping.dataset.id}")


def quads(sitting: Sitting, names: Names) -> Iterator[Quad]:
    """Yield a sitting as RDF: its parts in order, with the text and hash of every speech, but without its chunks.

    Raises `SourceError` for a sitting of another legislature than the dataset's.
    """
    _refuse_other_legislature(sitting, names.mapping)
    return _Writer(sitting, names).quads()


def chunks(sitting: Sitting, names: Names) -> Iterator[Chunk]:
    """Cut the speeches of a sitting into chunks; the chair's have none."""
    for speech in sitting.all_speeches():
        if speech.text and not speech.by_chair:
            yield from _chunks(speech, sitting, names)


def _chunks(speech: Speech, sitting: Sitting, names: Names) -> Iterator[Chunk]:
    whole = names.part("speech", sitting, speech.anchor)
    units = sentences(speech.text)
    ratings = rated(speech.text, units)
    for order, span in enumerate(grouped(units)):
        node = names.part("chunk", sitting, f"{speech.anchor}-{order}")
        yield Chunk(node, whole, order, span, span.of(speech.text), f"{span_salience(span, ratings):.2f}")


def chunk_lines(chunk: Chunk) -> str:
    """A chunk as N-Triples: where in its speech it is, but not its text.

    Chunks are more than half of a record and all of one form, so that this costs a twentieth of making each triple.
    """
    return _CHUNK.format(chunk.node, chunk.speech, chunk.order, chunk.span.start, chunk.span.end, chunk.salience)


def _refuse_other_legislature(sitting: Sitting, mapping: Mapping) -> None:
    """Sittings are numbered anew in each legislature, so those of two would share their IRIs."""
    stated = re.search(r"\d+$", mapping.dataset.legislature)
    if stated and int(stated[0]) != sitting.legislature:
        raise SourceError(
            sitting.path,
            f"is of legislature {sitting.legislature}, but {mapping.dataset.id} holds {stated[0]}",
        )


@cache
def _emi(term: str) -> NamedNode:
    return NamedNode(f"{ontology.EMI}{term}")


_A = NamedNode(f"{ontology.RDF}type")
_TITLE = NamedNode(f"{ontology.DCTERMS}title")
_SOURCE = NamedNode(f"{ontology.DCTERMS}source")
_TEXT = NamedNode(f"{ontology.SCHEMA}text")
_INTERVENTO = NamedNode(f"{ontology.OCD}intervento")
_NUMBER = f'"{{}}"^^{NamedNode(f"{ontology.XSD}integer")}'
_CHUNK = "".join(
    f"{{0}} {predicate} {value} .\n"
    for predicate, value in (
        (_A, _emi("Chunk")),
        (_A, NamedNode(f"{ontology.OA}SpecificResource")),
        (_emi("partOf"), "{1}"),
        (_emi("order"), _NUMBER.format("{2}")),
        (_emi("start"), _NUMBER.format("{3}")),
        (_emi("end"), _NUMBER.format("{4}")),
        (_emi("salience"), f'"{{5}}"^^{NamedNode(f"{ontology.XSD}decimal")}'),
    )
)


class _Writer:
    def __init__(self, sitting: Sitting, names: Names) -> None:
        self.sitting, self.names, self.graph = sitting, names, names.graph
        self.day = Literal(sitting.date.isoformat(), datatype=NamedNode(f"{ontology.XSD}date"))
        self.node = names.part("sitting", sitting)

    def quads(self) -> Iterator[Quad]:
        sitting = self.sitting
        yield self._quad(self.node, _A, _emi("Sitting"))
        yield self._quad(self.node, _emi("date"), self.day)
        yield self._quad(self.node, _emi("number"), Literal(sitting.number))
        yield self._quad(self.node, _emi("partOf"), self.names.chamber)
        yield from self._speeches(sitting.speeches, self.node)
        for debate in sitting.debates:
            node = self.names.part("debate", sitting, debate.anchor)
            yield from self._container(node, "Debate", debate.order, debate.title, self.node)
            for code in debate.act_codes:
                yield self._quad(node, _emi("actAsPrinted"), Literal(code))
            yield from self._speeches(debate.speeches, node)
            for phase in debate.phases:
                inner = self.names.part("phase", sitting, phase.anchor)
                yield from self._container(inner, "Phase", phase.order, phase.title, node)
                yield from self._speeches(phase.speeches, inner)

    def _container(
        self, node: NamedNode, kind: str, order: int, title: str | None, parent: NamedNode
    ) -> Iterator[Quad]:
        yield self._quad(node, _A, _emi(kind))
        yield self._quad(node, _emi("partOf"), parent)
        yield self._quad(node, _emi("order"), Literal(order))
        if title:
            yield self._quad(node, _TITLE, Literal(title, language="it"))

    def _speeches(self, speeches: tuple[Speech, ...], parent: NamedNode) -> Iterator[Quad]:
        for speech in speeches:
            if speech.text:  # a turn without words is a header alone
                yield from self._speech(speech, parent)

    def _speech(self, speech: Speech, parent: NamedNode) -> Iterator[Quad]:
        node = self.names.part("speech", self.sitting, speech.anchor)
        digest = hashlib.sha256(speech.text.encode()).hexdigest()
        transcript = self.names.mapping.iri.transcript.format(sitting=self.sitting.number, anchor=speech.anchor)
        yield self._quad(node, _A, _emi("Speech"))
        yield self._quad(node, _A, _INTERVENTO)
        yield self._quad(node, _emi("partOf"), parent)
        yield self._quad(node, _emi("sitting"), self.node)
        yield self._quad(node, _emi("order"), Literal(speech.order))
        yield self._quad(node, _emi("date"), self.day)
        yield self._quad(node, _TEXT, Literal(speech.text, language="it"))
        yield self._quad(node, _emi("sha256"), Literal(digest))
        yield self._quad(node, _SOURCE, NamedNode(transcript))
        if speech.speaker_number:
            person = self.names.mapping.iri.person.format(number=speech.speaker_number)
            yield self._quad(node, _emi("identifiedAs"), NamedNode(person))
        printed = {
            "speakerAsPrinted": speech.speaker_printed,
            "nameAsPrinted": printed_name(speech.name_printed),
            "groupAsPrinted": speech.group_printed,
            "roleAsPrinted": speech.role_printed,
        }
        for term, value in printed.items():
            if value:
                yield self._quad(node, _emi(term), Literal(value))
        if speech.continues:
            earlier = self.names.part("speech", self.sitting, speech.continues)
            yield self._quad(node, _emi("continues"), earlier)

    def _quad(self, subject: NamedNode, predicate: NamedNode, value: NamedNode | Literal) -> Quad:
        return Quad(subject, predicate, value, self.graph)


def printed_name(name: str | None) -> str | None:
    """Turn the report's "ROSSI BIANCHI Mario" into "Mario Rossi Bianchi"; None stays None."""
    if not name:
        return None
    words = name.split()
    surname = list(takewhile(str.isupper, words))
    return display_name(" ".join(words[len(surname) :]), " ".join(surname))
