"""The sample's stories as typed records, read from the TOML scripts in ``stories/``.

A script names its host, repository and start, then lists steps in order. One step is a prompt, a reply with its tool
calls, or one of the rarer things that a transcript holds (a compaction, a rewind, a queued prompt, a torn line).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

_FOLDER = Path(__file__).with_name("stories")


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the records of a script: unknown keys are mistakes."""


class Call(Script, frozen=True, kw_only=True):
    """One tool request and its outcome; ``seconds`` is how long it ran."""

    tool: str
    input: dict[str, Any]
    result: str = ""
    exit: int = 0  # not 0: the call failed
    seconds: float = 1.0
    label: str | None = None  # a subagent's script points at it


class Compaction(Script, frozen=True, kw_only=True):
    """The host replaced the conversation so far by a summary."""

    summary: str
    trigger: Literal["auto", "manual"] = "auto"


class PullRequest(Script, frozen=True, kw_only=True):
    """The host noted a pull request that the session opened."""

    number: int
    url: str
    repository: str


class Step(Script, frozen=True, kw_only=True):
    """One thing that happens; ``after`` is the pause before it in seconds."""

    after: float | None = None
    prompt: str | None = None
    image: bool = False  # the prompt carries a picture
    think: str | None = None
    say: str | None = None
    call: tuple[Call, ...] = ()
    web_searches: int = 0
    model: str | None = None  # from here on
    label: str | None = None  # a later ``rewind`` goes back to the state after this step
    rewind: str | None = None
    queue: str | None = None  # typed while the agent works
    delivered: bool = False  # the queued prompt becomes a prompt of its own at once
    compact: Compaction | None = None
    command: str | None = None  # a slash command, with what it printed in ``say``
    title: str | None = None
    ai_title: str | None = None
    pr: PullRequest | None = None
    api_error: str | None = None
    torn: bool = False  # a line that was cut off while it was written
    raw: dict[str, Any] | None = None  # a record as it stands
    interrupt: bool = False


class Story(Script, frozen=True, kw_only=True):
    """One session's script."""

    name: str
    host: Literal["claude-code", "codex", "codex-legacy"]
    repo: str
    start: str  # UTC, ISO 8601 with a Z
    model: str
    version: str
    branch: str = "main"
    cache: Literal["5m", "1h"] = "5m"
    parent: str | None = None  # name of the story that it was called from, forked from or continues
    relation: Literal["subagent", "fork", "copy"] | None = None
    parent_call: str | None = None  # label of the call that started a subagent
    agent_type: str | None = None
    description: str | None = None
    keep: str | None = None  # a copy holds its parent's records up to this label
    instructions: str | None = None  # what the host put before the first prompt (Codex)
    step: tuple[Step, ...] = ()


def load_stories() -> dict[str, Story]:
    """Return all stories by name, those that others depend on first."""
    stories = [msgspec.toml.decode(path.read_bytes(), type=Story) for path in sorted(_FOLDER.glob("*.toml"))]
    return {story.name: story for story in sorted(stories, key=lambda s: (s.parent is not None, s.start))}
