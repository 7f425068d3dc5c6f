"""Writes a generated corpus to a folder, file by file in several processes; the bytes do not depend on how many."""

import gzip
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Final

from tests.benchmarks.generator import plan as planning
from tests.benchmarks.generator import register, reports
from tests.benchmarks.generator.people import GROUPS, SPEAKING
from tests.benchmarks.generator.plan import Plan
from tests.benchmarks.generator.scale import SPEAKING_DEPUTIES, Scale, Written

REGISTER: Final = "ocd"
TRANSCRIPTS: Final = "stenographic"
_COMPRESSION: Final = 5
_SITTINGS_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """Counts of one file, and who spoke in it."""

    counts: Written
    speakers: frozenset[int] = frozenset()


def write(scale: Scale, folder: Path, seed: int = 1, *, processes: int | None = None) -> Written:
    """Write a corpus to `folder`, whose former sources are removed. `processes` is by default one a processor.

    The same scale and seed give the same bytes, with whatever number of processes.
    """
    for name in (REGISTER, TRANSCRIPTS):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    files = -(-scale.acts // register.ACTS_A_FILE)
    jobs = [("people", 0), *(("acts", n) for n in range(files)), *(("sitting", n) for n in range(scale.sittings))]
    tasks = [(scale, seed, folder, kind, number) for kind, number in jobs]
    total, speakers = Written(), set[int]()
    with _mapped(processes or os.cpu_count() or 1, len(tasks)) as run:
        for part in run(_write, tasks):
            total = _sum(total, part.counts)
            speakers |= part.speakers
    people = _plan(scale, seed).parliament
    return replace(
        total,
        deputies_speaking=sum(n < SPEAKING_DEPUTIES for n in speakers),
        government_speaking=sum(SPEAKING_DEPUTIES <= n < SPEAKING for n in speakers),
        groups=len(GROUPS),
        committees=len(people.committees),
    )


def another_sitting(scale: Scale, folder: Path, seed: int = 1) -> Path:
    """Add one sitting, a day later than the last, to a written corpus; returns its file."""
    made = _plan(scale, seed)
    number = max(int(path.stem[-4:]) for path in (folder / TRANSCRIPTS).glob("*.xml")) + 1
    day = made.days[-1] + timedelta(days=number - scale.sittings)
    report = reports.further_sitting(made, number, day)
    path = folder / TRANSCRIPTS / report.name
    path.write_text(report.xml, encoding="utf-8")
    return path


_Task = tuple[Scale, int, Path, str, int]
_Run = Callable[[Callable[[_Task], _Part], Iterable[_Task]], Iterable[_Part]]


@contextmanager
def _mapped(processes: int, tasks: int) -> Iterator[_Run]:
    """A `map` over processes, or in this one if one is enough."""
    if processes == 1 or tasks < processes:
        yield map
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda work, todo: pool.map(work, todo, chunksize=min(_SITTINGS_AT_ONCE, -(-tasks // processes)))


@cache
def _plan(scale: Scale, seed: int) -> Plan:
    """The plan, made once in each process for each scale and seed that it writes."""
    return planning.make(scale, seed)


def _write(task: _Task) -> _Part:
    """Write one file."""
    scale, seed, folder, kind, number = task
    made = _plan(scale, seed)
    if kind == "sitting":
        report = reports.sitting(made, number)
        content = report.xml.encode()
        (folder / TRANSCRIPTS / report.name).write_bytes(content)
        return _Part(
            Written(
                sittings=1,
                debates=report.debates,
                phases=report.phases,
                speeches=report.speeches,
                chair_turns=report.chair_turns,
                chunks=report.chunks,
                transcript_bytes=len(content),
            ),
            report.speakers,
        )
    quads = register.people(made.parliament) if kind == "people" else register.acts(made, number)
    name = "people.nq.gz" if kind == "people" else f"acts-{number:04d}.nq.gz"
    packed = gzip.compress(quads.nquads.encode(), _COMPRESSION, mtime=0)
    (folder / REGISTER / name).write_bytes(packed)
    return _Part(
        Written(
            group_memberships=quads.group_memberships,
            committee_memberships=quads.committee_memberships,
            acts=quads.acts,
            first_signatures=quads.first_signatures,
            further_signatures=quads.further_signatures,
            quads=quads.quads,
            register_bytes=len(packed),
        )
    )


def _sum(one: Written, other: Written) -> Written:
    return Written(*(getattr(one, name) + getattr(other, name) for name in Written.__dataclass_fields__))
