"""The answer as linked data: its form, its vocabulary, its way through RDF and back."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyshacl
import pytest
import rdflib
from pyld import jsonld as pyld_jsonld
from rdflib import Graph, Namespace, URIRef
from rdflib.namespace import OWL, RDF, RDFS

import ontology
from ontology import EMI
from service.answer import jsonld
from service.answer.jsonld import CONTEXT, dumps, from_rdf, quotation_iri, to_jsonld, to_rdf
from service.answer.model import Answer, Writer
from service.answers import keep_answer, read_answer
from service.pipeline import Engine, ask
from service.question import Filters
from tests.conftest import REPOSITORY
from tests.service.answer.making import TOPICS, UNSPOKEN, quotation, speech

Document = dict[str, Any]
TERMS: Document = json.loads(ontology.read("context.jsonld"))["@context"]
NS = Namespace(EMI)


@pytest.fixture(scope="module")
def documents(answer_to: Callable[[str], Answer], engine: Engine) -> dict[str, Document]:
    """JSON-LD of several answers: with and without evidence, filtered, dated, written by a model."""
    made = {topic: to_jsonld(answer_to(topic)) for topic in (*TOPICS, UNSPOKEN)}
    group = next(s.group for s in answer_to(TOPICS[0]).sections if s.kind == "opposition" and s.group)
    filters = Filters(groups=(group,), date_from=date(2025, 1, 1), date_until=date(2025, 12, 31))
    made["filtered"] = to_jsonld(ask("cosa dicono i gruppi sul salario minimo?", engine, filters=filters))
    made["as of"] = to_jsonld(ask(TOPICS[0], engine, reference_date=date(2025, 6, 1)))
    made["by a model"] = to_jsonld(replace(answer_to(TOPICS[0]), writer=Writer("a-model", "1", 2)))
    expanded = replace(answer_to(TOPICS[1]).question, expansion="energia nucleare sostenibile")
    made["expanded"] = to_jsonld(replace(answer_to(TOPICS[1]), question=expanded))
    return made


def nodes(value: Any) -> Iterator[Document]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from nodes(item)
    elif isinstance(value, list):
        for item in value:
            yield from nodes(item)


def of_type(document: Document, kind: str) -> list[Document]:
    return [node for node in nodes(document) if node.get("type") == kind]


def test_an_answer_comes_back_equal_from_rdf(documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        assert from_rdf(to_rdf(document)) == document, name


def test_an_answer_comes_back_equal_from_the_order_of_another_serialiser(documents: dict[str, Document]) -> None:
    document = documents[TOPICS[0]]
    lines = to_rdf(document).splitlines(keepends=True)
    assert from_rdf("".join(reversed(lines))) == document


def test_an_answer_comes_back_equal_from_the_answers_store(
    documents: dict[str, Document], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("answers")
    kept = {document["id"]: document for document in documents.values()}
    for document in documents.values():
        assert keep_answer(folder, document)
    for iri, document in kept.items():
        assert read_answer(folder, iri) == document
    assert read_answer(folder, "https://example.org/id/answer/none") is None
    assert read_answer(folder / "nowhere", documents[UNSPOKEN]["id"]) is None


def test_no_context_is_fetched_from_anywhere(documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(pyld_jsonld, "_default_document_loader", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    document = documents[TOPICS[0]]
    assert from_rdf(to_rdf(document)) == document
    with pytest.raises(ValueError, match="none is fetched"):
        jsonld._load_context("https://example.org/other.jsonld")
    with pytest.raises(pyld_jsonld.JsonLdError):
        to_rdf({**document, "@context": "https://example.org/other.jsonld"})


def test_a_quotation_has_exactly_the_members_that_applications_were_promised(documents: dict[str, Document]) -> None:
    quotations = of_type(documents[TOPICS[0]], "Quotation")
    assert quotations
    for quoted in quotations:
        required = {"id", "type", "speech", "source", "speaker", "capacity", "date", "selector", "verified"}
        assert required <= set(quoted)
        for iri in ("id", "speech", "source", "speaker"):
            assert re.fullmatch(r"https?://\S+", quoted[iri])
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", quoted["date"])
        assert quoted["capacity"] in {"member", "government", "rapporteur", "guest"}
        assert quoted["verified"] is True
        position, wording = quoted["selector"]
        assert set(position) == {"type", "start", "end"}
        assert position["type"] == "TextPositionSelector"
        assert position["end"] - position["start"] == len(wording["exact"])
        assert wording["type"] == "TextQuoteSelector"
        assert {"exact"} < set(wording) <= {"type", "exact", "prefix", "suffix"}
    assert all("groupAtSpeech" in q for q in quotations if q["capacity"] != "government")


def test_a_section_has_exactly_the_members_that_applications_were_promised(documents: dict[str, Document]) -> None:
    for document in documents.values():
        for section in document["sections"]:
            assert section["kind"] in {"government", "majority", "opposition", "mixed", "other"}
            assert section["evidence"] == ("supported" if section["quotations"] else "none")
            assert ("expert" in section) == bool(section["quotations"])
            markers = [int(n) for n in re.findall(r"\{q(\d+)\}", section["text"])]
            assert markers == list(range(1, len(section["quotations"]) + 1))
            if section["kind"] in {"majority", "opposition", "mixed"}:
                assert section["group"].startswith("http")


def test_the_text_of_a_section_never_holds_the_words_of_a_quotation_F101(documents: dict[str, Document]) -> None:
    for document in documents.values():
        for section in document["sections"]:
            for quoted in section["quotations"]:
                assert quoted["selector"][1]["exact"] not in section["text"]


def test_the_words_around_a_quotation_are_given_as_they_stand_in_the_speech() -> None:
    made = quotation(speech("Uno due tre. Il salario serve. Quattro cinque."), "Il salario serve.")
    assert made.context == ("Uno due tre. ", " Quattro cinque.")
    assert quotation(speech("Il salario serve."), "Il salario serve.").context == ("", "")


def test_the_same_words_have_one_iri_in_every_answer() -> None:
    made = quotation(speech("Uno due tre. Il salario serve."), "Il salario serve.")
    assert quotation_iri(made) == "https://example.org/id/quotation/example-1/sed0001/int00001/13-30"


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 2, 4, 10, 0, 0, 0, UTC), "2026-02-04T10:00:00Z"),
        (datetime(2026, 2, 4, 10, 0, 0, 630310, UTC), "2026-02-04T10:00:00.63031Z"),
        (datetime(2026, 2, 4, 10, 0, 0, 1, timezone(timedelta(hours=1))), "2026-02-04T09:00:00.000001Z"),
    ],
)
def test_times_are_written_as_stores_give_them_back(
    answer_to: Callable[[str], Answer], tmp_path: Path, moment: datetime, text: str
) -> None:
    document = to_jsonld(replace(answer_to(UNSPOKEN), started=moment, ended=moment))
    assert document["activities"][0]["startedAt"] == document["activities"][3]["endedAt"] == text
    assert keep_answer(tmp_path, document)
    assert read_answer(tmp_path, document["id"]) == document


def test_an_answer_kept_twice_is_there_once(answer_to: Callable[[str], Answer], tmp_path: Path) -> None:
    document = to_jsonld(answer_to(TOPICS[0]))
    assert keep_answer(tmp_path, document)
    assert keep_answer(tmp_path, document)
    assert read_answer(tmp_path, document["id"]) == document


def test_numbers_are_numbers_and_what_is_missing_is_left_out(documents: dict[str, Document]) -> None:
    for document in documents.values():
        for node in nodes(document):
            assert None not in node.values()
            for name in ("start", "end", "rank", "rankOf", "order", "interventions"):
                assert isinstance(node.get(name, 0), int)
            for name in ("similarity", "score", "relevance", "authority", "majorityShare"):
                assert isinstance(node.get(name, 0.0), float | int)
                assert not isinstance(node.get(name), bool)


def test_the_panel_of_experts_is_made_of_people_whom_the_answer_quotes_F129(documents: dict[str, Document]) -> None:
    for document in documents.values():
        quoted = {q["speaker"] for q in of_type(document, "Quotation")}
        panel = document["experts"]
        assert {expert["speaker"] for expert in panel} <= quoted
        assert [expert["order"] for expert in panel] == list(range(1, len(panel) + 1))
        assert sorted((e["authority"] for e in panel), reverse=True) == [e["authority"] for e in panel]
        for expert in panel:
            assert 1 <= expert["rank"] <= expert["rankOf"]


def test_coverage_counts_sections_with_a_verified_quotation_F140(documents: dict[str, Document]) -> None:
    for document in documents.values():
        with_quotation = {s["group"] for s in document["sections"] if s.get("group") and s["quotations"]}
        assert document["coverage"]["groupsCovered"] == len(with_quotation)
        assert document["coverage"]["quotationsCount"] == len(of_type(document, "Quotation"))


def test_the_balance_leaves_government_and_misto_apart_and_sums_to_one_F12(documents: dict[str, Document]) -> None:
    balance = documents[TOPICS[0]]["balance"]
    assert balance["majorityShare"] + balance["oppositionShare"] == pytest.approx(1, abs=1e-5)
    assert "balance" not in documents[UNSPOKEN]


def test_the_provenance_names_models_version_date_and_failures_of_the_model(documents: dict[str, Document]) -> None:
    document = documents["by a model"]
    stages = {activity["stage"]: activity for activity in document["activities"]}
    assert list(stages) == ["retrieve", "weigh", "write", "verify"]
    assert stages["write"]["agent"]["name"] == "a-model"
    assert (stages["write"]["promptVersion"], stages["write"]["fallbacks"]) == ("1", 2)
    assert stages["retrieve"]["agent"]["name"] == document["corpus"]["embeddingModel"] == "hash-1"
    assert document["question"]["referenceDate"] == "2026-02-11"
    assert documents["expanded"]["question"]["expansion"] == "energia nucleare sostenibile"
    assert "fallbacks" not in {k for a in documents[TOPICS[0]]["activities"] for k in a}


def used_terms(documents: dict[str, Document]) -> set[str]:
    """Keys, types, and prefixes of the answers."""
    used = {"@version"}
    for document in documents.values():
        for node in nodes(document):
            used |= set(node)
            used |= {node["type"]} if "type" in node else set()
    return used


def told_elsewhere(names: set[str]) -> set[str]:
    """The terms that the documents of lists, searches and rankings name, in their models or outright."""
    code = " ".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "service" / "web").rglob("*.py"))
    written = set(re.findall(r"\w+", code))
    return {name for name in names if name in written or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() in written}


def test_every_term_of_the_context_is_used_and_every_term_used_is_in_it(documents: dict[str, Document]) -> None:
    used = used_terms(documents)
    prefixes = {name for name, value in TERMS.items() if isinstance(value, str) and value.endswith(("#", "/"))}
    names = set(TERMS) - prefixes
    of_some_answers_only = {"componentAtSpeech", "groupNow", "officeLabel", "phaseTitle", "profession", "education"}
    assert used - {"@context"} <= set(TERMS)
    assert names - used - told_elsewhere(names) <= of_some_answers_only
    text = json.dumps({name: TERMS[name] for name in names})
    assert {prefix for prefix in prefixes if f'"{prefix}:' not in text} == set()


def emi_terms() -> list[str]:
    ids = [
        value.get("@id", value.get("@reverse")) if isinstance(value, dict) else value
        for value in TERMS.values()
        if isinstance(value, dict | str)
    ]
    return sorted({term[4:] for term in ids if isinstance(term, str) and term.startswith("emi:") and term != "emi:"})


@pytest.fixture(scope="module")
def vocabulary() -> Graph:
    return Graph().parse(data=ontology.read("emiciclo.ttl"), format="turtle")


@pytest.mark.parametrize("term", emi_terms())
def test_every_term_of_the_context_is_defined_in_both_languages(vocabulary: Graph, term: str) -> None:
    kinds = set(vocabulary.objects(NS[term], RDF.type))
    assert kinds & {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, RDF.Property}
    for said in (RDFS.label, RDFS.comment):
        assert {value.language for value in vocabulary.objects(NS[term], said)} == {"it", "en"}  # type: ignore[attr-defined]
    assert (NS[term], RDFS.isDefinedBy, URIRef(EMI.rstrip("#"))) in vocabulary


def as_graph(document: Document) -> Graph:
    return rdflib.Graph().parse(data=to_rdf(document), format="nt")


def violations(graph: Graph, vocabulary: Graph) -> str:
    shapes = Graph().parse(data=ontology.read("shapes.ttl"), format="turtle")
    conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes, ont_graph=vocabulary, inference="none")
    return "" if conforms else str(text)


@pytest.mark.parametrize("name", [TOPICS[0], UNSPOKEN, "filtered"])
def test_an_answer_has_the_shape_that_the_ontology_asks_for(
    documents: dict[str, Document], vocabulary: Graph, name: str
) -> None:
    assert violations(as_graph(documents[name]), vocabulary) == ""


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda q: q.update(verified=False), id="not verified F-120"),
        pytest.param(lambda q: q.pop("speaker"), id="no speaker"),
        pytest.param(lambda q: q["selector"].pop(), id="no wording"),
        pytest.param(lambda q: q["selector"][0].update(end=0), id="ends before it starts"),
        pytest.param(lambda q: q.update(hasSource="https://example.org/id/speech/x"), id="two sources"),
    ],
)
def test_a_spoilt_quotation_does_not_have_the_shape_F139(
    documents: dict[str, Document], vocabulary: Graph, spoil: Callable[[Document], Any]
) -> None:
    document = json.loads(dumps(documents[TOPICS[0]]))
    spoil(of_type(document, "Quotation")[0])
    assert violations(as_graph(document), vocabulary) != ""


def test_nothing_of_an_answer_is_lost_on_the_way_to_rdf(documents: dict[str, Document]) -> None:
    graph = as_graph(documents[TOPICS[0]])
    assert {str(p) for p in graph.predicates() if str(p).startswith(EMI)} <= {f"{EMI}{term}" for term in emi_terms()}
    assert len(set(graph.subjects(RDF.type, NS.Quotation))) == len(of_type(documents[TOPICS[0]], "Quotation"))
    assert str(next(graph.subjects(RDF.type, NS.Answer))) == documents[TOPICS[0]]["id"]
    assert documents[TOPICS[0]]["@context"] == CONTEXT


def test_an_answer_waits_for_another_process_that_keeps_its_own(answers: dict[str, Answer], tmp_path: Path) -> None:
    document = to_jsonld(next(iter(answers.values())))
    program = "import sys; from pyoxigraph import Store; s = Store(sys.argv[1]); print('held', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    release = threading.Timer(0.3, holder.stdin.close)
    release.start()
    assert keep_answer(tmp_path, document)
    release.join()
    holder.wait(10)
    assert read_answer(tmp_path, document["id"]) == document
