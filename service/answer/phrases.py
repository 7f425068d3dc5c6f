"""The Italian of the extractive writer: dates, numbers, standing, and how speech is introduced.

Pure functions and closed lists. Reporting phrases are neutral: none says whether the speaker
is right, insisted or concluded. A `Reporter` uses each once in an answer and then does without.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from loaders.names import organisation_name
from service.authority.score import Authority, Features, Office
from service.evidence import SpeechRecord

ON_TOPIC_ACT: Final = 0.75
"""Relevance from which an act is said to be on the topic; nearer acts than this count for authority."""
MONTHS: Final = (
    """
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre
    dicembre
    """
).split()

ELIDED: Final = (8, 11)
"""Days of the month that begin with a vowel (`l'otto`, `l'undici`)."""

REPORTING: Final = (
    "ha sostenuto",
    "ha dichiarato",
    "ha osservato",
    "ha affermato",
    "ha argomentato",
    "ha detto",
    "ha spiegato",
    "ha rilevato",
    "ha fatto notare",
    "ha posto la questione così",
    "ha messo l'accento su un punto",
    "ha espresso questa posizione",
    "ha richiamato l'attenzione dell'Aula",
    "ha esposto così il suo ragionamento",
    "ha preso posizione con queste parole",
    "ha portato questo argomento",
    "ha commentato",
    "ha parlato in questi termini",
    "ha portato all'attenzione dell'Aula questo aspetto",
    "ha svolto questa considerazione",
    "ha sottolineato",
    "ha formulato così il suo giudizio",
    "ha messo agli atti questa valutazione",
    "ha descritto così la questione",
    "ha inquadrato il tema in questo modo",
    "ha consegnato all'Aula questa riflessione",
    "ha scelto queste parole",
    "ha proposto questa lettura",
    "ha avanzato questo rilievo",
    "ha portato questo elemento",
    "ha sviluppato questo ragionamento",
    "ha illustrato così la sua posizione",
    "ha affrontato il punto con queste parole",
    "ha messo sul tavolo questo elemento",
    "ha ragionato così",
)

_PHASES: Final = (
    (re.compile(r"dichiarazion[ei] di voto", re.I), "nelle dichiarazioni di voto"),
    (
        re.compile(r"discussione sulle linee generali|discussione generale", re.I),
        "nella discussione generale",
    ),
    (re.compile(r"replic", re.I), "in sede di replica"),
    (re.compile(r"ordin[ei] del giorno", re.I), "nell'esame degli ordini del giorno"),
    (
        re.compile(r"^(?:esame dell'|esame degli |ripresa esame )?articol|emendament", re.I),
        "nell'esame degli articoli",
    ),
    (re.compile(r"interrogazion|risposta immediata", re.I), "nelle interrogazioni"),
    (re.compile(r"interpellanz", re.I), "nelle interpellanze"),
    (re.compile(r"mozion", re.I), "nella discussione delle mozioni"),
    (re.compile(r"comunicazioni|informativa", re.I), "sulle comunicazioni del Governo"),
)
_COMMITTEE: Final = re.compile(r"^(?P<number>[IVX]+) COMMISSIONE \((?P<matter>[^)]*)\)?")


_MASCULINE: Final = re.compile(r"(?:Comitato|Collegio|Consiglio|Ufficio|Copasir)\b")


def day(value: date) -> str:
    """`18 dicembre 2025`; the first of a month is `1º`."""
    number = "1º" if value.day == 1 else str(value.day)
    return f"{number} {MONTHS[value.month - 1]} {value.year}"


def on_day(value: date) -> str:
    """`il 18 dicembre 2025`, `l'8 dicembre 2025`."""
    return _article(value) + day(value)


def until_day(value: date) -> str:
    """`fino al 4 febbraio 2026`, `fino all'11 febbraio 2026`."""
    return f"fino {_to(value)}{day(value)}"


def span_of_days(first: date, last: date, *, both: bool = False) -> str:
    """`il 18 dicembre 2025`, or `dal 18 al 30 dicembre 2025`, naming month and year once if shared.

    With `both`, the two days are all there is: `il 18 e il 30 dicembre 2025`.
    """
    if first == last:
        return on_day(first)
    if (first.year, first.month) == (last.year, last.month):
        begin = str(first.day) if first.day != 1 else "1º"
    elif first.year == last.year:
        begin = day(first).rsplit(" ", 1)[0]
    else:
        begin = day(first)
    if both:
        return f"{_article(first)}{begin} e {on_day(last)}"
    since = "dall'" if first.day in ELIDED else "dal "
    return f"{since}{begin} {_to(last)}{day(last)}"


def _article(value: date) -> str:
    return "l'" if value.day in ELIDED else "il "


def _to(value: date) -> str:
    return "all'" if value.day in ELIDED else "al "


def counted(number: int, singular: str, plural: str) -> str:
    """`un intervento`, `3 interventi`: figures, but words for one."""
    return f"un {singular}" if number == 1 else f"{number} {plural}"


def listed(items: Sequence[str]) -> str:
    """`a`, `a e b`, `a, b e c`; `a; b, c` where the items have commas of their own."""
    if len(items) < 2:
        return "".join(items)
    comma, last = ("; ", "; ") if any("," in item for item in items) else (", ", " e ")
    return f"{comma.join(items[:-1])}{last}{items[-1]}"


def phase(record: SpeechRecord) -> str | None:
    """In what part of the debate a speech was made, if its title tells."""
    for title in (record.phase_title, record.debate_title):
        for pattern, phrase in _PHASES:
            if title and pattern.search(title):
                return phrase
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


def standing(
    record: SpeechRecord,
    features: Features | None,
    authority: Authority | None,
    *,
    committees: Collection[str],
    group_now: str | None,
) -> str:
    """Who a speaker is for this question, between commas; empty if nothing is known.

    `committees` are those that the question matched: to sit in one of them is worth telling.
    """
    female = features is not None and features.gender == "female"
    parts: list[str] = []
    if record.capacity == "government":
        printed = record.office or record.role_printed
        if printed and printed.lower() != "membro di governo":
            parts.append(_lower_first(printed))
        else:
            parts.append("membro del Governo")
    elif record.capacity == "rapporteur":
        parts.append("relatrice" if female else "relatore")
    if authority is not None and record.capacity != "government":
        office = _office(authority.offices, record, committees)
        seat = _seat(features, committees)
        if office:
            parts.append(office)
        elif seat:
            parts.append(seat)
        first = sum(1 for act in authority.acts_counted if act.weight == 1.0 and act.relevance >= ON_TOPIC_ACT)
        if first:
            acts = "di una proposta" if first == 1 else f"di {first} proposte"
            who = "prima firmataria" if female else "primo firmatario"
            parts.append(f"{who} {acts} sul tema")
    if group_now:
        parts.append(f"oggi nel gruppo {group_now}")
    return ", ".join(parts)


def _office(offices: Sequence[Office], record: SpeechRecord, committees: Collection[str]) -> str | None:
    """The office worth telling: the chair of the speech's group, or of a committee that the question matched."""
    for office in sorted(offices, key=lambda o: (-o.weight, o.organisation)):
        code = office.role.rsplit("/", 1)[-1]
        if code == "group-chair" and office.organisation == record.group:
            return "presidente del gruppo Misto" if record.component else "presidente del gruppo"
        if code in ("chair", "vice-chair") and office.organisation in committees and office.label:
            rank = "presidente" if code == "chair" else "vicepresidente"
            return f"{rank} {of_committee(office.label)}"
    return None


def _seat(features: Features | None, committees: Collection[str]) -> str | None:
    seats = features.seats if features else ()
    matched = next((seat for seat in seats if seat.iri in committees), None)
    return of_committee(matched.label) if matched else None


def of_committee(label: str) -> str:
    """`della Commissione Bilancio`, `del Comitato per la legislazione`."""
    name = committee(label)
    return f"{'del' if _MASCULINE.match(name) else 'della'} {name}"


def _lower_first(printed: str) -> str:
    return printed[:1].lower() + printed[1:]


@dataclass(slots=True)
class Reporter:
    """Hands out reporting phrases so that none is used twice in an answer."""

    _used: int = 0

    def reporting(self) -> str | None:
        """The next reporting phrase; None when all have been used."""
        if self._used == len(REPORTING):
            return None
        self._used += 1
        return REPORTING[self._used - 1]


def introduce(record: SpeechRecord, *, reporter: Reporter, name: str, who: str, point: str | None, again: bool) -> str:
    """The sentence before a quotation, up to and with its colon; `again` if the speaker was just quoted."""
    where = phase(record)
    when = on_day(record.date)
    place = f", {where}" if where else ""
    if again:
        return f"Ancora {name}, {when}{place}:"
    subject = f"{name}, {who}," if who else name
    lead = f"A proposito di {point}, " if point else ""
    verb = reporter.reporting()
    return f"{lead}{subject} {verb} {when}{place}:" if verb else f"{lead}{subject}, {when}{place}:"
