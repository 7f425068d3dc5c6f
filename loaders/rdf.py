"""RDF files of any published serialisation as quads, with blank nodes kept apart by file."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree
from pyoxigraph import BlankNode, Quad, RdfFormat, parse

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
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    return FORMATS.get(suffixes[-1].lower()) if suffixes else None


def files(folder: Path) -> tuple[Path, ...]:
    """The RDF files directly in a folder, by name."""
    return tuple(sorted(path for path in folder.iterdir() if path.is_file() and format_of(path)))


def read(path: Path) -> Iterator[Quad]:
    """Yield the quads of a file. Raises `SourceError` with file and line.

    Blank nodes get labels made of the file's content, so that two files never share one and a
    second load of the same file gives the same labels.
    """
    serialisation = format_of(path)
    if serialisation is None:
        known = ", ".join(sorted(FORMATS))
        raise SourceError(path, f"has no suffix of an RDF serialisation ({known}, each also .gz)")
    content = xml.read_bounded(path, LARGEST)
    if serialisation == RdfFormat.RDF_XML:
        # The RDF parser expands internal entities without limit, so a hardened parser goes first.
        content = etree.tostring(xml.parse(path))
    scope = hashlib.sha256(content).hexdigest()[:12]
    quads = parse(io.BytesIO(content), format=serialisation, without_named_graphs=False)
    try:
        for quad in quads:
            yield Quad(
                _scoped(quad.subject, scope), quad.predicate, _scoped(quad.object, scope), quad.graph_name
            )
    except SyntaxError as error:
        raise SourceError(path, f"is not valid {serialisation.name}: {error.msg}", error.lineno) from error


def _scoped(term: Any, scope: str) -> Any:
    return BlankNode(f"b{scope}{term.value}") if isinstance(term, BlankNode) else term
