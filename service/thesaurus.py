"""The policy thesaurus: which of its concepts a text speaks of, and what else they are called."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import Stemmer

import sparql
from service.graph import GraphStore, Row

_STEMMER = Stemmer.Stemmer("italian")
_DOCTRINES: Final = ("ismo", "ismi", "ista", "isti", "iste")
_WORD = re.compile(r"[^\W_]+")
_SPACED: Final = bytes(code if code < 128 and chr(code).isalnum() else 32 for code in range(256))
"""What `_WORD` leaves out of ASCII, as blanks."""
_USUAL_MARKS: Final = "\u0300\u0301\u0302\u0308\u0303\u0327"
"""The accents of the languages around: to take out each costs less than one search for all that there are."""
_USUAL_SIGNS: Final = "’‘“”«»–—"
"""What is printed between words, outside of ASCII."""
_LATIN_MARKS: Final = re.compile("[\u0300-\u034e\u0350-\u036f]+")
_OTHER_SCRIPTS: Final = re.compile("[\u0370-\u1fff\u20d0-\U0010ffff]")
STEMS_KEPT: Final = 65_536
"""Stems that are kept by their words: a record has some tens of thousands of different ones."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept with its preferred Italian label and all its labels, of any language."""

    iri: str
    label: str
    labels: tuple[str, ...]
    translations: tuple[tuple[str, str], ...] = ()
    """The preferred labels in other languages than Italian, each after its language."""

    def label_in(self, language: str) -> str:
        """The preferred label in a language; the Italian one where there is none."""
        return dict(self.translations).get(language, self.label)


def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded in case and accents."""
    plain = unicodedata.normalize("NFKD", text.lower())
    for mark in _USUAL_MARKS:
        plain = plain.replace(mark, "")
    for sign in _USUAL_SIGNS:
        plain = plain.replace(sign, " ")
    if plain.isascii():  # as Italian is without these: the same words at a third of the cost
        return tuple(plain.encode().translate(_SPACED).decode().split())
    return tuple(_WORD.findall(unmarked(plain)))


def unmarked(text: str) -> str:
    """A decomposed text without its combining characters; quick for Latin letters and common punctuation."""
    if _OTHER_SCRIPTS.search(text):
        return "".join(c for c in text if not unicodedata.combining(c))
    return _LATIN_MARKS.sub("", text)


def stems(text: str) -> tuple[str, ...]:
    """The words of a text, folded and reduced to their Italian stems."""
    return stemmed(words(text))


def stemmed(plain: Sequence[str]) -> tuple[str, ...]:
    """The Italian stems of words; "protezionismo" is kept apart from "protezione", as Snowball does not."""
    return tuple(map(_stems.__getitem__, plain))


class _Stems(dict[str, str]):
    """Stems by their words. When there are too many, all are forgotten: the usual ones are back soon."""

    def __missing__(self, word: str) -> str:
        if len(self) >= STEMS_KEPT:
            self.clear()
        stem = self[word] = word[:-1] if word.endswith(_DOCTRINES) else str(_STEMMER.stemWord(word))
        return stem


_stems: Final = _Stems()


def label_key(label: str) -> tuple[str, ...]:
    """What a label is found by: its stems, but an acronym by its very letters ("MES" is not "mese")."""
    if label == label.upper():
        return tuple(f"={word}" for word in words(label))
    return stems(label)


def content_words(text: str) -> tuple[str, ...]:
    """The stems of a text without function words and the words of every parliamentary debate."""
    return tuple(word for word in stems(text) if word not in _EMPTY_WORDS)


_EMPTY_WORDS: Final = frozenset(
    stems(
        """
        il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dallo
        dalla dai dagli dalle in nel nello nella nei negli nelle con col su sul sullo sulla sui sugli sulle per tra fra
        e ed o od che chi cui non piu come quando dove quale quali cosa sono essere ha hanno si suo sua loro nostro
        nostra questo questa questi queste the of and on in for to about
        legge leggi disegno proposta proposte decreto provvedimento articolo comma norma norme disposizioni misura
        misure riforma governo parlamento camera introduzione modifica materia tema
        """
    )
)


def labels_of_concepts(graph: GraphStore) -> list[Row]:
    """A row for each label of the thesaurus in the store's ontology graph; of a concept, the preferred ones first."""
    rows = graph.select(sparql.query("index/concepts"))
    return sorted(rows, key=lambda row: (row["concept"].value, row["preferred"].value != "true", row["label"].value))


class Thesaurus:
    """Finds concepts by whole-word sequences of their labels, the longest first."""

    def __init__(self, concepts: tuple[Concept, ...]) -> None:
        self.concepts = concepts
        self._by_first: defaultdict[str, list[tuple[tuple[str, ...], Concept]]] = defaultdict(list)
        """The labels' keys by their first word, the longest first."""
        for concept in concepts:
            for label in concept.labels:
                key = label_key(label)
                if key:
                    self._by_first[key[0]].append((key, concept))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: (-len(entry[0]), entry[1].iri))

    @classmethod
    def read(cls, graph: GraphStore) -> "Thesaurus":
        """Read the concepts of the store's ontology graph."""
        preferred: dict[str, str] = {}
        translations: defaultdict[str, dict[str, str]] = defaultdict(dict)
        labels: defaultdict[str, list[str]] = defaultdict(list)
        for row in labels_of_concepts(graph):
            concept, label = row["concept"].value, row["label"]
            language = getattr(label, "language", None)
            if row["preferred"].value == "true" and language == "it":
                preferred[concept] = label.value
            elif row["preferred"].value == "true" and language:
                translations[concept][language] = label.value
            labels[concept].append(label.value)
        return cls(
            tuple(
                Concept(
                    iri,
                    preferred.get(iri, names[0]),
                    tuple(dict.fromkeys(names)),
                    tuple(sorted(translations[iri].items())),
                )
                for iri, names in sorted(labels.items())
            )
        )

    def match(self, text: str) -> tuple[Concept, ...]:
        """The concepts whose labels stand in the text, in the order of their first mention.

        A label inside a longer matched one does not count: "flussi migratori" is not "flussi".
        """
        plain = words(text)
        keys, acronyms = stemmed(plain), tuple(f"={word}" for word in plain)
        found: dict[str, Concept] = {}
        at = 0
        while at < len(plain):
            # A label is stems or an acronym throughout. Of two as long, the acronym is meant.
            both = (self._longest(acronyms, at), self._longest(keys, at))
            longest = max((entry for entry in both if entry), key=lambda entry: len(entry[0]), default=None)
            if longest:
                found.setdefault(longest[1].iri, longest[1])
            at += len(longest[0]) if longest else 1
        return tuple(found.values())

    def _longest(self, text: tuple[str, ...], at: int) -> tuple[tuple[str, ...], Concept] | None:
        """The longest label that stands at a position of a text."""
        for entry in self._by_first.get(text[at], ()):
            if text[at : at + len(entry[0])] == entry[0]:
                return entry
        return None
