"""The ontology: every term that is used is defined, and labelled in both languages."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS

import ontology

ROOT = Path(ontology.__file__).parent.parent
EMI = rdflib.Namespace(ontology.EMI)
PROPERTIES = (OWL.ObjectProperty, OWL.DatatypeProperty, RDF.Property)
FOLDERS = ("service", "loaders", "sparql", "mappings", "ontology")
SCHEMES = {
    ontology.ROLE: {
        "deputy", "member", "substitute", "chair", "vice-chair", "secretary", "quaestor", "group-lead",
        "group-officer", "group-chair", "group-vice-chair", "component-representative", "government-member",
        "prime-minister", "deputy-prime-minister", "minister", "undersecretary", "deputy-minister",
    },
    ontology.CAPACITY: {"chair", "member", "rapporteur", "government", "guest", "unresolved"},
    ontology.SIDE: {"majority", "opposition", "external-support", "none"},
}  # fmt: skip


@cache
def graph(*names: str) -> rdflib.Graph:
    found = rdflib.Graph()
    for name in names or (*ontology.FILES, "shapes.ttl"):
        found.parse(data=ontology.read(name), format="turtle")
    return found


@pytest.mark.parametrize("name", [*ontology.FILES, "shapes.ttl"])
def test_every_file_parses_and_says_something(name: str) -> None:
    assert len(graph(name)) > 100


def _used(pattern: str, *suffixes: str) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                for term in re.findall(pattern, path.read_text(encoding="utf-8")):
                    yield term, path.relative_to(ROOT).as_posix()


def _terms(text: str) -> set[str]:
    return {str(subject).removeprefix(text) for subject in graph().subjects() if str(subject).startswith(text)}


def test_every_term_that_a_query_or_a_shape_uses_is_defined_F35_F41() -> None:
    defined = _terms(ontology.EMI)
    used = dict(_used(r"(?<![\w/])emi:([A-Za-z]\w*)", ".rq", ".ttl"))
    assert len(used) > 40
    assert {term: where for term, where in used.items() if term not in defined} == {}


def test_every_term_that_the_program_writes_is_defined_F35_F41() -> None:
    defined = _terms(ontology.EMI)
    used = dict(_used(r"""(?:_emi\(["']|\bEMI\}|emiciclo/ns\#|(?<![\w/])emi:)(?!term\})([A-Za-z]\w*)""", ".py"))
    assert {"Speech", "identifiedAs", "continues", "salience"} <= used.keys()
    assert {term: where for term, where in used.items() if term not in defined} == {}


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_every_concept_that_is_used_is_in_its_scheme(scheme: str) -> None:
    prefix = scheme.rstrip("/").rsplit("/", 1)[-1]
    used = dict(_used(rf"(?<![\w/]){prefix}:([a-z][a-z\-]*)", ".rq", ".ttl"))
    assert {term: where for term, where in used.items() if term not in _terms(scheme)} == {}


def _own(kind: rdflib.URIRef) -> list[rdflib.term.Node]:
    return sorted(s for s in graph("emiciclo.ttl").subjects(RDF.type, kind) if str(s).startswith(ontology.EMI))


def test_every_term_has_a_label_and_a_comment_in_both_languages() -> None:
    terms = {term for kind in (OWL.Class, *PROPERTIES) for term in _own(kind)}
    assert {f"{ontology.EMI}{term}" for term in _terms(ontology.EMI)} == {str(term) for term in terms}
    for term in terms:
        for predicate in (RDFS.label, RDFS.comment):
            languages = Counter(text.language for text in graph("emiciclo.ttl").objects(term, predicate))
            assert languages == {"en": 1, "it": 1}, (term, predicate)
        assert (term, RDFS.isDefinedBy, rdflib.URIRef(ontology.EMI.rstrip("#"))) in graph("emiciclo.ttl"), term


def test_every_property_says_between_what_it_stands() -> None:
    schema = rdflib.Namespace(ontology.SCHEMA)
    for term in {term for kind in PROPERTIES for term in _own(kind)}:
        assert list(graph("emiciclo.ttl").objects(term, schema.domainIncludes)), term
        assert list(graph("emiciclo.ttl").objects(term, schema.rangeIncludes)), term


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_schemes_are_complete_and_labelled_in_both_languages(scheme: str) -> None:
    concepts = set(graph().subjects(SKOS.inScheme, rdflib.URIRef(scheme)))
    assert {str(concept).removeprefix(scheme) for concept in concepts} == SCHEMES[scheme]
    for concept in concepts:
        assert str(graph().value(concept, SKOS.notation)) == str(concept).removeprefix(scheme)
        for predicate in (SKOS.prefLabel, SKOS.definition):
            assert sorted(text.language for text in graph().objects(concept, predicate)) == ["en", "it"], concept
        assert list(graph().objects(concept, SKOS.topConceptOf)) or list(graph().objects(concept, SKOS.broader)), (
            concept
        )


def test_every_role_has_a_weight_between_nothing_and_one() -> None:
    for role in graph().subjects(SKOS.inScheme, rdflib.URIRef(ontology.ROLE)):
        (weight,) = graph().objects(role, EMI.roleWeight)
        assert weight.datatype == rdflib.XSD.decimal
        assert 0 <= weight.value <= 1


def test_feminine_forms_of_the_ranks_of_government_are_known_F80() -> None:
    labels = {str(label) for label in graph("schemes.ttl").objects(None, SKOS.altLabel)}
    assert {"ministra", "viceministra", "vice ministra", "sottosegretaria"} <= labels


# The thesaurus of topics


def _topics() -> list[rdflib.term.Node]:
    return sorted(graph("topics.ttl").subjects(SKOS.inScheme, rdflib.URIRef(ontology.TOPIC)))


def test_the_thesaurus_holds_at_least_two_hundred_concepts_F44() -> None:
    concepts = _topics()
    assert len(concepts) >= 200
    assert all(str(concept).startswith(ontology.TOPIC) for concept in concepts)
    assert set(concepts) == set(graph("topics.ttl").subjects(RDF.type, SKOS.Concept))


def test_every_topic_reaches_an_area() -> None:
    topics = graph("topics.ttl")
    areas = set(topics.subjects(SKOS.topConceptOf, rdflib.URIRef(ontology.TOPIC)))
    assert areas
    for concept in _topics():
        reached = set(topics.transitive_objects(concept, SKOS.broader))
        assert reached & areas, concept


def test_relations_of_topics_lead_to_topics_and_no_topic_is_its_own_ancestor() -> None:
    topics, known = graph("topics.ttl"), set(_topics())
    for relation in (SKOS.broader, SKOS.related, SKOS.narrower):
        for subject, target in topics.subject_objects(relation):
            assert {subject, target} <= known, (subject, target)
            assert target not in topics.transitive_objects(target, SKOS.broader) or subject != target
    for concept in known:
        parents = set(topics.objects(concept, SKOS.broader))
        assert all(concept not in topics.transitive_objects(parent, SKOS.broader) for parent in parents), concept


def test_every_topic_has_one_preferred_label_in_each_language() -> None:
    for concept in _topics():
        languages = Counter(label.language for label in graph("topics.ttl").objects(concept, SKOS.prefLabel))
        assert languages == {"it": 1, "en": 1}, concept


def test_no_label_belongs_to_two_topics() -> None:
    bearers: dict[tuple[str, str], set[str]] = {}
    for predicate in (SKOS.prefLabel, SKOS.altLabel):
        for concept, label in graph("topics.ttl").subject_objects(predicate):
            bearers.setdefault((label.language, str(label).casefold()), set()).add(
                str(concept).removeprefix(ontology.TOPIC)
            )
    assert {label: concepts for label, concepts in bearers.items() if len(concepts) > 1} == {}


def test_ontology_and_shapes_state_version_and_licence() -> None:
    for name, iri in (("emiciclo.ttl", ontology.EMI.rstrip("#")), ("shapes.ttl", "https://w3id.org/emiciclo/shapes")):
        assert graph(name).value(rdflib.URIRef(iri), OWL.versionInfo)
        assert graph(name).value(rdflib.URIRef(iri), DCTERMS.license)
