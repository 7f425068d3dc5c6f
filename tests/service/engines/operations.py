"""Operations that tests run in the engine's process."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from service.answer.model import Answer
from service.errors import QuestionError
from service.pipeline import Engine, ask
from service.progress import Progress, Step
from service.queries.refusal import QueryRefused
from service.queries.tokens import Place

SECRET = "sk-of-nobody"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What `steps_for_ever` is told: where to note that it began, and that it was ended."""

    begun: Path
    ended: Path


def asked(request: str, engine: Engine, progress: Progress) -> Answer:
    """An answer, with an IRI that tells nothing."""
    return ask(request, engine, iri="https://example.org/answer", progress=progress)


def version(request: None, engine: Engine, progress: Progress) -> str:
    return engine.corpus.manifest.version


def process_id(request: None, engine: Engine, progress: Progress) -> int:
    return os.getpid()


def environment(request: None, engine: Engine, progress: Progress) -> dict[str, str]:
    return dict(os.environ)


def dies(request: None, engine: Engine, progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def not_understood(request: str, engine: Engine, progress: Progress) -> None:
    raise QuestionError(request)


def refused(request: None, engine: Engine, progress: Progress) -> None:
    raise QueryRefused(413, "too long", place=Place(2, 3), limit="result_rows", retry_after=5)


def breaks(request: None, engine: Engine, progress: Progress) -> None:
    raise RuntimeError(SECRET)


def leaves(request: None, engine: Engine, progress: Progress) -> None:
    raise SystemExit(SECRET)


def cannot_be_sent(request: None, engine: Engine, progress: Progress) -> object:
    return lambda: None


def steps_for_ever(request: Waiting, engine: Engine, progress: Progress) -> None:
    """Goes on, whatever `Exception` its progress raises, until it is ended."""
    request.begun.touch()
    try:
        while True:
            try:
                progress(Step("retrieve", "working"))
            except Exception:  # an operation at its worst: nothing that it is told ends it
                continue
            time.sleep(0.001)
    finally:
        request.ended.touch()


def waits_for(request: Waiting, engine: Engine, progress: Progress) -> str:
    """Its corpus's version, once `ended` exists."""
    request.begun.touch()
    while not request.ended.exists():
        time.sleep(0.005)
    return engine.corpus.manifest.version
