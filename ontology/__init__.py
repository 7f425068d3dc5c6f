"""Emiciclo's own terms, and the namespaces that every other package writes IRIs with.

The Turtle files beside this module are the source of truth; `read` hands them out as
package data, wherever the distribution is installed.
"""

from importlib.resources import files
from typing import Final

EMI: Final = "https://w3id.org/emiciclo/ns#"
ROLE: Final = "https://w3id.org/emiciclo/role/"
CAPACITY: Final = "https://w3id.org/emiciclo/capacity/"
SIDE: Final = "https://w3id.org/emiciclo/side/"
TOPIC: Final = "https://w3id.org/emiciclo/topic/"

OCD: Final = "http://dati.camera.it/ocd/"
DC: Final = "http://purl.org/dc/elements/1.1/"
DCTERMS: Final = "http://purl.org/dc/terms/"
DCAT: Final = "http://www.w3.org/ns/dcat#"
FOAF: Final = "http://xmlns.com/foaf/0.1/"
OA: Final = "http://www.w3.org/ns/oa#"
ORG: Final = "http://www.w3.org/ns/org#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
SCHEMA: Final = "http://schema.org/"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

FILES: Final = ("emiciclo.ttl", "schemes.ttl", "topics.ttl")
"""What goes into the ontology graph of every store; shapes are read by the validator alone."""


def read(name: str) -> str:
    """Return the text of a file of this package, such as `"topics.ttl"`."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
