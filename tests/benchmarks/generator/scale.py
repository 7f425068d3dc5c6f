"""How large a generated parliament is: the counts of the paper, and multiples of its record."""

from dataclasses import dataclass
from typing import Final

_NAMES: Final = {"tenth": 0.1, "paper": 1.0, "ten": 10.0}


@dataclass(frozen=True, slots=True)
class Scale:
    """The record and the acts are `factor` times the paper's; people, groups and committees stay.

    A parliament does not grow with its record, so that only sittings, debates, phases, speeches,
    chunks, acts and signatures are multiplied. Raises `ValueError` unless the factor is above 0.
    """

    factor: float

    def __post_init__(self) -> None:
        if not self.factor > 0:
            raise ValueError(f"a scale is a number above 0, not {self.factor}")

    @classmethod
    def named(cls, name: str) -> "Scale":
        """The scale called `tenth`, `paper` or `ten`, or of a number. Raises `ValueError`."""
        try:
            return cls(_NAMES.get(name) or float(name))
        except ValueError as error:
            raise ValueError(f"{name!r} is no scale: give {', '.join(_NAMES)} or a number above 0") from error

    def _of(self, count: int) -> int:
        return max(1, round(count * self.factor))

    @property
    def sittings(self) -> int:
        return self._of(608)

    @property
    def debates(self) -> int:
        return max(self.sittings, self._of(6_010))

    @property
    def phases(self) -> int:
        return self._of(6_515)

    @property
    def speeches(self) -> int:
        """Speeches of anybody but the chair."""
        return max(self.debates, self._of(40_416))

    @property
    def chunks(self) -> int:
        return max(self.speeches, self._of(151_073))

    @property
    def acts(self) -> int:
        return self._of(27_576)

    @property
    def first_signatures(self) -> int:
        """Some acts have no first signatory: those of regions, councils and the people."""
        return min(self.acts, self._of(27_373))

    @property
    def further_signatures(self) -> int:
        return self._of(103_959)


SEATS: Final = 400
SPEAKING_DEPUTIES: Final = 387
SPEAKING_GOVERNMENT: Final = 64
COMMITTEES: Final = 80
GROUP_MEMBERSHIPS: Final = 505
COMMITTEE_MEMBERSHIPS: Final = 1_515
CHANGERS: Final = 37
"""Members who change group, beside those whose group is founded or splits."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a generated corpus holds, counted while it was written."""

    sittings: int = 0
    debates: int = 0
    phases: int = 0
    speeches: int = 0
    """Without the turns of the chair."""
    chair_turns: int = 0
    chunks: int = 0
    deputies_speaking: int = 0
    government_speaking: int = 0
    groups: int = 0
    committees: int = 0
    group_memberships: int = 0
    committee_memberships: int = 0
    acts: int = 0
    first_signatures: int = 0
    further_signatures: int = 0
    quads: int = 0
    transcript_bytes: int = 0
    register_bytes: int = 0
    """Bytes of the gzipped N-Quads."""
