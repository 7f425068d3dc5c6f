"""A corpus whose answers arithmetic tells: numbered items in groups and in a ring, and questions about them."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAMESPACE: Final = "http://example.org/"
PROLOGUE: Final = f"PREFIX : <{NAMESPACE}> PREFIX item: <{NAMESPACE}item/> PREFIX group: <{NAMESPACE}group/>\n"
GROUPS: Final = 100
JSON: Final = "application/sparql-results+json"
CSV: Final = "text/csv"
N_TRIPLES: Final = "application/n-triples"


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the form to ask it in, and whether a body is its answer."""

    query: str
    accept: str
    right: Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Items:
    """So many items; item `i` is in group `i mod 100` and before item `i + 1`, the last before the first."""

    count: int

    def triples(self) -> Iterator[str]:
        """The lines of the corpus as N-Triples."""
        for number in range(self.count):
            yield from self._of(number)

    def write(self, path: Path) -> Path:
        """Write the corpus into a file."""
        with path.open("w", encoding="utf-8") as file:
            file.writelines(self.triples())
        return path

    def _of(self, number: int) -> Iterator[str]:
        item = f"<{NAMESPACE}item/{number}>"
        yield f'{item} <{NAMESPACE}number> "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        yield f"{item} <{NAMESPACE}part> <{NAMESPACE}group/{number % GROUPS}> .\n"
        yield f"{item} <{NAMESPACE}next> <{NAMESPACE}item/{(number + 1) % self.count}> .\n"
        yield f'{item} <{NAMESPACE}label> "{label(number)}"@en .\n'

    def next_to(self, number: int) -> Question:
        """Whether an item stands before the one after it: true."""
        query = f"{PROLOGUE}ASK {{ item:{number} :next item:{(number + 1) % self.count} }}"
        return Question(query, JSON, is_true)

    def label_of(self, number: int) -> Question:
        """The label of one item, in JSON."""
        literal = {"type": "literal", "value": label(number), "xml:lang": "en"}
        return Question(
            f"{PROLOGUE}SELECT ?label {{ item:{number} :label ?label }}",
            JSON,
            lambda body: json.loads(body)["results"]["bindings"] == [{"label": literal}],
        )

    def further(self, number: int, steps: int) -> Question:
        """The number of the item some steps on, in CSV."""
        path = "/".join([":next"] * steps)
        found = (number + steps) % self.count
        return _table(f"SELECT ?number {{ item:{number} {path}/:number ?number }}", f"number\r\n{found}\r\n")

    def members(self, group: int) -> Question:
        """How many items a group has, in CSV."""
        query = f"SELECT (COUNT(?item) AS ?members) {{ ?item :part group:{group} }}"
        return _table(query, f"members\r\n{self._size(group)}\r\n")

    def page(self, group: int, rows: int) -> Question:
        """The first items of a group in order, in CSV."""
        query = f"SELECT ?number {{ ?item :part group:{group} ; :number ?number }} ORDER BY ?number LIMIT {rows}"
        found = range(group, self.count, GROUPS)[:rows]
        return _table(query, "".join(["number\r\n", *(f"{number}\r\n" for number in found)]))

    def described(self, number: int) -> Question:
        """Everything about one item, as N-Triples."""
        wanted = set(self._of(number))
        return Question(
            f"{PROLOGUE}CONSTRUCT WHERE {{ item:{number} ?p ?o }}",
            N_TRIPLES,
            lambda body: set(body.decode().splitlines(keepends=True)) == wanted,
        )

    def everything(self) -> Question:
        """Label and successor of every item, in CSV: megabytes."""
        return Question(f"{PROLOGUE}SELECT ?label ?next {{ ?item :label ?label ; :next ?next }}", CSV, self._is_all)

    def triplets(self, firsts: int) -> Question:
        """How many triplets of three groups there are, of which the first group lends so many: seconds of work."""
        lent = [f"item:{number}" for number in range(1, self.count, GROUPS)][:firsts]
        query = f"SELECT (COUNT(*) AS ?n) {{ VALUES ?a {{ {' '.join(lent)} }} ?b :part group:2 . ?c :part group:3 }}"
        return _table(query, f"n\r\n{len(lent) * self._size(2) * self._size(3)}\r\n")

    def _size(self, group: int) -> int:
        return len(range(group, self.count, GROUPS))

    def _is_all(self, body: bytes) -> bool:
        rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
        wanted = {(label(n), f"{NAMESPACE}item/{(n + 1) % self.count}") for n in range(self.count)}
        return rows[0] == ["label", "next"] and len(rows) == self.count + 1 and {(a, b) for a, b in rows[1:]} == wanted


def is_true(body: bytes) -> bool:
    """Whether a body says, in JSON, that there is a solution."""
    return json.loads(body)["boolean"] is True


def label(number: int) -> str:
    """The label of an item: with a comma and a letter outside ASCII, as labels have."""
    return f"Item {number}, of group {number % GROUPS}, è il numero {number}"


def _table(query: str, text: str) -> Question:
    wanted = text.encode()
    return Question(PROLOGUE + query, CSV, lambda body: body == wanted)
