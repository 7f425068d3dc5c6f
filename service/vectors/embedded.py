"""Qdrant in this process."""

import os
import threading
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np
import qdrant_edge as edge

from service.embedding import Vectors
from service.errors import DataError
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

# Indices of fields are mapped from their files. Built in memory, as they are by default, they take nearly all of the
# time of an opening, and filters by them take twice as long.
_KEYWORD: Final = edge.KeywordIndexParams(memory=edge.Memory.Cached)
_INTEGER: Final = edge.IntegerIndexParams(memory=edge.Memory.Cached)

FEW: Final = 50
"""Further hits that are fetched at least where those of some days are chosen among them."""
HITS_A_POINT: Final = 1 / 100
"""A filter at a hundred points takes about as long as fetching one hit more."""


class EmbeddedIndex:
    """Qdrant Edge: one folder a collection, flat and exact, without a write-ahead log.

    Without a log any number of processes may open a published folder at the same time. The
    engine needs a folder that it may write to, and leaves the same bytes in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shards: dict[str, edge.EdgeShard] = {}
        self._loading = threading.Lock()
        """Of shards: many searches at once are well, two openings of one folder are not."""
        self._bm25 = bm25()

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
                shard.update(edge.UpdateOperation.create_field_index(name, _KEYWORD))
            for name in INTEGER_FIELDS.get(collection, ()):
                shard.update(edge.UpdateOperation.create_field_index(name, _INTEGER))
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
            self._shard(collection).update(edge.UpdateOperation.upsert_points(prepared))

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
        search: dict[str, Any] = {
            "query": edge.Query.Nearest(vector.tolist(), using="dense"),
            "score_threshold": at_least,
            "params": edge.SearchParams(
                exact=True, quantization=edge.QuantizationSearchParams(rescore=True, oversampling=2.0)
            ),
        }
        found = self._of_most_days(collection, limit, where, search)
        return self._query(collection, limit, filter=_edge_filter(where), **search) if found is None else found

    def _of_most_days(self, collection: str, limit: int, where: Where, search: Mapping[str, Any]) -> list[Hit] | None:
        """The first hits of a filter by days alone that most points pass: chosen among some more found without it.

        The engine asks a filter point by point, which takes longer than the search itself, and longer the more
        points pass. None where it is not worth while, or too many of those found are of other days.
        """
        if not where.days_alone:
            return None
        points, passing = self._about(collection, Where()), self._about(collection, where)
        if not passing:
            return None
        others = limit * (points - passing) / passing
        wanted = limit + ceil(others + max(others, FEW))
        if wanted - limit > passing * HITS_A_POINT:
            return None
        hits = self._fetch(collection, wanted, **search)
        found = [hit for hit in hits if where.holds(int(hit.payload["day"]))]
        # Of several with the last score, the engine may have left out some.
        if len(hits) == wanted and (len(found) < limit or found[limit - 1].score == hits[-1].score):
            return None
        return found[:limit]

    def _about(self, collection: str, where: Where) -> int:
        """About how many points pass a filter, as an index of its field tells without looking at them."""
        with self._working(collection):
            return int(self._shard(collection).count(edge.CountRequest(filter=_edge_filter(where), exact=False)))

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        words = self._bm25.embed_query(text)
        if not words.indices or where.excludes_all:
            return []
        query = edge.Query.Nearest(words, using="bm25")
        found = self._query(collection, limit, query=query, filter=_edge_filter(where))
        return [hit for hit in found if hit.score > 0]

    def count(self, collection: str) -> int:
        return int(self._shard(collection).count(edge.CountRequest(exact=True)))

    def vectors(self, collection: str, iris: Sequence[str]) -> dict[str, Vectors]:
        shard = self._shard(collection)
        ids: list[int | uuid.UUID | str] = [point_id(iri) for iri in iris]
        with self._working(collection):
            found = shard.retrieve(ids, True, ["dense"])
        held = ((record.payload, record.vector) for record in found)
        return {
            str(payload["iri"]): np.asarray(vector["dense"], np.float32)
            for payload, vector in held
            if payload and isinstance(vector, dict)
        }

    def _query(self, collection: str, limit: int, **request: Any) -> list[Hit]:
        return first_of(lambda number: self._fetch(collection, number, **request), limit)

    def _fetch(self, collection: str, number: int, **request: Any) -> list[Hit]:
        shard = self._shard(collection)
        with self._working(collection):
            found = shard.query(edge.QueryRequest(limit=number, with_payload=True, **request))
        return ordered(hit_of(point.score, point.payload or {}) for point in found)

    def _shard(self, collection: str) -> edge.EdgeShard:
        shard = self._shards.get(collection)
        if shard is not None:
            return shard
        with self._loading:
            if collection not in self._shards:
                self._shards[collection] = self._load(collection)
            return self._shards[collection]

    def _load(self, collection: str) -> edge.EdgeShard:
        path = self._folder / collection
        if not path.is_dir():
            raise DataError(f"the vector index {path} is missing; load the data again")
        if not os.access(path, os.W_OK):
            raise DataError(
                f"the vector index {path} is not writable for this user, and Qdrant needs that even to search; "
                "give the user of the service the right to write, and mount the data writable"
            )
        with self._working(collection):
            return edge.EdgeShard.load(str(path))

    def _working(self, collection: str) -> AbstractContextManager[None]:
        # The binding raises bare exceptions.
        return problems(f"the vector index {self._folder / collection} cannot be used", Exception)


def _edge_filter(where: Where) -> edge.Filter | None:
    must: list[Any] = [
        edge.FieldCondition(name, match=edge.MatchAny(list(values))) for name, values in where.any_of.items()
    ]
    if where.day_from is not None or where.day_until is not None:
        must.append(edge.FieldCondition("day", range=edge.RangeFloat(gte=where.day_from, lte=where.day_until)))
    if where.iris is not None:
        must.append(edge.HasIdCondition({uuid.UUID(point_id(iri)) for iri in where.iris}))
    return edge.Filter(must=must) if must else None
