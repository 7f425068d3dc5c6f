"""Queries in worker processes: stopped at every limit, replaced, moved to new data, and never left behind."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat, parse, parse_query_results

from service.queries.refusal import QueryRefused
from service.snapshots.handle import Snapshot, Worker
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryRequest
from service.snapshots.worker import DATA, FRAME
from tests.conftest import REPOSITORY
from tests.service.snapshots.conftest import COUNT, ENDLESS, LIMITS, SIZE, MakePool, publish, table

ALL = "SELECT * { ?s ?p ?o }"
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="workers are isolated, and limited in memory, on Linux alone"
)


def count(pool: QueryPool, client: str = "a", query: str = COUNT) -> int:
    """The number that a counting query gives."""
    answer = pool.run(table(query), client)
    with answer.body:
        content = answer.body.read()
    assert len(content) == answer.length
    return int(json.loads(content)["results"]["bindings"][0]["n"]["value"])


def refused(pool: QueryPool, query: str, client: str = "a", **more: object) -> QueryRefused:
    with pytest.raises(QueryRefused) as caught:
        pool.run(table(query, **more), client)  # type: ignore[arg-type]
    return caught.value


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and is not yet collected does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_tables_come_in_every_format(pool: QueryPool) -> None:
    for form in (QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.TSV):
        answer = pool.run(table("SELECT ?s { ?s ?p 7 }", form.media_type.split(";")[0]), "a")
        rows = list(parse_query_results(answer.body.read(), format=form))
        assert [row["s"].value for row in rows] == ["http://a.example/7"]
    assert pool.run(table("ASK { ?s ?p 7 }", "text/csv"), "a").body.read() == b"true"


def test_graphs_come_in_every_format_and_hold_each_triple_once(pool: QueryPool) -> None:
    query = "CONSTRUCT { ?s a <http://a.example/c> } WHERE { ?s ?p ?o . VALUES ?again { 1 2 3 } } "
    for form in (
        RdfFormat.N_TRIPLES,
        RdfFormat.TURTLE,
        RdfFormat.RDF_XML,
        RdfFormat.JSON_LD,
        RdfFormat.TRIG,
        RdfFormat.N_QUADS,
    ):
        request = QueryRequest(query, False, form.media_type, shown_prefixes={"ex": "http://a.example/"})
        with pool.run(request, "a").body as body:
            assert len(list(parse(body, format=form))) == 1000


def test_prefixes_and_base_of_the_request_hold(pool: QueryPool) -> None:
    request = table("ASK { ex:7 ?p 7 . <7> ?p 7 }", base="http://a.example/x", prefixes={"ex": "http://a.example/"})
    assert pool.run(request, "a").body.read() == b'{"head":{},"boolean":true}'


def test_the_dataset_of_the_request_is_all_that_a_query_sees(pool: QueryPool) -> None:
    g, h = "http://a.example/g", "http://a.example/h"
    assert set(pool.graphs()) == {g, h}

    def seen(query: str, **dataset: object) -> int:
        answer = pool.run(table(query, **dataset), "a")
        return int(json.loads(answer.body.read())["results"]["bindings"][0]["n"]["value"])

    named = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    assert seen(COUNT) == seen(named) == 1000
    assert seen(COUNT, default_graphs=(g,)) == 500
    assert seen(named, default_graphs=(g,)) == 0
    assert seen(COUNT, default_graphs=(), named_graphs=(h,)) == 0
    assert seen(named, default_graphs=(), named_graphs=(h,)) == 500


def test_a_wrong_query_is_refused_and_its_worker_goes_on(pool: QueryPool) -> None:
    workers = set(pool.processes())
    assert (refused(pool, "SELECT * { ?s ?p }").status, refused(pool, "nonsense").limit) == (400, "syntax")
    for query, form in (("ASK {}", False), ("DESCRIBE <http://a>", True)):
        with pytest.raises(QueryRefused) as caught:
            pool.run(QueryRequest(query, form, RdfFormat.N_TRIPLES.media_type if not form else "text/csv"), "a")
        assert caught.value.status == 400
    assert refused(pool, "ASK {}", base="no base").status == 400
    assert refused(pool, "ASK {}", default_graphs=("no iri",)).status == 400
    assert refused(pool, "INSERT DATA { <http://a> <http://b> 1 }").status == 400
    assert workers <= set(pool.processes())


def test_rows_are_limited_exactly_and_nothing_is_cut(make_pool: MakePool) -> None:
    enough, short = (make_pool(replace(LIMITS, rows=rows, bytes=9_000_000)) for rows in (1000, 999))
    for media_type in (
        "application/sparql-results+json",
        "application/sparql-results+xml",
        "text/csv",
        "text/tab-separated-values",
    ):
        assert enough.run(table(ALL, media_type), "a").length > 10_000
        problem = refused(short, ALL, media_type=media_type)
        assert (problem.status, problem.limit) == (413, "result_rows")
        assert "999" in problem.detail
    graph = QueryRequest("CONSTRUCT WHERE { ?s ?p ?o }", False, RdfFormat.TURTLE.media_type)
    assert enough.run(graph, "a").length
    with pytest.raises(QueryRefused, match="999 rows"):
        short.run(graph, "a")


def test_bytes_are_limited_exactly_and_nothing_is_cut(make_pool: MakePool) -> None:
    query = "SELECT ?o { ?s ?p ?o }"
    length = make_pool().run(table(query, "text/csv"), "a").length
    enough, short = (make_pool(replace(LIMITS, bytes=limit)) for limit in (length, length - 1))
    assert enough.run(table(query, "text/csv"), "a").length == length
    assert refused(short, query, media_type="text/csv").limit == "result_bytes"


def test_an_answer_larger_than_memory_is_kept_for_comes_whole(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, bytes=50_000_000, rows=1_000_000, seconds=20))
    query = "SELECT ?a ?b { ?a ?p ?x . VALUES ?y { 1 2 3 4 5 6 7 8 9 10 } ?b ?q ?z FILTER(?z < 5) }"
    with pool.run(table(query, "text/csv"), "a").body as body:
        assert body.read().count(b"\n") == 50_001


def test_a_query_is_stopped_at_its_time_and_its_worker_replaced(
    make_pool: MakePool, eventually: Callable[..., None]
) -> None:
    pool = make_pool()
    before, began = set(pool.processes()), time.monotonic()
    problem = refused(pool, ENDLESS)
    assert (problem.status, problem.limit) == (503, "seconds")
    assert problem.retry_after
    assert LIMITS.seconds <= time.monotonic() - began < LIMITS.seconds + 5
    assert count(pool) == 1000
    eventually(lambda: len(pool.processes()) == SIZE.workers, "the pool to be full again")
    eventually(lambda: sum(alive(worker) for worker in before) <= 1, "the worker to be gone")


def test_a_form_that_cannot_be_written_costs_no_worker(make_pool: MakePool) -> None:
    pool = make_pool(LIMITS, PoolSize(1, 1, 1, wait_seconds=5))
    before = pool.processes()
    numbered = "CONSTRUCT { <http://a.example/s> <http://a.example/1> 1 } WHERE {}"
    with pytest.raises(QueryRefused) as caught:
        pool.run(QueryRequest(numbered, False, "application/rdf+xml"), "a")
    assert caught.value.status == 406
    assert count(pool) == 1000
    assert pool.processes() == before


@linux
def test_a_query_that_wants_too_much_memory_is_refused(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, memory_mb=320, seconds=20))
    wide = "CONCAT(?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x)"
    grown = "".join(f"BIND({wide.replace('?x', f'?x{n}')} AS ?x{n + 1}) " for n in range(9))
    problem = refused(pool, f"SELECT (STRLEN(?x9) AS ?n) {{ BIND('0123456789' AS ?x0) {grown} }}")
    assert (problem.status, problem.limit) == (503, "memory_mb")
    assert count(pool) == 1000


def test_a_query_that_ends_the_engine_is_refused_and_the_others_go_on(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, seconds=20))
    for nested in ("(" * 50_000 + "1" + ")" * 50_000, "!" * 100_000 + "true"):
        assert refused(pool, f"ASK {{ FILTER({nested}) }}").status in (400, 503)
        assert count(pool) == 1000


def begin(pool: QueryPool, client: str) -> threading.Thread:
    """An endless query of a client, in a thread of its own."""
    thread = threading.Thread(target=refused, args=(pool, ENDLESS, client))
    thread.start()
    return thread


def test_long_queries_are_few_for_each_client_and_for_all(make_pool: MakePool, eventually: Callable[..., None]) -> None:
    pool = make_pool(replace(LIMITS, seconds=30), PoolSize(workers=4, long=2, long_of_client=1, wait_seconds=1))
    eventually(lambda: len(pool.processes()) == 4, "the workers")
    threads = []
    for client in ("a", "b"):
        threads.append(begin(pool, client))
        eventually(lambda client=client: pool._long[client] == 1, "the query to be long")
    second, third = refused(pool, ENDLESS, "a"), refused(pool, ENDLESS, "c")
    assert (second.status, second.limit) == (429, "long_queries_per_client")
    assert (third.status, third.limit) == (503, "long_queries")
    assert second.retry_after
    assert third.retry_after
    assert count(pool, "a") == 1000, "a quick query finds a place meanwhile"
    pool.close()
    for thread in threads:
        thread.join()
    assert not pool._long


def test_a_long_query_waits_for_its_place_and_its_time_begins_then(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, seconds=1.2), PoolSize(workers=2, long=1, long_of_client=1, wait_seconds=20))
    with ThreadPoolExecutor(2) as clients:
        began = time.monotonic()
        ends = list(clients.map(lambda client: refused(pool, ENDLESS, client).limit, "ab"))
    assert ends == ["seconds", "seconds"]
    assert time.monotonic() - began > 1.8, "one after the other, and not both in 1.2 s"


def test_quick_queries_find_a_worker_beside_as_many_long_ones_as_there_are_workers(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, seconds=2), PoolSize(workers=2, long=2, long_of_client=2, wait_seconds=5))
    with ThreadPoolExecutor(4) as clients:
        long = [clients.submit(refused, pool, ENDLESS, client) for client in "abcd"]
        answered = 0
        while not any(query.done() for query in long):
            answered += count(pool, "quick") == 1000
        assert answered
        assert {query.result().limit for query in long} == {"seconds"}


@linux
def test_a_query_that_is_kept_waiting_is_not_long(make_pool: MakePool, eventually: Callable[..., None]) -> None:
    pool = make_pool(replace(LIMITS, seconds=20), PoolSize(1, 1, 1, wait_seconds=5, long_seconds=0.1))
    (worker,) = pool.processes()
    os.kill(worker, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as clients:
        asked = clients.submit(count, pool)
        with contextlib.suppress(TimeoutError):
            asked.result(timeout=0.3)
        os.kill(worker, signal.SIGCONT)
        assert asked.result() == 1000
    assert pool.processes() == [worker], "it goes on with others"


def test_an_answer_that_stops_amid_a_frame_goes_on_where_it_stopped() -> None:
    worker = object.__new__(Worker)
    ours, theirs = socket.socketpair()
    worker.connection, worker._buffer = ours, bytearray()
    with ours, theirs:
        frame = FRAME.pack(DATA, 5) + b"after"
        for sent in range(len(frame)):
            theirs.sendall(frame[:sent])
            with pytest.raises(TimeoutError):
                worker.frame(time.monotonic() + 0.01)
            theirs.sendall(frame[sent:])
            assert worker.frame(time.monotonic() + 5) == (DATA, b"after")


def test_when_every_worker_is_busy_a_query_waits_and_is_then_refused(
    make_pool: MakePool, eventually: Callable[..., None]
) -> None:
    pool = make_pool(replace(LIMITS, seconds=30), PoolSize(1, 9, 9, wait_seconds=0.2, long_seconds=20))
    thread = begin(pool, "a")
    eventually(lambda: len(pool._busy) == 1, "the worker to be busy")
    problem = refused(pool, COUNT)
    assert (problem.status, problem.limit, problem.retry_after) == (503, "workers", 1)
    pool.close()
    thread.join()


def test_answers_of_many_threads_are_never_mixed_up(make_pool: MakePool) -> None:
    pool = make_pool(replace(LIMITS, seconds=20), PoolSize(workers=3, long=9, long_of_client=9, wait_seconds=20))

    def ask(number: int) -> bool:
        query = f'SELECT ("{number}" AS ?n) ?s {{ ?s ?p ?o FILTER(?o < {number % 90}) }}'
        rows = json.loads(pool.run(table(query), str(number)).body.read())["results"]["bindings"]
        return len(rows) == number % 90 and {row["n"]["value"] for row in rows} <= {str(number)}

    with ThreadPoolExecutor(12) as threads:
        assert all(threads.map(ask, range(300)))


def test_a_new_snapshot_is_followed_and_no_query_fails_meanwhile(tmp_path: Path, make_pool: MakePool) -> None:
    publish(tmp_path, 10)

    def find() -> Snapshot:
        folder = (tmp_path / "current").resolve()
        return Snapshot(folder, folder.name)

    pool = make_pool(find=find)
    assert (count(pool), pool.version) == (10, "10")
    publish(tmp_path, 20)
    deadline, seen = time.monotonic() + 20, []
    while pool.version == "10" and time.monotonic() < deadline:
        seen.append(count(pool))
    assert pool.version == "20"
    assert [count(pool) for _ in range(20)] == [20] * 20
    assert set(seen) <= {10, 20}
    assert seen == sorted(seen)


def test_a_snapshot_that_cannot_be_opened_leaves_the_former_in_use(
    tmp_path: Path, make_pool: MakePool, stored: Path
) -> None:
    found = [Snapshot(stored, "1")]
    pool = make_pool(find=lambda: found[-1])
    found.append(Snapshot(tmp_path / "nothing", "2"))
    deadline = time.monotonic() + 1.6
    while time.monotonic() < deadline:
        assert count(pool) == 1000
    assert pool.version == "1"


def test_without_a_store_no_pool_begins(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no query worker"):
        QueryPool(lambda: Snapshot(tmp_path / "nothing", "1"), LIMITS, SIZE)


def test_a_pool_that_is_closed_leaves_no_process_and_refuses(
    make_pool: MakePool, eventually: Callable[..., None]
) -> None:
    pool = make_pool()
    eventually(lambda: len(pool.processes()) == SIZE.workers, "the pool to be full")
    workers = pool.processes()
    running = begin(pool, "a")
    eventually(lambda: len(pool._busy) == 1, "a worker to be busy")
    pool.close()
    running.join()
    eventually(lambda: not any(alive(worker) for worker in workers), "every worker to be gone")
    assert refused(pool, COUNT).status == 503
    pool.close()


PARENT = """
import sys, threading
from pathlib import Path
from service.snapshots.handle import Snapshot
from service.snapshots.pool import PoolSize, QueryPool
from service.snapshots.runner import QueryLimits, QueryRequest
pool = QueryPool(lambda: Snapshot(Path(sys.argv[1]), "1"), QueryLimits(60, 10, 10_000, 512), PoolSize(2, 2, 2, 5))
while len(pool.processes()) < 2: pass
run = lambda: pool.run(QueryRequest(sys.argv[2], True, "text/csv"), "a")
for _ in range(int(sys.argv[3])): threading.Thread(target=run, daemon=True).start()
while len(pool.processes()) < 2 + int(sys.argv[3]): pass
print(*pool.processes(), flush=True)
sys.stdin.read()
"""


@linux
@pytest.mark.parametrize("running", [0, 2, 4], ids=["idle", "amid queries", "halted"])
def test_workers_end_when_their_parent_is_killed(stored: Path, eventually: Callable[..., None], running: int) -> None:
    command = [sys.executable, "-c", PARENT, str(stored), ENDLESS, str(running)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY) as parent:
        assert parent.stdout
        workers = [int(name) for name in parent.stdout.readline().split()]
        assert all(alive(worker) for worker in workers)
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: not any(alive(worker) for worker in workers), "the workers to end", 5)


@linux
def test_a_worker_sees_nothing_of_its_parents_environment(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMICICLO_LLM_API_KEY", "very-secret")
    pool = make_pool()
    for worker in pool.processes():
        environment = Path(f"/proc/{worker}/environ").read_bytes()
        assert b"secret" not in environment
        assert {entry.split(b"=")[0] for entry in environment.split(b"\0") if entry} == {
            b"PYTHONPATH",
            b"MALLOC_ARENA_MAX",
            b"PYTHONDONTWRITEBYTECODE",
        }
        opened = {os.readlink(entry) for entry in Path(f"/proc/{worker}/fd").iterdir()}
        assert not any("secret" in target for target in opened)


@linux
def test_the_engine_in_a_worker_calls_nobody(pool: QueryPool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.settimeout(0.3)
        assert refused(pool, f"SELECT * {{ SERVICE <{address}> {{ ?s ?p ?o }} }}").status == 400
        assert pool.run(table(f"SELECT * {{ SERVICE SILENT <{address}> {{ ?s ?p ?o }} }}"), "a").length
        with pytest.raises(TimeoutError):
            server.accept()
    assert pool.isolation == "isolated"


ATTEMPTS = {
    "a connection": "socket.create_connection(('127.0.0.1', 9))",
    "a socket": "socket.socket()",
    "a pair of sockets": "socket.socketpair()",
    "a program": "os.execv('/bin/true', ['true'])",
    "a child that runs a program": "subprocess.run(['/bin/true'], check=True)",
    "a file to write": "open(path, 'w')",
    "a file to append": "open('/dev/null', 'a')",
    "a file to change": "os.open(path, os.O_RDWR)",
    "a new file": "os.open(path + '.new', os.O_CREAT | os.O_RDONLY)",
    "a removal": "os.unlink(path)",
    "another name": "os.rename(path, path + '2')",
    "a folder": "os.mkdir(path + '.d')",
    "a link": "os.symlink(path, path + '.l')",
    "a shorter file": "os.truncate(path, 0)",
    "a signal": "os.kill(os.getppid(), 9)",
}


@linux
def test_a_process_that_is_isolated_can_do_nothing_to_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("kept")
    program = f"""
import os, socket, subprocess, threading, sys, time
from service.snapshots.worker import isolate
path, told, begun = {str(path)!r}, {{}}, threading.Event()
def attempt(name, code):
    try: exec(code); told[name] = "done"
    except PermissionError: told[name] = "refused"
    except BaseException as error: told[name] = repr(error)
def earlier():
    begun.wait(); attempt("a thread that ran before", "socket.socket()")
thread = threading.Thread(target=earlier); thread.start()
assert isolate() == "isolated"
begun.set(); thread.join()
for name, code in {ATTEMPTS!r}.items(): attempt(name, code)
assert open(path).read() == "kept"
import json; print(json.dumps(told))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=REPOSITORY, check=True, text=True)
    told = json.loads(done.stdout)
    assert {name for name, outcome in told.items() if outcome != "refused"} == set()
    assert len(told) == len(ATTEMPTS) + 1
    assert list(tmp_path.iterdir()) == [path]
