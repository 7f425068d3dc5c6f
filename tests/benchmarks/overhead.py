"""What the service adds to a query: beside other servers of the same triples, and part by part.

    python -m tests.benchmarks overhead

Everything is measured in one run, in turns, so that whatever else the machine does befalls all alike: ratios
count, not times. rdflib-endpoint gets an environment of its own under `var`, from the package index.
"""

import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from pyoxigraph import QueryResultsFormat, Store
from rich.console import Console
from rich.table import Table

from service.corpus import DataDirectory
from service.graph import EmbeddedGraph
from service.queries.reading import read
from service.settings import Settings
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryAnswer, QueryLimits, QueryRequest
from service.web.app import create_app
from service.web.service_description import query_size
from tests.benchmarks.items import JSON, PROLOGUE, Items
from tests.benchmarks.serving import ROOT, free_port, listens, load, serving, wait_until

CORPUS: Final = Items(20_000)
ROUNDS: Final = 7
LAPS: Final = 60
"""Requests of one client, a round."""
CLIENTS: Final = 8
CLIENT_SECONDS: Final = 1.0
OURS, NATIVE, RDFLIB = "emiciclo", "oxigraph (native)", "rdflib-endpoint"
BARE, FLASK = "fixed reply, bare WSGI", "fixed reply, Flask"
RDFLIB_REQUIREMENTS: Final = ("rdflib-endpoint[cli]==0.6.3",)
QUERIES: Final = {
    "ASK {}": "ASK {}",
    "10 rows": f"{PROLOGUE}SELECT ?item ?label {{ ?item :label ?label }} LIMIT 10",
    "10 of a group, in order": (
        f"{PROLOGUE}SELECT ?item ?label {{ ?item :part group:7 ; :number ?number ; :label ?label }} "
        "ORDER BY ?number LIMIT 10"
    ),
    "100 rows": f"{PROLOGUE}SELECT ?item ?label {{ ?item :label ?label }} LIMIT 100",
    "1,000 rows": f"{PROLOGUE}SELECT ?item ?label {{ ?item :label ?label }} LIMIT 1000",
}
ROWS: Final = dict(zip(QUERIES, (0, 10, 10, 100, 1000), strict=True))
VARIANTS: Final = 200
"""Texts of one query that differ in a comment, so that no server can have an answer or a reading ready."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What was measured; milliseconds, and requests a second."""

    latency: dict[str, dict[str, float]]
    """Server to query to the median of one client."""
    throughput: dict[str, dict[str, float]]
    """Server to query to requests a second of eight clients."""
    parts: dict[str, dict[str, float]]
    """Query to part of the service to its median: the engine is in `worker`, reading in `application`."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server: where it listens, and the path of its endpoint."""

    port: int
    path: str

    def requests(self, query: str, mark: str) -> Iterator[bytes]:
        """Requests over a connection that is kept, without end; only those of one mark are ever the same."""
        head = f"Host: 127.0.0.1:{self.port}\r\nAccept: {JSON}\r\n\r\n"
        return cycle(
            f"GET {self.path}?{urlencode({'query': f'{query} # {mark} {number}'})} HTTP/1.1\r\n{head}".encode()
            for number in range(VARIANTS)
        )


class Caller:
    """The cheapest client that reads whole answers: one connection, no library."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), 60, source_address=(address, 0))
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __call__(self, request: bytes) -> bytes:
        """Send a request; return the head and the body as they came. Raises `RuntimeError` for any but status 200."""
        self._connection.sendall(request)
        answer = self._connection.recv(1 << 18)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._more()
        head = answer[:end].lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(answer[:500].decode("utf-8", "replace"))
        at = head.find(b"content-length: ")
        if at >= 0:
            whole = end + 4 + int(head[at + 16 :].split(b"\r\n", 1)[0])
            while len(answer) < whole:
                answer += self._more()
        else:
            while not answer.endswith(b"0\r\n\r\n"):
                answer += self._more()
        return answer

    def _more(self) -> bytes:
        part = self._connection.recv(1 << 18)
        if not part:
            raise ConnectionError("the server hung up")
        return part

    def close(self) -> None:
        self._connection.close()


def count(target: Target, query: str, mark: str, address: str, until: float) -> int:
    """How many answers one client gets until a moment of the monotonic clock."""
    caller, requests, answers = Caller(target.port, address), target.requests(query, mark), 0
    for _ in range(VARIANTS):
        next(requests)  # makes it
    while time.monotonic() < until:
        caller(next(requests))
        answers += 1
    caller.close()
    return answers


def run(console: Console) -> Overhead:
    """Measure all servers and all parts. Raises what their processes raise."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source, data = CORPUS.write(folder / "items.nt"), folder / "data"
        load(source, data)
        processes = stack.enter_context(ProcessPoolExecutor(CLIENTS, context))
        with ExitStack() as running:
            targets = {
                OURS: Target(running.enter_context(serving(data)).port, "/sparql"),
                NATIVE: Target(running.enter_context(_native(data)), "/query"),
                RDFLIB: Target(running.enter_context(_rdflib(source)), "/"),
                FLASK: Target(running.enter_context(_fixed("flask")), "/sparql"),
                BARE: Target(running.enter_context(_fixed("bare")), "/sparql"),
            }
            _verify(targets)
            latency, throughput = _measure(targets, processes, console)
        return Overhead(latency, throughput, _parts(data, console))


def _verify(targets: Mapping[str, Target]) -> None:
    """Raise `RuntimeError` where a server that is asked does not give as many rows as there are."""
    for name in (OURS, NATIVE, RDFLIB):
        caller = Caller(targets[name].port)
        for query, text in QUERIES.items():
            answer = caller(next(targets[name].requests(text, "first")))
            if answer.count(b"/item/") != ROWS[query]:
                raise RuntimeError(f"{name}: {answer.count(b'/item/')} rows for {query}")
        caller.close()


def _measure(
    targets: Mapping[str, Target], processes: ProcessPoolExecutor, console: Console
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    laps: dict[str, dict[str, list[float]]] = {name: {query: [] for query in QUERIES} for name in targets}
    rates: dict[str, dict[str, list[float]]] = {name: {query: [] for query in QUERIES} for name in targets}
    with console.status("") as status:
        for turn in range(ROUNDS + 1):
            for query, text in QUERIES.items():
                for name, target in targets.items():
                    status.update(f"round {turn} of {ROUNDS}: {query}, {name}")
                    lap = _laps(target, text, str(turn), 10 if name == RDFLIB else LAPS)
                    rate = _rate(target, text, str(turn), processes)
                    if turn:  # in the first round the clients start
                        laps[name][query] += lap
                        rates[name][query].append(rate)
    return _medians(laps, 3), _medians(rates, 0)


def _laps(target: Target, query: str, mark: str, number: int) -> list[float]:
    caller, requests = Caller(target.port), target.requests(query, mark)
    caller(next(requests))  # the first over a connection pays for it
    found = [_timed(lambda request=request: caller(request)) for request in islice(requests, number)]
    caller.close()
    return found


def _rate(target: Target, query: str, mark: str, processes: ProcessPoolExecutor) -> float:
    """Answers a second of all clients, each at an address of its own, as the service limits what one asks at once."""
    until = time.monotonic() + CLIENT_SECONDS
    addresses = [f"127.0.0.{2 + number}" for number in range(CLIENTS)]
    counting = [processes.submit(count, target, query, f"{mark} {address}", address, until) for address in addresses]
    return sum(future.result() for future in counting) / CLIENT_SECONDS


def _timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1000


def _medians(measured: Mapping[str, Mapping[str, list[float]]], digits: int) -> dict[str, dict[str, float]]:
    return {
        name: {query: round(statistics.median(values), digits) for query, values in of.items()}
        for name, of in measured.items()
    }


# The others.


@contextmanager
def _process(command: list[str], port: int) -> Iterator[int]:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            wait_until(lambda: process.poll() is not None or listens(port), command[0], 120)
            if process.poll() is not None:
                errors.seek(0)
                raise RuntimeError(f"{command[0]} ended: {errors.read().decode('utf-8', 'replace')[-2000:]}")
            yield port
        finally:
            process.terminate()
            process.wait()


@contextmanager
def _native(data: Path) -> Iterator[int]:
    graph, port = DataDirectory(data).published() / "graph", free_port()
    binary = str(Path(sys.executable).with_name("oxigraph"))
    bind = ["--bind", f"127.0.0.1:{port}", "--union-default-graph"]
    with _process([binary, "serve-read-only", "--location", str(graph), *bind], port):
        yield port


@contextmanager
def _fixed(kind: str) -> Iterator[int]:
    port = free_port()
    with _process([sys.executable, "-m", "tests.benchmarks.floor", kind, str(port)], port):
        yield port


@contextmanager
def _rdflib(source: Path) -> Iterator[int]:
    port = free_port()
    program = str(_rdflib_environment() / "bin" / "rdflib-endpoint")
    with _process([program, "serve", "--host", "127.0.0.1", "--port", str(port), str(source)], port):
        yield port


def _rdflib_environment() -> Path:
    folder = ROOT / "var" / "rdflib-endpoint"
    if not (folder / "installed").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", *RDFLIB_REQUIREMENTS]
        subprocess.run(install, check=True, capture_output=True)
        (folder / "installed").touch()
    return folder


# Where our own time goes.


class _Prepared:
    """A query runner that has the answer already."""

    limits = QueryLimits(1, 1, 1, 1)
    version = "prepared"

    def __init__(self) -> None:
        self.body = b""

    def graphs(self) -> tuple[str, ...]:
        return ()

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        return QueryAnswer(BytesIO(self.body), len(self.body), request.media_type, 0.0, "")

    def close(self) -> None: ...


def _parts(data: Path, console: Console) -> dict[str, dict[str, float]]:
    """Reading the query, the engine, the way to the worker and back, and the application, each by itself."""
    version, settings = DataDirectory(data).published(), Settings()
    limits, size = settings.sparql, query_size(settings.sparql)
    store, prepared = Store.read_only(str(version / "graph")), _Prepared()
    app = create_app(data, settings, EmbeddedGraph(store), prepared)
    pool = QueryPool(
        lambda: Snapshot(version / "graph", version.name),
        QueryLimits(limits.seconds, limits.rows, limits.bytes, limits.memory_mb),
        PoolSize(1, 1, 1, limits.wait_seconds),
    )

    def evaluate(text: str) -> bytes:
        found = store.query(text, use_default_graph_as_union=True)
        body = found.serialize(format=QueryResultsFormat.JSON)  # type: ignore[union-attr]
        return body or b""

    def through_worker(text: str) -> None:
        with pool.run(QueryRequest(text, True, JSON), "bench").body as body:
            body.read()

    def application(text: str) -> None:
        body = app.wsgi_app(_environ(text), lambda *_: None)
        b"".join(body)
        getattr(body, "close", lambda: None)()

    laps: dict[str, dict[str, list[float]]] = {}
    try:
        for turn in range(ROUNDS):
            for query, text in QUERIES.items():
                prepared.body = evaluate(text)
                found = laps.setdefault(query, {})
                for part, call in {
                    "reading": lambda text: read(text, size),
                    "engine": evaluate,
                    "worker": through_worker,
                    "application": application,
                }.items():
                    texts = [f"{text} # {part} {turn} {number}" for number in range(LAPS)]
                    found.setdefault(part, []).extend(_timed(lambda text=text: call(text)) for text in texts)  # noqa: B023
    finally:
        pool.close()
    return _medians(laps, 3)


def _environ(query: str) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "GET", "PATH_INFO": "/sparql", "QUERY_STRING": urlencode({"query": query}), "SCRIPT_NAME": "",
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "127.0.0.1",
        "HTTP_ACCEPT": JSON, "REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http", "wsgi.input": BytesIO(),
    }  # fmt: skip


# The report.


def shares(found: Overhead, query: str) -> dict[str, float]:
    """The parts of the time of one query, each without what lies in another, and what is left."""
    own, bare = found.parts[query], found.latency[BARE][query]
    flask = found.latency[FLASK][query] - bare
    parts = {
        "web server, client": bare,
        "Flask": flask,
        "application": own["application"] - own["reading"] - flask,
        "reading": own["reading"],
        "worker": own["worker"] - own["engine"],
        "engine": own["engine"],
    }
    measured = found.latency[OURS][query]
    return parts | {"rest": measured - sum(parts.values()), "measured": measured}


def show(found: Overhead, console: Console) -> None:
    """Print what was measured, and how it stands to what was wanted."""
    console.print(_table("one client: median (ms)", list(QUERIES), found.latency, ".2f"))
    console.print(_table("eight clients: answers a second", list(QUERIES), found.throughput, ",.0f"))
    ratios = {
        "time of the native server (wanted: 2 at most)": {
            query: found.latency[OURS][query] / found.latency[NATIVE][query] for query in QUERIES
        },
        "throughput of rdflib-endpoint (wanted: 3 at least)": {
            query: found.throughput[OURS][query] / found.throughput[RDFLIB][query] for query in QUERIES
        },
    }
    console.print(_table("ours, in times the …", list(QUERIES), ratios, ".2f"))
    parts = {query: shares(found, query) for query in QUERIES}
    console.print(_table("where our time goes, one client (ms)", list(parts["ASK {}"]), parts, ".2f"))


def _table(title: str, columns: list[str], rows: Mapping[str, Mapping[str, float]], form: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in ("", *columns):
        table.add_column(column, justify="right" if column else "left")
    for name, values in rows.items():
        table.add_row(name, *(format(values[column], form) for column in columns))
    return table


def main(target: Path = ROOT / "var" / "overhead.json") -> None:
    """Measure, print and write down."""
    console = Console(width=140)
    found = run(console)
    show(found, console)
    document = asdict(found) | {"shares": {query: shares(found, query) for query in QUERIES}}
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(document, indent=2), encoding="utf-8")
    console.print(f"Written to {target}.")
