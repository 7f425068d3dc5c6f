"""Stenographic reports written on the spot, and the invented parliament of tests/data."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from loaders import stenographic
from loaders.record import Sitting, Speech
from tests.loaders.parliament import Parliament, whole

HEAD = '<seduta legislatura="7" numero="12" anno="2024" mese="05" giorno="09" ramo="camera">'


@pytest.fixture(scope="session")
def parliament() -> Parliament:
    """The invented parliament; nothing may write to it."""
    return whole()


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., Path]:
    """Write a report of what stands in `<resoconto>`, and return its path."""

    def write(body: str, *, head: str = HEAD, metadata: str = "", name: str = "report.xml") -> Path:
        path = tmp_path / name
        content = (
            f'{head}\n<metadati>{metadata}</metadati>\n<resoconto tipo="stenografico">\n{body}\n</resoconto></seduta>'
        )
        path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
        return path

    return write


@pytest.fixture
def sitting(report: Callable[..., Path]) -> Callable[..., Sitting]:
    """Read a sitting from what stands in `<resoconto>`."""
    return lambda body, **how: stenographic.read(report(body, **how))


@pytest.fixture
def spoken(sitting: Callable[..., Sitting]) -> Callable[[str], Speech]:
    """Read the one speech whose `<testoXHTML>` holds the given mark-up."""

    def read(markup: str) -> Speech:
        body = f'<intervento id="tit1.int1"><testoXHTML>{markup}</testoXHTML></intervento>'
        (speech,) = sitting(body).all_speeches()
        return speech

    return read
