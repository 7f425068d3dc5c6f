"""What is wanted beside what was measured; pure. Nothing is asserted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from tests.benchmarks.paper.figures import at, ratio

Document = Mapping[str, Any]
EQUAL_RECALL: Final = 0.999
ENOUGH_RECALL: Final = 0.98
"""Of a search that takes less time than the exact one."""
ORDER: Final = ("tenth", "paper", "ten")
"""Scales that are compared, each with the one before."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`holds` is None where something was not measured."""

    what: str
    wanted: str
    measured: str
    holds: bool | None


def verdicts(document: Document) -> list[Verdict]:
    """What is wanted of one scale."""
    evidence = ("asking", "evidence", "total without embedding")
    gigabytes = ratio(at(document, "asking", "memory_after_evidence", "rss"), 1024)
    second = ratio(at(document, "second_load", "without_embedding"), at(document, "load", "without_embedding"), 4)
    whole = ratio(at(document, "second_load", "total"), at(document, "load", "total"), 4)
    return [
        _most("question to evidence, median", at(document, *evidence, "median"), 250, "ms"),
        _most("question to evidence, 95th percentile", at(document, *evidence, "p95"), 500, "ms"),
        *(_dense(threads, document) for threads in ("default", "one thread")),
        _most("resident memory after the questions", gigabytes, 2, "GB"),
        _most("load without embedding to bare bulk_load", at(document, "bulk_load", "load_ratio"), 3, "×"),
        _most("second load with one sitting more, to the first", _percent(whole), 5, "%"),
        _most("the same without embedding in both", _percent(second), 5, "%"),
        _most("first answer after the start", at(document, "start", "first", "first_answer"), 5, "s"),
    ]


def _dense(threads: str, document: Document) -> Verdict:
    what, wanted = f"dense search beside exact numpy, BLAS threads: {threads}", "≤ 2 ×, or recall ≥ 0.98 in less time"
    numpy, index, recall = (
        at(document, "dense", threads, "all chunks", *path)
        for path in (("numpy", "median"), ("index", "median"), ("recall",))
    )
    if None in (numpy, index, recall):
        return Verdict(what, wanted, "not measured", None)
    holds = (recall >= EQUAL_RECALL and index <= 2 * numpy) or (recall >= ENOUGH_RECALL and index < numpy)
    return Verdict(what, wanted, f"{index:.1f} ms to {numpy:.1f} ms, recall {recall:.3f}", holds)


def growth(smaller: Document, larger: Document) -> list[Verdict]:
    """What a corpus costs beside a smaller one; limits are those of ten times the size."""

    def grown(what: str, limit: float | None, *path: str) -> Verdict:
        found = ratio(at(larger, *path), at(smaller, *path))
        if limit is None:
            return Verdict(what, "", "not measured" if found is None else f"{found:.2f} ×", None)
        return _most(what, found, limit, "×", below=True)

    evidence = ("asking", "evidence", "total without embedding")
    return [
        grown("chunks", None, "load", "counts", "chunks"),
        grown("triples", None, "bulk_load", "triples"),
        grown("question to evidence, median", 3, *evidence, "median"),
        grown("question to evidence, 95th percentile", 3, *evidence, "p95"),
        grown("resident memory after the questions", 6, "asking", "memory_after_evidence", "rss"),
        grown("anonymous memory after the questions", 6, "asking", "memory_after_evidence", "anonymous"),
        grown("dense search", None, "dense", "default", "all chunks", "index", "median"),
        grown("exact numpy", None, "dense", "default", "all chunks", "numpy", "median"),
        grown("whole answer, median", None, "asking", "answer", "total", "median"),
        grown("load", None, "load", "total"),
        grown("load without embedding", None, "load", "without_embedding"),
        grown("bare bulk_load", None, "bulk_load", "seconds"),
        grown("peak memory of the load", None, "load", "peak_mb"),
        grown("second load", None, "second_load", "total"),
        grown("memory of all processes of the service", 6, "start", "first", "pss_mb"),
        grown("first answer after the start", None, "start", "first", "first_answer"),
    ]


def neighbours(documents: Mapping[str, Document]) -> Iterator[tuple[str, str]]:
    """Each measured scale with the next larger one that was measured."""
    there = [scale for scale in ORDER if scale in documents]
    return pairwise(there)


def _most(what: str, measured: float | None, limit: float, unit: str, *, below: bool = False) -> Verdict:
    sign = "<" if below else "≤"
    if measured is None:
        return Verdict(what, f"{sign} {limit:g} {unit}", "not measured", None)
    return Verdict(
        what, f"{sign} {limit:g} {unit}", f"{measured:.2f} {unit}", measured < limit if below else measured <= limit
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
