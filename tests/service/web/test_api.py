"""The description of the API: valid, complete, readable, and true of what the service answers."""

import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis.errors import Unsatisfiable
from lxml import html
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from werkzeug.test import TestResponse

from service.web.api_document import TAGS
from service.web.api_page import kind_of
from service.web.app import create_app
from tests.conftest import Esperia
from tests.service.web.sites import answered, copied, running

CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


@pytest.fixture(scope="module")
def app(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The whole site over a copy of Esperia, with one answer."""
    with running(copied(esperia.data, tmp_path_factory.mktemp("api") / "esperia")) as made:
        answered(made.test_client())
        yield made


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="module")
def document(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").get_json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, op) for path, found in document["paths"].items() for method, op in found.items()]


def test_the_description_is_valid_openapi(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_another_application_of_the_process_is_described_alike(esperia: Esperia, document: dict[str, Any]) -> None:
    other = create_app(esperia.data, esperia.settings, esperia.corpus.graph)
    found = other.test_client().get("/openapi.json").get_json()
    assert list(OpenAPIV31SpecValidator(found).iter_errors()) == []
    assert set(found["components"]["schemas"]) <= set(document["components"]["schemas"])


def test_every_operation_is_described_in_full(document: dict[str, Any]) -> None:
    names = [op["operationId"] for _, _, op in operations(document)]
    assert len(set(names)) == len(names) >= 20
    assert {tag["name"] for tag in document["tags"]} <= set(TAGS)
    assert all(tag["description"] for tag in document["tags"])
    for method, path, op in operations(document):
        where = f"{method} {path}"
        assert op["summary"], where
        assert op["tags"], where
        for parameter in op.get("parameters", ()):
            assert parameter.get("description"), (where, parameter["name"])
        assert set(re.findall(r"{(\w+)}", path)) == {p["name"] for p in op.get("parameters", ()) if p["in"] == "path"}
        for status, response in op["responses"].items():
            assert response["description"], (where, status)
            if status in ("429", "503") and path != "/health":
                assert "Retry-After" in response["headers"], (where, status)
            if status >= "400" and path != "/health":
                assert set(response["content"]) == {"application/problem+json"}, (where, status)
    for path in ("/answers", "/answers/{name}", "/search", "/sittings", "/people/{name}", "/sparql", "/resource"):
        assert path in document["paths"]


def test_members_of_bodies_are_described(document: dict[str, Any]) -> None:
    for method, path, op in operations(document):
        for content in op.get("requestBody", {}).get("content", {}).values():
            schema = content["schema"]
            if "$ref" in schema:
                schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
            if path.startswith("/answers") and "properties" in schema and "sparql" not in path:
                assert all(member.get("description") for member in schema["properties"].values()), (method, path)
                assert schema["additionalProperties"] is False


@pytest.mark.parametrize("language", ["it", "en"])
def test_the_page_tells_every_operation_with_its_responses(
    client: FlaskClient, document: dict[str, Any], language: str
) -> None:
    page = html.fromstring(client.get(f"/api?lang={language}", headers={"Accept": "text/html"}).text)
    shown = {article.get("id") for article in page.xpath("//article")}
    assert shown == {op["operationId"] for _, _, op in operations(document)}
    assert len(page.xpath("//h1")) == 1
    assert not page.xpath("//table[not(caption)] | //script[not(@src)]")
    assert client.get("/api", headers={"Accept": "application/json"}).get_json() == document


def test_every_example_on_the_page_works_as_it_is_printed(client: FlaskClient) -> None:
    page = html.fromstring(client.get("/api", headers={"Accept": "text/html"}).text)
    lines = page.xpath("//pre[@class='curl']/code/text()")
    assert len(lines) >= 15
    for line in lines:
        response = run(client, line)
        assert response.status_code < 400, (line, response.text[:300])
        accepted = re.search(r"Accept: ([^']+)", line)
        if accepted and response.status_code == 200:
            assert response.mimetype == accepted[1], line


def run(client: FlaskClient, line: str) -> TestResponse:
    """What curl would do with this line."""
    words = iter(shlex.split(line))
    assert next(words) == "curl"
    method, url, query, data, headers = "GET", "", [], None, {}
    for word in words:
        if word == "--request":
            method = next(words)
        elif word == "--data-urlencode":
            query.append(next(words).split("=", 1))
        elif word == "--data":
            data = next(words)
        elif word == "--header":
            name, value = next(words).split(": ", 1)
            headers[name] = value
        elif not word.startswith("--"):
            url = word
    path = url.removeprefix("http://localhost")
    return client.open(path, method=method, query_string=dict(query), data=data, headers=headers)


@pytest.mark.parametrize(
    "path", ["/search?q=a&", "/sittings?", "/people?", "/answers?", "/experts?topic=a&", "/about?"]
)
def test_an_unknown_parameter_is_refused_and_named(client: FlaskClient, path: str) -> None:
    response = client.get(f"{path}colour=red")
    assert (response.status_code, response.mimetype) == (400, "application/problem+json")
    assert "colour" in response.get_json()["detail"]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "date"}, "day"),
        ({"type": "integer", "minimum": 1, "maximum": 9, "default": 1}, "integer, 1 to 9; 1 if left out"),
        ({"type": "array", "items": {"type": "string", "maxLength": 5}}, "list of text, at most 5 characters"),
        ({"enum": ["it", "en"]}, "it | en"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "text | integer"),
        ({"$ref": "#/components/schemas/Day"}, "day"),
    ],
)
def test_a_value_is_told_in_a_few_words(schema: dict[str, Any], kind: str) -> None:
    assert kind_of(schema, {"Day": {"type": "string", "format": "date"}}) == kind


# What is answered against what is described


def conforms(app: Flask, mode: GenerationMode, examples: int) -> None:
    """Try generated requests at every operation, and raise all that does not conform."""
    schema = schemathesis.openapi.from_wsgi("/openapi.json", app)
    faults = []
    for found in schema.get_all_operations():
        operation = found.ok()
        try:
            _try(operation, mode, examples)
        except Unsatisfiable:
            continue  # without parameters nothing can be wrong
        except FailureGroup as group:
            faults += [f"{operation.label}: {fault!s:.1500}" for fault in group.exceptions]
    assert not faults, "\n\n".join(faults)


def _try(operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode, examples: int) -> None:
    @given(case=operation.as_strategy(generation_mode=mode))
    @hypothesis_settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Case) -> None:
        if operation.path.endswith("/events"):
            return  # a stream lasts as long as its job; its tests are elsewhere
        case.validate_response(case.call(headers={"Accept-Encoding": "identity"}), checks=CHECKS)

    check()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=str)
def test_what_is_answered_is_what_is_described(app: Flask, mode: GenerationMode) -> None:
    conforms(app, mode, 4)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=str)
def test_what_is_answered_is_what_is_described_over_many_requests(app: Flask, mode: GenerationMode) -> None:
    conforms(app, mode, 150)
