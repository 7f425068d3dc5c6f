"""RDF files of any published serialisation as quads, with blank nodes kept apart by file.

The parsers of the RDF library are the ones that read. What would crash them or fill the memory is
refused before: a file is gone through once, for its size and nesting, before it is parsed.
"""

import codecs
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from lxml import etree
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from loaders import files as reading
from loaders import xml
from loaders.errors import SourceError
from loaders.nesting import Nesting

FORMATS: Final = {
    ".nq": RdfFormat.N_QUADS,
    ".nt": RdfFormat.N_TRIPLES,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
LARGEST: Final = 16 * 1024**3
"""Bytes of one RDF file after decompression."""
LARGEST_WHOLE: Final = 256 * 1024**2
"""Bytes of a file that has to be held in memory in one piece: RDF/XML and JSON-LD."""

_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_WHOLE: Final = (RdfFormat.RDF_XML, RdfFormat.JSON_LD)
_UNLABELLED: Final = (NamedNode, Literal)
_RELATIVE: Final = "x-relative:/"
"""A base that JSON-LD gets to make relative IRIs seen: without one, the parser leaves their triples out."""


def format_of(path: Path) -> RdfFormat | None:
    """The serialisation that a file's name states (`.nq`, `.ttl.gz` …), or None."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return FORMATS.get(suffixes[-1]) if suffixes else None


def files(folder: Path) -> tuple[Path, ...]:
    """The RDF files directly in a folder, by name."""
    return tuple(sorted(path for path in folder.iterdir() if path.is_file() and format_of(path)))


def read(path: Path, scope: str = "") -> Iterator[Quad]:
    """Yield the quads of a file. Raises `SourceError` with file and, where known, line.

    Blank nodes get labels made of the file's content, of `scope` and of their place in it, so that
    two files never share one and a second reading of the same file gives the same labels. Copies
    of one file are told apart by a `scope` of their own. Relative IRIs without a base in the
    file are refused: where a file happens to lie says nothing about what it names.
    """
    serialisation = format_of(path)
    if serialisation is None:
        known = ", ".join(sorted(FORMATS))
        raise SourceError(path, f"has no suffix of an RDF serialisation ({known}, each also .gz)")
    digest = hashlib.sha256(scope.encode())
    nesting = Nesting(path, serialisation)
    for block in reading.blocks(path, LARGEST_WHOLE if serialisation in _WHOLE else LARGEST):
        digest.update(block)
        if serialisation != RdfFormat.RDF_XML:  # its own parser sees to that
            nesting.feed(block)
    nesting.end()
    labels = _Labels(digest.hexdigest()[:12], kept=serialisation in _LINES)
    json = serialisation == RdfFormat.JSON_LD
    with _opened(path, serialisation) as stream, _faults(path, serialisation):
        for quad in parse(stream, format=serialisation, base_iri=_RELATIVE if json else None):
            if json:
                _refuse_relative(path, quad)
            subject, value, graph = quad.subject, quad.object, quad.graph_name
            if type(subject) is NamedNode and type(value) in _UNLABELLED and type(graph) is not BlankNode:
                yield quad  # most of them
            else:
                yield Quad(labels(subject), quad.predicate, labels(value), labels(graph))


@contextmanager
def _opened(path: Path, serialisation: RdfFormat) -> Iterator[BinaryIO]:
    """A file's content as its parser may get it, without the byte order mark that some editors write."""
    if serialisation == RdfFormat.RDF_XML:
        # The RDF/XML parser expands entities without limit, so a hardened XML parser goes first.
        yield io.BytesIO(etree.tostring(xml.parse(path, LARGEST_WHOLE, document_type=True)))
        return
    with reading.opened(path) as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        yield stream


def _refuse_relative(path: Path, quad: Quad) -> None:
    for term in (quad.subject, quad.predicate, quad.object, quad.graph_name):
        iri = term.datatype if isinstance(term, Literal) else term
        if isinstance(iri, NamedNode) and iri.value.startswith(_RELATIVE):
            raise SourceError(path, _relative(f" ({iri.value.removeprefix(_RELATIVE)})"))


def _relative(which: str = "") -> str:
    return f"has a relative IRI{which} and no base to resolve it; state the base in the file"


@contextmanager
def _faults(path: Path, serialisation: RdfFormat) -> Iterator[None]:
    """Turn what the parsers raise into a `SourceError`."""
    try:
        yield
    except SyntaxError as error:
        message = str(error.msg)
        if "No scheme found in an absolute IRI" in message:
            raise SourceError(path, _relative(), error.lineno) from error
        if "LoadDocumentCallback" in message:
            problem = "refers to a JSON-LD context elsewhere; contexts are not fetched: write it into the file"
            raise SourceError(path, problem) from error
        raise SourceError(path, f"is not valid {serialisation.name}: {message}", error.lineno) from error
    except MemoryError as error:  # the parsers' bound on one string, not the machine's memory
        raise SourceError(path, "holds a string or a name longer than 16 MiB, which is refused") from error


class _Labels:
    """Labels the blank nodes of one file.

    Where a serialisation names every blank node, its own labels are `kept`, after the file's
    prefix; elsewhere they are numbered, as the parser's are new at every reading (`[ … ]`).
    """

    def __init__(self, prefix: str, *, kept: bool) -> None:
        self.prefix, self.kept = prefix, kept
        self.known: dict[BlankNode, BlankNode] = {}

    def __call__(self, term: Any) -> Any:
        if isinstance(term, NamedNode):
            return term
        if isinstance(term, BlankNode):
            if self.kept:
                return BlankNode(f"b{self.prefix}x{term.value}")
            return self.known.setdefault(term, BlankNode(f"b{self.prefix}x{len(self.known)}"))
        if isinstance(term, Triple):
            return Triple(self(term.subject), term.predicate, self(term.object))
        return term
