"""The SPARQL console: its page, and the terms that its editor completes.

The editor and the charts are npm components that set-up copies to `static/vendor`. Where they
are not, or without JavaScript, the page is a form that asks the endpoint for one format.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, cast, get_args

from flask import Blueprint, Response, current_app, json, render_template, request
from flask_babel import gettext
from pyoxigraph import Literal as RdfLiteral

import sparql
from service.graph import GraphStore
from service.prefixes import PREFIXES
from service.web.language import language
from service.web.problems import Problem
from service.web.site import site

blueprint = Blueprint("console", __name__)

Kind = Literal["class", "property", "concept"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MOST_TERMS: Final = 200
"""Terms that one answer lists."""
LONGEST_PREFIX: Final = 300
FRESH_SECONDS: Final = 600
COMPONENTS: Final = {"editor": ("yasqe/yasqe.min.js",), "charts": ("d3/d3.min.js", "plot/plot.umd.min.js")}
"""What each part of the page needs of `static/vendor`."""

_NAMESPACES: Final = sorted(
    {namespace: name for name, namespace in reversed(PREFIXES.items())}.items(), key=lambda pair: -len(pair[0])
)
"""(namespace, prefix), the longest first; of two prefixes for one namespace the one that is listed first."""


@dataclass(frozen=True, slots=True)
class Term:
    """A class, property or concept that a query may name.

    `count` is how often the data use it (resources of a class, triples of a property), None
    where that was not counted. Labels and definitions go by language, "" for none.
    """

    iri: str
    kind: Kind
    count: int | None
    labels: dict[str, str]
    definitions: dict[str, str]

    @property
    def name(self) -> str | None:
        """The prefixed name by the predeclared prefixes, or None where it would not be one."""
        return _prefixed(self.iri)

    def rank(self, wanted: str) -> int | None:
        """How well it fits what was typed (casefolded; 0 is best), or None where it does not."""
        name = (self.name or self.iri).casefold()
        if self.iri.casefold().startswith(wanted) or name.startswith(wanted):
            return 0
        local = name.partition(":")[2] if self.name else self.iri.casefold().rsplit("/", 1)[-1].rsplit("#", 1)[-1]
        if local.startswith(wanted):
            return 1
        return 2 if wanted in local or any(wanted in label.casefold() for label in self.labels.values()) else None


def page(query: str | None) -> Response:
    """The console as a page, with a query in its editor (by default one that any data answer)."""
    present = components(Path(cast(str, current_app.static_folder)) / "vendor")
    data = {
        "endpoint": "/sparql",
        "language": language(),
        "prefixes": PREFIXES,
        "components": present,
        "run": query is not None,
        "text": _texts(),
    }
    text = sparql.query("console/start") if query is None else query
    return Response(render_template("console.html", query=text, data=data, components=present), mimetype="text/html")


def components(vendor: Path) -> dict[str, bool]:
    """Which parts of the page have what they need of npm's components."""
    return {part: all((vendor / name).is_file() for name in names) for part, names in COMPONENTS.items()}


@blueprint.get("/sparql/terms")
def terms() -> Response:
    """The terms of a kind that fit what was typed: `?kind=class&prefix=emi:Sp`."""
    kind = request.args.get("kind", "")
    if kind not in KINDS:
        raise Problem(400, f"say which kind of term is wanted: kind={'|'.join(KINDS)}")
    prefix = request.args.get("prefix", "")
    if len(prefix) > LONGEST_PREFIX:
        raise Problem(400, f"prefix: at most {LONGEST_PREFIX} characters")
    version = site().manifest.version
    with _counting:  # whoever comes while the terms are being counted waits for them, and counts nothing
        vocabulary = _vocabulary(site().graph, version)
    found = matching(vocabulary, cast(Kind, kind), prefix)
    response = Response(json.dumps({"terms": [_member(term) for term in found]}), mimetype="application/json")
    response.set_etag(f"{version}-terms")
    response.cache_control.public = True
    response.cache_control.max_age = FRESH_SECONDS
    return response.make_conditional(request)


def matching(vocabulary: tuple[Term, ...], kind: Kind, typed: str) -> list[Term]:
    """The terms that fit what was typed (an IRI, a prefixed name, a part of a name or label).

    The best fit comes first, then what the data use most, then by IRI; at most `MOST_TERMS`.
    """
    wanted = _expanded(typed.strip().removeprefix("<").removesuffix(">")).casefold()
    ranked = [(rank, term) for term in vocabulary if term.kind == kind and (rank := term.rank(wanted)) is not None]
    ranked.sort(key=lambda pair: (pair[0], -(pair[1].count or 0), pair[1].iri))
    return [term for _, term in ranked[:MOST_TERMS]]


_counting = Lock()


@lru_cache(maxsize=2)
def _vocabulary(graph: GraphStore, version: str) -> tuple[Term, ...]:
    """Every term that the data use or define, of one version of the corpus. Raises `QueryError`."""
    counts: dict[tuple[str, Kind], int] = {}
    used: tuple[tuple[Kind, str], ...] = (("class", "classes"), ("property", "properties"))
    for kind, name in used:
        for row in graph.select(sparql.query(f"console/{name}")):
            counts[row["term"].value, kind] = int(row["count"].value)
    texts: dict[tuple[str, Kind], dict[str, dict[str, str]]] = {}
    for row in graph.select(sparql.query("console/definitions")):
        known = texts.setdefault((row["term"].value, cast(Kind, row["kind"].value)), defaultdict(dict))
        text = row.get("text")
        if isinstance(text, RdfLiteral):
            known[row["role"].value].setdefault(text.language or "", text.value)
    return tuple(
        Term(iri, kind, counts.get((iri, kind)), told.get("label", {}), told.get("definition", {}))
        for iri, kind in sorted(counts.keys() | texts.keys())
        for told in [texts.get((iri, kind), {})]
    )


def _member(term: Term) -> dict[str, Any]:
    return {
        "iri": term.iri,
        "name": term.name,
        "count": term.count,
        "label": term.labels,
        "definition": term.definitions,
    }


def _expanded(typed: str) -> str:
    """The IRI that a prefixed name stands for; anything else as it is."""
    prefix, colon, local = typed.partition(":")
    return PREFIXES[prefix] + local if colon and not local.startswith("//") and prefix in PREFIXES else typed


def _prefixed(iri: str) -> str | None:
    for namespace, prefix in _NAMESPACES:
        local = iri.removeprefix(namespace)
        if local != iri and local.replace("-", "_").isidentifier():
            return f"{prefix}:{local}"
    return None


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
        "place": gettext("Line {line}, column {column}"),
        "suggestion": gettext("Did you mean {suggestion}?"),
        "limits": gettext("Limits of this endpoint"),
        "notSparql": gettext("The server answered with something that is no SPARQL result."),
        "unreachable": gettext("The server does not answer. Check the connection and run the query again."),
        "editor": gettext("SPARQL query"),
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
        "x": gettext("Across"),
        "y": gettext("Measure"),
        "series": gettext("Colour"),
        "none": gettext("none"),
        "chartOf": gettext("{kind}: {y} by {x}"),
        "chartData": gettext("The chart’s data as a table"),
        "firstBars": gettext("The first {shown} of {count} rows are drawn."),
        "format": gettext("Format"),
        "cut": gettext("The first {shown} of {count} characters are shown; the download has them all."),
    }
