"""What a load can go on from: a published version that lacks some later sittings, and nothing else.

Everything that a load makes of a sitting, it makes of the register and of this sitting alone (an unregistered
speaker has the name that was printed first), so that adding later sittings gives what loading everything does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

import sparql
from loaders.record import Names
from service.corpus import DataDirectory, read_manifest
from service.errors import DataError, QueryError
from service.graph import EmbeddedGraph, Row, text_of
from service.loading.checks import CheckResult
from service.loading.staging import GRAPH
from service.loading.transcripts import Transcript, read_all, register_for_rules

SHARE: Final = 0.25
"""New sources to those that are kept, above which everything is loaded in bulk."""
_Checks: Final = TypeAdapter(tuple[CheckResult, ...])


@dataclass(frozen=True, slots=True)
class Basis:
    """A version that a load goes on from, with what it lacks."""

    folder: Path
    checks: tuple[CheckResult, ...]
    lacking: tuple[Transcript, ...]


def find_basis(
    directory: DataDirectory, recipe: str, digests: Mapping[str, str], reports: Mapping[str, Path], names: Names
) -> Basis | None:
    """Find what a load can go on from, or None if everything has to be loaded.

    It can from the published version if that has the same recipe (register, mapping, program, model), each of its
    sources is still there and the same, and what it lacks is transcripts, few and of later sittings. Whoever loads
    the very same sources again wants them loaded. `digests` and `reports` are by file name. Raises `SourceError`.
    """
    try:
        folder = directory.published()
        manifest = read_manifest(folder)
        checks = _Checks.validate_json((folder / "report.json").read_bytes())
    except (DataError, OSError, ValidationError):
        return None
    kept = manifest.sources
    new = [path for name, path in reports.items() if name not in kept]
    if manifest.recipe != recipe or any(digests.get(name) != digest for name, digest in kept.items()):
        return None
    if not 0 < len(new) <= SHARE * len(kept):
        return None
    try:
        graph = EmbeddedGraph.open(folder / GRAPH)
        register = register_for_rules(graph)
        (last,) = graph.select(sparql.query("index/last-sitting"))
    except (DataError, QueryError):
        return None
    lacking = tuple(read_all(new, names, register))
    return Basis(folder, checks, lacking) if _all_later(lacking, last) else None


def _all_later(transcripts: tuple[Transcript, ...], last: Row) -> bool:
    number, day = text_of(last, "last"), text_of(last, "lastDay")
    return bool(number and day) and all(t.number > int(number or 0) and str(t.day) >= (day or "") for t in transcripts)
