"""The channels over Esperia's real graph and index, and over a chamber with one crowded group."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from pyoxigraph import Store

from service.corpus import Corpus
from service.embedding import HashEmbedder
from service.evidence import Candidate
from service.graph import EmbeddedGraph, GraphStore
from service.question import Filters, Question
from service.retrieval import coverage, dense, graph_channel, nearby
from service.settings import RetrievalSettings
from service.vectors import CHUNKS, Point, Where
from service.vectors.embedded import EmbeddedIndex
from tests.conftest import Esperia

MINIMUM_WAGE = "Qual è la posizione dei gruppi parlamentari sul salario minimo?"
SETTINGS = RetrievalSettings()
OCD = "http://dati.esperia.example/ocd/"
LABOUR_GROUP = f"{OCD}gruppoParlamentare.rdf/gr104"


def dense_of(question: Question, corpus: Corpus, settings: RetrievalSettings = SETTINGS) -> tuple[Candidate, ...]:
    return dense.search(question, corpus, nearby.search(question, corpus, settings), settings)


def graph_of(question: Question, corpus: Corpus) -> graph_channel.Found:
    return graph_channel.search(question, corpus, nearby.search(question, corpus, SETTINGS), SETTINGS)


def filled(
    question: Question,
    corpus: Corpus,
    pool: Sequence[Candidate],
    blocs: Sequence[str],
    settings: RetrievalSettings = SETTINGS,
) -> tuple[Candidate, ...]:
    return coverage.fill(question, corpus, nearby.search(question, corpus, settings), pool, blocs, settings)


def by_dense(esperia: Esperia, question: Question) -> tuple[Candidate, ...]:
    return dense_of(question, esperia.corpus)


def by_graph(esperia: Esperia, question: Question) -> tuple[Candidate, ...]:
    return graph_of(question, esperia.corpus).candidates


def by_coverage(esperia: Esperia, question: Question) -> tuple[Candidate, ...]:
    return filled(question, esperia.corpus, (), esperia.chamber.blocs)


CHANNELS = [by_dense, by_graph, by_coverage]


def cosine(esperia: Esperia, question: Question, found: Candidate) -> float:
    from service.retrieval.records import speeches

    text = speeches([found.speech], esperia.corpus)[found.speech].text[found.start : found.end]
    return float(esperia.corpus.embedder.passages([text])[0] @ question.vector)


@pytest.mark.parametrize("channel", CHANNELS)
def test_similarity_is_the_cosine_to_the_question_in_every_channel_F54_F69(
    esperia: Esperia, channel: Callable[..., tuple[Candidate, ...]]
) -> None:
    question = esperia.understand(MINIMUM_WAGE)
    found = channel(esperia, question)
    assert len(found) > 10
    for item in found[::3]:
        assert item.similarity == pytest.approx(cosine(esperia, question, item), abs=1e-3)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    ("filters", "keep"),
    [
        (Filters(groups=(LABOUR_GROUP,)), lambda c: c.bloc == LABOUR_GROUP),
        (Filters(date_from=date(2025, 3, 1)), lambda c: c.day >= 20250301),
        (Filters(date_until=date(2025, 3, 1)), lambda c: c.day <= 20250301),
        (
            Filters(groups=(LABOUR_GROUP, "government"), date_from=date(2025, 1, 1), date_until=date(2025, 12, 1)),
            lambda c: c.bloc in (LABOUR_GROUP, "government") and 20250101 <= c.day <= 20251201,
        ),
    ],
)
def test_a_filter_is_obeyed_in_every_channel_F60_F61(
    esperia: Esperia,
    channel: Callable[..., tuple[Candidate, ...]],
    filters: Filters,
    keep: Callable[[Candidate], bool],
) -> None:
    found = channel(esperia, esperia.understand(MINIMUM_WAGE, filters=filters))
    assert found
    assert all(keep(item) for item in found)


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_filter_on_a_speaker_is_obeyed_in_every_channel_F61(
    esperia: Esperia, channel: Callable[..., tuple[Candidate, ...]]
) -> None:
    everything = channel(esperia, esperia.understand(MINIMUM_WAGE))
    speaker = next(item.speaker for item in everything if item.speaker)
    found = channel(esperia, esperia.understand(MINIMUM_WAGE, filters=Filters(speakers=(speaker,))))
    assert {item.speaker for item in found} == {speaker}


@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_after_the_reference_date_appears_F87(
    esperia: Esperia, channel: Callable[..., tuple[Candidate, ...]]
) -> None:
    day = date(2025, 3, 1)
    found = channel(esperia, esperia.understand(MINIMUM_WAGE, reference_date=day))
    assert found
    assert all(item.day <= 20250301 for item in found)
    before = esperia.understand(MINIMUM_WAGE, reference_date=date(2020, 1, 1))
    assert channel(esperia, before) == ()


def test_acts_after_the_reference_date_lead_nowhere_F87(esperia: Esperia) -> None:
    day = date(2025, 3, 1)
    late, early = (
        graph_of(question, esperia.corpus)
        for question in (esperia.understand(MINIMUM_WAGE), esperia.understand(MINIMUM_WAGE, reference_date=day))
    )
    assert {act.iri for act in early.acts} <= {act.iri for act in late.acts}
    assert all(signature.date <= day for signature in early.signatures)


def test_the_dense_channel_says_whether_vector_or_words_found_a_passage(esperia: Esperia) -> None:
    found = by_dense(esperia, esperia.understand(MINIMUM_WAGE))
    channels = {tuple(reason.channel for reason in item.reasons) for item in found}
    assert ("dense", "lexical") in channels
    assert channels <= {("dense",), ("lexical",), ("dense", "lexical")}
    assert len({item.chunk for item in found}) == len(found)


def test_a_passage_found_by_its_words_alone_has_its_true_cosine(esperia: Esperia) -> None:
    few = RetrievalSettings(top_k=5, lexical_weight=1.0)
    question = esperia.understand(MINIMUM_WAGE)
    found = dense_of(question, esperia.corpus, few)
    assert len(found) == 5
    by_words = [item for item in found if item.reasons[0].channel == "lexical"]
    assert by_words
    for item in by_words:
        assert item.similarity == pytest.approx(cosine(esperia, question, item), abs=1e-3)


def test_the_dense_channel_keeps_what_is_asked_for_and_its_best_first(esperia: Esperia) -> None:
    question = esperia.understand(MINIMUM_WAGE)
    few = dense_of(question, esperia.corpus, RetrievalSettings(top_k=3, lexical_weight=0.0))
    similarities = [item.similarity for item in few]
    assert len(few) == 3
    assert similarities == sorted(similarities, reverse=True)


def test_every_passage_of_the_graph_channel_says_which_act_or_committee_brought_it(esperia: Esperia) -> None:
    question = esperia.understand(MINIMUM_WAGE)
    found = graph_of(question, esperia.corpus)
    acts = {act.iri for act in found.acts}
    committees = {match.iri for match in question.committees}
    signed = {(s.act, s.speaker): s.first for s in found.signatures}
    seen: Counter[str] = Counter()
    for item in found.candidates:
        assert 1 <= len(item.reasons) <= graph_channel.REASONS_SHOWN
        for reason in item.reasons:
            seen[reason.channel] += 1
            if reason.channel == "signatory":
                assert reason.iri in acts
                assert item.speaker
                assert signed[reason.iri or "", item.speaker] == (reason.detail == "first")
            else:
                assert reason.channel == "committee"
                assert reason.iri in committees
                assert reason.label
    assert seen["signatory"]
    assert seen["committee"]


def test_the_graph_channel_brings_what_is_on_the_topic_and_not_all_that_somebody_said_F63(
    esperia: Esperia,
) -> None:
    calibration = esperia.corpus.embedder.calibration
    found = by_graph(esperia, esperia.understand(MINIMUM_WAGE))
    assert all(calibration.relevance(item.similarity) >= SETTINGS.minimum_relevance - 1e-6 for item in found)
    order = [(-item.similarity, item.chunk) for item in found]
    assert order == sorted(order)


def test_acts_near_the_question_are_ordered_before_they_are_cut_F58(esperia: Esperia) -> None:
    question = esperia.understand(MINIMUM_WAGE)
    acts = graph_channel.near_acts(question, esperia.corpus, 100, 0.2)
    keys = [(-act.relevance, act.iri) for act in acts]
    assert keys == sorted(keys)
    assert len(acts) > 3
    assert graph_channel.near_acts(question, esperia.corpus, 2, 0.2) == acts[:2]
    assert all(act.relevance >= 0.2 - 1e-6 for act in acts)


def test_a_topic_of_which_nobody_spoke_gives_no_evidence_F55(esperia: Esperia) -> None:
    for text in ("la riproduzione delle balene", "ricetta del tiramisù", "colonie su Marte"):
        findings = esperia.find(text)
        assert not findings.figures.on_topic, text
        assert findings.evidence == ()
        assert findings.authorities == {}


def test_both_forms_of_the_graph_bring_the_same_candidates(esperia: Esperia, esperia_graph: GraphStore) -> None:
    there = replace(esperia.corpus, graph=esperia_graph)
    question = esperia.understand(MINIMUM_WAGE)
    assert graph_of(question, there) == graph_of(question, esperia.corpus)


@pytest.fixture(scope="module")
def crowded(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Question]:
    """A chamber in which one group said 900 nearer things before a small one said six."""
    embedder = HashEmbedder()
    question = esperia.understand("salario minimo")
    noise = np.random.default_rng(3)

    def near(similarity: float) -> np.ndarray:
        other = noise.standard_normal(embedder.dimensions)
        other -= (other @ question.vector) * question.vector
        other /= np.linalg.norm(other)
        return (similarity * question.vector + np.sqrt(1 - similarity**2) * other).astype(np.float32)

    def points(bloc: str, similarities: Iterable[float]) -> list[Point]:
        return [
            Point(
                f"http://a.example/{bloc}/{n:04d}",
                near(similarity),
                None,
                {
                    "speech": f"http://a.example/speech/{bloc}{n}",
                    "speaker": f"http://a.example/{bloc}/p{n % 40}",
                    "bloc": bloc,
                    "start": 0,
                    "end": 5,
                    "salience": 0.5,
                    "day": 20250101,
                    "dataset": "x-1",
                },
            )
            for n, similarity in enumerate(similarities)
        ]

    folder: Path = tmp_path_factory.mktemp("crowded")
    index = EmbeddedIndex(folder)
    index.create(CHUNKS, embedder.dimensions)
    index.add(CHUNKS, points("large", np.linspace(0.9, 0.6, 900)))
    index.add(CHUNKS, points("small", [0.3, 0.29, 0.28, 0.27, 0.26, 0.25, 0.01]))
    index.add(CHUNKS, points("silent", [0.02, 0.01]))
    index.finish()
    corpus = Corpus(esperia.corpus.manifest, EmbeddedGraph(Store()), EmbeddedIndex(folder), embedder)
    return corpus, question


def test_a_small_group_is_found_by_a_search_inside_it_F56_F57(crowded: tuple[Corpus, Question]) -> None:
    corpus, question = crowded
    pool = dense_of(question, corpus)
    assert {item.bloc for item in pool} == {"large"}
    added = filled(question, corpus, pool, ("small", "large", "silent"), SETTINGS)
    assert [item.chunk[-4:] for item in added] == ["0000", "0001", "0002", "0003", "0004"]
    assert {item.bloc for item in added} == {"small"}
    assert all(reason.channel == "coverage" for item in added for reason in item.reasons)


def test_a_group_that_is_well_heard_is_not_searched_again(crowded: tuple[Corpus, Question]) -> None:
    corpus, question = crowded
    pool = dense_of(question, corpus)
    assert filled(question, corpus, pool, ("large",)) == ()
    none = RetrievalSettings(per_group_minimum=0)
    assert filled(question, corpus, (), ("small", "large"), none) == ()


def test_what_is_in_the_pool_is_not_added_again(crowded: tuple[Corpus, Question]) -> None:
    corpus, question = crowded
    first = filled(question, corpus, (), ("small",))
    again = filled(question, corpus, first[:2], ("small",))
    assert again == first[2:]


@pytest.mark.parametrize("horizon", [1, 20, 10_000])
def test_what_lies_beyond_the_horizon_is_searched_for(
    esperia: Esperia, horizon: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = esperia.understand(MINIMUM_WAGE)
    least = esperia.corpus.embedder.calibration.cosine(SETTINGS.minimum_relevance)
    monkeypatch.setattr(nearby, "HORIZON", horizon)
    near = nearby.search(question, esperia.corpus, SETTINGS)
    assert len(near.dense) <= horizon
    for where, at_least in (({}, None), ({}, least), ({"bloc": [LABOUR_GROUP]}, least), ({"bloc": []}, least)):
        found = nearby.nearest(question, esperia.corpus, near, limit=30, at_least=at_least, **where)
        filters = Where().narrowed(**where)
        vector = question.vector
        assert found == esperia.corpus.vectors.nearest(CHUNKS, vector, limit=30, where=filters, at_least=at_least)
    channels = (by_dense, by_graph, by_coverage)
    here = [channel(esperia, question) for channel in channels]
    monkeypatch.undo()
    assert here == [channel(esperia, question) for channel in channels]


def test_no_day_is_filtered_where_the_record_ends_before_it(esperia: Esperia) -> None:
    last = esperia.corpus.manifest.last_day
    assert last
    assert esperia.understand(MINIMUM_WAGE).where == Where()
    assert esperia.understand(MINIMUM_WAGE, reference_date=last - timedelta(days=1)).where.day_until
    early = Filters(date_until=last - timedelta(days=1))
    assert esperia.understand(MINIMUM_WAGE, filters=early).where.day_until
