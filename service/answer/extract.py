"""Writes an answer without a language model, from the graph's facts and verified quotations."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from loaders.names import organisation_name
from service.answer import phrases
from service.answer.model import Activity, Kind, Quotation
from service.authority.score import Authority, Features
from service.chamber import Chamber
from service.question import Question
from service.thesaurus import Concept, Thesaurus

NOTHING: Final = "Nel corpus consultato non risultano interventi su questo tema."
NOTHING_QUOTABLE: Final = "Nessun passo, però, si presta a essere citato da solo."

SIDES: Final[Mapping[Kind, str]] = {
    "government": "Governo",
    "majority": "maggioranza",
    "opposition": "opposizione",
    "mixed": "gruppo Misto",
    "other": "fuori dai gruppi",
}


def section_text(
    quotations: Sequence[Quotation],
    activity: Activity,
    *,
    question: Question,
    features: Mapping[str, Features],
    authorities: Mapping[str, Authority],
    thesaurus: Thesaurus,
    group_names: Callable[[str], str],
    reporter: phrases.Reporter,
) -> str:
    """The text of a section: how much was said, then each quotation introduced, as `«{q1}»`."""
    if not activity.interventions and not quotations:
        return NOTHING
    sentences = [_activity(activity)]
    if not quotations:
        return " ".join([*sentences, NOTHING_QUOTABLE])
    known = {concept.iri for concept in question.concepts}
    told: set[str] = set()
    for position, quotation in enumerate(quotations, start=1):
        record = quotation.speech
        speaker = record.speaker or ""
        point = _point(quotation, thesaurus, known)
        if point:
            known.add(point.iri)
        who = (
            phrases.standing(
                record,
                features.get(speaker),
                authorities.get(speaker),
                group_names(quotation.group_now) if quotation.group_now else None,
            )
            if speaker not in told
            else ""
        )
        told.add(speaker)
        lead = phrases.introduce(
            record,
            reporter=reporter,
            name=record.name or "Un oratore",
            who=who,
            point=point.label if point else None,
        )
        sentences.append(f"{lead} «{{q{position}}}»")
    return " ".join(sentences)


def _activity(activity: Activity) -> str:
    if not activity.interventions or activity.first is None or activity.last is None:
        return ""
    speeches = phrases.counted(activity.interventions, "intervento", "interventi")
    speakers = phrases.counted(activity.speakers, "oratore", "oratori")
    return f"Ne ha parlato in {speeches} di {speakers}, {phrases.span_of_days(activity.first, activity.last)}."


def _point(quotation: Quotation, thesaurus: Thesaurus, known: set[str]) -> Concept | None:
    """A concept that the quotation names and that is not the question's own."""
    return next((c for c in thesaurus.match(quotation.exact) if c.iri not in known), None)


def introduction(
    question: Question,
    *,
    corpus_title: str,
    activity: Activity,
    sitting_days: int,
    spoke: Mapping[Kind, Sequence[str]],
    silent: Sequence[str],
) -> str:
    """Two or three sentences whose numbers come from the data: how much, who, who not."""
    asked = question.topic[:1].lower() + question.topic[1:]
    until = phrases.day(question.reference_date)
    if not activity.interventions or activity.first is None or activity.last is None:
        return f"Nel corpus consultato ({corpus_title}, fino al {until}) non risultano interventi sul tema «{asked}»."
    speeches = phrases.counted(activity.interventions, "intervento", "interventi")
    speakers = phrases.counted(activity.speakers, "oratore", "oratori")
    days = phrases.counted(sitting_days, "giorno di seduta", "giorni di seduta")
    text = (
        f"Sul tema «{asked}» il corpus consultato ({corpus_title}, fino al {until}) contiene {speeches} "
        f"di {speakers} in {days}, {phrases.span_of_days(activity.first, activity.last)}."
    )
    present = []
    if spoke.get("government"):
        present.append("il Governo")
    for kind, singular, plural in (
        ("majority", "un gruppo di maggioranza", "gruppi di maggioranza"),
        ("opposition", "un gruppo di opposizione", "gruppi di opposizione"),
    ):
        number = len(spoke.get(kind, ()))  # type: ignore[call-overload]
        if number:
            present.append(singular if number == 1 else f"{number} {plural}")
    if spoke.get("mixed"):
        present.append("il gruppo Misto")
    if present:
        text += f" Sono citati {phrases.listed(present)}."
    if silent:
        text += f" Nessuna citazione per: {phrases.listed(list(silent))}."
    return text


def bloc_name(bloc: str, chamber: Chamber, question: Question) -> str:
    """A bloc's name on the reference date, as a text writes it."""
    if bloc == "government":
        return "Governo"
    organisation = chamber.organisations.get(bloc)
    if organisation is None:
        return "Altri oratori"
    name = organisation_name(organisation.name_on(question.reference_date))
    return f"Misto, componente {name}" if organisation.is_component else name
