"""The choice of a form: by `?format=`, by Accept with its q-values, and in time that no header can stretch."""

import pytest
from flask import Flask, Response
from hypothesis import given
from hypothesis import strategies as st

from service.web.negotiation import HTML, JSON_LD, N_TRIPLES, RDF_FORMS, RDF_XML, TURTLE, Form, choose, vary
from service.web.problems import LONGEST_ACCEPT, Problem, accepted

APP = Flask(__name__)


def chosen(accept: str | None, *forms: Form, query: str = "", **how: object) -> Form:
    headers = {"Accept": accept} if accept is not None else {}
    with APP.test_request_context(f"/?{query}", headers=headers):
        return choose(forms or RDF_FORMS, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, TURTLE),
        ("", TURTLE),
        ("*/*", TURTLE),
        ("application/ld+json", JSON_LD),
        ("application/json", JSON_LD),
        ("text/plain", N_TRIPLES),
        ("application/rdf+xml;q=0.2, application/n-triples;q=0.3", N_TRIPLES),
        ("text/turtle;q=0, */*", JSON_LD),
        ("text/xml", RDF_XML),
        ("APPLICATION/LD+JSON", JSON_LD),
        ("text/turtle;charset=utf-8", TURTLE),
        ('application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded, flat"', JSON_LD),
        ("text/rdf+n3", TURTLE),
        ("text/csv, *; q=.2, */*; q=.2", TURTLE),
        ("text/turtle;q=.2, application/n-triples;q=.3", N_TRIPLES),
    ],
)
def test_the_form_that_is_preferred_is_chosen(accept: str | None, form: Form) -> None:
    assert chosen(accept) is form


def test_what_is_wanted_by_name_wins_over_what_is_accepted() -> None:
    assert chosen("text/turtle", query="format=nt") is N_TRIPLES
    assert chosen("text/turtle", query="format=application/ld%2Bjson") is JSON_LD
    assert chosen("text/turtle", wanted="rdf") is RDF_XML
    for name, form in {"turtle": TURTLE, "n3": TURTLE, "json-ld": JSON_LD, "rdf+xml": RDF_XML, "xml": RDF_XML}.items():
        assert chosen("*/*", wanted=name) is form
    with pytest.raises(Problem, match="known: ttl") as caught:
        chosen(None, wanted="<b>")
    assert caught.value.status == 400


def test_what_is_not_served_is_not_acceptable() -> None:
    for accept in ("image/png", "text/html;q=1", "*/*;q=0"):
        with pytest.raises(Problem, match="text/turtle") as caught:
            chosen(accept)
        assert caught.value.status == 406


def test_a_default_comes_first_where_nothing_is_preferred() -> None:
    assert chosen(None, TURTLE, HTML, default=HTML) is HTML
    assert chosen("*/*", TURTLE, HTML, default=HTML) is HTML
    assert chosen("text/turtle", TURTLE, HTML, default=HTML) is TURTLE


@given(st.text(max_size=80))
def test_no_header_breaks_the_choice(accept: str) -> None:
    try:
        encoded = accept.encode("latin-1").decode("latin-1").replace("\n", "").replace("\r", "")
    except UnicodeEncodeError:
        return
    try:
        assert chosen(encoded) in RDF_FORMS
    except Problem as problem:
        assert problem.status == 406  # noqa: PT017


def test_of_a_header_that_is_too_long_its_beginning_is_read() -> None:
    many = "application/ld+json;q=0.5, " + ", ".join(f"a/b{number}" for number in range(50_000)) + ", text/turtle"
    assert chosen(many) is JSON_LD
    assert len(accepted(many)) < LONGEST_ACCEPT


def test_what_depends_on_a_header_says_so() -> None:
    response = vary(vary(Response()), "Accept-Language")
    assert {name.strip() for name in response.headers["Vary"].split(",")} == {"Accept", "Accept-Language"}
