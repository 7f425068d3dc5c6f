"""Spans of a speech: sentences, stage directions and chunks, all as code-point offsets.

The text of a speech is stored once and never edited afterwards. Everything here returns
half-open spans `[start, end)` into that text, so that a chunk, a sentence or a quotation is
verbatim by construction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CHUNK_SIZE: Final = 1200
"""Most characters in a chunk, unless one sentence alone is longer (the reference's value)."""
CHUNK_OVERLAP: Final = 250
"""Characters, in whole sentences, that a chunk repeats of the one before."""
SHORTEST_TAIL: Final = 100
"""A last chunk with fewer new characters than this extends the chunk before instead."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points. Raises `ValueError` unless `0 <= start < end`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Cut this span from the text it was made for."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Tell whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end

    def within(self, other: "Span") -> bool:
        """Tell whether this span lies wholly inside the other."""
        return other.start <= self.start and self.end <= other.end


# After these, a dot does not end a sentence: titles, references to law, Latin.
_ABBREVIATED: Final = """
on onn sen senn prof proff dott dr avv ing arch geom rag gen col cap ten mons sig sigg ill egr
art artt lett cfr n nn num pag pagg par v vd vol fasc sent cass cost ord reg racc
d dd l ll lgs dlgs dl dpr dpcm dm cpv co c cc cd es p pp s ss u min lett.a fig tab tel prot
fr st sta sant ecc.ma gazz uff suppl all op cit ibid id ved sez cap tit
"""
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())
# A dotted acronym ("U.E.") ends a sentence only before a word that often opens one.
_OPENING: Final = """
il lo la i gli le un uno una ma e non in per si se questo questa questi queste quello quella
noi voi io chi che come quando dove perché anzi inoltre infine dunque quindi allora abbiamo
è ed al alla ai alle dal dalla nel nella con su sul sulla da di del della a oggi ieri poi
anche ancora così tuttavia però certo ci vi presidente signor signora colleghi
"""
_OPENERS: Final = frozenset(_OPENING.split())

# A line break, or a stop and what closes behind it. It begins with one set of characters, as the engine looks for
# such a beginning several times as fast as for one of several alternatives.
_END = re.compile(r"[\n.!?…](?:(?<=\n)|(?:(?<=\.)\.+)?[»”\")\]’']*(?!\S))")
_WORD_BEFORE = re.compile(r"(?<![\w-])([A-Za-zÀ-ÿ]+(?:\.[A-Za-zÀ-ÿ]+)*)$")
_WORD_AFTER = re.compile(r"\s*[«“\"(\[]*([A-Za-zÀ-ÿ]+)")
_NUMBER_AFTER = re.compile(r"\s*\d")
_STARTS = re.compile(r"\s*(?:[«“\"(\[–—'’+-]\s*)*(?:[A-ZÀ-Þ]|\d|…|\.{2,})")

# What the stenographers add between brackets, by its first word. It may hold two levels of
# brackets, and never reaches into another paragraph.
_DIRECTION = re.compile(
    r"\(\s*(?:(?:Vivi|Prolungati|Generali|Molti)\s+)*"
    r"(?:Applausi|Commenti|Proteste|Congratulazioni|Interruzion[ei]|Ilarità|Rumori|Dai banchi|"
    r"Una voce|Voci|Richiami|Il deputato|La deputata|I deputati|Si ride|Scambio|Mostra|"
    r"Segue|La Presidenza|Il Presidente|Dichiarazion|Così rimane|Breve pausa|Suona|Nel corso)"
    r"(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
)


def directions(text: str) -> tuple[Span, ...]:
    """Find stage directions such as "(Applausi dei deputati del gruppo …)"."""
    return tuple(Span(*match.span()) for match in _DIRECTION.finditer(text))


def sentences(text: str) -> tuple[Span, ...]:
    """Split a text into sentences. Abbreviations of Italian law and address do not end one.

    A line break always does. Stage directions at the edge of a sentence are left outside;
    one in the middle stays inside (a caller that quotes refuses such a sentence).
    """
    asides = directions(text)
    found: list[Span] = []
    start = passed = 0
    for match in _END.finditer(text):
        while passed < len(asides) and asides[passed].end - 1 <= match.start():
            passed += 1
        if passed < len(asides) and asides[passed].start <= match.start():
            continue
        if match[0] != "\n" and not _ends_sentence(text, match):
            continue
        found.extend(_trimmed(text, start, match.end(), asides))
        start = match.end()
    found.extend(_trimmed(text, start, len(text), asides))
    return tuple(found)


def chunks(
    text: str,
    *,
    size: int = CHUNK_SIZE,
    overlap: int = CHUNK_OVERLAP,
    shortest_tail: int = SHORTEST_TAIL,
) -> tuple[Span, ...]:
    """Group the sentences of a text into overlapping spans that cover every sentence."""
    return grouped(sentences(text), size=size, overlap=overlap, shortest_tail=shortest_tail)


def grouped(
    units: Sequence[Span],
    *,
    size: int = CHUNK_SIZE,
    overlap: int = CHUNK_OVERLAP,
    shortest_tail: int = SHORTEST_TAIL,
) -> tuple[Span, ...]:
    """Group sentences that were found already (see `chunks`).

    Greedy, in whole sentences: at least one a chunk, at most `size` characters; the next
    chunk goes back whole sentences while these measure at most `overlap`, but always advances.
    """
    spans: list[Span] = []
    first = 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and units[last + 1].end - units[first].start <= size:
            last += 1
        span = Span(units[first].start, units[last].end)
        if spans and span.end - spans[-1].end < shortest_tail:
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
        if last + 1 == len(units):
            break
        back = last + 1
        while back - 1 > first and units[last].end - units[back - 1].start <= overlap:
            back -= 1
        first = back
    return tuple(spans)


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if match.end() < len(text) and not _STARTS.match(text, match.end()):
        return False
    if match[0] != ".":
        return True
    before = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
    if before is None:
        return True
    word = before[1].lower()
    if "." in word or (len(word) == 1 and before[1].isupper()):
        after = _WORD_AFTER.match(text, match.end())
        if "." not in word or _NUMBER_AFTER.match(text, match.end()):
            return False
        return after is None or after[1].lower() in _OPENERS
    return word not in _ABBREVIATIONS


def _trimmed(text: str, start: int, end: int, asides: tuple[Span, ...]) -> list[Span]:
    """Drop white space and stage directions from both edges; return no span or one."""
    while True:
        part = text[start:end]
        start = end - len(part.lstrip())
        end = start + len(part.strip())
        at_start = next((a for a in asides if a.start == start and a.end <= end), None) if asides else None
        if at_start:
            start = at_start.end
            while start < end and text[start] in " .,;":
                start += 1
            continue
        # "… la legge (Applausi)." ends before the aside; what follows it is only punctuation.
        at_end = (
            next((a for a in asides if start < a.start and a.end <= end and not text[a.end : end].strip(" .!?")), None)
            if asides
            else None
        )
        if at_end:
            end = at_end.start
            continue
        return [Span(start, end)] if start < end and _says_something(text, start, end) else []


def _says_something(text: str, start: int, end: int) -> bool:
    return text[start].isalnum() or any(map(str.isalnum, text[start:end]))
