"""People whose names the words of a search are."""

from functools import lru_cache
from typing import Final

import sparql
from service.graph import GraphStore, text_of
from service.search.request import Person
from service.thesaurus import words

SHOWN: Final = 5
LONGEST: Final = 5
"""Words of a text that may be a name."""


@lru_cache(maxsize=4)
def _everybody(graph: GraphStore) -> tuple[tuple[Person, frozenset[str], tuple[str, ...]], ...]:
    """Everybody, with the words of the name and those of the surname; kept for each open graph."""
    found: dict[str, tuple[Person, frozenset[str], tuple[str, ...]]] = {}
    for row in graph.select(sparql.query("search/people")):
        iri, name = row["person"].value, row["name"].value
        surname = words(text_of(row, "surname") or "")
        found.setdefault(iri, (Person(iri, name), frozenset(words(name)) | frozenset(surname), surname))
    return tuple(found.values())


def everybody(graph: GraphStore) -> tuple[Person, ...]:
    """Everybody with a name."""
    return tuple(person for person, _, _ in _everybody(graph))


def find(text: str, graph: GraphStore) -> tuple[Person, ...]:
    """Those whose names hold every word of a text, in any order; else those whose whole surname is among the words."""
    asked = tuple(dict.fromkeys(words(text)))
    if not asked or len(asked) > LONGEST or all(len(word) < 2 for word in asked):
        return ()
    wanted = frozenset(asked)
    people = _everybody(graph)
    named = [(person, surname) for person, names, surname in people if wanted <= names]
    if not named and len(asked) > 1:
        named = [(person, surname) for person, _, surname in people if surname and wanted.issuperset(surname)]
    named.sort(key=lambda one: (not wanted.issuperset(one[1]), one[1], one[0].name, one[0].iri))
    return tuple(person for person, _ in named[:SHOWN])
