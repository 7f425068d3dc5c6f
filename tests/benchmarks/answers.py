"""Clients that ask at once: whether any fails, whether the queue tells the truth, and how long everything takes.

The service runs as it does for people, over a copy of a data directory; each client has an address of its own.
"""

import json
import shutil
import statistics
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from rich.console import Console
from rich.table import Table

from tests.benchmarks.serving import ROOT, Service, alive, holding, serving, wait_until

QUESTIONS: Final = (
    "la legge di bilancio", "il femminicidio", "i lavoratori stranieri", "il ponte sullo Stretto di Messina",
    "il voto dei cittadini fuori sede", "le carceri", "la sanità pubblica", "l'energia nucleare",
    "la separazione delle carriere", "il salario minimo", "la scuola e gli insegnanti", "il trasporto ferroviario",
    "la guerra in Ucraina", "la striscia di Gaza", "le spese militari", "i dazi degli Stati Uniti",
    "l'intelligenza artificiale", "le liste d'attesa", "la giustizia minorile", "l'agricoltura e la pesca",
    "il turismo", "l'evasione fiscale", "la casa e gli affitti", "le aree interne", "la sicurezza sul lavoro",
    "la cittadinanza", "l'autonomia differenziata", "le pensioni", "l'Ilva di Taranto", "il cambiamento climatico",
    "lo sport", "le università",
)  # fmt: skip
SAMPLE_SECONDS: Final = 0.25
SLACK_SECONDS: Final = 0.3
"""How far apart clients may hear of one moment."""


@dataclass(slots=True)
class Asked:
    """One question as its client saw it; times in seconds of one clock."""

    question: str
    put: float
    places: list[tuple[float, int, int]] = field(default_factory=list)
    """(when, position, ahead) as told."""
    begun: float | None = None
    ended: float | None = None
    end: str = "no end"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured. Memory in MB, times in seconds."""

    data: str
    clients: int
    questions: int
    failures: list[str]
    places_told: int
    places_true: int
    furthest_from_true: int
    seconds: float
    to_answer_median: float
    to_answer_p95: float
    work_median: float
    work_p95: float
    read_median_ms: float
    peak_rss: float
    peak_pss: float
    idle_pss: float
    processes: int


class Memory:
    """Watches what the processes of a service hold."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._over = threading.Event()
        self.rss = self.pss = 0.0
        self.processes = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            pids = self._service.tree()
            held = holding(pids)
            self.pss = max(self.pss, held.megabytes)
            self.rss = max(self.rss, sum(map(_resident, pids)))
            self.processes = max(self.processes, held.processes)


def _resident(pid: int) -> float:
    """Megabytes of a process, memory that it shares counted whole."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1024
    return 0.0


def ask(address: str, number: int, questions: list[str]) -> tuple[list[Asked], list[float]]:
    """One client: puts its questions one after the other, follows each to its end, and reads the answer."""
    asked, read = [], []
    transport = httpx.HTTPTransport(local_address=f"127.0.0.{number + 2}")
    with httpx.Client(transport=transport, timeout=120, base_url=address) as client:
        for question in questions:
            one = Asked(question, time.monotonic())
            asked.append(one)
            try:
                place = _put(client, one)
                if place:
                    _follow(client, place, one)
                    begin = time.monotonic()
                    answer = client.get(place)
                    read.append(time.monotonic() - begin)
                    if answer.status_code != 200 or not answer.json()["sections"]:
                        one.end, one.detail = f"read {answer.status_code}", answer.text[:200]
            except Exception as error:  # whatever it is, it is told as this question's end
                one.end, one.detail = type(error).__name__, str(error)
    return asked, read


def _put(client: httpx.Client, one: Asked) -> str | None:
    taken = client.post("/answers", json={"question": one.question, "fresh": True})
    if taken.status_code != 202:
        one.end, one.detail = f"refused {taken.status_code}", taken.text[:200]
        return None
    document = taken.json()
    one.places.append((time.monotonic(), document["position"], document["ahead"]))
    return str(taken.headers["Location"])


def _follow(client: httpx.Client, place: str, one: Asked) -> None:
    """Read the stream of events; it is taken up again where it ends early."""
    last = 0
    while one.ended is None:
        with client.stream("GET", f"{place}/events", headers={"Last-Event-ID": str(last)} if last else {}) as stream:
            if stream.status_code != 200:
                one.end = f"events {stream.status_code}"
                return
            name = ""
            for line in stream.iter_lines():
                key, _, value = line.partition(": ")
                if key == "id":
                    last = int(value)
                elif key == "event":
                    name = value
                elif key == "data":
                    _note(one, name, json.loads(value))


def _note(one: Asked, name: str, data: dict[str, Any]) -> None:
    now = time.monotonic()
    if name == "queued" and data["position"]:
        one.places.append((now, data["position"], data["ahead"]))
    elif name in ("queued", "stage"):
        one.begun = one.begun or now
    else:
        one.ended, one.end, one.detail = now, name, data.get("detail", "")


def true_ahead(one: Asked, at: float, everybody: list[Asked]) -> tuple[int, int]:
    """How many questions were to be begun, or were under way, before this one at that time: at least, and at most.

    Clients hear of the same moment a little apart, so that what happened just then counts either way.
    """
    before = [o for o in everybody if o is not one and o.begun and one.begun and o.begun < one.begun + SLACK_SECONDS]
    sure = [o for o in before if o.begun and one.begun and o.begun < one.begun - SLACK_SECONDS]

    def held(others: list[Asked], slack: float) -> int:
        return sum(1 for o in others if o.put < at - slack and (o.ended is None or o.ended > at + slack))

    return held(sure, SLACK_SECONDS), held(before, -SLACK_SECONDS)


def _away(one: Asked, at: float, ahead: int, everybody: list[Asked]) -> int:
    least, most = true_ahead(one, at, everybody)
    return max(least - ahead, ahead - most, 0)


def run(data: Path, clients: int, rounds: int) -> Load:
    """Serve a copy of a data directory and ask it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "data"
        shutil.copytree(data, copy, symlinks=True, ignore=shutil.ignore_patterns("jobs", "cache"))
        with serving(copy) as service:
            address = f"http://127.0.0.1:{service.port}"
            wait_until(lambda: httpx.get(f"{address}/health", timeout=20).is_success, "the service to be ready")
            ask(address, 100, ["il primo che chiede"])  # opens the engine
            idle = holding(service.tree()).megabytes
            begin = time.monotonic()
            with Memory(service) as memory, ThreadPoolExecutor(clients) as pool:
                mine = [[QUESTIONS[(n + k * clients) % len(QUESTIONS)] for k in range(rounds)] for n in range(clients)]
                results = list(pool.map(lambda n: ask(address, n, mine[n]), range(clients)))
            seconds = time.monotonic() - begin
            assert alive(service.process.pid)
    everybody = [one for asked, _ in results for one in asked]
    return _measured(data, clients, everybody, [t for _, read in results for t in read], seconds, memory, idle)


def _measured(
    data: Path, clients: int, everybody: list[Asked], read: list[float], seconds: float, memory: Memory, idle: float
) -> Load:
    away = [_away(one, at, ahead, everybody) for one in everybody if one.begun for at, _, ahead in one.places]
    whole = [one.ended - one.put for one in everybody if one.ended and one.end == "done"]
    work = [one.ended - one.begun for one in everybody if one.ended and one.begun and one.end == "done"]
    return Load(
        data=data.name,
        clients=clients,
        questions=len(everybody),
        failures=[f"{one.question}: {one.end} {one.detail}".strip() for one in everybody if one.end != "done"],
        places_told=len(away),
        places_true=away.count(0),
        furthest_from_true=max(away, default=0),
        seconds=round(seconds, 1),
        to_answer_median=_median(whole),
        to_answer_p95=_p95(whole),
        work_median=_median(work),
        work_p95=_p95(work),
        read_median_ms=round(1000 * _median(read), 1),
        peak_rss=round(memory.rss, 1),
        peak_pss=memory.pss,
        idle_pss=idle,
        processes=memory.processes,
    )


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 3) if values else 0.0


def _p95(values: list[float]) -> float:
    return round(sorted(values)[int(0.95 * (len(values) - 1))], 3) if values else 0.0


def main(data: Path, clients: int, rounds: int) -> Load:
    """Measure, print it and write it down."""
    load = run(data, clients, rounds)
    table = Table(title=f"{clients} clients at once on {load.data}", title_justify="left")
    table.add_column("what")
    table.add_column("measured", justify="right")
    for name, value in asdict(load).items():
        table.add_row(name.replace("_", " "), "\n".join(value) or "none" if isinstance(value, list) else str(value))
    console = Console(width=100)
    console.print(table)
    target = ROOT / "var" / "answers.json"
    target.write_text(json.dumps(asdict(load), indent=2, ensure_ascii=False), encoding="utf-8")
    console.print(f"Written to {target}.")
    return load
