"""A small invented parliament in a real store, built by the loaders and the rules, and ways to ask it."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Quad, QuerySolutions, RdfFormat, Store, parse

import ontology
import sparql
from loaders import ocd, record
from mappings import Mapping
from service.chamber import sittings
from service.graph import EmbeddedGraph
from service.loading.build import load_sittings, read_transcripts
from service.loading.enrichment import enrich_register
from service.loading.progress import Clock, Silent

DATA = Path(__file__).resolve().parent.parent / "data"
BASE = "https://w3id.org/emiciclo/id/"
SOURCE = "http://data.example/ocd/"
PREFIXES = f"""
PREFIX : <{SOURCE}>
PREFIX person: <{SOURCE}persona.rdf/> PREFIX group: <{SOURCE}gruppoParlamentare.rdf/>
PREFIX part: <{SOURCE}componenteGruppoMisto.rdf/> PREFIX organ: <{SOURCE}organo.rdf/>
PREFIX act: <{SOURCE}attocamera.rdf/> PREFIX cabinet: <{SOURCE}governo.rdf/>
PREFIX deputy: <{SOURCE}deputato.rdf/> PREFIX seat: <{SOURCE}ufficioParlamentare.rdf/>
PREFIX office: <{SOURCE}membroGoverno.rdf/> PREFIX mandate: <{SOURCE}mandatoCamera.rdf/>
PREFIX speech: <{BASE}speech/valdoria-7/> PREFIX debate: <{BASE}debate/valdoria-7/>
PREFIX membership: <{BASE}membership/> PREFIX id: <{BASE}>
PREFIX emi: <{ontology.EMI}> PREFIX role: <{ontology.ROLE}> PREFIX capacity: <{ontology.CAPACITY}>
PREFIX side: <{ontology.SIDE}> PREFIX ocd: <{ontology.OCD}> PREFIX org: <{ontology.ORG}>
PREFIX foaf: <{ontology.FOAF}> PREFIX dc: <{ontology.DC}> PREFIX dcterms: <{ontology.DCTERMS}>
PREFIX dcat: <{ontology.DCAT}> PREFIX skos: <{ontology.SKOS}> PREFIX schema: <{ontology.SCHEMA}>
PREFIX skosxl: <http://www.w3.org/2008/05/skos-xl#> PREFIX rdfs: <{ontology.RDFS}> PREFIX xsd: <{ontology.XSD}>
"""

MAPPING = Mapping.model_validate(
    {
        "rules": ["camera"],
        "dataset": {
            "id": "valdoria-7",
            "title": {"it": "Valdoria (parlamento inventato)", "en": "Valdoria (invented parliament)"},
            "invented": True,
            "source_graph": SOURCE,
            "legislature": f"{SOURCE}legislatura.rdf/repubblica_7",
            "licence": "https://creativecommons.org/publicdomain/zero/1.0/",
            "begin": "2024-01-10",
        },
        "iri": {
            "person": f"{SOURCE}persona.rdf/p{{number}}",
            "transcript": "https://data.example/transcripts/sed{sitting:04d}#{anchor}",
        },
        "source": {},
        "government": [
            {
                "iri": f"{SOURCE}governo.rdf/g1",
                "name": {"it": "I Governo", "en": "First government"},
                "from": "2024-01-12",
                "side": [
                    {
                        "organization": f"{SOURCE}gruppoParlamentare.rdf/gr1",
                        "side": "opposition",
                        "from": "2024-01-12",
                        "until": "2024-09-30",
                    },
                    {
                        "organization": f"{SOURCE}gruppoParlamentare.rdf/gr1",
                        "side": "external-support",
                        "from": "2024-10-01",
                    },
                    {
                        "organization": f"{SOURCE}gruppoParlamentare.rdf/gr2",
                        "side": "majority",
                        "from": "2024-01-12",
                    },
                    {
                        "organization": f"{SOURCE}componenteGruppoMisto.rdf/cgm1",
                        "side": "opposition",
                        "from": "2024-02-01",
                    },
                ],
            }
        ],
        "committee": [
            {"organ": f"{SOURCE}organo.rdf/o1", "keywords": ["pesca", "porti"]},
            {"label": "II COMMISSIONE (GIUSTIZIA)", "keywords": ["processo penale"]},
        ],
    }
)
NAMES = record.Names(BASE, MAPPING)


class Parliament:
    """What was loaded, and questions to it in the prefixes above."""

    def __init__(self) -> None:
        self.store = Store()
        self.reports: tuple[Path, ...] = ()

    def read(self, ocd_files: Iterable[Path], reports: Iterable[Path] = ()) -> "Parliament":
        """Load the register as a load does, up to the rules."""
        ocd.load(ocd_files, self.store, graph=NamedNode(SOURCE), base=BASE)
        self.reports = tuple(reports)
        return self

    def enrich(self) -> "Parliament":
        """Run the rules and read the reports, as a load does."""
        enrich_register(self.store, NAMES)
        read = read_transcripts(self.store, self.reports, NAMES)
        load_sittings(self.store, read, NAMES, Clock(), Silent(), io.BytesIO())
        return self

    def add(self, turtle: str) -> "Parliament":
        """Add statements to the extension graph, to plant a fault."""
        prefixes = PREFIXES.replace("PREFIX", "\nPREFIX")
        for quad in parse(f"{prefixes}\n{turtle}", format=RdfFormat.TURTLE):
            self.store.add(Quad(quad.subject, quad.predicate, quad.object, NAMES.graph))
        return self

    def remove(self, pattern: str) -> "Parliament":
        """Take statements out of every graph, to plant a fault."""
        self.store.update(f"{PREFIXES} DELETE {{ GRAPH ?g {{ {pattern} }} }} WHERE {{ GRAPH ?g {{ {pattern} }} }}")
        return self

    def remove_sittings(self, some: Iterable[NamedNode]) -> "Parliament":
        """Take out all that was read of sittings, as if their reports were not there."""
        query = sparql.bind(sparql.query("index/parts"), "?sitting", some)
        for part in [part for (part,) in self.solutions(query)]:
            for quad in list(self.store.quads_for_pattern(part, None, None, None)):
                self.store.remove(quad)
        return self

    def solutions(self, query: str) -> Any:
        found = self.store.query(query, use_default_graph_as_union=True)
        assert isinstance(found, QuerySolutions)
        return found

    def rows(self, select: str) -> list[tuple[str | None, ...]]:
        """The rows of a query without its prefixes, IRIs cut to what follows the last "/" or "#"."""
        found = self.solutions(PREFIXES + select)
        return sorted(tuple(_short(term) for term in row) for row in found)

    def values(self, select: str) -> list[str | None]:
        """The first column of a query."""
        return [row[0] for row in self.rows(select)]

    def periods(self, person: str, organisation: str, role: str = "role:member") -> list[tuple[str | None, ...]]:
        """First and last days of somebody's memberships of one kind."""
        return self.rows(
            f"SELECT ?from ?until WHERE {{ ?m org:member {person} ; org:organization {organisation} ;"
            f" org:role {role} ; emi:from ?from . OPTIONAL {{ ?m emi:until ?until }} }}"
        )

    def of_speech(self, speech: str, term: str) -> list[str | None]:
        """The values of a property of a speech, such as `("sed0001/tit1.int1", "emi:capacity")`."""
        return self.values(f"SELECT ?value WHERE {{ <{BASE}speech/valdoria-7/{speech}> {term} ?value }}")

    def findings(self, check: str) -> list[tuple[str | None, ...]]:
        """What a check query finds."""
        rows = self.solutions(sparql.query(f"checks/{check}"))
        return [tuple(_short(term) for term in row) for row in rows]

    def findings_in_sittings(self, check: str) -> list[tuple[str | None, ...]]:
        """What the form of a check for sittings finds in all of them."""
        query = sparql.bind(sparql.query(f"checks/sittings/{check}"), "?sitting", sittings(EmbeddedGraph(self.store)))
        return [tuple(_short(term) for term in row) for row in self.solutions(query)]

    def quads(self) -> Iterator[Quad]:
        """The extension graph."""
        return self.store.quads_for_pattern(None, None, None, NAMES.graph)


def _short(term: Any) -> str | None:
    if term is None:
        return None
    value: str = term.value
    return value.rsplit("#", 1)[-1].rsplit("/", 1)[-1] if isinstance(term, NamedNode) else value


def whole() -> Parliament:
    """The whole invented parliament, loaded and enriched."""
    reports = sorted((DATA / "stenographic").glob("*.xml"))
    return Parliament().read([DATA / "ocd" / "parliament.ttl"], reports).enrich()
