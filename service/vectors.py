"""The vector index behind one interface: Qdrant embedded in this process, or a Qdrant server.

Scores are cosines for dense searches and BM25 for lexical ones, and never mixed. All that can
be ranked or filtered by Qdrant is: no vector is fetched into Python.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import qdrant_edge as edge
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from service.embedding import Vectors
from service.errors import DataError

CHUNKS: Final = "chunks"
ACTS: Final = "acts"
PROFILES: Final = "profiles"
COMMITTEES: Final = "committees"
CONCEPTS: Final = "concepts"

KEYWORD_FIELDS: Final = {
    CHUNKS: ("speech", "speaker", "bloc", "dataset"),
    PROFILES: ("speaker", "kind"),
}
INTEGER_FIELDS: Final = {CHUNKS: ("day",), ACTS: ("day",)}

Payload = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Point:
    """What is indexed of one resource; `text` feeds BM25, and is not stored."""

    iri: str
    vector: Vectors
    text: str | None
    payload: Payload


@dataclass(frozen=True, slots=True)
class Hit:
    """A resource that a search found, with its score and payload."""

    iri: str
    score: float
    payload: Payload


@dataclass(frozen=True, slots=True)
class Where:
    """A filter inside the search: each field holds one of its values, and days lie in the range."""

    any_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    day_from: int | None = None
    day_until: int | None = None
    iris: tuple[str, ...] | None = None

    @property
    def excludes_all(self) -> bool:
        """Whether some field has no allowed value, so that nothing can match."""
        return self.iris == () or any(not values for values in self.any_of.values())

    def narrowed(self, **any_of: Sequence[str]) -> "Where":
        """The same filter with further fields bound; a field bound twice keeps what both allow."""
        merged = dict(self.any_of)
        for name, values in any_of.items():
            earlier = merged.get(name)
            merged[name] = tuple(v for v in values if earlier is None or v in earlier)
        return Where(merged, self.day_from, self.day_until, self.iris)


class VectorStore(Protocol):
    """Searches the collections of one corpus. Results are ordered by score, then by IRI."""

    def nearest(
        self,
        collection: str,
        vector: Vectors,
        *,
        limit: int,
        where: Where = Where(),
        at_least: float | None = None,
    ) -> list[Hit]:
        """The resources with the highest cosine to `vector`, of at least `at_least`."""
        ...

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        """The resources with the highest BM25 score for the words of `text`; none scores 0."""
        ...

    def count(self, collection: str) -> int:
        """How many resources a collection holds."""
        ...


class VectorWriter(Protocol):
    """Fills the collections of a new corpus."""

    def create(self, collection: str, dimensions: int) -> None: ...
    def add(self, collection: str, points: Sequence[Point]) -> None: ...
    def finish(self) -> None:
        """Make all that was added durable and quick to search."""
        ...


def point_id(iri: str) -> str:
    """Qdrant's id of a resource: a UUID made of its IRI."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, iri))


def _bm25(language: str = "italian") -> edge.Bm25:
    return edge.Bm25(edge.Bm25Config(language=language, ascii_folding=True, avg_len=120))


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.iri))


def _first(fetch: Callable[[int], list[Hit]], limit: int) -> list[Hit]:
    """The first `limit` hits in the total order.

    Qdrant cuts among equal scores as it likes, so all hits that share the last score are
    fetched before the cut.
    """
    wanted = limit + 1
    while True:
        hits = fetch(wanted)
        if len(hits) < wanted or hits[-1].score < hits[limit - 1].score:
            return hits[:limit]
        wanted *= 2


@contextmanager
def _problems(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn what an engine raises into a `DataError`."""
    try:
        yield
    except kinds as error:
        raise DataError(f"{what}: {' '.join(str(error).split())[:500]}; load the data again") from error


class EmbeddedIndex:
    """Qdrant Edge: one folder a collection, flat and exact, without a write-ahead log.

    Without a log any number of processes may open a published folder at the same time. The
    engine needs a folder that it may write to, and leaves the same bytes in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shards: dict[str, edge.EdgeShard] = {}
        self._bm25 = _bm25()

    def create(self, collection: str, dimensions: int) -> None:
        config = edge.EdgeConfig(
            vectors={
                "dense": edge.EdgeVectorParams(
                    size=dimensions,
                    distance=edge.Distance.Cosine,
                    quantization_config=edge.ScalarQuantizationConfig(edge.ScalarType.Int8),
                )
            },
            sparse_vectors={"bm25": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            hnsw_config=edge.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=10_000),
            wal_enabled=False,
        )
        path = self._folder / collection
        with self._working(collection):
            path.mkdir(parents=True, exist_ok=True)
            shard = edge.EdgeShard.create(str(path), config)
            for name in KEYWORD_FIELDS.get(collection, ()):
                shard.update(edge.UpdateOperation.create_field_index(name, edge.PayloadSchemaType.Keyword))
            for name in INTEGER_FIELDS.get(collection, ()):
                shard.update(edge.UpdateOperation.create_field_index(name, edge.PayloadSchemaType.Integer))
        self._shards[collection] = shard

    def add(self, collection: str, points: Sequence[Point]) -> None:
        prepared = [
            edge.Point(
                point_id(point.iri),
                {
                    "dense": point.vector.tolist(),
                    **({"bm25": self._bm25.embed_document(point.text)} if point.text else {}),
                },
                {"iri": point.iri, **point.payload},
            )
            for point in points
        ]
        with self._working(collection):
            self._shards[collection].update(edge.UpdateOperation.upsert_points(prepared))

    def finish(self) -> None:
        for collection, shard in self._shards.items():
            with self._working(collection):
                shard.optimize()
                shard.flush()
                shard.close()
                # The first opening tidies the files, so it happens before readers come.
                edge.EdgeShard.load(str(self._folder / collection)).close()
        self._shards.clear()

    def nearest(
        self,
        collection: str,
        vector: Vectors,
        *,
        limit: int,
        where: Where = Where(),
        at_least: float | None = None,
    ) -> list[Hit]:
        if where.excludes_all:
            return []
        return self._query(
            collection,
            limit,
            query=edge.Query.Nearest(vector.tolist(), using="dense"),
            filter=_edge_filter(where),
            score_threshold=at_least,
            params=edge.SearchParams(
                exact=True, quantization=edge.QuantizationSearchParams(rescore=True, oversampling=2.0)
            ),
        )

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        words = self._bm25.embed_query(text)
        if not words.indices or where.excludes_all:
            return []
        query = edge.Query.Nearest(words, using="bm25")
        found = self._query(collection, limit, query=query, filter=_edge_filter(where))
        return [hit for hit in found if hit.score > 0]

    def count(self, collection: str) -> int:
        return int(self._shard(collection).count(edge.CountRequest(exact=True)))

    def _query(self, collection: str, limit: int, **request: Any) -> list[Hit]:
        shard = self._shard(collection)

        def fetch(number: int) -> list[Hit]:
            with self._working(collection):
                found = shard.query(edge.QueryRequest(limit=number, with_payload=True, **request))
            return _ordered(_hit(point.score, point.payload or {}) for point in found)

        return _first(fetch, limit)

    def _shard(self, collection: str) -> edge.EdgeShard:
        if collection not in self._shards:
            path = self._folder / collection
            if not path.is_dir():
                raise DataError(f"the vector index {path} is missing; load the data again")
            with self._working(collection):
                self._shards[collection] = edge.EdgeShard.load(str(path))
        return self._shards[collection]

    def _working(self, collection: str) -> AbstractContextManager[None]:
        # The binding raises bare exceptions.
        return _problems(f"the vector index {self._folder / collection} cannot be used", Exception)


def _edge_filter(where: Where) -> edge.Filter | None:
    must: list[Any] = [
        edge.FieldCondition(name, match=edge.MatchAny(list(values))) for name, values in where.any_of.items()
    ]
    if where.day_from is not None or where.day_until is not None:
        must.append(edge.FieldCondition("day", range=edge.RangeFloat(gte=where.day_from, lte=where.day_until)))
    if where.iris is not None:
        must.append(edge.HasIdCondition({uuid.UUID(point_id(iri)) for iri in where.iris}))
    return edge.Filter(must=must) if must else None


class ServerIndex:
    """A Qdrant server through its client; collections carry a prefix of their own.

    The client's local mode stands in for a server in tests.
    """

    def __init__(self, client: QdrantClient, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._bm25 = _bm25()

    def create(self, collection: str, dimensions: int) -> None:
        name = self._name(collection)
        with self._working(collection):
            if self._client.collection_exists(name):
                self._client.delete_collection(name)
            self._client.create_collection(
                name,
                vectors_config={
                    "dense": models.VectorParams(
                        size=dimensions,
                        distance=models.Distance.COSINE,
                        quantization_config=models.ScalarQuantization(
                            scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8)
                        ),
                    )
                },
                sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )
            for field_name in KEYWORD_FIELDS.get(collection, ()):
                self._client.create_payload_index(name, field_name, models.PayloadSchemaType.KEYWORD)
            for field_name in INTEGER_FIELDS.get(collection, ()):
                self._client.create_payload_index(name, field_name, models.PayloadSchemaType.INTEGER)

    def add(self, collection: str, points: Sequence[Point]) -> None:
        prepared = [
            models.PointStruct(
                id=point_id(point.iri),
                vector={
                    "dense": point.vector.tolist(),
                    **({"bm25": self._sparse(point.text)} if point.text else {}),
                },
                payload={"iri": point.iri, **point.payload},
            )
            for point in points
        ]
        if prepared:
            with self._working(collection):
                self._client.upsert(self._name(collection), prepared, wait=True)

    def finish(self) -> None:
        """Nothing to do: a server makes every batch durable before it answers."""

    def nearest(
        self,
        collection: str,
        vector: Vectors,
        *,
        limit: int,
        where: Where = Where(),
        at_least: float | None = None,
    ) -> list[Hit]:
        if where.excludes_all:
            return []
        return self._query(
            collection,
            limit,
            query=vector.tolist(),
            using="dense",
            query_filter=_server_filter(where),
            score_threshold=at_least,
            search_params=models.SearchParams(
                exact=True,
                quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0),
            ),
        )

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        words = self._bm25.embed_query(text)
        if not words.indices or where.excludes_all:
            return []
        query = models.SparseVector(indices=words.indices, values=words.values)
        found = self._query(collection, limit, query=query, using="bm25", query_filter=_server_filter(where))
        return [hit for hit in found if hit.score > 0]

    def count(self, collection: str) -> int:
        with self._working(collection):
            return self._client.count(self._name(collection), exact=True).count

    def _query(self, collection: str, limit: int, **request: Any) -> list[Hit]:
        def fetch(number: int) -> list[Hit]:
            with self._working(collection):
                reply = self._client.query_points(self._name(collection), limit=number, with_payload=True, **request)
            return _ordered(_hit(found.score, found.payload or {}) for found in reply.points)

        return _first(fetch, limit)

    def _working(self, collection: str) -> AbstractContextManager[None]:
        what = f"the Qdrant collection {self._name(collection)} cannot be used"
        return _problems(what, ApiException, ValueError)

    def _sparse(self, text: str) -> models.SparseVector:
        words = self._bm25.embed_document(text)
        return models.SparseVector(indices=words.indices, values=words.values)

    def _name(self, collection: str) -> str:
        return f"{self._prefix}-{collection}"


def _server_filter(where: Where) -> models.Filter | None:
    must: list[Any] = [
        models.FieldCondition(key=name, match=models.MatchAny(any=list(values)))
        for name, values in where.any_of.items()
    ]
    if where.day_from is not None or where.day_until is not None:
        must.append(models.FieldCondition(key="day", range=models.Range(gte=where.day_from, lte=where.day_until)))
    if where.iris is not None:
        must.append(models.HasIdCondition(has_id=[point_id(iri) for iri in where.iris]))
    return models.Filter(must=must) if must else None


def _hit(score: float, payload: Mapping[str, Any]) -> Hit:
    rest = {name: value for name, value in payload.items() if name != "iri"}
    return Hit(iri=str(payload["iri"]), score=float(score), payload=rest)
