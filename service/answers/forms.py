"""An answer's document in other forms: Turtle, TriG, N-Quads, plain text and Markdown."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final, Protocol
from urllib.parse import urlencode

from pyoxigraph import NamedNode, Quad, RdfFormat, parse, serialize

from service.answer import jsonld
from service.answer.jsonld import Document
from service.answers import markdown
from service.answers.reading import MARKER, Quoted, in_words, language_of, lines_of, one_line, sections
from service.prefixes import PREFIXES

COLUMNS: Final = 74
_SHOWN: Final = {name: PREFIXES[name] for name in ("dcterms", "emi", "oa", "prov", "rdf", "schema", "skos", "xsd")}


class Writer(Protocol):
    """Writes a document; links to this site's pages begin with `root`, or name the thing itself if it is left out."""

    def __call__(self, document: Document, root: str | None = None) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Words:
    """What a form says by itself in the language of the answer."""

    headings: dict[str, str]
    """By the kind of a section."""
    question: str
    invented: str
    quotations: str
    read: str
    as_of: str
    source: str
    verified: str
    not_verified: str


_WORDS: Final = {
    "it": _Words(
        {
            "government": "Governo", "majority": "Maggioranza", "opposition": "Opposizione", "mixed": "Gruppo Misto",
            "other": "Altri interventi",
        },
        "Domanda", "Parlamento inventato: nomi, gruppi e discorsi non sono reali.", "Citazioni",
        "leggi nel resoconto", "data di riferimento {day}", "fonte", "confrontata con il resoconto", "non confrontata",
    ),
    "en": _Words(
        {
            "government": "Government", "majority": "Majority", "opposition": "Opposition", "mixed": "Mixed group",
            "other": "Others",
        },
        "Question", "Invented parliament: names, groups and speeches are not real.", "Quotations",
        "read in the transcript", "up to {day}", "source", "compared with the record", "not compared",
    ),
}  # fmt: skip


def turtle(document: Document, root: str | None = None) -> bytes:
    """Turtle, without the name of the graph."""
    return _serialized(document, RdfFormat.TURTLE, named=False)


def trig(document: Document, root: str | None = None) -> bytes:
    """TriG: a graph that is named by the answer's IRI, as in the store."""
    return _serialized(document, RdfFormat.TRIG, named=True)


def n_quads(document: Document, root: str | None = None) -> bytes:
    """N-Quads, in the graph that is named by the answer's IRI."""
    return _serialized(document, RdfFormat.N_QUADS, named=True)


def json_ld(document: Document, root: str | None = None) -> bytes:
    """The document itself."""
    return jsonld.dumps(document).encode() + b"\n"


def plain_text(document: Document, root: str | None = None) -> bytes:
    """Text of 74 columns, quotations numbered with their sources at the end. Links are never folded."""
    return ("\n".join(_text_lines(document, root)).rstrip() + "\n").encode(errors="replace")


def markdown_text(document: Document, root: str | None = None) -> bytes:
    """Markdown: headings by side and group, quotations as blocks with a link to the speech at the span."""
    return ("\n\n".join(_markdown_blocks(document, root)) + "\n").encode(errors="replace")


WRITERS: Final[dict[str, Writer]] = {
    "jsonld": json_ld,
    "ttl": turtle,
    "trig": trig,
    "nq": n_quads,
    "txt": plain_text,
    "md": markdown_text,
}
"""By the short name of the form."""


def place_of(quotation: Document, root: str | None = None) -> str:
    """The address at which a quotation is read in its speech, highlighted on the site at `root`."""
    speech = str(quotation["speech"])
    if root is None:
        return speech
    start, end = Quoted(0, quotation, None).span
    return f"{root.rstrip('/')}/resource?{urlencode({'iri': speech, 'start': start, 'end': end})}"


def _serialized(document: Document, form: RdfFormat, *, named: bool) -> bytes:
    graph = NamedNode(document["id"])
    triples = parse(jsonld.to_rdf(document).encode(), format=RdfFormat.N_QUADS)
    quads = sorted(
        (Quad(q.subject, q.predicate, q.object, graph) if named else q.triple for q in triples),
        key=lambda stated: (str(stated.subject), str(stated.predicate), str(stated.object)),
    )
    prefixes = None if form == RdfFormat.N_QUADS else _SHOWN
    return serialize(quads, format=form, prefixes=prefixes) or b""


def _text_lines(document: Document, root: str | None) -> Iterator[str]:
    words = _WORDS[language_of(document)]
    title = textwrap.wrap(one_line(document["title"]), COLUMNS) or [""]
    yield from title
    yield "=" * max(map(len, title))
    yield ""
    if document.get("invented"):
        yield from _paragraph(words.invented)
    yield from _paragraph(f"{words.question}: {document['question']['text']}")
    yield from _paragraph(document["introduction"])
    for kind, group in groupby(sections(document), key=lambda pair: pair[0]["kind"]):
        yield from ("", words.headings.get(kind, kind).upper(), "")
        for section, quoted in group:
            if one_line(section["title"]).casefold() != words.headings.get(kind, "").casefold():
                yield from textwrap.wrap(one_line(section["title"]), COLUMNS)
            yield from _paragraph(_filled(section["text"], quoted))
    listed = [quotation for _, quoted in sections(document) for quotation in quoted]
    if listed:
        yield from ("", words.quotations.upper(), "")
    for quotation in listed:
        yield from _source_lines(quotation, words, language_of(document), root)
    yield from ("", *textwrap.wrap(_statement(document, words), COLUMNS))
    yield str(document["id"])


def _paragraph(text: str) -> Iterator[str]:
    for line in lines_of(text):
        yield from textwrap.wrap(line, COLUMNS, break_long_words=False, break_on_hyphens=False) or [""]
    yield ""


def _filled(text: str, quoted: tuple[Quoted, ...]) -> str:
    """The text of a section with its quotations in their places, each followed by its number."""
    parts: list[str] = []
    at = 0
    for marker in MARKER.finditer(text):
        position = int(marker[1])
        if not 1 <= position <= len(quoted):
            continue
        parts += (text[at : marker.start()], " ".join(lines_of(quoted[position - 1].exact)))
        at = marker.end()
        if text[at : at + 1] in ("»", "”"):
            parts.append(text[at])
            at += 1
        parts.append(f" [{quoted[position - 1].number}]")
    return "".join((*parts, text[at:]))


def _source_lines(quotation: Quoted, words: _Words, language: str, root: str | None) -> Iterator[str]:
    begin = f"[{quotation.number}] "
    yield from textwrap.wrap(
        begin + _attribution(quotation, language), COLUMNS, subsequent_indent=" " * len(begin), break_on_hyphens=False
    )
    # What is copied must stay whole.
    yield f"{' ' * len(begin)}{one_line(place_of(quotation.document, root))}"
    if "source" in quotation.document:
        yield f"{' ' * len(begin)}{words.source}: {one_line(str(quotation.document['source']))}"


def _attribution(quotation: Quoted, language: str) -> str:
    """Who said it, in which standing, when and where, on one line."""
    told = quotation.document
    standing = told.get("officeLabel") or quotation.group
    named = f"{told.get('speakerName') or told['speaker']}{f' ({standing})' if standing else ''}"
    parts = (named, in_words(quotation.day, language), told.get("debateTitle"))
    return one_line(", ".join(part for part in parts if part))


def _statement(document: Document, words: _Words) -> str:
    """What was searched, and up to which day."""
    corpus = document.get("corpus", {})
    asked = document["question"].get("referenceDate")
    until = words.as_of.format(day=in_words(date.fromisoformat(asked), language_of(document))) if asked else None
    return one_line(", ".join(part for part in (corpus.get("title"), until, corpus.get("corpusVersion")) if part))


def _markdown_blocks(document: Document, root: str | None) -> Iterator[str]:
    words = _WORDS[language_of(document)]
    yield f"# {markdown.escape(document['title'])}"
    if document.get("invented"):
        yield f"**{markdown.escape(words.invented)}**"
    yield f"{words.question}: {markdown.escape(document['question']['text'])}"
    yield from filter(None, map(markdown.escape, lines_of(document["introduction"])))
    for kind, group in groupby(sections(document), key=lambda pair: pair[0]["kind"]):
        yield f"## {markdown.escape(words.headings.get(kind, kind))}"
        for section, quoted in group:
            if one_line(section["title"]).casefold() != words.headings.get(kind, "").casefold():
                yield f"### {markdown.escape(section['title'])}"
            yield from _markdown_section(section["text"], quoted, words, language_of(document), root)
    yield "---"
    yield markdown.escape(_statement(document, words))
    yield markdown.link(document["id"], document["id"])


def _markdown_section(
    text: str, quoted: tuple[Quoted, ...], words: _Words, language: str, root: str | None
) -> Iterator[str]:
    """The text of a section; each quotation is a block of its own after the sentence that introduces it."""
    at, shown = 0, set()
    for marker in MARKER.finditer(text):
        position = int(marker[1])
        if not 1 <= position <= len(quoted) or position in shown:
            continue
        shown.add(position)
        before = text[at : marker.start()].rstrip()
        yield from filter(None, map(markdown.escape, lines_of(before.removesuffix("«").removesuffix("“"))))
        yield _markdown_quotation(quoted[position - 1], words, language, root)
        at = marker.end()
        at += text[at : at + 1] in ("»", "”")
        at += text[at : at + 1] in (".", ",", ";")
    yield from filter(None, map(markdown.escape, lines_of(text[at:])))
    for position, quotation in enumerate(quoted, start=1):
        if position not in shown:
            yield _markdown_quotation(quotation, words, language, root)


def _markdown_quotation(quotation: Quoted, words: _Words, language: str, root: str | None) -> str:
    told = quotation.document
    links = [markdown.link(words.read, place_of(told, root))]
    if "source" in told:
        links.append(markdown.link(words.source, str(told["source"])))
    verdict = words.verified if told.get("verified") else words.not_verified
    return "\n".join(
        [
            *markdown.quoted(quotation.exact),
            ">",
            f"> — {markdown.escape(_attribution(quotation, language))}. {', '.join(links)} ({verdict})",
        ]
    )
