"""A generated parliament: the same for the same seed, as large as asked, and read by the real loader."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

import mappings
from loaders import stenographic
from loaders.text import chunks
from service.embedding import HashEmbedder
from service.loading.build import LoadReport, load
from tests.benchmarks.generator import Scale, Written, another_sitting, questions, write
from tests.benchmarks.generator.words import vocabulary
from tests.benchmarks.topic_embedder import TopicEmbedder

SCALE = Scale(0.001)


@dataclass(frozen=True, slots=True)
class Generated:
    """A small parliament's sources, and what was written."""

    folder: Path
    written: Written


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("generated")
    return Generated(folder, write(SCALE, folder, processes=1))


@pytest.fixture(scope="module")
def report(generated: Generated, tmp_path_factory: pytest.TempPathFactory) -> LoadReport:
    data = tmp_path_factory.mktemp("loaded")
    return load("camera", generated.folder, data, base_iri="https://example.org/id/", embedder=HashEmbedder())


def digests(folder: Path) -> dict[str, str]:
    """The hash of each file's bytes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_bytes_do_not_depend_on_the_number_of_processes(generated: Generated, tmp_path: Path) -> None:
    assert write(SCALE, tmp_path, processes=2) == generated.written
    assert digests(tmp_path) == digests(generated.folder)


def test_another_seed_makes_another_parliament(generated: Generated, tmp_path: Path) -> None:
    write(SCALE, tmp_path, seed=2, processes=1)
    mine, other = digests(generated.folder), digests(tmp_path)
    assert mine.keys() == other.keys()
    assert not set(mine.values()) & set(other.values())


def test_the_counts_are_those_of_the_scale(generated: Generated) -> None:
    written = generated.written
    assert (written.sittings, written.debates, written.phases) == (1, 6, 7)
    assert (written.speeches, written.chunks) == (40, 151)
    assert (written.acts, written.first_signatures, written.further_signatures) == (28, 27, 104)
    assert (written.group_memberships, written.committee_memberships) == (505, 1_515)


def test_the_paper_is_the_scale_of_one() -> None:
    paper = Scale.named("paper")
    assert (paper.sittings, paper.speeches, paper.chunks) == (608, 40_416, 151_073)
    assert paper.first_signatures + paper.further_signatures == 131_332
    assert Scale.named("ten").chunks == 10 * paper.chunks
    with pytest.raises(ValueError, match="no scale"):
        Scale.named("huge")


def test_the_loader_cuts_as_many_chunks_as_were_written(generated: Generated) -> None:
    reports = [stenographic.read(path) for path in (generated.folder / "stenographic").iterdir()]
    spoken = [s.text for sitting in reports for s in sitting.all_speeches() if not s.by_chair]
    assert len(spoken) == generated.written.speeches
    assert sum(len(chunks(text)) for text in spoken) == generated.written.chunks


@pytest.mark.slow
def test_the_real_loader_finds_no_fault(report: LoadReport, generated: Generated) -> None:
    assert {c.name: c.findings[:3] for c in report.checks if c.level != "info" and c.findings} == {}
    assert report.printed_groups.agreeing == report.printed_groups.printed > 0
    counts = report.manifest.counts
    assert counts["chunks"] == generated.written.chunks
    assert counts["acts"] == generated.written.acts
    assert counts["signatures"] == generated.written.first_signatures + generated.written.further_signatures
    assert counts["unresolved"] == 0


def test_a_further_sitting_is_one_file_more(generated: Generated, tmp_path: Path) -> None:
    write(SCALE, tmp_path, processes=1)
    before = digests(tmp_path)
    added = another_sitting(SCALE, tmp_path)
    after = digests(tmp_path)
    assert after.keys() - before.keys() == {str(added.relative_to(tmp_path))}
    assert before.items() < after.items()
    earlier = stenographic.read(tmp_path / "stenographic" / "stenografico_leg19_0001.xml")
    assert stenographic.read(added).date > earlier.date


def test_the_mapping_has_all_bodies_that_are_generated(generated: Generated) -> None:
    committees = mappings.load("camera").committees
    assert len(committees) < generated.written.committees == 80


def test_questions_are_the_same_for_the_same_seed_and_some_are_on_nothing() -> None:
    asked = questions(50)
    assert asked == questions(50)
    assert len(set(asked)) == 50
    assert questions(50, seed=2) != asked


def test_the_vocabulary_is_large_and_topics_share_little_of_it() -> None:
    known = vocabulary()
    assert len(known.forms) > 20_000
    assert all(len(set(topic.items)) > 250 for topic in known.topics)
    uses = Counter(word for topic in known.topics for word in topic.items)
    assert sum(number > 1 for number in uses.values()) < len(uses) / 20


def test_texts_on_one_topic_are_near_without_a_word_in_common() -> None:
    embedder = TopicEmbedder()
    question, near, far = embedder.passages(["il salario minimo", "la retribuzione oraria", "il reattore e l'uranio"])
    assert question @ near > 0.3
    assert abs(question @ far) < 0.15
    assert embedder.passages(["", "di e per"]).tolist() == [[0.0] * 384] * 2
