"""`kill -9` amid jobs: no finished answer is lost, and the rest is answered or fails cleanly."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.answers import read_answer
from service.corpus import DataDirectory
from tests.benchmarks.serving import serving, wait_until
from tests.conftest import REPOSITORY, Esperia
from tests.service.jobs.conftest import Gate, MakeQueue
from tests.service.jobs.test_queue import LISTS, NUCLEAR, WAGE, ended, state

QUESTIONS = (WAGE, NUCLEAR, LISTS)


def test_a_process_that_is_killed_loses_no_answer_and_no_question(
    make_queue: MakeQueue, data: DataDirectory, gate: Gate
) -> None:
    command = [sys.executable, "-m", "tests.service.jobs.dying", str(data.path), *QUESTIONS]
    died = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert died.returncode == -signal.SIGKILL, died.stderr
    ids = died.stdout.split()
    assert len(ids) == len(QUESTIONS)
    gate.open()
    queue = make_queue(gate)
    assert state(queue, ids[0]) == "done"
    assert [ended(queue, id_)[-1].name for id_ in ids] == ["done"] * 3
    assert sorted(gate.asked) == sorted(QUESTIONS[1:]), "what was answered is not answered again"
    for id_ in ids:
        job = queue.job(id_)
        assert job
        assert read_answer(data.answers, job.iri)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and clients have addresses of their own")
def test_a_service_that_is_killed_goes_on_where_it_was(esperia: Esperia, tmp_path: Path) -> None:
    data = tmp_path / "esperia"
    shutil.copytree(esperia.data, data, symlinks=True)
    settings = {"EMBEDDER": "hash", "JOBS__AT_ONCE": "1"}
    topics = (*QUESTIONS, "la separazione delle carriere", "la legge di bilancio", "l'intelligenza artificiale")
    with serving(data, settings) as service:
        address = f"http://127.0.0.1:{service.port}"
        places = [put(address, topic, n) for n, topic in enumerate(topics)]
        wait_until(lambda: states(address, places).count("done") >= 1, "the first answer")
        before = {place: httpx.get(address + place).json() for place in places if is_done(address, place)}
        processes = service.tree()
        for pid in processes:
            os.kill(pid, signal.SIGKILL)
    with serving(data, settings) as service:
        address = f"http://127.0.0.1:{service.port}"
        for place, document in before.items():
            assert httpx.get(address + place).json() == document
        wait_until(lambda: not {"queued", "running"} & set(states(address, places)), "the end of all", 60)
        assert set(states(address, places)) == {"done"}


def put(address: str, question: str, n: int) -> str:
    """Put a question from an address of its own; returns where its answer will be."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=f"127.0.0.{n + 2}"), timeout=20) as client:
        reply = client.post(f"{address}/answers", json={"question": question})
    assert reply.status_code == 202, reply.text
    return reply.headers["Location"]


def is_done(address: str, place: str) -> bool:
    return states(address, [place]) == ["done"]


def states(address: str, places: list[str]) -> list[str]:
    """Where each question stands."""
    found = []
    for place in places:
        reply = httpx.get(address + place, timeout=20)
        document: dict[str, Any] = reply.json()
        found.append("done" if document.get("type") == "Answer" else document.get("job", document)["state"])
    return found
