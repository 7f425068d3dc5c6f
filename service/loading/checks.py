"""The checks of a corpus: SPARQL queries that return what is wrong.

Each states what it is about, which tells what must be looked at where sittings are added. What is wrong with the
register, or with a sitting, is so whatever other sittings there are; a check of `both` is none of these.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pyoxigraph import NamedNode

import sparql
from service.graph import GraphStore, text_of

Level = Literal["error", "warning", "info"]
About = Literal["register", "sittings", "both"]
_HEADER = re.compile(r"^# (title|level|about): (.+)$", re.MULTILINE)


class Finding(BaseModel):
    """One offending resource."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    subject: str
    detail: str


class CheckResult(BaseModel):
    """What one check found; no findings means that it passed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    title: str
    level: Level
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class PrintedGroups:
    """Printed groups against dated ones: `agreeing` of `comparable`, of `printed` in all.

    Of those that cannot be compared, `unresolved` have a speaker whom the register does not know.
    """

    printed: int
    comparable: int
    agreeing: int
    unresolved: int


def run_checks(
    graph: GraphStore, former: Sequence[CheckResult] = (), added: Sequence[NamedNode] | None = None
) -> tuple[CheckResult, ...]:
    """Run every query of `sparql/checks`, errors first.

    Where sittings were `added` to what was checked before, what was found then (`former`) holds; a check about
    sittings is asked of those added, in its form in `sparql/checks/sittings`, and one of `both` of everything.
    """
    known = {result.name: result.findings for result in former}
    results = []
    for name in sparql.names("checks"):
        text, short = sparql.query(name), name.removeprefix("checks/")
        header = dict(_HEADER.findall(text))
        if added is None or short not in known or header["about"] == "both":
            findings = merged((), _findings(graph, text))
        elif header["about"] == "register":
            findings = known[short]
        else:
            bound = sparql.bind(sparql.query(f"checks/sittings/{short}"), "?sitting", added)
            findings = merged(known[short], _findings(graph, bound))
        results.append(CheckResult(name=short, title=header["title"], level=header["level"], findings=findings))
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(results, key=lambda result: (order[result.level], result.name)))


def _findings(graph: GraphStore, query: str) -> Iterator[Finding]:
    for row in graph.select(query):
        yield Finding(subject=text_of(row, "subject") or "", detail=text_of(row, "detail") or "")


def merged(former: Iterable[Finding], added: Iterable[Finding]) -> tuple[Finding, ...]:
    """What was found before and what is found now, in the order of the subjects."""
    return tuple(sorted({*former, *added}, key=lambda finding: (finding.subject, finding.detail)))


def printed_groups(graph: GraphStore, results: tuple[CheckResult, ...]) -> PrintedGroups:
    """Count how many printed groups agree with the dated ones."""
    row = graph.select(sparql.query("index/printed-groups"))[0]
    printed, comparable = int(text_of(row, "printed") or 0), int(text_of(row, "comparable") or 0)
    differing = next(len(r.findings) for r in results if r.name == "printed-group-differs")
    return PrintedGroups(
        printed=printed,
        comparable=comparable,
        agreeing=comparable - differing,
        unresolved=int(text_of(row, "unresolved") or 0),
    )
