"""The public's queries at a store of another process, within the same limits."""

import socket
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize

from service.errors import DataError
from service.queries.refusal import QueryRefused
from service.snapshots.remote import RemoteRunner
from service.snapshots.runner import QueryLimits, QueryRequest
from tests.conftest import oxigraph_server
from tests.service.queries.reading_with import reading
from tests.service.snapshots.conftest import COUNT, ENDLESS, G, H, P, table
from tests.service.test_graph import answering

LIMITS = QueryLimits(seconds=10, rows=1000, bytes=500_000, memory_mb=512)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    quads = (Quad(NamedNode(f"http://a.example/{n}"), P, Literal(n), G if n % 2 else H) for n in range(1000))
    with oxigraph_server("serve") as address:
        content = serialize(quads, format=RdfFormat.N_QUADS)
        httpx.post(
            f"{address}/store", content=content, headers={"Content-Type": "application/n-quads"}
        ).raise_for_status()
        yield f"{address}/query"


@pytest.fixture(scope="module")
def runner(endpoint: str) -> Iterator[RemoteRunner]:
    made = RemoteRunner(endpoint, LIMITS, lambda: "1")
    yield made
    made.close()


def refused(runner: RemoteRunner, request: QueryRequest) -> QueryRefused:
    with pytest.raises(QueryRefused) as caught:
        runner.run(request, "a")
    return caught.value


def test_queries_are_answered_with_prefixes_base_and_dataset(runner: RemoteRunner) -> None:
    assert set(runner.graphs()) == {G.value, H.value}
    request = table("ASK { <7> ex:p 7 }", base="http://a.example/x", prefixes={"ex": "http://a.example/"})
    with runner.run(request, "a").body as body:
        assert b"true" in body.read()
    for dataset, seen in (({}, 1000), ({"default_graphs": (G.value,)}, 500)):
        with runner.run(table(COUNT, "text/csv", **dataset), "a").body as body:
            assert body.read().split() == [b"n", str(seen).encode()]
    with runner.run(QueryRequest("DESCRIBE <http://a.example/7>", False, "application/n-triples"), "a").body as body:
        assert body.read().count(b"\n") == 1


def test_limits_hold_for_a_store_elsewhere(endpoint: str, runner: RemoteRunner) -> None:
    for limits, query, limit in (
        (replace(LIMITS, rows=999), "SELECT * { ?s ?p ?o }", "result_rows"),
        (replace(LIMITS, bytes=1000), "SELECT * { ?s ?p ?o }", "result_bytes"),
        (replace(LIMITS, seconds=0.3), ENDLESS, "seconds"),
    ):
        short = RemoteRunner(endpoint, limits, lambda: "1")
        assert refused(short, table(query)).limit == limit
        short.close()
    assert runner.run(table("SELECT * { ?s ?p ?o }"), "a").length > 1000


def test_an_error_of_the_store_is_placed_in_the_query_as_sent(runner: RemoteRunner) -> None:
    found = reading("SELECT ?x\nWHERE { ?x foaf:name ?y ; dc:title }")
    problem = refused(runner, table(found.text, prefixes=found.prefixes, base="http://a/"))
    assert (problem.status, problem.limit) == (400, "syntax")
    placed = found.complaint(problem.detail).place
    assert placed
    assert placed.line == 2


@pytest.mark.parametrize(
    ("status", "body", "length"),
    [(500, b"<html>out of memory", None), (502, b"", None), (404, b"", None), (200, b'{"head": {"vars": ["x"]}', 5000)],
)
def test_a_store_that_fails_or_stops_amid_its_answer_gives_no_answer(
    status: int, body: bytes, length: int | None
) -> None:
    with (
        answering(status, "application/sparql-results+json", body, length) as url,
        pytest.raises(DataError, match="answer"),
    ):
        RemoteRunner(url, LIMITS, lambda: "1")


def test_a_store_that_is_down_is_told_at_once() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        with pytest.raises(DataError):
            RemoteRunner(f"http://127.0.0.1:{probe.getsockname()[1]}/query", LIMITS, lambda: "1")
