"""Reads what an engine reads: a Dockerfile, a .dockerignore, a Compose file."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKERFILE = REPOSITORY / "docker" / "Dockerfile"
COMPOSE = REPOSITORY / "docker" / "compose.yaml"
IGNORED = REPOSITORY / ".dockerignore"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a Dockerfile, its flags apart."""

    keyword: str
    flags: Mapping[str, str]
    value: str

    @property
    def words(self) -> list[str]:
        """The value as a list: of its JSON form, or of its words."""
        return json.loads(self.value) if self.value.startswith("[") else shlex.split(self.value)


@dataclass(frozen=True, slots=True)
class Stage:
    """A FROM and what follows it."""

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def all(self, keyword: str) -> list[Instruction]:
        return [instruction for instruction in self.instructions if instruction.keyword == keyword]

    def last(self, keyword: str) -> Instruction:
        return self.all(keyword)[-1]


def read_dockerfile(path: Path = DOCKERFILE) -> list[Stage]:
    """The stages of a Dockerfile, the defaults of its ARGs put into their bases."""
    stages: list[Stage] = []
    arguments: dict[str, str] = {}
    for instruction in _instructions(path.read_text(encoding="utf-8")):
        if instruction.keyword == "ARG" and not stages:
            name, _, value = instruction.value.partition("=")
            arguments[name] = value
        elif instruction.keyword == "FROM":
            base, *named = expand(instruction.value, arguments).split()
            stages.append(Stage(base, named[1] if named else ""))
        else:
            stages[-1].instructions.append(instruction)
    return stages


def _instructions(text: str) -> Iterator[Instruction]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        keyword, _, rest = line.strip().partition(" ")
        flags: dict[str, str] = {}
        while found := re.match(r"\s*--([\w-]+)=(\S+)", rest):
            flags[found[1]] = found[2]
            rest = rest[found.end() :]
        yield Instruction(keyword.upper(), flags, rest.strip())


def expand(text: str, values: Mapping[str, str]) -> str:
    """Put variables in, as `$NAME`, `${NAME}` and `${NAME:-default}`; `$$` is a dollar."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return values.get(found["bare"] or found["name"]) or found["default"] or ""

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}|\$(?P<bare>\w+)", value, text)


class Ignored:
    """What a .dockerignore keeps out of the build: of the patterns that match, the last one decides."""

    def __init__(self, path: Path = IGNORED) -> None:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        self._rules = [
            (_expression(line.removeprefix("!").strip("/")), not line.startswith("!"))
            for line in lines
            if line and not line.startswith("#")
        ]

    def __call__(self, path: str) -> bool:
        """Whether a path, relative to the context, is kept out."""
        ignored = False
        for expression, keeps_out in self._rules:
            if expression.fullmatch(path):
                ignored = keeps_out
        return ignored


def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern matches what lies below it too."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    translated = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(translated.get(part, re.escape(part)) for part in parts) + "(?:/.*)?")


def read_compose(values: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The Compose file as the engine sees it: variables put in, anchors followed."""
    document = yaml.safe_load(expand(COMPOSE.read_text(encoding="utf-8"), values or {}))
    return {name: part for name, part in document.items() if not name.startswith("x-")}
