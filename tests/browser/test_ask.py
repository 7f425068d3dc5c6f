"""The front page and an answer in the making, in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import SCHEMES, TOPIC, answered, picture, submit
from tests.browser.conftest import NARROW, WIDE, Serving, Visit

ANSWER = re.compile(r"/answers/[0-9a-f-]{36}$")
SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])


def question(page: Page) -> Any:
    return page.get_by_label("What do you want to know about?")


def forgive(visit: Visit, *faults: str) -> None:
    """Leave out what the browser says of a network that the test itself took away."""
    visit.faults[:] = [told for told in visit.faults if not any(fault in told for fault in faults)]


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


# Asking


def test_a_question_goes_through_a_lost_network_to_its_answer(visit: Visit, serving: Serving) -> None:
    page = visit.open("/?lang=en")
    question(page).fill("il contrasto del dissesto idrogeologico")
    with serving.held():
        page.get_by_role("button", name="Ask").click()
        expect(page.locator("#progress")).to_be_visible()
        assert ANSWER.search(page.url)
        expect(page.get_by_role("status")).to_have_text(re.compile("At work"))
        page.context.set_offline(True)
        expect(page.locator(".connection")).to_contain_text("The connection is lost")
    page.context.set_offline(False)
    expect(page.locator(".answer h1")).to_have_text(re.compile("dissesto idrogeologico"))
    forgive(visit, "ERR_INTERNET_DISCONNECTED")


def test_progress_tells_the_queue_and_what_was_found(visit: Visit, serving: Serving) -> None:
    visit.page.add_init_script("""addEventListener("DOMContentLoaded", () => {
      const root = document.querySelector("#progress");
      const told = () => sessionStorage.getItem("told") ?? "";
      const keep = () => sessionStorage.setItem("told", told() + root.innerText + "\\n");
      if (root) new MutationObserver(keep).observe(root, { subtree: true, childList: true, attributes: true });
    })""")
    with serving.held():
        submit(serving.address, "il caporalato", fresh=True)
        submit(serving.address, "le liste d'attesa", fresh=True)
        path = submit(serving.address, "le concessioni balneari", fresh=True)
        page = visit.open(f"{path}?lang=en")
        expect(page.get_by_role("status")).to_have_text(re.compile("Waiting: 2"))
    expect(page.locator(".answer h1")).to_be_visible()
    told = page.evaluate("sessionStorage.getItem('told')")
    assert "Searching the record" in told
    assert re.search(r"passages together\s+\d+|\d+\s+passages together", told)
    assert re.search(r"passages verified\s+\d+|\d+\s+passages verified", told)


def test_progress_is_asked_for_where_events_are_refused(visit: Visit, serving: Serving) -> None:
    visit.page.route("**/events", lambda route: route.fulfill(status=429, body="{}"))
    with serving.held():
        path = submit(serving.address, "la separazione delle carriere", fresh=True)
        page = visit.open(f"{path}?lang=en")
        expect(page.locator("#progress")).to_be_visible()
    expect(page.locator(".answer h1")).to_be_visible()
    visit.expected_refusals = len(visit.refusals)
    assert all(told.startswith("429") for told in visit.refusals)
    forgive(visit, "429")


def test_a_question_is_taken_back(visit: Visit, serving: Serving) -> None:
    with serving.held():
        path = submit(serving.address, "il bilancio dello Stato per il 2026", fresh=True)
        page = visit.open(f"{path}?lang=en")
        page.get_by_role("button", name="Cancel").click()
        expect(question(page)).to_have_value("il bilancio dello Stato per il 2026")


def test_a_question_that_cannot_be_sent_is_not_lost(visit: Visit) -> None:
    page = visit.open("/?lang=en")
    question(page).fill("il caporalato")
    page.context.set_offline(True)
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("alert")).to_contain_text("The service cannot be reached.")
    expect(question(page)).to_have_value("il caporalato")
    page.context.set_offline(False)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer h1")).to_be_visible()
    forgive(visit, "ERR_INTERNET_DISCONNECTED")


def test_a_refusal_says_what_to_do_and_keeps_the_question(visit: Visit) -> None:
    page = visit.open("/?lang=en")
    question(page).fill("???")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("alert")).to_contain_text("empty")
    expect(question(page)).to_have_value("???")
    visit.expected_refusals = 1


def test_an_example_of_the_corpus_is_asked_by_keyboard_alone(visit: Visit) -> None:
    page = visit.open("/?lang=en")
    example = page.locator("[data-question]").first
    topic = example.get_attribute("data-question")
    for _ in range(60):
        page.keyboard.press("Tab")
        if example.evaluate("example => example === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(question(page)).to_be_focused()
    expect(question(page)).to_have_value(topic or "")
    page.keyboard.press("Enter")
    expect(page.locator(".answer h1")).to_have_text(re.compile(re.escape(topic or "!"), re.IGNORECASE))


def test_filters_limit_the_question(visit: Visit) -> None:
    page = visit.open("/?lang=en")
    page.get_by_text("Days, groups, language").click()
    group = page.locator(".choices label").nth(1)
    name = group.inner_text().strip()
    group.click()
    question(page).fill(TOPIC)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer .facts-line")).to_contain_text(name)


# Without scripts


def test_the_whole_way_goes_without_scripts(visiting: Callable[..., Any], serving: Serving) -> None:
    with visiting(java_script_enabled=False) as visit:
        page = visit.open("/?lang=en")
        question(page).fill("l'educazione affettiva nelle scuole")
        with serving.held():
            page.get_by_role("button", name="Ask").click()
            expect(page.get_by_text("An answer in the making")).to_be_visible()
        expect(page.locator(".answer h1")).to_have_text(re.compile("educazione affettiva"))  # it refreshes itself
        page.get_by_role("link", name="Read in the transcript").first.click()
        expect(page.locator("#quotation")).to_be_in_viewport()


def test_a_question_is_taken_back_without_scripts(visiting: Callable[..., Any], serving: Serving) -> None:
    with visiting(java_script_enabled=False) as visit, serving.held():
        page = visit.open(f"{submit(serving.address, 'la difesa europea', fresh=True)}?lang=en")
        page.get_by_role("button", name="Cancel").click()
        expect(question(page)).to_have_value("la difesa europea")


# State, accessibility, pictures


def test_events_count_once_and_stages_never_go_back(visit: Visit) -> None:
    page = visit.open("/")
    state = page.evaluate("""async () => {
      const { begin, after } = await import("/static/ask/state.js");
      const events = [
        { id: "1", type: "queued", data: { position: 2, ahead: 1 } },
        { id: "2", type: "stage", data: { stage: "retrieve", state: "begun", figures: {} } },
        { id: "3", type: "stage", data: { stage: "retrieve", state: "ended", figures: { acts: 9 } } },
        { id: "2", type: "stage", data: { stage: "retrieve", state: "begun", figures: { acts: 1 } } },
        { id: "nonsense", type: "stage", data: { stage: "retrieve", state: "begun", figures: {} } },
        { id: "4", type: "stage", data: { stage: "__proto__", state: "begun", figures: {} } },
      ];
      const once = events.reduce(after, begin());
      const twice = [...events, ...events].reduce(after, begin());
      const done = after(once, { id: "1", type: "done", data: { location: "/answers/x" } });
      const later = after(done, { id: "9", type: "failed", data: {} });
      return { same: JSON.stringify(once) === JSON.stringify(twice), retrieve: once.stages.retrieve,
               stages: Object.keys(once.stages), queued: once.queued, end: done.end, still: later === done };
    }""")
    assert state == {
        "same": True,
        "retrieve": {"state": "ended", "figures": {"acts": 9}},
        "stages": ["retrieve"],
        "queued": None,
        "end": {"type": "done", "location": "/answers/x"},
        "still": True,
    }


@SIZES
def test_the_front_page_is_accessible(
    size: dict[str, int],
    visiting: Callable[..., Any],
    violations: Callable[..., list[str]],
    service: str,
    tmp_path: Path,
) -> None:
    answered(service)
    with visiting(viewport=size) as visit:
        page = visit.open("/?lang=it")
        picture(page, "ask", tmp_path)
        page.locator("summary").first.click()
        assert fits(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []


@SIZES
def test_an_answer_in_the_making_is_accessible(
    size: dict[str, int],
    visiting: Callable[..., Any],
    violations: Callable[..., list[str]],
    serving: Serving,
    tmp_path: Path,
) -> None:
    with visiting(viewport=size) as visit, serving.held():
        waiting = submit(serving.address, "i flussi di ingresso dei lavoratori", fresh=True)
        page = visit.open(f"{waiting}?lang=en")
        expect(page.get_by_role("status")).to_have_text(re.compile("At work"))
        picture(page, "waiting", tmp_path)
        assert fits(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        page.get_by_role("button", name="Cancel").click()
        expect(question(page)).to_be_visible()


@pytest.mark.parametrize("width", [360, 1600])
def test_the_frame_fits(width: int, visiting: Callable[..., Any]) -> None:
    with visiting(viewport={"width": width, "height": 800}) as visit:
        page = visit.open("/?lang=it")
        assert fits(page)
        assert page.locator(".sections a[aria-current=page]").inner_text() == "Chiedi"
        small = page.locator(".masthead a").evaluate_all(
            "all => all.filter(a => a.offsetParent && a.getBoundingClientRect().height < 24).map(a => a.textContent)"
        )
        assert small == []
