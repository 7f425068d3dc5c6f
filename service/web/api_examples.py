"""Values for the examples of the API's description, taken from what is loaded, so that the examples work."""

from collections.abc import Iterator

from service.answers.listing import kept_answers
from service.record.register import register
from service.web.site import Site


def examples(here: Site) -> dict[tuple[str, str], str]:
    """Values by path and parameter. Raises `EmicicloError` where nothing is loaded."""
    return dict(_examples(here))


def _examples(here: Site) -> Iterator[tuple[tuple[str, str], str]]:
    manifest = here.manifest
    answered = next(iter(kept_answers(here.data.answers)), None)
    if answered:
        name = answered[0].rsplit("/answer/", 1)[-1]
        for path in ("/answers/{name}", "/answers/{name}/events", "/answers/{name}/verify"):
            yield (path, "name"), name
    if manifest.kind != "parliament":
        return
    known = register(here.graph, manifest.version)
    person = next(iter(known.people), None)
    if person and (short := known.person_ids.of(person)):
        yield ("/people/{name}", "name"), short
        yield ("/resource", "iri"), person
    for sitting in known.sittings:
        short = known.sitting_ids.of(sitting)
        debate = next(iter(known.debates.get(sitting, ())), None)
        of_sitting = known.debate_ids(sitting).of(debate.iri) if debate else None
        if short and of_sitting:
            yield ("/sittings/{name}", "name"), short
            yield ("/sittings/{name}/{debate}", "name"), short
            yield ("/sittings/{name}/{debate}", "debate"), of_sitting
            return
