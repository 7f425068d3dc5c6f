"""The W3C's SPARQL tests, where they are at hand beside this repository."""

from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pyoxigraph import NamedNode, Store

from tests.conftest import REPOSITORY

CHECKS: Final = REPOSITORY.parent / "shared" / "checks"
ROOT: Final = CHECKS / "w3c" / "sparql"
CHECK: Final = CHECKS / "w3c_sparql_check.py"

_SOUND: Final = """
PREFIX mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#>
PREFIX qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#>
SELECT DISTINCT ?query WHERE {
  VALUES ?type {
    mf:QueryEvaluationTest mf:CSVResultFormatTest mf:PositiveSyntaxTest mf:PositiveSyntaxTest11 mf:PositiveSyntaxTest12
  }
  ?test a ?type ; mf:action ?action .
  OPTIONAL { ?action qt:query ?named }
  BIND(COALESCE(?named, ?action) AS ?query)
}
"""


@cache
def sound_queries() -> tuple[Path, ...]:
    """The files of every query that the suite holds to be SPARQL, reasoning aside."""
    found: set[Path] = set()
    for manifest in sorted(ROOT.rglob("manifest*.ttl")):
        if "entailment" in manifest.parts:
            continue
        store = Store()
        store.load(path=str(manifest), base_iri=manifest.as_uri())
        for row in store.query(_SOUND):  # type: ignore[union-attr]
            query = row["query"]  # type: ignore[index]
            if isinstance(query, NamedNode):
                found.add(Path(unquote(urlsplit(query.value).path)))
    return tuple(sorted(found))
