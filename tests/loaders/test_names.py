"""Names in capitals, labels of organisations and escaped titles as a text would write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.names import clean_title, display_name, organisation_name
from loaders.record import printed_name


@pytest.mark.parametrize(
    ("first_name", "surname", "expected"),
    [
        ("MARIO", "DELL'OLIO", "Mario Dell'Olio"),
        ("ANNA", "DE LUCA", "Anna De Luca"),
        ("UGO", "D'ALESSIO", "Ugo D'Alessio"),
        ("UGO", "D’ALESSIO", "Ugo D’Alessio"),
        ("SIMONA", "BONAFE'", "Simona Bonafè"),
        ("ELISA", "SCUTARI'", "Elisa Scutarì"),
        ("NICOLO'", "MULE’", "Nicolò Mulè"),
        ("MARIA ELISABETTA", "ALBERTI CASELLATI", "Maria Elisabetta Alberti Casellati"),
        ("JEAN-LUC", "ROSSI-BIANCHI", "Jean-Luc Rossi-Bianchi"),
        ("Maria", "De Girolamo", "Maria De Girolamo"),
        ("VALÉRIE", "D'ARÈ", "Valérie D'Arè"),
        (" ADA ", "  NERI", "Ada Neri"),
    ],
)
def test_names_in_capitals_are_written_as_people_write_them_F7(first_name: str, surname: str, expected: str) -> None:
    assert display_name(first_name, surname) == expected


@given(st.text(alphabet="ABCDEÈ' -’", max_size=20), st.text(alphabet="MNOPÒ' -’", min_size=1, max_size=20))
def test_a_name_keeps_its_letters_and_its_order(first_name: str, surname: str) -> None:
    def letters(text: str) -> str:
        bare = text.lower().translate(str.maketrans("àèìòù", "aeiou"))
        return "".join(char for char in bare if char.isalnum())

    assert letters(display_name(first_name, surname)) == letters(first_name + surname)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("ROSSI BIANCHI Mario", "Mario Rossi Bianchi"),
        ("DE' ROSSI Anna Maria", "Anna Maria Dè Rossi"),
        ("CALDERONE Tommaso A.", "Tommaso A. Calderone"),
        ("D'ALESSIO Ugo", "Ugo D'Alessio"),
        ("Rossi Mario", "Rossi Mario"),
        ("", None),
        (None, None),
    ],
)
def test_the_surname_of_a_report_is_what_stands_first_in_capitals_F6(printed: str | None, expected: str | None) -> None:
    assert printed_name(printed) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("FRATELLI D'ITALIA", "Fratelli d'Italia"),
        ("MOVIMENTO 5 STELLE", "Movimento 5 Stelle"),
        ("NOI MODERATI (NOI CON L'ITALIA, UDC) - MAIE", "Noi Moderati (Noi con l'Italia, UDC) - MAIE"),
        ("PARTITO DEL LAVORO E DELLA SOLIDARIETA'", "Partito del Lavoro e della Solidarietà"),
        ("VI COMMISSIONE (FINANZE)", "VI Commissione (Finanze)"),
        ("IX COMMISSIONE (TRASPORTI)", "IX Commissione (Trasporti)"),
        ("XII COMMISSIONE (AFFARI SOCIALI)", "XII Commissione (Affari Sociali)"),
        ("SVANTAGGI DERIVANTI DALL'INSULARITA'", "Svantaggi Derivanti dall'Insularità"),
        ("FEMMINICIDIO, NONCHE' SU OGNI VIOLENZA", "Femminicidio, nonché su Ogni Violenza"),
        ("LAVORO, SULLO SFRUTTAMENTO NEI LUOGHI PUBBLICI", "Lavoro, sullo Sfruttamento nei Luoghi Pubblici"),
        ("Lega dei Territori", "Lega dei Territori"),
    ],
)
def test_labels_in_capitals_are_written_as_a_text_writes_them(label: str, expected: str) -> None:
    assert organisation_name(label) == expected


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        (
            " FERRI e DELL&amp;#39;ORTO: &quot;Disposizioni sulla pesca &lt;em&gt;costiera&lt;/em&gt;&quot; (100) ",
            "Disposizioni sulla pesca costiera",
        ),
        (
            "S. 12&lt;em&gt;.&lt;/em&gt; &ndash; Senatori NERI ed altri: &laquo;Istituzione dell&rsquo;area &ldquo;"
            "Isola Verde&rdquo;&raquo; &lt;em&gt;(approvata dal Senato)&lt;/em&gt; (27)",
            "Istituzione dell’area “Isola Verde”",
        ),
        ('"Conversione in legge" <em>(approvato dal Senato) </em>(664)', "Conversione in legge"),
        ('S. 299. - "Proroga" <em>(approvato, in un testo unificato)</em> (1)', "Proroga"),
        ('Modifiche alla legge "Verdi" in materia di porti', 'Modifiche alla legge "Verdi" in materia di porti'),
        ("Riordino dell'istituto nazionale (INPN)", "Riordino dell'istituto nazionale (INPN)"),
        ("Bilancio dello Stato (1502-A/R)", "Bilancio dello Stato"),
        ("Soglie con a &lt; 5 e b &gt; 3 (7)", "Soglie con a < 5 e b > 3"),
        ("&quot;Rendiconto", '"Rendiconto'),
        ("  ", ""),
    ],
)
def test_titles_lose_markup_proposer_and_number_and_no_word_of_theirs(published: str, expected: str) -> None:
    assert clean_title(published) == expected


@given(st.text(max_size=80))
def test_cleaning_a_title_leaves_no_white_space_at_its_edges(title: str) -> None:
    assert clean_title(title) == clean_title(title).strip()
