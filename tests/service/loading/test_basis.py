"""A load that adds later sittings to what is published gives what loading everything does."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

import mappings
from loaders.record import Names
from service.corpus import DataDirectory, open_corpus
from service.embedding import HashEmbedder
from service.graph import EmbeddedGraph
from service.loading.basis import find_basis
from service.loading.build import LoadReport, load
from service.settings import Settings
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES
from service.vectors.server import ServerIndex
from tests.conftest import BASE, SOURCES, Esperia

LATER = 2


def load_esperia(data: Path, folder: Path) -> LoadReport:
    return load("esperia", folder, data, base_iri=BASE, embedder=HashEmbedder())


def quads(data: Path) -> set[str]:
    graph = open_corpus(data, Settings(embedder="hash")).graph
    assert isinstance(graph, EmbeddedGraph)
    return {str(quad) for quad in graph.store}


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file in a folder."""
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir()}


@pytest.fixture
def all_sources(tmp_path: Path) -> Path:
    """The demonstration's sources, to be changed."""
    shutil.copytree(SOURCES / "ocd", tmp_path / "sources" / "ocd")
    shutil.copytree(SOURCES / "stenographic", tmp_path / "sources" / "stenographic")
    return tmp_path / "sources"


def reports(folder: Path) -> list[Path]:
    return sorted((folder / "stenographic").iterdir())


def test_later_sittings_are_added_to_what_is_published_and_give_what_loading_everything_does(
    all_sources: Path, esperia: Esperia, tmp_path: Path
) -> None:
    data, aside = tmp_path / "data", tmp_path / "aside"
    aside.mkdir()
    for report in reports(all_sources)[-LATER:]:
        shutil.move(report, aside)
    first = load_esperia(data, all_sources)
    former = DataDirectory(data).current.resolve()
    before = files_of(former / "graph")
    for report in sorted(aside.iterdir()):
        shutil.move(report, all_sources / "stenographic")

    second = load_esperia(data, all_sources)

    assert (first.added, second.added) == (None, LATER)
    assert second.manifest.version == esperia.report.manifest.version
    assert second.manifest.counts == esperia.report.manifest.counts
    assert second.manifest.last_day == esperia.report.manifest.last_day
    assert second.checks == esperia.report.checks
    assert second.printed_groups == esperia.report.printed_groups
    assert 0 < second.embedded < esperia.report.embedded
    assert quads(data) == quads(esperia.data)
    assert files_of(former / "graph") == before  # readers of the version before read on
    vectors = open_corpus(data, Settings(embedder="hash")).vectors
    asked = HashEmbedder().queries(["acqua pubblica"])[0]
    for collection in (CHUNKS, ACTS, PROFILES, COMMITTEES, CONCEPTS):
        assert vectors.count(collection) == esperia.corpus.vectors.count(collection)
        here = esperia.corpus.vectors.nearest(collection, asked, limit=50)
        assert vectors.nearest(collection, asked, limit=50) == here
    # The engine adds up the weights of words in single precision: the last bits differ from index to index.
    here = {hit.iri: hit.score for hit in vectors.lexical(CHUNKS, "salario minimo legale", limit=1000)}
    there = {hit.iri: hit.score for hit in esperia.corpus.vectors.lexical(CHUNKS, "salario minimo legale", limit=1000)}
    assert here == pytest.approx(there, rel=1e-5)
    assert len(here) > 20


def found_basis(esperia: Esperia, *, without: int | None = None, recipe: str | None = None, **digests: str) -> bool:
    """Whether a load goes on from the published demonstration, if its sources lack one report or differ thus."""
    manifest = esperia.report.manifest
    reports = {name: SOURCES / name for name in manifest.sources if name.startswith("stenographic")}
    now = manifest.sources | digests
    if without is not None:
        del now[sorted(reports)[without]]
    names = Names(BASE, mappings.load("esperia"))
    recipe = recipe or manifest.recipe or ""
    return find_basis(DataDirectory(esperia.data), recipe, now, reports | added(digests), names) is not None


def added(digests: dict[str, str]) -> dict[str, Path]:
    return {name: Path(name) for name in digests if Path(name).is_file()}


def report_of(sitting: int, day: str, folder: Path) -> Path:
    """A report of the demonstration under another number and day."""
    text = (SOURCES / "stenographic" / "stenografico_leg1_0015.xml").read_text(encoding="utf-8")
    year, month, date = day.split("-")
    for name, value in {"numero": str(sitting), "anno": year, "mese": month, "giorno": date}.items():
        text = re.sub(rf'(<seduta[^>]* {name}=")\d+', rf"\g<1>{value}", text, count=1)
    path = folder / "added.xml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("sitting", "day", "later"),
    [(16, "2099-01-01", True), (3, "2099-01-01", False), (16, "1999-01-01", False)],
)
def test_sittings_are_added_only_if_they_are_later_than_all_others(
    sitting: int, day: str, later: bool, esperia: Esperia, tmp_path: Path
) -> None:
    path = report_of(sitting, day, tmp_path)
    assert found_basis(esperia, **{str(path): "new"}) is later


def test_everything_is_loaded_where_more_than_later_sittings_differ(esperia: Esperia, tmp_path: Path) -> None:
    path = str(report_of(16, "2099-01-01", tmp_path))
    register = next(name for name in esperia.report.manifest.sources if name.startswith("ocd"))
    corrected = "stenographic/stenografico_leg1_0002.xml"
    assert found_basis(esperia, **{path: "new"})
    assert not found_basis(esperia)  # the very same sources are loaded again
    assert not found_basis(esperia, **{path: "new", register: "changed"})
    assert not found_basis(esperia, **{path: "new", corrected: "changed"})
    assert not found_basis(esperia, without=4, **{path: "new"})
    assert not found_basis(esperia, recipe="another", **{path: "new"})


def test_everything_is_loaded_where_what_was_found_before_cannot_be_read(esperia: Esperia, tmp_path: Path) -> None:
    spoilt = replace(esperia, data=tmp_path / "data")
    shutil.copytree(esperia.data, spoilt.data, symlinks=True)
    (spoilt.data / "current" / "report.json").write_text('{"not": "a report"}')
    assert not found_basis(spoilt, **{str(report_of(16, "2099-01-01", tmp_path)): "new"})


def test_the_index_is_filled_anew_where_the_vectors_before_are_on_a_server(all_sources: Path, tmp_path: Path) -> None:
    for report in reports(all_sources)[3:-3]:
        report.unlink()
    aside = reports(all_sources)[-1].rename(tmp_path / "aside.xml")
    client, data = QdrantClient(":memory:"), tmp_path / "data"
    how = {"base_iri": BASE, "embedder": HashEmbedder()}
    load("esperia", all_sources, data, open_writer=lambda prefix: ServerIndex(client, prefix), **how)
    shutil.move(aside, all_sources / "stenographic")
    shutil.copytree(data, tmp_path / "copy", symlinks=True)
    assert load("esperia", all_sources, tmp_path / "copy", anew=True, **how).added is None  # though it could go on
    report = load("esperia", all_sources, data, **how)
    assert report.added == 1
    vectors = open_corpus(data, Settings(embedder="hash")).vectors
    assert vectors.count(ACTS) == report.manifest.counts["acts"]
    assert vectors.count(CHUNKS) > 50
