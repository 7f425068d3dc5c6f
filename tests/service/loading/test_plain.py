"""Any RDF loads as it is, answers queries as one graph in which each triple counts once, and comes out again."""

import gzip
import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, NamedNode, Quad, RdfFormat, Store, Triple, parse

from loaders import rdf
from loaders.errors import SourceError
from service.corpus import UNNAMED, DataDirectory, Manifest, open_corpus, open_graph
from service.errors import DataError
from service.export import export_quads
from service.loading import plain
from service.loading.plain import RdfReport, load_rdf
from service.settings import Settings
from tests.conftest import BASE, Esperia, state_of

X = "http://data.example/"
SETTINGS = Settings(embedder="hash")
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
FACTS = f"""
<{X}anna> <{X}knows> _:somebody <{X}g/one> .
_:somebody <{X}name> "Lia"@it <{X}g/one> .
<{X}anna> <{X}age> "41"^^<http://www.w3.org/2001/XMLSchema#integer> <{X}g/two> .
<{X}anna> <{X}says> <<( _:somebody <{X}knows> <{X}anna> )>> _:graph .
_:graph <{X}from> "unnamed" .
<{X}marco> <{X}knows> [] .
""".replace("[]", "_:other")
SHARED = f"""
<{X}anna> <{X}knows> _:somebody <{X}g/two> .
_:graph <{X}from> "unnamed" <{X}g/one> .
"""


def write(path: Path, content: str | bytes) -> Path:
    content = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def load(source: Path, data: Path) -> RdfReport:
    return load_rdf(source, data, base_iri=BASE)


def canonical(quads: Sequence[Quad]) -> set[Quad]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return set(dataset)


def exported(data: Path) -> list[Quad]:
    output = io.BytesIO()
    export_quads(DataDirectory(data), output)
    return list(parse(output.getvalue(), format=RdfFormat.N_QUADS))


def number(data: Path, query: str = COUNT) -> int:
    (row,) = open_graph((data / "current").resolve(), SETTINGS).select(query)
    return int(row["n"].value)


@pytest.mark.parametrize(("content", "default_graph"), [(FACTS, "union"), (FACTS + SHARED, "merged")])
def test_what_is_loaded_comes_out_again(tmp_path: Path, content: str, default_graph: str) -> None:
    source = write(tmp_path / "facts.nq", content)
    report = load(source, tmp_path / "data")
    assert report.manifest.default_graph == default_graph
    quads = exported(tmp_path / "data")
    assert len(quads) == len(set(quads)) == report.manifest.counts["quads"]
    assert canonical(quads) == canonical(list(parse(content, format=RdfFormat.N_QUADS)))


@pytest.mark.parametrize("content", [FACTS, FACTS + SHARED])
def test_a_query_without_graphs_sees_every_triple_once(tmp_path: Path, content: str) -> None:
    report = load(write(tmp_path / "facts.nq", content), tmp_path / "data")
    triples = {quad.triple for quad in parse(content, format=RdfFormat.N_QUADS)}
    assert number(tmp_path / "data") == len(triples) == report.manifest.counts["triples"] == 6


@pytest.mark.parametrize("content", [FACTS, FACTS + SHARED])
def test_named_graphs_keep_their_names_and_no_other_appears(tmp_path: Path, content: str) -> None:
    load(write(tmp_path / "facts.nq", content), tmp_path / "data")
    rows = open_graph((tmp_path / "data" / "current").resolve(), SETTINGS).select(
        f"SELECT DISTINCT ?g {{ GRAPH ?g {{ ?s ?p ?o }} FILTER(STRSTARTS(STR(?g), '{X}')) }} ORDER BY ?g"
    )
    assert [row["g"].value for row in rows] == [f"{X}g/one", f"{X}g/two"]
    assert number(tmp_path / "data", "SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }") == 3


def test_triples_are_counted_by_graph_as_loaded(tmp_path: Path) -> None:
    report = load(write(tmp_path / "facts.nq", FACTS + SHARED), tmp_path / "data")
    graphs = {name: count for name, count in report.graphs.items() if not name.startswith("_:")}
    assert graphs == {"": 2, f"{X}g/one": 3, f"{X}g/two": 2}
    assert report.read == 8
    assert report.manifest.counts == {"triples": 6, "quads": 8, "graphs": 3}
    assert not report.manifest.union_default_graph


@pytest.mark.parametrize(
    ("content", "merged"),
    [
        ("<a> <b> 1 . GRAPH <g> { <a> <b> 2 }", False),
        ("<a> <b> 1 . GRAPH <g> { <a> <b> 1 }", True),
        ("<a> <b> 1 . <a> <b> 2 . <a> <b> 3 . GRAPH <g> { <a> <b> 1 }", True),
        ("<a> <b> 1 . GRAPH <g> { <a> <b> 1 . <a> <b> 3 . <a> <b> 4 }", True),
        ("GRAPH <g> { <a> <b> 1 . <a> <b> 2 } GRAPH <h> { <a> <b> 2 }", True),
        ("GRAPH <g> { <a> <b> 1 . <a> <b> 2 } GRAPH <h> { <a> <c> 2 }", False),
        ("GRAPH <g> { <a> <b> 1 . <a> <b> 2 } GRAPH <h> { <a> <b> 3 } GRAPH <i> { <a> <b> 3 }", True),
        ("GRAPH _:g { <a> <b> 1 } GRAPH _:h { <a> <b> 1 }", True),
        ("GRAPH _:g { <a> <b> 1 } GRAPH _:h { <a> <b> 2 }", False),
        ("GRAPH _:g { <a> <b> 1 . <a> <b> 2 } GRAPH <h> { <a> <b> 2 }", True),
        # Equal as values once they are stored, so the store counts them as one triple of two graphs.
        ("GRAPH <g> { <a> <b> 1 } GRAPH <h> { <a> <b> 01 }", True),
    ],
)
def test_graphs_are_merged_exactly_where_they_share_a_triple(tmp_path: Path, content: str, merged: bool) -> None:
    source = write(tmp_path / "facts.trig", f"@base <{X}> .\n{content}")
    report = load(source, tmp_path / "data")
    assert report.manifest.union_default_graph is not merged
    version = (tmp_path / "data" / "current").resolve()
    assert (version / UNNAMED).exists() is merged
    stored = {quad.triple for quad in Store.read_only(str(version / "graph"))}
    assert number(tmp_path / "data") == len(stored)


def test_every_serialisation_of_a_folder_is_loaded(tmp_path: Path) -> None:
    quads = [Quad(NamedNode(f"{X}a"), NamedNode(f"{X}p{n}"), BlankNode("n")) for n in range(len(rdf.FORMATS))]
    folder = tmp_path / "sources"
    folder.mkdir()
    for number_, (suffix, serialisation) in enumerate(sorted(rdf.FORMATS.items())):
        store = Store()
        store.add(quads[number_])
        dumped = store.dump(
            format=serialisation, from_graph=None if serialisation.supports_datasets else quads[0].graph_name
        )
        write(folder / f"data{suffix}{'.gz' if number_ % 2 else ''}", dumped or b"")
    (folder / "notes.txt").write_text("no RDF")
    report = load(folder, tmp_path / "data")
    assert report.manifest.counts == {"triples": len(quads), "quads": len(quads), "graphs": 0}
    assert len(report.manifest.sources) == len(quads)
    assert len({quad.object for quad in exported(tmp_path / "data")}) == len(quads)


def test_blank_nodes_of_copies_of_a_file_stay_apart(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    for name in ("a.nt", "b.nt", "c.nt.gz"):
        write(folder / name, f"_:n <{X}p> <{X}a> .\n")
    assert load(folder, tmp_path / "data").manifest.counts["triples"] == 3


def test_the_same_files_give_the_same_version_and_the_same_graph(tmp_path: Path) -> None:
    source = write(tmp_path / "facts.nq", FACTS)
    first, second = load(source, tmp_path / "one"), load(source, tmp_path / "two")
    assert first.manifest.version == second.manifest.version
    assert set(exported(tmp_path / "one")) == set(exported(tmp_path / "two"))
    write(source, FACTS + SHARED)
    assert load(source, tmp_path / "two").manifest.version != first.manifest.version


def test_an_empty_file_is_a_corpus_without_triples(tmp_path: Path) -> None:
    report = load(write(tmp_path / "empty.ttl", "# nothing yet\n"), tmp_path / "data")
    assert report.manifest.counts == {"triples": 0, "quads": 0, "graphs": 0}
    assert exported(tmp_path / "data") == []


def test_the_manifest_says_what_it_is_and_can_be_read_again(tmp_path: Path) -> None:
    source = write(tmp_path / "Fatti & cifre 2025.nq", FACTS)
    report = load(source, tmp_path / "data")
    manifest = DataDirectory(tmp_path / "data").manifest()
    assert manifest == report.manifest
    assert manifest
    assert (manifest.kind, manifest.dataset, manifest.title) == ("rdf", "fatti-cifre-2025", {"en": source.name})
    assert manifest.embedding_model is None
    assert set(manifest.sources) == {source.name}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("bad.nq", FACTS + "oops\n", r"bad\.nq, line \d+: is not valid"),
        ("bad.ttl.gz", f"<{X}a> <{X}b> [", r"bad\.ttl\.gz, line 1: is not valid"),
        ("deep.ttl", f"<{X}a> <{X}b> " + "(" * 1000, r"deep\.ttl, line 1: is nested"),
        ("words.txt", "words", r"words\.txt: has no suffix of an RDF serialisation"),
        ("none", None, r"none: is neither a file nor a folder"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_the_former_data_stay(
    tmp_path: Path, name: str, content: str | None, problem: str
) -> None:
    data = tmp_path / "data"
    load(write(tmp_path / "facts.nq", FACTS), data)
    before = state_of(data)
    if content is not None:
        write(tmp_path / name, content)
    with pytest.raises(SourceError, match=problem):
        load(tmp_path / name, data)
    assert state_of(data) == before
    assert len(list((data / "versions").iterdir())) == 1


def test_a_folder_without_rdf_is_told(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    write(tmp_path / "sources" / "words.txt", "words")
    with pytest.raises(SourceError, match=r"sources: holds no RDF files.*\.ttl"):
        load(tmp_path / "sources", tmp_path / "data")


def test_other_rdf_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    load(write(tmp_path / "facts.nq", FACTS), data)
    load(write(tmp_path / "others.nt", f"<{X}a> <{X}b> <{X}c> .\n"), data)
    assert [quad.triple for quad in exported(data)] == [
        Triple(NamedNode(f"{X}a"), NamedNode(f"{X}b"), NamedNode(f"{X}c"))
    ]


def test_a_parliament_is_not_replaced_by_plain_rdf_nor_the_other_way_round(
    esperia: Esperia, few_sources: Path, tmp_path: Path
) -> None:
    from service.embedding import HashEmbedder
    from service.loading.build import load as load_parliament

    source = write(tmp_path / "esperia-1.nq", FACTS)
    before = state_of(esperia.data)
    with pytest.raises(DataError, match=r"holds the dataset esperia-1; choose another --data"):
        load(source, esperia.data)
    assert state_of(esperia.data) == before
    load(source, tmp_path / "data")
    with pytest.raises(DataError, match=r"holds plain RDF \(esperia-1\); choose another --data"):
        load_parliament("esperia", few_sources, tmp_path / "data", base_iri=BASE, embedder=HashEmbedder())


def test_plain_rdf_cannot_be_opened_for_questions(tmp_path: Path) -> None:
    load(write(tmp_path / "facts.nq", FACTS), tmp_path / "data")
    with pytest.raises(DataError, match=r"holds plain RDF \(facts\), which SPARQL can query but nobody can ask"):
        open_corpus(tmp_path / "data", SETTINGS)


def test_progress_tells_how_many_quads_were_read(tmp_path: Path) -> None:
    class Told:
        def __init__(self) -> None:
            self.stages: list[str] = []
            self.done: list[int] = []

        def begin(self, stage: str, total: int | None) -> None:
            self.stages.append(stage)

        def advance(self, done: int) -> None:
            self.done.append(done)

    source = write(tmp_path / "many.nt", "".join(f'<{X}a> <{X}b> "{n}" .\n' for n in range(25_000)))
    plain.load_rdf(source, tmp_path / "data", base_iri=BASE, progress=(told := Told()))
    assert told.stages[0] == "Reading RDF"
    assert told.done == [10_000, 20_000, 25_000]


def test_a_manifest_has_the_fields_of_its_kind(esperia: Esperia, tmp_path: Path) -> None:
    parliament = esperia.report.manifest.model_dump()
    plain_rdf = load(write(tmp_path / "facts.nq", FACTS), tmp_path / "data").manifest.model_dump()
    for spoilt in (
        {**parliament, "kind": "rdf"},
        {**parliament, "embedding_model": None},
        {**plain_rdf, "kind": "parliament"},
        {**plain_rdf, "mapping": "camera"},
    ):
        with pytest.raises(ValueError, match="the fields are not those of the kind"):
            Manifest.model_validate(spoilt)


READ = """
import os, sys, pyoxigraph
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
assert not os.access(sys.argv[1], os.W_OK)
print(len(pyoxigraph.Store.read_only(sys.argv[1])))
"""


def test_a_published_store_is_read_by_those_who_may_not_write(tmp_path: Path) -> None:
    report = load(write(tmp_path / "facts.nq", FACTS + SHARED), tmp_path / "data")
    graph = tmp_path / "graph"
    (tmp_path / "data" / "current" / "graph").resolve().rename(graph)
    before = {path.name: path.stat().st_mtime_ns for path in graph.iterdir()}
    for path in graph.iterdir():
        path.chmod(0o444)
    graph.chmod(0o555)
    # Where temporary folders are private, the reader has to be let in.
    private = [path for path in graph.parents if path != path.parent and not path.stat().st_mode & 0o001]
    modes = {path: path.stat().st_mode for path in private}
    try:
        for path, mode in modes.items():
            path.chmod(mode | 0o011)
        read = subprocess.run([sys.executable, "-c", READ, str(graph)], capture_output=True, text=True, timeout=30)
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
        graph.chmod(0o755)
    assert read.returncode == 0, read.stderr
    assert int(read.stdout) == report.manifest.counts["quads"] + report.manifest.counts["triples"] - 2
    assert {path.name: path.stat().st_mtime_ns for path in graph.iterdir()} == before
