"""The store of answers: one named graph an answer, named by the answer's IRI, published like a corpus.

Each keep makes a new snapshot beside the old one and then moves one link, so that readers of any
process see the former answers or the new ones and never a mixture:

    answers/current -> snapshots/000007-3f9c…     what is published: Oxigraph, which nobody writes to again
    answers/snapshots/000006-81d0…                the one before, which readers may have open
    answers/lock                                  held by whoever keeps an answer

A snapshot begins as a hard-linked copy of the one before, so that it costs what is new in it. Its
default graph holds every triple of the answers once: the same quotation is in several answers, and
a union of their graphs would count it several times.
"""

import contextlib
import fcntl
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, RdfFormat, Store, parse

from service.answer import jsonld
from service.errors import DataError
from service.resources.wording import gettext
from service.snapshots.handle import Snapshot

PATIENCE_SECONDS: Final = 30.0
"""How long a keep waits for others; one takes a tenth of a second of a processor."""
LOOK_SECONDS: Final = 0.02
LINGER_SECONDS: Final = 120.0
"""How long a snapshot stays after another has taken its place: readers may have it open."""
FEWEST: Final = 2
"""Snapshots that stay whatever their age …"""
MOST: Final = 12
"""… and at most, however young."""
READERS: Final = 2
"""Snapshots that this process has open at once."""
_NAME: Final = re.compile(r"(\d+)-[0-9a-f]+")
_UNFINISHED: Final = re.compile(rf"{_NAME.pattern}\.tmp")
"""What RocksDB calls a copy that it is making."""
_EVERYTHING: Final = DefaultGraph()
_log: Final = logging.getLogger(__name__)


def keep_answer(folder: Path, document: jsonld.Document) -> bool:
    """Keep an answer's RDF in place of any former of that IRI.

    Returns False if other processes keep theirs for too long, or if it cannot be written, which
    the log tells the reason of; the former answers stay as they are then.
    """
    graph = NamedNode(document["id"])
    triples = parse(jsonld.to_rdf(document).encode(), format=RdfFormat.N_QUADS, rename_blank_nodes=True)
    quads = [Quad(q.subject, q.predicate, q.object, graph) for q in triples]
    return _publish(folder, graph, quads)


def read_answer(folder: Path, iri: str) -> jsonld.Document | None:
    """Read an answer back as the document that it was made from; None if it is not there. Raises `DataError`."""
    store = open_store(folder)
    if store is None:
        return None
    quads = [Quad(q.subject, q.predicate, q.object) for q in store.quads_for_pattern(None, None, None, NamedNode(iri))]
    if not quads:
        return None
    return jsonld.from_rdf("".join(f"{quad} .\n" for quad in quads))


def snapshot(folder: Path) -> Snapshot | None:
    """What is published now; None where no answer was ever kept. Answers of a former release are published first.

    Raises `OSError` where what is published is damaged.
    """
    found = _current(folder)
    if found is None and _is_former(folder):
        with contextlib.suppress(OSError, RuntimeError), _locked(folder):
            _adopt(folder)
        found = _current(folder)
    return Snapshot(found, found.name, union_default_graph=False) if found else None


def snapshot_or_empty(folder: Path) -> Snapshot:
    """What is published now; a snapshot of nothing where nothing is."""
    return snapshot(folder) or Snapshot(None, "000000", union_default_graph=False)


def open_store(folder: Path) -> Store | None:
    """The published answers, opened read-only and kept open; None where none were ever kept.

    Raises `DataError` where there are answers that cannot be read: that is not the same as none.
    """
    for _ in range(2):  # what was published a moment ago may be gone by a moment later
        try:
            found = snapshot(folder)
            return _opened(found.path) if found and found.path else None
        except (OSError, RuntimeError) as error:  # the latter is what RocksDB finds corrupt
            _log.warning("the answers in %s cannot be read: %s", folder, error)
    raise DataError(gettext("the answers cannot be read now; the log of the service says why"))


@lru_cache(maxsize=READERS)
def _opened(path: Path) -> Store:
    """Open a snapshot, which never changes and whose name no other has."""
    return Store.read_only(str(path))


def _current(folder: Path) -> Path | None:
    """The published snapshot by its own name. Raises `OSError` where what is published is no store."""
    link = folder / "current"
    path = link.resolve()
    if (path / "CURRENT").is_file():
        return path
    if link.is_symlink():  # to take it for empty would make the next keep remove the snapshots that are left
        raise OSError(f"{path} is damaged or gone; link {link} to one of the snapshots beside it")
    return None


def _publish(folder: Path, graph: NamedNode, quads: Iterable[Quad]) -> bool:
    try:
        with _locked(folder):
            _tidy(folder)
            if _is_former(folder) and _current(folder) is None:
                _adopt(folder)
            _replace(folder, graph, quads)
            _prune(folder)
    except TimeoutError:
        return False
    except (OSError, RuntimeError) as error:
        _log.error("an answer could not be kept in %s: %s", folder, error)
        return False
    return True


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the answers, which ends with its process. Raises `TimeoutError` where others hold it long."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + PATIENCE_SECONDS
    with (folder / "lock").open("ab") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the answers in {folder} are in use elsewhere") from None
                time.sleep(LOOK_SECONDS)
        yield


def _replace(folder: Path, graph: NamedNode, quads: Iterable[Quad]) -> None:
    """Publish the answers with one of them replaced."""
    fresh = _fresh_name(folder)
    former = _current(folder)
    if former:
        Store.read_only(str(former)).backup(str(fresh))
    store = Store(str(fresh))
    replace_graph(store, graph, quads)
    store.flush()
    del store  # closed before anybody opens it
    _move_link(folder, fresh)


def replace_graph(store: Store, graph: NamedNode, quads: Iterable[Quad]) -> None:
    """Put quads in place of a graph, and keep the default graph the merge of all."""
    former = list(store.quads_for_pattern(None, None, None, graph))
    store.remove_graph(graph)
    for quad in former:
        if not _stated(store, quad):
            store.remove(_unnamed(quad))
    added = list(quads)
    store.extend([*added, *map(_unnamed, added)])


def _stated(store: Store, quad: Quad) -> bool:
    """Whether a named graph states a triple. A blank node is in one graph only."""
    if isinstance(quad.subject, BlankNode) or isinstance(quad.object, BlankNode):
        return False
    found = store.quads_for_pattern(quad.subject, quad.predicate, quad.object, None)
    return any(isinstance(other.graph_name, NamedNode) for other in found)


def _unnamed(quad: Quad) -> Quad:
    return Quad(quad.subject, quad.predicate, quad.object, _EVERYTHING)


def _fresh_name(folder: Path) -> Path:
    """A folder for the next snapshot, which is not there yet and whose name none ever had."""
    (folder / "snapshots").mkdir(exist_ok=True)
    last = max((_number(path) for path in _snapshots(folder)), default=0)
    return folder / "snapshots" / f"{last + 1:06d}-{secrets.token_hex(4)}"


def _snapshots(folder: Path) -> list[Path]:
    """The snapshots that are there, whole or not, in their order."""
    places = folder / "snapshots"
    found = [path for path in places.iterdir() if _NAME.fullmatch(path.name)] if places.is_dir() else []
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    named = _NAME.fullmatch(path.name)
    return int(named[1]) if named else 0


def _move_link(folder: Path, to: Path) -> None:
    """Publish a snapshot; what it is made of is on the disk before."""
    _sync(to)
    link = folder / "current.new"
    link.unlink(missing_ok=True)
    link.symlink_to(to.relative_to(folder))
    link.replace(folder / "current")
    _sync(folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _tidy(folder: Path) -> None:
    """Remove what a keep that was ended midway left behind: half a copy, a snapshot later than the published one."""
    (folder / "current.new").unlink(missing_ok=True)
    for path in (folder / "snapshots").glob("*.tmp"):
        if _UNFINISHED.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
    current = _current(folder)
    for path in _snapshots(folder):
        if current is None or _number(path) > _number(current):
            shutil.rmtree(path, ignore_errors=True)
    if current:
        _remove_former(folder)


def _prune(folder: Path) -> None:
    """Remove snapshots that were replaced long ago."""
    found = _snapshots(folder)
    now = time.time()
    for n, (path, following) in enumerate(pairwise(found)):
        later = len(found) - n  # snapshots from this one on
        if later > FEWEST and (later > MOST or following.stat().st_mtime < now - LINGER_SECONDS):
            shutil.rmtree(path, ignore_errors=True)


def _is_former(folder: Path) -> bool:
    """Whether the files of a store lie in the folder itself, as earlier releases had them."""
    return (folder / "CURRENT").is_file()


def _adopt(folder: Path) -> None:
    """Publish the answers that an earlier release kept, and remove its files."""
    if _current(folder) is None:
        fresh = _fresh_name(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        quads = [quad for quad in Store.read_only(str(folder)) if isinstance(quad.graph_name, NamedNode)]
        store = Store(str(fresh))
        store.bulk_extend([*quads, *dict.fromkeys(map(_unnamed, quads))])
        store.flush()
        del store
        _move_link(folder, fresh)
    _remove_former(folder)


def _remove_former(folder: Path) -> None:
    """Remove the files of a store that lie in the folder itself; the one that tells of it goes first."""
    (folder / "CURRENT").unlink(missing_ok=True)
    for path in folder.iterdir():
        if path.is_file() and not path.is_symlink() and path.name != "lock":
            path.unlink(missing_ok=True)
