"""A Qdrant server by URL. Its client is slow to import, so callers import this module when they need it."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from service.embedding import Vectors
from service.settings import Settings
from service.vectors import (
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    Hit,
    Point,
    Where,
    bm25,
    first_of,
    hit_of,
    ordered,
    point_id,
    problems,
)


class ServerIndex:
    """A Qdrant server through its client; collections carry a prefix of their own.

    The client's local mode stands in for a server in tests.
    """

    def __init__(self, client: QdrantClient, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._bm25 = bm25()

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

    def vectors(self, collection: str, iris: Sequence[str]) -> dict[str, Vectors]:
        with self._working(collection):
            found = self._client.retrieve(
                self._name(collection), [point_id(iri) for iri in iris], with_payload=["iri"], with_vectors=["dense"]
            )
        held = ((record.payload, record.vector) for record in found)
        return {
            str(payload["iri"]): np.asarray(vector["dense"], np.float32)
            for payload, vector in held
            if payload and isinstance(vector, dict)
        }

    def _query(self, collection: str, limit: int, **request: Any) -> list[Hit]:
        def fetch(number: int) -> list[Hit]:
            with self._working(collection):
                reply = self._client.query_points(self._name(collection), limit=number, with_payload=True, **request)
            return ordered(hit_of(found.score, found.payload or {}) for found in reply.points)

        return first_of(fetch, limit)

    def _working(self, collection: str) -> AbstractContextManager[None]:
        what = f"the Qdrant collection {self._name(collection)} cannot be used"
        return problems(what, ApiException, ValueError)

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


def open_server(settings: Settings) -> QdrantClient:
    """Open a client of the configured Qdrant server."""
    key = settings.qdrant_api_key
    return QdrantClient(url=settings.qdrant_url, api_key=key.get_secret_value() if key else None, timeout=30)


def retire(client: QdrantClient, dataset: str, keep: Collection[str]) -> None:
    """Delete the collections of a dataset's earlier loads, but those with a prefix in `keep`."""
    for collection in client.get_collections().collections:
        name = collection.name
        if name.startswith(f"emiciclo-{dataset}-") and not any(name.startswith(f"{prefix}-") for prefix in keep):
            client.delete_collection(name)
