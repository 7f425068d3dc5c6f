"""Put the published graph into a store of the SPARQL 1.1 Graph Store Protocol, in place of all it holds.

send_graph.py DATA URL
"""

import subprocess
import sys
from collections.abc import Iterator

import httpx

BLOCK = 1 << 18
CONNECT_ATTEMPTS = 6
"""With the pauses between them, about half a minute: a store that starts beside this gets ready meanwhile."""
PATIENCE = httpx.Timeout(60, read=3600)
"""Seconds; the store answers when it has taken everything in."""


def export(data: str) -> Iterator[bytes]:
    """The graph as N-Quads. Raises `RuntimeError` where the export fails: no half of it may pass for the whole."""
    command = ["emiciclo", "export", "--data", data]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        while block := process.stdout.read(BLOCK):
            yield block
        if process.wait():
            raise RuntimeError(f"the export of {data} failed with status {process.returncode}")


def main(data: str, url: str) -> int:
    """Send the graph; return the exit code."""
    headers = {"Content-Type": "application/n-quads"}
    try:
        transport = httpx.HTTPTransport(retries=CONNECT_ATTEMPTS)
        with httpx.Client(transport=transport, timeout=PATIENCE, trust_env=False) as client:
            answer = client.put(url, content=export(data), headers=headers)
    except (httpx.HTTPError, RuntimeError) as error:
        print(f"Error: {error}; {url} keeps what it had", file=sys.stderr)
        return 1
    if not answer.is_success:
        print(f"Error: {url} answered {answer.status_code}: {answer.text[:500]}", file=sys.stderr)
        return 1
    print(f"{url} holds the graph of {data}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
