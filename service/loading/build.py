"""One load, from a folder of source files to a published corpus."""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.resources.abc import Traversable
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from pyoxigraph import NamedNode, Quad, RdfFormat, Store, Triple, parse

import mappings
import ontology
import sparql
from loaders import ocd
from loaders.record import Names
from mappings import Mapping
from service.cache import VectorCache
from service.chamber import sittings as all_sittings
from service.corpus import DataDirectory, Manifest
from service.embedding import Embedder
from service.errors import DataError
from service.graph import EmbeddedGraph, text_of
from service.loading import staging
from service.loading.apart import IndexApart, worthwhile
from service.loading.basis import Basis, find_basis
from service.loading.checks import CheckResult, PrintedGroups, merged, printed_groups, run_checks
from service.loading.documents import from_lines, of_register, of_sittings
from service.loading.enrichment import add_people, enrich_register
from service.loading.holes import copy_tree
from service.loading.identity import digest_of, version_of
from service.loading.indexing import create_collections, fill_index
from service.loading.progress import Clock, Progress, Silent
from service.loading.shapes import validate
from service.loading.sources import find_sources
from service.loading.transcripts import Contents, Transcript, read_all, register_for_rules
from service.vectors import VectorWriter
from service.vectors.embedded import EmbeddedIndex


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did and what the checks found."""

    manifest: Manifest
    quads: int
    repeated: int
    embedded: int
    added: int | None
    """Sittings that were added to the version before, which was kept; None where everything was loaded."""
    printed_groups: PrintedGroups
    checks: tuple[CheckResult, ...]

    @property
    def failed(self) -> bool:
        """Whether an error-level check has a finding."""
        return any(check.level == "error" and check.findings for check in self.checks)


def load(
    institution_name: str,
    folder: Path,
    data: Path,
    *,
    base_iri: str,
    embedder: Embedder,
    shipped_vectors: Traversable | None = None,
    open_writer: Callable[[str], VectorWriter] | None = None,
    anew: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load the sources of an institution into a data directory and publish the result.

    Where the published corpus lacks only some later sittings, they are added to it, unless it is to be made `anew`.
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
    files = {str(path.relative_to(folder)): path for path in sources.all}
    reports = {name: path for name, path in files.items() if path in set(sources.stenographic)}
    digests = {name: digest_of(path) for name, path in files.items()}
    rest = {name: digest for name, digest in digests.items() if name not in reports}
    recipe = _version(rest, mapping, base_iri, embedder)
    names = Names(base_iri, mapping)
    clock = Clock()
    version = _version(digests, mapping, base_iri, embedder)
    with staging.staged(directory, version) as stage:
        with clock.time("read transcripts"):
            basis = None if anew else find_basis(directory, recipe, digests, reports, names)
        with staging.working_store(stage, clock, basis.folder if basis else None) as store:
            counts = ocd.Counts(0, 0, 0) if basis else _load_register(store, sources.ocd, names, clock, progress)
            progress.begin("Reading transcripts", len(basis.lacking if basis else sources.stenographic))
            lacking = basis.lacking if basis else read_transcripts(store, sources.stenographic, names)
            with (stage / staging.DOCUMENTS).open("wb") as file:
                sittings, read = load_sittings(store, lacking, names, clock, progress, file)
        graph = EmbeddedGraph.open(stage / staging.GRAPH)
        index = f"emiciclo-{mapping.dataset.id}-{uuid.uuid4().hex[:12]}"
        with VectorCache(directory.cache) as cache, ThreadPoolExecutor(1) as beside:
            # The graph is published to nobody yet, and is looked at while its texts are embedded.
            checking = beside.submit(_check, graph, names, basis, sittings, clock)
            if shipped_vectors is not None:
                import_vectors(shipped_vectors, embedder.model, cache)
            kept = basis.folder / "vectors" if basis and open_writer is None else None
            if kept and not kept.is_dir():  # the version before has its vectors on a server
                kept = None
            with clock.time("read texts"):
                register = [] if kept else list(of_register(graph))
                if basis and not kept:
                    chunks = of_sittings(graph, everything := all_sittings(graph))
                    number = len(register) + _number(graph, "cited-chunks", everything)
                else:
                    chunks, number = from_lines(stage / staging.DOCUMENTS), len(register) + read
            progress.begin("Embedding", number)
            with ExitStack() as ending:
                with clock.time("index"):
                    if open_writer is None:
                        staging.require_space(stage, number, embedder.dimensions, kept)
                        writer = ending.enter_context(_embedded_index(stage / "vectors", kept, number))
                    else:
                        writer = open_writer(index)
                    if not kept:
                        create_collections(writer, embedder.dimensions)
                embedded = fill_index(chain(chunks, register), writer, embedder, cache, clock, progress.advance)
            (stage / staging.DOCUMENTS).unlink()
            progress.begin("Checking", None)
            results = checking.result()
        with clock.time("check"):
            days = graph.select(sparql.query("index/days"))[0]
            counts_by_kind = count_kinds(graph)
            printed = printed_groups(graph, results[1:])
        manifest = Manifest(
            version=version,
            recipe=recipe,
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
            counts=counts_by_kind,
            seconds=clock.seconds,
        )
        report = LoadReport(
            manifest=manifest,
            quads=counts.quads,
            repeated=counts.repeated,
            embedded=embedded,
            added=len(sittings) if basis else None,
            printed_groups=printed,
            checks=results,
        )
        del graph
        (stage / "manifest.json").write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
        (stage / "report.json").write_text(
            json.dumps([check.model_dump() for check in report.checks], ensure_ascii=False, indent=1),
            encoding="utf-8",
        )
    return report


def _load_register(store: Store, paths: tuple[Path, ...], names: Names, clock: Clock, progress: Progress) -> ocd.Counts:
    with clock.time("read RDF"):
        progress.begin("Reading RDF", None)
        source = NamedNode(names.mapping.dataset.source_graph)
        counts = ocd.load(paths, store, graph=source, base=names.base, progress=progress.advance)
        graph = NamedNode(f"{names.base}graph/ontology")
        for name in ontology.FILES:
            quads = parse(ontology.read(name).encode(), format=RdfFormat.TURTLE)
            store.extend(Quad(q.subject, q.predicate, q.object, graph) for q in quads)
    with clock.time("enrich"):
        progress.begin("Enriching", None)
        enrich_register(store, names)
    return counts


def read_transcripts(store: Store, paths: tuple[Path, ...], names: Names) -> Iterable[Transcript]:
    """Read transcripts beside the register of a store (see `transcripts.read_all`)."""
    return read_all(paths, names, register_for_rules(EmbeddedGraph(store)))


def load_sittings(
    store: Store, transcripts: Iterable[Transcript], names: Names, clock: Clock, progress: Progress, documents: BinaryIO
) -> tuple[list[NamedNode], int]:
    """Load transcripts with what the rules say of them, and write `documents`: what is indexed of them.

    Returns the sittings, as they followed one another, and how many documents were written.
    """
    written = 0
    read: list[tuple[date, int, NamedNode, tuple[Triple, ...]]] = []

    def contents() -> Iterable[bytes]:
        nonlocal written
        for transcript in transcripts:
            read.append((transcript.day, transcript.number, transcript.sitting, transcript.people))
            documents.write(transcript.documents)
            written += transcript.documents.count(b"\n")
            progress.advance(len(read))
            yield transcript.content

    with clock.time("read transcripts"):
        # In one piece: every bulk load writes files of its own and waits for the disk.
        stream = cast(BinaryIO, Contents(contents()))
        store.bulk_load(stream, format=RdfFormat.N_TRIPLES, to_graph=names.graph)
        # In time, not by the names of their files: whoever is unregistered has the name that was printed first.
        read.sort(key=itemgetter(0, 1))
        add_people(store, names, (triple for *_, people in read for triple in people))
    return [sitting for _, _, sitting, _ in read], written


def _check(
    graph: EmbeddedGraph, names: Names, basis: Basis | None, sittings: Sequence[NamedNode], clock: Clock
) -> tuple[CheckResult, ...]:
    """Run every check. Of a basis, what was added is looked at, and what was found before holds."""
    with clock.time("check"):
        if basis is None:
            return (validate(graph.store, names.graph), *run_checks(graph))
        parts = graph.select(sparql.bind(sparql.query("index/parts"), "?sitting", sittings))
        shapes = validate(graph.store, names.graph, [NamedNode(row["part"].value) for row in parts])
        former = next((check.findings for check in basis.checks if check.name == shapes.name), ())
        shapes = shapes.model_copy(update={"findings": merged(former, shapes.findings)})
        return (shapes, *run_checks(graph, basis.checks, sittings))


def count_kinds(graph: EmbeddedGraph) -> dict[str, int]:
    """How much of each kind a corpus holds."""
    counts = {row["kind"].value: int(row["number"].value) for row in graph.select(sparql.query("index/counts"))}
    return counts | {
        "signatures": _number(graph, "signatures"),
        "triples": len(graph.store),
        "unresolved": _number(graph, "unresolved"),
    }


def _number(graph: EmbeddedGraph, name: str, sittings: Sequence[NamedNode] | None = None) -> int:
    """The one number that a query of `sparql/index` gives, of these sittings if it is about sittings."""
    query = sparql.query(f"index/{name}")
    if sittings is not None:
        query = sparql.bind(query, "?sitting", sittings)
    return int(graph.select(query)[0]["number"].value)


def _embedded_index(folder: Path, kept: Path | None, points: int) -> AbstractContextManager[VectorWriter]:
    """A new index, or a copy of a published one: the engine writes into what it opens."""
    if kept:
        copy_tree(kept, folder)
    return IndexApart(folder) if worthwhile(points) else nullcontext(EmbeddedIndex(folder))


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
