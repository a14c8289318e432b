"""What a session is good for next: taking it up again, or asking the same again. Both show; neither runs anything."""

from __future__ import annotations

import re

from recall_lab.evidence.commands import command_of, program_of
from recall_lab.evidence.folders import branch_exists, observe
from recall_lab.evidence.receipts import citation_of
from recall_lab.evidence.records import Action, Continuation, Repeat
from recall_lab.model import Block
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import CallOutcome, SessionInfo, Step

ACTIONS = 10  # last tool calls that are shown
PROMPTS = 3  # last prompts that are shown
_HEAD = 400  # code points of a request or result that are shown
_RECENT = 3  # turns in which a failure without a later success counts as open
_RESUME = {"claude-code": "claude --resume {id}", "codex": "codex resume {id}"}
_PLAIN_ID = re.compile(r"[0-9A-Za-z-]{8,64}")


def continue_session(reader: Reader, session: str, *, host: str | None = None, look: bool = True) -> Continuation:
    """Show where a session was left.

    Args:
        reader: The store.
        session: Its native id, or an unambiguous head of it.
        host: The host, where two hosts use the same id.
        look: Look whether its folder and branch are still there.

    Returns:
        The last prompts, the last words of the agent, the last tool calls with their outcome, failures of the last
        turns that no later call of the same kind put right, and what became of folder and branch.

    Raises:
        NotFoundError: no session is called that.
        UsageError: several are.
    """
    with store.snapshot(reader):
        info = sessions.find_session(reader, session, host)
        steps = [step for step in sessions.steps(reader, info.session_id) if step.live]
        prose = [step for step in steps if step.kind == "text"]
        prompts = _blocks(reader, [step for step in prose if step.role == "user"][-PROMPTS:])
        words = _blocks(reader, [step for step in prose if step.role == "assistant"][-1:])
        calls = sessions.call_outcomes(reader, info.session_id)
        recent = {step.turn for step in steps[-1:]} or {0}
        window = [call for call in calls if call.turn > max(recent) - _RECENT]
        actions = _actions(reader, calls[-ACTIONS:])
        errors = _actions(reader, _open_failures(reader, window))
    return Continuation(
        session=info,
        prompts=prompts,
        words=words[0] if words else None,
        actions=actions,
        errors=errors,
        folder=observe(info.cwd) if look and info.cwd else None,
        branch_exists=branch_exists(info.cwd, info.branch) if look and info.cwd and info.branch else None,
        resume=_resume(info),
    )


def repeat_session(reader: Reader, session: str, *, host: str | None = None) -> Repeat:
    """Show the prompts that drove a session, verbatim and in order, each with its receipt.

    Raises:
        NotFoundError: no session is called that.
        UsageError: several are.
    """
    with store.snapshot(reader):
        info = sessions.find_session(reader, session, host)
        steps = sessions.steps(reader, info.session_id)
        prompts = _blocks(reader, [s for s in steps if s.live and s.role == "user" and s.kind == "text"])
    said = [block for block in prompts if block.text]
    return Repeat(session=info, prompts=tuple(map(citation_of, said)), turns=tuple(block.turn for block in said))


def _resume(info: SessionInfo) -> str | None:
    """The host's own command that takes the session up; only for ids that are safe to paste into a shell."""
    form = _RESUME.get(info.host)
    return form.format(id=info.native_id) if form and _PLAIN_ID.fullmatch(info.native_id) else None


def _blocks(reader: Reader, steps: list[Step]) -> tuple[Block, ...]:
    return store.blocks_at(reader, [(step.source_id, step.ord) for step in steps])


def _actions(reader: Reader, calls: tuple[CallOutcome, ...] | list[CallOutcome]) -> tuple[Action, ...]:
    return tuple(
        Action(
            turn=call.turn,
            tool=call.tool,
            failed=call.failed,
            error=call.error,
            request=_head(reader, call.request_block),
            result=_head(reader, call.result_block),
            request_block=call.request_block,
            result_block=call.result_block,
        )
        for call in calls
    )


def _head(reader: Reader, block_id: str | None) -> str | None:
    block = store.block_at_root(reader, block_id) if block_id else None
    return block.text[:_HEAD] if block else None


def _open_failures(reader: Reader, calls: list[CallOutcome]) -> list[CallOutcome]:
    """The failures after which no call of the same kind went well."""
    open_: dict[str, CallOutcome] = {}
    for call in calls:
        kind = _kind_of(call, _head(reader, call.request_block))
        if call.failed:
            open_[kind] = call
        elif call.failed is False:
            open_.pop(kind, None)
    return list(open_.values())


def _kind_of(call: CallOutcome, request: str | None) -> str:
    """What a call was after: the tool, and for commands the program and its first word, for files the file."""
    command = command_of(request or "")
    if command is not None:
        return f"{call.tool} {program_of(command)}"
    told = next((line for line in (request or "").split("\n") if line.startswith(("file_path:", "path:"))), "")
    return f"{call.tool} {told}"
