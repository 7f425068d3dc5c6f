"""A load of any RDF as it is: graph names kept, no mapping, no vectors."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, QuerySolutions, RdfFormat, Store, serialize

import sparql
from loaders import rdf
from loaders.errors import SourceError
from service.corpus import UNNAMED, DataDirectory, Manifest
from service.errors import DataError
from service.loading import staging
from service.loading.identity import digest_of, version_of
from service.loading.progress import Clock, Progress, Silent

_DEFAULT: Final = DefaultGraph()
Graph = NamedNode | BlankNode | DefaultGraph


@dataclass(frozen=True, slots=True)
class RdfReport:
    """What a load of plain RDF did."""

    manifest: Manifest
    read: int
    """Quads that the files hold, repetitions included."""
    graphs: dict[str, int]
    """Triples by graph as published, largest first; `""` is the unnamed graph."""


def find_files(source: Path) -> dict[str, Path]:
    """The RDF files that a load is given, by name: one file, or those directly in a folder. Raises `SourceError`."""
    if source.is_file():
        return {source.name: source}
    if not source.is_dir():
        raise SourceError(source, "is neither a file nor a folder")
    found = {path.name: path for path in rdf.files(source)}
    if not found:
        raise SourceError(source, f"holds no RDF files ({', '.join(sorted(rdf.FORMATS))}, each also .gz)")
    return found


def load_rdf(source: Path, data: Path, *, base_iri: str, progress: Progress | None = None) -> RdfReport:
    """Load RDF into a data directory as it is and publish it.

    `base_iri` is where the IRIs begin that the service itself mints about the data. A directory
    that holds a parliament is left alone. Raises `SourceError` or `DataError`; what was published
    before then stays as it was.
    """
    progress = progress or Silent()
    found = find_files(source)
    directory = DataDirectory(data)
    former = directory.replaceable()
    if former is not None and former.kind != "rdf":
        raise DataError(f"{data} holds {former.holding}; choose another --data for plain RDF")
    digests = {name: digest_of(path) for name, path in found.items()}
    version = version_of(digests, base_iri)
    clock = Clock()
    with staging.staged(directory, version) as stage:
        with staging.working_store(stage, clock) as store:
            with clock.time("read RDF"):
                read = _read(store, found, progress)
            with clock.time("compare graphs"):
                progress.begin("Comparing graphs", None)
                graphs = _count(store)
                merged = _repeats(store, graphs)
                quads = len(store)
            if merged:
                with clock.time("merge graphs"):
                    progress.begin("Merging graphs", None)
                    _merge(store, stage)
            triples = _triples_in(store, _DEFAULT) if merged else quads
        manifest = Manifest(
            kind="rdf",
            version=version,
            dataset=_slug(source),
            title={"en": source.resolve().name},
            base_iri=base_iri,
            default_graph="merged" if merged else "union",
            loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            sources=digests,
            counts={"triples": triples, "quads": quads, "graphs": len([g for g in graphs if g != _DEFAULT])},
            seconds=clock.seconds,
        )
        (stage / "manifest.json").write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
    return RdfReport(manifest, read, {_name(graph): number for graph, number in graphs.most_common()})


def _read(store: Store, found: dict[str, Path], progress: Progress) -> int:
    read = 0

    def quads() -> Iterator[Quad]:
        nonlocal read
        for name, path in found.items():
            # Two copies of one file are two files: their blank nodes are told apart by name.
            for quad in rdf.read(path, scope=name):
                read += 1
                if read % 10_000 == 0:
                    progress.advance(read)
                yield quad

    progress.begin("Reading RDF", None)
    store.bulk_extend(quads())
    progress.advance(read)
    return read


def _count(store: Store) -> Counter[Graph]:
    """Triples by graph; graphs without any are left out."""
    return +Counter({graph: _triples_in(store, graph) for graph in (_DEFAULT, *store.named_graphs())})


def _triples_in(store: Store, graph: Graph) -> int:
    solutions = store.query(sparql.query("index/triples"), default_graph=graph, named_graphs=[])
    assert isinstance(solutions, QuerySolutions)
    return int(next(iter(solutions))[0].value)


def _repeats(store: Store, graphs: Counter[Graph]) -> bool:
    """Whether a triple stands in more than one graph, the unnamed one included; the store looks each up."""
    if len(graphs) < 2:
        return False
    between = sparql.query("index/repeated")
    largest = next((graph for graph, _ in graphs.most_common() if isinstance(graph, NamedNode)), None)
    if largest:
        between = sparql.bind(between, "?largest", [largest])
    unnamed = sparql.query("index/repeated-unnamed")
    return bool(store.query(between)) or (_DEFAULT in graphs and bool(store.query(unnamed)))


def _merge(store: Store, stage: Path) -> None:
    """Put the merge of all graphs into the default graph, and what was there by itself into a file."""
    unnamed = store.quads_for_pattern(None, None, None, _DEFAULT)
    serialize((quad.triple for quad in unnamed), str(stage / UNNAMED), format=RdfFormat.N_TRIPLES)
    store.bulk_extend(Quad(q.subject, q.predicate, q.object) for q in store.quads_for_pattern(None, None, None, None))


def _name(graph: Graph) -> str:
    return "" if isinstance(graph, DefaultGraph) else graph.value if isinstance(graph, NamedNode) else str(graph)


def _slug(source: Path) -> str:
    """A name of lower-case letters, digits and hyphens, from that of the file or folder."""
    name = source.resolve().name
    stem = name if source.is_dir() else name.split(".", 1)[0]
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "rdf"
