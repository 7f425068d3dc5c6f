"""The forms of an answer: RDF that is the same, text and Markdown in which every character stands for itself."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pyoxigraph import CanonicalizationAlgorithm, Dataset, NamedNode, Quad, RdfFormat, parse

from service.answer.jsonld import Document, from_rdf, to_jsonld, to_rdf
from service.answer.model import Answer
from service.answers import markdown
from service.answers.forms import COLUMNS, WRITERS, place_of
from service.answers.reading import MARKER, one_line, quotations
from tests.service.answer.making import TOPICS, UNSPOKEN

from .making import HOSTILE, spoilt

ROOT = "https://a.example/"


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(TOPICS[0]))


@pytest.fixture(scope="module")
def silent(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(UNSPOKEN))


def canonical(quads: list[Quad]) -> set[str]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return {str(quad) for quad in dataset}


FORMS = {"ttl": RdfFormat.TURTLE, "trig": RdfFormat.TRIG, "nq": RdfFormat.N_QUADS}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("text", [None, *HOSTILE])
def test_rdf_in_each_form_is_the_same_and_gives_the_document_back(
    document: Document, name: str, text: str | None
) -> None:
    told = document if text is None else spoilt(document, text)
    quads = list(parse(WRITERS[name](told), format=FORMS[name]))
    if name != "ttl":
        assert {quad.graph_name for quad in quads} == {NamedNode(told["id"])}
    triples = [Quad(q.subject, q.predicate, q.object) for q in quads]
    assert canonical(triples) == canonical(list(parse(to_rdf(told).encode(), format=RdfFormat.N_QUADS)))
    if text is None:
        assert from_rdf("".join(f"{quad} .\n" for quad in triples)) == told


def rendered(text: str) -> str:
    """What a reader of rendered Markdown sees, white space folded."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").parse(text)
    shown = []
    for token in tokens:
        assert token.type not in ("html_block", "fence", "code_block", "table_open", "bullet_list_open"), token
        for child in token.children or ():
            assert child.type not in ("html_inline", "code_inline", "image", "em_open"), child
            shown.append(" " if child.type in ("softbreak", "hardbreak") else child.content)
    return " ".join("".join(shown).split())


@given(st.text(max_size=60))
def test_any_text_stands_for_itself_in_markdown(text: str) -> None:
    assert rendered(markdown.escape(text)) == one_line(text)
    assert rendered("\n".join(markdown.quoted(text))) == one_line(text)


@given(st.text(alphabet="\\`*_{}[]()#+-.!|<>~&$@:=^ \n\t1a", max_size=30))
def test_signs_of_markdown_stand_for_themselves(text: str) -> None:
    assert rendered(markdown.escape(text)) == one_line(text)
    assert rendered("\n".join(markdown.quoted(text))) == one_line(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_of_a_hostile_answer_holds_no_markup_of_it(document: Document, text: str) -> None:
    told = spoilt(document, text)
    written = WRITERS["md"](told, ROOT).decode()
    tokens = MarkdownIt("commonmark", {"html": True}).parse(written)
    links = [child.attrGet("href") for t in tokens for child in t.children or () if child.type == "link_open"]
    quotation = told["sections"][0]["quotations"][0]
    assert len(links) == 3
    assert str(links[-1]) == told["id"]
    assert all(str(link).startswith(("https://", "http://")) for link in links)
    assert [t.tag for t in tokens if t.type == "heading_open"] == ["h1", "h2", "h3"]
    assert not any(t.type in ("html_block", "fence", "code_block") for t in tokens)
    assert not any(c.type == "html_inline" for t in tokens for c in t.children or ())
    assert "\x1b" not in written
    assert place_of(quotation, ROOT).startswith(f"{ROOT}resource?iri=")


def test_markdown_quotes_every_quotation_once_with_a_link_to_its_span(document: Document) -> None:
    written = WRITERS["md"](document, ROOT).decode()
    told = quotations(document)
    assert written.count("\n> — ") == len(told)
    for quotation in told:
        assert place_of(quotation.document, ROOT) in written
    assert not MARKER.search(written)


def test_plain_text_has_74_columns_but_for_addresses(document: Document, silent: Document) -> None:
    for told in (document, silent):
        lines = WRITERS["txt"](told, ROOT).decode().splitlines()
        assert all(len(line) <= COLUMNS or "http" in line for line in lines)
        assert one_line(told["title"]) in " ".join(lines)
        assert not any(MARKER.search(line) for line in lines)


def test_plain_text_numbers_its_quotations_and_their_sources(document: Document) -> None:
    text = WRITERS["txt"](document, ROOT).decode()
    folded = " ".join(text.split())
    for quotation in quotations(document):
        assert f"{one_line(quotation.exact)}» [{quotation.number}]" in folded
        assert f"\n[{quotation.number}] " in text
        assert place_of(quotation.document, ROOT) in text
        assert quotation.document["source"] in text


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_obeys_no_control_character(document: Document, text: str) -> None:
    written = WRITERS["txt"](spoilt(document, text), ROOT).decode()
    assert not [letter for letter in written if ord(letter) < 32 and letter != "\n"]
    assert "\x85" not in written


def test_an_answer_in_english_has_headings_in_english(document: Document) -> None:
    text = WRITERS["txt"]({**document, "language": "en"}).decode()
    assert "\nMAJORITY\n" in text
    assert "\nMAGGIORANZA\n" in WRITERS["txt"](document).decode()
