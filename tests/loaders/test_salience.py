"""Salience tells positions from procedure, by closed formulas and without topics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.salience import rated, sentence_salience, span_salience
from loaders.text import Span, sentences

LEVELS = {
    "procedure": (0.2, ["Pongo in votazione l'articolo unico.", "Grazie, Presidente, ha facoltà il relatore.",
                        "Annuncio il voto favorevole del gruppo.", "Passiamo al prossimo punto."]),
    "comment": (0.35, ["Come sappiamo, il tema è molto importante.", "In questa sede se ne parla spesso."]),
    "plain": (0.5, ["Il ponte unisce le due rive del fiume."]),
    "one argument": (0.7, ["Il ponte costa 13 miliardi."]),
    "arguments": (0.8, ["Il ponte costa 13 miliardi, rispetto al preventivo sono 4 milioni di troppo."]),
    "one stance": (0.9, ["Riteniamo che il ponte serva a pochi.", "Bisogna fermare i lavori."]),
    "stances": (1.0, ["Siamo contrari e chiediamo di fermare i lavori."]),
}  # fmt: skip


@pytest.mark.parametrize(("level", "sentence"), [(v, s) for v, found in LEVELS.values() for s in found])
def test_each_kind_of_sentence_has_its_level(level: float, sentence: str) -> None:
    assert sentence_salience(sentence) == level


def test_positions_stand_above_arguments_above_plain_words_above_procedure() -> None:
    levels = [level for level, _ in LEVELS.values()]
    assert levels == sorted(levels)


def test_a_stance_within_procedure_is_worth_less_than_a_bare_one_and_more_than_none() -> None:
    mixed = sentence_salience("Grazie, Presidente, riteniamo che il ponte serva a pochi.")
    assert 0.2 < mixed < 0.9


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        (0.9, "«Crediamo»"),
        (1.0, "Crediamo, riteniamo"),
        (0.5, "Screditiamo i credomani."),
        (0.8, "Secondo l'articolo 3 dell'accordo."),
        (0.8, "Il 5% perché sì."),
        (0.7, "Nell'art. 12, nulla."),
        (0.2, "Sull'ordine del giorno."),
    ],
)
def test_formulas_are_found_at_either_edge_and_beside_one_another_but_not_within_words(
    level: float, sentence: str
) -> None:
    assert sentence_salience(sentence) == level


@given(st.sampled_from(["pesca", "nucleare", "scuola", "immigrazione", "ius scholae", "remigrazione"]))
def test_the_topic_does_not_change_salience_F117(topic: str) -> None:
    assert sentence_salience(f"Il Governo ha parlato di {topic} ieri.") == 0.5
    assert sentence_salience(f"Riteniamo che sulla {topic} si sbagli.") == 0.9


@given(st.text(max_size=300))
def test_salience_is_always_one_of_the_levels(sentence: str) -> None:
    assert sentence_salience(sentence) in {0.2, 0.35, 0.5, 0.7, 0.8, 0.9, 1.0}


def test_a_passage_is_worth_its_best_sentence() -> None:
    text = "Grazie, Presidente, e buongiorno a tutti. Riteniamo che il ponte serva a pochi."
    ratings = rated(text, sentences(text))
    assert span_salience(Span(0, len(text)), ratings) == 0.9
    assert span_salience(Span(0, 41), ratings) == 0.2


def test_a_passage_of_short_sentences_is_worth_the_least() -> None:
    text = "Siamo contrari. Basta."
    assert span_salience(Span(0, len(text)), rated(text, sentences(text))) == 0.2


@given(
    st.sampled_from(["RITENIAMO CHE SIA SBAGLIATO.", "Riteniamo che È necessario.", "Il 12 PER CENTO degli addetti."])
)
def test_case_does_not_matter(sentence: str) -> None:
    assert sentence_salience(sentence) == sentence_salience(sentence.lower()) == sentence_salience(sentence.upper())
