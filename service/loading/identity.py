"""Names for what is loaded: the same sources and program give the same one."""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from loaders.errors import SourceError


def digest_of(path: Path) -> str:
    """The SHA-256 of a file. Raises `SourceError`."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror}") from error


def version_of(*made_from: Any) -> str:
    """A name for what is made from these values, all JSON, by this program."""
    content = json.dumps([*made_from, _program()], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@cache
def _program() -> str:
    """A digest of what makes a corpus of sources: loaders, rules, queries and ontology."""
    digest = hashlib.sha256()
    for package in ("loaders", "mappings", "ontology", "sparql", "service.loading"):
        for name, content in _files(files(package)):
            digest.update(f"{package}/{name}\n{content}\n".encode())
    return digest.hexdigest()


def _files(folder: Traversable) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from ((f"{entry.name}/{name}", content) for name, content in _files(entry))
        elif entry.name.endswith((".py", ".rq", ".ttl")):
            yield entry.name, entry.read_text(encoding="utf-8")
