"""What is told of a speaker and of the moment of a speech, before any language puts it into words."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from loaders.names import organisation_name
from service.authority.score import Authority, Features, Office
from service.evidence import SpeechRecord

ON_TOPIC_ACT: Final = 0.75
"""Relevance from which an act is said to be on the topic; nearer acts than this count for authority."""

Phase = Literal[
    "vote", "general", "reply", "resolutions", "articles", "questions", "interpellations", "motions", "statement"
]

_PHASES: Final[tuple[tuple[re.Pattern[str], Phase], ...]] = (
    (re.compile(r"dichiarazion[ei] di voto", re.I), "vote"),
    (re.compile(r"discussione sulle linee generali|discussione generale", re.I), "general"),
    (re.compile(r"replic", re.I), "reply"),
    (re.compile(r"ordin[ei] del giorno", re.I), "resolutions"),
    (re.compile(r"^(?:esame dell'|esame degli |ripresa esame )?articol|emendament", re.I), "articles"),
    (re.compile(r"interrogazion|risposta immediata", re.I), "questions"),
    (re.compile(r"interpellanz", re.I), "interpellations"),
    (re.compile(r"mozion", re.I), "motions"),
    (re.compile(r"comunicazioni|informativa", re.I), "statement"),
)
_COMMITTEE: Final = re.compile(r"^(?P<number>[IVX]+) COMMISSIONE \((?P<matter>[^)]*)\)?")


@dataclass(frozen=True, slots=True)
class Chair:
    """An office in a body: of a group (`body` is None), or of a committee by its published label."""

    vice: bool
    body: str | None
    of_mixed: bool = False
    """Whether the group is the gruppo misto, and the speaker speaks for a component of it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Who a speaker is for one question: only what is worth telling."""

    capacity: str
    female: bool
    office_printed: str | None
    """The office as the record prints it, of a member of the government."""
    chair: Chair | None
    seat: str | None
    """The published label of a committee that the question matched."""
    first_signatures: int
    """Acts on the topic of which the speaker is the first signatory."""
    group_now: str | None


def standing(
    record: SpeechRecord,
    features: Features | None,
    authority: Authority | None,
    *,
    committees: Collection[str],
    group_now: str | None,
) -> Standing:
    """Choose what is worth telling; `committees` are those that the question matched."""
    government = record.capacity == "government"
    printed = (record.office or record.role_printed) if government else None
    if printed and printed.lower() == "membro di governo":
        printed = None
    weighed = authority if not government else None
    chair = _chair(weighed.offices, record, committees) if weighed else None
    return Standing(
        capacity=record.capacity,
        female=features is not None and features.gender == "female",
        office_printed=printed,
        chair=chair,
        seat=_seat(features, committees) if weighed and chair is None else None,
        first_signatures=sum(a.weight == 1.0 and a.relevance >= ON_TOPIC_ACT for a in weighed.acts_counted)
        if weighed
        else 0,
        group_now=group_now,
    )


def _chair(offices: Sequence[Office], record: SpeechRecord, committees: Collection[str]) -> Chair | None:
    """The office worth telling: the chair of the speech's group, or of a committee that the question matched."""
    for office in sorted(offices, key=lambda o: (-o.weight, o.organisation)):
        code = office.role.rsplit("/", 1)[-1]
        if code == "group-chair" and office.organisation == record.group:
            return Chair(False, None, of_mixed=record.component is not None)
        if code in ("chair", "vice-chair") and office.organisation in committees and office.label:
            return Chair(code == "vice-chair", office.label)
    return None


def _seat(features: Features | None, committees: Collection[str]) -> str | None:
    seats = features.seats if features else ()
    return next((seat.label for seat in seats if seat.iri in committees), None)


def phase(record: SpeechRecord) -> Phase | None:
    """In what part of the debate a speech was made, if its title tells."""
    for title in (record.phase_title, record.debate_title):
        for pattern, found in _PHASES:
            if title and pattern.search(title):
                return found
    return None


def committee(label: str) -> str:
    """`V COMMISSIONE (BILANCIO, TESORO E PROGRAMMAZIONE)` as `Commissione Bilancio`: its first matter."""
    match = _COMMITTEE.match(label)
    if not match:
        return sentence_case(label).split(",")[0]
    matter = sentence_case(match["matter"].split(",")[0].strip())
    return f"Commissione {matter}"


def sentence_case(label: str) -> str:
    """Capitals as running text: the first word's initial only."""
    if label != label.upper():
        return label
    name = organisation_name(label)
    return (name[:1] + name[1:].lower()).replace("unione europea", "Unione europea")
