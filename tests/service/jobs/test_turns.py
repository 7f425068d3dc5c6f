"""The order of the queue is fair, and each client's own questions keep theirs."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from service.jobs.turns import in_order

CLIENTS = st.sampled_from("ABCD")
WAITING = st.lists(CLIENTS, max_size=30).map(lambda clients: [(f"{n}", client) for n, client in enumerate(clients)])
SERVED = st.dictionaries(CLIENTS, st.integers(1, 100))


@given(WAITING, SERVED)
def test_every_question_has_one_place(waiting: list[tuple[str, str]], served: dict[str, int]) -> None:
    assert sorted(in_order(waiting, served)) == sorted(job for job, _ in waiting)


@given(WAITING, SERVED)
def test_the_questions_of_a_client_stay_in_the_order_in_which_they_came(
    waiting: list[tuple[str, str]], served: dict[str, int]
) -> None:
    client = dict(waiting)
    ordered = in_order(waiting, served)
    for one in set(client.values()):
        assert [job for job in ordered if client[job] == one] == [job for job, other in waiting if other == one]


@given(WAITING, SERVED)
def test_f127_nobody_gets_a_second_turn_before_everybody_who_waits_had_one(
    waiting: list[tuple[str, str]], served: dict[str, int]
) -> None:
    client = dict(waiting)
    turns: Counter[str] = Counter()
    left = Counter(client.values())
    for job in in_order(waiting, served):
        mine = client[job]
        assert all(turns[mine] <= turns[other] for other in left if left[other] > turns[other])
        turns[mine] += 1


def test_whose_turn_is_longest_ago_comes_first() -> None:
    assert in_order([("a", "A"), ("b", "B"), ("c", "C")], {"A": 7, "B": 3}) == ["c", "b", "a"]


@given(WAITING, SERVED)
def test_the_places_told_come_true_if_nobody_else_comes(waiting: list[tuple[str, str]], served: dict[str, int]) -> None:
    told = in_order(waiting, served)
    begun, turn = [], max(served.values(), default=0)
    while waiting:
        first = in_order(waiting, served)[0]
        begun.append(first)
        turn += 1
        served = served | {dict(waiting)[first]: turn}
        waiting = [(job, client) for job, client in waiting if job != first]
    assert begun == told
