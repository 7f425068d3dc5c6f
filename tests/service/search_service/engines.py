"""Other SPARQL engines, run for real on the loopback interface, and a site that they call."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
from flask import Flask
from werkzeug.serving import make_server

VIRTUOSO: Final = shutil.which("virtuoso-t")
ISQL: Final = shutil.which("isql-vt") or shutil.which("isql")
STARTED: Final = 60.0
"""Seconds that Virtuoso may take to make its database."""


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """An application on a free port; yields its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def virtuoso(folder: Path) -> Iterator[str]:
    """An empty Virtuoso whose public may federate; yields the address of its endpoint."""
    assert VIRTUOSO is not None
    assert ISQL is not None
    (folder / "virtuoso.ini").write_text(_INI.format(folder=folder, http=(http := _port()), sql=(sql := _port())))
    process = subprocess.Popen(
        [VIRTUOSO, "+foreground", "+configfile", str(folder / "virtuoso.ini")],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{http}/sparql"
    try:
        deadline = time.monotonic() + STARTED
        while not _answers(address):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((folder / "virtuoso.log").read_text())
            time.sleep(0.05)
        subprocess.run([ISQL, str(sql), "dba", "dba", f"exec={_SET_UP}"], check=True, stdout=subprocess.DEVNULL)
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, params={"query": "ASK {}"}, timeout=2).is_success
    except httpx.TransportError:
        return False


def _port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


_SET_UP: Final = """
GRANT SELECT ON DB.DBA.SPARQL_SINV_2 TO "SPARQL";
GRANT EXECUTE ON DB.DBA.SPARQL_SINV_IMP TO "SPARQL";
GRANT SPARQL_UPDATE TO "SPARQL";
"""
_INI: Final = """\
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
FileExtend = 200
MaxCheckpointRemap = 2000

[TempDatabase]
DatabaseFile = {folder}/temp.db
TransactionFile = {folder}/temp.trx
MaxCheckpointRemap = 2000

[Parameters]
ServerPort = 127.0.0.1:{sql}
ServerThreads = 10
NumberOfBuffers = 4000
MaxDirtyBuffers = 2000
CheckpointInterval = 0
SchedulerInterval = 10
DirsAllowed = {folder}
DefaultHost = localhost

[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 5

[SPARQL]
ResultSetMaxRows = 10000
DefaultGraph = http://example.org/
"""
