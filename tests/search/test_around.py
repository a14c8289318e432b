"""What stands around a search: how it was read, passages like one, sessions that belong together, titles."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recall_lab.errors import UnknownBlockError, UsageError
from recall_lab.model import Redacted
from recall_lab.search import SearchConfig, explain, more_like, related, search
from recall_lab.text_entities import analyse

from .conftest import History, batch, block

NOW = datetime(2026, 6, 1, tzinfo=UTC)
NOTHING = tuple(f"nothing of it {n}" for n in range(40))


def test_a_query_is_explained(history: History) -> None:
    reader = history.say("s", "the parse_record bug", "a bug", *NOTHING).read()
    found = explain(reader, 'why is parse_record a "bug" -fly')
    assert found.dropped == ("why", "is", "a")
    assert found.excluded == ("fly",)
    assert found.blocks == 42
    parts = {(part.kind, part.label): part for part in found.parts}
    assert parts["identifier", "parse_record"].blocks == 1
    assert parts["phrase", "bug"].blocks == 2
    assert sum(part.share for part in found.parts) == pytest.approx(1, abs=0.01)


def test_the_parts_of_a_score_make_the_score(history: History) -> None:
    history.write(
        batch(
            "s", tuple(block(text, n, kind="tool_use", role="assistant") for n, text in enumerate(("lock a", "lock b")))
        )
    )
    for hit in search(history.read(), "lock", now=NOW).hits:
        part = hit.why.parts
        whole = (part["own"] + part["neighbors"] + part["session"]) * part["recency"] * part["kind"]
        assert hit.score == pytest.approx(whole, abs=1e-3)


def test_a_title_brings_its_session(history: History) -> None:
    history.say("s", "let us begin", "good", title=Redacted("Batching in the ingest queue"))
    history.say("t", *NOTHING)
    hit = search(history.read(), "ingest queue batching").hits[0]
    assert (hit.session, hit.spans) == ("s", ())
    assert set(hit.why.title) == {"ingest", "queue", "batching"}
    assert not search(history.read(), "ingest queue batching", config=SearchConfig(title=0)).hits


@pytest.mark.parametrize(("prefer", "first"), [((), "user"), (("tool",), "tool"), (("tool_result",), "tool")])
def test_roles_and_kinds_can_be_preferred(history: History, prefer: tuple[str, ...], first: str) -> None:
    history.write(batch("a", (block("the lock is held", 0, role="tool", kind="tool_result"),)))
    history.write(batch("b", (block("the lock was held", 0),)))
    assert search(history.read(), "lock", prefer=prefer).hits[0].role == first


def test_more_like_a_passage(history: History) -> None:
    history.say("a", "the zeppelin moored at the flux tower in fog", *NOTHING)
    history.say("b", "a zeppelin near the flux tower", "unrelated words")
    reader = history.read()
    start = search(reader, "moored").hits[0]
    answer = more_like(reader, start.block_id)
    assert [hit.text for hit in answer.hits] == ["a zeppelin near the flux tower"]
    with pytest.raises(UnknownBlockError):
        more_like(reader, "0" * 32)


def touching(number: int, file: str, **fields: object) -> object:
    text = f"Edit {file}"
    return block(text, number, role="assistant", kind="tool_use", entities=analyse(text).spans, **fields)


def test_related_sessions_share_files_branch_repository_and_descent(history: History) -> None:
    repo = {"repo": Redacted("example.org/a")}
    stamp = "2026-05-20T10:00:00.000Z"
    history.write(
        batch("me", (touching(0, "/home/u/a/src/queue/lock.py", timestamp=stamp),), branch=Redacted("fix"), **repo),
        batch("me/agent", (block("child", 0, timestamp=stamp),), parent_id="me", relation="subagent", **repo),
        batch("branch", (block("x", 0, timestamp=stamp),), branch=Redacted("fix"), **repo),
        batch("file", (touching(0, "/clone/src/queue/lock.py", timestamp=stamp),), repo=Redacted("example.org/b")),
        batch("repo", (block("y", 0, timestamp=stamp),), **repo),
        batch("old", (block("y", 0, timestamp="2025-01-01T10:00:00.000Z"),), **repo),
        batch("stranger", (block("z", 0, timestamp=stamp),)),
    )
    found = related(history.read(), session="me", now=NOW)
    assert [one.session for one in found] == ["me/agent", "branch", "file", "repo", "old"]
    assert found[0].family == "child"
    assert found[1].same_branch
    assert found[2].files == ("/home/u/a/src/queue/lock.py",)
    assert {one.session for one in related(history.read(), repo="example.org/b", now=NOW)} == {"file"}
    with pytest.raises(UsageError):
        related(history.read())
