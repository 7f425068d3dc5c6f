"""A load, from source files to a published corpus: complete, checked, and the same every time."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyoxigraph import NamedNode
from qdrant_client import QdrantClient

import mappings
from service.cache import VectorCache
from service.corpus import DataDirectory, open_corpus
from service.embedding import HashEmbedder, Vectors, content_key
from service.errors import DataError
from service.graph import EmbeddedGraph
from service.loading import staging
from service.loading.build import _version, import_vectors, load
from service.loading.checks import run_checks
from service.loading.documents import Document, bloc_of, compact_day, documents
from service.loading.identity import digest_of
from service.loading.indexing import BATCH, create_collections, fill_index
from service.loading.progress import Clock
from service.loading.sources import find_sources
from service.settings import Settings
from service.vectors import ACTS, CHUNKS, COMMITTEES, CONCEPTS, PROFILES
from service.vectors.embedded import EmbeddedIndex
from service.vectors.server import ServerIndex, retire
from tests.conftest import BASE, SOURCES, Esperia, over_all_sittings, state_of

SETTINGS = Settings(embedder="hash")


def load_esperia(data: Path, folder: Path = SOURCES, **how: object):
    return load("esperia", folder, data, base_iri=BASE, **{"embedder": HashEmbedder(), **how})  # type: ignore[arg-type]


def test_the_demonstration_parliament_loads_without_an_error(esperia: Esperia) -> None:
    assert not esperia.report.failed
    assert [(c.name, c.findings) for c in esperia.report.checks if c.level == "error" and c.findings] == []
    assert len(esperia.report.checks) > 10


def test_everything_that_the_sources_hold_is_counted(esperia: Esperia) -> None:
    counts = esperia.report.manifest.counts
    assert counts["sittings"] == 15
    assert counts["acts"] == 60
    assert counts["signatures"] == 235
    assert counts["speeches"] == 248
    assert counts["chunks"] > 150
    mandates = "SELECT DISTINCT ?p WHERE { ?m <http://www.w3.org/ns/org#member> ?p ; " + (
        "<http://www.w3.org/ns/org#role> <https://w3id.org/emiciclo/role/deputy> }"
    )
    assert len(esperia.corpus.graph.select(mandates)) == 48
    assert counts["people"] == 48 + 2  # and two ministers who are no members


def test_every_printed_group_is_the_one_of_that_day_F2(esperia: Esperia) -> None:
    groups = esperia.report.printed_groups
    assert groups.agreeing == groups.comparable == groups.printed > 100


def test_a_speaker_whom_nobody_knows_stays_unresolved_with_the_printed_name_F5(esperia: Esperia) -> None:
    (unresolved,) = [check for check in esperia.report.checks if check.name == "unresolved-speaker"]
    assert [finding.detail for finding in unresolved.findings] == ["ERNESTO OSPITE"]
    assert unresolved.level == "warning"


def test_every_triple_stands_in_one_graph(esperia: Esperia) -> None:
    assert isinstance(esperia.corpus.graph, EmbeddedGraph)
    store = esperia.corpus.graph.store
    quads = list(store)
    assert len({quad.triple for quad in quads}) == len(quads) == esperia.report.manifest.counts["triples"]
    assert {graph.value for graph in store.named_graphs()} == {
        "http://dati.esperia.example/ocd/",
        f"{BASE}graph/esperia-1",
        f"{BASE}graph/ontology",
    }
    assert all(isinstance(quad.graph_name, NamedNode) for quad in quads)


def test_the_published_files_say_what_was_loaded(esperia: Esperia) -> None:
    manifest = DataDirectory(esperia.data).manifest()
    assert manifest == esperia.report.manifest
    assert manifest
    assert manifest.invented
    assert manifest.embedding_model == HashEmbedder.model
    assert manifest.first_day
    assert manifest.last_day
    assert manifest.first_day < manifest.last_day
    assert len(manifest.sources) == 16
    report = json.loads((esperia.data / "current" / "report.json").read_text(encoding="utf-8"))
    assert {check["name"] for check in report} == {check.name for check in esperia.report.checks}


def test_the_index_holds_every_kind_and_no_speech_of_the_chair(esperia: Esperia) -> None:
    index, counts = esperia.corpus.vectors, esperia.report.manifest.counts
    assert index.count(ACTS) == counts["acts"]
    assert index.count(COMMITTEES) == 10
    assert index.count(PROFILES) > 80
    assert index.count(CONCEPTS) == len(esperia.thesaurus.concepts)
    cited = esperia.corpus.graph.select(over_all_sittings("index/speeches", esperia.corpus.graph))
    assert not any(row["capacity"].value.endswith(("chair", "unresolved")) for row in cited)
    hits = index.nearest(CHUNKS, esperia.corpus.embedder.queries(["seduta"])[0], limit=1000)
    assert {str(hit.payload["speech"]) for hit in hits} <= {row["speech"].value for row in cited}
    assert all({"bloc", "day", "start", "end", "salience", "capacity"} <= hit.payload.keys() for hit in hits)


def test_a_chunk_points_into_the_text_of_its_speech(esperia: Esperia) -> None:
    texts = {
        row["speech"].value: row["text"].value
        for row in esperia.corpus.graph.select(over_all_sittings("index/texts", esperia.corpus.graph))
    }
    chunks = [d for d in documents(esperia.corpus.graph) if d.collection == CHUNKS]
    assert len(chunks) == esperia.corpus.vectors.count(CHUNKS)
    for chunk in chunks:
        text = texts[str(chunk.payload["speech"])]
        assert chunk.text == text[int(chunk.payload["start"]) : int(chunk.payload["end"])]
        assert chunk.text


def test_what_is_embedded_comes_in_the_same_order_each_time(esperia: Esperia) -> None:
    graph = esperia.corpus.graph
    assert list(documents(graph)) == list(documents(graph))


def test_the_government_a_component_and_a_group_speak_for_themselves_F4_F12(esperia: Esperia) -> None:
    query = over_all_sittings("index/speeches", esperia.corpus.graph)
    blocs = {bloc_of(row) for row in esperia.corpus.graph.select(query)}
    assert "government" in blocs
    assert any("componenteGruppoMisto" in bloc for bloc in blocs)
    assert len([bloc for bloc in blocs if "gruppoParlamentare" in bloc]) >= 8


def test_a_day_is_a_number_that_can_be_filtered_as_a_range() -> None:
    assert compact_day("2025-09-09") == 20250909
    assert compact_day("2025-09-09T10:00:00") == 20250909


def test_the_same_sources_give_the_same_version_and_the_same_record_whatever_the_folder(
    esperia: Esperia, sources: Path, tmp_path: Path
) -> None:
    again = load_esperia(tmp_path / "data", sources)
    first, second = esperia.report.manifest, again.manifest
    assert second.version == first.version
    assert (second.sources, second.counts) == (first.sources, first.counts)
    corpus = open_corpus(tmp_path / "data", SETTINGS)
    assert isinstance(corpus.graph, EmbeddedGraph)
    assert isinstance(esperia.corpus.graph, EmbeddedGraph)

    def lines(graph: EmbeddedGraph) -> set[str]:
        return {str(quad) for quad in graph.store}

    assert lines(corpus.graph) == lines(esperia.corpus.graph)
    vector = HashEmbedder().queries(["acqua pubblica"])[0]
    for collection in (CHUNKS, ACTS, PROFILES, COMMITTEES, CONCEPTS):
        here = esperia.corpus.vectors.nearest(collection, vector, limit=50)
        assert corpus.vectors.nearest(collection, vector, limit=50) == here


def test_other_sources_base_or_model_give_another_version(esperia: Esperia, sources: Path) -> None:
    class Another(HashEmbedder):
        model = "another-1"  # type: ignore[misc]

    mapping = mappings.load("esperia")
    files = {path.name: digest_of(path) for path in find_sources(SOURCES, mapping).all}
    changed = {**files, "esperia.nq": "0" * 64}
    fewer = mapping.model_copy(update={"committees": mapping.committees[:-1]})
    versions = {
        _version(files, mapping, BASE, HashEmbedder()),
        _version(changed, mapping, BASE, HashEmbedder()),
        _version(files, fewer, BASE, HashEmbedder()),
        _version(files, mapping, "https://b.example/", HashEmbedder()),
        _version(files, mapping, BASE, Another()),
    }
    assert len(versions) == 5


class Counting(HashEmbedder):
    """Counts texts, and fails when it has embedded as many as it may."""

    def __init__(self, most: int = 10**9) -> None:
        self.done, self.most = 0, most

    def passages(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        if self.done >= self.most:
            raise DataError("the endpoint is gone")
        self.done += len(texts)
        return super().passages(texts)


@pytest.fixture(scope="module")
def shared_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three transcripts, for the loads of this module that follow one another."""
    folder = tmp_path_factory.mktemp("sources")
    shutil.copytree(SOURCES / "ocd", folder / "ocd")
    (folder / "stenographic").mkdir()
    for report in sorted((SOURCES / "stenographic").iterdir())[-3:]:
        shutil.copy(report, folder / "stenographic")
    return folder


def test_a_load_goes_on_where_another_failed_and_readers_keep_what_they_opened(
    shared_sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = Path("data")  # relative, as people type it
    failing = Counting(most=100)
    with pytest.raises(DataError, match="gone"):
        load_esperia(data, shared_sources, embedder=failing)
    assert DataDirectory(data).manifest() is None

    rest = Counting()
    first = load_esperia(data, shared_sources, embedder=rest)
    reader = open_corpus(data, SETTINGS)
    texts = {document.text for document in documents(reader.graph)}
    assert rest.done == first.embedded
    assert failing.done >= 100
    assert failing.done + rest.done == len(texts)

    (shared_sources / "stenographic" / "stenografico_leg1_0015.xml").unlink()
    second = load_esperia(data, shared_sources)
    assert second.embedded == 0
    assert second.manifest.version != first.manifest.version
    assert second.manifest.counts["sittings"] == 2
    # The reader's version is whole, collections that it had not opened included.
    assert len(reader.graph.select(over_all_sittings("index/chunks", reader.graph))) == first.manifest.counts["chunks"]
    chunks = [d for d in documents(reader.graph) if d.collection == CHUNKS]
    assert reader.vectors.count(CHUNKS) == len(chunks)
    assert open_corpus(data, SETTINGS).manifest == second.manifest


def test_the_version_before_is_kept_for_readers_and_older_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    directory, seen = DataDirectory(Path("data")), []
    for version in ("a", "b", "b", "b", "a"):
        with staging.staged(directory, version):
            pass
        seen.append(directory.current.resolve().name)
        assert {path.name for path in directory.versions.iterdir()} == set(seen[-2:])
        assert len(set(seen[-2:])) == len(seen[-2:])


def test_a_load_can_fill_a_qdrant_server(few_sources: Path, tmp_path: Path) -> None:
    client, data = QdrantClient(":memory:"), tmp_path / "data"
    report = load_esperia(data, few_sources, open_writer=lambda prefix: ServerIndex(client, prefix))
    index = ServerIndex(client, report.manifest.index)
    assert index.count(ACTS) == 60
    assert not (data / "current" / "vectors").exists()


def test_a_second_load_to_a_server_leaves_the_former_collections_alone(few_sources: Path, tmp_path: Path) -> None:
    client, data = QdrantClient(":memory:"), tmp_path / "data"
    first, second = (
        load_esperia(data, few_sources, open_writer=lambda prefix: ServerIndex(client, prefix)) for _ in range(2)
    )
    assert first.manifest.version == second.manifest.version
    assert first.manifest.index != second.manifest.index
    assert ServerIndex(client, first.manifest.index).count(ACTS) == 60
    retire(client, "esperia-1", {second.manifest.index})
    names = [collection.name for collection in client.get_collections().collections]
    assert names
    assert all(name.startswith(second.manifest.index) for name in names)


def test_equal_texts_are_embedded_once_and_progress_reaches_the_end(tmp_path: Path) -> None:
    texts = ["uguale"] * 300 + [f"diverso {n}" for n in range(50)]
    found = [Document(CONCEPTS, f"http://a.example/{n}", text, {}) for n, text in enumerate(texts)]
    model, told = Counting(), []
    with VectorCache(tmp_path / "cache.sqlite") as cache:
        index = EmbeddedIndex(tmp_path / "v")
        create_collections(index, model.dimensions)
        assert fill_index(found, index, model, cache, Clock(), told.append) == 51
    assert model.done == 51
    assert told == sorted(told)
    assert told[-1] == len(found)
    assert EmbeddedIndex(tmp_path / "v").count(CONCEPTS) == len(found)


class Failing(HashEmbedder):
    """Does not answer any more after some batches, as a server that goes away."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not self.left:
            raise DataError("gone")
        self.left -= 1
        return super().passages(texts)


def test_what_was_embedded_before_an_error_is_not_embedded_again(tmp_path: Path) -> None:
    found = [Document(CONCEPTS, f"http://a.example/{n}", f"diverso {n}", {}) for n in range(100)]
    index = EmbeddedIndex(tmp_path / "v")
    create_collections(index, HashEmbedder.dimensions)
    with VectorCache(tmp_path / "cache.sqlite") as cache:
        with pytest.raises(DataError, match="gone"):
            fill_index(found, index, Failing(3), cache, Clock())
        assert list(cache.get(HashEmbedder.model, [document.text for document in found])) == [
            document.text for document in found[: 3 * BATCH]
        ]


def test_shipped_vectors_are_taken_if_they_are_of_the_same_model(tmp_path: Path) -> None:
    texts = ["La sanità pubblica", "Il salario minimo"]
    vectors = HashEmbedder().passages(texts)
    keys = np.array([content_key(HashEmbedder.model, text) for text in texts])
    with VectorCache(tmp_path / "cache.sqlite") as cache:
        for model, known in (("another", []), (HashEmbedder.model, texts)):
            shipped = tmp_path / "vectors.npz"
            np.savez(shipped, model=np.array(model), keys=keys, vectors=vectors.astype(np.float16))
            import_vectors(shipped, HashEmbedder.model, cache)
            assert list(cache.get(HashEmbedder.model, texts)) == known


def test_an_error_level_finding_makes_the_report_fail(esperia: Esperia) -> None:
    checks = esperia.report.checks
    finding = checks[-1].findings or next(c.findings for c in checks if c.findings)
    assert replace(esperia.report, checks=(checks[0].model_copy(update={"findings": finding}),)).failed
    warned = checks[0].model_copy(update={"findings": finding, "level": "warning"})
    assert not replace(esperia.report, checks=(warned,)).failed


def test_the_checks_find_the_same_in_both_forms_of_the_graph(esperia: Esperia, esperia_graph) -> None:
    assert run_checks(esperia_graph) == tuple(c for c in esperia.report.checks if c.name != "shapes")


def test_a_dataset_does_not_replace_another(esperia: Esperia, tmp_path: Path) -> None:
    mapping = (SOURCES / "mapping.toml").read_text(encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text(mapping.replace('id = "esperia-1"', 'id = "esperia-2"'), encoding="utf-8")
    before = state_of(esperia.data)
    with pytest.raises(DataError, match=r"esperia-1.*--data.*esperia-2"):
        load(str(other), SOURCES, esperia.data, base_iri=BASE, embedder=HashEmbedder())
    assert state_of(esperia.data) == before


def test_while_one_load_is_at_work_another_is_refused(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    with staging.staged(directory, "a") as folder:
        (folder / "manifest.json").write_text("{}")
        with pytest.raises(DataError, match="another load is at work"):
            load_esperia(tmp_path)
        assert folder.is_dir()
    assert (tmp_path / "current").resolve().name == "a"


def test_what_a_killed_load_left_behind_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "versions" / ".staging-old"
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    with staging.staged(DataDirectory(tmp_path), "a"):
        assert not left.exists()


def test_data_of_another_release_can_be_loaded_anew(few_sources: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    load_esperia(data, few_sources)
    (data / "current" / "manifest.json").write_text('{"version": "of another release"}', encoding="utf-8")
    with pytest.raises(DataError, match="load the data again"):
        open_corpus(data, Settings(embedder="hash"))
    load_esperia(data, few_sources)
    assert open_corpus(data, Settings(embedder="hash")).manifest.dataset == "esperia-1"
