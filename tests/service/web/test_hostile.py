"""Whatever is sent, and whatever the data hold: a clear refusal or escaped text, never an error of the service."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from werkzeug.test import TestResponse

from service.embedding import HashEmbedder
from service.loading.build import load
from service.settings import JobsSettings
from service.web import admission, language, problems
from tests.conftest import BASE, SOURCES, Esperia
from tests.service.web.sites import QUESTION, Client, answered, copied, running

SCRIPT: Final = "<script>alert(1)</script>"
OVERRIDE: Final = "\u202e"
ATTACK: Final = f"{SCRIPT}\"'><img src=x onerror=alert(2)>{{{{7*7}}}}${{7*7}}%(x)s{OVERRIDE}"
PAGE: Final = {"Accept": "text/html"}
few: Final = settings(max_examples=20)
FORMS: Final = ("jsonld", "html", "ttl", "trig", "nq", "txt", "md")


@pytest.fixture(scope="module")
def app(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    with running(copied(esperia.data, tmp_path_factory.mktemp("hostile") / "esperia")) as made:
        yield made


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def refused(response: TestResponse, *statuses: int) -> dict[str, Any]:
    """The problem document of a refusal."""
    assert response.status_code in statuses, (response.status_code, response.text[:500])
    assert response.mimetype == "application/problem+json"
    found: dict[str, Any] = response.get_json()
    assert found["status"] == response.status_code
    assert found["detail"]
    assert "Traceback" not in response.text
    assert len(response.text) < 20_000
    return found


def harmless(response: TestResponse) -> html.HtmlElement:
    """A page in which nothing runs that is not the site's own."""
    assert response.status_code < 500, response.text[:500]
    assert response.mimetype == "text/html", response.request.url
    page = html.fromstring(response.text)
    assert not page.xpath(
        "//script[not(@src)][not(@type='application/json')] | //iframe | //object | //embed | //img[@onerror] | //base"
    )
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    addresses = page.xpath("//@href | //@src | //@action | //@formaction")
    assert all(re.match(r"(https?://|/|#|\?|data:image/)", address) for address in addresses), addresses
    assert "7006652" not in response.text
    assert "'unsafe-inline'" not in response.headers["Content-Security-Policy"].split("style-src")[0]
    return page


# Questions


@pytest.mark.parametrize(
    "question",
    ["x" * 1001, "x" * 100_000, "è" * 100_000, "", " \t\n", "\u200b\u202e\ufeff", "\x00\x01\x1b", "???"],
    ids=["long", "100,000", "100,000 wide", "empty", "blank", "invisible", "control", "marks"],
)  # fmt: skip
@pytest.mark.parametrize("how", ["json", "form", "search", "experts", "compass"])
def test_a_question_that_cannot_be_asked_is_refused(client: FlaskClient, question: str, how: str) -> None:
    if how in ("json", "form"):
        response = client.post("/answers", **{"json" if how == "json" else "data": {"question": question}})
    else:
        name = "q" if how == "search" else "topic"
        response = client.get(f"/{how}", query_string={name: question})
        if response.status_code == 200 and len(question) < 10:
            return  # without a topic, the page only asks for one
    detail = refused(response, 400, 413, 414)["detail"]
    assert question[:50] not in detail or len(question) < 50


@pytest.mark.parametrize("how", ["json", "form"])
def test_control_characters_in_a_question_are_dropped(client: FlaskClient, how: str) -> None:
    question = f"il salario\x00\x1b[31m minimo\u202e legale\ufeff {how}"
    sent: dict[str, Any] = {"json" if how == "json" else "data": {"question": question}}
    response = client.post("/answers", **sent, headers={"Accept": "application/json"})
    assert response.status_code in (200, 202, 400)
    if response.status_code != 400:
        told = json.dumps(client.get(response.headers["Location"]).get_json(), ensure_ascii=False)
        assert not set(told) & set("\x00\x1b\u202e\ufeff")


BODIES: Final[dict[str, tuple[bytes, str]]] = {
    "no JSON": (b"question=salario", "application/json"),
    "half of it": (b'{"question": "sal', "application/json"),
    "a list": (b'["salario"]', "application/json"),
    "a text": (b'"salario"', "application/json"),
    "null": (b"null", "application/json"),
    "a number": (b'{"question": 1e999}', "application/json"),
    "a huge number": (b'{"question": ' + b"9" * 20_000 + b"}", "application/json"),
    "no number": (b'{"question": NaN}', "application/json"),
    "a boolean": (b'{"question": true}', "application/json"),
    "nothing": (b"", "application/json"),
    "an object": (b'{"question": {"$ne": ""}}', "application/json"),
    "deep": (b'{"question": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "application/json"),
    "deep outside": (b"[" * 60_000, "application/json"),
    "a lone surrogate": (b'{"question": "salario \\ud800 minimo"}', "application/json"),
    "a lone surrogate in a name": (b'{"question": "salario", "\\ud800": 1}', "application/json"),
    "invalid UTF-8": (b'{"question": "salario \xff\xfe"}', "application/json"),
    "an unknown member": (b'{"question": "salario", "__proto__": {"a": 1}}', "application/json"),
    "a wrong day": (b'{"question": "salario", "from": "2025-02-30"}', "application/json"),
    "a day of no calendar": (b'{"question": "salario", "asOf": "99999-01-01"}', "application/json"),
    "days as a number": (b'{"question": "salario", "from": 99999999999999}', "application/json"),
    "a wrong language": (b'{"question": "salario", "language": "it<script>"}', "application/json"),
    "many groups": (json.dumps({"question": "a", "group": ["g"] * 5000}).encode(), "application/json"),
    "another dataset": (b'{"question": "salario", "dataset": "../../etc/passwd"}', "application/json"),
    "a wrong type": (b"salario", "text/plain"),
    "no type": (b"salario", ""),
    "a broken type": (b"{}", "app/;=,"),
    "XML": (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "application/xml"),
    "a form without a question": (b"domanda=salario", "application/x-www-form-urlencoded"),
    "a form of a thousand fields": (b"&".join(b"a%d=1" % n for n in range(8000)), "application/x-www-form-urlencoded"),
    "a form with a null": (b"question=%00", "application/x-www-form-urlencoded"),
    "parts without a boundary": (b"--x\r\n\r\n", "multipart/form-data"),
    "parts that never end": (
        b"--x\r\nContent-Disposition: form-data; name=question\r\n\r\na",
        "multipart/form-data; boundary=x",
    ),
    "a file": (
        b'--x\r\nContent-Disposition: form-data; name="question"; filename="../../a"\r\n\r\nsalario\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "too long": (b'{"question": "salario", "x": "' + b"a" * 5_000_000 + b'"}', "application/json"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("path", ["/answers", "/sparql"])
def test_a_body_that_is_no_question_is_refused(client: FlaskClient, kind: str, path: str) -> None:
    body, content_type = BODIES[kind]
    response = client.post(path, data=body, content_type=content_type, headers={"Accept": "application/json"})
    refused(response, 400, 404, 408, 413, 415, 422)


def test_of_a_member_that_is_given_twice_one_is_taken_or_both_are_refused(client: FlaskClient) -> None:
    body = b'{"question": "salario minimo", "question": "energia nucleare"}'
    response = client.post("/answers", data=body, content_type="application/json")
    assert response.status_code in (200, 202, 400)


@few
@given(st.binary(max_size=300), st.sampled_from(["application/json", "application/x-www-form-urlencoded"]))
def test_no_bytes_at_all_make_an_error(client: FlaskClient, body: bytes, kind: str) -> None:
    response = client.post("/answers", data=body, content_type=kind, headers={"Accept": "application/json"})
    assert response.status_code < 500, response.text


@few
@given(st.text(max_size=80))
def test_no_text_at_all_makes_an_error_of_a_page(client: FlaskClient, text: str) -> None:
    text = text.encode(errors="replace").decode()
    for path in ("/sittings", "/people"):
        assert client.get(path, query_string={"q": text[:40]}, headers=PAGE).status_code < 500
    response = client.get(f"/people/{quote(text, safe='')}", headers=PAGE)
    assert response.status_code < 500
    assert client.get(f"/answers/{quote(text, safe='')}").status_code < 500


# Questions that are text, whatever they look like


@pytest.fixture(scope="module")
def attacked(client: FlaskClient) -> str:
    """The path of the answer to a question that holds markup."""
    return answered(client, f"salario minimo {ATTACK}")


def test_a_question_with_markup_is_text_on_every_page(client: FlaskClient, attacked: str) -> None:
    for path in (attacked, "/answers", "/", f"{attacked}/verify", f"/search?q={quote(ATTACK)}"):
        page = harmless(client.get(path, headers=PAGE))
        assert "49" not in page.xpath("string(//h1)")
        assert SCRIPT not in html.tostring(page, encoding="unicode")
    shown = client.get(attacked, headers=PAGE)
    assert SCRIPT in html.fromstring(shown.text).text_content()
    for topic in ("experts", "compass"):
        harmless(client.get(f"/{topic}?topic={quote(ATTACK)}", headers=PAGE))


def test_a_question_with_markup_waits_as_text(client: FlaskClient) -> None:
    asked = client.post("/answers", data={"question": f"energia nucleare {ATTACK}"}, headers=PAGE)
    assert asked.status_code == 303
    harmless(client.get(asked.headers["Location"], headers=PAGE))


@pytest.mark.parametrize("form", FORMS)
def test_a_question_with_markup_is_told_apart_in_every_form(client: FlaskClient, attacked: str, form: str) -> None:
    response = client.get(f"{attacked}?format={form}", headers={"Accept": "*/*"})
    assert response.status_code == 200
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert (response.mimetype == "text/html") == (form == "html")
    if form == "md":
        assert not re.search(r"(?<!\\)<(?:script|img)", response.text)
    if form == "jsonld":
        assert response.get_json()["question"]["text"].startswith("salario minimo <script>")


# Addresses

PATHS: Final = (
    "/answers/../..", "/answers/%2e%2e/%2e%2e/etc/passwd", "/answers/..%2f..%2fetc%2fpasswd", "/answers/%00",
    "/answers/%0d%0aSet-Cookie:%20a=b", "/answers/" + "a" * 5000, "/answers/%ff%fe", "/answers/%ed%a0%80",
    "/answers/a%2Fb", "/answers/a/b/c", "/answers/a/events", "/answers/../events/verify", "/answers//", "//answers",
    "/people/..%2f..", "/people/%00", "/people/" + "%F0%9F%98%80" * 300, "/people/<script>", "/people/%3Cscript%3E",
    "/sittings/..%2f", "/sittings/9999-99-99", "/sittings/0000-00-00", "/sittings/2025-01-14/%00",
    "/sittings/2025-01-14/..%2f..", "/static/../settings.py", "/static/%2e%2e/app.py", "/static/..%5capp.py",
    "/dumps/..%2f..%2fa.nq.gz", "/dumps/%00.nq.gz", "/resource?iri=%00", "/resource?iri=javascript:alert(1)",
    "/resource?iri=" + "http://a/" + "b" * 10_000, "/search?q=a&page=" + "9" * 400, "/search?q=a&page=-1",
    "/search?q=a&page=1e3", "/search?q=a&from=0000-01-01", "/search?q=a&from=%EF%BC%92025-01-01", "/search?q=a&mode=x",
    "/search?q=a&group=%00", "/search?q=a&speaker=javascript:1", "/search?q=%00", "/search?q=%22%22%22", "/search?q=*",
    "/search?q=%ff", "/people?q=%ff", "/sittings?q=%ed%a0%80", "/experts?topic=%00", "/compass?topic=%ff",
    "/search.atom?q=%1b%0b", "/answers?page=1000000", "/answers?page=0", "/about?x=1", "/api?format=exe", "/api/x",
    "/sparql/search?query=%00", "/answers/sparql?query=%ff", "/id/%00", "/id/..%2f..%2f", "/role/%0a", "/ns.exe",
)  # fmt: skip


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_tricks_with_addresses_find_nothing(client: FlaskClient, accept: str) -> None:
    for path in PATHS:
        response = client.get(path, headers={"Accept": accept})
        assert response.status_code < 500, (path, response.status_code, response.text[:300])
        assert "root:" not in response.text
        assert "Set-Cookie" not in response.headers or "a=b" not in response.headers["Set-Cookie"]
        if response.mimetype == "text/html" and response.status_code >= 400:
            harmless(response)


@pytest.mark.parametrize("number", ["-1", "9" * 400, "1; DROP", "\u0662", "1.5", "0x10", " ", SCRIPT])
def test_a_forged_event_id_is_refused_or_passed_over(client: FlaskClient, attacked: str, number: str) -> None:
    response = client.get(f"{attacked}/events", headers={"Last-Event-ID": number.encode().decode("latin-1")})
    assert response.status_code in (200, 204, 400)
    assert SCRIPT not in response.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Accept", "a/b;q=" + "9" * 1000),
        ("Accept", "text/html;" * 20_000),
        ("Accept", ",;=/"),
        ("Accept-Language", "x-" * 10_000),
        ("Cookie", "language=" + "<script>" * 500),
        ("If-None-Match", '"' * 1000),
        ("If-Modified-Since", "never"),
        ("Range", "bytes=-9999999999999999999"),
        ("Content-Length", "7"),
        ("X-Forwarded-For", SCRIPT),
        ("Origin", SCRIPT),
        ("Host", "evil.example"),
    ],
)
def test_no_header_makes_an_error(client: FlaskClient, attacked: str, name: str, value: str) -> None:
    for path in ("/", "/answers", attacked, "/search?q=salario", "/sittings", "/people", "/openapi.json", "/api"):
        response = client.get(path, headers={name: value})
        assert response.status_code < 500, (path, response.text[:300])
        if response.mimetype == "text/html":
            harmless(response)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "X" * 200])
def test_a_method_that_is_not_meant_is_refused(client: FlaskClient, method: str) -> None:
    for path in ("/", "/answers", "/search", "/sittings", "/people", "/api", "/openapi.json", "/answers/nothing"):
        response = client.open(path, method=method)
        assert response.status_code in (400, 404, 405, 501), (path, response.status_code)


# Floods


def test_a_flood_of_questions_of_one_client_is_stopped(esperia: Esperia, tmp_path: Path) -> None:
    jobs = JobsSettings(per_client=2, per_client_hourly=5, at_once=1)
    with running(copied(esperia.data, tmp_path / "esperia"), jobs=jobs) as flooded:
        client = flooded.test_client()
        asked = [client.post("/answers", json={"question": f"salario minimo {n}"}) for n in range(12)]
        stopped = [response for response in asked if response.status_code == 429]
        assert len(stopped) >= 7
        for response in stopped:
            assert refused(response, 429)["limit"].startswith("jobs.")
            assert int(response.headers["Retry-After"]) >= 1


def waiting_site(per_client: int) -> Flask:
    """A site with a page whose making waits to be ended, a page that is quick, and one that fails."""
    app = Flask("tests", static_folder=None)
    problems.register(app)
    language.register(app)
    admission.register(app, per_client)
    app.test_client_class = Client

    def stream() -> Response:
        return Response(iter([b"a", b"b"]))

    def fail() -> Response:
        raise RuntimeError

    app.add_url_rule("/stream", view_func=stream)
    app.add_url_rule("/events", "answers.events", view_func=stream)
    app.add_url_rule("/quick", "quick", lambda: "quick")
    app.add_url_rule("/fail", view_func=fail)
    app.add_url_rule("/static", "static", lambda: "file")
    return app


def test_one_client_has_so_many_requests_at_once_and_no_more() -> None:
    client = waiting_site(2).test_client()
    held = [client.get("/stream", buffered=False) for _ in range(2)]
    assert [response.status_code for response in held] == [200, 200]
    over = client.get("/quick")
    assert refused(over, 429)["limit"] == "web_requests_per_client"
    assert int(over.headers["Retry-After"]) >= 1
    assert client.get("/static").status_code == 200
    assert client.get("/events").status_code == 200
    assert client.get("/quick", environ_base={"REMOTE_ADDR": "192.0.2.9"}).status_code == 200
    held[0].close()
    assert client.get("/quick").status_code == 200
    held[1].close()


def test_what_is_done_has_failed_or_was_not_found_frees_its_place() -> None:
    client = waiting_site(1).test_client()
    for path, status in (("/quick", 200), ("/fail", 500), ("/nowhere", 404), ("/stream", 200), ("/quick", 200)):
        assert client.get(path).status_code == status
        assert client.head(path).status_code in (status, 200)
        assert client.post(path).status_code in (404, 405)


# A parliament whose names, titles and speeches are hostile

_NAMES: Final = re.compile(
    r"(<(?:http://purl\.org/dc/elements/1\.1/(?:title|description)|http://xmlns\.com/foaf/0\.1/(?:surname|firstName)"
    r'|http://www\.w3\.org/2000/01/rdf-schema#label|http://purl\.org/dc/terms/alternative)> "(?:[^"\\]|\\.)*)"'
)
_IN_RDF: Final = ATTACK.replace("\\", "\\\\").replace('"', '\\"')
_IN_XML: Final = ATTACK.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.fixture(scope="module")
def parliament(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Esperia's debates of the minimum wage, with markup in every name, title and speech."""
    folder = tmp_path_factory.mktemp("spoilt")
    shutil.copytree(SOURCES / "ocd", folder / "ocd")
    (folder / "stenographic").mkdir()
    names = folder / "ocd" / "esperia.nq"
    names.write_text(_NAMES.sub(lambda found: f'{found[1]} {_IN_RDF}"', names.read_text()))
    for report in sorted((SOURCES / "stenographic").iterdir())[:2]:
        text = report.read_text().replace("</titolo>", f" {_IN_XML}</titolo>")
        text = text.replace("salario minimo", f"salario minimo {_IN_XML}")
        (folder / "stenographic" / report.name).write_text(text)
    data = tmp_path_factory.mktemp("parliament") / "spoilt"
    load("esperia", folder, data, base_iri=BASE, embedder=HashEmbedder())
    with running(data) as made:
        yield made.test_client()


@pytest.fixture(scope="module")
def spoilt(parliament: FlaskClient) -> str:
    return answered(parliament)


def test_hostile_data_are_text_on_every_page(parliament: FlaskClient, spoilt: str) -> None:
    pages = [
        "/", "/answers", spoilt, f"{spoilt}/verify", f"/search?q={quote(QUESTION)}", "/search?q=salario&mode=text",
        f"/experts?topic={quote(QUESTION)}", f"/compass?topic={quote(QUESTION)}", "/sittings", "/people", "/about",
        "/data",
    ]  # fmt: skip
    seen: set[str] = set()
    while pages:
        path = pages.pop(0)
        seen.add(path)
        response = parliament.get(path, headers=PAGE, follow_redirects=True)
        assert response.status_code == 200, (path, response.text[:300])
        page = harmless(response)
        if len(seen) > 60:
            break
        followed = re.compile(r"/(?:people|sittings|resource|answers)\b(?!.*format=)")
        found = filter(followed.match, page.xpath("//main//a/@href"))
        kinds = {re.sub(r"[^/?=]{4,}$", "", link): link for link in found}
        pages += [link for link in kinds.values() if link not in seen and link not in pages]
    assert len(seen) > 15
    page = html.fromstring(parliament.get(spoilt, headers=PAGE).text)
    assert "alert(1)" in page.text_content()


@pytest.mark.parametrize("form", FORMS)
def test_hostile_data_stay_what_they_are_in_every_form(parliament: FlaskClient, spoilt: str, form: str) -> None:
    response = parliament.get(f"{spoilt}?format={form}", headers={"Accept": "*/*"})
    assert response.status_code == 200
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    if form == "md":
        assert not re.search(r"(?<!\\)<(?:script|img)", response.text)
        assert "](javascript:" not in response.text
    if form == "jsonld":
        assert "<script>" in json.dumps(response.get_json())


@pytest.mark.parametrize("path", ["/search.atom?q=salario", "/search?q=salario", "/sittings", "/people", "/about"])
def test_hostile_data_are_well_formed_for_programs(parliament: FlaskClient, path: str) -> None:
    response = parliament.get(path, headers={"Accept": "application/ld+json, application/atom+xml"})
    assert response.status_code == 200, response.text[:300]
    if "json" in response.mimetype:
        assert response.get_json()
    else:
        html.etree.fromstring(response.data, html.etree.XMLParser(resolve_entities=False))
