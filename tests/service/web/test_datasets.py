"""The data over HTTP: dumps as files or made as they are read, and their descriptions."""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from babel.numbers import format_decimal
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, Triple, parse
from werkzeug.test import TestResponse

from ontology import DCAT, RDF
from service.graph import EmbeddedGraph
from service.publication.description import VOID
from service.publication.making import Publication, make
from service.settings import Settings
from service.web import datasets
from service.web.app import create_app
from tests.conftest import Esperia
from tests.service.publication.parts import copy_of, plain, quads_of, unwritable

FORMATS = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
}


class Reader(FlaskClient):
    """Reads an answer to its end and closes it, as clients over a network do, unless told otherwise."""

    def open(self, *args: Any, buffered: bool = True, follow_redirects: bool = False, **more: Any) -> TestResponse:
        return super().open(*args, buffered=buffered, follow_redirects=follow_redirects, **more)


def client_of(data: Path) -> FlaskClient:
    graph = EmbeddedGraph.open(data / "current" / "graph")
    app = create_app(data, Settings(embedder="hash"), graph)
    app.test_client_class = Reader
    return app.test_client()


def visitor(number: int) -> dict[str, str]:
    """Where a visitor comes from: each is a client of its own."""
    return {"REMOTE_ADDR": f"198.51.100.{number}"}


@pytest.fixture(scope="module")
def data(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of(esperia.data, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def publication(data: Path) -> Publication:
    return make((data / "current").resolve())


@pytest.fixture(scope="module")
def client(data: Path, publication: Publication) -> FlaskClient:
    return client_of(data)


@pytest.fixture(scope="module")
def without_files(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """A service whose data directory cannot be written."""
    copy = copy_of(esperia.data, tmp_path_factory.mktemp("unwritable"))
    unwritable((copy / "current").resolve())
    return client_of(copy)


# Dumps


def test_a_dump_is_the_file_with_its_checksum(client: FlaskClient, publication: Publication) -> None:
    for dump in publication.dumps:
        response = client.get(f"/dumps/{dump.name}.nq.gz")
        assert response.status_code == 200
        assert response.mimetype == "application/gzip"
        assert response.data == publication.path(dump).read_bytes()
        assert response.content_length == dump.size
        assert response.get_etag() == (dump.sha256, False)
        assert response.last_modified
        assert "Content-Encoding" not in response.headers
        digest = response.headers["Repr-Digest"].removeprefix("sha-256=:").removesuffix(":")
        assert base64.b64decode(digest) == hashlib.sha256(response.data).digest()
        line = client.get(f"/dumps/{dump.name}.nq.gz.sha256")
        assert line.text == f"{hashlib.sha256(response.data).hexdigest()}  {dump.name}.nq.gz\n"


def test_a_dump_that_is_known_is_not_sent_again(client: FlaskClient) -> None:
    first = client.get("/dumps/all.nq.gz")
    for header in ({"If-None-Match": first.headers["ETag"]}, {"If-Modified-Since": first.headers["Last-Modified"]}):
        again = client.get("/dumps/all.nq.gz", headers=header)
        assert (again.status_code, again.data) == (304, b"")
    assert client.get("/dumps/all.nq.gz", headers={"If-None-Match": '"other"'}).status_code == 200


def test_head_tells_the_size_without_the_content(client: FlaskClient, publication: Publication) -> None:
    response = client.head("/dumps/all.nq.gz")
    assert (response.data, response.content_length) == (b"", publication.dumps[0].size)


@given(st.data())
def test_any_part_of_a_dump_can_be_had(client: FlaskClient, publication: Publication, data: st.DataObject) -> None:
    dump = publication.dumps[-1]
    whole = publication.path(dump).read_bytes()
    first = data.draw(st.integers(0, dump.size - 1))
    last = data.draw(st.integers(first, dump.size + 10))
    header = data.draw(st.sampled_from([f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{first + 1}"]))
    expected = {f"bytes={first}-": whole[first:], f"bytes=-{first + 1}": whole[-first - 1 :]}.get(
        header, whole[first : last + 1]
    )
    response = client.get(f"/dumps/{dump.name}.nq.gz", headers={"Range": header})
    assert response.status_code == 206
    assert response.data == expected
    assert response.content_length == len(expected)


def test_a_part_that_is_not_there_is_refused_and_a_changed_file_is_sent_whole(
    client: FlaskClient, publication: Publication
) -> None:
    dump = publication.dumps[0]
    beyond = client.get("/dumps/all.nq.gz", headers={"Range": f"bytes={dump.size}-"})
    assert beyond.status_code == 416
    for unknown in ("bytes=0-1,5-6", "items=0-5", "bytes=a-b", "bytes=5-1", "nonsense", "bytes="):
        whole = client.get("/dumps/all.nq.gz", headers={"Range": unknown})
        assert (whole.status_code, len(whole.data)) == (200, dump.size), unknown
    resumed = client.get("/dumps/all.nq.gz", headers={"Range": "bytes=10-19", "If-Range": '"another file"'})
    assert (resumed.status_code, len(resumed.data)) == (200, dump.size)


@pytest.mark.parametrize("path", [
    "/dumps/nothing.nq.gz", "/dumps/nothing.nq.gz.sha256", "/dumps/all.nq", "/dumps/..%2f..%2fmanifest.json.nq.gz",
    "/dumps/%00.nq.gz", "/dumps/" + "a" * 5000 + ".nq.gz", "/dumps/statistics.json", "/dumps/ALL.nq.gz",
])  # fmt: skip
def test_what_is_no_dump_is_not_found(path: str, client: FlaskClient, without_files: FlaskClient) -> None:
    for each in (client, without_files):
        response = each.get(path)
        assert response.status_code == 404
        assert response.mimetype == "application/problem+json"


def test_a_dump_that_is_taken_gives_its_place_back(client: FlaskClient) -> None:
    """Whole, in part, unchanged and as a head: each more often than a client may have answers under way."""
    known = client.get("/dumps/all.nq.gz").headers["ETag"]
    for _ in range(2 * Settings().sparql.queries_per_client):
        assert client.get("/dumps/all.nq.gz").status_code == 200
        assert client.get("/dumps/all.nq.gz", headers={"Range": "bytes=0-9"}).status_code == 206
        assert client.get("/dumps/all.nq.gz", headers={"If-None-Match": known}).status_code == 304
        assert client.head("/dumps/all.nq.gz").status_code == 200


def test_a_client_has_a_few_dumps_under_way_at_most(client: FlaskClient) -> None:
    running = [client.get("/dumps/all.nq.gz", buffered=False) for _ in range(Settings().sparql.queries_per_client)]
    assert client.get("/dumps/all.nq.gz").status_code == 429
    assert client.get("/dumps/all.nq.gz", environ_overrides=visitor(1)).status_code == 200
    for response in running:
        response.close()
    assert client.get("/dumps/all.nq.gz").status_code == 200


def test_where_no_file_can_be_kept_a_dump_is_made_as_it_is_read(
    without_files: FlaskClient, client: FlaskClient, publication: Publication
) -> None:
    for dump in publication.dumps:
        response = without_files.get(f"/dumps/{dump.name}.nq.gz")
        assert response.status_code == 200
        assert response.data == client.get(f"/dumps/{dump.name}.nq.gz").data
        again = without_files.get(f"/dumps/{dump.name}.nq.gz", headers={"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304
    refused = without_files.get("/dumps/all.nq.gz.sha256")
    assert refused.status_code == 404
    assert "cannot be written" in refused.get_json()["detail"]


def test_dumps_that_are_made_as_they_are_read_are_few_at_once(without_files: FlaskClient) -> None:
    application = without_files.application
    running = [
        application.test_client().get("/dumps/all.nq.gz", buffered=False, environ_overrides=visitor(number))
        for number in range(datasets.STREAMS)
    ]
    refused = without_files.get("/dumps/all.nq.gz")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    for response in running:
        response.close()
    # Those that were given up, heads and what the client has already take no place.
    for _ in range(2 * datasets.STREAMS):
        assert without_files.head("/dumps/all.nq.gz").status_code == 200
        known = {"If-None-Match": running[0].headers["ETag"]}
        assert without_files.get("/dumps/all.nq.gz", headers=known).status_code == 304
    assert without_files.get("/dumps/ontology.nq.gz").status_code == 200


def test_first_visitors_at_once_all_get_the_same_dump(esperia: Esperia, tmp_path: Path) -> None:
    application = client_of(copy_of(esperia.data, tmp_path)).application

    def visit(number: int) -> bytes:
        return application.test_client().get("/dumps/esperia-1.nq.gz", environ_overrides=visitor(number)).data

    with ThreadPoolExecutor(6) as visitors:
        found = set(visitors.map(visit, range(6)))
    assert len(found) == 1
    (version,) = (tmp_path / "versions").iterdir()
    assert {path.name for path in version.iterdir()} == {"graph", "manifest.json", "publication"}


def test_while_it_is_made_the_rest_is_told(
    esperia: Esperia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eventually: Callable[..., None]
) -> None:
    monkeypatch.setattr(datasets, "WAIT_SECONDS", 0.0)
    client = client_of(copy_of(esperia.data, tmp_path))
    early = client.get("/void")
    assert early.status_code == 200
    assert early.headers["Cache-Control"] == "no-cache"
    assert b"sparqlEndpoint" in early.data
    assert b"distinctSubjects" not in early.data
    waiting = client.get("/dumps/all.nq.gz.sha256")
    assert waiting.status_code == 503
    assert int(waiting.headers["Retry-After"]) > 0
    eventually(lambda: b"distinctSubjects" in client.get("/void").data, "the statistics")
    assert client.get("/dumps/all.nq.gz.sha256").status_code == 200


# Descriptions


@pytest.mark.parametrize("path", ["/data", "/void"])
def test_each_form_of_a_description_says_the_same(path: str, client: FlaskClient) -> None:
    found: set[frozenset[Triple]] = set()
    for media_type, form in FORMATS.items():
        response = client.get(path, headers={"Accept": media_type})
        assert response.status_code == 200
        assert response.mimetype == media_type
        assert "Accept" in response.vary
        found.add(frozenset(quad.triple for quad in parse(response.data, format=form)))
    assert len(found) == 1
    assert len(next(iter(found))) > 100


@pytest.mark.parametrize("path", ["/data", "/void"])
def test_a_description_can_be_asked_for_again(path: str, client: FlaskClient) -> None:
    first = client.get(path, headers={"Accept": "text/turtle"})
    again = client.get(path, headers={"Accept": "text/turtle", "If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get(path, headers={"Accept": "application/ld+json", "If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200
    assert client.head(path, headers={"Accept": "text/turtle"}).data == b""


def test_forms_are_linked_and_nothing_else_is_served(client: FlaskClient) -> None:
    response = client.get("/data", headers={"Accept": "text/turtle"})
    links = response.headers.getlist("Link")
    assert any('rel="describedby"' in link and "</void>" in link for link in links)
    for link in links:
        if 'rel="alternate"' in link:
            address, kind = link.split(">; ")[0].removeprefix("<"), link.split('type="')[1].rstrip('"')
            assert client.get(address).mimetype == kind
    assert client.get("/data", headers={"Accept": "image/png"}).status_code == 406
    assert client.get("/void?format=docx").status_code == 400
    assert client.post("/data").status_code == 405


def test_void_is_where_it_is_looked_for(client: FlaskClient) -> None:
    response = client.get("/.well-known/void", headers={"Accept": "text/turtle"})
    assert (response.status_code, response.headers["Location"]) == (303, "/void")
    assert client.get("/.well-known/void?format=nt").headers["Location"] == "/void?format=nt"
    followed = client.get("/.well-known/void", headers={"Accept": "text/turtle"}, follow_redirects=True)
    triples = {quad.triple for quad in parse(followed.data, format=RdfFormat.TURTLE)}
    assert any(t.object == NamedNode(f"{VOID}DatasetDescription") for t in triples)
    browser = client.get("/void", headers={"Accept": "text/html,application/xml;q=0.9,*/*;q=0.8"})
    assert (browser.status_code, browser.headers["Location"]) == (303, "/data")


def test_the_addresses_that_are_told_lead_somewhere(client: FlaskClient) -> None:
    triples = {quad.triple for quad in parse(client.get("/data?format=nt").data, format=RdfFormat.N_TRIPLES)}
    for triple in triples:
        if triple.predicate == NamedNode(f"{DCAT}downloadURL"):
            address = triple.object.value  # type: ignore[union-attr]
            assert address.startswith("http://localhost/dumps/")
            assert client.get(address.removeprefix("http://localhost")).status_code == 200
    datasets_ = [t.subject for t in triples if t.object == NamedNode(f"{DCAT}Dataset")]
    assert datasets_ == [NamedNode("http://localhost/data#dataset")]
    assert {t.predicate for t in triples} >= {NamedNode(f"{RDF}type")}


@pytest.mark.parametrize("host", ["a b", "<script>", 'x">', "[", "à.example", "x" * 500, ""])
def test_a_host_that_makes_no_address_gets_a_problem_or_an_address(host: str, client: FlaskClient) -> None:
    response = client.get("/data?format=nt", headers={"Host": host})
    assert response.status_code in (200, 400)
    if response.status_code == 200:
        list(parse(response.data, format=RdfFormat.N_TRIPLES))


# The page


def test_the_page_lists_the_dumps_with_sizes_and_checksums(client: FlaskClient, publication: Publication) -> None:
    page = client.get("/data", headers={"Accept": "text/html"}).text
    for dump in publication.dumps:
        assert f'href="/dumps/{dump.name}.nq.gz"' in page
        assert dump.sha256 in page
        assert f"{dump.quads:,}" in page
    assert "emi:Speech" in page


def test_the_page_is_there_in_italian(client: FlaskClient, esperia: Esperia) -> None:
    response = client.get("/data?lang=it", headers={"Accept": "text/html"})
    assert response.headers["Content-Language"] == "it"
    assert format_decimal(esperia.corpus.manifest.counts["triples"], locale="it") in response.text
    assert client.get("/data", headers={"Accept": "text/html"}).status_code == 200


def test_names_that_come_with_the_data_are_escaped(esperia: Esperia, tmp_path: Path) -> None:
    data = copy_of(esperia.data, tmp_path)
    path = data / "current" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["sources"] = {"<script>alert(1)</script>.nq": "0" * 64}
    manifest["title"] = {"en": "<b>bold</b>"}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    client = client_of(data)
    page = client.get("/data", headers={"Accept": "text/html"}).text
    assert "<script>alert" not in page
    assert "<b>bold" not in page
    assert b"<b>bold" not in client.get("/data?format=rdf").data


# Plain RDF


def test_plain_rdf_is_given_away_as_it_was_loaded(tmp_path: Path) -> None:
    loaded = (
        '<http://e.org/a> <http://e.org/p> "<i>x</i>" <http://e.org/g> .\n'
        '<http://e.org/a> <http://e.org/p> "<i>x</i>" <javascript:alert(1)> .\n'
        "<http://e.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <javascript:alert(2)> .\n"
    )
    client = client_of(plain(tmp_path, loaded))
    dump = client.get("/dumps/all.nq.gz")
    assert quads_of(gzip.decompress(dump.data)) == quads_of(loaded.encode())
    assert client.get("/dumps/default.nq.gz").status_code == 200
    page = client.get("/data", headers={"Accept": "text/html"}).text
    assert 'href="javascript:' not in page
    triples = {quad.triple for quad in parse(client.get("/void").data, format=RdfFormat.TURTLE)}
    assert any(t.predicate == NamedNode(f"{VOID}triples") for t in triples)
    assert client.get("/data?format=ttl").status_code == 200


def test_before_anything_is_loaded_that_is_told(tmp_path: Path) -> None:
    client = create_app(tmp_path, Settings(embedder="hash"), EmbeddedGraph.__new__(EmbeddedGraph)).test_client()
    for path in ("/data", "/void", "/dumps/all.nq.gz", "/dumps/all.nq.gz.sha256"):
        response = client.get(path)
        assert response.status_code == 503
        assert "no data are loaded" in response.get_json()["detail"]
