"""Display forms of what a registry prints: names in capitals, titles in escaped HTML."""

import html
import re
from typing import Final

_ACCENTED: Final = {"a": "à", "e": "è", "i": "ì", "o": "ò", "u": "ù"}
_WORD = re.compile(r"[^\s\-]+")
_TAG = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"\s+")
_QUOTED = re.compile(r'^[^"“]*["“](?P<title>.+)["”][^"”]*$')
_NUMBER = re.compile(r"\s*\([\w\-]+\)\s*$")


def display_name(first_name: str, surname: str) -> str:
    """Write a registry's name in capitals as it is written in a text.

    A final apostrophe stands for an accent (`MULE'`), an inner one starts a new capital
    (`DELL'OLIO`). A name that already has lower-case letters is left as it is.
    """
    return _SPACE.sub(" ", f"{_cased(first_name)} {_cased(surname)}").strip()


def _cased(name: str) -> str:
    if name != name.upper():
        return name
    return _WORD.sub(lambda match: _cased_word(match[0]), name)


def _cased_word(word: str) -> str:
    lowered = word.lower()
    if len(word) > 1 and word.endswith("'") and lowered[-2] in _ACCENTED:
        lowered = lowered[:-2] + _ACCENTED[lowered[-2]]
    return "'".join(part[:1].upper() + part[1:] for part in lowered.split("'"))


def clean_title(title: str) -> str:
    """Free a published title of (doubly) escaped HTML, proposer, number and outer blanks."""
    plain = html.unescape(html.unescape(title))
    plain = _SPACE.sub(" ", _TAG.sub("", plain)).strip()
    if quoted := _QUOTED.match(plain):
        return quoted["title"].strip()
    return _NUMBER.sub("", plain).strip()
