"""Small records of the hosts that write lines, other than Claude Code and Codex."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.hosts.strategies import CALLS, NUMBERS, TEXTS, THOUGHT, TIMES, UUIDS, an_object, just

# ---- pi ------------------------------------------------------------------------------------------------------------

_ENTRY = {
    "id": st.sampled_from(["a1", "a2", "a3", "a4", None, None]),
    "parentId": st.sampled_from(["a1", "a2", "a9", None]),
    "timestamp": TIMES,
}
_IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
_PI_ITEMS = st.lists(
    st.one_of(
        an_object(type=st.just("text"), text=TEXTS),
        just(type="thinking", thinking=THOUGHT, thinkingSignature=THOUGHT),
        an_object(type=st.just("toolCall"), id=CALLS, name=st.just("bash"), arguments=an_object(command=TEXTS)),
        st.just(_IMAGE),
        just(type="unheard_of"),
    ),
    max_size=3,
)
_PI_USAGE = an_object(input=NUMBERS, output=NUMBERS, cacheRead=NUMBERS, cacheWrite=NUMBERS, cost=just(total=0.5))


def _pi_message(role: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    message = an_object(role=st.just(role), timestamp=st.sampled_from([1_777_000_000_000, None]), **fields)
    return an_object(type=st.just("message"), message=message, **_ENTRY)


PI = st.one_of(
    an_object(
        type=st.just("session"),
        version=st.sampled_from([None, 3]),
        id=st.sampled_from(["33333333-3333-4333-8333-333333333333", "s2"]),
        timestamp=TIMES,
        cwd=st.sampled_from(["/src/one", None]),
        parentSession=st.sampled_from(["/x/t_44444444-4444-4444-8444-444444444444.jsonl", None]),
    ),
    _pi_message("user", content=st.one_of(TEXTS, _PI_ITEMS)),
    _pi_message(
        "assistant", content=_PI_ITEMS, model=st.just("m"), usage=_PI_USAGE, stopReason=st.sampled_from(["stop", None])
    ),
    _pi_message("toolResult", toolCallId=CALLS, toolName=st.just("bash"), content=_PI_ITEMS, isError=st.booleans()),
    _pi_message("bashExecution", command=TEXTS, output=TEXTS),
    _pi_message("hookMessage", content=TEXTS),
    _pi_message("brand-new"),
    an_object(type=st.just("custom_message"), content=TEXTS, **_ENTRY),
    an_object(type=st.sampled_from(["compaction", "branch_summary"]), summary=TEXTS, **_ENTRY),
    an_object(type=st.just("session_info"), name=TEXTS, **_ENTRY),
    an_object(type=st.sampled_from(["model_change", "ephemeral", "brand-new", "x" * 300, 7]), **_ENTRY),
    an_object(type=st.just("message"), message=st.just("no message")),
)

# ---- Copilot CLI ---------------------------------------------------------------------------------------------------


def _event(type_: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return an_object(
        type=st.just(type_),
        data=an_object(**fields),
        id=st.sampled_from([*UUIDS, None]),
        timestamp=TIMES,
        parentId=st.none(),
    )


_MODELS = st.sampled_from(["m1", "m2"])
_TOTALS = an_object(inputTokens=NUMBERS, outputTokens=NUMBERS, cacheReadTokens=NUMBERS, reasoningTokens=NUMBERS)
COPILOT = st.one_of(
    _event(
        "session.start",
        sessionId=st.sampled_from(["33333333-3333-4333-8333-333333333333", "s2"]),
        context=an_object(cwd=st.just("/src/one"), branch=st.just("main"), repository=st.just("o/r")),
        selectedModel=_MODELS,
    ),
    _event("session.title_changed", title=TEXTS),
    _event("user.message", content=TEXTS, source=st.sampled_from([None, "skill"]), transformedContent=TEXTS),
    _event("user.message", attachments=st.just([{"type": "blob", "data": "aGVsbG8=", "mimeType": "image/png"}])),
    _event(
        "assistant.message",
        content=TEXTS,
        messageId=st.sampled_from(UUIDS),
        model=_MODELS,
        outputTokens=NUMBERS,
        reasoningText=st.just(THOUGHT),
        reasoningOpaque=st.just(THOUGHT),
        toolRequests=st.lists(
            an_object(toolCallId=CALLS, name=st.just("bash"), arguments=an_object(command=TEXTS)), max_size=2
        ),
    ),
    _event("assistant.reasoning", content=st.just(THOUGHT)),
    _event("tool.execution_start", toolCallId=CALLS, toolName=st.just("bash"), arguments=an_object(command=TEXTS)),
    _event(
        "tool.execution_complete",
        toolCallId=CALLS,
        success=st.booleans(),
        result=an_object(content=TEXTS),
        error=st.one_of(st.none(), an_object(message=TEXTS)),
    ),
    _event("session.shutdown", modelMetrics=an_object(m1=an_object(usage=_TOTALS), m2=an_object(usage=_TOTALS))),
    _event("system.message", content=TEXTS),
    _event("system.notification", content=TEXTS),
    _event("hook.start", input=just(prompt="x")),
    _event("brand.new"),
    an_object(type=st.sampled_from(["user.message", "x" * 300, 7, None]), data=st.just("no data")),
)
