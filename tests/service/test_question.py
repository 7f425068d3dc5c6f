"""From the words of a question to its topic, concepts, committees and vector."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.question import COMMITTEES, LONGEST, Filters, QuestionError, clean, language_of, topic_of
from service.vectors import Where
from tests.conftest import Esperia

TOPICS = [
    ("Qual è la posizione dei gruppi parlamentari sul salario minimo?", "salario minimo"),
    ("Qual è la posizione dei gruppi parlamentari su Golden Power?", "Golden Power"),
    ("Quali sono le posizioni dei partiti sull'acqua pubblica?", "acqua pubblica"),
    ("Quali sono le posizioni dei partiti sull’acqua pubblica?", "acqua pubblica"),
    ("Cosa dicono i gruppi sulla riforma della giustizia?", "riforma della giustizia"),
    ("Che cosa pensa il Parlamento dell'energia nucleare?", "energia nucleare"),
    ("Che cosa si è detto delle liste d'attesa?", "liste d'attesa"),
    ("Come la pensano i partiti sulla legge di bilancio?", "legge di bilancio"),
    ("Spiegami le posizioni dei vari gruppi in merito alla difesa europea", "difesa europea"),
    ("What do the parties think about immigration?", "immigration"),
    ("What is the position of the parliamentary groups on nuclear energy?", "nuclear energy"),
    ("What are the positions of the parties on water?", "water"),
    ("What did parliament say about AI?", "AI"),
    ("Che cosa è stato detto degli infortuni sul lavoro?", "infortuni sul lavoro"),
    ("Le dichiarazioni sul decreto flussi", "decreto flussi"),
    ("Il dibattito sull'autonomia", "autonomia"),
    ("Le posizioni organizzative nei comuni", "Le posizioni organizzative nei comuni"),
    ("What was said about femicide?", "femicide"),
    ("Who spoke on public debt?", "public debt"),
    ("salario minimo", "salario minimo"),
    ("Salario minimo?!", "Salario minimo"),
    ("La posizione della Chiesa sul fine vita", "La posizione della Chiesa sul fine vita"),
    ("Dimmi", "Dimmi"),
]


@pytest.mark.parametrize(("question", "topic"), TOPICS)
def test_the_words_that_only_ask_are_stripped(question: str, topic: str) -> None:
    assert topic_of(question) == topic


@given(st.text(max_size=120))
def test_a_topic_is_never_empty_where_the_question_is_not(text: str) -> None:
    try:
        question = clean(text)
    except QuestionError:
        return
    assert topic_of(question)
    assert len(question) <= LONGEST
    assert question.isprintable()
    assert clean(question) == question


@pytest.mark.parametrize("text", ["", "   ", "?", "«»…", "\x00\x07", "\u200b\u200b", "\n\t"])
def test_an_empty_question_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(QuestionError, match="legge di bilancio"):
        clean(text)


def test_an_overlong_question_is_refused_with_both_numbers() -> None:
    assert len(clean("a" * LONGEST)) == LONGEST
    with pytest.raises(QuestionError, match=r"1001.*1000"):
        clean("a" * (LONGEST + 1))


def test_control_characters_and_invisible_ones_do_not_reach_the_pipeline() -> None:
    assert clean(" salario\x00\n\tminimo\x1b[2J ") == "salario minimo [2J"
    assert clean("sala\u00adrio \u202eminimo\u200b") == "salario minimo"
    assert clean("\ud800salario") == "salario"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Qual è la posizione dei gruppi sul salario minimo?", "it"),
        ("What do the parties say about water?", "en"),
        ("salario minimo", "it"),
        ("Golden Power", "it"),
    ],
)
def test_the_language_is_told_from_function_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_question_is_understood_with_concepts_committees_and_one_unit_vector_F86(esperia: Esperia) -> None:
    question = esperia.understand("Qual è la posizione dei gruppi parlamentari sul salario minimo?")
    assert question.topic == "salario minimo"
    assert question.reference_date == esperia.report.manifest.last_day
    assert question.concepts
    assert question.lexical.startswith("salario minimo")
    assert question.expansion is None
    assert question.vector.shape == (256,)
    assert float(np.linalg.norm(question.vector)) == pytest.approx(1, abs=1e-5)
    again = esperia.understand("Qual è la posizione dei gruppi parlamentari sul salario minimo?")
    assert np.array_equal(again.vector, question.vector)


def test_the_thesaurus_can_be_switched_off(esperia: Esperia) -> None:
    plain = esperia.understand("salario minimo", use_thesaurus=False)
    assert plain.concepts == ()
    assert plain.lexical == "salario minimo"


def test_an_expansion_is_used_only_if_it_keeps_every_word_F51(esperia: Esperia) -> None:
    def asked(answer: str | None, text: str = "salario minimo") -> str | None:
        return esperia.understand(text, expand=lambda _: answer).expansion

    assert asked("salario minimo legale orario") == "salario minimo legale orario"
    for refused in (None, "", "retribuzione oraria", "salario minimo", "salario minimo " + "x" * LONGEST):
        assert asked(refused) is None
    long = "la posizione sul salario minimo legale in tutti i settori"
    assert asked(f"{long} e altro", long) is None


def matched(esperia: Esperia, text: str) -> dict[str, tuple[float, tuple[str, ...]]]:
    question = esperia.understand(text, use_thesaurus=False)
    return {match.label: (match.score, match.words) for match in question.committees}


def test_the_score_of_a_committee_grows_with_its_words_and_saturates_F71(esperia: Esperia) -> None:
    one = matched(esperia, "salario minimo")
    assert [score for score, _ in one.values()] == [0.5]
    two = matched(esperia, "salario minimo e sindacati")
    assert next(iter(two.values()))[0] == pytest.approx(0.7)
    many = "salario minimo sindacati precariato infortuni appalti pensioni INPS caporalato equo compenso"
    assert next(iter(matched(esperia, many).values()))[0] == 1.0


def test_a_question_about_nothing_of_theirs_matches_no_committee(esperia: Esperia) -> None:
    assert matched(esperia, "le balene e il tiramisù") == {}


def test_the_best_committees_come_first_and_are_few(esperia: Esperia) -> None:
    words = "caporalato, braccianti, scuola, ospedali, porti, carcere, disarmo, IRPEF"
    question = esperia.understand(words, use_thesaurus=False)
    scores = [(-match.score, match.iri) for match in question.committees]
    assert scores == sorted(scores)
    assert len(scores) == COMMITTEES
    assert question.committees[0].words == ("braccianti", "caporalato")


def test_words_of_a_committee_match_as_whole_words_F62(esperia: Esperia) -> None:
    assert matched(esperia, "i trasporti e le strade") != {}
    assert matched(esperia, "il passaporto e la stradina") == {}


def test_nothing_after_the_reference_date_passes_the_filter_F60() -> None:
    day = date(2025, 3, 1)
    assert Filters().where(day) == Where(day_until=20250301)
    late = Filters(date_from=date(2025, 1, 1), date_until=date(2026, 1, 1))
    assert late.where(day) == Where(day_from=20250101, day_until=20250301)
    early = Filters(groups=("g",), speakers=("s",), date_until=date(2024, 12, 31))
    assert early.where(day) == Where({"bloc": ("g",), "speaker": ("s",)}, day_until=20241231)
