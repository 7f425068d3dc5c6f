"""Questions to a loaded corpus: to ranked evidence, and through the whole pipeline, part by part."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from service.answer.model import Answer
from service.chamber import Chamber
from service.corpus import open_corpus
from service.experts.ranking import spreads, standings
from service.findings import find
from service.pipeline import Engine, ask
from service.progress import Step
from service.question import understand
from service.settings import load_settings
from service.thesaurus import Thesaurus
from tests.benchmarks.paper import memory
from tests.benchmarks.paper.embedders import Clocked, opened
from tests.benchmarks.paper.figures import spread
from tests.benchmarks.paper.queries import Lap, TimedGraph, TimedVectors, Watch, by_name

Laps = defaultdict[str, list[float]]


def measure_questions(
    data: str, embedder: str, questions: Sequence[str], repetitions: int, answer_repetitions: int
) -> dict[str, Any]:
    """Times (ms) and memory (MB) of this process, which opens the corpus with the settings of its environment.

    The first round, which opens files and fills what is kept, is told apart. `answer_repetitions` may be 0.
    """
    settings = load_settings()
    model = opened(embedder)
    begin = time.perf_counter()
    corpus = open_corpus(Path(data), settings, model)
    watches = Watches(Watch(), Watch())
    graph, vectors = TimedGraph(corpus.graph, watches.graph), TimedVectors(corpus.vectors, watches.vectors)
    corpus = replace(corpus, graph=graph, vectors=vectors)
    engine = Engine(corpus, Chamber(graph), Thesaurus.read(graph), settings, None)
    found: dict[str, Any] = {"open_seconds": round(time.perf_counter() - begin, 3), "memory_opened": memory.held()}
    watches.take()

    first, laps, numbers = Laps(list), Laps(list), Laps(list)
    queries: list[Lap] = []
    searches: list[Lap] = []
    for text in questions:
        _to_evidence(text, engine, model, watches, first, Laps(list))
    for _ in range(repetitions):
        for text in questions:
            queried, searched = _to_evidence(text, engine, model, watches, laps, numbers)
            queries += queried
            searches += searched
    asked = repetitions * len(questions)
    found |= {
        "questions": len(questions),
        "repetitions": repetitions,
        "first_round": {stage: spread(times) for stage, times in first.items()},
        "evidence": {stage: spread(times) for stage, times in laps.items()},
        "found": {what: spread(those, 0) for what, those in numbers.items()},
        "questions_without_evidence": numbers["evidence"].count(0) // repetitions,
        "evidence_queries": by_name(queries, asked),
        "evidence_searches": by_name(searches, asked),
        "memory_after_evidence": memory.held(),
    }
    if answer_repetitions:
        found |= _answers(engine, watches, model, questions, answer_repetitions)
    return found


@dataclass(frozen=True, slots=True)
class Watches:
    """What times the graph and the index."""

    graph: Watch
    vectors: Watch

    def take(self) -> tuple[tuple[Lap, ...], tuple[Lap, ...]]:
        """The queries and the searches since this was called last."""
        return self.graph.take(), self.vectors.take()


def _to_evidence(
    text: str, engine: Engine, model: Clocked, watches: Watches, laps: Laps, found: Laps
) -> tuple[tuple[Lap, ...], tuple[Lap, ...]]:
    """Ask one question; note its times and what it found, and give its queries and searches."""
    embedding = model.seconds
    begin = time.perf_counter()
    question = understand(text, engine.corpus, engine.thesaurus)
    understood, embedded = time.perf_counter(), model.seconds - embedding
    findings = find(question, engine.corpus, engine.chamber, engine.settings.retrieval)
    retrieved = time.perf_counter()
    authorities = tuple(findings.authorities.values())
    standings(authorities)
    if authorities:
        spreads(authorities)
    ended = time.perf_counter()
    embedding = model.seconds - embedding
    queries, searches = watches.take()
    laps["total without embedding"].append((ended - begin - embedding) * 1000)
    laps["  of it SPARQL"].append(sum(lap.milliseconds for lap in queries))
    laps["  of it the index"].append(sum(lap.milliseconds for lap in searches))
    laps["embedding of the question"].append(embedding * 1000)
    laps["understand (without embedding)"].append((understood - begin - embedded) * 1000)
    for stage, milliseconds in findings.milliseconds.items():
        laps[stage].append(milliseconds)
    laps["ranking of experts"].append((ended - retrieved) * 1000)
    found["evidence"].append(len(findings.evidence))
    found["candidates"].append(findings.figures.merged)
    found["speakers weighed"].append(len(authorities))
    found["acts near"].append(findings.figures.acts)
    return queries, searches


def _answers(
    engine: Engine, watches: Watches, model: Clocked, questions: Sequence[str], repetitions: int
) -> dict[str, Any]:
    laps = Laps(list)
    queries: list[Lap] = []
    searches: list[Lap] = []
    sections: list[float] = []
    # Retrieval is warm; a first answer opens what comes after it.
    _answer(questions[0], engine, model, Laps(list))
    watches.take()
    for _ in range(repetitions):
        for text in questions:
            answer = _answer(text, engine, model, laps)
            queried, searched = watches.take()
            queries += queried
            searches += searched
            sections.append(sum(section.supported for section in answer.sections))
    return {
        "answer_repetitions": repetitions,
        "answer": {stage: spread(times) for stage, times in laps.items()},
        "answer_sections": spread(sections, 0),
        "answer_queries": by_name(queries, repetitions * len(questions)),
        "answer_searches": by_name(searches, repetitions * len(questions)),
        "memory_after_answers": memory.held(),
    }


def _answer(text: str, engine: Engine, model: Clocked, laps: Laps) -> Answer:
    begun: dict[str, float] = {}

    def note(step: Step) -> None:
        now = time.perf_counter()
        if step.state == "begun":
            begun[step.stage] = now
        elif step.state == "ended":
            laps[step.stage].append((now - begun[step.stage]) * 1000)

    embedding, begin = model.seconds, time.perf_counter()
    answer = ask(text, engine, progress=note)
    laps["total"].append((time.perf_counter() - begin) * 1000)
    laps["embedding (within the stages)"].append((model.seconds - embedding) * 1000)
    if "compass" in answer.milliseconds:
        laps["compass"].append(answer.milliseconds["compass"])
    return answer
