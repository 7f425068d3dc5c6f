"""Memberships over HTTP: as W3C ORG, or on request as RDF 1.2 with the membership as reifier."""

from datetime import date
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from flask_babel import gettext
from pyoxigraph import NamedNode, RdfFormat, Triple, serialize
from werkzeug.wrappers import Response as AnyResponse

from service.prefixes import PREFIXES
from service.publication.memberships import Wanted, memberships, reified
from service.resources import forms
from service.resources.description import LONGEST_IRI, is_held, parse_iri
from service.web.negotiation import RDF_FORMS, Form, beside, choose, vary
from service.web.problems import Problem
from service.web.site import site

blueprint = Blueprint("memberships", __name__)

TURTLE_12: Final = Form("text/turtle;version=1.2", "ttl12")
N_TRIPLES_12: Final = Form("application/n-triples;version=1.2", "nt12")
RDF_12: Final = {TURTLE_12: RdfFormat.TURTLE, N_TRIPLES_12: RdfFormat.N_TRIPLES}
OFFERED: Final = (*RDF_FORMS, *RDF_12)
PARAMETERS: Final = ("person", "organization", "on", "after")
FRESH_SECONDS: Final = 300
_PREFIXES: Final = {name: PREFIXES[name] for name in ("emi", "role", "side", "ocd", "org", "rdf", "rdfs", "xsd")}


@blueprint.get("/memberships")
def page() -> AnyResponse:
    """The memberships of a `person`, of an `organization`, `on` a day; 500 a page, with a link to the next."""
    form = choose(OFFERED)
    arguments = _arguments()
    wanted = Wanted(
        member=_iri("person", arguments),
        organization=_iri("organization", arguments),
        day=_day(arguments.get("on")),
        after=after.value if (after := _iri("after", arguments)) else "",
    )
    here = site()
    found = memberships(wanted, here.graph)
    if not found.count:
        for name, iri in (("person", wanted.member), ("organization", wanted.organization)):
            if iri is not None and not is_held(iri, here.graph):
                raise Problem(404, gettext("%(name)s: nothing is held here about %(iri)s", name=name, iri=iri.value))
    response = Response(_written(found.triples, form), content_type=_content_type(form))
    if found.next:
        following = urlencode({**request.args.to_dict(), "after": found.next})
        response.headers.add("Link", f'</memberships?{following}>; rel="next"')
    for other in beside(OFFERED, form):
        address = urlencode({**request.args.to_dict(), "format": other.name})
        response.headers.add("Link", f'</memberships?{address}>; rel="alternate"; type="{other.media_type}"')
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    response.headers["X-Corpus-Version"] = here.manifest.version
    vary(response, "Accept")
    response.add_etag()
    return response.make_conditional(request)


def _arguments() -> dict[str, str]:
    for name in request.args:
        if name not in (*PARAMETERS, "format", "lang"):
            known = ", ".join(PARAMETERS)
            raise Problem(
                400, gettext("there is no parameter %(name)s here; known: %(known)s", name=name[:80], known=known)
            )
        if len(request.args.getlist(name)) > 1:
            raise Problem(400, gettext("the parameter %(name)s is given twice; give it once", name=name))
    return request.args.to_dict()


def _iri(name: str, arguments: dict[str, str]) -> NamedNode | None:
    text = arguments.get(name)
    if text is None:
        return None
    try:
        return parse_iri(text.strip())
    except ValueError as error:
        shown = text if len(text) <= LONGEST_IRI else f"{text[:80]}…"
        raise Problem(
            400,
            gettext(
                "%(name)s: %(iri)s is not an absolute IRI: %(reason)s. Give it whole and percent-encoded",
                name=name,
                iri=shown,
                reason=str(error),
            ),
        ) from error


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    # Python reads other forms of ISO 8601 too, such as weeks.
    if day is None or day.isoformat() != text:
        raise Problem(400, gettext("on: %(day)s is not a day; write it as 2025-09-09", day=text[:80]))
    return day


def _written(triples: tuple[Triple, ...], form: Form) -> bytes:
    if form in RDF_12:
        return serialize(reified(triples), format=RDF_12[form], prefixes=_PREFIXES) or b""
    try:
        return forms.WRITERS[form.name](triples)
    except forms.NotExpressibleError as error:
        raise Problem(406, str(error), title="Not acceptable") from error


def _content_type(form: Form) -> str:
    media_type = form.media_type
    return f"{media_type};charset=utf-8" if media_type.startswith("text/") else media_type
