"""The record behind a selection: speeches with their standing, and titles for the reasons."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from pyoxigraph import NamedNode

import sparql
from service.corpus import Corpus
from service.evidence import Evidence, Reason, SpeechRecord
from service.graph import text_of
from service.retrieval.merge import Scored


def speeches(iris: Iterable[str], corpus: Corpus) -> dict[str, SpeechRecord]:
    """Read speeches from the graph, in one query."""
    wanted = [NamedNode(iri) for iri in sorted(set(iris))]
    if not wanted:
        return {}
    query = sparql.bind(sparql.query("retrieval/speeches"), "?speech", wanted)
    found: dict[str, SpeechRecord] = {}
    for row in corpus.graph.select(query):
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
                phase_title=text_of(row, "phaseTitle"),
                debate=text_of(row, "debate"),
                debate_title=_telling_title(text_of(row, "debateTitle"), text_of(row, "actTitle")),
                act=text_of(row, "act"),
                sitting=row["sitting"].value,
                source=row["source"].value,
            ),
        )
    return found


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
    wanted = [NamedNode(act) for act in sorted({act for act in acts if act})]
    if not wanted:
        return {}
    query = sparql.bind(sparql.query("retrieval/acts"), "?act", wanted)
    titles: dict[str, str] = {}
    for row in corpus.graph.select(query):
        number = text_of(row, "number")
        title = row["title"].value
        titles.setdefault(row["act"].value, f"A.C. {number}, {title}" if number else title)
    return titles


def _named(reason: Reason, titles: dict[str, str]) -> Reason:
    return replace(reason, label=titles[reason.iri]) if reason.iri in titles else reason
