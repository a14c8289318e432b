"""From the items of a message to the texts of blocks, and the role that each has."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from recall_lab.hosts._text import base64_size, placeholder, request_text
from recall_lab.hosts.claude_code.records import Item, Media, Part, Record
from recall_lab.model import Kind, Role

_ERROR_LENGTH = 200  # code points

_HOST_TEXT = re.compile(
    r"\s*(?:\[Request interrupted|Caveat: The messages below"
    r"|<(?:task-notification|teammate-message|system-reminder|local-command-[\w-]+|bash-stdout|bash-stderr|ide_\w+"
    r"|user-prompt-submit-hook)[\s/>])"
)
_NO_TURN = re.compile(r"\s*<(?:command-name|bash-input)>")
_TEAMMATE = re.compile(r"\s*<teammate-message[\s/>]")
_TASK_ID = re.compile(r'\s*\{\s*"task_id"')
_TAG = re.compile(r"\s*<[A-Za-z][\w-]*[\s/>]")
_TYPED_TAG = re.compile(r"\s*<(?:command-[\w-]+|bash-input)>")
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
_EXIT_CODE = re.compile(r"(?:Error: )?(?:Command failed with )?[Ee]xit code:? (\d{1,10})\b")
_ERROR_TAG = re.compile(r"</?tool_use_error>")

TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})
MEDIA_TYPES = frozenset({"image", "document"})
REQUEST_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
SILENT_TYPES = THINKING_TYPES | MEDIA_TYPES
KNOWN_TYPES = TEXT_TYPES | THINKING_TYPES | MEDIA_TYPES | REQUEST_TYPES


class Text(msgspec.Struct, frozen=True, gc=False):
    """The text of one block: ``index`` is its item's place in the message, ``part`` tells texts of one item apart."""

    index: int
    role: Role
    kind: Kind
    text: str
    part: str = ""


def is_result(item: Item | str) -> bool:
    """Say whether an item is a tool's result."""
    return isinstance(item, Item) and item.type is not None and item.type.endswith("tool_result")


def items_of(content: str | list[Item | str] | None) -> list[Item]:
    """Return a message's content as items; a string is the one text item."""
    if isinstance(content, str):
        return [Item(type="text", text=content)]
    return [Item(type="text", text=item) if isinstance(item, str) else item for item in content or ()]


def media_text(kind: str | None, source: Media | None) -> str:
    """Return the placeholder of an image or a document."""
    if source is None:
        return placeholder(kind, None, None)
    size = None
    if source.data is not None:
        size = len(source.data.encode("utf-8")) if source.type == "text" else base64_size(source.data)
    media_type = (
        source.media_type if source.media_type and re.fullmatch(r"[\w.+-]+/[\w.+-]+", source.media_type) else None
    )
    return placeholder(kind, media_type, size)


def tool_result(item: Item) -> str:
    """Return the text of a result: its parts, a line break between them, images as placeholders."""
    content = item.content
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content] if content is not None else []
    return "\n".join(text for part in parts for text in _part_texts(part))


def _part_texts(part: Part | str) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif part.type in MEDIA_TYPES:
        yield media_text(part.type, part.source)
    else:
        facts = (part.text, part.title, part.url, part.tool_name, part.error_code, part.stdout, part.stderr)
        yield from (fact for fact in facts if fact)


def failure(item: Item, text: str) -> tuple[bool, str | None]:
    """Return whether a result tells of a failure, and its first line (at most 200 code points).

    A result without ``is_error`` failed if its text begins with a non-zero exit code. Where the first line is but an
    exit code, the line after it is added.
    """
    code = _EXIT_CODE.match(text)
    failed = bool(item.is_error) or (item.is_error is None and code is not None and int(code[1]) != 0)
    if not failed:
        return False, None
    lines = (line.strip() for line in _ERROR_TAG.sub("", text[:4000]).split("\n"))
    told = [line for line in lines if line][:2]
    if len(told) == 2 and code is not None and _EXIT_CODE.fullmatch(told[0]):
        return True, f"{told[0]}: {told[1]}"[:_ERROR_LENGTH]
    return True, told[0][:_ERROR_LENGTH] if told else None


def is_prompt(record: Record) -> bool:
    """Say whether a user record holds no tool's result."""
    content = record.message.content if record.message else None
    return not (isinstance(content, list) and any(map(is_result, content)))


def texts(record: Record, items: list[Item], *, aside: bool = False) -> Iterator[Text]:
    """Yield the texts of a message, in order; thinking and empty ones are left out.

    Args:
        record: The user or assistant record that holds the message.
        items: Its content.
        aside: The host's reminder before a question is a text of its own.
    """
    answer = record.type == "assistant"
    typed = not answer and is_typed(record)
    task = bool(record.is_sidechain) and not record.permission_mode
    for index, item in enumerate(items):
        if is_result(item):
            text = tool_result(item)
            if text.strip():
                yield Text(index, "tool", "tool_result", text)
        elif item.type in REQUEST_TYPES:
            yield Text(index, "assistant" if answer else "host", "tool_use", request_text(item.name, item.input))
        elif item.type not in THINKING_TYPES:
            text = media_text(item.type, item.source) if item.type in MEDIA_TYPES else item.text or ""
            if not text.strip():
                continue
            if answer:
                yield Text(index, "assistant", "text", text)
            elif record.is_compact_summary:
                yield Text(index, "host", "summary", text)
            elif aside and typed and (cut := split_question(text)):
                yield Text(index, "host", "text", cut[0], part="reminder")
                yield Text(index, "user", "text", cut[1])
            else:
                yield Text(index, text_role(text, typed=typed, task=task), "text", text)


def is_typed(record: Record) -> bool:
    """Say whether a user record may hold the user's own words: neither host-written nor of another origin."""
    origin = record.origin if isinstance(record.origin, str | None) else record.origin.kind
    return not (record.is_meta or record.is_compact_summary) and origin in (None, "human")


def text_role(text: str, *, typed: bool, task: bool) -> Role:
    """Return the role of a text in a user record.

    Args:
        text: The text.
        typed: What ``is_typed`` says of the record.
        task: The record is of a sidechain and has no permission mode: a task given to a subagent.
    """
    return "host" if not typed or task or _HOST_TEXT.match(text) else "user"


def starts_turn(text: str) -> bool:
    """Say whether a text of the user's begins a turn: not what a local command or a shell line wrapped."""
    return not _NO_TURN.match(text)


def starts_agent_turn(text: str) -> bool:
    """Say whether a text begins a turn in a subagent's session: the task, or what a teammate wrote."""
    return bool(_TEAMMATE.match(text)) or not (_HOST_TEXT.match(text) or _NO_TURN.match(text))


def queued_role(text: str) -> Role:
    """Return the role of a queued prompt: XML of the host's and news of tasks are ``host``."""
    if _HOST_TEXT.match(text) or _TASK_ID.match(text):
        return "host"
    return "host" if _TAG.match(text) and not _TYPED_TAG.match(text) else "user"


def split_question(text: str) -> tuple[str, str] | None:
    """Cut an aside's first text into the host's reminder and the user's question; None when it is not of that form."""
    match = _REMINDER.match(text)
    if match is None or not text[match.end() :].strip():
        return None
    return match[0].strip(), text[match.end() :]
