"""The vocabulary of the generated parliament: topics with their words, general words, and what joins them.

Each topic has some real Italian words, which `topics.txt` lists, and some hundreds of invented forms
with Italian endings; general words are made in the same way. The vocabulary is the same for
every seed, so that an embedder may know it.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

INVENTED_STEMS: Final = 80
"""Of each topic; each has three forms."""
GENERAL_STEMS: Final = 2_000
RARE: Final = 15
"""Topics at the end of the list that are hardly spoken of."""

FUNCTION_WORDS: Final = frozenset(
    """
    a ad agli ai al all alla alle allo anche ancora avere che chi ci coi col come con contro cosa così cui da dagli
    dai dal dall dalla dalle dallo degli dei del dell della delle dello di dove due e ed era essere fra già gli ha
    hanno ho i il in io la le lei li lo loro lui ma me mentre mi nei negli nel nell nella nelle nello noi non nostra
    nostre nostri nostro né o ogni oggi ora per perché perciò però più poi prima qual quale quali quando quanto quella
    quelle quelli quello questa queste questi questo qui se sempre senza si sia siamo sono sta sua sue sugli sui sul
    sull sulla sulle sullo suo suoi tra tre tutta tutte tutti tutto un una uno verso vi voi è
    posizione posizioni gruppo gruppi deputato deputati dicono pensano detto dibattito parlamento opinione tema
    presidente onorevoli colleghi grazie governo camera aula legge articolo comma emendamento
    """.split()
)
"""Words without a topic: function words, and those of every question and every debate."""

_GENERAL: Final = """
    paese cittadino comunità lavoro tempo anno giorno mese impegno risposta domanda scelta decisione responsabilità
    risorsa futuro generazione giovane diritto dovere libertà uguaglianza giustizia problema soluzione percorso
    strumento obiettivo risultato strategia visione confronto ascolto intervento azione politica territorio città
    nazione Europa istituzione ministero commissione relazione maggioranza opposizione interesse valore principio fatto
    parola storia esperienza conoscenza realtà condizione situazione difficoltà opportunità rischio costo beneficio
    equilibrio misura effetto causa ragione motivo criterio metodo modello piano programma progetto fondo contributo
    sostegno aiuto tutela garanzia controllo verifica valutazione analisi numero quota parte insieme fine inizio
    sviluppo crescita crisi emergenza ritardo occasione cambiamento passaggio punto linea livello settore ambito materia
    quadro contesto sistema struttura rete servizio qualità sicurezza fiducia speranza rispetto dignità persona
    """

_CONSONANTS: Final = "b c d f g l m n p r s t v br cr dr fr gr pr tr bl cl fl pl sc sp st str gl".split()
_INNER: Final = "b c d f g l m n p r s t v z ll rr ss tt nn mm cc lt rt nt nd rd mp mb rs rn lm lv sc st sp".split()
_VOWELS: Final = "a e i o a e i o u".split()
_ENDINGS: Final = (
    ("o", "i", "one"),
    ("a", "e", "ella"),
    ("ento", "enti", "entale"),
    ("zione", "zioni", "zionale"),
    ("mento", "menti", "mentare"),
    ("ico", "ici", "icamente"),
    ("ista", "isti", "istico"),
    ("are", "ato", "ando"),
    ("ere", "uto", "endo"),
    ("ire", "ito", "endo"),
    ("ura", "ure", "urale"),
    ("aggio", "aggi", "aggiare"),
    ("ità", "itario", "itari"),
    ("ore", "ori", "orile"),
)
_WORD = re.compile(r"[^\W\d_]+")

CONNECTORS: Final = (
    (" ", 9.0),
    (" di ", 6.0),
    (" e ", 5.0),
    (", ", 4.0),
    (" per ", 3.0),
    (" con ", 2.5),
    (" che ", 3.0),
    (" della ", 3.0),
    (" del ", 3.0),
    (" dei ", 2.0),
    (" delle ", 2.0),
    (" il ", 2.5),
    (" la ", 2.5),
    (" i ", 1.5),
    (" le ", 1.5),
    (" un ", 1.2),
    (" una ", 1.2),
    (" nel ", 1.4),
    (" nella ", 1.4),
    (" sul ", 1.0),
    (" sulla ", 1.0),
    (" al ", 1.0),
    (" alla ", 1.0),
    (" dal ", 0.8),
    (" dalla ", 0.8),
    (" tra ", 0.6),
    (" senza ", 0.5),
    (" contro ", 0.4),
    (" verso ", 0.4),
    (" non ", 0.9),
    (" più ", 0.7),
    (" anche ", 0.8),
    (", ma ", 0.5),
    (", che ", 0.9),
    (", con ", 0.4),
    (", e la ", 0.4),
    (", dove ", 0.2),
    (" come ", 0.5),
    (" ogni ", 0.4),
    (" ha ", 0.7),
    (" hanno ", 0.4),
    (" sono ", 0.6),
    (" è ", 0.9),
    (" questo ", 0.5),
    (" questa ", 0.5),
    (" nostro ", 0.3),
    (" loro ", 0.3),
    (", quando ", 0.2),
    (" mentre ", 0.2),
    (": ", 0.15),
    ("; ", 0.15),
)
"""What stands before a content word, with its weight."""

OPENINGS: Final = (
    *((word, 1.0) for word in ("Il ", "La ", "I ", "Le ", "Un ", "Una ", "Questo ", "Questa ")),
    *((word, 1.0) for word in ("Ogni ", "Nel ", "Nella ")),
    *((word, 0.6) for word in ("Per ", "Con ", "Quando ", "Dove ", "Senza ", "Oggi ", "Anche ", "Tra ", "Se ", "Non ")),
    *((word, 0.3) for word in ("Poi, ", "Ecco, ", "Allora ", "Inoltre, ", "Tuttavia, ", "Del resto, ", "In fondo ")),
    # Positions
    *(
        (word, 0.16)
        for word in (
            "Crediamo che ", "Riteniamo che ", "Chiediamo che ", "Noi proponiamo di ", "Siamo contrari al ",
            "Siamo favorevoli al ", "Siamo convinti che ", "È necessario che ", "È urgente che ", "È sbagliato che ",
            "È inaccettabile che ", "Bisogna che ", "Occorre che ", "Dobbiamo dire che ", "Non basta il ",
            "Secondo noi, ", "A nostro avviso, ", "Il nostro gruppo sostiene il ", "Questa riforma non ",
            "Questa legge è ", "Questo provvedimento introduce ", "Respingiamo il ", "Difendiamo la ",
            "Non possiamo accettare che ", "Ritengo che ", "Credo che ", "Sosteniamo la ", "Contestiamo il ",
        )
    ),
    # Arguments
    *(
        (word, 0.14)
        for word in (
            "Secondo i dati del ", "Rispetto al ", "Infatti, ", "Di conseguenza, ", "Ciò significa che ",
            "In assenza di ", "A causa di ", "Ciò accade perché ", "A differenza di ", "I dati della ",
            "Secondo il rapporto del ", "Con più risorse di ", "Vuol dire che ",
        )
    ),
    # Procedure
    *(
        (word, 0.12)
        for word in (
            "Ringrazio il relatore per ", "Annuncio il voto favorevole su ", "Chiedo di parlare su ",
            "Mi avvio alla conclusione: ", "Esprimo parere contrario su ", "Il parere favorevole riguarda ",
            "Passiamo al ", "Chiedo l'autorizzazione a consegnare il testo su ", "Voteremo il ",
            "Onorevoli colleghi, ", "Sull'ordine del giorno, ", "Gentili colleghi, ",
        )
    ),
    # Words on the debate itself
    *(
        (word, 0.06)
        for word in (
            "Come sappiamo, ", "In questa sede ", "Il dibattito di oggi ", "Nel corso del dibattito ",
            "Abbiamo discusso di ", "È un tema delicato: ", "Come è noto, ",
        )
    ),
)  # fmt: skip
"""How a sentence begins, with its weight; a good fifth are formulas of stance, argument or procedure."""

FIGURES: Final = (
    "pari a {} milioni di euro",
    "circa il {} per cento",
    "oltre {} miliardi di euro",
    "all'articolo {}",
    "in più di {} comuni",
    "dopo {} anni",
    "per {} mila famiglie",
)
"""What is put in between commas; the number is drawn."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A policy subject. `items` are its words and phrases, the most used first."""

    name: str
    with_article: str
    phrases: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """All content words: those of each topic, and the general ones."""

    topics: tuple[Topic, ...]
    general: tuple[str, ...]

    @property
    def forms(self) -> frozenset[str]:
        """The single word forms, in lower case."""
        items = (item for topic in self.topics for item in topic.items)
        return frozenset(word for item in (*self.general, *items) for word in words_of(item))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without figures."""
    return _WORD.findall(text.lower())


@cache
def vocabulary() -> Vocabulary:
    """The one vocabulary; made once in a process."""
    lines = [
        [part.strip() for part in line.split("|")]
        for line in Path(__file__).with_name("topics.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    taken = set(FUNCTION_WORDS) | set(_inflected(_GENERAL.split()))
    for line in lines:
        taken.update(words_of(" ".join(line)), _inflected(line[3].split()))
    maker = _Maker(np.random.default_rng(20221013), taken)
    topics = tuple(
        _topic(name, article, [p.strip() for p in phrases.split(";")], listed.split(), maker)
        for name, article, phrases, listed in lines
    )
    return Vocabulary(topics, (*_inflected(_GENERAL.split()), *maker.forms(GENERAL_STEMS)))


def _topic(name: str, article: str, phrases: list[str], listed: list[str], maker: "_Maker") -> Topic:
    real = _inflected(listed)
    head = [name, *phrases, *real[: len(listed)]]
    return Topic(name, article, tuple(phrases), (*head, *real[len(listed) :], *maker.forms(INVENTED_STEMS)))


def _inflected(listed: list[str]) -> list[str]:
    """The words, and after them their regular plurals."""
    plurals = {"o": "i", "a": "e", "e": "i"}
    others = [word[:-1] + plurals[word[-1]] for word in listed if len(word) > 4 and word[-1] in plurals]
    return list(dict.fromkeys([*listed, *others]))


class _Maker:
    """Makes words that look Italian; never one twice, and none that is taken."""

    def __init__(self, rng: np.random.Generator, taken: set[str]) -> None:
        self._rng, self._taken = rng, taken

    def forms(self, stems: int) -> list[str]:
        """Three forms of each of so many new stems."""
        found: list[str] = []
        for _ in range(stems):
            found += self._three()
        return found

    def _three(self) -> list[str]:
        while True:
            stem = self._stem()
            forms = [stem + ending for ending in _ENDINGS[int(self._rng.integers(len(_ENDINGS)))]]
            if not self._taken.intersection(forms) and all(a != b for a, b in pairwise(forms)):
                self._taken.update(forms)
                return forms

    def _stem(self) -> str:
        pick = self._rng.integers
        syllables = int(pick(1, 3))
        parts = [_CONSONANTS[int(pick(len(_CONSONANTS)))]]
        for _ in range(syllables):
            parts += [_VOWELS[int(pick(len(_VOWELS)))], _INNER[int(pick(len(_INNER)))]]
        return "".join(parts)
