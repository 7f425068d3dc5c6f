"""The words of the command line around an answer, in each language of answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.answer.language import Language
from service.answer.model import Kind


@dataclass(frozen=True, slots=True)
class ReportWords:
    """Headings and templates; names in braces are filled by `str.format`."""

    invented: str
    headings: Mapping[Kind, str]
    quotations: str
    why: str
    signed: str
    sits: str
    authority: str
    columns: tuple[str, ...]
    """Total, rank, and the six components in their order."""
    rank: str
    unavailable: str
    without_model: str
    fallbacks: tuple[str, str]
    """For one section, and for more."""
    basis: str
    none_compared: str
    one_compared: str
    all_compared: str
    found: str
    unresolved: tuple[str, str]
    """For one speech, and for more."""
    expanded: str


REPORT_WORDS: Final[Mapping[Language, ReportWords]] = {
    "it": ReportWords(
        invented="Parlamento inventato: nomi, gruppi e discorsi non sono reali.",
        headings={
            "government": "Governo",
            "majority": "Maggioranza",
            "opposition": "Opposizione",
            "mixed": "Gruppo Misto",
            "other": "Altri",
        },
        quotations="Citazioni",
        why="perché è qui: {reason}",
        signed="chi parla ha firmato {act}",
        sits="chi parla fa parte {committee}",
        authority="Autorevolezza sul tema di chi è citato",
        columns=("totale", "posto", "professione", "studi", "commissione", "atti", "interventi", "carica"),
        rank="{rank} di {of}",
        unavailable="n.d.",
        without_model="senza modello linguistico",
        fallbacks=(
            "{written} (il modello configurato non ha dato un testo valido per una sezione)",
            "{written} (il modello configurato non ha dato un testo valido per {number} sezioni)",
        ),
        basis="Data di riferimento {day}; corpus {corpus}; vettori {vectors}; testo {written}.",
        none_compared="Nessuna citazione.",
        one_compared="Una citazione, confrontata con il resoconto.",
        all_compared="{number} citazioni, tutte confrontate con il resoconto.",
        found="{compared} Atti vicini al tema: {acts}; passi esaminati: {passages}.",
        unresolved=(
            "Non considerato: un intervento di chi il registro caricato non conosce (emiciclo check lo elenca).",
            "Non considerati: {number} interventi di oratori che il registro caricato non conosce "
            "(emiciclo check li elenca).",
        ),
        expanded="Il tesauro ha ampliato la domanda con: {concepts} (--no-thesaurus per escluderlo).",
    ),
    "en": ReportWords(
        invented="Invented parliament: names, groups and speeches are not real.",
        headings={
            "government": "Government",
            "majority": "Majority",
            "opposition": "Opposition",
            "mixed": "Gruppo Misto",
            "other": "Others",
        },
        quotations="Quotations",
        why="why it is here: {reason}",
        signed="the speaker signed {act}",
        sits="the speaker is a member {committee}",
        authority="Authority on the topic of those quoted",
        columns=("total", "rank", "profession", "education", "committee", "acts", "speeches", "role"),
        rank="{rank} of {of}",
        unavailable="n/a",
        without_model="without a language model",
        fallbacks=(
            "{written} (the configured model gave no valid text for one section)",
            "{written} (the configured model gave no valid text for {number} sections)",
        ),
        basis="Reference date {day}; corpus {corpus}; vectors {vectors}; text {written}.",
        none_compared="No quotations.",
        one_compared="One quotation, compared with the record.",
        all_compared="{number} quotations, all compared with the record.",
        found="{compared} Acts near the topic: {acts}; passages examined: {passages}.",
        unresolved=(
            "Not considered: one speech by somebody whom the loaded register does not know (emiciclo check lists it).",
            "Not considered: {number} speeches by speakers whom the loaded register does not know "
            "(emiciclo check lists them).",
        ),
        expanded="The thesaurus expanded the question with: {concepts} (--no-thesaurus leaves it out).",
    ),
}
