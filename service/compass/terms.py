"""The words that tell the passages at one pole from those at the other.

A word is its Italian stem and is shown in the form in which it is said most often. It counts once a
passage. What decides is the log-odds ratio between the poles with all of the passages as prior
(Monroe, Colaresi and Quinn 2008), in standard errors: a rare word does not win by chance, and a word
that is frequent everywhere not by being frequent.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import sparql
from loaders.text import directions
from service.chamber import Chamber
from service.compass.model import Term
from service.graph import GraphStore
from service.thesaurus import content_words, stemmed, words

SHOWN: Final = 5
"""Terms of a pole."""
LEAST: Final = 1.0
"""Standard errors from which a term tells the poles apart."""
FEWEST: Final = 2
"""Passages of a pole in which a term is said, and speeches among them."""
PRIOR: Final = 0.5
"""Weight of the prior, as a share of the words of a pole."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:'(?=[^\W\d_]))?")
_VERB: Final = re.compile(r"(?:ando|endo|iamo|ebbe|ebbero|asse|assero|issero|eranno|iranno|avano|evano|mente)$")
"""Endings of verbs and adverbs, which say how something is told and not what."""
_SENTENCE_END: Final = re.compile(r"[.!?:;«“\"]\s*$")

_EMPTY: Final = """
a abbia abbiamo abbiano accordo adesso affatto affinché agli ahimè ai al alcun alcuna alcune alcuni all alla alle allo
allora almeno altra altre altrettanto altri altrimenti altro anche ancora andare andiamo anni anno anzi anziché appena
approvare appunto arriva arrivare arrivo articoli articolo aspetto assolutamente attraverso attualmente aula avanti
avere avesse avessero avete avevo avrà avranno avrebbe avrebbero bene bensì bisogna camera capire capisco caso cento
cercare certamente certo che chi chiaramente chiedere chiediamo chiedo ci ciascuno ciò cioè circa citare cittadini
collega colleghe colleghi collegio come comma commissione comunque con concludere conseguenza considerare continuare
contro cosa cose così credere crediamo credo cui da dagli dai dal dall dalla dalle dallo danno dare dato davanti
davvero de debba decreto degli dei del dell della delle dello dentro deputati deputato dettare detto deve devono di dia
diamo dice dicendo diceva dichiarazione diciamo dico dicono dire diritto discussione disegno diventata diverso dobbiamo
domani dopo dove dovere dovrebbe dovremmo due dunque durante e ebbene ecco ed effettivamente egli ella emendamenti
emendamento entrambi entro era erano esame esempio essa esse essendo essere essi esso euro evidente evidentemente fa
faccia facciamo facendo fanno fare fase fatto favore favorevole fermarvi fin finalmente fine fino forse forte fosse
fossero fossimo fra fronte gente già giorni giorno giusto gli governo gran grande grandi grazie gruppi gruppo guarda
guardate guardi ha hanno ho i ieri il impegna impegno importante in infatti infine iniziare inoltre insieme insomma
interrogazione intervengo intervenire intervento invece invito io la lasciare le legge leggi lei li lo loro lui ma
maggior maggioranza maggiore mai male materia me medesima medesimo meglio meno mentre merito messo mette mettere metti
mi mia mie miei mila miliardi milioni minister ministra ministri ministro mio misura misure modo molta molte molti
molto momento mozione mozioni naturalmente ne neanche necessario negli nei nel nell nella nelle nello nemmeno neppure
nessun nessuna nessuno niente no noi nome non nonostante norma norme nostra nostre nostri nostro nulla nuovo o occupare
occuparvi oggi ogni ognuno oltre onorevole onorevoli opposizione opposizioni oppure ora ordine ordini ormai ossia
ottenere ovvero ovviamente paese parere parlamento parlare parola parole parte particolare partire passare pensare
pensiamo penso per peraltro perché perciò però persino persona persone pertanto più piuttosto po pochi poco poi poiché
porre portare possa possano possiamo possibile possono posto potere potrebbe potremmo prendere presidente presso
prevedere prima primo principio problema proposta proposte proprio prossima prossimo provvedimento punto può puoi pure
qua qual qualche qualcosa qualcuno quale quali qualora qualsiasi quando quanta quante quanti quanto quarta quasi quella
quelle quelli quello quest questa queste questi questione questioni questo qui quindi realtà reca recano relatore
rendere ricordare ridurre riferire riformulazione riguardare rimanere rispetto rispondere ritenere ritengo riteniamo
riuscire roba sa sapere sappiamo sarà saranno sarebbe sarebbero se sé sebbene secondo sede seguito sembra sembrano
semplicemente sempre senato senso sentire senza serie si sì sia siamo siano siccome sicuramente siete signor signora
signori situazione so solo soltanto sono sopra soprattutto sotto sottosegretaria sottosegretario spesso sta stanno
stare stata state stati stato stessa stesse stessi stesso stiamo su sua subito sue sugli sui sul sull sulla sulle sullo
suo suoi tale tali tanta tante tanti tanto te tema temi tempo tenere terza testo ti tiene tipo tra tramite trattare tre
troppo trovare tu tutta tuttavia tutte tutti tutto ulteriore ulteriormente ultima ultimi ultimo un una uno va vada vale
vanno vede vedere vediamo vedo veniamo venire vera veramente vero verso vi viene vincere visto vogliamo voglio voi
volere volta volte vorrei vorremmo vostra vostre vostri vostro votare voto vuole
"""


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    """Stems that name no subject."""
    return frozenset(stemmed(words(_EMPTY)))


@dataclass(frozen=True, slots=True)
class Names:
    """Words, folded, that are names of people, and stems of the groups' names."""

    people: frozenset[str]
    groups: frozenset[str]


@lru_cache(maxsize=4)
def names_of(chamber: Chamber, graph: GraphStore) -> Names:
    """The names of everybody in the record, and of the groups on all dates; read once for each open corpus."""
    named = (text for o in chamber.organisations.values() for d in o.names for text in (d.name, d.sigla or ""))
    present = (o.present_name for o in chamber.organisations.values())
    people = (word for row in graph.select(sparql.query("retrieval/person-names")) for word in words(row["name"].value))
    return Names(frozenset(people), frozenset(stem for text in (*named, *present) for stem in stemmed(words(text))))


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one passage: for each stem, the forms in which it is said."""

    speech: str
    forms: dict[str, Counter[str]]


def said(speech: str, text: str, names: Names, topic: Collection[str] = ()) -> Said:
    """Read a passage, without what the stenographers added.

    The topic's own stems are left out, since all passages are about it.
    """
    for aside in directions(text):
        text = f"{text[: aside.start]}{' ' * len(aside)}{text[aside.end :]}"
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for match in _WORD.finditer(text):
        surface = match[0]
        stem = _stem(surface)
        if stem is None or stem in topic or stem in names.groups:
            continue
        if surface[0].isupper():
            opens = match.start() == 0 or bool(_SENTENCE_END.search(text[max(0, match.start() - 4) : match.start()]))
            # "Costa" is a deputy and "costa" a verb; at the head of a sentence it may be either.
            if surface.casefold() in names.people and (not opens or len(surface) > 4):
                continue
            surface = surface.lower() if opens and surface != surface.upper() else surface
        forms[stem][surface] += 1
    return Said(speech, dict(forms))


@lru_cache(maxsize=50_000)
def _stem(surface: str) -> str | None:
    """The stem of a word as it stands; None if it names no subject."""
    folded = words(surface)
    if len(folded) != 1 or surface.endswith("'") or _VERB.search(surface):
        return None
    stem = stemmed(folded)[0]
    return None if len(stem) < 3 or stem in _empty() else stem


def topic_stems(topic: str) -> frozenset[str]:
    """The stems of the words of a topic."""
    return frozenset(content_words(topic))


def separate(low: Sequence[Said], high: Sequence[Said], everything: Sequence[Said]) -> tuple[tuple[Term, ...], ...]:
    """The terms of the low pole and of the high one; no term is in both."""
    before, at_low, at_high = _counts(everything), _counts(low), _counts(high)
    sizes = sum(at_low.values()), sum(at_high.values())
    strength = PRIOR * (sizes[0] + sizes[1]) / 2
    total = sum(before.values())
    weights: dict[str, float] = {}
    for stem in sorted(at_low | at_high):
        prior = strength * before[stem] / total
        odds = [
            math.log((counts[stem] + prior) / (size + strength - counts[stem] - prior))
            for counts, size in zip((at_low, at_high), sizes, strict=True)
        ]
        error = math.sqrt(sum(1 / (counts[stem] + prior) for counts in (at_low, at_high)))
        weights[stem] = (odds[1] - odds[0]) / error
    return _best(weights, -1, low), _best(weights, 1, high)


def _counts(passages: Sequence[Said]) -> Counter[str]:
    """How many passages say each stem."""
    return Counter(stem for passage in passages for stem in passage.forms)


def _best(weights: dict[str, float], sign: int, passages: Sequence[Said]) -> tuple[Term, ...]:
    speeches = Counter(stem for _, stem in {(passage.speech, stem) for passage in passages for stem in passage.forms})
    telling = [stem for stem, weight in weights.items() if sign * weight >= LEAST and speeches[stem] >= FEWEST]
    ordered = sorted(telling, key=lambda stem: (-sign * weights[stem], stem))[:SHOWN]
    forms = {stem: sum((p.forms[stem] for p in passages if stem in p.forms), Counter[str]()) for stem in ordered}
    return tuple(
        Term(min(forms[stem], key=lambda form: (-forms[stem][form], form)), abs(weights[stem])) for stem in ordered
    )
