"""The features behind an authority, read from Esperia's graph and index."""

from dataclasses import replace
from datetime import date

import pytest

import ontology
from service.authority import features as authority_features
from service.authority.score import CO_SIGNATORY, FIRST_SIGNATORY, NO_OFFICE, Features, assess
from service.graph import day_literal
from service.question import Question
from service.retrieval import graph_channel, nearby
from service.retrieval.nearby import Nearby
from tests.conftest import Esperia

LABOUR, WATER = "salario minimo", "acqua pubblica e reti idriche"


def person(esperia: Esperia, surname: str) -> str:
    query = f'SELECT ?p WHERE {{ ?p <{ontology.FOAF}name> ?n FILTER(STRENDS(?n, "{surname}")) }}'
    (row,) = esperia.corpus.graph.select(query)
    return row["p"].value


def everybody(esperia: Esperia) -> list[str]:
    query = f"SELECT DISTINCT ?p WHERE {{ ?p a <{ontology.FOAF}Person> }} ORDER BY ?p"
    return [row["p"].value for row in esperia.corpus.graph.select(query)]


def gather(esperia: Esperia, text: str, speakers: list[str], day: date | None = None) -> dict[str, Features]:
    question: Question = esperia.understand(text, reference_date=day)
    near = nearby.search(question, esperia.corpus, esperia.settings.retrieval)
    found = graph_channel.search(question, esperia.corpus, near, esperia.settings.retrieval)
    gathered = authority_features.gather(question, esperia.corpus, near, speakers, found.acts, found.signatures)
    assert [f.speaker for f in gathered] == speakers
    return {f.speaker: f for f in gathered}


def test_authority_varies_with_the_topic_F36(esperia: Esperia) -> None:
    people = everybody(esperia)
    day = esperia.report.manifest.last_day
    assert day
    ranks = []
    for text in (LABOUR, WATER):
        found = gather(esperia, text, people)
        scores = {speaker: assess(found[speaker], day) for speaker in people}
        ranks.append(sorted(people, key=lambda speaker: (-scores[speaker].total, speaker)))
        assert len({round(score.total, 6) for score in scores.values()}) > 20
        assert len({round(score.components.speeches, 6) for score in scores.values()}) > 5
    assert ranks[0][:5] != ranks[1][:5]


def test_who_holds_no_office_has_none_F79(esperia: Esperia) -> None:
    people = everybody(esperia)
    found = gather(esperia, LABOUR, people)
    without = [f for f in found.values() if not f.offices]
    assert 5 < len(without) < len(people)
    assert all(assess(f, date(2026, 2, 11)).components.role == NO_OFFICE for f in without)


def test_somebody_unknown_has_no_features_and_no_placeholder_F74(esperia: Esperia) -> None:
    stranger = "http://a.example/nobody"
    (found,) = gather(esperia, LABOUR, [stranger]).values()
    assert all(not getattr(found, name) for name in Features.__slots__ if name != "speaker")
    assert found.education_relevance is found.profession_relevance is None
    assert authority_features.gather(esperia.understand(LABOUR), esperia.corpus, Nearby((), (), 0.0), [], (), ()) == ()


def test_missing_studies_and_profession_are_missing_F75(esperia: Esperia) -> None:
    found = gather(esperia, LABOUR, everybody(esperia))
    bare = [f for f in found.values() if f.education is None and f.profession is None]
    assert len(bare) >= 4
    for known in bare:
        assert known.education_relevance is None
        assert known.profession_relevance is None
    told = [f for f in found.values() if f.education is not None]
    assert all(f.education_relevance is not None for f in told)


def test_offices_weigh_by_the_code_of_their_role_and_never_by_a_part_of_a_word_F16_F80(
    esperia: Esperia,
) -> None:
    weights: dict[str, set[float]] = {}
    for found in gather(esperia, LABOUR, everybody(esperia), date(2026, 2, 11)).values():
        for office in found.offices:
            assert office.role.startswith(ontology.ROLE)
            weights.setdefault(office.printed.casefold(), set()).add(office.weight)
    assert all(len(found) == 1 for found in weights.values()), weights

    def weight(begins: str) -> float:
        (found,) = {w for printed, ws in weights.items() if printed.startswith(begins) for w in ws}
        return found

    assert weight("ministr") > weight("sottosegretari")
    assert weight("presidente del consiglio") >= weight("ministr")
    committee = {p: next(iter(w)) for p, w in weights.items() if p in ("presidente", "vicepresidente", "segretario")}
    assert committee["presidente"] > committee["vicepresidente"] >= committee["segretario"]


def test_the_scheme_gives_feminine_and_masculine_forms_one_code_F80(esperia: Esperia) -> None:
    query = (
        f"SELECT ?label ?weight WHERE {{ ?role <{ontology.EMI}roleWeight> ?weight . "
        f"?role ?p ?label FILTER(LANG(?label) = 'it') }}"
    )
    weights: dict[str, set[float]] = {}
    for row in esperia.corpus.graph.select(query):
        weights.setdefault(row["label"].value.casefold(), set()).add(float(row["weight"].value))
    assert all(0 < weight <= 1 for found in weights.values() for weight in found)
    assert weights["ministra"] == weights["ministro"]
    assert weights["sottosegretaria"] == weights["sottosegretario"]
    assert max(weights["viceministro"]) < min(weights["ministro"])


def test_an_office_counts_on_the_days_on_which_it_is_held_F15(esperia: Esperia) -> None:
    before = gather(esperia, LABOUR, everybody(esperia), day=date(2024, 10, 9))
    after = gather(esperia, LABOUR, everybody(esperia), day=date(2026, 2, 11))
    governing = [p for p, f in after.items() if any("governo" in o.organisation for o in f.offices)]
    assert governing
    assert not any("governo" in office.organisation for p in governing for office in before[p].offices)


def test_a_minister_who_is_no_member_has_a_side_and_speeches_that_count_F84(esperia: Esperia) -> None:
    minister = person(esperia, "Durazzi")
    found = gather(esperia, "liste d'attesa", [minister])[minister]
    day = esperia.report.manifest.last_day
    assert day
    assert {stance.side for stance in found.stances} == {f"{ontology.SIDE}majority"}
    assert found.speeches
    assert assess(found, day).components.speeches > 0


def test_signatures_carry_the_day_and_the_weight_of_the_role_in_the_act(esperia: Esperia) -> None:
    found = gather(esperia, LABOUR, everybody(esperia))
    acts = [activity for f in found.values() for activity in f.acts]
    assert {activity.weight for activity in acts} == {FIRST_SIGNATORY, CO_SIGNATORY}
    assert all(0 <= activity.relevance <= 1 for activity in acts)


def test_nothing_after_the_reference_date_is_gathered_F83_F87(esperia: Esperia) -> None:
    day = date(2025, 3, 1)
    found = gather(esperia, LABOUR, everybody(esperia), day=day)
    for known in found.values():
        assert all(activity.day <= day for activity in (*known.acts, *known.speeches))
        assert all(stance.begin <= day for stance in known.stances)
    assert any(known.speeches for known in found.values())


def test_a_speech_counts_once_however_many_chunks_of_it_are_near(esperia: Esperia) -> None:
    for known in gather(esperia, LABOUR, everybody(esperia)).values():
        speeches = [activity.iri for activity in known.speeches]
        assert len(speeches) == len(set(speeches))


def test_a_person_has_one_group_a_day_however_often_they_changed(esperia: Esperia) -> None:
    for known in gather(esperia, LABOUR, everybody(esperia)).values():
        groups = [stance for stance in known.stances if stance.rank == 0]
        for stance in groups:
            others = [other for other in groups if other != stance and other.holds(stance.begin)]
            assert not others, (known.name, stance, others)


def test_both_forms_of_the_graph_give_the_same_features(esperia: Esperia, esperia_graph) -> None:
    people = everybody(esperia)
    question = esperia.understand(LABOUR)
    there = replace(esperia.corpus, graph=esperia_graph)
    settings = esperia.settings.retrieval
    near = nearby.search(question, esperia.corpus, settings)
    here_found = graph_channel.search(question, esperia.corpus, near, settings)
    there_found = graph_channel.search(question, there, near, settings)
    assert there_found == here_found
    made = [
        authority_features.gather(question, corpus, near, people, here_found.acts, here_found.signatures)
        for corpus in (esperia.corpus, there)
    ]
    assert made[0] == made[1]


@pytest.mark.parametrize("day", [date(2024, 10, 8), date(2026, 2, 11)])
def test_a_seat_is_one_that_is_held_on_the_reference_date(esperia: Esperia, day: date) -> None:
    people = everybody(esperia)
    for known in gather(esperia, LABOUR, people, day=day).values():
        for seat in known.seats:
            held = (
                f"ASK {{ ?m <{ontology.ORG}member> <{known.speaker}> ; <{ontology.ORG}organization> <{seat.iri}> ; "
                f"<{ontology.EMI}from> ?from FILTER(?from <= {day_literal(day)}) "
                f"FILTER NOT EXISTS {{ ?m <{ontology.EMI}until> ?until FILTER(?until < {day_literal(day)}) }} }}"
            )
            assert esperia.corpus.graph.ask(held)
