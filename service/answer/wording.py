"""What a language must be able to say, so that the writer can write an answer in it.

Structure, figures and quotations are the writer's; a language only puts them into words. The
modules `italian` and `english` are such languages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from service.answer.language import Language
from service.answer.model import Activity, Kind
from service.answer.standing import Standing
from service.evidence import SpeechRecord
from service.question import Question


class Wording(Protocol):
    """A language of answers: closed lists and pure functions."""

    @property
    def LANGUAGE(self) -> Language: ...
    @property
    def REPORTING(self) -> tuple[str, ...]:
        """Neutral phrases that introduce speech, each different."""

    @property
    def SIDES(self) -> Mapping[Kind, str]: ...
    @property
    def NOTHING(self) -> str: ...
    @property
    def NOTHING_QUOTABLE(self) -> str: ...
    @property
    def GOVERNMENT(self) -> str: ...
    @property
    def OTHERS(self) -> str:
        """The title of the section of those who speak for no group."""

    @property
    def SOMEBODY(self) -> str:
        """A speaker without a name."""

    def component(self, name: str) -> str:
        """The title of a component of the gruppo misto."""

    def day(self, value: date) -> str:
        """A day written out."""

    def of_committee(self, label: str) -> str:
        """`of the …`, with the name of a committee by its published label."""

    def activity(self, found: Activity) -> str:
        """How much a bloc said, in a sentence; empty if nothing."""

    def standing(self, who: Standing) -> str:
        """Who a speaker is, between commas; empty if nothing is known."""

    def introduce(
        self,
        record: SpeechRecord,
        *,
        reporter: "Reporter",
        name: str,
        who: str,
        point: str | None,
        again: bool,
        dated: bool = True,
    ) -> str:
        """The sentence before a quotation, up to and with its colon; `again` if the speaker was just quoted.

        Not `dated` where the section has just told the one day on which all was said.
        """

    def introduction(
        self,
        question: Question,
        *,
        corpus_title: str,
        activity: Activity,
        sitting_days: int,
        spoke: Mapping[Kind, Sequence[str]],
        silent: Sequence[str],
    ) -> str:
        """Some sentences whose numbers come from the data: how much, who, who not."""


@dataclass(slots=True)
class Reporter:
    """Hands out a language's reporting phrases so that none is used twice in an answer."""

    phrases: tuple[str, ...]
    _used: int = 0

    def reporting(self) -> str | None:
        """The next reporting phrase; None when all have been used."""
        if self._used == len(self.phrases):
            return None
        self._used += 1
        return self.phrases[self._used - 1]


def joined(items: Sequence[str], conjunction: str) -> str:
    """`a`, `a e b`, `a, b e c`; `a; b, c` where the items have commas of their own."""
    if len(items) < 2:
        return "".join(items)
    comma, last = ("; ", "; ") if any("," in item for item in items) else (", ", f" {conjunction} ")
    return f"{comma.join(items[:-1])}{last}{items[-1]}"
