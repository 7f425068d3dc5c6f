"""The published graph is put into a store by URL as a whole, or not at all."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.graph import RemoteGraph
from tests.conftest import Esperia, oxigraph_server
from tests.docker.reading import REPOSITORY

FORMER = "<http://former.example/s> <http://former.example/p> <http://former.example/o> <http://former.example/g> .\n"
HALF = "<http://new.example/s> <http://new.example/p> <http://new.example/o> <http://new.example/g> ."
ALL = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"


@pytest.fixture
def store() -> Iterator[str]:
    """A store that holds one triple; yields its address."""
    with oxigraph_server("serve") as address:
        headers = {"Content-Type": "application/n-quads"}
        httpx.post(f"{address}/store", content=FORMER, headers=headers).raise_for_status()
        yield address


def send(data: Path, address: str, programs: Path = Path(sys.executable).parent) -> "subprocess.CompletedProcess[str]":
    """Run the script with the command `emiciclo` of a folder."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, str(REPOSITORY / "docker" / "send_graph.py"), str(data), f"{address}/store"],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PATH": path},
    )


def count(address: str) -> int:
    return int(RemoteGraph(f"{address}/query").select(ALL)[0]["n"].value)


def test_the_graph_takes_the_place_of_what_was_there(esperia: Esperia, store: str) -> None:
    done = send(esperia.data, store)

    assert done.returncode == 0, done.stderr
    assert count(store) == int(esperia.corpus.graph.select(ALL)[0]["n"].value)
    assert not RemoteGraph(f"{store}/query").ask("ASK { <http://former.example/s> ?p ?o }")


@pytest.mark.parametrize("written", ["", HALF])
def test_an_export_that_fails_leaves_the_store_as_it_was(store: str, tmp_path: Path, written: str) -> None:
    failing = tmp_path / "emiciclo"
    failing.write_text(f"#!/bin/sh\necho '{written}'\nexit 2\n")
    failing.chmod(0o755)

    done = send(tmp_path, store, programs=tmp_path)

    assert done.returncode == 1
    assert "failed with status 2" in done.stderr
    assert "Traceback" not in done.stderr
    assert count(store) == 1
    assert RemoteGraph(f"{store}/query").ask("ASK { <http://former.example/s> ?p ?o }")


def test_a_store_that_refuses_is_told_with_its_words(esperia: Esperia, store: str) -> None:
    done = send(esperia.data, f"{store}/nowhere")

    assert done.returncode == 1
    assert "answered 4" in done.stderr
