"""Linked data over HTTP: every IRI that is held dereferences, in the form that the client prefers."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from flask.testing import FlaskClient
from pyld import jsonld
from pyoxigraph import CanonicalizationAlgorithm, Dataset, NamedNode, Quad, RdfFormat, Store, parse

from ontology import EMI
from service.answer.jsonld import quotation_iri, to_jsonld
from service.answer.model import Answer
from service.answers import keep_answer
from service.graph import EmbeddedGraph
from service.resources.kept import KeptAnswers
from service.web.app import create_app
from tests.conftest import BASE, Esperia

PERSON = "http://dati.esperia.example/ocd/persona.rdf/p900701"
GROUP = "http://dati.esperia.example/ocd/gruppoParlamentare.rdf/gr107"
TURTLE = {"Accept": "text/turtle"}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def path_of(iri: str, **arguments: str) -> str:
    return "/resource?iri=" + quote(iri, safe="") + "".join(f"&{name}={value}" for name, value in arguments.items())


def over(turtle: str, esperia: Esperia) -> FlaskClient:
    """A client of a site over the triples given, with Esperia's manifest."""
    store = Store()
    store.load(turtle.encode(), format=RdfFormat.TURTLE)
    return create_app(esperia.data, esperia.settings, EmbeddedGraph(store)).test_client()


@pytest.fixture(scope="module")
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)


@pytest.fixture(scope="module")
def minted(esperia: Esperia) -> str:
    """The path of a minted IRI below the base."""
    rows = esperia.corpus.graph.select(f"SELECT ?s {{ ?s a <{EMI}Speech> }} ORDER BY ?s LIMIT 1")
    return rows[0]["s"].value.removeprefix(BASE)


# Dereferencing


@pytest.mark.parametrize("prefix", ["/id/", "/emiciclo/id/"])
def test_a_minted_iri_leads_to_its_description(prefix: str, client: FlaskClient, minted: str) -> None:
    response = client.get(prefix + minted)
    assert response.status_code == 303
    assert parse_qs(urlsplit(response.headers["Location"]).query) == {"iri": [BASE + minted]}
    assert "Accept" in response.headers["Vary"]
    assert any('type="text/turtle"' in link for link in response.headers.getlist("Link"))
    described = client.get(response.headers["Location"], headers=TURTLE)
    assert described.status_code == 200
    assert described.mimetype == "text/turtle"


@pytest.mark.parametrize(
    "path", ["/role/member", "/role/", "/capacity/chair", "/side/majority", "/topic/asylum", "/kind/majority"]
)
def test_concepts_of_the_schemes_dereference_too(path: str, client: FlaskClient) -> None:
    response = client.get(path)
    assert response.status_code == 303
    assert parse_qs(urlsplit(response.headers["Location"]).query)["iri"] == [f"https://w3id.org/emiciclo{path}"]


def test_what_is_asked_of_an_iri_is_asked_of_its_description(client: FlaskClient, minted: str) -> None:
    location = client.get(f"/id/{minted}?format=ttl&start=0&end=9&iri=http://other/").headers["Location"]
    assert parse_qs(urlsplit(location).query) == {
        "iri": [BASE + minted],
        "format": ["ttl"],
        "start": ["0"],
        "end": ["9"],
    }


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ("città/è", "citt%C3%A0/%C3%A8"),
        ("citt%C3%A0", "citt%C3%A0"),
        ("a%2Fb", "a%2Fb"),
        ("a/b", "a/b"),
        ("a//b", "a//b"),
        ("a%20b", "a%20b"),
        ("a%3Fb", "a%3Fb"),
        ("a+b&c=d;e", "a+b&c=d;e"),
        ("(x)'y", "(x)'y"),
    ],
)
def test_percent_encoding_is_understood(held: str, asked: str, esperia: Esperia) -> None:
    response = over(f"<{BASE}{held}> a <http://a/C> .", esperia).get(f"/id/{asked}")
    assert response.status_code == 303
    location = response.headers["Location"]
    assert location.isascii()
    assert parse_qs(urlsplit(location).query)["iri"] == [BASE + held]


@pytest.mark.parametrize("held", ["città/è", "citt%C3%A0", "a/b", "a//b", "a%20b", "a%3Fb", "a+b&c=d;e", "(x)'y"])
def test_servers_that_pass_on_only_the_decoded_path_will_do(held: str, esperia: Esperia) -> None:
    client = over(f"<{BASE}{held}> a <http://a/C> .", esperia)
    response = client.get(f"/id/{quote(held, safe='/%')}", environ_overrides={"REQUEST_URI": "", "RAW_URI": ""})
    assert response.status_code == 303
    assert parse_qs(urlsplit(response.headers["Location"]).query)["iri"] == [BASE + held]


def test_an_encoded_slash_is_not_a_slash(esperia: Esperia) -> None:
    assert over(f"<{BASE}a/b> a <http://a/C> .", esperia).get("/id/a%2Fb").status_code == 404


@pytest.mark.parametrize("path", ["/id/nobody", "/id/a%20b", "/id/%FF", "/role/nobody", path_of("http://no.example/")])
def test_what_is_not_held_is_not_found_as_a_page_and_as_problem_json(path: str, client: FlaskClient) -> None:
    page = client.get(path, headers=BROWSER)
    assert (page.status_code, page.mimetype) == (404, "text/html")
    problem = client.get(path, headers=TURTLE)
    assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
    assert problem.get_json()["status"] == 404


def test_graphs_lead_to_the_data(client: FlaskClient) -> None:
    response = client.get("/id/graph/esperia-1")
    assert (response.status_code, response.headers["Location"]) == (303, "/data")


# Negotiation


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "text/html"),
        ("*/*", "text/html"),
        (BROWSER["Accept"], "text/html"),
        ("text/turtle", "text/turtle"),
        ("application/ld+json", "application/ld+json"),
        ("application/json", "application/ld+json"),
        ("application/n-triples", "application/n-triples"),
        ("application/rdf+xml, text/turtle;q=0.5", "application/rdf+xml"),
        ("text/html;q=0.2, text/turtle;q=0.9", "text/turtle"),
    ],
)
def test_the_form_is_what_the_client_prefers(accept: str | None, media_type: str, client: FlaskClient) -> None:
    response = client.get(path_of(PERSON), headers={"Accept": accept} if accept else {})
    assert response.status_code == 200
    assert response.mimetype == media_type
    assert "Accept" in response.headers["Vary"]


@pytest.mark.parametrize("name", ["html", "ttl", "nt", "jsonld", "rdf"])
def test_each_form_has_an_address_and_names_the_others(name: str, client: FlaskClient) -> None:
    response = client.get(path_of(PERSON, format=name))
    assert response.status_code == 200
    assert response.headers["Content-Location"] == path_of(PERSON, format=name)
    alternates = [link for link in response.headers.getlist("Link") if 'rel="alternate"' in link]
    # PyLD fails on JSON-LD that links several alternates.
    assert len(alternates) == (1 if name == "jsonld" else 4)
    assert not any(f"format={name}>" in link for link in alternates)
    for link in alternates:
        other = client.get(link[1 : link.index(">")])
        assert f'type="{other.mimetype}"' in link


@pytest.mark.parametrize("path", ["/ns", "/data", "/topics", "/memberships", "/context.jsonld", path_of(PERSON)])
def test_scripts_of_other_sites_may_read_everything(path: str, client: FlaskClient) -> None:
    """A browser asks first where a script sends a long Accept, as Comunica does, or what it knows already."""
    headers = {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "accept,if-none-match",
    }
    leave = client.options(path, headers=headers)
    assert leave.status_code in (200, 204)
    assert leave.headers["Access-Control-Allow-Origin"] == "*"
    allowed = leave.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert {"accept", "if-none-match"} <= set(allowed)
    assert "GET" in leave.headers["Access-Control-Allow-Methods"]


def test_an_unknown_form_is_refused_with_those_there_are(client: FlaskClient) -> None:
    problem = client.get(path_of(PERSON, format="docx")).get_json()
    assert problem["status"] == 400
    assert "ttl" in problem["detail"]
    assert client.get(path_of(PERSON), headers={"Accept": "image/png"}).status_code == 406


@pytest.mark.parametrize("name", ["html", "ttl", "jsonld"])
def test_a_form_is_not_sent_twice(name: str, client: FlaskClient) -> None:
    first = client.get(path_of(PERSON, format=name))
    again = client.get(path_of(PERSON, format=name), headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    head = client.head(path_of(PERSON, format=name))
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == first.headers["ETag"]
    other = client.get(path_of(GROUP, format=name), headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200


def test_pages_of_two_languages_are_told_apart(client: FlaskClient) -> None:
    english, italian = (client.get(path_of(PERSON, lang=code)) for code in ("en", "it"))
    assert english.headers["ETag"] != italian.headers["ETag"]


def test_the_version_of_the_corpus_is_told(client: FlaskClient, esperia: Esperia) -> None:
    response = client.get(path_of(PERSON, format="ttl"))
    assert response.headers["X-Corpus-Version"] == esperia.corpus.manifest.version
    assert "max-age" in response.headers["Cache-Control"]


# What makes no sense


@pytest.mark.parametrize(
    "iri", ["", " ", "persona", "/id/x", "//host/x", "http://a b", "http://a/<x>", "http://a/%zz", "h" * 3000]
)
def test_what_is_no_iri_is_refused_with_what_to_do(iri: str, client: FlaskClient) -> None:
    for headers in (TURTLE, BROWSER):
        response = client.get(path_of(iri), headers=headers)
        assert response.status_code == 400
        assert "http://" in response.text
        assert len(response.data) < 20_000
    assert client.get("/resource", headers=TURTLE).status_code == 400


@pytest.mark.parametrize("path", ["/resource", "/id/x", "/role/member"])
def test_nothing_can_be_written(path: str, client: FlaskClient) -> None:
    response = client.post(path)
    assert response.status_code == 405
    assert "GET" in response.headers["Allow"]


def test_what_is_too_large_is_refused_with_the_ways_round(esperia: Esperia) -> None:
    many = " , ".join(f'"{n}"' for n in range(10_001))
    client = over(f"<http://a/x> <http://a/p> {many} .", esperia)
    for headers in (TURTLE, BROWSER):
        response = client.get(path_of("http://a/x"), headers=headers)
        assert response.status_code == 413
        assert "/sparql" in response.text
        assert "/data" in response.text


def test_a_form_that_cannot_carry_a_property_names_the_others(esperia: Esperia) -> None:
    client = over('<http://a/x> <http://a/p/1> "x" .', esperia)
    problem = client.get(path_of("http://a/x", format="rdf")).get_json()
    assert problem["status"] == 406
    assert "http://a/p/1" in problem["detail"]
    assert "ttl" in problem["detail"]


def test_an_object_alone_is_described_by_what_mentions_it(esperia: Esperia) -> None:
    client = over("<http://a/x> <http://a/p> <http://a/y> .", esperia)
    page = client.get(path_of("http://a/y"), headers=BROWSER)
    assert page.status_code == 200
    assert path_of("http://a/x") in page.text
    turtle = client.get(path_of("http://a/y"), headers=TURTLE)
    assert [str(quad.subject) for quad in parse(turtle.data, format=RdfFormat.TURTLE)] == ["<http://a/x>"]


# What answers hold


@pytest.fixture(scope="module")
def answered(
    esperia: Esperia, answer_to: Callable[[str], Answer], tmp_path_factory: pytest.TempPathFactory
) -> tuple[FlaskClient, Answer, Path]:
    """A site over Esperia with one kept answer."""
    data = tmp_path_factory.mktemp("answered")
    (data / "current").symlink_to((esperia.data / "current").resolve())
    answer = answer_to("salario minimo")
    assert keep_answer(data / "answers", to_jsonld(answer))
    client = create_app(data, esperia.settings, esperia.corpus.graph).test_client(use_cookies=False)
    return client, answer, data


def canonical(quads: list[Quad]) -> set[str]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return {str(quad) for quad in dataset}


def test_an_answer_and_its_quotations_dereference(answered: tuple[FlaskClient, Answer, Path]) -> None:
    client, answer, _ = answered
    for iri in (answer.iri, *(quotation_iri(quotation) for quotation in answer.quotations)):
        redirect = client.get("/id/" + iri.removeprefix(BASE))
        assert redirect.status_code == 303
        if iri == answer.iri:
            assert redirect.headers["Location"] == "/answers/" + iri.removeprefix(f"{BASE}answer/")
        else:
            assert client.get(redirect.headers["Location"], headers=BROWSER).status_code == 200
        stated = canonical(list(parse(client.get(path_of(iri, format="ttl")).data, format=RdfFormat.TURTLE)))
        document = json.loads(client.get(path_of(iri, format="jsonld")).data)
        n_quads = jsonld.to_rdf(document, {"format": "application/n-quads"})
        assert canonical(list(parse(n_quads.encode(), format=RdfFormat.N_QUADS))) == stated
        assert len(stated) > 10


def test_a_quotation_is_shown_in_the_words_around_it(answered: tuple[FlaskClient, Answer, Path]) -> None:
    client, answer, _ = answered
    quotation = answer.quotations[0]
    page = client.get(path_of(quotation_iri(quotation), lang="en"), headers=BROWSER).text
    assert 'id="quotation"' in page
    assert path_of(answer.iri) in page
    speech = client.get(path_of(quotation.speech.iri, lang="en"), headers=BROWSER).text
    assert 'id="quotation"' not in speech
    assert path_of(answer.iri) in speech


def test_a_missing_or_spoilt_store_of_answers_is_no_error(
    answered: tuple[FlaskClient, Answer, Path], esperia: Esperia, tmp_path: Path
) -> None:
    _, answer, kept = answered
    data = tmp_path / "data"
    data.mkdir()
    (data / "current").symlink_to((esperia.data / "current").resolve())
    client = create_app(data, esperia.settings, esperia.corpus.graph).test_client()
    iri = answer.iri
    assert client.get(path_of(iri)).status_code == 404
    shutil.copytree(kept / "answers", data / "answers", symlinks=True)
    (data / "answers" / "current" / "CURRENT").write_text("nothing\n")
    assert client.get(path_of(iri)).status_code == 404
    assert client.get(path_of(PERSON)).status_code == 200


def test_answers_that_are_kept_later_are_seen_by_who_reads_then(
    answered: tuple[FlaskClient, Answer, Path], tmp_path: Path
) -> None:
    _, answer, kept = answered
    folder = tmp_path / "answers"
    shutil.copytree(kept / "answers", folder, symlinks=True)
    speech = NamedNode(answer.quotations[0].speech.iri)
    before = KeptAnswers.open(folder)
    assert before is not None
    assert keep_answer(folder, to_jsonld(replace(answer, iri=f"{BASE}answer/other")))
    after = KeptAnswers.open(folder)
    assert after is not None
    assert [len(quotation.answers) for quotation in before.quotations(speech)] == [1] * len(before.quotations(speech))
    assert [len(quotation.answers) for quotation in after.quotations(speech)] == [2] * len(before.quotations(speech))
