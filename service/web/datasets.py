"""The corpus to take away: dumps with checksums, and its description as a page, as DCAT and as VoID."""

import base64
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, current_app, redirect, render_template, request, send_file
from flask.blueprints import BlueprintSetupState
from flask_babel import gettext
from pyoxigraph import NamedNode, Triple
from werkzeug.wrappers import Response as AnyResponse

from service.corpus import Manifest, read_manifest
from service.publication.description import Described, describe_catalogue, describe_dataset, examples
from service.publication.dumps import EVERYTHING, MOST_GRAPHS, Content, GraphName, graph_key, names, stream
from service.publication.keeper import Keeper, Ready
from service.publication.licence import licence
from service.publication.making import SUFFIX, Dump
from service.publication.vocabulary import curie
from service.resources import forms
from service.web.admission import client_of_request
from service.web.negotiation import HTML, RDF_FORMS, Form, beside, choose, vary
from service.web.problems import Problem
from service.web.site import Site, site

blueprint = Blueprint("datasets", __name__)

KEEPER: Final = "emiciclo publication"
WAIT_SECONDS: Final = 5.0
"""How long a request waits for what is being made; then it gets what there is."""
FRESH_SECONDS: Final = 300
STREAMS: Final = 4
"""Dumps that are made as they are read, at once, where no file of them can be kept."""
SHOWN: Final = 40
"""Classes, and properties, in the tables of the page."""
_GZIP: Final = "application/gzip"
_streams: Final = threading.BoundedSemaphore(STREAMS)


@blueprint.record
def _keep(state: BlueprintSetupState) -> None:
    state.app.extensions[KEEPER] = Keeper()


def ready(version: Path, wait: float = 0.0) -> Ready:
    """Dumps and statistics of the published version, as far as they are made after so many seconds."""
    keeper: Keeper = current_app.extensions[KEEPER]
    return keeper.get(version, wait)


@blueprint.get("/data")
def data() -> AnyResponse:
    """The corpus: a page, or its DCAT description."""
    form = choose((HTML, *RDF_FORMS), default=HTML)
    here, version = site(), site().data.published()
    corpus = _described(here, version)
    body = _page(corpus) if form is HTML else _written(tuple(describe_catalogue(corpus)), form)
    response = _respond(body, form, corpus)
    _link(response, "/data", (HTML, *RDF_FORMS), form)
    response.headers.add("Link", '</void>; rel="describedby"')
    return response.make_conditional(request)


@blueprint.get("/void")
def void() -> AnyResponse:
    """The VoID description; people are sent to the page."""
    form = choose((*RDF_FORMS, HTML))
    if form is HTML:
        redirection = _see_other("/data")
        redirection.vary.add("Accept")
        return redirection
    here, version = site(), site().data.published()
    corpus = _described(here, version)
    response = _respond(_written(tuple(describe_dataset(corpus)), form), form, corpus)
    _link(response, "/void", RDF_FORMS, form)
    response.headers.add("Link", '</data>; rel="describedby"')
    return response.make_conditional(request)


@blueprint.get("/.well-known/void")
def well_known() -> AnyResponse:
    """Where the VoID description is."""
    query = request.query_string.decode("latin-1")
    return _see_other(f"/void?{query}" if query else "/void")


@blueprint.get("/dumps")
@blueprint.get("/dumps/")
def listing() -> AnyResponse:
    """The dumps are listed with the data."""
    return _see_other("/data#dumps")


@blueprint.get(f"/dumps/<name>{SUFFIX}")
def dump(name: str) -> AnyResponse:
    """One dump: a file where it is made, or else made as it is read. A client has a few under way at most."""
    leave = site().admission.enter(client_of_request())
    try:
        response = _dump(name)
    except BaseException:
        leave()
        raise
    # A file that is passed through to the server is closed there, and what is to be called at its end is not.
    response.direct_passthrough = False
    response.call_on_close(leave)
    return response


def _dump(name: str) -> AnyResponse:
    version = site().data.published()
    manifest = read_manifest(version)
    publication = ready(version, WAIT_SECONDS).publication
    response: AnyResponse
    if publication:
        found = _named(name, publication.dumps)
        asked = request.range
        if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
            # Several parts at once, or nothing that makes sense: the whole, as HTTP lets a server answer.
            request.environ.pop("HTTP_RANGE", None)
        response = send_file(
            publication.path(found),
            mimetype=_GZIP,
            conditional=True,
            etag=found.sha256,
            last_modified=datetime.fromisoformat(manifest.loaded_at),
            max_age=FRESH_SECONDS,
        )
        digest = base64.b64encode(bytes.fromhex(found.sha256)).decode()
        response.headers["Repr-Digest"] = f"sha-256=:{digest}:"
    else:
        response = _streamed(name, version, manifest)
    response.cache_control.no_transform = True
    response.headers["X-Corpus-Version"] = manifest.version
    response.headers["Link"] = '</data>; rel="describedby"'
    return response


@blueprint.get(f"/dumps/<name>{SUFFIX}.sha256")
def checksum(name: str) -> AnyResponse:
    """The checksum of a dump, as `sha256sum --check` reads it."""
    made = ready(site().data.published(), WAIT_SECONDS)
    if made.publication is None:
        if made.statistics:
            raise Problem(404, gettext("no checksums are kept here: the folder of the data cannot be written"))
        raise Problem(
            503, gettext("the checksums are being made; ask again in a minute"), headers={"Retry-After": "60"}
        )
    found = _named(name, made.publication.dumps)
    response = Response(f"{found.sha256}  {found.name}{SUFFIX}\n", mimetype="text/plain")
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    response.set_etag(f"{found.sha256}-sum")
    return response.make_conditional(request)


def _see_other(path: str) -> AnyResponse:
    return redirect(path, HTTPStatus.SEE_OTHER)


def _named(name: str, dumps: Sequence[Dump]) -> Dump:
    for found in dumps:
        if found.name == name:
            return found
    raise _no_dump(name)


def _no_dump(name: str) -> Problem:
    return Problem(404, gettext("there is no dump %(name)s; /data lists those there are", name=f"{name[:80]}{SUFFIX}"))


def _streamed(name: str, version: Path, manifest: Manifest) -> Response:
    content = Content.open(version)
    found = content.graphs()
    wanted: tuple[GraphName, ...] = found
    if name != EVERYTHING:
        by_name = _by_name(found)
        if name not in by_name:
            raise _no_dump(name)
        wanted = (by_name[name],)
    response = Response(mimetype=_GZIP)
    response.automatically_set_content_length = False
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    response.set_etag(f"{version.name}-{name}")
    response.last_modified = datetime.fromisoformat(manifest.loaded_at)
    response.make_conditional(request)
    if response.status_code == HTTPStatus.OK and request.method == "GET":
        if not _streams.acquire(blocking=False):
            raise Problem(
                503,
                gettext("other dumps are being made just now; ask again in a minute"),
                headers={"Retry-After": "60"},
            )
        # Given back at the end of the dump, or where it is given up or never begun; once in any case.
        place = ExitStack()
        place.callback(_streams.release)
        response.response = _held(stream(content, wanted), place)
        response.call_on_close(place.close)
    return response


def _held(blocks: Iterator[bytes], place: ExitStack) -> Iterator[bytes]:
    with place:
        yield from blocks


def _by_name(found: tuple[GraphName, ...]) -> dict[str, GraphName]:
    """The graphs that have a dump of their own."""
    return {name: graph for graph, name in names(found).items()} if len(found) <= MOST_GRAPHS else {}


def _described(here: Site, version: Path) -> Described:
    made = ready(version, WAIT_SECONDS)
    manifest = read_manifest(version)
    if made.publication:
        dumps = made.publication.dumps
        graphs_ = {dump.name: dump.graph for dump in dumps if dump.graph is not None}
    else:
        dumps = ()
        graphs_ = {name: graph_key(graph) for name, graph in _by_name(Content.open(version).graphs()).items()}
    try:
        NamedNode(here.root)
    except ValueError as error:
        raise Problem(400, gettext("the Host header of the request makes no address")) from error
    return Described(manifest, here.root, dumps, graphs_, made.statistics, licence(here.graph, manifest))


@lru_cache(maxsize=2 * len(RDF_FORMS))
def _written(triples: tuple[Triple, ...], form: Form) -> bytes:
    """A description in a form. A corpus of thousands of sources takes seconds to write, so both are kept."""
    return forms.WRITERS[form.name](triples)


def _page(corpus: Described) -> str:
    counts = corpus.statistics.everything if corpus.statistics else None
    return render_template(
        "dataset/data.html",
        described=corpus,
        everything=EVERYTHING,
        made={dump.name: dump for dump in corpus.dumps},
        listed=[(EVERYTHING, None), *corpus.graphs.items()],
        suffix=SUFFIX,
        counts=counts,
        classes=counts.class_usage[:SHOWN] if counts else (),
        properties=counts.property_usage[:SHOWN] if counts else (),
        examples=examples(counts) if counts else (),
        curie=curie,
        shortened=_shortened,
        size=_size,
        forms=RDF_FORMS,
    )


def _shortened(iri: str) -> str:
    """An IRI by its short name, or by the last two steps of its path."""
    short = curie(iri)
    steps = iri.rsplit("/", 2)
    return f"…/{steps[1]}/{steps[2]}" if short == iri and len(steps) == 3 and steps[1] else short


def _size(count: int) -> tuple[float, str]:
    """A number of bytes in a unit that suits it."""
    size, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return round(size, 1 if size < 10 else 0), unit


def _respond(body: str | bytes, form: Form, corpus: Described) -> Response:
    response = Response(body, mimetype=form.media_type)
    response.headers["X-Corpus-Version"] = corpus.manifest.version
    complete = corpus.statistics is not None and form is not HTML
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}" if complete else "no-cache"
    vary(response, "Accept")
    response.add_etag()
    return response


def _link(response: Response, path: str, offered: Sequence[Form], served: Form) -> None:
    for form in beside(offered, served):
        response.headers.add("Link", f'<{path}?format={form.name}>; rel="alternate"; type="{form.media_type}"')
