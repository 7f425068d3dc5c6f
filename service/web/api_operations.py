"""Operations whose routes read their own input, as OpenAPI describes them: queries, linked data, dumps, health.

A route that is declared with `api.validate` is not described here.
"""

from collections.abc import Mapping
from typing import Any, Final

import sparql
from service.web import console, search_service
from service.web.answers import endpoint as answers_endpoint
from service.web.negotiation import HTML, RDF_FORMS, Form
from service.web.protocol import FORM_TYPE, GRAPHS, QUERY_TYPE, TABLES

Schema = dict[str, Any]
Operation = dict[str, Any]

PROBLEM: Final[Schema] = {"$ref": "#/components/schemas/ProblemDocument"}
PROBLEM_TYPE: Final = "application/problem+json"
_TEXT: Final[Schema] = {"type": "string"}
_IRI: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 2000}
_ANY: Final[Schema] = {"type": "object"}
_FORMAT: Final[Schema] = {
    "name": "format",
    "in": "query",
    "required": False,
    "description": "The form by its short name or media type, in place of the header Accept.",
    "schema": {"type": "string", "maxLength": 100},
}


def _parameter(name: str, description: str, schema: Schema, *, required: bool = False, place: str = "query") -> Schema:
    return {"name": name, "in": place, "required": required, "description": description, "schema": schema}


def _answers(*forms: Form | str, schema: Schema = _TEXT, refusals: tuple[int, ...] = (), **more: Schema) -> Schema:
    """The responses: a success in these media types, and problems."""
    types = [form if isinstance(form, str) else form.media_type for form in forms]
    content = {media: {"schema": schema if "json" in media else _TEXT} for media in types}
    told: Schema = {"200": {"description": "OK", "content": content}, **more}
    for status in (*refusals, 429, 503):
        told[str(status)] = {"description": "", "content": {PROBLEM_TYPE: {"schema": PROBLEM}}}
    return told


def _get(tag: str, summary: str, responses: Schema, *parameters: Schema, description: str = "") -> Operation:
    return {
        "tags": [tag],
        "summary": summary,
        "description": description,
        "parameters": list(parameters),
        "responses": responses,
    }


_QUERY_REFUSALS: Final = (400, 403, 406, 413)
_DATASET: Final = (
    _parameter(
        "default-graph-uri",
        "A named graph to take into the default graph; repeatable.",
        {"type": "array", "items": _IRI, "maxItems": 1000},
    ),
    _parameter(
        "named-graph-uri",
        "A named graph that GRAPH may name; repeatable.",
        {"type": "array", "items": _IRI, "maxItems": 1000},
    ),
    _FORMAT,
)
_QUERY: Final[Schema] = {"type": "string", "maxLength": 500_000}
_RESULTS: Final = tuple(dict.fromkeys(form.media_type for form in (*TABLES, *GRAPHS, HTML)))


def _protocol(of: str, query: str) -> Mapping[str, Operation]:
    """The SPARQL 1.1 Protocol at an endpoint."""
    how = (
        "SPARQL 1.1 Protocol, queries alone. The usual prefixes are declared already; what may be used, and the "
        "limits, are in the service description, which a GET without a query gives."
    )
    refusals = (*_QUERY_REFUSALS, 408, 415)
    return {
        "get": _get(
            "sparql",
            f"Ask {of}.",
            _answers(*_RESULTS, schema={}, refusals=_QUERY_REFUSALS),
            {**_parameter("query", "A query: SELECT, ASK, CONSTRUCT or DESCRIBE.", _QUERY), "example": query},
            *_DATASET,
            description=how,
        ),
        "post": {
            **_get(
                "sparql",
                f"Ask {of}, with a query too long for an address.",
                _answers(*_RESULTS, schema={}, refusals=refusals),
                *_DATASET,
                description=how,
            ),
            "requestBody": {
                "required": True,
                "content": {
                    QUERY_TYPE: {"schema": _QUERY, "example": query},
                    FORM_TYPE: {
                        "schema": {
                            "type": "object",
                            "required": ["query"],
                            "properties": {"query": _QUERY},
                            "example": {"query": sparql.query(console.RECORD.start)},
                        }
                    },
                },
            },
        },
    }


_HEALTH: Final[Schema] = {
    "type": "object",
    "required": ["status", "seconds"],
    "properties": {
        "status": {"enum": ["ok", "unavailable"]},
        "seconds": {"type": "integer", "description": "Since the service started."},
        "dataset": {"type": "string"},
        "version": {"type": "string"},
        "loaded_at": {"type": "string"},
        "workers": {"type": "object"},
        "detail": {"type": "string", "description": "What is wrong."},
    },
}
_RDF: Final = tuple(form.media_type for form in RDF_FORMS)

OPERATIONS: Final[Mapping[str, Mapping[str, Operation]]] = {
    "/sparql": _protocol("the record", sparql.query(console.RECORD.start)),
    f"/{answers_endpoint.PATH}": _protocol("the answers", sparql.query(answers_endpoint.PLACE.start)),
    f"/{search_service.PATH}": _protocol("what a search finds", sparql.query(search_service.PLACE.start)),
    "/resource": {
        "get": _get(
            "linked data",
            "What is held about a resource.",
            _answers(*_RDF, HTML, schema={}, refusals=(400, 404, 406, 413)),
            _parameter("iri", "The resource, by its whole IRI, percent-encoded.", _IRI, required=True),
            _FORMAT,
            description="Each IRI that is minted here leads to this description of it.",
        )
    },
    "/data": {
        "get": _get(
            "linked data",
            "What is loaded: its extent, sources, licence and downloads.",
            _answers(*_RDF, HTML, schema={}, refusals=(400, 406)),
            _FORMAT,
        )
    },
    "/context.jsonld": {
        "get": _get(
            "linked data", "The JSON-LD context of every document.", _answers("application/ld+json", schema=_ANY)
        )
    },
    "/health": {
        "get": _get(
            "service",
            "Whether the service is ready to answer.",
            {
                "200": {"description": "It is.", "content": {"application/json": {"schema": _HEALTH}}},
                "503": {"description": "It is not, and why.", "content": {"application/json": {"schema": _HEALTH}}},
            },
        )
    },
    "/openapi.json": {
        "get": _get("service", "This description.", _answers("application/openapi+json", schema=_ANY)),
    },
}
