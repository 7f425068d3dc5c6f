"""A data directory and the corpus that is published in it.

Each load makes a new version beside the old one and then moves one link, so that readers see
the former corpus or the new one and never a mixture:

    data/current -> versions/3f9c…        the published version
    data/versions/3f9c…/graph             Oxigraph
    data/versions/3f9c…/unnamed.nt        what plain RDF had in no graph, where the default graph is a merge
    data/versions/3f9c…/vectors           Qdrant, one folder a collection
    data/versions/3f9c…/manifest.json     what it is; report.json: what its checks found
    data/cache/embeddings.sqlite          vectors by content, kept across loads
    data/answers                          the answers, apart from the record
    data/jobs/jobs.sqlite                 questions that wait, are worked on or have ended
"""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from service.embedders import configured_model, open_embedder
from service.embedding import Embedder
from service.errors import ConfigurationError, DataError
from service.graph import EmbeddedGraph, GraphStore, RemoteGraph
from service.settings import Settings
from service.vectors import VectorStore
from service.vectors.embedded import EmbeddedIndex

UNNAMED: Final = "unnamed.nt"


class Manifest(BaseModel):
    """What a published corpus is: a parliament that can be asked, or plain RDF that can be queried."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["parliament", "rdf"] = "parliament"
    version: str
    dataset: str
    title: dict[str, str]
    invented: bool = False
    base_iri: str
    default_graph: Literal["union", "merged"] = "union"
    """What a query sees that names no graph: the union of all graphs, in which each triple stands
    once, or the store's own default graph, which holds every triple once in a merge of all graphs."""
    loaded_at: str
    sources: dict[str, str]
    """File name to SHA-256."""
    counts: dict[str, int]
    seconds: dict[str, float]
    """Time of the load by stage."""

    # Of a parliament only.
    recipe: str | None = None
    """Names what made it, apart from the transcripts: a load that has the same may go on from it."""
    index: str | None = None
    """Prefix of the corpus's collections on a Qdrant server; no two loads share one."""
    source_graph: str | None = None
    mapping: str | None = None
    embedding_model: str | None = None
    embedding_dimensions: int | None = None
    first_day: date | None = None
    last_day: date | None = None

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> Self:
        made_with = (self.index, self.source_graph, self.mapping, self.embedding_model, self.embedding_dimensions)
        if any((value is None) == (self.kind == "parliament") for value in made_with):
            raise ValueError(f"the fields are not those of the kind {self.kind}")
        return self

    @property
    def union_default_graph(self) -> bool:
        """Whether a query that names no graph goes to the union of all graphs."""
        return self.default_graph == "union"

    @property
    def holding(self) -> str:
        """What a person is told that a data directory holds."""
        return f"the dataset {self.dataset}" if self.kind == "parliament" else f"plain RDF ({self.dataset})"


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

    @property
    def jobs(self) -> Path:
        """The table of questions that wait, are worked on or have ended, in a folder of its own that is written to."""
        return self.path / "jobs" / "jobs.sqlite"

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
    """Read the manifest of a version; it is read once as long as it stays as it is. Raises `DataError`."""
    path = version / "manifest.json"
    try:
        return _read_manifest(path, path.stat().st_mtime_ns)
    except (OSError, ValidationError) as error:
        raise DataError(f"{path} is not a manifest of this release; load the data again") from error


@lru_cache(maxsize=8)
def _read_manifest(path: Path, _changed: int) -> Manifest:
    return Manifest.model_validate_json(path.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that a question is answered from."""

    manifest: Manifest
    graph: GraphStore
    vectors: VectorStore
    embedder: Embedder


def open_graph(version: Path, settings: Settings) -> GraphStore:
    """Open the graph of a published version, or the endpoint that the settings name in its place."""
    if settings.graph_url:
        return RemoteGraph(settings.graph_url)
    return EmbeddedGraph.open(version / "graph", union=read_manifest(version).union_default_graph)


def open_corpus(data: Path, settings: Settings, embedder: Embedder | None = None) -> Corpus:
    """Open the published corpus of a data directory.

    Raises `DataError` if nothing is loaded or plain RDF is, and `ConfigurationError` if the
    configured embedding model is not the one that made the vectors.
    """
    # The link is followed once: a load that publishes meanwhile must not mix two versions.
    version = DataDirectory(data).published()
    manifest = read_manifest(version)
    if manifest.kind != "parliament":
        raise DataError(
            f"{data} holds {manifest.holding}, which SPARQL can query but nobody can ask; "
            "load a parliament for questions, with `emiciclo load INSTITUTION`"
        )
    refuse_other_model(manifest, (embedder.model, embedder.dimensions) if embedder else configured_model(settings))
    embedder = embedder or open_embedder(settings)
    return Corpus(manifest, open_graph(version, settings), _open_vectors(version, manifest, settings), embedder)


def refuse_other_model(manifest: Manifest, configured: tuple[str, int]) -> None:
    """Raise `ConfigurationError` where another embedding model than this one made a parliament's vectors."""
    made_by = (manifest.embedding_model, manifest.embedding_dimensions)
    if manifest.kind == "parliament" and configured != made_by:
        raise ConfigurationError(
            f"the vectors of {manifest.dataset} were made by {made_by[0]} ({made_by[1]} dimensions), but "
            f"{configured[0]} ({configured[1]}) is configured; set EMICICLO_EMBEDDER accordingly or load the data again"
        )


def _open_vectors(version: Path, manifest: Manifest, settings: Settings) -> VectorStore:
    if not settings.qdrant_url:
        return EmbeddedIndex(version / "vectors")
    from service.vectors.server import ServerIndex, open_server

    return ServerIndex(open_server(settings), manifest.index or "")
