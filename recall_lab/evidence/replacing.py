"""What may be replaced without asking: a file that recall_lab wrote itself, and nothing else that a person has."""

from __future__ import annotations

from pathlib import Path

from recall_lab.errors import UsageError
from recall_lab.evidence.skills import DRAFT

_LOOKED_AT = 1 << 20

# Each form's own words, none of which stands where a transcript's could: briefs, sessions, reports, drafts of a skill.
_STARTS = ("---\nrecall-lab-brief: ", '{\n  "form": "recall-lab-session/')
_MARKS = (
    '<meta name="recall-lab-seal" ',
    '\n "form": "recall-lab-brief/',
    '"recall_lab_brief": ',
    "<title>recall_lab report</title>",
    f"\n{DRAFT}\n",
)


def check_replaceable(target: Path) -> None:
    """Make sure that writing ``target`` takes nothing away that recall_lab cannot write again.

    Raises:
        UsageError: something else has that name.
    """
    path = target.expanduser()
    try:
        if Path("/dev") in path.parents or not path.is_file():
            return  # a stream, even one that ends in a file, is written into
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return  # writing it will say what is wrong
    if head and not head.startswith(_STARTS) and not any(mark in head for mark in _MARKS):
        raise UsageError(f"{target}: is there already and not from recall-lab; name another file, or remove that one")
