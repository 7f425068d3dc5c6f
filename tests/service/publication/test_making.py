"""What is published of a version: made once, whole or not at all."""

import gzip
import hashlib
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from service.errors import DataError
from service.publication import making, statistics
from service.publication.dumps import Content, stream
from service.publication.keeper import Keeper
from service.publication.making import make, read
from service.publication.statistics import count
from tests.service.publication.parts import quads_of, unwritable, version_of
from tests.service.publication.test_dumps import EX, node


def small(folder: Path, graphs: int = 2) -> Path:
    return version_of(folder, [Quad(node("a"), node("p"), Literal(n), node(f"g{n}")) for n in range(graphs)])


def times(version: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (version / "publication").iterdir()}


def test_checksums_and_sizes_are_those_of_the_files(esperia_version: Path) -> None:
    publication = make(esperia_version)
    assert [dump.name for dump in publication.dumps] == ["all", "dati.esperia.example-ocd", "esperia-1", "ontology"]
    for dump in publication.dumps:
        content = publication.path(dump).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (dump.size, dump.sha256)
        assert gzip.decompress(content).count(b"\n") == dump.quads


def test_the_files_hold_what_is_streamed_where_no_file_can_be_kept(published_version: Path) -> None:
    content = Content.open(published_version)
    publication = make(published_version)
    assert publication.path(publication.dumps[0]).read_bytes() == b"".join(stream(content, content.graphs()))
    assert publication.statistics == count(content)


def test_what_is_made_is_not_made_again(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    first = make(version)
    before = times(version)
    assert make(version) == first == read(version)
    assert times(version) == before


def test_many_that_want_it_at_once_get_the_same(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(make, [version] * 4)
    assert all(publication == found[0] for publication in found)
    assert not list(version.glob(".publication-*"))


def test_files_that_were_cut_short_are_made_anew(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    whole = make(version)
    path = whole.path(whole.dumps[0])
    path.write_bytes(path.read_bytes()[:-1])
    assert read(version) is None
    assert make(version) == whole
    assert hashlib.sha256(path.read_bytes()).hexdigest() == whole.dumps[0].sha256


def test_a_making_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = small(tmp_path / "v")

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(making, "_write", full)
    with pytest.raises(OSError, match="No space"):
        make(version)
    assert {path.name for path in version.iterdir()} == {"graph", "manifest.json"}


def test_what_a_killed_making_left_is_removed(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    (version / ".publication-killed").mkdir()
    make(version)
    assert not list(version.glob(".publication-*"))


def test_a_version_without_a_graph_is_told(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    (version / "graph").rename(tmp_path / "gone")
    with pytest.raises(DataError, match="cannot be opened"):
        make(version)


def test_very_many_graphs_are_dumped_as_a_whole_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "MOST_GRAPHS", 3)
    monkeypatch.setattr(statistics, "MOST_GRAPHS", 3)
    publication = make(small(tmp_path / "v", graphs=4))
    assert [dump.name for dump in publication.dumps] == ["all"]
    assert [path.name for path in publication.folder.glob("*.gz")] == ["all.nq.gz"]
    assert len(quads_of(gzip.decompress(publication.path(publication.dumps[0]).read_bytes()))) == 4
    assert [counts.triples for counts in publication.statistics.graphs.values()] == [1] * 4
    assert [counts.property_usage for counts in publication.statistics.graphs.values()] == [()] * 4
    assert publication.statistics.everything.property_usage


# The keeper of a running service


def test_a_keeper_makes_it_in_the_background_and_hands_it_out(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    keeper = Keeper()
    assert keeper.get(version).publication is None
    ready = keeper.get(version, wait=30)
    assert ready.publication == read(version)
    assert ready.publication
    assert ready.statistics == ready.publication.statistics
    before = times(version)
    assert keeper.get(version) == ready
    assert times(version) == before


def test_a_keeper_has_statistics_where_nothing_can_be_written(tmp_path: Path) -> None:
    version = small(tmp_path / "v")
    unwritable(version)
    ready = Keeper().get(version, wait=30)
    assert ready.publication is None
    assert ready.statistics == count(Content.open(version))


def test_a_keeper_turns_to_a_new_version(tmp_path: Path) -> None:
    keeper = Keeper()
    first, second = small(tmp_path / "1"), small(tmp_path / "2", graphs=3)
    for version, graphs in ((first, 2), (second, 3)):
        found = keeper.get(version, wait=30).statistics
        assert found
        assert set(found.graphs) == {f"{EX}g{n}" for n in range(graphs)}


def test_a_keeper_outlives_a_version_that_cannot_be_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, eventually: Callable[..., None]
) -> None:
    version = small(tmp_path / "v")
    (version / "graph").rename(tmp_path / "gone")
    ready = Keeper().get(version, wait=30)
    assert (ready.publication, ready.statistics) == (None, None)
    assert "no dumps and statistics could be made" in caplog.text


def test_nothing_of_the_graph_is_lost_for_a_name_of_a_graph_that_looks_like_a_path(tmp_path: Path) -> None:
    quad = Quad(node("a"), node("p"), node("b"), NamedNode("http://example.org/graph/../../etc/passwd"))
    publication = make(version_of(tmp_path / "v", [quad]))
    assert {path.parent for path in map(publication.path, publication.dumps)} == {publication.folder}
    assert quads_of(gzip.decompress(publication.path(publication.dumps[1]).read_bytes())) == {quad}
