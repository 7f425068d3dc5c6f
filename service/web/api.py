"""The HTTP API as its own description: what a route takes and gives is declared once, checked, and published.

    @blueprint.get("/search")
    @api.validate(query=SearchQuery, resp=Answers(SearchDocument, JSON_LD, HTML), tags=["search"])
    def search(query: SearchQuery) -> Response: ...

A request that does not fit its model is refused as a problem; answers are not checked at run time
but by the tests, which read the description at `/openapi.json` (`service.web.api_page`).
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final

from flask import current_app, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from spectree import Response as Declared
from spectree import SpecTree
from spectree.plugins.flask_plugin import FlaskPlugin
from spectree.utils import get_model_key

from service.web.admission import client_of_request
from service.web.negotiation import Form
from service.web.problems import Problem
from service.web.site import site

PROBLEM_TYPE: Final = "application/problem+json"
LONGEST_NAME: Final = 100
"""Characters of the name of a parameter that a refusal repeats."""


class ProblemDocument(BaseModel):
    """What was wrong, and what to do (RFC 9457)."""

    model_config = ConfigDict(extra="allow")
    type: str = "about:blank"
    title: str
    status: int
    detail: str


class Taken(BaseModel):
    """What a route takes: an unknown parameter is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def without_empty(values: Any) -> Any:
    """What was sent, without what is empty: a form sends each of its fields, and one left empty asks for nothing."""
    if not isinstance(values, Mapping):
        return values
    filled = {
        name: [part for part in value if part != ""] if isinstance(value, list) else value
        for name, value in values.items()
    }
    return {name: value for name, value in filled.items() if value not in ("", [])}


class Parameters(Taken):
    """The parameters of an address; each page has these two. An empty one counts as left out."""

    _empty = model_validator(mode="before")(without_empty)

    lang: str | None = Field(default=None, max_length=35, description="The language of the page, `it` or `en`.")
    format: str | None = Field(
        default=None, max_length=100, description="The form by its short name, in place of the header Accept."
    )


class Paged(Parameters):
    """A page of a list."""

    page: int = Field(default=1, ge=1, le=1000, description="The page, from 1.")


class Answers(Declared):
    """What a route answers: a model in one form or more, at times another success, and a problem otherwise.

    `also` gives other successes by status, each a model in plain JSON or nothing.
    """

    def __init__(
        self,
        model: type[BaseModel] | None,
        *forms: Form,
        status: int = 200,
        also: Mapping[int, type[BaseModel] | None] = MappingProxyType({}),
        refusals: tuple[int, ...] = (),
    ):
        refused = {400, 429, 503, *refusals, *((406,) if len(forms) > 1 else ())}
        successes = {f"HTTP_{code}": made for code, made in {status: model, **also}.items()}
        super().__init__(**successes, **{f"HTTP_{code}": ProblemDocument for code in sorted(refused)})
        self._forms = forms
        self._also = {str(code): made for code, made in also.items()}
        self._status = str(status)

    def generate_spec(self, naming_strategy: Callable[[type], str] = get_model_key) -> dict[str, Any]:
        described: dict[str, Any] = super().generate_spec(naming_strategy)
        for code, answer in described.items():
            schema: dict[str, Any] = next(iter(answer.pop("content", {}).values()), {"schema": {}})
            if code in self._also:
                if self._also[code]:
                    answer["content"] = {"application/json": schema}
            elif code != self._status:
                answer["content"] = {PROBLEM_TYPE: schema}
            elif self._forms:
                answer["content"] = {
                    form.media_type: schema if "json" in form.media_type else {"schema": {"type": "string"}}
                    for form in self._forms
                }
        return described


def _refusal(error: ValidationError) -> Problem:
    """How a request that does not fit is refused: with what is wrong, and never with what was sent."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    told = [
        {"parameter": ".".join(map(str, fault["loc"]))[:LONGEST_NAME] or None, "reason": fault["msg"]}
        for fault in faults[:10]
    ]
    first = told[0]
    where = f"{first['parameter']}: " if first["parameter"] else ""
    return Problem(400, f"{where}{first['reason']}", faults=told)


class _Requests(FlaskPlugin):
    """Checks what comes in; what goes out is checked by the tests."""

    def request_validation(self, *taken: Any) -> None:
        """Raises `Problem` 400."""
        try:
            super().request_validation(*taken)  # type: ignore[no-untyped-call]
        except ValidationError as error:
            # The tool would answer with what was sent, which may be anything.
            raise _refusal(error) from error

    def validate_response(self, resp: Any, *_: Any) -> tuple[Any, None]:
        return current_app.make_response(resp), None


_NAMED: Final[dict[str, type]] = {}


def _named(model: type) -> str:
    """The name of a model in the description; with its module where another model is called the same."""
    if _NAMED.setdefault(model.__name__, model) is model:
        return model.__name__
    return f"{model.__module__.rpartition('.')[2].capitalize()}{model.__name__}"


api = SpecTree(
    "flask",
    backend=_Requests,
    mode="strict",
    title="Emiciclo",
    description="Who said what in parliament, with what standing, and can I check it.",
    version=version("emiciclo"),
    openapi_version="3.1.0",
    license={"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
    before=lambda *_: None,
    after=lambda *_: None,
    validation_error_status=400,
    validation_error_model=ProblemDocument,
    naming_strategy=_named,
    nested_naming_strategy=lambda parent, child: f"{parent}.{child}",  # made short where that is unambiguous
)


def read_body() -> None:
    """Read the body of this request with a deadline, before anything parses it; for `before_request`. Raises
    `Problem`."""
    if request.method == "POST":
        request._cached_data = site().bodies.read(request.stream, client_of_request())
