"""The compass over HTTP: JSON-LD that is RDF, a page that can be read without seeing it, clear refusals."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import html

from service.answer.jsonld import CONTEXT, to_rdf
from service.engines.local import LocalEngine
from service.web.app import create_app
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS, UNSPOKEN


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    engine = LocalEngine(esperia.data, esperia.settings)
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph, engine=engine)
    return app.test_client(use_cookies=False)


def document(client: FlaskClient, **parameters: Any) -> dict[str, Any]:
    response = client.get("/compass", query_string=parameters)
    assert response.status_code == 200, response.text
    assert response.mimetype == "application/ld+json"
    found: dict[str, Any] = response.json
    return found


def page(client: FlaskClient, language: str = "en", **parameters: Any) -> html.HtmlElement:
    response = client.get("/compass", query_string={"lang": language, **parameters}, headers={"Accept": "text/html"})
    assert response.status_code == 200, response.text
    return html.fromstring(response.text)


def test_programs_get_json_ld_that_is_rdf(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0])
    assert (found["@context"], found["type"], found["available"]) == (CONTEXT, "Compass", True)
    assert found["question"]["topic"] == TOPICS[0]
    quads = to_rdf(found)
    assert quads.count("<https://w3id.org/emiciclo/ns#CompassPosition>") == len(found["positions"])
    for position in found["positions"]:
        assert f'"{position["title"]}"' in quads


def test_the_page_shows_the_same_facts_as_a_figure_and_as_a_table(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0], lang="en")
    shown = page(client, topic=TOPICS[0])
    titles = [position["title"] for position in found["positions"]]
    assert shown.xpath("//figure//svg/g[starts-with(@class, 'group')]/title/text()") == titles
    assert shown.xpath("//table[caption]/tbody/tr/th[@scope='row']/text()") == titles
    described = shown.xpath("string(//figure//svg/desc)")
    assert all(title in described for title in titles)
    assert len(shown.xpath("//figure//circle")) == found["passagesCount"]


def test_the_page_says_how_sure_it_is_and_that_the_orientation_is_arbitrary(client: FlaskClient) -> None:
    text = " ".join(page(client, topic=TOPICS[0]).text_content().split())
    assert "is arbitrary" in text
    assert "of the pairs of groups keep their order" in text
    assert "of what distinguishes the passages" in text


def test_excerpts_lead_to_the_speech_at_the_span(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0])
    excerpt = found["axes"][0]["low"]["excerpts"][0]
    place = excerpt["selector"][0]
    links = page(client, topic=TOPICS[0]).xpath("//blockquote//a/@href")
    assert any(f"start={place['start']}" in link and f"end={place['end']}" in link for link in links)


@pytest.mark.parametrize("language", ["en", "it"])
def test_without_evidence_it_is_not_available_and_says_why_F137_F138(client: FlaskClient, language: str) -> None:
    found = document(client, topic=UNSPOKEN)
    assert (found["available"], found["unavailableBecause"]) == (False, "few-groups")
    assert found["axes"] == found["positions"] == []
    shown = page(client, language, topic=UNSPOKEN)
    assert not shown.xpath("//figure")
    wanted = "Not available" if language == "en" else "Non disponibile"
    assert wanted in shown.xpath("string(//*[contains(@class, 'notice')])")


def test_filters_are_those_of_every_page(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0], asOf="2025-12-01")
    assert found["question"]["referenceDate"] == "2025-12-01"
    dates = [e["date"] for p in found["positions"] for e in p["excerpts"]]
    assert all(day <= "2025-12-01" for day in dates)
    one = document(client, topic=TOPICS[0], group="government")
    assert one["available"] is False


def test_without_a_topic_the_page_asks_for_one_and_programs_are_told(client: FlaskClient) -> None:
    assert page(client).xpath("//form[@action='/compass']//input[@name='topic']")
    response = client.get("/compass?topic=&group=&from=", headers={"Accept": "text/html"})
    assert response.status_code == 200
    response = client.get("/compass")
    assert response.status_code == 400
    assert "topic" in response.json["detail"]


@pytest.mark.parametrize(
    "query",
    ["topic=" + "x" * 1001, "topic=a&asOf=yesterday", "topic=a&group=Nessuno", "topic=a&unknown=1", "topic=!!!"],
)
def test_senseless_requests_are_refused_clearly(client: FlaskClient, query: str) -> None:
    response = client.get(f"/compass?{query}")
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"


def test_markup_in_the_topic_is_shown_as_text(client: FlaskClient) -> None:
    shown = page(client, topic="<script>alert(1)</script> salario")
    assert not shown.xpath("//main//script")
    assert "<script>" in shown.xpath("string(//h1)")


def test_markup_in_what_was_said_is_shown_as_text(client: FlaskClient) -> None:
    evil = "<img src=x onerror=alert(1)>"
    excerpt = {
        "title": evil, "speech": "http://a.example/s", "speaker": "http://a.example/p", "speakerName": evil,
        "date": "2025-01-01", "selector": [{"start": 0, "end": 5}, {"exact": evil}],
    }  # fmt: skip
    pole = {"terms": [{"label": evil}], "excerpts": [excerpt]}
    position = {
        "kind": "majority", "title": evil, "sigla": evil, "x": 0.0, "passagesCount": 1,
        "places": f"MULTIPOINT ((0 0)) {evil}", "excerpts": [excerpt],
    }  # fmt: skip
    found = {
        "available": True, "axes": [{"low": pole, "high": pole}], "positions": [position] * 3, "claimed": 0.5,
        "resamples": 200, "pairsKept": 0.5, "chance": 0.5, "explained": 0.1, "verdict": "unstable",
    }  # fmt: skip
    source = (
        "{% from 'compass/macros.html' import compass_figure, compass_extremes %}"
        "{{ compass_figure(found) }}{{ compass_extremes(found) }}"
    )
    with client.application.test_request_context("/"):
        made = client.application.jinja_env.from_string(source).render(found=found)
    assert "<img" not in made
    assert "&lt;img" in made


def test_plain_rdf_and_a_site_without_an_engine_have_no_compass(esperia: Esperia) -> None:
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph)
    response = app.test_client().get("/compass?topic=salario")
    assert response.status_code == 503
