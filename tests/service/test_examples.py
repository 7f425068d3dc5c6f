"""The published examples: complete in both languages, answered by real data, and data themselves."""

import io

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

import sparql
from ontology import DCTERMS, ORG, RDF, RDFS
from service.errors import DataError
from service.examples import FEDERATED, SPARQL_1_2, TAGS, Example, as_rdf, example_as_rdf, examples, read_example
from service.graph import GraphStore
from service.prefixes import PREFIXES
from service.queries.federation import refuse_strangers
from service.queries.reading import read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize
from service.resources import forms
from service.settings import SparqlSettings
from tests.conftest import Esperia, over_all_sittings

ROOT = "https://dati.example/"
SH = "http://www.w3.org/ns/shacl#"
SPEX = "https://purl.expasy.org/sparql-examples/ontology#"
LIMITS = SparqlSettings()
SIZE = QuerySize(LIMITS.query_characters, LIMITS.query_depth, LIMITS.query_patterns, LIMITS.query_operators)
HEADER = """\
# title: Who sits here
# title@it: Chi siede qui
# description: Everybody with a seat.
# description@it: Chiunque abbia un seggio.
# tags: membership, dates
"""

every_example = pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
runnable = pytest.mark.parametrize(
    "example", [example for example in examples() if not example.partners], ids=lambda example: example.name
)


def example_named(name: str) -> Example:
    return next(example for example in examples() if example.name == name)


# Headers


def test_a_header_is_read_and_the_query_stands_apart() -> None:
    example = read_example("seats", HEADER + "# a remark of the query\nASK { ?s ?p ?o }\n".split("\n", 1)[1])
    assert example.titles == {"en": "Who sits here", "it": "Chi siede qui"}
    assert example.descriptions["it"] == "Chiunque abbia un seggio."
    assert example.tags == ("membership", "dates")
    assert (example.form, example.query, example.partners) == ("ask", "ASK { ?s ?p ?o }\n", ())
    assert example.text == HEADER + example.query


@pytest.mark.parametrize("key", ["title", "title@it", "description", "description@it", "tags"])
def test_a_header_without_a_field_is_refused_with_its_name(key: str) -> None:
    header = "".join(line for line in HEADER.splitlines(keepends=True) if not line.startswith(f"# {key}:"))
    with pytest.raises(DataError, match=rf"seats\.rq has no line “# {key}: …”"):
        read_example("seats", header + "ASK { ?s ?p ?o }")


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (HEADER + "# titel: Wer\n", "line 6: “# titel: Wer” is none of"),
        (HEADER + "# title: Another\n", "line 6: title is given twice"),
        (HEADER.replace("Who sits here", ""), "line 1: “# title: ” is none of"),
        (HEADER.replace("dates", "datse"), r"cannot be used \(datse\); known: acts, "),
        (HEADER.replace("dates", "membership"), "one of them twice"),
        (HEADER.replace("membership, ", "membership,, "), "tags that cannot be used"),
    ],
)
def test_a_malformed_header_is_refused_with_its_line(spoilt: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_example("seats", spoilt + "ASK { ?s ?p ?o }")


@pytest.mark.parametrize("query", ["", "SELECT * WHERE { ?s ?p ?o", "INSERT DATA { <a:a> <a:b> <a:c> }"])
def test_what_is_no_query_is_refused(query: str) -> None:
    with pytest.raises(DataError, match=r"seats\.rq holds no query that can be read: "):
        read_example("seats", HEADER + query)


# What is published


def test_there_is_an_example_for_each_thing_that_people_ask() -> None:
    assert len(examples()) >= 40
    assert {example.form for example in examples()} == {"select", "ask", "construct", "describe"}
    assert {tag for example in examples() for tag in example.tags} == set(TAGS), "a tag that nothing has is no help"


@pytest.mark.parametrize("language", ["en", "it"])
def test_titles_are_unique(language: str) -> None:
    titles = [example.titles[language] for example in examples()]
    assert len(set(titles)) == len(titles)


@every_example
def test_an_example_is_written_in_both_languages(example: Example) -> None:
    for texts in (example.titles, example.descriptions):
        assert texts["en"] != texts["it"]
    assert all(text.endswith(".") for text in example.descriptions.values())


@every_example
def test_an_example_declares_its_prefixes_as_everybody_does(example: Example) -> None:
    structure = read(example.text, SIZE).structure
    assert set(structure.used) <= set(structure.declared)
    assert {name: PREFIXES[name] for name in structure.declared} == structure.declared


@every_example
def test_the_endpoint_takes_an_example_as_it_stands(example: Example) -> None:
    assert read(example.text, SIZE).text == example.text


@runnable
def test_an_example_has_an_answer_in_both_forms_of_the_graph(example: Example, esperia_graph: GraphStore) -> None:
    match example.form:
        case "select":
            assert esperia_graph.select(example.text)
        case "ask":
            assert esperia_graph.ask(example.text)
        case _:
            assert list(esperia_graph.construct(example.text))


@every_example
def test_what_asks_another_endpoint_says_so_and_is_refused_until_it_is_a_partner(example: Example) -> None:
    assert bool(example.partners) == (FEDERATED in example.tags)
    structure = read(example.text, SIZE).structure
    refuse_strangers(structure, example.partners)
    if example.partners:
        with pytest.raises(QueryRefused, match="is not called from here"):
            refuse_strangers(structure, ())


@every_example
def test_what_needs_more_than_sparql_1_1_says_so(example: Example) -> None:
    assert ("<<" in example.query) == (SPARQL_1_2 in example.tags)


# What they answer


def test_everybody_is_in_one_group_on_a_day(esperia: Esperia) -> None:
    graph = esperia.corpus.graph
    rows = graph.select(example_named("group-members-on-a-day").text)
    assert len({row["person"] for row in rows}) == len(rows) == 48
    sizes = graph.select(example_named("group-sizes-on-a-day").text)
    assert sum(int(row["members"].value) for row in sizes) == 48


def test_a_crossing_of_sides_has_its_days(esperia: Esperia) -> None:
    rows = esperia.corpus.graph.select(example_named("side-crossings").text)
    found = [[row[name].value for name in ("name", "left", "lastDay", "joined", "firstDay")] for row in rows]
    assert found == [["Irene Castelnuovo", "PLS", "2025-06-30", "CCL", "2025-07-01"]]


def test_who_changed_group_is_in_two_groups_one_after_the_other(esperia: Esperia) -> None:
    rows = esperia.corpus.graph.select(example_named("group-changes").text)
    assert ["Gianni Rivalta", "LT", "UPE"] in [[row[name].value for name in ("name", "left", "joined")] for row in rows]
    assert all(row["left"] != row["joined"] and row["lastDay"].value <= row["firstDay"].value for row in rows)


def test_words_are_counted_as_people_count_them(esperia: Esperia) -> None:
    graph = esperia.corpus.graph
    rows = graph.select(example_named("words-by-group-and-month").text)
    spoken = [row["speech"] for row in graph.select(over_all_sittings("index/speeches", graph)) if "group" in row]
    texts = graph.select(sparql.bind(sparql.query("retrieval/texts"), "?speech", spoken))
    assert sum(int(row["words"].value) for row in rows) == sum(len(row["text"].value.split()) for row in texts)


def test_quotations_are_verified_at_their_offsets(esperia: Esperia) -> None:
    graph = esperia.corpus.graph
    rows = graph.select(example_named("verify-a-quotation").text)
    texts = sparql.bind(sparql.query("retrieval/texts"), "?speech", {row["speech"] for row in rows})
    record = {row["speech"]: row["text"].value for row in graph.select(texts)}
    for row in rows:
        assert row["verified"].value == "true"
        assert record[row["speech"]][int(row["start"].value) : int(row["end"].value)] == row["quoted"].value


def test_words_that_stand_elsewhere_are_not_verified(esperia: Esperia) -> None:
    text = example_named("verify-a-quotation").text
    shifted = text.replace("SUBSTR(?words, ?from + 1,", "SUBSTR(?words, ?from + 2,")
    assert shifted != text
    assert {row["verified"].value for row in esperia.corpus.graph.select(shifted)} == {"false"}


def test_memberships_reify_what_holds_on_their_days_only(esperia: Esperia) -> None:
    triples = list(esperia.corpus.graph.construct(example_named("export-memberships-as-reifiers").text))
    reified = [triple.object for triple in triples if triple.predicate.value == f"{RDF}reifies"]
    assert reified
    assert {term.predicate.value for term in reified if isinstance(term, Triple)} == {f"{ORG}memberOf"}
    assert f"{ORG}memberOf" not in {triple.predicate.value for triple in triples}


# The examples as data


@pytest.mark.parametrize(("form", "syntax"), [("ttl", RdfFormat.TURTLE), ("rdf", RdfFormat.RDF_XML)])
def test_the_examples_survive_a_round_trip_through_rdf(form: str, syntax: RdfFormat) -> None:
    triples = as_rdf(ROOT)
    again = {quad.triple for quad in parse(io.BytesIO(forms.WRITERS[form](triples)), format=syntax)}
    assert again == set(triples)


def test_each_query_is_found_by_the_property_of_its_form() -> None:
    holds = {"select": f"{SH}select", "ask": f"{SH}ask", "construct": f"{SH}construct", "describe": f"{SPEX}describe"}
    triples = set(as_rdf(ROOT))
    for example in examples():
        one = NamedNode(f"{ROOT}sparql/examples/{example.name}")
        assert set(example_as_rdf(example, ROOT)) <= triples
        assert Triple(one, NamedNode(holds[example.form]), Literal(example.query)) in triples
        assert Triple(one, NamedNode(f"{RDF}type"), NamedNode(f"{SH}SPARQLExecutable")) in triples
        assert Triple(one, NamedNode(f"{RDFS}label"), Literal(example.titles["it"], language="it")) in triples
        assert Triple(one, NamedNode("https://schema.org/target"), NamedNode(f"{ROOT}sparql")) in triples
        assert Triple(NamedNode(f"{ROOT}sparql/examples"), NamedNode(f"{DCTERMS}hasPart"), one) in triples


def test_a_partner_is_told_in_the_data() -> None:
    example = example_named("earlier-legislatures")
    told = {
        triple.object for triple in example_as_rdf(example, ROOT) if triple.predicate.value == f"{SPEX}federatesWith"
    }
    assert told == {NamedNode("https://dati.camera.it/sparql")}
