"""The one way in which XML from outside is read: bounded, and never anything beyond the file."""

from pathlib import Path
from typing import Final

from lxml import etree

from loaders import files
from loaders.errors import SourceError

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one XML document, after decompression."""


def read_bounded(path: Path, largest: int = LARGEST) -> bytes:
    """Read a file, gzipped or not, refusing more than `largest` bytes. Raises `SourceError`."""
    return b"".join(files.blocks(path, largest))


def parse(path: Path, largest: int = LARGEST, *, document_type: bool = False) -> etree._Element:
    """Parse an XML file and return its root. Raises `SourceError` with file and line.

    A document type declaration is refused: it is where entity expansion and external
    references come from, and no parliament publishes one. With `document_type`, for the
    ontologies that abbreviate their namespaces so, entities declared in the file itself are
    replaced, within the parser's bound on growth; nothing outside the file is ever read.
    Comments and processing instructions are left out, and the text around them is one.
    """
    content = read_bounded(path, largest)
    parser = etree.XMLParser(
        resolve_entities="internal" if document_type else False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        line = error.position[0] if error.position and error.position[0] else None
        raise SourceError(path, f"is not well-formed XML: {error.msg}", line) from error
    except ValueError as error:
        raise SourceError(path, f"is not XML: {error}") from error
    if not document_type and root.getroottree().docinfo.internalDTD is not None:
        raise SourceError(path, "has a document type declaration (DOCTYPE), which is refused", 1)
    return root


def name_of(element: etree._Element) -> str:
    """The name of an element as text."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
