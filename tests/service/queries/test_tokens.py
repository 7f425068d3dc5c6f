"""The tokens of a query: they cover its text, stand where they say, and no keyword comes out of a string."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.queries import tokens as lexer
from service.queries.tokens import Kind, Place, offset_of, place, tokens

PIECES = (
    "SELECT", "?x", "$y", "<http://a.example/b>", "<", ">", "<=", "ocd:x", ":", ":a", "_:b", "a", "1", "1.5", ".5",
    "2e3", "1.",
    '"s"', "'t'", '"""l"o"ng"""', "@it", "@en--ltr", "^^", "{", "}", "(", ")", "<<(", ")>>", "{|", "|}", "&&", "||",
    "!=",
    ".", ";", ",", "/", "|", "^", "*", "+", "?", "~", "# comment\n", "\\", '"', "'", "\u00a0", "\ufeff", "é",
    "ex:a.b", "ex:a%41",
    "ex:\\-", "\\u0041", '"\\u0022"', "<\\u0041>", "\n", " ", "\t", "SERVICE", "service:x",
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(token.kind, token.text) for token in tokens(text)]


@given(TEXTS)
def test_tokens_stand_where_they_say_and_between_them_is_space_alone(text: str) -> None:
    end = 0
    for token in tokens(text):
        assert text[token.start : token.end] == token.text != ""
        assert re.fullmatch(r"(\s|\ufeff|#[^\n\r]*)*", text[end : token.start])
        end = token.end
    assert re.fullmatch(r"(\s|\ufeff|#[^\n\r]*)*", text[end:])


@given(TEXTS, st.data())
def test_a_place_and_its_offset_are_the_same(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    where = place(text, offset)
    assert offset_of(text, where.line, where.column) == offset
    assert where.line == text[:offset].count("\n") + 1


def test_a_place_is_counted_in_characters_from_one() -> None:
    assert place("è\n😀 x", 4) == Place(2, 3)
    assert str(Place(2, 3)) == "line 2, column 3"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1.", [(Kind.NUMBER, "1"), (Kind.MARK, ".")]),
        ("1.5", [(Kind.NUMBER, "1.5")]),
        (".5e-3", [(Kind.NUMBER, ".5e-3")]),
        ("1.e3", [(Kind.NUMBER, "1.e3")]),
        ("ex:a.b.", [(Kind.PREFIXED, "ex:a.b"), (Kind.MARK, ".")]),
        ("ex:", [(Kind.PREFIXED, "ex:")]),
        ("a.b:c", [(Kind.PREFIXED, "a.b:c")]),
        ("_:a.", [(Kind.BLANK, "_:a"), (Kind.MARK, ".")]),
        ("?x.", [(Kind.VARIABLE, "?x"), (Kind.MARK, ".")]),
        ("ex:p?/ex:q", [(Kind.PREFIXED, "ex:p"), (Kind.MARK, "?"), (Kind.MARK, "/"), (Kind.PREFIXED, "ex:q")]),
        ("?a<?b", [(Kind.VARIABLE, "?a"), (Kind.MARK, "<"), (Kind.VARIABLE, "?b")]),
        ('""', [(Kind.STRING, '""')]),
        ('""""""', [(Kind.STRING, '""""""')]),
        ('"""a""b"""', [(Kind.STRING, '"""a""b"""')]),
        ('"a\\"b"', [(Kind.STRING, '"a\\"b"')]),
        ("'a'@it-IT", [(Kind.STRING, "'a'"), (Kind.LANGUAGE, "@it-IT")]),
        ('"open SELECT', [(Kind.STRAY, '"open SELECT')]),
    ],
)
def test_the_terminals_of_the_grammar(text: str, found: list[tuple[Kind, str]]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    "hidden",
    [
        '"SERVICE"', "'SERVICE'", '"""a "SERVICE" \n"""', "'''SERVICE'''", "<http://a/SERVICE>", "# SERVICE\n",
        "service:x",
        "ex:SERVICE", "?SERVICE", "_:SERVICE", '"\\" SERVICE"', '"\\u0022 SERVICE"', "<a\\u003ESERVICE>",
        "# \\u000A SERVICE",
        '"a"@SERVICE', "$service",
    ],
)  # fmt: skip
def test_what_looks_like_a_keyword_elsewhere_is_none(hidden: str) -> None:
    assert "SERVICE" not in [token.word for token in tokens(f"{hidden} ")]
    assert [token.word for token in tokens(f"{hidden}\nSERVICE")][-1] == "SERVICE"


HOSTILE = {
    "code points in an IRI that never ends": ("<", "\\u00000000", ""),
    "quotes": ("", "'", ""),
    "quotes of both kinds": ("", "\"'", ""),
    "a string that never ends": ("'''", "\\'", ""),
    "less-than signs": ("", "<", ""),
    "letters with dots": ("", "a.", ""),
    "a local name of dots": ("ex:a", ".", ""),
    "escapes in a local name": ("ex:", "\\-", "\u0001"),
    "percent signs": ("ex:", "%41", ""),
    "hash signs": ("", "#", "\n"),
    "blank nodes of dots": ("", "_:a..", ""),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_to_its_end(name: str) -> None:
    """Reading that goes back over what it read would take hours for such a text, or for ever; this takes no second."""
    head, body, tail = HOSTILE[name]
    text = head + body * (400_000 // len(body)) + tail
    assert sum(len(token.text) for token in itertools.islice(tokens(text), 50_000)) >= 0


def test_every_kind_of_token_is_told_apart() -> None:
    assert set(lexer._KINDS) == {kind.name for kind in Kind}
