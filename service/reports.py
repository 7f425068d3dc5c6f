"""What the command line prints: answers, load reports and checks, for people and as JSON."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.answer.languages import WORDINGS
from service.answer.model import Answer, Quotation, Section
from service.answer.wording import Wording
from service.corpus import Manifest
from service.evidence import Reason
from service.loading.build import LoadReport
from service.loading.checks import CheckResult, PrintedGroups
from service.loading.plain import RdfReport
from service.report_words import REPORT_WORDS, ReportWords

WIDTH: Final = 100
SHOWN_FINDINGS: Final = 3
SHOWN_GRAPHS: Final = 20

_MARKER: Final = re.compile(r"\{q(\d+)\}")


def print_answer(answer: Answer, console: Console) -> None:
    """Print an answer as running text, each quotation with where it can be read."""
    wording, words = WORDINGS[answer.language], REPORT_WORDS[answer.language]
    console.rule(Text(answer.title, style="bold"), align="left")
    if answer.invented:
        console.print(Text(words.invented, style="yellow"))
    console.print(Padding(Text(answer.introduction), (1, 0)), width=_width(console))
    heading = None
    number = 0
    for section in answer.sections:
        if section.kind != heading:
            heading = section.kind
            console.print(Text(words.headings[heading].upper(), style="bold cyan"))
        number = _print_section(section, number, wording, console)
    if answer.quotations:
        _print_sources(answer, wording, words, console)
    _print_footer(answer, words, console)


def _print_section(section: Section, number: int, wording: Wording, console: Console) -> int:
    """Print a section with its quotations numbered on from `number`; return the last number."""
    text = Text()
    if section.kind != "government":
        text.append(section.title, style="bold")
        if section.kind in ("majority", "opposition"):
            text.append(f" ({wording.SIDES[section.kind]})")
        text.append(" — ")
    at = 0
    for marker in _MARKER.finditer(section.text):
        position = int(marker[1])
        text.append(section.text[at : marker.start()])
        text.append(section.quotations[position - 1].exact, style="italic")
        at = marker.end()
        if section.text[at : at + 1] == "»":
            text.append("»")
            at += 1
        text.append(f" [{number + position}]", style="cyan")
    text.append(section.text[at:])
    console.print(Padding(text, (0, 0, 1, 2)), width=_width(console))
    return number + len(section.quotations)


def _print_sources(answer: Answer, wording: Wording, words: ReportWords, console: Console) -> None:
    console.print(Text(words.quotations.upper(), style="bold cyan"))
    for number, quotation in enumerate(answer.quotations, start=1):
        _print_source(number, quotation, wording, words, console)
    console.print()


def _print_source(number: int, quotation: Quotation, wording: Wording, words: ReportWords, console: Console) -> None:
    speech = quotation.speech
    head = Text(f"[{number}] ", style="cyan")
    head.append(f"{speech.name}, {wording.day(speech.date)}", style="default")
    if speech.debate_title:
        head.append(f", {shortened(speech.debate_title)}", style="default")
    console.print(Padding(head, (0, 0, 0, 2)), width=_width(console))
    # A link must survive copying, so it is never folded.
    console.print(Text(f"      {speech.source}", style="dim"), no_wrap=True, overflow="ignore", crop=False)
    told = (_why(reason, wording, words) for reason in quotation.evidence.reasons)
    reason = next(filter(None, told), None)
    if reason:
        why = Text(words.why.format(reason=reason), style="dim")
        console.print(Padding(why, (0, 0, 0, 6)), width=_width(console))


def _why(reason: Reason, wording: Wording, words: ReportWords) -> str | None:
    """What led to a passage through the graph, in words; nothing for mere nearness to the question."""
    if reason.label is None:
        return None
    if reason.channel == "signatory":
        return words.signed.format(act=shortened(reason.label))
    if reason.channel == "committee":
        return words.sits.format(committee=wording.of_committee(reason.label))
    return shortened(reason.label)


def shortened(text: str, most: int = 140) -> str:
    """Cut a long title at a word, with an ellipsis."""
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


def _width(console: Console) -> int:
    return min(WIDTH, console.width)


def _print_footer(answer: Answer, words: ReportWords, console: Console) -> None:
    experts = [section.expert for section in answer.sections if section.expert]
    if experts:
        table = Table(title=words.authority, title_justify="left", box=None, pad_edge=False)
        for column in ("", *words.columns):
            table.add_column(column, justify="left" if not column else "right")
        for expert in sorted(experts, key=lambda e: (e.rank, e.speaker)):
            parts = expert.authority.components
            table.add_row(
                Text(expert.name),
                f"{expert.authority.total:.2f}",
                words.rank.format(rank=expert.rank, of=len(answer.authorities)),
                *(
                    words.unavailable if value is None else f"{value:.2f}"
                    for value in (
                        parts.profession,
                        parts.education,
                        parts.committee,
                        parts.acts,
                        parts.speeches,
                        parts.role,
                    )
                ),
            )
        console.print(Padding(table, (0, 0, 1, 0)))
    concepts = ", ".join(concept.label_in(answer.language) for concept in answer.question.concepts)
    written = answer.writer.model or words.without_model
    if answer.writer.fallbacks:
        written = _of_number(words.fallbacks, answer.writer.fallbacks).format(
            written=written, number=answer.writer.fallbacks
        )
    lines = [
        words.basis.format(
            day=WORDINGS[answer.language].day(answer.question.reference_date),
            corpus=answer.corpus_version,
            vectors=answer.embedding_model,
            written=written,
        ),
        words.found.format(
            compared=_compared(len(answer.quotations), words),
            acts=answer.figures.acts,
            passages=answer.figures.merged,
        ),
    ]
    if answer.unresolved:
        lines.append(_of_number(words.unresolved, answer.unresolved).format(number=answer.unresolved))
    if concepts:
        lines.append(words.expanded.format(concepts=concepts))
    console.print(Text("\n".join(lines), style="dim"), width=_width(console))


def _of_number(templates: tuple[str, str], number: int) -> str:
    """The template for one, or for more."""
    return templates[0] if number == 1 else templates[1]


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, such as "1 speech" and "2 speeches"."""
    return f"{number} {one if number == 1 else many}"


def _compared(quotations: int, words: ReportWords) -> str:
    if quotations < 2:
        return words.one_compared if quotations else words.none_compared
    return words.all_compared.format(number=quotations)


def print_next_steps(program: str, data: Path, console: Console) -> None:
    """Say what a newcomer may try after the demonstration; `program` is how they call the command."""
    console.print(Text("\nDa provare / What to try next", style="bold"))
    for line in (
        f"{program} serve --data {data}   # then open http://127.0.0.1:8000/ to ask, read and check in a browser",
        f'{program} ask "l\'energia nucleare" --data {data}',
        f'{program} ask "la separazione delle carriere" --data {data} --as-of 2025-06-01',
        f'{program} ask "le liste d\'attesa" --data {data} --json',
        f"{program} check --data {data}",
        f"{program} load camera --from DIR --data var/camera   # real data: see the README",
    ):
        # A line must survive copying, so it is never folded.
        console.print(Text(f"  {line}"), no_wrap=True, overflow="ignore", crop=False)


def print_load(report: LoadReport, console: Console) -> None:
    """Print what a load did."""
    manifest = report.manifest
    console.print(Text(f"Loaded {manifest.title.get('en', manifest.dataset)}", style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    if report.added is None:
        table.add_row("quads read", str(report.quads))
        table.add_row("repeated in other graphs", str(report.repeated))
    else:
        table.add_row("sittings added to what was there", str(report.added))
    table.add_row("texts embedded anew", str(report.embedded))
    for stage, seconds in manifest.seconds.items():
        table.add_row(f"seconds: {stage}", f"{seconds:.1f}")
    console.print(table)
    print_check(manifest, report.printed_groups, report.checks, console)


def print_check(manifest: Manifest, printed: PrintedGroups, results: Sequence[CheckResult], console: Console) -> None:
    """Print what is loaded and what the checks found."""
    table = Table(
        title=f"What is loaded ({manifest.dataset}, version {manifest.version})", title_justify="left", box=None
    )
    table.add_column("kind")
    table.add_column("number", justify="right")
    for kind, number in manifest.counts.items():
        table.add_row(kind, str(number))
    console.print(table)
    if manifest.first_day and manifest.last_day:
        console.print(f"Record from {manifest.first_day} to {manifest.last_day}.")
    undated = printed.printed - printed.comparable - printed.unresolved
    console.print(
        f"Printed group = dated group: {printed.agreeing} of {printed.comparable}. Not compared: "
        f"{counted(printed.unresolved, 'speech', 'speeches')} of speakers whom the register does not know, "
        f"{undated} of members without a group that day."
    )
    findings = Table(title="Checks", title_justify="left", box=None)
    for column in ("level", "check", "findings"):
        findings.add_column(column, justify="right" if column == "findings" else "left")
    for result in results:
        style = {"error": "bold red", "warning": "yellow", "info": "dim"}[result.level] if result.findings else "green"
        findings.add_row(
            Text(result.level if result.findings else "ok", style=style), result.title, str(len(result.findings))
        )
    console.print(findings)
    for result in results:
        if result.findings and result.level != "info":
            console.print(Text(f"{result.level}: {result.title}", style="bold"))
            for finding in result.findings[:SHOWN_FINDINGS]:
                console.print(f"  {finding.subject}: {finding.detail}", markup=False)
            if len(result.findings) > SHOWN_FINDINGS:
                console.print(f"  … and {len(result.findings) - SHOWN_FINDINGS} more (all with --json)", markup=False)


def load_json(report: LoadReport) -> dict[str, Any]:
    """A load report for programs."""
    return {
        "quads": report.quads,
        "repeated": report.repeated,
        "embedded": report.embedded,
        "added": report.added,
        "seconds": report.manifest.seconds,
        **check_json(report.manifest, report.printed_groups, report.checks),
    }


def check_json(manifest: Manifest, printed: PrintedGroups, results: Sequence[CheckResult]) -> dict[str, Any]:
    """What is loaded and what the checks found, for programs."""
    return {
        "dataset": manifest.dataset,
        "version": manifest.version,
        "counts": manifest.counts,
        "firstDay": manifest.first_day.isoformat() if manifest.first_day else None,
        "lastDay": manifest.last_day.isoformat() if manifest.last_day else None,
        "printedGroups": {
            "printed": printed.printed,
            "comparable": printed.comparable,
            "agreeing": printed.agreeing,
            "unresolvedSpeaker": printed.unresolved,
        },
        "checks": [result.model_dump() for result in results],
    }


def print_rdf_load(report: RdfReport, console: Console) -> None:
    """Print what a load of plain RDF did."""
    manifest = report.manifest
    console.print(Text(f"Loaded {manifest.title['en']} as it is", style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("quads read", str(report.read))
    for stage, seconds in manifest.seconds.items():
        table.add_row(f"seconds: {stage}", f"{seconds:.1f}")
    console.print(table)
    graphs = Table(title="Triples by graph", title_justify="left", box=None)
    graphs.add_column("graph", overflow="fold")
    graphs.add_column("triples", justify="right")
    for graph, triples in list(report.graphs.items())[:SHOWN_GRAPHS]:
        graphs.add_row(Text(graph or "(unnamed)"), str(triples))
    console.print(graphs)
    if len(report.graphs) > SHOWN_GRAPHS:
        console.print(f"  … and {len(report.graphs) - SHOWN_GRAPHS} more (all with --json)", markup=False)
    print_rdf(manifest, console)


def print_rdf(manifest: Manifest, console: Console) -> None:
    """Print what is loaded where that is plain RDF."""
    counts = manifest.counts
    console.print(
        f"Plain RDF ({manifest.dataset}, version {manifest.version}): "
        f"{counted(counts['triples'], 'triple', 'triples')}, {counted(counts['quads'], 'quad', 'quads')} in "
        f"{counted(counts['graphs'], 'named graph', 'named graphs')}"
        f"{'' if manifest.union_default_graph else ', some in more than one'}."
    )
    console.print("It can be queried with SPARQL; questions and the checks of a parliament do not apply to it.")


def rdf_load_json(report: RdfReport) -> dict[str, Any]:
    """A load report of plain RDF for programs."""
    return {
        "read": report.read,
        "graphs": report.graphs,
        "seconds": report.manifest.seconds,
        **rdf_json(report.manifest),
    }


def rdf_json(manifest: Manifest) -> dict[str, Any]:
    """What is loaded, where that is plain RDF, for programs."""
    return {
        "kind": manifest.kind,
        "dataset": manifest.dataset,
        "version": manifest.version,
        "counts": manifest.counts,
        "defaultGraph": manifest.default_graph,
        "sources": manifest.sources,
    }
