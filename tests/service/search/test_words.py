"""What a search looks for, and where that stands in a text."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.search.words import LONGEST, folded, marks, read, stands, window

TEXT = (
    "Sull'acqua pubblica l’Acqua è un diritto; dell’acqua, perché la Sanità e le città chiedono. "
    "Il MES non è il mese: la legge\ndi  bilancio, e non una legge sul bilancio. A.C. 1234."
)


def shown(search: str, text: str = TEXT) -> list[str]:
    return [text[start:end] for start, end in marks(read(search).wanted, text)]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("acqua", ["acqua", "Acqua", "acqua"]),
        ("dell'acqua", ["acqua", "Acqua", "acqua"]),
        ("DIRITTI", ["diritto"]),
        ("perche citta", ["perché", "città"]),
        ("sanita", ["Sanità"]),
        ("sano", []),
        ("MES", ["MES"]),
        ("mese", ["mese"]),
        ("leggi", ["legge", "legge"]),
        ("1234", ["1234"]),
        ("123", []),
        ('"legge di bilancio"', ["legge\ndi  bilancio"]),
        ("«Legge DI bilancio»", ["legge\ndi  bilancio"]),
        ('"legge bilancio"', []),
        ('"gge di bilancio"', []),
        ('"perche la sanita"', ["perché la Sanità"]),
        ("di la e", []),
    ],
)
def test_words_are_found_in_any_inflection_and_phrases_as_they_stand(search: str, expected: list[str]) -> None:
    assert shown(search) == expected


def test_signs_say_what_must_stand() -> None:
    query = read('pensioni +salario "lavoro povero"')
    assert {w.shown for w in query.required} == {"salario", "lavoro povero"}
    assert query.text == "pensioni salario lavoro povero"
    assert query.lexical.split() == ["salario", "lavoro", "povero"]


@pytest.mark.parametrize(
    "search", ['"', '""', "+", '+""', '"acqua', 'acqua"', "«»", "\x00", "\ud800", "(((((", "[a-", "\\"]
)
def test_signs_without_sense_do_no_harm(search: str) -> None:
    assert not read(search).required
    assert shown(search) in ([], ["acqua", "Acqua", "acqua"])


@given(st.text(max_size=400))
def test_folding_keeps_every_place(text: str) -> None:
    assert len(folded(text)) == len(text)


@given(st.text(max_size=200), st.text(max_size=600))
def test_marks_are_places_of_the_text_in_order_and_apart(search: str, text: str) -> None:
    found = marks(read(search).wanted, text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(earlier[1] < later[0] for earlier, later in pairwise(found))


WORDS = st.lists(
    st.sampled_from(
        "l’acqua dell'acqua perché città presenza presenze soluzione soluzioni sociologia sociologie legge leggi "
        "PNRR 2026 lavoratrici lavoratore È così più naïve Ucraina è già dell’Europa 𝐛𝐨𝐥𝐝 😀 ½".split()
    ),
    min_size=1,
    max_size=12,
)


@given(WORDS, st.data())
def test_a_word_of_a_text_is_found_in_it_where_it_stands(words: list[str], data: st.DataObject) -> None:
    text = "«" + ", ".join(words) + "»"
    at = data.draw(st.integers(0, len(words) - 1))
    start = 1 + sum(len(word) + 2 for word in words[:at])
    wanted = read(words[at]).wanted
    for one in wanted:
        assert any(start <= begin and end <= start + len(words[at]) for begin, end in marks([one], text))


@given(WORDS, st.data())
def test_a_phrase_cut_out_of_a_text_is_found_in_it(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    phrase = " ".join(words[first : first + data.draw(st.integers(2, 4))])
    assert all(stands(one, text) for one in read(f'"{phrase}"').wanted)


@given(st.text(alphabet="abc è.’\n😀", max_size=600), st.integers(20, 80), st.data())
def test_the_window_lies_in_the_passage_and_is_no_longer_than_it_may_be(
    text: str, size: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = marks(read("abc cab").wanted, text, start, end)
    begin, until = window(text, start, end, found, size)
    assert start <= begin <= until <= end
    assert until - begin <= max(size, 0) or (begin, until) == (start, end)


@given(st.integers(0, 40))
def test_a_lone_mark_is_always_in_the_window(at: int) -> None:
    words = ["parola"] * 80
    words[at * 2 % 80] = "acqua"
    text = " ".join(words)
    found = marks(read("acqua").wanted, text)
    begin, until = window(text, 0, len(text), found, 100)
    assert begin <= found[0][0]
    assert found[0][1] <= until
    assert begin == 0 or not text[begin - 1].isalnum()
    assert until == len(text) or not text[until].isalnum()


def test_hostile_texts_cost_no_time() -> None:
    began = time.process_time()
    for search in ('"' + "a " * 499 + '"', "a" * LONGEST, "+" * LONGEST, '"' * LONGEST, "a'" * 500):
        marks(read(search).wanted, ("a " * 20_000) + "b")
    assert time.process_time() - began < 20  # far from what backtracking would take
