"""The words that tell the passages at one pole from those at the other.

A word is its Italian stem and is shown in the form in which it is said most often. It counts once a
passage. What decides is the log-odds ratio between the poles with all of the passages as prior
(Monroe, Colaresi and Quinn 2008), in standard errors: a rare word does not win by chance, and a word
that is frequent everywhere not by being frequent.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import sparql
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
a abbia abbiamo abbiano accordo adesso affatto affinché agli ahimè ai al alcun alcuna alcune alcuni all alla alle
allo allora almeno altra altre altrettanto altri altrimenti altro anche ancora andare anni anno anzi anziché appena
appunto aspetto assolutamente attraverso attualmente aula avanti avere avete avevo bene bensì bisogna caso cento cercare
certamente certo che chi chiaramente chiedere ci ciascuno cioè ciò circa citare cittadini collega colleghe colleghi come
comma commissione comunque con concludere conseguenza considerare contro cosa cose così credere cui da dagli dai dal
dall dalla dalle dallo dare dato davanti davvero dare de decreto degli dei del dell della delle dello dentro deputati
deputato dettare detto di dice dico dire diritto diverso dobbiamo domani dopo dove dovere dovrebbe dunque due durante
e ebbene ecco ed effettivamente egli ella emendamenti emendamento entrambi entro era erano esempio essa esse essendo
essere essi esso evidente evidentemente fa facciamo fare fatto favorevole favore fase fin finalmente fine fino forse forte fra
fronte gente già giorno giorni giusto gli governo gran grande grandi grazie gruppo gruppi ha hanno ho i ieri il importante
in infatti infine inoltre insieme insomma intervenire intervento invece io la le legge leggi lei li lo loro lui ma
maggior maggiore maggioranza mai male me meglio meno mentre mi mia mie miei milioni mila miliardi minister ministra ministri
ministro mio modo molta molte molti molto momento naturalmente ne neanche necessario negli nei nel nell nella nelle nello
nemmeno neppure nessun nessuna nessuno niente no noi nome non nonostante nostra nostre nostri nostro nuovo nulla o oggi ogni
ognuno oltre onorevole onorevoli opposizione opposizioni oppure ora ormai ossia ovvero ovviamente paese parere parlamento
parlare parola parole parte particolare partire passare pensare per perché perciò però persino persona persone pertanto
piuttosto più po poco pochi poi poiché porre portare possa possibile possiamo possono posto potere potrebbe prendere
presidente presso prevedere prima primo principio problema proposta proposte proprio provvedimento punto può pure qua qual
qualche qualcosa qualcuno quale quali qualora qualsiasi quando quanta quante quanti quanto quasi quella quelle quelli quello
quest questa queste questi questione questioni questo qui quindi realtà relatore rendere ricordare ridurre riferire riguardare rimanere
rispetto rispondere riuscire roba sa sapere sarà sarebbe se sé sebbene secondo sede seguito semplicemente sempre senso sentire
senza sì si sia siamo siano sicuramente signor signora siccome signori situazione soltanto solo sono sopra soprattutto
sotto sottosegretaria sottosegretario spesso stare stata state stati stato stessa stesse stessi stesso su sua subito sue
sugli sui sul sull sulla sulle sullo suo suoi tale tali tanta tante tanti tanto te tema temi tempo ti tipo tra tramite
trattare tre troppo trovare tu tutta tuttavia tutte tutti tutto ulteriore ultima ultimi ultimo un una uno va vale vede vedere
veniamo venire vera veramente vero verso vi viene vincere visto voi volere volta volte vorrei vorremmo vostra vostre vostri
vostro voto votare approvare articolo articoli camera senato ordine ordini giorno mozione mozioni discussione interrogazione
testo norma norme misura misure disegno dichiarazione collegio deve devono debba stiamo stanno
vogliamo vuole voglio so sappiamo diciamo dicono diceva dicendo fanno faccia facendo fosse fossero fossimo avesse avessero
avrebbe avrebbero avrà avranno saranno sarebbero potremmo possano puoi dobbiamo dovremmo chiediamo chiedo credo crediamo
penso pensiamo vediamo vedo andiamo vanno vada dia danno diamo tenere tiene mettere mette messo metti lasciare arrivare
ottenere continuare iniziare ritenere riteniamo ritengo
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

    @classmethod
    def of(cls, chamber: Chamber, graph: GraphStore) -> "Names":
        """The names of everybody in the record, and of the groups on all dates."""
        named = (text for o in chamber.organisations.values() for d in o.names for text in (d.name, d.sigla or ""))
        present = (o.present_name for o in chamber.organisations.values())
        return cls(_people(graph), frozenset(stem for text in (*named, *present) for stem in stemmed(words(text))))


@lru_cache(maxsize=4)
def _people(graph: GraphStore) -> frozenset[str]:
    rows = graph.select(sparql.query("retrieval/person-names"))
    return frozenset(word for row in rows for word in words(row["name"].value))


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one passage: for each stem, the forms in which it is said."""

    speech: str
    forms: dict[str, Counter[str]]


def said(speech: str, text: str, names: Names, topic: Collection[str] = ()) -> Said:
    """Read a passage. The topic's own stems are left out, since all passages are about it."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for surface, stem, opens in _read(text):
        if stem in topic or stem in _empty() or len(stem) < 3 or stem in names.groups or _VERB.search(surface):
            continue
        # "Costa" is a deputy and "costa" a verb; at the head of a sentence it may be either.
        if surface[:1].isupper() and (not opens or len(surface) > 4) and surface.casefold() in names.people:
            continue
        forms[stem][surface if surface == surface.upper() or not opens else surface.lower()] += 1
    return Said(speech, dict(forms))


def topic_stems(topic: str) -> frozenset[str]:
    """The stems of the words of a topic."""
    return frozenset(content_words(topic))


def _read(text: str) -> Iterable[tuple[str, str, bool]]:
    """Each word as it stands, with its stem, and whether it opens a sentence."""
    found = [match for match in _WORD.finditer(text) if not match[0].endswith("'")]
    folded = [words(match[0]) for match in found]
    known = [(match, word[0]) for match, word in zip(found, folded, strict=True) if len(word) == 1]
    for (match, _), stem in zip(known, stemmed([word for _, word in known]), strict=True):
        opens = match.start() == 0 or bool(_SENTENCE_END.search(text[max(0, match.start() - 4) : match.start()]))
        yield match[0], stem, opens


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
