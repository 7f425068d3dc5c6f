"""The graph behind query workers keeps the contract of every other graph store."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import Store

from service.errors import QueryError
from service.graph import GraphStore
from service.snapshots.graph import PooledGraph
from service.snapshots.handle import Snapshot
from service.snapshots.pool import QueryPool
from tests.service import test_graph as contract
from tests.service.snapshots.conftest import COUNT, LIMITS, SIZE

test_union = contract.test_the_default_graph_is_the_union_of_the_named_graphs_and_repeats_nothing
test_terms = contract.test_terms_come_back_as_they_went_in_with_language_and_datatype
test_unbound = contract.test_an_unbound_variable_is_absent_from_the_row
test_nothing = contract.test_nothing_found_is_an_empty_list
test_ask = contract.test_ask_tells_true_from_false
test_construct = contract.test_construct_and_describe_yield_triples
test_words = contract.test_words_of_updates_in_comments_and_strings_do_not_make_a_query_an_update
test_wrong = contract.test_a_query_that_is_none_is_a_query_error_in_one_line
test_update = contract.test_an_update_is_refused_and_changes_nothing
test_form = contract.test_a_query_of_another_form_is_a_query_error


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    path: Path = tmp_path_factory.mktemp("pooled") / "graph"
    store = Store(str(path))
    store.bulk_extend(contract.QUADS)
    store.flush()
    del store
    pool = QueryPool(lambda: Snapshot(path, "1"), replace(LIMITS, seconds=0.8), SIZE)
    yield PooledGraph(pool)
    pool.close()


def test_a_page_is_not_held_up_by_its_query(graph: GraphStore) -> None:
    numbers = " ".join(map(str, range(3000)))
    product = f"VALUES ?a {{ {numbers} }} VALUES ?b {{ {numbers} }} FILTER(SHA512(CONCAT(STR(?a), STR(?b))) = '')"
    with pytest.raises(QueryError, match="longer than"):
        graph.select(f"SELECT (COUNT(*) AS ?n) {{ {product} }}")
    assert graph.select(COUNT)[0]["n"].value == "5"
