"""From the words of a question to what retrieval works with: topic, concepts, committees, vector."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from service.chamber import Committee, committees
from service.corpus import Corpus
from service.embedding import Vectors, unit
from service.errors import QuestionError
from service.graph import GraphStore
from service.thesaurus import Concept, Thesaurus, stems
from service.vectors import Where

LONGEST: Final = 1000
"""Characters of a question."""
SHORT: Final = 5
"""Words up to which a topic may be expanded by a language model."""
CONCEPT_WEIGHT: Final = 0.25
"""Weight of the thesaurus labels' vectors beside the mean of question and topic."""
COMMITTEES: Final = 3
"""How many committees a question may match."""

_ASKED: Final = re.compile(
    r"^\W*(?:"
    r"(?:qual è|quali sono|qual era|spiegami|dimmi|raccontami|descrivi)\s+(?:la|le|l'|il|i|gli)?\s*"
    r"(?:posizion[ei]|opinion[ei]|parer[ei]|pensiero|idee|argoment[io])\s*"
    r"(?:(?:espress[aeoi]\s+)?(?:dei|del|della|delle|di|dai|dalle|tra i|fra i)\s+(?:vari\s+|diversi\s+)?"
    r"(?:gruppi(?:\s+parlamentari)?|partiti|deputati|forze politiche|parlamentari|parlamento|camera|politica))?"
    r"|(?:che\s+)?cosa\s+(?:dicono|dice|pensano|pensa|hanno detto|ha detto|si è detto|propongono|sostengono)\s*"
    r"(?:(?:i|il|la|le|gli)\s+(?:vari\s+|diversi\s+)?"
    r"(?:gruppi(?:\s+parlamentari)?|partiti|deputati|forze politiche|parlamentari|parlamento|camera)"
    r"(?:\s+(?:della|alla)\s+camera)?)?"
    r"|come\s+(?:la pensano|si sono espressi|si esprimono)\s+(?:i|gli|le)\s+"
    r"(?:gruppi(?:\s+parlamentari)?|partiti|deputati)"
    r"|(?:che\s+)?cosa\s+(?:è stato|si è) detto"
    r"|(?:le|il|la|gli)\s+(?:dichiarazioni|posizioni|opinioni|interventi|dibattito|discussione)\s+"
    r"(?=(?:su|sul|sull'|sulla|sullo|sui|sugli|sulle|riguardo|in merito|circa)\b)"
    r"|(?:what (?:was|has been|is being|is) said|who (?:said what|spoke)|what do they say)(?=\s+(?:about|on|of)\b)"
    r"|what (?:do|did|have) (?:the )?(?:groups|parties|members|deputies|parliament)\s*"
    r"(?:think|say|said|argue|argued|propose)?"
    r"|what (?:is|are) (?:the )?(?:position|view)s? (?:of (?:the )?(?:parliamentary )?(?:groups|parties))?"
    r")\s*(?:(?:sul|sulla|sullo|sull'|sui|sugli|sulle|su|riguardo (?:a|al|alla|alle|ai)|"
    r"in merito (?:a|al|alla|alle|ai)|"
    r"circa|rispetto (?:a|al|alla)|del|dello|della|dell'|dei|degli|delle|di|about|on|of)(?:\s+|(?<=')))?",
    re.IGNORECASE,
)
_ENGLISH: Final = frozenset("the what about how which parties groups and of on is are do does said".split())
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a question is limited to. Empty means no limit; days are included."""

    groups: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    date_from: date | None = None
    date_until: date | None = None

    def where(self, reference: date) -> Where:
        """The filter for the vector index; nothing after the reference date is ever seen."""
        last = min(self.date_until or reference, reference)
        any_of = {"bloc": self.groups, "speaker": self.speakers}
        return Where(
            {name: values for name, values in any_of.items() if values},
            day_from=_day(self.date_from) if self.date_from else None,
            day_until=_day(last),
        )

    def passages(self, reference: date, last_day: date | None) -> Where:
        """The same for passages of a record up to its last day, after which nothing has to be left out."""
        where = self.where(reference)
        everything = last_day is not None and where.day_until is not None and where.day_until >= _day(last_day)
        return replace(where, day_until=None) if everything else where


@dataclass(frozen=True, slots=True)
class CommitteeMatch:
    """A committee whose words stand in the question, with the score of the match (0 to 1)."""

    iri: str
    label: str
    words: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question as the pipeline understands it. One topic vector serves every stage."""

    text: str
    topic: str
    language: str
    lexical: str
    vector: Vectors
    concepts: tuple[Concept, ...]
    committees: tuple[CommitteeMatch, ...]
    reference_date: date
    filters: Filters
    where: Where
    """The filter of passages for the index."""
    expansion: str | None = None


def understand(
    text: str,
    corpus: Corpus,
    thesaurus: Thesaurus,
    *,
    reference_date: date | None = None,
    filters: Filters = Filters(),
    use_thesaurus: bool = True,
    expand: Callable[[str], str | None] | None = None,
) -> Question:
    """Make a `Question`. Raises `QuestionError` for an empty or overlong text.

    The reference date is, unless stated, the last day of the record: an answer does not
    change with the day on which it is asked for. `expand` may add words to a topic of five
    words or fewer (a language model); its result is used only if it keeps every word.
    """
    text = clean(text)
    topic = topic_of(text)
    expansion = _expanded(topic, expand) if expand else None
    words = expansion or topic
    concepts = thesaurus.match(words) if use_thesaurus else ()
    reference = reference_date or corpus.manifest.last_day
    if reference is None:
        raise QuestionError("the loaded data hold no sitting; load transcripts first")
    labels = [label for concept in concepts for label in concept.labels]
    lexical = " ".join(dict.fromkeys([words, *labels]))
    return Question(
        text=text,
        topic=topic,
        language=language_of(text),
        lexical=lexical,
        vector=_vector(text, words, concepts, corpus),
        concepts=concepts,
        committees=match_committees(lexical, corpus),
        reference_date=reference,
        filters=filters,
        where=filters.passages(reference, corpus.manifest.last_day),
        expansion=expansion,
    )


def _expanded(topic: str, expand: Callable[[str], str | None]) -> str | None:
    if len(topic.split()) > SHORT:
        return None
    longer = expand(topic)
    if not longer or len(longer) > LONGEST or longer == topic:
        return None
    kept = set(topic.lower().split()) <= set(longer.lower().split())
    return _SPACE.sub(" ", longer).strip() if kept else None


def clean(text: str) -> str:
    """Fold white space and drop control characters. Raises `QuestionError`."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")  # soft hyphens, marks of direction
    plain = _SPACE.sub(" ", "".join(c if c.isprintable() else " " for c in visible)).strip()
    if not any(c.isalnum() for c in plain):
        raise QuestionError("the question is empty; ask about a topic, such as «la legge di bilancio»")
    if len(plain) > LONGEST:
        raise QuestionError(f"the question has {len(plain)} characters; at most {LONGEST} are read")
    return plain


def topic_of(question: str) -> str:
    """Strip the words that only ask ("qual è la posizione dei gruppi su …"), and the mark."""
    question = question.replace("’", "'").strip(" ?!.")
    return _ASKED.sub("", question, count=1).strip() or question


def language_of(text: str) -> str:
    """`"en"` for a question with English function words and few Italian ones, else `"it"`."""
    words = re.findall(r"[a-zà-ÿ]+", text.lower())
    return "en" if sum(word in _ENGLISH for word in words) >= 2 else "it"


def match_committees(text: str, corpus: Corpus) -> tuple[CommitteeMatch, ...]:
    """The committees whose topic words stand in a text, best first; n words score .5 + .2(n-1)."""
    words = stems(text)
    found = []
    for committee, named in _words_of_committees(corpus.graph):
        hits = tuple(sorted(word for word, key in named if _contains(words, key)))
        if hits:
            score = min(1.0, 0.5 + 0.2 * (len(hits) - 1))
            found.append(CommitteeMatch(committee.iri, committee.label, hits, score))
    return tuple(sorted(found, key=lambda match: (-match.score, match.iri))[:COMMITTEES])


_CommitteeWords = tuple[tuple[Committee, tuple[tuple[str, tuple[str, ...]], ...]], ...]
_committee_words: Final = WeakKeyDictionary[GraphStore, _CommitteeWords]()
"""Kept as long as a corpus is open, and not longer: a graph that is kept holds its files."""


def _words_of_committees(graph: GraphStore) -> _CommitteeWords:
    """The committees with their words and these words' stems."""
    found = _committee_words.get(graph)
    if found is None:
        found = tuple((c, tuple((word, stems(word)) for word in dict.fromkeys(c.words))) for c in committees(graph))
        _committee_words[graph] = found
    return found


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    length = len(part)
    return length > 0 and any(tuple(words[at : at + length]) == tuple(part) for at in range(len(words) - length + 1))


def _vector(text: str, topic: str, concepts: tuple[Concept, ...], corpus: Corpus) -> Vectors:
    """The mean of question and topic, with the concepts' labels lightly added (DESIGN §4)."""
    texts = [text] if topic == text else [text, topic]
    vectors = corpus.embedder.queries(texts)
    mean = unit(vectors.mean(axis=0))
    if not concepts:
        return mean
    labels = corpus.embedder.queries([", ".join(concept.labels[:6]) for concept in concepts[:4]])
    expanded = (1 - CONCEPT_WEIGHT) * mean + CONCEPT_WEIGHT * unit(labels.mean(axis=0))
    return unit(np.asarray(expanded, np.float32))


def _day(day: date) -> int:
    return int(day.strftime("%Y%m%d"))
