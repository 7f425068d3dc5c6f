"""The words of a search, and where they stand in a text: by Italian stems, by phrases, by the letters of acronyms.

Places are code points of the text as it is stored. Texts are compared without case and accents,
in a folded copy that has a code point for each of the text's, so that places are those of both.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from service.thesaurus import stemmed
from service.vectors import bm25

LONGEST: Final = 1000
"""Characters of a search."""
MOST: Final = 32
"""Words that are looked for; those behind are left to the model of meaning."""

ACRONYM: Final = 4
"""Letters of an acronym that stands alone."""

_QUOTES: Final = str.maketrans(dict.fromkeys("“”„«»‟＂", '"'))
_PART: Final = re.compile(r'(?P<must>\+)?(?:"(?P<phrase>[^"]*)"|(?P<plain>[^\s"]+))')
_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN: Final = r"[\W_]{1,4}"
"""What may stand between the words of a phrase: a blank, a comma and a blank, an apostrophe."""

Span = tuple[int, int]
"""Start and end in code points, the end excluded."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A word or a phrase that is looked for. `must` says that a text without it does not count."""

    shown: str
    words: tuple[str, ...]
    """Folded."""
    form: str
    """`stem`: any inflection of the one word; `letters`: these letters (numbers, acronyms); `phrase`."""
    must: bool = False
    root: str = ""
    """Of a word, the stem with its accents: "sanità" is not "sana"."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search as it was put: what is looked for, and the text without its signs."""

    wanted: tuple[Wanted, ...]
    text: str

    @property
    def required(self) -> tuple[Wanted, ...]:
        """What must stand in every text found."""
        return tuple(w for w in self.wanted if w.must)

    @property
    def lexical(self) -> str:
        """The words for BM25: those that must stand, where there are any, as nothing else can count."""
        return " ".join(word for w in (self.required or self.wanted) for word in w.words)


def read(text: str) -> Query:
    """Read a search. `"…"` is a phrase, `+word` must stand in the text; a lone quotation mark is nothing.

    Function words are not looked for, unless in a phrase: BM25 does not know them either.
    """
    plain = _printable(text).translate(_QUOTES)
    if plain.count('"') % 2:
        at = plain.rindex('"')
        plain = f"{plain[:at]} {plain[at + 1 :]}"
    shouted = plain == plain.upper()
    found: dict[tuple[str, ...], Wanted] = {}
    rest = []
    for part in _PART.finditer(plain):
        body = part["phrase"] if part["phrase"] is not None else part["plain"]
        rest.append(body)
        for wanted in _wanted(body, part["phrase"] is not None, part["must"] is not None, shouted):
            key = (wanted.form, *wanted.words)
            if key not in found or wanted.must:
                found[key] = wanted
    kept = tuple(found.values())
    first = (*(w for w in kept if w.must), *(w for w in kept if not w.must))
    return Query(first[:MOST], " ".join(" ".join(rest).split()))


def _printable(text: str) -> str:
    visible = "".join(c for c in text[:LONGEST] if unicodedata.category(c) not in ("Cf", "Cs"))
    return "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", visible))


def _wanted(body: str, phrase: bool, must: bool, shouted: bool) -> Iterator[Wanted]:
    original = _WORD.findall(body)
    if phrase and len(original) > 1:
        yield Wanted(" ".join(body.split()), tuple(map(folded, original)), "phrase", True)
        return
    for word in original:
        plain = folded(word)
        # In capitals throughout, only a short word alone is an acronym: "MES" is, "ACQUE PUBBLICHE" is a habit.
        acronym = word.isupper() and len(word) > 1 and (not shouted or (len(word) <= ACRONYM and word == body))
        if phrase or acronym or any(c.isdigit() for c in word):
            if phrase or not is_function_word(plain):
                yield Wanted(word, (plain,), "letters", must or phrase)
        elif not is_function_word(word.lower()):
            yield Wanted(word, (plain,), "stem", must, stem(word.lower()))


@lru_cache(maxsize=1)
def _model() -> object:
    return bm25()


@lru_cache(maxsize=4096)
def is_function_word(word: str) -> bool:
    """Whether BM25 leaves a word out ("di", "che")."""
    return not _model().embed_query(word).indices  # type: ignore[attr-defined]


class _Folding(dict[int, int]):
    """One code point for each: the small letter without its accents where it is one, else the code point itself."""

    def __missing__(self, point: int) -> int:
        bare = [c for c in unicodedata.normalize("NFKD", chr(point).lower()) if not unicodedata.combining(c)]
        self[point] = ord(bare[0]) if len(bare) == 1 else point
        return self[point]


_FOLDING: Final = _Folding()


@lru_cache(maxsize=1024)
def folded(text: str) -> str:
    """A text without case and accents, of the same length."""
    return text.translate(_FOLDING)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Italian stem of a word in small letters. The model behind wants the accents."""
    found = stemmed([word])[0]
    return folded(found)


def places(wanted: Wanted, text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Where a word or a phrase stands in a text, between two places, in order; whole words only."""
    plain = folded(text)
    last = len(plain) if end is None else end
    if wanted.form == "phrase":
        return [
            hit.span()
            for hit in _phrase(wanted.words).finditer(plain, start, last)
            if _begins(plain, hit.start()) and _ends(plain, hit.end())
        ]
    word = wanted.words[0]
    if wanted.form == "letters":
        return [span for span in _words_from(word, plain, start, last) if span[1] - span[0] == len(word)]
    root = wanted.root
    # Snowball replaces as well as cuts ("presenza", "present"), so a word may differ from its stem near the end.
    head = root[: max(2, len(root) - 2)] if len(root) > 3 else root[:2]
    return [
        (begin, until)
        for begin, until in _words_from(head, plain, start, last)
        if plain[begin:until] == word or (not _acronym(text[begin:until]) and stem(text[begin:until].lower()) == root)
    ]


def _acronym(word: str) -> bool:
    """Whether a word of a text is one by its letters: "MES" is no inflection of "mese"."""
    return 1 < len(word) <= ACRONYM and word.isupper()


def _words_from(head: str, plain: str, start: int, last: int) -> Iterator[Span]:
    """The words that begin so."""
    at = plain.find(head, start, last)
    while at >= 0:
        if _begins(plain, at):
            word = _WORD.match(plain, at)
            end = word.end() if word else at + len(head)
            if end <= last:
                yield at, end
            at = plain.find(head, end, last)
        else:
            at = plain.find(head, at + 1, last)


def _begins(plain: str, at: int) -> bool:
    return at == 0 or not plain[at - 1].isalnum()


def _ends(plain: str, at: int) -> bool:
    return at == len(plain) or not plain[at].isalnum()


@lru_cache(maxsize=256)
def _phrase(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_BETWEEN.join(map(re.escape, words)))


def marks(wanted: Iterable[Wanted], text: str, start: int = 0, end: int | None = None) -> tuple[Span, ...]:
    """Where any of the words and phrases stand, in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for begin, until in sorted(span for one in wanted for span in places(one, text, start, end)):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(until, merged[-1][1]))
        else:
            merged.append((begin, until))
    return tuple(merged)


def stands(wanted: Wanted, text: str) -> bool:
    """Whether a text holds a word or a phrase."""
    return bool(places(wanted, text))


def window(text: str, start: int, end: int, found: tuple[Span, ...], size: int) -> Span:
    """The part of a passage that is shown: at most `size` code points, with as many marks as can be.

    It begins and ends at the passage's own ends or between words.
    """
    if end - start <= size:
        return start, end
    inside = [span for span in found if start <= span[0] and span[1] <= end]
    if inside:
        # The most marks in two thirds of the window, which leaves room for the words before.
        counted = ((sum(at <= b and e <= at + size * 2 // 3 for b, e in inside), -at) for at, _ in inside)
        begin = max(start, min(-max(counted)[1] - size // 4, end - size))
    else:
        begin = start
    until = min(end, begin + size)
    while begin > start and begin < until and text[begin - 1].isalnum():
        begin += 1
    while until < end and until > begin and text[until].isalnum():
        until -= 1
    if until <= begin:  # a single word longer than the window
        begin, until = max(start, min(begin, end - size)), min(end, begin + size)
    while begin < until and text[begin].isspace():
        begin += 1
    while until > begin and text[until - 1].isspace():
        until -= 1
    return begin, until
