"""Linked data: every IRI that is held dereferences, as a page for people and as RDF for programs."""

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlencode

from flask import Blueprint, Response, make_response, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from pyoxigraph import NamedNode, Triple
from werkzeug.urls import iri_to_uri, uri_to_iri
from werkzeug.wrappers import Response as AnyResponse

import ontology
from service.errors import DataError
from service.resources import forms
from service.resources.description import LONGEST_IRI, TooLargeError, describe, is_held, parse_iri
from service.resources.kept import KeptAnswers
from service.resources.names import as_day
from service.resources.wording import elided, gettext
from service.web import resource_page
from service.web.negotiation import HTML, RDF_FORMS, Form, beside, choose, vary
from service.web.problems import Problem
from service.web.site import EXTENSION, Site, site

blueprint = Blueprint("resources", __name__)

OFFERED: Final = (HTML, *RDF_FORMS)
FRESH_SECONDS: Final = 300
_ROOT: Final = ontology.EMI.removesuffix("ns#")
_SCHEMES: Final = ("role", "capacity", "side", "topic", "kind", "evidence", "stage")
_SAFE: Final = "/:@!$&'()*+,;=~-._"


blueprint.add_app_template_test(resource_page.external, "external")
blueprint.add_app_template_filter(as_day, "isoday")
blueprint.add_app_template_filter(elided, "elided")


@blueprint.record
def _routes(state: BlueprintSetupState) -> None:
    """Serve the namespaces at their paths: `/id/…`, where the corpus puts it, and those of the schemes."""
    served: Site = state.app.extensions[EXTENSION]
    minted = {"/id/"}
    with suppress(DataError):  # nothing is loaded yet; what is loaded later is served at /id/
        minted.add(served.namespace_path)
    for n, prefix in enumerate(sorted(minted)):
        state.add_url_rule(
            f"{prefix}<path:path>", f"minted{n}", _minted, defaults={"prefix": prefix}, merge_slashes=False
        )
    for scheme in _SCHEMES:
        for rule in (f"/{scheme}/", f"/{scheme}/<path:path>"):
            state.add_url_rule(rule, f"{scheme}{len(rule)}", _concept, defaults={"scheme": scheme}, merge_slashes=False)


def _minted(path: str, prefix: str) -> AnyResponse:
    return _see_other(site().manifest.base_iri, path, prefix)


def _concept(scheme: str, path: str = "") -> AnyResponse:
    return _see_other(f"{_ROOT}{scheme}/", path, f"/{scheme}/")


def _see_other(namespace: str, path: str, prefix: str) -> AnyResponse:
    """303 to the description of what a path below a namespace names."""
    here = site()
    kept: KeptAnswers | None = None
    for candidate in _candidates(namespace, path, prefix):
        if not is_held(candidate, here.graph):
            kept = kept or KeptAnswers.open(here.data.answers)
            if not kept or not kept.describe(candidate):
                continue
        arguments = {name: value for name, value in request.args.items() if name != "iri"}
        place = _answer_page(candidate.value, here, arguments) or address(candidate.value, **arguments)
        response = make_response(redirect(place, HTTPStatus.SEE_OTHER))
        vary(response, "Accept")
        _link_alternates(response, candidate.value)
        return response
    if f"{namespace}{path}".startswith(f"{here.manifest.base_iri}graph/"):
        return redirect("/data", HTTPStatus.SEE_OTHER)
    raise _not_held(f"{namespace}{path}")


def _answer_page(iri: str, here: Site, arguments: dict[str, str]) -> str | None:
    """The path of an answer, which has a page of its own; None for anything else."""
    answers = f"{here.manifest.base_iri}answer/"
    if not iri.startswith(answers):
        return None
    path = f"/answers/{quote(iri.removeprefix(answers), safe='')}"
    return f"{path}?{urlencode(arguments)}" if arguments else path


def _candidates(namespace: str, path: str, prefix: str) -> Iterator[NamedNode]:
    """The IRIs that a path may stand for: as it was sent, with letters of any script as they are, percent-encoded."""
    sent = str(request.environ.get("REQUEST_URI") or request.environ.get("RAW_URI") or "").split("?", 1)[0]
    before, found, after = sent.partition(prefix)
    raw = after if found and before in ("", request.script_root) else quote(path, safe=_SAFE)
    seen: set[str] = set()
    for tail in (raw, uri_to_iri(raw), iri_to_uri(uri_to_iri(raw))):
        iri = namespace + tail
        if iri not in seen:
            seen.add(iri)
            try:
                yield parse_iri(iri)
            except ValueError:
                continue


@blueprint.get("/resource")
def resource() -> AnyResponse:
    """What is held about `iri`, in the form that the client prefers."""
    here = site()
    iri = _asked()
    if here.runner and iri.value in here.runner.graphs() and not is_held(iri, here.graph):
        # A graph, which the page of the data is about.
        wanted = request.args.get("format")
        return redirect("/data" + (f"?{urlencode({'format': wanted})}" if wanted else ""), HTTPStatus.SEE_OTHER)
    form = choose(OFFERED, default=HTML)
    body = _page(iri, here) if form is HTML else _rdf(iri, form, here)
    response = Response(body, mimetype=form.media_type)
    response.headers["X-Corpus-Version"] = here.manifest.version
    response.headers["Content-Location"] = address(iri.value, format=form.name)
    # A page may show what was quoted since, and comes in the language of a cookie.
    response.headers["Cache-Control"] = "no-cache" if form is HTML else f"public, max-age={FRESH_SECONDS}"
    _link_alternates(response, iri.value, form)
    vary(response, "Accept")
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.app_template_global("resource_url")
def address(iri: str, **arguments: str) -> str:
    """The path at which an IRI is described on this site."""
    return f"{url_for('resources.resource')}?{urlencode({'iri': iri, **arguments})}"


def _asked() -> NamedNode:
    text = request.args.get("iri", "").strip()
    if not text:
        raise Problem(400, gettext("name the resource to describe: /resource?iri=http://…, percent-encoded"))
    try:
        return parse_iri(text)
    except ValueError as error:
        shown = text if len(text) <= LONGEST_IRI else f"{text[:80]}…"
        raise Problem(
            400,
            gettext(
                "%(iri)s is not an absolute IRI: %(reason)s. Give it whole, from http:// on, and percent-encoded",
                iri=shown,
                reason=str(error),
            ),
        ) from error


def _rdf(iri: NamedNode, form: Form, here: Site) -> bytes:
    try:
        triples = _description(iri, here)
        if not triples:
            raise _not_held(iri.value)
        return forms.WRITERS[form.name](triples)
    except TooLargeError as error:
        raise _too_large(error) from error
    except forms.NotExpressibleError as error:
        others = ", ".join(other.name for other in RDF_FORMS if other is not form)
        raise Problem(406, f"{error}; forms that can: {others}", title="Not acceptable") from error


def _description(iri: NamedNode, here: Site) -> tuple[Triple, ...]:
    triples = describe(iri, here.graph)
    if triples:
        return triples
    kept = KeptAnswers.open(here.data.answers)
    return kept.describe(iri) if kept else ()


def _page(iri: NamedNode, here: Site) -> str:
    try:
        page = resource_page.render(iri, here)
    except TooLargeError as error:
        raise _too_large(error) from error
    if page is None:
        raise _not_held(iri.value)
    return page


def _too_large(error: TooLargeError) -> Problem:
    return Problem(
        413,
        f"{error}; ask /sparql for the part that you need, with a LIMIT, or take the dumps at /data",
        title="Too large to describe",
    )


def _not_held(iri: str) -> Problem:
    return Problem(
        404,
        gettext("nothing is held here about %(iri)s; check its spelling, or look for it with /sparql", iri=iri),
    )


def _link_alternates(response: Response, iri: str, served: Form | None = None) -> None:
    for form in beside(OFFERED, served):
        response.headers.add("Link", f'<{address(iri, format=form.name)}>; rel="alternate"; type="{form.media_type}"')
    response.headers.add("Link", f'<{iri_to_uri(iri)}>; rel="about"')
