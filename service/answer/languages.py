"""The languages in which answers are written."""

from collections.abc import Mapping
from typing import Final

from service.answer import english, italian
from service.answer.language import Language
from service.answer.wording import Wording

WORDINGS: Final[Mapping[Language, Wording]] = {"it": italian, "en": english}
