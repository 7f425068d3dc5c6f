"""What was said of a topic, without an answer about it: how the compass and the ranking of experts begin."""

from datetime import date

from service.filters import NamedFilters
from service.findings import Findings, find
from service.pipeline import Engine
from service.progress import Progress, Step
from service.question import Question, understand


def find_on(
    topic: str, filters: NamedFilters, as_of: date | None, engine: Engine, progress: Progress
) -> tuple[Question, Findings]:
    """Understand a topic, and find its evidence and speakers. Raises `QuestionError`, `DataError`, `QueryError`."""
    progress(Step("understand", "begun"))
    day = as_of or engine.corpus.manifest.last_day
    question = understand(
        topic,
        engine.corpus,
        engine.thesaurus,
        reference_date=as_of,
        filters=filters.resolve(engine.chamber, day),
    )
    progress(Step("understand", "ended", {"topic": question.topic}))
    progress(Step("retrieve", "begun"))
    findings = find(question, engine.corpus, engine.chamber, engine.settings.retrieval)
    figures = {"evidence": len(findings.evidence), "speakers": len(findings.authorities)}
    progress(Step("retrieve", "ended", figures))
    return question, findings
