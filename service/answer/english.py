"""The English of the writer, as a news agency writes it; names of groups, bodies and offices stay as recorded.

Pure functions and closed lists. Reporting phrases are neutral: none says whether the speaker
is right, insisted or concluded. Quotations keep the marks of their own language.
"""

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

LANGUAGE: Final[Language] = "en"
NOTHING: Final = "The corpus consulted holds no speeches on this topic."
NOTHING_QUOTABLE: Final = "No passage lends itself to being quoted on its own."
ITALIAN_RECORD: Final = "The record is in Italian: a question in Italian may find more."
GOVERNMENT: Final = "Government"
OTHERS: Final = "Other speakers"
SOMEBODY: Final = "A speaker"
SIDES: Final[Mapping[Kind, str]] = {
    "government": "government",
    "majority": "majority",
    "opposition": "opposition",
    "mixed": "gruppo Misto",
    "other": "outside the groups",
}
MONTHS: Final = (
    """
    January February March April May June July August September October November December
    """
).split()
REPORTING: Final[tuple[str, ...]] = (
    "said",
    "argued",
    "stated",
    "told the house",
    "remarked",
    "declared",
    "explained",
    "set out this view",
    "made this argument",
    "put it this way",
    "commented",
    "took this position",
    "offered this assessment",
    "described the matter in these terms",
    "spoke in these terms",
    "raised this point",
    "addressed the subject in these words",
    "observed",
    "expressed this opinion",
    "put forward this reasoning",
    "framed the question as follows",
    "drew attention to this aspect",
    "gave this reading",
    "presented the case like this",
    "chose these words",
    "brought this consideration to the debate",
    "placed this assessment on the record",
    "advanced this reason",
    "developed this line of thought",
    "dealt with the issue as follows",
    "contributed this reflection",
    "spoke of it like this",
    "stressed one element",
    "outlined this position",
    "voiced this judgment",
)
_PHASES: Final[Mapping[Phase, str]] = {
    "vote": "during explanations of vote",
    "general": "during the general debate",
    "reply": "in reply to the debate",
    "resolutions": "during the examination of accompanying resolutions",
    "articles": "during the article-by-article examination",
    "questions": "during questions",
    "interpellations": "during interpellations",
    "motions": "during the debate on motions",
    "statement": "in the debate on a statement by the government",
}


def day(value: date) -> str:
    """`18 December 2025`."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def on_day(value: date) -> str:
    """`on 18 December 2025`."""
    return f"on {day(value)}"


def span_of_days(first: date, last: date, *, both: bool = False) -> str:
    """`on 18 December 2025`, or `from 18 to 30 December 2025`, naming month and year once if shared.

    With `both`, the two days are all there is: `on 18 and 30 December 2025`.
    """
    if first == last:
        return on_day(first)
    begin = day(first)
    if first.year == last.year:
        begin = str(first.day) if first.month == last.month else begin.rsplit(" ", 1)[0]
    return f"on {begin} and {day(last)}" if both else f"from {begin} to {day(last)}"


def counted(number: int, singular: str, plural: str) -> str:
    """`one speech`, `3 speeches`: figures, but a word for one."""
    return f"one {singular}" if number == 1 else f"{number} {plural}"


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; `a; b, c` where the items have commas of their own."""
    return joined(items, "and")


def component(name: str) -> str:
    """`Misto, component Minoranze linguistiche`."""
    return f"Misto, component {name}"


def of_committee(label: str) -> str:
    """`of the Commissione Bilancio`."""
    return f"of the {facts.committee(label)}"


def activity(found: Activity) -> str:
    """`3 speeches by 2 speakers, from 18 to 30 December 2025.`"""
    if not found.interventions or found.first is None or found.last is None:
        return ""
    days = span_of_days(found.first, found.last, both=found.on_two_days)
    if found.interventions == 1:
        return f"A single speech, {days}."
    speakers = "a single speaker" if found.speakers == 1 else f"{found.speakers} speakers"
    return f"The topic came up in {found.interventions} speeches by {speakers}, {days}."


def standing(who: Standing) -> str:
    """`rapporteur, member of the Commissione Bilancio, first signatory of 2 proposals on the topic`."""
    parts: list[str] = []
    if who.capacity == "government":
        parts.append(who.office_printed or "member of the government")
    elif who.capacity == "rapporteur":
        parts.append("rapporteur")
    if who.chair and who.chair.body:
        parts.append(f"{'deputy chair' if who.chair.vice else 'chair'} {of_committee(who.chair.body)}")
    elif who.chair:
        parts.append("chair of the gruppo Misto" if who.chair.of_mixed else "chair of the group")
    elif who.seat:
        parts.append(f"member {of_committee(who.seat)}")
    if who.first_signatures:
        parts.append(f"first signatory of {counted(who.first_signatures, 'proposal', 'proposals')} on the topic")
    if who.group_now:
        parts.append(f"now in the group {who.group_now}")
    return ", ".join(parts)


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
    """`On pensions, Anna Rossi, rapporteur, said on 18 December 2025:`"""
    part = facts.phase(record)
    place = f", {_PHASES[part]}" if part else ""
    when = f", {on_day(record.date)}" if dated else ""
    if again:
        return f"{name} again{when}{place}:"
    subject = f"{name}, {who}," if who else name
    lead = f"On {point}, " if point else ""
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
    """Three or four sentences: how much was said, who is quoted, who is not, and in what language."""
    asked = question.topic[:1].lower() + question.topic[1:]
    searched = f"– {corpus_title}, up to {day(question.reference_date)} –"
    if not activity.interventions or activity.first is None or activity.last is None:
        return f"The corpus consulted {searched} holds no speeches on “{asked}”. {ITALIAN_RECORD}"
    speeches = counted(activity.interventions, "speech", "speeches")
    speakers = counted(activity.speakers, "speaker", "speakers")
    days = counted(sitting_days, "sitting day", "sitting days")
    text = (
        f"On “{asked}” the corpus consulted {searched} holds {speeches} "
        f"by {speakers} on {days}, {span_of_days(activity.first, activity.last, both=sitting_days == 2)}."
    )
    present = []
    if spoke.get("government"):
        present.append("the government")
    if majority := len(spoke.get("majority", ())):
        present.append(counted(majority, "majority group", "majority groups"))
    if opposition := len(spoke.get("opposition", ())):
        present.append(counted(opposition, "opposition group", "opposition groups"))
    if spoke.get("mixed"):
        present.append("the gruppo Misto")
    if present:
        text += f" The answer quotes {listed(present)}."
    if not any(spoke.values()):
        return f"{text} {NOTHING_QUOTABLE}"
    if silent:
        text += f" No quotation for: {listed(silent)}."
    if spoke:
        text += " Quotations are in Italian, as they were spoken."
    return text
