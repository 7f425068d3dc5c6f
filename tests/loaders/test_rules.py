"""The CONSTRUCT rules: from what the Chamber publishes to dated memberships and speeches with a standing."""

from pathlib import Path

import pytest

from tests.loaders.parliament import BASE, DATA, Parliament

T1 = "sed0001/tit00020.sub00010.int000"
T2 = "sed0002/tit00020.int000"
T3 = "sed0003/tit00020.int000"
T4 = "sed0004/tit00020.int000"

# Memberships


def test_a_deputy_and_the_person_are_one_through_the_mandate_F1(parliament: Parliament) -> None:
    assert parliament.rows("SELECT ?d ?p WHERE { ?d emi:mandateOf ?p }") == [
        (f"d{n}_7", f"p{n}") for n in (1, 2, 3, 5, 6)
    ]  # fmt: skip


def test_a_mandate_is_a_membership_of_the_chamber_with_its_last_day_included(parliament: Parliament) -> None:
    assert parliament.periods("person:p6", "id:chamber\\/valdoria-7", "role:deputy") == [("2024-01-10", "2024-12-20")]
    assert parliament.periods("person:p1", "id:chamber\\/valdoria-7", "role:deputy") == [("2024-01-10", None)]


def test_a_deputy_who_changes_group_and_comes_back_has_three_stints_F2(parliament: Parliament) -> None:
    assert parliament.periods("person:p2", "group:gr1") == [("2024-01-10", "2024-05-31"), ("2024-09-15", None)]
    assert parliament.periods("person:p2", "group:gr3") == [("2024-06-01", "2024-09-14")]


def test_an_end_that_is_the_next_start_becomes_the_day_before_also_in_another_month_and_year(tmp_path: Path) -> None:
    path = tmp_path / "ocd.ttl"
    path.write_text(
        _deputy(("gr1", "20230301", "20240301"), ("gr2", "20240301", "20250101"), ("gr1", "20250101", None))
    )
    loaded = Parliament().read([path]).enrich()
    assert loaded.periods("person:p1", "group:gr1") == [("2023-03-01", "2024-02-29"), ("2025-01-01", None)]
    assert loaded.periods("person:p1", "group:gr2") == [("2024-03-01", "2024-12-31")]


def test_an_end_that_no_start_follows_is_the_last_day(tmp_path: Path) -> None:
    path = tmp_path / "ocd.ttl"
    path.write_text(_deputy(("gr1", "20230301", "20240301"), ("gr2", "20240401", None)))
    loaded = Parliament().read([path]).enrich()
    assert loaded.periods("person:p1", "group:gr1") == [("2023-03-01", "2024-03-01")]


def test_days_already_in_iso_form_are_read_alike_Q3(tmp_path: Path) -> None:
    path = tmp_path / "ocd.ttl"
    path.write_text(_deputy(("gr1", "2023-03-01", "2024-03-01"), ("gr2", "2024-03-01", None)))
    loaded = Parliament().read([path]).enrich()
    assert loaded.periods("person:p1", "group:gr1") == [("2023-03-01", "2024-02-29")]
    assert loaded.periods("person:p1", "group:gr2") == [("2024-03-01", None)]


def _deputy(*stints: tuple[str, str, str | None]) -> str:
    """A member with the stints given, as Turtle."""
    nodes = ", ".join(
        f'[ ocd:rif_gruppoParlamentare group:{group} ; ocd:startDate "{start}"'
        + (f' ; ocd:endDate "{end}" ]' if end else " ]")
        for group, start, end in stints
    )
    head = (DATA / "ocd" / "parliament.ttl").read_text().split("# Groups")[0]
    return (
        f'{head}\nperson:p1 a foaf:Person ; ocd:rif_mandatoCamera mandate:m1 . mandate:m1 ocd:startDate "20230301" .'
        f"deputy:d1_7 a ocd:deputato ; ocd:rif_mandatoCamera mandate:m1 ; ocd:aderisce {nodes} ."
        'group:gr1 a ocd:gruppoParlamentare ; rdfs:label "UNO" .'
        'group:gr2 a ocd:gruppoParlamentare ; rdfs:label "DUE" .'
    )


def test_an_interval_of_no_length_is_not_extended(parliament: Parliament) -> None:
    assert parliament.periods("person:p5", "group:gr3") == []
    assert parliament.periods("person:p5", "group:gr2") == [("2024-01-10", None)]
    assert parliament.periods("person:p6", "organ:o1", "role:secretary") == []


def test_components_of_the_mixed_group_have_dated_members_F13(parliament: Parliament) -> None:
    assert parliament.periods("person:p2", "part:cgm1") == [("2024-06-01", "2024-09-14")]
    assert parliament.periods("person:p6", "part:cgm1") == [("2024-02-01", "2024-12-20")]
    assert parliament.values("SELECT ?whole WHERE { part:cgm1 org:subOrganizationOf ?whole }") == ["gr3"]


def test_a_seat_taken_up_in_another_role_is_another_membership(parliament: Parliament) -> None:
    assert parliament.periods("person:p1", "organ:o2") == [("2024-01-15", "2024-02-29")]
    assert parliament.periods("person:p1", "organ:o2", "role:substitute") == [("2024-03-01", "2024-04-01")]


def test_membership_nodes_keep_what_was_published_beside_the_types(parliament: Parliament) -> None:
    node = f"<{BASE}membership/d2_7-gr3-20240601>"
    assert parliament.rows(f"SELECT ?start ?end WHERE {{ {node} ocd:startDate ?start ; ocd:endDate ?end }}") == [
        ("20240601", "20240915")
    ]
    assert parliament.values(f"SELECT ?type WHERE {{ {node} a ?type }}") == ["Membership", "adesioneGruppo"]


def test_every_membership_has_its_period_shared_by_those_of_the_same_days(parliament: Parliament) -> None:
    without = "SELECT ?m WHERE { ?m a org:Membership . FILTER NOT EXISTS { ?m org:memberDuring ?p } }"
    assert parliament.values(without) == []
    assert parliament.rows(
        f"SELECT ?from ?until WHERE {{ <{BASE}membership/d2_7-gr3-20240601> org:memberDuring ?p ."
        " ?p a dcterms:PeriodOfTime ; dcat:startDate ?from ; dcat:endDate ?until }"
    ) == [("2024-06-01", "2024-09-14")]
    assert parliament.rows("SELECT ?until WHERE { id:period\\/20240110- dcat:endDate ?until }") == []


# Names


def test_labels_lose_their_days_also_with_an_unclosed_bracket_Q7(parliament: Parliament) -> None:
    kinds = "VALUES ?kind { emi:Group emi:Component emi:Committee }"
    assert parliament.rows(f"SELECT ?o ?label WHERE {{ {kinds} ?o a ?kind ; skos:prefLabel ?label }}") == [
        ("cgm1", "COSTA LIBERA"), ("gr1", "ALLEANZA ROSSA"), ("gr2", "BLOCCO CENTRALE"), ("gr3", "MISTO"),
        ("o1", "I COMMISSIONE (AFFARI GENERALI)"), ("o2", "II COMMISSIONE (GIUSTIZIA)"),
    ]  # fmt: skip


def test_a_renamed_group_keeps_its_iri_and_has_dated_names_F8_Q8(parliament: Parliament) -> None:
    assert parliament.rows(
        "SELECT ?sigla ?form ?from ?until WHERE { group:gr1 skosxl:altLabel ?n . ?n skosxl:literalForm ?form ;"
        " skos:notation ?sigla ; emi:from ?from . OPTIONAL { ?n emi:until ?until } }"
    ) == [("ALL", "ALLEANZA", "2024-01-10", "2024-06-30"), ("ALR", "ALLEANZA ROSSA", "2024-07-01", None)]


def test_a_group_never_renamed_has_its_name_since_its_foundation(parliament: Parliament) -> None:
    query = "SELECT ?form ?from WHERE {{ {} skosxl:altLabel [ skosxl:literalForm ?form ; emi:from ?from ] }}"
    assert parliament.rows(query.format("group:gr2")) == [("BLOCCO CENTRALE", "2024-01-10")]
    assert parliament.rows(query.format("part:cgm1")) == [("COSTA LIBERA", "2024-02-01")]


# People


def test_studies_and_jobs_are_parted_and_what_is_missing_is_missing_F75(parliament: Parliament) -> None:
    assert parliament.rows(
        "SELECT ?p ?education ?profession WHERE { ?d emi:mandateOf ?p ."
        " OPTIONAL { ?p emi:education ?education } OPTIONAL { ?p emi:profession ?profession } }"
    ) == [
        ("p1", "Laurea in economia", "Commercialista"),
        ("p2", None, "Avvocato"),
        ("p3", "Laurea in giurisprudenza", None),
        ("p5", None, None),
        ("p6", "Licenza media", "Operaio; sindacalista"),
    ]


# Offices


def test_a_vice_chair_is_not_a_chair_F16(parliament: Parliament) -> None:
    assert parliament.periods("person:p2", "organ:o1", "role:chair") == []
    assert parliament.periods("person:p2", "organ:o1", "role:vice-chair") == [("2024-01-15", "2024-08-01")]


def test_a_chair_ends_on_the_day_before_the_successor_begins_F15(parliament: Parliament) -> None:
    assert parliament.periods("person:p1", "organ:o1", "role:chair") == [("2024-01-15", "2024-07-14")]
    assert parliament.periods("person:p5", "organ:o1", "role:chair") == [("2024-07-15", None)]


def test_the_last_day_of_an_office_without_successor_is_included(parliament: Parliament) -> None:
    assert parliament.periods("person:p1", "group:gr1", "role:group-chair") == [("2024-01-10", "2024-06-30")]


@pytest.mark.parametrize(
    ("printed", "role"),
    [
        ("PRESIDENTE", "chair"), ("VICEPRESIDENTE", "vice-chair"), ("SEGRETARIO", "secretary"),
        ("QUESTORE", "quaestor"), ("CAPOGRUPPO", "group-lead"), ("VICE PRESIDENTE SUPPLENTE", None),
    ],
)  # fmt: skip
def test_officers_are_told_by_the_exact_word_F16(tmp_path: Path, printed: str, role: str | None) -> None:
    added = (
        f'seat:u99 ocd:rif_organo organ:o2 ; ocd:carica "{printed}" ;'
        ' ocd:rif_deputato deputy:d1_7 ; ocd:startDate "20240201" .'
    )
    loaded = Parliament().read([_with(tmp_path, added)]).enrich()
    assert loaded.values("SELECT ?role WHERE { seat:u99 org:role ?role }") == ([role] if role else [])


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Presidente del Consiglio dei ministri", "prime-minister"),
        ("PRESIDENTE DEL CONSIGLIO DEI MINISTRI", "prime-minister"),
        ("Vicepresidente del Consiglio dei ministri", "deputy-prime-minister"),
        ("Vice Presidente del Consiglio", "deputy-prime-minister"),
        ("Ministro dell'interno", "minister"),
        ("Ministra per le riforme", "minister"),
        ("Ministro", "minister"),
        ("Viceministro dell'economia", "deputy-minister"),
        ("Vice Ministra dell'ambiente", "deputy-minister"),
        ("Sottosegretario di Stato", "undersecretary"),
        ("Sottosegretaria di Stato alla difesa", "undersecretary"),
        ("Commissario straordinario", "government-member"),
        ("Ministeriale", "government-member"),
    ],
)
def test_ranks_of_the_government_are_read_in_both_genders_and_by_whole_words_F80(
    tmp_path: Path, title: str, role: str
) -> None:
    added = (
        "office:mg99 a ocd:membroGoverno ; ocd:rif_persona person:p4 ; ocd:rif_governo cabinet:g1 ;"
        f' ocd:membroGoverno "{title}" ; ocd:startDate "20240201" .'
    )
    loaded = Parliament().read([_with(tmp_path, added)]).enrich()
    assert loaded.rows("SELECT ?role ?printed WHERE { office:mg99 org:role ?role ; emi:officeAsPrinted ?printed }") == [
        (role, title)
    ]


def _with(folder: Path, turtle: str) -> Path:
    path = folder / "with.ttl"
    path.write_text(f"{(DATA / 'ocd' / 'parliament.ttl').read_text()}\n{turtle}")
    return path


def test_an_office_of_government_lasts_to_its_last_day_or_to_the_day_before_the_next(parliament: Parliament) -> None:
    assert parliament.periods("person:p3", "cabinet:g1", "role:minister") == [("2024-03-01", "2024-09-30")]
    assert parliament.periods("person:p7", "cabinet:g1", "role:undersecretary") == [("2024-01-12", "2024-04-30")]
    assert parliament.periods("person:p7", "cabinet:g1", "role:deputy-minister") == [("2024-05-01", None)]


# Acts


def test_acts_have_typed_days_and_an_empty_day_is_no_day_F37_F39(parliament: Parliament) -> None:
    assert parliament.rows(
        "SELECT ?act ?day (STR(DATATYPE(?day)) AS ?type) WHERE { ?act a emi:Act ; emi:date ?day }"
    ) == [
        ("ac7_100", "2024-02-01", "http://www.w3.org/2001/XMLSchema#date"),
        ("ac7_703-B", "2024-03-05", "http://www.w3.org/2001/XMLSchema#date"),
    ]


def test_the_committees_text_of_an_act_is_that_act_and_a_later_reading_another_Q17_F45(parliament: Parliament) -> None:
    assert parliament.rows("SELECT ?act WHERE { debate:sed0001\\/tit00020 emi:discusses ?act }") == [
        ("ac7_100",),
        ("ac7_703-B",),
    ]


# Who spoke, and in what standing


@pytest.mark.parametrize(
    ("speech", "speaker", "capacity", "group", "side"),
    [
        pytest.param(T1 + "10", "p1", "rapporteur", "gr1", "opposition", id="a printed role comes before the mandate"),
        pytest.param(T1 + "20", "p2", "member", "gr1", "opposition", id="the group of that day, not of later (F-17)"),
        pytest.param(T1 + "30", "p3", "member", "gr2", "majority", id="a minister before the office is a member (F-3)"),
        pytest.param(T1 + "40", "p6", "member", "gr3", "opposition", id="a component has the side (F-12)"),
        pytest.param(T1 + "50", None, "unresolved", None, None, id="a namesake is not guessed (F-5)"),
        pytest.param(T2 + "10", "p3", "government", None, "majority", id="an office held that day (F-3)"),
        pytest.param(T2 + "20", "p3", "government", None, "majority", id="a printed government role"),
        pytest.param(T2 + "30", "p4", "government", None, "majority", id="a minister and no member (F-4)"),
        pytest.param(T2 + "40", "p8", "government", None, "majority", id="a minister whom the register lacks"),
        pytest.param(T2 + "50", "p6", "government", None, "majority", id="a role before the mandate (F-14)"),
        pytest.param(T3 + "10", "p2", "member", "gr3", "opposition", id="in the mixed group for a while (F-17)"),
        pytest.param(T3 + "20", "p1", "member", "gr1", "opposition", id="after the change of name"),
        pytest.param(T4 + "10", "p2", "member", "gr1", "external-support", id="back, and the group has changed side"),
        pytest.param(T4 + "20", "p3", "member", "gr2", "majority", id="a minister after the office is a member (F-3)"),
        pytest.param(T4 + "30", "p7", "government", None, "majority", id="in the second of two offices"),
    ],
)  # fmt: skip
def test_standing_is_that_of_the_day_of_the_speech(
    parliament: Parliament, speech: str, speaker: str | None, capacity: str, group: str | None, side: str | None
) -> None:
    found = {
        term: parliament.of_speech(speech, f"emi:{term}")
        for term in ("speaker", "capacity", "groupAtSpeech", "sideAtSpeech")
    }
    assert found == {
        "speaker": [speaker] if speaker else [],
        "capacity": [capacity],
        "groupAtSpeech": [group] if group else [],
        "sideAtSpeech": [side] if side else [],
    }


def test_the_chair_speaks_as_the_chair_F28(parliament: Parliament) -> None:
    assert parliament.of_speech("sed0001/tit00010.int00010", "emi:capacity") == ["chair"]
    assert parliament.of_speech("sed0001/tit00010.int00010", "emi:speaker") == []


def test_an_unresolved_speaker_keeps_the_printed_name_F5(parliament: Parliament) -> None:
    assert parliament.of_speech(T1 + "50", "emi:speakerAsPrinted") == ["ANNA MARIA FERRI"]


def test_the_component_of_the_day_is_told_F12(parliament: Parliament) -> None:
    assert parliament.of_speech(T1 + "40", "emi:componentAtSpeech") == ["cgm1"]
    assert parliament.of_speech(T3 + "10", "emi:componentAtSpeech") == ["cgm1"]
    assert parliament.of_speech(T4 + "10", "emi:componentAtSpeech") == []


def test_the_membership_under_which_somebody_spoke_is_told_F14(parliament: Parliament) -> None:
    assert parliament.of_speech(T1 + "20", "emi:underMembership") == ["d2_7-gr1-20240110"]
    assert parliament.of_speech(T3 + "10", "emi:underMembership") == ["d2_7-cgm1-20240601", "d2_7-gr3-20240601"]
    assert parliament.of_speech(T4 + "10", "emi:underMembership") == ["d2_7-gr1-20240915"]
    assert parliament.of_speech(T4 + "30", "emi:underMembership") == ["mg7b"]


REPORT = """<seduta legislatura="7" numero="9" anno="{0}" mese="{1}" giorno="{2}"><resoconto>
<intervento id="a"><testoXHTML>{3} Parlo io.</testoXHTML></intervento></resoconto></seduta>"""


def _said(folder: Path, day: str, header: str) -> Parliament:
    """The parliament, with one speech on one day."""
    path = folder / "report.xml"
    path.write_text(REPORT.format(*day.split("-"), header))
    return Parliament().read([DATA / "ocd" / "parliament.ttl"], [path]).enrich()


@pytest.mark.parametrize(
    ("day", "group", "component"),
    [
        ("2024-05-31", ["gr1"], []),
        ("2024-06-01", ["gr3"], ["cgm1"]),
        ("2024-09-14", ["gr3"], ["cgm1"]),
        ("2024-09-15", ["gr1"], []),
    ],
)
def test_first_and_last_days_are_included_in_a_membership(
    tmp_path: Path, day: str, group: list[str], component: list[str]
) -> None:
    loaded = _said(tmp_path, day, '<nominativo id="2">BRUNO DELL\'ORTO</nominativo>.')
    assert loaded.of_speech("sed0009/a", "emi:groupAtSpeech") == group
    assert loaded.of_speech("sed0009/a", "emi:componentAtSpeech") == component


@pytest.mark.parametrize(
    ("day", "capacity"),
    [("2024-02-29", "member"), ("2024-03-01", "government"), ("2024-09-30", "government"), ("2024-10-01", "member")],
)
def test_an_office_counts_from_its_first_to_its_last_day_F3(tmp_path: Path, day: str, capacity: str) -> None:
    loaded = _said(tmp_path, day, '<nominativo id="3">CARLA MULE\'</nominativo>.')
    assert loaded.of_speech("sed0009/a", "emi:capacity") == [capacity]


@pytest.mark.parametrize(
    ("header", "capacity"),
    [
        ('<nominativo id="3">CARLA MULE\'</nominativo> (BC).', "member"),
        ('<nominativo id="3">CARLA MULE\'</nominativo>, Relatrice.', "rapporteur"),
        ('<nominativo id="1">ANNA FERRI</nominativo>, Presidente della II Commissione.', "member"),
        ('<nominativo id="1">ANNA FERRI</nominativo>, Vicepresidente del Consiglio dei ministri.', "government"),
        ('<nominativo id="99">IGNOTA</nominativo>, Presidente della II Commissione.', "unresolved"),
        ('<nominativo id="1">PRESIDENTE</nominativo>.', "chair"),
        ("<nominativo>PRESIDENTE DEL CONSIGLIO</nominativo>.", "unresolved"),
        ("<nominativo>UNA VOCE</nominativo>.", "unresolved"),
        ("", "unresolved"),
    ],
)
def test_what_the_transcript_prints_comes_first(tmp_path: Path, header: str, capacity: str) -> None:
    loaded = _said(tmp_path, "2024-04-10", header)
    assert loaded.of_speech("sed0009/a", "emi:capacity") == [capacity]
    assert loaded.findings("speech-without-capacity") == []


def test_somebody_outside_mandate_and_office_is_a_guest(tmp_path: Path) -> None:
    loaded = _said(tmp_path, "2024-12-21", '<nominativo id="6">FABIO RIVA</nominativo>.')
    assert loaded.of_speech("sed0009/a", "emi:capacity") == ["guest"]
    assert loaded.of_speech("sed0009/a", "emi:groupAtSpeech") == []


def test_a_group_without_a_stated_side_has_none_F10(tmp_path: Path) -> None:
    loaded = _said(tmp_path, "2024-01-20", '<nominativo id="6">FABIO RIVA</nominativo> (MISTO).')
    assert loaded.of_speech("sed0009/a", "emi:groupAtSpeech") == ["gr3"]
    assert loaded.of_speech("sed0009/a", "emi:sideAtSpeech") == []


def test_the_rules_say_the_same_when_they_run_again(tmp_path: Path) -> None:
    loaded = (
        Parliament().read([DATA / "ocd" / "parliament.ttl"], sorted((DATA / "stenographic").glob("*.xml"))).enrich()
    )
    before = set(loaded.quads())
    assert set(loaded.enrich().quads()) == before
