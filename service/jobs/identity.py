"""When two questions are the same: by the words, the corpus, the limits, and all settings that change an answer."""

import hashlib
import json
from importlib.metadata import version
from typing import Any

from service.corpus import Manifest
from service.jobs.model import AskRequest
from service.question import clean
from service.settings import Settings


def key_of(request: AskRequest, manifest: Manifest, settings: Settings) -> str:
    """The key of a question to a corpus, in hexadecimal. Raises `QuestionError` for a question that is none."""
    named = request.filters
    told = {
        "question": clean(request.question),
        "dataset": manifest.dataset,
        "version": manifest.version,
        "day": str(request.as_of or manifest.last_day),
        "from": str(named.date_from),
        "until": str(named.date_until),
        "groups": sorted({name.strip().casefold() for name in named.groups}),
        "speakers": sorted(set(named.speakers)),
        "language": request.language,
        "made with": fingerprint(settings),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def fingerprint(settings: Settings) -> dict[str, Any]:
    """The settings that change an answer, and the release; no addresses and no keys."""
    return {
        "release": version("emiciclo"),
        "embedder": settings.embedder,
        "embedding model": (
            [settings.embedding_model, settings.embedding_dimensions, settings.embedding_base_url is None]
            if settings.embedder == "openai"
            else None
        ),
        "language model": (
            [settings.llm_model, settings.llm_base_url is None, _prompts(), settings.expand_short_questions]
            if settings.llm_model
            else None
        ),
        "retrieval": settings.retrieval.model_dump(),
        "compass": settings.compass,
    }


def _prompts() -> str:
    from service.language_model import PROMPT_VERSION  # which loads the client of the model

    return PROMPT_VERSION
