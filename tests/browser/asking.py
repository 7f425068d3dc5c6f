"""Questions put to the service from beside the browser, and pictures of its pages."""

import os
from pathlib import Path
from typing import Final, Literal

import httpx
from playwright.sync_api import Page

from tests.conftest import wait_until

SCREENSHOTS = os.environ.get("EMICICLO_SCREENSHOTS")
"""Where pictures are kept; read here, as tests see nothing of the environment."""
SCHEMES: Final[tuple[Literal["light"], Literal["dark"]]] = ("light", "dark")
TOPIC = "il salario minimo legale"


def submit(service: str, question: str, *, fresh: bool = False, language: str = "it") -> str:
    """Put a question; the path of its answer."""
    body = {"question": question, "fresh": fresh, "language": language}
    response = httpx.post(f"{service}/answers", json=body, headers={"Accept": "application/json"})
    assert response.status_code in (200, 202), response.text
    return response.headers["Location"]


def answered(service: str, question: str = TOPIC, *, language: str = "it") -> str:
    """The path of an answer that is there."""
    path = submit(service, question, language=language)

    def there() -> bool:
        response = httpx.get(f"{service}{path}", headers={"Accept": "application/json"})
        assert response.status_code in (200, 202), response.text
        return response.status_code == 200

    wait_until(there, "the answer")
    return path


def picture(page: Page, name: str, folder: Path) -> Path:
    """A picture of the whole page, in the folder that EMICICLO_SCREENSHOTS names or in one of the test's own."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    place = Path(SCREENSHOTS or folder)
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{name}-{width}.png"
    page.screenshot(path=path, full_page=True)
    assert path.stat().st_size > 10_000
    return path
