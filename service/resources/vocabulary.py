"""Names for the terms of other vocabularies, which come without labels in the graph."""

from typing import Final

from ontology import DC, DCAT, DCTERMS, FOAF, OA, OCD, ORG, RDF, RDFS, SCHEMA, SKOS
from service.resources.names import Names, tail
from service.resources.wording import gettext

_PROV: Final = "http://www.w3.org/ns/prov#"
_SKOSXL: Final = "http://www.w3.org/2008/05/skos-xl#"


def _(message: str) -> str:
    """Mark a message for the catalogue; it is translated when it is used."""
    return message


_TERMS: Final = {
    f"{RDF}type": _("type"),
    f"{RDF}Property": _("Property"),
    f"{RDFS}label": _("label"),
    f"{RDFS}comment": _("comment"),
    f"{RDFS}isDefinedBy": _("defined by"),
    f"{RDFS}subClassOf": _("kind of"),
    f"{RDFS}subPropertyOf": _("narrower than"),
    f"{FOAF}Person": _("Person"),
    f"{FOAF}name": _("name"),
    f"{FOAF}firstName": _("first name"),
    f"{FOAF}surname": _("surname"),
    f"{FOAF}gender": _("gender"),
    f"{FOAF}depiction": _("photograph"),
    f"{DCTERMS}title": _("title"),
    f"{DCTERMS}alternative": _("abbreviation"),
    f"{DCTERMS}description": _("description"),
    f"{DCTERMS}source": _("source"),
    f"{DCTERMS}subject": _("topic"),
    f"{DCTERMS}language": _("language"),
    f"{DCTERMS}license": _("licence"),
    f"{DCTERMS}identifier": _("identifier"),
    f"{DCTERMS}isReferencedBy": _("page at the source"),
    f"{DCTERMS}PeriodOfTime": _("Period"),
    f"{DC}title": _("title as published"),
    f"{DC}date": _("date as published"),
    f"{DC}type": _("kind"),
    f"{DC}identifier": _("number"),
    f"{DC}creator": _("signatory as printed"),
    f"{DC}description": _("description"),
    f"{DCAT}startDate": _("first day"),
    f"{DCAT}endDate": _("last day"),
    f"{SCHEMA}text": _("text"),
    f"{SCHEMA}name": _("name"),
    f"{SCHEMA}about": _("about"),
    f"{ORG}Membership": _("Membership"),
    f"{ORG}Organization": _("Organisation"),
    f"{ORG}OrganizationalCollaboration": _("Sides of the chamber"),
    f"{ORG}Role": _("Role"),
    f"{ORG}member": _("member"),
    f"{ORG}organization": _("organisation"),
    f"{ORG}role": _("role"),
    f"{ORG}memberDuring": _("period"),
    f"{ORG}subOrganizationOf": _("part of"),
    f"{SKOS}Concept": _("Concept"),
    f"{SKOS}ConceptScheme": _("Concept scheme"),
    f"{SKOS}prefLabel": _("name"),
    f"{SKOS}altLabel": _("other name"),
    f"{SKOS}definition": _("definition"),
    f"{SKOS}notation": _("code"),
    f"{SKOS}broader": _("broader"),
    f"{SKOS}narrower": _("narrower"),
    f"{SKOS}related": _("related"),
    f"{SKOS}inScheme": _("scheme"),
    f"{SKOS}hasTopConcept": _("top concept"),
    f"{SKOS}topConceptOf": _("top concept of"),
    f"{SKOS}exactMatch": _("same as"),
    f"{SKOS}closeMatch": _("close to"),
    f"{_SKOSXL}Label": _("Dated name"),
    f"{_SKOSXL}altLabel": _("dated name"),
    f"{_SKOSXL}literalForm": _("wording"),
    f"{OA}hasSelector": _("selector"),
    f"{OA}hasSource": _("quoted speech"),
    f"{OA}start": _("start"),
    f"{OA}end": _("end"),
    f"{OA}exact": _("words"),
    f"{OA}prefix": _("words before"),
    f"{OA}suffix": _("words after"),
    f"{_PROV}wasQuotedFrom": _("quoted from"),
    f"{_PROV}wasGeneratedBy": _("made by"),
    f"{_PROV}wasAssociatedWith": _("carried out by"),
    f"{_PROV}startedAtTime": _("started"),
    f"{_PROV}endedAtTime": _("ended"),
    f"{OCD}primo_firmatario": _("first signatory"),
    f"{OCD}altro_firmatario": _("other signatory"),
    f"{OCD}aderisce": _("membership of a group"),
    f"{OCD}membro": _("membership of a committee"),
    f"{OCD}startDate": _("first day as published"),
    f"{OCD}endDate": _("last day as published"),
    f"{OCD}rif_leg": _("legislature"),
    f"{OCD}rif_gruppoParlamentare": _("group"),
    f"{OCD}rif_organo": _("committee"),
    f"{OCD}rif_deputato": _("deputy"),
    f"{OCD}rif_persona": _("person"),
    f"{OCD}rif_governo": _("government"),
    f"{OCD}rif_mandatoCamera": _("mandate"),
    f"{OCD}rif_membroGoverno": _("office in the government"),
    f"{OCD}rif_incarico": _("office in a group"),
    f"{OCD}rif_ufficioParlamentare": _("office in a committee"),
    f"{OCD}membroGoverno": _("office in the government"),
    f"{OCD}denominazione": _("former name"),
    f"{OCD}siComponeDi": _("membership"),
    f"{OCD}iniziativa": _("initiative"),
    f"{OCD}carica": _("office"),
    f"{OCD}ruolo": _("office"),
    f"{OCD}adesioneGruppo": _("membership of a group"),
    f"{OCD}adesioneGruppoMisto": _("membership of a component"),
    f"{OCD}atto": _("Act"),
    f"{OCD}componenteGruppoMisto": _("component of the mixed group"),
    f"{OCD}deputato": _("deputy"),
    f"{OCD}governo": _("government"),
    f"{OCD}gruppoParlamentare": _("group"),
    f"{OCD}incarico": _("office in a group"),
    f"{OCD}intervento": _("speech"),
    f"{OCD}legislatura": _("legislature"),
    f"{OCD}mandatoCamera": _("mandate"),
    f"{OCD}organo": _("committee"),
    f"{OCD}ufficioParlamentare": _("office in a committee"),
}


def terms(iris: set[str], names: Names) -> dict[str, str]:
    """What properties and classes are called: by their own label, by the list here, or by their IRI's last part."""
    labelled = names.of(iri for iri in iris if iri not in _TERMS)
    called: dict[str, str] = {}
    for iri in iris:
        if iri in _TERMS:
            called[iri] = gettext(_TERMS[iri])
        else:
            name = labelled[iri]
            called[iri] = name.text if name.described else tail(iri).replace("_", " ")
    return called
