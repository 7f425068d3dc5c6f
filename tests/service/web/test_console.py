"""The console's page, the answer in it for who has no script, and the terms that its editor completes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from pyoxigraph import Triple

import sparql
from service.graph import Row
from service.web import completion, console
from service.web.app import create_app
from service.web.completion import Term, matching
from service.web.console import MOST_ROWS, Cell, table_of
from tests.conftest import Esperia

HOSTILE = "</textarea><script>alert(1)</script>\"'&amp; {{ 7*7 }} ‮\n\n  ?s"
RESULTS_JSON = "application/sparql-results+json"
N_TRIPLES = "application/n-triples"


class Counting:
    """Counts the queries that a graph is asked."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.asked: list[str] = []

    def select(self, query: str) -> list[Row]:
        self.asked.append(query)
        return self.graph.select(query)  # type: ignore[no-any-return]

    def ask(self, query: str) -> bool:
        return self.graph.ask(query)  # type: ignore[no-any-return]

    def construct(self, query: str) -> Iterator[Triple]:
        return self.graph.construct(query)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def app(esperia: Esperia) -> Flask:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph)


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def parsed(response: Response) -> html.HtmlElement:
    return html.fromstring(response.get_data(as_text=True))


def in_editor(app: Flask, query: str | None) -> str:
    with app.test_request_context("/sparql"):
        text = parsed(console.page(query)).get_element_by_id("query").text or ""
    return text.removeprefix("\n")  # which browsers leave out (HTML, 13.2.6.4.7) and lxml does not


def found(client: FlaskClient, **asked: str) -> list[dict[str, Any]]:
    response = client.get("/sparql/terms", query_string=asked)
    assert response.status_code == 200
    return response.json["terms"]  # type: ignore[index, no-any-return]


def names(terms: Iterable[dict[str, Any]]) -> list[str]:
    return [term["name"] for term in terms]


# The page


def test_a_query_from_the_address_stands_in_the_editor_and_nowhere_else(app: Flask) -> None:
    with app.test_request_context("/sparql"):
        text = console.page(HOSTILE).get_data(as_text=True)
    assert in_editor(app, HOSTILE) == HOSTILE
    assert "<script>alert" not in text
    assert text.count("alert(1)") == 1


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n\t"), max_size=60))
def test_any_query_comes_back_from_the_editor_as_it_was(app: Flask, query: str) -> None:
    assert in_editor(app, query) == query


def test_without_a_query_there_is_one_that_any_data_answer(app: Flask, esperia: Esperia) -> None:
    query = in_editor(app, None)
    assert query == sparql.query("console/start").strip()
    assert len(esperia.corpus.graph.select(query)) > 10


def test_the_form_works_without_a_script(app: Flask) -> None:
    with app.test_request_context("/sparql"):
        form = parsed(console.page(None)).get_element_by_id("ask")
    assert (form.method.lower(), form.action) == ("get", "/sparql")
    assert "html" in form.inputs["format"].value_options


def test_a_page_without_the_components_loads_none_and_offers_no_chart(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "static_folder", str(tmp_path))
    with app.test_request_context("/sparql"):
        page = parsed(console.page(None))
    assert not [script for script in page.xpath("//script/@src") if "vendor" in script]
    assert not page.xpath("//*[@id='tab-chart']")
    assert console.components(tmp_path / "vendor") == {"editor": False, "charts": False}


def test_each_component_needs_all_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "d3").mkdir()
    (tmp_path / "d3" / "d3.min.js").touch()
    assert not console.components(tmp_path)["charts"]
    (tmp_path / "plot").mkdir()
    (tmp_path / "plot" / "plot.umd.min.js").touch()
    assert console.components(tmp_path) == {"editor": False, "charts": True}


# The answer in the page


def test_results_become_a_table_with_links_to_what_can_be_followed() -> None:
    body = b"""{"head": {"vars": ["who", "name", "n", "odd"]}, "results": {"bindings": [{
        "who": {"type": "uri", "value": "https://w3id.org/emiciclo/ns#Speech"},
        "name": {"type": "literal", "value": "Intervento", "xml:lang": "it"},
        "n": {"type": "literal", "value": "3", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        "odd": {"type": "uri", "value": "javascript:alert(1)"}
    }, {}]}}"""
    table = table_of("SELECT …", RESULTS_JSON, body)
    assert table.names == ("who", "name", "n", "odd")
    iri = "https://w3id.org/emiciclo/ns#Speech"
    assert table.rows[0] == (
        Cell("emi:Speech", iri, address="/resource?iri=https%3A%2F%2Fw3id.org%2Femiciclo%2Fns%23Speech"),
        Cell("Intervento", language="it"),
        Cell("3", "xsd:integer"),
        Cell("javascript:alert(1)", "javascript:alert(1)"),
    )
    assert table.rows[1] == (Cell(""),) * 4
    assert not table.more
    assert table.formats["CSV"] == "/sparql?query=SELECT+%E2%80%A6&format=csv"


def test_a_graph_becomes_a_table_of_its_triples() -> None:
    table = table_of(
        "CONSTRUCT …", N_TRIPLES, b'<http://a.example/s> <http://a.example/p> "x"@it .\n_:b <urn:p> _:b .\n'
    )
    assert table.names == ("subject", "predicate", "object")
    assert [cell.text for cell in table.rows[0]] == ["http://a.example/s", "http://a.example/p", "x"]
    assert table.rows[1][1].address is None
    assert list(table.formats) == ["Turtle", "JSON-LD", "N-Triples", "RDF/XML"]


@pytest.mark.parametrize("truth", [True, False])
def test_an_ask_is_answered_with_its_truth(app: Flask, truth: bool) -> None:
    body = b'{"head": {}, "boolean": %s}' % str(truth).lower().encode()
    assert table_of("ASK {}", RESULTS_JSON, body).truth is truth
    with app.test_request_context("/sparql"):
        page = parsed(console.answered("ASK {}", Response(body, mimetype=RESULTS_JSON)))
    assert page.find_class("truth")[0].text == ("Yes" if truth else "No")


@pytest.mark.parametrize(("rows", "more"), [(MOST_ROWS, False), (MOST_ROWS + 1, True)])
def test_a_page_says_that_it_shows_the_first_rows_alone(rows: int, more: bool) -> None:
    table = table_of("q", N_TRIPLES, b"<urn:s> <urn:p> <urn:o> .\n" * rows)
    assert (len(table.rows), table.more) == (MOST_ROWS, more)


def test_what_the_data_say_is_text_in_the_page(app: Flask) -> None:
    body = b'<http://a.example/> <urn:p> "<img src=x onerror=alert(1)>" .\n'
    with app.test_request_context("/sparql"):
        page = parsed(console.answered("q", Response(body, mimetype=N_TRIPLES)))
    cells = page.xpath("//tbody/tr/td")
    assert cells[2].text == "<img src=x onerror=alert(1)>"
    assert not page.xpath("//img")


def test_what_is_no_answer_is_passed_on(app: Flask) -> None:
    with app.test_request_context("/sparql"):
        assert console.answered("q", Response(status=304)).status_code == 304


# Completion


def test_a_class_is_found_by_its_prefixed_name_with_how_often_it_is_used(client: FlaskClient, esperia: Esperia) -> None:
    speech, *_ = found(client, kind="class", prefix="emi:Speech")
    assert speech["name"] == "emi:Speech"
    assert speech["count"] == esperia.report.manifest.counts["speeches"]
    assert speech["label"] == {"en": "Speech", "it": "Intervento"}
    assert speech["definition"]["it"].startswith("Un turno di parola")


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("https://w3id.org/emiciclo/ns#Spe", "emi:Speech"),
        ("<https://w3id.org/emiciclo/ns#Spe", "emi:Speech"),
        ("emi:spe", "emi:Speech"),
        ("Speech", "emi:Speech"),
        ("intervento", "ocd:intervento"),
    ],
)
def test_a_class_is_found_by_any_of_its_names(client: FlaskClient, typed: str, first: str) -> None:
    assert names(found(client, kind="class", prefix=typed))[0] == first


def test_a_class_is_found_by_its_italian_label(client: FlaskClient) -> None:
    assert "emi:Speech" in names(found(client, kind="class", prefix="INTERVENTO"))


def test_without_a_prefix_the_terms_come_by_use(client: FlaskClient) -> None:
    counts = [term["count"] or 0 for term in found(client, kind="property")]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 100


def test_a_property_that_no_ontology_here_defines_is_found_in_the_data(client: FlaskClient) -> None:
    (term,) = found(client, kind="property", prefix="ocd:aderisce")
    assert term["count"] > 0
    assert term["label"] == {}


def test_a_concept_is_found_by_the_name_of_its_scheme(client: FlaskClient) -> None:
    assert {"capacity:chair", "capacity:member"} <= set(names(found(client, kind="concept", prefix="capacity:")))


@pytest.mark.parametrize("asked", [{}, {"kind": "classes"}, {"kind": "class", "prefix": "x" * 301}])
def test_what_is_no_request_for_terms_is_refused(client: FlaskClient, asked: dict[str, str]) -> None:
    response = client.get("/sparql/terms", query_string=asked)
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"


def test_the_terms_are_read_once_a_version_and_the_browser_keeps_them(esperia: Esperia) -> None:
    graph = Counting(esperia.corpus.graph)
    client = create_app(esperia.data, esperia.settings, graph).test_client()
    first = client.get("/sparql/terms?kind=class&prefix=emi:")
    asked = len(graph.asked)
    again = client.get("/sparql/terms?kind=property&prefix=rdf")
    assert len(graph.asked) == asked > 0
    assert again.cache_control.max_age == console.FRESH_SECONDS
    assert client.get("/sparql/terms?kind=class", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_a_list_of_terms_is_bounded_and_ordered_to_its_end() -> None:
    terms = tuple(Term(f"https://a.example/{n:04}", "class", n % 3, {}, {}) for n in range(completion.MOST_TERMS * 2))
    listed = matching(terms, "class", "")
    assert len(listed) == completion.MOST_TERMS
    assert listed == sorted(listed, key=lambda term: (-(term.count or 0), term.iri))


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("https://w3id.org/emiciclo/ns#Speech", "emi:Speech"),
        ("http://dati.camera.it/ocd/persona.rdf/p1", None),
        ("http://dati.camera.it/ocd/", None),
        ("https://a.example/x", None),
        ("https://w3id.org/emiciclo/topic/salario-minimo", "topic:salario-minimo"),
    ],
)
def test_a_term_has_a_prefixed_name_only_where_a_query_could_hold_it(iri: str, name: str | None) -> None:
    assert Term(iri, "class", None, {}, {}).name == name


@given(st.text(max_size=40))
def test_anything_may_be_typed(client: FlaskClient, typed: str) -> None:
    response = client.get("/sparql/terms", query_string={"kind": "class", "prefix": typed})
    assert response.status_code == 200
