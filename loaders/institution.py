"""What a mapping says about an institution, as RDF: chamber, governments with their sides, committees."""

from collections.abc import Iterator
from collections.abc import Mapping as Dictionary
from datetime import date

from pyoxigraph import Literal, NamedNode, Quad

import ontology
from loaders.record import Names

_A = NamedNode(f"{ontology.RDF}type")
_LABEL = NamedNode(f"{ontology.SKOS}prefLabel")
_DATE = NamedNode(f"{ontology.XSD}date")


def quads(names: Names, committees_by_label: Dictionary[str, NamedNode]) -> Iterator[Quad]:
    """Yield a mapping's statements. `committees_by_label` finds organs whose IRI is not stated."""
    mapping, graph = names.mapping, names.graph

    def quad(subject: NamedNode, predicate: NamedNode, value: NamedNode | Literal) -> Quad:
        return Quad(subject, predicate, value, graph)

    yield quad(names.chamber, _A, _org("Organization"))
    yield quad(names.chamber, NamedNode(f"{ontology.DCTERMS}license"), NamedNode(mapping.dataset.licence))
    for language, title in sorted(mapping.dataset.title.items()):
        yield quad(names.chamber, _LABEL, Literal(title, language=language))

    for government in mapping.governments:
        local = government.iri.rstrip("/").rsplit("/", 1)[-1]
        collaboration = NamedNode(f"{names.base}collaboration/{mapping.dataset.id}-{local}")
        yield quad(collaboration, _A, _org("OrganizationalCollaboration"))
        yield quad(collaboration, _emi("government"), NamedNode(government.iri))
        yield from (quad(collaboration, *fact) for fact in _period(government.begin, government.until))
        for language, label in sorted(government.name.items()):
            yield quad(NamedNode(government.iri), _LABEL, Literal(label, language=language))
        for side in government.sides:
            member = side.organization.rsplit("/", 1)[-1]
            stance = NamedNode(f"{names.base}membership/{member}-{local}-{side.begin:%Y%m%d}")
            yield quad(stance, _A, _org("Membership"))
            yield quad(stance, _A, _emi("SideMembership"))
            yield quad(stance, _org("member"), NamedNode(side.organization))
            yield quad(stance, _org("organization"), collaboration)
            yield quad(stance, _org("role"), NamedNode(f"{ontology.SIDE}{side.side}"))
            yield from (quad(stance, *fact) for fact in _period(side.begin, side.until))

    for committee in mapping.committees:
        organ = NamedNode(committee.organ) if committee.organ else committees_by_label.get(committee.label or "")
        if organ is not None:
            for keyword in committee.keywords:
                yield quad(organ, _emi("keyword"), Literal(keyword, language="it"))


def _period(begin: date, until: date | None) -> Iterator[tuple[NamedNode, Literal]]:
    yield _emi("from"), Literal(begin.isoformat(), datatype=_DATE)
    if until:
        yield _emi("until"), Literal(until.isoformat(), datatype=_DATE)


def _emi(term: str) -> NamedNode:
    return NamedNode(f"{ontology.EMI}{term}")


def _org(term: str) -> NamedNode:
    return NamedNode(f"{ontology.ORG}{term}")
