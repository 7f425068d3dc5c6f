"""Each check finds the fault that is planted for it, and is silent on a good store."""

from collections.abc import Callable

import pytest

import sparql
from service.chamber import sittings
from service.graph import EmbeddedGraph
from service.loading.checks import run_checks
from service.loading.shapes import validate
from tests.loaders.parliament import BASE, NAMES, Parliament, whole

ABOUT_SITTINGS = {name.removeprefix("checks/sittings/") for name in sparql.names("checks/sittings")}
CHECKS = [name.removeprefix("checks/") for name in sparql.names("checks")]
TEXT = f"<{BASE}speech/valdoria-7/sed0001/tit00020.sub00010.int00020>"
CHUNK = f"<{BASE}chunk/valdoria-7/sed0001/tit00020.sub00010.int00020-0>"
MEMBERSHIP = f"<{BASE}membership/d1_7-gr1-20240110>"

EXPECTED: dict[str, list[tuple[str | None, ...]]] = {
    # What the invented parliament holds on purpose, as the Chamber does.
    "empty-interval": [("d5_7-gr3-20240110", "20240110"), ("u6", "20240115")],
    "unresolved-speaker": [("tit00020.sub00010.int00050", "ANNA MARIA FERRI")],
}


@pytest.fixture
def spoiled() -> Parliament:
    """The invented parliament, for a test to plant a fault in."""
    return whole()


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_store_has_no_findings_but_the_known_ones(parliament: Parliament, check: str) -> None:
    assert sorted(parliament.findings(check)) == EXPECTED.get(check, [])
    if check in ABOUT_SITTINGS:
        assert parliament.findings_in_sittings(check) == parliament.findings(check)


def _membership(subject: str, person: str, group: str, start: str, end: str | None = None, role: str = "member") -> str:
    until = f' ; emi:until "{end}"^^xsd:date' if end else ""
    return (
        f"{subject} a org:Membership ; org:member {person} ; org:organization {group} ; org:role role:{role} ;"
        f' emi:from "{start}"^^xsd:date{until} .'
    )


FAULTS: dict[str, tuple[Callable[[Parliament], Parliament], tuple[str, str]]] = {
    "act-not-found": (
        lambda p: p.add('debate:sed0001\\/tit00020 emi:actAsPrinted "999" .'),
        ("tit00020", "999"),
    ),
    "chunk-outside-speech": (
        lambda p: p.remove(f"{CHUNK} emi:end ?end").add(f"{CHUNK} emi:end 16 ."),
        ("tit00020.sub00010.int00020-0", "0 to 16"),
    ),
    "committee-not-configured": (
        lambda p: p.remove("organ:o1 emi:keyword ?word"),
        ("o1", "I COMMISSIONE (AFFARI GENERALI)"),
    ),
    "configured-committee-missing": (
        lambda p: p.remove("organ:o1 a emi:Committee").remove("organ:o1 emi:keyword ?word").add(
            'organ:o1 emi:keyword "bilancio"@it .'
        ),
        ("o1", "bilancio"),
    ),
    "configured-group-missing": (
        lambda p: p.remove("group:gr2 a emi:Group"),
        ("gr2", f"{BASE}membership/gr2-g1-20240112"),
    ),
    "empty-interval": (
        lambda p: p.add('office:mg4 ocd:endDate "20240112" .'),
        ("mg4", "20240112"),
    ),
    "end-before-start": (
        lambda p: p.add(f'{MEMBERSHIP} emi:until "2024-01-09"^^xsd:date .'),
        ("d1_7-gr1-20240110", "2024-01-10 to 2024-01-09"),
    ),
    "group-without-side": (
        lambda p: p.remove("?stance org:member part:cgm1 ; org:role ?side"),
        ("cgm1", "COSTA LIBERA"),
    ),
    "member-without-group": (
        lambda p: p.remove(f"{TEXT} emi:groupAtSpeech ?group"),
        ("tit00020.sub00010.int00020", "http://data.example/ocd/persona.rdf/p2"),
    ),
    "membership-not-ended": (
        lambda p: p.add(f'{MEMBERSHIP} ocd:endDate "20240501" .'),
        ("d1_7-gr1-20240110", "20240501"),
    ),
    "no-sitting": (
        lambda p: p.remove("?sitting a emi:Sitting"),
        ("valdoria-7", "no transcripts were found beside the register"),
    ),
    "outside-mandate": (
        lambda p: p.add(_membership("membership:x", "person:p1", "group:gr1", "2024-01-09", "2024-01-09")),
        ("x", "2024-01-09"),
    ),
    "overlapping-groups": (
        lambda p: p.add(_membership("membership:x", "person:p1", "group:gr2", "2024-05-01")),
        ("p1", f"{BASE}membership/d1_7-gr1-20240110 and {BASE}membership/x"),
    ),
    "printed-group-differs": (
        lambda p: p.remove(f"{TEXT} emi:groupAsPrinted ?printed").add(f'{TEXT} emi:groupAsPrinted "ALR" .'),
        ("tit00020.sub00010.int00020", "printed ALR, dated http://data.example/ocd/gruppoParlamentare.rdf/gr1"),
    ),
    "speech-without-capacity": (
        lambda p: p.remove(f"{TEXT} emi:speaker ?speaker"),
        ("tit00020.sub00010.int00020", "https://w3id.org/emiciclo/capacity/member"),
    ),
    "unresolved-speaker": (
        lambda p: (
            p.remove(f"{TEXT} emi:capacity ?c ; emi:speakerAsPrinted ?n").add(
                f"{TEXT} emi:capacity capacity:unresolved ."
            )
        ),
        ("tit00020.sub00010.int00020", "no name printed"),
    ),
    "wrong-hash": (
        lambda p: p.remove(f"{TEXT} schema:text ?text").add(f'{TEXT} schema:text "Siamo contrari!"@it .'),
        ("tit00020.sub00010.int00020", "8a9f4e1f"),
    ),
}  # fmt: skip


def test_every_check_has_a_planted_fault() -> None:
    assert sorted(FAULTS) == sorted(CHECKS)


def test_a_check_has_a_form_for_sittings_if_it_is_about_them() -> None:
    assert {check for check in CHECKS if "\n# about: sittings\n" in sparql.query(f"checks/{check}")} == ABOUT_SITTINGS


@pytest.mark.parametrize("check", sorted(FAULTS))
def test_each_check_finds_its_planted_fault(spoiled: Parliament, check: str) -> None:
    plant, (subject, detail) = FAULTS[check]
    found = [row for row in plant(spoiled).findings(check) if row[0] == subject]
    if check in ABOUT_SITTINGS:
        assert spoiled.findings_in_sittings(check) == spoiled.findings(check)
    if check == "wrong-hash":
        assert [len(row[1] or "") for row in found] == [64]
    else:
        assert found == [(subject, detail)]


@pytest.mark.parametrize("check", sorted(FAULTS))
def test_where_sittings_are_added_checks_find_what_they_find_in_everything(spoiled: Parliament, check: str) -> None:
    plant, _ = FAULTS[check]
    before = whole()
    plant(before).remove_sittings(added := sittings(EmbeddedGraph(plant(spoiled).store)))
    former = run_checks(EmbeddedGraph(before.store))
    everything = EmbeddedGraph(spoiled.store)
    assert run_checks(everything, former, added) == run_checks(everything)


@pytest.mark.parametrize("missing", ["emi:capacity ?v", "emi:speaker ?v"])
def test_a_speech_that_lacks_its_standing_is_an_error(spoiled: Parliament, missing: str) -> None:
    spoiled.remove(f"{TEXT} {missing}")
    assert [row[0] for row in spoiled.findings("speech-without-capacity")] == ["tit00020.sub00010.int00020"]


@pytest.mark.parametrize(
    ("start", "end"), [("2024-12-20", "2024-12-21"), ("2024-12-01", None), ("2024-01-01", "2024-02-01")]
)
def test_a_membership_that_leaves_the_mandate_is_found(spoiled: Parliament, start: str, end: str | None) -> None:
    spoiled.add(_membership("membership:x", "person:p6", "group:gr3", start, end))
    assert ("x", start) in spoiled.findings("outside-mandate")


def test_memberships_that_meet_do_not_overlap_and_those_that_share_a_day_do_F2(spoiled: Parliament) -> None:
    spoiled.add(_membership("membership:x", "person:p2", "group:gr2", "2024-08-01", "2024-08-01"))
    assert [subject for subject, _ in spoiled.findings("overlapping-groups")] == ["p2", "p2"]  # gr3, and its cgm1
    spoiled.remove("membership:x ?p ?o").add(_membership("membership:y", "person:p9", "group:gr2", "2024-08-01"))
    spoiled.add(_membership("membership:z", "person:p9", "group:gr1", "2024-07-01", "2024-07-31"))
    assert spoiled.findings("overlapping-groups") == []


def test_a_component_goes_with_its_own_group_and_with_no_other_F2(spoiled: Parliament) -> None:
    assert spoiled.periods("person:p2", "part:cgm1")
    assert spoiled.findings("overlapping-groups") == []
    spoiled.add(_membership("membership:x", "person:p1", "part:cgm1", "2024-05-01"))
    detail = f"{BASE}membership/d1_7-gr1-20240110 and {BASE}membership/x"
    assert spoiled.findings("overlapping-groups") == [("p1", detail)]


def test_offsets_are_counted_in_code_points_by_the_check_too(spoiled: Parliament) -> None:
    spoiled.remove(f"{TEXT} schema:text ?text").add(f'{TEXT} schema:text "😀😀😀"@it .')
    spoiled.remove(f"{CHUNK} emi:end ?end").add(f"{CHUNK} emi:end 3 .")
    assert spoiled.findings("chunk-outside-speech") == []
    spoiled.remove(f"{CHUNK} emi:end ?end").add(f"{CHUNK} emi:end 4 .")
    assert len(spoiled.findings("chunk-outside-speech")) == 1


def test_the_sigla_of_the_day_is_the_right_one_before_and_after_a_change_of_name_Q8(parliament: Parliament) -> None:
    printed = parliament.rows("SELECT ?printed WHERE { ?s emi:groupAsPrinted ?printed ; emi:groupAtSpeech group:gr1 }")
    assert printed == [("ALL",), ("ALR",), ("ALR",)]
    assert parliament.findings("printed-group-differs") == []


def test_every_check_states_its_title_and_its_level() -> None:
    for check in CHECKS:
        head = sparql.query(f"checks/{check}").splitlines()[:2]
        assert head[0].startswith("# title: ")
        assert head[1] in {"# level: error", "# level: warning", "# level: info"}


def test_the_shapes_find_nothing_in_the_invented_parliament(parliament: Parliament) -> None:
    assert validate(parliament.store, NAMES.graph).findings == ()
