"""Which form of a resource a client gets: media types, their short names and the choice among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flask import Response, request
from pyoxigraph import RdfFormat

from service.web.problems import Problem, preferred


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which something is served: the media type and what `?format=` calls it."""

    media_type: str
    name: str
    also: tuple[str, ...] = ()
    """Other media types that mean the same when a client asks for them."""


TURTLE: Final = Form("text/turtle", "ttl", ("application/x-turtle",))
N_TRIPLES: Final = Form("application/n-triples", "nt", ("text/plain",))
JSON_LD: Final = Form("application/ld+json", "jsonld", ("application/json",))
RDF_XML: Final = Form("application/rdf+xml", "rdf", ("application/xml", "text/xml"))
HTML: Final = Form("text/html", "html", ("application/xhtml+xml",))
RDF_FORMS: Final = (TURTLE, JSON_LD, N_TRIPLES, RDF_XML)
RDF_FORMATS: Final = {
    TURTLE.media_type: RdfFormat.TURTLE,
    N_TRIPLES.media_type: RdfFormat.N_TRIPLES,
    JSON_LD.media_type: RdfFormat.JSON_LD,
    RDF_XML.media_type: RdfFormat.RDF_XML,
}


def choose(forms: Sequence[Form], *, default: Form | None = None, wanted: str | None = None) -> Form:
    """The form that the client prefers: `wanted` or `?format=` first, then `Accept` with its q-values.

    Without a preference it is `default`, or the first. Raises `Problem` 400 for an unknown
    `format` and 406 where nothing fits.
    """
    wanted = wanted or request.args.get("format")
    if wanted and wanted != "auto":  # which Virtuoso's form sends where nothing is chosen
        for form in forms:
            if wanted in (form.name, form.media_type, *form.also):
                return form
        raise Problem(400, f"there is no format {wanted!r} here; known: {', '.join(form.name for form in forms)}")
    ordered = [default, *(form for form in forms if form is not default)] if default else list(forms)
    if not request.headers.get("Accept"):
        return ordered[0]
    names = {name: form for form in reversed(ordered) for name in (*form.also, form.media_type)}
    # Werkzeug breaks ties by the server's order: main types come before their other names.
    offered = [form.media_type for form in ordered] + [name for form in ordered for name in form.also]
    best = preferred(*offered)
    if best is None:
        raise Problem(406, f"served here: {', '.join(form.media_type for form in ordered)}", title="Not acceptable")
    return names[best]


def vary(response: Response, *headers: str) -> Response:
    """Say that a response depends on these request headers."""
    response.vary.update(headers or ("Accept",))
    return response
