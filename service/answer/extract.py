"""Writes an answer without a language model, from the graph's facts and verified quotations."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from loaders.names import organisation_name
from service.answer.model import Activity, Quotation
from service.answer.standing import standing
from service.answer.wording import Reporter, Wording
from service.authority.score import Authority, Features
from service.chamber import Chamber
from service.question import Question
from service.thesaurus import Concept, Thesaurus, stems, words

SHARED: Final = 4
"""Passages that must name a concept before it counts as a point of the debate."""


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
    reporter: Reporter,
    wording: Wording,
) -> str:
    """The text of a section: how much was said, then each quotation introduced, as `«{q1}»`."""
    if not activity.interventions and not quotations:
        return wording.NOTHING
    sentences = [told] if (told := wording.activity(activity)) else []
    if not quotations:
        return " ".join([*sentences, wording.NOTHING_QUOTABLE])
    committees = {match.iri for match in question.committees}
    told_points: set[str] = set()
    introduced: set[str] = set()
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
            wording.standing(
                standing(
                    record,
                    features.get(speaker),
                    authorities.get(speaker),
                    committees=committees,
                    group_now=group_names(quotation.group_now) if quotation.group_now else None,
                )
            )
            if speaker not in introduced
            else ""
        )
        lead = wording.introduce(
            record,
            reporter=reporter,
            name=record.name or wording.SOMEBODY,
            who=who,
            point=point.label_in(wording.LANGUAGE) if point else None,
            again=speaker in introduced,
            dated=not (told and activity.first == activity.last == record.date),
        )
        introduced.add(speaker)
        sentences.append(f"{lead} «{{q{position}}}»")
    return " ".join(sentences)


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


def bloc_name(bloc: str, chamber: Chamber, question: Question, wording: Wording) -> str:
    """A bloc's name on the reference date, as a text writes it."""
    if bloc == "government":
        return wording.GOVERNMENT
    organisation = chamber.organisations.get(bloc)
    if organisation is None:
        return wording.OTHERS
    name = organisation_name(organisation.name_on(question.reference_date))
    return wording.component(name) if organisation.is_component else name
