"""A parliament of any size, made up: sources as the Chamber publishes them, and questions to ask of them.

    written = write(Scale.named("tenth"), Path("/tmp/tenth"))
    emiciclo load camera --source /tmp/tenth

The institution's own mapping reads it. People are invented; texts are words of a topic model, so
that both the search by words and the search by vectors tell topics apart. The same scale and seed
give the same bytes.
"""

from tests.benchmarks.generator.asking import questions
from tests.benchmarks.generator.scale import Scale, Written
from tests.benchmarks.generator.writing import another_sitting, write

__all__ = ["Scale", "Written", "another_sitting", "questions", "write"]
