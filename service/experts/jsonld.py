"""An expert as a JSON-LD document: what the authority was made of, and where each part comes from."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from service.answer.model import Expert
from service.authority.score import FIRST_SIGNATORY, Activity, Office, Seat
from service.documents import Document, iso, number, present

ARRAYS: Final = {"Expert": ("seats", "offices")}
"""Arrays that the document always has."""
SHOWN: Final = 3
"""Committees of an expert that are told, and offices."""


def expert_document(expert: Expert, order: int | None, ranked_of: int, tied: int | None = None) -> Document:
    """The document of an expert, without a context; `order` is None where it is the only one."""
    authority, features = expert.authority, expert.features
    components = authority.components
    first = sum(act.weight == FIRST_SIGNATORY for act in authority.acts_counted)
    document: Document = present(
        {
            "type": "Expert",
            "order": order,
            "speaker": expert.speaker,
            "speakerName": expert.name,
            "group": expert.group,
            "groupName": expert.group_name,
            "authority": number(authority.total),
            "profession": number(components.profession),
            "education": number(components.education),
            "committee": number(components.committee),
            "acts": number(components.acts),
            "speeches": number(components.speeches),
            "role": number(components.role),
            "rank": expert.rank,
            "rankOf": ranked_of,
            "tied": tied,
            "professionText": features.profession,
            "educationText": features.education,
            "seats": _seats(features.seats),
            "offices": _offices(features.offices),
            "actsAsFirst": first,
            "actsAsCoSignatory": len(authority.acts_counted) - first,
            "actsFrom": iso(_first(authority.acts_counted)),
            "actsUntil": iso(_last(authority.acts_counted)),
            "speechesCounted": len(authority.speeches_counted),
            "speechesFrom": iso(_first(authority.speeches_counted)),
            "speechesUntil": iso(_last(authority.speeches_counted)),
            "otherSide": authority.activities_of_another_side or None,
        }
    )
    return document


def _seats(seats: Sequence[Seat]) -> list[Document]:
    ordered = sorted(seats, key=lambda seat: (-seat.relevance, seat.iri))
    return [
        {
            "type": "ExpertSeat",
            "order": order,
            "about": seat.iri,
            "label": seat.label,
            "relevance": number(seat.relevance),
        }
        for order, seat in enumerate(ordered[:SHOWN], start=1)
    ]


def _offices(offices: Sequence[Office]) -> list[Document]:
    ordered = sorted(offices, key=lambda office: (-office.weight, office.organisation, office.role, office.printed))
    return [
        {
            "type": "ExpertOffice",
            "order": order,
            "about": office.organisation,
            "label": office.printed,
            "detail": office.label,
            "weight": number(office.weight),
            "relevance": number(office.relevance),
        }
        for order, office in enumerate(ordered[:SHOWN], start=1)
    ]


def _first(activities: Sequence[Activity]) -> date | None:
    return min((activity.day for activity in activities), default=None)


def _last(activities: Sequence[Activity]) -> date | None:
    return max((activity.day for activity in activities), default=None)
