"""The terms by which a query says what it seeks, and how much of that one query may."""

from typing import Final

from ontology import EMI, RDF

MATCHES: Final = f"{EMI}matches"
LIMIT: Final = f"{EMI}limit"
MODE: Final = f"{EMI}mode"
GROUP: Final = f"{EMI}group"
SPEAKER: Final = f"{EMI}speaker"
FROM: Final = f"{EMI}from"
UNTIL: Final = f"{EMI}until"
MINIMUM_RELEVANCE: Final = f"{EMI}minimumRelevance"
SIMILARITY: Final = f"{EMI}similarity"
RELEVANCE: Final = f"{EMI}relevance"
SCORE: Final = f"{EMI}score"
RANK: Final = f"{EMI}rank"
TYPE: Final = f"{RDF}type"
CHUNK: Final = f"{EMI}Chunk"
ACT: Final = f"{EMI}Act"

OPTIONS: Final = frozenset({LIMIT, MODE, GROUP, SPEAKER, FROM, UNTIL, MINIMUM_RELEVANCE})
"""What limits a search, where the query gives a value."""
OF_ONE_SEARCH: Final = frozenset({MATCHES, LIMIT, MODE, MINIMUM_RELEVANCE, SIMILARITY, RELEVANCE, SCORE, RANK})
"""What is true of a hit in one search only; with several, each has terms of its own in their place."""

DEFAULT_LIMIT: Final = 20
MOST_HITS: Final = 500
"""Of one search."""
MOST_SEARCHES: Final = 20
"""Of one query …"""
MOST_HITS_TOGETHER: Final = 2000
"""… and their hits together."""

EXAMPLE: Final = '?chunk emi:matches "salario minimo" ; emi:limit 50 ; emi:similarity ?similarity'
"""How a search is written; told where one was written otherwise."""
