"""Errors over HTTP: problem+json (RFC 9457) for programs, a page for people who came with a browser."""

import re
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response, current_app, json, render_template, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.http import parse_accept_header

from service.errors import ConfigurationError, DataError, EmicicloError, QuestionError
from service.queries.refusal import QueryRefused
from service.resources.wording import gettext

_UNHEEDED: Final = re.compile(r';\s*(?:charset|profile)=(?:"[^"]*"|[^;,"]*)', re.IGNORECASE)
"""What makes no other form of a media type: `text/turtle;charset=utf-8` is Turtle, JSON-LD of any profile JSON-LD."""
_BARE: Final = re.compile(r"(;\s*q=)(?=\.)", re.IGNORECASE)
"""A quality without its nought (`q=.2`), as Java's own client sends; else its media type would not count at all."""
LONGEST_ACCEPT: Final = 4096


class Problem(Exception):
    """What is answered in place of the thing asked for.

    `detail` tells the person what was wrong and what to do; `more` are members of the problem
    document beyond the standard ones (such as `line`, `column`, `limits`).
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        title: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.title = title or HTTPStatus(status).phrase
        self.headers = dict(headers or {})
        self.more = more


def preferred(*offered: str) -> str | None:
    """Which of these media types the client prefers; None where it accepts none. Ties go to the earlier one."""
    return _best(request.headers.get("Accept", "")[: LONGEST_ACCEPT + 1], offered)


@lru_cache(maxsize=256)
def _best(accept: str, offered: tuple[str, ...]) -> str | None:
    # Clients say the same in every request, and to match it takes a tenth of a millisecond.
    return accepted(accept).best_match(offered)


def accepted(header: str) -> MIMEAccept:
    """What a client accepts. Of a header longer than any browser's, only the beginning is read: to match it takes
    time, and holds everybody up."""
    if len(header) > LONGEST_ACCEPT:
        header = header[:LONGEST_ACCEPT].rpartition(",")[0]
    return parse_accept_header(_BARE.sub(r"\g<1>0", _UNHEEDED.sub("", header)), MIMEAccept)


def respond(problem: Problem) -> Response:
    """The response for a problem, as a page where a browser asks for one."""
    wanted = preferred("application/problem+json", "application/json", "text/html")
    page = _page(problem) if wanted == "text/html" else None
    if page is not None:
        response = Response(page, problem.status, mimetype="text/html")
    else:
        document = {"type": "about:blank", "title": problem.title, "status": problem.status, "detail": problem.detail}
        body = json.dumps(document | problem.more, ensure_ascii=False) + "\n"
        response = Response(body, problem.status, mimetype="application/problem+json")
    response.headers.update(problem.headers)
    response.headers.setdefault("Cache-Control", "no-store")
    response.vary.add("Accept")
    return response


def _page(problem: Problem) -> str | None:
    """The page of a problem; None where the page itself cannot be made, which must not hide what went wrong first."""
    try:
        return render_template("problem.html", problem=problem)
    except Exception:  # whatever it is, the problem itself is answered, without a page
        current_app.logger.exception("the page of a problem could not be made")
        return None


def register(app: Flask) -> None:
    """Answer every error of an application as a problem."""
    app.register_error_handler(Problem, respond)
    app.register_error_handler(HTTPException, lambda error: respond(_of_http(error)))
    app.register_error_handler(EmicicloError, lambda error: respond(_of_ours(error)))
    app.register_error_handler(Exception, lambda error: respond(_unexpected(app, error)))


def _of_http(error: HTTPException) -> Problem:
    status = error.code or 500
    headers = {
        name: value for name, value in error.get_headers() if name.lower() in ("allow", "location", "retry-after")
    }
    if error.description == NotFound.description:
        return Problem(status, gettext("there is no page at this address; check how it is written"), headers=headers)
    return Problem(status, error.description or HTTPStatus(status).phrase, headers=headers)


def _of_ours(error: EmicicloError) -> Problem:
    if isinstance(error, QueryRefused):
        return of_refusal(error)
    if isinstance(error, QuestionError):
        return Problem(400, str(error))
    return Problem(503 if isinstance(error, DataError | ConfigurationError) else 500, str(error))


def of_refusal(refusal: QueryRefused, **more: Any) -> Problem:
    """A refused query as a problem: with the place in the text, the limit that was met, and when to try again."""
    if refusal.place:
        more |= refusal.place._asdict()
    if refusal.suggestion:
        more["suggestion"] = refusal.suggestion
    if refusal.limit and refusal.limit not in ("syntax", "dataset"):
        more["limit"] = refusal.limit
    headers = {"Retry-After": str(refusal.retry_after)} if refusal.retry_after is not None else {}
    return Problem(refusal.status, refusal.detail, headers=headers, **more)


def _unexpected(app: Flask, error: Exception) -> Problem:
    app.logger.error("unexpected error at %s", request.path, exc_info=error)
    return Problem(500, "something went wrong here; the log of the service says what")
