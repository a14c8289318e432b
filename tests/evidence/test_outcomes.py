"""Taking a session up again, asking the same again, drafting a skill: shown, never run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evidence import (
    cite,
    compose,
    continuation_markdown,
    continue_session,
    csl_items,
    observe,
    repeat_markdown,
    repeat_session,
    session_markdown,
    session_view,
    skillify,
    verify,
)
from recall_lab.evidence.commands import command_of, endpoints_of, generalise, program_of
from recall_lab.evidence.folders import branch_exists
from recall_lab.model import Redacted, ToolCall

TOKEN = "[REDACTED:github-token]"
COMMANDS = (
    ("git clone https://github.com/acme/site.git && cd site", False),
    (
        f"curl -H 'Authorization: Bearer {TOKEN}' 'https://api.example.com/v1/items/48213?user=u77&since=2026-05-01'",
        False,
    ),
    ("npm test -- --run 2026-05-01", True),
    ("ls -la", False),
    ("npm test -- --run all", False),
    ("make deploy ENV=staging ID=3f2504e0-4f89-11d3-9a0c-0305e82c3301", True),
)


def work(tiny: TinyStore, **facts: object) -> None:
    blocks = [said("p1", "Deploy the site for client ACME-42 please.\nMore words.", 0, role="user")]
    calls = []
    for number, (command, failed) in enumerate(COMMANDS, 1):
        request, result = f"c{number}", f"r{number}"
        blocks.append(
            said(
                request, f"Bash\ncommand: {command}\ndescription: x", 2 * number, kind="tool_use", tool=Redacted("Bash")
            )
        )
        blocks.append(said(result, f"output {number}", 2 * number + 1, role="tool", kind="tool_result"))
        calls.append(
            ToolCall(
                call_id=request,
                turn=1,
                tool=Redacted("Bash"),
                request_block=block_id(request),
                result_block=block_id(result),
                started=f"2026-05-01T10:{2 * number:02d}:00.000Z",
                failed=failed,
                error=Redacted("Exit code 1: no such id 3f2504e0-4f89-11d3-9a0c-0305e82c3301") if failed else None,
            )
        )
    blocks += [said("p2", "thanks", 20, role="user", turn=2), said("a", "It is live except for one thing.", 21, turn=2)]
    tiny.tell(*blocks, tool_calls=tuple(calls), **facts)


# ---- continue and repeat --------------------------------------------------------------------------------------------


def test_continue_shows_the_end_and_what_is_still_open(tiny: TinyStore) -> None:
    work(tiny, cwd="/nowhere/at/all", branch="main")
    shown = continue_session(tiny.reader(), "1111")
    assert [block.text for block in shown.prompts] == [
        "Deploy the site for client ACME-42 please.\nMore words.",
        "thanks",
    ]
    assert shown.words is not None
    assert shown.words.text.startswith("It is live")
    assert len(shown.actions) == len(COMMANDS)
    assert [action.request_block for action in shown.errors] == [block_id("c6")], "npm test went well later"
    assert shown.folder is not None
    assert not shown.folder.exists
    assert shown.branch_exists is None
    assert shown.resume == "claude --resume 11111111-aaaa"


def test_continue_tells_each_call_by_its_command_and_what_it_gave(tiny: TinyStore) -> None:
    work(tiny)
    written = continuation_markdown(continue_session(tiny.reader(), "1111"))
    assert "- `ls -la` went well: `output 4`" in written
    assert "- `npm test -- --run 2026-05-01` failed: `Exit code 1: no such id" in written


def test_a_resume_command_is_only_made_of_a_harmless_id(tiny: TinyStore) -> None:
    tiny.tell(said("a", "a", 0), session="x; rm -rf ~")
    assert continue_session(tiny.reader(), "x;").resume is None


def test_repeat_shows_the_prompts_verbatim(tiny: TinyStore) -> None:
    work(tiny)
    shown = repeat_session(tiny.reader(), "1111")
    assert [c.quote for c in shown.prompts] == ["Deploy the site for client ACME-42 please.\nMore words.", "thanks"]
    assert shown.turns == (1, 2)


def test_outcomes_and_sessions_as_markdown_verify(tiny: TinyStore, tmp_path: Path) -> None:
    work(tiny, title=Redacted("# `hostile` <b>"))
    tiny.tell(said("x", "``` \x07 </pre>\r\n", 0), session="other")
    reader = tiny.reader()
    path = tmp_path / "out.md"
    for text in (
        continuation_markdown(continue_session(reader, "1111")),
        repeat_markdown(repeat_session(reader, "1111")),
        session_markdown(session_view(reader, "1111")),
        session_markdown(session_view(reader, "other")),
    ):
        path.write_bytes(text.encode())
        found = verify(reader, path)
        assert found.failed == ()
        assert found.checked >= 1
        assert "<b>" not in text.replace("\\<b\\>", "")


# ---- skill drafts ---------------------------------------------------------------------------------------------------


def test_a_skill_keeps_commands_endpoints_and_ways_in_and_takes_values_out(tiny: TinyStore) -> None:
    work(tiny)
    draft = skillify(tiny.reader(), "1111")
    assert draft.text.startswith("---\nname: deploy-the-site-for-client")
    assert "git clone https://github.com/acme/site.git" in draft.text
    assert "npm test -- --run all" in draft.text
    assert "`https://api.example.com/v1/items/<number>?user=<value>&since=<value>`" in draft.text
    assert "`Authorization: Bearer`" in draft.text
    steps = draft.text.partition("## Steps")[2].partition("## ")[0]
    assert "ls -la" not in steps
    assert "make deploy" not in steps, "it failed"
    assert "make deploy" in draft.text.partition("## What failed")[2]
    for value in ("48213", "u77", "2026-05-01", "3f2504e0", "ACME-42", "REDACTED"):
        assert value not in draft.text
    assert len(draft.receipts) >= 3


def test_a_skill_is_drawn_from_a_window(tiny: TinyStore) -> None:
    work(tiny)
    assert "## Steps" not in skillify(tiny.reader(), "1111", first_turn=2).text
    with pytest.raises(NotFoundError, match="window"):
        skillify(tiny.reader(), "1111", first_turn=9)
    with pytest.raises(UsageError, match="backwards"):
        skillify(tiny.reader(), "1111", first_turn=2, last_turn=1)


@pytest.mark.parametrize(
    ("request_text", "command", "program"),
    [
        ("Bash\ncommand: git push -u origin x\ndescription: d", "git push -u origin x", "git push"),
        ("exec_command\ncmd: cd /x && FOO=1 npm run build", "cd /x && FOO=1 npm run build", "npm run"),
        ("shell\ncommand: bash -lc 'ls -R'\ntimeout_ms: 5", "ls -R", "ls -R"),
        ("Bash\ncommand:\npython - <<EOF\nprint(1)\nEOF", "python - <<EOF\nprint(1)\nEOF", "python -"),
        ("Read\nfile_path: /x", None, None),
    ],
)
def test_commands_are_read_out_of_requests(request_text: str, command: str | None, program: str | None) -> None:
    assert command_of(request_text) == command
    if command and program:
        assert program_of(command) == program


@pytest.mark.parametrize(
    ("text", "general"),
    [
        ("git checkout 3f2a9bc1", "git checkout <id>"),
        ("gh pr view 1234 --repo acme/site", "gh pr view <number> --repo acme/site"),
        ("ssh -i ~/.ssh/key deploy@203.0.113.9", "ssh -i ~/.ssh/key deploy@<address>"),
        ("curl localhost:3000/health", "curl localhost:3000/health"),
        ("curl https://me:pw@host.example/x", "curl https://host.example/x"),
        ("echo 'a@b.example' on jan 5, 2026 at 10:11:12", "echo '<email>' on <date> at <time>"),
        ("cat /Users/jo/src/x.py", "cat ~/src/x.py"),
        ('git commit -m "fix the thing for good"', 'git commit -m "<message>"'),
        ("GITHUB_TOKEN=abcdef123 gh api x", "GITHUB_TOKEN=<secret> gh api x"),
        ("export TOKEN=$GITHUB_TOKEN", "export TOKEN=$GITHUB_TOKEN"),
        ("make release VERSION=1.2.3 JIRA-77", "make release VERSION=1.2.3 <ticket>"),
        ("pip install x==2.31.0 && head -n 20 y", "pip install x==2.31.0 && head -n 20 y"),
        (f"don't {'word ' * 20} we don't", f"don't {'word ' * 20} we don't"),
        (
            f'bd create --title "Short" {"-x y " * 20} --note "Other"',
            f'bd create --title "Short" {"-x y " * 20} --note "Other"',
        ),
        (f"""jq "{"a" * 60}'b'{"c. " * 20}" f | rg 'x'""", """jq "<text>" f | rg 'x'"""),
        (f"""echo "a \\" {"b, " * 30} \\" c" 'd'""", """echo "<text>" 'd'"""),
    ],
)
def test_what_belongs_to_one_occasion_is_taken_out(text: str, general: str) -> None:
    assert generalise(text) == general


def test_the_folder_becomes_the_project() -> None:
    assert generalise("cd /Users/jo/site && make", "/Users/jo/site") == "cd <project> && make"


@pytest.mark.parametrize("hostile", ["\\'" * 100_000, "'" * 99_999, "\"'" * 50_000, "a'" * 100_000, " '" * 99_999])
def test_a_long_line_of_quotes_is_read_in_one_pass(hostile: str) -> None:
    assert len(generalise(hostile)) <= len(hostile)  # read again at each quote, it would take hours


VALUES = st.sampled_from(
    [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "2026-05-01T10:00:00Z",
        "deadbeef12",
        "jo@x.example",
        "198.51.100.7",
        "98765",
    ]
)


@given(st.lists(st.one_of(VALUES, st.text("abc /-_'\"=?&:#.", max_size=8)), max_size=8).map(" ".join))
def test_no_value_survives_and_twice_is_once(text: str) -> None:
    once = generalise(text)
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}|2026-05|deadbeef|jo@|198\.51|(?<!:)\b98765", once)
    assert generalise(once) == once


def test_endpoints_are_addresses_without_values() -> None:
    text = "see https://a.example/x/12?k=v, (https://u:p@b.example/y). https://a.example/x/13?k=w"
    assert endpoints_of(text) == ("https://a.example/x/<number>?k=<value>", "https://b.example/y")


# ---- folders --------------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    quiet = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    for arguments in (
        ["init", "-q", "-b", "main", str(folder)],
        ["-C", str(folder), *who, "commit", "-q", "--allow-empty", "-m", "x"],
        ["-C", str(folder), "branch", "topic/one"],
        ["-C", str(folder), "branch", "packed"],
        ["-C", str(folder), "pack-refs", "--all"],
        ["-C", str(folder), "branch", "loose"],
        ["-C", str(folder), "worktree", "add", "-q", str(tmp_path / "tree"), "topic/one"],
    ):
        try:
            subprocess.run(["git", *arguments], check=True, env=quiet, capture_output=True)
        except FileNotFoundError:
            pytest.skip("git is not installed")
    return folder


def test_a_folder_s_branch_and_commit_are_read_from_git_s_files(repository: Path, tmp_path: Path) -> None:
    seen = observe(repository)
    assert (seen.exists, seen.branch, seen.worktree) == (True, "main", False)
    assert re.fullmatch(r"[0-9a-f]{40}", seen.commit or "")
    tree = observe(tmp_path / "tree")
    assert (tree.branch, tree.worktree, tree.commit) == ("topic/one", True, seen.commit)
    assert observe(tmp_path).branch is None
    assert not observe(tmp_path / "nowhere").exists
    assert not observe("relative").exists


def test_a_branch_is_there_or_not_or_cannot_be_told(repository: Path, tmp_path: Path) -> None:
    for branch in ("main", "packed", "loose", "topic/one"):
        assert branch_exists(repository, branch) is True
        assert branch_exists(tmp_path / "tree", branch) is True
    assert branch_exists(repository, "deleted") is False
    assert branch_exists(tmp_path / "nowhere", "main") is None
    for hostile in ("../../HEAD", "/etc/passwd", "a b", "x.lock", "", "-x", "a\x00b"):
        assert branch_exists(repository, hostile) is None


def test_a_brief_says_what_the_repository_is_now_when_asked(tiny: TinyStore, repository: Path) -> None:
    tiny.tell(said("a", "words", 0))
    reader = tiny.reader()
    brief = compose(reader, "?", [cite(reader, block_id("a"))], repository=observe(repository))
    assert brief.repository is not None
    assert brief.repository.branch == "main"


# ---- reference managers ---------------------------------------------------------------------------------------------


# Of the CSL-JSON schema (citation-style-language/schema, csl-data.json, 1.0.2): some of its types, and the texts among its
# properties that a session has words for. It allows no property that it does not name.
CSL_TYPES = {"document", "manuscript", "interview", "software", "dataset", "webpage", "post", "report"}
CSL_TEXTS = {"title", "genre", "archive", "archive_location", "container-title", "medium", "note", "source", "URL"}


def breaks_csl(item: dict[str, Any]) -> list[str]:
    wrong = list(set(item) - CSL_TEXTS - {"id", "type", "author", "issued"})
    wrong += [name for name in {"id", *(CSL_TEXTS & set(item))} if not isinstance(item.get(name), str)]
    wrong += ["type"] if item.get("type") not in CSL_TYPES else []
    wrong += ["author" for name in item.get("author", []) if set(name) != {"literal"}]
    dates = item.get("issued", {"date-parts": [[2026]]})["date-parts"]
    whole = all(isinstance(part, int) for date in dates for part in date)
    return wrong + ([] if whole and len(dates) in {1, 2} and all(1 <= len(date) <= 3 for date in dates) else ["issued"])


def test_a_session_is_one_item_of_a_bibliography(tiny: TinyStore) -> None:
    tiny.tell(said("a", "one two", 0), title=Redacted("A title"), repo=Redacted("host/repo"))
    tiny.tell(said("b", "three", 0, timestamp=None), session="22222222", host="codex")
    reader = tiny.reader()
    chosen = [
        cite(reader, block_id("a"), quote="one"),
        cite(reader, block_id("a"), quote="two"),
        cite(reader, block_id("b")),
    ]
    items = csl_items(compose(reader, "?", chosen))
    assert [item["id"] for item in items] == ["claude-code:11111111-aaaa", "codex:22222222"]
    assert items[0] == {
        "id": "claude-code:11111111-aaaa", "type": "document", "title": "A title", "genre": "coding agent session",
        "author": [{"literal": "claude-code"}], "archive": "claude-code", "archive_location": "11111111-aaaa",
        "issued": {"date-parts": [[2026, 5, 1]]}, "container-title": "host/repo",
    }  # fmt: skip
    assert "issued" not in items[1]
    assert [breaks_csl(item) for item in items] == [[], []]
