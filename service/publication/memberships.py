"""Memberships of people and groups, a page at a time, as W3C ORG states them and as RDF 1.2 reifies them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

import sparql
from ontology import ORG, RDF
from service.graph import GraphStore, day_literal

PAGE: Final = 500
"""Memberships of a page; the query fetches one more, which tells whether another page follows."""
_REIFIES: Final = NamedNode(f"{RDF}reifies")
_MEMBER: Final = NamedNode(f"{ORG}member")
_ORGANIZATION: Final = NamedNode(f"{ORG}organization")
_MEMBER_OF: Final = NamedNode(f"{ORG}memberOf")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memberships; what is None does not filter."""

    member: NamedNode | None = None
    organization: NamedNode | None = None
    day: date | None = None
    """A day on which they hold."""
    after: str = ""
    """The IRI of the last membership of the page before."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some memberships, in the order of their IRIs."""

    triples: tuple[Triple, ...]
    count: int
    next: str | None
    """What `after` is for the next page, if there is one."""


def memberships(wanted: Wanted, graph: GraphStore) -> Page:
    """One page of memberships with everything stated about each. Raises `QueryError`."""
    row = (
        wanted.member,
        wanted.organization,
        day_literal(wanted.day) if wanted.day else None,
        Literal(wanted.after),
    )
    query = sparql.bind(sparql.query("publication/memberships"), "?member ?organization ?day ?after", [row])
    found = set(graph.construct(query))
    names = sorted({triple.subject.value for triple in found if isinstance(triple.subject, NamedNode)})
    kept = {NamedNode(name) for name in names[:PAGE]}
    triples = sorted((triple for triple in found if triple.subject in kept), key=_place)
    return Page(tuple(triples), len(kept), names[PAGE - 1] if len(names) > PAGE else None)


def reified(triples: Iterable[Triple]) -> tuple[Triple, ...]:
    """The same memberships with their IRIs as reifiers of `member org:memberOf organization` (RDF 1.2).

    The statement is reified and not asserted: org:memberOf has no date, so to assert it of a
    membership that ended would say that it lasts.
    """
    every = list(triples)
    organizations = defaultdict(list)
    for triple in every:
        if triple.predicate == _ORGANIZATION:
            organizations[triple.subject].append(triple.object)
    views = [
        Triple(triple.subject, _REIFIES, Triple(triple.object, _MEMBER_OF, organization))
        for triple in every
        if triple.predicate == _MEMBER and isinstance(triple.object, NamedNode | BlankNode)
        for organization in organizations[triple.subject]
    ]
    rest = [triple for triple in every if triple.predicate not in (_MEMBER, _ORGANIZATION)]
    return tuple(sorted((*views, *rest), key=_place))


def _place(triple: Triple) -> tuple[str, bool, bool, str, str]:
    predicate = triple.predicate.value
    return (
        str(triple.subject),
        triple.predicate != _REIFIES,
        predicate != f"{RDF}type",
        predicate,
        str(triple.object),
    )
