"""What was debated most, in a few words each: examples of what one may ask."""

from dataclasses import dataclass

import sparql
from service.graph import GraphStore, text_of


@dataclass(frozen=True, slots=True)
class Topic:
    """A concept of the thesaurus by its Italian label, with the English one if it has one, and its speeches."""

    iri: str
    label: str
    translation: str | None
    speeches: int


def read_topics(graph: GraphStore) -> tuple[Topic, ...]:
    """The concepts that the titles of debated acts name, most debated first. Raises `QueryError`."""
    rows = graph.select(sparql.query("ask/topics"))
    found = {
        row["concept"].value: Topic(
            row["concept"].value, row["label"].value, text_of(row, "translation"), int(row["speeches"].value)
        )
        for row in rows
    }
    return tuple(found.values())
