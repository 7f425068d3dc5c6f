"""The Dockerfile: linted, pinned, without privileges, and with no more in it than the service needs."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docker.reading import DOCKERFILE, REPOSITORY, Ignored, read_compose, read_dockerfile


def lint(path: Path) -> str:
    """What hadolint finds in a Dockerfile."""
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("hadolint is not installed (extra `dev`)")
    return subprocess.run([linter, "--no-color", str(path)], capture_output=True, text=True, timeout=60).stdout


def test_the_linter_finds_nothing() -> None:
    assert lint(DOCKERFILE) == ""


def test_the_linter_would_find_something(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM debian\nRUN cd /tmp && sudo ls\n")

    assert {"DL3006", "DL3003", "DL3004"} <= set(re.findall(r"DL\d+", lint(tmp_path / "Dockerfile")))


def test_base_images_are_pinned_to_a_release() -> None:
    external = [stage.base for stage in read_dockerfile() if stage.base not in {s.name for s in read_dockerfile()}]

    assert external
    assert all(re.fullmatch(r"\w+:\d+\.\d+\.\d+-\w+-slim|\w+:\d+\.\d+\.\d+-slim-\w+", base) for base in external)


def test_the_image_has_the_python_that_the_project_is_tested_with() -> None:
    asked = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")

    assert read_dockerfile()[-1].base.startswith(f"python:{asked}.")


def test_the_image_has_the_library_that_isolates_query_workers() -> None:
    assert any("libseccomp2" in step.value.split() for step in read_dockerfile()[-1].all("RUN"))


def test_the_user_has_no_privileges_and_a_fixed_number() -> None:
    final = read_dockerfile()[-1]
    keywords = [step.keyword for step in final.instructions]

    assert final.last("USER").value == "10001:10001"
    assert "RUN" not in keywords[keywords.index("USER") :]


def test_every_package_of_the_distribution_is_copied() -> None:
    build = next(stage for stage in read_dockerfile() if stage.name == "build")
    copied = {word for step in build.all("COPY") if not step.flags for word in step.words[:-1]}
    found = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]

    assert copied == {name.removesuffix("*") for name in found["include"]} | {"pyproject.toml", "README.md", "LICENSE"}


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".venv/bin/python",
        "var/esperia/current",
        "tests/conftest.py",
        "docker/.env",
        "emiciclo.toml",
        "service/__pycache__/cli.cpython-311.pyc",
        "service/web/node_modules/d3/package.json",
        "service/web/static/vendor/d3/d3.min.js",
    ],
)
def test_what_is_not_needed_stays_out_of_the_build(path: str) -> None:
    assert Ignored()(path)


@pytest.mark.parametrize(
    "path",
    [
        "pyproject.toml",
        "service/cli.py",
        "service/web/static/site.css",
        "sparql/enrich/10-x.rq",
        "docker/healthcheck.py",
    ],
)
def test_what_is_needed_goes_into_the_build(path: str) -> None:
    assert not Ignored()(path)


def test_the_health_check_waits_as_long_as_the_service_may_take_to_answer_it() -> None:
    flags = read_dockerfile()[-1].last("HEALTHCHECK").flags
    patience = re.search(r"^SECONDS = (\d+)", (REPOSITORY / "docker" / "healthcheck.py").read_text(), re.MULTILINE)
    assert patience

    from service.settings import Settings

    assert Settings().sparql.page_seconds < int(patience[1]) < float(flags["timeout"].removesuffix("s"))


def test_the_image_of_the_compose_file_is_of_this_version() -> None:
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]

    assert read_compose()["services"]["serve"]["image"] == f"emiciclo:{version}"
