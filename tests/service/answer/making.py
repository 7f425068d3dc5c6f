"""Makes speeches, evidence and quotations for tests that need no corpus."""

import hashlib
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from loaders.text import Span
from service.answer.model import Quotation
from service.evidence import Evidence, SpeechRecord, Terms
from service.question import Filters, Question
from service.vectors import Where

BASE = "https://example.org/id/"
TOPICS = (
    "il salario minimo legale",
    "l'energia nucleare",
    "la separazione delle carriere",
    "le liste d'attesa",
    "il caporalato",
    "l'intelligenza artificiale",
)
UNSPOKEN = "il ponte sullo Stretto di Gibilterra e le balene"
"""A topic that nobody in Esperia spoke of."""


def speech(text: str, *, number: int = 1, **changes: Any) -> SpeechRecord:
    """A speech of Anna Rossi, of group A, on 18 December 2025, with what is asked for changed."""
    record = SpeechRecord(
        iri=f"{BASE}speech/example-1/sed0001/int{number:05d}",
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        date=date(2025, 12, 18),
        speaker=f"{BASE}person/1",
        name="Anna Rossi",
        capacity="member",
        group=f"{BASE}group/A",
        component=None,
        side="opposition",
        role_printed=None,
        office=None,
        phase_title=None,
        debate=None,
        debate_title=None,
        act=None,
        sitting=f"{BASE}sitting/1",
        source=f"https://example.org/resoconto#sed0001.int{number:05d}",
    )
    return replace(record, **changes)


def evidence(record: SpeechRecord, *, start: int = 0, end: int | None = None, **changes: Any) -> Evidence:
    """A passage of a speech; the whole of it unless told otherwise."""
    passage = Evidence(
        chunk=record.iri.replace("/speech/", "/chunk/") + f"-{start}",
        start=start,
        end=len(record.text) if end is None else end,
        speech=record,
        bloc=record.component or record.group or ("government" if record.capacity == "government" else "other"),
        similarity=0.4,
        terms=Terms(1.0, 0.5, 0.5, 0.2, 0.9),
        score=0.6,
        reasons=(),
    )
    return replace(passage, **changes)


def quotation(record: SpeechRecord, words: str, group_now: str | None = None) -> Quotation:
    """Words of a speech as a quotation of it."""
    start = record.text.index(words)
    return Quotation(evidence(record), Span(start, start + len(words)), True, group_now)


def question(topic: str = "il salario minimo", **changes: Any) -> Question:
    """A question without concepts and committees."""
    asked = Question(
        text=topic,
        topic=topic,
        language="it",
        lexical=topic,
        vector=np.zeros(4, np.float32),
        concepts=(),
        committees=(),
        reference_date=date(2026, 2, 4),
        filters=Filters(),
        where=Where(),
    )
    return replace(asked, **changes)
