"""One query worker: a process that has a snapshot open read-only and answers one query at a time.

It speaks over one socket, in frames of a kind (one byte), a length (four) and a body. It can open
no connection, start no program and write no file; its memory is capped; it ends when its parent
does. What a query does to it, up to a crash of the engine, is the parent's to notice and to mend.

    python -m service.snapshots.worker FD STORE MEMORY_MB

With an empty STORE it has nothing open, and answers queries that bring their triples along.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final, cast

import pyoxigraph as ox

from service.snapshots.counting import counter
from service.snapshots.diagnosis import diagnosed
from service.xml_names import LOCAL_NAME

FRAME: Final = struct.Struct("!cI")
READY, DATA, END, REFUSED = b"r", b"d", b"e", b"x"
BLOCK: Final = 1 << 16
"""Bytes of a frame of data."""
TIED_TO_PARENT: Final = sys.platform == "linux"
"""Whether a worker ends with its parent even while it is halted."""
_PR_SET_PDEATHSIG: Final = 1
GRACE_SECONDS: Final = 2
"""Processor seconds beyond the limit after which the kernel ends a worker whose parent did not."""
_STATM: Final = os.open("/proc/self/statm", os.O_RDONLY) if os.path.exists("/proc/self/statm") else None
"""Kept open, as it is read after every query."""
GRAPHS: Final = 10_000
"""Names of graphs that a worker tells its parent."""


_DENIED: Final = (
    *("socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "io_uring_setup"),
    *("execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "kill"),
    *("creat", "openat2", "unlink", "unlinkat", "rename", "renameat", "renameat2", "truncate", "mkdir", "mkdirat"),
    *("rmdir", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmodat", "chown", "fchownat"),
)
"""System calls that no query needs."""
_WRITING: Final = ((os.O_ACCMODE, os.O_WRONLY), (os.O_ACCMODE, os.O_RDWR), (os.O_CREAT, os.O_CREAT))
"""Flags of an opened file, and the value of them that is refused."""


class Refused(Exception):
    """The answer passes a limit."""


class NotExpressible(Exception):
    """The form asked for has no way to write what the answer holds."""


class _Answer:
    """A file that frames what is written to it, and counts."""

    def __init__(self, output: socket.socket, job: dict[str, Any]) -> None:
        self._output = output
        self._block = bytearray()
        self._written = 0
        self._bytes = int(job["bytes"])
        self._rows = self._rows_left = int(job["rows"])
        self._count = counter(job["media_type"]) if job["table"] else None
        self._uncounted: list[bytes] = []

    def write(self, data: Any) -> int:
        self._written += len(data)
        if self._written > self._bytes:
            raise Refused("result_bytes")
        self._block += data
        if len(self._block) >= BLOCK:
            self.flush()
        return len(data)

    def flush(self) -> None:
        self._output.sendall(self._frame())

    def end(self) -> None:
        """Send what is left, and that it was all, in one go: whoever waits is woken once."""
        told = json.dumps(_used()).encode()
        self._output.sendall(self._frame() + FRAME.pack(END, len(told)) + told)

    def _frame(self) -> bytes:
        """What is held back, as a frame."""
        block = bytes(self._block)
        self._block.clear()
        if self._count:
            self._uncounted.append(block)
            # Every row takes a byte at least, so that most answers need no counting.
            if self._written > self._rows:
                self.take(sum(map(self._count, self._uncounted)))
                self._uncounted.clear()
        return FRAME.pack(DATA, len(block)) + block if block else b""

    def take(self, rows: int) -> None:
        """Count solutions or triples. Raises `Refused` past the limit."""
        self._rows_left -= rows
        if self._rows_left < 0:
            raise Refused("result_rows")


def send(output: socket.socket, kind: bytes, body: bytes | bytearray = b"") -> None:
    """Send one frame."""
    output.sendall(FRAME.pack(kind, len(body)) + body)


def receive(connection: socket.socket) -> bytes | None:
    """Read one job, of which the parent sends no second before the first is answered; None at the end of the stream."""
    parts, whole = bytearray(), 4
    while len(parts) < whole:
        part = connection.recv(BLOCK)
        if not part:
            return None
        parts += part
        if len(parts) >= 4:
            whole = 4 + struct.unpack_from("!I", parts)[0]
    return bytes(parts[4:])


def answer(store: ox.Store, job: dict[str, Any], output: socket.socket) -> None:
    """Run one query and write its answer. Raises what the engine raises, and `Refused`."""
    if job["triples"] is not None:
        store = ox.Store()
        store.load(job["triples"], format=ox.RdfFormat.N_TRIPLES)
    dataset: dict[str, Any] = {"use_default_graph_as_union": job["union"]}
    if job["default"] is not None:
        default: list[Any] = [ox.NamedNode(graph) for graph in job["default"]]
        named = [ox.NamedNode(graph) for graph in job["named"]]
        if job["overlapping"] and len(default) > 1:
            store, default = _merged(store, default, named), [ox.DefaultGraph()]
        # Both lists, empty ones too: with one left out, the store's own graphs would stay visible.
        dataset = {"default_graph": default, "named_graphs": named}
    found = store.query(job["query"], base_iri=job["base"], prefixes=job["prefixes"], **dataset)
    if isinstance(found, ox.QueryTriples) == job["table"]:
        raise ValueError("a graph was asked for, the query makes a table" if not job["table"] else
                         "a table was asked for, the query makes a graph")  # fmt: skip
    file = _Answer(output, job)
    if isinstance(found, ox.QueryTriples):
        form = ox.RdfFormat.from_media_type(job["media_type"])
        triples = _distinct(found, file)
        if form == ox.RdfFormat.RDF_XML:
            triples = _named_in_xml(triples)
        ox.serialize(triples, cast(IO[bytes], file), format=form, prefixes=job["shown_prefixes"])
    else:
        table_format = ox.QueryResultsFormat.from_media_type(job["media_type"])
        found.serialize(cast(IO[bytes], file), table_format)
    file.end()


def _merged(store: ox.Store, default: Iterable[ox.NamedNode], named: Iterable[ox.NamedNode]) -> ox.Store:
    """A store in memory whose default graph is the merge of several: Oxigraph would count what they share twice."""
    merged = ox.Store()
    for graph in default:
        merged.bulk_extend(
            ox.Quad(quad.subject, quad.predicate, quad.object)
            for quad in store.quads_for_pattern(None, None, None, graph)
        )
    for graph in named:
        merged.bulk_extend(store.quads_for_pattern(None, None, None, graph))
    return merged


def _distinct(triples: Iterable[ox.Triple], file: _Answer) -> Iterator[ox.Triple]:
    """Each triple once: a graph is a set."""
    seen: set[ox.Triple] = set()
    for triple in triples:
        if triple not in seen:
            seen.add(triple)
            file.take(1)
            yield triple


def _named_in_xml(triples: Iterable[ox.Triple]) -> Iterator[ox.Triple]:
    """The triples, as long as XML can name their predicates. Raises `NotExpressible`."""
    for triple in triples:
        if not LOCAL_NAME.search(triple.predicate.value):
            raise NotExpressible(f"RDF/XML has no way to write the property <{triple.predicate.value}>")
        yield triple


def serve(connection: socket.socket, store: ox.Store) -> None:
    """Answer jobs until the parent closes the connection."""
    while (body := receive(connection)) is not None:
        job = json.loads(body)
        used = resource.getrusage(resource.RUSAGE_SELF)
        processor = int(used.ru_utime + used.ru_stime + job["seconds"]) + 1 + GRACE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (processor, resource.RLIM_INFINITY))
        try:
            answer(store, job, connection)
        except Refused as limit:
            _refuse(connection, "limit", str(limit))
        except NotExpressible as error:
            _refuse(connection, "form", str(error))
        except SyntaxError as error:
            _refuse(connection, "syntax", diagnosed(job["query"], job["base"], job["prefixes"], str(error)))
        except MemoryError:
            _refuse(connection, "memory", "")
        except (ValueError, OSError, RuntimeError) as error:
            _refuse(connection, "engine", str(error))


def _refuse(connection: socket.socket, why: str, message: str) -> None:
    send(connection, REFUSED, json.dumps({"why": why, "message": message}).encode())


def _used() -> dict[str, float]:
    """What this process tells of itself: bytes of memory that it holds, and seconds of a processor that it had."""
    return {"resident": _resident(), "processor": time.thread_time()}


def _resident() -> int:
    """Bytes of memory that this process holds now."""
    if _STATM is None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return int(os.pread(_STATM, 64, 0).split()[1]) * resource.getpagesize()


def isolate() -> str:
    """Give up connections, programs and writing to files; return what is in force, or why nothing is."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError) as error:
        return f"not isolated: {error}"
    rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    denied = pyseccomp.ERRNO(1)
    try:
        # Threads that run already, such as the store's own, are bound too.
        rules.set_attr(pyseccomp.Attr.CTL_TSYNC, 1)
        for call in _DENIED:
            if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call) >= 0:  # not every machine has them all
                rules.add_rule(denied, call)
        for call, argument in (("open", 1), ("openat", 2)):
            if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call) >= 0:
                for flags, value in _WRITING:
                    rules.add_rule(denied, call, pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, flags, value))
        rules.load()
    except OSError as error:
        return f"not isolated: {error}"
    return "isolated"


def _tie_to_parent() -> None:
    """Have the kernel end this process with the thread that started it, halted or not."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent(connection: socket.socket) -> None:
    """End this process when the parent hangs up, in the midst of a query too."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    while not poll.poll():
        pass
    os._exit(0)


def main(arguments: list[str]) -> None:
    """Open the snapshot, give up every privilege, and serve."""
    descriptor, path, memory_mb = int(arguments[0]), arguments[1], int(arguments[2])
    connection = socket.socket(fileno=descriptor)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    if TIED_TO_PARENT:
        _tie_to_parent()
    threading.Thread(target=_end_with_parent, args=(connection,), daemon=True).start()
    store = ox.Store.read_only(path) if path else ox.Store()
    graphs = [graph.value for graph in store.named_graphs() if isinstance(graph, ox.NamedNode)][:GRAPHS]
    told = {"isolation": isolate(), "graphs": graphs, **_used()}
    send(connection, READY, json.dumps(told).encode())
    serve(connection, store)


if __name__ == "__main__":
    main(sys.argv[1:])
