"""Small documents of the hosts whose sessions are one each."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.hosts.strategies import CALLS, NUMBERS, TEXTS, THOUGHT, TIMES, UUIDS, an_object, just

_SESSION = st.sampled_from(["33333333-3333-4333-8333-333333333333", "s2", None])
_ID = st.sampled_from([*UUIDS, None])

# ---- Gemini CLI ----------------------------------------------------------------------------------------------------

_PARTS = st.lists(
    st.one_of(
        an_object(text=TEXTS),
        just(text=THOUGHT, thought=True),
        just(inlineData={"mimeType": "image/png", "data": "aGVsbG8="}),
        an_object(functionResponse=an_object(response=an_object(output=TEXTS))),
    ),
    max_size=2,
)
_GEMINI_CALL = an_object(
    id=CALLS,
    name=st.just("run_shell_command"),
    args=an_object(command=TEXTS),
    result=st.one_of(st.none(), _PARTS),
    status=st.sampled_from(["success", "error", "executing"]),
    timestamp=TIMES,
)
GEMINI_MESSAGE = an_object(
    id=_ID,
    timestamp=TIMES,
    type=st.sampled_from(["user", "gemini", "info", "error", "brand-new", 7]),
    content=st.one_of(TEXTS, _PARTS),
    displayContent=st.one_of(st.none(), TEXTS),
    thoughts=st.just([{"subject": THOUGHT, "description": THOUGHT}]),
    toolCalls=st.one_of(st.none(), st.lists(_GEMINI_CALL, max_size=2)),
    tokens=st.one_of(st.none(), an_object(input=NUMBERS, output=NUMBERS, cached=NUMBERS, thoughts=NUMBERS)),
    model=st.sampled_from(["gemini-2.5-pro", None]),
)
_GEMINI_HEAD = {
    "sessionId": _SESSION,
    "projectHash": st.just("ab" * 32),
    "startTime": TIMES,
    "summary": st.one_of(st.none(), TEXTS),
    "kind": st.sampled_from(["main", "subagent", None]),
}
_GEMINI = an_object(**_GEMINI_HEAD, messages=st.lists(GEMINI_MESSAGE, max_size=5))
GEMINI_LINE = st.one_of(
    an_object(**_GEMINI_HEAD),
    GEMINI_MESSAGE,
    GEMINI_MESSAGE,
    just(**{"$set": {"lastUpdated": "2026-05-01T10:00:00.000Z"}}),
    an_object(**{"$set": an_object(messages=st.lists(GEMINI_MESSAGE, max_size=2))}),
    an_object(**{"$rewindTo": st.sampled_from(UUIDS)}),
)

# ---- account exports -----------------------------------------------------------------------------------------------

_NODES = [f"00000000-0000-4000-8000-{number:012x}" for number in range(5)]


def _content(kind: str, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return an_object(content_type=st.just(kind), **more)


_CHATGPT_CONTENT = st.one_of(
    _content("text", parts=st.lists(TEXTS, max_size=2)),
    _content("multimodal_text", parts=st.just([{"content_type": "image_asset_pointer", "size_bytes": 5}, "seen"])),
    _content("code", text=TEXTS),
    _content("thoughts", thoughts=st.just([{"content": THOUGHT}]), parts=st.just([THOUGHT])),
    _content("reasoning_recap", parts=st.just([THOUGHT])),
)
_CHATGPT_MESSAGE = an_object(
    id=_ID,
    author=an_object(role=st.sampled_from(["user", "assistant", "system", "tool", "brand-new"])),
    create_time=st.sampled_from([1_777_000_000.5, None]),
    content=_CHATGPT_CONTENT,
    metadata=an_object(is_visually_hidden_from_conversation=st.sampled_from([True, None, None])),
    recipient=st.sampled_from(["all", "python", None]),
    end_turn=st.sampled_from([True, False, None]),
)


@st.composite
def _chatgpt(draw: st.DrawFn) -> dict[str, Any]:
    mapping = {}
    for number, key in enumerate(_NODES[: draw(st.integers(0, len(_NODES)))]):
        parent = draw(st.sampled_from([*_NODES[:number], "nowhere"])) if number else None
        mapping[key] = {"id": key, "parent": parent, "message": draw(st.one_of(st.none(), _CHATGPT_MESSAGE))}
    head = draw(an_object(id=_SESSION, title=st.one_of(st.none(), TEXTS), current_node=st.sampled_from(_NODES)))
    return {**head, "mapping": mapping} if draw(st.booleans()) else {"mapping": mapping, **head}


_CLAUDEAI_ITEM = st.one_of(
    an_object(type=st.just("text"), text=TEXTS),
    just(type="thinking", thinking=THOUGHT, summaries=[{"summary": THOUGHT}]),
    an_object(type=st.just("tool_use"), id=st.one_of(st.none(), CALLS), name=st.just("web"), input=an_object(q=TEXTS)),
    an_object(type=st.just("tool_result"), tool_use_id=CALLS, content=st.just([{"type": "text", "text": "found"}])),
    just(type="brand-new"),
)
_CLAUDEAI = an_object(
    uuid=_SESSION,
    name=TEXTS,
    created_at=TIMES,
    chat_messages=st.lists(
        an_object(
            uuid=_ID,
            sender=st.sampled_from(["human", "assistant", "someone", None]),
            text=TEXTS,
            content=st.lists(_CLAUDEAI_ITEM, max_size=3),
            created_at=TIMES,
            parent_message_uuid=_ID,
            attachments=st.just([{"file_type": "text/plain", "file_size": 5, "extracted_content": "not kept"}]),
        ),
        max_size=5,
    ),
)

# ---- chats saved by hand -------------------------------------------------------------------------------------------

_CHAT_PART = st.one_of(
    an_object(type=st.just("text"), text=TEXTS),
    just(type="thinking", thinking=THOUGHT),
    just(type="reasoning", text=THOUGHT),
    just(type="image_url", image_url={"url": "data:image/png;base64,aGVsbG8="}),
    an_object(type=st.just("tool_use"), id=CALLS, name=st.just("ls"), input=an_object(path=TEXTS)),
    an_object(type=st.just("tool_result"), tool_use_id=CALLS, content=TEXTS),
)
_CHAT_MESSAGES = st.lists(
    an_object(
        role=st.sampled_from(["user", "assistant", "system", "tool", "brand-new", None]),
        content=st.one_of(TEXTS, st.lists(_CHAT_PART, max_size=3)),
        timestamp=TIMES,
        id=_ID,
        reasoning_content=st.just(THOUGHT),
        tool_calls=st.one_of(
            st.none(), st.just([{"id": "call_1", "function": {"name": "f", "arguments": '{"a": 1}'}}])
        ),
        tool_call_id=CALLS,
    ),
    max_size=5,
)
_CHAT = st.one_of(_CHAT_MESSAGES, an_object(id=_SESSION, title=TEXTS, cwd=st.just("/src/one"), messages=_CHAT_MESSAGES))

DOCUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "chat-snapshot": _CHAT,
    "chatgpt-export": _chatgpt(),
    "claudeai-export": _CLAUDEAI,
    "gemini-cli": _GEMINI,
}
"""For every host whose sessions are documents, documents as its files hold them."""
