"""All parts in their order, and the document that keeps their figures."""

import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from service.corpus import DataDirectory
from tests.benchmarks import answers
from tests.benchmarks.paper import (
    apart,
    asking,
    corpora,
    dense,
    embedders,
    loading,
    memory,
    profile,
    real_chunks,
    report,
    starting,
    stores,
)
from tests.benchmarks.paper.corpora import BenchCorpus
from tests.benchmarks.paper.embedding_server import embedding_server
from tests.benchmarks.paper.figures import ratio
from tests.benchmarks.serving import ROOT

PARTS: Final = tuple(report.TABLES)
"""In the order in which they are measured."""
USUAL: Final = ("load", "bulk", "ask", "dense", "start", "second")
QDRANT: Final = ("QDRANT_URL", "QDRANT_API_KEY")
KEPT: Final = ("real_chunks",)
"""Figures that do not depend on what is loaded."""
BULK_LOADS: Final = 3
FEW: Final = 2
"""Times that the questions are asked where only their relation to the main figures counts."""
LARGE: Final = 500_000
"""Chunks from which a bare bulk load is done once."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how often."""

    corpus: BenchCorpus
    data: Path
    console: Console
    embedder: str = embedders.TOPICS
    repetitions: int = 5
    answer_repetitions: int = 1
    bulk_loads: int = BULK_LOADS
    real_chunks: int = 5_000
    camera: Path = ROOT / "var" / "camera"
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        """Where files are made on the way; on the disk of the data, as times of writing are measured."""
        return self.data.parent / "work"


def document_path(scale: str, folder: Path = ROOT / "var") -> Path:
    """Where the figures of a scale are kept."""
    return folder / f"bench-paper-{scale}.json"


def measure(
    plan: Plan, parts: Sequence[str], keep: Callable[[dict[str, Any]], None] = lambda _: None
) -> dict[str, Any]:
    """Measure parts, in the order of `PARTS`; of the others, what the plan's document holds stays. `keep` is given
    the document after each part."""
    document = plan.document
    document |= {"scale": plan.corpus.scale, "seed": plan.corpus.seed, "embedder": plan.embedder}
    document.setdefault("measured", {})
    steps: dict[str, Callable[[Plan], dict[str, Any]]] = {
        "load": _load,
        "bulk": _bulk,
        "ask": _ask,
        "dense": _dense,
        "start": _start,
        "remote": _remote,
        "profile": _profile,
        "second": _second,
        "embedding": _embedding,
    }
    for part in PARTS:
        if part not in parts:
            continue
        plan.console.print(f"[dim]{datetime.now(UTC):%H:%M:%S} {part} …[/]")
        document |= steps[part](plan)
        document["measured"][part] = datetime.now(UTC).isoformat(timespec="seconds")
        keep(document)
        report.show_part(part, document, plan.console)
    return document


def _load(plan: Plan) -> dict[str, Any]:
    _remove(plan.data)
    found = apart.run(
        loading.measure_load,
        institution=plan.corpus.institution,
        sources=plan.corpus.sources,
        data=plan.data,
        embedder=plan.embedder,
    )
    wanted, loaded = corpora.wanted_counts(plan.corpus), corpora.found_counts(plan.corpus, found["counts"])
    return {
        "load": found,
        "size_mb": loading.sizes(plan.data),
        "corpus": {what: {"paper": wanted.get(what), "loaded": number} for what, number in loaded.items()},
        "machine": {"processors": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2)},
    }


def _bulk(plan: Plan) -> dict[str, Any]:
    load = plan.document["load"]
    dumped = plan.work / "all.nq"
    dumped.parent.mkdir(parents=True, exist_ok=True)
    try:
        size = apart.run(loading.dump, data=plan.data, target=dumped)
        times = 1 if load["counts"]["chunks"] >= LARGE else plan.bulk_loads
        runs = [
            apart.run(loading.measure_bulk_load, dumped=dumped, store=plan.work / "bulk-store") for _ in range(times)
        ]
    finally:
        dumped.unlink(missing_ok=True)
    seconds = statistics.median(run["seconds"] for run in runs)
    triples = runs[0]["triples"]
    without_index = load["without_embedding"] - load["stages"].get(loading.INDEX, 0.0)
    return {
        "bulk_load": {
            "seconds": seconds,
            "runs": [run["seconds"] for run in runs],
            "triples": triples,
            "nquads_mb": round(size / 2**20, 1),
            "triples_per_second": round(triples / seconds),
            "load_triples_per_second": round(triples / load["without_embedding"]),
            "load_ratio": ratio(load["without_embedding"], seconds),
            "load_ratio_without_index": ratio(without_index, seconds),
            "peak_mb": max(run["peak_mb"] or 0 for run in runs),
        }
    }


def _ask(plan: Plan) -> dict[str, Any]:
    return {"asking": _asked(plan, {}, repetitions=plan.repetitions)}


def _asked(
    plan: Plan,
    environment: dict[str, str],
    under: Sequence[str] = (),
    repetitions: int = FEW,
    answers_too: bool = True,
) -> Any:
    return apart.run(
        asking.measure_questions,
        environment=environment,
        under=under,
        data=plan.data,
        embedder=plan.embedder,
        questions=plan.corpus.questions,
        repetitions=repetitions,
        answer_repetitions=plan.answer_repetitions if answers_too else 0,
    )


def _dense(plan: Plan) -> dict[str, Any]:
    folder = plan.work / "dense"
    try:
        apart.run(
            dense.write_matrix,
            data=plan.data,
            embedder=plan.embedder,
            questions=plan.corpus.questions,
            folder=folder,
        )
        return {
            "dense": {
                name: apart.run(
                    dense.measure_dense,
                    environment=environment,
                    data=plan.data,
                    embedder=plan.embedder,
                    folder=folder,
                    repetitions=plan.repetitions,
                )
                for name, environment in (("default", {}), ("one thread", {"OPENBLAS_NUM_THREADS": "1"}))
            }
        }
    finally:
        _remove(folder)


def _start(plan: Plan) -> dict[str, Any]:
    with embedding_server(plan.embedder) as address:
        settings = embedders.settings_of(plan.embedder, address)
        # Data that are loaded anew for each run may be written to.
        found = {"start": starting.measure_start(plan.data, settings, plan.corpus.questions, None)}
    if (plan.camera / "current").exists():
        found["start_camera"] = starting.measure_start(plan.camera, {}, answers.QUESTIONS, plan.work / "camera")
    else:
        plan.console.print(f"No real corpus is loaded at {plan.camera}: its start is left out.")
    return found


def _remote(plan: Plan) -> dict[str, Any]:
    with stores.oxigraph(plan.data) as (address, process):
        found = {"remote_graph": _asked(plan, {"EMICICLO_GRAPH_URL": address})}
        found["remote_graph"]["server"] = memory.held(process)
    given = {f"EMICICLO_{name}": os.environ[f"EMICICLO_{name}"] for name in QDRANT if f"EMICICLO_{name}" in os.environ}
    if "EMICICLO_QDRANT_URL" not in given:
        return found | {"remote_vectors": "not measured: no Qdrant server here (EMICICLO_QDRANT_URL names none)"}
    data = plan.work / "qdrant-data"
    _remove(data)
    try:
        cache = DataDirectory(data).cache
        cache.parent.mkdir(parents=True)
        shutil.copyfile(DataDirectory(plan.data).cache, cache)
        loaded = apart.run(
            loading.measure_load,
            environment=given,
            institution=plan.corpus.institution,
            sources=plan.corpus.sources,
            data=data,
            embedder=plan.embedder,
            to_qdrant=True,
        )
        with stores.oxigraph(data) as (address, _):
            both = Plan(plan.corpus, data, plan.console, plan.embedder, plan.repetitions, plan.answer_repetitions)
            asked = _asked(both, given | {"EMICICLO_GRAPH_URL": address})
        apart.run(loading.remove_from_qdrant, environment=given, data=data)
    finally:
        _remove(data)
    return found | {"remote_vectors": asked | {"load": loaded}}


def _profile(plan: Plan) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        stacks = Path(folder) / "stacks.txt"
        command = profile.command(stacks)
        if command is None:
            return {"profile": "not measured: py-spy is not installed"}
        _asked(plan, {}, under=command, answers_too=False)
        lines = stacks.read_text(encoding="utf-8", errors="replace").splitlines()
    return {"profile": profile.summary(lines, ("find", "understand"))}


def _second(plan: Plan) -> dict[str, Any]:
    """Add a sitting to a copy of the data, so that the other parts have the corpus that was loaded first."""
    if not plan.corpus.written:
        return {"second_load": "not measured: nothing is added to a real corpus"}
    sources = corpora.with_another_sitting(plan.corpus)
    data = plan.work / "second-data"
    _remove(data)
    try:
        shutil.copytree(plan.data, data, symlinks=True, ignore=shutil.ignore_patterns("answers", "jobs"))
        found = apart.run(
            loading.measure_load,
            institution=plan.corpus.institution,
            sources=sources,
            data=data,
            embedder=plan.embedder,
        )
    finally:
        _remove(sources)
        _remove(data)
    return {"second_load": found | {"to_the_first": ratio(found["total"], plan.document["load"]["total"], 4)}}


def _embedding(plan: Plan) -> dict[str, Any]:
    return measure_embedding(plan.real_chunks)


def measure_embedding(chunks: int) -> dict[str, Any]:
    """Embed real chunks with the bundled model, where there are any."""
    if not corpora.SHARED.is_dir():
        return {"real_chunks": f"not measured: there are no real transcripts at {corpora.SHARED}"}
    return {"real_chunks": apart.run(real_chunks.measure_real_chunks, number=chunks)}


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def read_documents(folder: Path = ROOT / "var") -> dict[str, dict[str, Any]]:
    """The kept figures by scale."""
    paths = sorted(folder.glob("bench-paper-*.json"))
    return {path.stem.removeprefix("bench-paper-"): json.loads(path.read_bytes()) for path in paths}


def write_document(document: dict[str, Any], target: Path) -> None:
    """Keep figures."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document, indent=2, ensure_ascii=False), encoding="utf-8")


def main(
    scale: str, seed: int, data: Path | None, parts: Sequence[str], repetitions: int, chunks: int, width: int = 130
) -> None:
    """Measure, print and write down; also after each part, so that a run which is stopped keeps what it has."""
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise SystemExit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    console, target = Console(width=width, highlight=False), document_path(scale)
    former = read_documents().get(scale, {})
    if data and "load" in parts and data.exists() and any(data.iterdir()):
        raise SystemExit(f"{data} is not empty: give a new folder for --data")
    corpus = corpora.find(scale, seed)
    plan = Plan(
        corpus,
        data or corpus.work / "data",
        console,
        repetitions=repetitions,
        real_chunks=chunks,
        # A new load makes former figures those of another run.
        document={name: former[name] for name in KEPT if name in former} if "load" in parts else former,
    )
    measure(plan, parts, lambda document: write_document(document, target))
    report.show_summary(plan.document, read_documents(), console)
    console.print(f"Written to {target}.")


def embedding(scale: str, chunks: int) -> None:
    """Measure the bundled model alone, and keep the figure with those of a scale."""
    target = document_path(scale)
    document = read_documents().get(scale, {"scale": scale}) | measure_embedding(chunks)
    report.show_part("embedding", document, Console(highlight=False))
    write_document(document, target)
