"""Loads by the real loader, and the bare bulk load of the same triples."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pyoxigraph import RdfFormat, Store

import mappings
from service.corpus import DataDirectory, read_manifest
from service.loading.build import load
from service.settings import load_settings
from service.vectors import VectorWriter
from tests.benchmarks.paper import memory
from tests.benchmarks.paper.embedders import opened

INDEX: Final = "index"
"""The stage in which the loader fills the index."""


def measure_load(
    institution: str, sources: str, data: str, embedder: str, shipped: bool = False, to_qdrant: bool = False
) -> dict[str, Any]:
    """Load sources; seconds by stage, those inside of the embedder, and memory.

    `to_qdrant` fills the Qdrant server of the settings in place of an embedded index.
    """
    model = opened(embedder)
    settings = load_settings()
    open_writer: Callable[[str], VectorWriter] | None = None
    if to_qdrant:
        from service.vectors.server import ServerIndex, open_server

        client = open_server(settings)
        open_writer = lambda prefix: ServerIndex(client, prefix)  # noqa: E731
    begin = time.perf_counter()
    report = load(
        institution,
        Path(sources),
        Path(data),
        base_iri=settings.base_iri,
        embedder=model,
        shipped_vectors=mappings.shipped_vectors(institution) if shipped else None,
        open_writer=open_writer,
    )
    total = time.perf_counter() - begin
    held = memory.held()
    return {
        "stages": dict(report.manifest.seconds),
        "total": round(total, 3),
        "embedding": round(model.seconds, 3),
        "without_embedding": round(total - model.seconds, 3),
        "embedded": report.embedded,
        "added_sittings": report.added,
        "counts": dict(report.manifest.counts),
        "peak_mb": held.get("peak"),
        "peak_of_a_reader_mb": memory.largest_child(),
        "failed_checks": [check.name for check in report.checks if check.level == "error" and check.findings],
    }


def remove_from_qdrant(data: str) -> None:
    """Delete the collections of what is published from the Qdrant server of the settings, and no others."""
    from service.vectors.server import open_server

    prefix = f"{read_manifest(DataDirectory(Path(data)).published()).index}-"
    client = open_server(load_settings())
    for collection in client.get_collections().collections:
        if collection.name.startswith(prefix):
            client.delete_collection(collection.name)


def sizes(data: Path) -> dict[str, float]:
    """MB on disk of each part of what is published, and of the cache of vectors."""
    directory = DataDirectory(data)
    version = directory.published()
    parts = {path.name if path.is_dir() else "documents": 0.0 for path in version.iterdir()}
    for path in version.iterdir():
        parts[path.name if path.is_dir() else "documents"] += _on_disk(path)
    parts["cache of vectors"] = _on_disk(directory.cache.parent)
    return {name: round(size / 2**20, 1) for name, size in sorted(parts.items())}


def _on_disk(path: Path) -> int:
    """Bytes that are really taken: Qdrant's files have holes."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())


def dump(data: str, target: str) -> int:
    """Write all quads of the published graph to one N-Quads file; returns its bytes."""
    Store.read_only(str(DataDirectory(Path(data)).published() / "graph")).dump(target, format=RdfFormat.N_QUADS)
    return Path(target).stat().st_size


def measure_bulk_load(dumped: str, store: str) -> dict[str, Any]:
    """Seconds that Oxigraph alone needs for one file into a fresh store, and its triples."""
    shutil.rmtree(store, ignore_errors=True)
    opened_store = Store(store)
    begin = time.perf_counter()
    opened_store.bulk_load(path=dumped, format=RdfFormat.N_QUADS)
    seconds = time.perf_counter() - begin
    found = {"seconds": round(seconds, 3), "triples": len(opened_store), "peak_mb": memory.held().get("peak")}
    del opened_store
    shutil.rmtree(store, ignore_errors=True)
    return found
