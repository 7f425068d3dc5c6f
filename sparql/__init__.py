"""The queries of Emiciclo, one `.rq` file each, and the one way in which values enter them.

A query that takes values holds a `VALUES` block with an example row, so that the file runs
as it stands at any SPARQL 1.1 endpoint. `bind` replaces the rows of that block by rows built
from RDF terms. Nothing else in a query is ever changed.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pyoxigraph import BlankNode, Literal, NamedNode

Term = NamedNode | Literal
Row = Sequence[Term | None]

# What looks like a block inside an IRI, a string or a comment is none, so these are read over.
_OPAQUE = r"""<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*"""
_BLOCK = re.compile(
    rf"(?:{_OPAQUE})"
    r"|VALUES\s*(?P<head>\?\w+|\((?:\s*\?\w+)+\s*\))\s*"
    rf"\{{(?:{_OPAQUE}|[^{{}}<\"'\#])*\}}"
)


@cache
def query(name: str) -> str:
    """Return the text of a query by its path without suffix, such as `"retrieval/signatories"`."""
    return files(__name__).joinpath(f"{name}.rq").read_text(encoding="utf-8")


def names(folder: str) -> tuple[str, ...]:
    """List the queries of a folder, such as `"enrich"`, in the order of their file names."""
    return tuple(f"{folder}/{stem}" for stem, _ in rules(files(__name__).joinpath(folder)))


def rules(folder: Traversable) -> tuple[tuple[str, str], ...]:
    """List the `.rq` files of a folder as (name without suffix, text), ordered by name."""
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".rq")]
    return tuple(
        (entry.name.removesuffix(".rq"), entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    )


def bind(text: str, variables: str, rows: Iterable[Row | Term]) -> str:
    """Replace the rows of every `VALUES` block over `variables` (such as `"?act ?date"`).

    `rows` holds terms, or sequences of terms in the order of the variables; `None` is `UNDEF`.
    Raises `LookupError` if the query has no block over exactly these variables, and
    `TypeError` for a blank node, which no endpoint would recognise, and for what is no RDF term.
    """
    wanted = tuple(variables.split())
    body = "\n".join(_row(row, len(wanted)) for row in rows)
    bound = f"VALUES ({' '.join(wanted)}) {{\n{body}\n}}"
    replaced = 0

    def replace(block: re.Match[str]) -> str:
        nonlocal replaced
        if tuple(re.findall(r"\?\w+", block["head"] or "")) != wanted:
            return block[0]
        replaced += 1
        return bound

    result = _BLOCK.sub(replace, text)
    if not replaced:
        raise LookupError(f"the query has no VALUES block over {variables}")
    return result


def _row(row: Row | Term, width: int) -> str:
    terms: Row = (row,) if isinstance(row, NamedNode | Literal) else row
    if len(terms) != width:
        raise ValueError(f"a row of {len(terms)} terms for {width} variables")
    return "(" + " ".join(_term(term) for term in terms) + ")"


def _term(term: Term | None) -> str:
    if isinstance(term, BlankNode):
        raise TypeError("a blank node cannot be a value of a query")
    if term is not None and not isinstance(term, NamedNode | Literal):
        raise TypeError(f"a value of a query must be an RDF term, not {type(term).__name__}")
    return "UNDEF" if term is None else str(term)
