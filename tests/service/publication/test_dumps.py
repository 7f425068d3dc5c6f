"""Dumps: what goes in comes out, and it comes out the same each time."""

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Store,
)

from service.publication.dumps import EVERYTHING, Content, compress, graph_key, names, stream
from tests.service.publication.parts import plain, quads_of, version_of

EX = "http://example.org/"


def node(name: str) -> NamedNode:
    return NamedNode(EX + name)


def canonical(quads: object) -> Dataset:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def test_the_dumps_of_all_graphs_make_the_same_graph_again(published_version: Path) -> None:
    content = Content.open(published_version)
    again = Store()
    for graph in content.graphs():
        again.load(gzip.decompress(b"".join(stream(content, [graph]))), RdfFormat.N_QUADS)
    assert len(again) == len(content.store)
    assert any(isinstance(quad.subject, BlankNode) for quad in again)
    assert canonical(again) == canonical(content.store)


def test_the_dump_of_everything_makes_the_same_graph_again(published_version: Path) -> None:
    content = Content.open(published_version)
    again = Store()
    again.bulk_load(gzip.decompress(b"".join(stream(content, content.graphs()))), RdfFormat.N_QUADS)
    assert canonical(again) == canonical(content.store)


def test_a_graph_that_differs_in_one_blank_node_is_told_apart(published_version: Path) -> None:
    content = Content.open(published_version)
    quads = list(content.store)
    position = next(n for n, quad in enumerate(quads) if isinstance(quad.object, BlankNode))
    quads[position] = Quad(quads[position].subject, quads[position].predicate, BlankNode(), quads[position].graph_name)
    assert canonical(quads) != canonical(content.store)


def test_a_copy_of_a_store_filled_in_another_order_is_dumped_byte_for_byte_the_same(
    published_version: Path, tmp_path: Path
) -> None:
    content = Content.open(published_version)
    other = Content.open(version_of(tmp_path / "copy", sorted(content.store, key=str, reverse=True)))
    first, second = (b"".join(stream(each, each.graphs())) for each in (content, other))
    assert first == second


def test_the_header_of_a_member_tells_no_time() -> None:
    member = b"".join(compress([b"a\n", b"b\n"]))
    assert member[:4] == b"\x1f\x8b\x08\x00"  # no name, no comment
    assert member[4:8] == bytes(4)
    assert gzip.decompress(member) == b"a\nb\n"


def test_members_in_a_row_are_one_file() -> None:
    assert gzip.decompress(b"".join(compress([b"a\n"])) + b"".join(compress([])) + b"".join(compress([b"b\n"]))) == (
        b"a\nb\n"
    )


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
literals = st.one_of(
    texts.map(Literal),
    st.tuples(texts, st.sampled_from(["it", "en", "sl-rozaj"])).map(lambda pair: Literal(pair[0], language=pair[1])),
    st.integers().map(Literal),
)
terms = st.one_of(literals, st.sampled_from([node("a"), node("è"), BlankNode("b"), BlankNode("c")]))
graphs_ = st.sampled_from([DefaultGraph(), node("g"), node("graph/h"), BlankNode("i")])
quads = st.builds(
    Quad,
    st.sampled_from([node("a"), node("è"), BlankNode("b")]),
    st.sampled_from([node("p"), node("q")]),
    terms,
    graphs_,
)


@given(st.lists(quads, max_size=20))
def test_any_quads_come_out_as_they_went_in(given_quads: list[Quad]) -> None:
    store = Store()
    store.extend(given_quads)
    content = Content(store)
    found = [quads_of(b"".join(content.n_quads(graph))) for graph in content.graphs()]
    assert set().union(*found) == set(store)
    assert sum(map(len, found)) == len(store)


def test_what_was_loaded_in_no_graph_is_dumped_where_the_default_graph_is_a_merge(tmp_path: Path) -> None:
    loaded = f'<{EX}a> <{EX}p> <{EX}b> <{EX}g> .\n<{EX}a> <{EX}p> <{EX}b> <{EX}h> .\n<{EX}a> <{EX}p> "alone" .\n'
    content = Content.open((plain(tmp_path, loaded) / "current").resolve())
    assert content.unnamed
    assert {graph_key(graph) for graph in content.graphs()} == {"", f"{EX}g", f"{EX}h"}
    assert quads_of(gzip.decompress(b"".join(stream(content, content.graphs())))) == quads_of(loaded.encode())


def test_names_say_which_graph_it_is() -> None:
    found = names([
        DefaultGraph(),
        NamedNode("http://dati.camera.it/ocd/"),
        NamedNode("https://w3id.org/emiciclo/id/graph/camera-19"),
        NamedNode("urn:x:y"),
        BlankNode("b"),
    ])  # fmt: skip
    assert list(found.values()) == ["default", "dati.camera.it-ocd", "camera-19", "urn-x-y", "blank"]


iris = st.from_regex(r"[a-z]{1,5}:(//)?[^\s<>\"{}|^`\\\x00-\x20]{0,60}", fullmatch=True)


@given(
    st.lists(st.one_of(iris, st.sampled_from([f"{EX}graph/all", f"{EX}graph/default", f"{EX}graph/../x"])), unique=True)
)
def test_every_graph_has_a_name_of_its_own_that_is_safe_in_a_path(found: list[str]) -> None:
    given_graphs = [DefaultGraph(), *(NamedNode(iri) for iri in found if _is_iri(iri))]
    named = names(given_graphs)
    assert list(named) == given_graphs
    assert len({*named.values(), EVERYTHING}) == len(given_graphs) + 1
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) for name in named.values())


def _is_iri(text: str) -> bool:
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("graph", [DefaultGraph(), NamedNode(f"{EX}g"), BlankNode("b")])
def test_the_key_of_a_graph_is_text(graph: DefaultGraph) -> None:
    assert graph_key(graph) in {"", f"{EX}g", "_:b"}
