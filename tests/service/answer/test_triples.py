"""N-Quads are read as they are written, whatever their strings hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.answer.jsonld import CONTEXT, from_rdf, to_rdf
from service.answer.triples import read_quads

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def answer(text: str) -> dict[str, object]:
    return {
        "@context": CONTEXT,
        "id": "https://example.org/id/answer/1",
        "type": "Answer",
        "title": text,
        "sections": [],
        "experts": [],
    }


def given_back(text: str) -> object:
    return from_rdf(to_rdf(answer(text)))["title"]


@given(TEXT)
def test_any_text_comes_back_from_rdf(text: str) -> None:
    assert given_back(text) == text


@pytest.mark.parametrize(
    "text", ["C:\\new\\table", '\\"', "a\x85b", "a\u2028b\u2029c", "a\x0b\x0c\x1c\x1d\x1eb", "\r\n\t"]
)
def test_breaks_and_backslashes_come_back_from_rdf(text: str) -> None:
    assert given_back(text) == text


def test_triples_are_read_by_graph_and_once() -> None:
    line = '<http://a/s> <http://a/p> "x"@it .\n'
    others = '_:b <http://a/p> <http://a/o> <http://a/g> .\n<http://a/s> <http://a/p> "1" .\n'
    found = read_quads(line + line + others)
    assert {name: len(triples) for name, triples in found.items()} == {"@default": 2, "http://a/g": 1}
    assert found["@default"][0]["object"] == {
        "type": "literal",
        "value": "x",
        "datatype": "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
        "language": "it",
    }
    assert found["http://a/g"][0]["subject"]["value"].startswith("_:")
