"""The compass as part of a JSON-LD document.

The places of a group's passages are one literal, a MULTIPOINT of Well-Known Text, since a hundred
dots say nothing one by one.
"""

from collections.abc import Sequence

from service.compass.model import Axis, Compass, Ellipse, Passage, Place, Pole, Position
from service.compass.spread import CLAIMED
from service.documents import Document, iso, number, present

_DECIMALS = 4
ARRAYS = {
    "Compass": ("axes", "positions"),
    "CompassPole": ("terms", "excerpts"),
    "CompassPosition": ("excerpts",),
}
"""Arrays that the document always has, by the type that has them."""


def compass_document(compass: Compass) -> Document:
    """The compact document of a compass, without a context. The same compass gives the same document."""
    stability = compass.stability
    document: Document = present(
        {
            "type": "Compass",
            "available": compass.unavailable is None,
            "unavailableBecause": compass.unavailable,
            "passagesCount": compass.passages,
            "groupsCount": compass.groups,
            "explained": number(compass.explained, _DECIMALS) if compass.axes else None,
            "verdict": stability.verdict if stability else None,
            "resamples": stability.resamples if stability else None,
            "orderKept": number(stability.order_kept, _DECIMALS) if stability else None,
            "pairsKept": number(stability.pairs_kept, _DECIMALS) if stability else None,
            "between": number(stability.between, _DECIMALS) if stability else None,
            "chance": number(stability.chance, _DECIMALS) if stability else None,
            "claimed": number(CLAIMED) if compass.axes else None,
            "axes": [_axis(axis, order) for order, axis in enumerate(compass.axes, start=1)],
            "positions": [_position(position, order) for order, position in enumerate(compass.positions, start=1)],
        }
    )
    return document


def _axis(axis: Axis, order: int) -> Document:
    return {
        "type": "CompassAxis",
        "order": order,
        "explained": number(axis.explained, _DECIMALS),
        "low": _pole(axis.low),
        "high": _pole(axis.high),
    }


def _pole(pole: Pole) -> Document:
    return {
        "type": "CompassPole",
        "terms": [
            {"type": "CompassTerm", "order": order, "label": term.label, "weight": number(term.weight, _DECIMALS)}
            for order, term in enumerate(pole.terms, start=1)
        ],
        "excerpts": _excerpts(pole.passages),
    }


def _position(position: Position, order: int) -> Document:
    return {
        "type": "CompassPosition",
        "order": order,
        "kind": position.kind,
        "group": position.group,
        "component": position.component,
        "title": position.title,
        "sigla": position.sigla,
        **_coordinates(position.centre),
        "ellipse": _ellipse(position.ellipse) if position.ellipse else None,
        "stays": number(position.stability, _DECIMALS),
        "passagesCount": len(position.places),
        "places": multipoint(position.places),
        "excerpts": _excerpts(position.passages),
    }


def _ellipse(ellipse: Ellipse) -> Document:
    return {
        "type": "CompassEllipse",
        "major": number(ellipse.major, 6),
        "minor": number(ellipse.minor, 6),
        "rotation": number(ellipse.rotation, 6),
        "held": number(ellipse.held, _DECIMALS),
    }


def _excerpts(passages: Sequence[Passage]) -> list[Document]:
    return [_excerpt(passage, order) for order, passage in enumerate(passages, start=1)]


def _excerpt(passage: Passage, order: int) -> Document:
    return {
        "type": "CompassExcerpt",
        "order": order,
        "title": passage.title,
        "speech": passage.speech,
        "speaker": passage.speaker,
        "speakerName": passage.name,
        "date": iso(passage.day),
        **_coordinates(passage.place),
        "selector": [
            {"type": "TextPositionSelector", "start": passage.span.start, "end": passage.span.end},
            {"type": "TextQuoteSelector", "exact": passage.exact},
        ],
    }


def _coordinates(place: Place) -> Document:
    return {name: number(value, _DECIMALS) for name, value in zip(("x", "y"), place, strict=False)}


def multipoint(places: Sequence[Place]) -> str:
    """Places as Well-Known Text; on one axis the second coordinate is 0."""
    points = ((*place, 0.0)[:2] for place in places)
    return f"MULTIPOINT ({', '.join(f'({_plain(x)} {_plain(y)})' for x, y in points)})"


def _plain(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
