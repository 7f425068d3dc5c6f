"""The checks of a corpus: SPARQL queries that return what is wrong."""

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

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


def run_checks(graph: GraphStore) -> tuple[CheckResult, ...]:
    """Run every query of `sparql/checks`, errors first."""
    results = []
    for name in sparql.names("checks"):
        text = sparql.query(name)
        header = dict(_HEADER.findall(text))
        findings = tuple(
            Finding(subject=text_of(row, "subject") or "", detail=text_of(row, "detail") or "")
            for row in graph.select(text)
        )
        results.append(
            CheckResult(
                name=name.removeprefix("checks/"),
                title=header["title"],
                level=header["level"],
                findings=findings,
            )
        )
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(results, key=lambda result: (order[result.level], result.name)))


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
