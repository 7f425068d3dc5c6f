"""What may be quoted: one table of sentences a rule, and what must not be refused by mistake."""

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.text import directions, sentences
from service.answer.candidates import LONGEST, SHORTEST, blemishes, candidates, refusal
from tests.service.answer.making import evidence, speech

ACCEPTED = (
    "Un salario minimo legale di nove euro l'ora restituisce dignità a tre milioni di lavoratori poveri.",
    "Noi riteniamo che la separazione delle carriere indebolisca l'autonomia della magistratura.",
    "Questa legge di bilancio taglia la sanità pubblica e premia chi ha già molto.",
    "È necessario assumere quindicimila tra medici e infermieri nei prossimi tre anni.",
    "Il Governo ha scelto di non rendere strutturale il voto di chi studia lontano da casa.",
    "Siamo contrari a un nucleare che scarica i costi sulle bollette delle famiglie.",
    "Per le piccole imprese un aumento improvviso dei costi significa chiudere o licenziare.",
    "Le liste d'attesa non si accorciano chiedendo altre ore agli stessi infermieri.",
    "Chi lavora otto ore al giorno e resta povero non è libero: è ricattabile.",
    "La nostra proposta destina 420 milioni alle comunità energetiche e ai tetti fotovoltaici.",
    "Non è vero che le quote d'ingresso siano troppo basse: la metà resta inutilizzata ogni anno.",
    "Serve una legge quadro che riconosca finalmente i diritti dei lavoratori delle piattaforme.",
    "Gli italiani devono saperlo: la spesa sanitaria scende in rapporto al prodotto interno lordo.",
    "L'Unione europea ci chiede regole certe, e noi rispondiamo con l'ennesimo rinvio.",
    "Prima di parlare di reattori, il Paese deve finanziare il deposito nazionale delle scorie.",
    "La parola “femminicidio” entra oggi nel codice penale, ed è una conquista di tutte le donne.",
    "Secondo i dati dell'Istat, un minore su sette vive in condizioni di povertà assoluta.",
    "Nessuno ci ha mai chiesto di dividere i giudici; tutti ci chiedono processi più brevi.",
)
REFUSED = {
    "F-89 procedure": (
        "procedure",
        (
            "Annuncio il voto favorevole del gruppo e chiedo di poter depositare il testo integrale.",
            "Ringrazio la relatrice, gli uffici e tutti i colleghi della Commissione per il lavoro svolto.",
            "Voglio ringraziare la collega per avere messo a fuoco l'argomento principale della riforma.",
            "L'Assemblea è chiamata oggi a esaminare il disegno di legge di conversione del decreto.",
            "Nel corso della mia relazione illustrerò le principali disposizioni del disegno di legge.",
            "Ho preso qualche appunto e cerco di partire dalla fine, per non ripetere quanto già sentito.",
            "La nostra posizione, Presidente, e vado a concludere, resta quella della scorsa settimana.",
        ),
    ),
    "F-93, F-94 edges": (
        "opening",
        (
            "sistema dei controlli, che oggi non funziona e che il decreto non corregge affatto.",
            "israele del diritto all'esistenza e di ogni garanzia che la comunità ha promesso.",
        ),
    ),
    "F-93, F-94 endings": (
        "ending",
        (
            "Il decreto interviene su tre punti e su ognuno di questi lascia aperta una questione:",
            "Il nostro gruppo ha presentato una proposta che prevede un aumento delle risorse per la",
        ),
    ),
    "F-95 questions": (
        "question",
        (
            "Vogliamo davvero che un operaio di sessant'anni salga ancora sui ponteggi?",
            "Quanto costa allo Stato questa riforma? Il Governo non ha mai voluto rispondere in Aula.",
        ),
    ),
    "F-96 reported speech": (
        "reported speech",
        (
            "La ministra ha dichiarato che le risorse per la scuola ci sono e sono sufficienti.",
            "Secondo il collega Verdi la riforma costerà ai comuni più di quanto essi incassano.",
            "Voi dite che il provvedimento è ispirato al buon senso, ma i numeri dicono il contrario.",
            "I sindaci venivano in regione e dicevano: pensateci voi, noi non abbiamo i fondi.",
            "La prossima manovra ha poche risorse, e voi avete detto: lo facciamo per i conti.",
            "Il Ministro sostiene che le graduatorie saranno chiuse entro la fine dell'anno scolastico.",
            "Un funzionario, come scriveva un grande giurista, è al servizio esclusivo della nazione.",
        ),
    ),
    "F-97 read aloud": (
        "read aloud",
        (
            "La mozione impegna il Governo ad adottare iniziative per il rilancio delle aree interne.",
            "Sull'ordine del giorno n. 12 il parere favorevole è subordinato a una diversa formulazione.",
            "Al comma 2, dopo le parole «entro sei mesi» si legga «entro dodici mesi».",
            "Non possiamo sul primo impegno perché riguarda risorse che la legge di bilancio non prevede.",
            "L'ordine del giorno del collega è accolto come raccomandazione, eliminando le premesse.",
        ),
    ),
    "F-98 leaning": (
        "leaning",
        (
            "Perché senza queste risorse i comuni non potranno garantire alcun servizio ai cittadini.",
            "Quindi il nostro gruppo si aspetta dal Governo un impegno concreto e verificabile.",
            "Questo avviene in tutte le regioni, senza eccezione, da almeno quindici anni a questa parte.",
            "In quel caso si riconosca al lavoratore un permesso di soggiorno per ricerca di lavoro.",
            "La prima: siamo di fronte a uno statuto che ha già dato ampia prova di sé.",
            "Secondo aspetto: dobbiamo tenere conto della realtà di fatto dei piccoli comuni.",
            "Riguarda tre milioni di lavoratori, e per ciascuno l'aumento non supera i venti euro.",
            "Arrivano in Italia e il datore di lavoro scompare prima della firma del contratto.",
            "È perciò una legge che si può già giudicare dai risultati dei tre anni precedenti.",
            "È come se qualcuno volesse cambiare le regole a partita già cominciata.",
            "Lo dobbiamo ai nostri figli, che erediteranno un debito sempre più grande.",
            "Penso che avrebbe dovuto intervenire sui tempi di rilascio del visto d'ingresso.",
            "Noi intendiamo renderle davvero esecutive per le imprese e per i lavoratori.",
            "Il suo essere speciale si fonda sulla sussidiarietà e sulla storia dei suoi comuni.",
            "Ciò dimostra che la strada scelta dal Governo non porta da nessuna parte.",
            "Tra l'altro la regione aveva già avviato da sola la riforma degli enti locali.",
        ),
    ),
    "F-99 ellipsis": (
        "ellipsis",
        (
            "Il Governo aveva promesso più risorse agli enti locali… e nessuno le ha mai viste.",
            "Una riforma attesa da anni.. e che ancora una volta resta lettera morta per i cittadini.",
        ),
    ),
    "F-99 words that the source lost": (
        "broken",
        (
            "La manovra ha portato le principali agenzie di a migliorare la valutazione del nostro debito.",
            "Il testo accompagna le imprese e valorizza il nei nuovi scenari internazionali.",
            "Abbiamo dato per anni il nome sbagliato alle cose Questo disegno di legge le corregge.",
            "Le imprese del settore hanno bisogno del , oltre che di regole stabili e comprensibili.",
            "Il nuovo articolo 577- Ai fini del contrasto alla violenza, ribadiamo che serve l'educazione.",
            "Sono sostanzialmente poveri lavorando, con E l'unica certezza che hanno è una pensione ridicola.",
            "Risponda alle esigenze sia del mercato del lavoro, che del Accanto a questi resta l'incoerenza.",
        ),
    ),
    "F-99 stage directions": (
        "parenthesis",
        ("Il salario minimo è una questione di dignità (Applausi) e non di contabilità dello Stato.",),
    ),
    "F-100 nested quotation marks": (
        "quotation",
        (
            "Il presidente conclude «la riforma serve a tutti e non toglie nulla a nessuno» e poi tace.",
            "La parola d'ordine «prima i nostri cittadini che aspettano da anni» non costruisce case.",
            "Il ministro promette “una stagione di investimenti senza precedenti per il Mezzogiorno” e poi taglia.",
        ),
    ),
    "a walk through the bill": (
        "by article",
        (
            "L'articolo 3 prevede che le regioni comunichino ogni anno i dati sulle prestazioni.",
            "All'articolo 5 si introduce un registro nazionale dei prodotti fitosanitari biologici.",
            "Il capo secondo reca norme per la semplificazione degli adempimenti delle imprese.",
        ),
    ),
    "too short or too long": (
        "length",
        ("Il salario minimo serve a tutti.", "La riforma " + "è giusta, " * 40 + "e serve."),
    ),
}


@pytest.mark.parametrize("sentence", ACCEPTED)
def test_a_position_that_stands_by_itself_may_be_quoted(sentence: str) -> None:
    assert refusal(sentence) is None


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        pytest.param(reason, sentence, id=f"{kind}: {sentence[:40]}")
        for kind, (reason, table) in REFUSED.items()
        for sentence in table
    ],
)
def test_what_is_no_position_of_the_speaker_is_refused(reason: str, sentence: str) -> None:
    assert refusal(sentence) == reason


@pytest.mark.parametrize(
    "sentence",
    [
        "Noi l'abbiamo detto fin dall'inizio: la riforma delle pensioni costa più di quanto promette.",
        "Chi ha scritto questa norma non ha mai visto un pronto soccorso il sabato notte.",
        "Il “decreto sicurezza” ha prodotto più ricorsi che rimpatri in tutto il Paese.",
        "Diciamo con chiarezza che un aumento del genere mette in ginocchio le officine.",
        "Le donne che denunciano chiedono protezione subito, e lo Stato arriva mesi dopo.",
    ],
)
def test_words_that_only_look_like_a_report_are_the_speakers_own_F96(sentence: str) -> None:
    assert refusal(sentence) is None


def test_a_candidate_is_a_whole_sentence_by_its_offsets_F93() -> None:
    text = f"Signora Presidente, grazie. {ACCEPTED[0]} {ACCEPTED[1]}"
    found = candidates([evidence(speech(text))])
    assert [c.text for c in found] == [ACCEPTED[0], ACCEPTED[1]]
    for candidate in found:
        assert candidate.span in sentences(text)
        assert text[candidate.span.start : candidate.span.end] == candidate.text


def test_a_sentence_cut_by_the_edge_of_its_passage_is_no_candidate_F93() -> None:
    text = f"{ACCEPTED[0]} {ACCEPTED[1]}"
    whole = evidence(speech(text))
    assert [c.text for c in candidates([replace(whole, start=5)])] == [ACCEPTED[1]]
    assert [c.text for c in candidates([replace(whole, end=len(text) - 1)])] == [ACCEPTED[0]]


def test_a_sentence_in_two_overlapping_passages_is_one_candidate() -> None:
    record = speech(f"{ACCEPTED[0]} {ACCEPTED[1]} {ACCEPTED[2]}")
    second = evidence(record, start=len(ACCEPTED[0]) + 1)
    assert [c.text for c in candidates([evidence(record), second])] == list(ACCEPTED[:3])


def test_a_leaning_sentence_is_quoted_with_the_one_it_leans_on_F98() -> None:
    lead = "Il Governo promette da tre anni una legge sulla disabilità."
    leaning = "Eppure nel bilancio non c'è un euro, e le famiglie restano sole."
    assert [c.text for c in candidates([evidence(speech(f"{lead} {leaning}"))])] == [f"{lead} {leaning}"]


@pytest.mark.parametrize(
    "lead", ["Per corrispondenza!", "Non è giusto?", "Certo.", "Concludo, Presidente.", "Ha ragione."]
)
def test_a_scrap_is_not_what_a_sentence_can_lean_on_F98(lead: str) -> None:
    leaning = "Allora i cittadini che studiano lontano da casa potranno finalmente votare anche loro."
    assert candidates([evidence(speech(f"{lead} {leaning}"))]) == ()


def test_two_short_sentences_may_be_quoted_together() -> None:
    text = "Il lavoro povero offende la Repubblica. Noi chiediamo un salario giusto."
    assert [c.text for c in candidates([evidence(speech(text))])] == [text]


def test_a_short_sentence_is_not_put_before_one_that_stands_by_itself() -> None:
    text = f"Ho risposto che si può fare meglio. {ACCEPTED[3]}"
    assert [c.text for c in candidates([evidence(speech(text))])] == [ACCEPTED[3]]


def test_a_pair_never_joins_two_paragraphs() -> None:
    text = "Il lavoro povero offende la Repubblica.\nNoi chiediamo un salario giusto."
    assert candidates([evidence(speech(text))]) == ()


@pytest.mark.parametrize(("opening", "closing"), [("«", "»"), ("“", "”")])
def test_every_sentence_inside_anothers_words_is_refused_F96(opening: str, closing: str) -> None:
    theirs = "Il nucleare è lento e costoso. Nessuna persona ragionevole può proporlo in questo secolo."
    text = f"La collega sostiene: {opening}{theirs}{closing}. {ACCEPTED[5]}"
    assert [c.text for c in candidates([evidence(speech(text))])] == [ACCEPTED[5]]


def test_anothers_words_are_known_when_the_passage_begins_inside_them_F96() -> None:
    theirs = f"{ACCEPTED[0]} {ACCEPTED[1]} {ACCEPTED[2]}"
    text = f"Un ministro scriveva: «{theirs}». {ACCEPTED[5]}"
    inside = text.index(ACCEPTED[1])
    assert [c.text for c in candidates([evidence(speech(text), start=inside)])] == [ACCEPTED[5]]


def test_a_sentence_with_applause_inside_is_refused_and_one_before_it_kept_F99() -> None:
    text = (
        f"{ACCEPTED[2]} (Applausi dei deputati del gruppo Misto). "
        "La sanità pubblica muore (Commenti) mentre il Governo discute di tutt'altre questioni."
    )
    assert [c.text for c in candidates([evidence(speech(text))])] == [ACCEPTED[2]]


@pytest.mark.parametrize("title", ["Parere del Governo", "Annunzio di petizioni", "Sull'ordine dei lavori"])
def test_nothing_is_quoted_from_a_procedural_phase_F97(title: str) -> None:
    assert candidates([evidence(speech(ACCEPTED[0], phase_title=title))]) == ()


def test_nobody_is_quoted_who_is_not_identified() -> None:
    assert candidates([evidence(speech(ACCEPTED[0], speaker=None))]) == ()


def test_addressing_the_room_is_a_blemish_and_no_ground_for_refusal() -> None:
    addressed = f"Presidente, colleghi, {ACCEPTED[2].replace('Questa', 'questa')}"
    assert refusal(addressed) is None
    assert blemishes(addressed) == 2
    assert blemishes(ACCEPTED[2]) == 0


_FRAGMENTS = st.sampled_from(
    [
        *ACCEPTED,
        *(sentence for _, table in REFUSED.values() for sentence in table),
        "(Applausi dei deputati del gruppo Esempio (PE))",
        "(Commenti)",
        "Grazie.",
        "«Parole di un altro, che non vanno attribuite a chi le legge in Aula.»",
        "\n",
        "«",
        "”",
        "…",
    ]
)
_NOISE = st.text(alphabet=string.ascii_letters + " .,;:!?«»“”()àèìòù'0123456789\n", max_size=120)


@given(st.lists(st.one_of(_FRAGMENTS, _NOISE), min_size=1, max_size=12), st.integers(0, 400), st.integers(0, 400))
def test_every_candidate_is_verbatim_of_the_right_length_and_free_of_stage_directions(
    parts: list[str], skipped: int, dropped: int
) -> None:
    text = " ".join(parts)
    start, end = min(skipped, len(text) - 1), max(min(skipped, len(text) - 1) + 1, len(text) - dropped)
    if not 0 <= start < end:
        return
    record = speech(text)
    for candidate in candidates([evidence(record, start=start, end=end)]):
        assert candidate.text in text
        assert SHORTEST <= len(candidate.text) <= LONGEST
        assert start <= candidate.span.start < candidate.span.end <= end
        assert not any(candidate.span.overlaps(aside) for aside in directions(text))
        assert "?" not in candidate.text
        assert "\n" not in candidate.text
