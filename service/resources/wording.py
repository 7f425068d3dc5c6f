"""Words and days in the reader's language: the part of Flask-Babel that is used here, typed.

It is imported by the first word: whatever can fail speaks through this module, and most of it never does.
"""

import re
from datetime import date
from typing import Final, TypeVar

_FIRST: Final = re.compile(r"(?<!\d)1(?= [a-z])")
"""The first of a month, before the month's name."""
_ELIDED: Final = (8, 11)
"""Days whose Italian names begin with a vowel: dall'8, dall'11."""

Text = TypeVar("Text", bound=str)


def gettext(message: str, **values: object) -> str:
    """A message in the language of the request, with `%(name)s` replaced by the values."""
    import flask_babel

    return str(flask_babel.gettext(message, **values))


def in_words(day: date) -> str:
    """A day as it is written out, such as "4 November 2025"."""
    return written(day, "long")


def written(day: date | None, form: str | None = None) -> str:
    """A day in one of Babel's formats; the first of a month is an ordinal in Italian: "1º dicembre 2026"."""
    import flask_babel

    text = str(flask_babel.format_date(day, form))  # type: ignore[no-untyped-call]
    locale = flask_babel.get_locale()
    return _FIRST.sub("1º", text) if locale and locale.language == "it" else text


def span(begin: date, end: date | None) -> str:
    """An interval of days, both included."""
    if end is None:
        return elided(gettext("since %(day)s", day=in_words(begin)), begin)
    return gettext("%(first)s to %(last)s", first=in_words(begin), last=in_words(end))


def elided(text: Text, day: date) -> Text:
    """A text that begins with "dal" and this day as Italian says it; any other text as it is."""
    if day.day in _ELIDED and text.startswith("dal "):
        return type(text)("dall'" + text[len("dal ") :])
    return text
