"""The answer as linked data: compact JSON-LD 1.1, and its round trip through RDF.

Quotations have IRIs of their own, made of speech and span, so that the same words quoted in
two answers are one resource. Everything else of an answer is a blank node below it. Numbers
are plain JSON numbers; order is told by `order`, not by RDF lists.
"""

import json
import statistics
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pyld import jsonld

import ontology
from service.answer.model import Answer, Quotation, Section
from service.answer.triples import read_quads
from service.compass import jsonld as compass_jsonld
from service.documents import Document as Document
from service.documents import iso, number, present, question_document
from service.evidence import Reason
from service.experts import jsonld as experts_jsonld
from service.experts.jsonld import expert_document

CONTEXT: Final = "https://w3id.org/emiciclo/context.jsonld"

_ARRAYS: Final = {
    "Answer": ("sections", "experts"),
    "Section": ("quotations",),
    "Quotation": ("reasons",),
    **compass_jsonld.ARRAYS,
    **experts_jsonld.ARRAYS,
}
"""Arrays that a document always has; an empty one leaves no trace in RDF."""


def to_jsonld(answer: Answer) -> Document:
    """Make the compact JSON-LD document of an answer. The same answer gives the same document."""
    experts = [s.expert for s in answer.sections if s.expert]
    ranked_of = len(answer.authorities)
    document: Document = present(
        {
            "@context": CONTEXT,
            "id": answer.iri,
            "type": "Answer",
            "title": answer.title,
            "language": answer.language,
            "invented": answer.invented,
            "question": question_document(answer.question, answer.language),
            "introduction": answer.introduction,
            "interventions": answer.activity.interventions,
            "speakersCount": answer.activity.speakers,
            "firstDate": iso(answer.activity.first),
            "lastDate": iso(answer.activity.last),
            "sections": [_section(s, n, answer, ranked_of) for n, s in enumerate(answer.sections, start=1)],
            "experts": [
                expert_document(expert, n, ranked_of)
                for n, expert in enumerate(sorted(experts, key=lambda e: (-e.authority.total, e.speaker)), start=1)
            ],
            "coverage": _coverage(answer),
            "balance": _balance(answer),
            "compass": compass_jsonld.compass_document(answer.compass) if answer.compass else None,
            "corpus": {
                "type": "Corpus",
                "title": answer.corpus_title,
                "dataset": answer.dataset,
                "corpusVersion": answer.corpus_version,
                "unresolvedSpeeches": answer.unresolved,
                "embeddingModel": answer.embedding_model,
            },
            "activities": _activities(answer),
        }
    )
    return document


def quotation_iri(quotation: Quotation) -> str:
    """The IRI of a quotation: that of its speech, with the span in place of the kind."""
    speech = quotation.speech.iri
    base, path = speech.split("/speech/", 1)
    return f"{base}/quotation/{path}/{quotation.span.start}-{quotation.span.end}"


def _section(section: Section, order: int, answer: Answer, ranked_of: int) -> Document:
    return {
        "type": "Section",
        "order": order,
        "kind": section.kind,
        "group": section.group,
        "component": section.component,
        "title": section.title,
        "text": section.text,
        "evidence": "supported" if section.supported else "none",
        "interventions": section.activity.interventions,
        "speakersCount": section.activity.speakers,
        "firstDate": iso(section.activity.first),
        "lastDate": iso(section.activity.last),
        "quotations": [_quotation(q, n) for n, q in enumerate(section.quotations, start=1)],
        "expert": expert_document(section.expert, None, ranked_of) if section.expert else None,
    }


def _quotation(quotation: Quotation, order: int) -> Document:
    speech, evidence = quotation.speech, quotation.evidence
    before, after = quotation.context
    return {
        "id": quotation_iri(quotation),
        "type": "Quotation",
        "order": order,
        "speech": speech.iri,
        "hasSource": speech.iri,
        "source": speech.source,
        "speaker": speech.speaker,
        "speakerName": speech.name,
        "officeLabel": speech.office,
        "groupAtSpeech": speech.group,
        "componentAtSpeech": speech.component,
        "groupNow": quotation.group_now,
        "capacity": speech.capacity,
        "side": speech.side,
        "date": speech.date.isoformat(),
        "debateTitle": speech.debate_title,
        "phaseTitle": speech.phase_title,
        "sha256": speech.sha256,
        "selector": [
            {"type": "TextPositionSelector", "start": quotation.span.start, "end": quotation.span.end},
            {
                "type": "TextQuoteSelector",
                "exact": quotation.exact,
                "prefix": before or None,
                "suffix": after or None,
            },
        ],
        "verified": quotation.verified,
        "similarity": number(evidence.similarity),
        "score": number(evidence.score),
        "relevance": number(evidence.terms.relevance),
        "diversity": number(evidence.terms.diversity),
        "coverageTerm": number(evidence.terms.coverage),
        "authorityTerm": number(evidence.terms.authority),
        "salience": number(evidence.terms.salience),
        "reasons": [_reason(reason, n) for n, reason in enumerate(evidence.reasons, start=1)],
    }


def _reason(reason: Reason, order: int) -> Document:
    about = reason.iri if reason.iri and reason.iri.startswith("http") else None
    return {
        "type": "Reason",
        "order": order,
        "channel": reason.channel,
        "about": about,
        "label": reason.label,
        "detail": reason.detail,
    }


def _coverage(answer: Answer) -> Document:
    groups = [s for s in answer.sections if s.kind in ("majority", "opposition", "mixed", "other") and s.group]
    return {
        "type": "Coverage",
        "groupsCovered": len({s.group for s in groups if s.supported}),
        "groupsTotal": len({s.group for s in groups}),
        "quotationsCount": len(answer.quotations),
    }


def _balance(answer: Answer) -> Document | None:
    """Shares of the quotations of groups with a side; the gruppo misto and the government stand apart."""
    sides = Counter(s.kind for s in answer.sections for _ in s.quotations if s.kind in ("majority", "opposition"))
    total = sum(sides.values())
    if not total:
        return None
    return {
        "type": "Balance",
        "majorityShare": number(sides["majority"] / total),
        "oppositionShare": number(sides["opposition"] / total),
    }


def _activities(answer: Answer) -> list[Document]:
    figures = answer.figures
    writer = answer.writer
    return [
        {
            "type": "Activity",
            "order": 1,
            "stage": "retrieve",
            "startedAt": _instant(answer.started),
            "agent": {"type": "SoftwareAgent", "name": answer.embedding_model},
            "actsFound": figures.acts,
            "signatoriesFound": figures.signatories,
            "denseFound": figures.by_dense,
            "graphFound": figures.by_graph,
            "merged": figures.merged,
            "bestSimilarity": number(figures.best_similarity),
        },
        {
            "type": "Activity",
            "order": 2,
            "stage": "weigh",
            "rankOf": len(answer.authorities),
            **{name: number(value) for name, value in _spread(answer).items()},
        },
        {
            "type": "Activity",
            "order": 3,
            "stage": "write",
            "agent": {"type": "SoftwareAgent", "name": writer.model or "Emiciclo, extractive writer"},
            "promptVersion": writer.prompt_version,
            "fallbacks": writer.fallbacks if writer.model or writer.fallbacks else None,
        },
        {
            "type": "Activity",
            "order": 4,
            "stage": "verify",
            "endedAt": _instant(answer.ended),
            "agent": {"type": "SoftwareAgent", "name": "Emiciclo, comparison with the record"},
            "quotationsCount": len(answer.quotations),
        },
    ]


def _spread(answer: Answer) -> dict[str, float]:
    """Mean and standard deviation of the authority of all who were weighed: totals differ by topic."""
    totals = [authority.total for authority in answer.authorities.values()]
    if not totals:
        return {}
    return {"authorityMean": statistics.fmean(totals), "authorityDeviation": statistics.pstdev(totals)}


def to_rdf(document: Document) -> str:
    """The document as N-Quads. Nothing is fetched: the context is the package's own."""
    options: Any = {"format": "application/n-quads", "documentLoader": _load_context}
    quads: str = jsonld.to_rdf(document, options)
    return quads


def from_rdf(quads: str) -> Document:
    """The compact document of the one answer in N-Quads, equal to the one it was made from."""
    expanded = jsonld.from_rdf(read_quads(quads), {"useNativeTypes": True})
    options: Any = {
        "documentLoader": _load_context,
        "embed": "@always",
        "omitGraph": True,
        "omitDefault": True,
        "pruneBlankNodeIdentifiers": True,
    }
    framed = jsonld.frame(expanded, {"@context": CONTEXT, "type": "Answer"}, options)
    document: Document = _ordered({**framed, "@context": CONTEXT})
    return document


def dumps(document: Document) -> str:
    """The document as it is printed and served."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def _load_context(url: str, options: Mapping[str, Any] | None = None) -> Document:
    if url != CONTEXT:
        raise ValueError(f"the context {url} is not known, and none is fetched")
    return {
        "contextUrl": None,
        "documentUrl": url,
        "contentType": "application/ld+json",
        "document": json.loads(ontology.read("context.jsonld")),
    }


def _ordered(value: Any) -> Any:
    """Arrays in the order that their members state, selectors by position before wording; empty ones too."""
    if isinstance(value, dict):
        empty: Document = {name: [] for name in _ARRAYS.get(str(value.get("type")), ()) if name not in value}
        return {key: _ordered(item) for key, item in value.items()} | empty
    if isinstance(value, list):
        return sorted((_ordered(item) for item in value), key=_sort_key)
    return value


def _sort_key(item: Any) -> tuple[int, str]:
    if isinstance(item, dict):
        return (int(item.get("order", 0)), str(item.get("id") or item.get("type")))
    return (0, str(item))


def _instant(moment: datetime) -> str:
    """A time in UTC, in the canonical form that stores give back."""
    text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return f"{text.rstrip('0').rstrip('.')}Z"
