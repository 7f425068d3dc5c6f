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
    called: tuple[str, ...] = ()
    """Other names for `?format=`, by which libraries ask whatever the endpoint: SPARQLWrapper, Virtuoso's clients."""

    def means(self, name: str) -> bool:
        """Whether `?format=` with this name asks for the form."""
        return name in (self.name, self.media_type, *self.called, *self.also)


TURTLE: Final = Form("text/turtle", "ttl", ("application/x-turtle", "text/n3", "text/rdf+n3"), ("turtle", "n3"))
N_TRIPLES: Final = Form("application/n-triples", "nt", ("text/plain",), ("ntriples", "n-triples"))
JSON_LD: Final = Form("application/ld+json", "jsonld", ("application/json",), ("json-ld", "json"))
RDF_XML: Final = Form("application/rdf+xml", "rdf", ("application/xml", "text/xml"), ("rdf+xml", "xml"))
TRIG: Final = Form("application/trig", "trig")
N_QUADS: Final = Form("application/n-quads", "nq", called=("nquads", "n-quads"))
JSON: Final = Form("application/json", "json")
HTML: Final = Form("text/html", "html", ("application/xhtml+xml",), ("text/x-html+tr",))
AUTO: Final = "auto"
"""What Virtuoso's form sends as `format` where nothing is chosen."""
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
    if wanted and wanted != AUTO:
        for form in forms:
            if form.means(wanted):
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


def beside(offered: Sequence[Form], served: Form | None) -> list[Form]:
    """The forms to link as alternates of the one that is served.

    Beside JSON-LD that is the page alone, or one other form: PyLD, which most JSON-LD in Python is read
    with, fails on an answer that links several.
    """
    others = [form for form in offered if form is not served]
    return ([form for form in others if form is HTML] or others)[:1] if served is JSON_LD else others


def vary(response: Response, *headers: str) -> Response:
    """Say that a response depends on these request headers."""
    response.vary.update(headers or ("Accept",))
    return response
