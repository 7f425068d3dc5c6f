"""The command `emiciclo`.

Each command imports what it is made of when it runs, so that `serve` does not load first what it leaves to
other processes.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import mappings
from loaders.errors import SourceError
from service.answer.language import Language
from service.errors import EmicicloError
from service.settings import Settings, load_settings

if TYPE_CHECKING:
    from rich.progress import Progress

    from service.loading.build import LoadReport
    from service.loading.plain import RdfReport
    from service.vectors import VectorWriter

NAME = "emiciclo"

app = typer.Typer(
    name=NAME,
    help="Who said what in parliament, with what standing, and can I check it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

USAGE_ERROR = 2
PIPE_CLOSED = 141
"""What a shell reports for a program whose reader has gone (128 + SIGPIPE)."""
PLAIN = "rdf"
"""What is given to `load` in place of an institution for RDF as it is."""
DEMONSTRATION = "esperia"
DEMONSTRATION_QUESTION = "il salario minimo legale"

Data = Annotated[Path, typer.Option("--data", help="The data directory.", show_default="var/DATASET")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on standard output.")]

_out = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
_err = Console(stderr=True, highlight=False)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn what a person can mend into one message and exit code 2; never a traceback for bad input."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Whoever read the output wants no more of it; what is still buffered must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from error
    except (EmicicloError, SourceError, mappings.MappingError) as error:
        _err.print(f"[bold red]Error:[/] {_escaped(str(error))}")
        raise typer.Exit(USAGE_ERROR) from error
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        _err.print(f"[bold red]Error:[/] {_escaped(error.strerror or str(error))}{_escaped(where)}")
        raise typer.Exit(USAGE_ERROR) from error
    except KeyboardInterrupt as error:
        _err.print("Stopped.")
        raise typer.Exit(130) from error


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")


class _Bars:
    """Draws the progress of a load on standard error."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._task: int | None = None

    def begin(self, stage: str, total: int | None) -> None:
        self.finish()
        self._task = self._progress.add_task(stage, total=total)

    def advance(self, done: int) -> None:
        if self._task is not None:
            self._progress.update(self._task, completed=done)  # type: ignore[arg-type]

    def finish(self) -> None:
        if self._task is not None:
            task = self._progress.tasks[self._task]
            total = task.total if task.total is not None else max(1, task.completed)
            self._progress.update(task.id, total=total, completed=total)


@contextmanager
def _bars() -> Iterator[_Bars]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=_err) as progress:
        bars = _Bars(progress)
        yield bars
        bars.finish()


def _load(institution: str, source: Path, data: Path, settings: Settings, *, anew: bool = False) -> "LoadReport":
    from service.embedders import open_embedder
    from service.loading.build import load

    with _bars() as bars:

        def run(open_writer: "Callable[[str], VectorWriter] | None" = None) -> "LoadReport":
            return load(
                institution,
                source,
                data,
                base_iri=settings.base_iri,
                embedder=open_embedder(settings),
                shipped_vectors=mappings.shipped_vectors(institution),
                open_writer=open_writer,
                anew=anew,
                progress=bars,
            )

        return _to_server(run, data, settings) if settings.qdrant_url else run()


def _load_rdf(source: Path, data: Path, settings: Settings) -> "RdfReport":
    from service.loading.plain import load_rdf

    with _bars() as bars:
        return load_rdf(source, data, base_iri=settings.base_iri, progress=bars)


def _to_server(
    run: "Callable[[Callable[[str], VectorWriter]], LoadReport]", data: Path, settings: Settings
) -> "LoadReport":
    """Load into a Qdrant server; afterwards only this load's collections and the former one's stay."""
    from service.corpus import DataDirectory
    from service.vectors.server import ServerIndex, open_server, retire

    client = open_server(settings)
    former = DataDirectory(data).replaceable()
    report = run(lambda prefix: ServerIndex(client, prefix))
    retire(client, report.manifest.dataset, {m.index for m in (report.manifest, former) if m and m.index})
    return report


@app.command("load")
def load_command(
    institution: Annotated[
        str, typer.Argument(help=f"A mapping: {', '.join(mappings.known())}; or {PLAIN} for any RDF as it is.")
    ],
    source: Annotated[
        Path,
        typer.Option("--from", help=f"The folder that holds the source files; for {PLAIN}, also a file."),
    ],
    data: Data = Path("var"),
    anew: Annotated[
        bool, typer.Option("--anew", help="Load everything, also where only later sittings are to be added.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Load a parliament's sources: graph, transcripts, vectors; then check and publish them.

    Where the data lack only later sittings, these are added to what is there.
    `emiciclo load rdf` loads any RDF as it is, graph names kept, for SPARQL and linked data.
    The former data stay in use until the new ones are whole. Exits with 1 if a check of error
    level has findings, and with 2 if the sources cannot be used.
    """
    with _plain_errors():
        from service import reports

        settings = load_settings()
        if institution == PLAIN:
            loaded = _load_rdf(source, data, settings)
            _show(as_json, lambda: reports.rdf_load_json(loaded), lambda: reports.print_rdf_load(loaded, _out))
            return
        report = _load(institution, source, data, settings, anew=anew)
        _show(as_json, lambda: reports.load_json(report), lambda: reports.print_load(report, _out))
    if report.failed:
        raise typer.Exit(1)


def _show(as_json: bool, document: Callable[[], object], report: Callable[[], None]) -> None:
    if as_json:
        print(json.dumps(document(), ensure_ascii=False, indent=2))
    else:
        report()


@app.command("ask")
def ask_command(
    question: Annotated[str, typer.Argument(help="A topic or a question, in Italian.")],
    data: Data = Path("var"),
    as_of: Annotated[
        datetime | None,
        typer.Option(
            "--as-of", formats=["%Y-%m-%d"], help="Nothing after this day counts. Default: the record's last."
        ),
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", help="Only this group (sigla, name or IRI); may be repeated.")
    ] = None,
    begin: Annotated[
        datetime | None, typer.Option("--from-date", formats=["%Y-%m-%d"], help="Only what was said from this day.")
    ] = None,
    end: Annotated[
        datetime | None, typer.Option("--until-date", formats=["%Y-%m-%d"], help="Only what was said up to this day.")
    ] = None,
    thesaurus: Annotated[bool, typer.Option(help="Expand the question with the thesaurus.")] = True,
    language: Annotated[
        Language, typer.Option(help="The language of the answer; quotations stay in their own.")
    ] = "it",
    as_json: Json = False,
) -> None:
    """Answer a question group by group, with verbatim quotations that can be checked."""
    with _plain_errors():
        from service import reports
        from service.answer import jsonld
        from service.answers import keep_answer
        from service.corpus import DataDirectory
        from service.filters import NamedFilters
        from service.pipeline import Engine, ask

        engine = Engine.open(data, load_settings())
        named = NamedFilters(
            groups=tuple(group or ()),
            date_from=begin.date() if begin else None,
            date_until=end.date() if end else None,
        )
        filters = named.resolve(engine.chamber, engine.corpus.manifest.last_day)
        with _err.status("") as status:
            answer = ask(
                question,
                engine,
                reference_date=as_of.date() if as_of else None,
                filters=filters,
                use_thesaurus=thesaurus,
                language=language,
                progress=lambda step: status.update(f"{step.stage} …"),
            )
        document = jsonld.to_jsonld(answer)
        if not keep_answer(DataDirectory(data).answers, document):
            _err.print("Note: the store of answers is in use elsewhere; this answer was not kept.")
        if as_json:
            sys.stdout.write(jsonld.dumps(document) + "\n")
        else:
            reports.print_answer(answer, _out)


@app.command("check")
def check_command(data: Data = Path("var"), as_json: Json = False) -> None:
    """Tell what is loaded and run every check. Exits with 1 if one of error level has findings.

    The checks are those of a parliament: of plain RDF it is told what is loaded.
    """
    with _plain_errors():
        from service import reports
        from service.corpus import DataDirectory, open_graph, read_manifest
        from service.loading.checks import printed_groups, run_checks

        version = DataDirectory(data).published()
        manifest = read_manifest(version)
        if manifest.kind == PLAIN:
            _show(as_json, lambda: reports.rdf_json(manifest), lambda: reports.print_rdf(manifest, _out))
            return
        graph = open_graph(version, load_settings())
        results = run_checks(graph)
        printed = printed_groups(graph, results)
        _show(
            as_json,
            lambda: reports.check_json(manifest, printed, results),
            lambda: reports.print_check(manifest, printed, results, _out),
        )
    if any(result.level == "error" and result.findings for result in results):
        raise typer.Exit(1)


@app.command("export")
def export_command(data: Data = Path("var")) -> None:
    """Write the whole graph to standard output as N-Quads."""
    with _plain_errors():
        from service.corpus import DataDirectory
        from service.export import export_quads

        export_quads(DataDirectory(data), sys.stdout.buffer)


@app.command("serve")
def serve_command(
    data: Data = Path("var"),
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8000,
) -> None:
    """Serve the pages, the API, the SPARQL endpoints and the linked data over HTTP until stopped."""
    with _plain_errors():
        from service.web.server import serve

        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        serve(data, load_settings(), host, port, announce=lambda: _err.print(f"Serving {data} at [bold]{address}/[/]"))


@app.command("demo")
def demo_command(
    data: Data = Path("var/esperia"),
    question: Annotated[str, typer.Option(help="What to ask.")] = DEMONSTRATION_QUESTION,
) -> None:
    """Load the demonstration parliament (invented), ask a question, and say what to try next."""
    with _plain_errors():
        from service import reports
        from service.answer import jsonld
        from service.answers import keep_answer
        from service.corpus import DataDirectory
        from service.embedders import open_embedder
        from service.pipeline import Engine, ask

        settings = load_settings()
        manifest = DataDirectory(data).manifest()
        if manifest is None or manifest.embedding_model != open_embedder(settings).model:
            with as_file(mappings.folder(DEMONSTRATION)) as folder:
                report = _load(DEMONSTRATION, folder, data, settings)
            reports.print_load(report, _out)
        engine = Engine.open(data, settings)
        answer = ask(question, engine)
        keep_answer(DataDirectory(data).answers, jsonld.to_jsonld(answer))
        reports.print_answer(answer, _out)
        reports.print_next_steps(_program(), data, _out)


def _program() -> str:
    """How this command was called, so that a line can be copied: by its name, or by its path."""
    called = Path(sys.argv[0])
    by_path = called.name == NAME and called.is_file() and shutil.which(NAME) != str(called)
    return os.path.relpath(called) if by_path else NAME


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
