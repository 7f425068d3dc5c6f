"""The SPARQL 1.1 Protocol, for queries alone: one implementation for every dataset that the public may query."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO, Final, NamedTuple
from urllib.parse import parse_qsl

from flask import Response, request
from pyoxigraph import BlankNode, QueryResultsFormat, QuerySolutions, Triple, parse_query_results, serialize

from service.partners import PartnerClient, PartnerLimits
from service.prefixes import PREFIXES
from service.queries.federation import EXPANDED, Federation, Solutions, federate, refuse_strangers
from service.queries.reading import ReadQuery, read
from service.queries.refusal import QueryRefused
from service.settings import SparqlSettings
from service.snapshots.runner import IN_MEMORY, QueryAnswer, QueryRequest, QueryRunner
from service.web import console, service_description
from service.web.admission import client_of_request
from service.web.negotiation import AUTO, HTML, N_QUADS, N_TRIPLES, RDF_FORMATS, RDF_FORMS, TRIG, Form, choose, vary
from service.web.problems import Problem, of_refusal, preferred
from service.web.site import site

JSON: Final = Form("application/sparql-results+json", "json", ("application/json",))
XML: Final = Form("application/sparql-results+xml", "xml", ("application/xml", "text/xml"))
CSV: Final = Form("text/csv", "csv", called=("application/vnd.ms-excel",))
TSV: Final = Form("text/tab-separated-values", "tsv")
TABLES: Final = (JSON, XML, CSV, TSV)
GRAPHS: Final = (*RDF_FORMS, TRIG, N_QUADS)

QUERY_TYPE: Final = "application/sparql-query"
UPDATE_TYPE: Final = "application/sparql-update"
FORM_TYPE: Final = "application/x-www-form-urlencoded"
METHODS: Final = "GET, HEAD, POST, OPTIONS"
MOST_GRAPHS: Final = 1000
"""Graphs that the dataset of one request may name."""
BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A dataset that the public may query, and what is told of it."""

    path: str
    """Below the root of the site."""
    runner: Callable[[], QueryRunner]
    settings: Callable[[], SparqlSettings]
    """Its limits, and whom SERVICE may name there."""
    describe: Callable[[], Iterable[Triple]]
    """Its service description."""
    described_by: str
    """The path of the description of its data."""
    place: console.Place
    """Its console."""
    own: Callable[[], Mapping[str, QueryRunner]] = dict
    """Services of this site, by address, that SERVICE may name too: they are asked here and not over the network."""


class Parameters(NamedTuple):
    """What a request of the protocol says."""

    query: str | None
    default_graphs: tuple[str, ...]
    named_graphs: tuple[str, ...]
    format: str | None

    @property
    def dataset(self) -> bool:
        """Whether the request names its own dataset."""
        return bool(self.default_graphs or self.named_graphs)


def options() -> Response:
    """What may be asked at any endpoint."""
    response = Response(status=204)
    response.headers["Allow"] = METHODS
    response.headers["Accept-Post"] = f"{FORM_TYPE}, {QUERY_TYPE}"
    return response


def respond(endpoint: Endpoint) -> Response:
    """Answer a query; without one, describe the service or open the console."""
    asked = _parameters(endpoint)
    if asked.query is None:
        return _without_query(endpoint)
    if request.method != "POST" and asked.format is None and _for_people():
        return vary(console.page(asked.query, endpoint.place))
    try:
        if asked.format and HTML.means(asked.format):  # the console's form without a script, and Virtuoso's links
            with closing(_answer(endpoint, asked, asked.query)) as answer:
                return vary(console.answered(asked.query, answer, endpoint.place))
        return _answer(endpoint, asked, asked.query)
    except QueryRefused as refusal:
        raise of_refusal(refusal, limits=service_description.limits(endpoint.settings())) from refusal


def _for_people() -> bool:
    """Whether a browser navigates here, rather than a program that asks for an answer."""
    return preferred(*(form.media_type for form in (*TABLES, *GRAPHS)), HTML.media_type) == HTML.media_type


def _answer(endpoint: Endpoint, asked: Parameters, query: str) -> Response:
    here, runner, settings = site(), endpoint.runner(), endpoint.settings()
    found = read(query, service_description.query_size(settings))
    form = _form(found, asked.format)
    _refuse_unknown_graphs(found, runner.graphs())
    if found.structure.services:
        refuse_strangers(found.structure, (*settings.partners, *endpoint.own()))
    run = _request(found, form, asked, here.url(endpoint.path))
    lasting = not (found.structure.volatile or found.structure.services)
    tag = _tag(runner.version, run) if lasting else None
    if tag and request.method != "POST" and request.if_none_match.contains_weak(tag):
        return _labelled(Response(status=304), runner.version, tag)
    client = client_of_request()
    leave = here.admission.enter(client)
    try:
        if found.structure.services:
            found = _federated(endpoint, found, asked, client)
            run = replace(run, text=found.text, prefixes=found.prefixes)
        answer = runner.run(run, client)
        response = _body(answer)
    except QueryRefused as refusal:
        leave()
        raise (found.complaint(refusal.detail) if refusal.limit == "syntax" else refusal) from refusal
    except BaseException:
        leave()
        raise
    response.call_on_close(leave)
    # By the version that answered: another may have been published since.
    tag = _tag(answer.version, run) if lasting and request.method != "POST" else None
    return _labelled(response, answer.version, tag)


def _form(found: ReadQuery, wanted: str | None) -> Form:
    forms = GRAPHS if _is_graph(found) else TABLES
    if wanted and HTML.means(wanted):
        return N_TRIPLES if _is_graph(found) else JSON
    return choose(forms, wanted=wanted or AUTO)


def _is_graph(found: ReadQuery) -> bool:
    return found.structure.form in ("CONSTRUCT", "DESCRIBE")


def _request(found: ReadQuery, form: Form, asked: Parameters, base: str) -> QueryRequest:
    structure = found.structure
    shown = {prefix: iri for prefix, iri in (found.prefixes | structure.declared).items() if prefix}
    default, named = (asked.default_graphs, asked.named_graphs) if asked.dataset else structure.dataset
    return QueryRequest(
        text=found.text,
        table=not _is_graph(found),
        media_type=form.media_type,
        base=base,
        prefixes=found.prefixes,
        shown_prefixes=shown,
        default_graphs=default if asked.dataset or structure.graphs else None,
        named_graphs=named,
    )


def _refuse_unknown_graphs(found: ReadQuery, held: tuple[str, ...]) -> None:
    """FROM names a graph that is held here: nothing is ever fetched."""
    for iri, token in found.structure.graphs:
        if iri not in held:
            where = found.structure.at(token)
            raise QueryRefused(
                400,
                f"{where}: no graph <{iri}> is held here, and none is fetched from elsewhere; "
                f"held: {', '.join(f'<{graph}>' for graph in held[:20]) or 'none'}",
                place=where,
                limit="dataset",
            )


def _federated(endpoint: Endpoint, found: ReadQuery, asked: Parameters, client: str) -> ReadQuery:
    """The query with its partners' answers in place. Raises `QueryRefused`."""
    here, runner, settings = site(), endpoint.runner(), endpoint.settings()
    limits = PartnerLimits(settings.partner_seconds, settings.partner_bytes, settings.partner_rows)
    scope = here.url(".well-known/genid/")
    ask = PartnerClient(limits, private=settings.private_partners, scope=scope)

    def local(query: str, of: ReadQuery) -> Solutions:
        run = replace(_request(of, JSON, asked, here.url(endpoint.path)), text=f"{of.declarations}{query}", table=True)
        return _solutions(runner.run(run, client))

    own = endpoint.own()
    size = service_description.query_size(settings)

    def call(address: str, query: str) -> Solutions:
        if address not in own:
            return ask(address, query)
        of = read(query, replace(size, characters=size.characters * EXPANDED))
        return _solutions(
            own[address].run(_request(of, JSON, Parameters(query, (), (), None), here.url(endpoint.path)), client)
        )

    with closing(ask):
        federation = Federation((*settings.partners, *own), settings.partner_keys, call)
        return federate(found, federation, size, local)


def _solutions(answer: QueryAnswer) -> Solutions:
    """The rows of an answer in JSON."""
    with answer.body:
        rows = parse_query_results(answer.body.read(), format=QueryResultsFormat.JSON)
    assert isinstance(rows, QuerySolutions)
    names = [variable.value for variable in rows.variables]
    # A blank node of ours is not one that a partner could know.
    known = (tuple(None if isinstance(row[name], BlankNode) else row[name] for name in names) for row in rows)
    return Solutions(tuple(names), tuple(known))


def _tag(version: str, run: QueryRequest) -> str:
    """The ETag of an answer: the corpus, the query and its form tell it."""
    parts = (version, run.text, run.media_type, run.base, run.default_graphs, run.named_graphs, sorted(run.prefixes))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _body(answer: QueryAnswer) -> Response:
    mimetype = answer.media_type
    if answer.length <= IN_MEMORY:
        with answer.body:
            response = Response(answer.body.read(), mimetype=mimetype)
    else:
        response = Response(_blocks(answer.body), mimetype=mimetype)
        response.content_length = answer.length
        response.call_on_close(answer.body.close)
    if mimetype.startswith("text/"):
        response.headers["Content-Type"] = f"{mimetype}; charset=utf-8"
    response.headers["Server-Timing"] = f"query;dur={answer.seconds * 1000:.1f}"
    return response


def _blocks(body: IO[bytes]) -> Iterator[bytes]:
    while block := body.read(BLOCK):
        yield block


def _labelled(response: Response, version: str, tag: str | None) -> Response:
    response.headers["X-Corpus-Version"] = version
    response.headers["Cache-Control"] = "no-cache" if tag else "no-store"
    if tag:
        response.set_etag(tag, weak=True)
    return vary(response)


def _without_query(endpoint: Endpoint) -> Response:
    """A bare GET: the console for people, the service description for programs."""
    if request.method == "POST":
        raise Problem(
            400, "the form has no field `query`; send query=…, or the query itself as application/sparql-query"
        )
    form = choose((*RDF_FORMS, HTML))
    if form is HTML:
        return vary(console.page(None, endpoint.place))
    shown = {name: PREFIXES[name] for name in ("sd", "void", "dcterms", "rdf", "xsd", "emi")}
    body = serialize(endpoint.describe(), format=RDF_FORMATS[form.media_type], prefixes=shown)
    assert body is not None
    response = Response(body, mimetype=form.media_type)
    response.set_etag(hashlib.sha256(body).hexdigest()[:32], weak=True)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Link"] = f'<{site().url(endpoint.described_by)}>; rel="describedby"'
    vary(response).make_conditional(request)
    return response


def _parameters(endpoint: Endpoint) -> Parameters:
    """What the request says, from its address and its body. Raises `Problem`."""
    pairs = _pairs(request.query_string, "the address")
    query = None
    if request.method == "POST":
        kind = request.mimetype
        if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            raise Problem(415, "the body must be UTF-8")
        if kind == UPDATE_TYPE:
            raise Problem(403, "the endpoint is read-only: it takes no updates")
        if kind == FORM_TYPE:
            pairs += _pairs(_body_sent(endpoint), "the body")
        elif kind == QUERY_TYPE:
            query = _text(_body_sent(endpoint))
        else:
            said = f"the body is {kind}" if kind else "the body has no Content-Type"
            raise Problem(
                415,
                f"{said}; send a query as {QUERY_TYPE}, or a form as {FORM_TYPE}",
                headers={"Accept-Post": f"{FORM_TYPE}, {QUERY_TYPE}"},
            )
    if any(name in ("update", "using-graph-uri", "using-named-graph-uri") for name, _ in pairs):
        raise Problem(403, "the endpoint is read-only: it takes no updates")
    queries = [value for name, value in pairs if name == "query"] + ([query] if query is not None else [])
    if len(queries) > 1:
        raise Problem(400, f"one query a request; {len(queries)} were sent")
    graphs = {
        # Virtuoso's form sends an empty one where nothing is chosen.
        parameter: tuple(dict.fromkeys(value for name, value in pairs if name == parameter and value))
        for parameter in ("default-graph-uri", "named-graph-uri")
    }
    for parameter, named in graphs.items():
        if len(named) > MOST_GRAPHS:
            raise Problem(400, f"{parameter} is given {len(named)} times; {MOST_GRAPHS} are allowed")
        _require_iris(parameter, named)
    # Virtuoso's names for it, which many links carry; empty or "auto" is its form's default.
    formats = [value for name, value in pairs if name in ("format", "output") and value not in ("", "auto")]
    return Parameters(
        queries[0] if queries else None,
        graphs["default-graph-uri"],
        graphs["named-graph-uri"],
        formats[0] if formats else None,
    )


def _body_sent(endpoint: Endpoint) -> bytes:
    """The body of the request. Raises `Problem`."""
    try:
        return site().bodies.read(request.stream, client_of_request())
    except Problem as problem:
        problem.more["limits"] = service_description.limits(endpoint.settings())
        raise


def _require_iris(parameter: str, values: tuple[str, ...]) -> None:
    for value in values:
        if ":" not in value or any(character in value for character in '<>"{}|^`\\') or not value.isprintable():
            raise Problem(400, f"{parameter}: {value[:200]!r} is no absolute IRI")


def _pairs(encoded: bytes, where: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(encoded.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=5000)
    except ValueError as error:
        raise Problem(400, f"{where} is not a form in UTF-8 with percent-encoding: {error}") from error


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(400, f"the query is not UTF-8: byte {error.start} is {body[error.start]:#04x}") from error
