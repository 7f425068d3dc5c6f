"""What JSON-LD documents have in common: how numbers and days are written, and what is left out."""

from datetime import date
from typing import Any

from service.question import Question

Document = dict[str, Any]


def present(value: Any) -> Any:
    """Leave out what is absent: a missing value is no value."""
    if isinstance(value, dict):
        return {key: present(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [present(item) for item in value]
    return value


def number(value: float | None, decimals: int = 6) -> float | None:
    """At most six decimals; a whole number without any, as RDF gives it back."""
    if value is None:
        return None
    rounded = round(value, decimals)
    return int(rounded) if rounded == int(rounded) else rounded


def iso(day: date | None) -> str | None:
    """A day as `xsd:date` writes it."""
    return day.isoformat() if day is not None else None


def question_document(question: Question, language: str) -> Document:
    """A question as it was understood, with the labels of concepts in a language."""
    return {
        "type": "Question",
        "text": question.text,
        "topic": question.topic,
        "expansion": question.expansion,
        "language": question.language,
        "referenceDate": question.reference_date.isoformat(),
        "dateFrom": iso(question.filters.date_from),
        "dateUntil": iso(question.filters.date_until),
        "filterGroup": sorted(g for g in question.filters.groups if g.startswith("http")) or None,
        "concepts": sorted(
            ({"id": c.iri, "type": "Concept", "label": c.label_in(language)} for c in question.concepts),
            key=lambda c: c["id"],
        )
        or None,
        "committees": sorted(match.iri for match in question.committees) or None,
    }
