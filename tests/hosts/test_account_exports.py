"""Conversations of ChatGPT and claude.ai, as their account exports have them."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from recall_lab.hosts import HOSTS, recognise
from tests.hosts.reading import Outcome, problems_of, read
from tests.hosts.strategies import THOUGHT

CHATGPT = HOSTS["chatgpt-export"]
CLAUDEAI = HOSTS["claudeai-export"]
SESSION = "35c7936c-5b99-42c6-a61f-ecc00a368ce7"


def uuid(number: int) -> str:
    return f"{number:08x}-5b99-42c6-a61f-ecc00a368ce7"


def texts(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(block.role, block.kind, block.text) for block in outcome.own]


# ---- ChatGPT -------------------------------------------------------------------------------------------------------


def node(number: int, parent: int | None, role: str = "user", *parts: Any, **more: Any) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": list(parts)})
    message = {
        "id": uuid(number),
        "author": {"role": role},
        "create_time": 1_777_000_000 + number,
        "content": content,
        "recipient": "all",
        "metadata": {},
        **more,
    }
    return {"id": uuid(number), "parent": None if parent is None else uuid(parent), "message": message}


def conversation(*nodes: dict[str, Any], current: int, **more: Any) -> dict[str, Any]:
    root = {"id": uuid(0), "parent": None, "message": None, "children": []}
    mapping = {one["id"]: one for one in (root, *nodes)}
    head = {"id": SESSION, "title": "Batching", "create_time": 1_777_000_000.5, "default_model_slug": "gpt-5"}
    return {**head, "mapping": mapping, "current_node": uuid(current), **more}


def told(found: Any, name: str = "conversations.json", indent: int | None = None) -> Outcome:
    data = json.dumps(found, indent=indent).encode()
    outcome = read(CHATGPT, data, name)
    assert problems_of(outcome, data) == []
    return outcome


def test_the_branch_that_ends_in_the_current_node() -> None:
    nodes = [
        node(4, 3, "assistant", "the second answer", metadata={"model_slug": "gpt-5-pro"}),
        node(1, 0, "user", "why?"),
        node(2, 1, "assistant", "the first answer"),
        node(3, 1, "user", "why, again?"),
        node(5, 2, "user", "left alone"),
    ]
    outcome = told(conversation(*nodes, current=4), indent=2)
    assert texts(outcome) == [
        ("user", "text", "why?"),
        ("user", "text", "why, again?"),
        ("assistant", "text", "the second answer"),
    ]
    assert [(block.turn, block.model, block.timestamp) for block in outcome.own] == [
        (1, None, "2026-04-24T03:06:41.000Z"),
        (2, None, "2026-04-24T03:06:43.000Z"),
        (2, "gpt-5-pro", "2026-04-24T03:06:44.000Z"),
    ]
    assert outcome.session is not None
    assert (outcome.session.native_id, outcome.session.title, outcome.session.model) == (SESSION, "Batching", "gpt-5")
    assert outcome.ledger["other-branch/user", "excluded"][0] > 0


@pytest.mark.parametrize("current", ["nowhere", None])
def test_without_a_current_node_the_last_leaf_counts(current: str | None) -> None:
    nodes = [node(1, 0, "user", "why?"), node(2, 1, "assistant", "so"), node(3, 1, "assistant", "thus")]
    outcome = told(conversation(*nodes, current=0) | {"current_node": current})
    assert [text for *_, text in texts(outcome)] == ["why?", "thus"]


def test_tools_hidden_nodes_and_reasoning_are_left_out() -> None:
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    nodes = [
        node(1, 0, "system", "be brief", **hidden),
        node(2, 1, "user", content={"content_type": "user_editable_context", "user_profile": "me"}),
        node(3, 2, "user", "go"),
        node(4, 3, "assistant", content={"content_type": "thoughts", "thoughts": [THOUGHT], "parts": [THOUGHT]}),
        node(5, 4, "assistant", '{"q": 1}', recipient="browser.search", end_turn=False),
        node(6, 5, "tool", "a page"),
        node(7, 6, "assistant", content={"content_type": "reasoning_recap", "content": THOUGHT}),
        node(8, 7, "assistant", "done", end_turn=True),
        node(9, 8, "system", "shown"),
        node(10, 9, "robot", "unknown"),
    ]
    outcome = told(conversation(*nodes, current=10))
    assert texts(outcome) == [
        ("user", "text", "go"),
        ("assistant", "tool_use", 'browser.search\n{"q": 1}'),
        ("assistant", "text", "done"),
        ("host", "text", "shown"),
    ]
    assert THOUGHT not in repr(outcome.events)
    assert [call.tool for call in outcome.tool_calls.values()] == ["browser.search"]
    assert [r.disposition for r in outcome.records if r.record_type.startswith("message/")] == [
        "metadata",
        "excluded",
        "excluded",
        "indexed",
        "excluded",
        "indexed",
        "excluded",
        "excluded",
        "indexed",
        "indexed",
        "unknown",
    ]


def test_parts_are_blocks_and_pictures_are_placeholders() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x", "size_bytes": 128}
    spoken = {"content_type": "audio_transcription", "text": "said aloud"}
    nodes = [
        node(1, 0, "user", "see", picture, "", spoken, None),
        node(2, 1, "user", picture),
        node(3, 2, "assistant", content={"content_type": "code", "text": "print(1)"}),
    ]
    outcome = told(conversation(*nodes, current=3))
    assert [text for *_, text in texts(outcome)] == [
        "see",
        "[image: 128 bytes]",
        "said aloud",
        "[image: 128 bytes]",
        "print(1)",
    ]
    assert outcome.ledger["message/user", "excluded"][0] == 1


def test_a_conversation_one_level_down() -> None:
    inner = conversation(node(1, 0, "user", "why?"), current=1)
    outcome = told({"captured_at": "now", "session": {"turns": []}, "payload": inner})
    assert (texts(outcome), outcome.session and outcome.session.native_id) == ([("user", "text", "why?")], SESSION)


def test_ids_are_of_the_message_alone() -> None:
    nodes = [node(1, 0, "user", "why?")]
    one, other = conversation(*nodes, current=1), conversation(*nodes, current=1, id=uuid(99))
    assert told(one).own[0].block_id == told(other, "elsewhere.json#x", indent=2).own[0].block_id
    plain = {
        "id": "user",
        "parent": None,
        "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hi"]}},
    }
    found = [{"id": own, "mapping": {"user": plain}, "current_node": "user"} for own in (SESSION, uuid(99))]
    assert told(found[0]).own[0].block_id != told(found[1]).own[0].block_id


def test_a_part_of_a_list_is_read_with_its_brackets() -> None:
    data = b"[\n " + json.dumps(conversation(node(1, 0, "user", "why?"), current=1)).encode() + b",\n"
    outcome = read(CHATGPT, data, f"conversations.json#{SESSION}")
    assert problems_of(outcome, data) == []
    assert (texts(outcome), outcome.checkpoint.offset) == ([("user", "text", "why?")], 0)
    assert {record.disposition for record in outcome.records} == {"metadata", "indexed"}


def test_what_a_conversation_of_chatgpt_says_of_itself() -> None:
    nodes = [node(1, 0, "user", "why?"), node(2, 1, "tool", "x"), node(3, 2, "assistant", "so")]
    seen = CHATGPT.conversation(json.dumps(conversation(*nodes, current=3)).encode())
    assert seen is not None
    assert (seen.id, seen.title, seen.created, seen.messages) == (SESSION, "Batching", "2026-04-24T03:06:40.500Z", 2)
    assert CHATGPT.conversation(b'{"a": 1}') is None


# ---- claude.ai -----------------------------------------------------------------------------------------------------


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"uuid": SESSION, "name": "Batching", "created_at": "2026-05-01T10:00:00.000000+00:00"}
    return {**head, "chat_messages": messages, **more}


def message(number: int, sender: str, *items: Any, **more: Any) -> dict[str, Any]:
    created = f"2026-05-01T12:00:0{number}.500000+02:00"
    return {"uuid": uuid(number), "sender": sender, "text": "", "content": items, "created_at": created, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def said(*messages: dict[str, Any], **more: Any) -> Outcome:
    data = json.dumps(chat(*messages, **more), indent=2).encode()
    outcome = read(CLAUDEAI, data, "conversations.json")
    assert problems_of(outcome, data) == []
    return outcome


def test_a_chat_in_its_order() -> None:
    thinking = {"type": "thinking", "thinking": THOUGHT, "summaries": [{"summary": THOUGHT}]}
    outcome = said(
        message(
            1, "human", text("why?"), attachments=[{"file_type": "text/csv", "file_size": 9, "extracted_content": "x"}]
        ),
        message(2, "assistant", thinking, text("because"), text("of latency")),
        message(3, "human", files=[{"file_kind": "image", "file_name": "a.png"}]),
        message(4, "assistant", thinking),
    )
    assert texts(outcome) == [
        ("user", "text", "why?"),
        ("user", "text", "[document: text/csv, 9 bytes]"),
        ("assistant", "text", "because"),
        ("assistant", "text", "of latency"),
        ("user", "text", "[image]"),
    ]
    assert [block.turn for block in outcome.own] == [1, 1, 1, 1, 2]
    assert outcome.own[0].timestamp == "2026-05-01T10:00:01.500Z"
    assert THOUGHT not in repr(outcome.events)
    assert [r.disposition for r in outcome.records[1:5]] == ["indexed", "indexed", "excluded", "excluded"]


def test_tools_of_claude_ai() -> None:
    outcome = said(
        message(1, "human", text("look it up")),
        message(
            2,
            "assistant",
            {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "fts5"}},
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "name": "web_search",
                "is_error": True,
                "content": [text("no net")],
            },
            text("it failed"),
        ),
    )
    assert [(kind, words) for _, kind, words in texts(outcome)[1:]] == [
        ("tool_use", "web_search\nquery: fts5"),
        ("tool_result", "no net"),
        ("text", "it failed"),
    ]
    [call] = outcome.tool_calls.values()
    assert (call.tool, call.failed, call.error) == ("web_search", True, "no net")


def test_the_text_is_told_where_no_item_is_of_a_known_type() -> None:
    strange = {"type": "brand-new", "text": "not this"}
    outcome = said(message(1, "human", strange, text="what was shown"), message(2, "assistant", text="plain"))
    assert [words for *_, words in texts(outcome)] == ["what was shown", "plain"]


def test_a_prompt_written_anew_leaves_its_first_branch() -> None:
    messages = [
        message(1, "human", text("a"), parent_message_uuid="00000000-0000-4000-8000-000000000000"),
        message(2, "assistant", text("b"), parent_message_uuid=uuid(1)),
        message(3, "human", text("left"), parent_message_uuid=uuid(2)),
        message(4, "human", text("kept"), parent_message_uuid=uuid(2)),
    ]
    assert [block.text for block in said(*messages).live()] == ["a", "b", "kept"]
    assert said(*({**one, "parent_message_uuid": None} for one in messages)).dead == ()


def test_a_zone_that_was_cut_off() -> None:
    outcome = said(message(1, "human", text("a"), created_at="2026-05-01T10:00:00.250000+"))
    assert outcome.own[0].timestamp == "2026-05-01T10:00:00.250Z"


def test_what_a_conversation_of_claude_ai_says_of_itself() -> None:
    seen = CLAUDEAI.conversation(json.dumps(chat(message(1, "human", text("a")))).encode())
    assert seen is not None
    assert (seen.id, seen.title, seen.created, seen.messages) == (SESSION, "Batching", "2026-05-01T10:00:00.000Z", 1)
    assert CLAUDEAI.conversation(b"[]") is None


def test_each_is_recognised_and_not_the_other() -> None:
    ours = json.dumps([conversation(node(1, 0, "user", "why?"), current=1)]).encode()
    theirs = json.dumps([chat(message(1, "human", text("a")))], indent=2).encode()
    for data, host in ((ours, CHATGPT), (theirs, CLAUDEAI), (ours[:400], CHATGPT), (theirs[:400], CLAUDEAI)):
        assert recognise(data.split(b"\n"), PurePath("conversations.json")) is host
