"""Every page in a real browser: for everybody, at every width, in both schemes, with and without scripts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import TOPIC, picture
from tests.browser.conftest import NARROW, WIDE

SMALLEST = {"width": 360, "height": 740}
WIDEST = {"width": 1600, "height": 1000}
VIEWS = {
    "1280": {"viewport": WIDE, "color_scheme": "light"},
    "390-dark": {"viewport": NARROW, "color_scheme": "dark"},
    "1280-dark": {"viewport": WIDE, "color_scheme": "dark"},
    "390": {"viewport": NARROW, "color_scheme": "light"},
}
MORE = ("1280", "1280-dark", "390")
"""Views that the default run leaves out: their parts are in the others."""
LARGEST_PAGE = 300_000


@pytest.fixture(scope="module")
def pages(service: str) -> dict[str, str]:
    """Pages of each kind, by name; those of single things are the first that the lists lead to."""

    def first(path: str) -> str:
        members = httpx.get(f"{service}{path}", headers={"Accept": "application/ld+json"}, timeout=30).json()["member"]
        return str(members[0]["url"]).removeprefix(service)

    topic = quote(TOPIC)
    return {
        "search": f"/search?q={topic}",
        "search-acts": f"/search?q={topic}&kind=acts",
        "search-nothing": "/search?q=zzzqqq",
        "search-empty": "/search",
        "experts": f"/experts?topic={topic}",
        "experts-empty": "/experts",
        "compass": f"/compass?topic={topic}",
        "compass-empty": "/compass",
        "sittings": "/sittings",
        "sitting": first("/sittings"),
        "people": "/people",
        "government": "/people?role=government",
        "person": first("/people"),
        "about": "/about",
        "answers": "/answers",
        "api": "/api",
        "data": "/data",
    }


NAMES = (
    *("search", "search-acts", "search-nothing", "search-empty", "experts", "experts-empty"),
    *("compass", "compass-empty", "sittings", "sitting", "people", "government", "person"),
    *("about", "answers", "api", "data"),
)


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("view", [pytest.param(v, marks=[pytest.mark.slow] if v in MORE else []) for v in VIEWS])
def test_every_page_is_for_everybody(
    view: str,
    pages: dict[str, str],
    visiting: Callable[..., Any],
    violations: Callable[..., list[str]],
    tmp_path: Path,
) -> None:
    """axe finds nothing serious, nothing runs out of the window, one title; a picture is kept to be looked at."""
    faults: list[str] = []
    with visiting(**VIEWS[view]) as visit:
        for name in NAMES:
            page = visit.open(f"{pages[name]}{'&' if '?' in pages[name] else '?'}lang=it")
            expect(page.locator("h1")).to_have_count(1)
            faults += [f"{name}: {fault}" for fault in violations(page)]
            if overflow(page) > 0:
                faults.append(f"{name}: {overflow(page)} px too wide")
            picture(page, f"{name}-{VIEWS[view]['color_scheme']}", tmp_path)
    assert not faults


@pytest.mark.parametrize("size", [SMALLEST, WIDEST], ids=["360", "1600"])
def test_no_page_is_wider_than_its_window(
    size: dict[str, int], pages: dict[str, str], visiting: Callable[..., Any]
) -> None:
    with visiting(viewport=size) as visit:
        wide = {name: over for name in NAMES if (over := overflow(visit.open(pages[name]))) > 0}
    assert not wide


def test_every_page_reads_the_same_without_scripts(pages: dict[str, str], visiting: Callable[..., Any]) -> None:
    def read(**options: Any) -> dict[str, str]:
        with visiting(**options) as visit:
            return {name: visit.open(pages[name]).locator("h1").inner_text() for name in NAMES}

    assert read() == read(java_script_enabled=False)


def test_no_page_is_heavy(pages: dict[str, str], service: str) -> None:
    sizes = {name: len(httpx.get(f"{service}{pages[name]}", headers={"Accept": "text/html"}).content) for name in NAMES}
    assert {name: size for name, size in sizes.items() if size > LARGEST_PAGE} == {}
