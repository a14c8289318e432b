"""Without numpy a small store answers as with it."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_lab.model import Answer, Filters
from recall_lab.search import SearchConfig, engine, search
from recall_lab.store import Reader, light, open_reader, packing
from recall_lab.store.light import Light
from recall_lab.store.packed import load

from .conftest import History, batch, block

NOW = datetime(2026, 6, 1, tzinfo=UTC)
WORDS = """
    queue retry lock cache parser token merge branch deploy schema river stone the a of not
    went go colour color on 11 May 2026? which
    getUserName user_name src/app/main.py #4471 c0ffee12-aaaa-4bbb-8ccc-0123456789ab naïve 用户 C++ don't ERR_LOCK
"""
ROLES, KINDS = ("user", "assistant", "tool", "host"), ("text", "tool_use", "tool_result", "summary")
pieces = st.sampled_from(
    [
        *WORDS.split(),
        "AND",
        "OR",
        "NOT",
        "-lock",
        "par*",
        "c0ffee12",
        "11 May",
        "12 July 2025",
        '"retry queue"',
        "-",
        '"',
    ]
)
asked = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(1, 30),
        "offset": st.integers(0, 20),
        "require_all": st.booleans(),
        "prefer": st.sampled_from([("user",), ("tool_result", "assistant")]),
        "scope": st.just("repo"),
        "config": st.sampled_from(
            [
                SearchConfig(half_life_days=0),
                SearchConfig(near=0, far=0),
                SearchConfig(title=0, tiers=False),
                SearchConfig(pool=5, session_coverage=0),
                SearchConfig(answer=0.9, asking=0.5),
                SearchConfig(forms=False, date=0),
            ]
        ),
        "filters": st.sampled_from(
            [
                Filters(roles=("assistant", "host")),
                Filters(kinds=("tool_result",)),
                Filters(since="2026-03-01T00:00:00Z", until="2026-05-01T00:00:00Z"),
                Filters(sessions=("s1", "s3")),
                Filters(hosts=("codex",), project="NEST"),
                Filters(tools=("Bash",)),
                Filters(branches=("main",), roles=("user", "tool")),
            ]
        ),
    },
)


def written(path: Path) -> History:
    """Some sessions of invented words; equal texts, a fork, and texts that went."""
    dice = random.Random(5)
    history = History(path)
    for number in range(6):
        blocks = tuple(
            block(
                " ".join(dice.choices(WORDS.split(), k=dice.randint(1, 25))) + "?" * (n % 3 == 0)
                if n % 7
                else "the same retry queue",
                n,
                role=dice.choice(ROLES),
                kind=dice.choice(KINDS),
                tool=dice.choice([None, "Bash", "Read"]),
                branch=dice.choice([None, "main"]),
                timestamp=dice.choice([None, f"2026-0{dice.randint(1, 5)}-11T10:00:00Z"]),
                block_id=f"{number % 5:02}{n:030}" if n < 9 else None,
            )
            for n in range(40)
        )
        facts: dict[str, Any] = {
            "title": dice.choice([None, "retry the queue", "naïve parser"]),
            "host": "codex" if number % 2 else "claude-code",
            "repo": "github.com/heron/nest" if number % 3 else "github.com/heron/wing",
        }
        history.write(batch(f"s{number}", blocks, **facts))
        if number == 2:
            history.write(batch(f"s{number}", blocks[:30], **facts))
    return history


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    history = written(tmp_path_factory.mktemp("light") / "recall.db")
    yield history.read()
    history.close()


def alike(answer: Answer) -> Any:
    """An answer without the last digits of its scores: numpy counts in float32."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(plain, value))
        return pytest.approx(value, rel=1e-4, abs=2e-4) if isinstance(value, float) else value

    return plain(msgspec.to_builtins(answer))


def both(reader: Reader, monkeypatch: pytest.MonkeyPatch, query: str, **options: Any) -> tuple[Answer, Answer]:
    """The answer with numpy, and without."""
    found = []
    monkeypatch.setattr(light, "ONCE", 10**9)
    for has_numpy in (True, False):
        monkeypatch.setattr(engine, "_has_numpy", lambda has_numpy=has_numpy: has_numpy)
        found.append(search(reader, query, now=NOW, **options))
    return found[0], found[1]


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(query=st.lists(pieces, min_size=1, max_size=7).map(" ".join), options=asked)
def test_answers_are_the_same(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, query: str, options: dict[str, Any]
) -> None:
    repo = {"repo": "github.com/heron/nest"} if "scope" in options else {}
    heavy, light_ = both(reader, monkeypatch, query, **options, **repo)
    assert msgspec.to_builtins(light_) == alike(heavy)


@pytest.mark.parametrize("of_more_numpy", [0, 10_000])
def test_a_packed_a_grown_and_a_changed_store_answer_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_more_numpy: int
) -> None:
    monkeypatch.setattr(packing, "LARGE", 10)
    monkeypatch.setattr(packing, "LIGHT", of_more_numpy)
    history = written(tmp_path / "recall.db")
    assert packing.pack(history.path)
    reader = history.read()
    monkeypatch.setattr(light, "read_columns", _never)
    for query in ("retry queue", "src/app/main.py", "what is the naïve parser"):
        heavy, light_ = both(reader, monkeypatch, query)
        assert heavy.hits
        assert msgspec.to_builtins(light_) == alike(heavy)
    monkeypatch.undo()
    history.say("later", "another retry of the queue", "and its parser")
    history.say("s1", "all that is left of it is a queue")
    for open_reader_ in (reader, history.read()):
        heavy, light_ = both(open_reader_, monkeypatch, "retry queue parser left", limit=100)
        assert msgspec.to_builtins(light_) == alike(heavy)
        assert "later" in {hit.session for hit in light_.hits}
    history.close()


def test_columns_packed_without_numpy_are_those_that_are_packed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "LARGE", 1)
    history = written(tmp_path / "recall.db")
    for session, queued in (("copied", True), ("again", False), ("once more", False)):
        history.write(batch(session, (block("what a queue is", 0, queued=queued),)))
    found = {}
    for of_more_numpy in (0, 10_000):
        packing.discard(history.path)
        monkeypatch.setattr(packing, "LIGHT", of_more_numpy)
        assert packing.pack(history.path)
        with open_reader(history.path) as reader, reader.connection:
            packed = load(reader)
        assert packed is not None
        found[of_more_numpy] = msgspec.structs.astuple(packed.columns)
    for with_it, without in zip(*found.values(), strict=True):
        assert np.array_equal(with_it, without)
        assert getattr(with_it, "dtype", None) == getattr(without, "dtype", None)
    history.close()


def _never(*_: Any) -> None:
    raise AssertionError("the packed file was not used")


def test_a_large_store_and_a_long_process_are_left_to_numpy(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(light, "_open", {})
    monkeypatch.setattr(light, "LIGHT", 10)
    assert light.light_of(reader) is None
    monkeypatch.setattr(light, "LIGHT", 10_000)
    given = [light.light_of(reader) for _ in range(10)]
    assert isinstance(given[0], Light)
    assert given[-1] is None  # who asks again and again gains by numpy


_COMMAND = """
import sys
from recall_lab.cli._main import run
code = run(["search", "retry", "queue", "--json", "--scope", "all", "--home", sys.argv[1]])
print(code, sorted({"numpy", "pandas", "duckdb", "rich", "yaml"} & set(sys.modules)), file=sys.stderr)
"""


def test_a_search_from_the_command_line_loads_no_numpy(tmp_path: Path) -> None:
    history = written(tmp_path / "recall.db")
    history.close()
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            _COMMAND,
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stderr.split() == ["0", "[]"]
    assert '"tier":"exact"' in said.stdout
