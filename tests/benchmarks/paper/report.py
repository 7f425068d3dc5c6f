"""The figures as tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from tests.benchmarks.paper.figures import at, ratio
from tests.benchmarks.paper.verdicts import Verdict, growth, neighbours, verdicts

Document = Mapping[str, Any]


def show_part(part: str, document: Document, console: Console) -> None:
    """Print what one part measured."""
    for table in TABLES[part](document):
        console.print(table)


def show_summary(document: Document, documents: Mapping[str, Document], console: Console) -> None:
    """Print what is wanted beside what was measured, and how costs grow from each scale to the next."""
    console.print(verdict_table(f"wanted and measured: {document['scale']}", verdicts(document)))
    for smaller, larger in neighbours(documents):
        rows = growth(documents[smaller], documents[larger])
        console.print(verdict_table(f"from {smaller} to {larger}", rows))


def verdict_table(title: str, rows: Sequence[Verdict]) -> Table:
    """Wanted, measured, and whether it holds."""
    signs = {True: "[green]holds[/]", False: "[red]does not[/]", None: ""}
    table = _table(title, "what", "wanted", "measured", "")
    for row in rows:
        table.add_row(row.what, row.wanted, row.measured, signs[row.holds])
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    return table


def _text(value: Any, digits: int = 2) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _note(title: str, value: object) -> list[Table]:
    """A part that says why it was not measured."""
    table = Table(show_header=False)
    table.add_row(title, str(value))
    return [table]


def _load(document: Document) -> list[Table]:
    counts = _table(f"corpus {document['scale']} (seed {document['seed']})", "what", "paper", "loaded")
    for what, numbers in document["corpus"].items():
        counts.add_row(what, _text(numbers["paper"]), _text(numbers["loaded"]))
    load = document["load"]
    stages = _table("load", "what", "s", "share")
    for stage, seconds in load["stages"].items():
        stages.add_row(stage, _text(seconds), f"{seconds / load['total']:.0%}")
    stages.add_row("total", _text(load["total"]), "")
    stages.add_row("of it inside of the embedder", _text(load["embedding"]), f"{load['embedding'] / load['total']:.0%}")
    stages.add_row("total without the embedder", _text(load["without_embedding"]), "")
    memory = _table("memory of the load, and size on disk", "what", "MB")
    memory.add_row("peak of the loading process", _text(load["peak_mb"], 0))
    if load["peak_of_a_reader_mb"]:
        memory.add_row("peak of the largest process beside it", _text(load["peak_of_a_reader_mb"], 0))
    for name, size in document["size_mb"].items():
        memory.add_row(f"on disk: {name}", _text(size, 1))
    if load["failed_checks"]:
        memory.add_row("checks with findings", ", ".join(load["failed_checks"]))
    return [counts, stages, memory]


def _bulk(document: Document) -> list[Table]:
    bulk = document["bulk_load"]
    table = _table("bare bulk_load of the same triples", "what", "bare", "load without embedding")
    table.add_row("seconds (median)", _text(bulk["seconds"]), _text(document["load"]["without_embedding"]))
    table.add_row("triples", _text(bulk["triples"]), "")
    table.add_row("triples/s", _text(bulk["triples_per_second"]), _text(bulk["load_triples_per_second"]))
    table.add_row("to bare bulk_load", "", f"{bulk['load_ratio']} ×")
    table.add_row("to bare bulk_load, without the index", "", f"{bulk['load_ratio_without_index']} ×")
    table.add_row("N-Quads (MB)", _text(bulk["nquads_mb"], 1), "")
    table.add_row("peak memory (MB)", _text(bulk["peak_mb"], 0), _text(document["load"]["peak_mb"], 0))
    return [table]


def asking_tables(asked: Document, title: str) -> list[Table]:
    """Times by stage, memory, and the queries of both."""
    stages = _table(
        f"{title}: question to evidence ({asked['questions']} questions, {asked['repetitions']} times), ms",
        "stage",
        "median",
        "p95",
        "first round",
    )
    for stage, times in asked["evidence"].items():
        first = at(asked, "first_round", stage, "median")
        stages.add_row(stage, _text(times.get("median")), _text(times.get("p95")), _text(first))
    for what, numbers in asked["found"].items():
        stages.add_row(f"found: {what}", _text(numbers.get("median"), 0), _text(numbers.get("p95"), 0), "")
    stages.add_row("questions without evidence", _text(asked["questions_without_evidence"]), "", "")
    tables = [
        stages,
        _queries(f"{title}: SPARQL queries of it", asked["evidence_queries"]),
        _queries(f"{title}: searches of it in the index", asked["evidence_searches"]),
    ]
    if "answer" in asked:
        answer = _table(f"{title}: whole answer ({asked['answer_repetitions']} times), ms", "stage", "median", "p95")
        for stage, times in asked["answer"].items():
            answer.add_row(stage, _text(times.get("median")), _text(times.get("p95")))
        tables += [
            answer,
            _queries(f"{title}: SPARQL queries of the whole answer", asked["answer_queries"]),
            _queries(f"{title}: searches of the whole answer in the index", asked["answer_searches"]),
        ]
    memory = _table(f"{title}: memory, MB", "when", "resident", "anonymous", "mapped files", "PSS", "peak")
    for name, when in (("opened", "opened"), ("after_evidence", "after questions"), ("after_answers", "after answers")):
        held = asked.get(f"memory_{name}")
        if held:
            memory.add_row(when, *(_text(held.get(k), 0) for k in ("rss", "anonymous", "mapped", "pss", "peak")))
    if "server" in asked:
        held = asked["server"]
        memory.add_row("server", *(_text(held.get(k), 0) for k in ("rss", "anonymous", "mapped", "pss", "peak")))
    return [*tables, memory]


def _queries(title: str, queries: Document) -> Table:
    table = _table(title, "", "median ms", "p95 ms", "runs/question", "ms/question", "rows")
    for name, found in queries.items():
        table.add_row(
            name,
            _text(found["median"]),
            _text(found["p95"]),
            _text(found["per_question"]),
            _text(found["ms_per_question"]),
            _text(found["rows"], 0),
        )
    return table


def _ask(document: Document) -> list[Table]:
    return asking_tables(document["asking"], "embedded")


def _remote(document: Document) -> list[Table]:
    graph, vectors = document["remote_graph"], document["remote_vectors"]
    tables = asking_tables(graph, "graph by URL")
    beside = at(document, "asking", "evidence", "total without embedding", "median")
    if beside:
        slower = ratio(at(graph, "evidence", "total without embedding", "median"), beside)
        tables += _note("question to evidence, graph by URL to embedded", f"{slower} ×")
    if isinstance(vectors, str):
        return [*tables, *_note("Qdrant by URL", vectors)]
    return [*tables, *asking_tables(vectors, "graph and Qdrant by URL")]


def _dense(document: Document) -> list[Table]:
    sample = document["dense"]["default"]
    table = _table(
        f"dense search, 200 of {sample['chunks']:,} × {sample['dimensions']}: index and exact numpy, ms",
        "BLAS threads, filter",
        "index",
        "p95",
        "cpu",
        "numpy",
        "p95",
        "cpu",
        "index/numpy",
        "recall@200",
        "least",
    )
    for found in document["dense"].values():
        for name, part in found.items():
            if not isinstance(part, Mapping):
                continue
            table.add_row(
                f"{found['numpy_threads']}, {name}",
                *(
                    _text(part[who][which])
                    for who, which in (
                        ("index", "median"),
                        ("index", "p95"),
                        ("index_cpu", "median"),
                        ("numpy", "median"),
                        ("numpy", "p95"),
                        ("numpy_cpu", "median"),
                    )
                ),
                _text(part["ratio"]),
                _text(part["recall"], 4),
                _text(part["least_recall"], 4),
            )
    return [table]


def _start(document: Document) -> list[Table]:
    columns = {name: document[name] for name in ("start", "start_camera") if isinstance(document.get(name), Mapping)}
    table = _table("start of the service, s", "what", *(f"{n} {when}" for n in columns for when in ("first", "again")))
    runs = [run[when] for run in columns.values() for when in ("first", "again")]
    for what, label in (
        ("listening", "listens"),
        ("ready", "/health says ready"),
        ("first_answer", "first answer complete"),
    ):
        table.add_row(label, *(_text(run[what]) for run in runs))
    table.add_row("of it the first question", *(_text(run["answers"][0]) for run in runs))
    table.add_row("second question", *(_text(run["answers"][1]) for run in runs))
    table.add_row("further questions", *(" ".join(f"{s:.2f}" for s in run["answers"][2:]) for run in runs))
    table.add_row("quotations in these answers", *(" ".join(map(str, run["quotations"])) for run in runs))
    table.add_row("memory of all processes (PSS, MB)", *(_text(run["pss_mb"], 0) for run in runs))
    return [table]


def _second(document: Document) -> list[Table]:
    second = document["second_load"]
    if isinstance(second, str):
        return _note("second load", second)
    table = _table("second load, one sitting more", "what", "s", "first load, s", "share of the first")
    stages = second["stages"] | {name: second[name] for name in ("total", "embedding", "without_embedding")}
    first = document["load"]["stages"] | {k: document["load"][k] for k in ("total", "embedding", "without_embedding")}
    for stage, seconds in stages.items():
        share = ratio(seconds, first.get(stage), 4)
        table.add_row(stage, _text(seconds), _text(first.get(stage)), "" if share is None else f"{share:.1%}")
    table.add_row("texts embedded anew", _text(second["embedded"]), _text(document["load"]["embedded"]), "")
    table.add_row("sittings added (– : all was loaded)", _text(second["added_sittings"]), "", "")
    table.add_row("peak memory (MB)", _text(second["peak_mb"], 0), _text(document["load"]["peak_mb"], 0), "")
    return [table]


def _profile(document: Document) -> list[Table]:
    found = document["profile"]
    if isinstance(found, str):
        return _note("profile", found)
    tables = []
    for kind, title in (
        ("inclusive", "with all that they call"),
        ("python", "with what is not Python below them"),
        ("own", "alone"),
    ):
        table = _table(f"profile of question to evidence ({found['samples']} samples): functions {title}", "", "share")
        for name, share in found[kind].items():
            table.add_row(name, f"{share:.1%}")
        tables.append(table)
    return tables


def _embedding(document: Document) -> list[Table]:
    found = document["real_chunks"]
    if isinstance(found, str):
        return _note("embedding of real chunks", found)
    table = _table(f"embedding of real chunks by {found['model']}", "source", "chunks", "characters", "chunks/s")
    for name, part in found["sources"].items():
        table.add_row(name, _text(part["chunks"]), _text(part["characters"]), _text(part["per_second"]))
    table.add_row("all", _text(found["chunks"]), "", _text(found["per_second"]))
    if found["chunks"] < found["wanted"]:
        table.add_row(f"wanted were {found['wanted']:,}", "", "", "")
    return [table]


TABLES: Final = {
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
