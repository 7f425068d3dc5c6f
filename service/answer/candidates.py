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
SHORTEST_LEAD: Final = 25
"""The first of two sentences that are quoted together has at least this length."""


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


def _words(*patterns: str) -> str:
    """Alternatives between word boundaries."""
    return rf"\b(?:{'|'.join(patterns)})\b"


_QUOTE_MARKS: Final = r"[«“\"]?\s*"
_OPENING: Final = re.compile(_QUOTE_MARKS + r"[A-ZÀ-Þ]")
_END: Final = re.compile(r"[.!][»”\"]?$")

# F-94, F-98: what leans on the sentence before. Connectives; pronouns and demonstratives without
# their noun; members of a list; verbs whose subject was named before; answers to the chair.
_CONNECTIVES: Final = (
    r"e|ed|o|ma|che|quindi|dunque|perch[eé]|poiché|anche|inoltre|infatti|invece|però|tuttavia|allora|poi|così|anzi|"
    r"cioè",
    r"ossia|pertanto|perciò|insomma|ecco|altrimenti|comunque|oltretutto|peraltro|piuttosto|sennonché|eppure|oppure|"
    r"né",
    r"se non|proprio per|per cui|del resto|al contrario|in altre parole|ad esempio|per esempio|fin qui|"
    r"detto (?:ciò|questo)",
    r"da un lato|dall'altr[oa]|dopodiché|tra l'altro|fra l'altro|esattamente perché|assolutamente (?:no|sì)|infine|"
    r"ancora|ora|adesso|in particolare|nello specifico|a tal fine|a tale riguardo",
    r"dove|quando|quale|quali|cui|come (?:ho|abbiamo|ha) (?:detto|già)|accennavo|dicevo|ripeto",
    r"(?:è|sono|era|erano) (?:perciò|quindi|dunque|infatti|però|pertanto|anche|proprio|così|come se)",
    r"(?:ci|vi) sono (?:anche|poi|inoltre)|non è (?:assolutamente |affatto |proprio |certo )?(?:così|questo)",
)
_PRONOUNS: Final = (
    r"(?:il|la|i|le) (?:suo|sua|suoi|sue|loro)|ciò|tutto (?:ciò|questo)|lui|lei|egli|ella|esso|essa|essi|esse|loro|"
    r"costui|costoro|ne|me|te|ce|ve",
    r"(?:per|a|di|da|su) questo|(?:in|per|con|da|di|a|su) (?:quest[oaie]|quell?[oaie]?|tale|tali|tal) "
    r"(?:senso|modo|caso|quadro|contesto|scenario|situazion[ei]|ragion[ei]|motiv[oi]|punto|aspetto|prospettiva|"
    r"direzione)",
    r"(?:quest[oaie]|quell[oaie]|tale|tali) "
    r"(?:è|e|non|sono|era|erano|vuol|significa|ha|hanno|ci|si|mi|lo|la|li|le|per|che|perché|dovrebbe|deve|sarebbe|"
    r"sarà|"
    r"va|fa|può|potrebbe|avviene|accade|succede|comporta|permette|consente|dimostra|conferma|rappresenta|riguarda|"
    r"serve|"
    r"vale|diventa|rende|porta)",
    r"si (?!può\b|deve\b)\w+|(?:ci|vi) (?!sono\b|saranno\b|sarà\b|vuole\b|vogliono\b)\w+",
    r"(?:lo|la|li|le|gli|l') ?(?:ho|ha|hanno|abbiamo|avete|avevo|aveva|avevamo|avrebbe|dico|dice|diciamo|dicono|so|"
    r"sa|"
    r"sappiamo|fa|faccio|facciamo|fanno|vediamo|chiediamo|chiedo|sono|è|dobbiamo|possiamo|ripeto|vogliamo|farà|farò|"
    r"vedremo)",
)
_LIST_MEMBERS: Final = (
    r"in (?:primo|secondo|terzo|ultimo) luogo",
    r"(?:(?:il|la|un|una) )?(?:prim|second|terz|quart|quint|ultim)[oa]"
    r"(?: (?:punto|aspetto|elemento|tema|motivo|ragione|questione|cosa|dato|esempio))?(?=[:,])",
)
_VERBS_WITHOUT_SUBJECT: Final = (
    r"(?:riguard|rappresent|arriv|iscriv|promett|riconosc|introduc|stabilisc|consent|permett|modific|costituisc|"
    r"vien|vengo|"
    r"risult|diventa|mett|rend|impon|chied|propon|continu|mir|punt|tend|dispon)(?:a|e|ono|ano|no)",
    r"prevedono|prevede|contiene|contengono|interviene|diviene|serv(?:e|ono) (?:a|per|solo)",
    r"(?:penso|credo|ritengo) che (?:avrebbe|avrebbero|abbia|abbiano|avesse|avessero)",
)
_ANSWERS: Final = (
    r"chiudo|concludo|termino|sì|no|beh|be'|certo|bene|ebbene|vedete|guardi|guardate|vede|grazie|scusi|mi scusi",
)
_LEANING: Final = re.compile(
    _QUOTE_MARKS
    + rf"(?:{'|'.join((*_CONNECTIVES, *_PRONOUNS, *_LIST_MEMBERS, *_VERBS_WITHOUT_SUBJECT, *_ANSWERS))})(?!\w)",
    re.IGNORECASE,
)
# Words that only open a turn of speech and refer to nothing: what follows may stand by itself.
_TURN: Final = re.compile(
    r"^(?:Allora|Ecco|Dunque|Insomma|Ora|Adesso|Ebbene|Quindi|Poi|Inoltre|Vedete|Guardi|Guardate)(?:, |: )",
)
# A pronoun joined to an infinitive so early that what it stands for must have been said before.
_EARLY_PRONOUN: Final = re.compile(r"^(?:(?! e |[:;]).){0,48}?\b(?!saperlo)\w{2,}(?:ar|er|ir)l[oaie]\b")

# F-96, F-100: another's voice.
_INNER_QUOTE: Final = re.compile(r"[«“\"„]([^»”\"“]{25,})[»”\"]")
_VOICE: Final = re.compile(r"«[^«»]{25,}»|“[^“”]{25,}”")
_REPORTED: Final = re.compile(
    _words(
        r"(?<!chi )(?:ha|hanno|aveva|avete|avevano) (?:appena |già |anche |sempre |più volte )?"
        r"(?:detto|dichiarato|affermato|"
        r"sostenuto|scritto|parlato di|definito|risposto|ricordato|spiegato|obiettato|osservato)",
        r"(?:dice|dicono|afferma|sostiene|scrive|sostengono|dichiarò|disse) che",
        # direct speech without marks; what the speaker says in the first person is the speaker's own
        r"(?:dice|dicono|diceva|dicevano|disse|dissero|dite|chiede|chiedono|chiedevano|risponde|rispondono|rispose|"
        r"scrive|"
        r"scrivono|afferma|affermano|sostiene|sostengono)(?=: )",
        r"(?:secondo|a detta di|per) (?:il|la|lo|l') ?(?:collega|onorevole|deputat[oa]|Ministr[oa]|Premier|"
        r"sottosegretari[oa])",
        r"ci (?:viene|è stato) detto|si dice che|si richiamava|ci dicono|ci dite|voi dite|lei dice|qualcuno dice|"
        r"c'è chi dice",
        r"leggo|rileggo|cito|cit(?:o|ando) testualmente|testualmente|testuali parole|recita|riporto le parole|"
        r"nelle parole d",
        r"come (?:ha detto|diceva|scriveva|scrisse)",
    ),
    re.IGNORECASE,
)

# F-97: bills, orders of the day and opinions on them, read into the record.
_READ_ALOUD: Final = re.compile(
    _words(
        r"impegna il Governo|invita il Governo a|a valutare l'opportunità|parere (?:favorevole|contrario|conforme)",
        r"premesso che|considerato che|dopo le parole|sono sostituite dalle|è aggiunto, in fine|al comma \d+",
        r"(?:prim|second|terz|quart|quint|ultim|unic|medesim|stess)o impegno|(?:accolt[oaie]|"
        r"accoglie\w*) come raccomandazion\w+",
        r"si riformul|con la seguente riformulazione|subemendament|emendamento \d|emendamenti \d|identici",
    )
    + r"|[“«]a valutare[”»]",
    re.IGNORECASE,
)
# A walk through a bill, article by article: true, but nobody's position.
_BY_ARTICLE: Final = re.compile(
    r"^(?:(?:L'|All'|Nell'|Dell'|Il |Al |Gli |Agli |I |Ai )(?:articol[oi]|comm[ai]) \d|L'articolo unico)|"
    r"\breca(?:no)?\b"
)

# F-89: talk about the talk: what is on the agenda, how long was discussed, thanks.
_ABOUT_DEBATE: Final = re.compile(
    _words(
        r"(?:lunga|ampia|approfondita|bella) discussione|cominciamo oggi|esame d(?:el|i questo) (?:disegno|"
        r"proposta|provvedimento)",
        r"in sede referente|in sede consultiva|entrata in vigore|clausola di invarianza|mandato al relatore|"
        r"discussione generale",
        r"arriva (?:oggi )?in Aula|(?:siamo|(?:l'Assemblea|l'Aula|la Camera) è) (?:qui|"
        r"(?:oggi )?chiamat[aie]) (?:oggi )?ad? "
        r"(?:discutere|votare|esaminare|esprim\w+|pronunci\w+)",
        r"(?:nel|del) dibattito di (?:oggi|ieri)|sottoscriv\w+ (?:questo|l')|il mio intervento|questo mio intervento",
        r"(?:voglio|vorrei|desidero|devo|fatemi|lasciatemi|consentitemi di) (?:\w+ )?ringrazi\w+",
        r"(?:mia|presente) relazione|illustrer(?:ò|emo)|altr[oi] emendament[oi]|preso (?:qualche|degli|"
        r"alcuni) appunt\w",
        r"(?:apro|chiudo) (?:una |e chiudo )?parentesi|aprire un dibattito|vado (?:verso la|a) conclu\w+|e concludo",
        r"(?:riflessione|considerazione|parola)\b.{0,25} va dedicata",
    ),
    re.IGNORECASE,
)

# F-99: what the source broke. A capital after a plain word: two sentences that it runs together.
# Two small words that never meet: one between them that was set in italics ("le agenzie di a migliorare").
_ELLIPSIS: Final = re.compile(r"…|\.\.")
_PARENTHESIS: Final = re.compile(r"[()\[\]]")
_RUN_TOGETHER: Final = re.compile(
    r"[a-zà-ÿ][,;:]? (?:La [a-zà-ÿ]|(?:Vedete|Questo|Questa|Questi|Queste|Il|Lo|Gli|Le|Noi|Voi|Non|Ma|Ed|Se|Perché|"
    r"Credo|Oggi|Allora|Quindi|Ora|Grazie|Però|Anche|Abbiamo|Dobbiamo|Ecco|Come|Cosa|Con|Per|Io|Veniamo|Passo|Penso|"
    r"Parlo|Dico|Ricordo|Chiedo|È|Sono|Siamo|Vorrei|Voglio|Ho|Un|Una|In|Da|Poi|Perciò)\b)"
)
_GAP: Final = re.compile(
    r"\b(?!al di\b)(?:il|lo|gli|un|del|dello|dei|degli|della|delle|al|allo|ai|agli|alla|alle|dal|dai|dalla|dalle|"
    r"nel|nei|nella|nelle|sul|sui|sulla|sulle) "
    r"(?:di|a|da|in|con|per|e|del|dei|degli|delle|della|al|alla|ai|alle|nel|nella|nei|nelle|dal|dalla|sul|sulla)\b|"
    r"\b(?:il|lo|un|del|al|dal|nel|di) ?[,.;:]|\bdi (?:a|nel|nella|nei)\b",
    re.IGNORECASE,
)
# The same before a number's Latin suffix ("l'articolo 577- Ai fini"), and between an article that
# stands before consonants only and a capital vowel ("che del Accanto a questi"), and before a sentence
# that begins with one letter ("lavorando, con E l'unica certezza").
_LOST_ITALICS: Final = re.compile(
    r"\d- (?!\d)|\b(?:il|del|al|dal|nel|sul) [AEIOUÀÈ][a-zà-ÿ]|[a-zà-ÿ'’] (?:E|È|O) [a-zà-ÿ]"
)

# Not refused, but passed over where there is something better.
_INNER_CONNECTIVE: Final = re.compile(
    _words("quindi|peraltro|inoltre|dunque|infatti|difatti|pertanto|perciò|appunto|tra l'altro|ovviamente|come dicevo")
)
_ADDRESS: Final = re.compile(
    _words(
        r"onorevole (?:Presidente|Ministro)|(?:signor|signora) (?:Presidente|Ministro|Ministra|Sottosegretari[oa])",
        r"Presidente|collegh[ei]|colleghi",
    )
)
_SECOND_PERSON: Final = re.compile(_words("lei|voi|vi|vostr[oaie]|avete|siete|dovete|potete|fate|state"), re.IGNORECASE)

_PROCEDURAL_PHASE: Final = re.compile(r"parere del governo|annunzio|ordine dei lavori|calendario", re.IGNORECASE)


def refusal(text: str) -> str | None:
    """Why a sentence cannot be quoted, in a word; None if it can. The text is a whole sentence."""
    if not SHORTEST <= len(text) <= LONGEST:
        return "length"
    if not _OPENING.match(text):
        return "opening"
    if _leans(text):
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
    if _RUN_TOGETHER.search(text) or _GAP.search(text) or _LOST_ITALICS.search(text):
        return "broken"
    if _BY_ARTICLE.search(text):
        return "by article"
    if _ABOUT_DEBATE.search(text) or sentence_salience(text) <= 0.35:
        return "procedure"
    return None


def _leans(text: str) -> bool:
    turn = _TURN.match(text)
    rest = text[turn.end() :] if turn else text
    rest = rest[:1].upper() + rest[1:]
    return bool(_LEANING.match(rest) or _EARLY_PRONOUN.match(rest))


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
    return sum(len(p.findall(text)) for p in (_ADDRESS, _SECOND_PERSON, _INNER_CONNECTIVE, _TURN))


def _spans(item: Evidence) -> list[Span]:
    text = item.speech.text
    asides = directions(text)
    quoted = _quoted(text)
    inside = Span(item.start, item.end)
    units = [unit for unit in sentences(text) if unit.within(inside)]
    usable = [
        not any(unit.overlaps(span) for span in (*asides, *quoted)) and "\n" not in unit.of(text) for unit in units
    ]
    reasons = [refusal(unit.of(text)) for unit in units]
    spans: list[Span] = []
    for at, unit in enumerate(units):
        if not usable[at]:
            continue
        if reasons[at] is None:
            spans.append(unit)
        elif reasons[at] == "leaning" and at and usable[at - 1]:
            spans.extend(_pair(text, units[at - 1], unit))
        elif (
            reasons[at] == "length"
            and len(unit) < SHORTEST
            and at + 1 < len(units)
            and usable[at + 1]
            and reasons[at + 1] == "length"
        ):
            spans.extend(_pair(text, unit, units[at + 1]))
    return spans


def _pair(text: str, first: Span, second: Span) -> list[Span]:
    """Two neighbouring sentences as one span, if that may be quoted.

    The first must be a sentence that tells something by itself; an exclamation or a scrap is none.
    """
    pair = Span(first.start, second.end)
    words = pair.of(text)
    if "\n" in words or len(first) < SHORTEST_LEAD or not first.of(text).endswith("."):
        return []
    return [pair] if refusal(words) is None else []


def _quoted(text: str) -> list[Span]:
    """Stretches inside quotation marks that run over more than a few words (another's voice)."""
    return [Span(*match.span()) for match in _VOICE.finditer(text)]
