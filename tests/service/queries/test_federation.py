"""SERVICE clauses: who may be called, what a partner is asked, and how its answer joins."""

import pytest
from pyoxigraph import Literal, NamedNode, QuerySolutions, Store

from service.queries.federation import Federation, Solutions, federate
from service.queries.reading import ReadQuery, read
from service.queries.refusal import QueryRefused
from service.queries.structure import QuerySize

SIZE = QuerySize(characters=100_000, depth=50, patterns=200, operators=500)
WIKI, OTHER = "https://wiki.example/sparql", "https://other.example/sparql"
PREFIX = "PREFIX : <http://example.org/> "


class Asked:
    """Partners that answer what they are told to, and remember what they were asked."""

    def __init__(self, *answers: Solutions | QueryRefused) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, str]] = []

    def __call__(self, address: str, query: str) -> Solutions:
        self.calls.append((address, query))
        answer = self.answers.pop(0)
        if isinstance(answer, QueryRefused):
            raise answer
        return answer


@pytest.fixture(scope="module")
def store() -> Store:
    """Three groups, two of them with a size."""
    store = Store()
    store.update(f"{PREFIX} INSERT DATA {{ :a a :Group ; :size 3 . :b a :Group ; :size 5 . :c a :Group }}")
    return store


def run(text: str, partner: Asked, store: Store, *, keys: int = 100) -> list[dict[str, str]]:
    """Federate a query and run it; the rows, as text."""

    def local(query: str, of: ReadQuery) -> Solutions:
        rows = store.query(of.declarations + query, prefixes=of.prefixes)
        assert isinstance(rows, QuerySolutions)
        names = [variable.value for variable in rows.variables]
        return Solutions(tuple(names), tuple(tuple(row[name] for name in names) for row in rows))

    found = federate(read(PREFIX + text, SIZE), Federation((WIKI, OTHER), keys, partner), SIZE, local)
    rows = store.query(found.text, prefixes=found.prefixes)
    assert isinstance(rows, QuerySolutions)
    return [
        {variable.value: row[variable].value for variable in rows.variables if row[variable] is not None}
        for row in rows
    ]


def pages(local: str, *names: str) -> tuple[tuple[NamedNode, Literal], ...]:
    return tuple((NamedNode(f"http://example.org/{local}"), Literal(name)) for name in names)


def test_a_partners_solutions_join_with_ours(store: Store) -> None:
    partner = Asked(Solutions(("g", "page"), (*pages("a", "A", "A2"), *pages("z", "Z"))))
    rows = run(f"SELECT ?g ?page {{ ?g a :Group . SERVICE <{WIKI}> {{ ?g :page ?page }} }}", partner, store)
    assert sorted(row["page"] for row in rows) == ["A", "A2"]


def test_the_partner_is_asked_for_the_keys_that_the_query_binds(store: Store) -> None:
    partner = Asked(Solutions(("g", "page"), ()))
    run(f"SELECT * {{ ?g :size ?n FILTER(?n > 3 || ?page = 1) SERVICE <{WIKI}> {{ ?g :page ?page }} }}", partner, store)
    asked = partner.calls[0][1]
    # The filter is left out: it speaks of a variable that only the partner binds.
    assert "<http://example.org/a>" in asked
    assert "<http://example.org/b>" in asked
    assert "<http://example.org/c>" not in asked
    Store().query(asked)  # what a partner gets is a query on its own


def test_no_partner_is_asked_where_nothing_of_ours_can_join(store: Store) -> None:
    partner = Asked()
    assert run(f"SELECT * {{ ?g a :Nothing SERVICE <{WIKI}> {{ ?g :page ?page }} }}", partner, store) == []
    assert partner.calls == []


def test_keys_of_the_group_around_an_optional_clause_are_sent(store: Store) -> None:
    partner = Asked(Solutions(("g", "page"), pages("b", "B")))
    rows = run(
        f"SELECT * {{ ?g a :Group OPTIONAL {{ SERVICE <{WIKI}> {{ ?g :page ?page }} }} }} ORDER BY ?g", partner, store
    )
    assert [row.get("page") for row in rows] == [None, "B", None]
    assert "<http://example.org/c>" in partner.calls[0][1]


def test_more_keys_than_allowed_are_not_sent(store: Store) -> None:
    partner = Asked(Solutions(("g", "page"), pages("b", "B")))
    rows = run(f"SELECT * {{ ?g a :Group SERVICE <{WIKI}> {{ ?g :page ?page }} }}", partner, store, keys=2)
    assert len(rows) == 1
    assert "VALUES" not in partner.calls[0][1]


def test_a_variable_that_is_unbound_in_some_rows_is_no_key(store: Store) -> None:
    partner = Asked(Solutions(("n", "page"), ((Literal("7"), Literal("any")),)))
    rows = run(
        f"SELECT * {{ ?g a :Group OPTIONAL {{ ?g :size ?n }} SERVICE <{WIKI}> {{ ?n :page ?page }} }}", partner, store
    )
    assert "VALUES" not in partner.calls[0][1]
    assert [row["g"] for row in rows] == ["http://example.org/c"]


def test_keys_do_not_come_from_another_graph_than_the_clause_stands_in(store: Store) -> None:
    partner = Asked(Solutions(("g", "page"), pages("b", "B")))
    run(f"SELECT * {{ GRAPH ?x {{ ?g a :Group SERVICE <{WIKI}> {{ ?g :page ?page }} }} }}", partner, store)
    assert "VALUES" not in partner.calls[0][1]


def test_two_partners_are_asked_in_order(store: Store) -> None:
    likes = Solutions(("page", "likes"), ((Literal("B"), Literal("9")),))
    partner = Asked(Solutions(("g", "page"), pages("b", "B")), likes)
    rows = run(
        f"SELECT * {{ ?g a :Group SERVICE <{WIKI}> {{ ?g :page ?page }} SERVICE <{OTHER}> {{ ?page :likes ?likes }} }}",
        partner,
        store,
    )
    assert [row["likes"] for row in rows] == ["9"]
    assert [address for address, _ in partner.calls] == [WIKI, OTHER]
    assert '"B"' in partner.calls[1][1]


def test_a_subselect_inside_a_clause_stays_one(store: Store) -> None:
    partner = Asked(Solutions(("g", "n"), ((NamedNode("http://example.org/a"), Literal("2")),)))
    inside = "SELECT ?g (COUNT(?p) AS ?n) { ?g :page ?p } GROUP BY ?g"
    assert [row["n"] for row in run(f"SELECT * {{ ?g a :Group SERVICE <{WIKI}> {{ {inside} }} }}", partner, store)] == [
        "2"
    ]
    Store().query(partner.calls[0][1])


def test_a_clause_without_variables_is_a_condition(store: Store) -> None:
    text = f"SELECT ?g {{ ?g a :Group SERVICE <{WIKI}> {{ :a :page :b }} }}"
    assert len(run(text, Asked(Solutions((), ((),))), store)) == 3
    assert run(text, Asked(Solutions((), ())), store) == []


def test_silent_goes_on_without_a_partner_that_fails_and_loud_does_not(store: Store) -> None:
    failed = QueryRefused(502, "out of reach")
    text = f"SELECT ?g {{ ?g a :Group SERVICE SILENT <{WIKI}> {{ ?g :page ?page }} }}"
    assert len(run(text, Asked(failed), store)) == 3
    with pytest.raises(QueryRefused, match="out of reach"):
        run(text.replace("SILENT", ""), Asked(failed), store)


def test_a_partner_that_gives_too_much_is_told_of_even_where_silent(store: Store) -> None:
    text = f"SELECT ?g {{ ?g a :Group SERVICE SILENT <{WIKI}> {{ ?g :page ?page }} }}"
    with pytest.raises(QueryRefused, match="too many"):
        run(text, Asked(QueryRefused(413, "too many")), store)


@pytest.mark.parametrize(
    "clause",
    [
        "SERVICE <https://stranger.example/sparql> { ?g ?p ?o }",
        "SERVICE SILENT <https://stranger.example/sparql> { ?g ?p ?o }",
        "SERVICE ?where { ?g ?p ?o }",
        "SERVICE stranger:sparql { ?g ?p ?o }",
        "FILTER EXISTS { SERVICE <https://stranger.example/> { ?g ?p ?o } }",
        "service <file:///etc/passwd> { ?g ?p ?o }",
        r"SERVICE <https://wiki.example/sparq\u006C/../admin> { ?g ?p ?o }",
        f"SERVICE <{WIKI}> {{ ?g ?p ?o SERVICE <{OTHER}> {{ ?o ?p ?q }} }}",
        f"SERVICE <{WIKI}> {{ ?g ?p ?o }} SERVICE <https://stranger.example/> {{ ?g ?p ?o }}",
    ],
)
def test_nobody_is_called_but_listed_partners(clause: str, store: Store) -> None:
    partner = Asked()
    with pytest.raises(QueryRefused) as refused:
        run(f"PREFIX stranger: <https://stranger.example/> SELECT * {{ ?g a :Group . {clause} }}", partner, store)
    assert refused.value.status in (400, 403)
    assert refused.value.place is not None
    assert partner.calls == []


@pytest.mark.parametrize(
    "text",
    [
        "PREFIX w: <https://wiki.example/> SELECT * { SERVICE w:sparql { ?g ?p ?o } }",
        "BASE <https://wiki.example/> SELECT * { SERVICE <sparql> { ?g ?p ?o } }",
        r"SELECT * { SERVICE <https://wiki.example/sparq\u006C> { ?g ?p ?o } }",
    ],
)
def test_an_address_may_be_written_with_a_prefix_a_base_or_escapes(text: str, store: Store) -> None:
    partner = Asked(Solutions(("g", "p", "o"), ()))
    run(text, partner, store)
    assert partner.calls[0][0] == WIKI
