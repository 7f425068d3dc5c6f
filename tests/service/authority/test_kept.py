"""What the register says of speakers is asked for once, and is the same whoever was asked for before."""

import pytest

from service.authority import kept
from service.authority.kept import BySpeaker
from service.graph import GraphStore, Row
from tests.conftest import Esperia
from tests.service.authority.test_features import everybody


class Counting:
    """Passes queries on, and counts them."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph, self.asked = graph, 0

    def select(self, query: str) -> list[Row]:
        self.asked += 1
        return self._graph.select(query)


@pytest.mark.parametrize("name", ["authority/memberships", "authority/profiles"])
@pytest.mark.parametrize("most", [5, 5_000])
def test_rows_are_asked_for_once_and_are_those_of_the_speakers_alone(
    esperia: Esperia, name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "SPEAKERS_KEPT", most)
    people = everybody(esperia)[:12]
    anew = [row for person in people for row in BySpeaker(name).read(esperia.corpus.graph, [person])]
    graph = Counting(esperia.corpus.graph)
    rows = BySpeaker(name)
    assert rows.read(graph, people[:3]) + rows.read(graph, people[3:]) == anew  # type: ignore[arg-type]
    assert rows.read(graph, people) == anew  # type: ignore[arg-type]
    assert graph.asked == (2 if most > len(people) else 3)


def test_somebody_unknown_is_asked_for_once_too(esperia: Esperia) -> None:
    graph, rows = Counting(esperia.corpus.graph), BySpeaker("authority/memberships")
    assert rows.read(graph, ["http://a.example/nobody"]) == []  # type: ignore[arg-type]
    assert rows.read(graph, ["http://a.example/nobody"]) == []  # type: ignore[arg-type]
    assert graph.asked == 1
