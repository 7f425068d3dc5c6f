"""One person's whole way over a real parliament: ask, lose the network, read, check, print."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from service.embedding import HashEmbedder
from service.loading.build import load
from tests.browser.asking import picture
from tests.browser.conftest import NARROW, WIDE, Serving, served, visits
from tests.conftest import BASE, REPOSITORY

SOURCES = REPOSITORY.parent / "shared" / "data" / "camera"
VISITS = {
    "1280": (WIDE, "la legge di bilancio e le pensioni"),
    "390": (NARROW, "la separazione delle carriere dei magistrati"),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not SOURCES.is_dir(), reason="the real data of the Chamber are not beside the project"),
]


@pytest.fixture(scope="module")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The service over the Chamber's own files; the vectors are those of words, which take no time."""
    data = tmp_path_factory.mktemp("served") / "camera"
    load("camera", SOURCES, data, base_iri=BASE, embedder=HashEmbedder())
    with served(data) as running:
        yield running


@pytest.fixture(scope="module")
def visiting(camera: Serving, chromium: Browser) -> Callable[..., Any]:
    return visits(camera.address, chromium)


@pytest.mark.parametrize(("size", "question"), VISITS.values(), ids=VISITS)
def test_a_question_is_asked_answered_checked_and_printed(
    size: dict[str, int],
    question: str,
    camera: Serving,
    visiting: Callable[..., Any],
    violations: Callable[..., list[str]],
    tmp_path: Path,
) -> None:
    with visiting(viewport=size, locale="it-IT") as visit:
        page = visit.open("/?lang=it")
        picture(page, "camera-ask", tmp_path)
        page.get_by_label("Che cosa volete sapere?").fill(question)
        with camera.held():
            page.get_by_role("button", name="Chiedi").click()
            expect(page.locator("#progress")).to_be_visible()
            picture(page, "camera-waiting", tmp_path)
            page.context.set_offline(True)
            expect(page.locator(".connection")).to_be_visible()
        page.context.set_offline(False)
        expect(page.locator(".answer h1")).to_be_visible(timeout=60_000)
        visit.faults[:] = [fault for fault in visit.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
        assert violations(page) == []
        picture(page, "camera-answer", tmp_path)
        answer = page.url.split("?")[0]

        words = page.locator(".quotation .words").first.inner_text()
        page.get_by_role("link", name="Leggi nel resoconto").first.click()
        expect(page.locator("mark.asked").first).to_be_in_viewport()
        assert "".join(page.locator("mark.asked").all_inner_texts()) == words.strip("«»")
        picture(page, "camera-transcript", tmp_path)
        page.go_back()
        expect(page.locator(".answer h1")).to_be_visible()

        page.get_by_role("link", name="English").click()
        expect(page.get_by_role("link", name="Read in the transcript").first).to_be_visible()
        page.goto(answer)
        assert page.locator(".quotation .words").first.inner_text() == words
        page.goto(f"{answer}/verify?lang=it")
        expect(page.locator("h1")).to_be_visible()
        page.goto(f"{answer}?lang=it")
        printed = tmp_path / "answer.pdf"
        page.emulate_media(media="print")
        assert page.pdf(path=printed, format="A4").startswith(b"%PDF")
        assert re.search(r"\d+ citazioni", page.locator("body").inner_text())
