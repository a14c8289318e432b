"""From a message of Gemini CLI to its blocks and calls; the same for a document and for a log."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import PurePath
from typing import Any

import msgspec

from recall_lab.hosts._content import count, first_line, joined, media_text
from recall_lab.hosts._lines import key_of
from recall_lab.hosts._names import plain_id, utc_time
from recall_lab.hosts._text import request_text
from recall_lab.hosts.base import Event, RawBlock, RawModelCall, RawSession, RawToolCall, make_id
from recall_lab.hosts.gemini_cli.records import Content, Message, Part, Tokens, ToolCall
from recall_lab.model import Disposition, Kind, Role

NAME = "gemini-cli"

_HOST_TEXT = re.compile(
    r"\s*(?:<(?:session_context|hook_context|system_reminder|system-reminder)[\s>]|(?:System: )?Please continue\.$)"
)
_FAILED = {"success": False, "error": True, "cancelled": True}
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")


class Text(msgspec.Struct, frozen=True):
    """A block to be: ``part`` tells the texts of a message apart."""

    part: str
    role: Role
    kind: Kind
    text: str
    tool: str | None = None
    call_id: str | None = None


def texts_of(message: Message) -> list[Text]:
    """Return the texts of a message, in order; blank ones too."""
    if message.type == "user":
        return _prompt(message)
    if message.type != "gemini":
        return [Text("0", "host", "text", words(message.content))]
    found = [Text("0", "assistant", "text", words(message.content))]
    for index, call in enumerate(message.tool_calls or ()):
        call_id = plain_id(call.id)
        part = call_id or str(index)
        request = request_text(call.name, call.args)
        found.append(Text(f"{part} asked", "assistant", "tool_use", request, call.name, call_id))
        found.append(Text(f"{part} gave", "tool", "tool_result", words(call.result), call.name, call_id))
    return found


def starts_turn(message: Message) -> bool:
    """Say whether a message is a prompt."""
    return message.type == "user" and any(text.role == "user" and text.text.strip() for text in texts_of(message))


def disposition(message: Message, events: list[Event]) -> Disposition:
    """Say where a message's bytes went: a placeholder keeps nothing of an image."""
    told = any(isinstance(event, RawBlock) for event in events)
    if told and not (message.type == "user" and only_media(message.content)):
        return "indexed"
    return "excluded" if told or only_media(message.content) else "metadata"


def events_of(message: Message, block: Callable[..., RawBlock], said: set[bytes], turn: int) -> list[Event]:
    """Return the blocks of a message, then its calls.

    Args:
        message: The message.
        block: Makes the next block of the source.
        said: What of this source's messages was told before and is not told again; new ones are added.
        turn: The turn that the message stands in.
    """
    told: list[Event] = []
    ids: dict[str, str] = {}
    for text in texts_of(message):
        if not text.text.strip():
            continue
        ids[text.part] = block_id = make_id(NAME, message.id, text.part, text.kind)
        if (key := key_of(block_id)) in said:
            continue
        said.add(key)
        more = {
            "timestamp": utc_time(message.timestamp),
            "model": message.model,
            "tool": text.tool,
            "call_id": text.call_id,
        }
        told.append(block(block_id, text.role, text.kind, text.text, **more))
    told += [
        _tool_call(message, call, call_id, ids, turn)
        for call in message.tool_calls or ()
        if (call_id := plain_id(call.id))
    ]
    if message.type == "gemini" and message.tokens is not None:
        told.append(_model_call(message, message.tokens, turn))
    return told


def words(content: Content) -> str:
    """Return a content as text: its parts, a line break between them, images as placeholders, thoughts left out."""
    parts = content if isinstance(content, list) else [content]
    return joined(_part(part) for part in parts)


def only_media(content: Content) -> bool:
    """Say whether a content holds images or documents and no words."""
    parts = [part for part in (content if isinstance(content, list) else [content]) if isinstance(part, Part)]
    return (
        any(part.inline_data or part.file_data for part in parts)
        and not (isinstance(content, list) and any(isinstance(part, str) and part.strip() for part in content))
        and not any(part.text and part.text.strip() for part in parts)
    )


def folder_of(companion: bytes, project_hash: str | None) -> str | None:
    """Return the project's folder from the file that the program keeps beside the chats; None where it fits not.

    ``project_hash`` is the sha256 of the folder's path.
    """
    text = companion.decode("utf-8", "replace").strip()
    if not _ABSOLUTE.match(text) or "\n" in text:
        return None
    told = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return text if project_hash in {None, told} else None


def as_subagent(session: RawSession, path: PurePath) -> RawSession:
    """Return a session as a child of the one that its folder names: ``chats/<parent>/<session>.jsonl``."""
    parent = plain_id(path.parent.name) if path.parent.parent.name == "chats" else None
    if parent is None or session.parent_id is not None:
        return session
    agent = session.native_id
    return msgspec.structs.replace(
        session, native_id=f"{parent}/{agent}", parent_id=parent, relation="subagent", agent_id=agent
    )


def _prompt(message: Message) -> list[Text]:
    """Return what a user typed, and apart from it what the program sent in its place."""
    sent, typed = words(message.content), words(message.display_content)
    if typed.strip() and typed != sent:
        return [Text("0", "user", "text", typed), Text("sent", "host", "text", sent)]
    return [Text("0", "host" if _HOST_TEXT.match(sent) else "user", "text", sent)]


def _tool_call(message: Message, call: ToolCall, call_id: str, ids: dict[str, str], turn: int) -> RawToolCall:
    failed = _FAILED.get(call.status or "")
    return RawToolCall(
        call_id=call_id,
        turn=turn,
        tool=call.name,
        request_block=ids.get(f"{call_id} asked"),
        result_block=ids.get(f"{call_id} gave"),
        started=utc_time(message.timestamp),
        ended=utc_time(call.timestamp) if failed is not None else None,
        failed=failed,
        error=first_line(words(call.result)) if failed else None,
    )


def _model_call(message: Message, tokens: Tokens, turn: int) -> RawModelCall:
    cached, thoughts = count(tokens.cached), count(tokens.thoughts)
    return RawModelCall(
        key=make_id(NAME, "call", message.id),
        model=message.model,
        timestamp=utc_time(message.timestamp),
        turn=turn,
        input_tokens=max(count(tokens.input) + count(tokens.tool) - cached, 0),
        output_tokens=count(tokens.output) + thoughts,
        cache_read_tokens=cached,
        reasoning_tokens=thoughts,
        final=True,
    )


def _part(part: Part | str | None) -> str | None:
    if part is None or isinstance(part, str):
        return part
    if part.thought:
        return None
    if media := part.inline_data or part.file_data:
        kind = (media.mime_type or "file").partition("/")[0]
        return media_text(kind if kind == "image" else "document", media.mime_type, media.data)
    if part.function_response is not None:
        return _response(part.function_response.response)
    return part.text


def _response(response: Any) -> str | None:
    if isinstance(response, dict) and len(response) == 1:
        [response] = response.values()
    if response is None or isinstance(response, str):
        return response
    return request_text("response", response)
