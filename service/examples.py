"""The published example queries: `.rq` files whose first lines say what they ask, in two languages.

# title: Who changed group, and when
# title@it: Chi ha cambiato gruppo, e quando
# description: …
# description@it: …
# tags: membership, dates
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urljoin

from pyoxigraph import Literal, NamedNode, Triple

import sparql
from ontology import DCAT, DCTERMS, RDF, RDFS
from service.errors import DataError
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, read_structure

SPARQL_1_2: Final = "sparql-1.2"
FEDERATED: Final = "federated"
TAGS: Final[dict[str, str]] = {
    "acts": "atti",
    "authority": "autorevolezza",
    "committees": "commissioni",
    "dates": "date",
    "debates": "discussioni",
    "export": "esportazione",
    FEDERATED: "federata",
    "government": "governo",
    "graphs": "grafi",
    "groups": "gruppi",
    "membership": "appartenenze",
    "names": "nomi",
    "network": "rete",
    "offices": "cariche",
    "ontology": "ontologia",
    "people": "persone",
    "quotations": "citazioni",
    "record": "resoconto",
    "retrieval": "ricerca",
    "sides": "schieramenti",
    "signatures": "firme",
    SPARQL_1_2: "SPARQL 1.2",
    "speeches": "interventi",
    "statistics": "statistiche",
    "text": "testo",
    "thesaurus": "tesauro",
}
"""Every tag with its Italian name. What is `federated` asks another endpoint, and runs where that is a partner."""

PATH: Final = "sparql/examples"
"""Where the examples are published, below the root of a site."""
LICENCE: Final = "https://www.apache.org/licenses/LICENSE-2.0"
TITLES: Final = {"en": "SPARQL examples", "it": "Esempi SPARQL"}
DESCRIPTIONS: Final = {
    "en": "Questions about the proceedings of a parliament, each with the query that answers it.",
    "it": "Domande sui lavori di un parlamento, ciascuna con l'interrogazione che vi risponde.",
}

_DISTRIBUTIONS: Final = (("json", "application/json"), ("ttl", "text/turtle"), ("jsonld", "application/ld+json"))
_MEDIA_TYPES: Final = "https://www.iana.org/assignments/media-types/"
_RDF_TYPE: Final = NamedNode(f"{RDF}type")
_SH: Final = "http://www.w3.org/ns/shacl#"
_SPEX: Final = "https://purl.expasy.org/sparql-examples/ontology#"
_SCHEMA: Final = "https://schema.org/"
"""With https, unlike the data: consumers of this vocabulary look for its terms so."""
_EXECUTABLE: Final = {
    "select": (f"{_SH}SPARQLSelectExecutable", f"{_SH}select"),
    "ask": (f"{_SH}SPARQLAskExecutable", f"{_SH}ask"),
    "construct": (f"{_SH}SPARQLConstructExecutable", f"{_SH}construct"),
    "describe": (f"{_SPEX}SPARQLDescribeExecutable", f"{_SPEX}describe"),
}
"""Form of a query to its class and the property that holds its text. SHACL has none for DESCRIBE."""
_KEYS: Final = ("title", "title@it", "description", "description@it", "tags")
_HEADER: Final = re.compile(r"(?:#[^\n]*\n)*")
_FIELD: Final = re.compile(r"# (?P<key>[a-z]+(?:@[a-z]+)?): +(?P<value>\S.*?) *")
_SIZE: Final = QuerySize(characters=20_000, depth=50, patterns=150, operators=200)


@dataclass(frozen=True, slots=True)
class Example:
    """A query that answers a question a practitioner would ask."""

    name: str
    """That of its file, without suffix."""
    titles: dict[str, str]
    """By language, `en` and `it`, as the descriptions."""
    descriptions: dict[str, str]
    tags: tuple[str, ...]
    form: str
    """`select`, `ask`, `construct` or `describe`."""
    partners: tuple[str, ...]
    """The endpoints that it asks with SERVICE."""
    query: str
    """The text after the header."""
    text: str
    """The whole file."""


@cache
def examples(folder: str = "examples") -> tuple[Example, ...]:
    """Every example of a folder of queries, ordered by name. Raises `DataError` for a malformed file."""
    return tuple(read_example(name.rpartition("/")[2], sparql.query(name)) for name in sparql.names(folder))


def read_example(name: str, text: str) -> Example:
    """Read an example from the text of its file. Raises `DataError` that says what is wrong with which line."""
    header = _HEADER.match(text)
    lines = header[0].splitlines() if header else []
    fields = _fields(name, lines)
    missing = [key for key in _KEYS if key not in fields]
    if missing:
        raise DataError(f"{name}.rq has no line {', '.join(f'“# {key}: …”' for key in missing)} at its top")
    tags = tuple(tag.strip() for tag in fields["tags"].split(","))
    unknown = [tag for tag in tags if tag not in TAGS]
    if unknown or len(set(tags)) < len(tags):
        wrong = ", ".join(unknown) or "one of them twice"
        raise DataError(f"{name}.rq has tags that cannot be used ({wrong}); known: {', '.join(TAGS)}")
    query = text[header.end() if header else 0 :]
    try:
        structure = read_structure(query, _SIZE)
    except QueryRefused as refusal:
        raise DataError(f"{name}.rq holds no query that can be read: {refusal.detail}") from refusal
    return Example(
        name=name,
        titles={"en": fields["title"], "it": fields["title@it"]},
        descriptions={"en": fields["description"], "it": fields["description@it"]},
        tags=tags,
        form=structure.form.lower(),
        partners=tuple(dict.fromkeys(service.address for service in structure.services if service.address)),
        query=query,
        text=text,
    )


def _fields(name: str, lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        found = _FIELD.fullmatch(line)
        if not found or found["key"] not in _KEYS:
            known = ", ".join(f"“# {key}: …”" for key in _KEYS)
            raise DataError(f"{name}.rq, line {number}: “{line}” is none of {known}")
        if found["key"] in fields:
            raise DataError(f"{name}.rq, line {number}: {found['key']} is given twice")
        fields[found["key"]] = found["value"]
    return fields


def as_document(example: Example) -> dict[str, object]:
    """An example as JSON."""
    return {
        "name": example.name,
        "title": example.titles,
        "description": example.descriptions,
        "tags": example.tags,
        "query": example.query,
    }


def as_rdf(root: str, chosen: Iterable[Example] | None = None) -> tuple[Triple, ...]:
    """Examples (all, if none are chosen) of the site at `root`, with a slash at its end, and their collection."""
    collection = NamedNode(root + PATH)
    triples = [
        Triple(collection, _RDF_TYPE, NamedNode(f"{DCAT}Dataset")),
        *_spoken(collection, f"{DCTERMS}title", TITLES),
        *_spoken(collection, f"{DCTERMS}description", DESCRIPTIONS),
        Triple(collection, NamedNode(f"{DCTERMS}license"), NamedNode(LICENCE)),
    ]
    for name, media_type in _DISTRIBUTIONS:
        file = NamedNode(f"{collection.value}?format={name}")
        triples += [
            Triple(collection, NamedNode(f"{DCAT}distribution"), file),
            Triple(file, _RDF_TYPE, NamedNode(f"{DCAT}Distribution")),
            Triple(file, NamedNode(f"{DCAT}downloadURL"), file),
            Triple(file, NamedNode(f"{DCAT}mediaType"), NamedNode(_MEDIA_TYPES + media_type)),
        ]
    for example in examples() if chosen is None else chosen:
        one = NamedNode(f"{root}{PATH}/{example.name}")
        triples.append(Triple(collection, NamedNode(f"{DCTERMS}hasPart"), one))
        triples += example_as_rdf(example, root)
    return tuple(triples)


def example_as_rdf(example: Example, root: str) -> tuple[Triple, ...]:
    """One example in the vocabulary that SHACL has for queries, with the extensions of the SIB for what it lacks."""
    one = NamedNode(f"{root}{PATH}/{example.name}")
    kind, holds = _EXECUTABLE[example.form]
    return (
        Triple(one, _RDF_TYPE, NamedNode(f"{_SH}SPARQLExecutable")),
        Triple(one, _RDF_TYPE, NamedNode(kind)),
        *_spoken(one, f"{RDFS}label", example.titles),
        *_spoken(one, f"{RDFS}comment", example.descriptions),
        Triple(one, NamedNode(holds), Literal(example.query)),
        *(Triple(one, NamedNode(f"{_SCHEMA}keywords"), Literal(tag)) for tag in example.tags),
        Triple(one, NamedNode(f"{_SCHEMA}target"), NamedNode(f"{root}sparql")),
        *(
            Triple(one, NamedNode(f"{_SPEX}federatesWith"), NamedNode(urljoin(root, partner)))
            for partner in example.partners
        ),
        Triple(one, NamedNode(f"{DCTERMS}isPartOf"), NamedNode(root + PATH)),
    )


def _spoken(subject: NamedNode, predicate: str, texts: dict[str, str]) -> tuple[Triple, ...]:
    return tuple(
        Triple(subject, NamedNode(predicate), Literal(text, language=language)) for language, text in texts.items()
    )
