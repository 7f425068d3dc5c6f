"""The people of the generated parliament: invented members and ministers, and the groups, components and committees.

Groups and components have the IRIs and dated names of the institution's mapping, so that the sides
apply; nobody has the name of a real person but by chance.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

import mappings
from tests.benchmarks.generator.scale import (
    CHANGERS,
    COMMITTEE_MEMBERSHIPS,
    COMMITTEES,
    GROUP_MEMBERSHIPS,
    SEATS,
    SPEAKING_DEPUTIES,
    SPEAKING_GOVERNMENT,
)
from tests.benchmarks.generator.words import vocabulary

FIRST_DAY: Final = date(2022, 10, 13)
LAST_DAY: Final = date(2026, 6, 30)
_FOUNDED: Final = date(2022, 10, 18)
_COMPONENTS_FOUNDED: Final = date(2022, 10, 19)
_LATE_GROUPS: Final = date(2022, 10, 27)
_SPLIT: Final = date(2023, 11, 20)
_SUCCESSORS: Final = 10
_PERMANENT: Final = 14
MIXED: Final = "gr4111"


@dataclass(frozen=True, slots=True)
class Name:
    """A name and sigla of a group, valid from a day to another, both included; the present one has no end."""

    label: str
    sigla: str
    begin: date
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group, or a component of the mixed group; `names` end with the present one. `size` is its seats at the end."""

    local: str
    names: tuple[Name, ...]
    size: int = 0

    def may_speak(self, day: date) -> bool:
        """Whether somebody holds an office, or sits in a group on a day."""
        return self.office is not None or any(stint.on(day) for stint in (*self.components, *self.stints))

    def sigla(self, day: date) -> str:
        """The sigla that is printed on a day."""
        return next(name.sigla for name in self.names if name.until is None or day <= name.until)


def _group(local: str, label: str, sigla: str, size: int = 0, *, begin: date = _FOUNDED) -> Group:
    return Group(local, (Name(label, sigla, begin),), size)


GROUPS: Final = (
    _group("gr4133", "FRATELLI D'ITALIA", "FDI", 118),
    _group("gr4136", "PARTITO DEMOCRATICO - ITALIA DEMOCRATICA E PROGRESSISTA", "PD-IDP", 70),
    _group("gr4132", "LEGA - SALVINI PREMIER", "LEGA", 65),
    _group("gr4134", "FORZA ITALIA - BERLUSCONI PRESIDENTE - PPE", "FI-PPE", 54),
    _group("gr4131", "MOVIMENTO 5 STELLE", "M5S", 48),
    _group(MIXED, "MISTO", "MISTO", 12),
    _group("gr4154", "ALLEANZA VERDI E SINISTRA", "AVS", 10, begin=_LATE_GROUPS),
    Group(
        "gr4135",
        (
            Name("AZIONE - ITALIA VIVA - RENEW EUROPE", "A-IV-RE", _FOUNDED, date(2023, 11, 19)),
            Name("AZIONE-POPOLARI EUROPEISTI RIFORMATORI-RENEW EUROPE", "AZ-PER-RE", _FOUNDED),
        ),
        10,
    ),
    Group(
        "gr4152",
        (
            Name(
                "NOI MODERATI (NOI CON L'ITALIA, CORAGGIO ITALIA, UDC, ITALIA AL CENTRO)-MAIE",
                "NM(N-C-U-I)-M",
                _LATE_GROUPS,
                date(2024, 10, 30),
            ),
            Name(
                "NOI MODERATI (NOI CON L'ITALIA, CORAGGIO ITALIA, UDC E ITALIA AL CENTRO)-MAIE-CENTRO POPOLARE",
                "NM(N-C-U-I)M-CP",
                _LATE_GROUPS,
            ),
        ),
        8,
    ),
    Group(
        "gr4211",
        (
            Name("ITALIA VIVA-IL CENTRO-RENEW EUROPE", "IV-C-RE", _SPLIT, date(2026, 6, 14)),
            Name("ITALIA VIVA-CASA RIFORMISTA", "IV-CR", _SPLIT),
        ),
        5,
    ),
)
COMPONENTS: Final = (
    _group("cgm4137", "Minoranze linguistiche", "MISTO-MIN.LING.", 4, begin=_COMPONENTS_FOUNDED),
    Group(
        "cgm4139",
        (
            Name("+Europa", "MISTO-+EUROPA", _COMPONENTS_FOUNDED, date(2025, 2, 28)),
            Name("+Europa - Stati Uniti d'Europa", "MISTO-+EU-SUEU", _COMPONENTS_FOUNDED),
        ),
        3,
    ),
    _group("cgm4138", "Alleanza Verdi e Sinistra", "MISTO-AVS", begin=_COMPONENTS_FOUNDED),
    _group("cgm4148", "Noi Moderati - MAIE", "M-NM(N-C-U-I)-M", begin=_COMPONENTS_FOUNDED),
    _group("cgm4271", "Futuro Nazionale Vannacci - Free", "MISTO-FNV-F", 3, begin=date(2026, 5, 27)),
)
BODIES: Final = {group.local: group for group in (*GROUPS, *COMPONENTS)}


@dataclass(frozen=True, slots=True)
class Stint:
    """Membership of a body from a day on; the end is the next one's beginning, or the last day of a mandate."""

    body: str
    begin: date
    end: date | None = None
    mandate_ends: bool = False

    def on(self, day: date) -> bool:
        """Whether it lasts on a day."""
        return self.begin <= day and (self.end is None or day < self.end or (self.mandate_ends and day == self.end))


@dataclass(frozen=True, slots=True)
class Seat:
    """Membership of a committee."""

    committee: int
    begin: date
    end: date | None
    substitute: bool


@dataclass(frozen=True, slots=True)
class Office:
    """An office in the government."""

    title: str
    begin: date


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the chamber, or of the government (`office`), or both."""

    number: int
    first_name: str
    surname: str
    female: bool
    nickname: str | None = None
    description: str | None = None
    begin: date = FIRST_DAY
    end: date | None = None
    stints: tuple[Stint, ...] = ()
    components: tuple[Stint, ...] = ()
    seats: tuple[Seat, ...] = ()
    office: Office | None = None

    @property
    def deputy(self) -> bool:
        return bool(self.stints)

    def may_speak(self, day: date) -> bool:
        """Whether somebody holds an office, or sits in a group on a day."""
        return self.office is not None or any(stint.on(day) for stint in (*self.components, *self.stints))

    def sigla(self, day: date) -> str:
        """The sigla of the component, or else of the group, of a day."""
        stint = next(stint for stint in (*self.components, *self.stints) if stint.on(day))
        return BODIES[stint.body].sigla(day)


@dataclass(frozen=True, slots=True)
class Committee:
    """A committee or another organ."""

    local: str
    label: str
    begin: date = FIRST_DAY


@dataclass(frozen=True, slots=True)
class Parliament:
    """All people: first the deputies who speak, then the government that speaks, then those who are silent.

    `partner` of somebody whose mandate ended is the successor, and the other way round.
    """

    people: tuple[Person, ...]
    partner: dict[int, int]
    committees: tuple[Committee, ...]
    chairs: tuple[int, ...]

    @property
    def deputies(self) -> tuple[int, ...]:
        """The places in `people` of the members of the chamber."""
        return tuple(place for place, person in enumerate(self.people) if person.deputy)


SPEAKING: Final = SPEAKING_DEPUTIES + SPEAKING_GOVERNMENT


def parliament(seed: int) -> Parliament:
    """The parliament of a seed; it does not depend on the scale."""
    rng = np.random.default_rng([seed, 1])
    members = SEATS + _SUCCESSORS
    silent = 3
    governing_members = members - SPEAKING_DEPUTIES - silent
    names = _names(rng, members + SPEAKING_GOVERNMENT - governing_members)
    stints, components, terms, partner = _stints(rng, members)
    committees = _committees()
    seats = _seats(rng, members, terms)
    # Deputies stand first; those who also govern, and those who are silent, after them.
    order = rng.permutation(np.arange(members))
    changing = [place for place in range(members) if len(stints[place]) > 1 or place in partner]
    order = np.array([*changing, *(place for place in order.tolist() if place not in set(changing))])
    new = {int(old): place for place, old in enumerate(order)}

    def member(old: int, place: int, office: Office | None = None) -> Person:
        first, surname, female = names[place]
        return Person(
            number=910_000 + 7 * place,
            first_name=first,
            surname=surname,
            female=female,
            nickname=_in_use(surname, place) if place % 3 == 0 else None,
            description=_description(rng),
            begin=terms[old][0],
            end=terms[old][1],
            stints=stints[old],
            components=components[old],
            seats=seats[old],
            office=office,
        )

    offices = _offices()
    olds = order.tolist()
    speaking = [member(old, place) for place, old in enumerate(olds[:SPEAKING_DEPUTIES])]
    governing = [
        member(olds[SPEAKING_DEPUTIES + n], SPEAKING_DEPUTIES + n, offices[n]) for n in range(governing_members)
    ]
    for n in range(governing_members, SPEAKING_GOVERNMENT):
        first, surname, female = names[members + n - governing_members]
        governing.append(Person(980_000 + 7 * n, first, surname, female, office=offices[n]))
    rest = [member(old, place) for place, old in enumerate(olds[-silent:], members - silent)]
    steady = [n for n in range(SPEAKING_DEPUTIES) if len(speaking[n].stints) == 1 and speaking[n].end is None]
    lasting = [n for n in steady if speaking[n].begin == FIRST_DAY]
    return Parliament(
        people=(*speaking, *governing, *rest),
        partner={new[a]: new[b] for a, b in partner.items()},
        committees=committees,
        chairs=tuple(lasting[-5:]),
    )


def _stints(
    rng: np.random.Generator, members: int
) -> tuple[list[tuple[Stint, ...]], list[tuple[Stint, ...]], list[tuple[date, date | None]], dict[int, int]]:
    """Groups, components and days of the mandate of each member, and who succeeded whom."""
    final = [group.local for group in GROUPS for _ in range(group.size)]
    stints: list[list[Stint]] = []
    components: list[list[Stint]] = [[] for _ in range(members)]
    terms: list[tuple[date, date | None]] = [(FIRST_DAY, None) for _ in range(members)]
    founding = {"gr4154": "cgm4138", "gr4152": "cgm4148"}
    for place, local in enumerate(final):
        if local in founding:
            stints.append([Stint(MIXED, _FOUNDED, _LATE_GROUPS), Stint(local, _LATE_GROUPS)])
            components[place].append(Stint(founding[local], _COMPONENTS_FOUNDED, _LATE_GROUPS))
        elif local == "gr4211":
            stints.append([Stint("gr4135", _FOUNDED, _SPLIT), Stint(local, _SPLIT)])
        else:
            stints.append([Stint(local, _FOUNDED)])
    mixed = [place for place, local in enumerate(final) if local == MIXED]
    begin = 0
    for component in COMPONENTS:
        for place in mixed[begin : begin + component.size]:
            components[place].append(Stint(component.local, component.names[0].begin))
        begin += component.size
    extra = GROUP_MEMBERSHIPS - (members + sum(len(found) > 1 for found in stints))
    big = [place for place, local in enumerate(final) if local in {g.local for g in GROUPS[:5]}]
    changers = rng.choice(big, CHANGERS + _SUCCESSORS, replace=False).tolist()
    for number, place in enumerate(changers[:CHANGERS]):
        target = final[place]
        others = [group.local for group in GROUPS[:5] if group.local != target]
        former = others[int(rng.integers(len(others)))]
        left = date(2023, 2, 1) + timedelta(days=int(rng.integers(1_000)))
        if number < extra - CHANGERS:
            joined = left + timedelta(days=int(rng.integers(20, 200)))
            stints[place] = [Stint(former, _FOUNDED, left), Stint(MIXED, left, joined), Stint(target, joined)]
        else:
            stints[place] = [Stint(former, _FOUNDED, left), Stint(target, left)]
    partner: dict[int, int] = {}
    for number, place in enumerate(changers[CHANGERS:]):
        successor = len(final) + number
        ended = date(2023, 3, 1) + timedelta(days=int(rng.integers(1_000)))
        began = ended + timedelta(days=1)
        local = final[place]
        stints[place] = [Stint(local, _FOUNDED, ended, mandate_ends=True)]
        stints.append([Stint(local, began)])
        terms[place], terms[successor] = (FIRST_DAY, ended), (began, None)
        partner[place], partner[successor] = successor, place
    return [tuple(found) for found in stints], [tuple(found) for found in components], terms, partner


def _committees() -> tuple[Committee, ...]:
    """The committees of the mapping, the permanent ones first, and further ones up to the paper's number."""
    known = mappings.load("camera").committees
    found = [Committee((c.organ or "").rsplit("/", 1)[-1], c.label or "") for c in known]
    others = [
        "UFFICIO DI PRESIDENZA",
        "GIUNTA DELLE ELEZIONI",
        "GIUNTA PER LE AUTORIZZAZIONI",
        "GIUNTA PER IL REGOLAMENTO",
    ]
    names = [topic.name.upper() for topic in vocabulary().topics]
    others += [f"COMITATO PERMANENTE DI STUDIO: {name}" for name in names]
    for number, label in enumerate(others[: COMMITTEES - len(found)]):
        found.append(Committee(f"o19_8{number:03d}", label, FIRST_DAY + timedelta(days=11 * number)))
    return tuple(found)


def _seats(rng: np.random.Generator, members: int, terms: list[tuple[date, date | None]]) -> list[tuple[Seat, ...]]:
    """A permanent committee for each member, sometimes another later, and seats in further organs."""
    found: list[list[Seat]] = [[] for _ in range(members)]
    installed = date(2022, 11, 9)
    for place in range(members):
        begin = max(installed, terms[place][0])
        found[place].append(Seat(place % _PERMANENT, begin, terms[place][1], False))
    weights = (np.arange(members) + 20.0) ** -0.5
    weights = rng.permutation(weights / weights.sum())
    left = COMMITTEE_MEMBERSHIPS - members
    while left:
        place = int(rng.choice(members, p=weights))
        committee = int(rng.integers(_PERMANENT, COMMITTEES))
        begin_term, end_term = terms[place]
        begin = max(installed, begin_term) + timedelta(days=int(rng.integers(0, 300)))
        if (end_term and begin >= end_term) or any(seat.committee == committee for seat in found[place]):
            continue
        end = end_term
        if end is None and rng.random() < 0.15:
            end = begin + timedelta(days=int(rng.integers(60, 600)))
        found[place].append(Seat(committee, begin, end, bool(rng.random() < 0.03)))
        left -= 1
    return [tuple(seats) for seats in found]


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(";"))


_PORTFOLIOS: Final = _listed(
    """
    dell'Interno; della Giustizia; della Difesa; dell'Economia e delle finanze; delle Imprese e del made in Italy;
    dell'Agricoltura, della sovranità alimentare e delle foreste; dell'Ambiente e della sicurezza energetica;
    delle Infrastrutture e dei trasporti; del Lavoro e delle politiche sociali; dell'Istruzione e del merito;
    dell'Università e della ricerca; della Cultura; della Salute; del Turismo;
    degli Affari esteri e della cooperazione internazionale; per i Rapporti con il Parlamento;
    per la Pubblica amministrazione; per gli Affari regionali e le autonomie;
    per la Protezione civile e le politiche del mare;
    per gli Affari europei e le politiche di coesione; per lo Sport e i giovani; per la Famiglia e la natalità;
    per le Disabilità; per le Riforme istituzionali
    """
)
_SECRETARIES: Final = _listed(
    """
    l'Interno; la Giustizia; la Difesa; l'Economia e le finanze; le Imprese e il made in Italy;
    l'Ambiente e la sicurezza energetica;
    le Infrastrutture e i trasporti; il Lavoro e le politiche sociali; l'Istruzione e il merito;
    l'Università e la ricerca;
    la Cultura; la Salute; gli Affari esteri e la cooperazione internazionale; l'Agricoltura
    """
)


def _offices() -> tuple[Office, ...]:
    """As many offices as members of the government speak, from the first down."""
    sworn = date(2022, 10, 22)
    titles = ["Presidente del Consiglio dei Ministri", "Vicepresidente del Consiglio dei Ministri"]
    titles += [f"Ministro {portfolio}" for portfolio in _PORTFOLIOS]
    titles += [f"Vice Ministro {portfolio}" for portfolio in _PORTFOLIOS[3:11]]
    number = 0
    while len(titles) < SPEAKING_GOVERNMENT:
        titles.append(f"Sottosegretario di Stato per {_SECRETARIES[number % len(_SECRETARIES)]}")
        number += 1
    return tuple(Office(title, sworn) for title in titles[:SPEAKING_GOVERNMENT])


_MEN: Final = """
    Aldo Baldo Carlo Dario Ettore Fulvio Gino Italo Lapo Manlio Nando Oreste Pino Quinto Remo Silvano Tullio Ugo Vasco
    Zeno Amilcare Brando Corrado Duccio Ermanno Fausto Galeazzo Ivano Livio Milo Nereo Olindo Primo Rocco Saverio
    """.split()
_WOMEN: Final = """
    Ada Bice Clelia Delia Elvira Flora Gilda Ida Licia Mirella Nives Olga Pia Quintilia Rita Selma Tosca Urania Velia
    Zita Amelia Brigida Cosima Dora Erminia Fedora Guendalina Iole Lea Marisa Norma Ofelia Petra Romilda Sabina
    """.split()
_SURNAME_STARTS: Final = """
    Albar Bren Carav Dolm Escal Ferg Gualt Isol Lanf Marz Novel Ostr Pard Quer Rond Stral Tarv Urb Valg Zorz Brav Cresp
    Drag Fosc Grim Lard Mend Nerv Pelleg Roverd Santafior Tromb Vesp Zamb Altav Bosch Chiar Drud
    """.split()
_SURNAME_ENDS: Final = "ini etti one acci ucco asco ento ardi isio ale oni izza etto".split()
_STUDIES: Final = _listed(
    """
    Laurea in giurisprudenza; Laurea in economia e commercio; Laurea in scienze politiche;
    Laurea in medicina e chirurgia;
    Laurea in ingegneria; Diploma di liceo classico; Diploma di ragioneria; Laurea in lettere; Laurea in agraria;
    Laurea in architettura; Perito industriale; Laurea in scienze della comunicazione; Dottorato di ricerca
    """
)
_JOBS: Final = _listed(
    """
    Avvocato; Imprenditore; Medico ospedaliero; Insegnante di scuola secondaria; Dirigente d'azienda; Giornalista;
    Commercialista; Agricoltore; Ingegnere; Docente universitario; Funzionario pubblico; Artigiano; Sindacalista;
    Consulente del lavoro; Farmacista; Architetto; Infermiere; Militare; Veterinario; Operaio metalmeccanico
    """
)


def _names(rng: np.random.Generator, number: int) -> list[tuple[str, str, bool]]:
    """So many different names: first name, surname as a register writes it, whether a woman's."""
    found: dict[tuple[str, str], bool] = {}
    while len(found) < number:
        female = bool(rng.random() < 0.34)
        first = str(rng.choice(_WOMEN if female else _MEN))
        surname = str(rng.choice(_SURNAME_STARTS)) + str(rng.choice(_SURNAME_ENDS))
        if rng.random() < 0.06:
            surname = f"{surname} {rng.choice(_SURNAME_STARTS)}{rng.choice(_SURNAME_ENDS)}"
        if rng.random() < 0.04:
            surname = surname[:-1] + "E'"
        found.setdefault((first, surname.upper()), female)
    return [(first, surname, female) for (first, surname), female in found.items()]


def _in_use(surname: str, place: int) -> str:
    """A name in use that is longer than the registered one, as of people with two surnames."""
    return f"{surname.split()[0]} {_SURNAME_ENDS[place % len(_SURNAME_ENDS)].upper()}"


def _description(rng: np.random.Generator) -> str | None:
    """Studies and professions in one string, as published; some have none, some only one of them."""
    kind = rng.random()
    if kind < 0.03:
        return None
    studies, job = str(rng.choice(_STUDIES)), str(rng.choice(_JOBS))
    return studies if kind < 0.08 else job if kind < 0.13 else f"{studies}; {job}"
