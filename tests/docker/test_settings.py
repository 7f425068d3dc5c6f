"""Every setting is documented and can be given to a container; nothing else is."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from service.settings import PREFIX, Settings
from tests.docker.reading import COMPOSE, REPOSITORY, read_compose

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def variables(model: type[BaseModel] = Settings, prefix: str = PREFIX) -> Iterator[tuple[str, Any]]:
    """The environment's name of each setting, and its default."""
    for name, described in model.model_fields.items():
        kind = described.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from variables(kind, f"{prefix}{name.upper()}__")
        else:
            yield prefix + name.upper(), described.default


KNOWN = dict(variables())


def named_in(text: str) -> set[str]:
    return {name.rstrip("_") for name in re.findall(rf"\b{PREFIX}\w+", text)}


def rows() -> dict[str, str]:
    """The defaults in the tables of the README."""
    return dict(re.findall(rf"^\| `({PREFIX}\w+)` \| ([^|]+?) \|", README, re.MULTILINE))


def test_every_setting_has_a_row_in_the_readme() -> None:
    assert set(rows()) == set(KNOWN)


def test_the_readme_tells_the_defaults() -> None:
    for name, default in KNOWN.items():
        told = rows()[name].strip("`").replace(",", "")
        if isinstance(default, bool):
            assert told == str(default).lower(), name
        elif isinstance(default, int | float):
            assert float(told) == default, name
        elif isinstance(default, str):
            assert told == default, name


def test_the_readme_names_no_setting_that_is_none() -> None:
    assert named_in(README) <= set(KNOWN)


def test_every_setting_is_passed_on_to_a_container_and_nothing_else_is() -> None:
    for name, service in read_compose()["services"].items():
        if "build" in service:
            assert set(service["environment"]) == set(KNOWN), name


def test_the_compose_file_names_no_setting_that_is_none() -> None:
    assert named_in(COMPOSE.read_text(encoding="utf-8")) <= set(KNOWN)


def test_every_variable_of_the_compose_file_is_in_the_readme() -> None:
    own = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text(encoding="utf-8"))) - set(KNOWN)

    assert own
    assert {name for name in own if f"`{name}`" not in README} == set()
