"""Embeddings of an OpenAI-compatible endpoint. A module of its own: the client is slow to import."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from openai import OpenAI, OpenAIError

from service.embedding import Calibration, Vectors, unit
from service.errors import ConfigurationError


class OpenAIEmbedder:
    """Any OpenAI-compatible endpoint; `text-embedding-3-small` (1,536) is the paper's choice."""

    calibration: Final = Calibration(
        floor=0.15, ceiling=0.60, on_topic=0.95, label_floor=0.15, label_ceiling=0.50, same=0.90
    )

    def __init__(
        self,
        *,
        name: str = "text-embedding-3-small",
        dimensions: int = 1536,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        self.model = f"openai:{name}"
        self.dimensions = dimensions
        self._name = name
        self._client = OpenAI(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=4)

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        try:
            reply = self._client.embeddings.create(model=self._name, input=list(texts), encoding_format="float")
        except OpenAIError as error:
            raise ConfigurationError(f"the embedding endpoint did not answer: {error}") from error
        ordered = sorted(reply.data, key=lambda item: item.index)
        vectors = np.asarray([item.embedding for item in ordered], np.float32)
        if vectors.shape != (len(texts), self.dimensions):
            raise ConfigurationError(
                f"the embedding endpoint returned vectors of shape {vectors.shape}, "
                f"expected ({len(texts)}, {self.dimensions})"
            )
        return unit(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)
