"""The SPARQL console in a real browser."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from tests.browser.conftest import NARROW, Visit

PEOPLE = "SELECT ?person ?name WHERE { ?person a foaf:Person ; foaf:name ?name } ORDER BY ?name"
SPEECHES = """SELECT ?speech ?date ?text WHERE {
  ?speech a emi:Speech ; emi:date ?date ; schema:text ?text
} ORDER BY ?date ?speech"""
LENGTHS = """SELECT ?speech (STRLEN(?text) AS ?length) WHERE {
  ?speech a emi:Speech ; schema:text ?text
} ORDER BY ?speech"""
ENDLESS = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
LINK = "main a:is([href*='/resource?iri='], [href^='/id/'])"
EXAMPLE = "How many acts were tabled each month"


def write(page: Page, query: str) -> None:
    """Replace the query by keyboard."""
    page.locator(".CodeMirror").click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(query)


def run(page: Page, query: str) -> None:
    write(page, query)
    page.keyboard.press("ControlOrMeta+Enter")


def written(page: Page) -> str:
    return str(page.locator(".CodeMirror").evaluate("editor => editor.CodeMirror.getValue()"))


def rows(page: Page) -> Locator:
    return page.locator("#panel-table tbody tr")


def status(page: Page) -> Locator:
    return page.locator("[data-status]")


def error(page: Page) -> Locator:
    return page.locator("[data-error]")


# Running a query


def test_an_example_is_run_then_changed_then_drawn(visit: Visit) -> None:
    page = visit.open("/sparql")
    page.get_by_label("Search the examples").fill("TABLED month")
    page.get_by_role("button", name=EXAMPLE).click()
    expect(status(page)).to_contain_text(re.compile(r"\d+ rows in "))
    before = rows(page).count()
    assert before > 3

    write(page, written(page) + "\nLIMIT 3")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(rows(page)).to_have_count(3)

    page.get_by_role("tab", name="Chart").click()
    chart = page.get_by_role("img", name="Line over time: acts by month")
    expect(chart).to_be_visible()
    expect(chart.locator("[data-mark=line] path").first).to_be_visible()
    page.locator("#chart-kind").select_option("bar")
    expect(page.get_by_role("img", name="Bars: acts by month").locator("[data-mark=bar] rect")).to_have_count(3)
    page.get_by_text("The chart’s data as a table").click()
    expect(page.locator(".chart-data tbody tr")).to_have_count(3)


def test_the_examples_that_lack_the_words_are_left_out(visit: Visit) -> None:
    page = visit.open("/sparql")
    examples = page.locator("[data-examples] li:visible")
    expect(examples.nth(5)).to_be_visible()
    page.get_by_label("Search the examples").fill("no such words anywhere")
    expect(examples).to_have_count(0)
    expect(page.get_by_text("No example has these words.")).to_be_visible()


def test_a_link_opens_the_console_with_its_query_and_its_answer(visit: Visit) -> None:
    page = visit.open(f"/sparql?query={quote(PEOPLE + ' LIMIT 2')}")
    expect(rows(page)).to_have_count(2)
    assert written(page) == PEOPLE + " LIMIT 2"


def test_a_link_of_other_consoles_has_its_query_behind_the_hash(visit: Visit) -> None:
    page = visit.open(f"/sparql#query={quote(PEOPLE + ' LIMIT 4')}")
    expect(rows(page)).to_have_count(4)
    page.evaluate("query => { location.hash = new URLSearchParams({ query }) }", PEOPLE + " LIMIT 1")
    expect(rows(page)).to_have_count(1)


@pytest.mark.parametrize(("length", "begins"), [(10, "?query=SELECT"), (9000, "#query=SELECT")])
def test_a_query_is_shared_by_a_link_however_long_it_is(visiting: Callable[..., Any], length: int, begins: str) -> None:
    query = f"SELECT * WHERE {{ ?s a emi:Act }} LIMIT 2 # {'è & + ' * (length // 6)}"
    with visiting(permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.open("/sparql")
        write(page, query)
        page.get_by_role("button", name="Copy link").click()
        expect(status(page)).to_have_text("Link copied.")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.startswith(f"{visit.origin}/sparql{begins}")
        page.goto("about:blank")
        page.goto(link)
        expect(rows(page)).to_have_count(2)
        assert written(page) == query


def test_a_hostile_link_is_a_query_that_fails_and_no_script(visit: Visit) -> None:
    visit.expected_refusals = 1
    hostile = "</textarea><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    page = visit.open(f"/sparql?query={quote(hostile)}")
    expect(error(page)).to_contain_text("The query cannot be run.")
    assert written(page) == hostile
    expect(page).to_have_title("SPARQL console · Emiciclo")


def test_a_query_can_be_stopped(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, ENDLESS)
    page.get_by_role("button", name="Stop").click()
    expect(status(page)).to_have_text("Stopped.")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()


# Refusals


def test_an_error_is_placed_at_its_line_and_the_keyboard_goes_there(visit: Visit) -> None:
    visit.expected_refusals = 1
    page = visit.open("/sparql")
    run(page, 'SELECT ?s WHERE {\n  ?s a emi:Act .\n  ?s emi:title "𝔸 è" . ?s odc:aderisce ?g\n}')
    expect(page.get_by_role("alert")).to_contain_text("The query cannot be run. Line 3, column 27")
    expect(error(page)).to_contain_text("Suggestion: ocd:aderisce")
    line = page.locator(".refused-line")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("odc:aderisce")
    expect(page.locator(".refused-word")).to_have_text("odc:aderisce")
    expect(line.locator(".refused-sign")).to_be_visible()

    page.get_by_role("button", name="Line 3, column 27").press("Enter")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.insert_text("ocd")
    expect(line).to_have_count(0)
    page.keyboard.press("ControlOrMeta+Enter")
    expect(status(page)).to_contain_text("rows in")
    expect(error(page)).to_be_empty()


def test_an_error_at_the_end_of_the_query_is_placed_too(visit: Visit) -> None:
    visit.expected_refusals = 1
    page = visit.open("/sparql")
    run(page, "SELECT * WHERE {\n  ?s ?p ?o\n")
    expect(error(page)).to_contain_text(re.compile(r"Line \d, column \d+"))
    expect(page.locator(".refused-line")).to_have_count(1)
    expect(page.locator("#results")).to_be_hidden()


def test_a_refusal_by_a_limit_says_the_limits(visit: Visit) -> None:
    visit.expected_refusals = 1
    page = visit.open("/sparql")
    run(page, ENDLESS)
    expect(error(page)).to_contain_text("Limits of this endpoint: ")
    expect(error(page)).to_contain_text("seconds 1 ·")


# Completion


def only_option(page: Page) -> Locator:
    """The one term that is offered once the list has narrowed: while letters are typed it holds more, and a locator
    that finds several fails at once in place of waiting."""
    options = page.get_by_role("option")
    expect(options).to_have_count(1)
    return options


def test_terms_come_from_the_ontology_and_the_data_and_bring_their_prefix(visit: Visit) -> None:
    page = visit.open("/sparql")
    write(page, "")
    page.keyboard.type("SELECT * WHERE { ?s a emi:Spe")
    hints = page.get_by_role("listbox")
    expect(only_option(page)).to_have_text(re.compile(r"emi:Speech.*Speech · used \d+ times"))
    page.keyboard.press("Enter")
    page.keyboard.type(" ; emi:capac")
    expect(hints.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.type(" capacity:cha")
    expect(only_option(page)).to_contain_text("capacity:chair")
    page.keyboard.press("Enter")
    page.keyboard.type(" ; ocd:")
    expect(hints.get_by_role("option").first).to_contain_text("ocd:")
    page.keyboard.press("Escape")
    text = written(page)
    assert "?s a emi:Speech ; emi:capacity capacity:chair ; ocd:" in text
    for prefix in ("emi", "capacity", "ocd"):
        assert text.count(f"PREFIX {prefix}: <") == 1


def test_a_prefix_is_completed_where_it_is_declared(visit: Visit) -> None:
    page = visit.open("/sparql")
    write(page, "")
    page.keyboard.type("PREFIX skosx")
    expect(only_option(page)).to_have_text("skosxl: <http://www.w3.org/2008/05/skos-xl#>")
    page.keyboard.press("Enter")
    assert written(page) == "PREFIX skosxl: <http://www.w3.org/2008/05/skos-xl#>"


def test_a_prefix_of_the_query_s_own_is_used_for_completion(visit: Visit) -> None:
    page = visit.open("/sparql")
    write(page, "PREFIX e: <https://w3id.org/emiciclo/ns#>\nSELECT * WHERE { ?s a ")
    page.keyboard.type("e:Spe")
    expect(only_option(page)).to_contain_text("e:Speech")
    page.keyboard.press("Enter")
    assert written(page).endswith("?s a e:Speech")


def test_moving_through_a_query_opens_no_list(visit: Visit) -> None:
    page = visit.open("/sparql")
    write(page, "SELECT ?speech ?s WHERE {\n ?speech emi:date ?s .\n ?s a emi:Speech\n}")
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.keyboard.press("Control+Space")


def test_a_predeclared_prefix_is_no_error_in_the_editor(visit: Visit) -> None:
    page = visit.open("/sparql")
    write(page, "SELECT * WHERE { ?s a emi:Act ; ocd:iniziativa ?i }")
    expect(page.locator(".parseErrorIcon")).to_have_count(0)
    write(page, "SELECT * WHERE { ?s a ods:Act }")
    page.keyboard.insert_text(" nothing")
    expect(page.locator(".parseErrorIcon")).to_have_count(1)


# Results


def test_a_long_table_is_turned_and_sorted(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(
        page,
        "SELECT ?speech (STRLEN(?text) AS ?length) WHERE { ?speech a emi:Speech ; schema:text ?text } ORDER BY ?speech",
    )
    expect(rows(page)).to_have_count(50)
    pager = page.get_by_role("navigation", name="Pages of the table")
    expect(pager).to_contain_text("Rows 1 to 50 of 248")
    pager.get_by_role("button", name="Next").click()
    expect(pager).to_contain_text("Rows 51 to 100 of 248")
    page.get_by_role("columnheader", name="length").get_by_role("button").press("Enter")
    lengths = [int(text) for text in rows(page).locator("td:nth-child(2)").all_inner_texts()]
    assert lengths == sorted(lengths)
    page.get_by_role("columnheader", name="length").get_by_role("button").press("Enter")
    expect(page.get_by_role("columnheader", name="length")).to_have_attribute("aria-sort", "descending")
    expect(pager).to_contain_text("Rows 1 to 50")
    longest = int(rows(page).locator("td:nth-child(2)").first.inner_text())
    assert longest > max(lengths)


def test_a_long_text_is_cut_until_it_is_opened(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, SPEECHES)
    cell = rows(page).locator("td:nth-child(3):has(summary)").first
    summary = cell.locator("summary")
    expect(summary).to_contain_text(re.compile(r"…All [\d,]+ characters"))
    shown = cell.inner_text()
    summary.press("Enter")
    assert len(cell.inner_text()) > len(shown)


def test_text_of_the_data_is_never_markup(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, """SELECT ("<img src=x onerror=alert(1)>" AS ?html) (<javascript:alert(1)> AS ?iri) WHERE {}""")
    expect(rows(page)).to_contain_text("<img src=x onerror=alert(1)>")
    expect(rows(page).locator("a")).to_have_count(0)


def test_a_graph_is_a_table_of_triples_and_raw_turtle(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, "CONSTRUCT { ?act a emi:Act ; emi:date ?date } WHERE { ?act a emi:Act ; emi:date ?date }")
    expect(status(page)).to_contain_text("triples in")
    expect(page.get_by_role("columnheader")).to_have_text(["subject", "predicate", "object"])
    page.get_by_role("tab", name="Raw").click()
    expect(page.locator("#panel-raw pre")).to_contain_text("@prefix emi: <https://w3id.org/emiciclo/ns#>")
    page.get_by_label("Format").select_option("jsonld")
    expect(page.locator("#panel-raw pre")).to_contain_text('"@id"')


def test_an_ask_is_answered_with_a_word(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, "ASK { ?s a emi:Act }")
    expect(page.locator("#panel-table")).to_have_text("Yes")
    expect(page.locator(".downloads a")).to_have_text(["JSON", "XML"])


def test_the_answer_is_downloaded_in_each_format(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, PEOPLE)
    links = page.locator(".downloads a")
    expect(links).to_have_text(["JSON", "CSV", "TSV", "XML"])
    with page.expect_download() as downloading:
        links.nth(1).click()
    lines = downloading.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "person,name"
    assert len(lines) == 51


def test_the_answer_to_a_query_too_long_for_a_link_is_downloaded_all_the_same(visit: Visit) -> None:
    page = visit.open("/sparql")
    run(page, f"{PEOPLE} # {'x' * 7000}")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV").click()
    assert downloading.value.path().read_text(encoding="utf-8").startswith("person,name")


# For everyone


def test_by_keyboard_alone_from_a_query_to_a_person_and_on(visit: Visit) -> None:
    page = visit.open("/sparql")
    tab_to(page, lambda here: here.evaluate("element => Boolean(element.closest('.CodeMirror'))"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(PEOPLE)
    page.keyboard.press("ControlOrMeta+Enter")
    expect(status(page)).to_contain_text("50 rows")

    tab_to(page, lambda here: here.inner_text() == "Go to the results")
    page.keyboard.press("Enter")
    expect(page.locator("#results")).to_be_focused()
    tab_to(page, lambda here: "/resource?iri=" in (here.get_attribute("href") or ""))
    name = rows(page).first.locator("td").nth(1).inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/resource?iri=*")
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(name, re.IGNORECASE))

    person = page.url
    tab_to(
        page,
        lambda here: here.evaluate(
            'element => Boolean(element.closest(\'main a[href*="/resource?iri="], main a[href*="/id/"]\'))'
        ),
    )
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: address != person)
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    page.go_back()
    page.wait_for_url(person)
    page.go_back()
    expect(rows(page)).to_have_count(50)  # the console is as it was left


def test_tab_passes_through_the_editor_in_both_directions(visit: Visit) -> None:
    page = visit.open("/sparql")
    page.locator(".CodeMirror").click()
    before = written(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert not focused(page).evaluate("element => Boolean(element.closest('.CodeMirror'))")
    assert written(page) == before


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious(
    visiting: Callable[..., Any], violations: Callable[..., list[str]], scheme: str
) -> None:
    with visiting(color_scheme=scheme) as visit:
        visit.expected_refusals = 1
        page = visit.open("/sparql")
        expect(page.locator("[data-examples] li").first).to_be_visible()
        assert violations(page) == []
        run(page, SPEECHES + " LIMIT 5")
        expect(rows(page)).to_have_count(5)
        assert violations(page, "#results") == []
        run(page, "SELECT ?date (COUNT(*) AS ?n) WHERE { ?s a emi:Speech ; emi:date ?date } GROUP BY ?date")
        page.get_by_role("tab", name="Chart").click()
        expect(page.locator("#panel-chart svg")).to_be_visible()
        assert violations(page, "#results") == []
        page.get_by_role("tab", name="Raw").click()
        expect(page.locator("#panel-raw pre")).to_contain_text("bindings")
        write(page, "SELECT * WHERE { ?s a ")
        page.keyboard.type("emi:")
        expect(page.get_by_role("listbox")).to_be_visible()
        assert violations(page, "main") == []
        page.keyboard.press("Escape")
        page.keyboard.press("ControlOrMeta+Enter")
        expect(error(page)).to_contain_text("The query cannot be run.")
        assert violations(page, "#ask") == []


def test_on_a_telephone_nothing_is_wider_than_the_screen(visiting: Callable[..., Any]) -> None:
    with visiting(viewport=NARROW, has_touch=True, is_mobile=True) as visit:
        page = visit.open(f"/sparql?query={quote(SPEECHES)}")
        expect(rows(page)).to_have_count(50)
        for tab in ("Chart", "Raw", "Table"):
            page.get_by_role("tab", name=tab).click()
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        expect(page.get_by_label("Search the examples")).to_be_hidden()
        page.get_by_text("Examples", exact=True).last.click()
        expect(page.get_by_label("Search the examples")).to_be_visible()


def test_in_italian(visiting: Callable[..., Any]) -> None:
    with visiting(locale="it-IT") as visit:
        page = visit.open("/sparql")
        page.get_by_role("button", name="Quanti atti sono stati presentati ogni mese").click()
        expect(status(page)).to_contain_text(re.compile(r"\d+ righe in 0,\d+ s"))


def test_without_a_script_the_form_answers_with_a_table(visiting: Callable[..., Any]) -> None:
    with visiting(java_script_enabled=False) as visit:
        page = visit.open("/sparql")
        page.get_by_label("SPARQL query").fill(PEOPLE + " LIMIT 3")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(rows(page)).to_have_count(3)
        expect(page.get_by_label("SPARQL query")).to_have_value(PEOPLE + " LIMIT 3")
        expect(page.locator(".downloads a")).to_have_text(["CSV", "TSV", "JSON", "XML"])
        name = rows(page).first.locator("td").nth(1).inner_text()
        rows(page).first.get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(name, re.IGNORECASE))


def test_without_the_components_the_editor_is_a_text_area(visit: Visit) -> None:
    visit.expected_refusals = 1
    absent = {"editor": False, "charts": False}

    def without(route: Any) -> None:
        response = route.fetch()
        body = response.text()
        for part in absent:
            body = re.sub(rf'"{part}": ?true', f'"{part}": false', body)
        route.fulfill(response=response, body=body)

    visit.page.route("**/sparql", without)
    page = visit.open("/sparql")
    area = page.get_by_label("SPARQL query")
    area.fill(PEOPLE + " LIMIT 2")
    area.press("ControlOrMeta+Enter")
    expect(rows(page)).to_have_count(2)
    area.fill("SELECT *\nWHERE { ?s odc:p ?o }")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Line 2, column 12").click()
    expect(area).to_be_focused()
    assert area.evaluate("area => area.selectionStart") == 20


# The parts that have no page


XSD = "http://www.w3.org/2001/XMLSchema#"


# Columns by name, and the chart that they call for.
CHARTS: list[tuple[dict[str, list[Any]], tuple[str, str, str, str | None] | None]] = [
    ({"name": ["a", "b"], "n": [1, 2]}, ("bar", "name", "n", None)),
    ({"iri": ["<u:a>", "<u:b>"], "name": ["a", "b"], "n": [1, 2]}, ("bar", "name", "n", None)),
    ({"group": ["a", "a"], "side": ["x", "y"], "n": [1, 2]}, ("bar", "group", "n", "side")),
    ({"day": ["2025-01-01", "2025-02-01"], "n": [1, 2]}, ("line", "day", "n", None)),
    ({"month": ["2025-01", "2025-02"], "n": [1, 2]}, ("line", "month", "n", None)),
    (
        {"day": ["2025-01-01", "2025-01-01", "2025-02-01"], "group": ["a", "b", "a"], "n": [1, 2, 3]},
        ("line", "day", "n", "group"),
    ),
    ({"day": ["2025-01-01"] * 2, "n": [1, 2]}, ("scatter", "day", "n", None)),
    ({"day": ["2025-01-01"] * 12, "group": [*"abcdefghijkl"], "n": [1] * 12}, ("bar", "group", "n", None)),
    ({"day": ["2025-01-01"] * 2, "group": ["a", "b"], "n": [1, 2]}, ("bar", "group", "n", None)),
    ({"day": ["2025-01-01"], "n": [1]}, ("line", "day", "n", None)),
    ({"a": [1, 2], "b": [3, 4]}, ("scatter", "a", "b", None)),
    ({"name": ["a"]}, None),
    ({"n": [1]}, None),
    ({}, None),
]


def test_the_types_of_the_columns_choose_the_chart(console_page: Page) -> None:
    script = """async (answers) => {
        const { columnsOf, propose } = await import("/static/console/chart.js");
        return answers.map((answer) => propose(columnsOf(answer), answer.rows.length));
    }"""
    proposals = console_page.evaluate(script, [answer(columns) for columns, _ in CHARTS])
    got = [chart and (chart["kind"], chart["x"], chart["y"], chart["series"]) for chart in proposals]
    assert got == [chart for _, chart in CHARTS]


def answer(columns: dict[str, list[Any]]) -> dict[str, Any]:
    def term(value: Any) -> dict[str, str]:
        if isinstance(value, int):
            return {"type": "literal", "value": str(value), "datatype": f"{XSD}integer"}
        if value.startswith("<"):
            return {"type": "uri", "value": value.strip("<>")}
        return {"type": "literal", "value": value}

    rows = [dict(zip(columns, map(term, values), strict=True)) for values in zip(*columns.values(), strict=True)]
    return {"vars": list(columns), "rows": rows}


def test_n_triples_are_read_as_they_were_written(console_page: Page) -> None:
    subjects = [NamedNode("http://a.example/è?x=1&y=%20#z"), BlankNode("b1")]
    objects = [
        Literal('"quoted" \\ back\nnew\r\ttab'), Literal("𝔸 \u2028 \x07 è", language="it"),
        Literal("3", datatype=NamedNode(f"{XSD}integer")),
        Triple(BlankNode("b1"), NamedNode("urn:q"), Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal(")>>"))),
        Literal("<a> <b> <c> ."), Literal("# no comment"), Literal(""), NamedNode("urn:x"), BlankNode("b-2.x"),
    ]  # fmt: skip
    triples = [Triple(subject, NamedNode("urn:p"), value) for subject in subjects for value in objects]
    body = serialize(triples, format=RdfFormat.N_TRIPLES).decode()
    script = 'async (body) => (await import("/static/console/client.js")).triples(body)'
    got = [(read(row["subject"]), read(row["object"])) for row in console_page.evaluate(script, body)]
    assert got == [(triple.subject, triple.object) for triple in triples]


def read(term: dict[str, Any]) -> NamedNode | BlankNode | Literal | Triple:
    value = term["value"]
    if term["type"] == "triple":
        return Triple(*(read(value[part]) for part in ("subject", "predicate", "object")))
    if term["type"] == "uri":
        return NamedNode(value)
    if term["type"] == "bnode":
        return BlankNode(value)
    if "xml:lang" in term:
        return Literal(value, language=term["xml:lang"])
    return Literal(value, datatype=NamedNode(term.get("datatype", f"{XSD}string")))


@pytest.fixture
def console_page(visit: Visit) -> Page:
    return visit.open("/sparql")


def focused(page: Page) -> Locator:
    return page.locator("*:focus")


def tab_to(page: Page, wanted: Callable[[Locator], bool], most: int = 60) -> None:
    """Press Tab until the element in focus is the one wanted."""
    for _ in range(most):
        page.keyboard.press("Tab")
        here = focused(page)
        if here.count() and wanted(here):
            return
    raise AssertionError(f"{most} times Tab, and not there; now at {json.dumps(focused(page).all_inner_texts())}")
