"""Pages of resources: what people see of persons, groups, acts, sittings and speeches, and nothing that runs."""

import re
from collections.abc import Iterator
from datetime import date
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from lxml import html
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple

from loaders.names import organisation_name
from ontology import DCTERMS, EMI, FOAF, ORG, RDF, RDFS, SCHEMA
from service.graph import EmbeddedGraph, Row
from service.resources.wording import elided
from service.web.app import create_app
from tests.conftest import BASE, Esperia

PERSON = "http://dati.esperia.example/ocd/persona.rdf/p900701"
GROUP = "http://dati.esperia.example/ocd/gruppoParlamentare.rdf/gr107"
MOST_QUERIES = 15


def path_of(iri: str, **arguments: str) -> str:
    return "/resource?iri=" + quote(iri, safe="") + "".join(f"&{name}={value}" for name, value in arguments.items())


class Counting:
    """A graph that counts what it is asked."""

    def __init__(self, graph: EmbeddedGraph) -> None:
        self.graph = graph
        self.asked = 0

    def select(self, query: str) -> list[Row]:
        self.asked += 1
        return self.graph.select(query)

    def ask(self, query: str) -> bool:
        self.asked += 1
        return self.graph.ask(query)

    def construct(self, query: str) -> Iterator[Triple]:
        self.asked += 1
        return self.graph.construct(query)


@pytest.fixture(scope="module")
def graph(esperia: Esperia) -> Counting:
    assert isinstance(esperia.corpus.graph, EmbeddedGraph)
    return Counting(esperia.corpus.graph)


@pytest.fixture(scope="module")
def client(esperia: Esperia, graph: Counting) -> FlaskClient:
    return create_app(esperia.data, esperia.settings, graph).test_client(use_cookies=False)


def page(client: FlaskClient, iri: str, **arguments: str) -> html.HtmlElement:
    response = client.get(path_of(iri, **{"lang": "en", **arguments}), headers={"Accept": "text/html"})
    assert response.status_code == 200, response.text
    return html.fromstring(response.text)


def text_of(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def one(esperia: Esperia, pattern: str) -> Row:
    rows = esperia.corpus.graph.select(
        f"PREFIX emi: <{EMI}> PREFIX org: <{ORG}> PREFIX foaf: <{FOAF}> PREFIX schema: <{SCHEMA}> "
        f"PREFIX dcterms: <{DCTERMS}> PREFIX ocd: <http://dati.camera.it/ocd/> SELECT * {{ {pattern} }} LIMIT 1"
    )
    return rows[0]


def links(found: html.HtmlElement) -> set[str]:
    return set(found.xpath("//main//a/@href"))


# Views


def test_a_person_has_dated_memberships_speeches_and_acts(client: FlaskClient, esperia: Esperia) -> None:
    found = page(client, PERSON)
    assert found.xpath("string(//h1)") == "Vittoria Aldobrandi"
    assert path_of(GROUP) in links(found)
    assert "since 8 October 2024" in text_of(found.xpath("//ol[@class='timeline']")[0])
    speeches = esperia.corpus.graph.select(f"SELECT ?s {{ ?s <{EMI}speaker> <{PERSON}> }}")
    assert {path_of(row["s"].value) for row in speeches} <= links(found)
    assert text_of(found.xpath("//h2[@id='speeches']")[0]) == f"Speeches {len(speeches)}"
    days = [date.fromisoformat(day) for day in found.xpath("//section[@class='debate']//time/@datetime")]
    assert days == sorted(days, reverse=True)
    assert len(days) > 1


def test_a_membership_that_ended_tells_both_days_and_the_name_of_that_time(
    client: FlaskClient, esperia: Esperia
) -> None:
    row = one(
        esperia,
        "?m org:member ?p ; org:organization ?g ; emi:from ?from ; emi:until ?until . "
        "?g a emi:Group . ?p a foaf:Person",
    )
    rows = page(client, row["p"].value).xpath("//table[@class='data']/tbody/tr")
    group = esperia.chamber.organisations[row["g"].value]
    name = organisation_name(group.name_on(date.fromisoformat(row["from"].value)))
    spans = [li for li in rows if li.xpath(".//time/@datetime") == [row["from"].value, row["until"].value]]
    assert any(name in text_of(li) for li in spans)


def test_a_group_shows_its_members_of_the_day_that_is_asked_for(client: FlaskClient, esperia: Esperia) -> None:
    row = one(
        esperia,
        "?m org:member ?p ; org:organization ?g ; emi:until ?until ; emi:from ?from . ?g a emi:Group . ?p a foaf:Person"
        " FILTER NOT EXISTS { ?o org:member ?p ; org:organization ?g ; emi:from ?later FILTER(?later > ?until) }",
    )
    person, group, last = row["p"].value, row["g"].value, row["until"].value
    assert path_of(person) in links(page(client, group, day=last))
    assert path_of(person) not in links(page(client, group, day=str(esperia.corpus.manifest.last_day)))
    found = page(client, group)
    assert found.xpath("//input[@name='day']/@value") == [str(esperia.corpus.manifest.last_day)]


def test_a_group_shows_its_sides_and_dated_names(client: FlaskClient, esperia: Esperia) -> None:
    renamed = next(o for o in esperia.chamber.organisations.values() if len({n.name for n in o.names}) > 1)
    found = page(client, renamed.iri)
    for name in renamed.names:
        assert organisation_name(name.name) in text_of(found)
    first = min(renamed.names, key=lambda name: name.begin)
    assert text_of(page(client, renamed.iri, day=first.begin.isoformat()).xpath("//h1")[0]) == organisation_name(
        first.name
    )
    assert "opposition" in text_of(page(client, GROUP))


def test_the_mixed_group_has_the_members_of_its_components_and_those_components_that_have_members(
    client: FlaskClient, esperia: Esperia
) -> None:
    row = one(
        esperia,
        "?component a emi:Component ; org:subOrganizationOf ?mixed . ?m org:organization ?component ; org:member ?p ;"
        " emi:from ?from FILTER NOT EXISTS { ?m emi:until ?until } FILTER(?from < '2026-02-11'^^"
        "<http://www.w3.org/2001/XMLSchema#date>)",
    )
    found = links(page(client, row["mixed"].value))
    assert {path_of(row["p"].value), path_of(row["component"].value)} <= found
    before = page(client, row["mixed"].value, day="2000-01-01")
    assert path_of(row["component"].value) not in links(before)


def test_the_side_of_a_group_is_called_by_names_that_people_know(client: FlaskClient, esperia: Esperia) -> None:
    row = one(esperia, "?side a emi:SideMembership ; org:member ?group ; org:organization ?sides . ?group a emi:Group")
    title = text_of(page(client, row["side"].value).xpath("//h1")[0])
    assert "Sides under" in title
    assert row["sides"].value.rsplit("/", 1)[-1] not in title
    assert title == title.replace(title.split(",")[0], organisation_name(title.split(",")[0]), 1)


def test_since_a_day_is_said_as_italian_says_it() -> None:
    assert [elided(f"dal {day} maggio 2024", date(2024, 5, day)) for day in (7, 8, 11, 12)] == [
        "dal 7 maggio 2024",
        "dall'8 maggio 2024",
        "dall'11 maggio 2024",
        "dal 12 maggio 2024",
    ]
    assert elided("since 8 May 2024", date(2024, 5, 8)) == "since 8 May 2024"


def test_a_long_address_elsewhere_is_shown_by_its_site(client: FlaskClient, esperia: Esperia) -> None:
    row = one(esperia, "?act a emi:Act ; dcterms:isReferencedBy ?page FILTER(STRLEN(STR(?page)) > 60)")
    (out,) = page(client, row["act"].value).xpath(f"//aside//a[@href='{row['page'].value}']")
    assert len(text_of(out)) < 60
    assert out.get("title") == row["page"].value


def test_an_act_shows_signatories_with_their_group_and_the_debates_on_it(client: FlaskClient, esperia: Esperia) -> None:
    row = one(
        esperia,
        "?d emi:discusses ?act . ?act ocd:primo_firmatario ?deputy . ?deputy emi:mandateOf ?person . "
        "?act emi:date ?day . ?person foaf:name ?name . ?act ocd:altro_firmatario ?other",
    )
    found = page(client, row["act"].value)
    assert {path_of(row["person"].value), path_of(row["d"].value)} <= links(found)
    first = found.xpath("//ul[@class='people']")[0]
    assert text_of(first).startswith(row["name"].value)
    sigla = first.xpath(".//a[@class='tag']")[0]
    assert sigla.text
    assert sigla.get("title") in {
        organisation_name(o.name_on(date.fromisoformat(row["day"].value)))
        for o in esperia.chamber.organisations.values()
    }


def test_a_sitting_is_an_agenda_of_debates_phases_and_speeches_in_order(client: FlaskClient, esperia: Esperia) -> None:
    sitting = one(esperia, "?s a emi:Sitting ; emi:number ?n ; emi:date ?day")
    found = page(client, sitting["s"].value)
    speeches = esperia.corpus.graph.select(
        f"SELECT ?s {{ ?s <{EMI}sitting> <{sitting['s'].value}> ; <{EMI}order> ?n }} ORDER BY ?n"
    )
    shown = list(found.xpath("//ul[@class='turns']/li/a[1]/@href"))
    assert sorted(shown) == sorted(path_of(row["s"].value) for row in speeches)
    assert sitting["n"].value in text_of(found.xpath("//h1")[0])
    debate = one(esperia, f"?d emi:partOf <{sitting['s'].value}> ; dcterms:title ?title")
    assert debate["title"].value in text_of(found)
    inside = page(client, debate["d"].value)
    assert set(inside.xpath("//ul[@class='turns']/li/a[1]/@href")) <= set(shown)
    assert path_of(sitting["s"].value) in links(inside)


def spoken(esperia: Esperia) -> Row:
    return one(
        esperia,
        "?s a emi:Speech ; schema:text ?text ; emi:order ?n ; emi:speaker ?p ; emi:sitting ?sitting . "
        "?chunk emi:partOf ?s ; a emi:Chunk ; emi:start ?start ; emi:end ?end FILTER(?start > 0 && ?n > 3)",
    )


def test_a_speech_stands_whole_among_its_neighbours(client: FlaskClient, esperia: Esperia) -> None:
    row = spoken(esperia)
    found = page(client, row["s"].value)
    transcript = found.xpath("//div[@class='transcript']")[0]
    assert transcript.get("lang") == "it"
    for place in transcript.xpath(".//a"):
        place.drop_tree()
    assert "".join(transcript.text_content().split()) == "".join(row["text"].value.split())
    around = found.xpath("//nav[@class='around']//a/@href")
    assert around
    orders = {
        path_of(r["s"].value): int(r["n"].value)
        for r in esperia.corpus.graph.select(
            f"SELECT ?s ?n {{ ?s <{EMI}sitting> <{row['sitting'].value}> ; <{EMI}order> ?n }}"
        )
    }
    assert all(abs(orders[link] - int(row["n"].value)) in (1, 2) for link in around)
    assert path_of(row["p"].value) in links(found)


def test_a_span_of_a_speech_is_marked_by_code_points(client: FlaskClient, esperia: Esperia) -> None:
    row = spoken(esperia)
    found = page(client, row["s"].value, start="10", end="25")
    (mark,) = found.xpath("//mark[contains(@class, 'asked')]")
    assert mark.text == row["text"].value[10:25]
    assert mark.get("id") == "quotation"


@pytest.mark.parametrize(("start", "end"), [("0", "999999"), ("5", "5"), ("9", "3")])
def test_a_span_that_is_not_there_is_said_not_to_be(
    start: str, end: str, client: FlaskClient, esperia: Esperia
) -> None:
    found = page(client, spoken(esperia)["s"].value, start=start, end=end)
    assert not found.xpath("//mark")
    assert "does not lie in this speech" in text_of(found.xpath("//*[@role='status']")[0])


def test_a_chunk_is_marked_in_its_speech(client: FlaskClient, esperia: Esperia) -> None:
    row = spoken(esperia)
    found = page(client, row["chunk"].value)
    marked = "".join(found.xpath("//mark[contains(@class, 'asked')]/text()"))
    assert marked == row["text"].value[int(row["start"].value) : int(row["end"].value)]
    assert path_of(row["s"].value) in links(found)


@pytest.mark.parametrize(
    "arguments",
    [{"page": "0"}, {"page": "x"}, {"page": "9999999999"}, {"acts": "-1"}],
    ids=lambda arguments: "&".join(f"{k}={v}" for k, v in arguments.items()),
)
def test_senseless_pages_are_refused(arguments: dict[str, str], client: FlaskClient) -> None:
    assert client.get(path_of(PERSON, **arguments), headers={"Accept": "text/html"}).status_code == 400


def test_senseless_days_and_spans_are_refused(client: FlaskClient, esperia: Esperia) -> None:
    assert client.get(path_of(GROUP, day="yesterday")).status_code == 400
    assert client.get(path_of(GROUP, day="2025-02-30")).status_code == 400
    assert client.get(path_of(spoken(esperia)["s"].value, start="1")).status_code == 400
    assert client.get(path_of(spoken(esperia)["s"].value, start="a", end="b")).status_code == 400


def test_anything_else_is_a_table_with_labels_of_the_ontology(client: FlaskClient, esperia: Esperia) -> None:
    row = one(esperia, "?m a org:Membership ; org:member ?p ; org:organization ?g . ?g a emi:Group")
    for language, label in (("en", "organisation"), ("it", "organizzazione")):
        found = page(client, row["m"].value, lang=language)
        terms = {dt.get("title"): text_of(dt) for dt in found.xpath("//dl//dt")}
        assert terms[f"{ORG}organization"] == label
    assert {path_of(row["p"].value), path_of(row["g"].value)} <= links(found)
    own = page(client, "https://w3id.org/emiciclo/ns#groupAtSpeech", lang="it")
    assert "gruppo" in text_of(own.xpath("//h1")[0])


def test_what_points_at_a_resource_is_counted_and_paged(client: FlaskClient, esperia: Esperia) -> None:
    legislature = "http://dati.esperia.example/ocd/legislatura.rdf/repubblica_1"
    property_ = "http://dati.camera.it/ocd/rif_leg"
    rows = esperia.corpus.graph.select(f"SELECT ?s {{ ?s <{property_}> <{legislature}> }}")
    assert len(rows) > 100
    overview = page(client, legislature)
    assert f"{len(rows)}" in text_of(overview.xpath("//h2[@id='inverse']/..")[0])
    seen: set[str] = set()
    number = 1
    while True:
        found = page(client, legislature, inverse=quote(property_, safe=""), page=str(number))
        mentioned = set(found.xpath("//details//li/a/@href"))
        assert len(mentioned) <= 50
        assert not mentioned & seen
        seen |= mentioned
        if not found.xpath("//a[@rel='next']"):
            break
        number += 1
    assert seen == {path_of(row["s"].value) for row in rows}
    assert number == -(-len(rows) // 50)


def test_every_statement_of_a_person_can_be_seen(client: FlaskClient) -> None:
    found = page(client, PERSON, view="statements")
    assert found.xpath(f"//dt[@title='{FOAF}surname']")
    assert path_of(PERSON) in links(found)


def test_no_page_asks_many_queries(client: FlaskClient, graph: Counting, esperia: Esperia) -> None:
    rows = esperia.corpus.graph.select("SELECT ?c (SAMPLE(?s) AS ?x) { ?s a ?c FILTER(ISIRI(?s)) } GROUP BY ?c")
    assert len(rows) > 30
    for row in rows:
        for view in ("", "statements"):
            graph.asked = 0
            page(client, row["x"].value, view=view)
            assert graph.asked <= MOST_QUERIES, row["x"]


def test_pages_read_well_without_a_script_or_a_mouse(client: FlaskClient, esperia: Esperia) -> None:
    for iri in (PERSON, GROUP, spoken(esperia)["s"].value, f"{BASE}chamber/esperia-1"):
        found = page(client, iri)
        assert found.get("lang") == "en"
        assert not found.xpath("//script")
        assert found.xpath("//a[@class='skip']/@href") == ["#main"]
        assert len(found.xpath("//h1")) == 1
        assert (
            len(found.xpath("//main"))
            == len(found.xpath("/html/body/header"))
            == len(found.xpath("/html/body/footer"))
            == 1
        )
        assert all(nav.get("aria-label") for nav in found.xpath("//nav"))
        identifiers = found.xpath("//@id")
        assert len(identifiers) == len(set(identifiers))
        assert all(target[1:] in identifiers for target in found.xpath("//a/@href") if re.match("#.", target))
        assert all(
            field.get("id") in found.xpath("//label/@for") for field in found.xpath("//main//input[@type='date']")
        )


# What comes from outside is hostile

NASTY = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'{{1234*5678}}"


def hostile() -> Store:
    """A graph in which every name and literal would like to be markup, and IRIs would like to be programs."""
    store = Store()

    def node(name: str) -> NamedNode:
        return NamedNode(f"http://x.example/{name}")

    nasty, script = Literal(NASTY), NamedNode("javascript:alert(1)")

    def say(subject: str, **facts: object) -> None:
        for name, values in facts.items():
            predicate = _PREDICATES.get(name) or node(name)
            for value in values if isinstance(values, tuple) else (values,):
                store.add(Quad(node(subject), predicate, value))

    day = Literal("2025-01-01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#date"))
    odd = NamedNode("http://x.example/'onmouseover='alert(1)")
    say("person", a=NamedNode(f"{FOAF}Person"), name=nasty, profession=nasty, page=(script, odd), surname=nasty)
    say("deputy", mandateOf=node("person"))
    say("group", a=NamedNode(f"{EMI}Group"), prefLabel=nasty, notation=nasty)
    say(
        "m", a=NamedNode(f"{ORG}Membership"), member=node("person"), organization=node("group"), begin=day, office=nasty
    )
    say("act", a=NamedNode(f"{EMI}Act"), title=nasty, first=node("deputy"), description=nasty, reference=(script, odd))
    say("sitting", a=NamedNode(f"{EMI}Sitting"), number=nasty, date=day)
    say("debate", a=NamedNode(f"{EMI}Debate"), title=nasty, partOf=node("sitting"), discusses=node("act"))
    for n, speech in enumerate(("speech", "next"), start=1):
        order = Literal(str(n), datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
        say(
            speech, a=NamedNode(f"{EMI}Speech"), partOf=node("debate"), sitting=node("sitting"), order=order, text=nasty
        )
        say(speech, source=script, printed=nasty, role=nasty, date=day)
    say("thing", a=script, label=nasty, odd=Literal("x", datatype=script), date=Literal(NASTY, datatype=day.datatype))
    store.add(Quad(node("thing"), script, nasty))
    store.add(Quad(script, node("points"), node("thing")))
    return store


_PREDICATES = {
    "a": NamedNode(f"{RDF}type"),
    "name": NamedNode(f"{FOAF}name"),
    "surname": NamedNode(f"{FOAF}surname"),
    "profession": NamedNode(f"{EMI}profession"),
    "mandateOf": NamedNode(f"{EMI}mandateOf"),
    "prefLabel": NamedNode("http://www.w3.org/2004/02/skos/core#prefLabel"),
    "notation": NamedNode("http://www.w3.org/2004/02/skos/core#notation"),
    "member": NamedNode(f"{ORG}member"),
    "organization": NamedNode(f"{ORG}organization"),
    "begin": NamedNode(f"{EMI}from"),
    "office": NamedNode(f"{EMI}officeAsPrinted"),
    "title": NamedNode(f"{DCTERMS}title"),
    "first": NamedNode("http://dati.camera.it/ocd/primo_firmatario"),
    "description": NamedNode(f"{DCTERMS}description"),
    "reference": NamedNode(f"{DCTERMS}isReferencedBy"),
    "number": NamedNode(f"{EMI}number"),
    "date": NamedNode(f"{EMI}date"),
    "partOf": NamedNode(f"{EMI}partOf"),
    "discusses": NamedNode(f"{EMI}discusses"),
    "sitting": NamedNode(f"{EMI}sitting"),
    "order": NamedNode(f"{EMI}order"),
    "text": NamedNode(f"{SCHEMA}text"),
    "source": NamedNode(f"{DCTERMS}source"),
    "printed": NamedNode(f"{EMI}speakerAsPrinted"),
    "role": NamedNode(f"{EMI}roleAsPrinted"),
    "label": NamedNode(f"{RDFS}label"),
}


def test_a_membership_of_nonsense_has_a_page(esperia: Esperia) -> None:
    """Of itself, of a text, of a blank node, of sides under themselves: whatever RDF may state."""
    graph = Store()
    graph.load(
        f"""
        @prefix org: <{ORG}> . @prefix emi: <{EMI}> . @prefix ex: <http://x.example/> .
        ex:itself a org:Membership ; org:member ex:itself ; org:organization ex:itself ; org:role ex:itself .
        ex:text a org:Membership ; org:member "Anna", 3 ; org:organization [ a org:Organization ] ; emi:from "soon" .
        ex:sides a org:OrganizationalCollaboration ; emi:government ex:sides .
        ex:stance a org:Membership ; org:member ex:nobody ; org:organization ex:sides .
        """.encode(),
        format=RdfFormat.TURTLE,
    )
    client = create_app(esperia.data, esperia.settings, EmbeddedGraph(graph)).test_client()
    for name in ("itself", "text", "sides", "stance", "nobody"):
        assert client.get(path_of(f"http://x.example/{name}"), headers={"Accept": "text/html"}).status_code == 200
    assert client.get("/?lang=en").status_code == 200


@pytest.mark.parametrize("view", ["", "statements"])
@pytest.mark.parametrize(
    "iri",
    [f"http://x.example/{n}" for n in ("person", "group", "m", "act", "sitting", "debate", "speech", "next", "thing")]
    + ["javascript:alert(1)", "http://x.example/'onmouseover='alert(1)"],
)
def test_nothing_from_the_graph_becomes_markup_or_runs(iri: str, view: str, esperia: Esperia) -> None:
    client = create_app(esperia.data, esperia.settings, EmbeddedGraph(hostile())).test_client()
    response = client.get(path_of(iri, view=view), headers={"Accept": "text/html"})
    assert response.status_code == 200
    found = html.fromstring(response.text)
    assert not found.xpath("//script | //img | //iframe | //*[@onerror or @onmouseover or @onload]")
    addresses = found.xpath("//@href | //@src | //@action")
    assert all(re.match(r"(https?://|/|#)", address) for address in addresses), addresses
    assert "7006652" not in response.text
    assert "script-src" not in response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    for form in ("ttl", "jsonld", "nt"):
        assert client.get(path_of(iri, format=form)).headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "javascript:alert(1)//", "{{1234*5678}}", "%(iri)s %s"])
def test_what_is_asked_for_is_no_markup_either(text: str, client: FlaskClient) -> None:
    for path in (
        path_of(text),
        f"/id/{quote(text)}",
        path_of(PERSON, page=quote(text)),
        path_of(GROUP, day=quote(text)),
    ):
        response = client.get(path, headers={"Accept": "text/html"})
        assert response.status_code in (400, 404)
        assert not html.fromstring(response.text).xpath("//script")
        assert "7006652" not in response.text


def test_what_is_mentioned_beyond_all_bounds_is_counted_and_not_listed(
    esperia: Esperia, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.resources.generic.MOST_MENTIONS", 60)
    store = Store()
    hub = NamedNode("http://x.example/hub")
    store.add(Quad(hub, NamedNode(f"{RDFS}label"), Literal("hub")))
    store.extend(Quad(NamedNode(f"http://x.example/{n}"), NamedNode("http://x.example/near"), hub) for n in range(61))
    client = create_app(esperia.data, esperia.settings, EmbeddedGraph(store)).test_client()
    for arguments in ({}, {"inverse": quote("http://x.example/near", safe="")}):
        found = page(client, hub.value, **arguments)
        assert "near 61" in text_of(found.xpath("//main")[0])
        assert not found.xpath("//details")


@pytest.mark.parametrize(
    ("origin", "leads"),
    [
        ("/answers/0a1b-2c", True),
        ("/answers/0a1b-2c#q3", True),
        ("//evil.example/answers/x", False),
        ("https://evil.example/answers/x", False),
        ("/answers/../resource", False),
        ("/answers/x/y", False),
        ("/answers//evil.example", False),
        ("/\\evil.example", False),
        ("javascript:alert(1)", False),
        ("/answers/x?next=//evil.example", False),
        ("/answers/" + "x" * 500, False),
        ("/answers/x\n", False),
        ("answer", False),
    ],
)
def test_a_speech_leads_back_to_the_answer_and_nowhere_else(
    client: FlaskClient, esperia: Esperia, origin: str, leads: bool
) -> None:
    found = page(client, spoken(esperia)["s"].value, **{"from": quote(origin, safe="")})
    back = found.xpath("//p[@class='return on-screen']/a/@href")
    assert back == ([origin] if leads else [])
    assert not [
        link
        for link in found.xpath("//a/@href")
        if "evil.example" in link and link.startswith(("/", "h")) and "lang=" not in link
    ]


def test_a_speech_leads_to_those_beside_it_and_keeps_the_way_back(client: FlaskClient) -> None:
    speech = f"{BASE}speech/esperia-1/sed0015/tit00020.sub00020.int00030"
    rows = page(client, speech, **{"from": "/answers/x"}).xpath("//nav[@class='steps on-screen']/a")
    assert [link.get("rel") for link in rows] == ["prev", "next"]
    assert all("from=%2Fanswers%2Fx" in link.get("href") for link in rows)
    (back,) = page(client, speech).xpath("//nav[@class='steps on-screen']/a[@rel='prev']/@href")
    assert "from=" not in back
