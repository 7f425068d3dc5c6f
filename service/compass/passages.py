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
    # A chunk is made of whole sentences, so its own are those of the speech.
    text = evidence.text
    asides = directions(text)
    whole = [
        unit
        for unit in sentences(text)
        if SHORTEST <= len(unit) <= LONGEST
        and "\n" not in unit.of(text)
        and not any(unit.overlaps(aside) for aside in asides)
    ]
    wanted = set(telling)

    def merit(unit: Span) -> tuple[int, int, int]:
        words = unit.of(text)
        return int(refusal(words) is None), len(wanted.intersection(stems(words))), -unit.start

    best = max(whole, key=merit) if whole else _beginning(text)
    return Span(evidence.start + best.start, evidence.start + best.end)


def _beginning(text: str) -> Span:
    """The first words of a text, at most `LONGEST` characters, without outer blanks."""
    start = len(text) - len(text.lstrip())
    end = min(len(text), start + LONGEST)
    if end < len(text) and not text[end].isspace():
        shorter = max(text.rfind(blank, start, end) for blank in " \n")
        end = shorter if shorter > start else end
    end = start + len(text[start:end].rstrip())
    return Span(start, end) if end > start else Span(0, min(len(text), LONGEST))
