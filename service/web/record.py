"""What the pages of the record have in common: documents of lists, the forms, the headers, short addresses."""

from collections.abc import Callable
from typing import Any, Final, Literal
from urllib.parse import urlencode

from flask import Response, current_app, redirect, request, url_for
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from werkzeug.wrappers import Response as AnyResponse

from service.record.register import Register, register
from service.resources.generic import Page
from service.resources.names import Names
from service.resources.wording import gettext
from service.web.language import language
from service.web.negotiation import HTML, JSON_LD, RDF_FORMS, Form, beside, vary
from service.web.problems import Problem
from service.web.site import Site

CONTEXT: Final = "https://w3id.org/emiciclo/context.jsonld"
OFFERED: Final = (JSON_LD, HTML)
OF_A_THING: Final = (JSON_LD, HTML, *(form for form in RDF_FORMS if form is not JSON_LD))
"""The forms of what is one resource; those other than JSON-LD and HTML are at /resource."""


class Described(BaseModel):
    """A node of a document, with the names of the JSON-LD context."""

    model_config = ConfigDict(populate_by_name=True, alias_generator=to_camel, extra="forbid")


class Document(Described):
    """A whole document."""

    context: str = Field(default=CONTEXT, alias="@context")


class PageView(Described):
    """Which page of a list this is."""

    id: str
    type: Literal["PartialCollectionView"] = "PartialCollectionView"
    first: str
    previous: str | None = None
    next: str | None = None
    last: str


def view_of(page: Page[Any], here: Site) -> PageView:
    """The pages of a list, each at its address; the query is that of this request."""

    def address(number: int) -> str:
        kept = [(name, value) for name, value in request.args.items(multi=True) if name not in ("page", "lang")]
        query = urlencode([*kept, *([("page", number)] if number > 1 else [])])
        return here.url(request.path) + (f"?{query}" if query else "")

    return PageView(
        id=address(page.number),
        first=address(1),
        previous=address(page.before) if page.before else None,
        next=address(page.after) if page.after else None,
        last=address(page.pages),
    )


def known(here: Site) -> Register:
    """The people and the sittings of the corpus that is published. Raises `Problem` 404 where that is no parliament."""
    lists = lists_of(here)
    if lists is None:
        raise Problem(404, gettext("no parliament is loaded here, but plain RDF; ask it at /sparql"))
    return lists


def lists_of(here: Site) -> Register | None:
    """The people and the sittings of the corpus that is published; None where that is plain RDF."""
    manifest = here.manifest
    return register(here.graph, manifest.version) if manifest.kind == "parliament" else None


def names_of(lists: Register, here: Site) -> Names:
    """Names in the language of this request."""
    return Names(here.graph, language(), lists.chamber)


def served(
    form: Form, offered: tuple[Form, ...], document: Callable[[], Document], page: Callable[[], str]
) -> Response:
    """The response in the form that was chosen, with its headers."""
    if form is HTML:
        body = page()
    else:
        told = document().model_dump(mode="json", by_alias=True, exclude_none=True)
        body = current_app.json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    response = Response(body, mimetype=form.media_type)
    # A page comes in the language of a cookie.
    response.headers["Cache-Control"] = "no-cache" if form is HTML else "public, max-age=300"
    arguments = [(name, value) for name, value in request.args.items(multi=True) if name not in ("format", "lang")]
    for other in beside(offered, form):
        address = urlencode([*arguments, ("format", other.name)])
        response.headers.add("Link", f'<{request.path}?{address}>; rel="alternate"; type="{other.media_type}"')
    # Labels come in the reader's language in each form.
    vary(response, "Accept", "Accept-Language", "Cookie")
    response.headers["Content-Language"] = language()
    response.add_etag()
    response.make_conditional(request)
    return response


def elsewhere(iri: str, form: Form) -> AnyResponse | None:
    """303 to the description of a resource, for the forms of RDF that are made there."""
    if form in (HTML, JSON_LD):
        return None
    response = redirect(url_for("resources.resource", iri=iri, format=form.name), 303)
    response.vary.add("Accept")
    return response
