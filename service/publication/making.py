"""Makes the dumps and statistics of a version, once, beside its graph.

    versions/3f9c…/publication/statistics.json
    versions/3f9c…/publication/dumps.json           name, graph, size and SHA-256 of each dump
    versions/3f9c…/publication/camera-19.nq.gz …    one a graph, and all.nq.gz

They belong to the version: they are as final as its graph, and go when it goes.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from service.errors import DataError
from service.publication import statistics
from service.publication.dumps import EVERYTHING, MOST_GRAPHS, Content, compress, graph_key, names
from service.publication.statistics import GraphStatistics, Tally

FOLDER: Final = "publication"
SUFFIX: Final = ".nq.gz"
_INDEX: Final = "dumps.json"
_STAGING: Final = ".publication-"


@dataclass(frozen=True, slots=True)
class Dump:
    """One gzip file of N-Quads."""

    name: str
    graph: str | None
    """The graph by its `graph_key`; None stands for all of them."""
    quads: int
    size: int
    """Bytes of the file."""
    sha256: str


@dataclass(frozen=True, slots=True)
class Publication:
    """What is made of a version to be given away."""

    folder: Path
    dumps: tuple[Dump, ...]
    """That of everything first, then by graph."""
    statistics: GraphStatistics

    def path(self, dump: Dump) -> Path:
        """The file of a dump."""
        return self.folder / f"{dump.name}{SUFFIX}"


_JSON: Final = TypeAdapter(tuple[Dump, ...])


def read(version: Path) -> Publication | None:
    """What was made of a version; None if nothing was, or if it is not whole."""
    folder = version / FOLDER
    found = statistics.read(version)
    try:
        dumps = _JSON.validate_json((folder / _INDEX).read_bytes())
        whole = all((folder / f"{dump.name}{SUFFIX}").stat().st_size == dump.size for dump in dumps)
    except (OSError, ValidationError):
        return None
    return Publication(folder, dumps, found) if found and whole else None


def make(version: Path) -> Publication:
    """Make the dumps and statistics of a version, unless they are there.

    Where others are at it, in this process or another, it waits for them. Raises `DataError`
    if the graph does not open, and `OSError` if the folder of the version cannot be written.
    """
    with _alone(version):
        if found := read(version):
            return found
        for leftover in version.glob(f"{_STAGING}*"):
            shutil.rmtree(leftover)
        content = Content.open(version)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=version))
        try:
            _fill(staging, content)
            staging.chmod(0o755)
            shutil.rmtree(version / FOLDER, ignore_errors=True)
            staging.rename(version / FOLDER)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    if found := read(version):
        return found
    raise DataError(f"{version / FOLDER} changed while it was made; nothing but a load may write into a version")


@contextmanager
def _alone(version: Path) -> Iterator[None]:
    """Hold a version; the lock is on its folder, which needs no right to write."""
    folder = os.open(version, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _fill(folder: Path, content: Content) -> None:
    """Read each graph once; write a dump of each, then the one of everything from those."""
    found = content.graphs()
    named = names(found)
    tallies = {graph: Tally(graph) for graph in found}
    parts: list[tuple[Path, str]] = []
    for graph in found:
        path = folder / f"{named[graph]}{SUFFIX}"
        parts.append((path, _write(path, compress(_counted(content.n_quads(graph), tallies[graph])))))
    counts = statistics.summarise(content, tallies)
    # Members of gzip that follow each other are one file, so nothing is compressed twice.
    whole = folder / f"{EVERYTHING}{SUFFIX}"
    digest = _write(whole, (block for path, _ in parts for block in _blocks(path)))
    quads = sum(graph.triples for graph in counts.graphs.values())
    dumps = [Dump(EVERYTHING, None, quads, whole.stat().st_size, digest)]
    for graph, (path, part_digest) in zip(found, parts, strict=True):
        if len(found) > MOST_GRAPHS:
            path.unlink()
        else:
            key = graph_key(graph)
            dumps.append(Dump(named[graph], key, counts.graphs[key].triples, path.stat().st_size, part_digest))
    _write(folder / _INDEX, [_JSON.dump_json(tuple(dumps), indent=1)])
    _write(folder / Path(statistics.FILE).name, [statistics.dump(counts)])


def _counted(blocks: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    for block in blocks:
        tally.add(block)
        yield block


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            yield block


def _write(path: Path, blocks: Iterable[bytes]) -> str:
    """Write a file to the disk itself; return its SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for block in blocks:
            digest.update(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()
