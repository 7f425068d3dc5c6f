"""What every blueprint works with: the data, the settings, and the graph as the site's own pages ask it."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from flask import current_app, request

from service.corpus import DataDirectory, Manifest, read_manifest
from service.engines.interface import EngineHost
from service.graph import GraphStore
from service.jobs.queue import JobQueue
from service.settings import Settings
from service.snapshots.runner import QueryRunner
from service.web.admission import Admission
from service.web.bodies import Bodies

EXTENSION: Final = "emiciclo"


@dataclass(frozen=True, slots=True)
class Site:
    """One data directory, served."""

    data: DataDirectory
    settings: Settings
    graph: GraphStore
    """Answers the site's own queries, over the union of the graphs, apart from the public's."""
    runner: QueryRunner | None
    """Runs the public's queries; None where the site has no endpoint."""
    answers_runner: QueryRunner | None
    """Runs the public's queries over the answers; None where they have no endpoint."""
    engine: EngineHost | None
    """Answers, searches and ranks; None where the site only publishes."""
    admission: Admission
    bodies: Bodies
    jobs: JobQueue | None = None
    """Takes questions and has the engine answer them; None where there is no engine."""

    @property
    def manifest(self) -> Manifest:
        """The manifest of the corpus that is published now. Raises `DataError`."""
        return read_manifest(self.data.published())

    def url(self, path: str = "/") -> str:
        """An absolute URL on this site, by `public_url` if that is set, for what leaves this machine."""
        return self.root + path.removeprefix("/")

    @property
    def root(self) -> str:
        """Where this site begins, with a slash at the end."""
        return (self.settings.public_url or request.url_root).rstrip("/") + "/"

    @property
    def namespace_path(self) -> str:
        """The path under which minted IRIs begin, such as `/id/`."""
        path: str = urlsplit(self.manifest.base_iri).path
        return path if path.endswith("/") else path + "/"


def site() -> Site:
    """The site of the application that serves this request."""
    found: Site = current_app.extensions[EXTENSION]
    return found
