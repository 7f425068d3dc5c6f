"""Questions to a generated corpus, as people ask them."""

import re
from typing import Final

import numpy as np

from tests.benchmarks.generator.words import RARE, vocabulary

_TEMPLATES: Final = (
    "qual è la posizione dei gruppi {on}",
    "cosa pensano i gruppi {of}",
    "cosa dicono i partiti {on}",
    "che cosa hanno detto i deputati {on}",
    "come si sono espressi i gruppi {on}",
    "quali sono le posizioni dei partiti {on}",
    "spiegami le posizioni dei gruppi parlamentari {on}",
)
OFF_TOPIC: Final = (
    "la ricetta del tiramisù",
    "le regole degli scacchi",
    "i buchi neri e le stelle di neutroni",
    "le sinfonie di Beethoven",
    "i pinguini imperatore",
    "la coltivazione del tè in Giappone",
    "i dinosauri del Giurassico",
    "la musica barocca",
    "le piramidi egizie",
    "il surf alle Hawaii",
)
"""Topics that no generated parliament speaks of."""
_OFF_TOPIC_SHARE: Final = 2 / 50
_RARE_SHARE: Final = 4 / 50
_ON: Final = {"il": "sul", "lo": "sullo", "la": "sulla", "i": "sui", "gli": "sugli", "le": "sulle"}
_OF: Final = {"il": "del", "lo": "dello", "la": "della", "i": "dei", "gli": "degli", "le": "delle"}


def questions(count: int, seed: int = 1) -> tuple[str, ...]:
    """So many questions: names of topics, with and without the words of a question, topics composed, topics
    rarely spoken of, and 2 of 50 on what was never spoken of."""
    rng = np.random.default_rng([seed, 8])
    topics = vocabulary().topics
    off = rng.permutation(OFF_TOPIC).tolist()
    kinds = ["off"] * round(count * _OFF_TOPIC_SHARE) + ["rare"] * round(count * _RARE_SHARE)
    kinds += ["one"] * (count - len(kinds))
    common = rng.permutation(len(topics) - RARE)
    rare = rng.permutation(np.arange(len(topics) - RARE, len(topics)))
    found = []
    for number, kind in enumerate(kinds):
        if kind == "off":
            subject = off[number % len(off)]
        elif kind == "rare":
            subject = topics[int(rare[number % rare.size])].with_article
        else:
            topic = topics[int(common[number % common.size])]
            draw = rng.random()
            subject = topic.with_article
            if draw < 0.3:
                subject = f"{subject} e {topics[int(common[int(rng.integers(common.size))])].with_article}"
            elif draw < 0.5:
                subject = f"{subject} e {topic.phrases[int(rng.integers(len(topic.phrases)))]}"
        found.append(_asked(subject, rng))
    return tuple(found[int(place)] for place in rng.permutation(count))


def _asked(subject: str, rng: np.random.Generator) -> str:
    if rng.random() < 0.35:
        return subject
    template = _TEMPLATES[int(rng.integers(len(_TEMPLATES)))]
    return template.format(on=_joined(subject, _ON, "sull'"), of=_joined(subject, _OF, "dell'")) + "?"


def _joined(subject: str, forms: dict[str, str], elided: str) -> str:
    """A preposition joined with the article with which the subject begins."""
    if subject.startswith("l'"):
        return elided + subject[2:]
    article, _, rest = subject.partition(" ")
    return f"{forms.get(article, article)} {rest}" if re.fullmatch(r"\w+", article) else subject
