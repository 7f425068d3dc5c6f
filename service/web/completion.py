"""The terms that the console's editor completes: what the data use and what their ontologies define."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Final, Literal, cast, get_args

from pyoxigraph import Literal as RdfLiteral

import sparql
from service.graph import GraphStore
from service.prefixes import PREFIXES
from service.publication.vocabulary import curie

Kind = Literal["class", "property", "concept"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MOST_TERMS: Final = 100
"""Terms that one answer lists."""

_COUNTED: Final[dict[Kind, str]] = {"class": "console/classes", "property": "console/properties"}
_counting = Lock()


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
        """Its prefixed name by the predeclared prefixes, or None where it would not be one in a query."""
        _, colon, local = (name := curie(self.iri)).partition(":")
        return name if colon and name != self.iri and local.replace("-", "_").isidentifier() else None

    def rank(self, wanted: str) -> int | None:
        """How well it fits what was typed (casefolded; 0 is best), or None where it does not."""
        iri = self.iri.casefold()
        if iri.startswith(wanted):
            return 0
        local = iri.replace("#", "/").rsplit("/", 1)[-1]
        if local.startswith(wanted):
            return 1
        return 2 if wanted in local or any(wanted in label.casefold() for label in self.labels.values()) else None


def vocabulary(graph: GraphStore, version: str) -> tuple[Term, ...]:
    """Every term of a version of the corpus, by IRI; read once. Raises `QueryError`."""
    # Whoever comes while the terms are being counted waits for them, and counts nothing.
    with _counting:
        return _read(graph, version)


def matching(terms: tuple[Term, ...], kind: Kind, typed: str) -> list[Term]:
    """The terms that fit what was typed: an IRI, a prefixed name, or a part of a name or label.

    The best fit comes first, then what the data use most, then by IRI; at most `MOST_TERMS`.
    """
    wanted = _expanded(typed.strip().removeprefix("<").removesuffix(">")).casefold()
    ranked = [(rank, term) for term in terms if term.kind == kind and (rank := term.rank(wanted)) is not None]
    ranked.sort(key=lambda pair: (pair[0], -(pair[1].count or 0), pair[1].iri))
    return [term for _, term in ranked[:MOST_TERMS]]


@lru_cache(maxsize=2)
def _read(graph: GraphStore, version: str) -> tuple[Term, ...]:
    counts = {
        (row["term"].value, kind): int(row["count"].value)
        for kind, name in _COUNTED.items()
        for row in graph.select(sparql.query(name))
    }
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


def _expanded(typed: str) -> str:
    """The IRI that a prefixed name stands for; anything else as it is."""
    prefix, colon, local = typed.partition(":")
    return PREFIXES[prefix] + local if colon and not local.startswith("//") and prefix in PREFIXES else typed
