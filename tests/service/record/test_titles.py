"""Titles follow the person's gender; the printed form is what a man's, and an unknown person's, title is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.record.register import Someone
from service.record.titles import of_gender


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("Ministro della Salute", "Ministra della Salute"),
        ("Ministro per gli Affari europei, il PNRR", "Ministra per gli Affari europei, il PNRR"),
        ("Ministro senza portafoglio", "Ministra senza portafoglio"),
        ("Vice Ministro degli Affari esteri", "Vice Ministra degli Affari esteri"),
        ("Sottosegretario di Stato alla Presidenza", "Sottosegretaria di Stato alla Presidenza"),
        ("Presidente del Consiglio dei Ministri", "Presidente del Consiglio dei Ministri"),
        ("Vicepresidente e Ministro dell'Interno", "Vicepresidente e Ministra dell'Interno"),
        ("SEGRETARIO", "SEGRETARIA"),
        ("deputato", "deputata"),
        ("Delegato d'Aula", "Delegata d'Aula"),
        ("Segretario del gruppo del Consigliere", "Segretaria del gruppo del Consigliere"),
        ("Capogruppo", "Capogruppo"),
        ("relatore", "relatrice"),
        ("primo firmatario", "prima firmataria"),
        ("cofirmatario", "cofirmataria"),
        ("deputy", "deputy"),
    ],
)
def test_a_title_follows_the_gender(printed: str, shown: str) -> None:
    assert of_gender(printed, "female") == shown
    assert of_gender(printed, "male") == printed
    assert of_gender(printed, None) == printed


def test_an_apostrophe_of_a_registry_is_an_accent_in_the_list_too() -> None:
    someone = Someone("urn:p", "Simona Bonafè", "BONAFE'", "SIMONA", "female", "")
    assert someone.listed == "Bonafè Simona"


@given(st.text(max_size=80))
def test_any_text_keeps_its_other_letters(text: str) -> None:
    assert of_gender(text, None) == text
    shown = of_gender(text, "female")
    assert [c for c in shown if not c.isalpha()] == [c for c in text if not c.isalpha()]
