"""The description of the API: `/openapi.json` for programs, `/api` for people, both made of the same document."""

import copy
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from flask import Blueprint, Response, current_app, render_template, request

from service.errors import EmicicloError
from service.web.api import api
from service.web.api_document import completed
from service.web.api_examples import examples
from service.web.api_operations import OPERATIONS
from service.web.negotiation import HTML, Form, choose, vary
from service.web.site import site

blueprint = Blueprint("api", __name__)

OPENAPI: Final = Form("application/openapi+json", "json", ("application/json", "application/vnd.oai.openapi+json"))
_MADE: Final = "emiciclo-openapi"


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a member of a body, for people."""

    name: str
    place: str
    """`query`, `path` or `body`."""
    required: bool
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A response, for people."""

    status: str
    description: str
    media_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation, for people."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    fields: tuple[Field, ...]
    outcomes: tuple[Outcome, ...]
    curl: str | None
    """A line that works as it is; None where it would need what is not there."""


@blueprint.get("/openapi.json")
def description() -> Response:
    """The description of the API, OpenAPI 3.1."""
    return _document()


@blueprint.get("/api")
def page() -> Response:
    """The description of the API as a page."""
    if choose((HTML, OPENAPI)) is OPENAPI:
        return vary(_document())
    document = described()
    groups = [(tag["name"], tag.get("description", ""), shown(tag["name"], document)) for tag in document["tags"]]
    response = Response(render_template("api/api.html", document=document, groups=groups), mimetype="text/html")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Link"] = '</openapi.json>; rel="service-desc"; type="application/openapi+json"'
    return vary(response)


def _document() -> Response:
    response = Response(current_app.json.dumps(described()) + "\n", mimetype=OPENAPI.media_type)
    response.headers["Cache-Control"] = "public, max-age=300"
    response.add_etag()
    response.make_conditional(request)
    return response


def described() -> dict[str, Any]:
    """The OpenAPI document of the application that serves this request, with examples from its data."""
    made: dict[str, Any] | None = current_app.extensions.get(_MADE)
    if made is None:
        rules = {rule.rule for rule in current_app.url_map.iter_rules()}
        made = completed(_declared(), {path: found for path, found in OPERATIONS.items() if path in rules})
        current_app.extensions[_MADE] = made
    document = copy.deepcopy(made)
    document["servers"] = [{"url": site().root.rstrip("/") or "/"}]
    try:
        known = examples(site())
    except EmicicloError:  # nothing is loaded, or its store does not answer: the description stands without examples
        known = {}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                example = known.get((path, parameter["name"]))
                if example is not None:
                    parameter["example"] = example
    return document


def _declared() -> dict[str, Any]:
    """What the routes of this application declare."""
    kept = copy.deepcopy(api.models)  # the tool takes them apart, and another application may be described after this
    try:
        api.app = current_app
        declared: dict[str, Any] = copy.deepcopy(api._generate_spec())
    finally:
        api.models = kept
    return declared


def shown(tag: str, document: Mapping[str, Any]) -> tuple[Shown, ...]:
    """The operations of a tag, for people."""
    root = document["servers"][0]["url"].rstrip("/")
    schemas = document["components"]["schemas"]
    return tuple(
        Shown(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation.get("summary", ""),
            description=operation.get("description", ""),
            fields=tuple(_fields(operation, schemas)),
            outcomes=tuple(
                Outcome(status, response.get("description", ""), tuple(response.get("content", ())))
                for status, response in operation["responses"].items()
            ),
            curl=curl(root, method, path, operation, schemas),
        )
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation.get("tags", [""])[0] == tag
    )


def _fields(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[Field]:
    for parameter in operation.get("parameters", ()):
        kind, description = kind_of(parameter["schema"], schemas), parameter.get("description", "")
        yield Field(parameter["name"], parameter["in"], parameter.get("required", False), kind, description)
    seen: set[str] = set()
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolved(content["schema"], schemas)
        for name, member in schema.get("properties", {}).items():
            if name not in seen:
                seen.add(name)
                required = name in schema.get("required", ())
                yield Field(name, "body", required, kind_of(member, schemas), member.get("description", ""))


def kind_of(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """What a value is, in a few words: `integer, 1 to 1000`, `list of text`, `it or en`."""
    schema = _resolved(schema, schemas)
    if "enum" in schema or "const" in schema:
        return " | ".join(str(value) for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(kind_of(choice, schemas) for choice in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {kind_of(schema.get('items', {}), schemas)}"
    kind = "text" if schema.get("type") == "string" else str(schema.get("type", "any"))
    kind = {"date": "day", "date-time": "time", "uri": "IRI"}.get(str(schema.get("format")), kind)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        kind += f", {low} to {high}"
    elif schema.get("maxLength"):
        kind += f", at most {schema['maxLength']} characters"
    if schema.get("default") not in (None, "", []):
        kind += f"; {schema['default']} if left out"
    return kind


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[-1]]
    if len(schema.get("allOf", ())) == 1:
        return {**_resolved(schema["allOf"][0], schemas), **schema}
    return schema


def curl(root: str, method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> str | None:
    """A command line that makes the operation; None where an example is missing for what is required, or would harm."""
    if method == "delete":
        return None  # an example is there to be tried
    words = ["curl"]
    query: list[str] = []
    for parameter in operation.get("parameters", ()):
        example = parameter.get("example")
        if example is None:
            if parameter.get("required"):
                return None
            continue
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(example)))
        elif parameter["in"] == "query":
            query += ["--data-urlencode", f"{parameter['name']}={example}"]
    good = [answer.get("content", {}) for code, answer in operation["responses"].items() if code < "300"]
    accepted = next((media for content in good for media in content), None)
    if method != "get":
        words += ["--request", method.upper(), "--include"]
    elif query:
        words.append("--get")
    words.append(root + path)
    body = operation.get("requestBody", {}).get("content", {})
    if body:
        media, content = next(iter(body.items()))
        example = content.get("example") or _resolved(content["schema"], schemas).get("example")
        example = example or _example(_resolved(content["schema"], schemas), schemas)
        if not example:
            return None
        text = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
        words += ["--header", f"Content-Type: {media}", "--data", text]
    elif method == "get":
        words += query
    if accepted:
        words += ["--header", f"Accept: {accepted}"]
    return " ".join(map(shlex.quote, words))


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The required members of a body with an example of each; empty if one has none."""
    made: dict[str, Any] = {}
    for name in schema.get("required", ()):
        member = _resolved(schema["properties"][name], schemas)
        example = next(iter(member.get("examples", ())), "il salario minimo legale" if name == "question" else None)
        if example is None:
            return {}
        made[name] = example
    return made
