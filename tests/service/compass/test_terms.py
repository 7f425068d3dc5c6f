"""The words at the poles: what tells them apart, and never who speaks."""

import pytest

from service.chamber import Chamber
from service.compass.passages import LONGEST, cut
from service.compass.terms import Names, Said, names_of, said, separate, topic_stems
from service.evidence import Evidence, Terms
from service.thesaurus import stemmed, stems, words
from tests.conftest import Esperia
from tests.service.answer.making import speech

NAMES = Names(frozenset({"enrico", "costa", "meloni"}), frozenset(stemmed(words("Partito del Progresso"))))


def read(*texts: str) -> list[Said]:
    return [said(f"http://a.example/{n}", text, NAMES) for n, text in enumerate(texts)]


def labels(passages: list[Said]) -> set[str]:
    return {form for passage in passages for forms in passage.forms.values() for form in forms}


def test_terms_are_of_one_pole_alone_and_in_the_form_that_is_said() -> None:
    low = read(
        "Le imprese chiedono manodopera.", "Manodopera qualificata per le imprese agricole.", "Le imprese soffrono."
    )
    high = read("La sicurezza dei confini.", "Confini e sicurezza prima di ogni cosa.", "Sicurezza, non propaganda.")
    at_low, at_high = separate(low, high, [*low, *high])
    assert "imprese" in {term.label for term in at_low}
    assert "sicurezza" in {term.label for term in at_high}
    assert not {stems(t.label) for t in at_low} & {stems(t.label) for t in at_high}
    assert all(term.weight >= 1 for term in (*at_low, *at_high))
    assert [term.weight for term in at_low] == sorted((term.weight for term in at_low), reverse=True)


def test_a_word_of_both_poles_tells_nothing() -> None:
    low = read("Il salario e le imprese.", "Salario e imprese.", "Imprese e salario.")
    high = read("Il salario e la sicurezza.", "Salario e sicurezza.", "Sicurezza e salario.")
    assert "salario" not in {t.label for pole in separate(low, high, [*low, *high]) for t in pole}


def test_a_word_of_one_speech_alone_is_no_term() -> None:
    low = [said("http://a.example/1", "Zanzare e zanzare.", NAMES) for _ in range(4)]
    high = read("Sicurezza.", "La sicurezza.", "Più sicurezza.")
    assert separate(low, high, [*low, *high])[0] == ()


def test_names_of_people_and_groups_are_no_terms_but_common_words_are() -> None:
    found = labels(read("Come diceva Enrico Costa, la costa ligure soffre. Il Partito del Progresso tace su Meloni."))
    assert found == {"costa", "ligure", "soffre", "tace"}


def test_what_the_stenographers_added_is_no_term() -> None:
    assert labels(read("La povertà cresce. (Applausi dei deputati del gruppo Verde) Ora la povertà avanza.")) == {
        "povertà",
        "cresce",
        "avanza",
    }


def test_function_words_verbs_in_adverbial_forms_and_the_topic_are_no_terms() -> None:
    text = "Presidente, noi abbiamo discusso ampiamente, parlando del salario minimo e della povertà."
    assert set(said("http://a.example/1", text, NAMES, topic_stems("salario minimo")).forms) <= set(
        stems("discusso povertà")
    )


def test_the_names_of_a_chamber_are_those_of_its_people_and_groups(esperia: Esperia) -> None:
    chamber: Chamber = esperia.chamber
    names = names_of(chamber, esperia.corpus.graph)
    assert len(names.people) > 50
    for organisation in chamber.organisations.values():
        assert set(stems(organisation.present_name)) <= names.groups


def evidence(text: str, start: int = 0, end: int | None = None) -> Evidence:
    record = speech(text)
    return Evidence("c", start, len(text) if end is None else end, record, "g", 0.5, Terms(0, 0, 0, 0, 0), 0.5, ())


LONG = "La " + "lunghissima " * 60 + "frase."


@pytest.mark.parametrize("text", [LONG, "Breve.", "  Corto. ", "x" * 900, "Sì.\n" * 200])
def test_an_excerpt_is_cut_from_the_passage_and_never_too_long(text: str) -> None:
    item = evidence(f"Prima. {text}", 7)
    span = cut(item)
    assert 7 <= span.start < span.end <= len(item.speech.text)
    assert len(span) <= LONGEST
    assert span.of(item.speech.text).strip()
    assert span.of(item.speech.text) in item.text


def test_an_excerpt_is_a_whole_sentence_that_stands_alone_and_has_the_telling_words() -> None:
    first = "Il Parlamento discute da molti mesi di questa importante riforma senza alcun esito."
    second = "Le imprese italiane chiedono manodopera qualificata e tempi certi per i visti."
    leaning = "Quindi questo è proprio ciò che le imprese con la manodopera dicevano a tutti noi."
    text = f"{first} {second} {leaning}"
    span = cut(evidence(text), set(stems("imprese manodopera")))
    assert span.of(text) == second
