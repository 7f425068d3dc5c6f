"""The page of an answer in a real browser."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import SCHEMES, TOPIC, answered, picture
from tests.browser.conftest import NARROW, WIDE, Visit

LIMIT = 300_000
"""Bytes of the first page of an answer, with all that it loads, as they are sent."""


@pytest.fixture(scope="module")
def path(service: str) -> str:
    return answered(service)


@pytest.fixture
def answer(visit: Visit, path: str) -> Page:
    return visit.open(f"{path}?lang=en")


def test_a_quotation_is_read_in_its_place_and_left_again(answer: Page) -> None:
    quotation = answer.locator(".quotation").first
    words = quotation.locator(".words").inner_text()
    quotation.get_by_role("link", name="Read in the transcript").click()
    mark = answer.locator("mark.asked").first
    expect(mark).to_be_in_viewport()
    assert "".join(answer.locator("mark.asked").all_inner_texts()) == words.strip("«»")
    answer.go_back()
    expect(answer.locator(".answer h1")).to_be_visible()
    expect(answer.locator(".quotation").first).to_be_attached()


def test_figures_open_what_they_count(answer: Page) -> None:
    figure = answer.locator(".introduction a.figure").first
    assert urlsplit(figure.get_attribute("href") or "").path == "/search"
    silent = answer.locator(".openers summary")
    if silent.count():
        silent.click()
        expect(answer.locator(".openers details li").first).to_be_visible()


def test_the_language_is_switched_and_the_link_reloaded(answer: Page, path: str) -> None:
    words = answer.locator(".quotation .words").first.inner_text()
    answer.get_by_role("link", name="Italiano").click()
    expect(answer.get_by_role("link", name="Leggi nel resoconto").first).to_be_visible()
    assert answer.locator("html").get_attribute("lang") == "it"
    answer.goto(answer.url.split("?")[0])
    expect(answer.get_by_role("link", name="Leggi nel resoconto").first).to_be_visible()
    assert answer.locator(".quotation .words").first.inner_text() == words
    assert answer.locator(".quotation > p").first.get_attribute("lang") == "it"


def test_a_quotation_has_an_address_of_its_own(visit: Visit, path: str) -> None:
    page = visit.open(f"{path}?lang=en#q1")
    expect(page.locator("#q1")).to_be_in_viewport()


def test_citations_are_copied(visiting: Callable[..., Any], path: str) -> None:
    with visiting(permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.open(f"{path}?lang=en")
        cite = page.locator(".quotation .folds details").nth(1)
        cite.locator("summary").click()
        for name, begins in (("Text", ""), ("BibTeX", "@misc{"), ("JSON-LD", "{"), ("RDF (Turtle)", "@prefix")):
            button = cite.get_by_role("button", name=f"Copy: {name}")
            button.click()
            expect(button).to_have_text("Copied")
            assert page.evaluate("navigator.clipboard.readText()").startswith(begins)


def test_it_says_why_and_how(answer: Page) -> None:
    answer.get_by_text("Why this passage").first.click()
    expect(answer.locator(".reasons li").first).to_be_visible()
    assert answer.locator(".folds .bars").first.locator("dd").count() == 5
    made = answer.locator("#made").inner_text()
    assert "No language model wrote this." in made
    assert "Esperia" in made
    assert "compared with the record" in answer.locator(".verified").first.inner_text()
    answer.get_by_role("link", name="Verify now").click()
    expect(answer).to_have_url(re.compile("/verify"))
    expect(answer.locator("h1")).to_be_visible()


def test_it_is_printed_with_sources_and_without_the_tool(answer: Page, tmp_path: Path) -> None:
    answer.emulate_media(media="print")
    expect(answer.locator(".quotation .print-only").first).to_be_visible()
    assert "http" in answer.locator(".quotation .print-only").first.inner_text()
    for tool in (".sections", ".rail", ".folds", ".again", ".openers"):
        expect(answer.locator(tool).first).to_be_hidden()
    printed = answer.pdf(path=tmp_path / "answer.pdf", format="A4")
    assert printed.startswith(b"%PDF")


def test_it_is_light(visit: Visit, path: str, service: str) -> None:
    loaded: list[str] = []
    visit.page.on("requestfinished", lambda request: loaded.append(request.url))
    page = visit.open(f"{path}?lang=en")
    page.wait_for_load_state("networkidle")
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    sent = 0
    for url in dict.fromkeys(loaded):
        with httpx.stream("GET", url, headers=headers) as response:
            sent += sum(map(len, response.iter_raw()))
    assert len(loaded) > 2
    assert sent < LIMIT


@pytest.mark.parametrize(
    "size", [pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow", marks=pytest.mark.slow)]
)
def test_it_is_accessible(
    size: dict[str, int],
    visiting: Callable[..., Any],
    violations: Callable[..., list[str]],
    path: str,
    tmp_path: Path,
) -> None:
    with visiting(viewport=size) as visit:
        page = visit.open(f"{path}?lang=it")
        picture(page, "answer", tmp_path)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []


def test_it_is_whole_on_the_smallest_telephone(visiting: Callable[..., Any], path: str) -> None:
    with visiting(viewport={"width": 360, "height": 700}) as visit:
        page = visit.open(f"{path}?lang=it")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert TOPIC in page.locator("h1").inner_text().lower()
