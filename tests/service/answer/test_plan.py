"""Which sections an answer has: decided by the graph's dated facts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from service.answer import italian
from service.answer.model import Answer
from service.answer.plan import Slot, plan
from service.chamber import Chamber, DatedName, Organisation
from service.evidence import GOVERNMENT, UNSEATED
from service.pipeline import Engine
from service.question import Filters
from tests.conftest import Esperia
from tests.service.answer.making import question

DAY = date(2026, 2, 4)


def organisation(iri: str, name: str, parent: str | None = None, begin: date = date(2022, 10, 13)) -> Organisation:
    return Organisation(iri, parent is not None, parent, name, (DatedName(name, None, begin, None),))


def chamber(sides: dict[str, str]) -> Chamber:
    """Groups M and O, a new group N, the gruppo misto X with two components."""
    house = Chamber.__new__(Chamber)
    members = (
        organisation("urn:O", "Opposizione civica"),
        organisation("urn:M", "Maggioranza civica"),
        organisation("urn:N", "Nuovi arrivati", begin=date(2026, 1, 10)),
        organisation("urn:X", "Misto"),
        organisation("urn:X1", "Minoranze", parent="urn:X"),
        organisation("urn:X2", "Scienza", parent="urn:X"),
    )
    house.organisations = {o.iri: o for o in members}
    house._sides = dict.fromkeys((DAY, date(2025, 6, 1)), sides)
    return house


SIDES = {"urn:M": "majority", "urn:O": "opposition", "urn:X1": "majority", "urn:X2": "opposition"}


def sections(speaking: set[str], sides: dict[str, str] = SIDES, **asked: Any) -> list[tuple[str, str]]:
    asked_with = question(**{"reference_date": DAY, **asked})
    return [(slot.kind, slot.bloc) for slot in plan(asked_with, chamber(sides), speaking, italian)]


def test_the_government_comes_first_then_majority_opposition_and_misto() -> None:
    assert sections({"urn:X1"}) == [
        ("government", GOVERNMENT),
        ("majority", "urn:M"),
        ("opposition", "urn:O"),
        ("mixed", "urn:X1"),
        ("other", "urn:N"),
    ]


def test_every_group_has_a_section_whether_it_spoke_or_not() -> None:
    assert {bloc for _, bloc in sections(set())} == {GOVERNMENT, "urn:M", "urn:O", "urn:N", "urn:X"}


def test_a_group_of_unknown_side_is_other_and_never_opposition_F10_F12() -> None:
    assert ("other", "urn:N") in sections(set())
    kinds = {bloc: kind for kind, bloc in sections(set(), sides={})}
    assert kinds == {GOVERNMENT: "government", "urn:M": "other", "urn:O": "other", "urn:N": "other", "urn:X": "mixed"}


def test_a_side_that_no_scheme_knows_is_other_F10() -> None:
    assert ("other", "urn:M") in sections(set(), sides={"urn:M": "abstained"})


def test_external_support_stands_with_the_majority() -> None:
    assert ("majority", "urn:N") in sections(set(), sides={"urn:N": "external-support"})


def test_misto_speaks_by_component_and_has_no_side_of_its_own_F12() -> None:
    slots = plan(question(reference_date=DAY), chamber(SIDES), {"urn:X1", "urn:X2"}, italian)
    mixed = [slot for slot in slots if slot.kind == "mixed"]
    assert mixed == [
        Slot("mixed", "urn:X1", "urn:X", "urn:X1", "Misto, componente Minoranze"),
        Slot("mixed", "urn:X2", "urn:X", "urn:X2", "Misto, componente Scienza"),
    ]


def test_members_of_misto_without_a_component_have_a_section_of_their_own() -> None:
    assert [bloc for kind, bloc in sections({"urn:X", "urn:X2"}) if kind == "mixed"] == ["urn:X", "urn:X2"]


def test_a_group_that_did_not_exist_yet_has_no_section() -> None:
    assert "urn:N" not in {bloc for _, bloc in sections(set(), reference_date=date(2025, 6, 1))}


def test_guests_have_a_section_where_they_spoke() -> None:
    assert ("other", UNSEATED) in sections({UNSEATED})
    assert ("other", UNSEATED) not in sections(set())


def test_a_filter_leaves_only_the_groups_that_were_asked_for() -> None:
    assert sections(set(), filters=Filters(groups=("urn:O",))) == [("opposition", "urn:O")]
    assert sections(set(), filters=Filters(groups=("government",))) == [("government", GOVERNMENT)]


def test_groups_are_named_as_on_the_reference_date() -> None:
    renamed = replace(
        organisation("urn:O", "Nome nuovo"),
        names=(
            DatedName("Nome vecchio", None, date(2022, 10, 13), date(2025, 12, 31)),
            DatedName("Nome nuovo", None, date(2026, 1, 1), None),
        ),
    )
    house = chamber(SIDES)
    house.organisations["urn:O"] = renamed
    for day, name in ((date(2025, 6, 1), "Nome vecchio"), (DAY, "Nome nuovo")):
        (slot,) = plan(question(reference_date=day, filters=Filters(groups=("urn:O",))), house, set(), italian)
        assert slot.title == name


def test_ministers_speak_in_the_section_of_the_government_and_nowhere_else_F4_Q15(
    answers: dict[str, Answer], engine: Engine
) -> None:
    quoted = 0
    for answer in answers.values():
        for section in answer.sections:
            for quotation in section.quotations:
                assert (quotation.speech.capacity == "government") == (section.kind == "government")
                quoted += section.kind == "government"
    assert quoted


def test_every_group_of_esperia_has_a_section_in_every_answer(
    answers: dict[str, Answer], answer_to: Callable[[str], Answer], esperia: Esperia
) -> None:
    groups = {o.iri for o in esperia.chamber.organisations.values() if not o.is_component}
    for answer in (*answers.values(), answer_to("il ponte sullo Stretto di Gibilterra e le balene")):
        assert {s.group for s in answer.sections if s.group} == groups
        assert answer.sections[0].kind == "government"
        for section in answer.sections:
            assert section.text.strip()


@pytest.mark.parametrize("topic", ["il salario minimo legale", "l'energia nucleare"])
def test_quotations_stand_in_the_section_of_their_own_group_F104(
    answer_to: Callable[[str], Answer], topic: str
) -> None:
    for section in answer_to(topic).sections:
        for quotation in section.quotations:
            if section.kind != "government":
                assert quotation.speech.group == section.group
                assert quotation.speech.component == section.component
