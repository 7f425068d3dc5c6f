"""One load, from a folder of source files to a published corpus."""

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import numpy as np
from pyoxigraph import NamedNode, Quad, RdfFormat, Store, parse

import mappings
import ontology
import sparql
from loaders import institution, ocd, rdf, record, stenographic
from loaders.errors import SourceError
from mappings import Mapping
from service.cache import VectorCache
from service.chamber import committees
from service.corpus import DataDirectory, Manifest
from service.embedding import Embedder
from service.errors import DataError
from service.graph import EmbeddedGraph, text_of
from service.loading import staging
from service.loading.checks import CheckResult, PrintedGroups, printed_groups, run_checks
from service.loading.identity import digest_of, version_of
from service.loading.indexing import documents, fill_index
from service.loading.progress import Clock, Progress, Silent
from service.loading.shapes import validate
from service.thesaurus import Thesaurus
from service.vectors import VectorWriter
from service.vectors.embedded import EmbeddedIndex

MANY: Final = 50_000
"""Quads from which a bulk load is worth its files."""
_A = NamedNode(f"{ontology.RDF}type")


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did and what the checks found."""

    manifest: Manifest
    quads: int
    repeated: int
    embedded: int
    printed_groups: PrintedGroups
    checks: tuple[CheckResult, ...]

    @property
    def failed(self) -> bool:
        """Whether an error-level check has a finding."""
        return any(check.level == "error" and check.findings for check in self.checks)


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of one load, by format."""

    ocd: tuple[Path, ...]
    stenographic: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return self.ocd + self.stenographic


def find_sources(folder: Path, mapping: Mapping) -> Sources:
    """Find the files that a mapping expects below a folder. Raises `SourceError`."""
    if not folder.is_dir():
        raise SourceError(folder, "is not a folder; give the folder that holds the sources")
    ocd_files = [path for name in mapping.source.ocd if (folder / name).is_dir() for path in rdf.files(folder / name)]
    reports = [
        path
        for name in mapping.source.stenographic
        if (folder / name).is_dir()
        for path in sorted([*(folder / name).glob("*.xml"), *(folder / name).glob("*.xml.gz")])
    ]
    if not ocd_files and not reports:
        wanted = ", ".join(f"{name}/" for name in (*mapping.source.ocd, *mapping.source.stenographic))
        raise SourceError(folder, f"holds no source files; expected RDF or XML files in {wanted}")
    if not ocd_files:
        raise SourceError(folder, f"holds no RDF files in {', '.join(mapping.source.ocd)}/")
    return Sources(tuple(ocd_files), tuple(reports))


def load(
    institution_name: str,
    folder: Path,
    data: Path,
    *,
    base_iri: str,
    embedder: Embedder,
    shipped_vectors: Traversable | None = None,
    open_writer: Callable[[str], VectorWriter] | None = None,
    progress: Progress | None = None,
) -> LoadReport:
    """Load the sources of an institution into a data directory and publish the result.

    `open_writer` makes the vector writer of a prefix on a Qdrant server; by default the index
    is embedded. Raises `SourceError`, `DataError` or `mappings.MappingError`; the former
    corpus then stays as it was.
    """
    progress = progress or Silent()
    mapping = mappings.load(institution_name)
    sources = find_sources(folder, mapping)
    directory = DataDirectory(data)
    former = directory.replaceable()
    if former is not None and (former.kind, former.dataset) != ("parliament", mapping.dataset.id):
        raise DataError(f"{data} holds {former.holding}; choose another --data for {mapping.dataset.id}")
    digests = {str(path.relative_to(folder)): digest_of(path) for path in sources.all}
    version = _version(digests, mapping, base_iri, embedder)
    index = f"emiciclo-{mapping.dataset.id}-{uuid.uuid4().hex[:12]}"
    clock = Clock()
    with staging.staged(directory, version) as stage:
        with staging.working_store(stage, clock) as store:
            names = record.Names(base_iri, mapping)
            counts = _read_sources(store, sources, names, clock, progress)
            with clock.time("enrich"):
                progress.begin("Enriching", None)
                _enrich(store, names)
            with clock.time("check"):
                progress.begin("Checking", None)
                results = (_shapes(store, names), *run_checks(EmbeddedGraph(store)))
        graph = EmbeddedGraph.open(stage / staging.GRAPH)
        with VectorCache(directory.cache) as cache:
            if shipped_vectors is not None:
                import_vectors(shipped_vectors, embedder.model, cache)
            found = list(documents(graph, mapping.dataset.id))
            with clock.time("embed and index"):
                progress.begin("Embedding", len(found))
                if open_writer is None:
                    staging.require_space(stage, len(found), embedder.dimensions)
                writer = open_writer(index) if open_writer else EmbeddedIndex(stage / "vectors")
                embedded = fill_index(found, writer, embedder, cache, progress.advance)
        days = graph.select(sparql.query("index/days"))[0]
        manifest = Manifest(
            version=version,
            index=index,
            dataset=mapping.dataset.id,
            title=mapping.dataset.title,
            invented=mapping.dataset.invented,
            base_iri=base_iri,
            source_graph=mapping.dataset.source_graph,
            mapping=institution_name,
            embedding_model=embedder.model,
            embedding_dimensions=embedder.dimensions,
            first_day=_day(text_of(days, "first")),
            last_day=_day(text_of(days, "last")),
            loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            sources=digests,
            counts=count_kinds(graph),
            seconds=clock.seconds,
        )
        report = LoadReport(
            manifest=manifest,
            quads=counts.quads,
            repeated=counts.repeated,
            embedded=embedded,
            printed_groups=printed_groups(graph, results[1:]),
            checks=results,
        )
        del graph
        (stage / "manifest.json").write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
        (stage / "report.json").write_text(
            json.dumps([check.model_dump() for check in report.checks], ensure_ascii=False, indent=1),
            encoding="utf-8",
        )
    return report


def _read_sources(store: Store, sources: Sources, names: record.Names, clock: Clock, progress: Progress) -> ocd.Counts:
    mapping = names.mapping
    with clock.time("read RDF"):
        progress.begin("Reading RDF", None)
        counts = ocd.load(
            sources.ocd,
            store,
            graph=NamedNode(mapping.dataset.source_graph),
            base=names.base,
            progress=progress.advance,
        )
        ontology_graph = NamedNode(f"{names.base}graph/ontology")
        for name in ontology.FILES:
            quads = parse(ontology.read(name).encode(), format=RdfFormat.TURTLE)
            _add(store, [Quad(q.subject, q.predicate, q.object, ontology_graph) for q in quads])
    with clock.time("read transcripts"):
        progress.begin("Reading transcripts", len(sources.stenographic))
        # In one piece: every bulk load writes files of its own and waits for the disk.
        store.bulk_extend(_transcripts(sources.stenographic, names, progress))
    return counts


def _transcripts(paths: tuple[Path, ...], names: record.Names, progress: Progress) -> Iterator[Quad]:
    seen: dict[int, Path] = {}
    for number, path in enumerate(paths, start=1):
        sitting = stenographic.read(path)
        if sitting.number in seen:
            raise SourceError(path, f"is sitting {sitting.number}, which {seen[sitting.number]} is too")
        seen[sitting.number] = path
        yield from record.quads(sitting, names)
        progress.advance(number)


def _enrich(store: Store, names: record.Names) -> None:
    """Run the mapping's rules, then the common ones, each over what is there so far."""
    source = NamedNode(names.mapping.dataset.source_graph)
    base = NamedNode(names.base)
    values = {"?base": [base], "?chamber": [names.chamber]}
    for _, rule in mappings.rules(names.mapping):
        _apply(store, rule, names.graph, values)
    _add(store, list(ocd.readable_literals(store, source=source, graph=names.graph)))
    graph = EmbeddedGraph(store)
    labels = {committee.label: NamedNode(committee.iri) for committee in committees(graph)}
    _add(store, list(institution.quads(names, labels)))
    for name in sparql.names("enrich"):
        _apply(store, sparql.query(name), names.graph, values)
    thesaurus = Thesaurus.read(graph)
    concerns = NamedNode(f"{ontology.EMI}concept")
    subjects = {
        Quad(NamedNode(row["act"].value), concerns, NamedNode(concept.iri), names.graph)
        for row in graph.select(sparql.query("index/acts"))
        for concept in thesaurus.match(row["title"].value)
    }
    _add(store, list(subjects))


def _apply(store: Store, rule: str, graph: NamedNode, values: dict[str, list[NamedNode]]) -> None:
    for variable, rows in values.items():
        if f"VALUES {variable} " in rule:
            rule = sparql.bind(rule, variable, rows)
    triples = list(EmbeddedGraph(store).construct(rule))
    # What the source already states is not stated again: every triple stands in one graph.
    _add(
        store,
        [
            Quad(t.subject, t.predicate, t.object, graph)
            for t in triples
            if not any(store.quads_for_pattern(t.subject, t.predicate, t.object, None))
        ],
    )


def _add(store: Store, quads: list[Quad]) -> None:
    """Add quads, in bulk only where they are many: every bulk load waits for the disk."""
    if len(quads) > MANY:
        store.bulk_extend(quads)
    else:
        store.extend(quads)


def _shapes(store: Store, names: record.Names) -> CheckResult:
    """Validate the extension before it is published; chunks, by far the most, have checks in SPARQL."""
    chunk = NamedNode(f"{ontology.EMI}Chunk")
    chunks = {quad.subject for quad in store.quads_for_pattern(None, _A, chunk, names.graph)}
    quads = store.quads_for_pattern(None, None, None, names.graph)
    return validate([quad for quad in quads if quad.subject not in chunks])


def count_kinds(graph: EmbeddedGraph) -> dict[str, int]:
    """How much of each kind a corpus holds."""
    counts = {row["kind"].value: int(row["number"].value) for row in graph.select(sparql.query("index/counts"))}
    for kind in ("signatures", "triples", "unresolved"):
        counts[kind] = int(graph.select(sparql.query(f"index/{kind}"))[0]["number"].value)
    return counts


def import_vectors(shipped: Traversable, model: str, cache: VectorCache) -> None:
    """Put a shipped file of vectors (`keys`, `vectors`, `model`) into the cache, if of this model."""
    with shipped.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        if str(archive["model"]) == model:
            cache.put_raw(
                (str(key), vector.astype(np.float16).tobytes())
                for key, vector in zip(archive["keys"], archive["vectors"], strict=True)
            )


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


def _version(digests: dict[str, str], mapping: Mapping, base_iri: str, embedder: Embedder) -> str:
    return version_of(digests, mapping.model_dump(mode="json"), base_iri, embedder.model)
