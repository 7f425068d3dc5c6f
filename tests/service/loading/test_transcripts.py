"""Transcripts are read in several processes as they are in one."""

from pathlib import Path

import pytest

import mappings
from loaders.errors import SourceError
from loaders.record import Names
from service.loading import transcripts
from service.loading.transcripts import Contents, read_all
from tests.conftest import BASE, SOURCES

NAMES = Names(BASE, mappings.load("esperia"))


def test_several_processes_read_the_same_in_the_same_order_and_tell_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted((SOURCES / "stenographic").glob("*.xml"))[:5]
    alone = list(read_all(paths, NAMES))
    spoilt = tmp_path / "spoilt.xml"
    spoilt.write_text("<seduta>\n<a>\n</seduta>")
    monkeypatch.setattr(transcripts, "MANY_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    several = read_all([*paths, spoilt], NAMES)
    assert [next(several) for _ in paths] == alone
    with pytest.raises(SourceError, match=r"spoilt\.xml, line 3"):
        next(several)


def test_two_transcripts_of_one_sitting_are_refused_by_name(tmp_path: Path) -> None:
    path = next((SOURCES / "stenographic").glob("*.xml"))
    copy = tmp_path / "copy.xml"
    copy.write_bytes(path.read_bytes())
    with pytest.raises(SourceError, match=rf"copy\.xml: is sitting \d+, which .*{path.name} is too"):
        list(read_all([path, copy], NAMES))


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_contents_are_read_as_one_file_whatever_their_borders(at_once: int) -> None:
    stream = Contents([b"abc", b"", b"defgh", b"i"])
    read = []
    while block := stream.read(at_once):
        read.append(block)
    assert b"".join(read) == b"abcdefghi"
    assert all(len(block) <= at_once for block in read)
