"""Whose turn it is: the first question of each client in turn, so that nobody waits for all of another's."""

from collections import deque
from collections.abc import Iterable, Mapping


def in_order(waiting: Iterable[tuple[str, str]], served: Mapping[str, int]) -> list[str]:
    """The order in which jobs begin.

    `waiting` are pairs of job and client as they came; `served` tells when each client had its last
    turn, as a number that rises. The client whose turn is longest ago comes first, then who came first.
    """
    of_client: dict[str, deque[str]] = {}
    for job, client in waiting:
        of_client.setdefault(client, deque()).append(job)
    # A stable sort: clients who had no turn yet are in the order in which they came.
    round_ = deque(sorted(of_client, key=lambda client: served.get(client, 0)))
    ordered = []
    while round_:
        client = round_.popleft()
        ordered.append(of_client[client].popleft())
        if of_client[client]:
            round_.append(client)
    return ordered
