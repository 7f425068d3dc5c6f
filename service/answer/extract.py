"""Writes an answer without a language model, from the graph's facts and verified quotations."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from loaders.names import organisation_name
from service.answer import phrases
from service.answer.model import Activity, Kind, Quotation
from service.authority.score import Authority, Features
from service.chamber import Chamber
from service.question import Question
from service.thesaurus import Concept, Thesaurus, stems, words

SHARED: Final = 4
"""Passages that must name a concept before it counts as a point of the debate."""
NOTHING: Final = "Nel corpus consultato non risultano interventi su questo tema."
NOTHING_QUOTABLE: Final = "Nessun passo si presta a essere citato da solo."

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
    points: Collection[str],
    group_names: Callable[[str], str],
    reporter: phrases.Reporter,
) -> str:
    """The text of a section: how much was said, then each quotation introduced, as `«{q1}»`."""
    if not activity.interventions and not quotations:
        return NOTHING
    sentences = [_activity(activity)]
    if not quotations:
        return " ".join([*sentences, NOTHING_QUOTABLE])
    committees = {match.iri for match in question.committees}
    told_points: set[str] = set()
    told: set[str] = set()
    for position, quotation in enumerate(quotations, start=1):
        record = quotation.speech
        speaker = record.speaker or ""
        point = next(
            (
                concept
                for concept in thesaurus.match(quotation.exact)
                if concept.iri in points and concept.iri not in told_points and _is_named(concept, quotation.exact)
            ),
            None,
        )
        if point:
            told_points.add(point.iri)
        who = (
            phrases.standing(
                record,
                features.get(speaker),
                authorities.get(speaker),
                committees=committees,
                group_now=group_names(quotation.group_now) if quotation.group_now else None,
            )
            if speaker not in told
            else ""
        )
        lead = phrases.introduce(
            record,
            reporter=reporter,
            name=record.name or "Un oratore",
            who=who,
            point=point.label if point else None,
            again=speaker in told,
        )
        told.add(speaker)
        sentences.append(f"{lead} «{{q{position}}}»")
    return " ".join(sentences)


def _activity(activity: Activity) -> str:
    if not activity.interventions or activity.first is None or activity.last is None:
        return ""
    days = phrases.span_of_days(activity.first, activity.last, both=activity.interventions == 2)
    if activity.interventions == 1:
        return f"Un solo intervento, {days}."
    speakers = "un solo oratore" if activity.speakers == 1 else f"{activity.speakers} oratori"
    return f"Ne ha parlato in {activity.interventions} interventi di {speakers}, {days}."


def _is_named(concept: Concept, text: str) -> bool:
    """Whether a label stands in the text word for word: "il rifiuto" does not speak of "rifiuti"."""
    spoken = f" {' '.join(words(text))} "
    return any(f" {' '.join(words(label))} " in spoken for label in concept.labels)


def shared_points(passages: Iterable[str], question: Question, thesaurus: Thesaurus) -> frozenset[str]:
    """The concepts, other than the question's own, that several passages of the evidence share.

    A concept whose name is mostly made of the topic's words is the topic itself, not a point,
    and one that joins two matters ("famiglia e natalità") is a whole field.
    """
    counts = Counter(concept for passage in passages for concept in thesaurus.match(passage))
    topic = set(stems(question.lexical))
    return frozenset(
        concept.iri
        for concept, number in counts.items()
        if number >= SHARED
        and concept not in question.concepts
        and not {"e", "ed"}.intersection(words(concept.label))
        and 2 * len(topic.intersection(stems(concept.label))) < len(stems(concept.label))
    )


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
    searched = f"– {corpus_title}, {phrases.until_day(question.reference_date)} –"
    if not activity.interventions or activity.first is None or activity.last is None:
        return f"Nel corpus consultato {searched} non risultano interventi sul tema «{asked}»."
    speeches = phrases.counted(activity.interventions, "intervento", "interventi")
    speakers = phrases.counted(activity.speakers, "oratore", "oratori")
    days = phrases.counted(sitting_days, "giorno di seduta", "giorni di seduta")
    text = (
        f"Sul tema «{asked}» il corpus consultato {searched} contiene {speeches} "
        f"di {speakers} in {days}, {phrases.span_of_days(activity.first, activity.last)}."
    )
    present = []
    quoted = sum(map(len, spoke.values()))
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
        text += f" {'È citato' if quoted == 1 else 'Sono citati'} {phrases.listed(present)}."
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
