"""Mappings are read strictly: what is wrong is told with the file and the key."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

import mappings
from loaders import record, stenographic
from mappings import MappingError

FOLDER = Path(mappings.__file__).parent
GOOD = """
rules = ["camera"]
[dataset]
id = "valdoria-7"
title = {it = "Valdoria"}
source_graph = "http://data.example/ocd/"
legislature = "http://data.example/ocd/legislatura.rdf/repubblica_7"
licence = "https://creativecommons.org/publicdomain/zero/1.0/"
begin = 2024-01-10
[iri]
person = "http://data.example/ocd/persona.rdf/p{number}"
transcript = "https://data.example/transcripts/{sitting}#{anchor}"
[source]
ocd = ["ocd"]
[[government]]
iri = "http://data.example/ocd/governo.rdf/g1"
name = {it = "I Governo"}
from = 2024-01-12
[[government.side]]
organization = "http://data.example/ocd/gruppoParlamentare.rdf/gr1"
side = "majority"
from = 2024-01-12
[[committee]]
organ = "http://data.example/ocd/organo.rdf/o1"
keywords = ["pesca"]
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mapping.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["camera", "esperia"])
def test_shipped_mappings_load(name: str) -> None:
    found = mappings.load(name)
    assert found.governments
    assert found.committees
    assert mappings.rules(found)
    assert all(side.organization.startswith("http") for government in found.governments for side in government.sides)


def test_known_institutions_are_those_with_a_mapping() -> None:
    assert {"camera", "esperia"} <= set(mappings.known())


def test_only_esperia_is_invented() -> None:
    assert mappings.load("esperia").dataset.invented
    assert not mappings.load("camera").dataset.invented


@pytest.mark.parametrize("name", ["camera", "esperia"])
def test_no_side_is_held_twice_on_one_day_and_none_begins_before_its_government(name: str) -> None:
    for government in mappings.load(name).governments:
        held: dict[str, list[tuple[date, date]]] = {}
        for side in government.sides:
            last = side.until or date.max
            assert government.begin <= side.begin <= last
            assert all(end < side.begin or last < begin for begin, end in held.get(side.organization, []))
            held.setdefault(side.organization, []).append((side.begin, last))


@pytest.mark.parametrize("name", ["camera", "esperia"])
def test_every_committee_stands_once_and_has_words(name: str) -> None:
    committees = mappings.load(name).committees
    organs = [committee.organ or committee.label for committee in committees]
    assert len(organs) == len(set(organs))
    for committee in committees:
        assert committee.keywords
        assert all(word == word.strip() and word for word in committee.keywords)
        assert len(committee.keywords) == len(set(committee.keywords))


def test_a_mapping_of_ones_own_is_read_by_its_path(tmp_path: Path) -> None:
    found = mappings.load(write(tmp_path, GOOD))
    assert found.dataset.id == "valdoria-7"
    assert found.governments[0].sides[0].begin == date(2024, 1, 12)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('id = "valdoria-7"', 'id = "valdoria-7"\ncolour = "red"', "dataset.colour"),
        ("begin = 2024-01-10", 'begin = "10/01/2024"', "dataset.begin"),
        ("begin = 2024-01-10", "begin = 2024-01-10\nend = 2025-01-01", "dataset.end"),
        ('id = "valdoria-7"', 'id = "Val Doria"', "dataset.id"),
        ('rules = ["camera"]', "", "rules"),
        ('side = "majority"', 'side = "left"', "government.0.side.0.side"),
        ('side = "majority"\nfrom = 2024-01-12', 'side = "majority"\nfrom = "yesterday"', "government.0.side.0.from"),
        ('side = "majority"\nfrom = 2024-01-12', 'side = "majority"', "government.0.side.0.from"),
        ('keywords = ["pesca"]', "", "committee.0.keywords"),
        ("[iri]", "[iri]\nchamber = 1", "iri.chamber"),
        ("[source]", '[source]\nlegislature = "x"', "source.legislature"),
        ("[[committee]]", "[[comittee]]", "comittee"),
    ],
)
def test_what_is_wrong_is_told_with_its_key(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(MappingError) as raised:
        mappings.load(path)
    assert str(raised.value).startswith(f"{path}: {key}: ")


@pytest.mark.parametrize("text", [GOOD + "[[\n", GOOD + "begin = 2024-02-30", "= 1"])
def test_broken_toml_is_told_with_its_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(MappingError, match=r"mapping\.toml is not TOML: .*line \d+"):
        mappings.load(write(tmp_path, text))


def test_an_unknown_institution_is_told_with_the_known_ones() -> None:
    with pytest.raises(MappingError, match=r'no mapping "atlantide"; known: .*camera.*esperia'):
        mappings.load("atlantide")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match="cannot be read"):
        mappings.load(str(tmp_path / "absent.toml"))


def test_rules_of_an_unknown_folder_are_told(tmp_path: Path) -> None:
    found = mappings.load(write(tmp_path, GOOD.replace('["camera"]', '["atlantide"]')))
    with pytest.raises(MappingError, match="atlantide"):
        mappings.rules(found)


def test_rules_run_in_the_order_of_their_names() -> None:
    names = [name for name, _ in mappings.rules(mappings.load("camera"))]
    assert names == sorted(names)


# Esperia


def test_the_data_of_esperia_are_what_its_sources_build_F49() -> None:
    code = (
        "import runpy, sys, tomllib, pathlib\n"
        "here = pathlib.Path(sys.argv[1])\n"
        "build = runpy.run_path(str(here / 'build.py'))['build']\n"
        "read = lambda name: tomllib.loads((here / name).read_text(encoding='utf-8'))\n"
        "sys.stdout.buffer.write(build(read('roster.toml'), read('acts.toml')['act']).encode())\n"
    )
    source = FOLDER / "esperia" / "source"
    built = subprocess.run([sys.executable, "-c", code, str(source)], capture_output=True, check=True).stdout
    assert built == (FOLDER / "esperia" / "ocd" / "esperia.nq").read_bytes()


def test_sides_and_committees_of_esperia_are_in_its_data_F9() -> None:
    mapping = mappings.load("esperia")
    data = parse(path=str(FOLDER / "esperia" / "ocd" / "esperia.nq"), format=RdfFormat.N_QUADS)
    known = {quad.subject.value for quad in data}
    assert {side.organization for government in mapping.governments for side in government.sides} <= known
    assert {committee.organ for committee in mapping.committees if committee.organ} <= known


def test_every_transcript_of_esperia_can_be_read() -> None:
    mapping = mappings.load("esperia")
    sittings = [stenographic.read(path) for path in sorted((FOLDER / "esperia" / "stenographic").glob("*.xml"))]
    assert [sitting.number for sitting in sittings] == list(range(1, len(sittings) + 1))
    names = record.Names("https://w3id.org/emiciclo/id/", mapping)
    assert all(list(record.quads(sitting, names)) for sitting in sittings)
    assert all(mapping.dataset.begin <= sitting.date for sitting in sittings)
