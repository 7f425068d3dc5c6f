"""Sittings and debates: found by month and title, counted in words, light, and the same for programs."""

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from pyld import jsonld
from pyoxigraph import Literal, NamedNode, Quad, Store

import ontology
from service.graph import EmbeddedGraph
from service.record.register import folded, matching
from service.web import sittings
from service.web.app import create_app
from tests.conftest import BASE, Esperia

SITTING = f"{BASE}sitting/esperia-1/sed0015"


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)


def page(client: FlaskClient, path: str, status: int = 200) -> html.HtmlElement:
    with client.get(path, headers={"Accept": "text/html", "Accept-Language": "en"}) as response:
        assert response.status_code == status, response.text
        assert len(response.data) < 300_000
        return html.fromstring(response.text)


def document(client: FlaskClient, path: str) -> dict[str, Any]:
    with client.get(path, headers={"Accept": "application/ld+json"}) as response:
        assert response.status_code == 200, response.text
        assert response.mimetype == "application/ld+json"
        found: dict[str, Any] = json.loads(response.text)
    return found


def text_of(found: html.HtmlElement) -> str:
    return " ".join(found.text_content().split())


def words_of(esperia: Esperia, iri: str) -> tuple[int, int]:
    """Speeches and words of a sitting, counted from the texts themselves."""
    assert isinstance(esperia.corpus.graph, EmbeddedGraph)
    rows = esperia.corpus.graph.select(
        f"SELECT ?text WHERE {{ ?s <{ontology.EMI}sitting> <{iri}> ; <{ontology.SCHEMA}text> ?text }}"
    )
    return len(rows), sum(len(row["text"].value.split()) for row in rows)


def test_the_list_has_every_sitting_latest_first_by_month(client: FlaskClient, esperia: Esperia) -> None:
    found = page(client, "/sittings")
    days = found.xpath("//ol[@class='sittings']/li//time/@datetime")
    assert len(days) == esperia.corpus.manifest.counts["sittings"]
    assert days == sorted(days, reverse=True)
    assert found.xpath("//h2[@class='month']/text()")[0] == "February 2026"
    assert found.xpath("//nav//a[@href='/sittings']/@aria-current") == ["page"]


def test_a_sitting_tells_its_debates_speeches_and_words(client: FlaskClient, esperia: Esperia) -> None:
    speeches, words = words_of(esperia, SITTING)
    told = document(client, "/sittings/sed0015")
    assert (told["id"], told["speechesCount"], told["words"]) == (SITTING, speeches, words)
    assert sum(part["words"] for part in told["parts"]) == words
    (listed,) = [entry for entry in document(client, "/sittings")["member"] if entry["id"] == SITTING]
    assert (listed["speechesCount"], listed["words"]) == (speeches, words)
    assert f"{words:,}" in text_of(page(client, "/sittings/sed0015"))


def test_shares_of_groups_and_of_speakers_add_up(client: FlaskClient) -> None:
    told = document(client, "/sittings/sed0015")
    speakers = [share for share in told["shares"] if "speaker" in share]
    groups = [share for share in told["shares"] if "speaker" not in share]
    assert sum(share["words"] for share in groups) == told["words"]
    chair = next(share for share in groups if share["label"] == "Chair")
    assert sum(share["words"] for share in speakers) == told["words"] - chair["words"]
    assert [share["words"] for share in speakers] == sorted((s["words"] for s in speakers), reverse=True)


def test_each_speech_of_a_sitting_is_linked(client: FlaskClient) -> None:
    links = page(client, "/sittings/sed0015").xpath("//ol[@class='turns']//a/@href")
    assert len(links) == document(client, "/sittings/sed0015")["speechesCount"]
    with client.get(links[0], headers={"Accept": "text/html"}) as response:
        assert response.status_code == 200


def test_a_long_sitting_shows_its_debates_alone(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sittings, "SHOWN_WITH_SPEECHES", 3)
    found = page(client, "/sittings/sed0015")
    assert not found.xpath("//ol[@class='turns']")
    debates = found.xpath("//section[@class='part closed']//h3/a/@href")
    assert debates == ["/sittings/sed0015/tit00020", "/sittings/sed0015/tit00030"]


def test_a_debate_has_a_page_with_every_speech_in_order_and_pages(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = document(client, "/sittings/sed0015/tit00020")
    assert (told["type"], told["speechesCount"]) == ("Debate", 14)
    monkeypatch.setattr(sittings, "PER_PAGE", 5)
    links = [
        link
        for number in (1, 2, 3)
        for link in page(client, f"/sittings/sed0015/tit00020?page={number}").xpath("//ol[@class='turns']//a/@href")
    ]
    assert len(links) == len(set(links)) == 14
    (after,) = page(client, "/sittings/sed0015/tit00020").xpath("//nav[@class='steps']/a[@rel='next']/@href")
    assert after == "/sittings/sed0015/tit00030"


def test_sittings_lead_to_those_beside_them(client: FlaskClient) -> None:
    found = page(client, "/sittings/sed0014")
    (before,) = found.xpath("//nav[@class='steps']/a[@rel='prev']/@href")
    (after,) = found.xpath("//nav[@class='steps']/a[@rel='next']/@href")
    assert (before, after) == ("/sittings/sed0013", "/sittings/sed0015")
    assert not page(client, "/sittings/sed0015").xpath("//nav[@class='steps']/a[@rel='next']")
    assert not page(client, "/sittings/sed0001").xpath("//nav[@class='steps']/a[@rel='prev']")


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("q=nucleare", 2),
        ("q=NUCLE%C3%80RE", 2),
        ("q=energia+nucl", 2),
        ("q=ucleare", 0),
        ("period=2025-12", 3),
        ("period=2026", 1),
        ("period=2025-12&q=nucleare", 0),
        ("period=&q=", 15),
        ("period=1999", 0),
    ],
)
def test_sittings_are_found_by_month_and_by_what_was_debated(client: FlaskClient, query: str, number: int) -> None:
    assert document(client, f"/sittings?{query}")["totalItems"] == number
    assert len(page(client, f"/sittings?{query}").xpath("//ol[@class='sittings']/li")) == number


def test_a_day_leads_to_its_sitting(client: FlaskClient) -> None:
    with client.get("/sittings/2026-02-11?lang=it", headers={"Accept": "text/html"}) as response:
        assert (response.status_code, response.location) == (303, "/sittings/sed0015?lang=it")
    with client.get("/sittings/2026-02-11?lang=it&lang=en&_external=1") as response:
        assert response.status_code == 400


def test_other_forms_of_rdf_are_at_the_resource(client: FlaskClient) -> None:
    with client.get("/sittings/sed0015", headers={"Accept": "text/turtle"}) as response:
        assert response.status_code == 303
        assert "Accept" in response.headers["Vary"]
        where = response.location
    with client.get(where) as response:
        assert response.mimetype == "text/turtle"


def test_the_documents_are_rdf_of_the_record_itself(client: FlaskClient) -> None:
    context = json.loads(ontology.read("context.jsonld"))["@context"]
    for path in ("/sittings", "/sittings/sed0015", "/sittings/sed0015/tit00020"):
        told = document(client, path)
        assert told["@context"] == "https://w3id.org/emiciclo/context.jsonld"
        text: Any = jsonld.to_rdf({**told, "@context": context}, {"format": "application/n-quads"})
        assert f"<{ontology.EMI}words>" in text
    part_of = re.search(rf"<(\S+)> <{ontology.EMI}partOf> <{re.escape(told['id'])}>", text)
    assert part_of
    assert part_of[1].startswith(BASE)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/sittings/none", 404),
        ("/sittings/2026-02-31", 404),
        ("/sittings/2026-02-12", 404),
        ("/sittings/sed0015/none", 404),
        ("/sittings/none/tit00020", 404),
        ("/sittings/" + "x" * 3000, 404),
        ("/sittings/%3Cscript%3E", 404),
        ("/sittings/..%2F..%2Fetc%2Fpasswd", 404),
        ("/sittings?page=0", 400),
        ("/sittings?page=x", 400),
        ("/sittings?period=2025-13", 400),
        ("/sittings?period=x", 400),
        ("/sittings?q=" + "x" * 300, 400),
        ("/sittings?other=1", 400),
        ("/sittings/sed0015?format=x", 400),
    ],
)
def test_what_is_not_there_or_senseless_is_refused(client: FlaskClient, path: str, status: int) -> None:
    with client.get(path) as response:
        assert response.status_code == status, response.text
        assert response.mimetype == "application/problem+json"
    page(client, path, status)


def test_markup_in_a_query_is_text(client: FlaskClient) -> None:
    found = page(client, "/sittings?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert not [script for script in found.xpath("//script") if "alert" in (script.text or "")]
    assert found.xpath("//input[@id='q']/@value") == ['"><script>alert(1)</script>']


@given(st.text(max_size=30))
def test_a_query_finds_what_it_was_taken_from(text: str) -> None:
    assert matching(text)(folded(text))


def test_nothing_in_the_record_becomes_markup_or_a_fault(esperia: Esperia) -> None:
    hostile = "</script><script>alert(1)</script>\" onload='alert(2)' {{7*7}} %(num)s \u202e\x01"
    emi = ontology.EMI

    def literal(text: str, datatype: str | None = None) -> Literal:
        return Literal(text, datatype=NamedNode(f"{ontology.XSD}{datatype}")) if datatype else Literal(text)

    sitting, debate = NamedNode("http://x.example/a'b/%3Cs%3E"), NamedNode("http://x.example/d?x=1&y='z'")
    person, speech = NamedNode("http://x.example/p'><b>".replace("<", "%3C").replace(">", "%3E")), "http://x.example/s"
    stated = [
        (sitting, f"{ontology.RDF}type", NamedNode(f"{emi}Sitting")),
        (sitting, f"{emi}date", literal("2025-01-02", "date")),
        (sitting, f"{emi}number", literal(hostile)),
        (debate, f"{ontology.RDF}type", NamedNode(f"{emi}Debate")),
        (debate, f"{emi}partOf", sitting),
        (debate, f"{emi}order", literal("first")),
        (debate, f"{ontology.DCTERMS}title", literal(hostile)),
        (person, f"{ontology.RDF}type", NamedNode(f"{ontology.FOAF}Person")),
        (person, f"{ontology.FOAF}name", literal(hostile)),
        *(
            (NamedNode(f"{speech}{n}"), predicate, term)
            for n in range(3)
            for predicate, term in (
                (f"{ontology.RDF}type", NamedNode(f"{emi}Speech")),
                (f"{emi}partOf", debate),
                (f"{emi}sitting", sitting),
                (f"{emi}speaker", person),
                (f"{emi}order", literal(str(n), "integer")),
                (f"{emi}speakerAsPrinted", literal(hostile)),
                (f"{ontology.SCHEMA}text", literal(hostile)),
            )
        ),
    ]
    store = Store()
    store.bulk_extend(Quad(s, NamedNode(p), o, NamedNode("http://x.example/g")) for s, p, o in stated)
    client = create_app(esperia.data, esperia.settings, EmbeddedGraph(store)).test_client(use_cookies=False)
    member = document(client, "/sittings")["member"][0]
    own = "/sittings/" + member["url"].rsplit("/", 1)[-1]
    parts = document(client, own)["parts"]
    someone = "/people/" + document(client, "/people")["member"][0]["url"].rsplit("/", 1)[-1]
    for path in ("/sittings", own, "/" + parts[0]["url"].split("/", 3)[-1], "/people", someone, "/about"):
        found = page(client, path)
        assert not [node for node in found.iter("script") if "alert" in (node.text or "")], path
        assert not found.xpath("//@onload"), path
        assert "49 %" not in text_of(found)
