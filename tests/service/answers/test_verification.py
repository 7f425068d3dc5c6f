"""Quotations compared with the record as it is now: what became of each, and where the words are."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store

from service.answer.jsonld import Document, to_jsonld
from service.answer.model import Answer
from service.answers.reading import Quoted, quotations
from service.answers.verification import (
    Corpus,
    Place,
    Recorded,
    judge,
    read_speeches,
    to_document,
    verify,
)
from service.graph import EmbeddedGraph
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS

SPEECH = "https://example.org/id/speech/1"
TEXT = "Onorevoli colleghi, il salario minimo è una misura giusta. Il salario minimo non basta."
WORDS = "il salario minimo è una misura giusta"
NOW = Corpus("esperia-1", "Esperia", "now")


def quoted(text: str = TEXT, words: str = WORDS, **changes: object) -> Quoted:
    start = text.index(words)
    document: Document = {
        "id": "https://example.org/id/quotation/1",
        "speech": SPEECH,
        "speaker": "https://example.org/id/person/1",
        "date": "2025-12-18",
        "capacity": "member",
        "groupAtSpeech": "https://example.org/id/group/A",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "selector": [
            {"type": "TextPositionSelector", "start": start, "end": start + len(words)},
            {"type": "TextQuoteSelector", "exact": words},
        ],
    }
    return Quoted(1, {**document, **changes}, None)


def recorded(text: str = TEXT, **changes: Any) -> Recorded:
    record = Recorded(
        iri=SPEECH,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        date="2025-12-18",
        speaker="https://example.org/id/person/1",
        capacity="member",
        groups=("https://example.org/id/group/A",),
        components=(),
    )
    return replace(record, **changes)


def differing(quotation: Quoted, record: Recorded) -> set[str]:
    return {comparison.what for comparison in judge(quotation, record).comparisons if not comparison.equal}


def test_a_quotation_of_an_unchanged_speech_is_unchanged() -> None:
    verdict = judge(quoted(), recorded())
    assert (verdict.outcome, verdict.verified) == ("unchanged", True)
    assert all(comparison.equal for comparison in verdict.comparisons)


def test_words_that_stand_in_a_speech_that_was_changed_elsewhere_are_told() -> None:
    verdict = judge(quoted(), recorded(f"{TEXT} (Applausi)"))
    assert (verdict.outcome, verdict.verified) == ("retouched", False)
    assert differing(quoted(), recorded(f"{TEXT} (Applausi)")) == {"sha256"}


def test_a_hash_that_the_record_states_wrongly_is_told() -> None:
    assert differing(quoted(), recorded(sha256="0" * 64)) == {"statedSha256"}
    assert judge(quoted(), recorded(sha256="0" * 64)).outcome == "retouched"


@given(st.text(max_size=30).filter(lambda text: WORDS not in text and text), st.text(max_size=30))
def test_words_that_moved_in_their_speech_are_found(before: str, after: str) -> None:
    text = before + TEXT + after
    verdict = judge(quoted(), recorded(text))
    assert verdict.outcome == "moved"
    assert verdict.place is not None
    assert text[verdict.place.start : verdict.place.end] == WORDS


@given(st.integers(0, 8), st.integers(0, 8))
def test_of_several_places_the_nearest_is_told(first: int, second: int) -> None:
    text = "x" * first + "ab" + "y" * second + "ab"
    quotation = quoted("---ab", "ab", sha256="other")
    verdict = judge(quotation, recorded(text))
    starts = [at for at in range(len(text)) if text.startswith("ab", at)]
    assert verdict.place is not None
    assert abs(verdict.place.start - 3) == min(abs(at - 3) for at in starts)


def test_words_that_are_gone_are_told() -> None:
    verdict = judge(quoted(), recorded("Tutt'altro."))
    assert (verdict.outcome, verdict.place) == ("altered", None)
    assert {"sha256", "exact", "span"} <= differing(quoted(), recorded("Tutt'altro."))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"speaker": "https://example.org/id/person/2"}, "speaker"),
        ({"date": "2025-12-19"}, "date"),
        ({"groups": ("https://example.org/id/group/B",)}, "groupAtSpeech"),
        ({"groups": ()}, "groupAtSpeech"),
        ({"components": ("https://example.org/id/group/C",)}, "componentAtSpeech"),
        ({"capacity": "government"}, "capacity"),
    ],
)
def test_words_that_are_somebody_elses_now_are_told(changes: dict[str, Any], what: str) -> None:
    assert judge(quoted(), recorded(**changes)).outcome == "reattributed"
    assert differing(quoted(), recorded(**changes)) == {what}


def test_a_speech_that_is_gone_is_told() -> None:
    verdict = judge(quoted(), None)
    assert (verdict.outcome, verdict.verified, verdict.place) == ("missing", False, None)


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(TOPICS[0]))


def test_an_answer_of_the_loaded_corpus_is_verified_throughout(document: Document, esperia: Esperia) -> None:
    now = Corpus(esperia.corpus.manifest.dataset, "Esperia", esperia.corpus.manifest.version)
    found = verify(document, esperia.corpus.graph, now)
    assert found.verdicts
    assert found.verified
    assert not found.replaced
    told = to_document(found, "https://a.example/answers/1/verify")
    assert told["verified"] is True
    assert {comparison["compared"] for comparison in told["comparisons"]} == {"dataset", "corpusVersion"}
    assert all(comparison["verified"] for comparison in told["comparisons"])
    assert len(told["verdicts"]) == len(quotations(document))


def reloaded(document: Document, esperia: Esperia, change: Callable[[str, str], tuple[str, str]]) -> EmbeddedGraph:
    """The quoted speeches as another load could have them: each IRI and text changed."""
    store = Store()
    graph = NamedNode("https://example.org/graph")
    speeches = read_speeches((q.document["speech"] for q in quotations(document)), esperia.corpus.graph)
    for iri, speech in speeches.items():
        name, text = change(iri, speech.text)
        for triple in esperia.corpus.graph.construct(f"CONSTRUCT {{ <{iri}> ?p ?o }} WHERE {{ <{iri}> ?p ?o }}"):
            value = type(triple.object)(text) if getattr(triple.object, "value", "") == speech.text else triple.object  # type: ignore[call-arg, arg-type]
            store.add(Quad(NamedNode(name), triple.predicate, value, graph))
    return EmbeddedGraph(store)


def test_words_that_moved_to_another_speech_of_the_person_and_day_are_found(
    document: Document, esperia: Esperia
) -> None:
    graph = reloaded(document, esperia, lambda iri, text: (f"{iri}-new", f"Presidente. {text}"))
    found = verify(document, graph, NOW)
    assert not found.verified
    for verdict in found.verdicts:
        assert verdict.outcome == "moved"
        start, end = verdict.quoted.span
        assert verdict.place == Place(f"{verdict.quoted.document['speech']}-new", start + 12, end + 12)


def test_a_corpus_that_was_replaced_is_told(document: Document) -> None:
    found = verify(document, EmbeddedGraph(Store()), Corpus("camera-19", "Camera", "x"))
    assert found.replaced
    assert {verdict.outcome for verdict in found.verdicts} == {"missing"}
    told = to_document(found, "https://a.example/")
    assert told["comparisons"][0]["expected"] == document["corpus"]["dataset"]
    assert told["comparisons"][0]["found"] == "camera-19"
    assert told["verified"] is False


def test_an_answer_that_quotes_nobody_has_nothing_to_compare(document: Document, esperia: Esperia) -> None:
    found = verify({**document, "sections": []}, esperia.corpus.graph, NOW)
    assert found.verdicts == ()
    assert found.verified
