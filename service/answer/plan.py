"""Which sections an answer has, in which order: decided by the data, never by a language model."""

from collections.abc import Collection
from dataclasses import dataclass

from service.answer.extract import bloc_name
from service.answer.model import Kind
from service.answer.wording import Wording
from service.chamber import Chamber
from service.evidence import GOVERNMENT, UNSEATED
from service.question import Question


@dataclass(frozen=True, slots=True)
class Slot:
    """A section to be filled: whose it is, and where it belongs."""

    kind: Kind
    bloc: str
    group: str | None
    component: str | None
    title: str


_ORDER: dict[Kind, int] = {"government": 0, "majority": 1, "opposition": 2, "mixed": 3, "other": 4}


def plan(question: Question, chamber: Chamber, speaking: Collection[str], wording: Wording) -> tuple[Slot, ...]:
    """Lay out the sections: government, majority, opposition, gruppo misto by component, others.

    Every group that exists on the reference date has one, whether it spoke or not. A
    component of the gruppo misto, the gruppo misto itself and guests have one where they
    spoke; if none of the mixed ones did, the gruppo misto has one that says so.
    """
    sides = chamber.sides_on(question.reference_date)
    wanted = set(question.filters.groups)
    slots = [Slot("government", GOVERNMENT, None, None, wording.GOVERNMENT)]
    mixed: list[Slot] = []
    for organisation in chamber.organisations.values():
        if not any(name.begin <= question.reference_date for name in organisation.names):
            continue
        title = bloc_name(organisation.iri, chamber, question, wording)
        if chamber.is_mixed(organisation.iri):
            group = organisation.parent or organisation.iri
            component = organisation.iri if organisation.is_component else None
            mixed.append(Slot("mixed", organisation.iri, group, component, title))
        else:
            side = sides.get(organisation.iri)
            kind: Kind = (
                "majority"
                if side in ("majority", "external-support")
                else "opposition"
                if side == "opposition"
                else "other"
            )
            slots.append(Slot(kind, organisation.iri, organisation.iri, None, title))
    heard = [slot for slot in mixed if slot.bloc in speaking]
    slots += heard or [slot for slot in mixed if slot.component is None]
    if UNSEATED in speaking:
        slots.append(Slot("other", UNSEATED, None, None, wording.OTHERS))
    kept = [slot for slot in slots if not wanted or slot.bloc in wanted]
    return tuple(sorted(kept, key=lambda slot: (_ORDER[slot.kind], slot.component or "", slot.title, slot.bloc)))
