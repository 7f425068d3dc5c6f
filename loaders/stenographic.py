"""Stenographic reports of the Italian Chamber (XML) as sittings, debates, phases and speeches.

The speaker's name, group and role are taken from the structure of the report, never from the
text; what remains is the speech's text, with white space folded and a line break between the
report's paragraphs, and it is not edited again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from lxml import etree

from loaders import xml
from loaders.errors import SourceError
from loaders.record import Debate, Phase, Sitting, Speech


def read(path: Path) -> Sitting:
    """Read one report. Raises `SourceError`, naming file and line, for anything unusable."""
    root = xml.parse(path)
    reports = (found for found in root.findall("resoconto") if found.get("tipo", _KIND) == _KIND)
    report = next(reports, None)
    if report is None:
        raise SourceError(
            path,
            f'is not a stenographic report: <{xml.name_of(root)}> holds no <resoconto tipo="{_KIND}">',
            root.sourceline,
        )
    return _Reader(path, root, report).sitting()


_KIND: Final = "stenografico"
# A printed group may hold brackets of its own: "(NM(N-C-U-I)M-CP)". It has no lower-case letter.
_GROUP = re.compile(r"\s*\(((?:[^()a-zà-ÿ]|\([^()a-zà-ÿ]*\))+)\)")
_ROLE = re.compile(
    r"\s*,\s*("
    r"(?:[Vv]ice ?)?(?:[Mm]inistr|[Pp]residente de|[Ss]ottosegretari|[Rr]elat|[Mm]embro del [Gg]overno)"
    r"[^.\u2029]*)"
)
_LONGEST_ROLE: Final = 200
# What stands between the header and the words: a dot, or several (". . Grazie"), but not an
# ellipsis, which tells that an interrupted speech goes on.
_ELLIPSIS = r"(?:…|\.{3}|\. \. \.)"
_LEADING = re.compile(rf"(?:\s*[.,])?\s*(?={_ELLIPSIS})|(?:\s*[.,](?!\.))*\s*")
_CONTINUES = re.compile(_ELLIPSIS)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_BREAK: Final = "\u2029"
_BLOCKS: Final = frozenset({"testoXHTML", "interventoVirtuale", "p", "div", "br", "li", "tr", "td"})
"""Elements whose text is a paragraph of its own."""


class _Reader:
    def __init__(self, path: Path, root: etree._Element, report: etree._Element) -> None:
        self.path, self.root, self.report = path, root, report
        self.orders: dict[etree._Element, int] = {
            element: number for number, element in enumerate(report.iter("intervento"), start=1)
        }
        self.anchors: set[str] = set()

    def sitting(self) -> Sitting:
        codes = self._act_codes()
        debates = [
            self._debate(element, order, codes) for order, element in enumerate(self.report.iter("dibattito"), start=1)
        ]
        outside = [element for element in self.orders if _holder(element, "dibattito") is None]
        return Sitting(
            legislature=self._number("legislatura"),
            number=self._number("numero"),
            date=self._date(),
            speeches=tuple(self._speeches(outside).values()),
            debates=tuple(debates),
            path=self.path,
        )

    def _number(self, attribute: str) -> int:
        value = self.root.get(attribute, "")
        if not _NUMBER.fullmatch(value.strip()):
            raise SourceError(
                self.path,
                f'<{xml.name_of(self.root)} {attribute}="{value}"> should hold a number',
                self.root.sourceline,
            )
        return int(value)

    def _date(self) -> date:
        try:
            return date(self._number("anno"), self._number("mese"), self._number("giorno"))
        except (ValueError, OverflowError) as error:
            raise SourceError(self.path, f"the sitting's date is not a day: {error}", self.root.sourceline) from error

    def _act_codes(self) -> dict[str, tuple[str, ...]]:
        """The codes of the bills of each debate, which may be the debate of several topics."""
        codes: dict[str, list[str]] = {}
        for topic in self.root.iter("argomento"):
            found = codes.setdefault(topic.get("idDibattito", "").strip(), [])
            for act in topic.iter("atto"):
                code = act.get("codiceArgomento", "").strip()
                if act.get("tipologiaAtto") == "pdl" and code and code not in found:
                    found.append(code)
        return {debate: tuple(found) for debate, found in codes.items()}

    def _debate(self, element: etree._Element, order: int, codes: dict[str, tuple[str, ...]]) -> Debate:
        anchor = self._anchor(element)
        own = [turn for turn in element.iter("intervento") if _holder(turn, "dibattito") is element]
        speeches = self._speeches(own)
        holders = {turn: _holder(turn, "fase", "dibattito") for turn in own}
        phases = [
            Phase(
                self._anchor(phase),
                number,
                _title(phase),
                tuple(speeches[turn] for turn in own if holders[turn] is phase),
            )
            for number, phase in enumerate(element.iter("fase"), start=1)
            if _holder(phase, "dibattito") is element
        ]
        direct = tuple(speeches[turn] for turn in own if holders[turn] is element)
        return Debate(anchor, order, _title(element), codes.get(anchor, ()), direct, tuple(phases))

    def _anchor(self, element: etree._Element) -> str:
        anchor = element.get("id", "").strip()
        if not re.fullmatch(r"[\w.\-]+", anchor):
            raise SourceError(self.path, f"<{xml.name_of(element)}> has no usable id", element.sourceline)
        if anchor in self.anchors:
            raise SourceError(self.path, f'the id "{anchor}" is used twice in this report', element.sourceline)
        self.anchors.add(anchor)
        return anchor

    def _speeches(self, turns: list[etree._Element]) -> dict[etree._Element, Speech]:
        """The speeches of one debate in order; one may go on in a later phase."""
        found: dict[etree._Element, Speech] = {}
        last_by_speaker: dict[str, str] = {}
        for turn in turns:
            speech = found[turn] = self._speech(turn, last_by_speaker)
            if speech.speaker_number and speech.text:
                last_by_speaker[speech.speaker_number] = speech.anchor
        return found

    def _speech(self, turn: etree._Element, last_by_speaker: dict[str, str]) -> Speech:
        name = next(turn.iter("nominativo"), None)
        words = _words(turn, name)
        number = name.get("id", "").strip() if name is not None else ""
        if not re.fullmatch(r"[\w\-]+", number):
            number = ""
        return Speech(
            anchor=self._anchor(turn),
            order=self.orders[turn],
            text=words.text,
            speaker_number=number or None,
            speaker_printed=_fold("".join(name.itertext())) if name is not None else "",
            name_printed=name.get("cognomeNome") if name is not None else None,
            group_printed=words.group,
            role_printed=words.role,
            continues=last_by_speaker.get(number) if _CONTINUES.match(words.text) else None,
        )


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said in a turn, and what the header prints beside the speaker's name."""

    text: str
    group: str | None = None
    role: str | None = None


_Run = tuple[bool, str]
"""A piece of text, after whether it is emphasised."""


def _words(turn: etree._Element, name: etree._Element | None) -> _Words:
    """The words of a turn without the header, which ends where the structure says so."""
    if name is None:
        return _Words(_paragraphs("".join(text or "" for _, text in _runs(turn))))
    runs = _after(name, turn)
    rest = runs.pop(0)[1] if runs and not runs[0][0] else ""
    group = role = None
    if match := _GROUP.match(rest):
        group, rest = _fold(match[1]), rest[match.end() :]
    if (match := _ROLE.match(rest)) and len(match[1]) <= _LONGEST_ROLE:
        role, rest = _fold(match[1]), rest[match.end() :]
    elif runs and _BREAK not in rest and not rest.strip(" \t\r\n\xa0,"):
        printed = _fold(runs[0][1]).strip(" .,")
        if not printed.startswith("(") and 0 < len(printed) <= _LONGEST_ROLE:
            role, rest = printed, ""
            del runs[0]
    body = "".join([rest, *(text for _, text in runs)])
    leading = _LEADING.match(body)
    return _Words(_paragraphs(body[leading.end() if leading else 0 :]), group, role)


def _after(name: etree._Element, turn: etree._Element) -> list[_Run]:
    """The text after the name, neighbours of one kind joined; white space goes with what is before."""
    found: list[_Run] = []
    passed = False
    for emphasised, text in _runs(turn, name):
        if text is None:
            passed = True
        elif passed and found and (found[-1][0] == emphasised or not text.strip(" \t\r\n\xa0")):
            found[-1] = (found[-1][0], found[-1][1] + text)
        elif passed and text:
            found.append((emphasised, text))
    return found


def _runs(
    element: etree._Element, name: etree._Element | None = None, emphasised: bool = False
) -> Iterator[tuple[bool, str | None]]:
    """The text of an element in document order, with None in place of `name`."""
    yield emphasised, element.text or ""
    for child in element:
        tag = xml.name_of(child)
        edge = _BREAK if tag in _BLOCKS else ""
        yield emphasised, edge
        if child is name:
            yield emphasised, None
        else:
            yield from _runs(child, name, emphasised or tag == "emphasis")
        yield emphasised, edge + (child.tail or "")


def _paragraphs(text: str) -> str:
    """Fold white space within each paragraph, and put one line break between paragraphs."""
    return "\n".join(folded for part in text.split(_BREAK) if (folded := _fold(part)))


def _holder(element: etree._Element, *tags: str) -> etree._Element | None:
    """The nearest element of one of these names around an element."""
    return next(element.iterancestors(*tags), None)


def _title(element: etree._Element) -> str | None:
    title = element.find("titolo")
    return (_fold("".join(title.itertext())) or None) if title is not None else None


def _fold(text: str) -> str:
    return " ".join(text.split())
