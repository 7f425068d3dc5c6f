"""What the command line prints: numbers agree with their nouns."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from service.answer.model import Answer, Language
from service.loading.checks import PrintedGroups
from service.reports import counted, print_answer, print_check
from tests.conftest import Esperia

ONE_OF_MANY = re.compile(
    r"(?<![\d.,/-])1 (interventi|sezioni|citazioni|speeches|sections|quotations|triples|quads|named graphs)\b"
)


def printed(print_it: Callable[[Console], None]) -> str:
    output = io.StringIO()
    print_it(Console(file=output, width=200))
    return " ".join(output.getvalue().split())


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("language", ["it", "en"])
def test_one_speech_is_not_said_to_be_many(language: Language, number: int, answer_to: Callable[[str], Answer]) -> None:
    answer = answer_to("l'energia nucleare")
    told = replace(
        answer, language=language, unresolved=number, writer=replace(answer.writer, model="m", fallbacks=number)
    )
    text = printed(lambda console: print_answer(told, console))
    assert not ONE_OF_MANY.search(text)
    assert ("interventi di oratori" in text or "speeches by speakers" in text) == (number == 2)
    assert ("per una sezione" in text or "for one section" in text) == (number == 1)


def test_a_check_counts_one_speech_as_one(esperia: Esperia) -> None:
    groups = PrintedGroups(printed=3, comparable=2, agreeing=2, unresolved=1)
    text = printed(lambda console: print_check(esperia.corpus.manifest, groups, (), console))
    assert "1 speech of speakers whom the register does not know" in text
    assert not ONE_OF_MANY.search(text)


def test_a_number_has_the_noun_that_agrees_with_it() -> None:
    assert [counted(n, "triple", "triples") for n in (0, 1, 2)] == ["0 triples", "1 triple", "2 triples"]
