"""The English of answers: the same facts and figures as the Italian, in the words of another language."""

import json
import os
import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from service import reports
from service.answer import english, italian
from service.answer.jsonld import from_rdf, to_jsonld, to_rdf
from service.answer.languages import WORDINGS
from service.answer.model import Activity, Answer
from service.answer.standing import Chair, Standing
from service.answer.wording import Reporter, Wording
from service.pipeline import Engine, ask
from service.report_words import REPORT_WORDS
from tests.service.answer.making import TOPICS, UNSPOKEN, question, speech

ITALIAN = frozenset(
    """
    il lo la gli le di del dello della dei degli delle al allo alla ai agli alle dal dallo dalla dai dagli dalle nel
    nello nella nei negli nelle sul sulla sui sulle un uno una e ed che non ha sono oggi gruppo per con fra tra su
    intervento interventi oratore oratori seduta giorni citazione
    """.split()
)
"""Words that an English text has only inside quotations and names."""
ASKED = (*TOPICS[:3], UNSPOKEN)


@pytest.fixture(scope="module")
def in_english(engine: Engine) -> Mapping[str, Answer]:
    return {topic: ask(topic, engine, language="en") for topic in ASKED}


def test_a_day_and_a_range_of_days() -> None:
    first, last = date(2025, 12, 8), date(2025, 12, 30)
    assert english.on_day(first) == "on 8 December 2025"
    assert english.span_of_days(first, first) == "on 8 December 2025"
    assert english.span_of_days(first, last) == "from 8 to 30 December 2025"
    assert english.span_of_days(first, last, both=True) == "on 8 and 30 December 2025"
    assert english.span_of_days(date(2025, 3, 12), last) == "from 12 March to 30 December 2025"
    assert english.span_of_days(first, date(2026, 2, 4), both=True) == "on 8 December 2025 and 4 February 2026"


@given(st.dates(max_value=date(9980, 1, 1)), st.integers(0, 4000), st.booleans())
def test_a_range_of_days_holds_the_same_numbers_in_both_languages(first: date, later: int, both: bool) -> None:
    last = first + timedelta(days=later)
    told = english.span_of_days(first, last, both=both), italian.span_of_days(first, last, both=both)
    assert numbers(told[0]) == numbers(told[1])


@given(st.integers(0, 300), st.integers(0, 60), st.dates(date(2000, 1, 1), date(2030, 1, 1)), st.integers(0, 900))
def test_an_activity_holds_the_same_numbers_in_both_languages(
    interventions: int, speakers: int, first: date, later: int
) -> None:
    found = Activity(interventions, speakers, first, first + timedelta(days=later))
    assert numbers(english.activity(found)) == numbers(italian.activity(found))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, ""),
        ({"capacity": "rapporteur", "female": True}, "rapporteur"),
        ({"capacity": "government"}, "member of the government"),
        ({"capacity": "government", "office_printed": "Ministra della Salute"}, "Ministra della Salute"),
        ({"chair": Chair(False, None)}, "chair of the group"),
        ({"chair": Chair(False, None, of_mixed=True)}, "chair of the gruppo Misto"),
        ({"chair": Chair(True, "V COMMISSIONE (BILANCIO)")}, "deputy chair of the Commissione Bilancio"),
        ({"seat": "V COMMISSIONE (BILANCIO)"}, "member of the Commissione Bilancio"),
        ({"first_signatures": 1}, "first signatory of one proposal on the topic"),
        ({"first_signatures": 3, "group_now": "Misto"}, "first signatory of 3 proposals on the topic, now in the group "
         "Misto"),
    ],
)  # fmt: skip
def test_a_standing_is_told_with_names_as_they_are_recorded(changes: dict[str, Any], text: str) -> None:
    plain: dict[str, Any] = {
        "capacity": "member", "female": False, "office_printed": None, "chair": None, "seat": None,
        "first_signatures": 0, "group_now": None,
    }  # fmt: skip
    assert english.standing(Standing(**{**plain, **changes})) == text


def test_a_quotation_is_introduced_by_who_when_and_where() -> None:
    record = speech("x", phase_title="Dichiarazioni di voto")
    reporter = Reporter(english.REPORTING)
    told = english.introduce(
        record, reporter=reporter, name="Anna Rossi", who="rapporteur", point="pensions", again=False
    )
    assert told == "On pensions, Anna Rossi, rapporteur, said on 18 December 2025, during explanations of vote:"
    again = english.introduce(record, reporter=reporter, name="Anna Rossi", who="", point=None, again=True)
    assert again == "Anna Rossi again, on 18 December 2025, during explanations of vote:"


@pytest.mark.parametrize("wording", WORDINGS.values(), ids=WORDINGS)
def test_each_language_has_many_different_reporting_phrases(wording: Wording) -> None:
    assert len(set(wording.REPORTING)) == len(wording.REPORTING) >= 30
    assert WORDINGS[wording.LANGUAGE] is wording


@pytest.mark.parametrize(
    "judgement", ["claim", "admit", "insist", "conced", "rightly", "attack", "accus", "denounc", "conclu", "point out",
                  "pointed out", "reveal", "refus", "allege"]
)  # fmt: skip
def test_no_reporting_phrase_judges_the_speaker(judgement: str) -> None:
    assert not [phrase for phrase in english.REPORTING if judgement in phrase]


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+", text))


def own_words(text: str, answer: Answer) -> set[str]:
    """The words that code wrote: without quotations, markers, and names of the record."""
    names = [s.title for s in answer.sections] + [answer.corpus_title, "gruppo Misto", answer.question.topic]
    for quotation in answer.quotations:
        names += filter(None, (quotation.speech.name, quotation.speech.office, quotation.speech.role_printed))
    text = re.sub(r"[«“][^»”]*[»”]", " ", text)
    text = re.sub(r"(?:Commissione|Comitato|Giunta)(?: [\w']+)*?(?= said|, |\.|:| [a-z]+ed )", " ", text)
    text = re.sub(r"now in the group [^,:]*", " ", text)
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return set(re.findall(r"[a-zà-ÿ]+", text.lower()))


@pytest.mark.parametrize("topic", ASKED)
def test_an_english_answer_holds_no_italian_outside_quotations_and_names(
    in_english: Mapping[str, Answer], topic: str
) -> None:
    answer = in_english[topic]
    for text in (answer.introduction, *(section.text for section in answer.sections)):
        assert not own_words(text, answer) & ITALIAN, text


@pytest.mark.parametrize("topic", ASKED)
def test_structure_quotations_and_figures_are_those_of_the_italian_answer(
    in_english: Mapping[str, Answer], engine: Engine, topic: str
) -> None:
    there, here = ask(topic, engine), in_english[topic]
    assert [(s.kind, s.bloc, s.quotations, s.activity) for s in here.sections] == [
        (s.kind, s.bloc, s.quotations, s.activity) for s in there.sections
    ]
    assert here.figures == there.figures
    for ours, theirs in zip(here.sections, there.sections, strict=True):
        assert re.findall(r"«\{q\d+\}»", ours.text) == re.findall(r"«\{q\d+\}»", theirs.text)
        assert numbers(ours.text) == numbers(theirs.text)
    assert numbers(here.introduction) == numbers(there.introduction)


def test_an_english_answer_uses_no_reporting_phrase_twice_F115(in_english: Mapping[str, Answer]) -> None:
    for answer in in_english.values():
        text = " ".join(section.text for section in answer.sections)
        for phrase in english.REPORTING:
            assert len(re.findall(rf"\b{phrase} on \d", text)) <= 1


def test_the_document_tells_its_language_and_comes_back_equal_from_rdf(in_english: Mapping[str, Answer]) -> None:
    document = to_jsonld(in_english[TOPICS[0]])
    assert document["language"] == "en"
    assert document["question"]["language"] == "it"
    assert {concept["label"] for concept in document["question"]["concepts"]} == {"minimum wage"}
    assert from_rdf(to_rdf(document)) == json.loads(json.dumps(document))


def test_the_command_line_prints_an_answer_in_its_language(in_english: Mapping[str, Answer]) -> None:
    console = Console(record=True, width=100, file=open(os.devnull, "w"))  # noqa: SIM115
    reports.print_answer(in_english[TOPICS[0]], console)
    printed = console.export_text()
    for part in ("Invented parliament", "GOVERNMENT", "(opposition)", "QUOTATIONS", "Reference date 11 February 2026"):
        assert part in printed
    assert "perché" not in re.sub(r"«[^»]*»", "", printed)
    for words in REPORT_WORDS.values():
        assert len(words.columns) == 8


def test_nobody_spoke_of_it_is_said_in_english(in_english: Mapping[str, Answer]) -> None:
    answer = in_english[UNSPOKEN]
    assert {section.text for section in answer.sections} == {english.NOTHING}
    assert "holds no speeches on" in answer.introduction
    assert english.introduction(
        question("pensioni"), corpus_title="C", activity=Activity(1, 1, date(2025, 1, 1), date(2025, 1, 1)),
        sitting_days=1, spoke={"majority": ["A"]}, silent=["B", "C", "D"],
    ) == (
        "On “pensioni” the corpus consulted – C, up to 4 February 2026 – holds one speech by one speaker on one "
        "sitting day, on 1 January 2025. The answer quotes one majority group. No quotation for: B, C and D. "
        "Quotations are in Italian, as they were spoken."
    )  # fmt: skip


@pytest.mark.parametrize("words", [english, italian])
def test_an_introduction_without_any_quotation_does_not_list_everybody(words: Any) -> None:
    told = words.introduction(
        question("pensioni"), corpus_title="C", activity=Activity(1, 1, date(2025, 1, 1), date(2025, 1, 1)),
        sitting_days=1, spoke={}, silent=["Alfa", "Beta"],
    )  # fmt: skip
    assert told.endswith(words.NOTHING_QUOTABLE)
    assert "Alfa" not in told
