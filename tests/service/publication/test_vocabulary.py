"""What the pages of the vocabularies show is what the Turtle files say."""

import re

import pytest
import rdflib
from rdflib.namespace import OWL, RDF, RDFS, SKOS

import ontology
from ontology import EMI
from service.publication.vocabulary import curie, read_ontology, read_schemes, read_shapes, text, triples


def graph(name: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=ontology.read(name), format="turtle")


def test_every_term_is_there_once_with_both_labels_and_a_definition() -> None:
    found = read_ontology()
    terms = (*found.classes, *found.object_properties, *found.datatype_properties)
    defined = {str(term) for term in graph("emiciclo.ttl").subjects(RDFS.isDefinedBy, None)}
    assert sorted(term.iri for term in terms) == sorted(defined)
    assert len(found.classes) == len(set(graph("emiciclo.ttl").subjects(RDF.type, OWL.Class)))
    for term in terms:
        assert set(term.label) == set(term.definition) == {"en", "it"}, term.name
        assert re.fullmatch(r"\w+", term.name)


def test_a_term_tells_its_place() -> None:
    (speech,) = (term for term in read_ontology().classes if term.name == "Speech")
    assert f"{ontology.OCD}intervento" in speech.matches
    assert f"{ontology.SCHEMA}CreativeWork" in speech.parents
    assert f"{EMI}speaker" in speech.users
    (start,) = (term for term in read_ontology().datatype_properties if term.name == "from")
    assert f"{ontology.ORG}Membership" in start.domain
    assert start.range == (f"{ontology.XSD}date",)


@pytest.mark.parametrize("name", ["topics.ttl", "schemes.ttl"])
def test_every_concept_is_in_its_scheme_with_what_is_above_and_below(name: str) -> None:
    source = graph(name)
    for scheme in read_schemes(name):
        expected = {str(concept) for concept in source.subjects(SKOS.inScheme, rdflib.URIRef(scheme.iri))}
        assert set(scheme.concepts) == expected
        assert scheme.top
        reached, waiting = set(), [concept.iri for concept in scheme.top]
        while waiting:
            iri = waiting.pop()
            reached.add(iri)
            waiting += scheme.concepts[iri].narrower
        assert reached == expected
        listed = [concept.iri for _, concepts in scheme.alphabet("it") for concept in concepts]
        assert sorted(listed) == sorted(expected)
    assert {s.iri for s in read_schemes(name)} == {str(s) for s in source.subjects(RDF.type, SKOS.ConceptScheme)}


def test_the_names_of_concepts_are_fragments_of_their_page() -> None:
    for scheme in read_schemes("topics.ttl"):
        assert all(re.fullmatch(r"[\w-]+", concept.name) for concept in scheme.concepts.values())


def test_every_shape_says_of_what_it_holds_and_what_it_asks() -> None:
    shapes = {shape.name: shape for shape in read_shapes()}
    assert f"{EMI}Speech" in shapes["Speech"].targets
    assert any("org:member" in message for message in shapes["Membership"].messages)
    assert all(shape.messages for shape in shapes.values())


@pytest.mark.parametrize("name", [*ontology.FILES, "shapes.ttl"])
def test_triples_are_those_of_the_file_with_blank_nodes_that_stay(name: str) -> None:
    assert len(set(triples(name))) == len(graph(name))
    triples.cache_clear()
    assert triples(name) == triples(name)
    first = triples(name)
    triples.cache_clear()
    assert triples(name) == first


@pytest.mark.parametrize(("iri", "short"), [
    (f"{EMI}Speech", "emi:Speech"),
    ("http://dati.camera.it/ocd/atto", "ocd:atto"),
    ("http://dati.camera.it/ocd/persona.rdf/p1", "http://dati.camera.it/ocd/persona.rdf/p1"),
    (f"{ontology.TOPIC}prisons", "topic:prisons"),
    (f"{ontology.DCTERMS}title", "dcterms:title"),
    (EMI, EMI),
    ("javascript:alert(1)", "javascript:alert(1)"),
])  # fmt: skip
def test_an_iri_is_shortened_where_its_namespace_is_known(iri: str, short: str) -> None:
    assert curie(iri) == short


def test_a_text_is_given_in_the_language_asked_for_or_in_another() -> None:
    assert text({"it": "seduta", "en": "sitting"}, "it") == "seduta"
    assert text({"it": "seduta", "en": "sitting"}, "fr") == "sitting"
    assert text({"it": "seduta"}, "fr") == "seduta"
    assert text({}, "it") == ""
