"""Bodies of requests, read with a deadline and counted while they are under way."""

import io
import threading
from collections.abc import Callable

import pytest

from service.web.bodies import Bodies
from service.web.problems import Problem


class Slow:
    """A body that does not end before it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def read(self) -> bytes:
        self.go.wait(20)
        return b"late"


class Broken:
    """A body whose client has gone."""

    def read(self) -> bytes:
        raise ConnectionResetError("gone")


def refused(bodies: Bodies, stream: Slow, client: str) -> Problem:
    with pytest.raises(Problem) as caught:
        bodies.read(stream, client)
    return caught.value


def test_a_body_is_read_whole() -> None:
    assert Bodies(seconds=20, at_once=24, of_client=6).read(io.BytesIO(b"x" * 100_000), "a") == b"x" * 100_000
    assert Bodies(seconds=20, at_once=24, of_client=6).read(io.BytesIO(b""), "a") == b""


def test_an_error_in_reading_is_raised_where_it_is_waited_for() -> None:
    bodies = Bodies(seconds=20, at_once=24, of_client=1)
    for _ in range(3):
        with pytest.raises(ConnectionResetError, match="gone"):
            bodies.read(Broken(), "a")


def test_a_body_that_does_not_come_is_given_up_and_counts_until_it_has_come(eventually: Callable[..., None]) -> None:
    bodies = Bodies(seconds=0.05, at_once=2, of_client=1)
    first, second = Slow(), Slow()
    assert refused(bodies, first, "a").status == 408
    assert refused(bodies, first, "a").status == 429
    assert refused(bodies, second, "b").status == 408
    full = refused(bodies, second, "c")
    assert (full.status, full.headers["Retry-After"]) == (503, "1")
    first.go.set()
    second.go.set()

    def comes_in() -> bool:
        try:
            return bodies.read(io.BytesIO(b"x"), "a") == b"x"
        except Problem:
            return False

    eventually(comes_in, "the places to be free")
