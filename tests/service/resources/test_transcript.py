"""A text cut into paragraphs and marks is still the text."""

from hypothesis import given
from hypothesis import strategies as st

from service.resources.transcript import Mark, paragraphs

TEXTS = st.text(st.sampled_from("aè𝄞 \n\r.<&"), max_size=60)
PLACES = st.integers(-3, 64)
MARKS = st.lists(st.tuples(PLACES, PLACES), max_size=6)


@given(TEXTS, st.lists(PLACES, max_size=6), MARKS)
def test_the_pieces_are_the_text_and_each_mark_covers_its_span(
    text: str, breaks: list[int], spans: list[tuple[int, int]]
) -> None:
    marks = [Mark(start, end, str(n)) for n, (start, end) in enumerate(spans)]
    cut = paragraphs(text, breaks, marks)
    pieces = [piece for paragraph in cut for piece in paragraph.pieces]
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
    for mark in marks:
        marked = "".join(piece.text for piece in pieces if mark.key in piece.marks)
        inside = 0 <= mark.start < mark.end <= len(text)
        assert marked == (text[mark.start : mark.end] if inside else "")
        assert sum(mark.key in piece.begins for piece in pieces) == inside
        assert sum(mark.key in piece.ends for piece in pieces) == inside
    assert [paragraph.start for paragraph in cut] == sorted(
        {0, *(b for b in breaks if 0 < b < len(text)), *(n + 1 for n, c in enumerate(text[:-1]) if c == "\n")}
        if text
        else set()
    )


def test_offsets_count_code_points() -> None:
    text = "𝄞 perché no"
    (paragraph,) = paragraphs(text, (), [Mark(2, 8, "asked")])
    assert [piece.text for piece in paragraph.pieces] == ["𝄞 ", "perché", " no"]
    assert paragraph.pieces[1].marks == ("asked",)


def test_marks_may_overlap_and_cross_paragraphs() -> None:
    cut = paragraphs("uno due tre", [4], [Mark(2, 9, "a"), Mark(6, 11, "b")])
    assert [[(piece.text, piece.marks) for piece in paragraph.pieces] for paragraph in cut] == [
        [("un", ()), ("o ", ("a",))],
        [("du", ("a",)), ("e t", ("a", "b")), ("re", ("b",))],
    ]


def test_a_text_of_line_ends_alone_is_cut_without_delay() -> None:
    assert len(paragraphs("\n" * 60_000, (), [Mark(0, 60_000, "asked")])) == 60_000
