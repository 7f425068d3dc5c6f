"""XML from outside: bounded, without entities, and with the line of what is wrong."""

import gzip
from pathlib import Path

import pytest

from loaders import xml
from loaders.errors import SourceError

BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE a [<!ENTITY e0 "ah">{BOMB}]>',
        '<!DOCTYPE a [<!ENTITY e9 "ah">]>',
        '<!DOCTYPE a [<!ENTITY e9 SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p; <!ENTITY e9 "ah">]>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY e9 "ah">]>',
        '<!DOCTYPE a PUBLIC "-//X//Y" "http://127.0.0.1:9/x.dtd" [<!ENTITY e9 "ah">]>',
    ],
)
@pytest.mark.parametrize("use", ["", "&e9;", '<b c="&e9;"/>'])
def test_entities_and_document_types_are_refused(tmp_path: Path, doctype: str, use: str) -> None:
    path = tmp_path / "bomb.xml"
    path.write_text(f"{doctype}<a>{use}</a>")
    with pytest.raises(SourceError, match=r"DOCTYPE|not well-formed"):
        xml.parse(path)


def test_a_document_type_without_entities_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "plain.xml"
    path.write_text("<!DOCTYPE a><a/>")
    with pytest.raises(SourceError, match="DOCTYPE"):
        xml.parse(path)


def test_the_line_of_the_fault_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    path.write_text("<a>\n<b>\n</a>")
    with pytest.raises(SourceError, match=r"broken\.xml, line 3: is not well-formed XML") as raised:
        xml.parse(path)
    assert (raised.value.path, raised.value.line) == (path, 3)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"   ", b"plain words", "<a>è</a>".encode("latin-1")])
def test_what_is_not_xml_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.xml"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"odd\.xml.* not well-formed XML"):
        xml.parse(path)


def test_a_gzip_bomb_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml.gz"
    path.write_bytes(gzip.compress(b"<a>" + b" " * (2 * 1024**2) + b"</a>"))
    assert path.stat().st_size < 10_000
    with pytest.raises(SourceError, match="larger than 1 MiB when unpacked"):
        xml.read_bounded(path, 1024**2)


def test_a_file_of_exactly_the_largest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "fits.xml"
    path.write_bytes(b"x" * 100)
    assert len(xml.read_bounded(path, 100)) == 100
    with pytest.raises(SourceError, match="larger"):
        xml.read_bounded(path, 99)


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-9], lambda packed: packed[:12] + b"\xff" * 20 + packed[32:]]
)
def test_a_damaged_gzip_file_is_told(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "damaged.xml.gz"
    path.write_bytes(damage(gzip.compress(b"<a>" + bytes(range(32, 127)) * 40 + b"</a>")))
    with pytest.raises(SourceError, match="cannot be read"):
        xml.read_bounded(path)


def test_a_missing_file_and_a_folder_are_told_once(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.xml", tmp_path):
        with pytest.raises(SourceError, match="cannot be read") as raised:
            xml.read_bounded(path)
        assert str(raised.value).count(str(path)) == 1
