"""Versions of a corpus that a test may write into."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from pyoxigraph import Quad, RdfFormat, Store, parse

from service.loading.plain import load_rdf


def copy_of(data: Path, into: Path) -> Path:
    """A data directory with a copy of the published version: its graph and its manifest."""
    version = into / "versions" / (data / "current").resolve().name
    shutil.copytree(data / "current" / "graph", version / "graph")
    shutil.copy(data / "current" / "manifest.json", version)
    (into / "current").symlink_to(version.relative_to(into))
    return into


def plain(folder: Path, content: str) -> Path:
    """A data directory with N-Quads loaded as they are."""
    source = folder / "source.nq"
    source.write_text(content, encoding="utf-8")
    load_rdf(source, folder / "data", base_iri="https://w3id.org/emiciclo/id/")
    return folder / "data"


def version_of(folder: Path, quads: Iterable[Quad]) -> Path:
    """A version that holds these quads."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(str(folder / "graph"))
    store.extend(quads)
    store.flush()
    manifest = {
        "kind": "rdf", "version": "0123456789abcdef", "dataset": "test", "title": {},
        "loaded_at": "2026-02-11T10:00:00+00:00",
        "base_iri": "https://w3id.org/emiciclo/id/", "sources": {}, "counts": {}, "seconds": {},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def quads_of(content: bytes) -> set[Quad]:
    """The quads of N-Quads, with the labels of blank nodes as they are written."""
    return set(parse(content, format=RdfFormat.N_QUADS))


def unwritable(version: Path) -> None:
    """Make it impossible to write what is published beside the graph of a version, even for root."""
    (version / "publication").write_text("a file where a folder should be", encoding="utf-8")
