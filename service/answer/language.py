"""The languages in which answers are written. A module of its own: a form that names one needs nothing else."""

from typing import Literal

Language = Literal["it", "en"]
