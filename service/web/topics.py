"""What the pages about one topic have in common: their parameters, and running an operation of the engine."""

from typing import TypeVar

from pydantic import ConfigDict, Field

from service.answer.language import Language
from service.engines.interface import EngineHost, Operation
from service.resources.wording import gettext
from service.web.filters import Filtered
from service.web.language import language
from service.web.problems import Problem
from service.web.site import Site

Request = TypeVar("Request")
Result = TypeVar("Result")


class TopicQuery(Filtered):
    """A topic, and what its passages are limited to."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    topic: str = Field(default="", max_length=1000, description="The topic in words, or a question about it.")


def spoken() -> Language:
    """The language of the page, in which groups are named."""
    return "it" if language() == "it" else "en"


def engine_of(here: Site) -> EngineHost:
    """What answers questions about this corpus. Raises `Problem` 404 for plain RDF, 503 where there is no engine."""
    if here.manifest.kind != "parliament":
        raise Problem(404, gettext("no parliament is loaded here, but plain RDF; ask it at /sparql"))
    if here.engine is None:
        raise Problem(503, gettext("this service runs without a search engine; query the data at /sparql"))
    return here.engine


def run(operation: Operation[Request, Result], request: Request, here: Site) -> Result:
    """Run an operation. Raises `Problem`, and what the operation raises."""
    return engine_of(here).run(operation, request)
