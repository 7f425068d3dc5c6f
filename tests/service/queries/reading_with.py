"""How the tests read queries: with the limits that the service has by default."""

from pyoxigraph import Store

from service.queries.reading import ReadQuery, read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize
from service.snapshots.diagnosis import diagnosed

SIZE = QuerySize(characters=500_000, depth=100, patterns=256, operators=2_000)
BASE = "http://here.example/"


def reading(text: str) -> ReadQuery:
    """A query, read."""
    return read(text, SIZE)


def refusal(text: str) -> QueryRefused:
    """The refusal of a query by the reading or, where that lets it pass, by the engine as the endpoint tells it."""
    try:
        found = read(text, SIZE)
    except QueryRefused as refused:
        return refused
    try:
        Store().query(found.text, base_iri=BASE, prefixes=found.prefixes)
    except SyntaxError as error:
        return found.complaint(diagnosed(found.text, BASE, found.prefixes, str(error)))
    raise AssertionError(f"nobody refuses {text}")
