"""The page of an answer, the page that waits for one, and the front page, as they are served."""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from service.answer.jsonld import Document, to_jsonld
from service.answer.model import Answer
from service.answers import keep_answer
from service.engines.local import LocalEngine
from service.progress import Step
from service.web.answers import page
from service.web.app import create_app
from tests.conftest import Esperia
from tests.service.answer.making import TOPICS, UNSPOKEN

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}\u202e\x0b"
IDENTIFIER = "5d0f7c9e-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def document(answer_to: Callable[[str], Answer]) -> Document:
    return to_jsonld(answer_to(TOPICS[0]))


@pytest.fixture
def render(esperia: Esperia) -> Callable[..., Any]:
    """The page of a document, in a language, parsed."""
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph)

    def rendered(document: Document, language: str = "en") -> Any:
        with app.test_request_context(f"/answers/{IDENTIFIER}?lang={language}"):
            return html.fromstring(page.render_answer(document, IDENTIFIER))

    return rendered


def words(element: Any) -> str:
    return " ".join(element.text_content().split())


def quotations(document: Document) -> list[Document]:
    return [quotation for section in document["sections"] for quotation in section["quotations"]]


def spoilt(value: Any) -> Any:
    """A document whose every text is hostile, but for IRIs, days and what makes it one."""
    kept = (
        "@context",
        "id",
        "type",
        "kind",
        "evidence",
        "capacity",
        "side",
        "date",
        "referenceDate",
        "channel",
        "stage",
    )
    if isinstance(value, dict):
        return {name: item if name in kept else spoilt(item) for name, item in value.items()}
    if isinstance(value, list):
        return [spoilt(item) for item in value]
    return HOSTILE if isinstance(value, str) and not re.match(r"http|\d{4}-\d\d", value) else value


# The answer


def test_every_quotation_is_set_apart_and_leads_to_its_place(document: Document, render: Callable[..., Any]) -> None:
    shown = render(document).xpath("//blockquote[@class='quotation']")
    told = quotations(document)
    assert [quotation.get("id") for quotation in shown] == [f"q{n}" for n in range(1, len(told) + 1)]
    for quotation, element in zip(told, shown, strict=True):
        position, exact = quotation["selector"][0], quotation["selector"][1]
        assert element.xpath(".//span[@class='words']")[0].text_content() == exact["exact"]
        (place,) = element.xpath(".//a[@class='read']/@href")
        assert f"start={position['start']}&end={position['end']}" in place
        assert place.endswith("#quotation")
        assert quotation["speakerName"] in words(element)


def test_markers_and_their_marks_are_gone(document: Document, render: Callable[..., Any]) -> None:
    for said in render(document).xpath("//p[@class='said']"):
        assert not re.search(r"\{q|[«»]\s*$|^\s*[«»]", said.text_content())


def test_sides_come_in_their_order(document: Document, render: Callable[..., Any]) -> None:
    headings = render(document).xpath("//section[@class='bloc']/h2/@id")
    assert headings == sorted(headings, key=("government", "majority", "opposition", "mixed", "other").index)
    assert headings[0] == "government"


def test_figures_of_the_introduction_open_their_lists(document: Document, render: Callable[..., Any]) -> None:
    (introduction,) = render(document).xpath("//div[contains(@class, 'introduction')]")
    links = {link.text_content().split()[0]: link.get("href") for link in introduction.iter("a")}
    assert links[str(document["interventions"])].startswith("/search?answering=")
    (weigh,) = [a for a in document["activities"] if a["stage"] == "weigh"]
    if weigh["rankOf"] == document["speakersCount"]:
        assert links[str(document["speakersCount"])].startswith("/experts?topic=")
    assert words(introduction) == " ".join(document["introduction"].split())


def test_it_says_what_was_searched_and_by_whom_it_was_written(document: Document, render: Callable[..., Any]) -> None:
    (made,) = render(document, "it").xpath("//section[@id='made']")
    text = words(made)
    assert document["corpus"]["corpusVersion"] in text
    assert document["corpus"]["embeddingModel"] in text
    assert "Nessun modello linguistico" in text
    changed = copy.deepcopy(document)
    write = next(activity for activity in changed["activities"] if activity["stage"] == "write")
    write |= {"promptVersion": "3", "agent": {"type": "SoftwareAgent", "name": "modello-x"}}
    assert "modello-x" in words(render(changed).xpath("//section[@id='made']")[0])


def test_the_page_is_in_the_readers_language_and_the_record_in_its_own(
    document: Document, render: Callable[..., Any]
) -> None:
    shown = render(document, "en")
    assert shown.get("lang") == "en"
    assert {element.get("lang") for element in shown.xpath("//blockquote/p")} == {"it"}
    assert {element.get("lang") for element in shown.xpath("//blockquote/footer")} == {"en"}
    assert {link.get("hreflang") for link in shown.xpath("//nav//a[@hreflang]")} == {"en", "it"}


def test_a_group_that_changed_since_is_told(document: Document, render: Callable[..., Any]) -> None:
    changed = copy.deepcopy(document)
    first, *others = quotations(changed)
    first["groupNow"] = next(q["groupAtSpeech"] for q in others if q.get("groupAtSpeech") != first.get("groupAtSpeech"))
    assert "now in " in words(render(changed).xpath("//blockquote[@id='q1']/footer")[0])


def test_a_quotation_that_is_not_verified_is_told(document: Document, render: Callable[..., Any]) -> None:
    changed = copy.deepcopy(document)
    quotations(changed)[0]["verified"] = False
    shown = render(changed)
    assert shown.xpath("//blockquote[@id='q1']//*[@class='unverified']")
    assert not shown.xpath("//blockquote[@id='q1']//*[@class='verified']")


def test_nothing_found_is_an_answer_too(answer_to: Callable[[str], Answer], render: Callable[..., Any]) -> None:
    shown = render(to_jsonld(answer_to(UNSPOKEN)))
    assert not shown.xpath("//blockquote")
    assert not shown.xpath("//section[@class='bloc'] | //table")  # not once for each group
    (advice,) = shown.xpath("//div[contains(@class, 'advice')]")
    assert advice.xpath(".//a[starts-with(@href, '/search?q=')]")
    assert len(shown.xpath("//section[@id='made'] | //section[@id='cite']")) == 2


def test_hostile_texts_are_shown_as_text(document: Document, render: Callable[..., Any]) -> None:
    shown = render(spoilt(document))
    assert not shown.xpath("//script[not(@src)]")
    assert not shown.xpath("//img")
    assert not [
        name
        for element in shown.iter()
        if isinstance(element.tag, str)
        for name in element.attrib
        if name.startswith("on")
    ]
    assert all(
        link.startswith(("/", "#", "https://", "http://")) and "javascript:" not in link.lower()
        for link in shown.xpath("//@href")
    )
    assert "49" not in words(shown.xpath("//h1")[0])


def test_a_source_that_is_no_web_address_is_no_link(document: Document, render: Callable[..., Any]) -> None:
    changed = copy.deepcopy(document)
    for quotation in quotations(changed):
        quotation["source"] = "javascript:alert(1)"
    assert not [link for link in render(changed).xpath("//a/@href") if link.lower().startswith("javascript")]


PIECES = st.lists(
    st.one_of(
        st.sampled_from(["{q1}", "{q2}", "{q3}", "{q0}", "{q99}", "«{q1}»", "«", "»", ".", "\n\n"]),
        st.text(max_size=12),
    )
).map("".join)


@given(PIECES)
def test_no_quotation_is_lost_or_shown_twice(text: str) -> None:
    made = tuple(
        page.Quotation(n, {}, f"words {n}", "", "", 0, 1, None, None, None, None, None, (), (), {}) for n in (1, 2, 3)
    )
    pieces = list(page._pieces(text, made, (None, "/search")))
    shown = [piece.number for piece in pieces if isinstance(piece, page.Quotation)]
    assert sorted(shown) == [1, 2, 3]
    said = "".join(link.text for piece in pieces if not isinstance(piece, page.Quotation) for link in piece)
    assert not re.search(r"\{q\d{1,4}\}", said)
    assert sorted(filter(str.isalnum, said)) == sorted(filter(str.isalnum, re.sub(r"\{q\d{1,4}\}", " ", text)))


def test_the_whole_page_is_light(esperia: Esperia, document: Document, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "current").symlink_to((esperia.data / "current").resolve())
    assert keep_answer(data / "answers", document)
    engine = LocalEngine(data, esperia.settings, esperia.corpus.embedder)
    client = create_app(data, esperia.settings, esperia.corpus.graph, engine=engine).test_client()
    path = f"/answers/{document['id'].rsplit('/', 1)[-1]}"
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    first = client.get(path, headers=headers)
    assert first.status_code == 200
    parsed = html.fromstring(client.get(path, headers={"Accept": "text/html"}).text)
    parts = parsed.xpath("//link[@rel='stylesheet' or @rel='icon']/@href | //script/@src")
    sent = [first, *(client.get(part, headers=headers) for part in parts)]
    assert all(response.status_code == 200 for response in sent)
    assert sum(len(response.data) for response in sent) < 300_000


# The page that waits


def test_what_is_done_and_found_is_told(esperia: Esperia) -> None:
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph)
    steps = (
        Step("understand", "ended", {"topic": HOSTILE, "concepts": 2, "committees": 1}),
        Step("retrieve", "ended", {"acts": 1234, "byDense": 200}),
        Step("write", "working", {"section": 2, "sections": 9, "title": HOSTILE}),
    )
    waiting = page.Waiting(IDENTIFIER, HOSTILE, "running", 0, 0, steps)
    with app.test_request_context("/?lang=it"):
        shown = html.fromstring(page.render_waiting(waiting))
    states = {item.get("data-stage"): item.get("data-state") for item in shown.xpath("//li[@data-stage]")}
    assert states == {
        "understand": "ended", "retrieve": "ended", "choose": "waiting", "verify": "waiting", "write": "working",
    }  # fmt: skip
    (acts,) = shown.xpath("//li[@data-stage='retrieve']//div[@data-figure='acts']")
    assert acts.get("hidden") is None
    assert words(acts.find("dd")) == "1.234"
    assert shown.xpath("//noscript/meta[@http-equiv='refresh']")
    assert not shown.xpath("//script[not(@src)] | //img")
    assert "<script>alert(1)" in words(shown.xpath("//h1")[0])


def test_the_place_in_the_queue_is_told(esperia: Esperia) -> None:
    app = create_app(esperia.data, esperia.settings, esperia.corpus.graph)
    for ahead, told in ((3, "3 questions are before"), (1, "1 question is before"), (0, "this one is next")):
        with app.test_request_context("/?lang=en"):
            shown = html.fromstring(page.render_waiting(page.Waiting(IDENTIFIER, "x", "queued", ahead + 1, ahead)))
        assert told in words(shown.xpath("//*[@role='status']")[0])


# The front page


@pytest.fixture
def front(esperia: Esperia, tmp_path: Path) -> FlaskClient:
    data = tmp_path / "data"
    data.mkdir()
    (data / "current").symlink_to((esperia.data / "current").resolve())
    engine = LocalEngine(data, esperia.settings, esperia.corpus.embedder)
    return create_app(data, esperia.settings, esperia.corpus.graph, engine=engine).test_client()


def test_the_front_page_takes_a_question(front: FlaskClient) -> None:
    shown = html.fromstring(front.get("/?lang=it").text)
    (form,) = shown.xpath("//main//form")
    assert (form.get("method"), form.get("action")) == ("post", "/answers")
    assert form.xpath(".//textarea[@name='question']/@maxlength") == ["1000"]
    assert shown.xpath("//label[@for='question']")
    assert len(form.xpath(".//input[@name='group']")) == 10  # the government and nine groups
    assert set(form.xpath(".//input/@name | .//select/@name")) == {"group", "from", "until", "asOf", "language"}


def test_examples_are_what_was_debated_in_this_corpus(front: FlaskClient, esperia: Esperia) -> None:
    examples = html.fromstring(front.get("/?lang=it").text).xpath("//*[@data-question]/@data-question")
    assert 3 <= len(examples) <= 8
    known = {concept.label for concept in esperia.thesaurus.concepts}
    assert set(examples) <= known


def test_what_the_address_says_is_filled_in(front: FlaskClient) -> None:
    shown = html.fromstring(
        front.get("/", query_string={"question": HOSTILE, "from": "2025-02-01", "group": "government"}).text
    )
    assert "<script>alert(1)" in shown.xpath("//textarea")[0].text_content()
    assert shown.xpath("//input[@name='from']/@value") == ["2025-02-01"]
    assert shown.xpath("//input[@name='group'][@checked]/@value") == ["government"]
    assert shown.xpath("//details[contains(@class, 'filters')][@open]")


def test_a_site_that_only_publishes_says_what_can_be_done_instead(esperia: Esperia) -> None:
    client = create_app(esperia.data, esperia.settings, esperia.corpus.graph).test_client()
    shown = html.fromstring(client.get("/?lang=en").text)
    assert not shown.xpath("//main//form")
    assert {"/sittings", "/people", "/sparql", "/data"} <= set(shown.xpath("//main//a/@href"))
