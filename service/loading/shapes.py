"""The shapes of the ontology over what a load makes; apart from the checks, as SHACL takes long to import."""

from typing import Any

import pyshacl
import rdflib
from pyoxigraph import Quad, RdfFormat, serialize

import ontology
from service.loading.checks import CheckResult, Finding


def validate(quads: list[Quad]) -> CheckResult:
    """Validate triples against `ontology/shapes.ttl` before they are loaded.

    pySHACL runs over an rdflib graph: over an Oxigraph store it miscounts.
    """
    data = rdflib.Graph()
    content = serialize((quad.triple for quad in quads), format=RdfFormat.N_TRIPLES)
    data.parse(data=content, format="nt")
    for name in ("schemes.ttl",):
        data.parse(data=ontology.read(name), format="turtle")
    shapes = rdflib.Graph().parse(data=ontology.read("shapes.ttl"), format="turtle")
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, inference="none", advanced=False)
    return CheckResult(
        name="shapes",
        title="Shapes of the ontology (SHACL)",
        level="error",
        findings=tuple(sorted(_violations(report), key=lambda f: (f.subject, f.detail))),
    )


def _violations(report: Any) -> list[Finding]:
    shacl = rdflib.Namespace("http://www.w3.org/ns/shacl#")
    found = []
    for result in report.subjects(rdflib.RDF.type, shacl.ValidationResult):
        messages = sorted(str(message) for message in report.objects(result, shacl.resultMessage))
        focus = report.value(result, shacl.focusNode)
        path = report.value(result, shacl.resultPath)
        found.append(Finding(subject=str(focus), detail=f"{path or ''} {' '.join(messages)}".strip()))
    return found
