"""`/sparql` by the SPARQL 1.1 Protocol: what is asked, in which forms it is answered, and how it is refused."""

import gzip
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from flask.testing import FlaskClient
from pyoxigraph import QueryResultsFormat, RdfFormat, parse, parse_query_results
from werkzeug.test import TestResponse

from service.settings import Settings, SparqlSettings
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits
from service.web.app import create_app
from tests.conftest import Esperia

FORM, QUERY = "application/x-www-form-urlencoded", "application/sparql-query"
JSON, XML = "application/sparql-results+json", "application/sparql-results+xml"
ASKED = b"ASK {}"
ONE = "SELECT ?x { VALUES ?x { 1 } }"
GRAPH = "CONSTRUCT { <http://a/s> <http://a/p> 1 } WHERE {}"
RDF_TYPES = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/ld+json": RdfFormat.JSON_LD,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/trig": RdfFormat.TRIG,
    "application/n-quads": RdfFormat.N_QUADS,
}
MakeClient = Callable[..., FlaskClient]


class Client(FlaskClient):
    """Reads every response to its end and closes it, as a web server does."""

    def open(self, *args: Any, **how: Any) -> TestResponse:
        return super().open(*args, **({"buffered": True} | how))


@pytest.fixture(scope="module")
def make_client(esperia: Esperia) -> Iterator[MakeClient]:
    """A client of the site over Esperia, with the settings of the endpoint given."""
    with ExitStack() as running:

        def make(version: str = "1", proxies: int = 0, **settings: Any) -> FlaskClient:
            sparql = SparqlSettings(**({"seconds": 1.5, "workers": 2} | settings))
            limits = QueryLimits(sparql.seconds, sparql.rows, sparql.bytes, sparql.memory_mb)
            places = PoolSize(sparql.workers, sparql.long_queries, sparql.long_queries_per_client, sparql.wait_seconds)
            path = (esperia.data / "current" / "graph").resolve()
            pool = QueryPool(lambda: Snapshot(path, version), limits, places)
            running.callback(pool.close)
            chosen = Settings(embedder="hash", sparql=sparql, trusted_proxies=proxies)
            app = create_app(esperia.data, chosen, esperia.corpus.graph, pool)
            app.test_client_class = Client
            return app.test_client()

        yield make


@pytest.fixture(scope="module")
def client(make_client: MakeClient) -> FlaskClient:
    return make_client()


def ask(client: FlaskClient, query: str, accept: str | None = None, **more: Any) -> TestResponse:
    """A query by GET."""
    headers = {"Accept": accept} if accept else {}
    return client.get("/sparql", query_string={"query": query}, headers=headers | more.pop("headers", {}), **more)


def problem(response: TestResponse, status: int) -> dict[str, Any]:
    """The problem document of a refusal."""
    assert (response.status_code, response.mimetype) == (status, "application/problem+json")
    document = response.get_json()
    assert document["status"] == status
    assert document["detail"]
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    return document  # type: ignore[no-any-return]


# The ways of asking


def test_a_query_is_asked_by_get_and_by_both_posts(client: FlaskClient) -> None:
    replies = [
        client.get("/sparql?query=" + quote(ONE)),
        client.post("/sparql", data=urlencode({"query": ONE}), content_type=FORM),
        client.post("/sparql", data=urlencode({"query": ONE}), content_type=f"{FORM}; charset=UTF-8"),
        client.post("/sparql", data=ONE, content_type=QUERY),
        client.post("/sparql", data=ONE, content_type=f"{QUERY}; charset=utf-8"),
    ]
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.data for reply in replies}) == 1
    assert replies[0].get_json()["results"]["bindings"][0]["x"]["value"] == "1"


@pytest.mark.parametrize("encoded", ["%C3%A8+%2B%20%F0%9F%98%80", "è+%2B%20😀"])
def test_text_is_utf_8_with_percent_encoding_or_without(client: FlaskClient, encoded: str) -> None:
    wanted = "è + 😀"
    for response in (
        client.post("/sparql", data=f'query=SELECT+("{encoded}"+AS+?x)+{{}}'.encode(), content_type=FORM),
        ask(client, f'SELECT ("{wanted}" AS ?x) {{}}'),
        client.post("/sparql", data=f'SELECT ("{wanted}" AS ?x) {{}}'.encode(), content_type=QUERY),
    ):
        assert response.get_json()["results"]["bindings"][0]["x"]["value"] == wanted


def test_a_link_of_virtuosos_form_works_as_it_is(client: FlaskClient) -> None:
    chosen = {"default-graph-uri": "", "should-sponge": "", "timeout": "0", "debug": "on", "query": ONE}
    for name, media_type in {
        "auto": "application/sparql-results+json",
        "text/html": "text/html",
        "text/x-html+tr": "text/html",
        "text/csv": "text/csv",
        "application/vnd.ms-excel": "text/csv",
    }.items():
        response = client.get("/sparql", query_string={**chosen, "format": name})
        assert (response.status_code, response.mimetype) == (200, media_type)


def test_graphs_are_asked_for_by_the_names_that_libraries_use(client: FlaskClient) -> None:
    """SPARQLWrapper says the form in three parameters, and in Accept."""
    for name, media_type in {
        "turtle": "text/turtle", "n3": "text/turtle", "rdf+xml": "application/rdf+xml", "xml": "application/rdf+xml",
        "json-ld": "application/ld+json", "json": "application/ld+json",
    }.items():  # fmt: skip
        asked = {
            "query": "CONSTRUCT { <http://a/> <http://b/c> 1 } {}",
            "format": name,
            "output": name,
            "results": name,
        }
        response = client.get("/sparql", query_string=asked)
        assert (response.status_code, response.mimetype) == (200, media_type)


def test_the_name_of_a_graph_leads_to_the_page_of_the_data(client: FlaskClient) -> None:
    found = ask(client, "SELECT ?g { GRAPH ?g {} FILTER(STRSTARTS(STR(?g), 'http')) }").get_json()
    names = [row["g"]["value"] for row in found["results"]["bindings"]]
    assert names
    for name in names:
        response = client.get("/resource", query_string={"iri": name, "format": "ttl"})
        assert (response.status_code, response.headers["Location"]) == (303, "/data?format=ttl")


def test_relative_iris_are_resolved_by_the_address_of_the_endpoint(client: FlaskClient) -> None:
    response = ask(client, "CONSTRUCT { <s> <p> 1 } WHERE {}", "application/n-triples")
    assert response.data.startswith(b"<http://localhost/s> <http://localhost/p> ")


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({"query_string": "query=ASK{}&query=ASK{}"}, 400),
        ({"query_string": "query=ASK{}&query=ASK{}", "method": "POST", "data": "", "content_type": FORM}, 400),
        ({"query_string": "query=ASK{}", "method": "POST", "data": "ASK{}", "content_type": QUERY}, 400),
        ({"query_string": "query=ASK{}", "method": "POST", "data": "query=ASK{}", "content_type": FORM}, 400),
        ({"method": "POST", "data": "query=ASK{}"}, 415),
        ({"method": "POST", "data": "ASK {}"}, 415),
        ({"method": "POST", "data": "ASK {}", "content_type": "text/plain"}, 415),
        ({"method": "POST", "data": "{}", "content_type": "application/json"}, 415),
        ({"method": "POST", "data": "[" * 100_000, "content_type": "application/json"}, 415),
        ({"method": "POST", "data": "ASK {}".encode("utf-16"), "content_type": f"{QUERY}; charset=UTF-16"}, 415),
        ({"method": "POST", "data": "ASK {}".encode("utf-16"), "content_type": QUERY}, 400),
        ({"method": "POST", "data": b"query=\xff", "content_type": FORM}, 400),
        ({"method": "POST", "data": "q=ASK{}", "content_type": FORM}, 400),
        ({"method": "POST", "data": "", "content_type": QUERY}, 400),
        ({"query_string": "query="}, 400),
        ({"query_string": "query=%FF"}, 400),
        ({"query_string": "query=ASK{}" + "&a=1" * 10_000}, 400),
        ({"query_string": "query=ASK{}" + "&default-graph-uri=http://a/%d" * 3000}, 400),
        ({"query_string": "query=ASK{}&default-graph-uri=relative"}, 400),
        ({"query_string": "query=ASK{}&named-graph-uri=http://a/%3E"}, 400),
        ({"query_string": "query=ASK{}&format=nothing"}, 400),
        ({"query_string": "update=DROP+ALL"}, 403),
        ({"query_string": "query=ASK{}&using-graph-uri=http://a/"}, 403),
        ({"method": "POST", "data": "update=DROP+ALL", "content_type": FORM}, 403),
        ({"method": "POST", "data": "DROP ALL", "content_type": "application/sparql-update"}, 403),
        ({"query_string": "query=DROP+ALL"}, 400),
        ({"method": "POST", "data": b"x" * 7_000_000, "content_type": QUERY}, 413),
        ({"method": "PUT", "data": "ASK {}"}, 405),
        ({"method": "DELETE"}, 405),
        ({"method": "PATCH"}, 405),
    ],
)  # fmt: skip
def test_what_is_no_request_of_the_protocol_is_refused(client: FlaskClient, how: dict[str, Any], status: int) -> None:
    problem(client.open("/sparql", **how), status)


def test_a_method_that_is_none_is_told_which_there_are(client: FlaskClient) -> None:
    allowed = {name.strip() for name in client.put("/sparql").headers["Allow"].split(",")}
    assert {"GET", "POST", "HEAD", "OPTIONS"} <= allowed


def test_pages_of_others_may_ask(client: FlaskClient) -> None:
    response = client.options("/sparql", headers={"Origin": "http://b", "Access-Control-Request-Method": "POST"})
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in response.headers["Access-Control-Allow-Methods"]
    assert "Content-Type" in response.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert ask(client, ONE).headers["Access-Control-Allow-Origin"] == "*"


def test_head_is_get_without_its_body(client: FlaskClient) -> None:
    for accept in (JSON, "text/csv"):
        got = ask(client, ONE, accept)
        head = client.head("/sparql", query_string={"query": ONE}, headers={"Accept": accept})
        assert (head.status_code, head.data) == (200, b"")
        for name in ("Content-Type", "Content-Length", "ETag", "Vary"):
            assert head.headers[name] == got.headers[name]


# The forms of answers


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, JSON),
        ("*/*", JSON),
        (XML, XML),
        ("application/xml", XML),
        ("application/json", JSON),
        ("text/csv", "text/csv"),
        ("text/tab-separated-values", "text/tab-separated-values"),
        ("text/csv;q=0.5, text/tab-separated-values;q=0.9", "text/tab-separated-values"),
        ("text/csv;q=0.9, */*;q=0.1", "text/csv"),
        (f"{JSON};q=0, */*", XML),
        ("text/*", "text/csv"),
        ("application/*;q=0.1, text/csv;q=0.05", JSON),
        ("image/png, application/sparql-results+xml;q=0.01", XML),
        ("text/csv; charset=utf-8", "text/csv"),
        ("garbage;;q=x,,text/csv", "text/csv"),
    ],
)
def test_a_table_comes_in_the_form_that_is_accepted(client: FlaskClient, accept: str | None, media_type: str) -> None:
    response = ask(client, ONE, accept)
    assert (response.status_code, response.mimetype) == (200, media_type)
    assert "Accept" in response.headers["Vary"]
    if media_type.startswith("text/"):
        assert response.mimetype_params["charset"].lower() == "utf-8"
    if media_type != "text/csv":
        form = QueryResultsFormat.from_media_type(media_type)
        assert [row["x"].value for row in parse_query_results(response.data, format=form)] == ["1"]


@pytest.mark.parametrize("media_type", RDF_TYPES)
@pytest.mark.parametrize("query", [GRAPH, "DESCRIBE <http://nothing.example/>"])
def test_a_graph_comes_in_the_form_that_is_accepted(client: FlaskClient, media_type: str, query: str) -> None:
    response = ask(client, query, media_type)
    assert (response.status_code, response.mimetype) == (200, media_type)
    quads = list(parse(response.data, format=RDF_TYPES[media_type], base_iri="http://a/"))
    assert len(quads) == (query == GRAPH)


@pytest.mark.parametrize(
    ("query", "accept"), [(ONE, "text/turtle"), (GRAPH, JSON), (ONE, "image/png"), ("ASK {}", "text/css")]
)
def test_what_is_not_served_is_not_acceptable(client: FlaskClient, query: str, accept: str) -> None:
    told = problem(ask(client, query, accept), 406)
    assert "served here" in told["detail"]


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("json", JSON),
        ("xml", XML),
        ("csv", "text/csv"),
        ("tsv", "text/tab-separated-values"),
        (JSON, JSON),
        ("", XML),
        ("auto", XML),
    ],
)
@pytest.mark.parametrize("parameter", ["format", "output"])
def test_a_parameter_chooses_the_form_as_on_other_endpoints(
    client: FlaskClient, parameter: str, name: str, media_type: str
) -> None:
    response = client.get("/sparql", query_string={"query": ONE, parameter: name}, headers={"Accept": XML})
    assert response.mimetype == media_type


def test_an_ask_is_answered_in_every_form_of_tables(client: FlaskClient) -> None:
    for media_type in (JSON, XML):
        form = QueryResultsFormat.from_media_type(media_type)
        assert bool(parse_query_results(ask(client, "ASK {}", media_type).data, format=form)) is True
    assert ask(client, "ASK { FILTER(false) }", "text/csv").data.strip() == b"false"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_an_answer_is_compressed_where_that_is_accepted(client: FlaskClient, coding: str) -> None:
    query = "SELECT * { ?s ?p ?o } LIMIT 300"
    plain = ask(client, query, "text/csv").data
    response = ask(client, query, "text/csv", headers={"Accept-Encoding": coding})
    assert response.headers["Content-Encoding"] == coding
    assert "Accept-Encoding" in response.headers["Vary"]
    assert len(response.data) < len(plain) / 3
    if coding == "gzip":
        assert gzip.decompress(response.data) == plain


# Again and again


def test_an_answer_that_a_client_has_already_is_not_sent_again(client: FlaskClient) -> None:
    first = ask(client, ONE)
    tag = first.headers["ETag"]
    again = ask(client, ONE, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == tag
    assert "Accept" in again.headers["Vary"]
    assert ask(client, ONE, headers={"If-None-Match": '"other"'}).status_code == 200
    assert first.headers["X-Corpus-Version"] == "1"


def test_the_tag_of_an_answer_differs_by_query_form_dataset_and_version(
    client: FlaskClient, make_client: MakeClient
) -> None:
    graph = client.application.extensions["emiciclo"].runner.graphs()[0]
    tags = [
        ask(client, ONE, JSON),
        ask(client, ONE, XML),
        ask(client, ONE + " "),
        client.get("/sparql", query_string={"query": ONE, "default-graph-uri": graph}),
        client.get("/sparql", query_string={"query": ONE, "named-graph-uri": graph}),
        ask(make_client(version="2"), ONE, JSON),
    ]
    assert len({response.headers["ETag"] for response in tags}) == len(tags)


@pytest.mark.parametrize("call", ["NOW()", "RAND()", "UUID()", "STRUUID()", "now()"])
def test_an_answer_that_changes_is_not_kept(client: FlaskClient, call: str) -> None:
    response = ask(client, f"SELECT ({call} AS ?x) {{}}")
    assert response.status_code == 200
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


# The dataset


def test_the_dataset_of_the_request_wins_over_that_of_the_query(client: FlaskClient) -> None:
    graphs = client.application.extensions["emiciclo"].runner.graphs()
    count = "SELECT (COUNT(*) AS ?n) {} WHERE {{ ?s ?p ?o }}"

    def counted(query: str, **dataset: Any) -> int:
        response = client.get("/sparql", query_string={"query": query, **dataset})
        return int(response.get_json()["results"]["bindings"][0]["n"]["value"])

    everything = counted(count.format(""))
    sizes = {graph: counted(count.format(f"FROM <{graph}>")) for graph in graphs}
    assert len(graphs) > 1
    assert 0 < max(sizes.values()) < everything <= sum(sizes.values())
    first, second = sorted(sizes, key=lambda graph: sizes[graph])[-2:]
    assert counted(count.format(f"FROM <{first}>"), **{"default-graph-uri": second}) == sizes[second]
    assert counted(count.format(""), **{"default-graph-uri": [first, second]}) <= sizes[first] + sizes[second]
    named = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    assert counted(named, **{"default-graph-uri": first}) == 0
    assert counted(named, **{"named-graph-uri": first}) == sizes[first]
    assert counted(count.format(""), **{"named-graph-uri": first}) == 0
    assert counted(count.format(""), **{"default-graph-uri": "http://nowhere.example/"}) == 0


@pytest.mark.parametrize("graph", ["http://127.0.0.1:9/data", "file:///etc/passwd", "ftp://a.example/x"])
def test_from_fetches_nothing(client: FlaskClient, graph: str) -> None:
    for kind in ("FROM", "FROM NAMED"):
        told = problem(ask(client, f"SELECT *\n{kind} <{graph}> {{ ?s ?p ?o }}"), 400)
        assert told["line"] == 2
        assert "held" in told["detail"]


# Refusals


def test_a_refusal_tells_place_and_limits(client: FlaskClient) -> None:
    told = problem(ask(client, "SELECT ?x\nWHERE { ?x foaf:name }"), 400)
    assert (told["line"], told["column"]) == (2, 22)
    assert told["limits"]["seconds"] == 1.5
    assert {"rows", "bytes", "workers"} <= told["limits"].keys()
    assert not any("partner" in name or "page" in name for name in told["limits"])
    assert problem(ask(client, "ASK { ?x odc:a ?y }"), 400)["suggestion"] == "ocd:a"


def test_a_query_that_takes_too_long_is_refused_and_may_be_tried_later(client: FlaskClient) -> None:
    response = ask(client, "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c != ?f || ?f != ?i) }")
    assert problem(response, 503)["limit"] == "seconds"
    assert int(response.headers["Retry-After"]) > 0


def test_an_answer_past_a_limit_is_refused_and_never_cut(make_client: MakeClient) -> None:
    for name, value, limit in (("rows", 10, "result_rows"), ("bytes", 1000, "result_bytes")):
        small = make_client(**{name: value})
        for accept in (JSON, XML, "text/csv", "text/tab-separated-values"):
            assert problem_of_csv(ask(small, "SELECT * { ?s ?p ?o }", accept))["limit"] == limit
        assert problem_of_csv(ask(small, "CONSTRUCT WHERE { ?s ?p ?o }", "text/turtle"))["limit"] == limit
    assert ask(small, "SELECT ?x { VALUES ?x { 1 2 } }", "text/csv").data.split() == [b"x", b"1", b"2"]


def problem_of_csv(response: TestResponse) -> dict[str, Any]:
    assert response.status_code == 413
    return json.loads(response.data)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", 403),
        ("SELECT * { SERVICE SILENT <http://127.0.0.1:9/> { ?s ?p ?o } }", 403),
        ("SELECT * { SERVICE ?where { ?s ?p ?o } }", 403),
        ("SELECT * { SERVICESILENT<http://127.0.0.1:9/>{ ?s ?p ?o } }", 400),
        ("SELECT * { ?s ?p trueSERVICE<http://127.0.0.1:9/>{ ?s ?p ?o } }", 400),
        ("LOAD <http://127.0.0.1:9/>", 400),
        ("SELECT * {}; DROP ALL", 400),
        ("SELECT * { FILTER(bif:contains(?x, 'a')) }", 400),
        ("SELECT * FROM <http://a/\\uD800> {}", 400),
        ("BASE <http://a/> PREFIX x: <//[> ASK {}", 400),
        ('SELECT ("\\uD800" AS ?x) {}', 400),
        ("ASK { <" + "\\u00000000" * 1000, 400),
        ("ASK {" + "(" * 5000 + ")" * 5000 + "}", 400),
        ("ASK { FILTER(" + "!" * 5000 + "true) }", 400),
        ("x" * 600_000, 413),
    ],
)
def test_a_hostile_query_is_refused_before_it_runs(client: FlaskClient, query: str, status: int) -> None:
    problem(client.post("/sparql", data=query.encode(), content_type=QUERY), status)


SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize("accept", ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", None, JSON])
@pytest.mark.parametrize(
    "how",
    [
        {"query": f"SELECT {SCRIPT} {{}}"},
        {"query": f"ASK {{ ?x '{SCRIPT}' }}"},
        {"query": "ASK {}", "format": SCRIPT},
        {"query": "ASK {}", "default-graph-uri": SCRIPT},
        {"query": f"SELECT * FROM <http://a/?{SCRIPT}> {{}}"},
        {"query": f'SELECT ("{SCRIPT}" AS ?x) {{}}', "format": "html"},
        {
            "query": f'SELECT ("javascript:alert(1)" AS ?x) (IRI("javascript:alert({SCRIPT})") AS ?y) {{}}',
            "format": "html",
        },
    ],
)
def test_nothing_that_is_sent_comes_back_as_markup(
    client: FlaskClient, how: dict[str, str], accept: str | None
) -> None:
    response = client.get("/sparql", query_string=how, headers={"Accept": accept} if accept else {})
    assert response.status_code < 500
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    if response.mimetype == "text/html":
        assert SCRIPT not in response.text
        assert 'href="javascript' not in response.text
    else:
        assert response.mimetype in ("application/problem+json", JSON)


def test_people_get_the_console_and_programs_the_service_description(client: FlaskClient) -> None:
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    assert ask(client, ONE, browser).mimetype == "text/html"
    assert client.get("/sparql", headers={"Accept": browser}).mimetype == "text/html"
    assert client.get("/sparql").mimetype == "text/turtle"


class Unsent(io.BytesIO):
    """A body of which nothing comes before it is let go."""

    def __init__(self) -> None:
        super().__init__(ASKED)
        self.go = threading.Event()

    def read(self, size: int | None = -1) -> bytes:
        self.go.wait(20)
        return super().read(size)

    def readinto(self, buffer: Any) -> int:
        self.go.wait(20)
        return super().readinto(buffer)


def test_a_body_that_does_not_come_in_time_is_refused_with_the_limits(make_client: MakeClient) -> None:
    body = Unsent()
    response = make_client(body_seconds=0.05).post(
        "/sparql", input_stream=body, content_type=QUERY, content_length=len(ASKED)
    )
    body.go.set()
    assert response.status_code == 408
    assert response.get_json(force=True)["limits"]["body_seconds"] == 0.05
