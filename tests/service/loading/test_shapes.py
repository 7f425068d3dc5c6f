"""The validation of a load says what pySHACL says, and refuses shapes that it cannot check."""

from collections.abc import Sequence
from functools import cache

import pyshacl
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, parse
from rdflib.namespace import SH

import ontology
from service.loading.shacl import UnknownShapeError
from service.loading.shapes import validate
from tests.ontology.test_shapes import ANSWER, PREFIXES, RECORD

GRAPH = NamedNode("http://data.example/graph")
X = "http://data.example/"
TEXT = ontology.read("shapes.ttl")
SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://data.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

GOOD = [
    Quad(quad.subject, quad.predicate, quad.object, GRAPH)
    for quad in parse((PREFIXES + RECORD).encode(), format=RdfFormat.TURTLE)
]
PREDICATES = sorted(
    {quad.predicate for quad in GOOD if quad.predicate.value != f"{ontology.RDF}type"}
    | {NamedNode(f"{ontology.EMI}{name}") for name in ("componentAtSpeech", "groupAsPrinted", "officeAsPrinted")},
    key=str,
)
SUBJECTS = sorted({quad.subject for quad in GOOD}, key=str)
XSD = ontology.XSD
OBJECTS: list[NamedNode | Literal] = [
    *[node for node in SUBJECTS if isinstance(node, NamedNode)],
    NamedNode(f"{ontology.CAPACITY}chair"),
    NamedNode(f"{ontology.CAPACITY}deputy"),
    NamedNode(f"{ontology.SIDE}majority"),
    Literal(0),
    Literal(-1),
    Literal(16),
    Literal(1.5),
    Literal("sei", datatype=NamedNode(f"{XSD}integer")),
    Literal("2024-05-30", datatype=NamedNode(f"{XSD}date")),
    Literal("2023-12-31", datatype=NamedNode(f"{XSD}date")),
    Literal("2024-02-31", datatype=NamedNode(f"{XSD}date")),
    Literal(""),
    Literal(" "),
    Literal("parole"),
    Literal("0" * 64),
    Literal("parole", language="it"),
    Literal("altre parole", language="it"),
    Literal("words", language="en"),
    Literal(" ", language="it-ch"),
]


@cache
def _parsed(turtle: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=turtle, format="turtle")


def expected(store: Store, shapes: str = TEXT) -> list[tuple[str, str]]:
    """What pySHACL finds in the graph: the node, and the path with the messages."""
    content = store.dump(format=RdfFormat.N_TRIPLES, from_graph=GRAPH)
    assert content is not None
    data = rdflib.Graph().parse(data=content, format="nt")
    _, report, _ = pyshacl.validate(data, shacl_graph=_parsed(shapes), inference="none", advanced=False)
    found = []
    for result in report.subjects(rdflib.RDF.type, SH.ValidationResult):
        messages = sorted(str(message) for message in report.objects(result, SH.resultMessage))
        path = report.value(result, SH.resultPath) or ""
        found.append((str(report.value(result, SH.focusNode)), " ".join([str(path), *messages]).strip()))
    return sorted(found)


def found(store: Store, focus: Sequence[NamedNode] | None = None, shapes: str = TEXT) -> list[tuple[str, str]]:
    return [(f.subject, f.detail) for f in validate(store, GRAPH, focus, shapes=shapes).findings]


def stored(quads: Sequence[Quad]) -> Store:
    store = Store()
    store.extend(quads)
    return store


ORDERED = {
    NamedNode(f"{base}{name}")
    for base, names in ((ontology.EMI, "from until start end salience"), (ontology.DCAT, "startDate endDate"))
    for name in names.split()
}
DATES = {value for value in OBJECTS if isinstance(value, Literal) and value.datatype.value == f"{XSD}date"}
NUMBERS = {value for value in OBJECTS if isinstance(value, Literal) and value.value in {"0", "-1", "16", "1.5"}}


ILL_FORMED = {
    Literal("2024-02-31", datatype=NamedNode(f"{XSD}date")),
    Literal("sei", datatype=NamedNode(f"{XSD}integer")),
}


def incomparable(predicate: NamedNode, value: NamedNode | Literal) -> bool:
    """What SHACL counts as out of order as it cannot be compared, and rdflib puts in some order all the same."""
    offset = predicate.value.removeprefix(ontology.EMI) in {"start", "end", "salience"}
    others = ILL_FORMED | (DATES if offset else NUMBERS)
    return predicate in ORDERED and (isinstance(value, NamedNode) or value in others)


edits = st.lists(
    st.tuples(st.integers(0, len(GOOD) - 1), st.sampled_from(PREDICATES), st.sampled_from(OBJECTS), st.booleans()),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(edits)
def test_a_record_with_any_faults_is_told_what_pyshacl_tells(
    changes: list[tuple[int, NamedNode, NamedNode | Literal, bool]],
) -> None:
    quads = set(GOOD)
    for number, predicate, value, replaced in changes:
        one = GOOD[number]
        if replaced:
            quads.discard(one)
        kept = one.predicate if number % 2 and one.predicate.value != f"{ontology.RDF}type" else predicate
        if not incomparable(kept, value):
            quads.add(Quad(one.subject, kept, value, GRAPH))
    store = stored(list(quads))
    said = found(store)
    assert said == expected(store)
    some = [node for node in SUBJECTS[::2] if isinstance(node, NamedNode)]
    assert found(store, some) == [finding for finding in said if NamedNode(finding[0]) in some]


EVERY = [
    ("sh:minCount 1", "", 1),
    ("sh:maxCount 1", ':p "a" , "b"', 1),
    ("sh:maxCount 2", ':p "a" , "b" , "c"', 1),
    ("sh:maxCount 0", ':p "a"', 1),
    ("sh:nodeKind sh:IRI", ':p "a" , :b , []', 2),
    ("sh:datatype xsd:integer", ':p 1 , "1" , "one"^^xsd:integer , 1.5 , :b', 4),
    ("sh:datatype xsd:date", ':p "2024-05-09"^^xsd:date , "2024-05-09" , "2024-02-31"^^xsd:date', 2),
    ("sh:datatype xsd:string", ':p "a" , "a"@it , 1 , :b', 3),
    ("sh:class :Kind", ":p :kind , :other", 1),
    ('sh:in ( :b "a" )', ':p :b , "a" , "a"@it , "c"', 2),
    ('sh:pattern "^[ab]+$"', ':p "ab" , "c" , []', 2),
    ("sh:lessThan :q", ":p 1 , 5 ; :q 3 , 5", 2),
    ("sh:lessThanOrEquals :q", ":p 1 , 5 ; :q 3 , 5", 1),
    ("sh:minInclusive 2", ':p 1 , 2 , "a"', 2),
    ("sh:maxInclusive 2.5", ":p 2 , 3", 1),
    ("sh:uniqueLang true", ':p "a"@it , "b"@IT , "c"@en , "d" , "e"', 1),
    ('sh:languageIn ( "it" )', ':p "a"@it , "b"@it-CH , "c"@en , "d"', 2),
    ('sh:qualifiedValueShape [ sh:languageIn ( "it" ) ] ; sh:qualifiedMinCount 2', ':p "a"@it , "b"@en', 1),
]


@pytest.mark.parametrize(("constraint", "values", "number"), EVERY)
def test_each_constraint_is_checked_as_pyshacl_checks_it(constraint: str, values: str, number: int) -> None:
    shapes = f"{SHAPES} :Shape a sh:NodeShape ; sh:targetClass :T , :U ; sh:property [ sh:path :p ; {constraint} ;"
    shapes += ' sh:message "Repair :p."@en ] .'
    data = f"{SHAPES} :a a :T , :U {'; ' if values else ''}{values} . :kind a :Kind . :beside :p 1 , :c ; :q 0 ."
    store = stored(
        [Quad(q.subject, q.predicate, q.object, GRAPH) for q in parse(data.encode(), format=RdfFormat.TURTLE)]
    )
    assert found(store, shapes=shapes) == expected(store, shapes) == [(f"{X}a", f"{X}p Repair :p.")] * number
    assert found(store, [NamedNode(f"{X}a")], shapes) == [(f"{X}a", f"{X}p Repair :p.")] * number
    assert found(store, [NamedNode(f"{X}beside")], shapes) == []


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ("sh:property [ sh:path :p ; sh:minLength 1 ]", "sh:minLength"),
        ("sh:property [ sh:path :p ; sh:minCount 2 ]", "sh:minCount"),
        ("sh:property [ sh:path :p ; sh:datatype xsd:gYear ]", "sh:datatype"),
        ("sh:property [ sh:path :p ; sh:nodeKind sh:Literal ]", "sh:nodeKind"),
        ("sh:property [ sh:path [ sh:inversePath :p ] ; sh:minCount 1 ]", "sh:path"),
        ('sh:property [ sh:path :p ; sh:pattern "a" ; sh:flags "i" ]', "sh:flags"),
        (
            "sh:property [ sh:path :p ; sh:qualifiedValueShape [ sh:class :K ] ; sh:qualifiedMaxCount 1 ]",
            "sh:qualified",
        ),
        ("sh:closed true", "sh:closed"),
        ("sh:severity sh:Warning", "sh:severity"),
        ("sh:targetNode :a", "sh:targetNode"),
    ],
)
def test_a_shape_that_cannot_be_checked_is_refused(stated: str, named: str) -> None:
    shapes = f"{SHAPES} :Shape a sh:NodeShape ; sh:targetClass :T ; {stated} ."
    with pytest.raises(UnknownShapeError, match=named):
        found(
            stored([Quad(NamedNode(f"{X}a"), NamedNode(f"{ontology.RDF}type"), NamedNode(f"{X}T"), GRAPH)]),
            None,
            shapes,
        )


def test_the_shapes_of_answers_are_refused_where_a_load_holds_an_answer() -> None:
    quads = parse((PREFIXES + ANSWER).encode(), format=RdfFormat.TURTLE)
    with pytest.raises(UnknownShapeError, match="sh:path"):
        found(stored([Quad(q.subject, q.predicate, q.object, GRAPH) for q in quads]))


def test_what_cannot_be_compared_is_out_of_order() -> None:
    until = [q for q in GOOD if q.predicate == NamedNode(f"{ontology.EMI}until")]
    wrong = Literal("2024-06-31", datatype=NamedNode(f"{XSD}date"))
    told = found(
        stored([*(q for q in GOOD if q not in until), Quad(until[0].subject, until[0].predicate, wrong, GRAPH)])
    )
    assert [subject for subject, _ in told] == [f"{X}membership"] * 2
    assert any("Correct the days" in detail for _, detail in told)


def test_the_class_of_a_value_may_be_stated_in_another_graph_and_no_other_fact() -> None:
    elsewhere = NamedNode(f"{X}elsewhere")
    period = [Quad(q.subject, q.predicate, q.object, elsewhere) for q in GOOD if q.subject == NamedNode(f"{X}period")]
    rest = [q for q in GOOD if q.subject != NamedNode(f"{X}period")]
    assert found(stored(rest + period)) == []
    assert [subject for subject, _ in found(stored(rest))] == [f"{X}membership"]
