"""The prefixes that queries may use without declaring them, as on the Virtuoso endpoints that people come from."""

from difflib import get_close_matches
from typing import Final

import ontology

PREFIXES: Final[dict[str, str]] = {
    # The Chamber, and what is used with it
    "ocd": ontology.OCD,
    "osr": "http://dati.senato.it/osr/",
    "ods": "http://lod.xdams.org/ontologies/ods/",
    "eli": "http://data.europa.eu/eli/ontology#",
    "eli-dl": "http://data.europa.eu/eli/eli-draft-legislation-ontology#",
    "eurovoc": "http://eurovoc.europa.eu/",
    "bio": "http://purl.org/vocab/bio/0.1/",
    "rel": "http://purl.org/vocab/relationship/",
    # Emiciclo
    "emi": ontology.EMI,
    "role": ontology.ROLE,
    "capacity": ontology.CAPACITY,
    "side": ontology.SIDE,
    "topic": ontology.TOPIC,
    # W3C and ISO
    "dcat": ontology.DCAT,
    "dctype": "http://purl.org/dc/dcmitype/",
    "fn": "http://www.w3.org/2005/xpath-functions#",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "grddl": "http://www.w3.org/2003/g/data-view#",
    "ldp": "http://www.w3.org/ns/ldp#",
    "math": "http://www.w3.org/2000/10/swap/math#",
    "oa": ontology.OA,
    "org": ontology.ORG,
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "qb": "http://purl.org/linked-data/cube#",
    "rdf": ontology.RDF,
    "rdfa": "http://www.w3.org/ns/rdfa#",
    "rdfs": ontology.RDFS,
    "sd": "http://www.w3.org/ns/sparql-service-description#",
    "sh": "http://www.w3.org/ns/shacl#",
    "skos": ontology.SKOS,
    "skosxl": "http://www.w3.org/2008/05/skos-xl#",
    "time": "http://www.w3.org/2006/time#",
    "vann": "http://purl.org/vocab/vann/",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "vcard2006": "http://www.w3.org/2006/vcard/ns#",
    "void": "http://rdfs.org/ns/void#",
    "xf": "http://www.w3.org/2004/07/xpath-functions",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "xsd": ontology.XSD,
    "xsl10": "http://www.w3.org/XSL/Transform/1.0",
    "xsl": "http://www.w3.org/1999/XSL/Transform",
    # Widely used vocabularies
    "cc": "http://creativecommons.org/ns#",
    "dc": ontology.DC,
    "dcterms": ontology.DCTERMS,
    "dct": ontology.DCTERMS,
    "foaf": ontology.FOAF,
    "gn": "http://www.geonames.org/ontology#",
    "gold": "http://purl.org/linguistics/gold/",
    "go": "http://purl.org/obo/owl/GO#",
    "mo": "http://purl.org/ontology/mo/",
    "nci": "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#",
    "obo": "http://www.geneontology.org/formats/oboInOwl#",
    "ogc": "http://www.opengis.net/",
    "ogcgml": "http://www.opengis.net/ont/gml#",
    "ogcgs": "http://www.opengis.net/ont/geosparql#",
    "ogcgsf": "http://www.opengis.net/def/function/geosparql/",
    "ogcgsr": "http://www.opengis.net/def/rule/geosparql/",
    "ogcsf": "http://www.opengis.net/ont/sf#",
    "protseq": "http://purl.org/science/protein/bysequence/",
    "rev": "http://purl.org/stuff/rev#",
    "rss": "http://purl.org/rss/1.0/",
    "schema": ontology.SCHEMA,
    "scovo": "http://purl.org/NET/scovo#",
    "sioc": "http://rdfs.org/sioc/ns#",
    "spdx": "http://spdx.org/rdf/terms#",
    "product": "http://www.buy.com/rss/module/productV2/",
    "sc": "http://purl.org/science/owl/sciencecommons/",
    "umbel": "http://umbel.org/umbel#",
    "umbel-ac": "http://umbel.org/umbel/ac/",
    "umbel-sc": "http://umbel.org/umbel/sc/",
    "uniprot": "http://purl.uniprot.org/",
    # Hubs
    "dbc": "http://dbpedia.org/resource/Category:",
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbpedia": "http://dbpedia.org/resource/",
    "dbpprop": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "category": "http://dbpedia.org/resource/Category:",
    "yago": "http://dbpedia.org/class/yago/",
    "yago-res": "http://yago-knowledge.org/resource/",
    "freebase": "http://rdf.freebase.com/ns/",
    "lod": "http://lod.openlinksw.com/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    # Virtuoso's own: declared, so that what is refused is the function and not the prefix
    "bif": "http://www.openlinksw.com/schemas/bif#",
    "sql": "sql:",
    "virtrdf": "http://www.openlinksw.com/schemas/virtrdf#",
    "virtcxml": "http://www.openlinksw.com/schemas/virtcxml#",
    "a": "http://www.w3.org/2005/Atom",
}
"""Short name to namespace. A declaration in the query wins over it."""


def nearest(prefix: str, known: set[str]) -> str | None:
    """The known prefix that a misspelt one most likely stands for, or None.

    Letters in another order come first ("odc" is "ocd" before it is "dc").
    """
    name = prefix.casefold()
    for candidate in sorted(known):
        if candidate != prefix and sorted(candidate.casefold()) == sorted(name):
            return candidate
    found = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None
