"""Who speaks how long about what, on which day, and which act is about what: the whole record in numbers.

Everything is drawn from the seed and the scale alone, so that each process makes the same plan.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.generator.people import FIRST_DAY, LAST_DAY, SPEAKING, Parliament, parliament
from tests.benchmarks.generator.scale import SPEAKING_DEPUTIES, SPEAKING_GOVERNMENT, Scale
from tests.benchmarks.generator.text import FACETS
from tests.benchmarks.generator.words import RARE, vocabulary

Integers = NDArray[np.int64]
Days = NDArray[np.datetime64]
_FIRST_SITTING: Final = date(2022, 10, 25)
_GOVERNMENT_SHARE: Final = 0.12
_RESUMED: Final = 0.03
_LONGEST_SPEECH: Final = 60
"""Chunks."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The record in numbers. `debate_of` and the like have one entry for each speech, in order."""

    scale: Scale
    seed: int
    parliament: Parliament
    days: tuple[date, ...]
    """Of each sitting."""
    debates_until: Integers
    """For each sitting, the number of debates up to its end."""
    phases: Integers
    """Of each debate."""
    topics: Integers
    """Of each debate."""
    facets: Integers
    speeches_until: Integers
    """For each debate, the number of speeches up to its end."""
    speakers: Integers
    """Of each speech: a place in `parliament.people`."""
    chunks: Integers
    resumed: NDArray[np.bool_]
    """Speeches that go on after the chair's word."""
    act_topics: Integers
    act_days: Days
    """Ascending."""
    cosignatories: Integers
    """How many further signatures each act has."""
    unsigned: frozenset[int]
    """Acts without a first signatory."""


def make(scale: Scale, seed: int) -> Plan:
    """The plan of a scale and a seed."""
    rng = np.random.default_rng([seed, 2])
    people = parliament(seed)
    days = _days(scale.sittings)
    topic_odds = _topic_odds()
    debates = share(rng, scale.debates, scale.sittings, 0.5, least=1)
    topics = rng.choice(len(topic_odds), scale.debates, p=topic_odds)
    speeches = share(rng, scale.speeches, scale.debates, 1.0, least=1)
    chunks = share(rng, scale.chunks, scale.speeches, 1.05, least=1, most=_LONGEST_SPEECH)
    debate_of = np.repeat(np.arange(scale.debates), speeches)
    day_of = np.repeat(np.repeat(np.array(days, "datetime64[D]"), debates), speeches)
    resumed = (rng.random(scale.speeches) < _RESUMED) & (np.diff(debate_of, prepend=-1) == 0)
    speakers = _speakers(rng, people, topics[debate_of], day_of, resumed)
    acts = scale.acts
    span = (LAST_DAY - FIRST_DAY).days
    return Plan(
        scale=scale,
        seed=seed,
        parliament=people,
        days=days,
        debates_until=np.cumsum(debates),
        phases=share(rng, scale.phases, scale.debates, 0.9, least=0),
        topics=topics,
        facets=rng.integers(0, FACETS, scale.debates),
        speeches_until=np.cumsum(speeches),
        speakers=speakers,
        chunks=chunks,
        resumed=resumed,
        act_topics=rng.choice(len(topic_odds), acts, p=topic_odds),
        act_days=np.datetime64(FIRST_DAY) + (span * (np.arange(acts) + 0.5) / acts).astype(np.int64),
        cosignatories=share(rng, scale.further_signatures, acts, 1.3, least=0, most=150),
        unsigned=frozenset(rng.choice(acts, acts - scale.first_signatures, replace=False).tolist()),
    )


def share(
    rng: np.random.Generator, total: int, number: int, spread: float, *, least: int, most: int | None = None
) -> Integers:
    """Share `total` among `number`, log-normally, each at least `least` and at most `most`; the sum is exact."""
    if not least * number <= total <= (total if most is None else most * number):
        raise ValueError(f"{total} cannot be shared among {number}")
    weights = np.exp(rng.normal(0.0, spread, number))
    exact = weights / weights.sum() * (total - least * number)
    shares: Integers = np.floor(exact).astype(np.int64) + least
    if most is not None:
        shares = np.minimum(shares, most)
    while missing := total - int(shares.sum()):
        room = np.flatnonzero(shares < most) if most is not None else np.arange(number)
        odds = weights[room] / weights[room].sum()
        chosen = rng.choice(room, min(missing, room.size), replace=False, p=odds)
        shares[chosen] += 1
    return shares


def _days(sittings: int) -> tuple[date, ...]:
    """Days of sitting, from Monday to Friday; beyond the paper's number, several sittings share one."""
    span = (LAST_DAY - _FIRST_SITTING).days
    working = [day for n in range(span + 1) if (day := _FIRST_SITTING + timedelta(days=n)).weekday() < 5]
    return tuple(working[int(n * (len(working) - 1) / max(1, sittings - 1))] for n in range(sittings))


def _topic_odds() -> NDArray[np.float64]:
    number = len(vocabulary().topics)
    weights = (np.arange(number) + 6.0) ** -0.7
    weights[-RARE:] *= 0.12
    odds: NDArray[np.float64] = weights / weights.sum()
    return odds


def _speakers(
    rng: np.random.Generator,
    people: Parliament,
    topics: Integers,
    days: NDArray[np.datetime64],
    resumed: NDArray[np.bool_],
) -> Integers:
    """A speaker for each speech: few speak often, each oftener on some topics; all speak if there is room."""
    number = len(vocabulary().topics)
    deputies = _odds_by_topic(rng, SPEAKING_DEPUTIES, number, 0.95)
    ministers = _odds_by_topic(rng, SPEAKING_GOVERNMENT, number, 0.7)
    speakers = np.zeros(topics.size, np.int64)
    draws, governs = rng.random(topics.size), rng.random(topics.size) < _GOVERNMENT_SHARE
    for topic in range(number):
        mine = topics == topic
        members, ministers_here = mine & ~governs, mine & governs
        speakers[members] = np.searchsorted(deputies[topic], draws[members])
        speakers[ministers_here] = SPEAKING_DEPUTIES + np.searchsorted(ministers[topic], draws[ministers_here])
    _let_all_speak(rng, speakers, resumed)
    for place, partner in people.partner.items():
        begin, end = people.people[place].begin, people.people[place].end
        absent = (days < np.datetime64(begin)) | (days > np.datetime64(end or LAST_DAY + timedelta(days=3_650)))
        speakers[(speakers == place) & absent] = partner
    for later in np.flatnonzero(resumed).tolist():
        speakers[later] = speakers[later - 1]
    return speakers


def _let_all_speak(rng: np.random.Generator, speakers: Integers, resumed: NDArray[np.bool_]) -> None:
    """Give those who were not drawn a few speeches of the most heard."""
    counts = np.bincount(speakers, minlength=SPEAKING)
    free = rng.permutation(np.flatnonzero(~resumed))
    free = free[counts[speakers[free]] > 40]
    quiet = np.flatnonzero(counts < 4)
    for place, speech in zip(np.tile(quiet, 8), free, strict=False):
        speakers[speech] = place


def _odds_by_topic(rng: np.random.Generator, number: int, topics: int, exponent: float) -> NDArray[np.float64]:
    """Cumulated odds of each person, a row a topic."""
    weights = rng.permutation((np.arange(number) + 3.0) ** -exponent)
    favour = np.where(rng.random((topics, number)) < 0.06, 8.0, 1.0)
    cumulated = np.cumsum(weights * favour, axis=1)
    cumulated /= cumulated[:, -1:]
    cumulated[:, -1] = 1.0
    return cumulated
