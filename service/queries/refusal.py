"""How a query is refused: with a status for HTTP, a sentence for the person, and the place where that is known."""

from service.errors import QueryError
from service.queries.tokens import Place


class QueryRefused(QueryError):
    """A query that is not run, or whose answer is not given.

    `status` is the HTTP status, `place` is in the text as it was sent, `suggestion` is what to
    write in place of what was found, `retry_after` is in seconds, `limit` names the limit that was met.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        place: Place | None = None,
        suggestion: str | None = None,
        retry_after: int | None = None,
        limit: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.place = place
        self.suggestion = suggestion
        self.retry_after = retry_after
        self.limit = limit
