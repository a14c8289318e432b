"""Chats that somebody saved as JSON, in the shapes that people save."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from recall_lab.hosts import HOSTS, recognise
from tests.hosts.reading import Outcome, problems_of, read
from tests.hosts.strategies import THOUGHT

HOST = HOSTS["chat-snapshot"]
PROMPT = {"role": "user", "content": "why?"}


def told(found: Any, name: str = "chat.json", indent: int | None = None) -> Outcome:
    data = json.dumps(found, indent=indent).encode()
    assert recognise(data.split(b"\n"), PurePath(name)) is HOST
    outcome = read(HOST, data, name)
    assert problems_of(outcome, data) == []
    return outcome


def texts(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(block.role, block.kind, block.text) for block in outcome.own]


def test_the_plain_shape() -> None:
    found = {
        "id": "talk-1",
        "title": "Batching",
        "cwd": "/repo/alpha",
        "branch": "main",
        "model": "m1",
        "messages": [
            {"role": "system", "content": "be brief", "timestamp": "2026-05-01T10:00:00Z"},
            {"role": "user", "content": "why?", "timestamp": 1_777_000_000},
            {"role": "assistant", "content": "so", "model": "m2", "created_at": "2026-05-01T12:00:00+02:00"},
        ],
    }
    outcome = told(found, indent=2)
    assert texts(outcome) == [("host", "text", "be brief"), ("user", "text", "why?"), ("assistant", "text", "so")]
    assert [(block.turn, block.timestamp) for block in outcome.own] == [
        (0, "2026-05-01T10:00:00.000Z"),
        (1, "2026-04-24T03:06:40.000Z"),
        (1, "2026-05-01T10:00:00.000Z"),
    ]
    session = outcome.session
    assert session is not None
    assert (session.native_id, session.title, session.cwd, session.branch) == (
        "talk-1",
        "Batching",
        "/repo/alpha",
        "main",
    )


@pytest.mark.parametrize(
    "found",
    [
        [PROMPT, {"role": "assistant", "content": "so"}],
        {"messages": [PROMPT, {"role": "ai", "text": "so"}]},
        {"messages": [{"role": "human", "content": ["why?"]}, {"role": "assistant", "content": [{"text": "so"}]}]},
        {"chatMessages": [PROMPT, {"role": "assistant", "content": [{"type": "text", "text": "so"}]}]},
        [{"role": "user", "parts": [{"text": "why?"}]}, {"role": "model", "parts": [{"text": "so"}]}],
        [
            {"role": "user", "content": [{"type": "input_text", "text": "why?"}]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
        ],
    ],
)
def test_other_shapes_of_the_same(found: Any) -> None:
    assert texts(told(found)) == [("user", "text", "why?"), ("assistant", "text", "so")]


def test_tools_in_the_shape_of_chat_completions() -> None:
    asked = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
    found = [
        PROMPT,
        {"role": "assistant", "content": None, "tool_calls": [asked], "reasoning_content": THOUGHT},
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    ]
    outcome = told(found)
    assert texts(outcome)[1:] == [("assistant", "tool_use", "ls\npath: ."), ("tool", "tool_result", "a.txt")]
    [call] = outcome.tool_calls.values()
    assert (call.tool, call.request_block, call.result_block) == (
        "ls",
        outcome.own[1].block_id,
        outcome.own[2].block_id,
    )
    assert THOUGHT not in repr(outcome.events)


def test_tools_in_the_shape_of_messages() -> None:
    found = [
        PROMPT,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": THOUGHT},
                {"type": "reasoning", "text": THOUGHT},
                {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "."}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "is_error": True,
                    "content": [{"type": "text", "text": "no"}],
                }
            ],
        },
    ]
    outcome = told(found)
    assert texts(outcome)[1:] == [("assistant", "tool_use", "ls\npath: ."), ("tool", "tool_result", "no")]
    assert [(call.failed, call.error) for call in outcome.tool_calls.values()] == [(True, "no")]
    assert {block.turn for block in outcome.own} == {1}
    assert THOUGHT not in repr(outcome.events)


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,aGVsbG8="}}, "[image: image/png, 5 bytes]"),
        ({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}, "[image]"),
        ({"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="}, "[image: image/png, 5 bytes]"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "aGVsbG8="}},
            "[image: image/gif, 5 bytes]",
        ),
        ({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}, "[image: image/png, 5 bytes]"),
    ],
)
def test_pictures_are_placeholders(part: dict[str, Any], shown: str) -> None:
    outcome = told([{"role": "user", "content": [{"type": "text", "text": "see"}, part]}])
    assert [text for *_, text in texts(outcome)] == ["see", shown]
    assert "aGVsbG8" not in repr(outcome.events)


def test_a_chat_without_an_id_is_known_by_its_file_and_first_time() -> None:
    times = ["2026-05-01T10:00:00Z", "2026-05-01T10:00:05Z"]
    found = [{"role": "user", "content": "why?"}, *({"role": "user", "content": "x", "timestamp": t} for t in times)]
    outcome = told(found)
    assert outcome.session is not None
    assert outcome.session.native_id == "chat@2026-05-01T10:00:00.000Z"
    grown = told([*found, PROMPT], indent=2)
    assert [block.block_id for block in grown.own][:3] == [block.block_id for block in outcome.own]
    assert told([PROMPT]).session.native_id == "chat"  # type: ignore[union-attr]


def test_messages_with_ids_keep_them_wherever_they_stand() -> None:
    own = "35c7936c-5b99-42c6-a61f-ecc00a368ce7"
    one = told([{**PROMPT, "id": own}])
    other = told({"title": "moved", "messages": [{"role": "system", "content": "x"}, {**PROMPT, "id": own}]}, "b.json")
    assert one.own[0].block_id == other.own[1].block_id


def test_messages_that_are_none() -> None:
    outcome = told(
        [PROMPT, *({"role": "user", "content": str(n)} for n in range(8)), {"content": "x"}, {"role": "bot"}, 7]
    )
    assert [record.disposition for record in outcome.records[-4:]] == ["malformed", "unknown", "malformed", "metadata"]
