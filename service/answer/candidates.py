"""Sentences that may be quoted: whole, self-contained, the speaker's own, and not procedure.

The rules are closed formulas of Italian, without topic words. What they refuse is never
repaired: "none suitable" is a result (facts §6.3, F-89 to F-100).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from loaders.salience import sentence_salience
from loaders.text import Span, directions, sentences
from service.evidence import Evidence

SHORTEST: Final = 60
LONGEST: Final = 350
SHORT_SENTENCE: Final = 110
"""A sentence shorter than this may be quoted together with the next one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span of a speech that may be quoted, and the evidence in which it lies."""

    evidence: Evidence
    span: Span
    salience: float

    @property
    def text(self) -> str:
        """The words, cut from the speech."""
        return self.span.of(self.evidence.speech.text)


_OPENING: Final = re.compile(r"[«“\"]?\s*[A-ZÀ-Þ]")
# A sentence that leans on the one before: connectives, bare pronouns, clitics, answers to the chair.
_LEANING: Final = re.compile(
    r"[«“\"]?\s*(?:"
    r"e|ed|o|ma|che|quindi|dunque|perch[eé]|poiché|anche|inoltre|infatti|invece|però|tuttavia|allora|poi|"
    r"così|anzi|cioè|ossia|pertanto|perciò|insomma|ecco|altrimenti|comunque|oltretutto|peraltro|piuttosto|"
    r"sennonché|eppure|oppure|né|se non|proprio per|per questo|per cui|a questo|di questo|da questo|su questo|"
    r"(?:in|per|con|da|di|a|su) (?:quest[oaie]|quell?[oaie]?|tale|tali) "
    r"(?:senso|modo|caso|quadro|contesto|scenario|situazion[ei]|ragion[ei]|motiv[oi]|punto|aspetto|prospettiva|direzione)|"
    r"del resto|al contrario|in altre parole|ad esempio|per esempio|fin qui|detto (?:ciò|questo)|"
    r"da un lato|dall'altr[oa]|in primo luogo|in secondo luogo|infine|ancora|ora|adesso|tutto (?:ciò|questo)|"
    r"ciò|lui|lei|egli|ella|esso|essa|essi|esse|loro|costui|costoro|ne|me|te|ce|ve|"
    r"quale|quali|cui|dove|quando|come (?:ho|abbiamo|ha) (?:detto|già)|"
    r"(?:quest[oaie]|quell[oaie]|tale|tali) "
    r"(?:è|e|non|sono|era|erano|vuol|significa|ha|hanno|ci|si|per|che|perché|dovrebbe|deve|sarebbe|sarà|va|può|"
    r"potrebbe|avviene|accade|succede|comporta|permette|consente|dimostra|conferma|rappresenta|riguarda|serve|vale|"
    r"diventa|rende|porta|fa|mi|lo|la|li|le|è)|"
    r"si (?!può\b|deve\b)\w+|"
    r"(?:ci|vi) (?!sono\b|saranno\b|sarà\b|vuole\b|vogliono\b)\w+|"
    r"(?:lo|la|li|le|gli|l') ?(?:ho|ha|hanno|abbiamo|avete|avevo|aveva|avevamo|avrebbe|dico|dice|diciamo|dicono|so|"
    r"sappiamo|sa|fa|faccio|facciamo|fanno|vediamo|chiediamo|chiedo|sono|è|dobbiamo|possiamo|ripeto|vogliamo|farà|farò|vedremo)|"
    r"(?:è|sono|era|erano) (?:perciò|quindi|dunque|infatti|però|pertanto|anche|proprio|così|come se|lì|qui|stat[oaie] lì)|"
    r"(?:ci|vi) sono (?:anche|poi|inoltre)|non è (?:assolutamente |affatto |proprio |certo )?(?:così|vero|questo)|"
    # the first, the second …: members of a list that began before
    r"(?:(?:il|la|un|una) )?(?:prim[oa]|second[oa]|terz[oa]|quart[oa]|quint[oa]|ultim[oa])"
    r"(?: (?:punto|aspetto|elemento|tema|motivo|ragione|questione|cosa|dato|esempio))?(?=[:,])|"
    # a verb whose subject stands in the sentence before
    r"(?:riguard|rappresent|arriv|iscriv|promett|riconosc|prevedo?|introduc|stabilisc|conten|consent|permett|intervien|modific|"
    r"costituisc|serv|vien|vengo|risult|diventa|diven|mett|rend|impon|chied|propon|continu|mir|punt|tend|dispon)(?:a|e|ono|ano)|"
    r"(?:penso|credo|ritengo) che (?:avrebbe|avrebbero|abbia|abbiano|avesse|avessero)|"
    r"in particolare|nello specifico|a tal fine|a tale riguardo|accennavo|prima|"
    r"chiudo|concludo|termino|sì|no|beh|be'|certo|bene|ebbene|vedete|guardi|guardate|vede|dicevo|ripeto|grazie|scusi|"
    r"mi scusi"
    r")(?!\w)",
    re.IGNORECASE,
)
# A pronoun joined to an infinitive so early that what it stands for must have been said before.
_PRONOUN: Final = re.compile(r"^.{0,60}?\b\w{2,}(?<!sap)(?:ar|er|ir)l[oaie]\b")
# A capital letter is missing where the source has dropped a word in italics ("agenzie di a migliorare").
_GAP: Final = re.compile(
    r"\b(?:il|lo|gli|un|del|dello|dei|degli|al|allo|ai|agli|dal|dai|nel|nei|sul|sui|della|delle|alla|alle|dalla|dalle|"
    r"nella|nelle|sulla|sulle) (?:di|a|da|in|con|per|e|del|dei|degli|delle|della|al|alla|ai|alle|nel|nella|nei|nelle|"
    r"dal|dalla|sul|sulla)\b|\b(?:il|lo|un|del|al|dal|nel|di) [,.;:]|\bdi (?:a|nel|nella|nei)\b",
    re.IGNORECASE,
)
_ELLIPSIS: Final = re.compile(r"…|\.\.")
_PARENTHESIS: Final = re.compile(r"[()\[\]]")
_INNER_QUOTE: Final = re.compile(r"[«“\"„]([^»”\"“]{25,})[»”\"]")
_VOICE: Final = re.compile(r"«[^«»]{25,}»|“[^“”]{25,}”")
_REPORTED: Final = re.compile(
    r"\b(?:(?:ha|hanno|aveva|avete|avevano) (?:appena |già |anche |sempre |più volte )?"
    r"(?:detto|dichiarato|affermato|sostenuto|scritto|parlato di|definito|risposto|ricordato|spiegato|obiettato|osservato)|"
    # direct speech without marks; what the speaker says in the first person is the speaker's own
    r"(?:dice|dicono|diceva|dicevano|disse|dissero|dite|chiede|chiedono|chiedevano|risponde|rispondono|rispose|scrive|"
    r"scrivono|afferma|affermano|sostiene|sostengono)(?=: )|si richiamava|"
    r"(?:dice|dicono|afferma|sostiene|scrive|sostengono|dichiarò|disse) che|"
    r"(?:secondo|a detta di|per) (?:il|la|lo|l') ?"
    r"(?:collega|onorevole|deputat[oa]|Ministr[oa]|Premier|sottosegretari[oa])|"
    r"ci (?:viene|è stato) detto|si dice che|ci dicono|ci dite|voi dite|lei dice|qualcuno dice|c'è chi dice|"
    r"leggo|rileggo|cito|cit(?:o|ando) testualmente|testualmente|testuali parole|recita|riporto le parole|"
    r"nelle parole d|come (?:ha detto|diceva|scriveva|scrisse))\b",
    re.IGNORECASE,
)
# Talk about the talk: what is on the agenda, how long was discussed, how the speaker will vote.
_ABOUT_DEBATE: Final = re.compile(
    r"\b(?:(?:lunga|ampia|approfondita|bella) discussione|cominciamo oggi|"
    r"(?:voglio|vorrei|desidero|devo|fatemi|lasciatemi|consentitemi di) (?:\w+ )?ringrazi\w+|(?:mia|presente) relazione|"
    r"illustrer(?:ò|emo)|(?:apro|chiudo) (?:una |e chiudo )?parentesi|preso (?:qualche|degli|alcuni) appunt\w|"
    r"aprire un dibattito|vado (?:verso la|a) conclu\w+|e concludo|altr[oi] emendament[oi]|va(?:nno)? dedicat[oaie]|"
    r"esame d(?:el|i questo) (?:disegno|proposta|provvedimento)|"
    r"in sede referente|in sede consultiva|entrata in vigore|clausola di invarianza|mandato al relatore|"
    r"arriva (?:oggi )?in Aula|"
    r"(?:siamo|è|sono) (?:qui|(?:oggi )?chiamat[oaie]) (?:oggi )?(?:a|ad) (?:discutere|votare|esaminare|esprim\w+|pronunci\w+)|"
    r"discussione generale|"
    r"(?:nel|del) dibattito di (?:oggi|ieri)|sottoscriv\w+ (?:questo|l')|il mio intervento|questo mio intervento)\b",
    re.IGNORECASE,
)
# A capital after a plain word: two sentences that the source runs together.
_RUN_TOGETHER: Final = re.compile(
    r"[a-zà-ÿ][,;:]? (?:La [a-zà-ÿ]|Vedete|Questo|Questa|Questi|Queste|Il|Lo|Gli|Le|Noi|Voi|Non|Ma|Ed|Se|Perché|Credo|Oggi|Allora|Quindi|"
    r"Ora|Grazie|Però|Anche|Abbiamo|Dobbiamo|Ecco|Come|Cosa|Con|Per|Io|Veniamo|Passo|Penso|Parlo|Dico|Ricordo|Chiedo|È|Sono|Siamo|Vorrei|"
    r"Voglio|Ho|Un|Una|In|Da|Poi|Perciò)\b"
)
_INNER_CONNECTIVE: Final = re.compile(
    r"\b(?:quindi|peraltro|inoltre|dunque|infatti|difatti|pertanto|perciò|appunto|tra l'altro|ovviamente|come dicevo)\b"
)
_READ_ALOUD: Final = re.compile(
    r"\b(?:impegna il Governo|invita il Governo a|a valutare l'opportunità|parere (?:favorevole|contrario|conforme)|"
    r"premesso che|considerato che|dopo le parole|sono sostituite dalle|è aggiunto, in fine|al comma \d+|"
    r"(?:prim|second|terz|quart|quint|ultim|unic|medesim|stess)o impegno|[“«]a valutare[”»]|"
    r"(?:accolt[oaie]|accoglie\w*) come raccomandazion\w+|si riformul|con la seguente riformulazione|subemendament|emendamento \d|emendamenti \d|identici)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"\b(?:onorevole (?:Presidente|Ministro)|(?:signor|signora) (?:Presidente|Ministro|Ministra|Sottosegretari[oa])|"
    r"Presidente|collegh[ei]|colleghi)\b"
)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:lei|voi|vi|vostr[oaie]|avete|siete|dovete|potete|fate|state)\b", re.IGNORECASE
)
# A walk through a bill, article by article: true, but nobody's position.
_BY_ARTICLE: Final = re.compile(
    r"^(?:(?:L'|All'|Nell'|Dell'|Il |Al |Gli |Agli |I |Ai )(?:articol[oi]|comm[ai]) \d|L'articolo unico)|"
    r"\breca(?:no)?\b"
)
_END: Final = re.compile(r"[.!][»”\"]?$")
_PROCEDURAL_PHASE: Final = re.compile(r"parere del governo|annunzio|ordine dei lavori|calendario", re.IGNORECASE)


def refusal(text: str) -> str | None:
    """Why a sentence cannot be quoted, in a word; None if it can. The text is a whole sentence."""
    if not SHORTEST <= len(text) <= LONGEST:
        return "length"
    if not _OPENING.match(text):
        return "opening"
    if _LEANING.match(text) or _PRONOUN.match(text):
        return "leaning"
    if "?" in text:
        return "question"
    if not _END.search(text):
        return "ending"
    if _ELLIPSIS.search(text):
        return "ellipsis"
    if _PARENTHESIS.search(text):
        return "parenthesis"
    if _INNER_QUOTE.search(text) or text.count("«") != text.count("»") or text.count("“") != text.count("”"):
        return "quotation"
    if _REPORTED.search(text):
        return "reported speech"
    if _READ_ALOUD.search(text):
        return "read aloud"
    if _RUN_TOGETHER.search(text) or _GAP.search(text):
        return "broken"
    if _BY_ARTICLE.search(text):
        return "by article"
    if _ABOUT_DEBATE.search(text) or sentence_salience(text) <= 0.35:
        return "procedure"
    return None


def candidates(evidence: Iterable[Evidence]) -> tuple[Candidate, ...]:
    """Cut the quotation candidates of passages; each span once, in the order of the evidence."""
    found: dict[tuple[str, Span], Candidate] = {}
    for item in evidence:
        if item.speech.speaker is None or _PROCEDURAL_PHASE.search(item.speech.phase_title or ""):
            continue
        for span in _spans(item):
            key = (item.speech.iri, span)
            text = span.of(item.speech.text)
            found.setdefault(key, Candidate(item, span, sentence_salience(text)))
    return tuple(found.values())


def blemishes(text: str) -> int:
    """How often a sentence addresses the room or joins on to what was said; it reads less well alone."""
    return sum(len(p.findall(text)) for p in (_ADDRESS, _SECOND_PERSON, _INNER_CONNECTIVE))


def _spans(item: Evidence) -> list[Span]:
    text = item.speech.text
    asides = directions(text)
    quoted = _quoted(text)
    inside = Span(item.start, item.end)
    units = [unit for unit in sentences(text) if unit.within(inside)]
    usable = [
        not any(unit.overlaps(span) for span in (*asides, *quoted)) and "\n" not in unit.of(text) for unit in units
    ]
    spans: list[Span] = []
    for at, unit in enumerate(units):
        if not usable[at]:
            continue
        own = refusal(unit.of(text))
        if own is None:
            spans.append(unit)
        elif own == "leaning" and at and usable[at - 1]:
            spans.extend(_pair(text, units[at - 1], unit))
        elif own == "length" and len(unit) < SHORT_SENTENCE and at + 1 < len(units) and usable[at + 1]:
            spans.extend(_pair(text, unit, units[at + 1]))
    return spans


def _pair(text: str, first: Span, second: Span) -> list[Span]:
    """Two neighbouring sentences as one span, if that may be quoted where one alone may not."""
    pair = Span(first.start, second.end)
    words = pair.of(text)
    return [pair] if "\n" not in words and refusal(words) is None else []


def _quoted(text: str) -> list[Span]:
    """Stretches inside quotation marks that run over more than a few words (another's voice)."""
    return [Span(*match.span()) for match in _VOICE.finditer(text)]
