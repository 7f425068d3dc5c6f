"""The vocabularies over HTTP: pages with an anchor for every term, and the files themselves."""

import html
import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from pyld import jsonld
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse

import ontology
from service.graph import EmbeddedGraph
from service.publication.vocabulary import read_ontology, read_schemes, read_shapes
from service.settings import Settings
from service.web.app import create_app
from tests.conftest import Esperia

FILES = {"ns": "emiciclo.ttl", "shapes": "shapes.ttl", "schemes": "schemes.ttl", "topics": "topics.ttl"}
FORMS = {
    "ttl": ("text/turtle", RdfFormat.TURTLE),
    "nt": ("application/n-triples", RdfFormat.N_TRIPLES),
    "rdf": ("application/rdf+xml", RdfFormat.RDF_XML),
    "jsonld": ("application/ld+json", RdfFormat.JSON_LD),
}
ROOT = Path(ontology.__file__).parent


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    graph = EmbeddedGraph.open(esperia.data / "current" / "graph")
    return create_app(esperia.data, Settings(embedder="hash"), graph).test_client()


def canonical(content: bytes, form: RdfFormat) -> Dataset:
    dataset = Dataset(Quad(quad.subject, quad.predicate, quad.object) for quad in parse(content, format=form))
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


@pytest.mark.parametrize("name", FILES)
def test_the_turtle_is_the_file_byte_for_byte(name: str, client: FlaskClient) -> None:
    content = (ROOT / FILES[name]).read_bytes()
    assert client.get(f"/{name}.ttl").data == content
    assert client.get(f"/{name}", headers={"Accept": "text/turtle"}).data == content


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("name", FILES)
def test_every_form_says_what_the_file_says(name: str, suffix: str, client: FlaskClient) -> None:
    media_type, form = FORMS[suffix]
    by_path = client.get(f"/{name}.{suffix}")
    negotiated = client.get(f"/{name}", headers={"Accept": media_type})
    assert by_path.status_code == negotiated.status_code == 200
    assert by_path.mimetype == negotiated.mimetype == media_type
    assert by_path.data == negotiated.data
    assert "Accept" in negotiated.vary
    assert "Accept" not in by_path.vary
    assert canonical(by_path.data, form) == canonical((ROOT / FILES[name]).read_bytes(), RdfFormat.TURTLE)


@pytest.mark.parametrize(
    "path", ["/ns", "/ns.ttl", "/shapes.ttl", "/topics.jsonld", "/topics", "/schemes", "/context.jsonld"]
)
def test_what_is_known_is_not_sent_again(path: str, client: FlaskClient) -> None:
    first = client.get(path)
    assert "max-age" in first.headers["Cache-Control"] or "no-cache" in first.headers["Cache-Control"]
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    head = client.head(path)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize("name", FILES)
def test_each_form_names_the_others(name: str, client: FlaskClient) -> None:
    response = client.get(f"/{name}.ttl")
    alternates = [link for link in response.headers.getlist("Link") if 'rel="alternate"' in link]
    assert len(alternates) == len(FORMS)
    for link in alternates:
        address, media_type = link.split(">; ")[0].removeprefix("<"), link.split('type="')[1].rstrip('"')
        assert client.get(address, follow_redirects=True).mimetype == media_type


@pytest.mark.parametrize(("path", "accept", "status"), [
    ("/ns", "image/png", 406),
    ("/topics", "text/turtle;q=0", 406),
    ("/ns?format=docx", "*/*", 400),
    ("/ns.docx", "*/*", 404),
    ("/ns/", "*/*", 404),
    ("/nsx.ttl", "*/*", 404),
    ("/emiciclo.ttl", "*/*", 404),
])  # fmt: skip
def test_what_is_not_served_is_told(path: str, accept: str, status: int, client: FlaskClient) -> None:
    response = client.get(path, headers={"Accept": accept})
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"


def test_the_context_is_cached_for_long_and_open_to_all(client: FlaskClient) -> None:
    response = client.get("/context.jsonld", headers={"Origin": "https://elsewhere.example"})
    assert response.mimetype == "application/ld+json"
    assert response.data == (ROOT / "context.jsonld").read_bytes()
    assert response.cache_control.max_age == 24 * 3600
    assert response.cache_control.public
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_a_document_that_names_the_context_is_expanded_with_what_is_served(client: FlaskClient) -> None:
    def load(address: str, _: object) -> dict[str, object]:
        served = client.get(address.removeprefix("https://emiciclo.example"))
        found = {"documentUrl": address, "document": json.loads(served.data)}
        return {"contentType": served.mimetype, "contextUrl": None, **found}

    document = {"@context": "https://emiciclo.example/context.jsonld", "type": "Corpus", "corpusVersion": "1"}
    (expanded,) = jsonld.expand(document, {"documentLoader": load})
    assert expanded["@type"] == [f"{ontology.EMI}Corpus"]


def ids(page: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'\bid="([^"]*)"', page)]


def fragments(page: str) -> set[str]:
    return {html.unescape(found) for found in re.findall(r'href="#([^"]*)"', page)}


def test_every_term_has_its_anchor_label_and_definition_in_both_languages(client: FlaskClient) -> None:
    found = read_ontology()
    for language in ("en", "it"):
        page = client.get(f"/ns?lang={language}", headers={"Accept": "text/html"}).text
        anchors = ids(page)
        assert len(anchors) == len(set(anchors))
        for term in (*found.classes, *found.object_properties, *found.datatype_properties):
            assert term.name in anchors
            assert html.escape(term.label[language], quote=False).replace("'", "&#39;") in page
            assert (
                html.escape(term.definition[language], quote=False).replace("'", "&#39;").replace('"', "&#34;") in page
            )
        assert fragments(page) <= {*anchors, "main"}
        assert {f"shape-{shape.name}" for shape in read_shapes()} <= set(anchors)


@pytest.mark.parametrize("path", ["/topics", "/schemes"])
def test_every_concept_has_its_anchor_and_every_link_within_the_page_lands(path: str, client: FlaskClient) -> None:
    for language in ("en", "it"):
        page = client.get(f"{path}?lang={language}", headers={"Accept": "text/html"}).text
        anchors = ids(page)
        assert len(anchors) == len(set(anchors))
        for scheme in read_schemes(f"{path[1:]}.ttl"):
            for concept in scheme.concepts.values():
                assert (concept.name if path == "/topics" else f"{scheme.name}-{concept.name}") in anchors
        assert fragments(page) <= {*anchors, "main"}


def test_people_who_come_for_the_shapes_find_them_on_the_page_of_the_ontology(client: FlaskClient) -> None:
    response = client.get("/shapes", headers={"Accept": "text/html"})
    assert (response.status_code, response.headers["Location"]) == (303, "/ns#shapes")
    assert 'id="shapes"' in client.get("/ns", headers={"Accept": "text/html"}).text


def test_pages_are_there_before_anything_is_loaded(tmp_path: Path) -> None:
    client = create_app(tmp_path, Settings(embedder="hash"), EmbeddedGraph.__new__(EmbeddedGraph)).test_client()
    for path in ("/ns", "/topics", "/schemes", "/ns.ttl", "/context.jsonld"):
        assert client.get(path).status_code == 200
