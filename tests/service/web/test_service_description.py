"""The SPARQL 1.1 Service Description: what the endpoint is, holds and allows."""

import pytest
from flask.testing import FlaskClient
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Store, parse

from ontology import DCTERMS, EMI, RDF
from service.settings import SparqlSettings
from service.web import service_description
from service.web.service_description import SD, VOID, describe, limits, query_size

from .test_sparql import MakeClient, client, make_client  # noqa: F401 (fixtures)

ENDPOINT = NamedNode("https://a.example/sparql")


def described(settings: SparqlSettings = SparqlSettings(), **more: object) -> Store:
    store = Store()
    told = {"triples": 7, "dataset": "https://a.example/.well-known/void", "version": "1"} | more
    for triple in describe(ENDPOINT.value, settings, [("http://g/1", 3), ("http://g/2", None)], **told):  # type: ignore[arg-type]
        store.add(Quad(triple.subject, triple.predicate, triple.object))
    return store


def objects(store: Store, subject: NamedNode | BlankNode, predicate: str) -> list[object]:
    return [quad.object for quad in store.quads_for_pattern(subject, NamedNode(predicate), None, None)]


@pytest.mark.parametrize(
    ("media_type", "form"),
    [
        ("text/turtle", RdfFormat.TURTLE),
        ("application/rdf+xml", RdfFormat.RDF_XML),
        ("application/ld+json", RdfFormat.JSON_LD),
        ("application/n-triples", RdfFormat.N_TRIPLES),
    ],
)
def test_a_bare_get_describes_the_service_in_each_form(client: FlaskClient, media_type: str, form: RdfFormat) -> None:  # noqa: F811
    response = client.get("/sparql", headers={"Accept": media_type})
    assert (response.status_code, response.mimetype) == (200, media_type)
    assert "Accept" in response.headers["Vary"]
    quads = list(parse(response.data, format=form))
    service = NamedNode("http://localhost/sparql")
    held = {quad.object for quad in quads if quad.predicate == NamedNode(f"{SD}endpoint")}
    assert held == {service}
    named = {quad.object.value for quad in quads if quad.predicate == NamedNode(f"{SD}name")}  # type: ignore[union-attr]
    assert named == set(client.application.extensions["emiciclo"].runner.graphs())
    again = client.get("/sparql", headers={"Accept": media_type, "If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


def test_limits_are_told_by_the_names_of_the_settings() -> None:
    store = described(SparqlSettings(seconds=3, rows=11))
    told = {}
    for limit in objects(store, ENDPOINT, f"{EMI}queryLimit"):
        assert isinstance(limit, BlankNode)
        (name,), (value,) = objects(store, limit, f"{DCTERMS}identifier"), objects(store, limit, f"{RDF}value")
        assert isinstance(name, Literal)
        assert isinstance(value, Literal)
        told[name.value] = float(value.value)
    assert told == {name: float(value) for name, value in limits(SparqlSettings(seconds=3, rows=11)).items()}
    assert told["seconds"] == 3
    assert told["rows"] == 11


def test_the_size_of_queries_is_that_of_the_settings() -> None:
    size = query_size(SparqlSettings(query_characters=1234, query_depth=12, query_patterns=34, query_operators=56))
    assert (size.characters, size.depth, size.patterns, size.operators) == (1234, 12, 34, 56)


def test_partners_are_told_where_there_are_some() -> None:
    feature = NamedNode(f"{SD}BasicFederatedQuery")
    assert feature not in objects(described(), ENDPOINT, f"{SD}feature")
    store = described(SparqlSettings(partners=("https://p.example/sparql",)))
    assert feature in objects(store, ENDPOINT, f"{SD}feature")
    assert "partner_seconds" in limits(SparqlSettings(partners=("https://p.example/sparql",)))
    assert "partner_seconds" not in limits(SparqlSettings())


def test_named_graphs_tell_their_size_where_it_is_known() -> None:
    store = described()
    sizes = {
        quad.object.value  # type: ignore[union-attr]
        for quad in store.quads_for_pattern(None, NamedNode(f"{VOID}triples"), None, None)
    }
    assert sizes == {"7", "3"}
    assert NamedNode(f"{SD}UnionDefaultGraph") in objects(store, ENDPOINT, f"{SD}feature")


def test_every_format_that_is_told_is_one_that_the_endpoint_writes() -> None:
    formats = objects(described(), ENDPOINT, f"{SD}resultFormat")
    assert {form.value.removeprefix(service_description.FORMATS) for form in formats} == set(
        service_description._RESULTS
    )  # type: ignore[attr-defined]
    assert len(formats) == 10


def test_the_same_address_is_given_behind_a_proxy(make_client: MakeClient) -> None:  # noqa: F811
    behind = make_client(proxies=1)
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "data.example", "Accept": "text/turtle"}
    assert b"<https://data.example/sparql>" in behind.get("/sparql", headers=headers).data
