"""Where the value of an assignment starts and ends, whatever the syntax.

Shell, env files, JSON (also JSON inside JSON strings, several times over), YAML, TOML, INI, HCL, XML, code: the value
follows a separator, perhaps after a type, a call or a quote with any number of backslashes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# A value is judged by its head; ``whole`` finds the end of one that is longer.
LONGEST = 256
_LONGEST_QUOTED = 4096


class Value(NamedTuple):
    """A span of the text in code points, and whether quotes delimit it."""

    start: int
    end: int
    quoted: bool
    wrapped: bool = False  # in a call, which may be about the value rather than hold it


_TYPED = re.compile(
    r"[ \t]*[&A-Za-z_][\w.<>\[\]|, ?&']{0,40}?[ \t]*(?<![=!<>])=(?![=>])[ \t]*"
    r"(?=[\\\"'`]|[bruBRU]\"|(?:[A-Z]\w{0,20}|field)\((?:(?:default|value)[ \t]?=[ \t]?)?[\"'])"
)
_OPEN = re.compile(
    r"[ \t]{0,40}(?:(?P<call>(?:new |await |\[\])?[A-Za-z_][\w.:]{0,40}\([ \t]*)"
    r"(?P<named>(?:default|value)[ \t]?=[ \t]?|\)(?:\.\w{1,20}\(\)){0,3}\.default\()?)?"
    r"(?:[bBrRuUfFlLnN@]{1,2}(?=[\"']))?"
    r"(?P<escape>\\{0,31})(?P<quote>\"\"\"|'''|[\"'`\u201c\u2018\u00ab])"
)
_TAG = re.compile(r"[ \t]{1,4}(?:!![a-z]{3,10}|&[A-Za-z][\w-]{0,40})[ \t]+(?=\S)")  # YAML: a type, an anchor
_CONVERSIONS = frozenset(("[]byte(", "bytes(", "Buffer.from(", "String(", "SecretStr("))
_EMPHASIS = re.compile(r"[ \t]{0,4}[*_]{1,3}[ \t]+(?=[^\s*])")  # Markdown: **Password:** X
# The value is below: a block of YAML, what parentheses hold, a line that goes on.
_BLOCK = re.compile(r"[ \t]{0,8}(?:[|>][+-]?|\(|\\)[ \t]{0,4}\r?\n")
_DEFAULT = re.compile(r"\$\{\w{1,60}:?[-=](?P<value>[^}\s]{4,200})\}")  # shell: ${NAME:-X}
_GAP = re.compile(r"[\s\"'`]")
_SIGN_FIRST = re.compile(r".[^\s\"'`\\]{31,255}(?=[\"'`])")  # a value that starts with a sign
_CLOSERS = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_BARE = re.compile(r"[ \t]{0,40}(?:&(?:amp;)?(?:quot|apos|#3[49]);|%22)?(?P<value>[^\s\"'`]{1,256})")
_NEXT_LINE = re.compile(
    r"[ \t]{0,8}(?:[|>][+-]?[ \t]{0,4}|\(|\\)?\r?\n(?:[ \t>]{0,8}\r?\n)?[ \t>]{0,24}[`\"']?"
    r"(?P<value>[A-Za-z0-9_+/][^\s`\"'=,;(){}]{7,511}={0,2})"
    r"[`\"']?[,;]?[ \t]*(?:\r?\n|\Z)"
)
# What ends a bare value inside an escaped string: a literal \n, \r, \t or \".
_ESCAPED_END = re.compile(r"\\+(?:[nrt](?![A-Za-z0-9]{0,3}[!@#$%^&*])|[\"']|u00(?:0[ad9]|22|27|26|3c|3e))|%22")
_NEXT_FIELD = re.compile(
    r"&&|\|\||&(?:amp;)?(?:quot|apos|#3[49]|lt|gt);"
    r"|;(?:\Z|[ \t]*[A-Za-z][\w .-]{0,40}=|[\\\"']|(?:export|unset|echo|exec|cd|make)\Z)"
)
_NEXT_PARAMETER = re.compile(r"&(?:amp;)?(?:[\w.\[\]-]|%[0-9A-Fa-f]{2}){1,60}=|%26[\w.-]{1,60}%3[dD]")
_LINE_START = re.compile(
    r"(?:^|\n|\\n|\\r)[ \t]*(?:\d{1,6}[→:|\t-]|[+>-])?[ \t]*"
    r"(?:export|set|readonly|declare(?:[ \t]-x)?|local|env|let|SET)?[ \t]*$"
)
_TRAILING = ".,;:)]}>|\\"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


def read_value(
    text: str, at: int, *, colon: bool = False, parameter: bool = False, name_at: int | None = None
) -> Value | None:
    """Find the value that follows a separator.

    Args:
        text: The text.
        at: The code point after the separator.
        colon: The separator is a colon, so that a type may stand before the value.
        parameter: The name is a parameter of a URL's query.
        name_at: Where the name starts, if it may start its line, as in an env file.
    """
    if colon:
        typed = _TYPED.match(text, at, at + 80)
        if typed:
            at = typed.end()
        tag = _TAG.match(text, at)
        if tag:
            at = tag.end()
    emphasis = _EMPHASIS.match(text, at)
    if emphasis:
        at = emphasis.end()
    opened = _OPEN.match(text, at)
    if opened:
        value = _quoted(text, opened.end(), len(opened["escape"]), opened["quote"])
        return value._replace(wrapped=True) if value and opened["call"] and not _holds(opened) else value
    bare = None if _BLOCK.match(text, at) else _BARE.match(text, at)
    default = _DEFAULT.match(text, bare.start("value")) if bare else None
    if default:
        return Value(default.start("value"), default.end("value"), quoted=True)
    if bare:
        return _trim(text, bare.start("value"), bare.end("value"), parameter=parameter, name_at=name_at)
    below = _NEXT_LINE.match(text, at)
    if below:
        return Value(below.start("value"), below.end("value"), quoted=len(below["value"]) >= 12)
    return None


def _holds(opened: re.Match[str]) -> bool:
    """Does the call hold the value rather than speak about it: as bytes, as the default of a field?"""
    return opened["named"] is not None or opened["call"].strip() in _CONVERSIONS


def _quoted(text: str, start: int, depth: int, quote: str) -> Value | None:
    """The inside of a quotation whose quote has ``depth`` backslashes; cut-off quotations end at the line's end."""
    if text[start : start + 1] in ",;)}]" and not _SIGN_FIRST.match(text, start):
        return None  # the quote closes the string that the name ends
    closing = _CLOSERS.get(quote, quote)
    limit = min(len(text), start + _LONGEST_QUOTED)
    at = text.find(closing, start, limit)
    end = limit
    while at >= 0:
        backslashes = 0
        while at - 1 - backslashes >= start and text[at - 1 - backslashes] == "\\":
            backslashes += 1
        if backslashes <= depth:
            end = at - backslashes
            break
        at = text.find(closing, at + 1, limit)
    line = text.find("\n", start, end)
    if line >= 0 and len(quote) == 1:
        end = line
    if at < 0 or line >= 0:
        gap = _GAP.search(text, start, end)
        end = gap.start() if gap else end
    return Value(start, end, quoted=True) if end > start else None


def _trim(text: str, start: int, end: int, *, parameter: bool, name_at: int | None) -> Value | None:
    value = text[start:end]
    for pattern in (_ESCAPED_END, _NEXT_FIELD):
        cut = pattern.search(value)
        if cut:
            value = value[: cut.start()]
    if parameter or "&" in value or "%26" in value:
        cut = _NEXT_PARAMETER.search(value)
        if cut or parameter:
            value = value[: cut.start()] if cut else value.split("&", 1)[0].split("#", 1)[0]
    if "<" in value and not value.startswith("<"):
        value = value.split("<", 1)[0]
    if "," in value and (name_at is None or not _LINE_START.search(text, max(0, name_at - 40), name_at)):
        value = value.split(",", 1)[0]
    while value and value[-1] in _TRAILING:
        opener = _PAIRS.get(value[-1])
        if opener and value.count(opener) >= value.count(value[-1]):
            break
        value = value[:-1]
    return Value(start, start + len(value), quoted=False) if value else None


_MORE = re.compile(r"[A-Za-z0-9+/=_.~%-]*")


def whole(text: str, start: int, end: int) -> int:
    """The end of an accepted value of which only the head was read."""
    if end - start < LONGEST:
        return end
    more = _MORE.match(text, end)
    return more.end() if more else end
