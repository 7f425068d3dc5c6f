"""Memberships over HTTP: filters, pages, and both forms of RDF."""

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from ontology import ORG, RDF
from service.graph import EmbeddedGraph
from service.publication import memberships as pages
from service.settings import Settings
from service.web.app import create_app
from tests.conftest import Esperia

REIFIES, MEMBER = NamedNode(f"{RDF}reifies"), NamedNode(f"{ORG}member")
ORGANIZATION = NamedNode(f"{ORG}organization")


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    graph = EmbeddedGraph.open(esperia.data / "current" / "graph")
    return create_app(esperia.data, Settings(embedder="hash"), graph).test_client()


def triples(content: bytes, form: RdfFormat = RdfFormat.TURTLE) -> set[Triple]:
    return {quad.triple for quad in parse(content, format=form)}


@pytest.fixture(scope="module")
def person(client: FlaskClient) -> str:
    found = triples(client.get("/memberships").data)
    return min(t.object.value for t in found if t.predicate == MEMBER and "/persona" in t.object.value)  # type: ignore[union-attr]


@pytest.mark.parametrize(("accept", "served", "is_reified"), [
    ("text/turtle", "text/turtle", False),
    ("*/*", "text/turtle", False),
    ("text/turtle;version=1.2", "text/turtle;version=1.2", True),
    ('text/turtle; version="1.2", text/turtle;q=0.5', "text/turtle;version=1.2", True),
    ("text/turtle, text/turtle;version=1.2;q=0.5", "text/turtle", False),
    ("application/n-triples;version=1.2", "application/n-triples;version=1.2", True),
    ("application/n-triples", "application/n-triples", False),
])  # fmt: skip
def test_the_media_type_says_which_form(accept: str, served: str, is_reified: bool, client: FlaskClient) -> None:
    response = client.get("/memberships", headers={"Accept": accept})
    assert response.status_code == 200
    assert response.content_type.removesuffix(";charset=utf-8") == served
    form = RdfFormat.TURTLE if "turtle" in served else RdfFormat.N_TRIPLES
    found = triples(response.data, form)
    assert any(triple.predicate == REIFIES for triple in found) == is_reified
    assert any(triple.predicate == MEMBER for triple in found) != is_reified
    assert "Accept" in response.vary


def test_both_forms_tell_of_the_same_memberships(client: FlaskClient, person: str) -> None:
    query = {"person": person}
    plain = triples(client.get("/memberships", query_string=query).data)
    view = triples(client.get("/memberships", query_string={**query, "format": "ttl12"}).data)
    members = {triple.subject: triple.object for triple in plain if triple.predicate == MEMBER}
    bodies = {triple.subject: triple.object for triple in plain if triple.predicate == ORGANIZATION}
    assert members
    assert set(members.values()) == {NamedNode(person)}
    reified = {triple.subject: triple.object for triple in view if triple.predicate == REIFIES}
    assert reified == {
        membership: Triple(member, NamedNode(f"{ORG}memberOf"), bodies[membership])
        for membership, member in members.items()
    }


def test_a_day_leaves_out_what_does_not_hold_on_it(client: FlaskClient, person: str) -> None:
    always = triples(client.get("/memberships", query_string={"person": person}).data)
    before = client.get("/memberships", query_string={"person": person, "on": "1900-01-01"})
    assert always
    assert before.status_code == 200
    assert triples(before.data) == set()


def test_pages_are_linked_until_the_last(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = triples(client.get("/memberships?format=nt12").data, RdfFormat.N_TRIPLES)
    monkeypatch.setattr(pages, "PAGE", 40)
    found: set[Triple] = set()
    address: str | None = "/memberships?format=nt12"
    count = 0
    while address:
        response = client.get(address)
        page = triples(response.data, RdfFormat.N_TRIPLES)
        assert not page & found
        found |= page
        count += 1
        links = [link for link in response.headers.getlist("Link") if 'rel="next"' in link]
        address = links[0].split(">")[0].removeprefix("<") if links else None
    assert count > 3
    assert found == whole


@pytest.mark.parametrize(("query", "words"), [
    ("person=", "person:"),
    ("person=p308940", "person: p308940 is not an absolute IRI"),
    ("person=http://a.b/%20c", "not an absolute IRI"),
    ("person=http://a.b/>} DROP ALL%23", "not an absolute IRI"),
    ("organization=" + "http://a.b/" + "x" * 5000, "characters and the limit is"),
    ("after=x", "after: x is not"),
    ("on=yesterday", "on: yesterday is not a day"),
    ("on=2025-02-30", "is not a day"),
    ("on=20250909", "is not a day"),
    ("on=2025-W37-2", "is not a day"),
    ("on=2025-09-09T00:00:00", "is not a day"),
    ("on=", "is not a day"),
    ("on=٢٠٢٥-٠٩-٠٩", "is not a day"),
    ("organisation=http://a.b/c", "there is no parameter organisation here; known: person, organization, on, after"),
    ("on=2025-09-09&on=2025-09-10", "given twice"),
    ("format=docx", "there is no format"),
])  # fmt: skip
def test_a_parameter_that_means_nothing_is_told(query: str, words: str, client: FlaskClient) -> None:
    response = client.get(f"/memberships?{query}")
    assert response.status_code == 400
    assert words in response.get_json()["detail"]


def test_a_text_that_would_end_a_string_of_the_query_changes_nothing(client: FlaskClient) -> None:
    response = client.get("/memberships", query_string={"after": 'http://a.b/")}}#'})
    assert response.status_code == 400
    after = client.get("/memberships", query_string={"after": "zzz://\\u0022"})
    assert after.status_code == 400
    assert client.get("/memberships", query_string={"after": "zzz://a"}).data == b""


def test_somebody_of_whom_nothing_is_held_is_not_found(client: FlaskClient) -> None:
    response = client.get("/memberships?person=http://example.org/nobody")
    assert response.status_code == 404
    assert "http://example.org/nobody" in response.get_json()["detail"]


def test_what_is_known_is_not_sent_again_and_other_forms_are_refused(client: FlaskClient) -> None:
    first = client.get("/memberships")
    assert client.get("/memberships", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert client.get("/memberships", headers={"Accept": "image/png"}).status_code == 406
    assert client.head("/memberships").data == b""
    assert client.get("/memberships", headers={"Accept": "application/ld+json"}).mimetype == "application/ld+json"
