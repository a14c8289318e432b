"""Outcomes and sessions as Markdown, in the form that ``verify`` reads; pure.

What is quoted whole stands in a fenced block with its receipt; heads that are only shown stand in code spans.
"""

from __future__ import annotations

from recall_lab.evidence.commands import command_of
from recall_lab.evidence.forms import wording
from recall_lab.evidence.forms.markdown import code, fenced, plain, sealed_document
from recall_lab.evidence.forms.printing import label
from recall_lab.evidence.receipts import citation_of
from recall_lab.evidence.records import Action, Continuation, Repeat, SessionView
from recall_lab.model import Block, Citation
from recall_lab.store.read_records import SessionInfo
from recall_lab.times import show_time

_SHORT = 160  # code points of a request, result or error on one line
_TO_RUN_AGAIN = "Shown, not run. Look whether paths, versions and inputs still hold before you send any of it again."


def continuation_markdown(shown: Continuation, zone: str = "UTC") -> str:
    """Return where a session was left, as Markdown."""
    notes = _Notes()
    parts = [f"# Where it was left: {plain(_title(shown.session))}", _where(shown.session, zone)]
    if shown.folder:
        parts.append(plain(wording.folder_now(shown.folder)))
    if shown.session.branch:
        state = {True: "still there", False: "not there any more", None: "not known to be there"}[shown.branch_exists]
        parts.append(f"Branch {code(shown.session.branch)}: {state}.")
    if shown.resume:
        parts.append(f"To take it up, run {code(shown.resume)} in that folder.")
    parts += _blocks("Last prompts", shown.prompts, notes)
    parts += _blocks("Last words of the agent", (shown.words,) if shown.words else (), notes)
    parts += _actions("Failures with no later success", shown.errors)
    parts += _actions("Last tool calls", shown.actions)
    return "\n\n".join([*parts, *notes.lines()]) + "\n"


def repeat_markdown(shown: Repeat, zone: str = "UTC") -> str:
    """Return the prompts of a session, as Markdown."""
    notes = _Notes()
    parts = [f"# Prompts of: {plain(_title(shown.session))}", _where(shown.session, zone), _TO_RUN_AGAIN]
    for citation, turn in zip(shown.prompts, shown.turns, strict=True):
        parts += [f"## Turn {turn}", fenced(citation.quote), notes.mark(citation)]
    return "\n\n".join([*parts, *notes.lines()]) + "\n"


def session_markdown(view: SessionView, zone: str = "UTC") -> str:
    """Return a view of a session as Markdown: blocks whole with their receipts, subagents where they were called."""
    notes = _Notes()
    parts = [f"# {plain(_title(view.session))}", _where(view.session, zone)]
    turn: int | None = None
    for at, block in enumerate(view.blocks):
        if block.turn != turn:
            turn = block.turn
            parts.append(f"## Turn {turn}")
        parts += _block(block, notes, zone)
        parts += [_called(called.session, "here") for called in view.called if called.after == at]
    parts += [_called(called.session, "at a place that is not shown") for called in view.called if called.after is None]
    return sealed_document([*parts, *notes.lines()], notes.count)


def _called(info: SessionInfo, where: str) -> str:
    title = f": {plain(label(info.title))}" if info.title else ""
    return f"Subagent {code(label(info.native_id))} was called {where}{title}"


class _Notes:
    """Footnotes with receipts, numbered as they are made."""

    def __init__(self) -> None:
        self._receipts: list[str] = []

    @property
    def count(self) -> int:
        return len(self._receipts)

    def mark(self, citation: Citation) -> str:
        self._receipts.append(citation.receipt)
        return f"[^{len(self._receipts)}]"

    def lines(self) -> list[str]:
        return [
            f"[^{number}]: {code(receipt)} is the receipt of quotation {number}."
            for number, receipt in enumerate(self._receipts, 1)
        ]


def _title(info: SessionInfo) -> str:
    return label(info.title or info.native_id)


def _where(info: SessionInfo, zone: str) -> str:
    when = f"{show_time(info.started, zone)} to {show_time(info.ended, zone)} {zone}" if info.started else "undated"
    words = [info.host, f"session {info.native_id}", when, info.repo, info.branch, info.cwd]
    return " · ".join(code(label(word)) for word in words if word)


def _blocks(heading: str, blocks: tuple[Block, ...], notes: _Notes) -> list[str]:
    parts = [part for block in blocks for part in _block(block, notes, None)]
    return [f"## {heading}", *parts] if parts else []


def _block(block: Block, notes: _Notes, zone: str | None) -> list[str]:
    if not block.text:
        return []
    role = block.role if block.kind == "text" else f"{block.role} {block.kind}"
    when = f" · {show_time(block.timestamp, zone)} {zone}" if zone and block.timestamp else ""
    dead = "" if block.live else " · on a dead branch"
    return [f"{code(role)}{when}{dead}", fenced(block.text), notes.mark(citation_of(block))]


def _actions(heading: str, actions: tuple[Action, ...]) -> list[str]:
    lines = []
    for action in actions:
        outcome = {True: "failed", False: "went well", None: "outcome unknown"}[action.failed]
        what = command_of(action.request or "") or action.request or action.tool or "tool"
        told = action.error or _output(action.result or "")
        lines.append(f"- {code(what[:_SHORT])} {outcome}{f': {code(told[:_SHORT])}' if told.strip() else ''}")
    return [f"## {heading}", "\n".join(lines)] if lines else []


def _output(result: str) -> str:
    """What a tool gave, without what some hosts write about the call before it."""
    return result.partition("\nOutput:\n")[2] or result
