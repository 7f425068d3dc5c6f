"""From a question to an answer: the same every time, nothing from later, and every word in the transcripts."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest
from rich.console import Console

from service import reports
from service.answer.candidates import candidates
from service.answer.italian import NOTHING, REPORTING
from service.answer.jsonld import to_jsonld
from service.answer.model import Answer
from service.pipeline import Engine, ask
from service.question import Filters, QuestionError
from service.retrieval.records import speeches
from tests.conftest import BASE, REPOSITORY, SOURCES, Esperia
from tests.service.answer.making import TOPICS, UNSPOKEN, evidence


@cache
def transcripts() -> dict[str, dict[str, str]]:
    """Every turn of Esperia's transcripts by its anchor, read with nothing of the product."""
    turns = {}
    for path in sorted((SOURCES / "stenographic").glob("*.xml")):
        root = ET.parse(path).getroot()
        number = int(root.attrib["numero"])
        day = f"{root.attrib['anno']}-{root.attrib['mese']:>02}-{root.attrib['giorno']:>02}"
        for turn in root.iter("intervento"):
            name = turn.find(".//nominativo")
            text = " ".join("".join(turn.itertext()).split())
            sigla = re.match(r"[^.(]*\(([A-Z][^()]*(?:\([^()]*\))?)\)", text)
            turns[f"sed{number:04d}/{turn.attrib['id']}"] = {
                "day": day,
                "person": (name.attrib.get("id", "") if name is not None else ""),
                "text": text,
                "sigla": sigla[1] if sigla else "",
            }
    return turns


def place(quotation: dict[str, Any]) -> str:
    """Sitting and turn as the IRI of the speech names them."""
    found = re.search(r"(sed\d+)/(.+)$", quotation["speech"])
    assert found, quotation["speech"]
    return f"{found[1]}/{found[2]}"


def quotations(answer: Answer) -> list[dict[str, Any]]:
    return [q for section in to_jsonld(answer)["sections"] for q in section["quotations"]]


def timeless(document: dict[str, Any]) -> str:
    text = json.dumps(document, ensure_ascii=False)
    text = re.sub(r'"(startedAt|endedAt)": "[^"]*"', "", text)
    return re.sub(r"/answer/[0-9a-f-]{36}", "/answer/ID", text)


def test_every_quotation_stands_verbatim_in_the_transcripts_with_its_speaker_and_day_F120_F139(
    answers: dict[str, Answer],
) -> None:
    turns = transcripts()
    checked = 0
    for answer in answers.values():
        for quoted in quotations(answer):
            turn = turns[place(quoted)]
            position, wording = quoted["selector"]
            assert wording["exact"] in turn["text"]
            assert quoted["speaker"].endswith(turn["person"])
            assert quoted["date"] == turn["day"]
            assert position["end"] - position["start"] == len(wording["exact"])
            assert quoted["source"]
            checked += 1
    assert checked >= 40


def test_every_quotation_is_attributed_to_the_group_that_the_transcript_prints(
    answers: dict[str, Answer], esperia: Esperia
) -> None:
    turns = transcripts()
    checked = 0
    for answer in answers.values():
        for quoted in quotations(answer):
            if quoted["capacity"] != "member":
                continue
            day = date.fromisoformat(quoted["date"])
            group = esperia.chamber.organisations[quoted["groupAtSpeech"]]
            sigla = group.sigla_on(day)
            assert sigla
            assert turns[place(quoted)]["sigla"].split("-")[0].casefold() == sigla.split("-")[0].casefold()
            checked += 1
    assert checked >= 30


def test_a_false_quotation_would_be_noticed_by_this_check_F139(answers: dict[str, Answer]) -> None:
    quoted = quotations(answers[TOPICS[0]])[0]
    altered = quoted["selector"][1]["exact"].replace("a", "e", 1)
    assert altered not in transcripts()[place(quoted)]["text"]


def test_the_same_question_gives_the_same_document(answers: dict[str, Answer], engine: Engine) -> None:
    for topic in TOPICS[:3]:
        assert timeless(to_jsonld(ask(topic, engine))) == timeless(to_jsonld(answers[topic]))


def test_two_processes_give_the_same_document_whatever_their_hash_seed(esperia: Esperia) -> None:
    told = []
    for seed in ("1", "2"):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
        run = subprocess.run(
            [sys.executable, "-m", "service.cli", "ask", TOPICS[0], "--data", str(esperia.data), "--json"],
            env={**clean, "PYTHONHASHSEED": seed, "EMICICLO_EMBEDDER": "hash"},
            cwd=REPOSITORY,
            capture_output=True,
            check=True,
            timeout=60,
        )
        told.append(json.loads(run.stdout))
    assert timeless(told[0]) == timeless(told[1])
    assert told[0]["id"] != told[1]["id"]


def test_as_of_a_day_nothing_later_is_used(engine: Engine) -> None:
    day = date(2025, 6, 1)
    answer = ask(TOPICS[0], engine, reference_date=day)
    assert answer.quotations
    assert all(q.speech.date <= day for q in answer.quotations)
    assert answer.activity.last is not None
    assert answer.activity.last <= day
    for section in answer.sections:
        assert section.activity.last is None or section.activity.last <= day
        if section.expert:
            authority = section.expert.authority
            assert all(item.day <= day for item in (*authority.acts_counted, *authority.speeches_counted))
    assert to_jsonld(answer)["question"]["referenceDate"] == "2025-06-01"
    assert not re.search(r"\b2026\b", json.dumps([s.text for s in answer.sections]))


def test_as_of_a_day_before_the_record_there_is_nothing(engine: Engine) -> None:
    answer = ask(TOPICS[0], engine, reference_date=date(2024, 1, 1))
    assert answer.quotations == ()
    assert answer.activity.interventions == 0


def test_a_topic_that_nobody_spoke_of_gives_sections_that_say_so(
    answer_to: Callable[[str], Answer],
) -> None:
    answer = answer_to(UNSPOKEN)
    assert answer.quotations == ()
    assert len(answer.sections) > 8
    assert {section.text for section in answer.sections} == {NOTHING}
    assert {section.expert for section in answer.sections} == {None}
    assert "non risultano interventi" in answer.introduction


def test_a_filter_by_group_quotes_that_group_alone(engine: Engine, esperia: Esperia) -> None:
    (group,) = esperia.chamber.find("PLS")
    answer = ask(TOPICS[0], engine, filters=Filters(groups=(group,)))
    assert [section.group for section in answer.sections] == [group]
    assert answer.quotations
    assert {q.speech.group for q in answer.quotations} == {group}


def test_a_filter_by_days_quotes_those_days_alone(engine: Engine) -> None:
    filters = Filters(date_from=date(2025, 2, 1), date_until=date(2025, 2, 28))
    answer = ask(TOPICS[0], engine, filters=filters)
    assert answer.quotations
    assert {q.speech.date.strftime("%Y-%m") for q in answer.quotations} == {"2025-02"}


def test_a_deputy_who_changed_group_is_attributed_to_that_days_group_and_shown_with_the_present_one_F17(
    answers: dict[str, Answer], esperia: Esperia
) -> None:
    changed = 0
    for answer in answers.values():
        for section in answer.sections:
            for quotation in section.quotations:
                if quotation.group_now is None:
                    continue
                changed += 1
                assert section.group == quotation.speech.group != quotation.group_now
                sigla = transcripts()[place({"speech": quotation.speech.iri})]["sigla"]
                group = esperia.chamber.organisations[quotation.speech.group or ""]
                assert group.sigla_on(quotation.speech.date) == sigla.split("-")[0]
                assert "oggi nel gruppo" in section.text
    assert changed >= 2


def test_a_deputy_who_changed_group_is_not_lost_from_the_former_one_F17(engine: Engine) -> None:
    answer = ask("la separazione delle carriere", engine)
    found = [q for s in answer.sections for q in s.quotations if q.speech.name == "Irene Castelnuovo"]
    for quotation in found:
        assert quotation.speech.date < date(2025, 12, 1)
        assert quotation.group_now is not None


def test_no_answer_uses_a_reporting_phrase_twice_F115(answers: dict[str, Answer]) -> None:
    for answer in answers.values():
        text = " ".join(section.text for section in answer.sections)
        for phrase in REPORTING:
            assert len(re.findall(rf"\b{re.escape(phrase)} (?:il|l'|,)", text)) <= 1


def test_the_numbers_of_the_introduction_come_from_the_data_F114(answers: dict[str, Answer]) -> None:
    for answer in answers.values():
        assert (
            f"contiene {answer.activity.interventions} interventi di {answer.activity.speakers} " in answer.introduction
        )
        assert "fino all'11 febbraio 2026" in answer.introduction


def test_the_text_names_only_people_whom_the_section_quotes_F111(answers: dict[str, Answer]) -> None:
    people = {q.speech.name for answer in answers.values() for q in answer.quotations}
    for answer in answers.values():
        for section in answer.sections:
            own = {q.speech.name for q in section.quotations}
            assert {name for name in people if name and name in section.text} <= own


def test_whoever_is_answered_from_an_invented_parliament_is_told_so(answers: dict[str, Answer]) -> None:
    answer = answers[TOPICS[0]]
    assert answer.invented
    assert to_jsonld(answer)["invented"] is True
    console = Console(record=True, width=100, file=open(os.devnull, "w"))  # noqa: SIM115
    reports.print_answer(answer, console)
    printed = console.export_text()
    assert "Parlamento inventato" in printed
    real = Console(record=True, width=100, file=open(os.devnull, "w"))  # noqa: SIM115
    reports.print_answer(replace(answer, invented=False), real)
    assert "Parlamento inventato" not in real.export_text()


def test_the_printed_answer_numbers_its_quotations_through_and_lists_their_sources(
    answers: dict[str, Answer],
) -> None:
    answer = answers[TOPICS[0]]
    console = Console(record=True, width=100, file=open(os.devnull, "w"))  # noqa: SIM115
    reports.print_answer(answer, console)
    printed = console.export_text()
    body, sources = printed.split("CITAZIONI")
    numbers = [int(number) for number in re.findall(r"»\s+\[(\d+)\]", body)]
    assert numbers == list(range(1, len(answer.quotations) + 1))
    for quotation in answer.quotations:
        assert quotation.speech.source in sources
    assert "{q" not in printed


@pytest.mark.parametrize("text", ["", "   ", "???", "x" * 1001])
def test_a_question_that_cannot_be_answered_is_refused_with_a_reason(engine: Engine, text: str) -> None:
    with pytest.raises(QuestionError):
        ask(text, engine)


# Speeches that quote an opponent or read a text aloud: sitting, turn, and words that are not the speaker's.
OPPONENTS = (
    ("0002", "tit00020.sub00020.int00050", "misura ideologica"),
    ("0003", "tit00020.sub00010.int00070", "Nessuna persona ragionevole"),
    ("0004", "tit00020.sub00010.int00050", "avremo processi più brevi"),
    ("0007", "tit00020.int00040", "parte integrante del Servizio sanitario"),
    ("0008", "tit00020.sub00010.int00020", "si impara a casa"),
    ("0009", "tit00020.sub00010.int00050", "la sola fonte che può darci"),
    ("0004", "tit00020.sub00010.int00020", "si distinguono in giudicanti e requirenti"),
    ("0007", "tit00030.int00030", "A turno uno resta in piedi"),
    ("0012", "tit00030.int00020", "prelevati prima dell'alba"),
)


@pytest.mark.parametrize(("sitting", "turn", "words"), OPPONENTS)
def test_words_of_an_opponent_or_of_a_text_read_aloud_are_never_the_speakers_F96_F97(
    esperia: Esperia, sitting: str, turn: str, words: str
) -> None:
    iri = f"{BASE}speech/{esperia.corpus.manifest.dataset}/sed{sitting}/{turn}"
    record = speeches([iri], esperia.corpus)[iri]
    assert words in record.text
    begin = re.search(r"[«“]", record.text)
    end = re.search(r"[»”]", record.text)
    assert begin is not None
    assert end is not None
    found = candidates([evidence(record)])
    assert found, "the speaker's own words may be quoted"
    for candidate in found:
        assert candidate.span.end <= begin.start() or candidate.span.start >= end.end()
        assert words not in candidate.text


def test_opinions_on_amendments_are_never_quoted_F97(esperia: Esperia) -> None:
    iri = f"{BASE}speech/{esperia.corpus.manifest.dataset}/sed0002/tit00020.sub00010.int00020"
    record = speeches([iri], esperia.corpus)[iri]
    assert "parere contrario" in record.text
    assert candidates([evidence(record)]) == ()


def test_no_speech_of_esperia_yields_a_candidate_from_inside_quotation_marks_F96(esperia: Esperia) -> None:
    rows = esperia.corpus.graph.select("SELECT ?s WHERE { ?s a <https://w3id.org/emiciclo/ns#Speech> }")
    checked = 0
    for record in speeches((row["s"].value for row in rows), esperia.corpus).values():
        marks = [m.span() for m in re.finditer(r"«[^«»]{60,}»|“[^“”]{60,}”", record.text)]
        for candidate in candidates([evidence(record)]):
            checked += 1
            assert not any(a < candidate.span.end and candidate.span.start < b for a, b in marks)
            assert not re.search(r"\((?:Applausi|Commenti|Proteste)", candidate.text)
    assert checked > 500
