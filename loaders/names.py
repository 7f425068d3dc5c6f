"""Display forms of what a registry prints: names in capitals, titles in escaped HTML."""

import html
import re
from typing import Final

_ACCENTED: Final = {"a": "à", "e": "è", "i": "ì", "o": "ò", "u": "ù"}
_WORD = re.compile(r"[^\s\-]+")
_APOSTROPHE = re.compile(r"(['’])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPACE = re.compile(r"\s+")
# The whole title in quotation marks, between the proposer (or the other chamber's number) and notes.
_QUOTED = re.compile(r'^(?:.*?(?::|\s[–-])\s*)?(?:["“](?P<title>.+)["”]|«(?P<guillemets>.+)»)(?:\s*\([^()]*\))*$')
_NUMBER = re.compile(r"\s*\(\d[\w\-/]*\)$")


def display_name(first_name: str, surname: str) -> str:
    """Write a registry's name in capitals as it is written in a text.

    A final apostrophe stands for an accent (`MULE'`), an inner one starts a new capital
    (`DELL'OLIO`). A name that already has lower-case letters is left as it is.
    """
    return _SPACE.sub(" ", f"{written(first_name)} {written(surname)}").strip()


def written(name: str) -> str:
    """A part of a name as `display_name` writes it."""
    if name != name.upper():
        return name
    return _WORD.sub(lambda match: _cased_word(match[0]), name)


def _cased_word(word: str) -> str:
    lowered = word.lower()
    if len(word) > 1 and word[-1] in "'’" and lowered[-2] in _ACCENTED:
        lowered = lowered[:-2] + _ACCENTED[lowered[-2]]
    return "".join(part[:1].upper() + part[1:] for part in _APOSTROPHE.split(lowered))


def clean_title(title: str) -> str:
    """Free a published title of (doubly) escaped HTML, proposer, number and outer blanks."""
    plain = html.unescape(html.unescape(title))
    plain = _SPACE.sub(" ", _TAG.sub("", plain)).strip()
    if quoted := _QUOTED.match(plain):
        return (quoted["title"] or quoted["guillemets"]).strip()
    return _NUMBER.sub("", plain).strip()


_SMALL_WORDS: Final = """
a ad agli ai al all alla alle allo col con d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle
dello di e ed fra gli i il in l la le lo negli nei nel nell nella nelle nello non nonché o per su sugli sui sul sull
sulla sulle sullo tra un una
"""
_SMALL: Final = frozenset(_SMALL_WORDS.split())
_TOKEN = re.compile(r"[A-ZÀ-Þ0-9]+")
_ROMAN = re.compile(r"[IVXL]+")
_CLOSED_E = re.compile(r"(?<=CH)E'(?!\w)")
_FINAL_ACCENT = re.compile(r"(?<=[A-Z]{2})([AEIOU])'(?!\w)")
_ACRONYM = re.compile(r"^(?:[^AEIOUÀÈÉÌÒÙ]+|.*[AEIOU]{3}.*|(.)\1.*|.*[BCDFGHJKMPQTVZ])$")


def organisation_name(label: str) -> str:
    """Write the name of a group or committee in capitals as a text would write it.

    Small words stay small, and short words that are no Italian words stay acronyms. A label
    that already has lower-case letters is left as it is.
    """
    if label != label.upper():
        return label
    accented = _CLOSED_E.sub("É", label)
    accented = _FINAL_ACCENT.sub(lambda match: _ACCENTED[match[1].lower()].upper(), accented)
    return _TOKEN.sub(lambda match: _organisation_word(match, accented), accented)


def _organisation_word(match: re.Match[str], label: str) -> str:
    word = match[0]
    short = len(word) <= 4 and _ACRONYM.match(word)
    if len(word) > 1 and (short or _ROMAN.fullmatch(word)) and word.lower() not in _SMALL:
        return word
    if match.start() and label[match.start() - 1] in " '" and word.lower() in _SMALL:
        return word.lower()
    if len(word) == 1 and match.end() < len(label) and label[match.end()] == "'":
        return word.lower() if match.start() else word
    return word[0] + word[1:].lower()
