"""What the engine finds for the search service, over a graph in this process and over one behind an endpoint."""

import pytest

from service.engines.remote import RemoteEngine
from service.errors import QuestionError
from service.pipeline import Engine
from service.progress import silent
from service.search_service.asked import Search
from service.search_service.finding import Found, Request, find
from service.settings import Settings
from tests.conftest import Esperia

SEARCHES = (
    Search("salario minimo", limit=5),
    Search("salario minimo", "acts", limit=2),
    Search("salario minimo", mode="semantic", limit=500),
    Search("salario minimo", limit=5),
)


@pytest.fixture(scope="module")
def found(engine: Engine) -> Found:
    return find(Request(SEARCHES), engine, silent)


def test_each_search_has_its_hits_and_all_share_what_the_record_says(found: Found, engine: Engine) -> None:
    assert found.version == engine.corpus.manifest.version
    assert [len(hits) for hits in found.hits[:2]] == [5, 2]
    assert found.hits[0] == found.hits[3]
    told = {line.split(" ", 1)[0] for line in found.facts.splitlines()}
    assert {f"<{hit.iri}>" for hits in found.hits for hit in hits} <= told
    lines = found.facts.splitlines()
    assert len(lines) == len(set(lines))


def test_by_meaning_alone_the_order_is_that_of_the_similarity(found: Found) -> None:
    similarities = [hit.similarity for hit in found.hits[2]]
    assert similarities == sorted(similarities, reverse=True)


def test_a_group_that_nobody_knows_is_refused(engine: Engine) -> None:
    with pytest.raises(QuestionError, match="there is no group 'x'"):
        find(Request((Search("pesca", groups=("x",)),)), engine, silent)


def test_it_is_the_same_in_the_engines_process_over_a_graph_by_url(
    found: Found, esperia: Esperia, esperia_endpoint: str
) -> None:
    remote = RemoteEngine(esperia.data, Settings(embedder="hash", graph_url=esperia_endpoint))
    try:
        assert remote.run(find, Request(SEARCHES)) == found
    finally:
        remote.close()
