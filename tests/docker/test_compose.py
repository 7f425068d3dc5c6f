"""The Compose file: valid, hardened, one service a profile, and true to the settings."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from compose_spec import PyCompose

from service.settings import Settings, load_settings
from tests.docker.reading import COMPOSE, read_compose

SERVICES: dict[str, dict[str, Any]] = read_compose()["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
SERVING = {name: service for name, service in OURS.items() if "ports" in service}
UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}


def size(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def active(*profiles: str) -> set[str]:
    """The services that profiles switch on."""
    return {name for name, service in SERVICES.items() if set(service["profiles"]) & set(profiles)}


def test_the_file_follows_the_compose_specification() -> None:
    assert PyCompose.from_json(json.dumps(read_compose())).service_names() == list(SERVICES)


def test_a_misspelt_key_is_no_compose_file() -> None:
    spoilt = read_compose()
    spoilt["services"]["serve"]["readonly"] = spoilt["services"]["serve"].pop("read_only")

    with pytest.raises(ValueError, match="readonly"):
        PyCompose.from_json(json.dumps(spoilt))


@pytest.mark.parametrize("profile", ["embedded", "qdrant", "oxigraph", "load", "load-qdrant", "load-oxigraph"])
def test_the_engine_s_own_client_reads_it(profile: str) -> None:
    client = ["docker", "compose"]
    if not shutil.which("docker") or subprocess.run([*client, "version"], capture_output=True).returncode:
        pytest.skip("Docker's Compose plugin is not installed")
    done = subprocess.run(
        [*client, "--file", str(COMPOSE), "--profile", profile, "config", "--services"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == active(profile)


def test_each_profile_runs_one_service_of_ours_and_the_store_that_it_needs() -> None:
    assert active("embedded") == {"serve"}
    assert active("qdrant") == {"serve-qdrant", "qdrant"}
    assert active("oxigraph") == {"serve-oxigraph", "oxigraph"}
    assert active("load") == {"load"}
    assert active("load-qdrant") == {"load-qdrant", "qdrant"}
    assert active("load-oxigraph") == {"load-oxigraph", "oxigraph"}


def test_the_default_profile_is_the_embedded_one() -> None:
    assert "COMPOSE_PROFILES=embedded" in (COMPOSE.parent / ".env").read_text().splitlines()


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_depends_on_is_there_in_each_of_its_profiles(name: str) -> None:
    for profile in SERVICES[name]["profiles"]:
        assert set(SERVICES[name].get("depends_on", ())) <= active(profile)


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_hardened_limited_and_pinned(name: str) -> None:
    service = SERVICES[name]

    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert "privileged" not in service
    assert size(service["mem_limit"]) > 0
    assert float(service["cpus"]) > 0
    assert service["pids_limit"] > 0
    assert re.search(r":v?\d+\.\d+\.\d+(-\w+)?$", service["image"])


@pytest.mark.parametrize("name", SERVING)
def test_a_service_that_serves_writes_answers_and_questions_only_and_is_published_on_this_host_alone(name: str) -> None:
    service = SERVING[name]

    assert service["volumes"] == ["data:/data:ro", "answers:/data/answers", "jobs:/data/jobs"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["restart"] == "unless-stopped"
    assert "healthcheck" not in service, "the image's own"


@pytest.mark.parametrize("name", SERVING)
def test_the_memory_is_enough_for_every_query_worker_and_the_temporary_files(name: str) -> None:
    sparql = Settings().sparql
    workers = (sparql.workers + sparql.page_workers) * sparql.memory_mb * 2**20
    temporary = re.search(r"size=(\w+)", SERVING[name]["tmpfs"][0])
    assert temporary

    assert size(SERVING[name]["mem_limit"]) >= workers + size(temporary[1]) + 2**30


def test_nothing_outside_reaches_a_store() -> None:
    for name in ("qdrant", "oxigraph"):
        assert SERVICES[name]["networks"] == ["stores"]
        assert "ports" not in SERVICES[name]
    assert read_compose()["networks"]["stores"]["internal"] is True


@pytest.mark.parametrize("name", OURS)
def test_what_a_service_is_given_are_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in OURS[name]["environment"].items():
        if value is not None:
            monkeypatch.setenv(key, str(value))

    given = load_settings()
    assert bool(given.qdrant_url) == name.endswith("qdrant")
    assert bool(given.graph_url) == (name == "serve-oxigraph")


def test_every_address_names_a_service_on_a_shared_network() -> None:
    for name, service in OURS.items():
        words = [*service["environment"].values(), *service.get("command", ())]
        for host in re.findall(r"http://(\w+):", " ".join(map(str, words))):
            assert host in service["depends_on"], name
            assert set(service["networks"]) & set(SERVICES[host]["networks"])


def test_the_store_stops_queries_when_the_service_stops_waiting() -> None:
    command = read_compose({"EMICICLO_SPARQL__SECONDS": "7"})["services"]["oxigraph"]["command"]

    assert "--timeout-s=7" in command
    assert f"--timeout-s={Settings().sparql.seconds:g}" in SERVICES["oxigraph"]["command"]
    assert "--union-default-graph" in command


@contextmanager
def ready(status: int) -> Iterator[int]:
    """A server whose `/readyz` answers with a status; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_of_qdrant_tells_ready_from_not_ready(status: int, healthy: bool) -> None:
    how, *words = SERVICES["qdrant"]["healthcheck"]["test"]
    with ready(status) as port:
        done = subprocess.run([word.replace("6333", str(port)) for word in words], timeout=10, env=dict(os.environ))

    assert how == "CMD"
    assert (done.returncode == 0) is healthy
