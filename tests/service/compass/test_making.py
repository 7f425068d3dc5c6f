"""A compass of real findings: verbatim, complete, deterministic, and absent where there is too little."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyshacl
import pytest
import rdflib

import ontology
from service.answer.jsonld import CONTEXT, to_rdf
from service.answer.languages import WORDINGS
from service.answer.model import Answer
from service.compass import drawing
from service.compass.jsonld import compass_document, multipoint
from service.compass.making import FEWEST_PASSAGES, OWN_PLACE, make
from service.compass.model import Compass, Passage
from service.compass.operation import CompassRequest, compass
from service.evidence import UNSEATED
from service.filters import NamedFilters
from service.pipeline import Engine, ask
from service.progress import Step, silent
from service.retrieval import records
from service.settings import Settings
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS, UNSPOKEN


@pytest.fixture(scope="module")
def made(answer_to: Callable[[str], Answer]) -> list[Compass]:
    """The compasses of several answers that have one."""
    found = [answer_to(topic).compass for topic in TOPICS]
    available = [c for c in found if c is not None and c.unavailable is None]
    assert available
    return available


def passages_of(found: Compass) -> list[Passage]:
    of_poles = (p for axis in found.axes for pole in (axis.low, axis.high) for p in pole.passages)
    return [*of_poles, *(p for position in found.positions for p in position.passages)]


def test_every_excerpt_stands_in_the_record_word_for_word(made: list[Compass], esperia: Esperia) -> None:
    for found in made:
        speeches = records.speeches({p.speech for p in passages_of(found)}, esperia.corpus)
        for passage in passages_of(found):
            assert passage.span.of(speeches[passage.speech].text) == passage.exact
            assert 0 < len(passage.exact) <= 350
            assert passage.day == speeches[passage.speech].date


def test_all_passages_have_a_place_and_each_group_stands_once(made: list[Compass]) -> None:
    for found in made:
        assert found.passages == sum(len(p.places) for p in found.positions) >= FEWEST_PASSAGES
        keys = [(p.kind, p.group, p.component) for p in found.positions]
        assert len(keys) == len(set(keys)) == found.groups >= 3
        assert [p.centre[0] for p in found.positions] == sorted(p.centre[0] for p in found.positions)
        assert len(found.axes) == len(found.positions[0].centre)
        for position in found.positions:
            assert (position.ellipse is None) == (len(position.places) < 3)
            assert (position.stability is None) == (len(position.places) == 1)
            assert 1 <= len(position.passages) <= 2


def test_the_poles_of_an_axis_show_its_outermost_passages(made: list[Compass]) -> None:
    for found in made:
        for number, axis in enumerate(found.axes):
            everywhere = [place[number] for position in found.positions for place in position.places]
            assert axis.low.passages[0].place[number] == pytest.approx(min(everywhere))
            assert axis.high.passages[0].place[number] == pytest.approx(max(everywhere))
            assert not {t.label for t in axis.low.terms} & {t.label for t in axis.high.terms}


def test_the_same_question_gives_the_same_compass(engine: Engine) -> None:
    request = CompassRequest(TOPICS[0], NamedFilters())
    assert compass(request, engine, silent) == compass(request, engine, silent)


def test_groups_are_named_in_the_language_that_is_asked_for(engine: Engine) -> None:
    titles = {}
    for language in WORDINGS:
        found = compass(CompassRequest(TOPICS[0], NamedFilters(), None, language), engine, silent)
        titles[language] = {position["title"] for position in found.compass["positions"]}
    assert "Governo" not in titles["en"]


def test_components_of_the_gruppo_misto_stand_alone_only_with_passages_enough(esperia: Esperia) -> None:
    findings = esperia.find(TOPICS[0])
    question = esperia.understand(TOPICS[0])
    blocs = [item.bloc for item in findings.evidence]
    found = make(question, findings.evidence, esperia.corpus, esperia.chamber, WORDINGS["it"])
    for position in found.positions:
        if position.component:
            assert blocs.count(position.component) >= OWN_PLACE


def test_too_few_groups_or_passages_are_told_and_nothing_is_placed_F137(esperia: Esperia) -> None:
    question = esperia.understand(TOPICS[0])
    evidence = esperia.find(TOPICS[0]).evidence
    blocs = sorted({item.bloc for item in evidence})
    two = [item for item in evidence if item.bloc in blocs[:2]]

    def of(items: Any) -> Compass:
        return make(question, items, esperia.corpus, esperia.chamber, WORDINGS["it"])

    assert of(two).unavailable == "few-groups"
    whole = [bloc for bloc in blocs if not esperia.chamber.is_mixed(bloc) and bloc != UNSEATED]
    three = [next(item for item in evidence if item.bloc == bloc) for bloc in whole[:3]]
    assert of(three).unavailable == "few-passages"
    assert of([]).unavailable == "few-groups"
    for found in (of(two), of(three), of([])):
        assert found.positions == found.axes == ()
        assert drawing.draw(compass_document(found)) is None


def test_an_answer_has_its_compass_unless_the_settings_leave_it_out(engine: Engine, esperia: Esperia) -> None:
    told: list[Step] = []
    without = Engine(esperia.corpus, esperia.chamber, esperia.thesaurus, Settings(embedder="hash", compass=False), None)
    assert ask(TOPICS[0], without, progress=told.append).compass is None
    answer = ask(TOPICS[0], engine)
    assert answer.compass is not None
    assert answer.milliseconds["compass"] > 0


def test_a_topic_that_nobody_spoke_of_has_no_compass(answer_to: Callable[[str], Answer]) -> None:
    found = answer_to(UNSPOKEN).compass
    assert found is not None
    assert (found.unavailable, found.passages, found.groups) == ("few-groups", 0, 0)


def test_a_drawing_has_everything_inside_and_no_name_over_another(made: list[Compass]) -> None:
    for found in made:
        document = compass_document(found)
        drawn = drawing.draw(document)
        assert drawn is not None
        assert drawn.rows == (len(found.axes) == 1)
        assert [mark.title for mark in drawn.marks] == [position.title for position in found.positions]
        for mark in drawn.marks:
            for point in (mark.centre, *mark.dots):
                assert 0 <= point.x <= drawn.width
                assert 0 <= point.y <= drawn.height
            assert len(mark.dots) == len(next(p for p in found.positions if p.title == mark.title).places)


def test_positions_on_one_axis_have_a_row_each() -> None:
    position = {
        "type": "CompassPosition", "kind": "majority", "title": "Uno", "sigla": "U", "x": 0.5, "passagesCount": 1,
        "places": "MULTIPOINT ((0.5 0))",
    }  # fmt: skip
    drawn = drawing.draw({"available": True, "axes": [{}], "positions": [position, {**position, "x": -1.5}]})
    assert drawn is not None
    assert drawn.rows
    assert len({mark.centre.y for mark in drawn.marks}) == 2
    assert drawn.marks[0].centre.x > drawn.marks[1].centre.x


def test_places_are_well_known_text() -> None:
    assert multipoint([(0.1234, -2.0), (-0.0001, 1.5)]) == "MULTIPOINT ((0.123 -2), (0 1.5))"
    assert multipoint([(1.0,)]) == "MULTIPOINT ((1 0))"


def test_the_shapes_of_marks_are_closed_paths() -> None:
    for kind in ("government", "majority", "opposition", "mixed", "other", "unheard-of"):
        assert drawing.key(kind).startswith("M")
        assert drawing.key(kind).endswith("z")


def test_evidence_whose_vectors_are_missing_is_left_out(esperia: Esperia) -> None:
    evidence = esperia.find(TOPICS[0]).evidence
    held = esperia.corpus.vectors.vectors("chunks", [item.chunk for item in evidence])
    assert set(held) == {item.chunk for item in evidence}
    assert all(np.linalg.norm(vector) == pytest.approx(1, abs=1e-3) for vector in held.values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        ({"available": False}, "say why there are none"),
        ({"positions": []}, "say why there are none"),
        ({"verdict": "certain"}, "say why there are none"),
        ({"axes": []}, "say why there are none"),
    ],
)
def test_a_compass_that_tells_more_or_less_than_it_may_breaks_its_shape(
    made: list[Compass], changes: dict[str, Any], message: str | None
) -> None:
    document = {"@context": CONTEXT, "id": "http://a.example/compass", **compass_document(made[0]), **changes}
    graph = rdflib.Graph().parse(data=to_rdf(document), format="nquads")
    shapes = rdflib.Graph().parse(data=ontology.read("shapes.ttl"), format="turtle")
    conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes)
    assert conforms is (message is None), text
    assert message is None or message in text
