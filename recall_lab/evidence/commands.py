"""Shell commands as they stand in tool requests, and taking ids, dates and values out of them; pure."""

from __future__ import annotations

import re

_FIELD = re.compile(r"^(?:command|cmd):(?: (?P<line>.+)|\n(?P<body>(?:.+\n?)*))", re.MULTILINE)
_WRAPPER = re.compile(r"(?:/(?:usr/)?bin/)?(?:ba|z|da)?sh\s+-l?c\s+")
_LEADING = re.compile(r"(?:cd\s+\S+\s*(?:&&|;)\s*|(?:[A-Za-z_]\w*=\S*\s+)+|(?:sudo|time|env|nohup)\s+)")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*", re.DOTALL)
_URL = re.compile(r"https?://[^\s'\"`<>()\\|]+")


def command_of(request: str) -> str | None:
    """Return the shell command of a tool request's text; None when it has none."""
    match = _FIELD.search(request)
    if match is None:
        return None
    command = (match["line"] or match["body"] or "").strip()
    wrapper = _WRAPPER.match(command)
    if wrapper:
        command = command[wrapper.end() :].strip()
        if len(command) > 1 and command[0] == command[-1] and command[0] in "'\"":
            command = command[1:-1]
    return command or None


def program_of(command: str) -> str:
    """Return the program of a command and its first word, past ``cd`` and variables: what kind of command it is."""
    while leading := _LEADING.match(command):
        command = command[leading.end() :]
    return " ".join(command.split()[:2])


def endpoints_of(text: str) -> tuple[str, ...]:
    """Return the addresses in a text as endpoints: without credentials, with ids and values out."""
    found = (generalise(match.rstrip(".,;:!?]}")) for match in _URL.findall(text))
    return tuple(dict.fromkeys(found))


# ---- values out -----------------------------------------------------------------------------------------------------

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_VALUES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (r"\[REDACTED:[\w-]+\]", "<secret>"),
        (r"(?<=://)[^/\s@'\"]+@", ""),
        (r"(?<![\w.])(?!127\.0\.0\.1|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])", "<address>"),
        (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", "<email>"),
        (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<id>"),
        (r"\b\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?", "<date>"),
        (rf"\b(?:{_MONTHS})[a-z]*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b", "<date>"),
        (rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})[a-z]*\.?(?:,?\s+\d{{4}})?\b", "<date>"),
        (r"(?<![\d.:])\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b", "<time>"),
        (r"(?<=[?&])([\w.\[\]-]+)=[^&\s'\"#]+", r"\1=<value>"),
        (r"\b((?:bearer|basic|token)\s+)(?![<$\"'{])[\w.~+/=-]{6,}", r"\1<secret>"),
        (
            r"\b([\w-]*(?:token|secret|password|passwd|api[_-]?key)[\w-]*\s*[=:]\s*)(?![<$\"'{])[^\s'\"&]+",
            r"\1<secret>",
        ),
        (r"(?<![\w-])(?:[A-Z]{2,10}-\d{1,7})(?![\w-])", "<ticket>"),
        (r"(?<=#)\d+\b", "<number>"),
        (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "<id>"),
        (r"(?<![\w./-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_]{20,}(?![\w./-])", "<id>"),
        (r"/(?:Users|home)/[^/\s'\":]+", "~"),
        (r"(?<![\w:.])\d{4,}(?![\w])", "<number>"),
        (r"(?<=/)\d+(?=/|\b(?![\w.]))", "<number>"),
        (r"(?<=-m )([\"']).{12,}?\1", r"\1<message>\1"),
    )
)


# Whole quoted strings, the first quote first; an apostrophe inside a word is none.
_QUOTED = re.compile(r"""(?<![\w\\])(["'])((?:\\.|(?!\1)[^\n\\])*)\1(?!\w)""")
_LONG = 80  # code points from which a quoted string is what was said on one occasion


def generalise(text: str, folder: str | None = None) -> str:
    """Take what belongs to one occasion out of a text: ids, dates, times, addresses, tickets, long values, homes.

    Args:
        text: A command, an address or a sentence.
        folder: The folder that the work was done in; it becomes ``<project>``.

    Returns:
        The text with ``<id>``, ``<date>`` and the like in their places; doing it again changes nothing.
    """
    if folder and len(folder) > 1:
        text = text.replace(folder.rstrip("/"), "<project>")
    text = _HEREDOC.sub(r"<<\1 … \1", text)
    for pattern, put in _VALUES:
        text = pattern.sub(put, text)
    return _QUOTED.sub(lambda match: f"{match[1]}<text>{match[1]}" if len(match[2]) >= _LONG else match[0], text)
