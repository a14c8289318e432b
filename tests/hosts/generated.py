"""Small sessions of every host, true to its format, and ways in which files get damaged."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

from tests.hosts import generated_lines as lines
from tests.hosts.generated_documents import DOCUMENTS, GEMINI_LINE
from tests.hosts.strategies import (
    CALLS,
    NUMBERS,
    PICTURE,
    TEXTS,
    THOUGHT,
    TIMES,
    UUIDS,
    an_object,
    just,
    with_an_odd_value,
)

# ---- Claude Code ---------------------------------------------------------------------------------------------------

_ITEMS = st.lists(
    st.one_of(
        an_object(type=st.just("text"), text=TEXTS),
        just(type="thinking", thinking=THOUGHT, signature=THOUGHT),
        just(type="redacted_thinking", data=THOUGHT),
        an_object(type=st.just("tool_use"), id=CALLS, name=st.just("Bash"), input=an_object(command=TEXTS)),
        an_object(
            type=st.just("tool_result"),
            tool_use_id=CALLS,
            content=st.one_of(TEXTS, st.lists(an_object(type=st.just("text"), text=TEXTS), max_size=2)),
            is_error=st.sampled_from([True, False, None]),
        ),
        st.just(PICTURE),
        just(type="unheard_of"),
    ),
    max_size=3,
)
_USAGE = an_object(
    input_tokens=NUMBERS,
    output_tokens=NUMBERS,
    cache_read_input_tokens=NUMBERS,
    cache_creation_input_tokens=NUMBERS,
)
_MESSAGE = an_object(
    id=st.sampled_from(["msg_1", "msg_2", None]),
    role=st.just("assistant"),
    model=st.sampled_from(["claude-opus-4-6", "<synthetic>"]),
    content=st.one_of(TEXTS, _ITEMS),
    stop_reason=st.sampled_from([None, "end_turn"]),
    usage=st.one_of(st.none(), _USAGE),
)
_HEAD = {
    "uuid": st.sampled_from([*UUIDS, *UUIDS, None]),
    "parentUuid": st.sampled_from([UUIDS[0], UUIDS[0], UUIDS[1], UUIDS[-1], None]),
    "sessionId": st.sampled_from(["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]),
    "timestamp": TIMES,
    "cwd": st.sampled_from(["/src/one", "/src/two", None]),
    "gitBranch": st.sampled_from(["main", "fix", None]),
}
_FLAGS = {
    "isSidechain": st.sampled_from([True, False, None]),
    "isMeta": st.sampled_from([True, None, None]),
    "isCompactSummary": st.sampled_from([True, None, None]),
    "permissionMode": st.sampled_from(["default", None]),
    "agentId": st.sampled_from(["a1", None]),
}
_CLAUDE_CODE = st.one_of(
    an_object(type=st.just("user"), message=an_object(content=st.one_of(TEXTS, _ITEMS)), **_HEAD, **_FLAGS),
    an_object(
        type=st.just("assistant"), message=_MESSAGE, requestId=st.sampled_from(["req_1", None]), **_HEAD, **_FLAGS
    ),
    an_object(
        type=st.just("system"),
        subtype=st.sampled_from(["turn_duration", "local_command", "unheard_of"]),
        content=TEXTS,
        **_HEAD,
    ),
    an_object(
        type=st.just("attachment"),
        attachment=st.one_of(
            an_object(type=st.just("queued_command"), prompt=TEXTS, commandMode=st.sampled_from(["prompt", None])),
            just(type="skill_listing", content="many words"),
        ),
        **_HEAD,
    ),
    an_object(
        type=st.just("progress"),
        data=an_object(
            type=st.sampled_from(["agent_progress", "hook_progress"]),
            agentId=st.sampled_from(["a1", "a2", None]),
            message=an_object(
                type=st.sampled_from(["user", "assistant"]),
                uuid=st.sampled_from(UUIDS),
                timestamp=TIMES,
                message=_MESSAGE,
            ),
        ),
        **_HEAD,
    ),
    an_object(
        type=st.just("queue-operation"),
        operation=st.sampled_from(["enqueue", "dequeue"]),
        content=TEXTS,
        timestamp=TIMES,
        sessionId=_HEAD["sessionId"],
    ),
    an_object(type=st.just("summary"), summary=TEXTS, leafUuid=st.sampled_from(UUIDS)),
    an_object(type=st.just("custom-title"), customTitle=TEXTS, sessionId=_HEAD["sessionId"]),
    an_object(type=st.just("ai-title"), aiTitle=TEXTS, sessionId=_HEAD["sessionId"]),
    just(type="file-history-snapshot", messageId="m", snapshot={}, isSnapshotUpdate=False),
    an_object(type=st.sampled_from(["brand-new-type", "x" * 300, "ключ", 7, None]), sessionId=_HEAD["sessionId"]),
    an_object(type=st.sampled_from(["user", "progress", "summary"]), message=st.just("no message"), cwd=st.just(5)),
)

# ---- Codex ---------------------------------------------------------------------------------------------------------


def _wrapped(type_: str, payload: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return an_object(timestamp=TIMES, type=st.just(type_), payload=payload)


_IDS = st.sampled_from([f"019a0000-0000-7000-8000-{number:012x}" for number in range(3)])
_TOTALS = an_object(input_tokens=NUMBERS, cached_input_tokens=st.just(0), output_tokens=NUMBERS)
_ITEM = st.one_of(
    an_object(
        type=st.just("message"),
        role=st.sampled_from(["user", "assistant", "developer"]),
        content=st.lists(
            an_object(type=st.sampled_from(["input_text", "output_text"]), text=TEXTS), min_size=1, max_size=2
        ),
    ),
    just(type="reasoning", summary=[{"type": "summary_text", "text": THOUGHT}], encrypted_content=THOUGHT),
    an_object(
        type=st.just("function_call"), name=st.just("shell"), call_id=CALLS, arguments=st.just('{"command":["ls"]}')
    ),
    an_object(type=st.just("function_call_output"), call_id=CALLS, output=TEXTS),
)
_CODEX = st.one_of(
    _wrapped("session_meta", an_object(id=_IDS, cwd=st.just("/src/one"), cli_version=st.just("0.50.0"))),
    _wrapped("turn_context", an_object(turn_id=_IDS, cwd=st.just("/src/one"), model=st.just("gpt-5"))),
    _wrapped("response_item", _ITEM),
    _wrapped(
        "event_msg",
        st.one_of(
            an_object(type=st.just("user_message"), message=TEXTS),
            an_object(type=st.just("agent_message"), message=TEXTS),
            just(type="agent_reasoning", text=THOUGHT),
            an_object(
                type=st.just("token_count"),
                info=an_object(total_token_usage=_TOTALS, last_token_usage=st.one_of(st.none(), _TOTALS)),
            ),
        ),
    ),
    _wrapped("compacted", an_object(message=TEXTS)),
    _wrapped("brand_new_type", just(text="x")),
    an_object(id=_IDS, timestamp=TIMES, instructions=st.none(), git=st.just({})),
    _ITEM,
)

RECORDS = {
    "claude-code": _CLAUDE_CODE,
    "codex": _CODEX,
    "copilot": lines.COPILOT,
    "gemini-cli": GEMINI_LINE,
    "pi": lines.PI,
}
"""For every host that writes lines, records as its files hold them."""

PATHS = {
    "chat-snapshot": ["chat.json", "copy.json"],
    "chatgpt-export": ["conversations.json", "conversations.json#33333333-3333-4333-8333-333333333333"],
    "claudeai-export": ["conversations.json", "conversations.json#33333333-3333-4333-8333-333333333333"],
    "gemini-cli": [
        "tmp/p/chats/session-2026-05-01T10-00-33333333.json",
        "tmp/p/chats/44444444-4444-4444-8444-444444444444/s2.jsonl",
    ],
    "copilot": ["33333333-3333-4333-8333-333333333333/events.jsonl", "copy.jsonl"],
    "pi": ["2026-05-01T10-00-00-000Z_33333333-3333-4333-8333-333333333333.jsonl", "copy.jsonl"],
    "claude-code": ["11111111-1111-4111-8111-111111111111.jsonl", "copy.jsonl", "s/subagents/agent-a9.jsonl"],
    "codex": ["rollout-2026-05-01T10-00-00-019a0000-0000-7000-8000-000000000000.jsonl", "copy.jsonl"],
}
"""For every host, names that its files have."""

_SEPARATORS = st.sampled_from([b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\n \t\n", b"", b"", b" "])
# Logs that tell thinking from speech by one word beside it, which damage may hit.
_FLAGGED = frozenset({"gemini-cli"})
_DAMAGE = st.sampled_from(
    [b"\xef\xbb\xbf", b"\x00\x00", b"\xff\xfe", b"[1]", b"{", b'{"type":"user"', b'"}', b"null\n", b"\n", b" "]
)


@st.composite
def sessions(draw: st.DrawFn, host: str, *, damaged: bool) -> bytes:
    """Draw the bytes of a source of a host; damaged ones are cut, torn, joined and sprinkled with bytes."""
    if host in DOCUMENTS and (host not in RECORDS or draw(st.booleans())):
        return draw(_documents(host, damaged=damaged))
    return draw(_logs(host, damaged=damaged))


@st.composite
def _documents(draw: st.DrawFn, host: str, *, damaged: bool) -> bytes:
    """Draw a document, laid out or not; damaged ones are cut, or have bytes put in or taken out somewhere."""
    found = draw(DOCUMENTS[host])
    if damaged and draw(st.booleans()):
        found = draw(with_an_odd_value(found))
    text = json.dumps(found, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))
    data = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n", b"["])) + text.encode("utf-8", "surrogatepass")
    data += draw(st.sampled_from([b"", b"\n", b",\n", b"\n]\n"]))
    if damaged:
        # Of documents several formats are as those in ``_FLAGGED``.
        data = data.replace(THOUGHT.encode(), b"a thought")
    if damaged and draw(st.booleans()):
        at, gone = draw(st.integers(0, len(data))), draw(st.sampled_from([0, 0, 1, 7]))
        data = data[:at] + draw(_DAMAGE) + data[at + gone :]
    if damaged and draw(st.integers(0, 3)) == 3:
        data = data[: draw(st.integers(0, len(data)))]
    return data


@st.composite
def _logs(draw: st.DrawFn, host: str, *, damaged: bool) -> bytes:
    parts = []
    for record in draw(st.lists(RECORDS[host], min_size=2, max_size=12)):
        written = draw(with_an_odd_value(record)) if damaged and draw(st.integers(0, 7)) == 7 else record
        line = json.dumps(written, ensure_ascii=draw(st.booleans()), separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
        if written is not record and host in _FLAGGED:
            line = line.replace(THOUGHT.encode(), b"a thought")
        if damaged and draw(st.integers(0, 11)) == 11:
            line = line[: draw(st.integers(0, len(line)))]
        parts.append(line)
        parts.append(draw(_SEPARATORS) if damaged else b"\n")
        if damaged and draw(st.integers(0, 11)) == 11:
            parts.append(draw(_DAMAGE))
    data = b"".join(parts)
    return data.rstrip(b"\n") if draw(st.booleans()) else data


@st.composite
def cuts(draw: st.DrawFn, source: bytes) -> list[int]:
    """Draw sizes at which a source may have been captured while it grew: anywhere, often around the ends of lines."""
    ends = [match.start() for match in re.finditer(rb"\n|(?<=\})[{ ]", source)] or [0]
    near = st.tuples(st.sampled_from(ends), st.integers(0, 1)).map(sum)
    size = st.one_of(st.integers(0, len(source)), near, near)
    return draw(st.lists(size, max_size=4))
