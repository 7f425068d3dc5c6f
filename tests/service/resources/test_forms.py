"""The forms of a description say the same: JSON-LD, read back by two processors, equals the Turtle."""

import json
from collections.abc import Sequence
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from pyld import jsonld
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    parse,
)

from ontology import EMI, RDF, XSD
from service.graph import EmbeddedGraph
from service.resources import forms
from service.resources.description import canonical as canonical_double
from service.resources.description import describe
from tests.conftest import Esperia

A = NamedNode("https://parliament.example/id/a")
RDF_TYPE = NamedNode(f"{RDF}type")


def canonical(quads: Sequence[Quad]) -> set[str]:
    """Quads with canonical blank nodes (RDFC-1.0)."""
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return {str(quad) for quad in dataset}


def read(content: bytes, form: RdfFormat) -> set[str]:
    return canonical(list(parse(content, format=form)))


def read_with_pyld(content: bytes) -> set[str]:
    def nothing_is_fetched(url: str, options: object = None) -> None:
        raise AssertionError(f"the document needs {url}")

    n_quads = jsonld.to_rdf(
        json.loads(content), {"format": "application/n-quads", "documentLoader": nothing_is_fetched}
    )
    return read(n_quads.encode(), RdfFormat.N_QUADS)


def of_every_class(esperia: Esperia, each: int) -> list[NamedNode]:
    """Resources of Esperia, some of every class, and those without one."""
    graph = esperia.corpus.graph
    assert isinstance(graph, EmbeddedGraph)
    classed = {
        (str(quad.object), quad.subject)
        for quad in graph.store.quads_for_pattern(None, RDF_TYPE, None)
        if isinstance(quad.subject, NamedNode)
    }
    ordered = sorted(classed, key=lambda pair: (pair[0], pair[1].value))
    found = {
        subject.value for _, group in groupby(ordered, key=lambda pair: pair[0]) for _, subject in list(group)[:each]
    }
    return [NamedNode(iri) for iri in sorted(found)]


def test_the_forms_of_resources_of_every_class_say_the_same(esperia: Esperia) -> None:
    resources = of_every_class(esperia, 25)
    assert len(resources) >= 300
    for resource in resources:
        triples = describe(resource, esperia.corpus.graph)
        assert triples, resource
        stated = canonical([Quad(t.subject, t.predicate, t.object) for t in triples])
        content = forms.json_ld(triples)
        assert read(forms.turtle(triples), RdfFormat.TURTLE) == stated, resource
        assert read_with_pyld(content) == stated, resource
        assert read(content, RdfFormat.JSON_LD) == stated, resource
        assert read(forms.n_triples(triples), RdfFormat.N_TRIPLES) == stated, resource
        assert read(forms.rdf_xml(triples), RdfFormat.RDF_XML) == stated, resource


def test_a_speech_is_compact_with_the_published_terms_and_carries_those_it_uses(esperia: Esperia) -> None:
    graph = esperia.corpus.graph
    speech = graph.select(f"SELECT ?s {{ ?s a <{EMI}Speech> ; <{EMI}speaker> ?p }} ORDER BY ?s LIMIT 1")[0]["s"]
    document = json.loads(forms.json_ld(describe(NamedNode(speech.value), graph)))
    assert document["id"] == speech.value
    assert "Speech" in document["type"]
    assert isinstance(document["date"], str)
    assert document["@context"]["date"] == {"@id": "emi:date", "@type": "xsd:date"}
    assert "question" not in document["@context"]


IRIS = st.sampled_from(
    [
        A,
        NamedNode("https://parliament.example/è/%C3%A8?q=1&r='2'#f"),
        NamedNode("urn:uuid:00000000-0000-0000-0000-000000000001"),
        NamedNode("javascript:alert(1)"),
        NamedNode("mailto:nobody@parliament.example"),
        NamedNode("emi:Speech"),
        NamedNode("schema:text"),
        NamedNode("text:"),
        NamedNode(f"{EMI}Speech"),
        NamedNode("https://w3id.org/emiciclo/capacity/member"),
        NamedNode("https://w3id.org/emiciclo/capacity/"),
        NamedNode(f"{RDF}nil"),
    ]
)
NODES = IRIS | st.sampled_from([BlankNode("a"), BlankNode("b"), BlankNode("c")])
PREDICATES = st.sampled_from(
    [
        RDF_TYPE,
        NamedNode(f"{RDF}first"),
        NamedNode(f"{RDF}rest"),
        NamedNode(f"{RDF}value"),
        NamedNode("http://schema.org/text"),
        NamedNode("http://www.w3.org/2004/02/skos/core#prefLabel"),
        NamedNode(f"{EMI}capacity"),
        NamedNode(f"{EMI}date"),
        NamedNode(f"{EMI}speaker"),
        NamedNode(f"{EMI}filterGroup"),
        NamedNode(f"{EMI}order"),
        NamedNode(f"{EMI}@id"),
        NamedNode("https://parliament.example/p/1"),
    ]
)
TEXTS = st.text(max_size=30) | st.sampled_from(["", "@id", "_:a", "emi:x", "\r\n", "\t ", "</script>", "{}", "INF"])
DATATYPES = st.sampled_from(
    [f"{XSD}{name}" for name in ("decimal", "integer", "boolean", "date", "string", "anyURI")]
    + [f"{RDF}JSON", f"{RDF}HTML", "https://parliament.example/type"]
)
LITERALS = st.one_of(
    TEXTS.map(Literal),
    st.builds(lambda text, tag: Literal(text, language=tag), TEXTS, st.sampled_from(["it", "en-GB", "de-x-test"])),
    st.builds(lambda text, datatype: Literal(text, datatype=NamedNode(datatype)), TEXTS, DATATYPES),
    st.builds(
        lambda text: Literal(text, datatype=NamedNode(f"{XSD}double")),
        # Left out: what PyLD reads as Python does ("nan", "1_0"), and numbers of 17 digits, of which it writes 16.
        st.sampled_from(["1E0", "1.0", "+1", "-0", "INF", "0.1", ".5", "88051E-5", "many"]),
    ),
)
STATEMENTS = st.builds(Triple, NODES, PREDICATES, NODES | LITERALS).map(canonical_double)
DESCRIPTIONS = st.lists(STATEMENTS, min_size=1, max_size=12, unique_by=str)


@given(DESCRIPTIONS)
def test_whatever_a_graph_holds_json_ld_read_back_equals_the_turtle(triples: list[Triple]) -> None:
    stated = read(forms.turtle(triples), RdfFormat.TURTLE)
    content = forms.json_ld(triples)
    assert stated == canonical([Quad(t.subject, t.predicate, t.object) for t in triples])
    assert read_with_pyld(content) == stated
    assert read(content, RdfFormat.JSON_LD) == stated


@given(DESCRIPTIONS)
def test_rdf_xml_is_well_formed_and_equal_or_refused(triples: list[Triple]) -> None:
    try:
        content = forms.rdf_xml(triples)
    except forms.NotExpressibleError:
        return
    etree.fromstring(content)
    assert read(content, RdfFormat.RDF_XML) == canonical([Quad(t.subject, t.predicate, t.object) for t in triples])


@pytest.mark.parametrize("predicate", ["https://parliament.example/p/1", "urn:x:", "https://parliament.example/a(b)"])
def test_rdf_xml_refuses_a_property_that_it_cannot_write_and_names_it(predicate: str) -> None:
    with pytest.raises(forms.NotExpressibleError) as refusal:
        forms.rdf_xml([Triple(A, NamedNode(predicate), Literal("x"))])
    assert predicate in str(refusal.value)


def test_rdf_xml_refuses_control_characters() -> None:
    with pytest.raises(forms.NotExpressibleError, match="label"):
        forms.rdf_xml([Triple(A, NamedNode("http://www.w3.org/2000/01/rdf-schema#label"), Literal("a\x01b"))])


def test_rdf_xml_keeps_carriage_returns() -> None:
    triples = [Triple(A, NamedNode("http://www.w3.org/2000/01/rdf-schema#label"), Literal("a\r\nb"))]
    root = etree.fromstring(forms.rdf_xml(triples))
    assert root[0][0].text == "a\r\nb"


def test_an_iri_that_looks_like_a_short_name_is_not_taken_for_one() -> None:
    triples = [Triple(A, NamedNode(f"{EMI}speaker"), NamedNode("schema:text"))]
    assert read_with_pyld(forms.json_ld(triples)) == read(forms.turtle(triples), RdfFormat.TURTLE)
