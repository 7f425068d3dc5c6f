"""Esperia, in a data directory that a test may write into."""

from pathlib import Path

import pytest

from tests.conftest import Esperia
from tests.service.publication.parts import copy_of


@pytest.fixture
def esperia_version(esperia: Esperia, tmp_path: Path) -> Path:
    """A version of Esperia of which nothing is published yet."""
    return (copy_of(esperia.data, tmp_path / "data") / "current").resolve()
