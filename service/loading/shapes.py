"""The shapes of the ontology over what a load makes, by one query for each constraint.

SHACL says what each constraint means; its query in `sparql/shapes` returns the nodes that break
it, with the values that do where it is about single values. Most queries look at nodes of any
class, as a scan of one predicate takes a fraction of a join with the classes; which of the few
nodes found are targets is asked afterwards.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, Store

import ontology
import sparql
from service.loading.checks import CheckResult, Finding
from service.loading.shacl import SH, TYPE, Constraint, NodeShape, Qualified, ShapesGraph, Term, UnknownShapeError

Node = NamedNode | BlankNode
Members = dict[NamedNode, list[NamedNode]]

_DATATYPES: Final = {
    f"{ontology.XSD}integer": "datatype-integer",
    f"{ontology.XSD}date": "datatype-date",
    f"{ontology.XSD}string": "datatype-string",
    f"{ontology.RDF}langString": "datatype-lang-string",
}
_WORKERS: Final = 2
"""Queries that run at once; the engine lets other threads run meanwhile."""
_PAIRS: Final = {"lessThan": "less-than", "lessThanOrEquals": "less-than-or-equals"}
_LIMITS: Final = {"minInclusive": "min-inclusive", "maxInclusive": "max-inclusive"}


def validate(
    store: Store, graph: NamedNode, focus: Collection[NamedNode] | None = None, *, shapes: str | None = None
) -> CheckResult:
    """Validate a graph of a store against shapes in Turtle, by default `ontology/shapes.ttl`.

    With `focus` only these nodes are checked. The class of a value (`sh:class`) may be stated in
    any graph of the store; all else must stand in `graph`. Raises `UnknownShapeError` where a
    shape that has nodes to check states what cannot be checked.
    """
    source = ShapesGraph(ontology.read("shapes.ttl") if shapes is None else shapes)
    targets = source.targets()
    if focus is None:
        members = None
        classes = {kind for kinds in targets.values() for kind in kinds}
        present = {kind for kind in classes if any(store.quads_for_pattern(None, TYPE, kind, graph))}
    else:
        members = _by_class(store, graph, focus)
        present = set(members)
    demanded = [
        (source.node_shape(node), found)
        for node, kinds in targets.items()
        if (found := tuple(kind for kind in kinds if kind in present))
    ]
    validation = _Validation(store, graph, members, demanded)
    findings = [finding for shape, kinds in demanded for finding in validation.findings(shape, kinds)]
    return CheckResult(
        name="shapes",
        title="Shapes of the ontology (SHACL)",
        level="error",
        findings=tuple(sorted(findings, key=lambda f: (f.subject, f.detail))),
    )


def _by_class(store: Store, graph: NamedNode, focus: Collection[NamedNode]) -> Members:
    members: Members = defaultdict(list)
    for node in dict.fromkeys(focus):
        for quad in store.quads_for_pattern(node, TYPE, None, graph):
            if isinstance(quad.object, NamedNode):
                members[quad.object].append(node)
    return dict(members)


@dataclass(frozen=True, slots=True)
class _Break:
    """A node that breaks a constraint, and the value that does if the constraint is about single values."""

    focus: Node
    value: Term | None = None


class _Validation:
    """One run over a graph. What breaks a constraint is asked once, for all shapes that share it."""

    def __init__(
        self,
        store: Store,
        graph: NamedNode,
        members: Members | None,
        demanded: Sequence[tuple[NodeShape, tuple[NamedNode, ...]]],
    ) -> None:
        self._store, self._graph, self._members = store, graph, members
        classes: dict[Constraint, dict[NamedNode, None]] = defaultdict(dict)
        for shape, kinds in demanded:
            for constraint in _constraints(shape):
                classes[constraint].update(dict.fromkeys(kinds))
        with ThreadPoolExecutor(_WORKERS) as workers:
            asked = workers.map(self._broken, classes, map(tuple, classes.values()))
            self._breaks = dict(zip(classes, asked, strict=True))

    def findings(self, shape: NodeShape, kinds: tuple[NamedNode, ...]) -> Iterator[Finding]:
        """What breaks a shape at the nodes of its target classes."""
        for property_shape in shape.properties:
            detail = " ".join((property_shape.path.value, *property_shape.messages))
            for constraint in property_shape.constraints:
                for broken in self._at(constraint, kinds):
                    yield Finding(subject=broken.focus.value, detail=detail)
            for qualified in property_shape.qualified:
                for node in self._too_few(qualified, kinds):
                    yield Finding(subject=node.value, detail=detail)
        for alternatives in shape.alternatives:
            for node in self._none_of(alternatives, kinds):
                yield Finding(subject=node.value, detail=" ".join(shape.messages))

    def _at(self, constraint: Constraint, kinds: tuple[NamedNode, ...]) -> Iterator[_Break]:
        for broken in self._breaks[constraint]:
            if any(Quad(broken.focus, TYPE, kind, self._graph) in self._store for kind in kinds):
                yield broken

    def _none_of(self, alternatives: tuple[NodeShape, ...], kinds: tuple[NamedNode, ...]) -> set[Node]:
        """The nodes that meet none of several shapes; each shape is asked only of what those before it leave."""
        first, *others = alternatives
        left = self._nonconforming(first, kinds)
        for shape in others:
            if left:
                # A blank node cannot be asked about by name, so with one all nodes are.
                named = [node for node in left if isinstance(node, NamedNode)]
                members = dict.fromkeys(kinds, named) if len(named) == len(left) else self._members
                part = _Validation(self._store, self._graph, members, [(shape, kinds)])
                left &= part._nonconforming(shape, kinds)
        return left

    def _nonconforming(self, shape: NodeShape, kinds: tuple[NamedNode, ...]) -> set[Node]:
        found: set[Node] = set()
        for property_shape in shape.properties:
            for constraint in property_shape.constraints:
                found.update(broken.focus for broken in self._at(constraint, kinds))
            for qualified in property_shape.qualified:
                found.update(self._too_few(qualified, kinds))
        for alternatives in shape.alternatives:
            found |= self._none_of(alternatives, kinds)
        return found

    def _too_few(self, qualified: Qualified, kinds: tuple[NamedNode, ...]) -> Iterator[Node]:
        broken = {(b.focus, b.value) for constraint in qualified.constraints for b in self._breaks[constraint]}
        for node in self._targets(kinds):
            quads = self._store.quads_for_pattern(node, qualified.path, None, self._graph)
            if sum((node, quad.object) not in broken for quad in quads) < qualified.least:
                yield node

    def _targets(self, kinds: tuple[NamedNode, ...]) -> dict[Node, None]:
        if self._members is not None:
            return dict.fromkeys(node for kind in kinds for node in self._members[kind])
        quads = (quad for kind in kinds for quad in self._store.quads_for_pattern(None, TYPE, kind, self._graph))
        return dict.fromkeys(quad.subject for quad in quads if isinstance(quad.subject, NamedNode | BlankNode))

    def _broken(self, constraint: Constraint, kinds: tuple[NamedNode, ...]) -> list[_Break]:
        """What breaks a constraint, at nodes of these classes and perhaps at others. Raises `UnknownShapeError`."""
        path, value = constraint.path, constraint.values[0] if constraint.values else None
        nodes: list[NamedNode | None] = [None] if self._members is None else list(self._named(kinds))
        blocks: dict[str, Sequence[sparql.Row | sparql.Term]] = {"?path ?focus": [(path, node) for node in nodes]}
        of_classes = [
            (kind, node) for kind in kinds for node in ([None] if self._members is None else self._members[kind])
        ]
        match constraint.component, value:
            case "minCount", Literal(value="0"):
                return []
            case "minCount", Literal(value="1"):
                return list(dict.fromkeys(self._run("min-count", blocks | {"?class ?focus": of_classes})))
            case "maxCount", Literal(value="0"):
                return self._run("max-count-none", blocks | {"?class ?focus": of_classes})
            case "maxCount", Literal():
                most = int(value.value)
                counts = next(self._solutions("count", blocks))
                if counts["nodes"] == counts["values"]:  # told at half the cost, and mostly so
                    return []
                return self._run("max-count", blocks, lambda row: int(row["number"].value) > most)
            case "nodeKind", NamedNode(value=kind) if kind == f"{SH}IRI":
                return self._run("node-kind-iri", blocks)
            case "datatype", NamedNode(value=datatype) if datatype in _DATATYPES:
                return self._run(_DATATYPES[datatype], blocks)
            case "class", NamedNode():
                return self._run("class", blocks | {"?class ?focus": of_classes, "?kind": [value]})
            case "in", _:
                return self._run("in", blocks | {"?value": _bindable(constraint)})
            case "languageIn", _:
                return self._run("language-in", blocks | {"?range": _bindable(constraint)})
            case "uniqueLang", Literal(value=truth):
                return self._run("unique-lang", blocks) if truth == "true" else []
            case "lessThan" | "lessThanOrEquals", NamedNode():
                others = [(value, node) for node in nodes]
                return self._run(_PAIRS[constraint.component], blocks | {"?other ?focus": others})
            case "minInclusive" | "maxInclusive", Literal():
                return self._run(_LIMITS[constraint.component], blocks | {"?limit": [value]})
            case "pattern", Literal():
                return self._unlike(re.compile(value.value), path, blocks, nodes)
        raise UnknownShapeError(
            f"sh:{constraint.component} {' '.join(map(str, constraint.values))} on {path} "
            "is a constraint that the validation of a load cannot check"
        )

    def _named(self, kinds: tuple[NamedNode, ...]) -> dict[NamedNode, None]:
        members = self._members or {}
        return dict.fromkeys(node for kind in kinds for node in members[kind])

    def _unlike(
        self,
        pattern: re.Pattern[str],
        path: NamedNode,
        blocks: dict[str, Sequence[sparql.Row | sparql.Term]],
        nodes: list[NamedNode | None],
    ) -> list[_Break]:
        """Match a pattern here: the engine compiles one that is bound by VALUES anew for every row."""
        found: list[_Break] = []
        asked = set(nodes)
        for row in self._solutions("values", blocks):
            value = row["value"]
            if isinstance(value, BlankNode) or not pattern.search(value.value):
                at = [quad.subject for quad in self._store.quads_for_pattern(None, path, value, self._graph)]
                named = (node for node in at if isinstance(node, NamedNode | BlankNode))
                found += [_Break(node, value) for node in named if asked == {None} or node in asked]
        return found

    def _run(
        self,
        name: str,
        blocks: dict[str, Sequence[sparql.Row | sparql.Term]],
        keep: Callable[[dict[str, Term]], bool] = lambda row: True,
    ) -> list[_Break]:
        rows = (row for row in self._solutions(name, blocks) if keep(row))
        return [_Break(node, row.get("value")) for row in rows if not isinstance(node := row["focus"], Literal)]

    def _solutions(self, name: str, blocks: dict[str, Sequence[sparql.Row | sparql.Term]]) -> Iterator[dict[str, Term]]:
        text = sparql.query(f"shapes/{name}")
        for variables, rows in blocks.items():
            text = sparql.bind(text, variables, rows)
        solutions = self._store.query(text, default_graph=self._graph)
        assert isinstance(solutions, QuerySolutions)
        names = [variable.value for variable in solutions.variables]
        for solution in solutions:
            yield {name: term for name in names if (term := solution[name]) is not None}


def _bindable(constraint: Constraint) -> list[NamedNode | Literal]:
    return [value for value in constraint.values if not isinstance(value, BlankNode)]


def _constraints(shape: NodeShape) -> Iterator[Constraint]:
    """The constraints of a shape that are asked of all its nodes: of alternatives those of the first."""
    for property_shape in shape.properties:
        yield from property_shape.constraints
        for qualified in property_shape.qualified:
            yield from qualified.constraints
    for alternatives in shape.alternatives:
        yield from _constraints(alternatives[0])
