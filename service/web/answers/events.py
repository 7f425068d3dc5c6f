"""`/answers/{id}/events`: progress as server-sent events, which a lost connection resumes by the last number it got."""

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, current_app, json, request
from flask.blueprints import BlueprintSetupState
from pydantic import Field

from service.errors import DataError
from service.jobs.model import Event, Job
from service.jobs.queue import JobQueue
from service.resources.wording import gettext
from service.web.admission import UnderWay, client_of_request
from service.web.answers.reading import is_kept, job_of
from service.web.api import Answers, Parameters, api
from service.web.negotiation import Form
from service.web.problems import Problem
from service.web.site import EXTENSION, Site, site

blueprint = Blueprint("answers_events", __name__)

STREAM: Final = Form("text/event-stream", "events")
RETRY_MS: Final = 2000
"""After which a browser connects again."""
LONGEST_SECONDS: Final = 900.0
"""Of one stream, which holds a thread; the client resumes with another."""
SHARE: Final = 3
"""All streams together hold one thread in so many of the web server."""
LOOK_SECONDS: Final = 1.0
"""How often a stream looks whether somebody finds no place."""
LAST_EVENT: Final = re.compile(r"[0-9]{1,9}")
_STREAMS: Final = "emiciclo-streams"


class Streams:
    """Counts the streams that are open, of all clients and of each.

    That a client has gone shows only when it is written to. So whenever somebody finds no place, all streams
    give a sign of life, and those that nobody reads any more end by it.
    """

    def __init__(self, at_once: int, per_client: int) -> None:
        self.at_once = at_once
        self.per_client = per_client
        self.refused = 0
        """How often somebody found no place."""
        self._open = UnderWay()

    def enter(self, client: str) -> Callable[[], None]:
        """Count a stream; call what is returned, once or more often, when it ends. Raises `Problem` 503, 429."""
        return self._open.enter(client, self._check)

    def _check(self, of_client: int, of_all: int) -> None:
        if of_client >= self.per_client:
            self.refused += 1
            raise Problem(
                429,
                gettext(
                    "%(number)s streams of yours are open, which is the limit for one client; "
                    "close one, or ask for the state at /answers/… now and then",
                    number=self.per_client,
                ),
                headers={"Retry-After": "5"},
                limit="jobs.streams_per_client",
            )
        if of_all >= self.at_once:
            self.refused += 1
            raise Problem(
                503,
                gettext("too many streams are open; ask for the state at /answers/… now and then"),
                headers={"Retry-After": "5"},
            )


class EventsQuery(Parameters):
    """From where on to tell."""

    after: int = Field(
        default=0,
        ge=0,
        le=999_999_999,
        description="Only events after this number; the header Last-Event-ID goes before.",
    )


@blueprint.get("/answers/<name>/events")
@api.validate(query=EventsQuery, resp=Answers(None, STREAM, also={204: None}, refusals=(404, 410)), tags=["answers"])
def events(name: str, query: EventsQuery) -> Response:
    """Tell where a question stands: `queued`, `stage`, and in the end `done`, `failed` or `cancelled`.

    Numbers rise; one that is higher than any told begins anew, which does no harm, as each event says
    all of its stage. 204 where everything has been told.
    """
    here = site()
    after = _after(query)
    job = job_of(name, here)
    if job is None:
        if not is_kept(name, here):
            raise Problem(404, gettext("no question %(name)s was asked here", name=name[:100]))
        return _labelled(Response("" if after else _written(_done(name)), mimetype=STREAM.media_type), after > 0)
    assert here.jobs is not None
    if after > job.last_event:
        after = 0
    if job.ended_for_good:
        told = here.jobs.events(name, after) or (() if after and after == job.last_event else (_ended(job),))
        return _labelled(Response("".join(map(_written, told)), mimetype=STREAM.media_type), not told)
    if request.method == "HEAD":
        return _labelled(Response("", mimetype=STREAM.media_type))
    streams = _streams()
    leave = streams.enter(client_of_request())
    stream = _told(here.jobs, job, after, here.settings.jobs.keep_alive_seconds, streams)
    response = Response(stream, mimetype=STREAM.media_type)
    response.call_on_close(leave)
    return _labelled(response)


def _streams() -> Streams:
    found: Streams = current_app.extensions[_STREAMS]
    return found


@blueprint.record_once
def _register(state: BlueprintSetupState) -> None:
    served: Site = state.app.extensions[EXTENSION]
    settings = served.settings
    state.app.extensions[_STREAMS] = Streams(max(1, settings.web_threads // SHARE), settings.jobs.streams_per_client)


def _after(query: EventsQuery) -> int:
    """The last number that the client got. Raises `Problem` 400 for what is no number of ours."""
    sent = request.headers.get("Last-Event-ID")
    if not sent:
        return query.after
    if not LAST_EVENT.fullmatch(sent):
        raise Problem(400, gettext("Last-Event-ID is the number of the last event that came, such as 7"))
    return int(sent)


def _told(jobs: JobQueue, job: Job, after: int, keep_alive: float, streams: Streams) -> Iterator[str]:
    """The stream: what was told, what is told from now on, and a sign of life where nothing is."""
    wrote, refused = time.monotonic(), streams.refused
    ends = wrote + LONGEST_SECONDS
    yield f"retry: {RETRY_MS}\n\n"
    while time.monotonic() < ends:
        try:
            found = jobs.events(job.id, after, min(keep_alive, LOOK_SECONDS))
        except DataError:  # the service is being stopped: the client comes back
            return
        for event in found:
            yield _written(event)
            after = event.number
            if event.last:
                return
        if not found and (time.monotonic() - wrote >= keep_alive or refused != streams.refused):
            refused = streams.refused
            yield ": still here\n\n"
            wrote = time.monotonic()
        elif found:
            wrote = time.monotonic()


def _written(event: Event) -> str:
    data = json.dumps(dict(event.data), ensure_ascii=False)  # on one line: line breaks are escaped
    return f"id: {event.number}\nevent: {event.name}\ndata: {data}\n\n"


def _done(name: str) -> Event:
    """The one event of an answer that is there without ever having waited."""
    return Event(1, "done", {"location": f"/answers/{name}"}, datetime.now(UTC))


def _ended(job: Job) -> Event:
    """How a job ended whose events are kept no more."""
    data: dict[str, Any] = {"location": f"/answers/{job.id}"} if job.state == "done" else {}
    if job.failure:
        title = HTTPStatus(job.failure.status).phrase
        data = {"status": job.failure.status, "title": title, "detail": job.failure.detail}
    return Event(max(1, job.last_event), job.state, data, job.ended or job.asked)


def _labelled(response: Response, told: bool = False) -> Response:
    """The headers of a stream; without content where everything was `told`."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold events back
    if told:
        response.status_code = 204
        del response.headers["Content-Type"]
    return response
