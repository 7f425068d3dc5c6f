"""The engine's own process: its long work in Python holds up nobody who reads a page.

It gets one socket from its parent. Over it come first what to open, then an end of a socket pair for each
operation. An operation runs in a thread and ends when its own pair is closed; the process ends when its parent does.

    python -m service.engines.host FD
"""

import contextlib
import ctypes
import logging
import os
import resource
import signal
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Final

from service.engines import wire
from service.engines.local import LocalEngine
from service.errors import EmicicloError
from service.progress import Progress, Step
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES

AT_ONCE: Final = 8
"""Operations that run at the same time; further ones wait."""
_PR_SET_PDEATHSIG: Final = 1
_log: Final = logging.getLogger(__name__)


class Abandoned(BaseException):
    """Whoever asked has gone. No `Exception`: an operation that bears failures of its own must not bear this."""


def main(arguments: list[str]) -> None:
    """Open the engine and run operations until the parent hangs up."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal it goes to the whole group; the parent decides
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s engine: %(message)s")
    control = socket.socket(fileno=int(arguments[0]))
    with contextlib.suppress(EOFError, OSError):  # of a parent that is gone
        _serve(control)
    os._exit(0)  # what is under way has nobody left to tell


def _serve(control: socket.socket) -> None:
    """Open what the first connection names, then run an operation for each further one."""
    with _next(control) as first:
        opening = wire.unpacked(first.recv_bytes())
    assert isinstance(opening, wire.Opening)
    engine = LocalEngine(opening.data, opening.settings, opening.embedder)
    # What is asked meanwhile waits for this opening.
    threading.Thread(target=_open, args=(engine,), daemon=True).start()
    threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="operation")
    while True:
        threads.submit(_run, _next(control), engine, opening.packages)


def _open(engine: LocalEngine) -> None:
    """Open the engine before anybody asks; what hinders it is told again to each who asks."""
    try:
        vectors = engine.open().corpus.vectors
        for collection in (CHUNKS, ACTS, PROFILES, COMMITTEES, CONCEPTS):
            vectors.count(collection)  # which opens it
    except EmicicloError as error:
        _log.warning("nothing can be asked: %s", error)
    except Exception:  # whatever it is: the host lives on, and each who asks is told
        _log.exception("the engine cannot be opened")


def _next(control: socket.socket) -> "Connection[Any, Any]":
    """The next end of a pair that is handed over. Raises `EOFError` when there are no more."""
    message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
    if not (message and descriptors):
        raise EOFError
    os.set_inheritable(descriptors[0], False)
    return Connection(descriptors[0])


def _run(connection: "Connection[Any, Any]", engine: LocalEngine, packages: tuple[str, ...]) -> None:
    """Run one operation and tell how it ended."""

    def tell(step: Step) -> None:
        try:
            connection.send_bytes(wire.packed(wire.Stepped(step)))
        except OSError as error:
            raise Abandoned from error

    with connection:
        try:
            body = _outcome(connection, engine, packages, tell)
        except Abandoned:
            return
        with contextlib.suppress(OSError):  # nobody waits for it any more
            connection.send_bytes(body)


def _outcome(
    connection: "Connection[Any, Any]", engine: LocalEngine, packages: tuple[str, ...], tell: Progress
) -> bytes:
    """What the operation comes to, as it is sent. Raises `Abandoned`."""
    name = "an operation"
    try:
        asked = wire.unpacked(connection.recv_bytes())
        name = f"{asked.module}.{asked.name}"
        operation = wire.function(asked, packages)
        return wire.packed(wire.Ended(engine.run(operation, wire.unpacked(asked.request), tell)))
    except Abandoned:
        raise
    except EmicicloError as error:
        return wire.packed(wire.Refused.of(error))
    except BaseException:
        _log.exception("%s failed", name)
        return wire.packed(wire.Failed())


if __name__ == "__main__":
    main(sys.argv[1:])
