"""A name that a line asks for, and its value alone in the next line: what a shell or an interpreter answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction.judgement import accepts, kind_of_name
from recall_lab.redaction.names import promise
from recall_lab.redaction.records import Spot

# ``$ echo $API_KEY``, ``>>> settings.API_KEY``, ``vault kv get -field=api_key secret/app``
_ASKED = re.compile(
    r"(?:^|[$%#>\u276f][ \t]+)(?:(?:echo|printf|printenv|cat|get|pass|print|puts)(?=[ \t(])"
    r"|[\w.:/-]{1,30}(?:[ \t]+[\w.:/=-]{1,40}){0,4}[ \t:]+"
    r"(?:get|show|read|export)|kubectl|(?:settings|config|os\.environ|process\.env|ENV|app\.config|ctx)\b)[^\n]{0,160}$"
    r"|(?:>>>|irb[^\n>]{0,30}>|>)[ \t]*[^\n]{1,120}$"
)
_NAME = re.compile(r"[A-Za-z][\w-]{1,80}")
_ANSWER = re.compile(
    r"\r?\n(?:=>[ ]?)?[\"']?(?P<value>(?![A-Za-z_]\w{0,40}=\w)[^\s\"']{6,512})[\"']?[ \t]*(?=\r?\n|\Z)"
)
_LONGEST_LINE = 300


def read_answer(text: str, start: int, end: int) -> Iterator[Spot]:
    """The value below a line that asks for it."""
    line_end = text.find("\n", start, end)
    answer = _ANSWER.match(text, line_end - 1 if text[line_end - 1] == "\r" else line_end) if line_end >= 0 else None
    if not answer:
        return
    line = text[
        max(text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1, start - _LONGEST_LINE) : line_end
    ].rstrip()
    if not _ASKED.search(line):
        return
    for name in _NAME.findall(line):
        held = promise(name)
        if held and accepts(answer["value"], held, name, quoted=True):
            yield Spot(*answer.span("value"), kind_of_name(name, held))
            return
