"""The vocabularies at their addresses: ontology, shapes, schemes and thesaurus as pages and as RDF, and the context.

The Turtle that is served is the file itself; the other forms and the pages are made from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

import ontology
from service.publication import vocabulary
from service.publication.vocabulary import curie
from service.resources import forms
from service.web.language import language
from service.web.negotiation import HTML, JSON_LD, RDF_FORMS, TURTLE, Form, beside, choose, vary
from service.web.problems import Problem

blueprint = Blueprint("vocabulary", __name__)

FRESH_SECONDS: Final = 3600
CONTEXT_SECONDS: Final = 24 * 3600
"""Processors fetch the context for every document that they read; a day, as it grows with releases."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the ontology and where it is served."""

    path: str
    file: str
    label: str


ONTOLOGY: Final = Document("/ns", "emiciclo.ttl", "Ontology")
SHAPES: Final = Document("/shapes", "shapes.ttl", "Shapes")
SCHEMES: Final = Document("/schemes", "schemes.ttl", "Concept schemes")
TOPICS: Final = Document("/topics", "topics.ttl", "Thesaurus of topics")
DOCUMENTS: Final = {document.path: document for document in (ONTOLOGY, SHAPES, SCHEMES, TOPICS)}


@blueprint.get("/ns")
@blueprint.get("/shapes")
@blueprint.get("/schemes")
@blueprint.get("/topics")
def document() -> AnyResponse:
    """A vocabulary, in the form that the client prefers."""
    found = DOCUMENTS[request.path]
    offered = (HTML, *RDF_FORMS)
    form = choose(offered, default=HTML)
    if form is HTML and found is SHAPES:
        redirection = redirect("/ns#shapes", HTTPStatus.SEE_OTHER)
        redirection.vary.add("Accept")
        return redirection
    response = Response(_page(found) if form is HTML else _rdf(found.file, form), mimetype=form.media_type)
    # Pages come in the language of a cookie and tell what is loaded.
    response.headers["Cache-Control"] = "no-cache" if form is HTML else f"public, max-age={FRESH_SECONDS}"
    if form is not HTML:
        response.headers["Content-Location"] = f"{found.path}.{form.name}"
    _link(response, found, form)
    vary(response, "Accept")
    response.add_etag()
    return response.make_conditional(request)


@blueprint.get("/<any(ns, shapes, schemes, topics):name>.<any(ttl, nt, jsonld, rdf):suffix>")
def file(name: str, suffix: str) -> AnyResponse:
    """A vocabulary in one form of RDF, whatever the client prefers."""
    found = DOCUMENTS[f"/{name}"]
    form = next(form for form in RDF_FORMS if form.name == suffix)
    response = Response(_rdf(found.file, form), mimetype=form.media_type)
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    _link(response, found, form)
    response.add_etag()
    return response.make_conditional(request)


@blueprint.get("/context.jsonld")
def context() -> AnyResponse:
    """The JSON-LD context of what this service writes."""
    response = Response(ontology.read("context.jsonld").encode(), mimetype=JSON_LD.media_type)
    response.headers["Cache-Control"] = f"public, max-age={CONTEXT_SECONDS}, stale-while-revalidate={CONTEXT_SECONDS}"
    response.add_etag()
    return response.make_conditional(request)


@cache
def _rdf(name: str, form: Form) -> bytes:
    if form is TURTLE:
        return ontology.read(name).encode()
    try:
        return forms.WRITERS[form.name](vocabulary.triples(name))
    except forms.NotExpressibleError as error:
        raise Problem(
            406, gettext("%(form)s cannot carry this file: %(reason)s", form=form.name, reason=str(error))
        ) from error


def _page(document: Document) -> str:
    spoken = language()
    write = {
        "text": partial(_text, spoken),
        "curie": curie,
        "document": document,
        "documents": DOCUMENTS,
        "forms": RDF_FORMS,
    }
    if document is ONTOLOGY:
        return render_template(
            "vocabulary/ontology.html",
            ontology=vocabulary.read_ontology(),
            namespace=ontology.EMI,
            shapes=vocabulary.read_shapes(),
            **write,
        )
    schemes = vocabulary.read_schemes(document.file)
    name = "vocabulary/topics.html" if document is TOPICS else "vocabulary/schemes.html"
    return render_template(name, schemes=schemes, scheme=schemes[0], **write)


def _text(spoken: str, texts: vocabulary.Texts) -> str:
    return vocabulary.text(texts, spoken)


def _link(response: Response, document: Document, served: Form, offered: Sequence[Form] = RDF_FORMS) -> None:
    for form in beside((*offered, HTML), served):
        address = f"{document.path}?format=html" if form is HTML else f"{document.path}.{form.name}"
        response.headers.add("Link", f'<{address}>; rel="alternate"; type="{form.media_type}"')
