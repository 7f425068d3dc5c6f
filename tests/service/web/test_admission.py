"""So many requests of one client at once: counted in, counted out whatever becomes of them, told apart by address."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from service.queries.refusal import QueryRefused
from service.web.admission import Admission, client_of_request
from tests.conftest import REPOSITORY, Esperia, wait_until

from .test_sparql import MakeClient, make_client  # noqa: F401 (a fixture)

ASK = "/sparql?query=" + quote("ASK {}")
LARGE = "/sparql?format=nt&query=" + quote(
    "CONSTRUCT { ?a ?b ?o } { { SELECT ?a ?b { ?a ?b ?c } LIMIT 900 } { SELECT ?o { ?s ?p ?o } LIMIT 250 } }"
)
"""An answer of some megabytes, more than the sockets between a client and the service hold."""


def test_a_client_has_as_many_places_as_it_may_and_others_have_theirs() -> None:
    admission = Admission(2)
    leaves = [admission.enter("a"), admission.enter("a")]
    with pytest.raises(QueryRefused) as caught:
        admission.enter("a")
    assert (caught.value.status, caught.value.retry_after) == (429, 1)
    admission.enter("b")
    leaves[0]()
    admission.enter("a")


@given(st.lists(st.integers(0, 5)))
def test_leaving_more_often_than_once_is_leaving_once(whom: list[int]) -> None:
    admission = Admission(6)
    leaves = [admission.enter("a") for _ in range(6)]
    for index in whom:
        leaves[index]()
    for _ in set(whom):
        admission.enter("a")
    with pytest.raises(QueryRefused):
        admission.enter("a")


def test_many_threads_never_have_more_places_than_there_are() -> None:
    admission, inside, most, lock = Admission(3), 0, 0, threading.Lock()

    def visit() -> None:
        nonlocal inside, most
        for _ in range(200):
            try:
                leave = admission.enter("a")
            except QueryRefused:
                continue
            with lock:
                inside += 1
                most = max(most, inside)
            with lock:
                inside -= 1
            leave()

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= most <= 3
    assert [admission.enter("a") for _ in range(3)]


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("unix:", "unix:"),
        ("", "unknown"),
    ],
)
def test_a_client_is_its_address_and_in_ipv6_its_network(address: str, client: str) -> None:
    with Flask(__name__).test_request_context("/", environ_base={"REMOTE_ADDR": address}):
        assert client_of_request() == client


@pytest.mark.parametrize(("proxies", "expected"), [(0, [200, 200]), (1, [200, 429])])
def test_forwarded_addresses_count_only_where_a_proxy_is_trusted(
    make_client: MakeClient,  # noqa: F811
    proxies: int,
    expected: list[int],
) -> None:
    """One client holds its only place; the same forwarded address comes from another machine."""
    client = make_client(proxies=proxies, queries_per_client=1)
    statuses = []
    held = client.open(
        ASK, headers={"X-Forwarded-For": "198.51.100.1"}, environ_base={"REMOTE_ADDR": "192.0.2.1"}, buffered=False
    )
    statuses.append(held.status_code)
    other = client.open(ASK, headers={"X-Forwarded-For": "198.51.100.1"}, environ_base={"REMOTE_ADDR": "192.0.2.2"})
    statuses.append(other.status_code)
    same = client.open(ASK, headers={"X-Forwarded-For": "198.51.100.2"}, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert statuses == expected
    assert same.status_code == (200 if proxies else 429)
    if 429 in (other.status_code, same.status_code):
        refused = other if other.status_code == 429 else same
        assert refused.headers["Retry-After"] == "1"
        assert refused.get_json()["limit"] == "queries_per_client"
    held.close()
    assert client.open(ASK, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 200


# Over real HTTP, by the server that the service is run with


@pytest.fixture(scope="module")
def service(esperia: Esperia) -> Iterator[tuple[int, int]]:
    """The service over Esperia: its port, and its process."""
    with _serving(esperia) as running:
        yield running


@contextlib.contextmanager
def _serving(esperia: Esperia) -> Iterator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("emiciclo")),
        "serve",
        "--data",
        str(esperia.data),
        "--port",
        str(port),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
    chosen = {"EMICICLO_EMBEDDER": "hash", "EMICICLO_SPARQL__QUERIES_PER_CLIENT": "2", "EMICICLO_SPARQL__WORKERS": "2"}
    process = subprocess.Popen(
        command, env=environment | chosen, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: _status(port, ASK) == 200, "the service")
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(20)


def _status(port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
    except OSError:
        return None
    else:
        return response.status
    finally:
        connection.close()


def _begun(port: int, path: str) -> socket.socket:
    """A request whose answer has begun and is not read on."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def test_who_goes_away_amid_an_answer_frees_the_place(
    service: tuple[int, int], eventually: Callable[..., None]
) -> None:
    port, _ = service
    slow = [_begun(port, LARGE) for _ in range(2)]
    assert _status(port, ASK) == 429, "slow readers hold their places"
    for connection in slow:
        connection.close()
    eventually(lambda: _status(port, ASK) == 200, "the places to be free", 10)


def test_bodies_in_pieces_are_read(service: tuple[int, int]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service[0], timeout=10)
    pieces = iter([b"query=ASK", b"+%7B", b"%7D"])
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sparql", body=pieces, headers=headers, encode_chunked=True)
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b'{"head":{},"boolean":true}')
    connection.close()


def test_bodies_that_never_come_hold_nobody_up(service: tuple[int, int]) -> None:
    port, _ = service
    head = b"POST /sparql HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\nContent-Length: 99\r\n\r\nA"
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(90)]
    for connection in slow:
        connection.sendall(head)
    began = time.monotonic()
    assert [_status(port, ASK) for _ in range(5)] == [200] * 5
    assert time.monotonic() - began < 5
    for connection in slow:
        connection.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the processes are looked up in /proc")
def test_nothing_is_left_of_a_service_that_is_killed(esperia: Esperia, eventually: Callable[..., None]) -> None:
    with _serving(esperia) as (port, process):
        family = _descendants(process)
        assert len(family) >= 3
        os.kill(process, signal.SIGKILL)
        eventually(lambda: not any(map(_runs, family)), "every process of the service to end", 10)
        assert _status(port, ASK) is None


def _descendants(process: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = [process]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
