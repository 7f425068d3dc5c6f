"""The web server: Granian around the application, and the query workers behind it.

The engine takes longest to open, so that its process is started before the application is even imported.
"""

import os
import resource
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Final

from granian import Granian
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from service.corpus import DataDirectory, read_manifest, refuse_other_model
from service.embedders import configured_model
from service.engines.ahead import read_ahead
from service.engines.remote import RemoteEngine
from service.errors import ConfigurationError, DataError
from service.settings import Settings
from service.snapshots.handle import Snapshot, Worker
from service.snapshots.runner import QueryLimits, QueryRunner

if TYPE_CHECKING:
    from flask import Flask

HEADER_SECONDS: Final = 15
HEADER_BYTES: Final = 1 << 17
"""Of a request line and its headers together: a query that is longer comes by POST."""
CONNECTIONS: Final = 4096
"""Connections that are open at once; most are idle, so that there are many more of them than threads."""
STOP_SECONDS: Final = 5
"""What is under way when the service is told to stop may go on for so long."""
TRIMMED: Final = 1 << 17
"""Bytes of one piece of memory from which it is given back to the system when it is free."""
PAGE_ROWS: Final = 100_000
PAGE_BYTES: Final = 64_000_000


def open_app(data: Path, settings: Settings) -> "Flask":
    """The application over what is published in a data directory. Raises `DataError`."""
    _end_with_parent()
    _allow_files(2 * CONNECTIONS)
    engine = _engine(data, settings)

    from service.snapshots.graph import PooledGraph
    from service.web import datasets
    from service.web.answers import endpoint
    from service.web.app import create_app
    from service.web.site import EXTENSION

    public, pages = _runners(DataDirectory(data), settings)
    of_answers = endpoint.open_runner(DataDirectory(data).answers, settings.sparql)
    app = create_app(data, settings, PooledGraph(pages), public, engine, of_answers)
    jobs = app.extensions[EXTENSION].jobs
    if jobs:
        _when_stopped(jobs.close)
    with app.app_context():
        datasets.ready(DataDirectory(data).published())  # begins to make dumps and statistics, if they are not there
    return app


def _engine(data: Path, settings: Settings) -> RemoteEngine | None:
    """What answers questions; it opens while the rest is made ready, and ends with this process.

    None where plain RDF is published, which nobody can ask. Raises `DataError`.
    """
    version = DataDirectory(data).published()
    if read_manifest(version).kind != "parliament":
        return None
    engine = RemoteEngine(data, settings)
    if not settings.qdrant_url:
        # The process that it is for has modules to import first.
        threading.Thread(target=read_ahead, args=(version / "vectors",), name="ahead", daemon=True).start()
    return engine


def _allow_files(wanted: int) -> None:
    """Open so many files and connections at once if the system lets this process: many a shell's limit is 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _when_stopped(close: Callable[[], None]) -> None:
    """Call this as soon as the process is told to stop: the server waits for streams, which end by it."""
    if parent_process() is None:
        return
    told, tells = socket.socketpair()
    tells.setblocking(False)
    # The server installs its own handlers later on; this is told of a signal whatever they do.
    signal.set_wakeup_fd(tells.detach(), warn_on_full_buffer=False)

    def watch() -> None:
        told.recv(1)
        close()

    threading.Thread(target=watch, name="stop", daemon=True).start()
    Finalize(None, close, exitpriority=10)  # in case the process ends before that thread had its turn


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, killed too: nobody else would stop it."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _runners(directory: DataDirectory, settings: Settings) -> tuple[QueryRunner, QueryRunner]:
    """What runs the public's queries, and what runs those of the site's own pages."""
    sparql = settings.sparql
    limits = QueryLimits(sparql.seconds, sparql.rows, sparql.bytes, sparql.memory_mb)
    of_pages = QueryLimits(sparql.page_seconds, PAGE_ROWS, PAGE_BYTES, sparql.memory_mb)
    if settings.graph_url:
        from service.snapshots.remote import RemoteRunner

        def version() -> str:
            return _snapshot(directory).version

        return RemoteRunner(settings.graph_url, limits, version), RemoteRunner(settings.graph_url, of_pages, version)

    from service.snapshots.pool import PoolSize, QueryPool

    find = partial(_snapshot, directory)
    places = PoolSize(sparql.workers, sparql.long_queries, sparql.long_queries_per_client, sparql.wait_seconds)
    # Pages are ours: they may be long, all of them, and wait for one another.
    page_places = PoolSize(sparql.page_workers, sparql.page_workers, sparql.page_workers, sparql.page_seconds)
    try:
        return QueryPool(find, limits, places), QueryPool(find, of_pages, page_places)
    except OSError as error:
        raise DataError(str(error)) from error


def _snapshot(directory: DataDirectory) -> Snapshot:
    """What is published now. Raises `DataError`."""
    folder = directory.published()
    return Snapshot(folder / "graph", folder.name, read_manifest(folder).union_default_graph)


def _try_address(host: str, port: int) -> None:
    """Raise `ConfigurationError` where the address is taken: the server would share it and split the requests."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except OSError as error:
        raise ConfigurationError(
            f"{host}:{port} cannot be listened at: {error.strerror}; choose another --port"
        ) from error


def _try_worker(directory: DataDirectory, settings: Settings) -> None:
    """Raise `DataError` where no worker would start: here that is one message, in the server's process a traceback."""
    snapshot = _snapshot(directory)
    if settings.graph_url:
        return
    try:
        Worker(snapshot, settings.sparql.memory_mb).kill()
    except OSError as error:
        raise DataError(str(error)) from error


def serve(data: Path, settings: Settings, host: str, port: int, *, announce: Callable[[], None]) -> None:
    """Serve until stopped. Raises `DataError` if nothing is loaded, `ConfigurationError` if the embedding model is
    not the one that made the vectors."""
    _try_address(host, port)
    refuse_other_model(read_manifest(DataDirectory(data).published()), configured_model(settings))
    _try_worker(DataDirectory(data), settings)
    server = Granian(
        "service.web.server:open_app",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=1,  # one process: the limits per client and the pool of workers are counted in it
        blocking_threads=settings.web_threads,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES),
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
        backpressure=CONNECTIONS,
        websockets=False,
        log_level=LogLevels.error,
        log_access=False,
    )
    # For the process that the server starts: with an arena a thread, memory that a burst took would not come back.
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(TRIMMED))
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(TRIMMED))
    server.on_startup(announce)
    server.serve(target_loader=partial(open_app, data, settings), wrap_loader=False)
