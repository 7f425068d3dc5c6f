"""The examples over HTTP: found by tag and words, opened in the console, and served as files and as data."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode, RdfFormat, parse

from ontology import DCTERMS
from service.examples import examples
from service.web.app import create_app
from tests.conftest import Esperia

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language": "en"}
PROGRAM = {"Accept": "application/json", "Accept-Language": "en"}
SYNTAX = {
    "ttl": RdfFormat.TURTLE,
    "jsonld": RdfFormat.JSON_LD,
    "nt": RdfFormat.N_TRIPLES,
    "rdf": RdfFormat.RDF_XML,
}
NAMES = {example.name for example in examples()}


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)


def listed(page: str) -> set[str]:
    return set(re.findall(r'<a class="title" href="/sparql/examples/([^"]+)"', page))


def test_the_console_gets_every_example_as_json(client: FlaskClient) -> None:
    response = client.get("/sparql/examples", headers={"Accept": "application/json"})
    assert response.mimetype == "application/json"
    found = {member["name"]: member for member in response.json or []}
    assert set(found) == NAMES
    for example in examples():
        member = found[example.name]
        assert member["title"] == example.titles
        assert member["description"] == example.descriptions
        assert (tuple(member["tags"]), member["query"]) == (example.tags, example.query)
        assert urlsplit(member["url"]).path == f"/sparql/examples/{example.name}"


def test_a_browser_gets_a_page_whose_links_open_the_queries_in_the_console(client: FlaskClient) -> None:
    response = client.get("/sparql/examples", headers=BROWSER)
    assert response.mimetype == "text/html"
    assert listed(response.text) == NAMES
    links = re.findall(r'href="(/sparql\?query=[^"]*)"', response.text)
    opened = {parse_qs(urlsplit(html.unescape(link)).query)["query"][0] for link in links}
    assert opened == {example.query for example in examples()}
    shown = [html.unescape(query) for query in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", response.text, re.S)]
    assert set(shown) == {example.query for example in examples()}


def test_the_page_is_in_the_reader_s_language(client: FlaskClient) -> None:
    response = client.get("/sparql/examples?lang=it", headers=BROWSER)
    assert "Chi ha cambiato gruppo, e quando" in response.text
    assert "Who changed group" not in response.text
    assert "Apri nella console" in response.text


@pytest.mark.parametrize("headers", [BROWSER, {"Accept": "application/json"}])
def test_examples_are_found_by_tag(headers: dict[str, str], client: FlaskClient) -> None:
    response = client.get("/sparql/examples?tag=sides", headers=headers)
    expected = {example.name for example in examples() if "sides" in example.tags}
    assert (listed(response.text) if response.json is None else {one["name"] for one in response.json}) == expected


@pytest.mark.parametrize(
    ("words", "name"),
    [("crossed SIDE", "side-crossings"), ("piu lunghe", "longest-debates"), ("autorevolezza", "side-crossings")],
)
def test_examples_are_found_by_words_without_regard_to_case_and_accents(
    words: str, name: str, client: FlaskClient
) -> None:
    found = listed(client.get("/sparql/examples", query_string={"q": words}, headers=BROWSER).text)
    assert name in found
    assert len(found) < len(NAMES) / 2


def test_words_that_no_example_has_find_none(client: FlaskClient) -> None:
    response = client.get("/sparql/examples", query_string={"q": "zabaione"}, headers=BROWSER)
    assert listed(response.text) == set()
    assert "0 examples" in response.text


def test_what_is_searched_for_is_escaped_in_the_page(client: FlaskClient) -> None:
    page = client.get("/sparql/examples", query_string={"q": '"><script>alert(1)</script>'}, headers=BROWSER).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize("form", SYNTAX)
def test_the_examples_are_data_that_lead_to_each_other(form: str, client: FlaskClient) -> None:
    response = client.get(f"/sparql/examples?format={form}")
    parts = [
        quad.object.value
        for quad in parse(response.data, format=SYNTAX[form])
        if quad.predicate == NamedNode(f"{DCTERMS}hasPart") and isinstance(quad.object, NamedNode)
    ]
    assert len(parts) == len(NAMES)
    one = client.get(urlsplit(parts[0]).path, headers={"Accept": response.mimetype})
    subjects = {
        quad.subject.value for quad in parse(one.data, format=SYNTAX[form]) if isinstance(quad.subject, NamedNode)
    }
    assert subjects == {parts[0]}


@pytest.mark.parametrize("address", ["/sparql/examples/side-crossings", "/sparql/examples/side-crossings.rq"])
def test_a_program_gets_the_file_as_it_stands(address: str, client: FlaskClient) -> None:
    response = client.get(address)
    example = next(example for example in examples() if example.name == "side-crossings")
    assert response.mimetype == "application/sparql-query"
    assert response.text == example.text


def test_a_browser_gets_the_page_of_an_example(client: FlaskClient) -> None:
    response = client.get("/sparql/examples/verify-a-quotation", headers=BROWSER)
    assert response.mimetype == "text/html"
    assert "Check a quotation against the record" in response.text
    assert "Accept" in response.headers["Vary"]


@pytest.mark.parametrize("address", ["/sparql/examples/side-crossing", "/sparql/examples/side-crossing.rq"])
def test_a_misspelt_name_is_answered_with_the_nearest(address: str, client: FlaskClient) -> None:
    response = client.get(address, headers=PROGRAM)
    assert (response.status_code, response.mimetype) == (404, "application/problem+json")
    assert "did you mean side-crossings" in (response.json or {})["detail"]


def test_an_unknown_tag_is_answered_with_the_known(client: FlaskClient) -> None:
    response = client.get("/sparql/examples?tag=banana", headers=PROGRAM)
    assert response.status_code == 400
    assert "banana; known: acts, " in (response.json or {})["detail"]


def test_a_form_that_is_not_offered_is_refused(client: FlaskClient) -> None:
    assert client.get("/sparql/examples", headers={"Accept": "text/csv"}).status_code == 406
    assert client.get("/sparql/examples?format=csv").status_code == 400


@pytest.mark.parametrize("path", ["", "/side-crossings", "/side-crossings.rq"])
def test_what_has_not_changed_is_not_sent_again(path: str, client: FlaskClient) -> None:
    first = client.get(f"/sparql/examples{path}")
    assert "max-age" in first.headers["Cache-Control"]
    again = client.get(f"/sparql/examples{path}", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
