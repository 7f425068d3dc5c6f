"""What a mapping says, as RDF: sides with their days, committees found by IRI before their label."""

from pyoxigraph import NamedNode

from loaders import institution
from mappings import Mapping
from tests.loaders.parliament import BASE, MAPPING, NAMES, SOURCE, Parliament


def test_sides_are_dated_memberships_in_a_collaboration_for_each_government(parliament: Parliament) -> None:
    assert parliament.rows(
        "SELECT ?member ?side ?from ?until WHERE { ?s a emi:SideMembership ; org:member ?member ; org:role ?side ;"
        " org:organization id:collaboration\\/valdoria-7-g1 ; emi:from ?from . OPTIONAL { ?s emi:until ?until } }"
    ) == [
        ("cgm1", "opposition", "2024-02-01", None),
        ("gr1", "external-support", "2024-10-01", None),
        ("gr1", "opposition", "2024-01-12", "2024-09-30"),
        ("gr2", "majority", "2024-01-12", None),
    ]


def test_a_group_that_changes_side_has_two_stances(parliament: Parliament) -> None:
    stances = parliament.values("SELECT ?s WHERE { ?s a emi:SideMembership ; org:member group:gr1 }")
    assert stances == ["gr1-g1-20240112", "gr1-g1-20241001"]


def test_the_mixed_group_has_no_side_and_none_is_assumed_F10(parliament: Parliament) -> None:
    assert parliament.values("SELECT ?s WHERE { ?s a emi:SideMembership ; org:member group:gr3 }") == []


def test_committees_are_found_by_iri_or_by_label(parliament: Parliament) -> None:
    assert parliament.rows("SELECT ?organ ?word WHERE { ?organ emi:keyword ?word }") == [
        ("o1", "pesca"),
        ("o1", "porti"),
        ("o2", "processo penale"),
    ]


def test_the_iri_of_a_committee_wins_over_a_label_that_another_bears_F8() -> None:
    stated = {"organ": f"{SOURCE}organo.rdf/o1", "label": "COMMISSIONE", "keywords": ["pesca"]}
    mapping = Mapping.model_validate({**MAPPING.model_dump(by_alias=True), "committee": [stated]})
    names = type(NAMES)(BASE, mapping)
    quads = institution.quads(names, {"COMMISSIONE": NamedNode(f"{SOURCE}organo.rdf/o9")})
    words = [quad.subject.value for quad in quads if quad.predicate.value.endswith("#keyword")]
    assert words == [f"{SOURCE}organo.rdf/o1"]


def test_a_committee_that_is_not_in_the_data_gets_no_words() -> None:
    quads = list(institution.quads(NAMES, {}))
    assert {quad.subject.value for quad in quads if quad.predicate.value.endswith("#keyword")} == {
        f"{SOURCE}organo.rdf/o1"
    }


def test_the_chamber_has_its_titles_and_its_licence(parliament: Parliament) -> None:
    assert parliament.rows(
        "SELECT ?label WHERE { id:chamber\\/valdoria-7 a org:Organization ; skos:prefLabel ?label ;"
        " dcterms:license <https://creativecommons.org/publicdomain/zero/1.0/> }"
    ) == [("Valdoria (invented parliament)",), ("Valdoria (parlamento inventato)",)]
