"""Where a query breaks the grammar: at the first token that no query goes on with."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Store

from service.queries.tokens import offset_of, tokens
from service.snapshots.diagnosis import diagnosed

SOUND = (
    'SELECT ?x (COUNT(DISTINCT ?y) AS ?n) WHERE { ?x a <http://c> ; ^<http://p>/<http://q>* ?y . OPTIONAL { ?y ?p -1 } '
    'FILTER(?n > 1 && REGEX(?y, "a", "i")) VALUES ?z { "a"@it "2"^^<http://d> UNDEF } } GROUP BY ?x ORDER BY DESC(?n)'
)  # fmt: skip


def breaks_at(text: str) -> int:
    with pytest.raises(SyntaxError) as caught:
        Store().query(text, base_iri="http://b/")
    found = re.match(r"fails at (\d+):(\d+): ", diagnosed(text, "http://b/", {}, str(caught.value)))
    assert found
    return offset_of(text, int(found[1]), int(found[2]))


@given(st.integers(0, len(list(tokens(SOUND))) - 1))
def test_a_character_that_begins_nothing_is_found_wherever_it_stands(index: int) -> None:
    """In place of any token of a sound query, except inside what the engine reads as one."""
    token = list(tokens(SOUND))[index]
    text = SOUND[: token.start] + "\x01" + SOUND[token.end :]
    inside = SOUND[: token.start].rstrip().endswith(("^^", "-"))
    assert breaks_at(text) in ({token.start, token.start - 2, token.start - 1} if inside else {token.start})


@given(st.integers(1, len(list(tokens(SOUND))) - 1))
def test_a_query_that_is_cut_breaks_at_its_end(index: int) -> None:
    text = SOUND[: list(tokens(SOUND))[index].start].rstrip()
    if text.endswith(("^^", "-", ")", "DESC", "?n", "<http://p>", "<http://c>")) or _runs(text):
        return
    assert breaks_at(text) == len(text)


def _runs(text: str) -> bool:
    try:
        Store().query(text, base_iri="http://b/")
    except SyntaxError:
        return False
    return True


def test_another_message_is_left_as_it_is() -> None:
    assert diagnosed("ASK {", None, {}, "no places here") == "no places here"
