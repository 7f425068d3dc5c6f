"""The corpora that are measured: generated ones, kept between runs, and the two real ones."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from tests.benchmarks import answers
from tests.benchmarks.serving import ROOT

WORK: Final = ROOT / "var" / "bench"
SHARED: Final = ROOT.parent / "shared" / "data"
QUESTIONS: Final = 50
REAL: Final = {"esperia": ROOT / "mappings" / "esperia", "camera": SHARED / "camera"}


@dataclass(frozen=True, slots=True)
class BenchCorpus:
    """Sources with what is known of them."""

    scale: str
    seed: int
    institution: str
    sources: Path
    questions: tuple[str, ...]
    written: Mapping[str, int]
    """What the generator counted while it wrote; nothing of a real corpus."""

    @property
    def work(self) -> Path:
        """The folder of all that is made while this corpus is measured."""
        return WORK / f"{self.scale}-{self.seed}"


def find(scale: str, seed: int) -> BenchCorpus:
    """The corpus of a scale (`tenth`, `paper`, `ten`, a factor, `esperia` or `camera`); written if it is not there.

    Raises `ValueError` for an unknown scale and `FileNotFoundError` where a real corpus is absent.
    """
    if scale in REAL:
        if not REAL[scale].is_dir():
            raise FileNotFoundError(f"the corpus {scale} is not at {REAL[scale]}")
        return BenchCorpus(scale, seed, scale, REAL[scale], answers.QUESTIONS, {})
    from tests.benchmarks import generator

    size = generator.Scale.named(scale)
    folder = WORK / f"{scale}-{seed}" / "sources"
    done = folder.with_name("written.json")
    if not done.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        written = generator.write(size, folder, seed)
        done.write_text(json.dumps(asdict(written)), encoding="utf-8")
    return BenchCorpus(
        scale, seed, "camera", folder, tuple(generator.questions(QUESTIONS, seed)), json.loads(done.read_bytes())
    )


def with_another_sitting(corpus: BenchCorpus) -> Path:
    """A copy of a generated corpus's sources with one sitting more; the caller removes it."""
    from tests.benchmarks import generator

    folder = corpus.work / "sources-and-one"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(corpus.sources, folder)
    generator.another_sitting(generator.Scale.named(corpus.scale), folder, corpus.seed)
    return folder


def wanted_counts(corpus: BenchCorpus) -> dict[str, int]:
    """What the paper tells of its corpus, at this scale, by the names of `loaded_counts`; nothing for real ones."""
    if corpus.scale in REAL:
        return {}
    from tests.benchmarks.generator import scale

    size = scale.Scale.named(corpus.scale)
    return {
        "deputies who speak": scale.SPEAKING_DEPUTIES,
        "members of the government who speak": scale.SPEAKING_GOVERNMENT,
        "committees": scale.COMMITTEES,
        "sittings": size.sittings,
        "debates": size.debates,
        "phases": size.phases,
        "speeches (without the chair's)": size.speeches,
        "chunks": size.chunks,
        "acts": size.acts,
        "first signatures": size.first_signatures,
        "further signatures": size.further_signatures,
        "group memberships": scale.GROUP_MEMBERSHIPS,
        "committee memberships": scale.COMMITTEE_MEMBERSHIPS,
    }


def found_counts(corpus: BenchCorpus, loaded: Mapping[str, Any]) -> dict[str, int | None]:
    """By the same names what there is: in the graph where it counts it, else as the generator counted."""
    written = corpus.written
    return {
        "deputies who speak": written.get("deputies_speaking"),
        "members of the government who speak": written.get("government_speaking"),
        "committees": written.get("committees"),
        "sittings": loaded.get("sittings"),
        "debates": loaded.get("debates"),
        "phases": loaded.get("phases", written.get("phases")),
        "speeches (without the chair's)": written.get("speeches"),
        "chunks": loaded.get("chunks"),
        "acts": loaded.get("acts"),
        "first signatures": written.get("first_signatures"),
        "further signatures": written.get("further_signatures"),
        "group memberships": written.get("group_memberships"),
        "committee memberships": written.get("committee_memberships"),
    }
