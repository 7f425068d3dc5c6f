"""The harness of `make bench-paper`: what it makes of figures, and once, on request, the whole of it."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyoxigraph import NamedNode, Store
from rich.console import Console

import sparql
from service.embedding import HashEmbedder
from service.graph import EmbeddedGraph
from tests.benchmarks.paper import apart, corpora, dense, profile, real_chunks, report, run
from tests.benchmarks.paper.embedders import Clocked, Served
from tests.benchmarks.paper.embedding_server import application
from tests.benchmarks.paper.figures import at, ratio, spread
from tests.benchmarks.paper.queries import Lap, TimedGraph, Watch, by_name, headers, name_of
from tests.benchmarks.paper.verdicts import growth, neighbours, verdicts


def document(factor: float = 1.0) -> dict[str, Any]:
    """Figures of a scale, all of them times a factor."""
    half = {"numpy": {"median": 20.0}, "index": {"median": 15.0 * factor}, "recall": 0.99}
    return {
        "scale": "paper",
        "asking": {
            "evidence": {"total without embedding": {"median": 200.0 * factor, "p95": 400.0 * factor}},
            "memory_after_evidence": {"rss": 1024.0 * factor},
        },
        "dense": {"default": {"all chunks": half}},
        "load": {"total": 100.0 * factor, "without_embedding": 50.0 * factor},
        "second_load": {"total": 2.0, "without_embedding": 4.0},
    }


def printed(*tables: object) -> str:
    console = Console(width=160, file=io.StringIO())
    console.print(*tables)
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def test_the_95th_percentile_is_the_nearest_rank() -> None:
    assert spread(range(1, 101)) == {"median": 50.5, "p95": 95, "count": 100}
    assert spread([3.0]) == {"median": 3.0, "p95": 3.0, "count": 1}
    assert spread([]) == {"count": 0}


def test_what_is_not_known_has_no_ratio() -> None:
    assert ratio(3, 2) == 1.5
    assert ratio(None, 2) is None
    assert ratio(3, 0) is None
    assert at({"a": {"b": 0}}, "a", "b") == 0
    assert at({"a": "not measured"}, "a", "b") is None


def test_every_query_is_known_by_its_first_line() -> None:
    files = list(Path(sparql.__file__).parent.glob("*/*.rq"))

    assert len(headers()) == len(files)
    bound = sparql.bind(sparql.query("retrieval/texts"), "?speech", [NamedNode("http://x.example/s")])
    assert name_of(bound) == "retrieval/texts"
    assert name_of("ASK {}") == "ASK {}"


def test_a_store_under_a_watch_answers_as_the_store_does() -> None:
    watch = Watch()
    graph = TimedGraph(EmbeddedGraph(Store()), watch)

    assert graph.select("SELECT ?s WHERE { ?s ?p ?o }") == []
    assert graph.ask("ASK {}")
    assert list(graph.construct("CONSTRUCT { <x:a> <x:b> <x:c> } WHERE {}"))
    assert [(lap.name, lap.rows) for lap in watch.take()] == [
        ("SELECT ?s WHERE { ?s ?p ?o }", 0),
        ("ASK {}", 1),
        ("CONSTRUCT { <x:a> <x:b> <x:c> } WHERE {}", 1),
    ]
    assert watch.take() == ()


def test_the_query_that_costs_a_question_most_comes_first() -> None:
    laps = [Lap("often", 2.0, 1), Lap("often", 4.0, 3), Lap("once", 5.0, 7)]

    table = by_name(laps, questions=2)

    assert list(table) == ["often", "once"]
    assert table["often"] == {
        "median": 3.0, "p95": 4.0, "count": 2, "per_question": 1.0, "ms_per_question": 3.0, "rows": 2,
    }  # fmt: skip


def test_a_chunk_of_equal_cosine_is_as_good() -> None:
    matrix = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], np.float32)
    scores = matrix @ np.array([1, 0], np.float32)

    assert dense._recall([1, 2], np.array([0, 2]), scores) == 1.0
    assert dense._recall([0, 3], np.array([0, 2]), scores) == 0.5
    assert dense._exact(matrix, np.array([1, 0], np.float32), np.array([False, True, True, True])).tolist() == [1, 2, 3]


def test_an_embedder_of_the_benchmark_has_the_name_that_the_service_knows() -> None:
    from service.embedders import configured_model
    from service.settings import Settings
    from tests.benchmarks.paper.embedders import settings_of

    model = Clocked(Served(HashEmbedder(), "hash"))
    settings = {name.lower(): value for name, value in settings_of("hash", "http://127.0.0.1:1/v1").items()}

    assert configured_model(Settings(**settings)) == (model.model, model.dimensions)
    served = application(HashEmbedder()).test_client().post("/v1/embeddings", json={"input": ["legge"], "model": "x"})
    vector = np.asarray(served.get_json()["data"][0]["embedding"], np.float32)
    assert np.array_equal(vector, model.queries(["legge"])[0])
    assert model.texts == 1


def test_samples_are_counted_below_the_functions_named() -> None:
    lines = [
        "main (a.py:1);find (b.py:2);inner (c.py:3);malloc (libc.so);0x7f 3",
        "main (a.py:1);find (b.py:9) 1",
        "main (a.py:1);other (d.py:1) 5",
    ]

    found = profile.summary(lines, ("find",))

    assert found["samples"] == 4
    assert found["inclusive"] == {"find (b.py)": 1.0, "inner (c.py)": 0.75}
    assert found["own"] == {"malloc (libc.so)": 0.75, "find (b.py)": 0.25}
    assert found["python"] == {"inner (c.py)": 0.75, "find (b.py)": 0.25}


def test_what_is_wanted_is_told_beside_what_was_measured() -> None:
    held = {verdict.what: verdict.holds for verdict in verdicts(document())}

    assert held["question to evidence, median"] is True
    assert held["dense search beside exact numpy, BLAS threads: default"] is True
    assert held["dense search beside exact numpy, BLAS threads: one thread"] is None
    assert held["second load with one sitting more, to the first"] is True
    assert held["the same without embedding in both"] is False
    assert held["first answer after the start"] is None
    assert all(verdict.holds is None for verdict in verdicts({}))


def test_scales_are_compared_with_the_next_smaller_one() -> None:
    assert list(neighbours({"ten": {}, "paper": {}, "esperia": {}})) == [("paper", "ten")]
    grown = {verdict.what: (verdict.measured, verdict.holds) for verdict in growth(document(), document(4.0))}
    assert grown["question to evidence, median"] == ("4.00 ×", False)
    assert grown["resident memory after the questions"] == ("4.00 ×", True)
    assert grown["triples"] == ("not measured", None)
    written = printed(report.verdict_table("from paper to ten", growth(document(), document(4.0))))
    assert "does not" in written


def test_parts_that_were_not_measured_say_why() -> None:
    for part, name in (("second", "second_load"), ("profile", "profile"), ("embedding", "real_chunks")):
        assert "not measured: why" in printed(*report.TABLES[part]({name: "not measured: why"}))


def test_real_utterances_are_read_as_their_segments(tmp_path: Path) -> None:
    words = "Il disegno di legge è approvato dalla Camera."
    segments = f"<seg>{words}</seg><seg>Bene <w>così</w>, colleghi.</seg>"
    text = f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><u>{segments}</u></TEI>'
    (tmp_path / "ParlaMint-IT_2020-01-01.xml").write_text(text, encoding="utf-8")
    (tmp_path / "ParlaMint-IT-listOrg.xml").write_text("<TEI/>", encoding="utf-8")

    assert list(real_chunks._of_parlamint(tmp_path)) == [f"{words}\nBene così, colleghi."]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_whole_of_it_on_a_small_parliament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "WORK", tmp_path)
    console = Console(width=160, file=io.StringIO())
    corpus = corpora.find("0.005", 1)
    plan = run.Plan(corpus, corpus.work / "data", console, repetitions=1, answer_repetitions=1, camera=tmp_path / "no")

    found = run.measure(plan, ["load", "bulk", "ask", "dense", "start", "remote", "second"])

    assert found["corpus"]["chunks"]["loaded"] == found["corpus"]["chunks"]["paper"]
    assert found["bulk_load"]["triples"] == found["load"]["counts"]["triples"]
    assert found["dense"]["default"]["all chunks"]["recall"] > 0.9
    assert 0 < found["second_load"]["embedded"] < found["load"]["embedded"]
    assert {"retrieval/texts", "authority/profiles"} <= found["asking"]["evidence_queries"].keys()
    assert all(verdict.holds is not None for verdict in verdicts(found))


def test_a_part_that_fails_is_told() -> None:
    with pytest.raises(RuntimeError, match="no_such_function ended with status 1"):
        apart.run(no_such_function)


def no_such_function() -> None:
    raise AssertionError
