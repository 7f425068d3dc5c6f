"""The README is true: its addresses and requests are answered, its commands exist, its packages are those in use."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import pairwise, takewhile
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from typer.main import get_command

from service.cli import app as command_line
from tests.conftest import REPOSITORY, Esperia
from tests.service.web.sites import QUESTION, answered, copied, running

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [text for block in CONSOLE for text in re.split(r"(?m)^\$ ", block) if text]
PROGRAM = ".venv/bin/emiciclo "


def part(heading: str) -> str:
    """A section of the README without its heading."""
    found = re.search(rf"(?ms)^#+ {heading}\n(.*?)(?=^#+ |\Z)", README)
    assert found, heading
    return found[1]


def words(command: str) -> list[str]:
    """A command as a shell reads it, without the answer that is shown below it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, "#"
    return list(takewhile(lambda word: word != "\n", lexer))


REQUESTS = [words(text) for text in COMMANDS if text.startswith("curl ")]
ADDRESSES = [
    path
    for heading in ("The pages", "Search, experts, compass, the record")
    for row in re.findall(r"(?m)^\|.*\|$", part(heading))
    for path in re.findall(r"`(/[^`{…]*)`", row)
    if path not in ("/resource?iri=", "/examples")
]


@pytest.fixture(scope="module")
def app(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The site over a copy of Esperia."""
    with running(copied(esperia.data, tmp_path_factory.mktemp("readme") / "esperia")) as made:
        yield made


@pytest.fixture(scope="module")
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="module")
def answer(client: FlaskClient) -> str:
    """The path of an answer."""
    return answered(client, QUESTION)


def test_there_is_something_to_try() -> None:
    assert len(REQUESTS) > 8
    assert len(ADDRESSES) > 20


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.usefixtures("answer")
def test_an_address_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path, headers={"Accept": "text/html, */*;q=0.5"}).status_code in (200, 303)


@pytest.mark.parametrize("request_", REQUESTS, ids=" ".join)
def test_a_request_is_answered(client: FlaskClient, answer: str, request_: list[str]) -> None:
    (address,) = (word for word in request_ if word.startswith("http://"))
    options = dict(pairwise(request_))
    headers = dict([options["-H"].split(": ", 1)]) if "-H" in options else {}
    path = address.removeprefix("http://127.0.0.1:8000").replace("/answers/ID", answer)
    if "--json" in options:
        reply = client.post(path, data=options["--json"], headers=headers, content_type="application/json")
    elif "--data-urlencode" in options:
        name, _, value = options["--data-urlencode"].partition("=")
        reply = client.post(path, data={name: value}, headers=headers)
        assert len(reply.text.splitlines()) > 1, "there is something to see"
    else:
        reply = client.open(path, method=options.get("-X", "GET"), headers=headers)
    # What is answered already cannot be taken back.
    assert reply.status_code == (409 if "-X" in options else 202 if "--json" in options else 200), reply.text


@pytest.mark.parametrize("command", [text for text in COMMANDS if text.startswith(PROGRAM)])
def test_a_command_and_its_options_exist(command: str) -> None:
    name, *arguments = words(command)[1:]
    found = get_command(command_line).commands[name]  # type: ignore[attr-defined]
    known = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in arguments if word.startswith("--")} <= known


def test_every_package_is_named_with_its_purpose() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(name for group in project["optional-dependencies"].values() for name in group),
    ]
    used = {re.match(r"[\w-]+", entry)[0].lower() for entry in wanted} - {"emiciclo"}  # type: ignore[index]
    rows = re.findall(r"(?m)^\| (.*?) \| .+ \|$", part("Dependencies"))
    of_python = [row for row in rows if "npm" not in row]
    named = {name.strip().lower() for row in of_python for name in row.rpartition(": ")[2].split(",")}
    assert named - {"package"} == used


def test_every_operation_stands_in_the_readme(client: FlaskClient) -> None:
    for path in client.get("/openapi.json").get_json()["paths"]:
        first = path.strip("/").split("/")[0].partition(".")[0]
        assert re.search(rf"[`/]/?{re.escape(first)}\b", README), path


def test_no_link_within_leads_nowhere() -> None:
    headings = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in re.findall(r"(?m)^#+ (.+)$", README)}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= headings
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert urlsplit(target).scheme or (REPOSITORY / target).exists(), target
