"""The service over the demonstration parliament, and Chromium in front of it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, sync_playwright

from service.web import console
from tests.conftest import REPOSITORY, Esperia, wait_until

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
WEB = REPOSITORY / "service" / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
VENDOR = WEB / "static" / "vendor"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SETTINGS = {
    "EMICICLO_EMBEDDER": "hash",
    "EMICICLO_SPARQL__SECONDS": "1",
    "EMICICLO_SPARQL__WORKERS": "2",
    "EMICICLO_JOBS__AT_ONCE": "1",
    "EMICICLO_JOBS__PER_CLIENT": "20",
    "EMICICLO_JOBS__PER_CLIENT_HOURLY": "500",
    "EMICICLO_JOBS__STREAMS_PER_CLIENT": "8",
}
PATIENCE_MS = 10_000
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = None
    if CHROMIUM is None:
        reason = "no Chromium on this machine (Debian: apt-get install chromium)"
    elif not (AXE.is_file() and all(console.components(VENDOR).values())):
        reason = "the npm components are not installed (make setup)"
    for item in items:
        if reason and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass(frozen=True, slots=True)
class Serving:
    """The real service: where it is, and its process."""

    address: str
    pid: int

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the engine stand still, so that what is asked meanwhile waits as long as the test needs it to."""
        found = engines_of(self.pid)
        assert found, "the service has no engine"
        for pid in found:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in found:
                os.kill(pid, signal.SIGCONT)


def engines_of(pid: int) -> list[int]:
    """The processes of the engine below a process."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            named = b"service.engines.host" in Path(f"/proc/{child}/cmdline").read_bytes()
            found += [child] if named else engines_of(child)
    return found


@pytest.fixture(scope="package")
def service(serving: Serving) -> str:
    """The address of the real service over a copy of Esperia, in which it may write."""
    return serving.address


@pytest.fixture(scope="package")
def serving(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The real service over a copy of Esperia, in which it may write."""
    data = tmp_path_factory.mktemp("served") / "esperia"
    shutil.copytree(esperia.data, data, symlinks=True)
    with served(data) as running:
        yield running


@contextmanager
def served(data: Path) -> Iterator[Serving]:
    """The real service over a data directory."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("emiciclo")), "serve", "--data", str(data), "--port", str(port)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EMICICLO_")}
    log = data.parent / "service.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=clean | SETTINGS, stdout=output, stderr=output)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"the service ended:\n{log.read_text(errors='replace')}")
        try:
            return httpx.get(f"{address}/sparql", timeout=2).is_success
        except httpx.TransportError:
            return False

    try:
        wait_until(answers, "the service")
        yield Serving(address, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """One person's visit: the page, and what went wrong or went elsewhere while it was open."""

    page: Page
    origin: str
    expected_refusals: int = 0
    """Answers of 400 and above that the test means to get."""
    refusals: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Errors in the page's console, and requests to any other place."""

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self.page.on("request", self._sent)
        self.page.on("response", self._answered)

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.origin}{path}")
        return self.page

    def _said(self, message: ConsoleMessage) -> None:
        # Of a refusal Chromium says this by itself; it is counted below.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource: the server"):
            self.faults.append(f"{message.type}: {message.text}")

    def _sent(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.faults.append(f"a request left: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.refusals.append(f"{response.status} {response.url}")


@pytest.fixture(scope="package")
def visiting(service: str, chromium: Browser) -> Callable[..., Any]:
    """Open a visit with the options of a browser context; in the end nothing may have gone wrong."""
    return visits(service, chromium)


def visits(service: str, chromium: Browser) -> Callable[..., Any]:
    """What opens visits to a service."""

    @contextmanager
    def visit(**options: Any) -> Iterator[Visit]:
        chosen = {"viewport": WIDE, "locale": "en-GB", "reduced_motion": "reduce", **options}
        context = chromium.new_context(**chosen)
        try:
            made = Visit(context.new_page(), service)
            yield made
            assert made.faults == []
            assert len(made.refusals) == made.expected_refusals, made.refusals
        finally:
            context.close()

    return visit


@pytest.fixture
def visit(visiting: Callable[..., Any]) -> Iterator[Visit]:
    with visiting() as made:
        yield made


@pytest.fixture(scope="session")
def violations() -> Callable[..., list[str]]:
    """What axe finds in a part of a page (by selector) that is serious or critical."""
    source = AXE.read_text(encoding="utf-8")
    levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

    def run(page: Page, part: str = "html") -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(source)
        options = {"runOnly": levels, "resultTypes": ["violations"]}
        found = page.evaluate("([part, options]) => axe.run(part, options)", [part, options])
        return [
            f"{violation['id']}: {node['html'][:160]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    return run
