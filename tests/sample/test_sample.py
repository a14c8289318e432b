"""The packaged sample is what its generator writes, and holds what the tour and the tests rely on."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from recall_lab.sample import planted_secrets, planted_thoughts, sample_home
from recall_lab.sample.generate import names, sample_files, write_sample
from recall_lab.sample.story import load_stories


def packaged() -> dict[str, bytes]:
    home = sample_home()
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def records(data: bytes) -> list[dict]:
    found = []
    for line in data.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def test_the_packaged_files_are_what_the_generator_writes() -> None:
    assert packaged() == {path.as_posix(): data for path, data in sample_files().items()}


def test_it_is_small_and_about_a_dozen_sessions_of_both_hosts() -> None:
    files = packaged()
    assert sum(map(len, files.values())) < 600_000
    transcripts = [name for name in files if name.endswith(".jsonl")]
    assert len(transcripts) == len(load_stories()) == len(set(names(load_stories()).values()))
    assert 12 <= len(transcripts) <= 16
    assert any(name.startswith(".codex/sessions/2026/") for name in transcripts)
    assert any("/subagents/agent-" in name for name in transcripts)


def test_every_secret_stands_in_the_transcripts_and_none_in_the_sources() -> None:
    raw = b"".join(packaged().values())
    sources = b"".join(
        path.read_bytes() for path in Path(sample_home()).parent.glob("**/*.[pt][yo]*") if "home" not in path.parts
    )
    for secret in planted_secrets():
        assert secret.encode() in raw
        assert secret.encode() not in sources


def test_every_thought_stands_in_the_transcripts() -> None:
    raw = b"".join(packaged().values()).decode()
    assert len(planted_thoughts()) > 10
    for thought in planted_thoughts():
        assert json.dumps(thought, ensure_ascii=False)[1:-1] in raw


def test_a_resumed_copy_shares_records_with_its_origin_under_another_session_id() -> None:
    ids = names(load_stories())
    by_name = {Path(name).stem: records(data) for name, data in packaged().items()}
    origin = {r["uuid"] for r in by_name[ids["tidewatch-pipeline"]] if "uuid" in r}
    copy = by_name[ids["tidewatch-pipeline-resumed"]]
    assert len(origin & {r.get("uuid") for r in copy}) > 20
    assert {r["sessionId"] for r in copy if "sessionId" in r} == {ids["tidewatch-pipeline-resumed"]}


def test_a_fork_replays_its_parent_under_a_later_time() -> None:
    ids = names(load_stories())
    by_id = {data.splitlines()[0]: records(data) for name, data in packaged().items() if "/rollout-" in name}
    by_session = {found[0]["payload"]["id"]: found for found in by_id.values() if "payload" in found[0]}
    parent, fork = by_session[ids["tidewatch-batching"]], by_session[ids["tidewatch-durable-batches"]]
    assert fork[0]["payload"]["forked_from_id"] == ids["tidewatch-batching"]
    assert [r["payload"] for r in fork[1 : 1 + len(parent)]] == [r["payload"] for r in parent]
    assert fork[1]["timestamp"] > parent[-1]["timestamp"]


def test_no_uuid_stands_twice_in_one_file_and_parents_are_there() -> None:
    for name, data in packaged().items():
        found = [r for r in records(data) if "uuid" in r]
        assert max(Counter(r["uuid"] for r in found).values(), default=1) == 1, name
        seen: set[str | None] = {None}
        for record in found:
            assert record["parentUuid"] in seen, name
            seen.add(record["uuid"])


def test_the_generator_leaves_a_folder_with_files_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="not empty"):
        write_sample(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
