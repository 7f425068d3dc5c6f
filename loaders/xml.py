"""The one way in which XML from outside is read: no entities, no network, bounded size."""

import gzip
import zlib
from pathlib import Path
from typing import Final

from lxml import etree

from loaders.errors import SourceError

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one XML document, after decompression."""


def read_bounded(path: Path, largest: int = LARGEST) -> bytes:
    """Read a file, gzipped or not, refusing more than `largest` bytes (a bomb, or a mistake)."""
    try:
        with path.open("rb") as plain:
            gzipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if gzipped else path.open("rb") as stream:
            content = stream.read(largest + 1)
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise SourceError(path, f"cannot be read: {problem}") from error
    if len(content) > largest:
        raise SourceError(path, f"is larger than {largest // 1024**2} MiB when unpacked")
    return content


def parse(path: Path) -> etree._Element:
    """Parse an XML file and return its root. Raises `SourceError` with file and line.

    A document type declaration is refused: it is where entity expansion and external
    references come from, and no parliament publishes one. Comments and processing
    instructions are left out, and the text around them is one.
    """
    content = read_bounded(path)
    parser = etree.XMLParser(
        resolve_entities=False,
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
    if root.getroottree().docinfo.internalDTD is not None:
        raise SourceError(path, "has a document type declaration (DOCTYPE), which is refused", 1)
    return root


def name_of(element: etree._Element) -> str:
    """The name of an element as text."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
