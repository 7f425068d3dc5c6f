"""Clients of the soak: quick, heavy, hostile, broken and slow ones; each judges every answer it gets."""

import json
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from multiprocessing.connection import Connection
from typing import Final
from urllib.parse import urlencode

from tests.benchmarks.items import CSV, GROUPS, JSON, PROLOGUE, Items, Question, is_true

PATIENCE: Final = 30.0
"""Seconds that a client waits for the next bytes."""
THOUGHT: Final = (0.01, 0.05)
"""Seconds between two quick queries of one client."""
SLOW_READ: Final = (4096, 0.25)
"""Bytes, and seconds between them: 16 kB/s."""
HALF_REQUESTS: Final = 40
IDLE_CONNECTIONS: Final = 100
"""More than the service has threads."""
TRIPLETS: Final = (20, 80)
"""First members of the triplets that a heavy query counts."""
BUSY: Final = frozenset({"429 queries_per_client", "429 long_queries_per_client", "503 long_queries", "503 workers"})
"""Refusals that a client gets for what it and others do at the same time."""
ALL_TRIPLES: Final = "?a ?b ?c . ?d ?e ?f"


@dataclass(frozen=True, slots=True)
class Client:
    """One client, at an address of the loopback range."""

    role: str
    address: str


@dataclass(slots=True)
class Log:
    """What one client saw."""

    client: Client
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often an act ended in which way: a status with the limit it names, or what became of the connection."""
    milliseconds: list[float] = field(default_factory=list)
    """Of each quick query that was answered."""
    wrong: list[str] = field(default_factory=list)
    """What should not have happened."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A query that nobody should send, and how it may end."""

    name: str
    query: str
    ends: frozenset[str]
    accept: str = CSV
    right: Callable[[bytes], bool] = lambda _: False


STOPPED: Final = BUSY | {"503 seconds", "503 memory_mb"}
HOSTILE: Final = (
    Hostile("cross product", f"SELECT (COUNT(*) AS ?n) {{ {ALL_TRIPLES} . ?g ?h ?i }}", STOPPED),
    Hostile("endless path", f"{PROLOGUE}SELECT (COUNT(*) AS ?n) {{ ?a :next* ?b }}", STOPPED),
    Hostile("endless rows", f"SELECT * {{ {ALL_TRIPLES} }}", STOPPED | {"413 result_bytes", "413 result_rows"}),
    Hostile("sorting", f"SELECT * {{ {ALL_TRIPLES} }} ORDER BY ?f ?c", STOPPED),
    Hostile("a long string", f"SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?f))) AS ?s) {{ {ALL_TRIPLES} }}", STOPPED),
    Hostile("nested groups", "SELECT * " + "{" * 3000 + "}" * 3000, frozenset({"400 query_depth"})),
    Hostile("negations", f"ASK {{ FILTER({'!' * 1900}true) }}", STOPPED | {"200"}, JSON, is_true),
    Hostile("many operators", f"ASK {{ FILTER({'!' * 20_000}true) }}", frozenset({"400 query_operators"})),
    Hostile("a long text", f"ASK {{}} # {'x' * 600_000}", frozenset({"413 query_characters"})),
    Hostile("update", "DROP ALL", frozenset({"400"})),
    Hostile("service", "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", frozenset({"400", "403"})),
    Hostile("not closed", "SELECT * { ?s ?p", frozenset({"400"})),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    response: HTTPResponse
    body: bytes

    @property
    def outcome(self) -> str:
        """The status, and the limit that a refusal names."""
        limit = self._problem().get("limit") if self.response.status != 200 else None
        return f"{self.response.status} {limit}" if limit else str(self.response.status)

    def complaint(self) -> str | None:
        """What a refusal lacks of what every refusal has."""
        status, problem = self.response.status, self._problem()
        if self.response.headers.get_content_type() != "application/problem+json" or problem.get("status") != status:
            return f"status {status} without a problem document"
        if status in (429, 503) and not self.response.headers.get("Retry-After"):
            return f"status {status} without Retry-After"
        return None

    def _problem(self) -> dict[str, object]:
        with suppress(ValueError):
            document = json.loads(self.body)
            return document if isinstance(document, dict) else {}
        return {}


class Player:
    """One client at work until a moment of the monotonic clock."""

    def __init__(self, client: Client, port: int, items: Items, until: float, seed: int) -> None:
        self._client = client
        self._port = port
        self._items = items
        self._until = until
        self._random = random.Random(seed)
        self._connection: socket.socket | None = None
        self.log = Log(client)

    def play(self) -> Log:
        """Do what the role does, over and over."""
        acts = {
            "quick": [self._quick],
            "heavy": [self._heavy],
            "hostile": [self._hostile],
            "broken": [
                self._half_requests,
                self._silence,
                self._garbage,
                self._gone_while_asking,
                self._gone_while_reading,
            ],
            "slow": [self._slow_reader, self._slow_request, self._slow_body],
        }[self._client.role]
        while time.monotonic() < self._until:
            act = self._random.choice(acts)
            try:
                act()
            except (OSError, HTTPException, ValueError) as error:
                self._close()
                self.log.outcomes[self._client.role, "broken off"] += 1
                self._wrong(f"{act.__name__.strip('_')}: {type(error).__name__} {error}")
        self._close()
        return self.log

    # Those who ask as they should.

    def _quick(self) -> None:
        items, number = self._items, self._random.randrange(self._items.count)
        question = self._random.choice(
            [
                items.next_to(number),
                items.label_of(number),
                items.further(number, 3),
                items.members(number % GROUPS),
                items.page(number % GROUPS, 10),
                items.described(number),
            ]
        )
        if self._connection is None:
            self._connection = self._connect()
        begin = time.perf_counter()
        self._connection.sendall(request(question.query, question.accept))
        reply = _reply(self._connection)
        took = (time.perf_counter() - begin) * 1000
        if reply.response.will_close:
            self._close()
        if self._judge("quick", reply, question, BUSY) and reply.response.status == 200:
            self.log.milliseconds.append(took)
        self._pause(*THOUGHT)

    def _heavy(self) -> None:
        question = self._items.triplets(self._random.randint(*TRIPLETS))
        reply = self._ask(question.query, question.accept)
        self._judge("heavy", reply, question, BUSY | {"503 seconds"})
        if reply.response.status != 200:
            self._pause(0.5, 1.0)

    def _hostile(self) -> None:
        chosen = self._random.choice(HOSTILE)
        reply = self._ask(chosen.query, chosen.accept, post=len(chosen.query) > 5000)
        self._judge(chosen.name, reply, Question(chosen.query, chosen.accept, chosen.right), chosen.ends)

    # Those whose connections end before they should.

    def _half_requests(self) -> None:
        """Many requests at once whose bodies never end."""
        halves = [self._connect() for _ in range(HALF_REQUESTS)]
        for half in halves:
            half.sendall(request("ASK {}", JSON, post=True)[:-3])
        self._pause(1, 3)
        for half in halves:
            _reset(half)
        self.log.outcomes["half a request", "reset by us"] += HALF_REQUESTS

    def _silence(self) -> None:
        """Many connections over which nothing is said."""
        silent = [self._connect() for _ in range(IDLE_CONNECTIONS)]
        self._pause(0.5, 3)
        for connection in silent:
            _reset(connection)
        self.log.outcomes["silence", "reset by us"] += IDLE_CONNECTIONS

    def _garbage(self) -> None:
        with closing(self._connect()) as connection:
            connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00 this is no HTTP\r\n\r\n")
            with suppress(ConnectionError):
                while connection.recv(4096):
                    pass
        self.log.outcomes["garbage", "closed"] += 1

    def _gone_while_asking(self) -> None:
        connection = self._connect()
        connection.sendall(request(self._items.triplets(TRIPLETS[1]).query, CSV))
        self._pause(0.1, 1)
        _reset(connection)
        self.log.outcomes["gone while asking", "reset by us"] += 1
        self._pause(0.5, 2)

    def _gone_while_reading(self) -> None:
        connection = self._connect(receive_buffer=4096)
        connection.sendall(request(self._items.everything().query, CSV))
        connection.recv(10_000)
        self._pause(0, 1)
        _reset(connection)
        self.log.outcomes["gone while reading", "reset by us"] += 1

    # Those who take their time.

    def _slow_reader(self) -> None:
        """Read a long answer slowly for some seconds, and then to its end."""
        question = self._items.everything()
        with closing(self._connect(receive_buffer=4096)) as connection:
            connection.sendall(request(question.query, question.accept))
            response = HTTPResponse(connection)
            response.begin()
            parts = []
            step, pause = SLOW_READ
            until = min(self._until, time.monotonic() + self._random.uniform(2, 10))
            while time.monotonic() < until and (part := response.read(step)):
                parts.append(part)
                time.sleep(pause)
            reply = Reply(response, b"".join([*parts, response.read()]))
        self._judge("slow reader", reply, question, BUSY | {"503 seconds"})

    def _slow_request(self) -> None:
        question = self._items.label_of(self._random.randrange(self._items.count))
        self._trickle("slow request", question, request(question.query, question.accept))

    def _slow_body(self) -> None:
        question = self._items.label_of(self._random.randrange(self._items.count))
        self._trickle("slow body", question, request(question.query, question.accept, post=True))

    def _trickle(self, name: str, question: Question, whole: bytes) -> None:
        with closing(self._connect()) as connection:
            for piece in _pieces(whole, 20):
                connection.sendall(piece)
                self._pause(0.05, 0.2)
            reply = _reply(connection)
        self._judge(name, reply, question, BUSY)

    # How they do it.

    def _connect(self, receive_buffer: int | None = None) -> socket.socket:
        return connect(self._port, self._client.address, receive_buffer)

    def _ask(self, query: str, accept: str, *, post: bool = False) -> Reply:
        with closing(self._connect()) as connection:
            connection.sendall(request(query, accept, post=post))
            return _reply(connection)

    def _judge(self, act: str, reply: Reply, question: Question, refusals: frozenset[str]) -> bool:
        """Note how an act ended; false, and a note of it, if it should not have ended so."""
        outcome = reply.outcome
        self.log.outcomes[act, outcome] += 1
        complaint: str | None
        if outcome == "200":
            complaint = None if question.right(reply.body) else f"a wrong answer: {reply.body[:200]!r}"
        elif outcome in refusals:
            complaint = reply.complaint()
        else:
            complaint = f"refused with {outcome}: {reply.body[:200]!r}"
        if complaint:
            self._wrong(f"{act}: {complaint}; asked {question.query[:200]!r}")
        return complaint is None

    def _wrong(self, what: str) -> None:
        self.log.wrong.append(f"{self._client.address}: {what}")

    def _pause(self, shortest: float, longest: float) -> None:
        time.sleep(min(self._random.uniform(shortest, longest), max(0.0, self._until - time.monotonic())))

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def connect(port: int, address: str, receive_buffer: int | None = None) -> socket.socket:
    """A connection to the service from an address of the loopback range."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(PATIENCE)
    connection.bind((address, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def request(query: str, accept: str, *, post: bool = False) -> bytes:
    """A request of the protocol as it goes over the wire."""
    head = f"Host: 127.0.0.1\r\nAccept: {accept}\r\n"
    if not post:
        return f"GET /sparql?{urlencode({'query': query})} HTTP/1.1\r\n{head}\r\n".encode()
    body = query.encode()
    kind = f"Content-Type: application/sparql-query\r\nContent-Length: {len(body)}\r\n"
    return f"POST /sparql HTTP/1.1\r\n{head}{kind}\r\n".encode() + body


def begin_much(port: int, items: Items) -> list[socket.socket]:
    """Begin what takes long in every way there is, and wait for nothing but that it has begun."""
    reader, silent, half, *askers = (connect(port, f"127.0.0.{last}", 4096) for last in (2, 3, 4, 5, 5, 5, 5))
    reader.sendall(request(items.everything().query, CSV))
    half.sendall(request("ASK {}", JSON, post=True)[:-3])
    for asker in askers:
        asker.sendall(request(HOSTILE[0].query, CSV))
    reader.recv(1000)
    return [reader, silent, half, *askers]


def play(told: Connection, client: Client, port: int, items: Items, until: float, seed: int) -> None:
    """Play one client in this process, and tell what it saw."""
    with told:
        told.send(Player(client, port, items, until, seed).play())


def _reply(connection: socket.socket) -> Reply:
    response = HTTPResponse(connection)
    response.begin()
    # A body that is shorter than the length it was announced with raises IncompleteRead.
    return Reply(response, response.read())


def _reset(connection: socket.socket) -> None:
    """Close a connection as one that broke: what is under way is thrown away."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _pieces(data: bytes, count: int) -> Iterator[bytes]:
    size = len(data) // count + 1
    return (data[start : start + size] for start in range(0, len(data), size))
