"""The ranking of experts over HTTP: JSON-LD that is RDF, a table, filters, clear refusals."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import html

from service.answer.jsonld import CONTEXT, to_rdf
from service.engines.local import LocalEngine
from service.experts.ranking import COMPONENTS
from service.web.app import create_app
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS, UNSPOKEN


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    engine = LocalEngine(esperia.data, esperia.settings)
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph, engine=engine)
    return app.test_client(use_cookies=False)


def document(client: FlaskClient, **parameters: Any) -> dict[str, Any]:
    response = client.get("/experts", query_string=parameters)
    assert response.status_code == 200, response.text
    assert response.mimetype == "application/ld+json"
    found: dict[str, Any] = response.json
    return found


def page(client: FlaskClient, language: str = "en", **parameters: Any) -> html.HtmlElement:
    response = client.get("/experts", query_string={"lang": language, **parameters}, headers={"Accept": "text/html"})
    assert response.status_code == 200, response.text
    return html.fromstring(response.text)


def test_programs_get_a_collection_of_observations_that_is_rdf(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0])
    assert (found["@context"], found["type"], found["view"]["type"]) == (CONTEXT, "Collection", "PartialCollectionView")
    assert len(found["member"]) == min(25, found["totalItems"])
    quads = to_rdf(found)
    assert quads.count("<https://w3id.org/emiciclo/ns#ExpertObservation>") == len(found["member"])
    assert quads.count("<https://w3id.org/emiciclo/ns#ExpertSpread>") == len(found["spread"]) == 7


def test_the_page_shows_who_ranks_where_with_six_components_and_their_sources(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0])
    shown = page(client, topic=TOPICS[0])
    rows = shown.xpath("//div[contains(@class, 'ranking')]//tbody/tr")
    assert [row.xpath("string(th/a)") for row in rows] == [e["speakerName"] for e in found["member"]]
    for row, expert in zip(rows, found["member"], strict=True):
        assert len(row.xpath("td[not(contains(@class, 'rank'))]")) == 1 + len(COMPONENTS)
        assert len(row.xpath(".//dl[@class='components']/div")) == len(COMPONENTS)
        if "profession" not in expert:
            assert "not available" in row.text_content()
        else:
            assert expert["professionText"] in row.text_content()
    assert "0.25 × committee" in " ".join(shown.text_content().split()).lower()


def test_missing_components_are_left_out_and_never_zero(client: FlaskClient) -> None:
    members = document(client, topic=TOPICS[0])["member"]
    for expert in members:
        assert ("profession" in expert) == ("professionText" in expert)
        assert ("education" in expert) == ("educationText" in expert)


def test_the_order_can_be_chosen_by_the_headings(client: FlaskClient) -> None:
    shown = page(client, topic=TOPICS[0], sort="speeches")
    assert len(shown.xpath("//th[@aria-sort='descending']")) == 1
    addresses = shown.xpath("//div[contains(@class, 'ranking')]//thead//a/@href")
    for address in addresses:
        assert client.get(address).status_code == 200
    values = [e["speeches"] for e in document(client, topic=TOPICS[0], sort="speeches")["member"]]
    assert values == sorted(values, reverse=True)


def test_a_committee_of_the_list_can_be_chosen(client: FlaskClient) -> None:
    options = page(client, topic=TOPICS[0]).xpath("//select[@name='committee']/option/@value")
    assert options[0] == ""
    found = document(client, topic=TOPICS[0], committee=options[1])
    assert 0 < found["totalItems"] < found["rankOf"]
    assert any(options[1] == seat["about"] for expert in found["member"] for seat in expert["seats"])


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_topic_that_nobody_spoke_of_says_so(client: FlaskClient, language: str) -> None:
    assert document(client, topic=UNSPOKEN)["totalItems"] == 0
    notice = page(client, language, topic=UNSPOKEN).xpath("string(//*[contains(@class, 'notice')])")
    assert ("Nobody" if language == "en" else "Nessuno") in notice


def test_without_a_topic_the_page_asks_for_one_and_programs_are_told(client: FlaskClient) -> None:
    assert page(client).xpath("//form[@action='/experts']//input[@name='topic']")
    response = client.get("/experts")
    assert response.status_code == 400


@pytest.mark.parametrize(
    "query",
    ["topic=" + "x" * 1001, "topic=a&sort=beauty", "topic=a&page=9", "topic=a&group=Nessuno", "topic=a&x=1", "topic=?"],
)
def test_senseless_requests_are_refused_clearly(client: FlaskClient, query: str) -> None:
    response = client.get(f"/experts?{query}")
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"


def test_a_page_beyond_the_last_is_empty_and_leads_back(client: FlaskClient) -> None:
    found = document(client, topic=TOPICS[0], page=8)
    assert found["member"] == []
    assert "page=7" in found["view"]["previous"]


def test_the_card_of_an_answer_shows_the_six_components_and_escapes_what_it_is_given(client: FlaskClient) -> None:
    evil = "<img src=x>"
    expert = {
        "speaker": "http://a.example/p", "speakerName": evil, "groupName": evil, "authority": 0.5, "committee": 0.2,
        "acts": 0, "speeches": 1, "role": 0.3, "rank": 1, "rankOf": 9, "professionText": evil,
        "seats": [{"about": "http://a.example/c", "label": evil, "relevance": 0.2}], "offices": [],
        "actsAsFirst": 0, "actsAsCoSignatory": 0, "speechesCounted": 2, "speechesFrom": "2025-01-01",
        "speechesUntil": "2025-02-01",
    }  # fmt: skip
    source = "{% from 'answer/macros.html' import expert with context %}{{ expert(e, 2) }}"
    with client.application.test_request_context("/"):
        made = client.application.jinja_env.from_string(source).render(e=expert)
    assert "<img" not in made
    card = html.fromstring(made)
    bars, sources = card.xpath("//dl")
    assert len(bars) == len(sources) == len(COMPONENTS)
    assert "not available" in bars.text_content()


def test_a_site_without_an_engine_ranks_nobody(esperia: Esperia) -> None:
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph)
    assert app.test_client().get("/experts?topic=salario").status_code == 503
