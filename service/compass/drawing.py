"""Where everything in the figure of a compass lies: from its JSON-LD document to numbers for an SVG.

The figure has an own system of units, so that one drawing serves a telephone and a desk: 400 wide. Letters are
reckoned in the size that they have on a telephone, where they are largest in these units.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

WIDTH: Final = 400.0
MARGIN: Final = 14.0
LETTER: Final = 7.4
"""Width of a letter of a label."""
LINE: Final = 14.0
ROW: Final = 30.0
"""Height of a group's row on one axis."""
NAMES: Final = 120.0
"""Room for the names beside the rows."""
LONGEST_LABEL: Final = 15
SIZE: Final = 6.0
"""Half the width of a group's mark."""

Shape = Literal["circle", "square", "diamond", "triangle", "cross"]
SHAPES: Final[Mapping[str, Shape]] = {
    "majority": "circle",
    "opposition": "square",
    "mixed": "diamond",
    "government": "triangle",
    "other": "cross",
}
_PAIR: Final = re.compile(r"\((-?[\d.]+) (-?[\d.]+)\)")


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """A group's short name, where it begins, ends or is centred."""

    text: str
    x: float
    y: float
    anchor: Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Oval:
    """The ellipse of a group; on one axis it is a bar."""

    rx: float
    ry: float
    rotation: float


@dataclass(frozen=True, slots=True)
class Mark:
    """All that is drawn of one group."""

    title: str
    kind: str
    shape: Shape
    path: str
    centre: Point
    dots: tuple[Point, ...]
    oval: Oval | None
    label: Label
    sure: bool
    """Whether it rests on three passages or more."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The figure: its size, where the axes cross, and the groups. On one axis each group has a row."""

    width: float
    height: float
    origin: Point
    marks: tuple[Mark, ...]
    rows: bool


def draw(compass: Mapping[str, Any]) -> Drawing | None:
    """Lay out the figure of a compass's document; None where there is nothing to draw."""
    positions = compass.get("positions") or []
    if not compass.get("available") or not positions:
        return None
    return _rows(positions) if len(compass.get("axes") or []) < 2 else _plane(positions)


def _plane(positions: Sequence[Mapping[str, Any]]) -> Drawing:
    points = [place for position in positions for place in _reach(position)]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = min(y for _, y in points), max(y for _, y in points)
    # One scale for both axes: a second axis that carries less looks so.
    scale = (WIDTH - 2 * MARGIN) / max(high_x - low_x, 1e-6)
    height = min(max((high_y - low_y) * scale + 2 * MARGIN, 150.0), 420.0)
    scale = min(scale, (height - 2 * MARGIN) / max(high_y - low_y, 1e-6))
    left = (WIDTH - (high_x - low_x) * scale) / 2 - low_x * scale
    top = (height - (high_y - low_y) * scale) / 2 + high_y * scale

    def at(x: float, y: float) -> Point:
        return Point(_round(left + x * scale), _round(top - y * scale))

    centres = [at(position["x"], position.get("y", 0)) for position in positions]
    labels = _labels([_short(position) for position in positions], centres, height)
    marks = []
    for position, centre, label in zip(positions, centres, labels, strict=True):
        ellipse = position.get("ellipse")
        oval = (
            Oval(_round(ellipse["major"] * scale), _round(max(ellipse["minor"] * scale, 1.5)), -ellipse["rotation"])
            if ellipse
            else None
        )
        marks.append(_mark(position, centre, tuple(at(x, y) for x, y in _places(position)), oval, label))
    return Drawing(WIDTH, _round(height), at(0, 0), tuple(marks), rows=False)


def _rows(positions: Sequence[Mapping[str, Any]]) -> Drawing:
    points = [x for position in positions for x, _ in _reach(position)]
    low, high = min(points), max(points)
    scale = (WIDTH - NAMES - 2 * MARGIN) / max(high - low, 1e-6)

    def at(x: float) -> float:
        return _round(NAMES + MARGIN + (x - low) * scale)

    marks = []
    for row, position in enumerate(positions):
        y = _round(MARGIN + ROW * (row + 0.5))
        ellipse = position.get("ellipse")
        label = Label(_short(position), 8.0, y + 4.5, "start")
        dots = tuple(Point(at(x), y) for x, _ in _places(position))
        oval = Oval(_round(max(ellipse["major"] * scale, 2)), 6.0, 0.0) if ellipse else None
        marks.append(_mark(position, Point(at(position["x"]), y), dots, oval, label))
    return Drawing(WIDTH, _round(2 * MARGIN + ROW * len(positions)), Point(at(0), 0.0), tuple(marks), rows=True)


def _mark(position: Mapping[str, Any], centre: Point, dots: tuple[Point, ...], oval: Oval | None, label: Label) -> Mark:
    kind = str(position.get("kind", "other"))
    shape = SHAPES.get(kind, "cross")
    return Mark(
        title=str(position.get("title", "")),
        kind=kind,
        shape=shape,
        path=outline(shape, centre),
        centre=centre,
        dots=dots,
        oval=oval,
        label=label,
        sure=oval is not None,
    )


def key(kind: str) -> str:
    """The path of a kind's mark in a legend, in a square of 16 units."""
    return outline(SHAPES.get(kind, "cross"), Point(8.0, 8.0), 4.6)


def outline(shape: Shape, centre: Point, size: float = SIZE) -> str:
    """The path of a mark around a point."""
    x, y, s = centre.x, centre.y, size
    match shape:
        case "circle":
            return f"M{_n(x - s)} {_n(y)}a{_n(s)} {_n(s)} 0 1 0 {_n(2 * s)} 0a{_n(s)} {_n(s)} 0 1 0 {_n(-2 * s)} 0z"
        case "square":
            r = s * 0.88
            return f"M{_n(x - r)} {_n(y - r)}h{_n(2 * r)}v{_n(2 * r)}h{_n(-2 * r)}z"
        case "diamond":
            r = s * 1.25
            return f"M{_n(x)} {_n(y - r)}l{_n(r)} {_n(r)}l{_n(-r)} {_n(r)}l{_n(-r)} {_n(-r)}z"
        case "triangle":
            r = s * 1.2
            return f"M{_n(x)} {_n(y - r)}l{_n(r)} {_n(1.8 * r)}h{_n(-2 * r)}z"
        case "cross":
            r, t = s, s * 0.35
            return (
                f"M{_n(x - r)} {_n(y - t)}h{_n(r - t)}v{_n(t - r)}h{_n(2 * t)}v{_n(r - t)}h{_n(r - t)}v{_n(2 * t)}"
                f"h{_n(t - r)}v{_n(r - t)}h{_n(-2 * t)}v{_n(t - r)}h{_n(t - r)}z"
            )


def _labels(texts: Sequence[str], centres: Sequence[Point], height: float) -> list[Label]:
    """Put each name beside its mark where it covers least: no mark, no other name, and not the border."""
    taken = [_box(c.x - SIZE, c.y - SIZE, 2 * SIZE, 2 * SIZE) for c in centres]
    labels: list[Label] = []
    for text, centre in zip(texts, centres, strict=True):
        width = LETTER * len(text)
        costs = []
        for number, label in enumerate(_spots(text, centre)):
            x = label.x - (width if label.anchor == "end" else width / 2 if label.anchor == "middle" else 0)
            box = _box(x, label.y - LINE * 0.8, width, LINE)
            outside = max(0.0, -box[0]) + max(0.0, box[2] - WIDTH) + max(0.0, -box[1]) + max(0.0, box[3] - height)
            covered = sum(_shared(box, other) for other in taken)
            costs.append((covered + 40 * outside, number, label, box))
        _, _, label, box = min(costs, key=lambda cost: cost[:2])
        taken.append(box)
        labels.append(label)
    return labels


def _spots(text: str, centre: Point) -> Iterator[Label]:
    """Places for a name, from the best: right, left, above, below, and farther off."""
    for distance in (0.0, 9.0, 20.0, 32.0, 46.0):
        side, above = SIZE + 3 + distance * 0.3, SIZE + 4 + distance
        yield Label(text, _round(centre.x + side), _round(centre.y + 4.5 + distance), "start")
        yield Label(text, _round(centre.x - side), _round(centre.y + 4.5 + distance), "end")
        yield Label(text, _round(centre.x), _round(centre.y - above), "middle")
        yield Label(text, _round(centre.x), _round(centre.y + above + LINE * 0.75), "middle")
        yield Label(text, _round(centre.x + side), _round(centre.y + 4.5 - distance), "start")
        yield Label(text, _round(centre.x - side), _round(centre.y + 4.5 - distance), "end")


_Box = tuple[float, float, float, float]


def _box(x: float, y: float, width: float, height: float) -> _Box:
    return x, y, x + width, y + height


def _shared(a: _Box, b: _Box) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _short(position: Mapping[str, Any]) -> str:
    name = str(position.get("sigla") or position.get("title") or "")
    return name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"


def _places(position: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in _PAIR.findall(str(position.get("places", "")))]


def _reach(position: Mapping[str, Any]) -> list[tuple[float, float]]:
    """The places that must be seen: passages, centre and the ends of the ellipse."""
    x, y = position["x"], position.get("y", 0)
    reached = [*_places(position), (x, y)]
    if ellipse := position.get("ellipse"):
        turn = math.radians(ellipse["rotation"])
        wide = math.hypot(ellipse["major"] * math.cos(turn), ellipse["minor"] * math.sin(turn))
        tall = math.hypot(ellipse["major"] * math.sin(turn), ellipse["minor"] * math.cos(turn))
        reached += [(x - wide, y - tall), (x + wide, y + tall)]
    return reached


def _round(value: float) -> float:
    return round(value, 1)


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
