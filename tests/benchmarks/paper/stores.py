"""The stores by URL: the native Oxigraph server over the published files, and Qdrant where one is given."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from service.corpus import DataDirectory
from tests.benchmarks.serving import free_port, wait_until


@contextmanager
def oxigraph(data: Path) -> Iterator[tuple[str, int]]:
    """Serve the graph of a data directory read-only; yields the address of its queries and the process id."""
    port = free_port()
    graph = DataDirectory(data).published() / "graph"
    command = [str(Path(sys.executable).with_name("oxigraph")), "serve-read-only", "--location", str(graph)]
    process = subprocess.Popen(
        [*command, "--bind", f"127.0.0.1:{port}", "--union-default-graph"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def ready() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"oxigraph ended with status {process.returncode}")
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{port}/", timeout=1).is_success
        return False

    try:
        wait_until(ready, "the Oxigraph server")
        yield f"http://127.0.0.1:{port}/query", process.pid
    finally:
        process.kill()
        process.wait()
