"""What is answered to a question that does not become a job, or to a job that cannot be changed."""

from service.errors import EmicicloError


class JobRefused(EmicicloError):
    """Refused, with the status of HTTP that says why, the setting that limits it, and when to try again."""

    def __init__(self, status: int, detail: str, *, limit: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.limit = limit
        self.retry_after = retry_after
