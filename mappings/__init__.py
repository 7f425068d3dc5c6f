"""What is known about each institution: sources, sides, committees, and rules to our vocabulary.

One folder an institution. `mapping.toml` is read here, strictly; the folder's `.rq` files are
CONSTRUCT rules that take the institution's vocabulary to Emiciclo's.
"""

import tomllib
from datetime import date
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

import sparql


class MappingError(Exception):
    """A mapping is absent or does not follow the schema; the message names file and key."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Dataset(_Strict):
    """Identity of what is loaded; `id` stands in every minted IRI."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9\-]*$")
    title: dict[str, str]
    invented: bool = False
    source_graph: str
    legislature: str
    licence: str
    begin: date


class IriPatterns(_Strict):
    """Python format strings that name the source's own resources."""

    person: str
    transcript: str

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> Self:
        for pattern, values in (
            (self.person, {"number": "1"}),
            (self.transcript, {"sitting": 1, "anchor": "tit00010"}),
        ):
            try:
                pattern.format(**values)
            except (KeyError, IndexError, ValueError) as error:
                raise ValueError(f"{pattern!r} may hold {{{'}, {'.join(values)}}} only ({error})") from error
        return self


class Source(_Strict):
    """Where the data are published, and the folders below `--from` that hold each format."""

    sparql: str | None = None
    transcripts: str | None = None
    ocd: tuple[str, ...] = ()
    stenographic: tuple[str, ...] = ()


class Side(_Strict):
    """A group's or component's side under a government; both days included."""

    organization: str
    side: Literal["majority", "opposition", "external-support"]
    begin: date = Field(alias="from")
    until: date | None = None


class Government(_Strict):
    """A government and who stood on which side of it."""

    iri: str
    name: dict[str, str]
    begin: date = Field(alias="from")
    until: date | None = None
    sides: tuple[Side, ...] = Field(alias="side", default=())


class Committee(_Strict):
    """What a committee deals with, in the words of parliament; found by IRI or by its label."""

    organ: str | None = None
    label: str | None = None
    keywords: tuple[str, ...]


class Mapping(_Strict):
    """A whole `mapping.toml`."""

    dataset: Dataset
    iri: IriPatterns
    source: Source
    rules: tuple[str, ...]
    """Folders of mappings whose `.rq` rules apply, in order."""
    governments: tuple[Government, ...] = Field(alias="government", default=())
    committees: tuple[Committee, ...] = Field(alias="committee", default=())


def known() -> tuple[str, ...]:
    """The institutions that ship with the package."""
    return tuple(sorted(f.name for f in files(__name__).iterdir() if f.joinpath("mapping.toml").is_file()))


def folder(name: str) -> Traversable:
    """The folder of an institution. Raises `MappingError` if it does not ship with the package."""
    if name not in known():
        raise MappingError(f'there is no mapping "{name}"; known: {", ".join(known())}')
    return files(__name__).joinpath(name)


def load(name_or_path: str) -> Mapping:
    """Read a mapping by the name of a shipped institution, or by the path of a `mapping.toml`."""
    path: Traversable = (
        Path(name_or_path) if name_or_path.endswith(".toml") else folder(name_or_path).joinpath("mapping.toml")
    )
    try:
        return Mapping.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise MappingError(f"{path} cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise MappingError(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise MappingError(f"{path}: {key}: {first['msg']}") from error


def rules(mapping: Mapping) -> tuple[tuple[str, str], ...]:
    """The CONSTRUCT rules of a mapping, as (name, query text), in order."""
    return tuple(rule for name in mapping.rules for rule in sparql.rules(folder(name)))


def shipped_vectors(name: str) -> Traversable | None:
    """The file of vectors that ships with an institution's data, if any."""
    path = folder(name).joinpath("vectors.npz") if name in known() else None
    return path if path is not None and path.is_file() else None
