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


def test_copies_of_one_file_are_told_apart_by_their_scope(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ttl", TURTLE)
    nodes = [{quad.object for quad in rdf.read(path, scope) if quad.subject == NamedNode(f"{X}a")} for scope in "ab"]
    assert nodes[0].isdisjoint(nodes[1])


def test_blank_nodes_that_name_graphs_are_those_of_the_file(tmp_path: Path) -> None:
    first, second = rdf.read(write(tmp_path / "a.nq", f"<{X}a> <{X}knows> _:g .\n<{X}a> <{X}knows> <{X}b> _:g .\n"))
    assert first.object == second.graph_name


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.ttl", "\n<a> <b> <c> .", "a.ttl, line 2"),
        ("a.nq", "<a> <b> <c> .\n", "a.nq, line 1"),
        ("a.rdf", XML.replace(f"{X}a", "#a"), "a.rdf"),
        ("a.jsonld", f'{{"@id": "words", "{X}p": 1}}', "words"),
        ("a.jsonld", f'{{"@id": "{X}a", "{X}p": {{"@value": "1", "@type": "words"}}}}', "words"),
    ],
)
def test_relative_iris_without_a_base_are_refused(tmp_path: Path, name: str, content: str, where: str) -> None:
    with pytest.raises(SourceError, match=r"has a relative IRI.*state the base in the file") as caught:
        list(rdf.read(write(tmp_path / name, content)))
    assert where in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ttl", f"@base <{X}> . <a> <p> 1 ."),
        ("a.rdf", XML.replace(f"{X}a", "a").replace("<rdf:RDF", f'<rdf:RDF xml:base="{X}"')),
        ("a.jsonld", f'{{"@context": {{"@base": "{X}"}}, "@id": "a", "{X}p": 1}}'),
    ],
)
def test_relative_iris_are_resolved_against_the_base_in_the_file(tmp_path: Path, name: str, content: str) -> None:
    assert NamedNode(f"{X}a") in {quad.subject for quad in rdf.read(write(tmp_path / name, content))}


@pytest.mark.parametrize("context", ['"http://127.0.0.1:9/c"', '{"@import": "http://127.0.0.1:9/c"}'])
def test_a_context_elsewhere_is_not_fetched(tmp_path: Path, context: str) -> None:
    path = write(tmp_path / "a.jsonld", f'{{"@context": {context}, "@id": "{X}a"}}')
    with pytest.raises(SourceError, match=r"a\.jsonld: refers to a JSON-LD context elsewhere"):
        list(rdf.read(path))


def test_an_ontology_may_abbreviate_its_namespaces_by_entities(tmp_path: Path) -> None:
    doctype = f'<!DOCTYPE rdf:RDF [<!ENTITY x "{X}">]>'
    content = XML.replace("<rdf:RDF", f"{doctype}<rdf:RDF").replace(f'about="{X}a', 'about="&x;a')
    assert NamedNode(f"{X}a") in {quad.subject for quad in rdf.read(write(tmp_path / "a.owl", content))}


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE rdf:RDF [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE rdf:RDF [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>',
        f'<!DOCTYPE rdf:RDF [<!ENTITY e "{"a" * 100_000}">]>',
    ],
)
def test_entities_from_elsewhere_and_those_that_grow_are_refused(tmp_path: Path, doctype: str) -> None:
    content = XML.replace("<rdf:RDF", f"{doctype}<rdf:RDF").replace("perché", "&e;" * 1000)
    with pytest.raises(SourceError, match=r"a\.rdf, line \d+: is not well-formed XML"):
        list(rdf.read(write(tmp_path / "a.rdf", content)))


def test_rdf_xml_is_read_in_the_encoding_that_it_states(tmp_path: Path) -> None:
    content = XML.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert "perché" in {quad.object.value for quad in rdf.read(write(tmp_path / "a.rdf", content))}


@pytest.mark.parametrize("suffix", [".ttl", ".nq", ".nq.gz"])
def test_a_byte_order_mark_is_passed_over(tmp_path: Path, suffix: str) -> None:
    content = b"\xef\xbb\xbf" + f"<{X}a> <{X}p> <{X}b> .\n".encode()
    assert len(list(rdf.read(write(tmp_path / f"a{suffix}", content)))) == 1


HUGE = "a" * (17 * 1024**2)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.nt", f'<{X}a> <{X}p> "{HUGE}" .\n', "longer than 16 MiB"),
        ("a.ttl", f'<{X}a> <{X}p> """{HUGE}""" .\n', "longer than 16 MiB"),
        ("a.nq", f"<{X}{HUGE}> <{X}p> <{X}b> .\n", "longer than 16 MiB"),
        ("a.jsonld", f'{{"@id": "{X}a", "{X}p": "{HUGE}"}}', "longer than 16 MiB"),
        ("a.rdf", XML.replace("perché", HUGE), "not well-formed XML"),
    ],
)
def test_a_huge_literal_or_iri_is_refused(tmp_path: Path, name: str, content: str, problem: str) -> None:
    with pytest.raises(SourceError, match=f"a\\.{name[2:]}.*{problem}"):
        list(rdf.read(write(tmp_path / name, content)))


@pytest.mark.parametrize("suffix", sorted(rdf.FORMATS))
@pytest.mark.parametrize("content", [bytes(1000), b"\xff\xfe" * 500, b"\x89PNG\r\n\x1a\n", b"404 not found"])
def test_what_is_no_rdf_at_all_is_told(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = write(tmp_path / f"a{suffix}", content)
    with pytest.raises(SourceError, match=rf"a\{suffix}, line \d+: is not"):
        list(rdf.read(path))


def test_a_nul_within_a_literal_is_kept(tmp_path: Path) -> None:
    (quad,) = rdf.read(write(tmp_path / "a.nt", f'<{X}a> <{X}p> "a\\u0000b" .\n'))
    assert quad.object.value == "a\0b"


def test_the_language_of_a_file_is_read_from_its_name() -> None:
    assert rdf.format_of(Path("a.b.TTL.gz")) == RdfFormat.TURTLE
    assert rdf.format_of(Path("a")) is None
