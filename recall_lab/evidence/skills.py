"""A draft of a skill from a window of a session: what was done, with what belonged to the occasion taken out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evidence.commands import command_of, endpoints_of, generalise, program_of
from recall_lab.evidence.forms.markdown import code, fenced, plain
from recall_lab.evidence.forms.printing import as_json, label
from recall_lab.evidence.receipts import citation_of
from recall_lab.evidence.records import SkillDraft
from recall_lab.model import Block
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store import session_reading as sessions
from recall_lab.store.read_records import CallOutcome

DRAFT = "> A draft from recorded work. Nothing of it was run again: check each step before you rely on it."
STEPS = 40
_SHOWN = 12  # endpoints, failures, tools, prompts
_WORDS = 4  # a prompt of fewer says nothing of the task
_LONGEST = 600  # code points of a step
_ALIKE = 2  # commands of one kind that are shown
# What only looks, waits or edits a file: no step of its own.
_LOOKING = frozenset(
    {"ls", "cat", "head", "tail", "less", "nl", "wc", "pwd", "find", "grep", "rg", "sed", "awk", "tree", "stat"}
    | {"file", "which", "echo", "sleep", "true", "cd", "test", "jq", "sort", "uniq", "apply_patch"}
)
_LOOKING_GIT = frozenset(["git status", "git log", "git diff", "git show", "git branch", "git remote", "git rev-parse"])
_AUTHENTICATION = re.compile(
    r"Authorization:\s*(?:Bearer|Basic|token)|X-[\w-]*(?:Key|Token)|\$\{?\w*(?:TOKEN|KEY|SECRET|PASSWORD)\w*\}?"
    r"|\b(?:gh auth|aws sso|aws configure|gcloud auth|az login|docker login|npm login|kubectl config|vault login)\b"
    r"|\bop (?:read|signin|item|run)\b|--(?:token|api-key|user|profile|identity-file)\b|\bssh-add\b",
    re.IGNORECASE,
)
_SLUG = re.compile(r"[^a-z0-9]+")


def skillify(
    reader: Reader,
    session: str,
    *,
    host: str | None = None,
    first_turn: int | None = None,
    last_turn: int | None = None,
    name: str | None = None,
) -> SkillDraft:
    """Draft a SKILL.md from a window of a session.

    Kept are the commands that went well, endpoints, ways of authentication, and what failed on the way; out go ids,
    dates, times, addresses, tickets, secrets' placeholders and long values. It is a draft: nothing of it is run.

    Args:
        reader: The store.
        session: A native id, or an unambiguous head of it.
        host: The host, where two hosts use the same id.
        first_turn: First turn of the window; the session's first when left out.
        last_turn: Last turn of the window, included; the session's last when left out.
        name: The skill's name; made from the first prompt when left out.

    Raises:
        NotFoundError: no session is called that, or the window holds nothing.
        UsageError: several sessions are, or the window runs backwards.
    """
    first, last = first_turn or 0, last_turn if last_turn is not None else 1 << 60
    if first > last:
        raise UsageError(f"the window of turns {first} to {last} runs backwards")
    with store.snapshot(reader):
        info = sessions.find_session(reader, session, host)
        steps = [s for s in sessions.steps(reader, info.session_id) if s.live and first <= s.turn <= last]
        if not steps:
            raise NotFoundError(f"no block of session {info.native_id} stands in that window; see its turn index")
        prose = [s for s in steps if s.role == "user" and s.kind == "text"]
        prompts = store.blocks_at(reader, [(s.source_id, s.ord) for s in prose[:_SHOWN]])
        calls = [c for c in sessions.call_outcomes(reader, info.session_id) if first <= c.turn <= last]
        requests = [(c, store.block_at_root(reader, c.request_block)) for c in calls if c.request_block]
    done = [(call, block) for call, block in requests if block is not None]
    commands = _commands(done, info.cwd)
    told = [command_of(block.text) or "" for _, block in done]
    asked = [generalise(sentence, info.cwd) for prompt in prompts if (sentence := _sentence(prompt.text))]
    slug = _slug(name or (asked[0] if asked else "recorded work"))
    parts = [
        f"---\nname: {slug}\ndescription: {as_json(_description(asked))}\n---",
        f"# {plain(label(slug.replace('-', ' ')))}",
        DRAFT,
        _list("When to use it", (plain(label(sentence)) for sentence in dict.fromkeys(asked))),
        _numbered("Steps", [text for text, _ in commands]),
        _list("Other tools it used", _tools(done)),
        _list("Endpoints", (code(url) for url in _unique(map(endpoints_of, told)))),
        _list("Authentication", (code(way) for way in _unique(map(_ways, told)))),
        _list("What failed on the way", _failures(done, info.cwd)),
    ]
    cited = [block for _, block in commands] + list(prompts[:1])
    return SkillDraft(
        name=slug,
        text="\n\n".join(part for part in parts if part) + "\n",
        receipts=tuple(dict.fromkeys(citation_of(block).receipt for block in cited if block.text)),
    )


def _commands(done: Sequence[tuple[CallOutcome, Block]], folder: str | None) -> list[tuple[str, Block]]:
    """The commands that changed or ran something and did not fail, each kind of line once, in order."""
    found: dict[str, Block] = {}
    kinds: Counter[str] = Counter()
    for call, block in done:
        command = command_of(block.text) if not call.failed else None
        if command is None:
            continue
        program = program_of(command)
        if program.split(" ")[0] in _LOOKING or program in _LOOKING_GIT:
            continue
        general = generalise(command, folder)
        general = general if len(general) <= _LONGEST else general[:_LONGEST] + " …"
        if general in found or kinds[program] >= _ALIKE:
            continue
        kinds[program] += 1
        found[general] = block
        if len(found) == STEPS:
            break
    return list(found.items())


def _tools(done: Sequence[tuple[CallOutcome, Block]]) -> list[str]:
    counts = Counter(call.tool for call, block in done if call.tool and command_of(block.text) is None)
    return [f"{code(tool)}, {number} times" for tool, number in counts.most_common(_SHOWN)]


def _failures(done: Sequence[tuple[CallOutcome, Block]], folder: str | None) -> list[str]:
    found: dict[str, str] = {}
    for call, block in done:
        if call.failed and call.error:
            command = command_of(block.text)
            what = generalise((command or call.tool or "").split("\n")[0], folder)[:160]
            found.setdefault(what, generalise(call.error, folder))
    return [f"{code(what)}: {code(error)}" for what, error in list(found.items())[:_SHOWN]]


def _ways(text: str) -> tuple[str, ...]:
    return tuple(generalise(" ".join(match.group().split())) for match in _AUTHENTICATION.finditer(text))


def _unique(groups: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(item for group in groups for item in group))[:_SHOWN]


def _list(heading: str, items: Iterable[str]) -> str:
    lines = [f"- {item}" for item in items]
    return "\n\n".join([f"## {heading}", "\n".join(lines)]) if lines else ""


def _numbered(heading: str, commands: Sequence[str]) -> str:
    steps = [f"{number}. Run:\n\n{_indented(fenced(text))}" for number, text in enumerate(commands, 1)]
    return "\n\n".join([f"## {heading}", *steps]) if steps else ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))


def _sentence(text: str) -> str:
    """The first sentence of a prompt; empty for one that only agrees or goes on."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0][:240]
    return sentence if len(sentence.split()) >= _WORDS else ""


def _description(asked: Sequence[str]) -> str:
    return label(f"Draft from recorded work. Use it when asked to: {asked[0] if asked else 'repeat the steps below'}")


def _slug(text: str) -> str:
    words = _SLUG.sub("-", re.sub(r"<[\w ]+>", " ", text.lower())).strip("-").split("-")
    return "-".join(words[:6])[:60].strip("-") or "recorded-work"
