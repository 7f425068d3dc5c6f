"""`/sparql/search`: queries that seek, asked here and called by other engines for real."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from flask.testing import FlaskClient
from pyoxigraph import RdfFormat, Store, parse
from werkzeug.test import TestResponse

from ontology import EMI
from service.engines.local import LocalEngine
from service.examples import examples
from service.settings import Settings, SparqlSettings
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits
from service.web import search_service
from service.web.app import create_app
from tests.conftest import Esperia, oxigraph_server
from tests.service.search_service.engines import ISQL, VIRTUOSO, served, virtuoso

JSON = "application/sparql-results+json"
FORM = "application/x-www-form-urlencoded"
PREFIXES = "PREFIX emi: <https://w3id.org/emiciclo/ns#>\nPREFIX foaf: <http://xmlns.com/foaf/0.1/>\n"
WAGE = '?chunk emi:matches "salario minimo"'


@pytest.fixture(scope="module")
def app(esperia: Esperia) -> Iterator[Flask]:
    """The site over Esperia with its record's endpoint and its search."""
    with ExitStack() as running:
        sparql = SparqlSettings(seconds=1.5, workers=1)
        limits = QueryLimits(sparql.seconds, sparql.rows, sparql.bytes, sparql.memory_mb)
        path = (esperia.data / "current" / "graph").resolve()
        pool = QueryPool(lambda: Snapshot(path, "1"), limits, PoolSize(1, 1, 1, 5))
        running.callback(pool.close)
        settings = Settings(embedder="hash", sparql=sparql)
        engine = LocalEngine(esperia.data, settings)
        made = create_app(esperia.data, settings, esperia.corpus.graph, pool, engine)
        running.callback(made.extensions[search_service.EXTENSION].close)
        yield made


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def ask(client: FlaskClient, query: str, accept: str = JSON, path: str = "/sparql/search", **more: Any) -> TestResponse:
    return client.post(path, data={"query": query}, headers={"Accept": accept}, buffered=True, **more)


def rows(client: FlaskClient, query: str, path: str = "/sparql/search") -> list[dict[str, str]]:
    response = ask(client, query, path=path)
    assert response.status_code == 200, response.text
    found = response.get_json()["results"]["bindings"]
    return [{name: term["value"] for name, term in row.items()} for row in found]


def test_the_hits_of_a_search_are_ranked_and_told_with_the_records_own_words(
    client: FlaskClient, esperia: Esperia
) -> None:
    found = rows(
        client,
        f"""SELECT * {{ {WAGE} ; emi:limit 5 ; emi:rank ?rank ; emi:similarity ?similarity ; emi:relevance ?relevance ;
        emi:score ?score ; emi:partOf ?speech ; emi:start ?start ; emi:end ?end ; schema:text ?words ; emi:date ?date .
        ?speech emi:capacity ?capacity . OPTIONAL {{ ?chunk emi:speaker ?speaker . ?speaker foaf:name ?name }} }}
        ORDER BY ?rank""",
    )
    assert [row["rank"] for row in found] == ["1", "2", "3", "4", "5"]
    scores = [float(row["score"]) for row in found]
    assert scores == sorted(scores, reverse=True)
    calibration = esperia.corpus.embedder.calibration
    for row in found:
        assert float(row["relevance"]) == pytest.approx(calibration.relevance(float(row["similarity"])), abs=1e-5)
        (text,) = esperia.corpus.graph.select(
            f"SELECT ?text {{ <{row['speech']}> <http://schema.org/text> ?text }} LIMIT 1"
        )
        assert row["words"] == text["text"].value[int(row["start"]) : int(row["end"])]
    assert any("salario" in row["words"].lower() for row in found)


def test_options_limit_what_is_found(client: FlaskClient) -> None:
    everything = rows(client, f"SELECT * {{ {WAGE} ; emi:limit 500 ; emi:date ?date }}")
    assert len(rows(client, f"SELECT * {{ {WAGE} }}")) == 20
    some = rows(client, f'SELECT * {{ {WAGE} ; emi:limit 500 ; emi:until "2025-01-31"^^xsd:date ; emi:date ?date }}')
    assert {row["date"] for row in some} == {row["date"] for row in everything if row["date"] <= "2025-01-31"} != set()
    government = rows(
        client,
        f'SELECT ?capacity {{ {WAGE} ; emi:limit 500 ; emi:group "government" ; emi:partOf/emi:capacity ?capacity }}',
    )
    assert {row["capacity"].rsplit("/", 1)[-1] for row in government} == {"government"}
    relevant = rows(client, f"SELECT ?r {{ {WAGE} ; emi:limit 500 ; emi:minimumRelevance 0.5 ; emi:relevance ?r }}")
    assert 0 < len(relevant) < len(everything)
    assert min(float(row["r"]) for row in relevant) >= 0.5
    words = rows(client, f'SELECT ?t {{ {WAGE} ; emi:mode "text" ; emi:limit 500 ; schema:text ?t }}')
    assert words
    assert all("salari" in row["t"].lower() or "minim" in row["t"].lower() for row in words)
    (speaker,) = {row["s"] for row in rows(client, f"SELECT ?s {{ {WAGE} ; emi:limit 1 ; emi:speaker ?s }}")}
    own = rows(client, f"SELECT ?s {{ {WAGE} ; emi:speaker <{speaker}> , ?s }}")
    assert {row["s"] for row in own} == {speaker}


def test_acts_are_found_by_their_titles(client: FlaskClient) -> None:
    found = rows(
        client,
        """SELECT ?title ?number { ?act a emi:Act ; emi:matches "salario minimo legale" ; emi:limit 3 ;
        emi:rank ?rank ; dcterms:title ?title ; dc:identifier ?number } ORDER BY ?rank""",
    )
    assert "salario minimo legale" in found[0]["title"]


def test_several_texts_are_searches_apart(client: FlaskClient) -> None:
    several = rows(
        client,
        """SELECT ?text ?chunk ?s { VALUES ?text { "salario minimo" "energia nucleare" }
        ?chunk emi:matches ?text ; emi:limit 500 ; emi:similarity ?s } ORDER BY ?text ?chunk""",
    )
    for text in ("salario minimo", "energia nucleare"):
        alone = rows(
            client,
            f'SELECT ?chunk ?s {{ ?chunk emi:matches "{text}" ; emi:limit 500 ; emi:similarity ?s }} ORDER BY ?chunk',
        )
        assert [(row["chunk"], row["s"]) for row in several if row["text"] == text] == [
            (row["chunk"], row["s"]) for row in alone
        ]
    both = rows(
        client,
        """SELECT ?s ?t { ?a emi:matches "salario minimo" ; emi:limit 500 ; emi:similarity ?s .
        ?b emi:matches "energia nucleare" ; emi:limit 500 ; emi:similarity ?t FILTER(?a = ?b) }""",
    )
    assert len(both) == len({row["chunk"] for row in several}) or len(both) < len(several)
    assert any(row["s"] != row["t"] for row in both)


def test_every_form_of_query_and_of_answer_is_served(client: FlaskClient) -> None:
    assert ask(client, f"ASK {{ {WAGE} }}").get_json()["boolean"] is True
    assert ask(client, "ASK {}").get_json()["boolean"] is True
    assert ask(client, f"SELECT ?chunk {{ {WAGE} ; emi:limit 2 }}", "text/csv").text.count("\r\n") == 3
    for query in (
        f"CONSTRUCT {{ ?chunk emi:score ?s }} {{ {WAGE} ; emi:limit 3 ; emi:score ?s }}",
        f"CONSTRUCT WHERE {{ {WAGE} ; emi:limit 3 ; emi:score ?s }}",
        f"DESCRIBE ?chunk {{ {WAGE} ; emi:limit 3 }}",
    ):
        for form in (RdfFormat.TURTLE, RdfFormat.RDF_XML, RdfFormat.JSON_LD, RdfFormat.N_TRIPLES):
            response = ask(client, query, form.media_type)
            assert (response.status_code, response.mimetype) == (200, form.media_type)
            told = {quad.predicate.value for quad in parse(response.data, format=form)}
            assert f"{EMI}score" in told
            assert not any(name.startswith("urn:") for name in told)


def test_an_answer_is_labelled_and_asked_for_again_by_its_tag(client: FlaskClient, esperia: Esperia) -> None:
    query = {"query": f"SELECT * {{ {WAGE} }}"}
    first = client.get("/sparql/search", query_string=query, headers={"Accept": JSON}, buffered=True)
    assert first.headers["X-Corpus-Version"] == esperia.corpus.manifest.version
    again = client.get(
        "/sparql/search", query_string=query, headers={"Accept": JSON, "If-None-Match": first.headers["ETag"]}
    )
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("SELECT * { ?s ?p ?o }", 400, "nothing is sought; write ?chunk emi:matches"),
        ("SELECT * {\n ?c emi:matches ?t }", 400, "line 2, column 17: ?t has no text here"),
        (f"SELECT ?x + {{ {WAGE} }}", 400, "line 1, column"),
        (f'SELECT * {{ {WAGE} ; emi:group "nobody" }}', 400, "there is no group 'nobody'"),
        ('SELECT * { ?c emi:matches "  " }', 400, "the question is empty"),
        (f'SELECT * {{ ?c emi:matches "{"a" * 1001}" }}', 400, "at most 1000"),
        (f"SELECT * FROM <http://a/g> {{ {WAGE} }}", 400, "no graph <http://a/g>"),
        (f"SELECT * {{ SERVICE <http://127.0.0.1/> {{ {WAGE} }} }}", 403, "is not called from here"),
        ("INSERT DATA { <http://a/> <http://a/> 1 }", 400, "read-only"),
    ],
)
def test_a_refusal_is_told_with_its_place(client: FlaskClient, query: str, status: int, told: str) -> None:
    response = ask(client, query)
    assert (response.status_code, response.mimetype) == (status, "application/problem+json")
    assert told in response.get_json()["detail"]


def test_a_query_that_is_too_long_over_its_hits_is_ended(client: FlaskClient) -> None:
    crossed = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(9))
    response = ask(client, f"SELECT (COUNT(*) AS ?n) {{ {WAGE} ; emi:limit 100 . {crossed} }}")
    assert response.status_code == 503
    assert response.get_json()["limit"] == "seconds"
    assert rows(client, f"SELECT * {{ {WAGE} ; emi:limit 1 }}"), "the next query finds a worker"


def test_the_service_describes_itself_and_how_a_search_is_written(client: FlaskClient) -> None:
    response = client.get("/sparql/search", headers={"Accept": "text/turtle"})
    store = Store()
    store.load(response.data, format=RdfFormat.TURTLE)
    limits = store.query(
        "SELECT ?name ?value { ?s <https://w3id.org/emiciclo/ns#queryLimit> ?l . "
        "?l <http://purl.org/dc/terms/identifier> ?name ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> ?value }"
    )
    told = {row["name"].value: row["value"].value for row in limits}  # type: ignore[union-attr]
    assert (told["searches"], told["hits"], told["hits_together"]) == ("20", "500", "2000")
    for language in ("en", "it"):
        for path in ("/sparql/search", "/sparql/search/examples"):
            page = client.get(path, query_string={"lang": language}, headers={"Accept": "text/html"})
            assert (page.status_code, page.mimetype) == (200, "text/html")
            assert "emi:matches" in page.text


@pytest.mark.parametrize("example", examples(search_service.FOLDER), ids=lambda example: example.name)
def test_each_example_finds_something(client: FlaskClient, example: Any) -> None:
    assert rows(client, example.query)
    assert example.name in {known["name"] for known in client.get("/sparql/search/examples").get_json()}


# Called by others

JOINED = """\
SELECT ?speech ?note ?similarity {{
  SERVICE <{search}> {{
    ?chunk emi:matches "salario minimo" ; emi:limit 40 ; emi:similarity ?similarity ; emi:partOf ?speech .
    FILTER(?similarity > 0.1)
  }}
  ?speech <http://example.org/note> ?note .
}}"""
LISTED = """\
SELECT ?text ?chunk {{
  SERVICE <{search}> {{
    VALUES ?text {{ "salario minimo" "energia \\"nucleare\\" è" }}
    ?chunk emi:matches ?text ; emi:limit 3 .
  }}
}}"""


def called(endpoint: str, query: str) -> list[dict[str, str]]:
    response = httpx.post(endpoint, data={"query": PREFIXES + query}, headers={"Accept": JSON}, timeout=60)
    assert response.status_code == 200, response.text
    found = response.json()["results"]["bindings"]
    return [{name: term["value"] for name, term in row.items()} for row in found]


@pytest.fixture(scope="module")
def address(app: Flask) -> Iterator[str]:
    with served(app) as found:
        yield f"{found}/sparql/search"


@pytest.fixture(scope="module")
def speech(client: FlaskClient) -> str:
    """The speech of the best hit."""
    found = rows(client, f"SELECT ?speech {{ {WAGE} ; emi:rank 1 ; emi:partOf ?speech }}")
    return found[0]["speech"]


def joins_and_lists(endpoint: str, search: str, speech: str) -> None:
    """The hits are joined with the engine's own graph, and several texts are sought in one clause."""
    (found,) = called(endpoint, JOINED.format(search=search))
    assert (found["speech"], found["note"]) == (speech, "read this")
    assert float(found["similarity"]) > 0.1
    texts = [row["text"] for row in called(endpoint, LISTED.format(search=search))]
    assert sorted(texts) == ['energia "nucleare" è'] * 3 + ["salario minimo"] * 3


def test_oxigraph_joins_the_hits_with_its_own_graph(address: str, speech: str) -> None:
    with oxigraph_server("serve") as server:
        note = f'INSERT DATA {{ <{speech}> <http://example.org/note> "read this" }}'
        httpx.post(f"{server}/update", data={"update": note}).raise_for_status()
        joins_and_lists(f"{server}/query", address, speech)


@pytest.mark.skipif(VIRTUOSO is None or ISQL is None, reason="Virtuoso (virtuoso-opensource-7-bin) is not installed")
def test_virtuoso_joins_the_hits_with_its_own_graph(address: str, speech: str, tmp_path: Path) -> None:
    with virtuoso(tmp_path) as endpoint:
        note = f'INSERT INTO <http://example.org/> {{ <{speech}> <http://example.org/note> "read this" }}'
        httpx.post(endpoint, data={"query": note}, timeout=60).raise_for_status()
        joins_and_lists(endpoint, address, speech)


def test_the_records_endpoint_calls_the_search_of_its_own_site(client: FlaskClient) -> None:
    for search in ("http://localhost/sparql/search", "sparql/search"):
        found = rows(
            client,
            f"""SELECT ?title ?similarity {{
              SERVICE <{search}> {{ {WAGE} ; emi:limit 10 ; emi:similarity ?similarity ; emi:partOf ?speech }}
              ?speech emi:partOf/emi:partOf? ?debate . ?debate a emi:Debate ; dcterms:title ?title }}""",
            path="/sparql",
        )
        assert found
        assert all(row["title"] for row in found)
    (joined,) = (example for example in examples() if example.name == "search-and-join")
    assert rows(client, joined.query, path="/sparql")
    pushed = rows(
        client,
        """SELECT DISTINCT ?text { VALUES ?text { "salario minimo" "energia nucleare" }
        SERVICE <sparql/search> { ?chunk emi:matches ?text } }""",
        path="/sparql",
    )
    assert len(pushed) == 2, "values before the clause are sent along"
    response = ask(client, "SELECT * { SERVICE <sparql/search> { ?chunk emi:matches ?text } }", path="/sparql")
    assert response.status_code == 400
    assert "?text has no text here" in json.loads(response.data)["detail"]
