"""OCD as published: each triple once, memberships with IRIs of their own, all else untouched."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Store

from loaders import ocd
from loaders.errors import SourceError
from tests.loaders.parliament import BASE, DATA, NAMES, SOURCE, Parliament

GRAPH = NamedNode(SOURCE)
HEAD = """@prefix ocd: <http://dati.camera.it/ocd/> . @prefix d: <http://x.example/deputato.rdf/> .
@prefix g: <http://x.example/gruppoParlamentare.rdf/> . @prefix o: <http://x.example/organo.rdf/> .
@prefix c: <http://x.example/componenteGruppoMisto.rdf/> . @prefix a: <http://x.example/atto.rdf/> .
"""

Load = Callable[..., tuple[Store, ocd.Counts]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load Turtle, one file for each text."""

    def run(*texts: str, suffix: str = ".ttl") -> tuple[Store, ocd.Counts]:
        paths = []
        for number, text in enumerate(texts):
            paths.append(tmp_path / f"{number}{suffix}")
            paths[-1].write_text(f"{HEAD}{text}" if suffix != ".nq" else text)
        store = Store()
        return store, ocd.load(paths, store, graph=GRAPH, base=BASE)

    return run


def members(store: Store, predicate: str) -> list[str]:
    found = store.quads_for_pattern(None, NamedNode(f"http://dati.camera.it/ocd/{predicate}"), None)
    return sorted(quad.object.value.removeprefix(BASE) for quad in found if isinstance(quad.object, NamedNode))


def test_each_triple_is_kept_once_in_the_sources_own_graph_Q1_F46(load: Load) -> None:
    lines = [f'<http://x.example/a> <http://x.example/b> "1" <{SOURCE}{theme}> .' for theme in ("", "atti/", "gruppi/")]
    store, counts = load("\n".join([*lines, '<http://x.example/a> <http://x.example/b> "2" .']), suffix=".nq")
    assert [quad.graph_name for quad in store] == [GRAPH, GRAPH]
    assert (counts.quads, counts.repeated, counts.membership_nodes) == (4, 2, 0)


def test_memberships_get_iris_of_who_where_and_since_when(load: Load) -> None:
    store, counts = load(
        'd:d1_19 ocd:aderisce [ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ] ;'
        ' ocd:membro [ ocd:rif_organo o:o19_1 ; ocd:startDate "2022-10-24" ] .'
        'c:cgm3 ocd:siComponeDi [ ocd:rif_deputato d:d1_19 ; ocd:startDate "20221019" ] .'
    )
    assert members(store, "aderisce") == ["membership/d1_19-gr2-20221018"]
    assert members(store, "membro") == ["membership/d1_19-o19_1-20221024"]
    assert members(store, "siComponeDi") == ["membership/d1_19-cgm3-20221019"]
    assert counts.membership_nodes == 3


def test_what_a_membership_says_is_kept_as_published(load: Load) -> None:
    store, _ = load(
        'd:d1 ocd:aderisce [ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ; ocd:endDate "20221027" ] .'
    )
    node = NamedNode(f"{BASE}membership/d1-gr2-20221018")
    said = {(q.predicate.value.rsplit("/")[-1], q.object) for q in store.quads_for_pattern(node, None, None)}
    assert said == {
        ("rif_gruppoParlamentare", NamedNode("http://x.example/gruppoParlamentare.rdf/gr2")),
        ("startDate", Literal("20221018")),
        ("endDate", Literal("20221027")),
    }


def test_two_stints_from_the_same_day_get_two_iris_in_a_fixed_order(load: Load) -> None:
    zero = '[ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ; ocd:endDate "20221018" ]'
    full = '[ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ; ocd:endDate "20230101" ]'
    ends = []
    for text in (f"d:d1 ocd:aderisce {zero} , {full} .", f"d:d1 ocd:aderisce {full} , {zero} ."):
        store, _ = load(text)
        assert members(store, "aderisce") == ["membership/d1-gr2-20221018", "membership/d1-gr2-20221018-2"]
        end = NamedNode("http://dati.camera.it/ocd/endDate")
        ends.append(sorted((q.subject.value, q.object.value) for q in store.quads_for_pattern(None, end, None)))
    assert ends[0] == ends[1]


def test_a_membership_published_in_two_partial_files_is_one_Q1_Q2(load: Load) -> None:
    text = 'd:d1 ocd:aderisce [ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ] .'
    store, counts = load(text, f"# the theme graph\n{text}")
    assert members(store, "aderisce") == ["membership/d1-gr2-20221018"]
    assert (counts.quads, counts.repeated) == (6, 3)


def test_other_blank_nodes_stay_blank(load: Load) -> None:
    store, counts = load(
        'a:ac1 ocd:primo_firmatario [ ocd:ruolo "Ministro" ] . g:gr1 ocd:denominazione [ ocd:startDate "20221018" ] .'
    )
    assert sum(isinstance(quad.object, BlankNode) for quad in store) == 2
    assert counts.membership_nodes == 0


def test_memberships_that_have_iris_already_keep_them(load: Load) -> None:
    store, _ = load("d:d1 ocd:aderisce <http://x.example/adesione/1> .")
    assert members(store, "aderisce") == ["http://x.example/adesione/1"]


def test_a_membership_without_a_day_or_a_body_is_named_by_what_is_there(load: Load) -> None:
    store, _ = load(
        'd:d1 ocd:aderisce [ ocd:rif_gruppoParlamentare g:gr2 ] ; ocd:membro [ ocd:startDate "20221018" ] .'
    )
    assert members(store, "aderisce") == ["membership/d1-gr2-"]
    assert members(store, "membro") == ["membership/d1--20221018"]


def test_turtle_and_n_quads_of_the_same_data_give_the_same_graph(load: Load, tmp_path: Path) -> None:
    turtle, _ = load('d:d1 ocd:aderisce [ ocd:rif_gruppoParlamentare g:gr2 ; ocd:startDate "20221018" ] .')
    lines = [
        "<http://x.example/deputato.rdf/d1> <http://dati.camera.it/ocd/aderisce> _:m .",
        "_:m <http://dati.camera.it/ocd/rif_gruppoParlamentare> <http://x.example/gruppoParlamentare.rdf/gr2> .",
        '_:m <http://dati.camera.it/ocd/startDate> "20221018" .',
    ]
    plain, _ = load("\n".join(lines), suffix=".nq")
    assert set(turtle) == set(plain)


def test_a_second_load_of_the_same_files_adds_nothing_F49(tmp_path: Path) -> None:
    store = Store()
    path = DATA / "ocd" / "parliament.ttl"
    first = ocd.load([path], store, graph=GRAPH, base=BASE)
    before = set(store)
    second = ocd.load([path], store, graph=GRAPH, base=BASE)
    assert set(store) == before
    assert (first.repeated, second.repeated) == (0, second.quads)


def test_a_bad_file_leaves_the_store_as_it_was(load: Load, tmp_path: Path) -> None:
    store = Store()
    good, bad = DATA / "ocd" / "parliament.ttl", tmp_path / "bad.ttl"
    bad.write_text("a b c")
    with pytest.raises(SourceError, match=r"bad\.ttl, line 1"):
        ocd.load([good, bad], store, graph=GRAPH, base=BASE)
    assert len(store) == 0


def test_progress_is_told_up_to_the_last_quad(tmp_path: Path) -> None:
    told: list[int] = []
    path = tmp_path / "many.nt"
    path.write_text("".join(f'<http://x.example/{n}> <http://x.example/p> "{n}" .\n' for n in range(10_001)))
    ocd.load([path], Store(), graph=GRAPH, base=BASE, progress=told.append)
    assert told == [10_000, 10_001]


def test_names_and_titles_are_written_as_a_text_would(parliament: Parliament) -> None:
    assert parliament.rows("SELECT ?name WHERE { ?p a foaf:Person ; foaf:name ?name }") == [
        ("Ada De Rossi",), ("Anna Ferri",), ("Bruno Dell'Orto",), ("Carla Mulè",), ("Dario Vento",),
        ("Elisa De Luca",), ("Fabio Riva Bonafè",), ("Giulia Neri",),
    ]  # fmt: skip
    assert parliament.values("SELECT ?title WHERE { act:ac7_100 dcterms:title ?title }") == [
        "Disposizioni sulla pesca costiera"
    ]


def test_readable_names_go_to_the_extension_and_not_to_the_source(parliament: Parliament) -> None:
    name = NamedNode("http://xmlns.com/foaf/0.1/name")
    quads = list(parliament.store.quads_for_pattern(None, name, None))
    assert {quad.graph_name for quad in quads} == {NAMES.graph}
