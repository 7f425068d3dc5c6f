"""The SPARQL console: its page, the answer in it for who has no script, and the terms that its editor completes.

The editor and the charts are npm components that set-up copies to `static/vendor`. Without
them the editor is a text area; without JavaScript the page is a form that answers with itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, json, render_template, request
from flask_babel import gettext
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    RdfFormat,
    Triple,
    parse,
    parse_query_results,
)

import sparql
from ontology import XSD
from service.prefixes import PREFIXES
from service.publication.vocabulary import curie
from service.web import completion
from service.web.language import language
from service.web.problems import Problem
from service.web.site import site

blueprint = Blueprint("console", __name__)

COMPONENTS: Final = {"editor": ("yasqe/yasqe.min.js",), "charts": ("d3/d3.min.js", "plot/plot.umd.min.js")}
"""What each part of the page needs of `static/vendor`."""
MOST_ROWS: Final = 500
"""Rows that a page without a script shows."""
LONGEST_TYPED: Final = 300
FRESH_SECONDS: Final = 600

_TABLES: Final = {"CSV": "csv", "TSV": "tsv", "JSON": "json", "XML": "xml"}
_TRUTHS: Final = {"JSON": "json", "XML": "xml"}
_GRAPHS: Final = {"Turtle": "ttl", "JSON-LD": "jsonld", "N-Triples": "nt", "RDF/XML": "rdf"}


Term = NamedNode | BlankNode | Literal | Triple


@dataclass(frozen=True, slots=True)
class Place:
    """An endpoint that has a console, by the paths of its parts."""

    endpoint: str
    examples: str
    """A list of example queries, as JSON for programs and as a page."""
    start: str
    """The query that the editor begins with, by the name of its file."""


RECORD: Final = Place("/sparql", "/sparql/examples", "console/start")


@dataclass(frozen=True, slots=True)
class Cell:
    """A term in a table: its text, what a pointer over it is told, its language, and where it leads."""

    text: str
    title: str | None = None
    language: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """What a page shows of an answer: the truth of an ASK, or the first rows; `more` says that there are others."""

    formats: dict[str, str]
    """Title to address of each format in which the whole answer is had."""
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    more: bool = False
    truth: bool | None = None


def page(query: str | None, place: Place = RECORD) -> Response:
    """The console as a page, with a query in its editor (by default one that any data answer)."""
    return _render(query, None, place)


def answered(query: str, answer: Response, place: Place = RECORD) -> Response:
    """The console with the answer to its query as a table, for those who have no script.

    `answer` holds SPARQL results in JSON, or N-Triples.
    """
    if answer.status_code != HTTPStatus.OK:
        return answer
    table = table_of(query, answer.mimetype or "", answer.get_data(), place.endpoint)
    response = _render(query, table, place)
    response.headers["Cache-Control"] = "no-store"
    return response


def components(vendor: Path) -> dict[str, bool]:
    """Which parts of the page have what they need of npm's components."""
    return {part: all((vendor / name).is_file() for name in names) for part, names in COMPONENTS.items()}


def table_of(query: str, media_type: str, body: bytes, endpoint: str = RECORD.endpoint) -> Table:
    """The first rows of SPARQL results in JSON or of N-Triples, with addresses of the whole."""
    if media_type == RdfFormat.N_TRIPLES.media_type:
        triples = (tuple(quad.triple) for quad in parse(body, format=RdfFormat.N_TRIPLES))
        return _table(_addresses(endpoint, query, _GRAPHS), ("subject", "predicate", "object"), triples)
    results = parse_query_results(body, format=QueryResultsFormat.JSON)
    if isinstance(results, QueryBoolean):
        return Table(_addresses(endpoint, query, _TRUTHS), truth=bool(results))
    names = tuple(variable.value for variable in results.variables)
    return _table(_addresses(endpoint, query, _TABLES), names, (tuple(solution) for solution in results))


@blueprint.get("/sparql/terms")
def terms() -> Response:
    """The terms of a kind that fit what was typed: `?kind=class&prefix=emi:Speech`."""
    kind = next((kind for kind in completion.KINDS if kind == request.args.get("kind")), None)
    if kind is None:
        raise Problem(400, f"say which kind of term is wanted: kind={'|'.join(completion.KINDS)}")
    typed = request.args.get("prefix", "")
    if len(typed) > LONGEST_TYPED:
        raise Problem(400, f"prefix: at most {LONGEST_TYPED} characters")
    version = site().manifest.version
    found = completion.matching(completion.vocabulary(site().graph, version), kind, typed)
    members = [
        {"iri": t.iri, "name": t.name, "count": t.count, "label": t.labels, "definition": t.definitions} for t in found
    ]
    response = Response(json.dumps({"terms": members}), mimetype="application/json")
    response.set_etag(f"{version}-terms")
    response.cache_control.public = True
    response.cache_control.max_age = FRESH_SECONDS
    response.make_conditional(request)
    return response


def _render(query: str | None, table: Table | None, place: Place) -> Response:
    present = components(Path(cast(str, current_app.static_folder)) / "vendor")
    data = {
        "endpoint": place.endpoint,
        "examples": place.examples,
        "language": language(),
        "prefixes": list(PREFIXES.items()),  # in their order, which a JSON object would lose
        "components": present,
        "run": query is not None,
        "text": _texts(),
    }
    text = sparql.query(place.start).strip() if query is None else query
    body = render_template("console.html", query=text, table=table, data=data, components=present, place=place)
    return Response(body, mimetype="text/html")


def _table(formats: dict[str, str], names: tuple[str, ...], rows: Iterable[tuple[Term | None, ...]]) -> Table:
    found = [tuple(map(_cell, row)) for row in islice(rows, MOST_ROWS + 1)]
    return Table(formats, names, tuple(found[:MOST_ROWS]), len(found) > MOST_ROWS)


def _cell(term: Term | None) -> Cell:
    match term:
        case None:
            return Cell("")
        case NamedNode(value=iri):
            resource = f"/resource?{urlencode({'iri': iri})}" if iri.startswith(("http://", "https://")) else None
            return Cell(curie(iri), iri, address=resource)
        case Literal(value=text, language=str(tag)):
            return Cell(text, language=tag)
        case Literal(value=text, datatype=datatype):
            return Cell(text, None if datatype.value == f"{XSD}string" else curie(datatype.value))
        case _:
            return Cell(str(term))


def _addresses(endpoint: str, query: str, formats: dict[str, str]) -> dict[str, str]:
    return {title: f"{endpoint}?{urlencode({'query': query, 'format': name})}" for title, name in formats.items()}


def _texts() -> dict[str, str]:
    """What the page's script says, in the page's language."""
    return {
        "running": gettext("Running…"),
        "stopped": gettext("Stopped."),
        "rows.one": gettext("1 row in {seconds} s"),
        "rows.other": gettext("{count} rows in {seconds} s"),
        "triples.one": gettext("1 triple in {seconds} s"),
        "triples.other": gettext("{count} triples in {seconds} s"),
        "answered": gettext("Answered in {seconds} s"),
        "toResults": gettext("Go to the results"),
        "yes": gettext("Yes"),
        "no": gettext("No"),
        "noRows": gettext("No rows: the query is right, but nothing in the data fits it."),
        "refused": gettext("The query cannot be run."),
        "noAnswer": gettext("There is no answer."),
        "place": gettext("Line {line}, column {column}"),
        "suggestion": gettext("Suggestion: {suggestion}"),
        "limits": gettext("Limits of this endpoint"),
        "notSparql": gettext("The server answered with something that is no SPARQL result."),
        "unreachable": gettext("The server does not answer. Check the connection and run the query again."),
        "editor": gettext("SPARQL query"),
        "suggestions": gettext("Terms that fit"),
        "times": gettext("used {count} times"),
        "page": gettext("Rows {first} to {last} of {count}"),
        "previous": gettext("Previous"),
        "next": gettext("Next"),
        "pages": gettext("Pages of the table"),
        "results": gettext("Results"),
        "more": gettext("All {count} characters"),
        "copied": gettext("Link copied."),
        "noExamples": gettext("No example has these words."),
        "examplesFailed": gettext("The examples cannot be read now."),
        "noChart": gettext("A chart needs a column of numbers, and one of names, dates or numbers beside it."),
        "kind": gettext("Chart"),
        "bar": gettext("Bars"),
        "line": gettext("Line over time"),
        "scatter": gettext("Scatter"),
        "x": gettext("Axis"),
        "y": gettext("Measure"),
        "series": gettext("Colour"),
        "none": gettext("none"),
        "chartOf": gettext("{kind}: {y} by {x}"),
        "chartData": gettext("The chart’s data as a table"),
        "firstBars": gettext("The first {shown} of {count} rows are drawn."),
        "format": gettext("Format"),
        "cut": gettext("The first {shown} of {count} characters are shown; the download has them all."),
    }
