"""Nesting is refused before a parser sees it, whatever hides it, and nothing else is taken for it."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from loaders import nesting, rdf
from loaders.errors import SourceError
from loaders.nesting import DEEPEST, Nesting

S = "<http://data.example/s> <http://data.example/p> "
EX = "@prefix ex: <http://data.example/> .\n"
MANY = 1_000


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


NESTED = {
    "terms.nt": S + f"<<( {S}" * MANY + "<http://data.example/o>" + " )>>" * MANY + " .\n",
    "terms.nq": S + f"<<( {S}" * MANY + "<http://data.example/o>" + " )>>" * MANY + " <http://data.example/g> .\n",
    "terms.ttl": S + f"<<( {S}" * MANY + "1" + " )>>" * MANY + " .\n",
    "reified.ttl": S + f"<< {S}" * MANY + "1" + " >>" * MANY + " .\n",
    "nodes.ttl": S + "[ <http://data.example/p> " * MANY + "1" + "]" * MANY + " .\n",
    "lists.trig": f"<http://data.example/g> {{ {S}" + "(" * MANY + ")" * MANY + " }\n",
    "unclosed.ttl": EX + S + "[ex:p " * MANY,
    "behind-escapes.ttl": EX + S + "<<( ex:s\\' ex:p <<( ex:s\\' ex:p " * MANY,
    "behind-comments.ttl": EX + S + "<<( ex:s # )>> ' \" \n ex:p\n" * MANY,
    "behind-iris.ttl": EX + S + "<<( <http://data.example/'> ex:p <<( <http://data.example/#> ex:p " * MANY,
    "behind-strings.ttl": EX + S + '[ ex:p \'\'\'\n\']\'\'\' , "]" , """\\"""""" , \']\' , ' * MANY,
    "objects.jsonld": '{"http://data.example/p":' * MANY + "1" + "}" * MANY,
    "arrays.jsonld": '{"http://data.example/p":' + "[" * MANY + "]" * MANY + "}",
    "behind-keys.jsonld": '{"http://data.example/]}\\"]":\n' * MANY + "1" + "}" * MANY,
}


@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_deep_is_refused_with_its_file_and_line(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, NESTED[name])
    with pytest.raises(SourceError, match=f"line \\d+: is nested more than {DEEPEST} brackets deep") as caught:
        list(rdf.read(path))
    assert caught.value.path == path


def test_the_line_is_that_of_the_bracket_too_many(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ttl", EX + "# [\n" + S + "[ ex:p\n" * MANY)
    with pytest.raises(SourceError) as caught:
        list(rdf.read(path))
    assert caught.value.line == 3 + DEEPEST


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("string.nt", S + '"' + "<<(" * MANY + '" .\n'),
        ("strings.ttl", EX + S + f'"{"[" * MANY}" , \'{"(" * MANY}\' , """\n{"<<" * MANY}\n" ""\\"""" .\n'),
        ("comment.ttl", "#" + "[" * MANY + f"\n{S}1 .\n"),
        ("many.ttl", EX + "".join(f"ex:a ex:p [ ex:p ( {n} ) ] .\n" for n in range(MANY))),
        ("deepest.ttl", S + "[ <http://data.example/p> " * DEEPEST + "1" + "]" * DEEPEST + " .\n"),
        ("string.jsonld", f'{{"@id":"http://data.example/s","http://data.example/p":"\\"{"[" * MANY}"}}'),
        ("deepest.jsonld", '{"http://data.example/p":' * DEEPEST + "1" + "}" * DEEPEST),
        ("terms.nt", S + f"<<( {S}" * 60 + "<http://data.example/o>" + " )>>" * 60 + " .\n"),
    ],
)
def test_what_is_not_nested_is_read(tmp_path: Path, name: str, content: str) -> None:
    assert list(rdf.read(write(tmp_path / name, content)))


TEXT = (EX + S + '[ ex:p """\n[ "" \\"""" , "(" , <http://data.example/(> , ex:\\( ] . # [\n').encode()


@given(cuts=st.lists(st.integers(0, len(TEXT)), max_size=8), deep=st.booleans())
def test_the_pieces_in_which_a_file_comes_make_no_difference(cuts: list[int], deep: bool) -> None:
    text = TEXT * 3 + (b"[" * (DEEPEST + deep))
    reader = Nesting(Path("a.ttl"), RdfFormat.TURTLE)
    places = [0, *sorted(cuts), len(text)]

    def read() -> None:
        for begin, end in pairwise(places):
            reader.feed(text[begin:end])
        reader.end()

    if deep:
        with pytest.raises(SourceError, match="brackets deep") as caught:
            read()
        assert caught.value.line == 1 + text.count(b"\n")
    else:
        read()


def test_lines_and_strings_have_a_longest_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "LONGEST_LINE", 100)
    monkeypatch.setattr(nesting, "LONGEST_STRING", 100)
    reader = Nesting(Path("a.ttl"), RdfFormat.TURTLE)
    reader.feed(b" " * 100)
    with pytest.raises(SourceError, match="has a line longer"):
        reader.feed(b" ")
    reader = Nesting(Path("a.ttl"), RdfFormat.TURTLE)
    reader.feed(b'"""\n')
    reader.feed(b"words of more than a hundred characters\n" * 2)
    with pytest.raises(SourceError, match="holds a string longer"):
        reader.feed(b"and one line more, that is too much\n")
