"""How a quotation, or an answer, is cited: a line of text, BibTeX, a fragment of JSON-LD or of Turtle."""

import re
from collections.abc import Callable
from datetime import date
from typing import Final
from urllib.parse import quote

from pyoxigraph import RdfFormat, parse, serialize

from service.answer import jsonld
from service.answer.jsonld import CONTEXT, Document
from service.answers.forms import place_of
from service.answers.reading import Quoted, asked_at, in_words, language_of, one_line, quotations
from service.prefixes import PREFIXES

PUBLISHER: Final = "Emiciclo"
_ACCESSED: Final = {"it": "{publisher}, risposta in data {day}", "en": "{publisher}, answer of {day}"}
_RECORD: Final = {"it": "resoconto stenografico", "en": "stenographic record"}
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LATEX: Final = {
    # Braces by name: BibTeX counts those that are escaped too.
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", **{sign: f"\\{sign}" for sign in "$&#%_"},
}  # fmt: skip
_IN_ADDRESS: Final = "/:?#[]@!$&'()*+,;=%-._~"


def find_quotation(document: Document, iri: str) -> Document:
    """A quotation of an answer by its IRI. Raises `LookupError` if it has none such."""
    return _quoted(document, iri).document


def quotation_as_text(document: Document, quotation: Document, root: str | None = None) -> str:
    """One line: who, in which standing, what, where and when, and the address of the words in the record."""
    quoted, language = _quoted(document, quotation["id"]), language_of(document)
    told = quoted.document
    standing = told.get("officeLabel") or quoted.group
    speaker = f"{told.get('speakerName') or told['speaker']}{f' ({standing})' if standing else ''}"
    where = (document.get("corpus", {}).get("title"), _RECORD[language], in_words(quoted.day, language))
    return one_line(f"{speaker}, «{quoted.exact}», {', '.join(part for part in where if part)}, {place_of(told, root)}")


def quotation_as_bibtex(document: Document, quotation: Document, root: str | None = None) -> str:
    """An entry `@misc`, whose title is the quotation."""
    quoted, language = _quoted(document, quotation["id"]), language_of(document)
    told = quoted.document
    where = (told.get("debateTitle"), document.get("corpus", {}).get("title"), _RECORD[language])
    return _entry(
        _key(str(told["id"])),
        author=f"{{{_latex(str(told.get('speakerName') or told['speaker']))}}}",
        title=f"{{{_latex(quoted.exact)}}}",
        day=quoted.day,
        howpublished=_latex(", ".join(part for part in where if part)),
        note=_latex(str(told.get("officeLabel") or quoted.group or "")),
        url=_address(place_of(told, root)),
        language=language,
    )


def quotation_as_json_ld(document: Document, quotation: Document, root: str | None = None) -> str:
    """The quotation as a document of its own."""
    return jsonld.dumps({"@context": CONTEXT, **find_quotation(document, quotation["id"])})


def quotation_as_turtle(document: Document, quotation: Document, root: str | None = None) -> str:
    """The quotation's own triples."""
    own = {"@context": CONTEXT, **find_quotation(document, quotation["id"])}
    return _turtle(own)


def answer_as_text(document: Document, root: str | None = None) -> str:
    """One line: title, what was searched, when it was asked, and the answer's address."""
    corpus = document.get("corpus", {})
    parts = (f"«{document['title']}»", _given(document), corpus.get("title"), corpus.get("corpusVersion"))
    return one_line(f"{', '.join(part for part in parts if part)}, {document['id']}")


def answer_as_bibtex(document: Document, root: str | None = None) -> str:
    """An entry `@misc`."""
    corpus = document.get("corpus", {})
    return _entry(
        _key(str(document["id"])),
        author=f"{{{PUBLISHER}}}",
        title=f"{{{_latex(document['title'])}}}",
        day=_day_asked(document),
        howpublished=_latex(", ".join(part for part in (corpus.get("title"), corpus.get("corpusVersion")) if part)),
        note=_latex(document["question"]["text"]),
        url=_address(document["id"]),
        language=language_of(document),
    )


QUOTATION: Final[dict[str, Callable[[Document, Document, str | None], str]]] = {
    "text": quotation_as_text,
    "bibtex": quotation_as_bibtex,
    "jsonld": quotation_as_json_ld,
    "turtle": quotation_as_turtle,
}
"""Short name to writer of a citation of a quotation."""
ANSWER: Final[dict[str, Callable[[Document, str | None], str]]] = {"text": answer_as_text, "bibtex": answer_as_bibtex}
"""Short name to writer of a citation of an answer, which has its other forms as a whole."""


def _quoted(document: Document, iri: str) -> Quoted:
    for quoted in quotations(document):
        if quoted.document["id"] == iri:
            return quoted
    raise LookupError(f"the answer has no quotation {iri}")


def _given(document: Document) -> str:
    day, language = _day_asked(document), language_of(document)
    return _ACCESSED[language].format(publisher=PUBLISHER, day=in_words(day, language)) if day else PUBLISHER


def _day_asked(document: Document) -> date | None:
    asked = asked_at(document)
    return date.fromisoformat(asked[:10]) if asked else None


def _turtle(document: Document) -> str:
    triples = [quad.triple for quad in parse(jsonld.to_rdf(document).encode(), format=RdfFormat.N_QUADS)]
    shown = {name: PREFIXES[name] for name in ("dcterms", "emi", "oa", "prov", "xsd")}
    return (serialize(triples, format=RdfFormat.TURTLE, prefixes=shown) or b"").decode()


def _key(iri: str) -> str:
    """A key of letters, digits and hyphens, the same for the same IRI."""
    return f"emiciclo-{re.sub('[^A-Za-z0-9]+', '-', iri.rsplit('/id/', 1)[-1]).strip('-')}"


def _entry(key: str, *, day: date | None, **fields: str) -> str:
    dated = {"date": day.isoformat(), "year": str(day.year)} if day else {}
    lines = [f"  {name} = {{{value}}}," for name, value in {**fields, **dated}.items() if value]
    month = [f"  month = {_MONTHS[day.month - 1]},"] if day else []
    return "\n".join([f"@misc{{{key},", *lines, *month, "}"]) + "\n"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in one_line(text))


def _address(iri: str) -> str:
    return quote(iri, safe=_IN_ADDRESS)
