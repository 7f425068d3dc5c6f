"""RDF files of every published serialisation, gzipped or not, each with blank nodes of its own."""

import gzip
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Triple, serialize

from loaders import rdf
from loaders.errors import SourceError

X = "http://data.example/"
QUADS = [
    Quad(NamedNode(f"{X}a"), NamedNode(f"{X}knows"), BlankNode("n")),
    Quad(BlankNode("n"), NamedNode(f"{X}knows"), NamedNode(f"{X}b")),
]
TURTLE = "@prefix : <http://data.example/> .\n:a :knows [ :knows :b ] , [ :knows :c ] .\n"
XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- published -->\n'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://data.example/">\n'
    '<rdf:Description rdf:about="http://data.example/a">\n<knows><rdf:Description><knows>perché</knows></rdf:Description>'
    "</knows>\n</rdf:Description>\n</rdf:RDF>"
)


def write(path: Path, content: str | bytes) -> Path:
    content = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(content) if path.suffix.lower() == ".gz" else content)
    return path


@pytest.mark.parametrize("packed", ["", ".gz", ".GZ"])
@pytest.mark.parametrize("suffix", sorted(rdf.FORMATS))
def test_every_serialisation_is_read_gzipped_or_not(tmp_path: Path, suffix: str, packed: str) -> None:
    content = serialize(QUADS, format=rdf.FORMATS[suffix])
    assert content is not None
    first, second = rdf.read(write(tmp_path / f"data{suffix}{packed}", content))
    assert (first.subject, second.object) == (NamedNode(f"{X}a"), NamedNode(f"{X}b"))
    assert first.object == second.subject


def test_rdf_files_of_a_folder_are_found_by_name(tmp_path: Path) -> None:
    for name in ("b.nq", "a.ttl.gz", "notes.md", "a.csv", "old.nq.bak", "x.gz"):
        (tmp_path / name).touch()
    (tmp_path / "folder.ttl").mkdir()
    assert [path.name for path in rdf.files(tmp_path)] == ["a.ttl.gz", "b.nq"]


def test_an_unknown_suffix_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"data\.csv.*\.nq.*\.ttl"):
        list(rdf.read(write(tmp_path / "data.csv", "a,b")))


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("bad.nq", f'<{X}a> <{X}b> "1" .\n<{X}a> <{X}b c> "1" .\n', r"bad\.nq, line 2: is not valid"),
        ("bad.ttl", "@prefix : <http://data.example/> .\n\n:a :b :c :d .", r"bad\.ttl, line 3: is not valid Turtle"),
        ("bad.nt.gz", f"<{X}a> <{X}b> <{X}c>\n", r"bad\.nt\.gz, line \d: is not valid"),
        ("utf.nq", f'<{X}a> <{X}b> "'.encode() + b'\xff" .\n', r"utf\.nq, line 1: is not valid"),
        ("bad.rdf", XML.replace("</rdf:RDF>", ""), r"bad\.rdf, line 7: is not well-formed XML"),
        ("bad.xml", XML.replace(f"{X}a", "a b"), r"bad\.xml.*: is not valid"),
    ],
)
def test_bad_syntax_names_the_file_and_the_line(tmp_path: Path, name: str, content: str | bytes, where: str) -> None:
    with pytest.raises(SourceError, match=where):
        list(rdf.read(write(tmp_path / name, content)))


def test_rdf_xml_with_entities_is_refused(tmp_path: Path) -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    doctype = f'<!DOCTYPE rdf:RDF [<!ENTITY e0 "ah">{bomb}]>'
    spoiled = XML.replace("<rdf:RDF", f"{doctype}<rdf:RDF").replace("perché", "&e8;")
    with pytest.raises(SourceError, match=r"DOCTYPE|not well-formed"):
        list(rdf.read(write(tmp_path / "bomb.rdf", spoiled)))


@pytest.mark.parametrize(("name", "content"), [("data.ttl", TURTLE), ("data.rdf", XML)])
def test_blank_nodes_have_the_same_labels_at_every_reading(tmp_path: Path, name: str, content: str) -> None:
    path = write(tmp_path / name, content)
    assert list(rdf.read(path)) == list(rdf.read(path))


def test_blank_nodes_of_two_files_stay_apart(tmp_path: Path) -> None:
    labelled = f"_:n <{X}knows> <{X}{{}}> .\n"
    one = write(tmp_path / "one.nt", labelled.format("b"))
    two = write(tmp_path / "two.nt", labelled.format("c"))
    (first,), (second,) = rdf.read(one), rdf.read(two)
    assert first.subject != second.subject


def test_distinct_blank_nodes_of_one_file_stay_distinct(tmp_path: Path) -> None:
    nodes = {
        quad.object for quad in rdf.read(write(tmp_path / "data.ttl", TURTLE)) if quad.subject == NamedNode(f"{X}a")
    }
    assert len(nodes) == 2


def test_the_same_bytes_packed_or_not_are_the_same_nodes(tmp_path: Path) -> None:
    plain, packed = write(tmp_path / "a.ttl", TURTLE), write(tmp_path / "b.ttl.gz", TURTLE)
    assert list(rdf.read(plain)) == list(rdf.read(packed))


def test_a_blank_node_within_a_triple_term_is_that_of_the_file(tmp_path: Path) -> None:
    content = f"_:n <{X}knows> <{X}b> .\n<{X}a> <{X}says> <<( _:n <{X}knows> <{X}b> )>> .\n"
    known, said = rdf.read(write(tmp_path / "a.nt", content))
    assert isinstance(said.object, Triple)
    assert said.object.subject == known.subject


def test_the_language_of_a_file_is_read_from_its_name() -> None:
    assert rdf.format_of(Path("a.b.TTL.gz")) == RdfFormat.TURTLE
    assert rdf.format_of(Path("a")) is None
