"""The front page, where questions are asked, and what every page's frame shows."""

from datetime import date
from functools import lru_cache
from typing import Any, Final

from flask import Blueprint, Flask, render_template, request

from service.answers.listing import Summary, kept_answers, summaries
from service.corpus import Manifest
from service.errors import EmicicloError
from service.graph import GraphStore
from service.publication.licence import licence
from service.question import LONGEST
from service.resources.entrance import Door, read_groups
from service.resources.names import Names
from service.resources.topics import Topic, read_topics
from service.web.language import DEFAULT, language
from service.web.site import Site, site

blueprint = Blueprint("pages", __name__)

TOPICS: Final = 8
"""Examples of what can be asked."""
RECENT: Final = 5
"""Answers that the front page names."""
_DATES: Final = ("from", "until", "asOf")
_LICENCES: Final = {
    "https://creativecommons.org/licenses/by/4.0/": "CC BY 4.0",
    "https://creativecommons.org/publicdomain/zero/1.0/": "CC0 1.0",
}


def register(app: Flask) -> None:
    """Add the front page, and the frame's values to every template."""
    app.register_blueprint(blueprint)
    app.context_processor(_frame)
    app.jinja_env.filters["licence_name"] = lambda iri: _LICENCES.get(iri, iri)


@blueprint.get("/")
def ask() -> str:
    """One field for a question, with what is asked already in it where the address says so."""
    here = site()
    manifest = here.data.manifest()
    chosen: dict[str, Any] = {name: request.args.get(name, "")[:10] for name in _DATES}
    chosen |= {"question": request.args.get("question", "")[:LONGEST], "group": request.args.getlist("group")[:50]}
    can_ask = answers_questions(here, manifest)
    return render_template(
        "ask/ask.html",
        can_ask=can_ask,
        chosen=chosen,
        filtered=any(chosen[name] for name in (*_DATES, "group")),
        topics=_topics(here.graph, manifest.version)[:TOPICS] if can_ask and manifest else (),
        groups=_groups(here.graph, manifest, language()) if can_ask and manifest else (),
        recent=_recent(here) if can_ask else (),
    )


def answers_questions(here: Site, manifest: Manifest | None) -> bool:
    """Whether this site can be asked: it has an engine, and a record with transcripts."""
    return here.engine is not None and manifest is not None and manifest.last_day is not None


def _recent(here: Site) -> tuple[Summary, ...]:
    try:
        found = summaries(here.data.answers, kept_answers(here.data.answers)[: 4 * RECENT])
    except EmicicloError:
        return ()
    # What was asked several times is named once; where nothing was found there is nothing to read.
    telling = {summary.title.casefold(): summary for summary in reversed(found) if summary.quotations}
    return tuple(telling.values())[::-1][:RECENT]


def _topics(graph: GraphStore, version: str) -> tuple[Topic, ...]:
    try:
        return _kept_topics(graph, version)
    except EmicicloError:  # the page is of use without examples
        return ()


def _groups(graph: GraphStore, manifest: Manifest, code: str) -> tuple[Door, ...]:
    try:
        return _kept_groups(graph, manifest.version, manifest.last_day, code) if manifest.last_day else ()
    except EmicicloError:
        return ()


@lru_cache(maxsize=4)
def _kept_topics(graph: GraphStore, version: str) -> tuple[Topic, ...]:
    return read_topics(graph)


@lru_cache(maxsize=8)
def _kept_groups(graph: GraphStore, version: str, day: date, code: str) -> tuple[Door, ...]:
    return read_groups(graph, Names(graph, code), day)


def _frame() -> dict[str, Any]:
    """The corpus that is loaded, where one is; a page about an error is made even without."""
    try:
        manifest = site().data.manifest()
    except EmicicloError:
        manifest = None
    if manifest is None:
        return {"corpus": None}
    titles = manifest.title
    title = titles.get(language()) or titles.get(DEFAULT) or next(iter(titles.values()), manifest.dataset)
    return {"corpus": manifest, "corpus_title": title, "corpus_licence": licence(site().graph, manifest)}
