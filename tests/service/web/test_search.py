"""The search over HTTP: the document, the page, the feed, and what is refused."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from flask.testing import FlaskClient
from lxml import etree, html
from pyld import jsonld

import ontology
from service.chamber import Chamber
from service.engines.local import LocalEngine
from service.web.app import create_app
from service.web.search import SearchDocument, marked
from tests.conftest import Esperia

HTML = {"Accept": "text/html"}
TERMS = json.loads(ontology.read("context.jsonld"))["@context"]


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    engine = LocalEngine(esperia.data, esperia.settings)
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph, engine=engine).test_client(
        use_cookies=False
    )


def document(client: FlaskClient, address: str) -> dict[str, Any]:
    response = client.get(address)
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == "application/ld+json"
    found: dict[str, Any] = response.get_json()
    return found


def page(client: FlaskClient, address: str) -> Any:
    response = client.get(address, headers=HTML)
    assert response.status_code == 200, response.get_data(as_text=True)
    return html.fromstring(response.get_data(as_text=True))


# The document


@pytest.mark.parametrize(
    "query", ["q=salario+minimo", "q=lavoro&kind=acts&mode=text", "group=government", "q=Brancaleoni&mode=semantic", ""]
)
def test_the_document_is_linked_data_and_as_its_model_says(query: str, client: FlaskClient) -> None:
    found = document(client, f"/search?{query}")
    SearchDocument.model_validate(found)
    expanded = jsonld.expand({**found, "@context": TERMS})
    compacted = jsonld.compact(expanded, TERMS)
    assert len(compacted.get("member", [])) == len(found["member"])
    lost = {key for node in nodes(found) for key in node if key != "@context" and key not in TERMS}
    assert lost == set()


def nodes(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(node for inner in value.values() for node in nodes(inner))]
    return [node for inner in value for node in nodes(inner)] if isinstance(value, list) else []


def test_highlights_are_places_in_the_text_of_the_speech(client: FlaskClient, esperia: Esperia) -> None:
    for hit in document(client, "/search?q=salario+minimo&mode=text")["member"]:
        rows = esperia.corpus.graph.select(f"SELECT ?t {{ <{hit['speech']}> <http://schema.org/text> ?t }}")
        text = rows[0]["t"].value
        (shown,) = hit["selector"]
        assert text[shown["start"] : shown["end"]] == hit["exact"]
        assert hit["highlights"]
        assert all(text[m["start"] : m["end"]].lower()[:5] in ("salar", "minim") for m in hit["highlights"])


def test_a_group_by_another_name_than_its_present_one_stays_chosen_in_the_form(
    client: FlaskClient, esperia: Esperia
) -> None:
    component = next(o for o in Chamber(esperia.corpus.graph).organisations.values() if o.is_component)
    shown = page(client, f"/search?group={quote(component.iri, safe='')}")
    (option,) = shown.cssselect("#group option[selected]")
    assert option.get("value") == component.iri
    assert "http" not in option.text_content()


def test_facets_lead_to_narrower_searches_with_as_many_results(client: FlaskClient) -> None:
    found = document(client, "/search?q=salario+minimo&mode=text&kind=speeches")
    for facet in found["facets"]:
        value = facet["facetValues"][0]
        parts = urlsplit(value["narrows"])
        assert document(client, f"{parts.path}?{parts.query}")["totalItems"] == value["count"]


def test_pages_are_linked(client: FlaskClient) -> None:
    view = document(client, "/search?q=salario+minimo&size=5&page=2")["view"]
    assert view["previous"] == view["first"]
    assert "page=3" in view["next"]
    assert "page=" in view["last"]


def test_the_page_beyond_the_last_is_empty(client: FlaskClient) -> None:
    assert document(client, "/search?q=salario&page=900")["member"] == []
    assert "beyond the last" in page(client, "/search?q=salario&page=900&lang=en").text_content()


# The page


def test_the_page_shows_what_was_found_marked_and_links_to_the_span(client: FlaskClient) -> None:
    shown = page(client, "/search?q=salario+minimo&mode=text&lang=en")
    assert "salario" in [mark.text.lower() for mark in shown.iter("mark")]
    links = [a.get("href") for a in shown.cssselect(".snippet a")]
    assert links
    assert all("start=" in link and "end=" in link for link in links)
    assert shown.findtext(".//title").startswith("Search: salario minimo")
    assert client.get(links[0], headers=HTML).status_code == 200


def test_the_form_keeps_what_was_asked_and_works_when_sent_as_it_is(client: FlaskClient) -> None:
    shown = page(client, "/search?q=lavoro&mode=text&kind=speeches&from=2025-02-01&act=http://x.example/a")
    form = shown.cssselect("form.search")[0]
    fields = dict(form.form_values())
    assert fields["q"] == "lavoro"
    assert fields["mode"] == "text"
    assert fields["kind"] == "speeches"
    assert fields["from"] == "2025-02-01"
    assert fields["act"] == "http://x.example/a"
    assert "" in fields.values()  # what is left empty is sent as such
    assert client.get("/search", query_string=fields, headers=HTML).status_code == 200


def test_nothing_found_is_told_with_advice(client: FlaskClient) -> None:
    text = page(client, "/search?q=%22zzz+qqq%22&mode=text&lang=en").text_content()
    assert "Nothing was found" in text
    assert "quotation marks" in text
    assert "Articles and prepositions" in page(client, "/search?q=di+la&mode=text&lang=en").text_content()


def test_people_and_acts_stand_beside(client: FlaskClient) -> None:
    shown = page(client, "/search?q=Brancaleoni&lang=en")
    assert "Anna Brancaleoni" in [a.text for a in shown.cssselect(".names a")]
    assert shown.cssselect(".act") or page(client, "/search?q=salario+minimo").cssselect(".act")


def test_a_filter_can_be_removed(client: FlaskClient) -> None:
    shown = page(client, "/search?q=lavoro&group=government&month=2025-02&lang=en")
    chips = {a.text_content().strip(): a.get("href") for a in shown.cssselect(".chips a")}
    assert any("Government" in label for label in chips)
    removed = next(href for label, href in chips.items() if "Government" in label)
    assert "group" not in removed
    assert "month=2025-02" in removed


def test_pieces_make_the_text_again() -> None:
    assert marked("abcdef", 10, ((11, 13), (14, 16))) == [("a", False), ("bc", True), ("d", False), ("ef", True)]
    assert marked("", 0, ()) == []


# The feed


def test_the_feed_holds_the_latest_first(client: FlaskClient) -> None:
    response = client.get("/search.atom?q=salario+minimo&group=government")
    assert response.mimetype == "application/atom+xml"
    feed = etree.fromstring(response.data)
    space = {"a": "http://www.w3.org/2005/Atom"}
    days = feed.xpath("//a:entry/a:updated/text()", namespaces=space)
    assert days
    assert days == sorted(days, reverse=True)
    assert len(set(feed.xpath("//a:entry/a:id/text()", namespaces=space))) == len(days)


# Refusals


@pytest.mark.parametrize(
    "query",
    [
        "q=" + "x" * 100_000,
        "q=" + "x" * 1001,
        "mode=psychic",
        "kind=people",
        "page=0",
        "page=x",
        "size=51",
        "month=2025-13",
        "month=0000-01",
        "from=yesterday",
        "from=2025-03-01&until=2025-02-01",
        "act=%3C%3E",
        "sitting=%00",
        "speaker=%22%7D",
        "group=%3Cscript%3E",
        "capacity=chair&q=lavoro",
        "capacity=king",
        "unknown=1",
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(query: str, client: FlaskClient) -> None:
    for path in ("/search", "/search.atom"):
        response = client.get(f"{path}?{query}")
        assert response.status_code == 400
        assert response.mimetype == "application/problem+json"
        assert response.get_json()["detail"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "%00%ff%fe",
        "%22" * 500,
        "%2B" * 900,
        "((((((((((",
        "%F0%9F%98%80",
        "' OR 1=1 --",
        "} } SELECT * {",
        "a%27" * 200,
        "%E2%80%AE%E2%80%8B",
    ],
)
def test_hostile_words_are_words(text: str, client: FlaskClient) -> None:
    for mode in ("text", "semantic", "hybrid"):
        response = client.get(f"/search?q={text}&mode={mode}", headers=HTML)
        assert response.status_code == 200
        assert b"<script>alert" not in response.data
    assert client.get(f"/search.atom?q={text}").status_code == 200


def test_without_an_engine_it_says_so(esperia: Esperia) -> None:
    bare = create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client()
    response = bare.get("/search?q=lavoro")
    assert response.status_code == 503
    assert "/sparql" in response.get_json()["detail"]
