"""One pool of both channels, scored (DESIGN §4, eq. 1) and cut to a balanced selection."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from service.evidence import Candidate, Terms
from service.settings import RetrievalSettings, ScoreWeights


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its terms and their weighted sum."""

    candidate: Candidate
    terms: Terms
    score: float


def pool(*channels: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Unite channels by chunk: the higher similarity is kept and all reasons are."""
    merged: dict[str, Candidate] = {}
    for channel in channels:
        for found in channel:
            earlier = merged.get(found.chunk)
            if earlier is None:
                merged[found.chunk] = found
            else:
                merged[found.chunk] = replace(
                    earlier,
                    similarity=max(earlier.similarity, found.similarity),
                    reasons=tuple(dict.fromkeys((*earlier.reasons, *found.reasons))),
                )
    return tuple(sorted(merged.values(), key=lambda found: (-found.similarity, found.chunk)))


def score(
    candidates: Sequence[Candidate],
    *,
    relevance: Callable[[float], float],
    authority: Mapping[str, float],
    weights: ScoreWeights,
) -> tuple[Scored, ...]:
    """Score a pool, best first, the chunk's IRI as the last key.

    `diversity = 1 - n(speaker) / (2 max n)` and `coverage = 1 - n(bloc) / (2 max n)` over the
    pool (the reference's formulas, facts §4.3). A speaker without an authority has 0.
    """
    speakers = Counter(found.speaker for found in candidates)
    blocs = Counter(found.bloc for found in candidates)
    most_of_speaker = max(speakers.values(), default=1)
    most_of_bloc = max(blocs.values(), default=1)
    scored = []
    for found in candidates:
        terms = Terms(
            relevance=relevance(found.similarity),
            diversity=1 - 0.5 * speakers[found.speaker] / most_of_speaker,
            coverage=1 - 0.5 * blocs[found.bloc] / most_of_bloc,
            authority=authority.get(found.speaker or "", 0.0),
            salience=found.salience,
        )
        total = (
            weights.relevance * terms.relevance
            + weights.diversity * terms.diversity
            + weights.coverage * terms.coverage
            + weights.authority * terms.authority
            + weights.salience * terms.salience
        )
        scored.append(Scored(found, terms, total))
    return tuple(sorted(scored, key=lambda item: (-item.score, item.candidate.chunk)))


def select(scored: Sequence[Scored], settings: RetrievalSettings) -> tuple[Scored, ...]:
    """Choose at most `selected` passages: first each bloc's minimum, then the best of the rest.

    Whether a passage is about the topic was decided before. A speaker gives at most
    `per_speaker`, and a bloc at most a third, unless the blocs' minimums need more.
    """
    by_speaker: Counter[str] = Counter()
    by_bloc: Counter[str] = Counter()
    chosen: dict[str, Scored] = {}

    def take(item: Scored, bloc_limit: int) -> None:
        found = item.candidate
        speaker = found.speaker or found.speech
        if (
            found.chunk not in chosen
            and len(chosen) < settings.selected
            and by_speaker[speaker] < settings.per_speaker
            and by_bloc[found.bloc] < bloc_limit
        ):
            chosen[found.chunk] = item
            by_speaker[speaker] += 1
            by_bloc[found.bloc] += 1

    of_bloc: defaultdict[str, list[Scored]] = defaultdict(list)
    for item in scored:
        of_bloc[item.candidate.bloc].append(item)
    # In turns, so that where there is little room no bloc takes the place of another's first.
    for number in range(1, settings.per_group_minimum + 1):
        for bloc in sorted(of_bloc):
            for item in of_bloc[bloc]:
                take(item, number)
    for item in scored:
        take(item, max(settings.per_group_minimum, settings.selected // 3))
    return tuple(sorted(chosen.values(), key=lambda item: (-item.score, item.candidate.chunk)))
