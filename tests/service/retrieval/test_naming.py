"""A passage is about a topic if it names it; being near is not enough."""

from datetime import date

import numpy as np
import pytest

from service.question import Filters, Question
from service.retrieval.naming import Passage, naming
from service.thesaurus import Concept, content_words, stems
from service.vectors import Where
from tests.conftest import Esperia

TARIFFS = Concept("urn:tariffs", "dazi doganali", ("dazi doganali", "dazi", "dazio", "protezionismo"))
FUND = Concept("urn:fund", "Meccanismo europeo di stabilità", ("Meccanismo europeo di stabilità", "MES"))
LIVING_WILL = Concept("urn:end-of-life", "fine vita", ("fine vita", "testamento biologico", "eutanasia"))


def question(topic: str, *concepts: Concept) -> Question:
    return Question(
        text=topic,
        topic=topic,
        language="it",
        lexical=topic,
        vector=np.zeros(4, np.float32),
        concepts=concepts,
        committees=(),
        reference_date=date(2026, 1, 1),
        filters=Filters(),
        where=Where(),
    )


def names(topic: str, passage: str, *others: str, concepts: tuple[Concept, ...] = ()) -> bool:
    record = [Passage.of(text) for text in (passage, *others)]
    return naming(question(topic, *concepts), record).names(record[0])


@pytest.mark.parametrize(
    ("topic", "passage", "named"),
    [
        pytest.param("il salario minimo", "Un salario minimo di nove euro serve.", True, id="its words"),
        pytest.param("il salario minimo", "I salari minimi dei contratti.", True, id="in the plural"),
        pytest.param("il salario minimo", "Il salario dei giovani è basso.", False, id="half of them"),
        pytest.param(
            "la pena di morte",
            "La pena aumenta se dal fatto deriva, per colpa di chi lo ha commesso, anche la morte.",
            False,
            id="words far apart",
        ),
        pytest.param("la riforma", "Questa riforma non va.", False, id="a topic of empty words names nothing"),
    ],
)
def test_a_passage_names_a_topic_by_most_of_its_words_close_together(topic: str, passage: str, named: bool) -> None:
    assert names(topic, passage) is named


def test_a_word_that_is_rare_in_the_record_may_not_be_missing() -> None:
    friuli = "Lo statuto speciale del Friuli Venezia Giulia va cambiato."
    record = [friuli] * 200 + ["Lo statuto speciale della Sardegna."]
    assert not names("lo statuto speciale della Sardegna", friuli, *record)
    assert names("lo statuto speciale della Sardegna", record[-1], *record)


def test_another_label_of_the_concept_stands_for_the_words_that_it_covers() -> None:
    passage = "Il testamento biologico è un diritto."
    assert not names("la legge sul fine vita", passage)
    assert names("la legge sul fine vita", passage, concepts=(LIVING_WILL,))


def test_a_concept_does_not_stand_for_what_the_topic_adds_to_it() -> None:
    tourism = Concept("urn:tourism", "turismo", ("turismo", "settore turistico"))
    passage = "Il turismo è una ricchezza per il Paese."
    assert not names("il turismo spaziale", passage, *[passage] * 100, concepts=(tourism,))


def test_a_doctrine_is_not_its_root_and_an_acronym_is_not_a_word() -> None:
    assert not names("i dazi", "La protezione civile è arrivata subito.", concepts=(TARIFFS,))
    assert names("i dazi", "Il protezionismo non paga mai.", concepts=(TARIFFS,))
    assert not names("il MES", "Duecento euro al mese non bastano.", concepts=(FUND,))
    assert names("il MES", "La ratifica del Mes può attendere.", concepts=(FUND,))


@pytest.mark.parametrize(
    "topic", ["la pena di morte", "le piramidi egizie", "il turismo spaziale", "gli yacht di lusso"]
)
def test_a_topic_that_nobody_named_has_no_evidence_and_no_count_F55(esperia: Esperia, topic: str) -> None:
    found = esperia.find(topic)
    assert not found.figures.on_topic
    assert found.evidence == ()
    assert dict(found.mentions) == {}


def test_what_is_counted_names_the_topic(esperia: Esperia) -> None:
    found = esperia.find("il salario minimo")
    speeches = {mention.speech for mentions in found.mentions.values() for mention in mentions}
    texts = {e.speech.iri: e.speech.text for e in found.evidence}
    assert len(speeches) >= 5
    topic = set(content_words("il salario minimo"))
    assert all(topic <= set(stems(texts[iri])) or "paga minima" in texts[iri] for iri in speeches & set(texts))
