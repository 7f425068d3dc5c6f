"""One interface to the graph: the embedded store and a SPARQL endpoint answer alike, and fail alike."""

import http.server
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from service.errors import DataError, QueryError
from service.graph import EmbeddedGraph, GraphStore, RemoteGraph, day_literal, in_order, text_of
from tests.conftest import over_all_sittings

A, B, G, H = (NamedNode(f"http://a.example/{name}") for name in "abgh")
NAME, KNOWS = NamedNode("http://xmlns.com/foaf/0.1/name"), NamedNode("http://xmlns.com/foaf/0.1/knows")
QUADS = (
    Quad(A, NAME, Literal('Anna «l\'onesta»\n"sì"', language="it"), G),
    Quad(A, KNOWS, B, H),
    Quad(B, NAME, Literal("Bruno"), H),
    Quad(B, KNOWS, Literal("2025-02-28", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#date")), G),
    Quad(B, KNOWS, BlankNode("x"), G),
)


@pytest.fixture(scope="module")
def graph(make_graph: Callable[[Iterable[Quad]], GraphStore]) -> GraphStore:
    return make_graph(QUADS)


def test_the_default_graph_is_the_union_of_the_named_graphs_and_repeats_nothing(graph: GraphStore) -> None:
    rows = graph.select("SELECT ?s ?p ?o WHERE { ?s ?p ?o FILTER(!isBlank(?o)) } ORDER BY ?s ?p ?o")
    assert len(rows) == 4
    joined = graph.select(f"SELECT ?n ?m WHERE {{ ?x {KNOWS} ?y . ?x {NAME} ?n . ?y {NAME} ?m }}")
    assert joined == [{"n": QUADS[0].object, "m": QUADS[2].object}]


def test_terms_come_back_as_they_went_in_with_language_and_datatype(graph: GraphStore) -> None:
    assert graph.select(f"SELECT ?o WHERE {{ {A} {NAME} ?o }}") == [{"o": QUADS[0].object}]
    assert graph.select(f"SELECT ?o WHERE {{ {B} {KNOWS} ?o FILTER(isLiteral(?o)) }}") == [{"o": QUADS[3].object}]


def test_an_unbound_variable_is_absent_from_the_row(graph: GraphStore) -> None:
    query = f"SELECT ?n ?k WHERE {{ {B} {NAME} ?n OPTIONAL {{ {B} <http://a.example/none> ?k }} }}"
    assert graph.select(query) == [{"n": Literal("Bruno")}]


def test_nothing_found_is_an_empty_list(graph: GraphStore) -> None:
    assert graph.select("SELECT ?s WHERE { ?s <http://a.example/none> ?o }") == []


def test_ask_tells_true_from_false(graph: GraphStore) -> None:
    assert graph.ask(f"ASK {{ {A} {KNOWS} {B} }}") is True
    assert graph.ask(f"ASK {{ {B} {KNOWS} {A} }}") is False


def test_construct_and_describe_yield_triples(graph: GraphStore) -> None:
    made = set(graph.construct(f"CONSTRUCT {{ ?y {KNOWS} ?x }} WHERE {{ ?x {KNOWS} ?y FILTER(isIRI(?y)) }}"))
    assert made == {Triple(B, KNOWS, A)}
    assert set(graph.construct(f"DESCRIBE {A}")) == {quad.triple for quad in QUADS[:2]}


def test_words_of_updates_in_comments_and_strings_do_not_make_a_query_an_update(graph: GraphStore) -> None:
    query = '# rules run at load\n# drop, insert, delete, add\nSELECT ("LOAD <x>" AS ?x) WHERE {}'
    assert graph.select(query) == [{"x": Literal("LOAD <x>")}]
    assert graph.ask("# load\n# clear\nASK {}") is True
    assert list(graph.construct("# move\n# copy\nCONSTRUCT {} WHERE {}")) == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning:SPARQLWrapper")
@pytest.mark.parametrize("query", ["nonsense", "", "SELECT ?x WHERE { ?x", "SELECT * WHERE { ?s ex:p ?o }"])
def test_a_query_that_is_none_is_a_query_error_in_one_line(graph: GraphStore, query: str) -> None:
    for run in (graph.select, graph.ask, lambda text: list(graph.construct(text))):
        with pytest.raises(QueryError) as caught:
            run(query)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 700


def test_an_update_is_refused_and_changes_nothing(graph: GraphStore) -> None:
    before = graph.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")
    for update in ["DROP ALL", "INSERT DATA { <http://a.example/> <http://a.example/> 1 }"]:
        with pytest.raises(QueryError):
            graph.select(update)
    assert graph.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }") == before


def test_a_query_of_another_form_is_a_query_error(graph: GraphStore) -> None:
    with pytest.raises(QueryError):
        graph.select("ASK {}")
    with pytest.raises(QueryError):
        graph.ask("SELECT * WHERE {}")
    with pytest.raises(QueryError):
        list(graph.construct("ASK {}"))


def test_both_forms_give_the_same_rows_in_the_order_that_a_query_states(esperia, esperia_graph: GraphStore) -> None:
    for name in ("index/committees", "index/profiles", "index/concepts", "retrieval/organisations"):
        query = over_all_sittings(name, esperia.corpus.graph)
        here, there = esperia.corpus.graph.select(query), esperia_graph.select(query)
        if "\n# In no order: " in query:
            names = sorted({name for row in here for name in row})
            here, there = in_order(here, *names), in_order(there, *names)
        assert there == here
        assert here


def test_both_forms_construct_the_same_triples(esperia, esperia_graph: GraphStore) -> None:
    for name in ("enrich/50-periods", "enrich/30-group-at-speech"):
        query = over_all_sittings(name, esperia.corpus.graph)
        here = set(esperia.corpus.graph.construct(query))
        assert set(esperia_graph.construct(query)) == here
        assert len(here) > 50


@contextmanager
def answering(status: int, content_type: str, body: bytes, length: int | None = None) -> Iterator[str]:
    """A web server on loopback that answers everything with the same page."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/sparql"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def refused(url: str) -> list[str]:
    """The messages with which each kind of query fails at an endpoint."""
    graph = RemoteGraph(url, timeout=5)
    messages = []
    for run in (
        lambda: graph.select("SELECT * WHERE {}"),
        lambda: graph.ask("ASK {}"),
        lambda: list(graph.construct("CONSTRUCT {} WHERE {}")),
    ):
        with pytest.raises(QueryError) as caught:
            run()
        messages.append(str(caught.value))
    return messages


def test_an_endpoint_that_is_down_is_a_query_error_with_its_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/query"
        assert all(url in message for message in refused(url))


def test_an_address_that_is_none_is_a_query_error() -> None:
    assert all("nowhere" in message for message in refused("nowhere"))


@pytest.mark.parametrize(
    ("status", "content_type", "body", "length"),
    [
        (200, "text/html", b"<!DOCTYPE html><html><body>Welcome & login</body></html>", None),
        (502, "text/html", b"<html>Bad gateway" + b"x" * 100_000, None),
        (500, "text/plain", b"out of memory", None),
        (400, "text/plain", b"syntax error\nat line 3", None),
        (404, "text/plain", b"", None),
        (200, "application/sparql-results+json", b"", None),
        (200, "application/sparql-results+json", b'{"head": {"vars": ["x"]}, "results": {"bind', None),
        (200, "application/sparql-results+json", b'{"head": {"vars": ["x"]}', 5000),
    ],
    ids=["page", "gateway", "failure", "refusal", "absent", "empty", "cut-json", "cut-connection"],
)
def test_an_answer_that_is_no_result_is_a_query_error_with_a_short_message(
    status: int, content_type: str, body: bytes, length: int | None
) -> None:
    with answering(status, content_type, body, length) as url:
        graph = RemoteGraph(url, timeout=5)
        for run in (lambda: graph.select("SELECT * WHERE {}"), lambda: graph.ask("ASK {}")):
            with pytest.raises(QueryError) as caught:
                run()
            assert url in str(caught.value)
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 700


def test_a_page_in_place_of_turtle_is_a_query_error() -> None:
    with answering(200, "text/html", b"<!DOCTYPE html><html></html>") as url:
        assert all(url in message for message in refused(url))


def test_a_store_is_opened_read_only_while_another_process_has_it_open(esperia, eventually) -> None:
    path = (esperia.data / "current" / "graph").resolve()
    program = (
        "import sys; from pathlib import Path; from service.graph import EmbeddedGraph\n"
        "graph = EmbeddedGraph.open(Path(sys.argv[1]))\n"
        "print(graph.select('SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }')[0]['n'].value, flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        there = int(other.stdout.readline())
        here = EmbeddedGraph.open(path).select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")
        assert int(here[0]["n"].value) == there == esperia.report.manifest.counts["triples"]
        other.communicate()


def test_opening_a_published_store_changes_nothing_in_it(esperia) -> None:
    path = (esperia.data / "current" / "graph").resolve()
    before = {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.iterdir()}
    graph = EmbeddedGraph.open(path)
    with pytest.raises(QueryError):
        graph.select("DROP ALL")
    with pytest.raises(RuntimeError, match="read-write"):
        graph.store.add(QUADS[0])
    assert {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.iterdir()} == before


@pytest.mark.parametrize("content", [None, b"not a database"])
def test_a_store_that_is_missing_or_broken_is_a_data_error_and_is_not_made(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "graph"
    if content:
        path.mkdir()
        (path / "CURRENT").write_bytes(content)
    with pytest.raises(DataError, match="graph"):
        EmbeddedGraph.open(path)
    assert path.exists() == bool(content)


def test_a_day_is_a_typed_literal_that_compares_as_a_date() -> None:
    day = day_literal(date(2025, 2, 28))
    assert str(day) == '"2025-02-28"^^<http://www.w3.org/2001/XMLSchema#date>'
    assert EmbeddedGraph(Store()).ask(f"ASK {{ FILTER({day} < {day_literal(date(2025, 3, 1))}) }}")


def test_the_text_of_a_term_is_none_where_the_variable_is_unbound() -> None:
    assert text_of({"x": Literal("")}, "x") == ""
    assert text_of({}, "x") is None
