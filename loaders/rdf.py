"""RDF files of any published serialisation as quads, with blank nodes kept apart by file.

The parsers of the RDF library are the ones that read. What would crash them or fill the memory is
refused before: see `_guarded`.
"""

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from lxml import etree
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from loaders import files as reading
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
    ".jsonld": RdfFormat.JSON_LD,
}
LARGEST: Final = 16 * 1024**3
"""Bytes of one RDF file after decompression."""
LARGEST_WHOLE: Final = 256 * 1024**2
"""Bytes of a file that has to be held in memory in one piece: RDF/XML, JSON-LD, many triple terms."""
DEEPEST: Final = 64
"""Triple terms inside one another, and levels of JSON. The parsers crash from some thousands."""

_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_RELATIVE: Final = "x-relative:/"
"""A base that JSON-LD gets to make relative IRIs seen: without one, the parser leaves their triples out."""

# What may hold brackets that are none: comments, strings, IRIs, escapes outside of strings.
_OPAQUE_JSON: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_OPAQUE_TURTLE: Final = re.compile(
    rb'\\.|#[^\n\r]*+|"""(?:[^"\\]|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+\'\'\''
    rb'|"(?:[^"\\\n\r]|\\.)*+"|\'(?:[^\'\\\n\r]|\\.)*+\'|<(?!<)[^<>"{}|^`\x00-\x20]*+>',
    re.DOTALL,
)


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
    opening = before = 0
    for block in reading.blocks(path, LARGEST):
        digest.update(block)
        # An opening that two blocks share counts for the latter.
        opening += block.count(b"<<") + (before == ord("<") and block[:1] == b"<")
        before = block[-1]
    labels = _Labels(digest.hexdigest()[:12], kept=serialisation in _LINES)
    json = serialisation == RdfFormat.JSON_LD
    with _guarded(path, serialisation, opening) as stream, _faults(path, serialisation):
        for quad in parse(stream, format=serialisation, base_iri=_RELATIVE if json else None):
            if json:
                _refuse_relative(path, quad)
            yield Quad(labels(quad.subject), quad.predicate, labels(quad.object), labels(quad.graph_name))


@contextmanager
def _guarded(path: Path, serialisation: RdfFormat, opening: int) -> Iterator[BinaryIO]:
    """A file's content as its parser may get it, streamed if that is possible.

    The RDF/XML parser expands entities without limit, so a hardened XML parser goes first. The
    JSON-LD parser recurses into what is nested, and those of Turtle and its kin into triple terms;
    `opening` is how many of these may open in the file.
    """
    if serialisation == RdfFormat.RDF_XML:
        yield io.BytesIO(etree.tostring(xml.parse(path, LARGEST_WHOLE, document_type=True)))
    elif serialisation == RdfFormat.JSON_LD:
        content = xml.read_bounded(path, LARGEST_WHOLE)
        _refuse_depth(path, content, _OPAQUE_JSON, rb"[\[{]", rb"[\]}]")
        yield io.BytesIO(content)
    elif opening > DEEPEST:
        content = xml.read_bounded(path, LARGEST_WHOLE)
        _refuse_depth(path, content, _OPAQUE_TURTLE, rb"<<", rb">>")
        yield io.BytesIO(content)
    else:
        with reading.opened(path) as stream:
            yield stream


def _refuse_depth(path: Path, content: bytes, opaque: re.Pattern[bytes], opens: bytes, closes: bytes) -> None:
    bare = opaque.sub(lambda found: b" " * len(found[0]), content)
    opened, closed = (
        np.fromiter((found.start() for found in re.finditer(bracket, bare)), np.int64) for bracket in (opens, closes)
    )
    depths = np.arange(1, len(opened) + 1) - np.searchsorted(closed, opened)
    too_deep = opened[depths > DEEPEST]
    if too_deep.size:
        line = content.count(b"\n", 0, int(too_deep[0])) + 1
        raise SourceError(path, f"is nested more than {DEEPEST} levels deep, which is refused", line)


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
