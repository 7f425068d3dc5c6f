"""An engine over the demonstration parliament, and answers that several tests read."""

from collections.abc import Callable

import pytest

from service.answer.model import Answer
from service.pipeline import Engine, ask
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS


@pytest.fixture(scope="session")
def engine(esperia: Esperia) -> Engine:
    """The pipeline over Esperia, without a language model."""
    return Engine(esperia.corpus, esperia.chamber, esperia.thesaurus, esperia.settings, None)


@pytest.fixture(scope="session")
def answer_to(engine: Engine) -> Callable[[str], Answer]:
    """The answer to a topic; each is asked for once."""
    known: dict[str, Answer] = {}

    def answer(topic: str) -> Answer:
        if topic not in known:
            known[topic] = ask(topic, engine)
        return known[topic]

    return answer


@pytest.fixture(scope="session")
def answers(answer_to: Callable[[str], Answer]) -> dict[str, Answer]:
    """An answer for each of the topics."""
    return {topic: answer_to(topic) for topic in TOPICS}
