"""Documents with everything in them that could harm whoever prints them."""

from service.answer.jsonld import Document

HOSTILE = (
    '<script>alert("1")</script> & [click](javascript:alert(1)) `code` *bold* _it_ | a | b |',
    "# no heading\n\n- no list\n1. no list\n> no quotation\n=====\n```\nno code\n```\n    no code",
    "il «salario minimo» d'Annunzio: \"quote\" 'single' C:\\new\\table \\ \\\\ ~~no~~ $x^2$"
    " {q1} {{ 7*7 }} 100% #tag @someone",
    "مرحبا بالعالم — 日本語の質問 — ελληνικά — 👩‍👩‍👧 — ‮txet",
    "https://evil.example/ www.evil.example mailto:a@evil.example\r\n\t<a href=x>",
    "\x1b[31mred\x1b[0m \x00 \x07 bell \x85 \u2028 line",
)


def spoilt(document: Document, text: str) -> Document:
    """A copy of an answer whose names, titles, question and quotations are a text."""
    section = next(section for section in document["sections"] if section["quotations"])
    quotation = section["quotations"][0]
    start = 7
    selector = [
        {"type": "TextPositionSelector", "start": start, "end": start + len(text)},
        {"type": "TextQuoteSelector", "exact": text, "prefix": text, "suffix": text},
    ]
    names = {"speakerName": text, "officeLabel": text, "debateTitle": text, "phaseTitle": text}
    return {
        **document,
        "title": text,
        "introduction": text,
        "question": {**document["question"], "text": text, "topic": text},
        "corpus": {**document["corpus"], "title": text},
        "sections": [
            {
                **section,
                "title": text,
                "text": f"{text} «{{q1}}»",
                "quotations": [{**quotation, **names, "selector": selector, "order": 1}],
            }
        ],
        "experts": [],
    }
