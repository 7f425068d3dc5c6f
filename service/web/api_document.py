"""From what the routes declare to the OpenAPI document that is published: pure functions over plain values."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

Document = dict[str, Any]

TAGS: Final[Mapping[str, str]] = {
    "answers": "Questions and their answers: group by group, with verbatim quotations that can be verified. "
    "A question is put with POST and worked on in a queue; its progress is a stream of events.",
    "search": "Speeches and acts by their words, by their meaning, or by both; the search also as a SPARQL service.",
    "experts": "Who speaks on a topic with what standing, and what that is made of.",
    "compass": "Where groups stand on a topic, from what they said.",
    "record": "The record itself: sittings, debates, speeches, people.",
    "sparql": "SPARQL endpoints, read-only, with limits that refusals name.",
    "linked data": "Every resource in every form of RDF, and the description of the data.",
    "service": "The service itself.",
}
"""In the order in which they are shown; a tag without a word here comes last."""

REFUSALS: Final[Mapping[int, str]] = {
    400: "Something in the request is wrong; `detail` says what, and `faults` which parameters.",
    403: "This is not allowed here.",
    404: "There is no such thing here.",
    406: "None of the forms that `Accept` names is served here.",
    408: "The body did not arrive in time.",
    409: "It is in a state that does not allow this.",
    410: "It is gone.",
    413: "It is larger than the limit that `detail` names.",
    415: "The body is of a media type that is not read here.",
    422: "The body does not fit.",
    429: "Too much at once from one client, or the queue is full.",
    500: "The work on it failed; it can be asked for again.",
    503: "The service cannot do this now; `detail` says why.",
}
SUCCESSES: Final[Mapping[int, str]] = {
    202: "It is taken up; `Location`, or the address asked, tells how far it is.",
    204: "There is nothing more to tell.",
    303: "It is at `Location`.",
}
_RETRY_AFTER: Final[Document] = {
    "Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "string"}}
}
_IN_PATH: Final[Mapping[str, str]] = {
    "/people/{name}": "The person, by the last part of the IRI.",
    "/sittings/{name}": "The sitting, by the last part of its IRI or by its day, as 2026-02-11.",
    "/sittings/{name}/{debate}": "The sitting as at /sittings/{name}, and the debate by the last part of its IRI.",
}
_ANSWER: Final = "The answer, by the last part of its IRI."
_EXAMPLES: Final[Mapping[tuple[str, str], str]] = {
    (path, name): "salario minimo"
    for path in ("/search", "/search.atom", "/experts", "/compass")
    for name in ("q", "topic")
}
"""By path and parameter, of those that have no example of their own."""


def completed(document: Document, more: Mapping[str, Mapping[str, Document]]) -> Document:
    """The document with further operations, each tag, parameter and refusal described, and no clutter of the tool."""
    paths: Document = {path: dict(operations) for path, operations in document["paths"].items()}
    for path, operations in more.items():
        paths.setdefault(path, {}).update({m: o for m, o in operations.items() if m not in paths.get(path, {})})
    done = {
        path: {method: _operation(path, method, operation) for method, operation in operations.items()}
        for path, operations in sorted(paths.items())
    }
    short = _short_names(document["components"]["schemas"])
    done = _renamed(done, short)
    used = {tag for path in done.values() for operation in path.values() for tag in operation.get("tags", ())}
    schemas = {
        short.get(name, name): _renamed(_plain(schema), short)
        for name, schema in document["components"]["schemas"].items()
    }
    return {
        **{key: value for key, value in document.items() if key not in ("paths", "tags", "components")},
        "tags": [{"name": name, "description": text} for name, text in TAGS.items() if name in used]
        + [{"name": name} for name in sorted(used - set(TAGS))],
        "paths": done,
        "components": {**document["components"], "schemas": _reachable(schemas, done)},
    }


def _operation(path: str, method: str, operation: Document) -> Document:
    told: Document = {**operation, "operationId": _name(method, path)}
    if not told.get("description"):
        told.pop("description", None)
    told["parameters"] = [_parameter(path, parameter) for parameter in operation.get("parameters", ())]
    if not told["parameters"]:
        del told["parameters"]
    told["responses"] = {
        code: _response(int(code), response) for code, response in sorted(operation["responses"].items())
    }
    return told


def _name(method: str, path: str) -> str:
    """`get` and `/people/{name}` as `getPeopleName`."""
    return method + "".join(part[:1].upper() + part[1:] for part in re.findall(r"[A-Za-z0-9]+", path))


def _parameter(path: str, parameter: Document) -> Document:
    told: Document = {**parameter, "schema": _plain(parameter["schema"])}
    description = told["schema"].pop("description", None)
    told["description"] = parameter.get("description") or description or ""
    examples = told["schema"].pop("examples", None)
    if told["in"] == "path" and not told["description"]:
        told["description"] = _IN_PATH.get(path) or (_ANSWER if path.startswith("/answers/") else "")
    if "example" not in told:
        example = examples[0] if examples else _EXAMPLES.get((path, told["name"]))
        if example is not None and told["schema"].get("type") == "string":
            told["example"] = example
    return {key: value for key, value in told.items() if value != ""}


def _response(status: int, response: Document) -> Document:
    told = dict(response)
    if status < 400:
        told["description"] = SUCCESSES.get(status, told["description"])
    if status >= 400 and "application/problem+json" in told.get("content", {}):
        told["description"] = REFUSALS.get(status, HTTPStatus(status).phrase)
        if status in (429, 503):
            told["headers"] = {**_RETRY_AFTER, **told.get("headers", {})}
    if not told.get("content", True):
        del told["content"]
    return told


def _plain(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names, and without null where a parameter is left out."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:
        properties = {name: _plain(item) for name, item in schema["properties"].items()}
        return {**_plain({k: v for k, v in schema.items() if k != "properties"}), "properties": properties}
    told = {key: _plain(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    choices = [choice for choice in told.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:  # what is not there is left out of an address and of a document
        told = {**choices[0], **{key: value for key, value in told.items() if key != "anyOf"}}
    if told.get("default", 0) is None:
        del told["default"]
    return told


def _short_names(schemas: Mapping[str, Any]) -> dict[str, str]:
    """What `Parent.Child` may be called: `Child`, where every schema of that name says the same."""
    contents: defaultdict[str, set[str]] = defaultdict(set)
    for name, schema in schemas.items():
        bare = _renamed(schema, {other: other.rpartition(".")[2] for other in schemas})
        contents[name.rpartition(".")[2]].add(json.dumps(bare, sort_keys=True))
    return {name: child for name in schemas if (child := name.rpartition(".")[2]) != name and len(contents[child]) == 1}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value with its references to schemas renamed."""
    if isinstance(value, dict):
        return {key: _reference(item, names) if key == "$ref" else _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


def _reference(target: str, names: Mapping[str, str]) -> str:
    folder, _, name = target.rpartition("/")
    return f"{folder}/{names.get(name, name)}"


def _reachable(schemas: Document, paths: Document) -> Document:
    """The schemas that the operations refer to, directly or through others."""
    wanted, found = list(_references(paths)), set[str]()
    while wanted:
        name = wanted.pop()
        if name in schemas and name not in found:
            found.add(name)
            wanted += _references(schemas[name])
    return {name: schemas[name] for name in sorted(found)}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item.rsplit("/", 1)[-1]
            else:
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
