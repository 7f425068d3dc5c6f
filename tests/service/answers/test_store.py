"""The store of answers: published whole, shared triples counted once, writers in turn, nothing lost to a kill."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, parse

from service.answer.jsonld import Document, to_jsonld, to_rdf
from service.answer.model import Answer
from service.answers import keep_answer, read_answer, store
from service.answers.store import open_store, replace_graph, snapshot, snapshot_or_empty
from service.errors import DataError
from service.graph import EmbeddedGraph
from tests.service.answer.making import TOPICS

OTHER = "https://example.org/id/answer/other"
MERGED = DefaultGraph()


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    whole = to_jsonld(answer_to(TOPICS[0]))
    return {**whole, "sections": [s for s in whole["sections"] if s["quotations"]][:2], "experts": []}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "answers"


def named_and_merged(opened: Store) -> tuple[set[Any], list[Any]]:
    """The triples of the named graphs, and those of the default graph."""
    quads = list(opened)
    named = {quad.triple for quad in quads if quad.graph_name != MERGED}
    return named, [quad.triple for quad in quads if quad.graph_name == MERGED]


def test_a_triple_that_two_answers_share_stands_once_in_the_default_graph(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    assert keep_answer(folder, {**document, "id": OTHER})
    opened = open_store(folder)
    assert opened is not None
    named, merged = named_and_merged(opened)
    assert set(merged) == named
    assert len(merged) == len(named)
    counted = EmbeddedGraph(opened, union=False).select(
        "SELECT (COUNT(*) AS ?n) { ?q a <https://w3id.org/emiciclo/ns#Quotation> ;"
        " <http://www.w3.org/ns/prov#wasQuotedFrom> ?s }"
    )
    assert int(counted[0]["n"].value) == len({q["id"] for s in document["sections"] for q in s["quotations"]})


def test_an_answer_that_is_replaced_takes_along_what_no_other_states(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    assert keep_answer(folder, {**document, "id": OTHER})
    assert keep_answer(folder, {**document, "id": OTHER, "title": "Un altro titolo"})
    assert read_answer(folder, document["id"]) == document
    assert read_answer(folder, OTHER) == {**document, "id": OTHER, "title": "Un altro titolo"}
    opened = open_store(folder)
    assert opened is not None
    named, merged = named_and_merged(opened)
    assert set(merged) == named


TERMS = st.sampled_from([NamedNode(f"http://a/{n}") for n in range(3)])
TRIPLES = st.sets(st.tuples(TERMS, TERMS, TERMS), max_size=6)


@given(st.lists(st.tuples(st.sampled_from("xyz"), TRIPLES), max_size=8))
def test_the_default_graph_is_the_merge_whatever_is_replaced(changes: list[tuple[str, set[Any]]]) -> None:
    kept, held = Store(), {}
    for name, triples in changes:
        graph = NamedNode(f"http://g/{name}")
        replace_graph(kept, graph, [Quad(s, p, o, graph) for s, p, o in triples])
        held[name] = triples
    _, merged = named_and_merged(kept)
    assert {(t.subject, t.predicate, t.object) for t in merged} == set().union(*held.values())
    assert len(merged) == len(set(merged))


def test_readers_keep_what_they_opened_while_others_keep_answers(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    before = open_store(folder)
    first = snapshot(folder)
    assert before is not None
    size = len(before)
    for n in range(2):
        assert keep_answer(folder, {**document, "id": f"{OTHER}-{n}"})
    assert len(before) == size
    assert read_answer(folder, f"{OTHER}-1") is not None
    assert snapshot(folder) != first
    assert open_store(folder) is open_store(folder)


def test_old_snapshots_are_removed_and_the_last_ones_stay(
    folder: Path, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LINGER_SECONDS", -1.0)
    names = []
    for n in range(3):
        assert keep_answer(folder, {**document, "id": f"{OTHER}-{n}"})
        published = snapshot(folder)
        assert published is not None
        names.append(published.version)
    assert sorted(path.name for path in (folder / "snapshots").iterdir()) == names[-2:]
    monkeypatch.setattr(store, "LINGER_SECONDS", 3600.0)
    monkeypatch.setattr(store, "MOST", 3)
    for n in range(3):
        assert keep_answer(folder, {**document, "id": f"{OTHER}-{n}"})
    assert len(list((folder / "snapshots").iterdir())) == 3


def test_no_two_snapshots_have_one_name_even_if_the_answers_are_removed(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    first = snapshot(folder)
    shutil.rmtree(folder)
    assert snapshot(folder) is None
    assert keep_answer(folder, document)
    second = snapshot(folder)
    assert first is not None
    assert second is not None
    assert first.version != second.version


def test_without_answers_there_is_an_empty_store_to_query(folder: Path) -> None:
    published = snapshot_or_empty(folder)
    assert published.path is None
    assert not folder.exists()


def test_answers_of_an_earlier_release_are_published_by_whoever_comes_first(folder: Path, document: Document) -> None:
    former = Store(str(folder))
    graph = NamedNode(document["id"])
    triples = [q.triple for q in parse(to_rdf(document).encode(), format=RdfFormat.N_QUADS, rename_blank_nodes=True)]
    former.extend(Quad(t.subject, t.predicate, t.object, graph) for t in triples)
    former.flush()
    del former
    assert read_answer(folder, document["id"]) == document
    assert sorted(path.name for path in folder.iterdir()) == ["current", "lock", "snapshots"]
    assert keep_answer(folder, {**document, "id": OTHER})
    assert read_answer(folder, document["id"]) == document
    opened = open_store(folder)
    assert opened is not None
    named, merged = named_and_merged(opened)
    assert set(merged) == named


def test_a_keep_waits_for_another_process_and_gives_up_in_the_end(
    folder: Path, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    with (folder / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        monkeypatch.setattr(store, "PATIENCE_SECONDS", 0.05)
        assert not keep_answer(folder, document)
        assert read_answer(folder, document["id"]) is None
        monkeypatch.setattr(store, "PATIENCE_SECONDS", 60.0)
        release = threading.Timer(0.1, lambda: fcntl.flock(lock, fcntl.LOCK_UN))
        release.start()
        assert keep_answer(folder, document)
        release.join()
    assert read_answer(folder, document["id"]) == document


def test_an_answer_that_cannot_be_written_leaves_the_others(
    folder: Path, document: Document, caplog: pytest.LogCaptureFixture
) -> None:
    assert keep_answer(folder, document)
    published = snapshot(folder)
    assert published is not None
    (folder / "current.new").mkdir()  # in the way of the link
    assert not keep_answer(folder, {**document, "id": OTHER})
    assert "could not be kept" in caplog.text
    assert snapshot(folder) == published
    (folder / "current.new").rmdir()
    assert keep_answer(folder, {**document, "id": OTHER})
    assert read_answer(folder, document["id"]) == document


KEEPER = """
import json, sys
from pathlib import Path
from service.answers import keep_answer
folder, document = Path(sys.argv[1]), json.load(sys.stdin)
first = document["id"]
for n in range(100_000):
    assert keep_answer(folder, {**document, "id": f"{first}-{n}"})
    print(n, flush=True)
"""


@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_a_kill_leaves_whole_answers(folder: Path, document: Document, pause: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    json.dump(document, process.stdin)
    process.stdin.close()
    told = [process.stdout.readline() for _ in range(3)]
    time.sleep(pause)  # somewhere in the midst of the next one
    os.kill(process.pid, signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()
    for n in range(len(told)):
        found = read_answer(folder, f"{document['id']}-{n}")
        assert found == {**document, "id": f"{document['id']}-{n}"}
    opened = open_store(folder)
    assert opened is not None
    named, merged = named_and_merged(opened)
    assert set(merged) == named
    assert keep_answer(folder, document)
    current = snapshot(folder)
    assert current is not None
    assert all(int(path.name[:6]) <= int(current.version[:6]) for path in (folder / "snapshots").iterdir())
    assert not (folder / "current.new").is_symlink()


def test_a_keep_that_was_ended_midway_is_tidied(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    published = snapshot(folder)
    assert published is not None
    assert published.path is not None
    half = folder / "snapshots" / "000002-00ff00ff"
    shutil.copytree(published.path, half)
    (half / "CURRENT").unlink()
    (folder / "current.new").symlink_to("snapshots/000002-00ff00ff")
    copy = folder / "snapshots" / "000002-0f0f0f0f.tmp"
    copy.mkdir()
    assert read_answer(folder, document["id"]) == document
    assert keep_answer(folder, {**document, "id": OTHER})
    assert not half.exists()
    assert not copy.exists()
    assert not (folder / "current.new").is_symlink()


def test_answers_that_cannot_be_read_are_told_and_not_taken_for_none(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    assert keep_answer(folder, {**document, "id": OTHER})
    published = snapshot(folder)
    assert published is not None
    assert published.path is not None
    (published.path / "CURRENT").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        read_answer(folder, document["id"])
    assert not keep_answer(folder, document)
    former = min((folder / "snapshots").iterdir())
    (folder / "current").unlink()
    (folder / "current").symlink_to(former.relative_to(folder))
    assert read_answer(folder, document["id"]) == document, "the snapshot before is still there"


def test_blank_nodes_of_two_answers_stay_apart(folder: Path, document: Document) -> None:
    assert keep_answer(folder, document)
    assert keep_answer(folder, {**document, "id": OTHER})
    opened = open_store(folder)
    assert opened is not None

    def blanks(graph: str) -> set[BlankNode]:
        quads = opened.quads_for_pattern(None, None, None, NamedNode(graph))
        return {quad.subject for quad in quads if isinstance(quad.subject, BlankNode)}

    assert not blanks(document["id"]) & blanks(OTHER)
    assert blanks(OTHER)
    assert Literal(document["title"]) in {quad.object for quad in opened}
