"""RDF files of any published serialisation as quads, with blank nodes kept apart by file."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree
from pyoxigraph import BlankNode, Quad, RdfFormat, Triple, parse

from loaders import xml
from loaders.errors import SourceError

FORMATS: Final = {
    ".nq": RdfFormat.N_QUADS,
    ".nt": RdfFormat.N_TRIPLES,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
}
LARGEST: Final = 4 * 1024**3
"""Bytes of one RDF file after decompression."""


def format_of(path: Path) -> RdfFormat | None:
    """The serialisation that a file's name states (`.nq`, `.ttl.gz` …), or None."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return FORMATS.get(suffixes[-1]) if suffixes else None


def files(folder: Path) -> tuple[Path, ...]:
    """The RDF files directly in a folder, by name."""
    return tuple(sorted(path for path in folder.iterdir() if path.is_file() and format_of(path)))


def read(path: Path) -> Iterator[Quad]:
    """Yield the quads of a file. Raises `SourceError` with file and line.

    Blank nodes get labels made of the file's content and of their place in it, so that two files
    never share one and a second reading of the same file gives the same labels.
    """
    serialisation = format_of(path)
    if serialisation is None:
        known = ", ".join(sorted(FORMATS))
        raise SourceError(path, f"has no suffix of an RDF serialisation ({known}, each also .gz)")
    content = xml.read_bounded(path, LARGEST)
    if serialisation == RdfFormat.RDF_XML:
        # The RDF parser expands internal entities without limit, so a hardened parser goes first.
        content = etree.tostring(xml.parse(path))
    scope = _Scope(hashlib.sha256(content).hexdigest()[:12])
    quads = parse(io.BytesIO(content), format=serialisation, without_named_graphs=False)
    try:
        for quad in quads:
            yield Quad(scope(quad.subject), quad.predicate, scope(quad.object), scope(quad.graph_name))
    except SyntaxError as error:
        raise SourceError(path, f"is not valid {serialisation.name}: {error.msg}", error.lineno) from error


class _Scope:
    """Labels the blank nodes of one file. The parser's own are new at every reading (`[ … ]`)."""

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.known: dict[BlankNode, BlankNode] = {}

    def __call__(self, term: Any) -> Any:
        if isinstance(term, Triple):
            return Triple(self(term.subject), term.predicate, self(term.object))
        if not isinstance(term, BlankNode):
            return term
        return self.known.setdefault(term, BlankNode(f"b{self.digest}x{len(self.known)}"))
