"""Titles of offices as they follow the person's gender in Italian: "Ministro della Salute", "Ministra della Salute".

Only what is shown follows it; the record keeps the printed form. Where the data do not tell the
gender, the printed form is shown.
"""

import re
from typing import Final

_FEMININE: Final = {
    "ministro": "ministra",
    "viceministro": "viceministra",
    "sottosegretario": "sottosegretaria",
    "segretario": "segretaria",
    "vicesegretario": "vicesegretaria",
    "deputato": "deputata",
    "senatore": "senatrice",
    "consigliere": "consigliera",
    "questore": "questora",
    "tesoriere": "tesoriera",
    "delegato": "delegata",
    "relatore": "relatrice",
    "commissario": "commissaria",
    "vicario": "vicaria",
    "aggiunto": "aggiunta",
    "primo": "prima",
    "firmatario": "firmataria",
    "cofirmatario": "cofirmataria",
    "membro": "membro",
}
_OPENING: Final = frozenset(
    {"di", "del", "dello", "della", "dei", "degli", "delle", "al", "allo", "alla", "ai", "agli", "alle", "a"}
    | {"per", "con", "in", "nel", "nello", "nella", "nei", "nelle", "presso", "dell", "all", "nell"}
)
"""Words after which a title says of what it is one, and of whom no more."""
_JOINING: Final = frozenset({"e", "ed"})
_TOKEN: Final = re.compile(r"\w+|\W+")


def of_gender(title: str, gender: str | None) -> str:
    """A title for a person; the same words for a man, and where nothing is known."""
    if gender != "female":
        return title
    head = True
    written = []
    for token in _TOKEN.findall(title):
        word = token.casefold()
        if word in _OPENING:
            head = False
        elif word in _JOINING or "," in token:
            head = True
        written.append(_written(token, _FEMININE[word]) if head and word in _FEMININE else token)
    return "".join(written)


def _written(printed: str, word: str) -> str:
    """A word in the letters of another: capitals, a capital first, or small ones."""
    if printed.isupper():
        return word.upper()
    return word.capitalize() if printed[0].isupper() else word
