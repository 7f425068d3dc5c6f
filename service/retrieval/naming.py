"""Which passages speak of a topic by name: the vectors find what is near, the words what is meant.

A sentence model finds something near for any question, and a thesaurus draws the question
towards its field. Whether a passage is *about* the topic is therefore told by its words: most
of the topic's content words stand close together in it, and none that is rare in the record is
missing; or a label of a thesaurus concept that the topic names stands for the words it covers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

import sparql
from service.corpus import Corpus
from service.evidence import Candidate
from service.question import Question
from service.retrieval.nearby import Nearby
from service.thesaurus import content_words, label_key, stemmed, stems, words
from service.vectors import Payload

SHARE: Final = 0.6
"""Share of the topic's content words that names it."""
SHARE_WITH_CONCEPT: Final = 0.5
"""The same where a concept of the topic is named by any of its labels."""
RARE: Final = 0.02
"""A word in at most this share of the passages tells this topic from its neighbours."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A speech that names the topic."""

    speech: str
    speaker: str | None
    bloc: str
    day: date


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage by its words, as they are and as stems; the two run side by side."""

    raw: tuple[str, ...]
    stems: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Passage":
        plain = words(text)
        return cls(plain, stemmed(plain))


@dataclass(frozen=True, slots=True)
class Naming:
    """How a topic is named: its content words, those that may not be missing, and concepts' labels.

    A word is its stem; an acronym is `=` and its letters, since "MES" is not "mese".
    """

    words: frozenset[str]
    required: frozenset[str]
    concepts: tuple[tuple[frozenset[str], tuple[str, ...]], ...]
    """For each concept the topic's words that it covers, and its labels as keys between blanks."""

    def names(self, passage: Passage) -> bool:
        """Whether a passage names the topic."""
        if not self.words:
            return False
        covered = self._covered(passage)
        present = self._close_together(passage) | covered
        if not self.required <= present:
            return False
        return len(present) >= (SHARE_WITH_CONCEPT if covered else SHARE) * len(self.words)

    def _covered(self, passage: Passage) -> frozenset[str]:
        """The topic's words for which a concept stands that a passage names by any label."""
        if not self.concepts:
            return frozenset()
        text = f" {' '.join(passage.stems)} "
        if any("=" in label for _, labels in self.concepts for label in labels):
            text += f" {' '.join(f'={word}' for word in passage.raw)} "
        found = [covers for covers, labels in self.concepts if any(label in text for label in labels)]
        return frozenset().union(*found)

    def _close_together(self, passage: Passage) -> frozenset[str]:
        """The largest set of the topic's words within a few words of each other."""
        width = 5 * len(self.words)
        keys = _keys(passage, self.words)
        if self.words.isdisjoint(keys):
            return frozenset()
        places = [(at, word) for at, word in enumerate(keys) if word in self.words]
        best: frozenset[str] = frozenset()
        for first, (start, _) in enumerate(places):
            near = frozenset(word for at, word in places[first:] if at - start < width)
            if len(near) > len(best):
                best = near
        return best


def _keys(passage: Passage, known: Collection[str]) -> Sequence[str]:
    """A passage's words in the form in which `known` has them: acronyms by their letters."""
    if not any(word.startswith("=") for word in known):
        return passage.stems
    pairs = zip(passage.raw, passage.stems, strict=True)
    return [f"={raw}" if f"={raw}" in known else stem for raw, stem in pairs]


def naming(question: Question, passages: Sequence[Passage]) -> Naming:
    """Learn how a topic is named, given passages of the record around it."""
    written = [word for word in question.topic.split() if len(word) > 1 and word == word.upper()]
    labels = [label for concept in question.concepts for label in concept.labels]
    acronyms = frozenset(f"={word}" for text in (*written, *labels) if text == text.upper() for word in words(text))
    asked = Passage.of(question.topic)
    known = frozenset(content_words(question.topic))
    content = frozenset(key for key, stem in zip(_keys(asked, acronyms), asked.stems, strict=True) if stem in known)
    topic = f" {' '.join(asked.stems)} "
    concepts = []
    for concept in question.concepts:
        keys = tuple(f" {' '.join(key)} " for label in concept.labels if (key := label_key(label)))
        covers = frozenset(
            word
            for label in concept.labels
            if f" {' '.join(stems(label))} " in topic
            for word in (*stems(label), *label_key(label))
        )
        concepts.append((covers & content, keys))
    counts = Counter(word for passage in passages for word in content.intersection(_keys(passage, content)))
    rare = frozenset(word for word in content if counts[word] <= RARE * len(passages))
    return Naming(content, rare, tuple(concepts))


@dataclass(frozen=True, slots=True)
class Named:
    """What names the topic: chunks, and the speeches that hold them, by bloc."""

    chunks: frozenset[str]
    mentions: dict[str, tuple[Mention, ...]]


def find(question: Question, corpus: Corpus, near: Nearby, pool: Iterable[Candidate]) -> Named:
    """Read the pool, and what holds the topic's words, and tell which passages name the topic."""
    places = {hit.iri: _Place.of_payload(hit.payload) for hit in near.lexical}
    places |= {c.chunk: _Place(c.speech, c.start, c.end, c.speaker, c.bloc, c.day) for c in pool}
    texts = _texts({place.speech for place in places.values()}, corpus)
    passages = {chunk: Passage.of(texts[place.speech][place.start : place.end]) for chunk, place in places.items()}
    topic = naming(question, tuple(passages.values()))
    chunks = frozenset(chunk for chunk, passage in passages.items() if topic.names(passage))
    mentions: defaultdict[str, dict[str, Mention]] = defaultdict(dict)
    for chunk in sorted(chunks):
        place = places[chunk]
        mention = Mention(place.speech, place.speaker, place.bloc, date.fromisoformat(str(place.day)))
        mentions[place.bloc].setdefault(place.speech, mention)
    return Named(chunks, {bloc: tuple(found.values()) for bloc, found in mentions.items()})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a passage stands and whose it is."""

    speech: str
    start: int
    end: int
    speaker: str | None
    bloc: str
    day: int

    @classmethod
    def of_payload(cls, payload: Payload) -> "_Place":
        speaker = payload.get("speaker")
        return cls(
            speech=str(payload["speech"]),
            start=int(payload["start"]),
            end=int(payload["end"]),
            speaker=str(speaker) if speaker is not None else None,
            bloc=str(payload["bloc"]),
            day=int(payload["day"]),
        )


def _texts(iris: Iterable[str], corpus: Corpus) -> dict[str, str]:
    wanted = [NamedNode(iri) for iri in sorted(iris)]
    if not wanted:
        return {}
    query = sparql.bind(sparql.query("retrieval/texts"), "?speech", wanted)
    return {row["speech"].value: row["text"].value for row in corpus.graph.select(query)}
