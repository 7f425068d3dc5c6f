"""An answer's document as other forms read it: sections in their order, quotations numbered through, names for IRIs."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from babel.dates import format_date

from service.answer.jsonld import Document

LANGUAGES: Final = ("it", "en")
MARKER: Final = re.compile(r"\{q(\d{1,4})\}")
"""Where the text of a section has one of its quotations."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation as it is shown: `number` counts through the answer from 1."""

    number: int
    document: Document
    group: str | None
    """Its speaker's group that day by name, where the answer has one for it."""

    @property
    def exact(self) -> str:
        return str(self._selector("exact"))

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in Unicode code points, end excluded."""
        return int(self._selector("start")), int(self._selector("end"))

    @property
    def speaker(self) -> str | None:
        """The speaker's name."""
        return self.document.get("speakerName")

    @property
    def day(self) -> date:
        return date.fromisoformat(self.document["date"])

    def _selector(self, member: str) -> Any:
        return next(selector[member] for selector in self.document["selector"] if member in selector)


def language_of(document: Document) -> str:
    """The language that the answer is written in; English for one that is not known."""
    return document["language"] if document.get("language") in LANGUAGES else "en"


def sections(document: Document) -> Iterator[tuple[Document, tuple[Quoted, ...]]]:
    """The sections, each with its quotations."""
    names = group_names(document)
    number = 0
    for section in document["sections"]:
        quoted = tuple(
            Quoted(number + n, quotation, _name(quotation, names))
            for n, quotation in enumerate(section["quotations"], start=1)
        )
        number += len(quoted)
        yield section, quoted


def quotations(document: Document) -> tuple[Quoted, ...]:
    """All quotations of an answer."""
    return tuple(quotation for _, quoted in sections(document) for quotation in quoted)


def group_names(document: Document) -> Mapping[str, str]:
    """IRI to name of each group, and of each component of the gruppo misto, that has a section of its own."""
    named = ((section.get("component") or section.get("group"), section["title"]) for section in document["sections"])
    return {iri: title for iri, title in named if iri}


def _name(quotation: Document, names: Mapping[str, str]) -> str | None:
    """The name of a quoted speaker's component or group that day."""
    found = (names.get(quotation.get(member, "")) for member in ("componentAtSpeech", "groupAtSpeech"))
    return next((name for name in found if name), None)


def asked_at(document: Document) -> str | None:
    """When the work on an answer began: UTC, as the document has it."""
    return min((a["startedAt"] for a in document.get("activities", ()) if "startedAt" in a), default=None)


def in_words(day: date, language: str) -> str:
    """A day as it is written out, such as "4 novembre 2025" or "1º dicembre 2025"."""
    text = format_date(day, "long", locale={"it": "it_IT"}.get(language, "en_GB"))
    return f"1º{text[1:]}" if language == "it" and day.day == 1 else text


def one_line(text: str) -> str:
    """A text with its white space folded and without control characters, which a terminal might obey."""
    return " ".join("".join(" " if _is_control(letter) else letter for letter in text).split())


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text, each folded; blank ones stay, but none at its ends."""
    return tuple(one_line(line) for line in re.split(r"\r\n|\r|\n", text.strip()))


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Cs")
