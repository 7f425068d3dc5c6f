"""Sources that cannot be used name themselves, and the corpus from before stays as it was."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from loaders.errors import SourceError
from mappings import MappingError
from service.embedding import HashEmbedder
from service.errors import DataError
from service.loading.build import load
from tests.conftest import BASE, SOURCES, Esperia, state_of

OCD = "ocd/esperia.nq"
REPORT = "stenographic/stenografico_leg1_0002.xml"


def load_into(data: Path, folder: Path) -> None:
    load("esperia", folder, data, base_iri=BASE, embedder=HashEmbedder())


def replace_text(name: str, old: str, new: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return spoil


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def cut(name: str, end: int) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end]) and None


def remove(*names: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        for name in names:
            for path in [folder / name] if (folder / name).is_file() else (folder / name).iterdir():
                path.unlink()

    return spoil


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><seduta>&b;</seduta>'
SPOILT = {
    "xml-cut": (cut(REPORT, 3000), "stenografico_leg1_0002.xml", True),
    "xml-tag-not-closed": (replace_text(REPORT, "</intervento>", ""), "stenografico_leg1_0002.xml", True),
    "xml-with-entities": (write(REPORT, BOMB), "stenografico_leg1_0002.xml", True),
    "xml-empty": (write(REPORT, b""), "stenografico_leg1_0002.xml", True),
    "xml-is-a-page": (write(REPORT, b"<html><body>404</body></html>"), "stenografico_leg1_0002.xml", True),
    "xml-is-a-picture": (write(REPORT, b"\x89PNG\r\n\x1a\n" + bytes(500)), "stenografico_leg1_0002.xml", True),
    "xml-is-gzip-cut": (
        lambda folder: write(REPORT, gzip.compress((folder / REPORT).read_bytes())[:900])(folder),
        "stenografico_leg1_0002.xml",
        False,
    ),
    "xml-is-gzip-spoilt": (
        write(REPORT, gzip.compress(b"x" * 9000)[:12] + bytes(40)),
        "stenografico_leg1_0002.xml",
        False,
    ),
    "xml-without-date": (replace_text(REPORT, 'mese="', 'mezzo="'), "stenografico_leg1_0002.xml", True),
    "xml-on-no-day": (replace_text(REPORT, 'giorno="', 'giorno="9'), "stenografico_leg1_0002.xml", True),
    "xml-twice": (
        lambda folder: write("stenographic/zz.xml", (folder / REPORT).read_bytes())(folder),
        "zz.xml",
        False,
    ),
    "nquads-cut": (cut(OCD, 100_001), "esperia.nq", True),
    "nquads-are-xml": (write(OCD, b"<rdf:RDF/>\n"), "esperia.nq", True),
    "nquads-are-bytes": (write(OCD, b"\xff\xfe\x00\x01" * 50), "esperia.nq", True),
    "rdf-xml-is-nquads": (
        lambda folder: (folder / OCD).rename(folder / "ocd" / "esperia.rdf") and None,
        "esperia.rdf",
        True,
    ),
    "no-rdf": (remove("ocd"), "holds no RDF files", False),
    "nothing": (remove("ocd", "stenographic"), "holds no source files", False),
    "not-a-folder": (lambda folder: (folder / "ocd").rename(folder / "other") and None, "RDF files", False),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_source_is_named_and_nothing_is_published(how: str, sources: Path, esperia: Esperia) -> None:
    spoil, named, with_line = SPOILT[how]
    spoil(sources)
    before = state_of(esperia.data)
    with pytest.raises(SourceError) as caught:
        load_into(esperia.data, sources)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value).strip()
    assert bool(caught.value.line) == with_line, str(caught.value)
    assert state_of(esperia.data) == before
    assert len(list((esperia.data / "versions").iterdir())) == 1


def test_a_folder_that_is_absent_or_empty_is_named(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(SourceError, match=str(folder)):
            load_into(tmp_path / "data", folder)
    assert not (tmp_path / "data").exists()


def test_an_institution_that_nobody_knows_is_an_error_that_lists_those_known(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match="camera, esperia"):
        load("atlantide", SOURCES, tmp_path, base_iri=BASE, embedder=HashEmbedder())


def test_a_data_directory_that_cannot_be_written_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for data in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(DataError, match="cannot be written"):
            load_into(data, SOURCES)
    assert (tmp_path / "file").read_text() == "x"
