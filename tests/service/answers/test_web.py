"""The answers over HTTP: the list, the verification, and the SPARQL endpoint over them."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pyshacl
import pytest
from flask.testing import FlaskClient
from lxml import html
from pyoxigraph import NamedNode, RdfFormat, parse
from rdflib import Graph

import ontology
from ontology import RDF
from service.answer.jsonld import Document, from_rdf, to_jsonld, to_rdf
from service.answer.model import Answer
from service.answers import keep_answer, read_answer
from service.answers.forms import WRITERS
from service.examples import examples
from service.queries.refusal import QueryRefused
from service.settings import Settings, SparqlSettings
from service.snapshots.on_demand import PoolOnDemand
from service.snapshots.pool import QueryPool
from service.web.answers import listing
from service.web.answers.endpoint import limits_of, open_runner
from service.web.app import create_app
from service.web.service_description import SD
from tests.conftest import BASE, Esperia
from tests.service.answer.making import TOPICS

from .making import HOSTILE, spoilt

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


@dataclass(frozen=True, slots=True)
class Served:
    """A site over a data directory with answers."""

    client: FlaskClient
    data: Path
    runner: PoolOnDemand

    def ask(self, query: str, **how: str) -> tuple[int, dict[str, object]]:
        with self.client.get("/answers/sparql", query_string={"query": query} | how) as response:
            return response.status_code, json.loads(response.get_data())

    def number(self, query: str) -> int:
        status, told = self.ask(query)
        assert status == 200
        return int(told["results"]["bindings"][0]["n"]["value"])  # type: ignore[index]


@pytest.fixture(scope="module")
def make(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    opened: list[PoolOnDemand] = []

    def served(*documents: Document) -> Served:
        data = tmp_path_factory.mktemp("answers")
        (data / "current").symlink_to((esperia.data / "current").resolve())
        for document in documents:
            assert keep_answer(data / "answers", document)
        settings = Settings(embedder="hash", sparql=SparqlSettings(seconds=2, answers_workers=1))
        runner = open_runner(data / "answers", settings.sparql)
        opened.append(runner)
        app = create_app(data, settings, esperia.corpus.graph, answers_runner=runner)
        return Served(app.test_client(use_cookies=False), data, runner)

    yield served
    for runner in opened:
        runner.close()


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(TOPICS[0]))


@pytest.fixture(scope="module")
def served(make: Callable[..., Served], answer_to: Callable[[str], Answer]) -> Served:
    return make(*(to_jsonld(answer_to(topic)) for topic in TOPICS[:3]))


@pytest.fixture(scope="module")
def empty(make: Callable[..., Served]) -> Served:
    return make()


def test_the_list_has_the_last_answer_first_and_pages(served: Served, document: Document) -> None:
    told = served.client.get("/answers").json
    assert told is not None
    assert (told["type"], told["totalItems"], len(told["member"])) == ("Collection", 3, 3)
    asked = [member["activities"][0]["startedAt"] for member in told["member"]]
    assert asked == sorted(asked, reverse=True)
    own = next(member for member in told["member"] if member["id"] == document["id"])
    assert own["question"]["text"] == document["question"]["text"]
    assert own["coverage"] == document["coverage"]
    assert urlsplit(own["url"]).path == "/answers/" + document["id"].removeprefix(f"{BASE}answer/")
    assert told["view"]["first"] == told["view"]["last"]
    graph = Graph().parse(data=to_rdf(told), format="nt")
    assert len(graph) > 20


def test_the_list_for_people_says_that_questions_are_public(served: Served) -> None:
    page = served.client.get("/answers?lang=en", headers=BROWSER)
    assert "Questions asked here are public" in page.text
    assert page.headers["Cache-Control"] == "no-cache"
    found = html.fromstring(page.text)
    assert len(found.cssselect("ol.answers > li")) == 3
    assert "pubbliche" in served.client.get("/answers?lang=it", headers=BROWSER).text


def test_a_site_without_answers_lists_none_and_answers_queries(empty: Served) -> None:
    told = empty.client.get("/answers").json
    assert told is not None
    assert (told["totalItems"], told["member"]) == (0, [])
    assert empty.client.get("/answers", headers=BROWSER).status_code == 200
    assert empty.number(COUNT) == 0
    assert empty.client.get("/answers/sparql", headers={"Accept": "text/turtle"}).status_code == 200
    assert not (empty.data / "answers").exists()


def test_many_answers_are_paged(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PER_PAGE", 2)
    client = served.client
    first, last = client.get("/answers").json, client.get("/answers?page=2").json
    assert first is not None
    assert last is not None
    assert (len(first["member"]), len(last["member"])) == (2, 1)
    assert first["view"]["next"] == last["view"]["id"] == first["view"]["last"]
    assert last["view"]["previous"] == first["view"]["id"]
    assert len({member["id"] for page in (first, last) for member in page["member"]}) == 3
    assert client.get("/answers?page=0").status_code == 400
    assert client.get("/answers?page=2&unknown=1").status_code == 400
    page = html.fromstring(client.get("/answers?page=2", headers=BROWSER).text)
    assert [link.get("href") for link in page.cssselect("nav.pager a")] == ["/answers?page=1"]


def test_an_answer_is_listed_as_soon_as_it_is_kept(make: Callable[..., Served], document: Document) -> None:
    site = make(document)
    assert site.client.get("/answers").json["totalItems"] == 1  # type: ignore[index]
    assert keep_answer(site.data / "answers", {**document, "id": f"{BASE}answer/later"})
    assert site.client.get("/answers").json["totalItems"] == 2  # type: ignore[index]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_questions_of_any_kind_do_no_harm(make: Callable[..., Served], document: Document, text: str) -> None:
    told = spoilt(document, text.replace("\x00", ""))
    site = make(told)
    name = told["id"].removeprefix(f"{BASE}answer/")
    assert read_answer(site.data / "answers", told["id"]) == told
    listed = site.client.get("/answers").json
    assert listed is not None
    assert listed["member"][0]["question"]["text"] == told["question"]["text"]
    for path in ("/answers", f"/answers/{name}/verify"):
        page = site.client.get(path, headers=BROWSER)
        assert page.status_code == 200
        found = html.fromstring(page.text)
        assert not found.cssselect("main script")
        assert not [link for link in found.cssselect("main a") if "evil" in link.get("href", "")]
        assert not [link for link in found.cssselect("main a") if link.get("href", "").startswith("javascript")]


def test_rdf_of_an_answer_is_equal_and_has_its_shape(document: Document) -> None:
    shapes = Graph().parse(data=ontology.read("shapes.ttl"), format="turtle")
    vocabulary = Graph().parse(data=ontology.read("emiciclo.ttl"), format="turtle")
    graph = Graph().parse(data=WRITERS["ttl"](document), format="turtle")
    conforms, _, why = pyshacl.validate(graph, shacl_graph=shapes, ont_graph=vocabulary, inference="none")
    assert conforms, why
    assert from_rdf(WRITERS["nq"](document).decode().replace(f" <{document['id']}> .\n", " .\n")) == document


def test_every_quotation_is_verified_against_the_record(served: Served, document: Document) -> None:
    name = document["id"].removeprefix(f"{BASE}answer/")
    response = served.client.get(f"/answers/{name}/verify")
    assert response.headers["Cache-Control"] == "no-store"
    told = response.json
    assert told is not None
    assert (told["type"], told["answer"], told["verified"]) == ("Verification", document["id"], True)
    assert told["quotationsCount"] == document["coverage"]["quotationsCount"]
    kinds = {quad.object for quad in parse(to_rdf(told).encode(), format=RdfFormat.N_QUADS)
             if quad.predicate == NamedNode(f"{RDF}type")}  # fmt: skip
    assert NamedNode(f"{ontology.EMI}Verification") in kinds
    page = served.client.get(f"/answers/{name}/verify?lang=en", headers=BROWSER)
    rows = html.fromstring(page.text).cssselect("table tbody tr")
    assert len(rows) == told["quotationsCount"]


@pytest.mark.parametrize("name", ["none", "%3Cscript%3E", "a%20b", "..%2F..%2Fetc", "x" * 5000, "%00", "%ff"])
def test_an_answer_that_is_not_there_cannot_be_verified(served: Served, name: str) -> None:
    for headers in ({}, BROWSER):
        response = served.client.get(f"/answers/{name}/verify", headers=headers)
        assert response.status_code == 404
        assert "<script>" not in response.text.partition("<main")[2]


def test_a_dataset_that_was_replaced_is_told_on_the_page(make: Callable[..., Served], document: Document) -> None:
    other = make({**document, "corpus": {**document["corpus"], "dataset": "camera-19", "title": "Camera"}})
    name = document["id"].removeprefix(f"{BASE}answer/")
    page = other.client.get(f"/answers/{name}/verify?lang=en", headers=BROWSER)
    assert "Other data are loaded now" in page.text


def test_the_endpoint_counts_a_triple_once_and_names_answers_as_graphs(served: Served, document: Document) -> None:
    graphs = served.number("SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }")
    assert graphs == 3
    named = served.number("SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?s ?p ?o { GRAPH ?g { ?s ?p ?o } } } }")
    assert served.number(COUNT) == named
    from_two = served.number(f"SELECT (COUNT(*) AS ?n) FROM <{document['id']}> {{ ?s ?p ?o }}")
    assert from_two == len(to_rdf(document).splitlines())


def test_the_endpoint_is_that_of_the_record_in_what_it_takes_and_refuses(served: Served) -> None:
    client = served.client
    for form in ("text/csv", "application/sparql-results+xml"):
        with client.get("/answers/sparql", query_string={"query": COUNT}, headers={"Accept": form}) as response:
            assert (response.status_code, response.mimetype) == (200, form)
            assert response.headers["X-Corpus-Version"]
    posted = client.post("/answers/sparql", data=COUNT, content_type="application/sparql-query", buffered=True)
    assert posted.status_code == 200
    posted.close()
    assert client.post("/answers/sparql", data="x", content_type="application/sparql-update").status_code == 403
    assert client.options("/answers/sparql").headers["Accept-Post"]
    deleted = client.delete("/answers/sparql")
    assert (deleted.status_code, "POST" in deleted.headers["Allow"]) == (405, True)
    status, told = served.ask("SELECT * { SERVICE <https://a.example/sparql> { ?s ?p ?o } }")
    assert status == 403
    assert told["limits"]["workers"] == 1  # type: ignore[index]
    status, _ = served.ask("SELECT * { ?s ?p }")
    assert status == 400


def test_the_endpoint_describes_itself(served: Served, document: Document) -> None:
    response = served.client.get("/answers/sparql", headers={"Accept": "text/turtle"})
    quads = list(parse(response.data, format=RdfFormat.TURTLE))
    held = {quad.object for quad in quads if quad.predicate == NamedNode(f"{SD}endpoint")}
    assert held == {NamedNode("http://localhost/answers/sparql")}
    named = {quad.object for quad in quads if quad.predicate == NamedNode(f"{SD}name")}
    assert NamedNode(document["id"]) in named


def test_people_get_a_console_that_asks_this_endpoint(served: Served) -> None:
    page = served.client.get("/answers/sparql?lang=en", headers=BROWSER)
    form = html.fromstring(page.text).get_element_by_id("ask")
    assert form.get("action") == "/answers/sparql"
    data = json.loads(html.fromstring(page.text).get_element_by_id("console-data").text or "")
    assert (data["endpoint"], data["examples"]) == ("/answers/sparql", "/answers/sparql/examples")
    with served.client.get(
        "/answers/sparql", query_string={"query": COUNT, "format": "html"}, headers=BROWSER
    ) as answered:
        assert 'href="/answers/sparql?query=' in answered.get_data(as_text=True)
    assert served.client.get("/answers/sparql/examples", headers=BROWSER).status_code == 200
    told = served.client.get("/answers/sparql/examples").json
    assert [example["name"] for example in told] == [example.name for example in examples("answers")]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", [example.name for example in examples("answers")])
def test_each_example_finds_something(served: Served, name: str, document: Document) -> None:
    if name == "quoted-again":
        assert keep_answer(served.data / "answers", {**document, "id": f"{BASE}answer/again"})
    query = next(example.query for example in examples("answers") if example.name == name)
    status, told = served.ask(query)
    assert status == 200
    if name != "quoted-again":  # which the endpoint sees a moment later
        assert told["results"]["bindings"]  # type: ignore[index]


def test_workers_start_with_the_first_query_and_end_when_nobody_asks(
    served: Served, eventually: Callable[..., None]
) -> None:
    settings = limits_of(SparqlSettings(answers_workers=1))
    assert (settings.workers, settings.long_queries, settings.partners) == (1, 1, ())
    runner = PoolOnDemand(served.runner.limits, served.runner._make, idle_seconds=0.05)
    assert runner.processes() == []
    assert runner.version
    eventually(lambda: runner.processes() == [], "the workers to end")
    assert runner.graphs()
    runner.close()
    assert runner.processes() == []


def test_a_pool_that_cannot_be_opened_refuses_and_tries_again(served: Served) -> None:
    failures = [OSError("no place"), RuntimeError("corrupt")]

    def make_pool() -> QueryPool:
        if failures:
            raise failures.pop()
        return served.runner._make()

    runner = PoolOnDemand(served.runner.limits, make_pool)
    for _ in range(2):
        with pytest.raises(QueryRefused):
            runner.graphs()
    assert runner.graphs()
    runner.close()
    with pytest.raises(QueryRefused):
        runner.graphs()


def test_a_copied_data_directory_has_the_same_answers(served: Served, document: Document, tmp_path: Path) -> None:
    shutil.copytree(served.data / "answers", tmp_path / "answers", symlinks=True)
    assert read_answer(tmp_path / "answers", document["id"]) == document
