"""Real parts for the tests: a loaded demonstration parliament, graphs and indexes in both their forms."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pyoxigraph import Quad, RdfFormat, Store, serialize
from qdrant_client import QdrantClient

import sparql
from service.chamber import Chamber, sittings
from service.corpus import Corpus, open_corpus
from service.embedding import HashEmbedder
from service.findings import Findings, find
from service.graph import EmbeddedGraph, GraphStore, RemoteGraph
from service.loading.build import LoadReport, load
from service.question import Question, understand
from service.settings import Settings
from service.thesaurus import Thesaurus
from service.vectors import Point, VectorStore
from service.vectors.embedded import EmbeddedIndex
from service.vectors.server import ServerIndex

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "mappings" / "esperia"
BASE = "https://w3id.org/emiciclo/id/"
PATIENCE = 20.0
"""Seconds that a server or a subprocess may take to get ready."""

hypothesis_settings.register_profile(
    "emiciclo",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("emiciclo")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see the defaults, whatever the environment of the machine says."""
    for name in list(os.environ):
        if name.startswith("EMICICLO_"):
            monkeypatch.delenv(name)


def over_all_sittings(name: str, graph: GraphStore) -> str:
    """A query by its name; one about the parts of sittings asks for those of all sittings."""
    query = sparql.query(name)
    return sparql.bind(query, "?sitting", sittings(graph)) if "VALUES ?sitting " in query else query


@dataclass(frozen=True, slots=True)
class Esperia:
    """The demonstration parliament, loaded and opened."""

    data: Path
    report: LoadReport
    corpus: Corpus
    chamber: Chamber
    thesaurus: Thesaurus
    settings: Settings

    def understand(self, text: str, **how: Any) -> Question:
        """The question as the pipeline understands it."""
        return understand(text, self.corpus, self.thesaurus, **how)

    def find(self, text: str, **how: Any) -> Findings:
        """The findings of a question with the default settings of retrieval."""
        return find(self.understand(text, **how), self.corpus, self.chamber, self.settings.retrieval)


@pytest.fixture(scope="session")
def esperia(tmp_path_factory: pytest.TempPathFactory) -> Esperia:
    """Esperia, loaded once; nothing may write to it."""
    data = tmp_path_factory.mktemp("esperia")
    report = load("esperia", SOURCES, data, base_iri=BASE, embedder=HashEmbedder())
    settings = Settings(embedder="hash")
    corpus = open_corpus(data, settings)
    return Esperia(data, report, corpus, Chamber(corpus.graph), Thesaurus.read(corpus.graph), settings)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of Esperia's source files that a test may spoil."""
    folder = tmp_path / "sources"
    for name in ("ocd", "stenographic"):
        shutil.copytree(SOURCES / name, folder / name)
    return folder


@pytest.fixture
def few_sources(sources: Path) -> Path:
    """Esperia with the transcripts of its last three sittings alone, which loads faster."""
    for report in sorted((sources / "stenographic").iterdir())[:-3]:
        report.unlink()
    return sources


def state_of(data: Path) -> dict[str, object]:
    """What a data directory publishes: the link, and size and time of each file behind it.

    Files of the index have sizes alone: whoever lets go of one, at any time, has the engine write the same bytes again.
    """
    found: dict[str, object] = {"current": os.readlink(data / "current")}
    version = (data / "current").resolve()
    for path in sorted(version.rglob("*")):
        told, name = path.stat(), path.relative_to(version)
        found[str(name)] = told.st_size if name.parts[0] == "vectors" else (told.st_size, told.st_mtime_ns)
    return found


@pytest.fixture(scope="session")
def eventually() -> Callable[..., None]:
    """Wait until a condition holds, or fail when the deadline passes."""
    return wait_until


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Poll a condition; raise `TimeoutError` that says what was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.01)


@contextmanager
def oxigraph_server(*arguments: str) -> Iterator[str]:
    """Run the native Oxigraph server on a free port of the loopback interface; yield its address."""
    binary = Path(sys.executable).with_name("oxigraph")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(binary), *arguments, "--bind", f"127.0.0.1:{port}", "--union-default-graph"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )

    def answers() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"oxigraph ended: {process.communicate()[1].decode()}")
        try:
            return httpx.get(f"http://127.0.0.1:{port}/", timeout=1).is_success
        except httpx.TransportError:
            return False

    try:
        wait_until(answers, "the Oxigraph server")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def esperia_endpoint(esperia: Esperia) -> Iterator[str]:
    """A SPARQL endpoint of another process over Esperia's published store."""
    location = str((esperia.data / "current" / "graph").resolve())
    with oxigraph_server("serve-read-only", "--location", location) as address:
        yield f"{address}/query"


@pytest.fixture(scope="session", params=["embedded", "remote"])
def esperia_graph(request: pytest.FixtureRequest, esperia: Esperia) -> GraphStore:
    """Esperia's graph, embedded and behind an endpoint."""
    if request.param == "embedded":
        return esperia.corpus.graph
    return RemoteGraph(request.getfixturevalue("esperia_endpoint"))


@pytest.fixture(scope="module", params=["embedded", "remote"])
def make_graph(request: pytest.FixtureRequest) -> Iterator[Callable[[Iterable[Quad]], GraphStore]]:
    """Make a graph of the quads given, embedded and behind an endpoint."""
    with ExitStack() as running:

        def make(quads: Iterable[Quad]) -> GraphStore:
            if request.param == "embedded":
                store = Store()
                store.bulk_extend(quads)
                return EmbeddedGraph(store)
            address = running.enter_context(oxigraph_server("serve"))
            content = serialize(quads, format=RdfFormat.N_QUADS)
            headers = {"Content-Type": "application/n-quads"}
            httpx.post(f"{address}/store", content=content, headers=headers).raise_for_status()
            return RemoteGraph(f"{address}/query")

        yield make


@pytest.fixture(scope="module", params=["embedded", "server"])
def make_index(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mapping[str, Sequence[Point]], int], VectorStore]:
    """Make a vector index of the points given by collection, in Qdrant Edge and behind Qdrant's client."""

    def make(points: Mapping[str, Sequence[Point]], dimensions: int) -> VectorStore:
        folder = tmp_path_factory.mktemp("vectors")
        index: EmbeddedIndex | ServerIndex = (
            EmbeddedIndex(folder) if request.param == "embedded" else ServerIndex(QdrantClient(":memory:"), "test")
        )
        for collection, members in points.items():
            index.create(collection, dimensions)
            index.add(collection, members)
        index.finish()
        return EmbeddedIndex(folder) if request.param == "embedded" else index

    return make
