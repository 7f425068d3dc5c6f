"""Questions and answers over HTTP: what is taken, what is told, and how it is refused."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from service.answer import jsonld
from service.answers import keep_answer
from service.corpus import DataDirectory
from service.engines.local import LocalEngine
from service.jobs.answering import answer
from service.jobs.model import AskRequest
from service.settings import JobsSettings, Settings
from service.web.answers import events
from service.web.app import create_app
from service.web.site import EXTENSION
from tests.conftest import Esperia, wait_until
from tests.service.jobs.conftest import Gate

WAGE, NUCLEAR = "il salario minimo legale", "l'energia nucleare"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
SCRIPT = "<script>alert(1)</script> il salario"
MakeApp = Callable[..., Flask]


@pytest.fixture(scope="module")
def local(esperia: Esperia) -> LocalEngine:
    return LocalEngine(esperia.data, esperia.settings)


def folder_of(esperia: Esperia, folder: Path) -> DataDirectory:
    """Esperia's published version, with jobs and answers of its own."""
    folder.mkdir()
    (folder / "current").symlink_to((esperia.data / "current").resolve())
    return DataDirectory(folder)


@pytest.fixture
def data(esperia: Esperia, tmp_path: Path) -> DataDirectory:
    return folder_of(esperia, tmp_path / "data")


@pytest.fixture
def make_app(esperia: Esperia, data: DataDirectory, local: LocalEngine) -> Iterator[MakeApp]:
    """The site over the data directory, with an engine and limits of the queue."""
    made: list[Flask] = []

    def make(engine: Any = None, threads: int = 64, **limits: Any) -> Flask:
        settings = Settings(embedder="hash", web_threads=threads, jobs=JobsSettings(**limits))
        app = create_app(data.path, settings, esperia.corpus.graph, engine=engine or local)
        made.append(app)
        return app

    yield make
    for app in made:
        app.extensions[EXTENSION].jobs.close()


@pytest.fixture
def gate(local: LocalEngine) -> Iterator[Gate]:
    made = Gate(local)
    yield made
    made.open()


@pytest.fixture(scope="module")
def answered(esperia: Esperia, local: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A site with one answer."""
    data = folder_of(esperia, tmp_path_factory.mktemp("answered") / "data")
    app = create_app(data.path, Settings(embedder="hash"), esperia.corpus.graph, engine=local)
    client = app.test_client()
    ended(client, post(client).headers["Location"])
    yield client
    app.extensions[EXTENSION].jobs.close()


def post(client: FlaskClient, question: str = WAGE, **more: Any) -> TestResponse:
    """Put a question as a program does."""
    environ = more.pop("environ", {})
    return client.post("/answers", json={"question": question, **more}, environ_overrides=environ)


def ended(client: FlaskClient, location: str) -> list[dict[str, Any]]:
    """What is told of a question to its end."""
    return told(client.get(f"{location}/events").text)


def told(stream: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    events = []
    for block in stream.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines:
            events.append({"id": int(lines["id"]), "name": lines["event"], **json.loads(lines["data"])})
    return events


def problem(response: TestResponse, status: int) -> dict[str, Any]:
    """The problem document of a refusal."""
    assert (response.status_code, response.mimetype) == (status, "application/problem+json"), response.text
    document: dict[str, Any] = response.get_json()
    assert document["status"] == status
    assert document["detail"]
    return document


# Asking


def test_a_question_is_taken_worked_on_and_answered(make_app: MakeApp) -> None:
    client = make_app().test_client()
    taken = post(client)
    document = taken.get_json()
    location = taken.headers["Location"]
    assert taken.status_code == 202
    assert location == f"/answers/{document['id']}"
    assert (document["state"], document["position"]) in (("queued", 1), ("running", 0))
    assert document["links"]["self"] == f"http://localhost{location}"
    events = ended(client, location)
    assert [event["id"] for event in events] == sorted({event["id"] for event in events})
    assert events[-1]["name"] == "done"
    answered = client.get(location)
    assert (answered.status_code, answered.mimetype) == (200, "application/ld+json")
    assert answered.get_json()["id"] == document["links"]["answer"]
    assert answered.get_json()["language"] == "it"


def test_f128_the_same_question_is_answered_at_once(answered: FlaskClient) -> None:
    again = post(answered, f" {WAGE} ")
    assert (again.status_code, again.get_json()["state"]) == (200, "done")
    assert answered.get(again.headers["Location"]).status_code == 200
    assert "position" not in again.get_json()


def test_f128_many_who_ask_the_same_at_once_share_one_job(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    places = {post(client, environ={"REMOTE_ADDR": f"10.0.0.{n}"}).headers["Location"] for n in range(8)}
    assert len(places) == 1
    gate.open()
    assert ended(client, places.pop())[-1]["name"] == "done"
    assert gate.asked == [WAGE]


def test_a_form_of_the_page_is_led_to_its_answer(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    form = {"question": WAGE, "from": "", "until": "", "asOf": "", "group": "", "speaker": "", "dataset": ""}
    sent = client.post("/answers", data=form, headers={"Accept": "text/html,*/*;q=0.8", "Accept-Language": "en"})
    assert sent.status_code == 303
    page = client.get(sent.headers["Location"], headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (202, "text/html")
    assert page.headers["Retry-After"]
    assert 'http-equiv="refresh"' in page.text
    for form in ("", "?format=jsonld", "?format=json"):
        assert client.get(sent.headers["Location"] + form).get_json()["language"] == "en"


def test_a_form_may_repeat_groups_and_say_fresh(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    sent = client.post("/answers", data={"question": WAGE, "group": ["government", ""], "fresh": "true"})
    assert sent.status_code == 202
    gate.open()
    location = sent.headers["Location"]
    assert ended(client, location)[-1]["name"] == "done"
    kinds = {section["kind"] for section in client.get(location).get_json()["sections"] if section["quotations"]}
    assert kinds == {"government"}


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({}, 400, "question"),
        ({"question": ""}, 400, "question"),
        ({"question": " \t\n"}, 400, "empty"),
        ({"question": "\u0000\u0007\u200b"}, 400, "empty"),
        ({"question": "a" * 1001}, 400, "1000"),
        ({"question": "a" * 100_000}, 413, "1000 characters"),
        ({"question": WAGE, "asof": "2026-01-01"}, 400, "asof"),
        ({"question": WAGE, "asOf": "yesterday"}, 400, "asOf"),
        ({"question": WAGE, "from": "2026-02-01", "until": "2026-01-01"}, 400, "after the last"),
        ({"question": WAGE, "language": "de"}, 400, "language"),
        ({"question": WAGE, "group": [str(n) for n in range(51)]}, 400, "group"),
        ({"question": WAGE, "group": ["x" * 501]}, 400, "group"),
        ({"question": ["a", "b"]}, 400, "question"),
        ({"question": WAGE, "dataset": "../../etc"}, 404, "not served here"),
        ([], 400, "object"),
        ("text", 400, "object"),
        (7, 400, "object"),
    ],
)
def test_what_is_no_question_is_refused_and_says_why(answered: FlaskClient, sent: Any, status: int, said: str) -> None:
    assert said in json.dumps(problem(answered.post("/answers", json=sent), status))


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"question": ', "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"question": "\xff"}', "application/json", 400),
        (rb'{"question": "il salario", "group": ["\ud800"]}', "application/json", 400),
        (b'{"question": "il salario"}', "text/plain", 415),
        (b"question=il+salario", "", 415),
        (b"question=" + b"a" * 70_000, "application/x-www-form-urlencoded", 413),
        (b"&".join([b"group=a"] * 8000), "application/x-www-form-urlencoded", 400),
        (b"no parts", "multipart/form-data; boundary=x", 400),
    ],
)
def test_bodies_that_are_no_question_are_refused(answered: FlaskClient, body: bytes, kind: str, status: int) -> None:
    problem(answered.post("/answers", data=body, content_type=kind), status)


def test_a_body_of_unknown_length_has_the_same_limit(answered: FlaskClient) -> None:
    class Endless:
        def read(self, size: int = -1) -> bytes:
            return b"a" * (size if size > 0 else 1 << 20)

        def readinto(self, buffer: Any) -> int:
            buffer[:] = b"a" * len(buffer)
            return len(buffer)

        def readable(self) -> bool:
            return True

    environ = {"wsgi.input": Endless(), "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    sent = answered.post("/answers", content_type="application/json", environ_overrides=environ)
    problem(sent, 413)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
    ],
)
def test_a_form_of_another_site_cannot_fill_the_queue(answered: FlaskClient, headers: dict[str, str]) -> None:
    problem(answered.post("/answers", data={"question": WAGE}, headers=headers), 403)


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}, {}])
def test_the_own_form_is_taken(answered: FlaskClient, headers: dict[str, str]) -> None:
    assert answered.post("/answers", data={"question": WAGE, "language": "it"}, headers=headers).status_code == 200


def test_another_site_may_ask_by_script(answered: FlaskClient) -> None:
    asked = answered.options("/answers", headers={"Origin": "https://elsewhere.example"})
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    assert "Content-Type" in asked.headers["Access-Control-Allow-Headers"]
    one = answered.options(f"/answers/{UNKNOWN}")
    assert "DELETE" in one.headers["Access-Control-Allow-Methods"]
    assert "Last-Event-ID" in one.headers["Access-Control-Allow-Headers"]


def test_f127_a_client_that_floods_is_refused_and_others_are_not(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    replies = [post(client, f"la scuola numero {n}") for n in range(5)]
    assert [reply.status_code for reply in replies] == [202, 202, 202, 429, 429]
    assert replies[-1].headers["Retry-After"]
    assert problem(replies[-1], 429)["limit"] == "jobs.per_client"
    assert post(client, environ={"REMOTE_ADDR": "10.0.0.1"}).status_code == 202


def test_without_an_engine_nothing_is_asked(esperia: Esperia) -> None:
    client = create_app(esperia.data, Settings(embedder="hash"), esperia.corpus.graph).test_client()
    assert "only publishes" in problem(post(client), 503)["detail"]
    problem(client.get(f"/answers/{UNKNOWN}"), 404)
    problem(client.get(f"/answers/{UNKNOWN}/events"), 404)
    problem(client.delete(f"/answers/{UNKNOWN}"), 404)


# Reading


RDF = {"text/turtle": RdfFormat.TURTLE, "application/trig": RdfFormat.TRIG, "application/n-quads": RdfFormat.N_QUADS}


@pytest.fixture(scope="module")
def location(answered: FlaskClient) -> str:
    return post(answered).headers["Location"]


@pytest.mark.parametrize(
    "kind", ["application/ld+json", "text/html", "text/turtle", "application/trig", "application/n-quads", "text/plain",
             "text/markdown"],
)  # fmt: skip
def test_an_answer_is_served_in_every_form(answered: FlaskClient, location: str, kind: str) -> None:
    reply = answered.get(location, headers={"Accept": kind})
    assert (reply.status_code, reply.mimetype) == (200, kind)
    assert "Accept" in reply.headers["Vary"]
    assert reply.headers["X-Corpus-Version"]
    assert 'rel="describedby"' in ", ".join(reply.headers.getlist("Link"))
    same = answered.get(location, headers={"Accept": kind, "If-None-Match": reply.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    head = answered.head(location, headers={"Accept": kind})
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", reply.headers["ETag"])
    if kind in RDF:
        whole = jsonld.to_rdf(answered.get(location).get_json()).strip().splitlines()
        assert len(list(parse(reply.data, format=RDF[kind]))) == len(whole)


def test_the_json_ld_is_the_answer_as_it_was_made(answered: FlaskClient, location: str) -> None:
    document = answered.get(location).get_json()
    assert jsonld.from_rdf(jsonld.to_rdf(document)) == document


def test_a_form_is_chosen_by_its_name_and_an_unknown_one_is_refused(answered: FlaskClient, location: str) -> None:
    assert answered.get(f"{location}?format=md").mimetype == "text/markdown"
    problem(answered.get(f"{location}?format=docx"), 400)
    problem(answered.get(location, headers={"Accept": "image/png"}), 406)
    problem(answered.get(f"{location}?unknown=1"), 400)


def test_an_answer_of_the_command_line_is_served_too(
    make_app: MakeApp, data: DataDirectory, local: LocalEngine
) -> None:
    document = local.run(answer, AskRequest(WAGE))
    assert keep_answer(data.answers, document)
    client = make_app().test_client()
    place = "/answers/" + document["id"].rsplit("/", 1)[1]
    assert client.get(place).get_json() == document
    assert [event["name"] for event in ended(client, place)] == ["done"]
    problem(client.delete(place), 409)
    assert not data.jobs.exists()


@pytest.mark.parametrize(
    "name", [UNKNOWN, "x", "%00", "..%2f..%2fetc%2fpasswd", "'%20OR%201=1", "%3Cscript%3E", "a" * 5000, "%F0%9F%98%80"]
)
@pytest.mark.parametrize("rest", ["", "/events"])
def test_what_was_never_asked_is_not_found(answered: FlaskClient, name: str, rest: str) -> None:
    problem(answered.get(f"/answers/{name}{rest}"), 404)
    if not rest:
        problem(answered.delete(f"/answers/{name}"), 404)


def test_a_failure_has_its_status_and_is_told_as_an_event(make_app: MakeApp) -> None:
    client = make_app().test_client()
    place = post(client, group=["<b>Nessuno</b>"]).headers["Location"]
    event = ended(client, place)[-1]
    assert (event["name"], event["status"]) == ("failed", 400)
    document = problem(client.get(place), 400)
    assert document["detail"] == event["detail"]
    assert document["job"]["state"] == "failed"
    page = client.get(place, headers={"Accept": "text/html"})
    assert page.status_code == 400
    assert "<b>Nessuno" not in page.text


def test_a_question_is_taken_back_by_whoever_asked_it(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    place = post(client).headers["Location"]
    other = {"REMOTE_ADDR": "10.0.0.9"}
    problem(client.delete(place, environ_overrides=other), 403)
    assert client.delete(place).get_json()["state"] == "cancelled"
    problem(client.get(place), 410)
    assert ended(client, place)[-1]["name"] == "cancelled"
    assert client.delete(place).status_code == 200


def test_an_answer_that_is_there_is_not_taken_back(answered: FlaskClient, location: str) -> None:
    problem(answered.delete(location), 409)
    assert answered.get(location).status_code == 200


def test_script_in_a_question_is_text_everywhere(make_app: MakeApp, gate: Gate) -> None:
    client = make_app(gate).test_client()
    place = post(client, SCRIPT).headers["Location"]
    assert "<script>alert" not in client.get(place, headers={"Accept": "text/html"}).text
    gate.open()
    assert "\n<script>" not in client.get(f"{place}/events").text
    page = client.get(place, headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text


def test_a_second_service_serves_answers_and_says_who_takes_questions(make_app: MakeApp) -> None:
    first, second = make_app().test_client(), make_app().test_client()
    place = post(first).headers["Location"]
    ended(first, place)
    assert second.get(place).status_code == 200
    assert [event["name"] for event in ended(second, place)] == ["done"]
    assert "another service" in problem(post(second, NUCLEAR), 503)["detail"]
    assert "another service" in problem(second.get(f"/answers/{UNKNOWN}"), 503)["detail"]


# Events


def test_f124_a_stream_says_each_stage_with_its_figures(answered: FlaskClient, location: str) -> None:
    reply = answered.get(f"{location}/events")
    events = told(reply.text)
    assert reply.mimetype == "text/event-stream"
    assert reply.headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in answered.get(f"{location}/events", headers={"Accept-Encoding": "gzip, br"}).headers
    assert [event["stage"] for event in events if event["name"] == "stage"] == [
        "understand", "retrieve", "choose", "verify", "write",
    ]  # fmt: skip
    assert {"acts", "signatories", "committees", "byDense", "byGraph"} <= next(
        event["figures"] for event in events if event.get("stage") == "retrieve"
    ).keys()


@given(st.integers(0, 40))
def test_f125_a_stream_goes_on_after_any_event(answered: FlaskClient, location: str, after: int) -> None:
    whole = told(answered.get(f"{location}/events").text)
    last = whole[-1]["id"]
    rest = answered.get(f"{location}/events", headers={"Last-Event-ID": str(after)})
    if after == last:
        assert (rest.status_code, rest.data) == (204, b"")
    else:
        assert told(rest.text) == [event for event in whole if event["id"] > after or after > last]
    assert answered.get(f"{location}/events?after={after}").data == rest.data


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30))
def test_a_forged_event_id_is_refused_or_begins_anew(answered: FlaskClient, location: str, sent: str) -> None:
    reply = answered.get(f"{location}/events", headers={"Last-Event-ID": sent})
    assert reply.status_code in ((200, 204) if sent.strip().isdecimal() or not sent.strip() else (400, 200))
    if reply.status_code == 400:
        problem(reply, 400)


def test_an_empty_number_counts_as_left_out(answered: FlaskClient, location: str) -> None:
    assert answered.get(f"{location}/events?after=").data == answered.get(f"{location}/events").data


@pytest.mark.parametrize("after", ["-1", "x", "1e3", "9999999999"])
def test_a_senseless_number_is_refused(answered: FlaskClient, location: str, after: str) -> None:
    problem(answered.get(f"{location}/events?after={after}"), 400)


# Over a real connection


@pytest.fixture
def serve() -> Iterator[Callable[[Flask], str]]:
    """Serve an application on the loopback interface; yields its address."""
    servers = []

    def start(app: Flask) -> str:
        server = make_server("127.0.0.1", 0, app, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()


def test_f125_a_connection_that_is_lost_is_taken_up_where_it_was(
    make_app: MakeApp, gate: Gate, serve: Callable[[Flask], str]
) -> None:
    address = serve(make_app(gate, keep_alive_seconds=0.05))
    place = address + httpx.post(f"{address}/answers", json={"question": WAGE}).headers["Location"]
    seen: list[dict[str, Any]] = []
    with httpx.stream("GET", f"{place}/events") as stream:
        text = ""
        for part in stream.iter_text():
            text += part
            if "still here" in text:  # told all there is, and alive
                break
    seen += told(text.rpartition("\n\n")[0])
    assert "retry: 2000" in text
    assert seen
    gate.open()
    with httpx.stream("GET", f"{place}/events", headers={"Last-Event-ID": str(seen[-1]["id"])}, timeout=20) as stream:
        rest = told(stream.read().decode())
    assert rest[0]["id"] > seen[-1]["id"]
    assert rest[-1]["name"] == "done"


def test_streams_are_limited_for_a_client_and_altogether_and_given_back(
    make_app: MakeApp, gate: Gate, serve: Callable[[Flask], str]
) -> None:
    address = serve(make_app(gate, threads=9, streams_per_client=2, keep_alive_seconds=0.05))
    place = address + httpx.post(f"{address}/answers", json={"question": WAGE}).headers["Location"]

    def open_from(client: str) -> socket.socket:
        port = int(address.rpartition(":")[2])
        connection = socket.create_connection(("127.0.0.1", port), source_address=(client, 0))
        path = place.removeprefix(address)
        connection.sendall(f"GET {path}/events HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        return connection

    def status(connection: socket.socket) -> int:
        return int(connection.recv(4096).split()[1])

    opened = [open_from("127.0.0.2"), open_from("127.0.0.2"), open_from("127.0.0.3")]
    assert [status(connection) for connection in opened] == [200, 200, 200]
    others = [open_from("127.0.0.2"), open_from("127.0.0.4")]
    assert [status(connection) for connection in others] == [429, 503]
    assert httpx.get(place).status_code == 202, "the state can be asked for"
    opened[0].close()

    def taken() -> bool:
        again = open_from("127.0.0.4")
        found = status(again) == 200
        (opened if found else others).append(again)
        return found

    wait_until(taken, "the place of the stream that went")
    for connection in (*opened, *others):
        connection.close()


def test_streams_that_nobody_reads_make_room_long_before_their_next_sign_of_life(
    make_app: MakeApp, gate: Gate, serve: Callable[[Flask], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LOOK_SECONDS", 0.02)
    address = serve(make_app(gate, streams_per_client=1))
    place = address + httpx.post(f"{address}/answers", json={"question": WAGE}).headers["Location"]

    def taken() -> bool:
        with httpx.stream("GET", f"{place}/events") as stream:
            return stream.status_code == 200

    assert taken()
    begun = time.monotonic()
    wait_until(taken, "no room was made")
    assert time.monotonic() - begun < 15, "before the next sign of life would have been due"


def test_streams_end_when_the_service_stops(make_app: MakeApp, gate: Gate, serve: Callable[[Flask], str]) -> None:
    app = make_app(gate)
    address = serve(app)
    place = address + httpx.post(f"{address}/answers", json={"question": WAGE}).headers["Location"]
    begun = time.monotonic()
    with httpx.stream("GET", f"{place}/events", timeout=20) as stream:
        next(stream.iter_text())
        app.extensions[EXTENSION].jobs.close()
        stream.read() if not stream.is_stream_consumed else None
    assert time.monotonic() - begun < 15, "before the next sign of life would have been due"
