"""The speeches that an answer counts: those that name the topic of its question."""

import threading
from collections import OrderedDict
from datetime import date
from typing import Final

from service.filters import NamedFilters
from service.findings import find
from service.pipeline import Engine
from service.question import understand

KEPT: Final = 64
"""Questions whose speeches are kept."""
_Key = tuple[str, str, str, NamedFilters, date | None]
_kept: OrderedDict[_Key, tuple[str, ...]] = OrderedDict()
"""By corpus, model, question, its filters and reference date: the next page of a list searches nothing."""
_lock = threading.Lock()


def counted(question: str, filters: NamedFilters, as_of: date | None, engine: Engine) -> tuple[str, ...]:
    """The IRIs of the speeches. Raises `QuestionError`, `DataError`, `QueryError`.

    The same question with the same filters is understood and searched just as its answer is.
    """
    corpus = engine.corpus
    key = (corpus.manifest.version, corpus.embedder.model, question, filters, as_of)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    day = as_of or corpus.manifest.last_day
    understood = understand(
        question, corpus, engine.thesaurus, reference_date=as_of, filters=filters.resolve(engine.chamber, day)
    )
    mentions = find(understood, corpus, engine.chamber, engine.settings.retrieval).mentions
    speeches = tuple(sorted({mention.speech for found in mentions.values() for mention in found}))
    with _lock:
        _kept[key] = speeches
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return speeches
