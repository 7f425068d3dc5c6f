"""The example queries over HTTP: as pages with a search, as JSON for the console, as RDF, and one by one as files."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final

from flask import Blueprint, Response, json, render_template, request
from flask_babel import gettext
from pyoxigraph import Triple
from werkzeug.wrappers import Response as AnyResponse

from service.examples import (
    DESCRIPTIONS,
    LICENCE,
    PATH,
    TAGS,
    TITLES,
    Example,
    as_document,
    as_rdf,
    example_as_rdf,
    examples,
)
from service.resources import forms
from service.web.language import DEFAULT, language
from service.web.negotiation import HTML, JSON, RDF_FORMS, Form, beside, choose, vary
from service.web.problems import Problem
from service.web.site import site

blueprint = Blueprint("examples", __name__)

QUERY: Final = Form("application/sparql-query", "rq")
FRESH_SECONDS: Final = 3600
_FORM_NAMES: Final = {
    "json": "JSON", "rq": "SPARQL", "ttl": "Turtle", "jsonld": "JSON-LD", "nt": "N-Triples", "rdf": "RDF/XML",
}  # fmt: skip
LONGEST_SEARCH: Final = 200
"""Characters of a search that are looked at."""


@blueprint.get(f"/{PATH}")
def collection() -> AnyResponse:
    """The examples that have a tag (`?tag=`) and certain words (`?q=`), in the form that the client prefers."""
    form = choose((JSON, HTML, *RDF_FORMS))
    tag, words = request.args.get("tag", ""), request.args.get("q", "")[:LONGEST_SEARCH]
    if tag and tag not in TAGS:
        raise Problem(
            400, gettext("there is no tag %(tag)s; known: %(known)s", tag=tag[:LONGEST_SEARCH], known=", ".join(TAGS))
        )
    chosen = tuple(example for example in examples() if (not tag or tag in example.tags) and has_words(example, words))
    match form.name:
        case HTML.name:
            body: str | bytes = _list(chosen, tag, words)
        case JSON.name:
            body = json.dumps([_member(example) for example in chosen], indent=1) + "\n"
        case _:
            body = _rdf(as_rdf(site().root, chosen), form)
    return _response(body, form, (HTML, JSON, *RDF_FORMS))


@blueprint.get(f"/{PATH}/<name>")
def one(name: str) -> AnyResponse:
    """An example: its file, its page or its RDF, as the client prefers."""
    offered = (QUERY, HTML, *RDF_FORMS)
    example, form = _named(name), choose(offered)
    match form.name:
        case HTML.name:
            body: str | bytes = render_template("examples/one.html", example=example, forms=offered, **_frame())
        case QUERY.name:
            body = example.text
        case _:
            body = _rdf(example_as_rdf(example, site().root), form)
    return _response(body, form, offered)


@blueprint.get(f"/{PATH}/<name>.rq")
def file(name: str) -> AnyResponse:
    """The file of an example, whatever the client prefers."""
    return _response(_named(name).text, QUERY, ())


def has_words(example: Example, words: str) -> bool:
    """Whether each word stands in the titles, descriptions, tags or name, accents and case aside."""
    tags = (word for tag in example.tags for word in (tag, TAGS[tag]))
    said = _plain(" ".join((example.name, *example.titles.values(), *example.descriptions.values(), *tags)))
    return all(word in said for word in _plain(words).split())


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _named(name: str) -> Example:
    known = {example.name: example for example in examples()}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3)
    asked = name[:LONGEST_SEARCH]
    if near:
        raise Problem(
            404, gettext("there is no example %(name)s; did you mean %(near)s?", name=asked, near=", ".join(near))
        )
    raise Problem(404, gettext("there is no example %(name)s; all are listed at %(list)s", name=asked, list=f"/{PATH}"))


def _member(example: Example) -> dict[str, Any]:
    return {**as_document(example), "url": site().url(f"{PATH}/{example.name}")}


def _rdf(triples: Sequence[Triple], form: Form) -> bytes:
    return forms.WRITERS[form.name](triples)


def _list(chosen: Sequence[Example], tag: str, words: str) -> str:
    frame = _frame()
    counts = Counter(tag for example in examples() for tag in example.tags)
    return render_template(
        "examples/list.html",
        examples=sorted(chosen, key=lambda example: example.titles[frame["spoken"]]),
        title=TITLES[frame["spoken"]],
        description=DESCRIPTIONS[frame["spoken"]],
        counts=sorted(counts.items(), key=lambda pair: frame["tag_name"](pair[0]).casefold()),
        forms=(JSON, *RDF_FORMS),
        tag=tag,
        words=words,
        **frame,
    )


def _frame() -> dict[str, Any]:
    """What both pages say in the reader's language."""
    spoken = language() if language() in TITLES else DEFAULT
    return {
        "spoken": spoken,
        "tag_name": lambda tag: TAGS[tag] if spoken == "it" else tag.replace("sparql-", "SPARQL "),
        "form_name": lambda name: _FORM_NAMES[name],
        "licence": LICENCE,
    }


def _response(body: str | bytes, form: Form, offered: Sequence[Form]) -> AnyResponse:
    response = Response(body, mimetype=form.media_type)
    # A page comes in the language of a cookie and tells what is loaded.
    response.headers["Cache-Control"] = "no-cache" if form is HTML else f"public, max-age={FRESH_SECONDS}"
    for other in beside(offered, form):
        address = f"{request.path}?format={other.name}"
        response.headers.add("Link", f'<{address}>; rel="alternate"; type="{other.media_type}"')
    if offered:
        vary(response, "Accept")
    response.add_etag()
    return response.make_conditional(request)
