"""The forms in which an answer is served; `service.answers.forms.WRITERS` writes all but the page."""

from typing import Final

from service.web.negotiation import HTML, JSON_LD, N_QUADS, TRIG, TURTLE, Form

TEXT: Final = Form("text/plain", "txt", called=("text",))
MARKDOWN: Final = Form("text/markdown", "md", ("text/x-markdown",), ("markdown",))
OFFERED: Final = (JSON_LD, HTML, TURTLE, TRIG, N_QUADS, TEXT, MARKDOWN)
"""The first is what programs get that say nothing."""
