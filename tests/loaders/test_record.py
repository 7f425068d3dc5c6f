"""A sitting as RDF: one IRI for each part, text with its hash once, chunks as offsets."""

import hashlib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

import ontology
from loaders import record
from loaders.errors import SourceError
from loaders.record import Sitting, Speech
from loaders.text import sentences
from tests.loaders.conftest import HEAD
from tests.loaders.parliament import BASE, NAMES
from tests.loaders.test_stenographic import by, turn

SPEECH = f"{BASE}speech/valdoria-7/sed0012/"
TEXT = f"{ontology.SCHEMA}text"


def emi(term: str) -> str:
    return f"{ontology.EMI}{term}"


def all_quads(sitting: Sitting) -> list[Quad]:
    chunks = "".join(map(record.chunk_lines, record.chunks(sitting, NAMES)))
    triples = parse(chunks, format=RdfFormat.N_TRIPLES)
    cut = (Quad(triple.subject, triple.predicate, triple.object, NAMES.graph) for triple in triples)
    return [*record.quads(sitting, NAMES), *cut]


class Statements:
    """The quads of a sitting by subject and predicate."""

    def __init__(self, sitting: Sitting) -> None:
        self.quads = all_quads(sitting)

    def of(self, subject: str, predicate: str) -> list[str]:
        return [
            quad.object.value
            for quad in self.quads
            if (quad.subject.value, quad.predicate.value) == (subject, predicate)
        ]

    def kind(self, term: str) -> list[str]:
        return [
            q.subject.value
            for q in self.quads
            if q.object == NamedNode(emi(term)) and q.predicate.value.endswith("#type")
        ]


@pytest.fixture
def statements(sitting: Callable[..., Sitting]) -> Callable[..., Statements]:
    return lambda body, **how: Statements(sitting(body, **how))


def test_chamber_and_sitting_stand_in_every_iri_F50(statements: Callable[..., Statements]) -> None:
    found = statements(
        f'<dibattito id="t1"><fase id="t1.s1">{turn("t1.s1.i1", by(1, "Siamo contrari."))}</fase></dibattito>'
    )
    assert found.kind("Sitting") == [f"{BASE}sitting/valdoria-7/sed0012"]
    assert found.kind("Debate") == [f"{BASE}debate/valdoria-7/sed0012/t1"]
    assert found.kind("Phase") == [f"{BASE}phase/valdoria-7/sed0012/t1.s1"]
    assert found.kind("Speech") == [f"{SPEECH}t1.s1.i1"]
    assert found.kind("Chunk") == [f"{BASE}chunk/valdoria-7/sed0012/t1.s1.i1-0"]
    assert {quad.graph_name for quad in found.quads} == {NamedNode(f"{BASE}graph/valdoria-7")}


def test_each_part_belongs_to_the_next_larger_one(statements: Callable[..., Statements]) -> None:
    found = statements(
        turn("a", by(1, "Uno solo."))
        + f'<dibattito id="t1">{turn("b", by(1, "Due soli."))}'
        + f'<fase id="s1">{turn("c", by(1, "Tre soli."))}</fase></dibattito>'
    )
    part = emi("partOf")
    assert found.of(f"{SPEECH}a", part) == found.kind("Sitting") == found.of(found.kind("Debate")[0], part)
    assert found.of(f"{SPEECH}b", part) == found.kind("Debate") == found.of(found.kind("Phase")[0], part)
    assert found.of(f"{SPEECH}c", part) == found.kind("Phase")
    assert found.of(found.kind("Sitting")[0], part) == [f"{BASE}chamber/valdoria-7"]
    assert {s for speech in "abc" for s in found.of(f"{SPEECH}{speech}", emi("sitting"))} == set(found.kind("Sitting"))


def test_the_text_is_stored_once_with_the_hash_of_its_bytes(statements: Callable[..., Statements]) -> None:
    found = statements(turn("a", by(1, "È così: 😀 «perché» no?")))
    (text,) = found.of(f"{SPEECH}a", TEXT)
    assert text == "È così: 😀 «perché» no?"
    assert found.of(f"{SPEECH}a", emi("sha256")) == [hashlib.sha256(text.encode()).hexdigest()]
    assert [q.subject.value for q in found.quads if q.predicate.value == TEXT] == [f"{SPEECH}a"]


def test_what_is_printed_is_kept_and_what_is_not_is_absent_F39(statements: Callable[..., Statements]) -> None:
    found = statements(turn("a", "<nominativo>UNA VOCE</nominativo>. Che cosa dite?"))
    assert found.of(f"{SPEECH}a", emi("speakerAsPrinted")) == ["UNA VOCE"]
    for term in ("nameAsPrinted", "groupAsPrinted", "roleAsPrinted", "identifiedAs", "continues"):
        assert found.of(f"{SPEECH}a", emi(term)) == []
    full = statements(turn("a", by(7, "Sono io che parlo.")))
    assert full.of(f"{SPEECH}a", emi("identifiedAs")) == ["http://data.example/ocd/persona.rdf/p7"]
    assert full.of(f"{SPEECH}a", emi("nameAsPrinted")) == ["Mario Rossi"]
    assert full.of(f"{SPEECH}a", emi("groupAsPrinted")) == ["BC"]
    assert full.of(f"{SPEECH}a", f"{ontology.DCTERMS}source") == ["https://data.example/transcripts/sed0012#a"]


def test_the_chair_has_a_text_and_no_chunks_F28(statements: Callable[..., Statements]) -> None:
    found = statements(turn("a", "<nominativo>PRESIDENTE</nominativo>. La seduta è aperta."))
    assert found.of(f"{SPEECH}a", TEXT) == ["La seduta è aperta."]
    assert found.kind("Chunk") == []


def test_a_turn_without_words_is_left_out_of_the_record(statements: Callable[..., Statements]) -> None:
    found = statements(turn("a", by(1, "")) + turn("b", by(1, "…ma io insisto.")))
    assert found.kind("Speech") == [f"{SPEECH}b"]
    assert found.of(f"{SPEECH}b", emi("continues")) == []


def test_a_resumed_speech_links_to_the_interrupted_one_F31(statements: Callable[..., Statements]) -> None:
    found = statements(turn("a", by(1, "Noi vogliamo…")) + turn("b", by(1, "…la pace.")))
    assert found.of(f"{SPEECH}b", emi("continues")) == [f"{SPEECH}a"]
    assert found.of(f"{SPEECH}b", TEXT) == ["…la pace."]


def test_a_sitting_of_another_legislature_is_refused_F50(sitting: Callable[..., Sitting]) -> None:
    other = sitting(turn("a", by(1, "Sì.")), head=HEAD.replace('legislatura="7"', 'legislatura="6"'))
    with pytest.raises(SourceError, match="legislature 6, but valdoria-7 holds 7"):
        list(record.quads(other, NAMES))


def test_the_same_report_gives_the_same_quads_in_the_same_order(sitting: Callable[..., Sitting]) -> None:
    found = sitting(turn("a", by(1, "Uno. " * 400)))
    assert all_quads(found) == all_quads(found)


def test_all_days_and_numbers_are_typed_F37_F40(sitting: Callable[..., Sitting]) -> None:
    types: dict[str, set[str]] = {}
    found = sitting(turn("a", by(1, "Uno. " * 400)))
    for quad in all_quads(found):
        if isinstance(quad.object, Literal):
            types.setdefault(quad.predicate.value, set()).add(quad.object.datatype.value.rsplit("#")[-1])
    assert types[emi("date")] == {"date"}
    assert types[emi("order")] == types[emi("start")] == types[emi("end")] == types[emi("number")] == {"integer"}
    assert types[emi("salience")] == {"decimal"}
    assert types[TEXT] == {"langString"}


def _speech(text: str) -> Sitting:
    speech = Speech("a", 1, text, "1", "MARIO ROSSI", None, None, None, None)
    return Sitting(7, 1, date(2024, 1, 2), (speech,), (), Path("report.xml"))


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=400).map(lambda t: f"{t} È vero. ")
)
def test_chunk_offsets_are_code_points_of_the_stored_text_F20_F42(text: str) -> None:
    found = Statements(_speech(text))
    (stored,) = found.of(f"{BASE}speech/valdoria-7/sed0001/a", TEXT)
    pieces = [
        stored[int(found.of(chunk, emi("start"))[0]) : int(found.of(chunk, emi("end"))[0])]
        for chunk in found.kind("Chunk")
    ]
    assert stored == text
    assert all(piece and piece in text for piece in pieces)
    assert all(any(unit.of(text) in piece for piece in pieces) for unit in sentences(text))


def test_a_chunk_of_the_first_word_begins_at_zero_F42_F67() -> None:
    found = Statements(_speech("Siamo contrari."))
    (chunk,) = found.kind("Chunk")
    assert found.of(chunk, emi("start")) == ["0"]
