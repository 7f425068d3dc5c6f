"""Which words of a chunk are shown: whole sentences of at most 350 characters, cut from the speech."""

from collections.abc import Collection
from typing import Final

from loaders.text import Span, directions, sentences
from service.answer.candidates import refusal
from service.evidence import Evidence
from service.thesaurus import stems

LONGEST: Final = 350
SHORTEST: Final = 60


def cut(evidence: Evidence, telling: Collection[str] = ()) -> Span:
    """The span that shows best what a passage says.

    That is the sentence with most of the stems in `telling`, those first that can be understood alone; where
    all sentences are too long or too short, the passage's beginning, up to the end of a word.
    """
    text = evidence.speech.text
    inside = Span(evidence.start, evidence.end)
    asides = directions(text)
    whole = [
        unit
        for unit in sentences(text)
        if unit.within(inside)
        and SHORTEST <= len(unit) <= LONGEST
        and "\n" not in unit.of(text)
        and not any(unit.overlaps(aside) for aside in asides)
    ]
    if not whole:
        return _beginning(text, inside)
    wanted = set(telling)

    def merit(unit: Span) -> tuple[int, int, int]:
        words = unit.of(text)
        return int(refusal(words) is None), len(wanted.intersection(stems(words))), -unit.start

    return max(whole, key=merit)


def _beginning(text: str, inside: Span) -> Span:
    """The first words of a stretch of text, at most `LONGEST` characters, without outer blanks."""
    start = inside.start
    while start < inside.end and text[start].isspace():
        start += 1
    end = min(inside.end, start + LONGEST)
    if end < inside.end and not text[end].isspace():
        shorter = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        end = shorter if shorter > start else end
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else inside
