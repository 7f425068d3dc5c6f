"""Short names for addresses: the last part of an IRI, which no proxy alters, and back again.

A short name is made of letters, digits, `.`, `_`, `-` and `~`. It is the last part of the IRI where that is
unlike all others; else it carries the beginning of the IRI's SHA-256, so that two IRIs never share one.
"""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

LONGEST: Final = 80
_PLAIN: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST - 1}}}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_DIGITS: Final = 16


class ShortIds:
    """The short names of some IRIs; both ways."""

    def __init__(self, iris: Iterable[str]) -> None:
        known = sorted(set(iris))
        # Some file systems and some people do not tell capital letters from small ones.
        often = Counter(_last(iri).casefold() for iri in known)
        self._ids = {
            iri: _last(iri) if _fit(iri) and often[_last(iri).casefold()] == 1 else _marked(iri) for iri in known
        }
        self._iris = {short: iri for iri, short in self._ids.items()}

    def of(self, iri: str) -> str | None:
        """The short name of an IRI; None if it is not among them."""
        return self._ids.get(iri)

    def iri(self, short: str) -> str | None:
        """The IRI that a short name stands for; None if it stands for none."""
        return self._iris.get(short)


def _last(iri: str) -> str:
    return re.split(r"[/#?=&:;]", iri.rstrip("/#"))[-1]


def _fit(iri: str) -> bool:
    return _PLAIN.fullmatch(_last(iri)) is not None


def _marked(iri: str) -> str:
    """A short name that no other IRI has: what can be read of the last part, and a hash after a tilde."""
    head = _UNSAFE.sub("-", _last(iri)).strip("-.")[: LONGEST // 2]
    return f"{head or 'x'}~{sha256(iri.encode(errors='surrogatepass')).hexdigest()[:_DIGITS]}"
