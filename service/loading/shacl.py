"""Reading SHACL shapes: what each demands, as plain values; what is not understood here is refused."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from ontology import RDF

SH: Final = "http://www.w3.org/ns/shacl#"
TYPE: Final = NamedNode(f"{RDF}type")
ONE_VALUE: Final = (
    "minCount",
    "maxCount",
    "nodeKind",
    "datatype",
    "class",
    "pattern",
    "lessThan",
    "lessThanOrEquals",
    "minInclusive",
    "maxInclusive",
    "uniqueLang",
)
LISTED: Final = ("in", "languageIn")
_UNCONSTRAINED = {"name", "description", "order", "group"}
_ANONYMOUS = {"nodeKind", "datatype", "class", "pattern", "minInclusive", "maxInclusive", *LISTED}
"""What a shape without a path may demand: that which is about each value alone."""

Term = NamedNode | BlankNode | Literal


class UnknownShapeError(ValueError):
    """A shape states what is not understood here, so that a validation would say less than it promises."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint of SHACL Core on the values of a path, by the local name of its parameter."""

    component: str
    path: NamedNode
    values: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Qualified:
    """At least `least` values of a path that meet every one of `constraints`."""

    path: NamedNode
    constraints: tuple[Constraint, ...]
    least: int


@dataclass(frozen=True, slots=True)
class PropertyShape:
    """What is demanded of the values of a path, and the messages of a result."""

    path: NamedNode
    messages: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    qualified: tuple[Qualified, ...]


@dataclass(frozen=True, slots=True)
class NodeShape:
    """What is demanded of a node: its properties, and for each `sh:or` one of several shapes."""

    messages: tuple[str, ...]
    properties: tuple[PropertyShape, ...]
    alternatives: tuple[tuple["NodeShape", ...], ...]


class ShapesGraph:
    """A graph of shapes in Turtle, read shape by shape: only what has something to check must be understood."""

    def __init__(self, turtle: str) -> None:
        self._facts: dict[Term, dict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
        for quad in parse(turtle.encode(), format=RdfFormat.TURTLE):
            subject, value = quad.subject, quad.object
            if isinstance(subject, NamedNode | BlankNode) and isinstance(value, NamedNode | BlankNode | Literal):
                self._facts[subject][quad.predicate.value].append(value)

    def targets(self) -> dict[NamedNode | BlankNode, tuple[NamedNode, ...]]:
        """The shapes with targets and their target classes. Raises `UnknownShapeError` for targets of other kinds."""
        found = {}
        for node, facts in self._facts.items():
            for predicate in facts:
                if predicate.startswith(f"{SH}target") and predicate != f"{SH}targetClass":
                    raise self._unknown(node, predicate)
            classes = tuple(c for c in self._of(node, "targetClass") if isinstance(c, NamedNode))
            if classes and isinstance(node, NamedNode | BlankNode):
                found[node] = classes
        return found

    def node_shape(self, node: Term) -> NodeShape:
        """Read a node shape. Raises `UnknownShapeError`."""
        self._expect(node, {"message", "property", "or", "targetClass"})
        return NodeShape(
            messages=self._messages(node),
            properties=tuple(self._property_shape(value) for value in self._of(node, "property")),
            alternatives=tuple(
                tuple(self.node_shape(member) for member in self._members(head)) for head in self._of(node, "or")
            ),
        )

    def _property_shape(self, node: Term) -> PropertyShape:
        self._expect(node, {"path", "message", "qualifiedValueShape", "qualifiedMinCount", *ONE_VALUE, *LISTED})
        path = self._of(node, "path")
        if len(path) != 1 or not isinstance(path[0], NamedNode):
            raise self._unknown(node, f"{SH}path", "other than one predicate")
        counts = [int(value.value) for value in self._of(node, "qualifiedMinCount") if isinstance(value, Literal)]
        inner = self._of(node, "qualifiedValueShape")
        if len(inner) != len(counts) or len(inner) > 1:
            raise self._unknown(node, f"{SH}qualifiedValueShape", "without one sh:qualifiedMinCount")
        for shape in inner:
            self._expect(shape, _ANONYMOUS)
        return PropertyShape(
            path=path[0],
            messages=self._messages(node),
            constraints=tuple(self._constraints(node, path[0])),
            qualified=tuple(
                Qualified(path[0], tuple(self._constraints(shape, path[0])), least)
                for shape, least in zip(inner, counts, strict=True)
            ),
        )

    def _constraints(self, node: Term, path: NamedNode) -> Iterator[Constraint]:
        for component in ONE_VALUE:
            for value in self._of(node, component):
                yield Constraint(component, path, (value,))
        for component in LISTED:
            for head in self._of(node, component):
                yield Constraint(component, path, tuple(self._members(head)))

    def _messages(self, node: Term) -> tuple[str, ...]:
        return tuple(sorted(value.value for value in self._of(node, "message") if isinstance(value, Literal)))

    def _members(self, head: Term) -> Iterator[Term]:
        while head != NamedNode(f"{RDF}nil"):
            facts = self._facts[head]
            yield facts[f"{RDF}first"][0]
            head = facts[f"{RDF}rest"][0]

    def _of(self, node: Term, name: str) -> list[Term]:
        return self._facts[node].get(f"{SH}{name}", [])

    def _expect(self, node: Term, names: set[str]) -> None:
        for predicate in self._facts[node]:
            if predicate.startswith(SH) and predicate.removeprefix(SH) not in names | _UNCONSTRAINED:
                raise self._unknown(node, predicate)

    def _unknown(self, node: Term, predicate: str, how: str = "here") -> UnknownShapeError:
        name = predicate.removeprefix(SH)
        return UnknownShapeError(f"the shape {node} uses sh:{name} {how}, which the validation of a load cannot check")
