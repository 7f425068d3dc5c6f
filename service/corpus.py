"""A data directory and the corpus that is published in it.

Each load makes a new version beside the old one and then moves one link, so that readers see
the former corpus or the new one and never a mixture:

    data/current -> versions/3f9c…        the published version
    data/versions/3f9c…/graph             Oxigraph
    data/versions/3f9c…/vectors           Qdrant, one folder a collection
    data/versions/3f9c…/manifest.json     what it is; report.json: what its checks found
    data/cache/embeddings.sqlite          vectors by content, kept across loads
    data/answers                          the answers, apart from the record
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from service.embedding import Embedder
from service.errors import ConfigurationError, DataError
from service.graph import EmbeddedGraph, GraphStore, RemoteGraph
from service.models import open_embedder
from service.settings import Settings
from service.vectors import VectorStore
from service.vectors.embedded import EmbeddedIndex


class Manifest(BaseModel):
    """What a published corpus is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    version: str
    index: str
    """Prefix of the corpus's collections on a Qdrant server; no two loads share one."""
    dataset: str
    title: dict[str, str]
    invented: bool
    base_iri: str
    source_graph: str
    mapping: str
    embedding_model: str
    embedding_dimensions: int
    first_day: date | None
    last_day: date | None
    loaded_at: str
    sources: dict[str, str]
    """File name to SHA-256."""
    counts: dict[str, int]
    seconds: dict[str, float]
    """Time of the load by stage."""


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """Names the places inside a data directory."""

    path: Path

    @property
    def current(self) -> Path:
        return self.path / "current"

    @property
    def versions(self) -> Path:
        return self.path / "versions"

    @property
    def cache(self) -> Path:
        return self.path / "cache" / "embeddings.sqlite"

    @property
    def answers(self) -> Path:
        return self.path / "answers"

    def published(self) -> Path:
        """The folder of the published version. Raises `DataError` if nothing is loaded."""
        if not (self.current / "manifest.json").is_file():
            raise DataError(f"no data are loaded in {self.path}; run `emiciclo load … --data {self.path}` first")
        return self.current.resolve()

    def manifest(self) -> Manifest | None:
        """The manifest of the published corpus, or None if nothing is loaded. Raises `DataError`."""
        return read_manifest(self.published()) if (self.current / "manifest.json").is_file() else None

    def replaceable(self) -> Manifest | None:
        """The manifest of what a load would replace; None too if another release wrote it."""
        try:
            return self.manifest()
        except DataError:
            return None


def read_manifest(version: Path) -> Manifest:
    """Read the manifest of a version. Raises `DataError`."""
    path = version / "manifest.json"
    try:
        return Manifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        raise DataError(f"{path} is not a manifest of this release; load the data again") from error


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that a question is answered from."""

    manifest: Manifest
    graph: GraphStore
    vectors: VectorStore
    embedder: Embedder


def open_graph(version: Path, settings: Settings) -> GraphStore:
    """Open the graph of a published version, or the endpoint that the settings name in its place."""
    return RemoteGraph(settings.graph_url) if settings.graph_url else EmbeddedGraph.open(version / "graph")


def open_corpus(data: Path, settings: Settings, embedder: Embedder | None = None) -> Corpus:
    """Open the published corpus of a data directory.

    Raises `DataError` if nothing is loaded, and `ConfigurationError` if the configured
    embedding model is not the one that made the vectors.
    """
    # The link is followed once: a load that publishes meanwhile must not mix two versions.
    version = DataDirectory(data).published()
    manifest = read_manifest(version)
    embedder = embedder or open_embedder(settings)
    made_by = (manifest.embedding_model, manifest.embedding_dimensions)
    if (embedder.model, embedder.dimensions) != made_by:
        raise ConfigurationError(
            f"the vectors in {data} were made by {made_by[0]} ({made_by[1]} dimensions), but {embedder.model} "
            f"({embedder.dimensions}) is configured; set EMICICLO_EMBEDDER accordingly or load the data again"
        )
    return Corpus(manifest, open_graph(version, settings), _open_vectors(version, manifest, settings), embedder)


def _open_vectors(version: Path, manifest: Manifest, settings: Settings) -> VectorStore:
    if not settings.qdrant_url:
        return EmbeddedIndex(version / "vectors")
    from service.vectors.server import ServerIndex, open_server

    return ServerIndex(open_server(settings), manifest.index)
