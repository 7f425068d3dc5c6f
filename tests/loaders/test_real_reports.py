"""The published reports beside the repository, where they are there: all is read, nothing is left over."""

import re
from pathlib import Path

import pytest
from lxml import etree

import mappings
from loaders import record, stenographic
from loaders.record import Sitting
from loaders.text import chunks, sentences

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "camera"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the published reports are not at {FOLDER}")

GROUP = re.compile(r"^\W*\([^()a-z]+(\([^()a-z]*\)[^()a-z]*)*\)\s*\.")


@pytest.fixture(scope="module")
def sittings() -> list[Sitting]:
    return [stenographic.read(path) for path in sorted((FOLDER / "stenographic").glob("*.xml"))]


def test_every_speech_of_every_report_is_read_in_order_F30(sittings: list[Sitting]) -> None:
    assert (len(sittings), sum(len(list(sitting.all_speeches())) for sitting in sittings)) == (21, 599)
    for sitting in sittings:
        printed = [element.get("id") for element in etree.parse(sitting.path).iter("intervento")]
        assert [speech.anchor for speech in sitting.all_speeches()] == printed


def test_no_header_is_left_in_any_text_F19(sittings: list[Sitting]) -> None:
    for sitting in sittings:
        for speech in sitting.all_speeches():
            assert speech.text, speech.anchor
            assert not speech.text.startswith(speech.speaker_printed), speech.anchor
            assert not GROUP.match(speech.text), speech.anchor
            assert not speech.text.startswith((",", ". ", ") ")), speech.anchor
            assert speech.speaker_number or speech.by_chair, speech.anchor


def test_every_word_of_the_reports_is_kept_F23_F24(sittings: list[Sitting]) -> None:
    for sitting in sittings:
        printed = {
            element.get("id"): "".join("".join(element.itertext()).split())
            for element in etree.parse(sitting.path).iter("intervento")
        }
        for speech in sitting.all_speeches():
            assert printed[speech.anchor].endswith("".join(speech.text.split())), speech.anchor


def test_every_chunk_is_a_span_and_every_sentence_lies_in_one_F20_F22(sittings: list[Sitting]) -> None:
    for sitting in sittings:
        for speech in sitting.all_speeches():
            spans = chunks(speech.text)
            assert all(span.end <= len(speech.text) and span.of(speech.text).strip() for span in spans)
            assert all(any(unit.within(span) for span in spans) for unit in sentences(speech.text))


def test_the_reports_become_rdf_under_the_chambers_mapping_F50(sittings: list[Sitting]) -> None:
    names = record.Names("https://w3id.org/emiciclo/id/", mappings.load("camera"))
    nodes = [
        q.subject for sitting in sittings for q in record.quads(sitting, names) if q.predicate.value.endswith("/text")
    ]
    assert len(nodes) == len(set(nodes)) == 599
