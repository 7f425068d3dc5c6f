"""Transcripts are read in several processes as they are in one, and loaded in the order of time."""

import io
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Store, Triple

import mappings
import sparql
from loaders.errors import SourceError
from loaders.record import Names
from ontology import EMI, FOAF, RDF
from service.chamber import sittings
from service.corpus import DataDirectory
from service.graph import EmbeddedGraph
from service.loading import transcripts
from service.loading.build import load_sittings
from service.loading.documents import from_lines, of_sittings
from service.loading.progress import Clock, Silent
from service.loading.transcripts import (
    Contents,
    Transcript,
    read_all,
    register_for_rules,
    rules_about_sittings,
)
from tests.conftest import BASE, REPOSITORY, SOURCES, Esperia, wait_until

NAMES = Names(BASE, mappings.load("esperia"))
WRITTEN_BY_SEVERAL = {NamedNode(f"{EMI}underMembership")}
"""Properties that more than one rule states."""


def test_several_processes_read_the_same_in_the_same_order_and_tell_what_is_wrong(
    esperia: Esperia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = register_for_rules(esperia.corpus.graph)
    paths = sorted((SOURCES / "stenographic").glob("*.xml"))[:5]
    alone = list(read_all(paths, NAMES, register))
    monkeypatch.setattr(transcripts, "MOST_BYTES", 0)  # a new store for each
    assert list(read_all(paths, NAMES, register)) == alone
    spoilt = tmp_path / "spoilt.xml"
    spoilt.write_text("<seduta>\n<a>\n</seduta>")
    monkeypatch.setattr(transcripts, "MANY_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    several = read_all([*paths, spoilt], NAMES, register)
    assert [next(several) for _ in paths] == alone
    with pytest.raises(SourceError, match=r"spoilt\.xml, line 3"):
        next(several)


def test_two_transcripts_of_one_sitting_are_refused_by_name(tmp_path: Path) -> None:
    path = next((SOURCES / "stenographic").glob("*.xml"))
    copy = tmp_path / "copy.xml"
    copy.write_bytes(path.read_bytes())
    with pytest.raises(SourceError, match=rf"copy\.xml: is sitting \d+, which .*{path.name} is too"):
        list(read_all([path, copy], NAMES, b""))


def test_no_rule_asks_for_what_the_rules_are_not_given() -> None:
    asked = (*rules_about_sittings(), sparql.query("enrich/sittings/people"), sparql.query("index/speeches"))
    for predicate in transcripts.UNASKED:
        name = re.split("[#/]", predicate.value)[-1]
        assert not [rule for rule in asked if re.search(rf":{name}\b|{re.escape(predicate.value)}>", rule)]


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_contents_are_read_as_one_file_whatever_their_borders(at_once: int) -> None:
    stream = Contents([b"abc", b"", b"defgh", b"i"])
    read = []
    while block := stream.read(at_once):
        read.append(block)
    assert b"".join(read) == b"abcdefghi"
    assert all(len(block) <= at_once for block in read)


READERS = """
import os, sys, time
from pathlib import Path
import mappings
from loaders.record import Names
from service.loading import transcripts

if __name__ == "__main__":
    os.cpu_count, transcripts.MANY_BYTES = (lambda: 2), 0
    names = Names("urn:x:", mappings.load("esperia"))
    reading = transcripts.read_all(sorted(Path(sys.argv[1]).glob("*.xml")), names, b"")
    next(reading)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    print(children, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the children of a process are told by Linux's /proc")
def test_the_readers_of_a_load_that_was_killed_end_too(tmp_path: Path) -> None:
    script = tmp_path / "readers.py"
    script.write_text(READERS)
    command = [sys.executable, str(script), str(SOURCES / "stenographic")]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout
        readers = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
    assert len(readers) >= 2
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in readers), "the readers to end")


@pytest.mark.parametrize("rule", rules_about_sittings(), ids=lambda rule: rule.split("\n", 1)[0][2:40])
def test_a_rule_finds_in_the_whole_record_what_it_found_beside_each_transcript(rule: str, esperia: Esperia) -> None:
    graph = EmbeddedGraph.open(DataDirectory(esperia.data).published() / "graph")
    found = set(graph.construct(sparql.bind(rule, "?sitting", sittings(graph))))
    stated = {predicate for _, predicate, _ in found}
    quads = (q for predicate in stated for q in graph.store.quads_for_pattern(None, predicate, None, None))
    held = {quad.triple for quad in quads}
    assert found <= held
    if stated.isdisjoint(WRITTEN_BY_SEVERAL):
        assert found == held


def test_what_is_indexed_of_a_transcript_is_what_the_graph_holds_of_it(esperia: Esperia, tmp_path: Path) -> None:
    path = tmp_path / "documents"
    register = register_for_rules(esperia.corpus.graph)
    read = read_all(sorted((SOURCES / "stenographic").glob("*.xml")), NAMES, register)
    path.write_bytes(b"".join(transcript.documents for transcript in read))
    found, held = from_lines(path), of_sittings(esperia.corpus.graph, sittings(esperia.corpus.graph))
    assert sorted(found, key=lambda d: d.iri) == sorted(held, key=lambda d: d.iri)


def test_who_is_unregistered_has_the_name_that_was_printed_first() -> None:
    person, name = NamedNode("urn:person"), NamedNode(f"{FOAF}name")
    first, second = (Triple(person, name, Literal(text)) for text in ("Mario Bianchi", "M. Bianchi"))
    kind = Triple(person, NamedNode(f"{RDF}type"), NamedNode(f"{FOAF}Person"))
    read = [
        Transcript(Path("x"), NamedNode(f"urn:sitting:{number}"), number, date(2024, 1, number), b"", people, b"")
        for number, people in ((3, (kind, second)), (2, (kind, first)), (1, (kind,)))
    ]
    store = Store()
    load_sittings(store, read, NAMES, Clock(), Silent(), io.BytesIO())
    assert {quad.triple for quad in store} == {kind, first}


def test_sittings_are_returned_as_they_followed_one_another_whatever_their_files_are_called() -> None:
    days = {3: date(2024, 3, 1), 1: date(2024, 1, 1), 4: date(2024, 3, 1), 2: date(2024, 2, 1)}
    read = [Transcript(Path("x"), NamedNode(f"urn:sitting:{n}"), n, day, b"", (), b"") for n, day in days.items()]
    loaded, _ = load_sittings(Store(), read, NAMES, Clock(), Silent(), io.BytesIO())
    assert loaded == [NamedNode(f"urn:sitting:{number}") for number in (1, 2, 3, 4)]
