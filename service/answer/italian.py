"""The Italian of the writer: dates, numbers, standing, and how speech is introduced.

Pure functions and closed lists. Reporting phrases are neutral: none says whether the speaker
is right, insisted or concluded.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from service.answer import standing as facts
from service.answer.language import Language
from service.answer.model import Activity, Kind
from service.answer.standing import Phase, Standing
from service.answer.wording import Reporter, joined
from service.evidence import SpeechRecord
from service.question import Question

LANGUAGE: Final[Language] = "it"
NOTHING: Final = "Nel corpus consultato non risultano interventi su questo tema."
NOTHING_QUOTABLE: Final = "Nessun passo si presta a essere citato da solo."
GOVERNMENT: Final = "Governo"
OTHERS: Final = "Altri oratori"
SOMEBODY: Final = "Un oratore"
SIDES: Final[Mapping[Kind, str]] = {
    "government": "Governo",
    "majority": "maggioranza",
    "opposition": "opposizione",
    "mixed": "gruppo Misto",
    "other": "fuori dai gruppi",
}
MONTHS: Final = (
    """
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre
    dicembre
    """
).split()

ELIDED: Final = (8, 11)
"""Days of the month that begin with a vowel (`l'otto`, `l'undici`)."""

REPORTING: Final[tuple[str, ...]] = (
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
_PHASES: Final[Mapping[Phase, str]] = {
    "vote": "nelle dichiarazioni di voto",
    "general": "nella discussione generale",
    "reply": "in sede di replica",
    "resolutions": "nell'esame degli ordini del giorno",
    "articles": "nell'esame degli articoli",
    "questions": "nelle interrogazioni",
    "interpellations": "nelle interpellanze",
    "motions": "nella discussione delle mozioni",
    "statement": "sulle comunicazioni del Governo",
}
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
    return joined(items, "e")


def component(name: str) -> str:
    """`Misto, componente Minoranze linguistiche`."""
    return f"Misto, componente {name}"


def of_committee(label: str) -> str:
    """`della Commissione Bilancio`, `del Comitato per la legislazione`."""
    name = facts.committee(label)
    return f"{'del' if _MASCULINE.match(name) else 'della'} {name}"


def activity(found: Activity) -> str:
    """`Ne ha parlato in 3 interventi di 2 oratori, dal 18 al 30 dicembre 2025.`"""
    if not found.interventions or found.first is None or found.last is None:
        return ""
    days = span_of_days(found.first, found.last, both=found.on_two_days)
    if found.interventions == 1:
        return f"Un solo intervento, {days}."
    speakers = "un solo oratore" if found.speakers == 1 else f"{found.speakers} oratori"
    return f"Ne ha parlato in {found.interventions} interventi di {speakers}, {days}."


def standing(who: Standing) -> str:
    """`relatrice, della Commissione Bilancio, prima firmataria di 2 proposte sul tema`."""
    parts: list[str] = []
    if who.capacity == "government":
        parts.append(_lower_first(who.office_printed) if who.office_printed else "membro del Governo")
    elif who.capacity == "rapporteur":
        parts.append("relatrice" if who.female else "relatore")
    if who.chair and who.chair.body:
        rank = "vicepresidente" if who.chair.vice else "presidente"
        parts.append(f"{rank} {of_committee(who.chair.body)}")
    elif who.chair:
        parts.append("presidente del gruppo Misto" if who.chair.of_mixed else "presidente del gruppo")
    elif who.seat:
        parts.append(of_committee(who.seat))
    if who.first_signatures:
        acts = "di una proposta" if who.first_signatures == 1 else f"di {who.first_signatures} proposte"
        parts.append(f"{'prima firmataria' if who.female else 'primo firmatario'} {acts} sul tema")
    if who.group_now:
        parts.append(f"oggi nel gruppo {who.group_now}")
    return ", ".join(parts)


def _lower_first(printed: str) -> str:
    return printed[:1].lower() + printed[1:]


def introduce(
    record: SpeechRecord,
    *,
    reporter: Reporter,
    name: str,
    who: str,
    point: str | None,
    again: bool,
    dated: bool = True,
) -> str:
    """`A proposito di pensioni, Anna Rossi, relatrice, ha sostenuto il 18 dicembre 2025:`"""
    part = facts.phase(record)
    place = f", {_PHASES[part]}" if part else ""
    when = f", {on_day(record.date)}" if dated else ""
    if again:
        return f"Ancora {name}{when}{place}:"
    subject = f"{name}, {who}," if who else name
    lead = f"A proposito di {point}, " if point else ""
    verb = reporter.reporting()
    if verb == "ha dichiarato" and part == "vote":  # "ha dichiarato nelle dichiarazioni di voto"
        verb = reporter.reporting()
    if verb is None:
        return f"{lead}{subject.removesuffix(',')}{when}{place}:"
    return f"{lead}{subject} {verb}{f'{when}{place}'.removeprefix(',')}:"


def introduction(
    question: Question,
    *,
    corpus_title: str,
    activity: Activity,
    sitting_days: int,
    spoke: Mapping[Kind, Sequence[str]],
    silent: Sequence[str],
) -> str:
    """Two or three sentences: how much was said, who is quoted, who is not."""
    asked = question.topic[:1].lower() + question.topic[1:]
    searched = f"– {corpus_title}, {until_day(question.reference_date)} –"
    if not activity.interventions or activity.first is None or activity.last is None:
        return f"Nel corpus consultato {searched} non risultano interventi sul tema «{asked}»."
    speeches = counted(activity.interventions, "intervento", "interventi")
    speakers = counted(activity.speakers, "oratore", "oratori")
    days = counted(sitting_days, "giorno di seduta", "giorni di seduta")
    text = (
        f"Sul tema «{asked}» il corpus consultato {searched} contiene {speeches} "
        f"di {speakers} in {days}, {span_of_days(activity.first, activity.last, both=sitting_days == 2)}."
    )
    present = []
    if spoke.get("government"):
        present.append("il Governo")
    if majority := len(spoke.get("majority", ())):
        present.append(counted(majority, "gruppo di maggioranza", "gruppi di maggioranza"))
    if opposition := len(spoke.get("opposition", ())):
        present.append(counted(opposition, "gruppo di opposizione", "gruppi di opposizione"))
    if spoke.get("mixed"):
        present.append("il gruppo Misto")
    if present:
        one = sum(map(len, spoke.values())) == 1
        text += f" {'È citato' if one else 'Sono citati'} {listed(present)}."
    if not any(spoke.values()):
        return f"{text} {NOTHING_QUOTABLE}"
    if silent:
        text += f" Nessuna citazione per: {listed(silent)}."
    return text
