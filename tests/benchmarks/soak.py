"""A soak of the SPARQL service: sixteen clients, good and bad, at once.

    python -m tests.benchmarks soak --seconds 600

Every answer is compared with the one that arithmetic gives; every refusal must be one of those that
the service states. Besides: how long quick queries take beside everything else, what the processes
hold afterwards, and whether any process outlives the service. Linux only: it reads /proc.
"""

import json
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from service.settings import SparqlSettings
from tests.benchmarks import clients
from tests.benchmarks.clients import Client, Log, play
from tests.benchmarks.items import Items
from tests.benchmarks.serving import ROOT, Holding, Service, alive, holding, load, serving, wait_until

CORPUS: Final = Items(20_000)
LIMITS: Final = SparqlSettings()
QUERY_WORKERS: Final = LIMITS.workers + LIMITS.page_workers
QUIET: Final = 2 + QUERY_WORKERS
"""Processes of a service that nobody uses: the first, its server, and the query workers."""
SAMPLES: Final = 120
LONGEST_ACT: Final = 60.0
"""Seconds that a client may take to end what it has begun."""
SETTLE_SECONDS: Final = 90.0
MORE_MEMORY: Final = 1.15
"""Times what the service held before that it may hold after, and …"""
MORE_MEGABYTES: Final = 24
"""… megabytes besides: threads and connections are given back at leisure."""
GONE_SECONDS: Final = 20.0


def _at(role: str, *last: int) -> tuple[Client, ...]:
    return tuple(Client(role, f"127.0.0.{number}") for number in last)


CAST: Final = (
    *_at("quick", 2, 3, 4, 5, 6),
    *_at("heavy", 7, 8),
    *_at("hostile", 9, 10),
    *_at("broken", 11, 12),
    *_at("slow", 13, 14),
    # Three who are told apart by nothing: they share an address.
    *(Client(role, "127.0.0.15") for role in ("quick", "heavy", "hostile")),
)
SHARED: Final = "127.0.0.15"


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of quick queries that were answered."""

    count: int
    median: float
    p95: float
    longest: float

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> "Latency":
        ordered = sorted(milliseconds)
        if not ordered:
            return cls(0, 0, 0, 0)
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        return cls(len(ordered), *(round(value, 2) for value in (statistics.median(ordered), p95, ordered[-1])))


@dataclass(frozen=True, slots=True)
class End:
    """What became of the processes after a signal to the first of them."""

    signal: str
    seconds: float
    """Until the last of them was gone, or the patience ended."""
    left: int


@dataclass(frozen=True, slots=True)
class Soak:
    """What a soak found."""

    seconds: float
    outcomes: dict[str, dict[str, int]]
    """Act to outcome to number."""
    wrong: list[str]
    idle: Latency
    """One quick client alone, before …"""
    loaded: Latency
    """… the quick clients with an address of their own beside all others …"""
    idle_after: Latency
    """… and one alone afterwards."""
    refused: int
    """Quick queries of these clients that were refused."""
    before: Holding
    peak: Holding
    """The most of each figure, not at one moment."""
    after: Holding
    settled_seconds: float
    megabytes: list[float]
    """Held from time to time meanwhile."""
    ends: tuple[End, ...]

    @property
    def ratio(self) -> float:
        """The median under load, in medians of the idle service."""
        return round(self.loaded.median / self.idle.median, 2)

    @property
    def faults(self) -> list[str]:
        """What must not be, times aside: those depend on the machine."""
        faults = list(self.wrong)
        if not back(self.before, self.after):
            faults.append(f"the service holds {self.after} after the soak; before: {self.before}")
        faults += [f"{end.left} processes outlive {end.signal}" for end in self.ends if end.left]
        return faults


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where clients play: a service that runs."""

    service: Service
    seed: int

    def play(self, cast: Sequence[Client], seconds: float) -> tuple[list[Log], list[Holding]]:
        """Play so long, each client in a process of its own.

        Return what the clients saw, and what the service held from time to time. Raises `RuntimeError`
        if a client does not come back.
        """
        context = get_context("forkserver")
        context.set_forkserver_preload([clients.__name__])
        until = time.monotonic() + seconds
        playing: dict[Connection, tuple[Client, BaseProcess]] = {}
        for number, client in enumerate(cast):
            ours, theirs = context.Pipe(duplex=False)
            arguments = (theirs, client, self.service.port, CORPUS, until, self.seed + number)
            process = context.Process(target=play, args=arguments, daemon=True)
            process.start()
            theirs.close()
            playing[ours] = client, process
        logs: list[Log] = []
        held = [holding(self.service.tree())]
        while playing and time.monotonic() < until + LONGEST_ACT:
            for ours in wait(list(playing), max(1.0, seconds / SAMPLES)):
                client, process = playing.pop(ours)
                try:
                    logs.append(ours.recv())
                except EOFError as error:
                    process.join(1)
                    raise RuntimeError(f"{client} ended with status {process.exitcode}") from error
            held.append(holding(self.service.tree()))
        if playing:
            raise RuntimeError(f"not back after {LONGEST_ACT:g} s: {[client for client, _ in playing.values()]}")
        return logs, held

    def settle(self, before: Holding) -> Holding:
        """What the service holds once that is what it held before, or when patience ends."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while not back(before, found := holding(self.service.tree())) and time.monotonic() < deadline:
            time.sleep(0.5)
        return found

    def end(self, number: signal.Signals) -> End:
        """Send a signal to the service while it is at work in every way, and see whether anything is left."""
        with ExitStack() as connections:
            for connection in clients.begin_much(self.service.port, CORPUS):
                connections.enter_context(connection)
            # Long queries take their workers along, and others take those ones' places.
            wait_until(lambda: len(self.service.tree()) >= QUIET + LIMITS.long_queries_per_client, "long queries")
            pids = self.service.tree()
            begin = time.monotonic()
            self.service.process.send_signal(number)
            while any(map(alive, pids)) and time.monotonic() < begin + GONE_SECONDS:
                self.service.process.poll()
                time.sleep(0.05)
            return End(number.name, round(time.monotonic() - begin, 1), sum(map(alive, pids)))


def run(seconds: float, settings: dict[str, str] | None = None, seed: int = 0) -> Soak:
    """Soak a service of its own for so many seconds. Raises what `serving` raises."""
    idle_seconds = min(20.0, seconds / 4)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        load(CORPUS.write(Path(folder) / "items.nt"), data)
        with serving(data, settings) as service:
            stage = _Stage(service, seed)
            # Once before, so that what a service keeps for good is there already: threads' memory, queries it has read.
            stage.play(CAST, min(60.0, seconds / 4))
            wait_until(lambda: len(service.tree()) == QUIET, "the service to be alone with its query workers")
            (idle,), held = stage.play([_alone("quick")], idle_seconds)
            before = held[-1]
            logs, during = stage.play(CAST, seconds)
            begin = time.monotonic()
            after = stage.settle(before)
            settled = time.monotonic() - begin
            (idle_after,), _ = stage.play([_alone("quick")], idle_seconds)
            ends = [stage.end(signal.SIGTERM)]
        with serving(data, settings) as service:
            ends.append(_Stage(service, seed).end(signal.SIGKILL))
    undisturbed = [log for log in logs if log.client.role == "quick" and log.client.address != SHARED]
    return Soak(
        seconds=seconds,
        outcomes=_outcomes(logs),
        wrong=[complaint for log in (*logs, idle, idle_after) for complaint in log.wrong],
        idle=Latency.of(idle.milliseconds),
        loaded=Latency.of([lap for log in undisturbed for lap in log.milliseconds]),
        idle_after=Latency.of(idle_after.milliseconds),
        refused=sum(n for log in undisturbed for (_, outcome), n in log.outcomes.items() if outcome != "200"),
        before=before,
        peak=Holding(**{name: max(getattr(held, name) for held in during) for name in Holding.__slots__}),
        after=after,
        settled_seconds=round(settled, 1),
        megabytes=[held.megabytes for held in during],
        ends=tuple(ends),
    )


def back(before: Holding, after: Holding) -> bool:
    """Whether a service holds what it held: as many processes, all its query workers, little more memory."""
    return (
        after.query_workers == QUERY_WORKERS
        and after.processes <= before.processes
        and after.megabytes <= before.megabytes * MORE_MEMORY + MORE_MEGABYTES
    )


def _alone(role: str) -> Client:
    return Client(role, "127.0.0.1")


def _outcomes(logs: Sequence[Log]) -> dict[str, dict[str, int]]:
    total: Counter[tuple[str, str]] = Counter()
    for log in logs:
        shared = " (shared address)" if log.client.address == SHARED and log.client.role != "hostile" else ""
        total.update({(act + shared, outcome): number for (act, outcome), number in log.outcomes.items()})
    found: dict[str, dict[str, int]] = {}
    for (act, outcome), number in sorted(total.items()):
        found.setdefault(act, {})[outcome] = number
    return found


def show(soak: Soak, console: Console) -> None:
    """Print what a soak found."""
    acts = Table(title=f"{len(CAST)} clients, {soak.seconds:g} s", title_justify="left")
    acts.add_column("what they did")
    acts.add_column("and how it ended")
    for act, outcomes in soak.outcomes.items():
        acts.add_row(act, ", ".join(f"{outcome}: {number}" for outcome, number in outcomes.items()))
    console.print(acts)
    quick = Table(title="quick queries (ms)", title_justify="left")
    for column in ("", "answered", "median", "p95", "longest"):
        quick.add_column(column, justify="right" if column else "left")
    for name, found in {"idle": soak.idle, "beside the others": soak.loaded, "idle again": soak.idle_after}.items():
        quick.add_row(name, str(found.count), f"{found.median:.2f}", f"{found.p95:.2f}", f"{found.longest:.1f}")
    console.print(quick)
    console.print(f"Median beside the others: {soak.ratio:g} times idle (wanted: 3 at most); refused: {soak.refused}.")
    held = Table(title="the service's processes", title_justify="left")
    for column in ("", "MB (PSS)", "processes", "query workers", "threads", "descriptors"):
        held.add_column(column, justify="right" if column else "left")
    for moment in ("before", "peak", "after"):
        held.add_row(moment, *(f"{value:g}" for value in asdict(getattr(soak, moment)).values()))
    console.print(held)
    console.print(f"Settled after {soak.settled_seconds:g} s; configured: {QUERY_WORKERS} query workers.")
    for end in soak.ends:
        console.print(f"{end.signal}: {end.left} processes left after {end.seconds:g} s.")
    for fault in soak.faults:
        console.print(f"[bold red]Fault:[/] {fault}", markup=True, highlight=False)
    if not soak.faults:
        console.print("No faults.")


def main(seconds: float = 600.0, target: Path = ROOT / "var" / "soak.json") -> int:
    """Soak, print what was found and write it down; the number of faults."""
    console = Console(width=140)
    found = run(seconds)
    show(found, console)
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(asdict(found) | {"ratio": found.ratio, "faults": found.faults}, indent=2), "utf-8")
    console.print(f"Written to {target}.")
    return len(found.faults)
