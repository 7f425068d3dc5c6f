"""The record behind a selection: speeches with their standing, and titles for the reasons."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

import sparql
from ontology import EMI
from service.corpus import Corpus
from service.evidence import Evidence, Reason, SpeechRecord
from service.graph import Row, text_of
from service.retrieval.merge import Scored

_DEBATE: Final = f"{EMI}Debate"
_PHASE: Final = f"{EMI}Phase"


@dataclass(frozen=True, slots=True)
class _Part:
    """Where a speech stands: its phase if in one, its debate if in one, and the first act that this is about."""

    phase_title: str | None = None
    debate: str | None = None
    debate_title: str | None = None
    act: str | None = None


def speeches(iris: Iterable[str], corpus: Corpus) -> dict[str, SpeechRecord]:
    """Read speeches from the graph, in three queries."""
    rows = _rows("retrieval/speeches", "?speech", iris, corpus)
    parts = _parts({row["part"].value for row in rows}, corpus)
    found: dict[str, SpeechRecord] = {}
    for row in rows:
        part = parts[row["part"].value]
        found.setdefault(
            row["speech"].value,
            SpeechRecord(
                iri=row["speech"].value,
                text=row["text"].value,
                sha256=row["sha256"].value,
                date=date.fromisoformat(row["date"].value),
                speaker=text_of(row, "speaker"),
                name=text_of(row, "name"),
                capacity=row["capacity"].value.rsplit("/", 1)[-1],
                group=text_of(row, "group"),
                component=text_of(row, "component"),
                side=(text_of(row, "side") or "").rsplit("/", 1)[-1] or None,
                role_printed=text_of(row, "role"),
                office=text_of(row, "office"),
                phase_title=part.phase_title,
                debate=part.debate,
                debate_title=part.debate_title,
                act=part.act,
                sitting=row["sitting"].value,
                source=row["source"].value,
            ),
        )
    return found


def _parts(iris: Iterable[str], corpus: Corpus) -> dict[str, _Part]:
    found: dict[str, _Part] = {iri: _Part() for iri in iris}
    rows: dict[str, Row] = {}
    for row in _rows("retrieval/parts", "?part", found, corpus):
        if row["class"].value in (_PHASE, _DEBATE):
            rows.setdefault(row["part"].value, row)
    holders = {iri: row["outer"].value if row["class"].value == _PHASE else iri for iri, row in rows.items()}
    debates: dict[str, Row] = {}
    for row in _rows("retrieval/debates", "?debate", holders.values(), corpus):
        debates.setdefault(row["debate"].value, row)
    for iri, row in rows.items():
        phase_title = text_of(row, "title") if row["class"].value == _PHASE else None
        debate = debates.get(holders[iri])
        if debate is None:
            found[iri] = _Part(phase_title)
            continue
        title = _telling_title(text_of(debate, "title"), text_of(debate, "actTitle"))
        found[iri] = _Part(phase_title, holders[iri], title, text_of(debate, "act"))
    return found


def _rows(name: str, variable: str, iris: Iterable[str], corpus: Corpus) -> list[Row]:
    wanted = [NamedNode(iri) for iri in sorted(set(iris))]
    return corpus.graph.select(sparql.bind(sparql.query(name), variable, wanted)) if wanted else []


_PROCEDURAL_TITLE = re.compile(
    r"^(?:si riprende|seguito|ripresa)?\W*(?:del|della|la)?\W*discussione(?: ed? approvazione| e votazione)?\W*$",
    re.IGNORECASE,
)


def _telling_title(printed: str | None, act: str | None) -> str | None:
    """A title such as "Seguito della discussione" tells nothing: the act's does (F-43)."""
    return act if act and (printed is None or _PROCEDURAL_TITLE.match(printed)) else printed


def evidence(selected: Sequence[Scored], corpus: Corpus) -> tuple[Evidence, ...]:
    """Join scored candidates with their speeches, and name the acts in their reasons."""
    records = speeches((item.candidate.speech for item in selected), corpus)
    titles = _titles(
        (reason.iri for item in selected for reason in item.candidate.reasons if reason.channel == "signatory"),
        corpus,
    )
    return tuple(
        Evidence(
            chunk=item.candidate.chunk,
            start=item.candidate.start,
            end=item.candidate.end,
            speech=records[item.candidate.speech],
            bloc=item.candidate.bloc,
            similarity=item.candidate.similarity,
            terms=item.terms,
            score=item.score,
            reasons=tuple(_named(reason, titles) for reason in item.candidate.reasons),
        )
        for item in selected
    )


def _titles(acts: Iterable[str | None], corpus: Corpus) -> dict[str, str]:
    rows = _rows("retrieval/acts", "?act", (act for act in acts if act), corpus)
    titles: dict[str, str] = {}
    for row in rows:
        number = text_of(row, "number")
        title = row["title"].value
        titles.setdefault(row["act"].value, f"A.C. {number}, {title}" if number else title)
    return titles


def _named(reason: Reason, titles: dict[str, str]) -> Reason:
    return replace(reason, label=titles[reason.iri]) if reason.iri in titles else reason
