"""Searching the demonstration parliament: what is found, in which order, and that every filter holds in every mode."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import get_args

import pytest

from service.errors import QuestionError
from service.filters import NamedFilters
from service.pipeline import Engine
from service.pipeline import ask as answered
from service.progress import silent
from service.search.acts import numbers_in
from service.search.operation import search
from service.search.request import Mode, SearchRequest, SearchResult
from service.search.speeches import read_texts
from service.thesaurus import words

Ask = Callable[..., SearchResult]
MODES: tuple[Mode, ...] = get_args(Mode)
TOPIC = "salario minimo"
GROUP = "http://dati.esperia.example/ocd/gruppoParlamentare.rdf/gr104"


@pytest.fixture(scope="module")
def ask(engine: Engine) -> Ask:
    def asked(text: str = "", **how: object) -> SearchResult:
        return search(SearchRequest(text=text, size=50, **how), engine, silent)  # type: ignore[arg-type]

    return asked


# What is found


def test_the_speeches_that_an_answer_counts_are_listed_as_it_counts_them(ask: Ask, engine: Engine) -> None:
    question = "Che cosa hanno detto i gruppi sul salario minimo?"
    answer = answered(question, engine)
    listed = ask(answering=question, kind="speeches")
    assert listed.found.total == answer.activity.interventions > 0
    assert all(re.match(r"salar|minim", hit.text[s - hit.start : e - hit.start].lower())
               for hit in listed.speeches for s, e in hit.marks)  # fmt: skip
    for section in answer.sections:
        if section.group and not section.component and section.activity.interventions:
            within = ask(answering=question, kind="speeches", filters=NamedFilters((section.group,)))
            assert within.found.total >= section.activity.interventions
    some = NamedFilters((GROUP,))
    limited = answered(question, engine, filters=some.resolve(engine.chamber, None))
    assert ask(answering=question, answering_groups=(GROUP,)).found.total == limited.activity.interventions
    assert ask(answering=question).acts == ()


def test_every_result_by_words_holds_the_words(ask: Ask, engine: Engine) -> None:
    found = ask(f'"{TOPIC}"', mode="text").speeches
    assert len(found) > 5
    texts = read_texts((hit.speech for hit in found), engine.corpus)
    for hit in found:
        assert "salario minimo" in " ".join(words(texts[hit.speech]))
        assert hit.matched == "words"


def test_snippets_and_marks_are_cut_from_the_text_of_the_speech(ask: Ask, engine: Engine) -> None:
    for mode in MODES:
        found = ask(TOPIC, mode=mode).speeches
        texts = read_texts((hit.speech for hit in found), engine.corpus)
        for hit in found:
            assert texts[hit.speech][hit.start : hit.end] == hit.text
            assert all(hit.start <= start < end <= hit.end for start, end in hit.marks)
            assert all(re.match(r"salar|minim", texts[hit.speech][s:e].lower()) for s, e in hit.marks)


def test_a_speech_is_one_result_however_many_passages_were_found(ask: Ask) -> None:
    for mode in MODES:
        result = ask(TOPIC, mode=mode)
        assert len({hit.speech for hit in result.speeches}) == len(result.speeches) == result.found.total
        assert result.found.passages == sum(1 + hit.further for hit in result.speeches)


def test_hybrid_puts_those_with_all_the_words_first_and_tells_them_apart(ask: Ask) -> None:
    found = [hit.matched for hit in ask(TOPIC).speeches]
    assert set(found) == {"words", "meaning"}
    assert found == sorted(found, reverse=True)
    assert {hit.matched for hit in ask(TOPIC, mode="text").speeches} == {"words", "some"}


def test_scores_have_names_of_their_own_and_are_never_bare_thresholds(ask: Ask, engine: Engine) -> None:
    for hit in ask(TOPIC, mode="semantic").speeches:
        assert hit.lexical is None
        assert hit.relevance == engine.corpus.embedder.calibration.relevance(hit.similarity)
        assert hit.relevance >= engine.settings.retrieval.minimum_relevance
    assert all(hit.similarity is None and hit.lexical > 0 for hit in ask(TOPIC, mode="text").speeches)


def test_what_must_occur_occurs(ask: Ask, engine: Engine) -> None:
    for mode in ("text", "hybrid"):
        found = ask(f"{TOPIC} +sindacati", mode=mode).speeches
        texts = read_texts((hit.speech for hit in found), engine.corpus)
        assert found
        assert all(re.search(r"\bsindac", " ".join(words(text))) for text in texts.values())


def test_stop_words_alone_find_nothing_by_words(ask: Ask) -> None:
    assert ask("di la che", mode="text").found.total == 0
    assert ask('"di"', mode="text").found.total == 0


def test_sorted_by_date_the_latest_come_first(ask: Ask) -> None:
    days = [hit.date for hit in ask(TOPIC, sort="date").speeches]
    assert days == sorted(days, reverse=True)


def test_pages_follow_each_other(ask: Ask, engine: Engine) -> None:
    whole = [hit.speech for hit in ask(TOPIC).speeches]
    pages = [search(SearchRequest(TOPIC, page=n, size=7), engine, silent).speeches for n in (1, 2, 3)]
    assert [hit.speech for page in pages for hit in page] == whole[:21]
    assert search(SearchRequest(TOPIC, page=900), engine, silent).speeches == ()


# Filters


@pytest.mark.parametrize("mode", MODES)
def test_the_link_that_narrows_finds_as_many_as_it_says_in_every_mode_F61(mode: Mode, ask: Ask) -> None:
    whole = ask(TOPIC, mode=mode)
    assert {facet.dimension for facet in whole.facets} == {"group", "speaker", "capacity", "month", "sitting", "act"}
    for facet in whole.facets:
        for value in facet.values:
            narrowed = ask(TOPIC, mode=mode, kind="speeches", **filters(facet.dimension, value.value))
            assert narrowed.found.total == value.count, (facet.dimension, value)
            assert {hit.speech for hit in narrowed.speeches} <= {hit.speech for hit in whole.speeches}


@pytest.mark.parametrize("dimension", ["group", "speaker", "capacity", "month", "sitting", "act"])
def test_without_a_text_what_fits_the_filter_is_listed_the_latest_first(dimension: str, ask: Ask) -> None:
    facet = next(facet for facet in ask(TOPIC).facets if facet.dimension == dimension)
    result = ask(**filters(dimension, facet.values[0].value))
    days = [hit.date for hit in result.speeches]
    assert result.found.total >= facet.values[0].count
    assert days == sorted(days, reverse=True)
    counted = next(f for f in result.facets if f.dimension == dimension)
    assert counted.values[0].value == facet.values[0].value
    assert counted.values[0].count == result.found.total


def filters(dimension: str, value: str) -> dict[str, object]:
    match dimension:
        case "group":
            return {"filters": NamedFilters(groups=(value,))}
        case "speaker":
            return {"filters": NamedFilters(speakers=(value,))}
        case "month":
            return {"month": date.fromisoformat(f"{value}-01")}
        case _:
            return {dimension: value}


@pytest.mark.parametrize("mode", MODES)
def test_nothing_after_the_reference_date_is_found(mode: Mode, ask: Ask) -> None:
    before = ask(TOPIC, mode=mode, as_of=date(2025, 2, 1))
    assert before.speeches
    assert all(hit.date <= date(2025, 2, 1) for hit in (*before.speeches, *before.acts))
    assert before.until == date(2025, 2, 1)


def test_filters_together_all_hold(ask: Ask) -> None:
    named = NamedFilters(groups=(GROUP,), date_from=date(2025, 2, 1), date_until=date(2025, 12, 31))
    found = ask(TOPIC, filters=named, month=date(2025, 6, 1)).speeches
    assert found
    assert all(hit.group == GROUP and f"{hit.date:%Y-%m}" == "2025-06" for hit in found)


def test_the_chair_is_listed_on_request_but_not_searched_by_words(ask: Ask) -> None:
    assert {hit.capacity for hit in ask(capacity="chair").speeches} == {"chair"}
    with pytest.raises(QuestionError, match="chair"):
        ask(TOPIC, capacity="chair")


@pytest.mark.parametrize(
    "how",
    [
        {"sitting": "<>"},
        {"act": "no IRI"},
        {"filters": NamedFilters(speakers=("\x00",))},
        {"filters": NamedFilters(("?",))},
    ],
)
def test_filters_without_sense_are_refused(how: dict[str, object], ask: Ask) -> None:
    with pytest.raises(QuestionError):
        ask(TOPIC, **how)


def test_an_unknown_sitting_holds_nothing(ask: Ask) -> None:
    for text in ("", TOPIC):
        assert ask(text, sitting="https://nowhere.example/s").found.total == 0


# Acts and people


@pytest.mark.parametrize("number", ["101", "A.C. 101", "a.c.101", "AC 101", "atto 101"])
def test_an_act_is_found_by_its_number(number: str, ask: Ask) -> None:
    act = ask(number, kind="acts").acts[0]
    assert act.number == "101"
    assert act.title.startswith("Istituzione del salario minimo")
    assert (act.name, act.signatories, act.discussed) == ("Anna Brancaleoni", 11, True)


def test_a_number_within_other_words_names_no_act() -> None:
    assert numbers_in("1234-A") == ("1234-A", "1234")
    assert numbers_in("articolo 101 della Costituzione") == ()
    assert numbers_in("nel 2026") == ()


@pytest.mark.parametrize("mode", MODES)
def test_filters_of_acts_apply_to_the_first_signatory_on_the_day_of_the_act_F18(mode: Mode, ask: Ask) -> None:
    acts = ask("lavoro", kind="acts", mode=mode, filters=NamedFilters(groups=(GROUP,))).acts
    assert {act.group for act in acts} == {GROUP}
    speaker = acts[0].speaker
    own = ask("lavoro", kind="acts", mode=mode, filters=NamedFilters(speakers=(speaker,))).acts
    assert {act.speaker for act in own} == {speaker}


@pytest.mark.parametrize("mode", MODES)
def test_facets_of_acts_narrow_to_as_many_as_they_say(mode: Mode, ask: Ask) -> None:
    whole = ask("lavoro", kind="acts", mode=mode)
    assert {facet.dimension for facet in whole.facets} == {"group", "speaker", "month"}
    for facet in whole.facets:
        for value in facet.values:
            narrowed = ask("lavoro", kind="acts", mode=mode, **filters(facet.dimension, value.value))
            assert narrowed.acts_found.total == value.count, (facet.dimension, value)


def test_acts_are_listed_and_sorted_by_date(ask: Ask) -> None:
    listed = ask(kind="acts", filters=NamedFilters(groups=(GROUP,)))
    days = [act.date for act in listed.acts]
    assert days
    assert days == sorted(days, reverse=True)
    days = [act.date for act in ask("lavoro", kind="acts", sort="date").acts]
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize("name", ["Brancaleoni", "brancaleoni anna", "Anna Brancaleoni", "Brancaleoni salario"])
def test_people_are_found_by_name_surname_first_too(name: str, ask: Ask) -> None:
    assert "Anna Brancaleoni" in [person.name for person in ask(name).people]


def test_accents_and_apostrophes_of_names_do_not_count(ask: Ask) -> None:
    assert [person.name for person in ask("dell aglio").people] == ["Serena Dell'Aglio"]


def test_the_same_search_finds_the_same(engine: Engine) -> None:
    request = SearchRequest(TOPIC)
    assert search(request, engine, silent) == search(replace(request), engine, silent)
