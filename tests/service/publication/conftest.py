"""Esperia, in a data directory that a test may write into."""

from pathlib import Path

import pytest

from service.publication.making import make
from tests.conftest import Esperia
from tests.service.publication.parts import copy_of


@pytest.fixture(scope="session")
def published_version(esperia: Esperia, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A version of Esperia with what is published of it; nothing may write into it."""
    version = (copy_of(esperia.data, tmp_path_factory.mktemp("published")) / "current").resolve()
    make(version)
    return version


@pytest.fixture
def esperia_version(esperia: Esperia, tmp_path: Path) -> Path:
    """A version of Esperia of which nothing is published yet."""
    return (copy_of(esperia.data, tmp_path / "data") / "current").resolve()
