"""Sentences, stage directions and chunks are spans of a text that nobody edits."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loaders.text import CHUNK_SIZE, Span, chunks, directions, sentences

_PIECES = [
    "Grazie, Presidente", "Siamo contrari", "l'on. Bianchi", "art. 3", "d.lgs. n. 81", "U.E.", "CEDU", "9.30",
    "1.200 euro", "«Basta!»", "…", "...", ". . .", ".", "!", "?", "\n", " ", "  ", "\u00a0", "è vero", "perché",
    "(Applausi)", "(Commenti del deputato Neri (BC) - Proteste)", "(Il testo", ")", "(", "😀", "à\u0300", ";", " - ",
    "(Applausi dei deputati del gruppo Alfa (Beta (Gamma)))",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(_PIECES), max_size=60).map(" ".join),
    st.lists(st.sampled_from(_PIECES), max_size=60).map("".join),
)


def cut(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lo ha detto l'on. Bianchi. Concordo.", ["Lo ha detto l'on. Bianchi.", "Concordo."]),
        ("Lo dice l'art. 3 della Costituzione. Basta.", ["Lo dice l'art. 3 della Costituzione.", "Basta."]),
        ("È la legge n. 194. Resta.", ["È la legge n. 194.", "Resta."]),
        ("Il d.lgs. n. 81 del 2008 vale. Punto.", ["Il d.lgs. n. 81 del 2008 vale.", "Punto."]),
        ("Il d.lgs. 81 del 2008 vale. Punto.", ["Il d.lgs. 81 del 2008 vale.", "Punto."]),
        ("Il d.P.R. 633 del 1972 vale.", ["Il d.P.R. 633 del 1972 vale."]),
        ("Discutiamo l'A.C. 2643-A. Andiamo avanti.", ["Discutiamo l'A.C. 2643-A.", "Andiamo avanti."]),
        ("Ringrazio il dott. Rossi. Prego.", ["Ringrazio il dott. Rossi.", "Prego."]),
        ("La Corte, sent. n. 242 del 2019, lo dice.", ["La Corte, sent. n. 242 del 2019, lo dice."]),
        ("La seduta è aperta alle 9.30. Si inizia.", ["La seduta è aperta alle 9.30.", "Si inizia."]),
        ("Costa 1.200 euro. È troppo.", ["Costa 1.200 euro.", "È troppo."]),
        ("Lo chiede la U.E. Noi no.", ["Lo chiede la U.E.", "Noi no."]),
        ("Il regolamento U.E. Bolkestein non va.", ["Il regolamento U.E. Bolkestein non va."]),
        ("Ha parlato S. Bianchi ieri.", ["Ha parlato S. Bianchi ieri."]),
        ("Disse: «Non passerà.» Passò.", ["Disse: «Non passerà.»", "Passò."]),
        ("Disse: «Basta!» e uscì. Poi tornò.", ["Disse: «Basta!» e uscì.", "Poi tornò."]),
        ("Non è - lo ripeto: non è! - così. Fine.", ["Non è - lo ripeto: non è! - così.", "Fine."]),
        ("Davvero? Davvero! Sì.", ["Davvero?", "Davvero!", "Sì."]),
        ("CEDU. Una sigla. INPS. Un'altra.", ["CEDU.", "Una sigla.", "INPS.", "Un'altra."]),
        ("Noi non… Presidente, mi faccia finire.", ["Noi non…", "Presidente, mi faccia finire."]),
        ("Noi non... vogliamo questo.", ["Noi non... vogliamo questo."]),
        ("…e parere favorevole. Grazie.", ["…e parere favorevole.", "Grazie."]),
        ("È la mafia. 'Ndrangheta e camorra sono altro.", ["È la mafia.", "'Ndrangheta e camorra sono altro."]),
        ("Votiamo sì. +Europa voterà no.", ["Votiamo sì.", "+Europa voterà no."]),
        ("Prima riga\nSeconda riga", ["Prima riga", "Seconda riga"]),
    ],
)  # fmt: skip
def test_italian_sentences_end_where_they_end_F26(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Grazie, Presidente (Applausi).", ["Grazie, Presidente"]),
        ("(Applausi) Riprendo il filo.", ["Riprendo il filo."]),
        ("È una vergogna! (Proteste dei deputati del gruppo BC) Lo ripeto.", ["È una vergogna!", "Lo ripeto."]),
        ("Questa legge (Commenti) non serve.", ["Questa legge (Commenti) non serve."]),
        ("Ho finito. (Applausi dei deputati del gruppo Noi Moderati (Noi con l'Italia, UDC) - MAIE)", ["Ho finito."]),
        ("Ho finito. (Applausi del gruppo Alfa (Beta (Gamma). Delta))", ["Ho finito."]),
        ("Ho finito (Applausi)\nAltro.", ["Ho finito", "Altro."]),
        ("(Applausi)", []),
    ],
)  # fmt: skip
def test_stage_directions_stay_outside_at_the_edge_and_inside_in_the_middle(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_an_unclosed_direction_does_not_swallow_the_next_paragraph() -> None:
    text = "Ho detto (Applausi del gruppo\nIl testo (lo ricordo) è chiaro."
    assert directions(text) == ()
    assert cut(text)[-1] == "Il testo (lo ricordo) è chiaro."


def test_a_bracket_that_is_no_direction_is_part_of_the_sentence() -> None:
    assert directions("La legge (n. 194 del 1978) resta.") == ()


@given(TEXTS)
@example("(Applausi)A")
@example("A (Applausi).(Commenti) .")
def test_sentences_are_ordered_disjoint_inside_the_text_and_without_edge_white_space(text: str) -> None:
    found = sentences(text)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(span.of(text) == span.of(text).strip() for span in found)
    assert all("\n" not in span.of(text) for span in found)


@given(TEXTS)
def test_no_word_outside_stage_directions_is_lost_F23_F24_F25(text: str) -> None:
    covered = {i for span in (*sentences(text), *directions(text)) for i in range(span.start, span.end)}
    assert [text[i] for i in range(len(text)) if text[i].isalnum() and i not in covered] == []


@given(TEXTS, st.integers(20, 200), st.integers(0, 60), st.integers(0, 40))
def test_chunks_cover_every_sentence_in_whole_sentences_and_advance_F20_F22(
    text: str, size: int, overlap: int, tail: int
) -> None:
    units = sentences(text)
    found = chunks(text, size=size, overlap=overlap, shortest_tail=tail)
    starts, ends = {unit.start for unit in units}, {unit.end for unit in units}
    assert all(span.start in starts and span.end in ends for span in found)
    assert all(any(unit.within(span) for span in found) for unit in units)
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        repeated = [unit for unit in units if unit.within(before) and unit.within(after)]
        assert not repeated or repeated[-1].end - repeated[0].start <= overlap
    for span in found:
        alone = sum(unit.within(span) for unit in units) == 1
        assert len(span) <= size + tail or alone or any(len(u) > size for u in units if u.within(span))


@given(TEXTS)
def test_every_chunk_is_cut_verbatim_from_the_speech_F20(text: str) -> None:
    assert all(span.of(text) and span.of(text) in text for span in chunks(text))


def test_a_short_tail_extends_the_chunk_before_and_stays_verbatim_F22() -> None:
    text = " ".join(f"La frase numero {number} dice una cosa sola." for number in range(1, 30)) + " Fine."
    found = chunks(text, size=200, overlap=50, shortest_tail=100)
    assert found[-1].end == len(text)
    assert found[-1].of(text).endswith("cosa sola. Fine.")
    assert len(found[-1]) > 100


def test_the_next_chunk_repeats_whole_sentences_up_to_the_overlap() -> None:
    text = "Alfa alfa alfa. Beta beta beta. Gamma gamma gamma. Delta delta delta."
    pieces = [span.of(text) for span in chunks(text, size=50, overlap=20, shortest_tail=5)]
    assert pieces == ["Alfa alfa alfa. Beta beta beta. Gamma gamma gamma.", "Gamma gamma gamma. Delta delta delta."]


def test_one_sentence_longer_than_a_chunk_is_a_chunk_of_its_own() -> None:
    long = (
        "Breve. "
        + "molto " * CHUNK_SIZE
        + "lungo. Fine della storia che volevo raccontare in quest'Aula, colleghi, "
        + "e " * 60
    )
    found = chunks(long)
    assert any(len(span) > CHUNK_SIZE for span in found)
    assert found[-1].of(long) == long[found[-1].start :].rstrip()


def test_a_text_without_words_has_neither_sentences_nor_chunks() -> None:
    for text in ("", " \n ", "… ?!", "(Applausi)"):
        assert sentences(text) == () == chunks(text)


def test_a_span_is_never_empty_or_reversed() -> None:
    for start, end in ((0, 0), (3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="not a span"):
            Span(start, end)


def test_spans_tell_overlap_and_containment() -> None:
    assert Span(0, 3).overlaps(Span(2, 5))
    assert not Span(0, 3).overlaps(Span(3, 5))
    assert Span(1, 2).within(Span(0, 3))
    assert not Span(1, 4).within(Span(0, 3))
