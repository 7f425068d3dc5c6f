"""The files of a load: which they are, and what they are told apart by."""

from dataclasses import dataclass
from pathlib import Path

from loaders import rdf
from loaders.errors import SourceError
from mappings import Mapping


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of one load, by format."""

    ocd: tuple[Path, ...]
    stenographic: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return self.ocd + self.stenographic


def find_sources(folder: Path, mapping: Mapping) -> Sources:
    """Find the files that a mapping expects below a folder. Raises `SourceError`."""
    if not folder.is_dir():
        raise SourceError(folder, "is not a folder; give the folder that holds the sources")
    ocd_files = [path for name in mapping.source.ocd if (folder / name).is_dir() for path in rdf.files(folder / name)]
    reports = [
        path
        for name in mapping.source.stenographic
        if (folder / name).is_dir()
        for path in sorted([*(folder / name).glob("*.xml"), *(folder / name).glob("*.xml.gz")])
    ]
    if not ocd_files and not reports:
        wanted = ", ".join(f"{name}/" for name in (*mapping.source.ocd, *mapping.source.stenographic))
        raise SourceError(folder, f"holds no source files; expected RDF or XML files in {wanted}")
    if not ocd_files:
        raise SourceError(folder, f"holds no RDF files in {', '.join(mapping.source.ocd)}/")
    return Sources(tuple(ocd_files), tuple(reports))
