"""Words and days in the reader's language: the part of Flask-Babel that is used here, typed."""

from datetime import date

import flask_babel


def gettext(message: str, **values: object) -> str:
    """A message in the language of the request, with `%(name)s` replaced by the values."""
    return str(flask_babel.gettext(message, **values))


def in_words(day: date) -> str:
    """A day as it is written out, such as "4 November 2025"."""
    return str(flask_babel.format_date(day, "long"))  # type: ignore[no-untyped-call]


def span(begin: date, end: date | None) -> str:
    """An interval of days, both included."""
    if end is None:
        return gettext("since %(day)s", day=in_words(begin))
    return gettext("%(first)s to %(last)s", first=in_words(begin), last=in_words(end))
