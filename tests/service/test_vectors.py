"""One interface to the vector index: Qdrant Edge and a Qdrant client rank, filter and count alike."""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import QdrantClient

from service.embedding import Vectors, unit
from service.errors import DataError
from service.vectors import ACTS, CHUNKS, PROFILES, Point, VectorStore, Where, embedded, point_id
from service.vectors.embedded import EmbeddedIndex
from service.vectors.server import ServerIndex

MakeIndex = Callable[[Mapping[str, Sequence[Point]], int], VectorStore]
DIMENSIONS = 64
NUMBER = 600
RANDOM = np.random.default_rng(7)
VECTORS: Vectors = unit(RANDOM.standard_normal((NUMBER, DIMENSIONS)).astype(np.float32))
SPEAKERS = [f"http://a.example/p{n % 20}" for n in range(NUMBER)]
BLOCS = [f"http://a.example/g{n % 7}" for n in range(NUMBER)]
DAYS = [20240101 + n % 28 for n in range(NUMBER)]
IRIS = [f"http://a.example/chunk/{n:04d}" for n in range(NUMBER)]
QUERY: Vectors = unit(RANDOM.standard_normal(DIMENSIONS).astype(np.float32))
COSINES = VECTORS @ QUERY

TEXTS = {
    "bilancio": "Il bilancio dello Stato è una legge.",
    "bilanci": "I bilanci delle famiglie e delle imprese non tornano.",
    "sanita": "La sanità pubblica: perché aspettare?",
    "pane": "Il pane costa troppo.",
}


@pytest.fixture(scope="module")
def index(make_index: MakeIndex) -> VectorStore:
    chunks = [
        Point(
            iri,
            VECTORS[n],
            None,
            {"speaker": SPEAKERS[n], "bloc": BLOCS[n], "day": DAYS[n], "salience": 0.5, "capacity": "member"},
        )
        for n, iri in enumerate(IRIS)
    ]
    acts = [
        Point(f"http://a.example/act/{name}", VECTORS[n], text, {"day": 20240101 + n})
        for n, (name, text) in enumerate(TEXTS.items())
    ]
    same = [Point(f"http://a.example/same/{n:02d}", QUERY, "uguale", {}) for n in reversed(range(8))]
    return make_index({CHUNKS: chunks, ACTS: acts, PROFILES: same}, DIMENSIONS)


def expected(limit: int, keep: Callable[[int], bool] = lambda _: True) -> list[str]:
    order = sorted((n for n in range(NUMBER) if keep(n)), key=lambda n: (-COSINES[n], IRIS[n]))
    return [IRIS[n] for n in order[:limit]]


def found(index: VectorStore, limit: int = NUMBER, **how: object) -> list[str]:
    return [hit.iri for hit in index.nearest(CHUNKS, QUERY, limit=limit, **how)]  # type: ignore[arg-type]


def test_the_score_is_the_cosine_and_the_order_is_by_it_then_by_iri_F54(index: VectorStore) -> None:
    hits = index.nearest(CHUNKS, QUERY, limit=50)
    assert [hit.iri for hit in hits] == expected(50)
    for hit in hits:
        assert hit.score == pytest.approx(float(COSINES[IRIS.index(hit.iri)]), abs=1e-3)


def test_the_whole_collection_can_be_ranked_and_holds_each_resource_once(index: VectorStore) -> None:
    hits = index.nearest(CHUNKS, QUERY, limit=10_000)
    assert [hit.iri for hit in hits] == expected(NUMBER)
    assert min(hit.score for hit in hits) < 0


def test_equal_scores_are_ordered_by_iri_F58(index: VectorStore) -> None:
    hits = index.nearest(PROFILES, QUERY, limit=8)
    assert [hit.iri for hit in hits] == [f"http://a.example/same/{n:02d}" for n in range(8)]
    assert index.nearest(PROFILES, QUERY, limit=3) == hits[:3]
    found_by_words = index.lexical(PROFILES, "uguale", limit=8)
    assert [hit.iri for hit in found_by_words] == [hit.iri for hit in hits]
    assert index.lexical(PROFILES, "uguale", limit=3) == found_by_words[:3]


def test_a_hit_carries_its_payload_without_the_iri(index: VectorStore) -> None:
    hit = index.nearest(CHUNKS, QUERY, limit=1)[0]
    n = IRIS.index(hit.iri)
    assert hit.payload == {
        "speaker": SPEAKERS[n],
        "bloc": BLOCS[n],
        "day": DAYS[n],
        "salience": 0.5,
        "capacity": "member",
    }


def test_a_threshold_removes_what_is_below_it_F55(index: VectorStore) -> None:
    at_least = float(sorted(COSINES)[-30]) - 1e-4
    assert found(index, at_least=at_least) == expected(30)
    assert found(index, at_least=1.1) == []


@pytest.mark.parametrize(
    ("where", "keep"),
    [
        (Where({"speaker": (SPEAKERS[3],)}), lambda n: SPEAKERS[n] == SPEAKERS[3]),
        (Where({"bloc": (BLOCS[0], BLOCS[5])}), lambda n: BLOCS[n] in (BLOCS[0], BLOCS[5])),
        (
            Where({"bloc": (BLOCS[1],), "speaker": tuple(SPEAKERS[:9])}),
            lambda n: BLOCS[n] == BLOCS[1] and SPEAKERS[n] in SPEAKERS[:9],
        ),
        (Where(day_from=20240105), lambda n: DAYS[n] >= 20240105),
        (Where(day_until=20240105), lambda n: DAYS[n] <= 20240105),
        (
            Where({"bloc": (BLOCS[2],)}, day_from=20240105, day_until=20240110),
            lambda n: BLOCS[n] == BLOCS[2] and 20240105 <= DAYS[n] <= 20240110,
        ),
        (Where(iris=(IRIS[8], IRIS[2], "http://a.example/none")), lambda n: n in (2, 8)),
        (Where({"bloc": (BLOCS[2],)}, iris=tuple(IRIS[:20])), lambda n: n < 20 and BLOCS[n] == BLOCS[2]),
        (Where({"bloc": ("http://a.example/none",)}), lambda _: False),
        (Where({"bloc": ()}), lambda _: False),
        (Where(iris=()), lambda _: False),
        (Where({"bloc": (BLOCS[0],), "speaker": ()}), lambda _: False),
        (Where(day_from=20240110, day_until=20240105), lambda _: False),
    ],
)
def test_a_filter_is_applied_inside_the_search_F57_F61(
    index: VectorStore, where: Where, keep: Callable[[int], bool]
) -> None:
    assert found(index, where=where) == expected(NUMBER, keep)
    assert found(index, limit=3, where=where) == expected(3, keep)


@pytest.mark.parametrize("few", [0, 3, 50])
@pytest.mark.parametrize("limit", [1, 3, 40, NUMBER])
def test_hits_of_some_days_are_the_same_where_they_are_chosen_among_all(
    few: int, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "FEW", few)
    monkeypatch.setattr(embedded, "HITS_A_POINT", NUMBER)
    index = EmbeddedIndex(tmp_path)
    index.create(CHUNKS, DIMENSIONS)
    equal = [*VECTORS[:400], *(QUERY for _ in range(NUMBER - 400))]
    index.add(CHUNKS, [Point(iri, equal[n], None, {"day": DAYS[n]}) for n, iri in enumerate(IRIS)])
    index.finish()
    cosines = np.stack(equal) @ QUERY
    for first, last in (
        (20240101, 20240127),
        (20240103, None),
        (None, 20240114),
        (20240128, 20240128),
        (None, 20230101),
    ):
        where = Where(day_from=first, day_until=last)
        for least in (None, 0.05):
            fitting = [n for n in range(NUMBER) if where.holds(DAYS[n]) and cosines[n] >= (least or -1)]
            hits = index.nearest(CHUNKS, QUERY, limit=limit, where=where, at_least=least)
            assert [hit.iri for hit in hits] == [
                IRIS[n] for n in sorted(fitting, key=lambda n: (-cosines[n], n))[:limit]
            ]


def test_narrowing_a_filter_keeps_what_both_allow() -> None:
    where = Where({"bloc": ("a", "b")}, day_from=1, day_until=9, iris=("x",))
    narrowed = where.narrowed(bloc=["b", "c"], speaker=["s"])
    assert narrowed == Where({"bloc": ("b",), "speaker": ("s",)}, 1, 9, ("x",))
    assert where.narrowed(bloc=["c"]).excludes_all
    assert not where.excludes_all
    assert where.any_of == {"bloc": ("a", "b")}


def words(index: VectorStore, text: str, **how: object) -> list[str]:
    hits = index.lexical(ACTS, text, limit=10, **how)  # type: ignore[arg-type]
    assert all(hit.score > 0 for hit in hits)
    return [hit.iri.rsplit("/", 1)[-1] for hit in hits]


def test_words_are_found_by_their_stem(index: VectorStore) -> None:
    assert set(words(index, "bilanci")) == set(words(index, "BILANCIO")) == {"bilancio", "bilanci"}


def test_accents_and_case_do_not_matter(index: VectorStore) -> None:
    assert words(index, "SANITA") == words(index, "sanità") == ["sanita"]


def test_words_that_stand_nowhere_find_nothing(index: VectorStore) -> None:
    assert words(index, "astronave") == []
    assert words(index, "") == []
    assert words(index, "il la di e !?") == []


def test_part_of_a_word_is_not_a_word_F62(index: VectorStore) -> None:
    assert words(index, "lanci ncio") == []


def test_lexical_search_obeys_the_filter_F60(index: VectorStore) -> None:
    assert words(index, "bilancio", where=Where(day_until=20240101)) == ["bilancio"]
    assert words(index, "bilancio", where=Where(iris=("http://a.example/act/bilanci",))) == ["bilanci"]
    assert words(index, "bilancio", where=Where(iris=())) == []


def test_collections_are_counted(index: VectorStore) -> None:
    assert [index.count(name) for name in (CHUNKS, ACTS, PROFILES)] == [NUMBER, len(TEXTS), 8]


def test_vectors_are_fetched_by_iri_and_what_is_not_held_is_left_out(index: VectorStore) -> None:
    fetched = index.vectors(CHUNKS, [IRIS[5], "http://a.example/none", IRIS[2]])
    assert set(fetched) == {IRIS[2], IRIS[5]}
    for iri, vector in fetched.items():
        assert vector.shape == (DIMENSIONS,)
        assert np.allclose(vector, VECTORS[IRIS.index(iri)], atol=1e-4)
    assert index.vectors(CHUNKS, []) == index.vectors(CHUNKS, ["http://a.example/none"]) == {}


def test_a_resource_that_is_added_again_replaces_itself(make_index: MakeIndex) -> None:
    twice = [Point("http://a.example/1", VECTORS[n], "testo", {"day": n}) for n in (1, 2)]
    index = make_index({CHUNKS: twice}, DIMENSIONS)
    assert index.count(CHUNKS) == 1
    assert index.nearest(CHUNKS, VECTORS[2], limit=5)[0].payload == {"day": 2}


def test_an_empty_collection_answers_with_nothing(make_index: MakeIndex) -> None:
    index = make_index({CHUNKS: []}, DIMENSIONS)
    assert index.count(CHUNKS) == 0
    assert index.nearest(CHUNKS, QUERY, limit=5) == index.lexical(CHUNKS, "parole", limit=5) == []


def test_a_missing_index_says_what_to_do(make_index: MakeIndex) -> None:
    index = make_index({}, DIMENSIONS)
    for ask in (
        lambda: index.nearest(CHUNKS, QUERY, limit=1),
        lambda: index.lexical(CHUNKS, "parole", limit=1),
        lambda: index.count(CHUNKS),
        lambda: index.vectors(CHUNKS, [IRIS[0]]),
    ):
        with pytest.raises(DataError, match="load the data again"):
            ask()


def test_a_vector_of_another_length_is_a_data_error(index: VectorStore) -> None:
    with pytest.raises(DataError):
        index.nearest(CHUNKS, VECTORS[0][:10], limit=1)


def test_a_broken_index_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / CHUNKS).mkdir()
    (tmp_path / CHUNKS / "edge_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be used"):
        EmbeddedIndex(tmp_path).count(CHUNKS)


def test_a_server_that_is_down_is_a_data_error() -> None:
    index = ServerIndex(QdrantClient(url="http://127.0.0.1:9", timeout=2, check_compatibility=False), "x")
    for ask in (
        lambda: index.nearest(CHUNKS, QUERY, limit=1),
        lambda: index.count(CHUNKS),
        lambda: index.vectors(CHUNKS, [IRIS[0]]),
        lambda: index.create(CHUNKS, 8),
        lambda: index.add(CHUNKS, [Point(IRIS[0], QUERY, None, {})]),
    ):
        with pytest.raises(DataError, match="Qdrant"):
            ask()


def test_two_corpora_on_one_server_do_not_mix() -> None:
    client = QdrantClient(":memory:")
    for name, n in (("old", 1), ("new", 2)):
        index = ServerIndex(client, name)
        index.create(CHUNKS, DIMENSIONS)
        index.add(CHUNKS, [Point(f"http://a.example/{name}", VECTORS[n], None, {})])
    assert [hit.iri for hit in ServerIndex(client, "old").nearest(CHUNKS, QUERY, limit=9)] == ["http://a.example/old"]


def test_several_processes_open_a_published_index_at_once_and_leave_it_as_it_is(esperia) -> None:
    folder = (esperia.data / "current" / "vectors").resolve()
    before = _state(folder / CHUNKS)
    program = (
        "import sys; from pathlib import Path\n"
        "from service.vectors.embedded import EmbeddedIndex\nfrom service.embedding import HashEmbedder\n"
        "index = EmbeddedIndex(Path(sys.argv[1]))\n"
        "vector = HashEmbedder().queries(['salario minimo'])[0]\n"
        "print(*[hit.iri for hit in index.nearest('chunks', vector, limit=20)], flush=True)\n"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(folder)]
    others = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        here = esperia.corpus.vectors.nearest(CHUNKS, esperia.corpus.embedder.queries(["salario minimo"])[0], limit=20)
        for other in others:  # both still run, so all three have it open
            assert other.stdout
            assert other.stdout.readline().decode().split() == [hit.iri for hit in here]
    finally:
        for other in others:
            other.communicate()
    assert all(other.returncode == 0 for other in others)
    assert _state(folder / CHUNKS) == before


def _state(folder: Path) -> dict[str, str]:
    """The digest of every file; the files are large and nearly empty, so they are not kept."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as stream:
            found[str(path.relative_to(folder))] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def test_the_id_of_a_point_is_made_of_its_iri_alone() -> None:
    assert point_id(IRIS[0]) == point_id(IRIS[0]) != point_id(IRIS[1])
