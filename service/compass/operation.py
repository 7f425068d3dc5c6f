"""A compass by itself, as the engine runs it."""

from dataclasses import dataclass
from datetime import date

from service.answer.language import Language
from service.answer.languages import WORDINGS
from service.compass.jsonld import compass_document
from service.compass.making import make
from service.documents import Document, present, question_document
from service.filters import NamedFilters
from service.pipeline import Engine
from service.progress import Progress
from service.topical import find_on


@dataclass(frozen=True, slots=True)
class CompassRequest:
    """A topic, and what its passages are limited to; `language` is that of the groups' names."""

    topic: str
    filters: NamedFilters
    as_of: date | None = None
    language: Language = "it"


@dataclass(frozen=True, slots=True)
class CompassResult:
    """The question as it was understood and the compass, as JSON-LD without a context."""

    question: Document
    compass: Document


def compass(request: CompassRequest, engine: Engine, progress: Progress) -> CompassResult:
    """Tell where the groups stand on a topic. Raises `QuestionError`, `DataError`, `QueryError`."""
    question, findings = find_on(request.topic, request.filters, request.as_of, engine, progress)
    made = make(question, findings.evidence, engine.corpus, engine.chamber, WORDINGS[request.language])
    return CompassResult(present(question_document(question, request.language)), compass_document(made))
