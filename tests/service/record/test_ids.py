"""Short names for addresses: back to the IRI, never two for one, nothing a proxy would alter."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.record.ids import LONGEST, ShortIds

SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]*")
iris = st.one_of(
    st.text(min_size=1, max_size=60),
    st.from_regex(r"http://[a-z]{1,3}\.example/[a-zA-Z]{0,2}[/#?=]p[0-9]{1,2}[/.]?", fullmatch=True),
)


@given(st.lists(iris, max_size=12))
def test_every_short_name_leads_back_to_its_own_iri_F136(found: list[str]) -> None:
    ids = ShortIds(found)
    names = {iri: ids.of(iri) for iri in found}
    assert len({name.casefold() for name in names.values() if name}) == len(set(found))
    for iri, name in names.items():
        assert name is not None
        assert ids.iri(name) == iri
        assert SAFE.fullmatch(name)
        assert len(name) <= LONGEST
        assert set(name) != {"."}


@given(st.text(max_size=40))
def test_what_stands_for_nothing_is_nothing(name: str) -> None:
    ids = ShortIds(["http://dati.camera.it/ocd/persona.rdf/p12345"])
    assert ids.iri(name) == ("http://dati.camera.it/ocd/persona.rdf/p12345" if name == "p12345" else None)
    assert ids.of(name) is None


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://dati.camera.it/ocd/persona.rdf/p12345", "p12345"),
        ("http://dati.camera.it/ocd/persona.rdf/pr7", "pr7"),
        ("http://dati.senato.it/senatore/29045", "29045"),
        ("https://www.europarl.europa.eu/meps/en/124831/", "124831"),
        ("https://example.org/people#anna-rossi", "anna-rossi"),
        ("urn:lex:it:persona:rossi", "rossi"),
    ],
)
def test_persons_of_other_parliaments_have_readable_names(iri: str, name: str) -> None:
    assert ShortIds([iri]).of(iri) == name


def test_two_persons_of_one_number_are_told_apart() -> None:
    camera, senato = "http://dati.camera.it/persona/29045", "http://dati.senato.it/senatore/29045"
    ids = ShortIds([camera, senato])
    assert ids.iri("29045") is None
    first, second = ids.of(camera), ids.of(senato)
    assert first
    assert first != second
    assert first.startswith("29045~")
