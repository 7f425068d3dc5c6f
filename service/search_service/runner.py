"""Runs a query of the search service: the engine finds what it seeks, a query worker runs it over the hits."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from pyoxigraph import Literal, NamedNode, Triple

from ontology import EMI, XSD
from service.engines.interface import EngineHost
from service.errors import QuestionError
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize, read_structure
from service.search_service import terms
from service.search_service.asked import Sought, plan
from service.search_service.finding import Found, Ranked, Request, find
from service.snapshots.runner import QueryAnswer, QueryRequest, QueryRunner

_DECIMAL: Final = NamedNode(f"{XSD}decimal")
_INTEGER: Final = NamedNode(f"{XSD}integer")


class SearchRunner:
    """A `QueryRunner` over what its queries seek."""

    def __init__(self, workers: QueryRunner, engine: EngineHost, version: Callable[[], str], size: QuerySize) -> None:
        """`workers` run queries over triples that come with them; `version` names the published corpus."""
        self.limits = workers.limits
        self._workers = workers
        self._engine = engine
        self._version = version
        self._size = size

    @property
    def version(self) -> str:
        return self._version()

    def graphs(self) -> tuple[str, ...]:
        return ()

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        """Run a query for a client. Raises `QueryRefused`, and `DataError` where the engine is lost."""
        planned = plan(read_structure(request.text, self._size))
        # Over nothing first: whatever is wrong with the query is told in its own places, and nothing is sought.
        answer = self._workers.run(replace(request, triples=""), client)
        version = self.version
        if planned.sought:
            answer.body.close()
            try:
                found = self._engine.run(find, Request(tuple(sought.search for sought in planned.sought)))
            except QuestionError as error:
                raise QueryRefused(400, str(error)) from error
            version = found.version
            triples = "".join(f"{triple} .\n" for triple in triples_of(planned.sought, found)) + found.facts
            answer = self._workers.run(replace(request, text=planned.text, triples=triples), client)
        return replace(answer, version=version)

    def close(self) -> None:
        self._workers.close()


def triples_of(sought: tuple[Sought, ...], found: Found) -> Iterator[Triple]:
    """What the searches say of their hits; what the query gave is said as the query wrote it."""
    for one, hits in zip(sought, found.hits, strict=True):
        said = dict(one.said)
        defaults = {terms.LIMIT: _integer(one.search.limit), terms.MODE: Literal(one.search.mode)}
        common = [*one.said, *((name, value) for name, value in defaults.items() if name not in said)]
        for rank, hit in enumerate(hits, start=1):
            subject = NamedNode(hit.iri)
            for name, value in (*common, *_told(hit, rank)):
                own = name in terms.OF_ONE_SEARCH
                predicate = one.own + name.removeprefix(EMI) if own else name
                yield Triple(subject, NamedNode(predicate), value)


def _told(hit: Ranked, rank: int) -> tuple[tuple[str, Literal], ...]:
    return (
        (terms.SIMILARITY, _decimal(hit.similarity)),
        (terms.RELEVANCE, _decimal(hit.relevance)),
        (terms.SCORE, _decimal(hit.score)),
        (terms.RANK, _integer(rank)),
    )


def _decimal(number: float) -> Literal:
    return Literal(f"{number:.6f}", datatype=_DECIMAL)


def _integer(number: int) -> Literal:
    return Literal(str(number), datatype=_INTEGER)
