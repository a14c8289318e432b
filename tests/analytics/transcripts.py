"""A home of made-up transcripts that holds every trap of counting; how much each call used is chosen to tell them apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAIN = "11111111-1111-4111-8111-111111111111"
FORK = "22222222-2222-4222-8222-222222222222"
OPUS = "claude-opus-4-5-20251101"
CODEX_PARENT = "33333333-3333-7333-8333-333333333333"
CODEX_CHILD = "44444444-4444-7444-8444-444444444444"
CODEX_TOTALS = "55555555-5555-7555-8555-555555555555"


def write_home(folder: Path) -> Path:
    """Write the transcripts below ``folder`` and return it."""
    project = folder / ".claude" / "projects" / "-work-harbour"
    _lines(project / f"{MAIN}.jsonl", _main())
    _lines(project / MAIN / "subagents" / "agent-a1b2c3d.jsonl", _agent())
    _lines(project / f"{FORK}.jsonl", _fork())
    day = folder / ".codex" / "sessions" / "2026" / "05" / "02"
    _lines(day / f"rollout-2026-05-02T08-00-00-{CODEX_PARENT}.jsonl", _codex_parent())
    _lines(day / f"rollout-2026-05-02T09-00-00-{CODEX_CHILD}.jsonl", _codex_child())
    _lines(day / f"rollout-2026-05-02T10-00-00-{CODEX_TOTALS}.jsonl", _codex_totals())
    return folder


def _lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


# ---- Claude Code ----


def _said(uuid: str, role: str, session: str, stamp: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    common = {"cwd": "/src/harbour", "gitBranch": "main", "version": "2.0.1", "isSidechain": False}
    return {
        **common,
        "type": role,
        "uuid": f"{uuid:0>8}-0000-4000-8000-000000000000",
        "parentUuid": None,
        "sessionId": session,
        "timestamp": stamp,
        "message": {"role": role, **message},
        **more,
    }


def _asked(uuid: str, session: str, stamp: str, text: str, **more: Any) -> dict[str, Any]:
    return _said(uuid, "user", session, stamp, {"content": text}, **more)


def _answered(
    uuid: str,
    session: str,
    stamp: str,
    call: str | None,
    request: str | None,
    usage: dict[str, Any] | None,
    *,
    model: str = OPUS,
    stop: str | None = "end_turn",
    **more: Any,
) -> dict[str, Any]:
    message = {"model": model, "content": [{"type": "text", "text": f"answer {uuid}"}], "stop_reason": stop}
    message |= {"id": call} if call else {}
    message |= {"usage": usage} if usage is not None else {}
    record = _said(uuid, "assistant", session, stamp, message, **more)
    return record | ({"requestId": request} if request else {})


def _used(input_: int, output: int, read: int = 0, five: int = 0, hour: int = 0, searches: int = 0) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "input_tokens": input_,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": five + hour,
        "service_tier": "standard",
    }
    if five or hour:
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}
    if searches:
        usage["server_tool_use"] = {"web_search_requests": searches}
    return usage


def _main() -> list[dict[str, Any]]:
    at = "2026-05-01T{}.000Z".format
    return [
        _asked("1", MAIN, at("10:00:00"), "count everything"),
        # One call, streamed as three rows: only the last has a stop reason.
        _answered("2", MAIN, at("10:00:01"), "msg_stream", "req_1", _used(3, 1, read=1_000), stop=None),
        _answered("3", MAIN, at("10:00:02"), "msg_stream", "req_1", _used(3, 40, read=1_000), stop=None),
        _answered("4", MAIN, at("10:00:03"), "msg_stream", "req_1", _used(3, 100, read=1_000)),
        # The same message id under another request is another call.
        _answered("5", MAIN, at("10:01:00"), "msg_stream", "req_2", _used(5, 7)),
        # Without a request id the message id tells; its rows never stop.
        _answered("6", MAIN, at("10:02:00"), "msg_lost", None, _used(11, 2), stop=None),
        _answered("7", MAIN, at("10:02:01"), "msg_lost", None, _used(11, 20), stop=None),
        # Without both, the record's own id.
        _answered("8", MAIN, at("10:03:00"), None, None, _used(13, 30)),
        _answered("9", MAIN, at("10:03:01"), None, None, _used(13, 30)),
        # Cache writes of both lifetimes, and web searches.
        _answered("10", MAIN, at("10:04:00"), "msg_cache", "req_4", _used(17, 50, five=2_000, hour=3_000, searches=2)),
        # Nobody answered these.
        _answered("11", MAIN, at("10:05:00"), "msg_syn", None, _used(1_000_000, 1), model="<synthetic>"),
        _answered("12", MAIN, at("10:05:01"), "msg_err", "req_5", _used(1_000_000, 1), isApiErrorMessage=True),
        _answered("13", MAIN, at("10:05:02"), "msg_none", "req_6", None),
        # A model that no catalogue knows, and a request so long that a tier applies to all of it.
        _answered("14", MAIN, at("10:06:00"), "msg_new", "req_7", _used(19, 60), model="a-model-of-tomorrow"),
        _answered(
            "15",
            MAIN,
            at("10:07:00"),
            "msg_long",
            "req_8",
            _used(23, 70, read=300_000),
            model="claude-sonnet-4-5-20250929",
        ),
        # Ten minutes before midnight in London is the next day in Berlin.
        _answered("16", MAIN, at("22:50:00"), "msg_late", "req_9", _used(29, 80)),
    ]


def _agent() -> list[dict[str, Any]]:
    at = "2026-05-01T{}.000Z".format
    side = {"isSidechain": True, "agentId": "a1b2c3d"}
    return [
        _asked("a1", MAIN, at("10:00:10"), "a task for the agent", **side),
        # It repeats a call of the main session, and makes one of its own.
        _answered("a2", MAIN, at("10:00:03"), "msg_stream", "req_1", _used(3, 100, read=1_000), **side),
        _answered("a3", MAIN, at("10:00:20"), "msg_agent", "req_a", _used(31, 90), **side),
    ]


def _fork() -> list[dict[str, Any]]:
    at = "2026-05-01T{}.000Z".format
    # A resumed copy: the same records under another session id, then one call more.
    return [
        _asked("1", FORK, at("10:00:00"), "count everything"),
        _answered("4", FORK, at("10:00:03"), "msg_stream", "req_1", _used(3, 100, read=1_000)),
        _answered("10", FORK, at("10:04:00"), "msg_cache", "req_4", _used(17, 50, five=2_000, hour=3_000, searches=2)),
        _asked("f1", FORK, at("11:00:00"), "go on"),
        _answered("f2", FORK, at("11:00:01"), "msg_fork", "req_f", _used(37, 110)),
    ]


CLAUDE = {
    "calls": 11,
    "input_tokens": 3 + 5 + 11 + 13 + 13 + 17 + 19 + 23 + 29 + 31 + 37,
    "output_tokens": 100 + 7 + 20 + 30 + 30 + 50 + 60 + 70 + 80 + 90 + 110,
    "cache_read_tokens": 1_000 + 300_000,
    "cache_write_5m_tokens": 2_000,
    "cache_write_1h_tokens": 3_000,
    "reasoning_tokens": 0,
    "web_searches": 2,
}

# ---- Codex ----


def _event(kind: str, stamp: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-05-02T{stamp}.000Z", "type": kind, "payload": payload}


def _tokens(input_: int, cached: int, output: int, reasoning: int) -> dict[str, int]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens")
    return dict(zip(names, (input_, cached, output, reasoning, input_ + output), strict=True))


def _count(stamp: str, total: dict[str, int] | None, last: dict[str, int] | None) -> dict[str, Any]:
    told = {"total_token_usage": total, "last_token_usage": last}
    info = {name: value for name, value in told.items() if value is not None}
    return _event("event_msg", stamp, type="token_count", info=info)


def _meta(stamp: str, thread: str, **more: Any) -> dict[str, Any]:
    return _event(
        "session_meta", stamp, id=thread, cwd="/src/harbour", originator="codex_cli_rs", cli_version="0.50.0", **more
    )


def _turn(stamp: str, turn: str) -> dict[str, Any]:
    return _event("turn_context", stamp, turn_id=turn, cwd="/src/harbour", model="gpt-5.1-codex")


def _prompt(stamp: str, text: str) -> dict[str, Any]:
    return _event("response_item", stamp, type="message", role="user", content=[{"type": "input_text", "text": text}])


PARENT_TURN, CHILD_TURN = "0199aaaa-0000-7000-8000-000000000001", "0199aaaa-0000-7000-8000-000000000002"


def _codex_parent() -> list[dict[str, Any]]:
    return [
        _meta("08:00:00", CODEX_PARENT),
        _turn("08:00:01", PARENT_TURN),
        _prompt("08:00:02", "count me"),
        _event("event_msg", "08:00:03", type="token_count", info=None),
        _count("08:00:04", _tokens(100, 40, 10, 4), _tokens(100, 40, 10, 4)),
        _count("08:00:05", _tokens(100, 40, 10, 4), _tokens(100, 40, 10, 4)),  # said again: nothing new
        _count("08:00:06", _tokens(200, 80, 20, 8), _tokens(100, 40, 10, 4)),  # as much again: new
        _event(
            "response_item",
            "08:00:07",
            type="web_search_call",
            status="completed",
            action={"type": "search", "query": "q"},
        ),
        _count("08:00:08", _tokens(500, 300, 50, 20), _tokens(300, 220, 30, 12)),
    ]


def _codex_child() -> list[dict[str, Any]]:
    # A fork replays its parent's records, stamped anew, then goes on.
    replay = [{**record, "timestamp": "2026-05-02T09:00:00.000Z"} for record in _codex_parent()]
    head = _meta("09:00:00", CODEX_CHILD, forked_from_id=CODEX_PARENT)
    return [
        head,
        *replay,
        _turn("09:01:00", CHILD_TURN),
        _prompt("09:01:01", "go on"),
        _count("09:01:02", _tokens(900, 500, 90, 40), _tokens(400, 200, 40, 20)),
    ]


def _codex_totals() -> list[dict[str, Any]]:
    # Only totals: the differences are what was used; totals that fall have begun anew.
    return [
        _meta("10:00:00", CODEX_TOTALS),
        _turn("10:00:01", "0199bbbb-0000-7000-8000-000000000001"),
        _prompt("10:00:02", "totals only"),
        _count("10:00:03", _tokens(1_000, 0, 100, 0), None),
        _count("10:00:04", _tokens(1_500, 200, 150, 30), None),
        _count("10:00:05", _tokens(1_500, 200, 150, 30), None),
        _count("10:00:06", _tokens(70, 10, 7, 1), None),
    ]


CODEX = {
    "calls": 3 + 1 + 3,
    "input_tokens": (60 + 60 + 80) + 200 + (1_000 + 300 + 60),
    "output_tokens": (10 + 10 + 30) + 40 + (100 + 50 + 7),
    "cache_read_tokens": (40 + 40 + 220) + 200 + (0 + 200 + 10),
    "cache_write_5m_tokens": 0,
    "cache_write_1h_tokens": 0,
    "reasoning_tokens": (4 + 4 + 12) + 20 + (0 + 30 + 1),
    "web_searches": 1,
}
