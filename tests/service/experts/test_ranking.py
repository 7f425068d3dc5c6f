"""The ranking of experts: places and ties, spread, filters, and where each figure comes from."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.authority.score import Authority, Components
from service.errors import QuestionError
from service.experts.operation import PAGE, Experts, ExpertsRequest, experts
from service.experts.ranking import MEASURES, WEIGHTS, spreads, standings, value
from service.filters import NamedFilters
from service.pipeline import Engine
from service.progress import silent
from tests.service.answer.making import TOPICS, UNSPOKEN


def authority(speaker: str, total: float, **components: float | None) -> Authority:
    known = {"profession": 0.1, "education": None, "committee": 0.2, "acts": 0.0, "speeches": 1.0, "role": 0.3}
    return Authority(speaker, total, Components(**(known | components)), (), (), 0, None, ())  # type: ignore[arg-type]


@given(st.lists(st.sampled_from([0.1, 0.2, 0.25, 0.9]), min_size=1, max_size=30))
def test_those_with_the_same_authority_share_a_rank(totals: list[float]) -> None:
    found = standings([authority(f"p{n}", total) for n, total in enumerate(totals)])
    for n, total in enumerate(totals):
        assert found[f"p{n}"].rank == 1 + sum(other > total for other in totals)
        assert found[f"p{n}"].tied == totals.count(total)


def test_the_spread_tells_quartiles_saturation_and_what_is_missing() -> None:
    found = {s.measure: s for s in spreads([authority(f"p{n}", n / 4) for n in range(5)])}
    assert tuple(found) == MEASURES
    total = found["authority"]
    assert (total.minimum, total.lower_quartile, total.median, total.upper_quartile, total.maximum) == (
        0.0, 0.25, 0.5, 0.75, 1.0,
    )  # fmt: skip
    assert (total.saturated, total.weight, total.missing) == (0.2, None, 0)
    assert found["speeches"].saturated == 1
    assert (found["education"].missing, found["education"].median) == (5, None)
    assert {m: s.weight for m, s in found.items() if s.weight is not None} == WEIGHTS


@pytest.fixture(scope="module")
def ranking(engine: Engine) -> Experts:
    return experts(ExpertsRequest(TOPICS[0], NamedFilters()), engine, silent)


def test_all_who_were_weighed_are_ranked_and_the_total_is_the_weighted_sum(ranking: Experts) -> None:
    assert ranking.weighed == ranking.matching >= len(ranking.experts) > 3
    assert [e["order"] for e in ranking.experts] == list(range(1, len(ranking.experts) + 1))
    totals = [e["authority"] for e in ranking.experts]
    assert totals == sorted(totals, reverse=True)
    for expert in ranking.experts:
        assert expert["authority"] == pytest.approx(sum(w * expert.get(n, 0) for n, w in WEIGHTS.items()), abs=1e-5)
        assert 1 <= expert["rank"] <= expert["rankOf"] == ranking.weighed


def test_each_figure_tells_where_it_comes_from(ranking: Experts) -> None:
    for expert in ranking.experts:
        assert bool(expert.get("professionText")) or "profession" not in expert
        assert expert["committee"] == pytest.approx(max((s["relevance"] for s in expert["seats"]), default=0))
        assert bool(expert["speechesCounted"]) == ("speechesFrom" in expert) == (expert["speeches"] > 0)
        counted = expert["actsAsFirst"] + expert["actsAsCoSignatory"]
        assert bool(counted) == ("actsFrom" in expert) == (expert["acts"] > 0)
        if "actsFrom" in expert:
            assert expert["actsFrom"] <= expert["actsUntil"] <= ranking.question["referenceDate"]


def test_filters_by_committee_and_name_leave_the_ranks_as_they_are(ranking: Experts, engine: Engine) -> None:
    committee = max(ranking.committees, key=lambda c: c.members)
    request = ExpertsRequest(TOPICS[0], NamedFilters(), committee=committee.iri)
    of_committee = experts(request, engine, silent)
    assert of_committee.matching == committee.members
    assert of_committee.weighed == ranking.weighed
    assert experts(replace(request, committee=committee.label), engine, silent).experts == of_committee.experts
    ranks = {e["speaker"]: e["rank"] for e in ranking.experts}
    assert all(ranks.get(e["speaker"], e["rank"]) == e["rank"] for e in of_committee.experts)
    someone = ranking.experts[1]
    last = someone["speakerName"].split()[-1].upper()
    named = experts(ExpertsRequest(TOPICS[0], NamedFilters(), name=last), engine, silent)
    assert someone["speaker"] in {e["speaker"] for e in named.experts}
    assert experts(ExpertsRequest(TOPICS[0], NamedFilters(), name="zzzz"), engine, silent).experts == ()


@pytest.mark.parametrize("order", [*MEASURES, "name"])
def test_the_ranking_can_be_ordered_by_each_component(engine: Engine, order: str) -> None:
    found = experts(ExpertsRequest(TOPICS[0], NamedFilters(), order=order), engine, silent)  # type: ignore[arg-type]
    if order == "name":
        last_names = [e["speakerName"].split()[-1].casefold() for e in found.experts]
        assert last_names == sorted(last_names)
        return
    values = [e.get(order, -1) for e in found.experts]
    assert values == sorted(values, reverse=True)


def test_pages_follow_each_other(ranking: Experts, engine: Engine) -> None:
    beyond = experts(ExpertsRequest(TOPICS[0], NamedFilters(), page=8), engine, silent)
    assert beyond.pages == ranking.pages == -(-min(ranking.matching, 200) // PAGE)
    assert len(beyond.experts) == (0 if ranking.pages < 8 else len(beyond.experts))


def test_a_topic_that_nobody_spoke_of_has_no_experts(engine: Engine) -> None:
    found = experts(ExpertsRequest(UNSPOKEN, NamedFilters()), engine, silent)
    assert (found.experts, found.spread, found.weighed, found.pages) == ((), (), 0, 1)


def test_a_group_that_nobody_knows_is_refused(engine: Engine) -> None:
    with pytest.raises(QuestionError, match="no group"):
        experts(ExpertsRequest(TOPICS[0], NamedFilters(groups=("Nessuno",))), engine, silent)


def test_the_measures_are_those_of_an_authority() -> None:
    found = authority("p", 0.4, profession=0.7)
    assert [value(found, measure) for measure in MEASURES] == [0.4, 0.7, None, 0.2, 0.0, 1.0, 0.3]
