"""Citations of a quotation and of an answer: text, BibTeX, JSON-LD, Turtle."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, parse

from service.answer.jsonld import Document, to_jsonld, to_rdf
from service.answer.model import Answer
from service.answers import citations
from service.answers.citations import ANSWER, QUOTATION, find_quotation
from service.answers.reading import one_line
from tests.service.answer.making import TOPICS

from .making import HOSTILE, spoilt

ROOT = "https://a.example/"


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(TOPICS[0]))


def first(document: Document) -> Document:
    return next(q for section in document["sections"] for q in section["quotations"])


def fields(entry: str) -> dict[str, str]:
    """The fields of a BibTeX entry. Fails where its braces do not match."""
    kind, _, rest = entry.partition("{")
    assert kind == "@misc"
    assert rest.rstrip().endswith("}")
    found, depth, start, name = {}, 0, 0, ""
    for at, letter in enumerate(rest):
        if letter == "{":
            if depth == 0:
                name, start = rest[:at].rsplit("\n", 1)[-1].partition("=")[0].strip(), at + 1
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                found[name] = rest[start:at]
    assert depth == -1
    return found


def unescaped(value: str) -> str:
    named = {"textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~",
             "textasciicircum": "^"}  # fmt: skip
    return re.sub(r"\\(?:([a-z]+)\{\}|([$&#%_]))", lambda m: named[m[1]] if m[1] else m[2], value)


@given(st.text(max_size=60))
def test_any_text_comes_back_from_bibtex(text: str) -> None:
    assert unescaped(citations._latex(text)) == one_line(text)


@pytest.mark.parametrize("text", [None, *HOSTILE])
def test_a_quotation_as_bibtex_is_one_sound_entry(document: Document, text: str | None) -> None:
    told = document if text is None else spoilt(document, text)
    quotation = first(told)
    found = fields(QUOTATION["bibtex"](told, quotation, ROOT))
    exact = next(s["exact"] for s in quotation["selector"] if "exact" in s)
    assert unescaped(found["title"][1:-1]) == one_line(exact)
    assert unescaped(found["author"][1:-1]) == one_line(quotation["speakerName"])
    assert found["date"] == quotation["date"]
    assert found["url"].startswith(f"{ROOT}resource?iri=")
    whole = fields(ANSWER["bibtex"](told, None))
    assert unescaped(whole["title"][1:-1]) == one_line(told["title"])
    assert whole["url"] == told["id"]


@pytest.mark.parametrize("text", [None, *HOSTILE])
def test_a_citation_in_text_is_one_line_with_words_day_and_address(document: Document, text: str | None) -> None:
    told = document if text is None else spoilt(document, text)
    quotation = first(told)
    line = QUOTATION["text"](told, quotation, ROOT)
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line
    assert one_line(next(s["exact"] for s in quotation["selector"] if "exact" in s)) in line
    assert f"{ROOT}resource?iri=" in line
    assert quotation["date"][:4] in line
    assert len(ANSWER["text"](told, None).splitlines()) == 1


def test_the_fragments_state_what_the_answer_states_of_the_quotation(document: Document) -> None:
    quotation = first(document)
    fragment = json.loads(QUOTATION["jsonld"](document, quotation, None))
    assert {name: value for name, value in fragment.items() if name != "@context"} == quotation
    turtle = list(parse(QUOTATION["turtle"](document, quotation, None), format=RdfFormat.TURTLE))
    assert len(turtle) == len(to_rdf(fragment).splitlines())
    assert {q.subject for q in turtle if isinstance(q.subject, NamedNode)} == {NamedNode(quotation["id"])}


def test_a_quotation_of_another_answer_is_not_found(document: Document) -> None:
    with pytest.raises(LookupError):
        find_quotation(document, "https://example.org/id/quotation/none")
