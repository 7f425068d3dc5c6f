"""Stenographic reports of the generated sittings, in the Chamber's XML."""

from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from tests.benchmarks.generator import text
from tests.benchmarks.generator.people import Person
from tests.benchmarks.generator.plan import Plan
from tests.benchmarks.generator.words import vocabulary

_MONTHS: Final = "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split()
_PHASES: Final = (
    "Discussione sulle linee generali",
    "Esame degli articoli",
    "Esame degli ordini del giorno",
    "Dichiarazioni di voto finale",
    "Repliche",
    "Interventi a titolo personale",
)
_KINDS: Final = (
    "Discussione della proposta di legge in materia di {}",
    "Seguito della discussione del disegno di legge: {}",
    "Discussione di mozioni concernenti {}",
    "Svolgimento di interpellanze su {}",
    "Interrogazioni a risposta immediata su {}",
    "Informativa urgente del Governo: {}",
)
_CHAIR_WORDS: Final = (
    "Ha chiesto di parlare {name}. Ne ha facoltà.",
    "La ringrazio. È iscritto a parlare {name}. Ne ha facoltà.",
    "Ringrazio l'oratore. Prendo atto che nessun altro chiede di parlare su questo punto. Ha facoltà {name}.",
    "Colleghi, per favore, un po' di silenzio. Prego, {name}.",
)
_CHAIR_SHARE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Report:
    """A sitting's report, and what it holds."""

    name: str
    xml: str
    debates: int
    phases: int
    speeches: int
    chair_turns: int
    chunks: int
    speakers: frozenset[int]


def sitting(plan: Plan, index: int) -> Report:
    """The report of the sitting in this place of the plan."""
    first = int(plan.debates_until[index - 1]) if index else 0
    debates = list(range(first, int(plan.debates_until[index])))
    return _Writer(plan, index + 1, plan.days[index]).report(debates)


def further_sitting(plan: Plan, number: int, day: date) -> Report:
    """A sitting beyond the plan: debates of earlier sittings go on, with other words."""
    rng = np.random.default_rng([plan.seed, 6, number])
    size = max(1, plan.scale.debates // plan.scale.sittings)
    debates = rng.choice(plan.scale.debates, min(size, plan.scale.debates), replace=False)
    return _Writer(plan, number, day).report(sorted(debates.tolist()))


class _Writer:
    """Writes one report, with random numbers of its own."""

    def __init__(self, plan: Plan, number: int, day: date) -> None:
        self.plan, self.number, self.day = plan, number, day
        self.rng = np.random.default_rng([plan.seed, 3, number])
        self.lines: list[str] = []
        self.acts: list[tuple[str, tuple[str, ...]]] = []
        self.phases = self.speeches = self.chair_turns = self.chunks = 0
        self.speakers: set[int] = set()
        chairs = plan.parliament.chairs
        self.chair = plan.parliament.people[chairs[int(self.rng.integers(len(chairs)))]]

    def report(self, debates: list[int]) -> Report:
        for place, debate in enumerate(debates, start=3):
            self._debate(debate, f"tit{place * 10:05d}")
        topics = "".join(
            f'    <argomento idDibattito="{anchor}"><atti>'
            + "".join(f'<atto tipologiaAtto="pdl" codiceArgomento="{code}"/>' for code in codes)
            + "</atti></argomento>\n"
            for anchor, codes in self.acts
        )
        day = self.day
        head = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<seduta legislatura="19" numero="{self.number}" anno="{day.year}" mese="{day.month:02d}" '
            f'giorno="{day.day:02d}" ramo="camera">\n'
            f"  <metadati><dataEstesa>{day.day} {_MONTHS[day.month - 1]} {day.year}</dataEstesa><argomenti>\n"
            f"{topics}  </argomenti></metadati>\n"
            '  <resoconto tipo="stenografico">\n'
        )
        return Report(
            name=file_name(self.number),
            xml=head + "".join(self.lines) + "  </resoconto>\n</seduta>\n",
            debates=len(debates),
            phases=self.phases,
            speeches=self.speeches,
            chair_turns=self.chair_turns,
            chunks=self.chunks,
            speakers=frozenset(self.speakers),
        )

    def _debate(self, debate: int, anchor: str) -> None:
        plan, rng = self.plan, self.rng
        topic = int(plan.topics[debate])
        names = (vocabulary().topics[topic].name, *vocabulary().topics[topic].phrases)
        subject = names[int(rng.integers(len(names)))]
        codes = self._codes(topic)
        if codes:
            self.acts.append((anchor, codes))
        kind = int(rng.integers(2)) if codes else int(rng.integers(2, len(_KINDS)))
        title = _KINDS[kind].format(f"{subject}, {text.phrase(rng, topic, 3)}")
        self.lines.append(f'    <dibattito id="{anchor}"><titolo>{title}</titolo>\n')
        begin = int(plan.speeches_until[debate - 1]) if debate else 0
        speeches = np.arange(begin, int(plan.speeches_until[debate]))
        phases = int(plan.phases[debate])
        # Some phases hold no speech, as in published reports.
        parts = np.array_split(speeches, phases) if phases else [speeches]
        suffix = f" - A.C. {codes[0]}" if codes else ""
        for number, part in enumerate(parts, start=1):
            inner = anchor
            if phases:
                inner = f"{anchor}.sub{number * 10:05d}"
                name = _PHASES[min(number - 1, len(_PHASES) - 1)] if phases < 7 else f"Esame dell'articolo {number}"
                self.lines.append(f'      <fase id="{inner}"><titolo>{name}{suffix}</titolo>\n')
                self.phases += 1
            self._turns(part.tolist(), inner, topic, int(plan.facets[debate]), bool(codes))
            if phases:
                self.lines.append("      </fase>\n")
        self.lines.append("    </dibattito>\n")

    def _codes(self, topic: int) -> tuple[str, ...]:
        """One or two earlier acts on the topic, for six debates of ten."""
        if self.rng.random() > 0.6:
            return ()
        plan = self.plan
        earlier = int(np.searchsorted(plan.act_days, np.datetime64(self.day)))
        candidates = np.flatnonzero(plan.act_topics[:earlier] == topic)
        if not candidates.size:
            return ()
        recent = candidates[-60:]
        chosen = self.rng.choice(recent, min(recent.size, 1 + int(self.rng.random() < 0.2)), replace=False)
        return tuple(f"{act + 1}{'-A' if self.rng.random() < 0.4 else ''}" for act in chosen.tolist())

    def _turns(self, speeches: list[int], holder: str, topic: int, facet: int, on_act: bool) -> None:
        plan, rng = self.plan, self.rng
        turn = 0
        for place in speeches:
            who = int(plan.speakers[place])
            person = plan.parliament.people[who]
            if not person.may_speak(self.day):  # who has left before a further sitting
                continue
            resumed = bool(plan.resumed[place])
            if resumed or rng.random() < _CHAIR_SHARE:
                turn += 10
                self._chair(f"{holder}.int{turn:05d}", person)
            turn += 10
            side_topic = int(rng.integers(len(vocabulary().topics)))
            spoken = text.speech(rng, topic, facet, side_topic, int(plan.chunks[place]), resumed)
            rapporteur = on_act and person.office is None and rng.random() < 0.05
            self._intervention(f"{holder}.int{turn:05d}", person, self._printed(person, rapporteur), spoken.texts)
            self.speeches += 1
            self.chunks += spoken.chunks
            self.speakers.add(who)

    def _printed(self, person: Person, rapporteur: bool) -> str:
        """What is printed beside the name: the office, the task or the group of the day."""
        if person.office is not None:
            return f', <emphasis type="italic">{person.office.title}</emphasis>'
        if rapporteur:
            return ', <emphasis type="italic">Relatore per la commissione</emphasis>'
        return f" ({person.sigla(self.day)})"

    def _chair(self, anchor: str, following: Person) -> None:
        words = _CHAIR_WORDS[int(self.rng.integers(len(_CHAIR_WORDS)))].format(name=f"l'onorevole {_shown(following)}")
        self.lines.append(
            f'        <intervento id="{anchor}"><testoXHTML><nominativo id="{self.chair.number}" '
            f'cognomeNome="{self.chair.surname} {self.chair.first_name}">PRESIDENTE</nominativo>. {words}'
            "</testoXHTML></intervento>\n"
        )
        self.chair_turns += 1

    def _intervention(self, anchor: str, person: Person, printed: str, paragraphs: tuple[str, ...]) -> None:
        rest = "".join(
            f'\n          <interventoVirtuale id="{anchor}.iv{number}">{paragraph}</interventoVirtuale>'
            for number, paragraph in enumerate(paragraphs[1:], start=1)
        )
        self.lines.append(
            f'        <intervento id="{anchor}"><testoXHTML><nominativo id="{person.number}" '
            f'cognomeNome="{person.surname} {person.first_name}">{person.first_name.upper()} {person.surname}'
            f"</nominativo>{printed}. {paragraphs[0]}</testoXHTML>{rest}</intervento>\n"
        )


def file_name(number: int) -> str:
    """The name of a sitting's file; its place in the order of names is its place in time."""
    return f"stenografico_leg19_{number:04d}.xml"


def _shown(person: Person) -> str:
    return f"{person.first_name} {person.surname.title()}"
