"""From a question to ranked evidence: whole, true to the record, and the same in every process."""

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import date

import pytest

from service.settings import ScoreWeights
from tests.conftest import REPOSITORY, Esperia

QUESTIONS = (
    "Qual è la posizione dei gruppi parlamentari sul salario minimo?",
    "liste d'attesa nella sanità",
    "energia nucleare",
)

PROGRAM = """
import json, sys
from pathlib import Path
from service.chamber import Chamber
from service.corpus import open_corpus
from service.findings import find
from service.question import understand
from service.settings import Settings
from service.thesaurus import Thesaurus
settings = Settings(embedder="hash")
corpus = open_corpus(Path(sys.argv[1]), settings)
chamber, thesaurus = Chamber(corpus.graph), Thesaurus.read(corpus.graph)
for text in sys.argv[2:]:
    found = find(understand(text, corpus, thesaurus), corpus, chamber, settings.retrieval)
    print(json.dumps([
        [[e.chunk, e.score, e.similarity, [[r.channel, r.iri, r.label] for r in e.reasons]] for e in found.evidence],
        {speaker: a.total for speaker, a in found.authorities.items()},
        list(found.mentions),
    ]))
"""


def test_the_evidence_is_the_same_whatever_the_seed_of_the_process_F58_F59(esperia: Esperia) -> None:
    command = [sys.executable, "-c", PROGRAM, str(esperia.data), *QUESTIONS]
    running = [
        subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE)
        for seed in ("1", "4711")
    ]
    first, second = (process.communicate()[0] for process in running)
    assert all(process.returncode == 0 for process in running)
    assert first == second
    answers = [json.loads(line) for line in first.decode().splitlines()]
    assert all(len(answer[0]) > 5 for answer in answers)
    here = esperia.find(QUESTIONS[0])
    assert [row[0] for row in answers[0][0]] == [item.chunk for item in here.evidence]


@pytest.mark.parametrize("text", QUESTIONS)
def test_evidence_is_ordered_by_score_then_iri_and_each_passage_stands_once_F58(esperia: Esperia, text: str) -> None:
    evidence = esperia.find(text).evidence
    keys = [(-item.score, item.chunk) for item in evidence]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys) > 5


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_score_follows_from_its_terms_and_the_terms_from_the_findings_F65_F68(esperia: Esperia, text: str) -> None:
    findings, weights = esperia.find(text), ScoreWeights()
    relevance = esperia.corpus.embedder.calibration.relevance
    for item in findings.evidence:
        terms = item.terms
        assert item.score == pytest.approx(
            sum(getattr(weights, name) * getattr(terms, name) for name in type(weights).model_fields)
        )
        assert terms.relevance == relevance(item.similarity)
        if item.speech.speaker:
            assert terms.authority == findings.authorities[item.speech.speaker].total


def test_a_passage_is_cut_from_the_record_with_its_speakers_standing_on_that_day_F14_F64(
    esperia: Esperia,
) -> None:
    for item in esperia.find(QUESTIONS[0]).evidence:
        assert item.text == item.speech.text[item.start : item.end]
        assert item.text
        assert item.speech.speaker
        assert item.speech.name
        assert item.speech.source.startswith("https://dati.esperia.example/")
        assert item.speech.debate is None or item.speech.debate_title
        assert item.reasons
        government = item.speech.capacity == "government"
        assert (item.bloc == "government") == government
        if not government:
            assert item.bloc in (item.speech.component, item.speech.group)


def test_every_group_that_spoke_of_the_topic_is_heard_F56(esperia: Esperia) -> None:
    findings = esperia.find(QUESTIONS[0])
    heard = Counter(item.bloc for item in findings.evidence)
    assert set(heard) == set(findings.mentions)
    assert len(heard) >= 8


def test_acts_in_the_reasons_are_named(esperia: Esperia) -> None:
    reasons = [r for item in esperia.find(QUESTIONS[0]).evidence for r in item.reasons if r.channel == "signatory"]
    assert reasons
    assert all(reason.label and reason.label.startswith("A.C. ") for reason in reasons)


def test_the_day_on_which_it_is_asked_changes_nothing_and_the_reference_date_does_F87(esperia: Esperia) -> None:
    now = esperia.find(QUESTIONS[0])
    last = esperia.report.manifest.last_day
    assert esperia.find(QUESTIONS[0], reference_date=last).evidence == now.evidence
    early = esperia.find(QUESTIONS[0], reference_date=date(2025, 3, 1))
    assert early.evidence
    assert all(item.speech.date <= date(2025, 3, 1) for item in early.evidence)


def test_the_figures_tell_what_came_by_which_way(esperia: Esperia) -> None:
    figures = esperia.find(QUESTIONS[0]).figures
    assert figures.on_topic
    assert figures.acts
    assert figures.signatories
    assert figures.committees
    assert 0 < figures.by_graph <= figures.merged
    assert figures.by_dense <= figures.merged
    assert figures.best_similarity
