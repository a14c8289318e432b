"""What an answer says besides its hits: scope, filters, what was looked through, why, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from recall_lab.errors import UsageError
from recall_lab.model import Filters, Redacted, ToolCall
from recall_lab.search import SearchConfig, group_sessions, search
from recall_lab.store import Reader

from .conftest import History, batch, block

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def reader(history: History) -> Reader:
    history.write(
        batch(
            "one",
            (
                block(
                    "the ranking bug in the parser", 0, timestamp="2026-05-01T10:00:00.000Z", branch=Redacted("main")
                ),
                block("Bash: run ranking tests", 1, role="assistant", kind="tool_use", tool=Redacted("Bash")),
                block("ranking tests failed with exit 1", 2, role="tool", kind="tool_result", tool=Redacted("Bash")),
                block("ranking reminder of the host", 3, role="host"),
            ),
            (
                ToolCall(
                    call_id="c", turn=1, failed=True, result_block=block("ranking tests failed with exit 1", 2).block_id
                ),
            ),
            repo=Redacted("example.org/a"),
            cwd=Redacted("/home/u/a"),
            title=Redacted("Ranking"),
        ),
        batch(
            "two",
            (block("ranking of pages", 0, timestamp="2026-05-20T10:00:00.000Z", model="m-1"),),
            host="codex",
            repo=Redacted("example.org/b"),
            cwd=Redacted("/home/u/b/sub"),
        ),
    )
    return history.read()


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        (Filters(), 4),
        (Filters(roles=("host",)), 1),
        (Filters(roles=("user",)), 2),
        (Filters(kinds=("tool_result",)), 1),
        (Filters(hosts=("codex",)), 1),
        (Filters(repos=("example.org/a",)), 3),
        (Filters(project="ORG/B"), 1),
        (Filters(sessions=("on",)), 3),
        (Filters(since="2026-05-10T00:00:00Z"), 1),
        (Filters(until="2026-05-10T00:00:00Z"), 1),
        (Filters(since="2026-05-01T10:00:00.000Z", until="2026-05-01T10:00:00.001Z"), 1),
        (Filters(tools=("bash",)), 2),
        (Filters(branches=("main",)), 1),
        (Filters(cwd="/home/u/b"), 1),
        (Filters(cwd="/home/u"), 4),
        (Filters(models=("m-1",)), 1),
        (Filters(has_error=True), 1),
        (Filters(hosts=("codex",), kinds=("tool_use",)), 0),
    ],
)
def test_filters(reader: Reader, filters: Filters, count: int) -> None:
    assert len(search(reader, "ranking", filters=filters, now=NOW).hits) == count


def test_a_scope_names_itself_and_counts_what_lies_outside(reader: Reader) -> None:
    answer = search(reader, "ranking", scope="repo", repo="example.org/b")
    assert answer.scope == "repo example.org/b"
    assert (answer.searched.blocks, answer.searched.sessions) == (1, 1)
    assert answer.outside_scope == 3
    answer = search(reader, "parser", scope="session", session="two")
    assert not answer.hits
    assert answer.outside_scope == 1
    assert answer.notice
    assert "scope all" in answer.notice


def test_an_empty_answer_says_what_was_searched_and_what_next(reader: Reader) -> None:
    answer = search(reader, "zeppelin")
    assert answer.notice
    for part in ("4 blocks", "2 sessions", "zeppelin", "try"):
        assert part in answer.notice


@pytest.mark.parametrize(
    ("query", "filters", "said"),
    [
        ("zeplin", Filters(), ("not in the index: zeplin", "similar words: zeppelin*")),
        ("zepelin stone", Filters(), ("similar words: zeppelin*",)),
        ("zeppelin", Filters(tools=("Bahs",)), ("no tool is named 'Bahs'", "nearest: Bash")),
        ("zeppelin", Filters(hosts=("claude",)), ("no host is named 'claude'", "claude-code")),
        ("zeppelin", Filters(branches=("qqq",)), ("no branch is named 'qqq'", "try another name")),
        ("zeppelin", Filters(tools=("Read",)), ("nothing found", "fewer filters")),
        ("zeppelin", Filters(project="hern"), ("no project is named 'hern'", "nearest: heron")),
        ("role:user zeppelin", Filters(), ("role:user was looked for as words", "--role user")),
        ("after:may zeppelin", Filters(), ("--since may",)),
    ],
)
def test_what_was_mistyped_is_said_with_what_may_be_meant(
    history: History, query: str, filters: Filters, said: tuple[str, ...]
) -> None:
    texts = ("a zeppelin over the town", "ls", "main.go")
    blocks = tuple(
        block(text, n, tool=tool) for n, (text, tool) in enumerate(zip(texts, (None, "Bash", "Read"), strict=True))
    )
    told = search(history.write(batch("s", blocks, repo="github.com/x/heron")).read(), query, filters=filters).notice
    assert told
    assert [part for part in said if part not in told] == []


def test_hits_that_speak_for_themselves_come_without_a_notice(told: Callable[..., Reader]) -> None:
    reader = told("a zeppelin over the town", "note: scope:\nrole: user")
    for query in ("zeppelin", "zeppelin town: over", "note: scope:", "scope:\nrole:user"):
        assert search(reader, query).notice is None


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"limit": 1001}, {"offset": -1}, {"scope": "repo"}, {"scope": "session"}]
)
def test_what_cannot_be_used_says_so(reader: Reader, wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        search(reader, "ranking", **wrong)


def test_an_unknown_or_ambiguous_session_says_so(history: History) -> None:
    history.say("ab1", "x y").say("ab2", "x z").say("ab1/agent", "x w")
    reader = history.read()
    with pytest.raises(UsageError, match="no session"):
        search(reader, "x", scope="session", session="q")
    with pytest.raises(UsageError, match="several"):
        search(reader, "x", scope="session", session="ab")
    assert len(search(reader, "x", scope="session", session="ab1").hits) == 2


def test_pages_follow_one_another(told: Callable[..., Reader]) -> None:
    reader = told(*(f"apple number {n} and {'x ' * n}" for n in range(25)))
    whole = [hit.block_id for hit in search(reader, "apple", limit=25).hits]
    pages = [hit.block_id for at in (0, 10, 20) for hit in search(reader, "apple", limit=10, offset=at).hits]
    assert len(set(whole)) == 25
    assert pages == whole


def test_a_block_copied_into_a_fork_is_found_once_at_its_root(history: History) -> None:
    shared = block("the copied decision", 0, timestamp="2026-05-01T10:00:00.000Z")
    history.write(
        batch("fork", (shared, block("later", 1)), parent_id="root", relation="fork"), batch("root", (shared,))
    )
    reader = history.read()
    assert [hit.session for hit in search(reader, "copied decision").hits] == ["root"]
    assert [hit.session for hit in search(reader, "copied", filters=Filters(sessions=("fork",))).hits] == ["fork"]


def test_a_text_that_stands_nowhere_is_not_found(history: History) -> None:
    reader = history.say("s", "the old wording", "stays").read()
    assert search(reader, "wording").hits
    history.say("s", "the new phrasing", "stays")
    assert not search(reader, "old wording").hits
    assert search(reader, "phrasing").hits


def test_a_reader_follows_what_is_written_while_it_is_open(history: History) -> None:
    reader = history.say("s", "first thing").read()
    search(reader, "thing")
    history.say("t", "second thing")
    assert len(search(reader, "thing").hits) == 2


def test_why(told: Callable[..., Reader]) -> None:
    reader = told("we rejected batching in parse_record because of order", "batching", "unrelated words")
    first, second = search(reader, "why was batching rejected in parse_record", now=NOW).hits
    assert (first.why.tier, second.why.tier) == ("exact", "some")
    assert first.why.identifiers == ("parse_record",)
    assert set(first.why.terms) >= {"batching", "rejected"}
    assert first.why.coverage == 1.0
    assert 0 < second.why.coverage < 1
    assert first.receipt == f"recall-lab://{first.block_id}@{first.content_hash[:12]}#{first.start}-{first.end}"


def test_neighbours_are_not_said_to_hold_an_identifier_that_is_not_theirs(history: History) -> None:
    reader = history.say("s", "call TruncateRunes here", "then TruncateRunes again", "and a stone").read()
    for hit in search(reader, "TruncateRune").hits:
        assert (hit.why.tier, hit.why.identifiers, hit.why.neighbors) == ("some", (), ())
        assert hit.why.coverage < 0.5


def test_a_pasted_text_with_quotation_marks_is_tried_as_one_phrase_too(told: Callable[..., Reader]) -> None:
    said = 'panic: "queue" is not defined\n-    in the "parser" here'
    reader = told(
        f"it said\n{said}\nand ended", "the parser queue panic is not defined here: in", '"queue" "parser" "queue"'
    )
    for pasted in (said, said.partition("\n")[0], said + " " * 4000 + "and ended"):
        first = search(reader, pasted).hits[0]
        assert first.text.startswith("it said")
        assert first.why.tier == "exact"
    assert " ".join(said.split()) in search(reader, said).hits[0].why.phrases


def test_all_that_was_typed_comes_before_identifiers_in_it(told: Callable[..., Reader]) -> None:
    names = " ".join(f"read_{sign}ile" for sign in "abcdefgh")
    pasted = f"{names}: no room"
    long = f"{'and of what else there was ' * 800} it says {pasted}"
    reader = told(long, f"{names} and {names}, {names}", *(f"sail {n}" for n in range(60)))
    assert pasted in search(reader, pasted).hits[0].text


def test_exact_evidence_comes_before_all_terms_before_some(told: Callable[..., Reader]) -> None:
    reader = told(
        "alpha " * 8 + "gamma " * 8,
        "beta gamma alpha with many other words around it " + "filler " * 60,
        "alpha beta gamma " + "filler " * 80,
        *(f"nothing of it {n}" for n in range(40)),
    )
    hits = search(reader, '"alpha beta" gamma').hits
    assert [hit.why.tier for hit in hits] == ["exact", "some", "some"]
    hits = search(reader, "gamma beta alpha").hits
    assert [hit.why.tier for hit in hits] == ["all", "all", "some"]
    hits = search(reader, "gamma beta alpha", config=SearchConfig(tiers=False)).hits
    assert hits[0].why.tier == "some"


@pytest.mark.parametrize(
    ("query", "exact", "other"),
    [
        ('"retry failed"', "the retry failed", "retries failing"),
        ("foo/bar.py", "in foo/bar.py here", "foo bar py"),
        ("get_user_name", "call get_user_name now", "call getUserName now"),
        ("#447", "fixes #447", "fixes 447 of them"),
        ("3f9c2ab1", "commit 3f9c2ab1d0e4", "commit 4f9c2ab1d0e4"),
    ],
)
def test_exact_means_as_typed(told: Callable[..., Reader], query: str, exact: str, other: str) -> None:
    reader = told(other, exact, *(f"nothing of it {n}" for n in range(40)))
    first, *more = search(reader, query).hits
    assert (first.text, first.why.tier) == (exact, "exact")
    assert all(hit.why.tier == "some" for hit in more)


def test_an_identifier_that_stands_nowhere_is_not_answered_by_its_words(told: Callable[..., Reader]) -> None:
    reader = told(
        *(f"marker TRACE-0{n}-B7Q closed the task" for n in range(1, 9)), *(f"nothing {n}" for n in range(40))
    )
    assert [hit.text for hit in search(reader, "TRACE-03-B7Q").hits] == ["marker TRACE-03-B7Q closed the task"]
    answer = search(reader, "TRACE-99-B7Q")
    assert not answer.hits
    assert answer.notice
    assert "TRACE-99-B7Q" in answer.notice


def test_what_holds_only_common_words_is_gated(told: Callable[..., Reader]) -> None:
    reader = told(*(f"the file was changed number {n}" for n in range(60)), "kubernetes operator")
    answer = search(reader, "obsidian orchard premise quartz file")
    assert not answer.hits
    assert answer.gated == 60
    assert answer.notice
    assert "common words" in answer.notice


def test_weak_evidence_is_called_so(told: Callable[..., Reader]) -> None:
    reader = told(*(f"text number {n} about sails" for n in range(60)), "the zeppelin landed")
    answer = search(reader, "zeppelin obsidian orchard premise")
    assert [hit.text for hit in answer.hits] == ["the zeppelin landed"]
    assert answer.notice
    assert "weak evidence" in answer.notice


def test_the_answer_beside_the_question_is_found(history: History) -> None:
    history.say("s", "which database did we pick for the queue", "postgres, because it was there", "fine", "bye")
    history.say("t", *(f"something else {n}" for n in range(40)))
    hits = search(history.read(), "which database was picked for the queue").hits
    assert [hit.text for hit in hits[:2]] == [
        "which database did we pick for the queue",
        "postgres, because it was there",
    ]
    assert hits[1].why.neighbors
    assert not hits[1].spans


def test_an_identifier_is_found_only_where_it_stands(history: History) -> None:
    history.say("s", "see job_4711 now", "fine", "bye")
    assert [hit.text for hit in search(history.read(), "job_4711").hits] == ["see job_4711 now"]


@pytest.mark.parametrize(("half_life", "first"), [(30.0, "new"), (0.0, "old")])
def test_recency_blends_in_and_can_be_turned_off(history: History, half_life: float, first: str) -> None:
    history.write(
        batch("old", (block("zebra crossing zebra", 0, timestamp="2025-06-01T00:00:00.000Z"),)),
        batch("new", (block("zebra crossing there", 0, timestamp="2026-05-31T00:00:00.000Z"),)),
    )
    hits = search(history.read(), "zebra", config=SearchConfig(half_life_days=half_life), now=NOW).hits
    assert hits[0].session == first
    assert all(0.5 <= hit.why.recency <= 1 for hit in hits)


def test_sessions_are_ranked_by_all_that_they_hold(history: History) -> None:
    history.say("deep", "queue retries", "retries of the queue", "queue")
    history.say("thin", "queue")
    history.say("other", *(f"nothing of it {n}" for n in range(40)))
    groups = group_sessions(search(history.read(), "queue retries").hits)
    assert [group.session for group in groups] == ["deep", "thin"]
    assert [len(group.hits) for group in groups] == [3, 1]


def test_a_store_without_blocks_answers_with_a_notice(history: History) -> None:
    history.write()
    answer = search(history.read(), "anything at all")
    assert not answer.hits
    assert answer.notice
    assert "0 blocks" in answer.notice


def test_beyond_the_last_hit_there_is_nothing(told: Callable[..., Reader]) -> None:
    reader = told("one apple", "two apples")
    assert not search(reader, "apple", offset=50).hits
    assert len(search(reader, "apple", limit=1000).hits) == 2


def test_searching_changes_no_byte_of_the_store(history: History) -> None:
    reader = history.say("s", "some words", "more words").read()
    before = history.path.read_bytes()
    search(reader, "words")
    search(reader, '"more words" -some wor*')
    assert history.path.read_bytes() == before
    assert reader.connection.pragma("query_only") == 1
