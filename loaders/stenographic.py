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

from lxml import etree

from loaders import xml
from loaders.errors import SourceError
from loaders.record import Debate, Phase, Sitting, Speech


def read(path: Path) -> Sitting:
    """Read one report. Raises `SourceError`, naming file and line, for anything unusable."""
    root = xml.parse(path)
    report = root.find("resoconto")
    if report is None:
        raise SourceError(
            path, f"is not a stenographic report: <{root.tag}> holds no <resoconto>", root.sourceline
        )
    return _Reader(path, root, report).sitting()


# A printed group may hold brackets of its own: "(NM(N-C-U-I)M-CP)". It has no lower-case letter.
_GROUP = re.compile(r"\s*\(((?:[^()a-zà-ÿ]|\([^()a-zà-ÿ]*\))+)\)")
_ROLE = re.compile(
    r"\s*,\s*((?:[Vv]ice ?)?(?:Ministr|Sottosegretari|Presidente del Consiglio|Relat|ministr)[^.]*)"
)
_LEADING = re.compile(r"(?:\s*[.,](?!\.))*\s*")
_SPACE = re.compile(r"\s+")
_CONTINUES = re.compile(r"(?:…|\.{3}|\. \. \.)")


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
            self._debate(element, order, codes)
            for order, element in enumerate(self.report.iter("dibattito"), start=1)
        ]
        outside = [
            element
            for element in self.orders
            if next(element.iterancestors("dibattito"), None) is None
        ]
        return Sitting(
            legislature=self._number("legislatura"),
            number=self._number("numero"),
            date=self._date(),
            speeches=self._speeches(outside),
            debates=tuple(debates),
            path=self.path,
        )

    def _number(self, attribute: str) -> int:
        value = self.root.get(attribute, "")
        if not value.strip().isdecimal():
            raise SourceError(
                self.path,
                f'<{self.root.tag} {attribute}="{value}"> should hold a number',
                self.root.sourceline,
            )
        return int(value)

    def _date(self) -> date:
        try:
            return date(self._number("anno"), self._number("mese"), self._number("giorno"))
        except ValueError as error:
            raise SourceError(
                self.path, f"the sitting's date is not a day: {error}", self.root.sourceline
            ) from error

    def _act_codes(self) -> dict[str, tuple[str, ...]]:
        return {
            topic.get("idDibattito", ""): tuple(
                dict.fromkeys(
                    code
                    for act in topic.iter("atto")
                    if act.get("tipologiaAtto") == "pdl" and (code := act.get("codiceArgomento", "").strip())
                )
            )
            for topic in self.root.iter("argomento")
        }

    def _debate(self, element: etree._Element, order: int, codes: dict[str, tuple[str, ...]]) -> Debate:
        anchor = self._anchor(element)
        phases = [
            Phase(self._anchor(phase), number, _title(phase), self._speeches(list(phase.iter("intervento"))))
            for number, phase in enumerate(element.findall("fase"), start=1)
        ]
        direct = [turn for turn in element.iter("intervento") if next(turn.iterancestors("fase"), None) is None]
        return Debate(
            anchor, order, _title(element), codes.get(anchor, ()), self._speeches(direct), tuple(phases)
        )

    def _anchor(self, element: etree._Element) -> str:
        anchor = element.get("id", "").strip()
        if not re.fullmatch(r"[\w.\-]+", anchor):
            raise SourceError(self.path, f"<{element.tag}> has no usable id", element.sourceline)
        if anchor in self.anchors:
            raise SourceError(
                self.path, f'the id "{anchor}" is used twice in this report', element.sourceline
            )
        self.anchors.add(anchor)
        return anchor

    def _speeches(self, turns: list[etree._Element]) -> tuple[Speech, ...]:
        found: list[Speech] = []
        last_by_speaker: dict[str, str] = {}
        for turn in turns:
            speech = self._speech(turn, last_by_speaker)
            if speech.speaker_number:
                last_by_speaker[speech.speaker_number] = speech.anchor
            found.append(speech)
        return tuple(found)

    def _speech(self, turn: etree._Element, last_by_speaker: dict[str, str]) -> Speech:
        name = next(turn.iter("nominativo"), None)
        header = _Header(None, None)
        pieces: list[str] = []
        for part in turn.iter("testoXHTML", "interventoVirtuale"):
            text, found = _paragraph(part, name)
            header = found or header
            pieces.append(text)
        if not pieces:
            pieces.append(_paragraph(turn, name)[0])
        text = "\n".join(piece for piece in pieces if piece)
        number = name.get("id") if name is not None else None
        return Speech(
            anchor=self._anchor(turn),
            order=self.orders[turn],
            text=text,
            speaker_number=number.strip() if number and number.strip() else None,
            speaker_printed=_fold("".join(name.itertext())) if name is not None else "",
            name_printed=name.get("cognomeNome") if name is not None else None,
            group_printed=header.group,
            role_printed=header.role,
            continues=last_by_speaker.get(number or "") if _CONTINUES.match(text) else None,
        )


@dataclass(frozen=True, slots=True)
class _Header:
    group: str | None
    role: str | None


def _paragraph(element: etree._Element, name: etree._Element | None) -> tuple[str, _Header | None]:
    """The text of one paragraph without the speaker's header, and the header if it is here."""
    if name is None or element not in name.iterancestors():
        return _fold("".join(_strings(element))), None
    tail = name.tail or ""
    group = role = None
    rest = tail
    if match := _GROUP.match(rest):
        group, rest = _fold(match[1]), rest[match.end() :]
    if match := _ROLE.match(rest):
        role, rest = _fold(match[1]), rest[match.end() :]
    following = name.getnext()
    skipped = {name}
    if role is None and following is not None and following.tag == "emphasis" and not rest.strip(" ,"):
        printed = _fold("".join(following.itertext()))
        if not printed.startswith("("):
            role, rest = printed.strip(" .,") or None, ""
            skipped.add(following)
    body = "".join([rest, *_strings(element, skipped, name)])
    return _fold(body[_match_end(body) :]), _Header(group, role)


def _match_end(body: str) -> int:
    match = _LEADING.match(body)
    return match.end() if match else 0


def _strings(
    element: etree._Element,
    skipped: set[etree._Element] | None = None,
    name: etree._Element | None = None,
) -> Iterator[str]:
    """The text of an element in document order, without `skipped` and the name's own tail."""
    if element.text and name is None:
        yield element.text
    for child in element:
        if not isinstance(child.tag, str):
            yield child.tail or ""
            continue
        if skipped is None or child not in skipped:
            yield from _strings(child)
        if child is not name:
            yield child.tail or ""


def _title(element: etree._Element) -> str | None:
    title = element.find("titolo")
    return (_fold("".join(title.itertext())) or None) if title is not None else None


def _fold(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
