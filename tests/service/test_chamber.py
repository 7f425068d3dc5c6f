"""Groups and components of a chamber: dated names, dated sides, and no guess."""

from datetime import date
from itertools import pairwise

import pytest
from pyoxigraph import Store

from service.chamber import Chamber
from service.graph import EmbeddedGraph, GraphStore
from tests.conftest import Esperia

OCD = "http://dati.esperia.example/ocd/"
CENTRE = f"{OCD}gruppoParlamentare.rdf/gr103"
BEFORE, AFTER = date(2024, 11, 1), date(2026, 2, 11)


def mixed(chamber: Chamber) -> str:
    (group,) = {o.parent for o in chamber.organisations.values() if o.parent}
    return group


def test_a_group_keeps_its_iri_through_a_change_of_name_F8(esperia: Esperia) -> None:
    group = esperia.chamber.organisations[CENTRE]
    assert group.name_on(BEFORE).casefold() == "centro civico"
    assert group.name_on(AFTER).casefold() == group.present_name.casefold() == "centro civico liberale"
    assert group.sigla_on(BEFORE) != group.sigla_on(AFTER)
    assert group.name_on(date(1999, 1, 1)) == group.present_name
    assert group.sigla_on(date(1999, 1, 1)) is None


def test_the_names_of_a_group_never_overlap(esperia: Esperia) -> None:
    for organisation in esperia.chamber.organisations.values():
        names = sorted(organisation.names, key=lambda name: name.begin)
        for earlier, later in pairwise(names):
            assert earlier.until
            assert earlier.until < later.begin


def test_the_mixed_group_has_no_side_and_its_components_may_F12(esperia: Esperia) -> None:
    chamber = esperia.chamber
    group = mixed(chamber)
    sides = chamber.sides_on(AFTER)
    assert group not in sides
    parts = chamber.components_of(group)
    assert len(parts) >= 2
    assert [part for part in parts if part in sides]
    assert all(chamber.is_mixed(iri) for iri in (group, *parts))
    assert not chamber.is_mixed(CENTRE)
    assert not chamber.is_mixed("http://a.example/unknown")
    assert chamber.components_of(CENTRE) == ()


def test_a_side_is_one_of_its_day_and_none_before_there_was_a_government_F10(esperia: Esperia) -> None:
    assert esperia.chamber.sides_on(AFTER)[CENTRE] == "majority"
    assert set(esperia.chamber.sides_on(AFTER).values()) == {"majority", "opposition"}
    assert esperia.chamber.sides_on(date(2024, 10, 21)) == {}
    component = f"{OCD}componenteGruppoMisto.rdf/cgm122"
    assert component not in esperia.chamber.sides_on(date(2025, 2, 2))
    assert esperia.chamber.sides_on(date(2025, 2, 3))[component] == "opposition"


def test_every_bloc_stands_once_in_a_fixed_order_with_the_government_first_F59(esperia: Esperia) -> None:
    blocs = esperia.chamber.blocs
    assert blocs[0] == "government"
    assert list(blocs[1:]) == sorted(set(blocs[1:]))


@pytest.mark.parametrize("name", ["Centro Civico", "centro civico liberale", " CC ", CENTRE])
def test_people_name_a_group_by_any_of_its_names(esperia: Esperia, name: str) -> None:
    assert esperia.chamber.find(name) == (CENTRE,)


def test_a_group_brings_its_components_with_it(esperia: Esperia) -> None:
    group = mixed(esperia.chamber)
    assert set(esperia.chamber.find("misto")) == {group, *esperia.chamber.components_of(group)}


@pytest.mark.parametrize("name", ["", "  ", "Centro", "entro Civico", "C"])
def test_a_part_of_a_name_names_nobody_F11(esperia: Esperia, name: str) -> None:
    assert esperia.chamber.find(name) == ()


def test_both_forms_of_the_graph_give_the_same_chamber(esperia: Esperia, esperia_graph: GraphStore) -> None:
    chamber = Chamber(esperia_graph)
    assert chamber.organisations == esperia.chamber.organisations
    assert chamber.sides_on(AFTER) == esperia.chamber.sides_on(AFTER)


def test_an_empty_store_has_a_government_at_most() -> None:
    chamber = Chamber(EmbeddedGraph(Store()))
    assert chamber.blocs == ("government",)
    assert chamber.sides_on(AFTER) == {}
