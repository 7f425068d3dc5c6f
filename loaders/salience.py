"""How much a sentence is a position or an argument rather than procedure: closed formulas, no topics.

The rules and levels are the reference's (facts §6.9): procedure without a stance .2, a comment
on the debate itself .35, plain statement .5, one argument .7, several .8, one stance .9,
several 1. They are computed once, at load, and stored with the chunk.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import Final

from loaders.text import Span

SHORTEST_RATED: Final = 30
"""Characters of a sentence from which it tells anything about a passage."""


def _begun_by(formulas: Iterable[str]) -> re.Pattern[str]:
    r"""What finds formulas in a text in lower case that begins with a space; each begins with a letter or `\d`.

    A match begins with one of a set of characters, so that the engine passes over all others; and behind it, it tries
    only formulas with the letter that is there. Both take less than half the time of `\b` and all formulas. As the
    character before a formula is part of its match, no formula ends with one that may stand before another.
    """
    by_letter: dict[str, list[str]] = {}
    for formula in formulas:
        letter, rest = (formula[:2], formula[2:]) if formula[0] == "\\" else (formula[0], formula[1:])
        by_letter.setdefault(letter, []).append(rest)
    alternatives = (f"{letter}(?:{'|'.join(rest)})" for letter, rest in by_letter.items())
    return re.compile(rf"\W(?:{'|'.join(alternatives)})")


_STANCE: Final = tuple(
    rf"{formula}\b"
    for formula in (
        "crediamo",
        "riteniamo",
        "pensiamo",
        "chiediamo",
        "proponiamo",
        "sosteniamo",
        "vogliamo",
        "rivendichiamo",
        "denunciamo",
        "contestiamo",
        "respingiamo",
        "condividiamo",
        "apprezziamo",
        "difendiamo",
        "ci opponiamo",
        "siamo (?:contrari|favorevoli|convinti|preoccupati|orgogliosi|d'accordo)",
        "ritengo",
        "credo",
        "penso che",
        "sono (?:contrari[oa]|favorevole|convint[oa])",
        "chiedo (?:al|che)",
        r"è (?:\w+ )?(?:necessari[oa]|indispensabile|grave|giust[oa]|sbagliat[oa]|ingiust[oa]|inaccettabile|"
        r"urgente|fondamentale|essenziale|inutile|dannos[oa]|insufficiente|doveros[oa]|pericolos[oa]|assurd[oa])",
        "bisogna",
        "occorre",
        "serve",
        "servono",
        "servirebbe",
        "dobbiamo",
        "non possiamo",
        "non basta",
        "va (?:detto|fatto|difes[oa])",
        "quest[oa] (?:legge|riforma|provvedimento|manovra|decreto|norma|proposta) "
        "(?:è|non|introduce|toglie|dà|colpisce|premia|lascia)",
        "a nostro avviso",
        "a mio avviso",
        "secondo noi",
        "per noi",
        "noi diciamo",
        "la nostra posizione",
        "il nostro gruppo",
    )
)
_ARGUMENT: Final = (
    r"\d[\d.,]*\s*(?:per cento|(?=%)|miliard\w+|milion\w+|mila\b|euro)",
    r"mili(?:ardi|oni) di (?:euro|lavorat|cittadin|famigli|person|italian)\w*",
    r"art(?:icolo|\.)\s*\d+",
    r"comma\s*\d+",
    r"legge n\.\s*\d+",
    r"decreto legislativo\s*\d+",
    r"d\.lgs\.\s*\d+",
    "rispetto (?:a|al|alla|all(?='))",
    "a differenza d",
    r"più (?:\w+ )?(?:di|che)",
    r"meno (?:\w+ )?(?:di|che)",
    "perché",
    "infatti",
    "di conseguenza",
    "significa che",
    "vuol dire che",
    "in assenza d",
    "a causa d",
    "dati (?:del|dell|della)",
    "secondo (?:l(?=')|i dati|il rapporto)",
)
_PROCEDURE: Final = (
    "ringrazio",
    "grazie,? (?:signor|signora|presidente)",
    "grazie presidente",
    "onorevoli colleg",
    "gentili colleg",
    "parere (?:contrario|favorevole|conforme)",
    "invito al ritiro",
    "mi rimetto",
    "chiedo di parlare",
    "ha facoltà",
    "la seduta",
    r"sospend\w+",
    "passiamo al",
    "pongo in votazione",
    "metto in votazione",
    "dichiaro (?:aperta|chiusa|il voto)",
    "annuncio il (?:voto|deposito)",
    "voteremo",
    "voterò",
    r"esprim\w+ (?:un |il )?voto",
    "ordine dei lavori",
    "chiedo (?:di |l'autorizzazione |la parola)",
    r"autorizz\w+ a depositare",
    "mi avvio (?:a|alla) conclu",
    "concludo",
    "sull'ordine del giorno",
    "sugli ordini del giorno",
    r"emendament\w+ \d",
    "subemendament",
    r"accantonat\w+",
    r"riformulat\w+",
)
_META: Final = tuple(
    rf"{formula}\b"
    for formula in (
        "tema (?:molto |così )?(?:importante|delicato|complesso)",
        "in questa sede",
        "come sappiamo",
        "come è noto",
        "abbiamo discusso",
        "il dibattito di oggi",
        "in quest'aula",
        "nel corso del dibattito",
        "lavoro (?:svolto|fatto) in commissione",
    )
)
_STANCES: Final = _begun_by(_STANCE)
_ARGUMENTS: Final = _begun_by(_ARGUMENT)
_PROCEDURES: Final = _begun_by(_PROCEDURE)
_METAS: Final = _begun_by(_META)
_TELLING: Final = _begun_by((*_STANCE, *_ARGUMENT, *_PROCEDURE, *_META))
"""Most sentences hold nothing of all this, which one search tells at half the cost of four."""


def sentence_salience(sentence: str) -> float:
    """Rate one sentence, from 0 (procedure) to 1 (a stated position)."""
    sentence = f" {sentence.lower()}"
    if not _TELLING.search(sentence):
        return 0.5
    stances = len(_STANCES.findall(sentence))
    if stances >= 2:
        return 1.0
    if stances == 1:
        return 0.9 if not _PROCEDURES.search(sentence) else 0.7
    if _PROCEDURES.search(sentence):
        return 0.2
    if arguments := len(_ARGUMENTS.findall(sentence)):
        return 0.8 if arguments >= 2 else 0.7
    return 0.35 if _METAS.search(sentence) else 0.5


def rated(text: str, units: Iterable[Span]) -> tuple[tuple[Span, float], ...]:
    """Rate the sentences of a text; those of fewer than 30 characters are left out."""
    return tuple(
        (unit, sentence_salience(text[unit.start : unit.end]))
        for unit in units
        if unit.end - unit.start >= SHORTEST_RATED
    )


def span_salience(span: Span, ratings: Sequence[tuple[Span, float]]) -> float:
    """Rate a passage by its sentences: the highest of those that were `rated`, in their order; else 0.2."""
    first = bisect_left(ratings, span.start, key=lambda sentence: sentence[0].start)
    inside = takewhile(lambda sentence: sentence[0].end <= span.end, islice(ratings, first, None))
    return max((rating for _, rating in inside), default=0.2)
