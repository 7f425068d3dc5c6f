"""Whatever ends a load, the corpus from before stays usable, and the next load succeeds."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.corpus import DataDirectory, open_corpus
from service.embedding import HashEmbedder
from service.errors import DataError
from service.loading import staging
from service.loading.build import load
from service.settings import Settings
from service.vectors import CHUNKS
from tests.conftest import BASE, REPOSITORY, SOURCES, Esperia, state_of, wait_until

LOAD = (
    "import sys; from pathlib import Path\n"
    "from service.loading.build import load; from service.embedding import HashEmbedder\n"
    f"load('esperia', Path(sys.argv[1]), Path(sys.argv[2]), base_iri='{BASE}', embedder=HashEmbedder())"
)
MOMENTS: dict[str, Callable[[Path], bool]] = {
    "reading": lambda stage: (stage / "graph").is_dir(),
    "indexing": lambda stage: (stage / "vectors" / CHUNKS).is_dir(),
    "ending": lambda stage: (stage / "vectors" / "concepts").is_dir(),
}


def staged(data: Path) -> Path:
    """The folder of the version that is being made, or a path that does not exist."""
    return next(iter((data / "versions").glob(".staging-*")), data / "none")


def usable(data: Path) -> str:
    """Open what is published, in full; return its version."""
    corpus = open_corpus(data, Settings(embedder="hash"))
    assert corpus.graph.ask("ASK { ?s ?p ?o }")
    assert corpus.vectors.nearest(CHUNKS, HashEmbedder().queries(["salario minimo"])[0], limit=3)
    return corpus.manifest.version


def kill_a_load(sources: Path, data: Path, moment: str) -> None:
    """Load in a process of its own and kill that at a stage of the load."""
    process = subprocess.Popen([sys.executable, "-c", LOAD, str(sources), str(data)], cwd=REPOSITORY)
    try:
        wait_until(lambda: MOMENTS[moment](staged(data)), moment)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    assert staged(data).is_dir(), "the load had ended before it was killed"


def test_a_load_that_is_killed_leaves_the_former_corpus_usable(few_sources: Path, esperia: Esperia) -> None:
    before = state_of(esperia.data)
    kill_a_load(few_sources, esperia.data, "indexing")
    assert state_of(esperia.data) == before
    assert usable(esperia.data) == esperia.report.manifest.version
    with pytest.raises(EOFError), staging.staged(DataDirectory(esperia.data), "another"):
        raise EOFError  # the lock is free and what was left behind is cleared away
    assert not staged(esperia.data).exists()


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_load_was_killed_the_next_one_succeeds(moment: str, few_sources: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    former = load("esperia", few_sources, data, base_iri=BASE, embedder=HashEmbedder()).manifest.version
    before = state_of(data)
    kill_a_load(SOURCES, data, moment)
    assert state_of(data) == before
    assert usable(data) == former
    report = load("esperia", SOURCES, data, base_iri=BASE, embedder=HashEmbedder())
    assert usable(data) == report.manifest.version != former
    assert not staged(data).exists()


PUBLISH = """
import os, pathlib, shutil, signal, sys
from pathlib import Path
from service.corpus import DataDirectory
from service.loading import staging

def ending(owner, name, number):
    original, calls = getattr(owner, name), 0
    def call(*arguments, **keywords):
        nonlocal calls
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **keywords)
    setattr(owner, name, call)

owners = {"rename": Path, "symlink_to": Path, "replace": os, "rmtree": shutil}
ending(owners[sys.argv[2]], sys.argv[2], int(sys.argv[3]))
with staging.staged(DataDirectory(Path(sys.argv[1])), "same") as folder:
    (folder / "manifest.json").write_text("new")
"""


@pytest.mark.parametrize(("step", "number"), [("rename", 1), ("symlink_to", 1), ("replace", 1), ("rmtree", 1)])
def test_a_load_of_the_same_sources_killed_while_it_publishes_leaves_one_of_the_two(
    step: str, number: int, tmp_path: Path
) -> None:
    directory = DataDirectory(tmp_path)
    for content in ("first", "old"):  # the second time there is a version to remove
        with staging.staged(directory, "same") as folder:
            (folder / "manifest.json").write_text(content)
    command = [sys.executable, "-c", PUBLISH, str(tmp_path), step, str(number)]
    assert subprocess.run(command, cwd=REPOSITORY).returncode == -signal.SIGKILL
    published = (directory.current / "manifest.json").read_text()
    assert published == ("new" if step == "rmtree" else "old")
    with staging.staged(directory, "same") as folder:
        (folder / "manifest.json").write_text("newest")
    assert (directory.current / "manifest.json").read_text() == "newest"
    assert len(list(directory.versions.iterdir())) == 2


def test_an_error_inside_a_load_removes_what_it_had_made(tmp_path: Path) -> None:
    for error, shown in ((ValueError("x"), ValueError), (OSError(28, "No space left"), DataError)):
        with pytest.raises(shown), staging.staged(DataDirectory(tmp_path), "a"):
            raise error
    assert list((tmp_path / "versions").iterdir()) == []
    assert not (tmp_path / "current").exists()


def test_an_interruption_from_the_keyboard_is_passed_on_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), staging.staged(DataDirectory(tmp_path), "a"):
        raise KeyboardInterrupt
    assert list((tmp_path / "versions").iterdir()) == []


@contextmanager
def small_disk(path: Path, mebibytes: int) -> Iterator[Path]:
    """A file system of a few mebibytes; skips where none can be mounted."""
    path.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can be mounted by root only")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(path)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


@pytest.mark.parametrize("free", [2, 60])
def test_a_full_disk_is_a_data_error_and_leaves_the_former_corpus(free: int, esperia: Esperia, tmp_path: Path) -> None:
    version = (esperia.data / "current").resolve()
    with small_disk(tmp_path / "disk", 12 + free) as data:
        published = data / "versions" / version.name
        shutil.copytree(version / "graph", published / "graph")
        shutil.copy(version / "manifest.json", published)
        (data / "current").symlink_to(Path("versions") / version.name)
        room = shutil.disk_usage(data).free
        (data / "ballast").write_bytes(bytes(max(0, room - free * 2**20)))
        before = state_of(data)
        with pytest.raises(DataError, match=r"No space left|free space|full"):
            load("esperia", SOURCES, data, base_iri=BASE, embedder=HashEmbedder())
        assert state_of(data) == before
        assert [path.name for path in (data / "versions").iterdir()] == [version.name]
        (data / "ballast").unlink()


def test_room_for_the_index_is_asked_for_before_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.disk_usage(tmp_path).free > 2**30:
        staging.require_space(tmp_path, 0, 384)
    with pytest.raises(DataError, match=r"free space and the index needs \d+ MiB"):
        staging.require_space(tmp_path, 10**12, 384)
