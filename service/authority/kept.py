"""What the register says of a speaker: read once for a corpus, as it is the same for every question."""

from collections import defaultdict
from collections.abc import Iterable
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from pyoxigraph import NamedNode

import sparql
from service.graph import GraphStore, Row

SPEAKERS_KEPT: Final = 5_000
"""Speakers whose rows of one query are kept, some ten rows each; when there are more, all are forgotten."""


class BySpeaker:
    """The rows of a query with `VALUES ?speaker`, kept by graph and speaker as long as a corpus is open."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows = WeakKeyDictionary[GraphStore, dict[str, list[Row]]]()
        self._lock = Lock()

    def read(self, graph: GraphStore, speakers: Iterable[str]) -> list[Row]:
        """The rows of these speakers, one speaker after the other; all who are not known yet are asked for at once."""
        wanted = list(dict.fromkeys(speakers))
        with self._lock:
            known = dict(self._rows.setdefault(graph, {}))
        if missing := [speaker for speaker in wanted if speaker not in known]:
            found: defaultdict[str, list[Row]] = defaultdict(list)
            query = sparql.bind(sparql.query(self._name), "?speaker", [NamedNode(speaker) for speaker in missing])
            for row in graph.select(query):
                found[row["speaker"].value].append(row)
            known |= {speaker: found[speaker] for speaker in missing}
            with self._lock:
                kept = self._rows.setdefault(graph, {})
                if len(kept) + len(missing) > SPEAKERS_KEPT:
                    kept.clear()
                kept |= {speaker: known[speaker] for speaker in missing}
        return [row for speaker in wanted for row in known[speaker]]


memberships: Final = BySpeaker("authority/memberships")
profiles: Final = BySpeaker("authority/profiles")
