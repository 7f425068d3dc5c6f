"""Write the linked data of Esperia, an invented parliament, as the Italian Chamber would.

Reads roster.toml and acts.toml beside this file and writes ../ocd/esperia.nq: N-Quads in
the terms of the ontology of the Chamber of Deputies (OCD), in the shape in which
dati.camera.it really publishes it and not in the one that the ontology declares. The
loader can so be tried, and shown to others, on the quirks of the real source without any
real person in it: memberships on untyped blank nodes, days as "YYYYMMDD" strings,
intervals that end on the day the next one begins, labels with a date and often an
unclosed bracket, titles in escaped HTML, officers kept apart from members, and theme
graphs that repeat some of the triples.

    python mappings/esperia/source/build.py

The same input gives the same bytes.
"""

import html.entities
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

Table = dict[str, Any]

HERE = Path(__file__).parent
TARGET = HERE.parent / "ocd" / "esperia.nq"

OCD = "http://dati.camera.it/ocd/"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
FOAF = "http://xmlns.com/foaf/0.1/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def iri(value: str) -> str:
    """The N-Quads form of an IRI."""
    return f"<{value}>"


def text(value: str) -> str:
    """The N-Quads form of a plain literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def compact(day: date) -> str:
    """A day as OCD writes it in a value: 20241008."""
    return f"{day:%Y%m%d}"


def dated(label: str, begin: date, end: date | None = None, *, closed: bool) -> str:
    """A label with its days as OCD writes them, the bracket left open where it is."""
    days = f"{begin:%d.%m.%Y}" + (f"-{end:%d.%m.%Y}" if end else "")
    return f"{label} ({days}" + (")" if closed else "")


@dataclass
class Quads:
    """The quads, in the order in which they were added."""

    base: str
    lines: list[str] = field(default_factory=list)

    def node(self, kind: str, name: str) -> str:
        """The IRI of an instance."""
        return iri(f"{self.base}{kind}.rdf/{name}")

    def add(self, subject: str, predicate: str, value: str, theme: str = "") -> None:
        """Add a triple to the main graph and, if a theme is named, to its graph too."""
        for graph in (self.base, f"{self.base}{theme}/") if theme else (self.base,):
            self.lines.append(f"{subject} {iri(predicate)} {value} {iri(graph)} .\n")

    def interval(self, subject: str, begin: date, end: date | None) -> None:
        """Add the days of an interval; one that lasts has no end."""
        self.add(subject, OCD + "startDate", text(compact(begin)))
        if end:
            self.add(subject, OCD + "endDate", text(compact(end)))


def group_stints(stints: list[Table], groups: dict[str, Table]) -> Iterator[tuple[str, str, date, date | None]]:
    """Intervals in groups, cut where a group changes its name: group, name, first day, end."""
    for stint in stints:
        group = groups[stint["id"]]
        former_names = group.get("former_names", [])
        begin: date = stint["from"] if "from" in stint else group["begin"]
        end: date | None = stint.get("until")
        if begin == end:  # of no length: under a name of a single day, if there was one
            names = [former["name"] for former in former_names if former["from"] == begin]
            yield group["id"], (names or [group["name"]])[0], begin, end
            continue
        for former in former_names:
            renamed = former["until"] + timedelta(days=1)
            if former["from"] == former["until"] or renamed <= begin:
                continue
            yield group["id"], former["name"], begin, min(end or renamed, renamed)
            begin = renamed
        if end is None or begin < end:
            yield group["id"], group["name"], begin, end


def add_bodies(quads: Quads, roster: Table) -> None:
    """The legislature, the government, the groups, the components and the committees."""
    chamber, government = roster["chamber"], roster["government"]
    legislature = quads.node("legislatura", f"repubblica_{chamber['legislature']}")
    quads.add(legislature, TYPE, iri(OCD + "legislatura"))
    quads.add(legislature, LABEL, text(chamber["legislature_label"]))
    quads.add(legislature, OCD + "startDate", text(compact(chamber["begin"])))
    cabinet = quads.node("governo", government["id"])
    quads.add(cabinet, TYPE, iri(OCD + "governo"))
    quads.add(cabinet, LABEL, text(government["label"]))

    bodies = [("gruppoParlamentare", group) for group in roster["group"]]
    bodies += [("componenteGruppoMisto", component) for component in roster["component"]]
    for kind, body in bodies:
        subject = quads.node(kind, body["id"])
        closed = int(body["id"][-1]) % 2 == 1
        quads.add(subject, TYPE, iri(OCD + kind), "gruppi")
        quads.add(subject, OCD + "rif_leg", legislature)
        quads.add(subject, DCTERMS + "alternative", text(body["acronym"]))
        quads.add(subject, LABEL, text(dated(body["name"], body["begin"], closed=closed)), "gruppi")
        quads.add(subject, OCD + "startDate", text(compact(body["begin"])))
        if kind == "componenteGruppoMisto":
            quads.add(subject, OCD + "rif_gruppoParlamentare", quads.node("gruppoParlamentare", body["group"]))
        for count, former in enumerate(body.get("former_names", ()), 1):
            name = f"_:denominazione_{body['id']}_{count}"
            quads.add(subject, OCD + "denominazione", name)
            quads.add(name, LABEL, text(former["name"]))
            quads.add(name, DCTERMS + "alternative", text(former["acronym"]))
            quads.interval(name, former["from"], former["until"])

    for committee in roster["committee"]:
        organ = quads.node("organo", committee["id"])
        quads.add(organ, TYPE, iri(OCD + "organo"), "organi")
        quads.add(organ, OCD + "rif_leg", legislature)
        quads.add(organ, LABEL, text(dated(committee["name"], chamber["begin"], closed=False)), "organi")


def add_person(quads: Quads, person: Table) -> str:
    """The lifelong record of a person."""
    subject = quads.node("persona", f"p{person['number']}")
    quads.add(subject, TYPE, iri(FOAF + "Person"))
    quads.add(subject, FOAF + "firstName", text(person["first_name"]))
    quads.add(subject, FOAF + "surname", text(person["surname"]))
    quads.add(subject, FOAF + "gender", text(person["gender"]))
    if "surname_in_use" in person:
        nickname = f"_:nickname_{person['number']}"
        quads.add(subject, FOAF + "nickname", nickname)
        quads.add(nickname, FOAF + "surname", text(person["surname_in_use"]))
    return subject


def add_government_office(quads: Quads, person: Table, cabinet: str) -> str:
    """An office in the government, with its name in a property named like the class."""
    begin = person["government"]["from"]
    office = quads.node("membroGoverno", f"mg{person['number']}_1_{compact(begin)}")
    quads.add(office, TYPE, iri(OCD + "membroGoverno"))
    quads.add(office, OCD + "membroGoverno", text(person["government"]["office"]))
    quads.add(office, OCD + "rif_persona", quads.node("persona", f"p{person['number']}"))
    quads.add(office, OCD + "rif_governo", quads.node("governo", cabinet))
    quads.add(office, OCD + "startDate", text(compact(begin)))
    return office


def add_member(quads: Quads, member: Table, roster: Table) -> None:
    """A member: person, mandate, and what the member belongs to."""
    chamber, number = roster["chamber"], member["number"]
    term = chamber["legislature"]
    deputy = quads.node("deputato", f"d{number}_{term}")
    mandate = quads.node("mandatoCamera", f"mc{term}_{number}_{compact(chamber['begin'])}")

    quads.add(add_person(quads, member), OCD + "rif_mandatoCamera", mandate)
    quads.add(mandate, TYPE, iri(OCD + "mandatoCamera"))
    quads.add(mandate, OCD + "startDate", text(compact(chamber["begin"])))
    quads.add(mandate, OCD + "rif_deputato", deputy)

    name = f"{member['first_name']} {member['surname']}"
    quads.add(deputy, TYPE, iri(OCD + "deputato"), "deputati")
    quads.add(deputy, OCD + "rif_leg", quads.node("legislatura", f"repubblica_{term}"))
    quads.add(deputy, LABEL, text(f"{name}, {chamber['legislature_label']}"))
    quads.add(deputy, FOAF + "firstName", text(member["first_name"]))
    quads.add(deputy, FOAF + "surname", text(member["surname"]))
    quads.add(deputy, FOAF + "gender", text(member["gender"]))
    description = [member[key] for key in ("education", "profession") if key in member]
    if description:
        quads.add(deputy, DC + "description", text("; ".join(description)))
    quads.add(deputy, OCD + "rif_mandatoCamera", mandate)

    add_groups(quads, member, deputy, roster)
    add_seats(quads, member, deputy, roster)
    if "government" in member:
        office = add_government_office(quads, member, roster["government"]["id"])
        quads.add(deputy, OCD + "rif_membroGoverno", office)


def add_groups(quads: Quads, member: Table, deputy: str, roster: Table) -> None:
    """The groups and components of a member, and the offices held in them."""
    term, number = roster["chamber"]["legislature"], member["number"]
    groups = {group["id"]: group for group in roster["group"]}
    for count, (group, label, begin, end) in enumerate(group_stints(member["groups"], groups), 1):
        stint = f"_:aderisce_{number}_{count}"
        quads.add(deputy, OCD + "aderisce", stint, "deputati")
        quads.add(stint, OCD + "rif_gruppoParlamentare", quads.node("gruppoParlamentare", group))
        quads.add(stint, LABEL, text(dated(label, begin, end, closed=end is not None)))
        quads.interval(stint, begin, end)

    components = {component["id"]: component for component in roster["component"]}
    for count, stint in enumerate(member.get("components", ()), 1):
        seat = f"_:componente_{number}_{count}"
        quads.add(quads.node("componenteGruppoMisto", stint["id"]), OCD + "siComponeDi", seat)
        quads.add(seat, OCD + "rif_deputato", deputy)
        quads.interval(seat, stint.get("from", components[stint["id"]]["begin"]), stint.get("until"))

    held = [
        (stint["role"], part) for stint in member.get("group_offices", ()) for part in group_stints([stint], groups)
    ]
    for count, (role, (group, _, begin, end)) in enumerate(held, 1):
        office = quads.node("incarico", f"i{term}_{number}_{count}")
        quads.add(deputy, OCD + "rif_incarico", office)
        quads.add(office, TYPE, iri(OCD + "incarico"))
        quads.add(office, OCD + "ruolo", text(role))
        quads.add(office, OCD + "rif_gruppoParlamentare", quads.node("gruppoParlamentare", group))
        quads.add(office, OCD + "rif_deputato", deputy)
        quads.interval(office, begin, end)


def add_seats(quads: Quads, member: Table, deputy: str, roster: Table) -> None:
    """The committee seats of a member; an officer's seat is published as an office only."""
    chamber, number = roster["chamber"], member["number"]
    names = {committee["id"]: committee["name"] for committee in roster["committee"]}
    for count, stint in enumerate(member["committees"], 1):
        organ = quads.node("organo", stint["id"])
        begin, end = stint.get("from", chamber["committees_begin"]), stint.get("until")
        if "office" in stint:
            office = quads.node("ufficioParlamentare", f"u{chamber['legislature']}_{number}_{count}")
            quads.add(deputy, OCD + "rif_ufficioParlamentare", office)
            quads.add(office, TYPE, iri(OCD + "ufficioParlamentare"))
            quads.add(office, OCD + "rif_organo", organ)
            quads.add(office, OCD + "rif_deputato", deputy)
            quads.add(office, OCD + "carica", text(stint["office"]))
            quads.interval(office, begin, end)
        else:
            seat = f"_:membro_{number}_{count}"
            quads.add(deputy, OCD + "membro", seat)
            quads.add(seat, OCD + "rif_organo", organ)
            quads.add(seat, DC + "type", text("Titolare"))
            quads.add(seat, LABEL, text(dated(names[stint["id"]], begin, closed=False)))
            quads.interval(seat, begin, end)


def published_title(act: Table, surnames: list[str], *, entities: bool) -> str:
    """The title as published: signatories, escaped HTML, the number in brackets, blanks around."""
    body = "".join(
        char if char.isascii() else f"&{html.entities.codepoint2name[ord(char)]};"
        for char in act["title"].replace("'", "\u2019")
    )
    body = re.sub(r"\*(.+?)\*", r"&lt;em&gt;\1&lt;/em&gt;", body)
    match surnames:
        case []:
            signed = ""
        case [first]:
            signed = first
        case [first, second]:
            signed = f"{first} e {second}"
        case [first, *_]:
            signed = f"{first} ed altri"
    if act.get("constitutional"):
        kind = "PROPOSTA" if surnames else "DISEGNO"
        signed = f"{kind} DI LEGGE COSTITUZIONALE {signed}".rstrip()
    quote = '"'
    if entities:
        signed, quote = signed.replace("'", "&#39;"), "&quot;"
    head = f"{signed}: " if signed else ""
    return f" {head}{quote}{body}{quote} ({act['id']}) "


def add_acts(quads: Quads, roster: Table, acts: list[Table]) -> None:
    """The bills, with their signatories."""
    chamber = roster["chamber"]
    term = chamber["legislature"]
    people = {person["number"]: person for person in [*roster["member"], *roster["minister"]]}

    for position, act in enumerate(acts):
        subject = quads.node("attocamera", f"ac{term}_{act['id']}")
        signatories = [people[number] for number in (act["first"], *act.get("others", ()))] if "first" in act else []
        surnames = [person["surname"] for person in signatories]
        title = published_title(act, surnames, entities=position % 3 == 0)
        quads.add(subject, TYPE, iri(OCD + "atto"), "atti")
        quads.add(subject, DC + "title", text(title), "atti")
        quads.add(subject, DC + "identifier", text(act["id"]))
        quads.add(subject, DC + "type", text("Progetto di Legge"))
        quads.add(subject, OCD + "rif_leg", quads.node("legislatura", f"repubblica_{term}"))
        quads.add(subject, OCD + "iniziativa", text("Parlamentare" if signatories else "Governo"))
        quads.add(subject, DC + "date", text(compact(act["date"])))
        quads.add(subject, DCTERMS + "isReferencedBy", iri(chamber["cards"] + act["id"]))
        for rank, person in enumerate(signatories):
            role = "altro_firmatario" if rank else "primo_firmatario"
            quads.add(subject, OCD + role, quads.node("deputato", f"d{person['number']}_{term}"))
        if signatories:
            quads.add(subject, DC + "creator", text(f"{signatories[0]['first_name']} {surnames[0]}"))
        for number in act.get("ministers", ()):
            office = people[number]["government"]
            signatory = f"_:firmatario_{act['id']}_{number}"
            quads.add(subject, OCD + "primo_firmatario", signatory)
            quads.add(signatory, OCD + "rif_persona", quads.node("persona", f"p{number}"))
            quads.add(signatory, OCD + "ruolo", text(office["office"]))
            minister = quads.node("membroGoverno", f"mg{number}_1_{compact(office['from'])}")
            quads.add(signatory, OCD + "rif_membroGoverno", minister)


def build(roster: Table, acts: list[Table]) -> str:
    """The whole data set as N-Quads."""
    quads = Quads(roster["chamber"]["base"])
    add_bodies(quads, roster)
    for member in roster["member"]:
        add_member(quads, member, roster)
    for minister in roster["minister"]:
        add_person(quads, minister)
        add_government_office(quads, minister, roster["government"]["id"])
    add_acts(quads, roster, acts)
    return "".join(quads.lines)


def main() -> None:
    """Read the sources and write the file."""
    roster = tomllib.loads((HERE / "roster.toml").read_text(encoding="utf-8"))
    acts = tomllib.loads((HERE / "acts.toml").read_text(encoding="utf-8"))["act"]
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(build(roster, acts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
