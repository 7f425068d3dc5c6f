"""Where a query breaks the grammar. The engine names a place some characters further on, so it is asked again."""

import re
from collections.abc import Mapping
from typing import Final

import pyoxigraph as ox

from service.queries.tokens import offset_of, place, tokens

_PLACE: Final = re.compile(r"error at (\d+):(\d+): ")
_GAP: Final = " " * 64
"""Longer than any keyword, by whose length the engine's places are off."""
_NOTHING: Final = "\x00"
"""A character that begins no token."""


def diagnosed(text: str, base: str | None, prefixes: Mapping[str, str], message: str) -> str:
    """The engine's message with the exact place: of the first token that cannot follow those before it.

    A beginning of a query is sound if the engine reads to its end, where a gap and a character that
    begins nothing are put; then its complaint is placed beyond the gap. Sound beginnings come before others,
    so the last is found by halving.
    """
    found = _PLACE.match(message)
    if not found:
        return message
    ends = [0, *(token.end for token in tokens(text))]
    low, high = 0, len(ends)
    while low + 1 < high:
        middle = (low + high) // 2
        # A beginning may end inside what must not be parted, such as a sign and its number.
        sound = next(
            (at for at in (middle, middle + 1) if at < high and _sound(text[: ends[at]], base, prefixes)), None
        )
        if sound is not None:
            low = sound
        else:
            high = middle
    following = next((token.start for token in tokens(text) if token.start >= ends[low]), len(text))
    where = place(text, following)
    return f"fails at {where.line}:{where.column}: {message[found.end() :]}"


def _sound(beginning: str, base: str | None, prefixes: Mapping[str, str]) -> bool:
    reached = len(beginning) + len(_GAP)
    probed = beginning + _GAP + _NOTHING
    try:
        ox.Store().query(probed, base_iri=base, prefixes=dict(prefixes))
    except SyntaxError as error:
        found = _PLACE.match(str(error))
        return found is not None and offset_of(probed, int(found[1]), int(found[2])) >= reached
    return False
