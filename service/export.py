"""Dumps of the published graph."""

from typing import BinaryIO

from pyoxigraph import RdfFormat, Store

from service.corpus import DataDirectory
from service.errors import DataError


def export_quads(directory: DataDirectory, output: BinaryIO) -> None:
    """Write every quad of the published corpus as N-Quads. Raises `DataError` if nothing is loaded."""
    if directory.manifest() is None:
        raise DataError(f"no data are loaded in {directory.path}")
    Store.read_only(str(directory.current / "graph")).dump(output, format=RdfFormat.N_QUADS)
