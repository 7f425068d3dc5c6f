"""One pool, one score, one balanced selection: pure functions, and their invariants."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.embedding import HashEmbedder
from service.evidence import Candidate, Reason
from service.retrieval.merge import Scored, pool, score, select
from service.settings import RetrievalSettings, ScoreWeights

RELEVANCE = replace(HashEmbedder.calibration, floor=0.0, ceiling=1.0).relevance
SETTINGS = RetrievalSettings()
DENSE, WORDS = Reason("dense"), Reason("lexical")
SIGNED = Reason("signatory", "http://a.example/act", detail="first")


def candidate(n: int, *, speaker: int | None = 0, bloc: int = 0, similarity: float = 0.6, salience: float = 0.5):
    return Candidate(
        chunk=f"http://a.example/chunk/{n:04d}",
        speech=f"http://a.example/speech/{n // 2:04d}",
        start=0,
        end=10,
        speaker=None if speaker is None else f"http://a.example/p{speaker}",
        bloc=f"http://a.example/g{bloc}",
        day=20250101,
        salience=salience,
        similarity=similarity,
        reasons=(DENSE,),
    )


UNIT = st.floats(0, 1)
CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(0, 120),
        speaker=st.none() | st.integers(0, 12),
        bloc=st.integers(0, 6),
        similarity=UNIT,
        salience=UNIT,
    ),
    max_size=90,
)
LIMITS = st.builds(
    RetrievalSettings,
    selected=st.integers(1, 40),
    per_speaker=st.integers(1, 6),
    per_group_minimum=st.integers(0, 5),
)


def scored(found: list[Candidate], authority: dict[str, float] | None = None) -> tuple[Scored, ...]:
    return score(pool(found), relevance=RELEVANCE, authority=authority or {}, weights=ScoreWeights())


def test_a_chunk_of_both_channels_keeps_the_higher_cosine_and_every_reason_F54_F69() -> None:
    dense, graph = candidate(1, similarity=0.4), replace(candidate(1, similarity=0.7), reasons=(SIGNED, DENSE))
    for merged in (pool([dense], [graph]), pool([graph], [dense])):
        assert [found.similarity for found in merged] == [0.7]
        assert set(merged[0].reasons) == {DENSE, SIGNED}
        assert len(merged[0].reasons) == 2
    assert pool([dense], [graph])[0].reasons == (DENSE, SIGNED)


@given(CANDIDATES)
def test_a_pool_holds_each_chunk_once_by_similarity_then_iri_F58(found: list[Candidate]) -> None:
    merged = pool(found[::2], found[1::2])
    assert {c.chunk for c in merged} == {c.chunk for c in found}
    keys = [(-c.similarity, c.chunk) for c in merged]
    assert keys == sorted(keys)
    assert len({c.chunk for c in merged}) == len(merged)


def test_the_score_is_the_weighted_sum_of_the_five_terms_by_hand() -> None:
    found = [
        candidate(1, speaker=1, bloc=1, similarity=0.8, salience=0.4),
        candidate(2, speaker=1, bloc=1, similarity=0.6),
        candidate(3, speaker=2, bloc=2, similarity=0.6),
        candidate(4, speaker=3, bloc=1, similarity=0.6),
    ]
    by_chunk = {item.candidate.chunk[-4:]: item for item in scored(found, {"http://a.example/p1": 0.9})}
    terms = by_chunk["0001"].terms
    assert terms.relevance == 0.8
    assert terms.diversity == pytest.approx(1 - 0.5 * 2 / 2)
    assert terms.coverage == pytest.approx(1 - 0.5 * 3 / 3)
    assert terms.authority == 0.9
    assert terms.salience == 0.4
    assert by_chunk["0001"].score == pytest.approx(0.35 * 0.8 + 0.15 * 0.5 + 0.20 * 0.5 + 0.05 * 0.9 + 0.25 * 0.4)
    assert by_chunk["0003"].terms.diversity == pytest.approx(0.75)
    assert by_chunk["0003"].terms.coverage == pytest.approx(1 - 0.5 / 3)


def test_the_authority_of_a_speaker_moves_the_score_and_unknown_is_no_half_F68_F74() -> None:
    known, unknown = candidate(1, speaker=1), candidate(2, speaker=2)
    first, second = scored([known, unknown], {"http://a.example/p1": 1.0})
    assert first.candidate == known
    assert first.score - second.score == pytest.approx(0.05)
    assert second.terms.authority == 0.0


@given(CANDIDATES, st.dictionaries(st.integers(0, 12).map("http://a.example/p{}".format), UNIT))
def test_every_term_and_every_score_lies_between_0_and_1(found: list[Candidate], authority: dict[str, float]) -> None:
    result = scored(found, authority)
    for item in result:
        terms = item.terms
        values = (terms.relevance, terms.diversity, terms.coverage, terms.authority, terms.salience)
        assert all(0 <= value <= 1 for value in values)
        assert -1e-9 <= item.score <= 1 + 1e-9
        assert item.candidate.similarity == RELEVANCE(item.candidate.similarity)
    keys = [(-item.score, item.candidate.chunk) for item in result]
    assert keys == sorted(keys)


@given(CANDIDATES, LIMITS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter_F58_F59(
    found: list[Candidate], limits: RetrievalSettings, order: random.Random
) -> None:
    shuffled = list(found)
    order.shuffle(shuffled)
    once = {c.chunk: c for c in found}.values()  # one candidate a chunk, so that the pool is the same
    again = sorted(once, key=lambda _: order.random())
    here, there = scored(list(once)), scored(again)
    assert there == here
    assert select(there, limits) == select(here, limits)


@given(CANDIDATES, LIMITS)
def test_a_selection_keeps_its_limits(found: list[Candidate], limits: RetrievalSettings) -> None:
    everything = scored(found)
    chosen = select(everything, limits)
    assert len(chosen) <= limits.selected
    assert len({item.candidate.chunk for item in chosen}) == len(chosen)
    assert set(chosen) <= set(everything)
    speakers = Counter(item.candidate.speaker or item.candidate.speech for item in chosen)
    assert max(speakers.values(), default=0) <= limits.per_speaker
    blocs = Counter(item.candidate.bloc for item in chosen)
    assert max(blocs.values(), default=0) <= max(limits.per_group_minimum, limits.selected // 3)
    keys = [(-item.score, item.candidate.chunk) for item in chosen]
    assert keys == sorted(keys)


@given(CANDIDATES, LIMITS)
def test_every_bloc_is_heard_where_there_is_room_F56(found: list[Candidate], limits: RetrievalSettings) -> None:
    everything = scored(found)
    blocs = {item.candidate.bloc for item in everything}
    heard = {item.candidate.bloc for item in select(everything, limits)}
    if limits.per_group_minimum and len({item.candidate.speaker for item in everything}) == len(everything):
        assert len(heard) == min(len(blocs), limits.selected)


def test_a_small_bloc_keeps_its_minimum_among_much_better_passages_F56() -> None:
    large = [candidate(n, speaker=n, bloc=1, similarity=0.9) for n in range(100)]
    small = [candidate(200 + n, speaker=200 + n, bloc=2, similarity=0.3) for n in range(7)]
    chosen = select(scored([*large, *small]), SETTINGS)
    counts = Counter(item.candidate.bloc[-2:] for item in chosen)
    assert counts["g2"] >= SETTINGS.per_group_minimum
    assert counts["g1"] == SETTINGS.selected // 3


def test_where_there_is_little_room_the_blocs_take_turns_F56() -> None:
    found = [candidate(n, speaker=n, bloc=n % 4) for n in range(40)]
    chosen = select(scored(found), RetrievalSettings(selected=8, per_group_minimum=5))
    assert Counter(item.candidate.bloc[-2:] for item in chosen) == {f"g{n}": 2 for n in range(4)}


def test_a_speaker_gives_at_most_so_many_passages() -> None:
    found = [candidate(n, speaker=1, bloc=1) for n in range(50)]
    assert len(select(scored(found), SETTINGS)) == SETTINGS.per_speaker


def test_nobody_in_particular_is_not_one_speaker() -> None:
    found = [candidate(2 * n, speaker=None, bloc=n % 5) for n in range(50)]
    assert len(select(scored(found), SETTINGS)) == 50


def test_nothing_found_is_nothing_selected() -> None:
    assert select(scored([]), SETTINGS) == ()
