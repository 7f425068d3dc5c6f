"""People: found by name, group and office of a day; the page of one; the same for programs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from flask.testing import FlaskClient
from lxml import html
from pyld import jsonld

import ontology
from service.answer.jsonld import to_jsonld
from service.answer.model import Answer
from service.answers import keep_answer
from service.corpus import DataDirectory, open_graph
from service.loading.plain import load_rdf
from service.record.register import register
from service.web.app import create_app
from tests.conftest import BASE, Esperia

PERSON = "http://dati.esperia.example/ocd/persona.rdf/p900701"
MOVED = "http://dati.esperia.example/ocd/persona.rdf/p900205"


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)


def page(client: FlaskClient, path: str, status: int = 200, language: str = "en") -> html.HtmlElement:
    with client.get(path, headers={"Accept": "text/html", "Accept-Language": language}) as response:
        assert response.status_code == status, response.text
        assert len(response.data) < 300_000
        return html.fromstring(response.text)


def document(client: FlaskClient, path: str) -> dict[str, Any]:
    with client.get(path, headers={"Accept": "application/ld+json", "Accept-Language": "it"}) as response:
        assert response.status_code == 200, response.text
        found: dict[str, Any] = json.loads(response.text)
    return found


def names(client: FlaskClient, query: str) -> list[str]:
    return [member["name"] for member in document(client, f"/people?{query}")["member"]]


def text_of(found: html.HtmlElement) -> str:
    return " ".join(found.text_content().split())


def test_everybody_is_listed_in_the_order_of_the_alphabet(client: FlaskClient, esperia: Esperia) -> None:
    told = document(client, "/people")
    assert told["totalItems"] == esperia.corpus.manifest.counts["people"] == len(told["member"])
    surnames = [member["surname"].casefold() for member in told["member"]]
    assert surnames == sorted(surnames)
    links = page(client, "/people").xpath("//ul[@class='people register']//a/@href")
    assert len(links) == told["totalItems"]


@pytest.mark.parametrize(
    "query",
    [
        "q=Amelie",
        "q=AM%C3%89LIE",
        "q=rocheblanc",
        "q=rochebl+am",
        "q=Am%C3%A9lie+Rocheblanc",
        "q=Rocheblanc+Am%C3%A9lie",
    ],
)
def test_a_person_is_found_by_the_beginning_of_any_name_whatever_the_accents(client: FlaskClient, query: str) -> None:
    assert names(client, query) == ["Amélie Rocheblanc"]


def test_members_of_a_group_are_those_of_the_day(client: FlaskClient, esperia: Esperia) -> None:
    moved = register(esperia.corpus.graph, esperia.corpus.manifest.version).people[MOVED].name
    assert moved in names(client, "group=UPE")
    assert moved not in names(client, "group=LT")
    assert moved in names(client, "group=LT&asOf=2025-06-01")
    assert moved not in names(client, "group=UPE&asOf=2025-06-01")
    assert moved not in names(client, "group=Misto")
    assert names(client, "group=") == names(client, "")


def test_the_government_comes_by_rank_with_its_offices(client: FlaskClient) -> None:
    told = document(client, "/people?role=government")["member"]
    titles = [member["memberships"][0]["label"] for member in told]
    assert titles[0] == "Presidente del Consiglio dei ministri"
    assert any(title.startswith("Ministr") for title in titles)
    assert titles[-1].startswith("Sottosegretari")
    assert [member["name"] for member in told] == names(client, "group=government")
    assert all(member["memberships"][0]["from"] for member in told)


def test_titles_follow_the_gender_that_the_register_states(client: FlaskClient) -> None:
    for member in document(client, "/people?role=government")["member"]:
        for office in member["memberships"]:
            masculine = office["label"].split()[0] in ("Ministro", "Sottosegretario")
            feminine = office["label"].split()[0] in ("Ministra", "Sottosegretaria")
            assert not (masculine and member["gender"] == "female"), office
            assert not (feminine and member["gender"] == "male"), office


def test_a_page_tells_a_deputy_s_mandate_as_italian_does(client: FlaskClient) -> None:
    assert "deputata" in text_of(page(client, "/people/p900701", language="it"))
    assert "deputata" not in text_of(page(client, "/people/p900205", language="it"))


def test_who_presides_is_told_with_the_body(client: FlaskClient) -> None:
    told = document(client, "/people?role=presidents")["member"]
    assert all(membership["organization"] for member in told for membership in member["memberships"])
    assert "Vittoria Aldobrandi" in {member["name"] for member in told}


def test_a_person_who_changed_group_has_a_lane_for_each_and_a_table_that_says_the_same(client: FlaskClient) -> None:
    found = page(client, "/people/p900205")
    lanes = [text_of(lane) for lane in found.xpath("//p[contains(@class, 'lane-name')]")]
    rows = found.xpath("//table[@class='data']/tbody/tr")
    assert [text_of(row.xpath("./th")[0]) for row in rows] == lanes
    assert len(lanes) == 2
    assert rows[0].xpath("./td/time/@datetime")[1:] == ["2025-09-14"]
    assert "lasts" in text_of(rows[1])
    assert found.xpath("//div[@class='lanes']/@aria-hidden") == ["true"]


def test_the_figures_of_a_person_add_up(client: FlaskClient) -> None:
    told = document(client, "/people/p900701")
    spoken = [period for period in told["activity"] if "speechesCount" in period]
    signed = [period for period in told["activity"] if "firstSignatures" in period]
    assert sum(period["speechesCount"] for period in spoken) == told["speechesCount"] == 5
    assert sum(period["firstSignatures"] for period in signed) == told["firstSignatures"]
    assert sum(period["coSignatures"] for period in signed) == told["coSignatures"]


def test_the_page_of_a_person_is_one_whichever_address_asks(client: FlaskClient) -> None:
    own, resource = page(client, "/people/p900701"), page(client, f"/resource?iri={quote(PERSON, safe='')}")
    assert text_of(own.xpath("//main")[0]) == text_of(resource.xpath("//main")[0])
    assert resource.xpath("//link[@rel='canonical']/@href") == ["/people/p900701"]


def test_a_page_leads_to_the_search_to_the_experts_and_to_the_source(client: FlaskClient) -> None:
    links = page(client, "/people/p900701").xpath("//aside//a/@href")
    (search,) = (link for link in links if link.startswith("/search?speaker="))
    assert unquote(search).endswith(PERSON)
    assert "/experts" in links
    assert PERSON in links


def test_other_forms_of_rdf_are_at_the_resource(client: FlaskClient) -> None:
    with client.get("/people/p900701", headers={"Accept": "text/turtle"}) as response:
        assert response.status_code == 303
        where = response.location
    with client.get(where) as response:
        assert response.mimetype == "text/turtle"
        assert PERSON in response.text


def test_the_documents_are_rdf_of_the_record_itself(client: FlaskClient) -> None:
    context = json.loads(ontology.read("context.jsonld"))["@context"]
    text: Any = jsonld.to_rdf(
        {**document(client, "/people/p900701"), "@context": context}, {"format": "application/n-quads"}
    )
    assert f"<{PERSON}> <http://www.w3.org/ns/org#hasMembership>" in text
    assert '<https://w3id.org/emiciclo/ns#from> "2024-10-08"^^<http://www.w3.org/2001/XMLSchema#date>' in text
    listed: Any = jsonld.to_rdf(
        {**document(client, "/people?role=government"), "@context": context}, {"format": "application/n-quads"}
    )
    assert "<http://www.w3.org/ns/hydra/core#member>" in listed


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/people/nobody", 404),
        ("/people/" + "x" * 3000, 404),
        ("/people/%00", 404),
        ("/people?page=0", 400),
        ("/people?role=king", 400),
        ("/people?asOf=2025-02-31", 400),
        ("/people?group=nobody", 400),
        ("/people?q=" + "x" * 300, 400),
        ("/people?other=1", 400),
        ("/people/p900701?acts=0", 400),
    ],
)
def test_what_is_not_there_or_senseless_is_refused(client: FlaskClient, path: str, status: int) -> None:
    with client.get(path) as response:
        assert response.status_code == status, response.text
        assert response.mimetype == "application/problem+json"
    page(client, path, status)


def test_pages_beyond_the_last_are_the_last(client: FlaskClient) -> None:
    assert document(client, "/people?page=900")["view"]["id"].endswith("/people")


def test_what_answers_quote_of_a_person_is_shown_with_its_place(
    esperia: Esperia, tmp_path: Path, answer_to: Callable[[str], Answer]
) -> None:
    (tmp_path / "current").symlink_to((esperia.data / "current").resolve())
    answer = answer_to("salario minimo")
    assert keep_answer(tmp_path / "answers", to_jsonld(answer))
    client = create_app(tmp_path, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)
    lists = register(esperia.corpus.graph, esperia.corpus.manifest.version)
    quotation = next(q for q in answer.quotations if q.speech.speaker)
    short = lists.person_ids.of(quotation.speech.speaker or "")
    shown = page(client, f"/people/{short}").xpath("//blockquote[@class='quotation']")
    expected = [q.exact for q in answer.quotations if q.speech.speaker == quotation.speech.speaker]
    assert sorted(text_of(words.xpath("./p")[0]) for words in shown) == sorted(" ".join(e.split()) for e in expected)
    for words in shown:
        places = [link for link in words.xpath(".//a/@href") if link.endswith("#quotation")]
        (mark,) = page(client, places[0]).xpath("//mark[@id='quotation']")
        assert text_of(mark) in text_of(words.xpath("./p")[0])


def test_people_of_plain_rdf_have_a_page_though_there_is_no_parliament(esperia: Esperia, tmp_path: Path) -> None:
    source = tmp_path / "people.ttl"
    source.write_text(
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix emi: <https://w3id.org/emiciclo/ns#> . "
        "@prefix dcterms: <http://purl.org/dc/terms/> . "
        '<http://x.example/anna> a foaf:Person ; foaf:name "Anna Rossi" . '
        '<http://x.example/day> a emi:Sitting ; dcterms:title "A day" .'
    )
    load_rdf(source, tmp_path / "data", base_iri=BASE)
    data = DataDirectory(tmp_path / "data")
    graph = open_graph(data.published(), esperia.settings)
    client = create_app(data.path, esperia.settings, graph).test_client(use_cookies=False)
    assert "Anna Rossi" in text_of(page(client, "/resource?iri=http%3A%2F%2Fx.example%2Fanna"))
    assert "A day" in text_of(page(client, "/resource?iri=http%3A%2F%2Fx.example%2Fday"))
    assert "SPARQL" in text_of(page(client, "/about"))
    for path in ("/people", "/people/anna", "/sittings", "/sittings/day"):
        page(client, path, 404)


def test_labels_come_in_the_language_that_is_asked_for_and_a_form_is_not_sent_twice(client: FlaskClient) -> None:
    sent = {"Accept": "application/ld+json", "Accept-Language": "it"}
    with client.get("/people/p900701", headers=sent) as response:
        assert response.headers["Content-Language"] == "it"
        assert {"Accept", "Accept-Language"} <= {name.strip() for name in response.headers["Vary"].split(",")}
        assert "deputata" in {membership.get("label") for membership in response.json["memberships"]}
        tag = response.headers["ETag"]
    with client.get("/people/p900701", headers={**sent, "If-None-Match": tag}) as response:
        assert (response.status_code, response.data) == (304, b"")
    with client.head("/people", headers={"Accept": "text/html"}) as response:
        assert (response.status_code, response.data) == (200, b"")
