"""The register of the generated parliament and its acts as N-Quads, shaped as the Chamber publishes them.

Memberships are blank nodes without a type; types, some labels and titles stand a second time in a
partial graph of their theme; titles of acts are HTML, mostly escaped, with proposer and number.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

import ontology
from tests.benchmarks.generator import text
from tests.benchmarks.generator.people import (
    BODIES,
    COMPONENTS,
    FIRST_DAY,
    GROUPS,
    LAST_DAY,
    MIXED,
    Committee,
    Group,
    Parliament,
    Person,
)
from tests.benchmarks.generator.plan import Plan
from tests.benchmarks.generator.words import vocabulary

OCD: Final = ontology.OCD
_DC: Final = "http://purl.org/dc/elements/1.1/"
_TERMS: Final = "http://purl.org/dc/terms/"
_FOAF: Final = ontology.FOAF
_TYPE: Final = f"<{ontology.RDF}type>"
_LABEL: Final = "<http://www.w3.org/2000/01/rdf-schema#label>"
_MAIN: Final = f"<{OCD}>"
_LEGISLATURE: Final = f"<{OCD}legislatura.rdf/repubblica_19>"
ACTS_A_FILE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Quads:
    """N-Quads as text, and how many of some kinds they are."""

    nquads: str
    quads: int
    group_memberships: int = 0
    committee_memberships: int = 0
    acts: int = 0
    first_signatures: int = 0
    further_signatures: int = 0


class _Lines:
    """Collects quads; `again` names a theme graph in which a quad stands a second time."""

    def __init__(self, prefix: str) -> None:
        self.lines: list[str] = []
        self._prefix, self._blank = prefix, 0

    def add(self, subject: str, predicate: str, value: str, again: str = "") -> None:
        self.lines.append(f"{subject} {predicate} {value} {_MAIN} .\n")
        if again:
            self.lines.append(f"{subject} {predicate} {value} <{OCD}{again}/> .\n")

    def blank(self) -> str:
        self._blank += 1
        return f"_:{self._prefix}{self._blank:06d}"


def _ocd(term: str) -> str:
    return f"<{OCD}{term}>"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _day(day: date) -> str:
    return f'"{day:%Y%m%d}"'


def _dated(label: str, begin: date, place: int) -> str:
    """A label with the day of its beginning, the bracket left open as often as closed."""
    return _text(f"{label} ({begin:%d.%m.%Y}{')' if place % 2 else ''}")


def people(parliament: Parliament) -> Quads:
    """Legislature, groups, components, committees, people with all that they hold."""
    out = _Lines("nodeID")
    out.add(_LEGISLATURE, _TYPE, _ocd("legislatura"))
    out.add(_LEGISLATURE, _LABEL, _text("XIX Legislatura della Repubblica"))
    out.add(_LEGISLATURE, _ocd("startDate"), _day(FIRST_DAY))
    for place, group in enumerate((*GROUPS, *COMPONENTS)):
        _body(out, group, place)
    for place, committee in enumerate(parliament.committees):
        organ = _organ(committee)
        out.add(organ, _TYPE, _ocd("organo"), "organi")
        out.add(organ, _LABEL, _dated(committee.label, committee.begin, 2 * place), "organi")
        out.add(organ, _ocd("rif_leg"), _LEGISLATURE)
    groups = seats = 0
    for person in parliament.people:
        if person.deputy:
            _deputy(out, person, parliament)
            groups += len(person.stints)
            seats += len(person.seats)
        if person.office is not None:
            _government(out, person)
    _committee_offices(out, parliament)
    _group_offices(out, parliament)
    return Quads("".join(out.lines), len(out.lines), groups, seats)


def _organ(committee: Committee) -> str:
    return _ocd(f"organo.rdf/{committee.local}")


def _iri(group: str) -> str:
    kind = "componenteGruppoMisto" if group.startswith("cgm") else "gruppoParlamentare"
    return _ocd(f"{kind}.rdf/{group}")


def _body(out: _Lines, group: Group, place: int) -> None:
    """A group or component under its present name, with its former ones as dated nodes."""
    iri, present = _iri(group.local), group.names[-1]
    component = group.local.startswith("cgm")
    out.add(iri, _TYPE, _ocd("componenteGruppoMisto" if component else "gruppoParlamentare"), "gruppi")
    out.add(iri, _ocd("rif_leg"), _LEGISLATURE)
    out.add(iri, f"<{_TERMS}alternative>", _text(present.sigla))
    out.add(iri, _LABEL, _dated(present.label, present.begin, place), "gruppi")
    out.add(iri, _ocd("startDate"), _day(group.names[0].begin))
    if component:
        out.add(iri, _ocd("rif_gruppoParlamentare"), _iri(MIXED))
    for name in group.names[:-1]:
        node = out.blank()
        out.add(iri, _ocd("denominazione"), node)
        out.add(node, _LABEL, _text(name.label))
        out.add(node, f"<{_TERMS}alternative>", _text(name.sigla))
        out.add(node, _ocd("startDate"), _day(name.begin))
        if name.until is not None:
            out.add(node, _ocd("endDate"), _day(name.until))


def _person_iri(person: Person) -> str:
    return _ocd(f"persona.rdf/p{person.number}")


def _deputy_iri(person: Person) -> str:
    return _ocd(f"deputato.rdf/d{person.number}_19")


def _deputy(out: _Lines, person: Person, parliament: Parliament) -> None:
    deputy, human = _deputy_iri(person), _person_iri(person)
    mandate = _ocd(f"mandatoCamera.rdf/mc19_{person.number}_{person.begin:%Y%m%d}")
    first = person.first_name.upper()
    out.add(deputy, _TYPE, _ocd("deputato"), "deputati")
    out.add(deputy, f"<{_FOAF}firstName>", _text(first))
    out.add(deputy, f"<{_FOAF}surname>", _text(person.surname))
    out.add(deputy, _LABEL, _text(f"{first} {person.surname}, XIX Legislatura della Repubblica"))
    out.add(deputy, _ocd("rif_leg"), _LEGISLATURE)
    out.add(deputy, _ocd("rif_mandatoCamera"), mandate)
    out.add(deputy, f"<{_FOAF}gender>", _text("female" if person.female else "male"))
    if person.description:
        out.add(deputy, f"<{_DC}description>", _text(person.description))
    out.add(human, _TYPE, f"<{_FOAF}Person>")
    out.add(human, f"<{_FOAF}firstName>", _text(first))
    out.add(human, f"<{_FOAF}surname>", _text(person.surname))
    out.add(human, _ocd("rif_mandatoCamera"), mandate)
    if person.nickname:
        node = out.blank()
        out.add(human, f"<{_FOAF}nickname>", node)
        out.add(node, f"<{_FOAF}surname>", _text(person.nickname))
    out.add(mandate, _TYPE, _ocd("mandatoCamera"))
    out.add(mandate, _ocd("startDate"), _day(person.begin))
    if person.end is not None:
        out.add(mandate, _ocd("endDate"), _day(person.end))
    out.add(mandate, _ocd("rif_deputato"), deputy)
    for stint in person.stints:
        node = out.blank()
        out.add(deputy, _ocd("aderisce"), node, "deputati")
        out.add(node, _ocd("rif_gruppoParlamentare"), _iri(stint.body))
        out.add(node, _LABEL, _text(BODIES[stint.body].names[-1].label))
        _period(out, node, stint.begin, stint.end)
    for stint in person.components:
        node = out.blank()
        out.add(_iri(stint.body), _ocd("siComponeDi"), node)
        out.add(node, _ocd("rif_deputato"), deputy)
        _period(out, node, stint.begin, stint.end)
    for seat in person.seats:
        committee = parliament.committees[seat.committee]
        node = out.blank()
        out.add(deputy, _ocd("membro"), node)
        out.add(node, _ocd("rif_organo"), _organ(committee))
        out.add(node, f"<{_DC}type>", _text("Sostituto" if seat.substitute else "Titolare"))
        out.add(node, _LABEL, _dated(committee.label, seat.begin, 0))
        _period(out, node, seat.begin, seat.end)


def _period(out: _Lines, node: str, begin: date, end: date | None) -> None:
    out.add(node, _ocd("startDate"), _day(begin))
    if end is not None:
        out.add(node, _ocd("endDate"), _day(end))


def _government(out: _Lines, person: Person) -> None:
    office = person.office
    assert office is not None
    iri = _ocd(f"membroGoverno.rdf/mg{person.number}_1_{office.begin:%Y%m%d}")
    if person.deputy:
        out.add(_deputy_iri(person), _ocd("rif_membroGoverno"), iri)
    out.add(iri, _TYPE, _ocd("membroGoverno"))
    out.add(iri, _ocd("rif_persona"), _person_iri(person))
    out.add(iri, _ocd("membroGoverno"), _text(office.title))
    out.add(iri, _ocd("rif_governo"), _ocd("governo.rdf/g202"))
    out.add(iri, _ocd("startDate"), _day(office.begin))


def _committee_offices(out: _Lines, parliament: Parliament) -> None:
    """A chair, two vice-chairs and two secretaries of each committee, from among its lasting members."""
    members: defaultdict[int, list[Person]] = defaultdict(list)
    for person in parliament.people:
        for seat in person.seats:
            if seat.end is None:
                members[seat.committee].append(person)
    for place, committee in enumerate(parliament.committees):
        printed = ("PRESIDENTE", "VICEPRESIDENTE", "VICEPRESIDENTE", "SEGRETARIO", "SEGRETARIO")
        begin = max(committee.begin, date(2023, 9, 13))
        for person, office in zip(members[place], printed, strict=False):
            iri = _ocd(f"ufficioParlamentare.rdf/u19_{person.number}_{place}")
            out.add(iri, _TYPE, _ocd("ufficioParlamentare"))
            out.add(iri, _ocd("carica"), _text(office))
            out.add(iri, _ocd("rif_deputato"), _deputy_iri(person))
            out.add(iri, _ocd("rif_organo"), _organ(committee))
            out.add(iri, _ocd("startDate"), _day(begin))
            out.add(_deputy_iri(person), _ocd("rif_ufficioParlamentare"), iri)


def _group_offices(out: _Lines, parliament: Parliament) -> None:
    printed = ("PRESIDENTE", "VICEPRES. VICARIO", "VICEPRESIDENTE", "SEGRETARIO", "TESORIERE", "DELEGATO D'AULA")
    for group in GROUPS:
        lasting = [p for p in parliament.people if p.stints and p.stints[-1].body == group.local and p.end is None]
        for place, (person, office) in enumerate(zip(lasting, printed, strict=False)):
            begin = person.stints[-1].begin + timedelta(days=7)
            iri = _ocd(f"incarico.rdf/i19_{person.number}_{place}")
            out.add(iri, _TYPE, _ocd("incarico"))
            out.add(iri, _ocd("ruolo"), _text(office))
            out.add(iri, _ocd("rif_deputato"), _deputy_iri(person))
            out.add(iri, _ocd("rif_gruppoParlamentare"), _iri(group.local))
            out.add(iri, _ocd("startDate"), _day(begin))
            out.add(_deputy_iri(person), _ocd("rif_incarico"), iri)


@dataclass(frozen=True, slots=True, eq=False)
class _Signing:
    """Who signs how readily: cumulated odds of the deputies, and the places of each group's members."""

    deputies: tuple[int, ...]
    proposing: NDArray[np.float64]
    fellows: dict[str, NDArray[np.int64]]


def _signing(seed: int, parliament: Parliament) -> _Signing:
    rng = np.random.default_rng([seed, 4])
    lasting = [n for n in parliament.deputies if parliament.people[n].end is None]
    lasting = [n for n in lasting if parliament.people[n].begin == FIRST_DAY]
    odds = np.cumsum(rng.permutation((np.arange(len(lasting)) + 4.0) ** -0.8))
    fellows: defaultdict[str, list[int]] = defaultdict(list)
    for n in lasting:
        fellows[parliament.people[n].stints[-1].body].append(n)
    return _Signing(tuple(lasting), odds / odds[-1], {body: np.array(found) for body, found in fellows.items()})


def acts(plan: Plan, part: int) -> Quads:
    """The acts of one file of `ACTS_A_FILE` acts, the last one of fewer."""
    rng = np.random.default_rng([plan.seed, 5, part])
    out = _Lines(f"firma{part:04d}n")
    begin = part * ACTS_A_FILE
    end = min(plan.scale.acts, begin + ACTS_A_FILE)
    signing = _signing(plan.seed, plan.parliament)
    signatures = [_act(out, plan, signing, number, rng) for number in range(begin, end)]
    return Quads(
        nquads="".join(out.lines),
        quads=len(out.lines),
        acts=end - begin,
        first_signatures=sum(first for first, _ in signatures),
        further_signatures=sum(further for _, further in signatures),
    )


_TITLES: Final = (
    "Disposizioni in materia di {name} e {words}",
    "Modifiche alla legge {day}, n. {number}, in materia di {name}, {words}",
    "Delega al Governo per la riforma: {name}, {words}",
    "Istituzione di una Commissione parlamentare di inchiesta: {name}, {words}",
    "Misure urgenti per {name} e per {words}",
    "Introduzione dell&rsquo;articolo {number}-bis del codice penale, concernente {name}, {words}",
    "Istituzione della Giornata nazionale: {name}, {words}",
)
_ENTITIES: Final = {"à": "agrave", "è": "egrave", "é": "eacute", "ì": "igrave", "ò": "ograve", "ù": "ugrave"}
_PROPOSERS: Final = (
    ("CNEL", "CONSIGLIO NAZIONALE DELL'ECONOMIA E DEL LAVORO"),
    ("Regioni", "PROPOSTA DI LEGGE D'INIZIATIVA DEL CONSIGLIO REGIONALE"),
    ("Popolare", "PROPOSTA DI LEGGE D'INIZIATIVA POPOLARE"),
)


def _act(out: _Lines, plan: Plan, signing: _Signing, place: int, rng: np.random.Generator) -> tuple[int, int]:
    """One act; returns how many first and further signatures it has."""
    number, day, topic = place + 1, plan.act_days[place].item(), int(plan.act_topics[place])
    everybody = plan.parliament.people
    further = int(plan.cosignatories[place])
    iri = _ocd(f"attocamera.rdf/ac19_{number}")
    signatory: Person | None = None
    if place in plan.unsigned:
        initiative, proposer = _PROPOSERS[int(rng.integers(len(_PROPOSERS)))]
    elif rng.random() < 0.11 and not further:
        initiative, proposer = "Governo", "DISEGNO DI LEGGE PRESENTATO DAL GOVERNO"
    else:
        who = signing.deputies[int(np.searchsorted(signing.proposing, rng.random()))]
        signatory = everybody[who]
        initiative, proposer = "Parlamentare", signatory.surname + (" ed altri" if further else "")
    out.add(iri, _TYPE, _ocd("atto"), "atti")
    out.add(iri, f"<{_DC}title>", _text(_published_title(proposer, number, topic, rng)), "atti")
    out.add(iri, f"<{_DC}identifier>", _text(str(number)))
    out.add(iri, f"<{_DC}type>", _text("Progetto di Legge"))
    out.add(iri, _ocd("rif_leg"), _LEGISLATURE)
    out.add(iri, _ocd("iniziativa"), _text(initiative))
    out.add(iri, f"<{_DC}date>", _day(day))
    card = f"http://www.camera.it/uri-res/N2Ls?urn:camera-it:parlamento:scheda.progetto.legge:camera;19.legislatura;{number}"
    out.add(iri, f"<{_TERMS}isReferencedBy>", f"<{card}>")
    first = 0
    if signatory is not None:
        out.add(iri, _ocd("primo_firmatario"), _deputy_iri(signatory))
        out.add(iri, f"<{_DC}creator>", _text(f"{signatory.first_name.upper()} {signatory.surname}"))
        first = 1
    elif initiative == "Governo":
        node = out.blank()
        out.add(iri, _ocd("primo_firmatario"), node)
        out.add(node, _ocd("ruolo"), _text("Governo"))
        first = 1
    if further:
        for person in _cosignatories(signing, everybody, signatory, further, rng):
            out.add(iri, _ocd("altro_firmatario"), _deputy_iri(person))
    return first, further


def _cosignatories(
    signing: _Signing, everybody: tuple[Person, ...], first: Person | None, number: int, rng: np.random.Generator
) -> list[Person]:
    """So many others, nine of ten of the same group while there are some."""
    own = signing.fellows[first.stints[-1].body] if first else np.array(signing.deputies)
    near = rng.permutation(own)[: max(1, round(number * 0.9)) + 1].tolist()
    far = rng.permutation(np.array(signing.deputies))[: number + 1 + len(near)].tolist()
    found = list(dict.fromkeys(n for n in (*near, *far) if everybody[n] is not first))
    return [everybody[n] for n in found[:number]]


def _published_title(proposer: str, number: int, topic: int, rng: np.random.Generator) -> str:
    """A title as published: blanks at both ends, proposer, quotation marks, entities, number."""
    known = vocabulary().topics[topic]
    names = (known.name, *known.phrases)
    plain = _TITLES[int(rng.integers(len(_TITLES)))].format(
        name=names[int(rng.integers(len(names)))],
        words=text.phrase(rng, topic, int(rng.integers(2, 7))),
        day=f"{FIRST_DAY + (LAST_DAY - FIRST_DAY) * -float(rng.uniform(1, 12)):%d %m %Y}",
        number=int(rng.integers(1, 400)),
    )
    escaped = plain
    for letter, entity in _ENTITIES.items():
        escaped = escaped.replace(letter, f"&{entity};")
    if rng.random() < 0.17:
        escaped = escaped.replace(" in materia di ", " &lt;em&gt;in materia di&lt;/em&gt; ", 1)
    mark = "&quot;" if rng.random() < 0.8 else '"'
    return f" {proposer}: {mark}{escaped}{mark} ({number}) "
