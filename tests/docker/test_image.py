"""The image's own steps, in a fresh root: it is built, loads the demonstration parliament, serves it, and stops."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker.container import Builder, Container, Image, new_volume, running, unavailable
from tests.docker.reading import REPOSITORY, read_compose

REFUSED = unavailable()
pytestmark = [
    pytest.mark.skipif(bool(REFUSED), reason=f"no container can be made here: {REFUSED}"),
    pytest.mark.timeout(900),
]

PATIENCE = 60.0
FETCH = """
import http.client, json, sys
method, path, accept = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=30)
connection.request(method, path, headers={"Accept": accept})
answer = connection.getresponse()
print(json.dumps([answer.status, answer.getheader("Content-Type"), answer.read().decode()]))
"""


@pytest.fixture(scope="module", params=["offline", pytest.param("online", marks=pytest.mark.slow)])
def image(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image; built with what is installed here, or (slow) with what the registries of npm and PyPI have."""
    return Builder(tmp_path_factory.mktemp("image"), online=request.param == "online").build()


@pytest.fixture(scope="module")
def loaded(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The volume `data` after `docker compose run --rm load`."""
    folder = tmp_path_factory.mktemp("volumes")
    data = new_volume(image, folder / "data", "/data")
    volumes = {"data": data, "../mappings/esperia": REPOSITORY / "mappings" / "esperia"}
    with running(image, read_compose()["services"]["load"], volumes, log=folder / "load.log") as load:
        code = load.process.wait(PATIENCE)
    assert code == 0, (folder / "load.log").read_text()
    return data


@pytest.fixture(scope="module")
def serving(image: Image, loaded: Path) -> Iterator[Container]:
    """The service `serve`, healthy."""
    log = loaded.parent / "serve.log"
    volumes = {"data": loaded} | {
        name: new_volume(image, loaded.parent / name, f"/data/{name}") for name in ("answers", "jobs")
    }
    with running(image, read_compose()["services"]["serve"], volumes, log=log) as container:
        deadline = time.monotonic() + PATIENCE
        while (checked := container.execute(image.health)).returncode:
            assert time.monotonic() < deadline, f"{checked.stdout}\n{checked.stderr}\n{log.read_text()}"
            assert container.process.poll() is None, log.read_text()
            time.sleep(0.2)
        yield container


def fetch(container: Container, path: str, accept: str) -> tuple[int, str, str]:
    """Ask the service from inside its container."""
    done = container.execute(["python", "-c", FETCH, "GET", path, accept])
    assert done.returncode == 0, done.stderr
    status, media_type, body = json.loads(done.stdout)
    return status, media_type, body


def test_the_load_writes_the_volume_as_the_user_of_the_image(image: Image, loaded: Path) -> None:
    manifest = json.loads((loaded / "current" / "manifest.json").read_text())

    assert manifest["invented"] is True
    assert {path.stat().st_uid for path in loaded.rglob("*")} == {image.machine.uid}


def test_the_health_check_tells_what_is_served_and_how(image: Image, serving: Container) -> None:
    checked = serving.execute(image.health)

    told = json.loads(checked.stdout)
    assert told["status"] == "ok"
    assert told["dataset"].startswith("esperia")
    assert told["workers"]["isolation"] == "isolated"


def test_a_query_is_answered(serving: Container) -> None:
    status, _, body = fetch(serving, "/sparql?query=SELECT(COUNT(*)AS%20%3Fn)%7B%3Fs%20%3Fp%20%3Fo%7D", "text/csv")

    assert status == 200
    assert int(body.split()[1]) > 10_000


def test_an_answer_that_needs_a_temporary_file_is_whole(serving: Container) -> None:
    status, _, body = fetch(serving, "/sparql?query=SELECT*%7B%3Fs%20%3Fp%20%3Fo%7D", "text/csv")

    assert status == 200
    assert len(body) > 2**20


def test_the_pages_the_styles_and_the_translations_are_in_the_image(serving: Container) -> None:
    status, media_type, page = fetch(serving, "/", "text/html")

    assert (status, media_type.partition(";")[0]) == (200, "text/html")
    assert "Esperia" in page
    assert fetch(serving, "/static/site.css", "*/*")[0] == 200


def test_the_data_are_described_and_given_out_though_nothing_can_be_written_beside_them(serving: Container) -> None:
    status, _, described = fetch(serving, "/data", "text/turtle")

    assert status == 200
    assert "void:Dataset" in described


def test_what_the_console_has_from_npm_is_in_the_image(image: Image) -> None:
    served = next(image.machine.root.glob("opt/emiciclo/lib/python3*/site-packages/service/web/static"))
    if not (REPOSITORY / "service/web/static/vendor/yasqe").is_dir() and not (served / "vendor/yasqe").is_dir():
        pytest.skip("npm's packages are not installed here (make setup)")

    assert (served / "vendor" / "yasqe" / "yasqe.min.js").is_file()
    assert (served / "vendor" / "d3" / "LICENSE").is_file()
    assert not (served.parent / "node_modules").exists()


def test_nothing_can_be_written_but_answers_questions_and_temporary_files_which_are_not_run(
    serving: Container,
) -> None:
    def writes(path: str) -> bool:
        return serving.execute(["sh", "-c", f"echo '#!/bin/sh' >{path}"]).returncode == 0

    assert not writes("/data/x")
    assert not writes("/data/current/x")
    assert writes("/data/answers/x")
    assert writes("/data/jobs/x")
    assert not writes("/opt/emiciclo/x")
    assert not writes("/etc/emiciclo/x")
    assert writes("/tmp/x")
    assert serving.execute(["sh", "-c", "chmod +x /tmp/x && /tmp/x"]).returncode != 0


def test_the_service_has_no_privileges(serving: Container) -> None:
    status = serving.execute(["cat", "/proc/1/status"]).stdout
    told = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)

    assert set(told["Uid"].split()) == {str(serving.machine.uid)}
    assert {told[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert told["NoNewPrivs"] == "1"


def test_the_service_stays_within_its_processes(serving: Container) -> None:
    threads = serving.execute(["sh", "-c", "cat /proc/[0-9]*/status | grep ^Threads"]).stdout
    at_rest = sum(int(line.split()[1]) for line in threads.splitlines())

    assert at_rest * 2 < read_compose()["services"]["serve"]["pids_limit"]


def test_the_service_ends_in_time_when_it_is_told_to(image: Image, loaded: Path, serving: Container) -> None:
    grace = float(read_compose()["services"]["serve"]["stop_grace_period"].removesuffix("s"))

    assert serving.stop(grace) == 0


def test_without_data_it_says_what_to_do(image: Image, tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    volumes = {
        name: new_volume(image, tmp_path / name, place)
        for name, place in (("data", "/data"), ("answers", "/data/answers"), ("jobs", "/data/jobs"))
    }
    with running(image, read_compose()["services"]["serve"], volumes, log=log) as container:
        assert container.process.wait(PATIENCE) == 2

    assert "no data are loaded in /data" in log.read_text()
