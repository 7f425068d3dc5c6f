"""A load that adds later sittings to what is published gives what loading everything does."""

import json
import shutil
from pathlib import Path

import pytest

from service.corpus import DataDirectory, open_corpus
from service.embedding import HashEmbedder
from service.graph import EmbeddedGraph
from service.loading.build import LoadReport, load
from service.settings import Settings
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES
from tests.conftest import BASE, SOURCES, Esperia, state_of

LATER = 2


def load_esperia(data: Path, folder: Path, *, anew: bool = False) -> LoadReport:
    return load("esperia", folder, data, base_iri=BASE, embedder=HashEmbedder(), anew=anew)


def quads(data: Path) -> set[str]:
    graph = open_corpus(data, Settings(embedder="hash")).graph
    assert isinstance(graph, EmbeddedGraph)
    return {str(quad) for quad in graph.store}


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
    before = state_of(former / "graph")
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
    assert state_of(former / "graph") == before  # readers of the version before read on
    vectors = open_corpus(data, Settings(embedder="hash")).vectors
    asked = HashEmbedder().queries(["acqua pubblica"])[0]
    for collection in (CHUNKS, ACTS, PROFILES, COMMITTEES, CONCEPTS):
        assert vectors.count(collection) == esperia.corpus.vectors.count(collection)
        here = esperia.corpus.vectors.nearest(collection, asked, limit=50)
        assert vectors.nearest(collection, asked, limit=50) == here
    words = "salario minimo legale"
    assert vectors.lexical(CHUNKS, words, limit=20) == esperia.corpus.vectors.lexical(CHUNKS, words, limit=20)


@pytest.mark.parametrize("change", ["nothing", "earlier", "corrected", "removed", "register", "anew", "spoilt"])
def test_everything_is_loaded_where_more_than_later_sittings_differ(
    change: str, few_sources: Path, tmp_path: Path
) -> None:
    sources, data = tmp_path / "sources", tmp_path / "data"
    shutil.copytree(few_sources, sources)
    shutil.copytree(SOURCES / "stenographic", sources / "stenographic", dirs_exist_ok=True)
    extra = [report for report in reports(sources) if report.name not in {r.name for r in reports(few_sources)}]
    aside = (reports(sources)[0] if change == "earlier" else reports(sources)[-1]).rename(tmp_path / "aside.xml")
    assert extra
    load_esperia(data, sources)
    if change in ("earlier", "register", "anew", "spoilt"):
        shutil.copy(aside, sources / "stenographic" / "added.xml")
    if change == "corrected":
        reports(sources)[0].write_bytes(reports(sources)[0].read_bytes() + b"\n<!-- corrected -->")
    if change == "removed":
        reports(sources)[-1].unlink()
    if change == "register":
        next((sources / "ocd").iterdir()).open("a").write("<urn:a> <urn:b> <urn:c> .\n")
    if change == "spoilt":
        (data / "current" / "report.json").write_text(json.dumps({"not": "a report"}))
    assert load_esperia(data, sources, anew=change == "anew").added is None
