"""The front page, and what every page's frame shows."""

from typing import Any, Final

from flask import Blueprint, Flask, render_template

from service.errors import EmicicloError
from service.publication.licence import licence
from service.resources.entrance import read_entrance
from service.resources.names import Names
from service.resources.wording import gettext
from service.web.language import DEFAULT, language
from service.web.site import site

blueprint = Blueprint("pages", __name__)

_COUNTS: Final = ("people", "acts", "sittings", "debates", "speeches", "triples")
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
def home() -> str:
    """What this site is and what is loaded in it."""
    here = site()
    manifest = here.data.manifest()
    entrance = None
    if manifest and manifest.last_day:
        entrance = read_entrance(here.graph, Names(here.graph, language()), manifest.last_day)
    counts = {name: manifest.counts[name] for name in _COUNTS if name in manifest.counts} if manifest else {}
    return render_template("home.html", counts=counts, names=_names(), entrance=entrance)


def _names() -> dict[str, str]:
    return {
        "people": gettext("people"),
        "acts": gettext("acts"),
        "sittings": gettext("sittings"),
        "debates": gettext("debates"),
        "speeches": gettext("speeches"),
        "triples": gettext("triples"),
    }


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
