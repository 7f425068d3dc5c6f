"""What a job does: the one pipeline, run by the engine."""

from typing import TYPE_CHECKING

from service.answer import jsonld
from service.jobs.model import AskRequest
from service.progress import Progress

if TYPE_CHECKING:
    from service.pipeline import Engine


def answer(request: AskRequest, engine: "Engine", progress: Progress) -> jsonld.Document:
    """Answer a question as the document that is kept and served. Raises `QuestionError`, `DataError`, `QueryError`."""
    from service.pipeline import ask  # in the engine's process only: the web server does not load it

    on = request.as_of or engine.corpus.manifest.last_day
    found = ask(
        request.question,
        engine,
        reference_date=request.as_of,
        filters=request.filters.resolve(engine.chamber, on),
        language=request.language,
        iri=request.iri,
        progress=progress,
    )
    return jsonld.to_jsonld(found)
