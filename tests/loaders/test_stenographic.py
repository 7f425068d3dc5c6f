"""The Chamber's reports: who spoke is read from the structure, and nothing that was said is lost."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from loaders import stenographic
from loaders.errors import SourceError
from loaders.record import Sitting, Speech

Spoken = Callable[[str], Speech]
Read = Callable[..., Sitting]
Write = Callable[..., Path]

NAME = '<nominativo id="1" cognomeNome="ROSSI Mario">MARIO ROSSI</nominativo>'


def turn(anchor: str, markup: str) -> str:
    return f'<intervento id="{anchor}"><testoXHTML>{markup}</testoXHTML></intervento>'


def by(number: int, words: str) -> str:
    return f'<nominativo id="{number}" cognomeNome="ROSSI Mario">MARIO ROSSI</nominativo> (BC). {words}'


@pytest.mark.parametrize(
    ("header", "group", "role"),
    [
        (NAME + ".", None, None),
        (NAME + " (PD-IDP).", "PD-IDP", None),
        (NAME + " (MISTO-+EUROPA).", "MISTO-+EUROPA", None),
        (NAME + " (NM(N-C-U-I)M-CP).", "NM(N-C-U-I)M-CP", None),
        (NAME + "\n   (PD-IDP)\n .", "PD-IDP", None),
        (NAME + ', <emphasis type="italic">Ministro dell\'Interno</emphasis>.', None, "Ministro dell'Interno"),
        (NAME + '\n  ,\n  <emphasis type="italic">\n Relatrice\n</emphasis>\n.', None, "Relatrice"),
        (NAME + "\n  <emphasis>Ministro della difesa</emphasis>\n ", None, "Ministro della difesa"),
        (NAME + " (BC), <emphasis>Relatore di minoranza.</emphasis>", "BC", "Relatore di minoranza"),
        (NAME + ", <emphasis>Ministro</emphasis> <emphasis>del mare</emphasis>.", None, "Ministro del mare"),
        (NAME + ", Vice Ministra dell'Ambiente.", None, "Vice Ministra dell'Ambiente"),
        (NAME + ", Vicepresidente del Consiglio dei ministri.", None, "Vicepresidente del Consiglio dei ministri"),
        (NAME + ", Presidente della V Commissione.", None, "Presidente della V Commissione"),
        (NAME + " (BC), Relatrice per la maggioranza.", "BC", "Relatrice per la maggioranza"),
        (f"<strong>{NAME}</strong> (PD-IDP).", "PD-IDP", None),
        (f"<p>{NAME} (PD-IDP).", "PD-IDP", None),
        (NAME + "<!-- sigla --> (PD-IDP).", "PD-IDP", None),
        (NAME + ", <?riga 3?><emphasis>Relatrice</emphasis>.", None, "Relatrice"),
        (NAME + " (PD-IDP). .", "PD-IDP", None),
    ],
)  # fmt: skip
def test_text_read_from_structure_not_by_string_F19(
    spoken: Spoken, header: str, group: str | None, role: str | None
) -> None:
    speech = spoken(f"{header} Grazie, Presidente. Siamo contrari.{'</p>' if '<p>' in header else ''}")
    assert speech.text == "Grazie, Presidente. Siamo contrari."
    assert (speech.group_printed, speech.role_printed) == (group, role)
    assert (speech.speaker_number, speech.speaker_printed, speech.name_printed) == ("1", "MARIO ROSSI", "ROSSI Mario")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (NAME + " (BC). . Grazie.", "Grazie."),
        (NAME + ". …e parere favorevole.", "…e parere favorevole."),
        (NAME + " ...e parere favorevole.", "...e parere favorevole."),
        (NAME + ". ... e parere favorevole.", "... e parere favorevole."),
        (NAME + ".... e parere favorevole.", "... e parere favorevole."),
        (NAME + ". . . . e parere favorevole.", ". . . e parere favorevole."),
        (NAME + " (BC). <emphasis>Mea culpa</emphasis>, Presidente.", "Mea culpa, Presidente."),
        (NAME + ". (Applausi) Grazie.", "(Applausi) Grazie."),
        (NAME + " <emphasis>(Commenti)</emphasis> Grazie.", "(Commenti) Grazie."),
        (NAME + ". ROSSI Mario sono io.", "ROSSI Mario sono io."),
        (NAME + ". CEDU. È una sigla.", "CEDU. È una sigla."),
        (NAME + ". Ne parla <nominativo id='2'>ANNA NERI</nominativo>, ieri.", "Ne parla ANNA NERI, ieri."),
        (NAME + f". <emphasis>{'parola ' * 60}</emphasis>fine.", f"{'parola ' * 60}fine."),
    ],
)  # fmt: skip
def test_what_was_said_begins_after_the_header_and_keeps_every_word_F25(spoken: Spoken, markup: str, text: str) -> None:
    assert spoken(markup).text == text


def test_a_long_emphasis_after_the_name_is_speech_and_no_role(spoken: Spoken) -> None:
    assert spoken(f"{NAME} <emphasis>{'parola ' * 60}</emphasis>").text == ("parola " * 60).strip()


def test_words_do_not_touch_across_lines_and_breaks_F23(spoken: Spoken) -> None:
    speech = spoken(f"{NAME}. Prima<br/>seconda  riga\n   e\u00a0terza<p>quarta</p>quinta")
    assert speech.text == "Prima\nseconda riga e terza\nquarta\nquinta"


def test_virtual_turns_are_paragraphs_of_the_same_speech(sitting: Read) -> None:
    body = (
        f'<intervento id="t.i1"><testoXHTML>{NAME} (BC). Primo.</testoXHTML>\n  <pagina numero="12"/>\n'
        '<interventoVirtuale id="iv.1">Secondo, a <pagina numero="13"/>cavallo.</interventoVirtuale>'
        '<interventoVirtuale id="iv.2"> </interventoVirtuale>'
        '<interventoVirtuale id="iv.3">Terzo.</interventoVirtuale></intervento>'
    )
    (speech,) = sitting(body).all_speeches()
    assert speech.text == "Primo.\nSecondo, a cavallo.\nTerzo."


def test_a_header_alone_in_its_paragraph_takes_no_words_of_the_next(sitting: Read) -> None:
    body = (
        f'<intervento id="t.i1"><testoXHTML>{NAME}</testoXHTML>'
        "<interventoVirtuale><emphasis>Mea culpa</emphasis>, Presidente.</interventoVirtuale></intervento>"
    )
    (speech,) = sitting(body).all_speeches()
    assert (speech.text, speech.role_printed) == ("Mea culpa, Presidente.", None)


def test_virtual_turns_inside_the_text_are_read_once(sitting: Read) -> None:
    body = turn("t.i1", f"{NAME} (BC). Primo.<interventoVirtuale>Secondo.</interventoVirtuale> Terzo.")
    (speech,) = sitting(body).all_speeches()
    assert speech.text == "Primo.\nSecondo.\nTerzo."


def test_comments_and_processing_instructions_are_not_spoken(spoken: Spoken) -> None:
    assert spoken(f"{NAME}. Siamo <!-- molto -->con<?pagina 3?>trari.").text == "Siamo contrari."


def test_a_report_without_mark_up_around_the_words_is_read(sitting: Read) -> None:
    (speech,) = sitting(f'<intervento id="t.i1">{NAME} (BC). Siamo qui.</intervento>').all_speeches()
    assert (speech.text, speech.group_printed) == ("Siamo qui.", "BC")


def test_the_chair_is_kept_and_told_from_the_prime_minister_F28(sitting: Read) -> None:
    body = (
        turn("t.i1", "<nominativo>PRESIDENTE</nominativo>. La seduta è aperta.")
        + turn("t.i2", "<nominativo>PRESIDENTE DEL CONSIGLIO</nominativo>. Colleghi.")
        + turn("t.i3", f"{NAME}. Presidente!")
    )
    assert [speech.by_chair for speech in sitting(body).all_speeches()] == [True, False, False]


def test_short_speeches_are_kept_F27(spoken: Spoken) -> None:
    assert spoken(f"{NAME} (BC). No!").text == "No!"


def test_a_speaker_without_a_usable_number_has_none(spoken: Spoken) -> None:
    for given_id in ("", " ", "30 27", "a/b"):
        markup = f'<nominativo id="{given_id}" cognomeNome="NERI Ada">ADA NERI</nominativo>. Parlo.'
        assert spoken(markup).speaker_number is None


def test_speeches_outside_phases_and_debates_are_visited_F29_F30(sitting: Read) -> None:
    body = (
        turn("t0.i1", by(1, "Fuori da tutto."))
        + f'<fase id="f0">{turn("f0.i1", by(2, "In una fase senza dibattito."))}</fase>'
        + f'<dibattito id="t1"><titolo> Il  ponte </titolo>{turn("t1.i1", by(1, "Nel dibattito."))}'
        + f'<fase id="t1.s1"><titolo>Linee generali</titolo>{turn("t1.s1.i1", by(2, "Nella fase."))}</fase>'
        + f'<parte><fase id="t1.s2">{turn("t1.s2.i1", by(2, "Nella fase racchiusa."))}</fase></parte>'
        + turn("t1.i2", by(1, "Ancora nel dibattito."))
        + "</dibattito>"
        + turn("t2.i1", by(1, "In fondo."))
    )
    found = sitting(body)
    (debate,) = found.debates
    assert debate.title == "Il ponte"
    assert [speech.text for speech in found.speeches] == [
        "Fuori da tutto.",
        "In una fase senza dibattito.",
        "In fondo.",
    ]
    assert [speech.text for speech in debate.speeches] == ["Nel dibattito.", "Ancora nel dibattito."]
    assert [phase.title for phase in debate.phases] == ["Linee generali", None]
    assert [[speech.text for speech in phase.speeches] for phase in debate.phases] == [
        ["Nella fase."],
        ["Nella fase racchiusa."],
    ]
    assert [speech.order for speech in found.all_speeches()] == [1, 2, 3, 4, 5, 6, 7]


def test_a_debate_within_a_debate_keeps_its_own_speeches(sitting: Read) -> None:
    inner = f'<dibattito id="t2">{turn("t2.i1", by(1, "Dentro."))}</dibattito>'
    outer, within = sitting(f'<dibattito id="t1">{turn("t1.i1", by(2, "Fuori."))}{inner}</dibattito>').debates
    assert [speech.text for speech in outer.speeches] == ["Fuori."]
    assert [speech.text for speech in within.speeches] == ["Dentro."]


SHAPES = st.recursive(
    st.just("turn"),
    lambda inner: st.tuples(st.sampled_from(["dibattito", "fase", "parte"]), st.lists(inner, max_size=4)),
    max_leaves=25,
)


@given(st.lists(SHAPES, max_size=6), st.data())
def test_every_turn_is_read_once_in_document_order_whatever_the_nesting_F30(
    tmp_path_factory: pytest.TempPathFactory, shape: list[object], data: st.DataObject
) -> None:
    count = 0

    def build(node: object) -> str:
        nonlocal count
        count += 1
        anchor = f"n{count}"
        if node == "turn":
            words = data.draw(st.text(alphabet="abc è.…()<&'", max_size=12))
            return turn(anchor, f'<nominativo id="{count % 3}">X</nominativo>. {escape(words)}')
        assert isinstance(node, tuple)
        return f'<{node[0]} id="{anchor}">{"".join(build(child) for child in node[1])}</{node[0]}>'

    path = tmp_path_factory.mktemp("report") / "report.xml"
    path.write_text(
        '<seduta legislatura="7" numero="1" anno="2024" mese="1" giorno="2"><resoconto>'
        f"{''.join(build(node) for node in shape)}</resoconto></seduta>"
    )
    speeches = list(stenographic.read(path).all_speeches())
    printed = [element.get("id") for element in etree.parse(path).iter("intervento")]
    assert [speech.anchor for speech in speeches] == printed
    assert [speech.order for speech in speeches] == list(range(1, len(printed) + 1))


def test_a_resumed_speech_is_linked_to_the_interrupted_one_across_phases_F31(sitting: Read) -> None:
    body = (
        '<dibattito id="t1">'
        + f'<fase id="t1.s1">{turn("a", by(1, "Noi vogliamo…"))}{turn("b", by(2, "No!"))}'
        + f"{turn('c', by(1, '…la pace.'))}</fase>"
        + f'<fase id="t1.s2">{turn("d", by(1, "… e il lavoro."))}{turn("e", by(3, "…niente."))}</fase>'
        + turn("f", by(2, "... e poi?"))
        + "</dibattito>"
        + f'<dibattito id="t2">{turn("g", by(1, "…altro tema."))}</dibattito>'
    )
    links = {speech.anchor: speech.continues for speech in sitting(body).all_speeches()}
    assert links == {"a": None, "b": None, "c": "a", "d": "c", "e": None, "f": "b", "g": None}


def test_acts_of_a_debate_are_those_of_all_its_topics_once_F45(sitting: Read) -> None:
    metadata = (
        '<argomenti><argomento idDibattito="t1"><atti><atto tipologiaAtto="pdl" codiceArgomento="5-A"/>'
        '<atto tipologiaAtto="mozione" codiceArgomento="1-00007"/><atto tipologiaAtto="pdl" codiceArgomento=" "/>'
        '</atti></argomento><argomento idDibattito="t1"><atti><atto tipologiaAtto="pdl" codiceArgomento="6"/>'
        '<atto tipologiaAtto="pdl" codiceArgomento="5-A"/></atti></argomento></argomenti>'
    )
    (debate,) = sitting('<dibattito id="t1"/>', metadata=metadata).debates
    assert debate.act_codes == ("5-A", "6")


def test_the_sitting_has_its_number_and_its_day(sitting: Read) -> None:
    found = sitting(turn("a", by(1, "Sì.")))
    assert (found.legislature, found.number, found.date) == (7, 12, date(2024, 5, 9))


def test_a_gzipped_report_is_read_like_a_plain_one(sitting: Read) -> None:
    plain, packed = sitting(turn("a", by(1, "Sì."))), sitting(turn("a", by(1, "Sì.")), name="report.xml.gz")
    assert list(plain.all_speeches()) == list(packed.all_speeches())


def test_the_stenographic_report_is_taken_and_not_the_summary(tmp_path: Path) -> None:
    path = tmp_path / "both.xml"
    head = '<seduta legislatura="7" numero="1" anno="2024" mese="1" giorno="2">'
    summary = f'<resoconto tipo="sommario">{turn("a", by(1, "In breve."))}</resoconto>'
    full = f'<resoconto tipo="stenografico">{turn("a", by(1, "Per intero."))}</resoconto>'
    path.write_text(f"{head}{summary}{full}</seduta>")
    assert [speech.text for speech in stenographic.read(path).all_speeches()] == ["Per intero."]
    path.write_text(f"{head}{summary}</seduta>")
    with pytest.raises(SourceError, match="not a stenographic report"):
        stenographic.read(path)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (turn("a", "") + turn("a", ""), r'line 5: the id "a" is used twice'),
        (f'<dibattito id="a">{turn("a", "")}</dibattito>', "used twice"),
        ("<intervento><testoXHTML/></intervento>", "line 4: <intervento> has no usable id"),
        ('<intervento id="a b"/>', "no usable id"),
        ('<intervento id="a/../b"/>', "no usable id"),
        ('<dibattito id=" "/>', "<dibattito> has no usable id"),
        ('<dibattito id="t"><fase/></dibattito>', "<fase> has no usable id"),
    ],
)
def test_missing_and_repeated_ids_are_told_with_file_and_line(report: Write, body: str, problem: str) -> None:
    path = report(body.replace("</intervento><intervento", "</intervento>\n<intervento"))
    with pytest.raises(SourceError, match=problem) as raised:
        stenographic.read(path)
    assert str(path) in str(raised.value)
    assert raised.value.line


@pytest.mark.parametrize(
    "head",
    [
        '<seduta legislatura="7" numero="1" anno="2024" mese="2" giorno="30">',
        '<seduta legislatura="7" numero="1" anno="2024" mese="13" giorno="1">',
        '<seduta legislatura="7" numero="1" anno="0" mese="1" giorno="1">',
        '<seduta legislatura="7" numero="1" anno="99999" mese="1" giorno="1">',
        '<seduta legislatura="7" numero="1" anno="99999999999999999999" mese="1" giorno="1">',
        '<seduta legislatura="7" numero="1" anno="2024" mese="maggio" giorno="1">',
        '<seduta legislatura="7" numero="1" anno="2024" mese="1">',
        '<seduta legislatura="VII" numero="1" anno="2024" mese="1" giorno="1">',
        '<seduta legislatura="7" numero="-1" anno="2024" mese="1" giorno="1">',
        '<seduta legislatura="7" anno="2024" mese="1" giorno="1">',
    ],
)
def test_a_wrong_day_or_number_is_an_error_and_never_today_F37(report: Write, head: str) -> None:
    with pytest.raises(SourceError, match=r"should hold a number|is not a day"):
        stenographic.read(report("", head=head))


@pytest.mark.parametrize("content", ["<html><body>Documento non disponibile</body></html>", "<seduta/>"])
def test_what_is_no_report_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "page.xml"
    path.write_text(content)
    with pytest.raises(SourceError, match=r"not a stenographic report: <(html|seduta)>"):
        stenographic.read(path)


def test_a_report_full_of_white_space_and_brackets_is_read_at_once(spoken: Spoken) -> None:
    assert spoken(f"{NAME}{' ' * 50_000}Grazie.{'(Applausi (' * 3_000}").text.startswith("Grazie.(Applausi")
