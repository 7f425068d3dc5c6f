"""Calls to partners over real HTTP on loopback: limits, private addresses, odd and hostile answers."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pyoxigraph import Literal, NamedNode

from service.partners import PartnerClient, PartnerLimits
from service.queries.refusal import QueryRefused

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]
LIMITS = PartnerLimits(seconds=1.0, bytes=20_000, rows=5)
JSON = "application/sparql-results+json"


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a small web server on loopback; gives its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answer(self)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/sparql"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def reply(body: bytes, status: int = 200, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": JSON, "Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def table(*rows: dict[str, dict[str, str]], **more: object) -> bytes:
    document = {"head": {"vars": ["x"]}, "results": {"bindings": list(rows)}, **more}
    return json.dumps(document).encode()


def client(*, private: bool = True, limits: PartnerLimits = LIMITS) -> PartnerClient:
    return PartnerClient(limits, private=private, scope="https://here.example/.well-known/genid/")


def test_terms_come_back_as_they_are_and_blank_nodes_as_iris(serve: Serve) -> None:
    address = serve(
        reply(
            table(
                {"x": {"type": "uri", "value": "urn:a"}},
                {"x": {"type": "literal", "value": "perché", "xml:lang": "it"}},
                {"x": {"type": "bnode", "value": "b0"}},
                {},
            )
        )
    )
    rows = client()(address, "SELECT * {}").rows
    assert rows[0] == (NamedNode("urn:a"),)
    assert rows[1] == (Literal("perché", language="it"),)
    assert isinstance(rows[2][0], NamedNode)
    assert rows[2][0].value.startswith("https://here.example/.well-known/genid/")
    assert rows[3] == (None,)


def test_members_that_an_engine_adds_to_its_results_are_read_over(serve: Serve) -> None:
    address = serve(reply(table({"x": {"type": "uri", "value": "urn:a"}}, metadata={"httpRequests": 3})))
    assert len(client()(address, "SELECT * {}").rows) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f000001", "2130706433"])
def test_a_partner_inside_this_network_is_not_called_unless_that_is_configured(serve: Serve, host: str) -> None:
    called: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        called.append(handler.path)
        reply(table())(handler)

    address = serve(answer).replace("127.0.0.1", host)
    with pytest.raises(QueryRefused) as refused:
        client(private=False)(address, "SELECT * {}")
    assert refused.value.status == 502
    assert called == []


def test_a_redirect_is_not_followed(serve: Serve) -> None:
    called: list[str] = []

    def target(handler: BaseHTTPRequestHandler) -> None:
        called.append(handler.path)
        reply(table())(handler)

    address = serve(reply(b"", 302, Location=serve(target)))
    with pytest.raises(QueryRefused, match="status 302"):
        client()(address, "SELECT * {}")
    assert called == []


def test_a_partner_that_never_answers_is_left_at_the_limit(serve: Serve) -> None:
    release = threading.Event()
    address = serve(lambda _: release.wait(30) and None)
    with pytest.raises(QueryRefused, match="did not answer within"):
        client(limits=PartnerLimits(0.3, 1000, 5))(address, "SELECT * {}")
    release.set()


def test_a_partner_that_drips_is_left_at_the_limit(serve: Serve) -> None:
    release = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not release.wait(0.05):
            handler.wfile.write(b" ")

    address = serve(drip)
    with pytest.raises(QueryRefused, match="did not answer within"):
        client(limits=PartnerLimits(0.5, 1000, 5))(address, "SELECT * {}")
    release.set()


def test_too_many_bytes_and_too_many_rows_are_refused_not_cut(serve: Serve) -> None:
    row = {"x": {"type": "literal", "value": "v"}}
    with pytest.raises(QueryRefused) as rows:
        client()(serve(reply(table(*[row] * 6))), "SELECT * {}")
    assert (rows.value.status, rows.value.limit) == (413, "partner_rows")
    with pytest.raises(QueryRefused) as size:
        client()(serve(reply(b" " * 30_000)), "SELECT * {}")
    assert (size.value.status, size.value.limit) == (413, "partner_bytes")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"head":{},"boolean":true}',
        b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"no iri"}}]}}',
        b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":7}]}}',
        b"[" * 15_000,
        b"\xff\xfe",
    ],
)
def test_an_answer_that_is_no_table_is_the_partners_fault(serve: Serve, body: bytes) -> None:
    with pytest.raises(QueryRefused) as refused:
        client()(serve(reply(body)), "SELECT * {}")
    assert refused.value.status == 502


def test_what_a_partner_says_of_a_wrong_pattern_is_told(serve: Serve) -> None:
    address = serve(reply(b"line 1: no such function", 400))
    with pytest.raises(QueryRefused, match="no such function"):
        client()(address, "SELECT * {}")


def test_no_compressed_answer_is_asked_for_or_unpacked(serve: Serve) -> None:
    address = serve(reply(b"\x1f\x8b" + bytes(50), Content_Encoding="gzip"))
    with pytest.raises(QueryRefused):
        client()(address, "SELECT * {}")
