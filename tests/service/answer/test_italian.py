"""The Italian of answers: dates with their elisions, numbers, lists, standing, and no phrase twice."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.answer import english, italian, model
from service.answer.italian import REPORTING
from service.answer.standing import committee, standing
from service.answer.wording import Reporter, Wording
from service.authority.score import Activity, Authority, Components, Features, Office, Seat
from service.evidence import SpeechRecord
from tests.service.answer.making import speech


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (date(2025, 12, 18), "il 18 dicembre 2025"),
        (date(2025, 12, 8), "l'8 dicembre 2025"),
        (date(2025, 3, 11), "l'11 marzo 2025"),
        (date(2025, 5, 1), "il 1º maggio 2025"),
        (date(2025, 5, 21), "il 21 maggio 2025"),
    ],
)
def test_a_day_is_written_with_its_article(day: date, text: str) -> None:
    assert italian.on_day(day) == text


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (date(2025, 12, 18), date(2025, 12, 18), "il 18 dicembre 2025"),
        (date(2025, 12, 18), date(2025, 12, 30), "dal 18 al 30 dicembre 2025"),
        (date(2025, 12, 1), date(2025, 12, 8), "dal 1º all'8 dicembre 2025"),
        (date(2025, 12, 8), date(2025, 12, 11), "dall'8 all'11 dicembre 2025"),
        (date(2025, 1, 14), date(2025, 10, 8), "dal 14 gennaio all'8 ottobre 2025"),
        (date(2024, 11, 8), date(2025, 2, 1), "dall'8 novembre 2024 al 1º febbraio 2025"),
    ],
)
def test_a_range_of_days_names_month_and_year_once(first: date, last: date, text: str) -> None:
    assert italian.span_of_days(first, last) == text


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (date(2025, 12, 18), date(2025, 12, 18), "il 18 dicembre 2025"),
        (date(2025, 12, 8), date(2025, 12, 30), "l'8 e il 30 dicembre 2025"),
        (date(2025, 3, 12), date(2025, 10, 8), "il 12 marzo e l'8 ottobre 2025"),
        (date(2025, 11, 18), date(2026, 2, 4), "il 18 novembre 2025 e il 4 febbraio 2026"),
    ],
)
def test_two_days_are_told_as_two(first: date, last: date, text: str) -> None:
    assert italian.span_of_days(first, last, both=True) == text


@pytest.mark.parametrize(
    ("day", "text"),
    [(date(2026, 2, 11), "fino all'11 febbraio 2026"), (date(2026, 2, 4), "fino al 4 febbraio 2026")],
)
def test_the_end_of_the_record_is_written_with_its_preposition(day: date, text: str) -> None:
    assert italian.until_day(day) == text


@given(st.dates(), st.integers(0, 4000))
def test_no_range_of_days_breaks_an_elision(first: date, later: int) -> None:
    try:
        last = first + timedelta(days=later)
    except OverflowError:
        return
    for both in (True, False):
        text = italian.span_of_days(first, last, both=both)
        assert not re.search(r"\b(?:il|dal|al) (?:8|11)\b", text)
        assert not re.search(r"l'(?!8\b|11\b)", text)
        assert str(last.year) in text


@pytest.mark.parametrize(
    ("number", "text"), [(1, "un intervento"), (2, "2 interventi"), (0, "0 interventi"), (34, "34 interventi")]
)
def test_one_is_a_word_and_the_rest_are_figures(number: int, text: str) -> None:
    assert italian.counted(number, "intervento", "interventi") == text


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a e b"),
        (["a", "b", "c"], "a, b e c"),
        (["Misto", "Misto, componente Scienza"], "Misto; Misto, componente Scienza"),
    ],
)
def test_a_list_is_joined_so_that_its_items_stay_apart(items: list[str], text: str) -> None:
    assert italian.listed(items) == text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("V COMMISSIONE (BILANCIO, TESORO E PROGRAMMAZIONE)", "Commissione Bilancio"),
        ("XIV COMMISSIONE (POLITICHE DELL'UNIONE EUROPEA)", "Commissione Politiche dell'Unione europea"),
        ("Giunta per le elezioni", "Giunta per le elezioni"),
        (
            "COMMISSIONE PARLAMENTARE DI INCHIESTA SUL FEMMINICIDIO, NONCHÉ SU OGNI FORMA DI VIOLENZA DI GENERE",
            "Commissione parlamentare di inchiesta sul femminicidio",
        ),
    ],
)
def test_a_committee_is_named_as_the_papers_do(label: str, text: str) -> None:
    assert committee(label) == text


def features(**changes: Any) -> Features:
    nothing: dict[str, Any] = dict.fromkeys(Features.__dataclass_fields__)
    lists: dict[str, Any] = dict.fromkeys(("seats", "offices", "acts", "speeches", "stances"), ())
    return Features(**{**nothing, **lists, "speaker": "urn:s", **changes})


def authority(**changes: Any) -> Authority:
    values: dict[str, Any] = {
        "speaker": "urn:s",
        "total": 0.5,
        "components": Components(None, None, 0.0, 0.0, 0.0, 0.3),
        "acts_counted": (),
        "speeches_counted": (),
        "activities_of_another_side": 0,
        "seat": None,
        "offices": (),
    }
    return Authority(**{**values, **changes})


def acts(number: int, weight: float = 1.0) -> tuple[Activity, ...]:
    return tuple(Activity(f"urn:act:{n}", date(2025, 1, 1), 0.9, weight) for n in range(number))


def introduced(wording: Wording, record: SpeechRecord, *, again: bool = False) -> str:
    reporter = Reporter(wording.REPORTING)
    return wording.introduce(record, reporter=reporter, name="Anna Rossi", who="", point=None, again=again)


BUDGET = "V COMMISSIONE (BILANCIO, TESORO E PROGRAMMAZIONE)"


@pytest.mark.parametrize(
    ("changes", "known", "weighed", "text"),
    [
        pytest.param({}, {}, {}, "", id="nothing known"),
        pytest.param({"capacity": "rapporteur"}, {"gender": "female"}, {}, "relatrice", id="rapporteur, a woman"),
        pytest.param({"capacity": "rapporteur"}, {"gender": "male"}, {}, "relatore", id="rapporteur, a man"),
        pytest.param({"capacity": "rapporteur"}, {}, {}, "relatore", id="rapporteur, gender unknown"),
        pytest.param(
            {},
            {"gender": "female"},
            {"acts_counted": acts(2)},
            "prima firmataria di 2 proposte sul tema",
            id="two bills, a woman",
        ),
        pytest.param(
            {},
            {"gender": "male"},
            {"acts_counted": acts(1)},
            "primo firmatario di una proposta sul tema",
            id="one bill, a man",
        ),
        pytest.param({}, {}, {"acts_counted": acts(5, 0.3)}, "", id="co-signatures are not told"),
        pytest.param(
            {},
            {"seats": (Seat("urn:budget", BUDGET, 0.9),)},
            {},
            "della Commissione Bilancio",
            id="a seat in a committee that the question matched",
        ),
        pytest.param({}, {"seats": (Seat("urn:other", BUDGET, 0.9),)}, {}, "", id="a seat elsewhere"),
        pytest.param(
            {},
            {"seats": (Seat("urn:budget", BUDGET, 0.9),)},
            {"offices": (Office("https://w3id.org/emiciclo/role/vice-chair", "VP", 0.7, "urn:budget", BUDGET, 0.9),)},
            "vicepresidente della Commissione Bilancio",
            id="an office in it takes the place of the seat",
        ),
        pytest.param(
            {"group": "urn:g"},
            {},
            {"offices": (Office("https://w3id.org/emiciclo/role/group-chair", "P", 0.9, "urn:g", "G", None),)},
            "presidente del gruppo",
            id="chair of the group",
        ),
        pytest.param(
            {"group": "urn:another"},
            {},
            {"offices": (Office("https://w3id.org/emiciclo/role/group-chair", "P", 0.9, "urn:g", "G", None),)},
            "",
            id="chair of another group than the one spoken for",
        ),
        pytest.param(
            {"group": "urn:misto", "component": "urn:c"},
            {},
            {"offices": (Office("https://w3id.org/emiciclo/role/group-chair", "P", 0.9, "urn:misto", "M", None),)},
            "presidente del gruppo Misto",
            id="chair of the gruppo misto in a component",
        ),
        pytest.param(
            {},
            {"seats": (Seat("urn:budget", "COMITATO PER LA LEGISLAZIONE", 0.9),)},
            {},
            "del Comitato per la legislazione",
            id="a body with a masculine name",
        ),
        pytest.param(
            {"capacity": "government", "office": "Ministra della Salute"},
            {"seats": (Seat("urn:budget", BUDGET, 0.9),)},
            {"acts_counted": acts(3)},
            "ministra della Salute",
            id="a minister is a minister and nothing else",
        ),
        pytest.param({"capacity": "government"}, {}, {}, "membro del Governo", id="a minister without printed office"),
    ],
)
def test_a_speakers_standing_is_told_from_the_graph(
    changes: dict[str, Any], known: dict[str, Any], weighed: dict[str, Any], text: str
) -> None:
    who = standing(
        speech("x", **changes), features(**known), authority(**weighed), committees={"urn:budget"}, group_now=None
    )
    assert italian.standing(who) == text


def test_a_speaker_who_changed_group_is_told_with_the_present_one_F17() -> None:
    who = standing(speech("x"), None, None, committees=(), group_now="Misto")
    assert italian.standing(who) == "oggi nel gruppo Misto"
    assert english.standing(who) == "now in the group Misto"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Dichiarazioni di voto finale", "nelle dichiarazioni di voto"),
        ("Discussione sulle linee generali - A.C. 101", "nella discussione generale"),
        ("(Repliche - A.C. 101)", "in sede di replica"),
        ("Esame degli ordini del giorno - A.C. 101", "nell'esame degli ordini del giorno"),
        ("Esame dell'articolo 1 e delle proposte emendative", "nell'esame degli articoli"),
        ("Un titolo che non dice nulla", None),
    ],
)
def test_a_phase_is_told_where_its_title_tells_it(title: str, text: str | None) -> None:
    said = introduced(italian, speech("x", phase_title=title), again=True)
    assert said == f"Ancora Anna Rossi, il 18 dicembre 2025{f', {text}' if text else ''}:"


def test_a_quotation_is_introduced_by_who_when_and_where() -> None:
    record = speech("x", phase_title="Dichiarazioni di voto", date=date(2025, 12, 8))
    told = italian.introduce(
        record, reporter=Reporter(REPORTING), name="Anna Rossi", who="relatrice", point="pensioni", again=False
    )
    assert told == (
        f"A proposito di pensioni, Anna Rossi, relatrice, {REPORTING[0]} l'8 dicembre 2025, "
        "nelle dichiarazioni di voto:"
    )


def test_a_speaker_quoted_again_is_introduced_shortly_and_without_a_verb() -> None:
    told = italian.introduce(
        speech("x"), reporter=Reporter(REPORTING), name="Anna Rossi", who="", point=None, again=True
    )
    assert told == "Ancora Anna Rossi, il 18 dicembre 2025:"


def test_the_day_that_a_section_has_just_told_is_not_told_again() -> None:
    record = speech("x", phase_title="Dichiarazioni di voto")

    def told(**said: bool) -> str:
        return italian.introduce(
            record, reporter=Reporter(REPORTING), name="Anna Rossi", who="", point=None, dated=False, **said
        )

    assert told(again=False) == f"Anna Rossi {REPORTING[0]} nelle dichiarazioni di voto:"
    assert told(again=True) == "Ancora Anna Rossi, nelle dichiarazioni di voto:"


def test_nobody_declares_in_a_declaration_of_vote() -> None:
    record = speech("x", phase_title="Dichiarazioni di voto")
    reporter = Reporter(("ha dichiarato", "ha detto"))
    told = italian.introduce(record, reporter=reporter, name="Anna Rossi", who="", point=None, again=False)
    assert told == "Anna Rossi ha detto il 18 dicembre 2025, nelle dichiarazioni di voto:"


@pytest.mark.parametrize(
    ("interventions", "later", "text"),
    [
        (3, 1, "il 17 e il 18 novembre 2025"),
        (2, 9, "il 17 e il 26 novembre 2025"),
        (3, 9, "dal 17 al 26 novembre 2025"),
        (3, 0, "il 17 novembre 2025"),
    ],
)
def test_two_days_are_both_named_where_no_other_can_be_meant(interventions: int, later: int, text: str) -> None:
    first = date(2025, 11, 17)
    found = model.Activity(interventions, 1, first, first + timedelta(days=later))
    assert italian.activity(found).endswith(f", {text}.")


def test_reporting_phrases_differ_and_none_is_handed_out_twice_F115() -> None:
    reporter = Reporter(REPORTING)
    told = [reporter.reporting() for _ in range(len(REPORTING) + 5)]
    assert len(set(REPORTING)) == len(REPORTING) >= 30
    assert told == [*REPORTING, *[None] * 5]


def test_when_no_phrase_is_left_a_quotation_is_introduced_without_one_F115() -> None:
    reporter = Reporter(REPORTING)
    introduced = [
        italian.introduce(speech("x"), reporter=reporter, name=f"N{n}", who="", point=None, again=False)
        for n in range(len(REPORTING) + 1)
    ]
    assert len(set(introduced)) == len(introduced)
    assert introduced[-1] == f"N{len(REPORTING)}, il 18 dicembre 2025:"
    assert (
        italian.introduce(speech("x"), reporter=reporter, name="N", who="relatrice", point=None, again=False)
        == "N, relatrice, il 18 dicembre 2025:"
    )


@pytest.mark.parametrize(
    "judgement", ["giustamente", "ammess", "smentit", "accus", "insist", "conclus", "riassunt", "attacc", "denunci"]
)
def test_no_reporting_phrase_judges_the_speaker(judgement: str) -> None:
    assert not [phrase for phrase in REPORTING if judgement in phrase]
