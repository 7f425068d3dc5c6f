"""The one pipeline: from a question to an answer. Command line, web and evaluation call `ask`."""

import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loaders.names import organisation_name
from service.answer import extract
from service.answer.candidates import Candidate, candidates
from service.answer.choose import choose
from service.answer.cite import verify
from service.answer.language import Language
from service.answer.languages import WORDINGS
from service.answer.model import Activity, Answer, Expert, Kind, Quotation, Section, Writer
from service.answer.plan import Slot, plan
from service.answer.wording import Reporter, Wording
from service.chamber import Chamber
from service.compass.making import make as make_compass
from service.corpus import Corpus, open_corpus
from service.embedding import Embedder
from service.findings import Findings, find
from service.models import open_language_model
from service.progress import Progress, Step, silent
from service.question import Filters, Question, understand
from service.retrieval.naming import Mention
from service.settings import Settings
from service.thesaurus import Thesaurus

if TYPE_CHECKING:
    from service.language_model import LanguageModel


@dataclass(frozen=True, slots=True)
class Engine:
    """A corpus with all that is read once: groups, thesaurus, and the language model if one is set."""

    corpus: Corpus
    chamber: Chamber
    thesaurus: Thesaurus
    settings: Settings
    language_model: "LanguageModel | None"

    @classmethod
    def open(cls, data: Path, settings: Settings, embedder: Embedder | None = None) -> "Engine":
        """Open the published corpus of a data directory. Raises `DataError`, `ConfigurationError`."""
        corpus = open_corpus(data, settings, embedder)
        return cls(
            corpus=corpus,
            chamber=Chamber(corpus.graph),
            thesaurus=Thesaurus.read(corpus.graph),
            settings=settings,
            language_model=open_language_model(settings),
        )


def ask(
    text: str,
    engine: Engine,
    *,
    reference_date: date | None = None,
    filters: Filters = Filters(),
    use_thesaurus: bool = True,
    language: Language = "it",
    iri: str | None = None,
    progress: Progress = silent,
) -> Answer:
    """Answer a question, group by group. Raises `QuestionError`, `DataError`, `QueryError`.

    The answer is written in `language`, quotations stay in their own. `progress` is told where the
    work is and what it found; what it raises ends the work.
    """
    wording = WORDINGS[language]
    started = datetime.now(UTC)
    if engine.language_model:
        engine = replace(engine, language_model=engine.language_model.begin())
    model = engine.language_model
    progress(Step("understand", "begun"))
    question = understand(
        text,
        engine.corpus,
        engine.thesaurus,
        reference_date=reference_date,
        filters=filters,
        use_thesaurus=use_thesaurus,
        expand=model.expand if model and engine.settings.expand_short_questions else None,
    )
    progress(
        Step(
            "understand",
            "ended",
            {"topic": question.topic, "concepts": len(question.concepts), "committees": len(question.committees)},
        )
    )
    progress(Step("retrieve", "begun"))
    findings = find(question, engine.corpus, engine.chamber, engine.settings.retrieval)
    progress(Step("retrieve", "ended", _found(findings)))
    progress(Step("choose", "begun"))
    authority = {speaker: a.total for speaker, a in findings.authorities.items()}
    chosen = choose(question, engine.corpus, candidates(findings.evidence), authority, findings.acts)
    progress(
        Step(
            "choose",
            "ended",
            {"passages": sum(map(len, chosen.values())), "groups": len(engine.chamber.groups_among(chosen))},
        )
    )
    progress(Step("verify", "begun"))
    verified = verify((c for found in chosen.values() for c in found), engine.corpus)
    progress(Step("verify", "ended", {"verified": sum(verified.values()), "compared": len(verified)}))
    quoted = {c.evidence.speech.speaker for c in verified if c.evidence.speech.speaker}
    groups_now = engine.chamber.groups_of(quoted, question.reference_date)
    slots = plan(question, engine.chamber, {*findings.mentions, *chosen}, wording)
    progress(Step("write", "begun", {"sections": len(slots)}))
    sections, writer = _write(slots, chosen, verified, groups_now, question, findings, engine, wording, progress)
    progress(
        Step("write", "ended", {"sections": len(sections), "quotations": sum(len(s.quotations) for s in sections)})
    )
    compass, milliseconds = None, dict(findings.milliseconds)
    if engine.settings.compass:
        began = time.perf_counter()
        compass = make_compass(question, findings.evidence, engine.corpus, engine.chamber, wording)
        milliseconds["compass"] = round((time.perf_counter() - began) * 1000, 2)
    activity = _activity([m for found in findings.mentions.values() for m in found])
    titles = engine.corpus.manifest.title
    corpus_title = titles.get(language) or titles.get("it", engine.corpus.manifest.dataset)
    days = {m.day for found in findings.mentions.values() for m in found}
    return Answer(
        iri=iri or f"{engine.corpus.manifest.base_iri}answer/{uuid.uuid4()}",
        language=language,
        question=question,
        title=question.topic[:1].upper() + question.topic[1:],
        introduction=wording.introduction(
            question,
            corpus_title=corpus_title,
            activity=activity,
            sitting_days=len(days),
            spoke=_spoke(sections),
            silent=[s.title for s in sections if not s.supported and s.kind != "government"],
        ),
        sections=sections,
        activity=activity,
        figures=findings.figures,
        authorities=findings.authorities,
        corpus_title=corpus_title,
        corpus_version=engine.corpus.manifest.version,
        unresolved=engine.corpus.manifest.counts.get("unresolved", 0),
        dataset=engine.corpus.manifest.dataset,
        invented=engine.corpus.manifest.invented,
        embedding_model=engine.corpus.embedder.model,
        writer=writer,
        started=started,
        ended=datetime.now(UTC),
        milliseconds=milliseconds,
        compass=compass,
    )


def _write(
    slots: Sequence[Slot],
    chosen: dict[str, tuple[Candidate, ...]],
    verified: dict[Candidate, bool],
    groups_now: dict[str, str],
    question: Question,
    findings: Findings,
    engine: Engine,
    wording: Wording,
    progress: Progress,
) -> tuple[tuple[Section, ...], Writer]:
    """Fill every slot. What the language model does not deliver is written without it."""
    reporter = Reporter(wording.REPORTING)
    points = extract.shared_points((e.text for e in findings.evidence), question, engine.thesaurus)
    ranks = _ranks(findings)
    model = engine.language_model
    sections = []
    fallbacks = written_by_model = 0
    for number, slot in enumerate(slots, start=1):
        step = Step("write", "working", {"section": number, "sections": len(slots), "title": slot.title})
        progress(step)
        quotations = tuple(
            Quotation(c.evidence, c.span, True, _group_now(c, groups_now))
            for c in chosen.get(slot.bloc, ())
            if verified[c]
        )
        activity = _activity(findings.mentions.get(slot.bloc, ()))
        written = (
            model.write_section(
                slot.title,
                wording.SIDES[slot.kind],
                question,
                quotations,
                language=wording.LANGUAGE,
                between=partial(progress, step),
            )
            if model and quotations and model.answers
            else None
        )
        if written is not None:
            written_by_model += 1
        elif model and quotations:
            fallbacks += 1
        sections.append(
            Section(
                kind=slot.kind,
                bloc=slot.bloc,
                group=slot.group,
                component=slot.component,
                title=slot.title,
                text=written
                or extract.section_text(
                    quotations,
                    activity,
                    question=question,
                    features=findings.features,
                    authorities=findings.authorities,
                    thesaurus=engine.thesaurus,
                    points=points,
                    group_names=lambda iri: organisation_name(
                        engine.chamber.organisations[iri].name_on(question.reference_date)
                    ),
                    reporter=reporter,
                    wording=wording,
                ),
                quotations=quotations,
                activity=activity,
                expert=_expert(quotations, findings, ranks, groups_now, question, engine),
            )
        )
    # Who wrote nothing is not named as the writer.
    writer = (
        Writer(model.name if written_by_model else None, model.prompt_version if written_by_model else None, fallbacks)
        if model
        else Writer(None, None)
    )
    return tuple(sections), writer


def _found(findings: Findings) -> dict[str, int | str]:
    figures = findings.figures
    return {
        "acts": figures.acts,
        "signatories": figures.signatories,
        "committees": figures.committees,
        "byDense": figures.by_dense,
        "byGraph": figures.by_graph,
        "merged": figures.merged,
        "evidence": len(findings.evidence),
        "speakers": len(findings.authorities),
        "speeches": len({mention.speech for found in findings.mentions.values() for mention in found}),
    }


def _activity(mentions: Iterable[Mention]) -> Activity:
    found = tuple(mentions)
    days = [mention.day for mention in found]
    return Activity(
        interventions=len({mention.speech for mention in found}),
        speakers=len({mention.speaker for mention in found if mention.speaker}),
        first=min(days, default=None),
        last=max(days, default=None),
    )


def _ranks(findings: Findings) -> dict[str, int]:
    ordered = sorted(findings.authorities.values(), key=lambda a: (-a.total, a.speaker))
    return {authority.speaker: rank for rank, authority in enumerate(ordered, start=1)}


def _expert(
    quotations: Sequence[Quotation],
    findings: Findings,
    ranks: dict[str, int],
    groups_now: dict[str, str],
    question: Question,
    engine: Engine,
) -> Expert | None:
    """The quoted speaker of highest standing: a panel never shows people who are not in the answer."""
    speakers = [q.speech.speaker for q in quotations if q.speech.speaker is not None]
    weighed = [findings.authorities[s] for s in speakers if s in findings.authorities]
    if not weighed:
        return None
    best = max(weighed, key=lambda authority: (authority.total, authority.speaker))
    name = next(q.speech.name for q in quotations if q.speech.speaker == best.speaker)
    group = groups_now.get(best.speaker)
    return Expert(
        speaker=best.speaker,
        name=name or "",
        authority=best,
        features=findings.features[best.speaker],
        rank=ranks[best.speaker],
        group=group,
        group_name=organisation_name(engine.chamber.organisations[group].name_on(question.reference_date))
        if group
        else None,
    )


def _spoke(sections: Sequence[Section]) -> dict[Kind, list[str]]:
    spoke: defaultdict[Kind, list[str]] = defaultdict(list)
    for section in sections:
        if section.supported:
            spoke[section.kind].append(section.title)
    return dict(spoke)


def _group_now(candidate: Candidate, groups_now: dict[str, str]) -> str | None:
    speech = candidate.evidence.speech
    now = groups_now.get(speech.speaker or "")
    return now if now and speech.group and now != speech.group else None
