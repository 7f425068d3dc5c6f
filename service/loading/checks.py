"""The checks of a corpus: SPARQL queries that return what is wrong."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pyoxigraph import NamedNode

import sparql
from service.graph import GraphStore, text_of

Level = Literal["error", "warning", "info"]
_HEADER = re.compile(r"^# (title|level): (.+)$", re.MULTILINE)


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

    Where sittings were `added` to what was checked before, a check that has a form for sittings in
    `sparql/checks/sittings` looks at these alone, and what it had found (`former`) holds.
    """
    about_sittings = sparql.names("checks/sittings")
    known = {result.name: result.findings for result in former}
    results = []
    for name in sparql.names("checks"):
        text, short = sparql.query(name), name.removeprefix("checks/")
        bound = f"checks/sittings/{short}"
        if added is None or bound not in about_sittings or short not in known:
            findings = _findings(graph, text)
        else:
            here = _findings(graph, sparql.bind(sparql.query(bound), "?sitting", added))
            findings = merged(known[short], here)
        header = dict(_HEADER.findall(text))
        results.append(CheckResult(name=short, title=header["title"], level=header["level"], findings=findings))
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(results, key=lambda result: (order[result.level], result.name)))


def _findings(graph: GraphStore, query: str) -> tuple[Finding, ...]:
    return tuple(
        Finding(subject=text_of(row, "subject") or "", detail=text_of(row, "detail") or "")
        for row in graph.select(query)
    )


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
