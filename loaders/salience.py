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


def _any(*patterns: str) -> re.Pattern[str]:
    """One of these, in lower case: a sentence is folded once, as matching without regard to case is slow."""
    return re.compile("|".join(rf"(?:{pattern})" for pattern in patterns))


_STANCE: Final = _any(
    r"\b(?:crediamo|riteniamo|pensiamo|chiediamo|proponiamo|sosteniamo|vogliamo|rivendichiamo|"
    r"denunciamo|contestiamo|respingiamo|condividiamo|apprezziamo|difendiamo|ci opponiamo|"
    r"siamo (?:contrari|favorevoli|convinti|preoccupati|orgogliosi|d'accordo)|"
    r"ritengo|credo|penso che|sono (?:contrari[oa]|favorevole|convint[oa])|chiedo (?:al|che))\b",
    r"\bè (?:\w+ )?(?:necessari[oa]|indispensabile|grave|giust[oa]|sbagliat[oa]|ingiust[oa]|inaccettabile|"
    r"urgente|fondamentale|essenziale|inutile|dannos[oa]|insufficiente|doveros[oa]|pericolos[oa]|assurd[oa])\b",
    r"\b(?:bisogna|occorre|serve|servono|servirebbe|dobbiamo|non possiamo|non basta|"
    r"va (?:detto|fatto|difes[oa]))\b",
    r"\bquest[oa] (?:legge|riforma|provvedimento|manovra|decreto|norma|proposta) "
    r"(?:è|non|introduce|toglie|dà|colpisce|premia|lascia)\b",
    r"\b(?:a nostro avviso|a mio avviso|secondo noi|per noi|noi diciamo|la nostra posizione|"
    r"il nostro gruppo)\b",
)
_ARGUMENT: Final = _any(
    r"\b\d[\d.,]*\s*(?:per cento|%|miliard\w+|milion\w+|mila\b|euro)",
    r"\b(?:miliardi|milioni) di (?:euro|lavorat|cittadin|famigli|person|italian)\w*",
    r"\b(?:articolo|art\.|comma|legge n\.|decreto legislativo|d\.lgs\.)\s*\d+",
    r"\b(?:rispetto (?:a|al|alla|all')|a differenza d|più (?:\w+ )?(?:di|che)|meno (?:\w+ )?(?:di|che)|"
    r"perché|infatti|di conseguenza|significa che|vuol dire che|in assenza d|a causa d|"
    r"dati (?:del|dell|della)|secondo (?:l'|i dati|il rapporto))",
)
_PROCEDURE: Final = _any(
    r"\b(?:ringrazio|grazie,? (?:signor|signora|presidente)|grazie presidente|onorevoli colleg|"
    r"gentili colleg|parere (?:contrario|favorevole|conforme)|invito al ritiro|mi rimetto|"
    r"chiedo di parlare|ha facoltà|la seduta|sospend\w+|passiamo al|pongo in votazione|metto in votazione|"
    r"dichiaro (?:aperta|chiusa|il voto)|annuncio il (?:voto|deposito)|"
    r"(?:voteremo|voterò|esprim\w+ (?:un |il )?voto)|ordine dei lavori|"
    r"chiedo (?:di |l'autorizzazione |la parola)|autorizz\w+ a depositare|mi avvio (?:a|alla) conclu|"
    r"concludo|sull'ordine del giorno|sugli ordini del giorno|emendament\w+ \d|subemendament|accantonat\w+|"
    r"riformulat\w+)",
)
_META: Final = _any(
    r"\b(?:tema (?:molto |così )?(?:importante|delicato|complesso)|in questa sede|come sappiamo|come è noto|"
    r"abbiamo discusso|il dibattito di oggi|in quest'aula|nel corso del dibattito|"
    r"lavoro (?:svolto|fatto) in commissione)\b",
)
_TELLING: Final = re.compile("|".join(pattern.pattern for pattern in (_STANCE, _ARGUMENT, _PROCEDURE, _META)))
"""Most sentences hold nothing of all this, which one search tells at half the cost of four."""


def sentence_salience(sentence: str) -> float:
    """Rate one sentence, from 0 (procedure) to 1 (a stated position)."""
    sentence = sentence.lower()
    if not _TELLING.search(sentence):
        return 0.5
    stances = len(_STANCE.findall(sentence))
    if stances >= 2:
        return 1.0
    if stances == 1:
        return 0.9 if not _PROCEDURE.search(sentence) else 0.7
    if _PROCEDURE.search(sentence):
        return 0.2
    if arguments := len(_ARGUMENT.findall(sentence)):
        return 0.8 if arguments >= 2 else 0.7
    return 0.35 if _META.search(sentence) else 0.5


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
