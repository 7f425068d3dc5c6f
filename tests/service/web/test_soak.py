"""The soak in its short form: good and bad clients at once, and nothing that must not be."""

import sys

import pytest

from tests.benchmarks.soak import CAST, Soak, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and clients have addresses of their own"),
]


@pytest.fixture(scope="module")
def soak() -> Soak:
    """Some seconds of sixteen clients; queries are stopped after three, so that several are."""
    return run(8, {"SPARQL__SECONDS": "3"})


def test_no_answer_is_wrong_and_every_refusal_is_a_stated_one(soak: Soak) -> None:
    assert soak.wrong == []


def test_every_kind_of_client_was_at_it(soak: Soak) -> None:
    assert len(CAST) == 16
    assert soak.loaded.count > 100
    assert {"quick", "quick (shared address)", "heavy"} <= soak.outcomes.keys()
    assert soak.outcomes["heavy"]["200"]
    ends = {end for outcomes in soak.outcomes.values() for end in outcomes}
    assert {"503 seconds", "reset by us"} <= ends


def test_quick_queries_find_a_worker_beside_all_others(soak: Soak) -> None:
    assert soak.refused <= soak.loaded.count // 100


def test_the_service_holds_afterwards_what_it_held_before(soak: Soak) -> None:
    assert soak.faults == []
    assert soak.peak.query_workers > soak.before.query_workers, "long queries take their workers along"
    assert soak.after.query_workers == soak.before.query_workers


def test_no_process_outlives_the_service(soak: Soak) -> None:
    assert {end.signal: end.left for end in soak.ends} == {"SIGTERM": 0, "SIGKILL": 0}
