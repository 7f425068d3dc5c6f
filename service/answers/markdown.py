"""Text from outside in Markdown (CommonMark, and what others add to it): every character stands for itself."""

import re
from typing import Final
from urllib.parse import quote, urlsplit

from service.answers.reading import lines_of, one_line

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>#|~&$@^]")
"""What means something wherever it stands."""
_AT_START: Final = re.compile(r"(?:[-+=:]|\d+(?=[.)]))")
"""What begins a list, a rule, a heading of the line above or a definition."""
_LINKED: Final = re.compile(r"(?i)(?P<scheme>\b(?:https?|ftp|mailto|xmpp)):|(?P<www>\bwww)\.")
"""What some take for a link without being told."""
_IN_ADDRESS: Final = "/:?#@!$&'*+,;=%-._~"


def escape(text: str) -> str:
    """One line that shows the text."""
    return _escaped(one_line(text))


def quoted(text: str) -> list[str]:
    """The lines of a block quotation that shows the text."""
    return [f"> {_escaped(line)}".rstrip() for line in lines_of(text)]


def link(text: str, address: str) -> str:
    """A link, where the address is one of the web; else the text with the address beside it."""
    if not is_web(address):
        return f"{escape(text)} ({escape(address)})"
    return f"[{escape(text)}]({quote(address, safe=_IN_ADDRESS)})"


def is_web(address: str) -> bool:
    """Whether an address begins with http:// or https:// and names a host."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _escaped(line: str) -> str:
    special = _SPECIAL.sub(r"\\\g<0>", line)
    linked = _LINKED.sub(lambda found: rf"{found['scheme']}\:" if found["scheme"] else rf"{found['www']}\.", special)
    begin = _AT_START.match(linked)
    if not begin:
        return linked
    # A number is escaped at the mark behind it, anything else before itself.
    at = begin.end() if begin[0].isdigit() else 0
    return f"{linked[:at]}\\{linked[at:]}"
