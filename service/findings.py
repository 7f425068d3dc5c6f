"""From a question to ranked evidence with the standing of its speakers: the first half of the pipeline."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from service.authority import features as authority_features
from service.authority.score import MINIMUM_RELEVANCE, Authority, Features, assess
from service.chamber import Chamber
from service.corpus import Corpus
from service.evidence import Evidence, Figures
from service.question import Question
from service.retrieval import coverage, dense, graph_channel, merge, naming, nearby, records
from service.retrieval.naming import Mention
from service.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class Findings:
    """Evidence, best first, with the authority of every speaker who was weighed."""

    evidence: tuple[Evidence, ...]
    authorities: Mapping[str, Authority]
    features: Mapping[str, Features]
    acts: Mapping[str, float]
    """Relevance of the acts near the question."""
    mentions: Mapping[str, tuple[Mention, ...]]
    figures: Figures
    milliseconds: Mapping[str, float]


def find(question: Question, corpus: Corpus, chamber: Chamber, settings: RetrievalSettings) -> Findings:
    """Run both channels, weigh the speakers, merge, and keep what every group said of the topic.

    Only passages that name the topic, or whose vectors leave no doubt, are evidence; if there is
    none, nothing was found, and the nearest passages are not shown in its place.
    """
    watch = _Watch()
    near = nearby.search(question, corpus, settings, relevance=MINIMUM_RELEVANCE)
    watch.lap("index")
    by_dense = dense.search(question, corpus, near, settings)
    watch.lap("dense")
    by_graph = graph_channel.search(question, corpus, near, settings)
    watch.lap("graph")
    pool = merge.pool(by_dense, by_graph.candidates)
    relevance = corpus.embedder.calibration.relevance
    best = pool[0].similarity if pool else None
    blocs = question.filters.groups or chamber.blocs
    pool = merge.pool(pool, coverage.fill(question, corpus, near, pool, blocs, settings))
    watch.lap("coverage")
    named = naming.find(question, corpus, near, pool)
    examined = len(pool)
    on_topic = corpus.embedder.calibration.on_topic
    pool = tuple(c for c in pool if c.chunk in named.chunks or relevance(c.similarity) >= on_topic)
    watch.lap("naming")
    speakers = sorted({found.speaker for found in pool if found.speaker})
    features = authority_features.gather(question, corpus, near, speakers, by_graph.acts, by_graph.signatures)
    authorities = {f.speaker: assess(f, question.reference_date) for f in features}
    watch.lap("authority")
    scored = merge.score(
        pool,
        relevance=relevance,
        authority={speaker: a.total for speaker, a in authorities.items()},
        weights=settings.weights,
    )
    selected = merge.select(scored, settings)
    watch.lap("score")
    evidence = records.evidence(selected, corpus)
    watch.lap("records")
    return Findings(
        evidence=evidence,
        authorities=authorities,
        features={f.speaker: f for f in features},
        acts={act.iri: act.relevance for act in by_graph.acts},
        mentions=named.mentions,
        figures=Figures(
            acts=len(by_graph.acts),
            signatories=len({s.speaker for s in by_graph.signatures}),
            committees=len(question.committees),
            by_dense=len(by_dense),
            by_graph=len(by_graph.candidates),
            merged=examined,
            best_similarity=best,
            on_topic=bool(pool),
        ),
        milliseconds=watch.laps,
    )


class _Watch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = round((now - self._last) * 1000, 2)
        self._last = now
