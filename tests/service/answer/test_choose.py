"""What a section quotes: the best of two speakers or more, nothing twice, nothing for want of better."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.answer.candidates import Candidate, candidates
from service.answer.choose import MOST, choose
from service.answer.model import Answer
from service.embedding import HashEmbedder, Vectors
from service.question import Question
from tests.service.answer.making import BASE, evidence, question, speech

TOPIC = "il salario minimo legale"
CORPUS: Any = SimpleNamespace(embedder=HashEmbedder())
NEAR = (
    "Il salario minimo legale restituisce dignità a chi lavora e resta comunque povero.",
    "Un salario minimo legale di nove euro aiuta anzitutto le donne impiegate nei servizi.",
    "Siamo contrari al salario minimo legale perché indebolisce la contrattazione collettiva.",
    "Il salario minimo legale esiste in quasi tutta l'Unione europea, e funziona bene.",
    "Per le imprese agricole un salario minimo legale uguale ovunque sarebbe insostenibile.",
)
FAR = "I boschi di montagna vanno curati ogni anno, prima che arrivino le frane."


def asked() -> Question:
    vector = CORPUS.embedder.queries([TOPIC])[0]
    return replace(question(TOPIC), vector=vector)


def said(text: str, number: int = 1, *, speaker: int = 1, group: str = "A", day: int = 1) -> list[Candidate]:
    record = speech(
        text,
        number=number,
        speaker=f"{BASE}person/{speaker}",
        name=f"Oratrice {speaker}",
        group=f"{BASE}group/{group}",
        date=date(2025, 12, day),
    )
    found = candidates([evidence(record)])
    assert found, text
    return list(found)


def chosen(found: list[Candidate], authority: dict[str, float] | None = None) -> dict[str, list[str]]:
    picked = choose(asked(), CORPUS, found, authority or {}, {})
    return {bloc.rsplit("/", 1)[-1]: [c.text for c in quotations] for bloc, quotations in picked.items()}


def test_the_same_words_are_not_quoted_of_two_people_F110() -> None:
    found = [*said(NEAR[0], 1, speaker=1), *said(NEAR[0], 2, speaker=2), *said(NEAR[1], 3, speaker=3)]
    assert sorted(chosen(found)["A"]) == sorted(NEAR[:2])


def test_the_same_words_are_not_quoted_of_two_groups_F110() -> None:
    found = [*said(NEAR[0], 1, group="A"), *said(NEAR[0], 2, speaker=2, group="B")]
    assert chosen(found) == {"A": [NEAR[0]], "B": []}


def test_a_section_quotes_three_at_most() -> None:
    found = [c for n, text in enumerate(NEAR) for c in said(text, n, speaker=n, day=n + 1)]
    assert len(chosen(found)["A"]) == MOST == 3


def test_what_all_groups_are_read_first_is_embedded_in_one_call() -> None:
    calls: list[int] = []

    class Counting(HashEmbedder):
        def passages(self, texts: Sequence[str]) -> Vectors:
            calls.append(len(texts))
            return super().passages(texts)

    groups = "ABC"
    found = [
        candidate
        for n, text in enumerate(NEAR[:2])
        for group in groups
        for candidate in said(f"{text} ({group})", 10 * n + groups.index(group), speaker=n, group=group)
    ]
    picked = choose(asked(), cast(Any, SimpleNamespace(embedder=Counting())), found, {}, {})
    assert len(picked) == len(groups)
    assert calls == [len(found)]


def test_other_speakers_come_before_a_second_quotation_of_one() -> None:
    found = [
        *said(f"{NEAR[0]} {NEAR[1]} {NEAR[2]}", 1, speaker=1),
        *said(NEAR[3], 2, speaker=2, day=2),
        *said(NEAR[4], 3, speaker=3, day=3),
    ]
    picked = choose(asked(), CORPUS, found, {}, {})[f"{BASE}group/A"]
    assert len({c.evidence.speech.speaker for c in picked}) == 3


def test_one_speaker_alone_is_quoted_twice_but_from_two_speeches() -> None:
    alone = said(f"{NEAR[0]} {NEAR[1]}", 1)
    assert len(chosen(alone)["A"]) == 1
    again = [*alone, *said(NEAR[2], 2, day=5)]
    assert len(chosen(again)["A"]) == 2


def test_quotations_stand_in_the_order_of_their_days_the_latest_last_F113() -> None:
    found = [*said(NEAR[0], 1, speaker=1, day=20), *said(NEAR[1], 2, speaker=2, day=3)]
    assert chosen(found)["A"] == [NEAR[1], NEAR[0]]


def test_none_suitable_is_a_result_F91() -> None:
    assert chosen(said(FAR)) == {"A": []}
    assert chosen([]) == {}


def test_rhetoric_that_does_not_touch_the_topic_is_not_quoted_F90() -> None:
    praise = "Noi crediamo che bisogna essere orgogliosi: il nostro gruppo è dalla parte dei cittadini."
    assert chosen(said(praise)) == {"A": []}


def test_standing_decides_between_sentences_that_are_equally_near() -> None:
    found = [c for n, text in enumerate(NEAR) for c in said(text, n, speaker=n)]
    for speaker in range(len(NEAR)):
        assert NEAR[speaker] in chosen(found, {f"{BASE}person/{speaker}": 1.0})["A"]


@given(st.permutations([c for n, text in enumerate((*NEAR, FAR)) for c in said(text, n, speaker=n % 3)]))
def test_the_choice_does_not_depend_on_the_order_of_the_evidence(found: list[Candidate]) -> None:
    assert choose(asked(), CORPUS, found, {}, {}) == choose(asked(), CORPUS, found[::-1], {}, {})


def test_no_answer_quotes_the_same_words_twice_F110(answers: dict[str, Answer]) -> None:
    for answer in answers.values():
        words = [quotation.exact for quotation in answer.quotations]
        assert len(words) == len(set(words))


@pytest.mark.parametrize("topic", ["il salario minimo legale", "l'energia nucleare"])
def test_groups_with_several_speakers_are_quoted_by_two_or_more(answer_to: Callable[[str], Answer], topic: str) -> None:
    for section in answer_to(topic).sections:
        speakers = {q.speech.speaker for q in section.quotations}
        assert len(section.quotations) <= 3
        if len(section.quotations) == 3:
            assert len(speakers) >= 2
