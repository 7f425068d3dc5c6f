"""Pages in two languages: which one a person gets, and that nothing is left untranslated."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from flask.testing import FlaskClient
from lxml import html

from service.web import language
from service.web.app import create_app
from tests.conftest import REPOSITORY, Esperia

SERVICE = REPOSITORY / "service"
SOURCES = [
    ("web/node_modules/**", "ignore"),
    ("web/static/**", "ignore"),
    ("**.py", "python"),
    ("web/templates/**.html", "jinja2.ext:babel_extract"),
]


@pytest.fixture
def client(esperia: Esperia) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client()


def language_of(client: FlaskClient, path: str = "/", **headers: str) -> str:
    response = client.get(path, headers={"Accept": "text/html", **headers})
    found: str = html.fromstring(response.text).get("lang")
    assert response.headers["Content-Language"] == found
    assert {"accept-language", "cookie"} <= {name.strip().lower() for name in response.headers["Vary"].split(",")}
    return found


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        (None, "en"),
        ("it", "it"),
        ("it-CH,en;q=0.5", "it"),
        ("en;q=0.2,IT;q=0.3,de", "it"),
        ("it;q=0,de", "en"),
        ("de", "en"),
        (";;q=x", "en"),
    ],
)
def test_the_browser_is_heard(asked: str | None, language: str, client: FlaskClient) -> None:
    assert language_of(client, **({"Accept-Language": asked} if asked else {})) == language


def test_a_choice_wins_over_the_browser_and_is_remembered(client: FlaskClient) -> None:
    assert language_of(client, "/?lang=it", **{"Accept-Language": "en"}) == "it"
    assert language_of(client, "/", **{"Accept-Language": "en"}) == "it"
    assert language_of(client, "/nowhere") == "it"
    assert language_of(client, "/?lang=en") == "en"
    assert language_of(client, "/") == "en"


@pytest.mark.parametrize("code", ["de", "", "../it", "it<script>", "IT"])
def test_an_unknown_language_is_passed_over(code: str, client: FlaskClient) -> None:
    assert language_of(client, "/", **{"Cookie": f"language={code}"}) == "en"
    response = client.get("/", query_string={"lang": code})
    assert "Set-Cookie" not in response.headers
    assert "<script>" not in response.text


def test_the_switch_keeps_what_the_page_was_asked_for(client: FlaskClient) -> None:
    path = "/resource?iri=http%3A%2F%2Fa%2F%3Fb%26c"
    page = html.fromstring(client.get(f"{path}&lang=en&page=2", headers={"Accept": "text/html"}).text)
    (italian,) = page.xpath("//nav//a[@hreflang='it']")
    assert italian.get("href") == f"{path}&page=2&lang=it"
    assert page.xpath("//nav//a[@hreflang='en']/@aria-current") == ["true"]


def test_data_have_no_language_and_set_no_cookie(client: FlaskClient) -> None:
    response = client.get("/resource?iri=https%3A%2F%2Fw3id.org%2Femiciclo%2Frole%2Fmember&format=ttl&lang=it")
    assert "Set-Cookie" not in response.headers
    assert "Content-Language" not in response.headers
    assert "Cookie" not in response.headers["Vary"]


def test_days_are_written_in_the_language_of_the_page(client: FlaskClient) -> None:
    assert "11 February 2026" in client.get("/?lang=en").text
    assert "11 febbraio 2026" in client.get("/?lang=it").text


def test_the_front_page_stands_before_anything_is_loaded(esperia: Esperia, tmp_path: Path) -> None:
    client = create_app(tmp_path, esperia.settings, esperia.corpus.graph).test_client()
    response = client.get("/?lang=en")
    assert response.status_code == 200
    assert "No parliament is loaded yet." in response.text
    assert client.get("/id/speech/x").status_code == 503


# The catalogue


def messages() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """(file, message) of everything in the code and the templates that is to be translated."""
    keywords = {"_": None, "gettext": None, "ngettext": (1, 2)}
    for file, _, message, _, _ in extract_from_dir(str(SERVICE), method_map=SOURCES, keywords=keywords):
        yield file, message


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return language.catalogue("it")


def test_everything_has_an_italian_translation(catalogue: Catalog) -> None:
    missing = [
        (file, message)
        for file, message in messages()
        if (entry := catalogue.get(message if isinstance(message, str) else message[0])) is None
        or not all([entry.string] if isinstance(entry.string, str) else entry.string)
    ]
    assert not missing


def test_no_translation_is_left_over(catalogue: Catalog) -> None:
    used = {message if isinstance(message, str) else message[0] for _, message in messages()}
    assert {entry.id if isinstance(entry.id, str) else entry.id[0] for entry in catalogue if entry.id} == used


def test_translations_keep_the_values_of_their_messages(catalogue: Catalog) -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"%\(\w+\)s|\{\w+\}", text))

    for entry in catalogue:
        if entry.id:
            originals = [entry.id] if isinstance(entry.id, str) else list(entry.id)
            translations = [entry.string] if isinstance(entry.string, str) else list(entry.string)
            assert values(translations[-1]) == values(originals[-1]), entry.id
            assert entry.fuzzy is False


@pytest.mark.parametrize(
    ("number", "said"), [(0, "interventi"), (1, "intervento"), (2, "interventi"), (1_000_000, "interventi")]
)
def test_numbers_take_the_plural_of_the_language(number: int, said: str) -> None:
    translated = language.compiled("it").ngettext("%(num)s speech", "%(num)s speeches", number)
    assert translated.split()[-1] == said


def test_a_page_that_is_not_there_says_so_in_the_readers_language(client: FlaskClient) -> None:
    shown = client.get("/nulla?lang=it", headers={"Accept": "text/html"})
    assert shown.status_code == 404
    assert "a questo indirizzo non c’è alcuna pagina" in shown.get_data(as_text=True)
    assert "requested URL" not in shown.get_data(as_text=True)
