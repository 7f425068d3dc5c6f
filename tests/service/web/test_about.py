"""About the data: what is loaded, what the checks found, how answers are made; for readers and for programs."""

import json
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import html
from pyld import jsonld

import ontology
import sparql
from service.record.about import read_report
from service.web import about
from service.web.app import create_app
from tests.conftest import Esperia

HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)


def page(client: FlaskClient, path: str = "/about") -> html.HtmlElement:
    with client.get(path, headers=HTML) as response:
        assert response.status_code == 200, response.text
        return html.fromstring(response.text)


def text_of(found: html.HtmlElement) -> str:
    return " ".join(found.text_content().split())


def test_the_page_says_what_is_loaded_and_that_it_is_invented(client: FlaskClient, esperia: Esperia) -> None:
    found = page(client, "/about?lang=it")
    text = text_of(found)
    assert "Parlamento inventato." in text
    assert esperia.corpus.manifest.version in text
    assert str(esperia.corpus.manifest.counts["speeches"]) in text
    assert found.xpath("//a[@rel='license noopener']/@href")
    assert {"/sparql", "/sparql/examples", "/data", "/ns", "/api"} <= set(found.xpath("//main//a/@href"))
    assert all(digest in text for digest in esperia.corpus.manifest.sources.values())


def test_the_page_leads_readers_to_groups_and_sittings(client: FlaskClient) -> None:
    found = page(client, "/about?lang=it")
    links = found.xpath("//ul[@class='people']//a/@href")
    assert sum("gruppoParlamentare" in address for address in links) == 9
    sittings = [address for address in links if address.startswith("/sittings/")]
    assert len(sittings) == 9
    for address in (links[0], sittings[-1]):
        with client.get(address, headers=HTML) as response:
            assert response.status_code == 200
    assert "al 11 febbraio 2026" in text_of(found)


def test_every_check_of_the_load_is_told_with_its_findings(client: FlaskClient, esperia: Esperia) -> None:
    (table,) = page(client).xpath("//table[.//th='Findings']")
    rows = {text_of(row.xpath("./th")[0]): text_of(row.xpath("./td")[-1]) for row in table.xpath(".//tbody/tr")}
    results = read_report(esperia.data / "current")
    assert rows == {result.title: str(len(result.findings)) for result in results}
    assert len(rows) > 10


def test_every_check_has_an_italian_title() -> None:
    titles = {
        line.removeprefix("# title: ")
        for name in sparql.names("checks")
        for line in sparql.query(name).splitlines()
        if line.startswith("# title: ")
    }
    assert titles <= set(about.CHECKS)


def test_a_report_of_another_release_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('[{"other": 1}]')
    assert read_report(tmp_path) == ()


def test_the_weights_are_those_of_the_settings(esperia: Esperia) -> None:
    weights = esperia.settings.retrieval.weights.model_copy(update={"relevance": 0.5, "salience": 0.1})
    settings = esperia.settings.model_copy(
        update={"retrieval": esperia.settings.retrieval.model_copy(update={"weights": weights})}
    )
    client = create_app(esperia.data, settings, esperia.corpus.graph).test_client(use_cookies=False)
    numbers = page(client).xpath("//dl[@class='bars']")[0].xpath(".//span[@class='number']")
    assert [text_of(number) for number in numbers] == ["0.5", "0.2", "0.15", "0.1", "0.05"]


def test_programs_get_json_ld_that_is_rdf(client: FlaskClient, esperia: Esperia) -> None:
    with client.get("/about", headers={"Accept": "application/ld+json"}) as response:
        assert response.mimetype == "application/ld+json"
        document = json.loads(response.text)
    assert document["corpusVersion"] == esperia.corpus.manifest.version
    (node,) = jsonld.expand({**document, "@context": json.loads(ontology.read("context.jsonld"))["@context"]})
    assert len(node["https://w3id.org/emiciclo/ns#check"]) == len(read_report(esperia.data / "current"))
    assert node["@type"] == ["https://w3id.org/emiciclo/ns#Corpus"]
    assert all(":" in key for entry in node["https://w3id.org/emiciclo/ns#figure"] for key in entry if key[0] != "@")


@pytest.fixture
def empty(esperia: Esperia, tmp_path: Path) -> FlaskClient:
    return create_app(tmp_path, esperia.settings, esperia.corpus.graph).test_client()


def test_the_page_stands_before_anything_is_loaded(empty: FlaskClient) -> None:
    assert "No parliament is loaded yet." in text_of(page(empty, "/about?lang=en"))
    for path in ("/about?format=jsonld", "/sittings", "/people"):
        with empty.get(path) as response:
            assert response.status_code == 503, path
