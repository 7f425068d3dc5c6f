"""The words of SPARQL: every bare word of a query must be one of them.

That is kind to people, who are told which word they meant. It is also what keeps this reading and an
engine's the same: engines that read without tokens take `trueSERVICE<…>` and `SERVICESILENT<…>` for calls.
"""

from difflib import get_close_matches
from typing import Final

from service.prefixes import PREFIXES
from service.queries.refusal import QueryRefused
from service.queries.structure import UPDATES, Structure
from service.queries.tokens import Kind, Token

WORDS: Final = frozenset(
    """
    BASE PREFIX VERSION SELECT CONSTRUCT DESCRIBE ASK DISTINCT REDUCED AS FROM NAMED WHERE GROUP BY HAVING ORDER
    ASC DESC LIMIT OFFSET VALUES UNDEF OPTIONAL GRAPH SERVICE SILENT BIND MINUS UNION LATERAL FILTER IN NOT EXISTS
    A TRUE FALSE SEPARATOR COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT
    STR LANG LANGMATCHES LANGDIR DATATYPE BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE
    ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ
    NOW UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG STRLANGDIR STRDT SAMETERM SAMEVALUE ISIRI
    ISURI ISBLANK ISLITERAL ISNUMERIC HASLANG HASLANGDIR REGEX SUBSTR REPLACE ADJUST
    TRIPLE SUBJECT PREDICATE OBJECT ISTRIPLE
    INSERT DELETE DATA LOAD CLEAR DROP CREATE ADD MOVE COPY WITH USING INTO TO ALL DEFAULT
    DEFINE
    """.split()
)
"""Of SPARQL 1.1 and the drafts of 1.2, updates too; and DEFINE, which Virtuoso's queries begin with."""

_OFFERED: Final = sorted(WORDS - UPDATES - {"A", "NAMED", "DATA", "USING", "INTO", "TO", "ALL", "DEFAULT", "DEFINE"})
_CALLS: Final = ("SERVICE", "SERVICESILENT")
_GLUED: Final = 2
"""Letters of the shortest word that may be one of two written as one."""
_LONGEST: Final = 30
"""Letters of a word that is compared with others."""

ELSEWHERE: Final = {
    "AND": "&&",
    "OR": "||",
    "NULL": "!BOUND(?x)",
    "IS": "=, or BOUND(?x)",
    "BETWEEN": "?x >= low && ?x <= high",
    "LOWER": "LCASE(?x)",
    "UPPER": "UCASE(?x)",
    "LENGTH": "STRLEN(?x)",
    "LEN": "STRLEN(?x)",
    "SUBSTRING": "SUBSTR(?x, start, length)",
    "TRIM": 'REPLACE(?x, "^\\\\s+|\\\\s+$", "")',
    "NVL": "COALESCE(?a, ?b)",
    "IFNULL": "COALESCE(?a, ?b)",
    "CASE": "IF(test, then, else)",
    "ELSE": "IF(test, then, else)",
    "TOP": "LIMIT n at the end",
    "FETCH": "LIMIT n",
    "ON": "the same variable in two patterns",
    "JOIN": "a second pattern in the same braces",
    "INTERSECT": "both patterns in the same braces",
    "EXCEPT": "MINUS { … }",
    "TODAY": "NOW()",
    "CURRENT_DATE": "NOW()",
    "CAST": "xsd:integer(?x), xsd:date(?x) …",
    "ROWNUM": "LIMIT n",
    "MATCH": "WHERE { … }",
    "RETURN": "SELECT ?x",
}
"""What people who come from other languages write, and what SPARQL has for it."""


def refuse_unknown_words(query: Structure) -> None:
    """Refuse a word that SPARQL has not, and what an engine could read as a SERVICE clause that was not seen here."""
    calls = {service.keyword for service in query.services}
    for index, token in enumerate(query.tokens):
        if token.kind is Kind.WORD:
            if token.word not in WORDS or (token.word == "A" and token.text != "a"):
                raise unknown(query, token)
            if token.word == "SERVICE" and index not in calls:
                raise _refused(query, token, "SERVICE is followed by an endpoint and braces: SERVICE <…> { … }")
        elif token.kind is Kind.PREFIXED and token.prefix.upper().endswith(_CALLS):
            before, after = query.tokens[index - 1].word, query.tokens[min(index + 1, len(query.tokens) - 1)].text
            if after == "{" and before not in ("GRAPH", "SERVICE", "SILENT"):
                said = f"“{token.text[:60]}” before braces could be read as SERVICE; put a dot or a space"
                raise _refused(query, token, said)


def _refused(query: Structure, token: Token, what: str) -> QueryRefused:
    where = query.at(token)
    return QueryRefused(400, f"{where}: {what}", place=where)


def unknown(query: Structure, token: Token) -> QueryRefused:
    """The refusal of a word, with what was most likely meant."""
    where = query.at(token)
    index = query.tokens.index(token)
    before = query.tokens[index - 1]
    said_before = query.text[: token.start].rstrip()
    if said_before.endswith(("//", "--")) and not said_before.endswith("://"):
        return QueryRefused(400, f"{where}: a comment begins with #", suggestion="#", place=where)
    name = query.tokens[index - 2] if index > 1 else before
    if before.text == "/" and name.kind is Kind.PREFIXED and name.end == before.start and before.end == token.start:
        namespace = (PREFIXES | query.declared).get(name.prefix, "")
        rest = query.text[before.start :].split(maxsplit=1)[0].rstrip(".;,)}")
        whole = f"<{namespace}{name.text.split(':', 1)[1]}{rest}>"
        return QueryRefused(
            400,
            f"{where}: a short name holds no slash, which joins two steps of a path; write the whole IRI: {whole}",
            suggestion=whole,
            place=where,
        )
    if before.word == "PREFIX" and before.start < token.start:
        said = f"a prefix ends with a colon: PREFIX {token.text[:_LONGEST]}: <…>"
        return QueryRefused(400, f"{where}: {said}", place=where)
    if before.text in ("http:", "https:", "/") and query.text[: token.start].endswith("//"):
        return QueryRefused(
            400, f"{where}: an address stands in angle brackets and has no space in it: <…>", place=where
        )
    meant = meaning(token.text)
    if meant:
        told = f"did you mean {meant}?" if token.word not in ELSEWHERE else f"write {meant}"
    else:
        shown = token.text[:_LONGEST]
        told = f"a variable is written ?{shown}, a name with its prefix, such as ocd:{shown}, and a text in quotes"
    return QueryRefused(
        400, f"{where}: “{token.text[:60]}” is no word of SPARQL; {told}", suggestion=meant, place=where
    )


def meaning(text: str) -> str | None:
    """What a word that SPARQL has not stands for, most likely; None where nothing is near."""
    word = text.upper()
    if word == "A":
        return "a"
    if word in ELSEWHERE:
        return ELSEWHERE[word]
    if len(word) > _LONGEST:
        return None
    for cut in range(_GLUED, len(word) - _GLUED + 1):
        if word[:cut] in WORDS and word[cut:] in WORDS:
            return f"{word[:cut]} {word[cut:]}"
    close = get_close_matches(word, _OFFERED, n=1, cutoff=0.75)
    return close[0] if close else None
