"""The shapes: a good record conforms, and each planted fault is told at its resource."""

from functools import cache

import pyshacl
import pytest
import rdflib
from rdflib.namespace import SH

import ontology

PREFIXES = """
@prefix : <http://data.example/> . @prefix emi: <https://w3id.org/emiciclo/ns#> .
@prefix capacity: <https://w3id.org/emiciclo/capacity/> . @prefix side: <https://w3id.org/emiciclo/side/> .
@prefix role: <https://w3id.org/emiciclo/role/> . @prefix org: <http://www.w3.org/ns/org#> .
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dcterms: <http://purl.org/dc/terms/> .
@prefix schema: <http://schema.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix kind: <https://w3id.org/emiciclo/kind/> .
@prefix evidence: <https://w3id.org/emiciclo/evidence/> . @prefix oa: <http://www.w3.org/ns/oa#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
"""
HASH = "0" * 64
RECORD = f"""
:sitting a emi:Sitting ; emi:date "2024-05-09"^^xsd:date ; emi:number 12 ; emi:partOf :chamber .
:debate a emi:Debate ; emi:partOf :sitting ; emi:order 1 ; dcterms:title "Il ponte"@it ; emi:discusses :act .
:phase a emi:Phase ; emi:partOf :debate ; emi:order 1 .
:speech a emi:Speech ; emi:partOf :phase ; emi:sitting :sitting ; emi:order 1 ; emi:date "2024-05-09"^^xsd:date ;
  schema:text "Siamo contrari."@it ; emi:sha256 "{HASH}" ; dcterms:source <http://data.example/t#1> ;
  emi:speaker :person ; emi:capacity capacity:member ; emi:groupAtSpeech :group ; emi:sideAtSpeech side:opposition .
:chunk a emi:Chunk ; emi:partOf :speech ; emi:order 0 ; emi:start 0 ; emi:end 15 ; emi:salience 0.9 .
:group a emi:Group ; skos:prefLabel "Gruppo"@it .
:membership a org:Membership ; org:member :person ; org:organization :group ; org:role role:member ;
  emi:from "2024-01-10"^^xsd:date ; emi:until "2024-06-01"^^xsd:date ; org:memberDuring :period .
:period a dcterms:PeriodOfTime ; dcat:startDate "2024-01-10"^^xsd:date ; dcat:endDate "2024-06-01"^^xsd:date .
:stance a org:Membership , emi:SideMembership ; org:member :group ; org:organization :majority ;
  org:role side:opposition ; emi:from "2024-01-10"^^xsd:date ; org:memberDuring :open .
:open a dcterms:PeriodOfTime ; dcat:startDate "2024-01-10"^^xsd:date .
"""
ANSWER = """
:answer a emi:Answer ; emi:question :question ; emi:referenceDate "2024-06-01"^^xsd:date ;
  emi:section :section , :silent ; emi:expert :expert .
:section a emi:Section ; emi:kind kind:opposition ; emi:evidence evidence:supported ; emi:quotation :quotation .
:silent a emi:Section ; emi:kind kind:majority ; emi:evidence evidence:none .
:quotation a emi:Quotation ; prov:wasQuotedFrom :speech ; oa:hasSource :speech ; emi:verified true ;
  emi:date "2024-05-09"^^xsd:date ; emi:speaker :person ; oa:hasSelector :position , :wording .
:position a oa:TextPositionSelector ; oa:start 0 ; oa:end 15 .
:wording a oa:TextQuoteSelector ; oa:exact "Siamo contrari." .
:expert a emi:ExpertObservation ; emi:speaker :person ; emi:authority 0.5 ; emi:componentActs 0.0 ;
  emi:rank 1 ; emi:rankOf 3 .
"""


@cache
def _shapes() -> rdflib.Graph:
    return rdflib.Graph().parse(data=ontology.read("shapes.ttl"), format="turtle")


def offenders(turtle: str) -> set[str]:
    """The resources that do not conform."""
    data = rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle")
    _, report, _ = pyshacl.validate(data, shacl_graph=_shapes(), inference="none", advanced=False)
    return {str(node).rsplit("/", 1)[-1] for node in report.objects(None, SH.focusNode)}


def test_a_good_record_and_a_good_answer_conform() -> None:
    assert offenders(RECORD + ANSWER) == set()


def test_the_shapes_are_shapes() -> None:
    meta = pyshacl.validate(rdflib.Graph(), shacl_graph=_shapes(), meta_shacl=True)
    assert meta[0], meta[2]


@pytest.mark.parametrize(
    ("old", "new", "offender"),
    [
        ("emi:speaker :person ; emi:capacity capacity:member", "emi:capacity capacity:member", "speech"),
        ("emi:capacity capacity:member", "emi:capacity capacity:deputy", "speech"),
        ("emi:capacity capacity:member", "emi:capacity capacity:member , capacity:government", "speech"),
        ('schema:text "Siamo contrari."@it', 'schema:text " "@it', "speech"),
        ('schema:text "Siamo contrari."@it', 'schema:text "Siamo contrari."', "speech"),
        (HASH, "abc", "speech"),
        ('emi:order 1 ; emi:date "2024-05-09"^^xsd:date', 'emi:order 1 ; emi:date "09/05/2024"', "speech"),
        ("emi:groupAtSpeech :group", "emi:groupAtSpeech :group , :other", "speech"),
        ("emi:sideAtSpeech side:opposition", "emi:sideAtSpeech side:left", "speech"),
        ("emi:groupAtSpeech :group", 'emi:groupAsPrinted ""', "speech"),
        ("emi:partOf :phase", "emi:partOf :phase , :debate", "speech"),
        (":phase a emi:Phase ; emi:partOf :debate", ":phase a emi:Phase ; emi:partOf :sitting", "phase"),
        ("emi:discusses :act", 'emi:discusses "100"', "debate"),
        ("emi:number 12", "emi:number 0", "sitting"),
        ("emi:start 0 ; emi:end 15", "emi:start 15 ; emi:end 15", "chunk"),
        ("emi:start 0", "emi:start -1", "chunk"),
        ("emi:salience 0.9", "emi:salience 1.5", "chunk"),
        ("emi:salience 0.9", 'schema:text "Siamo"@it', "chunk"),
        ('skos:prefLabel "Gruppo"@it', 'skos:prefLabel "Group"@en', "group"),
        ('skos:prefLabel "Gruppo"@it', 'skos:prefLabel "Gruppo"@it , "Altro"@it', "group"),
        ('emi:until "2024-06-01"^^xsd:date', 'emi:until "2024-01-09"^^xsd:date', "membership"),
        ('emi:until "2024-06-01"^^xsd:date', 'emi:until "20240601"', "membership"),
        ("org:role role:member", "org:role role:member , role:chair", "membership"),
        (" ; org:memberDuring :period", "", "membership"),
        ('dcat:endDate "2024-06-01"^^xsd:date', 'dcat:endDate "2023-06-01"^^xsd:date', "period"),
        ("org:role side:opposition", "org:role role:member", "stance"),
    ],
)
def test_a_fault_in_the_record_is_told_F37_F38_F39_F40(old: str, new: str, offender: str) -> None:
    assert old in RECORD
    assert offenders(RECORD.replace(old, new)) == {offender}


def test_an_offset_of_zero_is_legal_F42() -> None:
    assert "emi:start 0" in RECORD
    assert "chunk" not in offenders(RECORD)


def test_the_chair_and_the_unresolved_need_no_speaker() -> None:
    for capacity in ("chair", "unresolved"):
        spoken = RECORD.replace(
            "emi:speaker :person ; emi:capacity capacity:member", f"emi:capacity capacity:{capacity}"
        )
        assert offenders(spoken) == set()


@pytest.mark.parametrize(
    ("old", "new", "offender"),
    [
        ("emi:question :question ; ", "", "answer"),
        (' ; emi:referenceDate "2024-06-01"^^xsd:date', "", "answer"),
        ("emi:kind kind:opposition", "emi:kind kind:left", "section"),
        ("evidence:none", "evidence:none ; emi:quotation :quotation", "silent"),
        ("emi:verified true", "emi:verified false", "quotation"),
        ("oa:hasSource :speech", "oa:hasSource :other", "quotation"),
        ("oa:hasSelector :position , :wording", "oa:hasSelector :position", "quotation"),
        ("oa:start 0 ; oa:end 15", "oa:start 15 ; oa:end 0", "quotation"),
        ('oa:exact "Siamo contrari."', 'oa:exact ""', "quotation"),
        ("emi:authority 0.5", "emi:authority 1.5", "expert"),
        ("emi:rank 1", "emi:rank 4", "expert"),
    ],
)
def test_a_fault_in_an_answer_is_told_F91_F92(old: str, new: str, offender: str) -> None:
    assert old in ANSWER
    assert offenders(RECORD + ANSWER.replace(old, new)) - {"position", "wording"} == {offender}
