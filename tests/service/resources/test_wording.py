"""Days as Italian and English write them."""

from datetime import date

import pytest
from flask import Flask

from service.resources.wording import written
from service.web import language


@pytest.mark.parametrize(
    ("asked", "form", "text"),
    [
        ("it", "long", "1º dicembre 2026"),
        ("it", "full", "martedì 1º dicembre 2026"),
        ("it", "d", "1"),
        ("it", "LLLL yyyy", "dicembre 2026"),
        ("en", "long", "1 December 2026"),
    ],
)
def test_the_first_of_a_month_is_an_ordinal_in_italian(asked: str, form: str, text: str) -> None:
    app = Flask(__name__)
    language.register(app)
    with app.test_request_context(f"/?lang={asked}"):
        assert written(date(2026, 12, 1), form) == text


def test_other_days_are_plain_numbers() -> None:
    app = Flask(__name__)
    language.register(app)
    with app.test_request_context("/?lang=it"):
        assert written(date(2026, 12, 11), "long") == "11 dicembre 2026"
        assert written(date(2026, 12, 21), "long") == "21 dicembre 2026"
