"""The verdict on a quotation comes from the record: each thing that could be false is made false once."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from service.answer.candidates import Candidate, candidates
from service.answer.cite import stands, verify
from service.evidence import SpeechRecord
from service.graph import GraphStore, Row
from service.pipeline import Engine, ask
from tests.service.answer.making import evidence, speech

TEXT = "Presidente, grazie. Un salario minimo legale restituisce dignità a tre milioni di lavoratori poveri. Ho finito."


@pytest.fixture
def candidate() -> Candidate:
    (found,) = candidates([evidence(speech(TEXT))])
    return found


def rehashed(record: SpeechRecord, text: str) -> SpeechRecord:
    """The record with another text, and the hash that goes with it."""
    return replace(record, text=text, sha256=hashlib.sha256(text.encode()).hexdigest())


def test_a_quotation_that_the_record_bears_out_stands(candidate: Candidate) -> None:
    assert stands(candidate, candidate.evidence.speech)


def test_a_quotation_of_a_speech_that_is_not_in_the_record_falls_F120(candidate: Candidate) -> None:
    assert not stands(candidate, None)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda r: replace(r, text=r.text.replace("dignità", "dignita")), id="one letter in the text"),
        pytest.param(lambda r: rehashed(r, r.text.replace("dignità", "dignita")), id="one letter, and its hash"),
        pytest.param(lambda r: rehashed(r, "A" + r.text), id="the text moved by one"),
        pytest.param(lambda r: rehashed(r, r.text[:40]), id="the text ends before the span"),
        pytest.param(lambda r: replace(r, sha256="0" * 64), id="the hash"),
        pytest.param(lambda r: replace(r, speaker="https://example.org/id/person/2"), id="the speaker"),
        pytest.param(lambda r: replace(r, speaker=None), id="no speaker"),
        pytest.param(lambda r: replace(r, date=date(2025, 12, 19)), id="the day"),
        pytest.param(lambda r: replace(r, group="https://example.org/id/group/B"), id="the group"),
        pytest.param(lambda r: replace(r, component="https://example.org/id/component/C"), id="the component"),
        pytest.param(lambda r: replace(r, capacity="government"), id="the capacity"),
    ],
)
def test_one_thing_that_differs_from_the_record_is_enough_F120_F139(
    candidate: Candidate, spoil: Callable[[SpeechRecord], SpeechRecord]
) -> None:
    assert not stands(candidate, spoil(candidate.evidence.speech))


class _Tampered:
    """A graph whose speeches are changed after retrieval has read them once."""

    def __init__(self, graph: GraphStore, change: Callable[[Row], Row]) -> None:
        self._graph, self._change = graph, change
        self._read = 0

    def select(self, query: str) -> Sequence[Row]:
        rows = self._graph.select(query)
        if rows and {"text", "sha256", "speech"} <= set(rows[0]):
            self._read += 1
            if self._read > 1:
                return [self._change(row) for row in rows]
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def _with(name: str, old: str, new: str) -> Callable[[Row], Row]:
    def change(row: Row) -> Row:
        if name not in row:
            return row
        value = row[name]
        kind = type(value)
        return {**row, name: kind(value.value.replace(old, new))}

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_with("text", "e", "é"), id="text"),
        pytest.param(_with("sha256", "a", "b"), id="hash"),
        pytest.param(_with("speaker", "9", "8"), id="speaker"),
    ],
)
def test_a_quotation_that_fails_the_comparison_does_not_appear_F120(
    engine: Engine, change: Callable[[Row], Row]
) -> None:
    corpus = replace(engine.corpus, graph=_Tampered(engine.corpus.graph, change))  # type: ignore[arg-type]
    answer = ask("il salario minimo legale", replace(engine, corpus=corpus))
    assert answer.quotations == ()
    assert not any("{q" in section.text or "«" in section.text for section in answer.sections)
    assert answer.activity.interventions > 0


def test_every_quotation_of_an_answer_has_been_compared_with_the_record(engine: Engine) -> None:
    answer = ask("il salario minimo legale", engine)
    shown = [Candidate(q.evidence, q.span, 0.0) for q in answer.quotations]
    assert shown
    assert all(verify(shown, engine.corpus).values())
    assert all(q.verified for q in answer.quotations)
