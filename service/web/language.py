"""The language of pages: which one a person gets, and the catalogue it is translated from.

Templates and code carry English; the Italian catalogue is compiled in memory when the
application starts, so that no compiled file can be older than its source.
"""

import io
from importlib.resources import files
from typing import Final
from urllib.parse import urlencode

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import Flask, Response, g, request
from flask_babel import Babel, Domain, get_locale
from werkzeug.urls import iri_to_uri

from service.resources.wording import gettext, written

LANGUAGES: Final = {"en": "English", "it": "Italiano"}
"""Code to the language's own name; the first is the default."""
DEFAULT: Final = next(iter(LANGUAGES))
_LOCALES: Final = {"en": "en_GB", "it": "it_IT"}
"""How days and numbers are written: the day before the month in both."""
_PLURALS: Final = "nplurals=2; plural=(n != 1);"
"""One and many, as the catalogues have them; CLDR has a third form for millions in Italian, which is the same word."""
COOKIE: Final = "language"
REMEMBERED_SECONDS: Final = 365 * 24 * 3600


def _(message: str) -> str:
    """Mark a message for the catalogue; it is translated when it is shown."""
    return message


TITLES: Final = (
    _("Bad Request"),
    _("Forbidden"),
    _("Not Found"),
    _("Method Not Allowed"),
    _("Not Acceptable"),
    _("Not acceptable"),
    _("Request Entity Too Large"),
    _("Unsupported Media Type"),
    _("Too Many Requests"),
    _("Too large to describe"),
    _("Internal Server Error"),
    _("Service Unavailable"),
)
"""Titles of problems, which come in English with the status."""


class _Catalogue(Domain):
    """Hands Flask-Babel the translations that are compiled already (it reads `.mo` files by itself)."""

    def __init__(self, translations: dict[str, Translations]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._translations = translations

    def get_translations(self) -> NullTranslations:
        return self._translations.get(language(), NullTranslations())


def register(app: Flask) -> None:
    """Translate the pages of an application."""
    babel = Babel(app, default_locale=_LOCALES[DEFAULT], locale_selector=lambda: _LOCALES[_select()])  # type: ignore[no-untyped-call]
    # `domain_instance` is a cached property: what is assigned here is what gettext uses.
    vars(babel)["domain_instance"] = _Catalogue({code: compiled(code) for code in LANGUAGES if code != DEFAULT})
    app.after_request(_headers)
    # Unlike `_` in templates, a filter leaves what it is given to be escaped.
    app.jinja_env.filters["translated"] = gettext
    app.jinja_env.filters["dateformat"] = written
    app.context_processor(lambda: {"language": language(), "languages": _switch()})


def language() -> str:
    """The language code of the page of this request; the default outside a request."""
    locale = get_locale()
    return str(locale.language) if locale else DEFAULT


def catalogue(code: str) -> Catalog:
    """The catalogue of a language: each part of the site has a file of its own. Raises `ValueError` for a message
    that two of them translate."""
    whole = Catalog(locale=code)
    whole.mime_headers = [("Plural-Forms", _PLURALS)]
    folder = files(__package__).joinpath("translations", code, "LC_MESSAGES")
    for source in sorted((file for file in folder.iterdir() if file.name.endswith(".po")), key=lambda file: file.name):
        with source.open("rb") as stream:
            for message in read_po(stream, locale=code):
                if message.id and message.id in whole:
                    raise ValueError(f"{source.name} translates {message.id!r}, which another file does")
                if message.id:
                    whole[message.id] = message
    return whole


def compiled(code: str) -> Translations:
    """Compile the catalogue of a language in memory."""
    content = io.BytesIO()
    write_mo(content, catalogue(code))
    content.seek(0)
    return Translations(content)


def _select() -> str:
    """`?lang=`, then what was chosen before, then what the browser asks for."""
    asked = request.args.get("lang")
    if asked in LANGUAGES:
        g.language_asked = asked
        return asked
    remembered = request.cookies.get(COOKIE)
    if remembered in LANGUAGES:
        return remembered
    preferred = (tag.split("-")[0].lower() for tag, quality in request.accept_languages if quality)
    return next((code for code in preferred if code in LANGUAGES), DEFAULT)


def _switch() -> list[tuple[str, str, str]]:
    """(code, name, address of this page in that language) of every language."""
    arguments = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    path = iri_to_uri(request.path)
    return [(code, name, f"{path}?{urlencode([*arguments, ('lang', code)])}") for code, name in LANGUAGES.items()]


def _headers(response: Response) -> Response:
    if response.mimetype in ("text/html", "application/problem+json"):
        response.vary.update(("Accept-Language", "Cookie"))
    if response.mimetype == "text/html":
        response.headers.setdefault("Content-Language", language())
        if "language_asked" in g:
            response.set_cookie(COOKIE, g.language_asked, max_age=REMEMBERED_SECONDS, httponly=True, samesite="Lax")
    return response
