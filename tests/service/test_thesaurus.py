"""The thesaurus finds concepts by whole words of their labels, however these are written."""

import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.graph import GraphStore
from service.thesaurus import Concept, Thesaurus, stems, unmarked, words
from tests.conftest import Esperia


def concept(name: str, *labels: str) -> Concept:
    return Concept(f"http://a.example/{name}", labels[0], labels)


THESAURUS = Thesaurus(
    (
        concept("flows", "flussi"),
        concept("migration", "flussi migratori", "immigrazione"),
        concept("health", "Servizio sanitario nazionale", "SSN", "sanità pubblica"),
        concept("budget", "legge di bilancio", "manovra", "budget law"),
        concept("services", "concessioni balneari", "direttiva Bolkestein", "Bolkestein"),
        concept("mes", "Meccanismo europeo di stabilità", "MES"),
    )
)


def found(text: str) -> list[str]:
    return [match.iri.rsplit("/", 1)[-1] for match in THESAURUS.match(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("la legge di bilancio", ["budget"]),
        ("le leggi di bilancio", ["budget"]),
        ("LEGGE DI BILANCIO!", ["budget"]),
        ("la sanita' pubblica", ["health"]),
        ("SANITÀ PUBBLICA", ["health"]),
        ("l'immigrazione", ["migration"]),
        ("Bolkestein e manovre", ["services", "budget"]),
        ("manovra, poi ancora la manovra", ["budget"]),
        ("the budget law", ["budget"]),
        ("", []),
        ("le balene e il tiramisù", []),
    ],
)
def test_concepts_are_found_in_the_order_of_their_first_mention(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_the_longest_label_wins_over_one_inside_it() -> None:
    assert found("i flussi migratori") == ["migration"]
    assert found("i flussi di cassa") == ["flows"]
    assert found("flussi, e flussi migratori") == ["flows", "migration"]


@pytest.mark.parametrize("text", ["transsnazionale", "SSNX", "assnato", "il bilanciere", "legge bilancio"])
def test_a_part_of_a_word_or_of_a_label_is_no_mention_F62(text: str) -> None:
    assert found(text) == []


def test_an_acronym_is_a_word_of_its_own_F62() -> None:
    assert found("il SSN oggi") == ["health"]
    assert found("nel mese di maggio") == []


@given(st.text(max_size=300))
def test_any_text_can_be_searched_and_gives_each_concept_once(text: str) -> None:
    names = found(text)
    assert len(names) == len(set(names))


@given(st.text(max_size=80))
def test_case_and_accents_do_not_change_the_stems(text: str) -> None:
    assert stems(text.upper().lower()) == stems(text.upper().lower().upper().lower())
    assert stems("perché è già città") == stems("PERCHE' E' GIA' CITTA'")


def test_many_threads_stem_alike_F81() -> None:
    texts = [f"le leggi di bilancio numero {n} e i flussi migratori" for n in range(400)]
    alone = [stems(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(stems, texts)) == alone


def test_the_shipped_thesaurus_is_read_alike_in_both_forms_of_the_graph(
    esperia: Esperia, esperia_graph: GraphStore
) -> None:
    read = Thesaurus.read(esperia_graph)
    assert read.concepts == esperia.thesaurus.concepts
    assert len(read.concepts) > 30
    assert all(c.label in c.labels and len(set(c.labels)) == len(c.labels) for c in read.concepts)


def test_every_label_of_the_shipped_thesaurus_finds_a_concept(esperia: Esperia) -> None:
    missing = [label for c in esperia.thesaurus.concepts for label in c.labels if not esperia.thesaurus.match(label)]
    assert missing == []


@pytest.mark.parametrize("topic", ["salario minimo", "liste d'attesa", "energia nucleare", "intelligenza artificiale"])
def test_the_shipped_thesaurus_knows_what_is_debated(esperia: Esperia, topic: str) -> None:
    assert esperia.thesaurus.match(topic)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.text("àèìòùáñçÉ’“–e\u0301\u034f\u0323а", max_size=30),
)
def test_marks_are_taken_from_letters_of_every_script(any_text: str, latin: str) -> None:
    for text in (any_text, latin, any_text + latin):
        folded = unicodedata.normalize("NFKD", text)
        assert unmarked(folded) == "".join(c for c in folded if not unicodedata.combining(c))


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.text("Lo è àÜñç’‘“”«»–—…_'9\u00a0\u0301\u0323а", max_size=40),
)
def test_words_are_runs_of_letters_and_digits_without_their_marks(any_text: str, usual: str) -> None:
    for text in (any_text, usual, any_text + usual):
        folded = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
        assert words(text) == tuple(re.findall(r"[^\W_]+", folded))
