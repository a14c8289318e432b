"""A thousand citations over real transcripts: what becomes of them says so, and nothing else does."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recall_lab.capture import index
from recall_lab.evidence import check_citation, cite, read
from recall_lab.model import Citation, Redacted
from recall_lab.settings import Settings
from recall_lab.store import open_reader, open_writer
from recall_lab.store.backup import backup, restore
from recall_lab.store.importing import Cleaned, import_lines
from recall_lab.store.portable import export_lines
from recall_lab.store.reading import holdings, stored_texts

pytestmark = [pytest.mark.corpus, pytest.mark.deep]

CITATIONS = 1000
EDIT = "sentence"


def transcripts(settings: Settings) -> list[Path]:
    return sorted(settings.user_home.rglob("*.jsonl"))


def cited(settings: Settings) -> list[Citation]:
    chance = random.Random(7)
    with open_reader(settings.store) as reader:
        texts = reader.connection.execute(
            "SELECT DISTINCT lower(hex(block_id)), lower(hex(content_hash)), length FROM blocks JOIN placements USING (text_id) "
            "WHERE length > 0 ORDER BY block_id, content_hash"
        ).fetchall()
        citations = []
        for _ in range(CITATIONS):
            block_id, content_hash, length = chance.choice(texts)
            start = chance.randrange(length)
            span = start, min(length, start + chance.randrange(1, 200))
            citations.append(cite(reader, block_id, span=span, revision=content_hash))
        return citations


def verdicts(settings: Settings, citations: Sequence[Citation]) -> Counter[str]:
    with open_reader(settings.store) as reader:
        return Counter(check_citation(reader, citation).verdict for citation in citations)


def expected(settings: Settings, citations: Sequence[Citation], scratch: Path) -> list[str]:
    """What should be the verdicts: what a store says that never saw the files as they were before."""
    fresh = msgspec.structs.replace(settings, home=scratch / "fresh")
    index(fresh)
    said = []
    with open_reader(fresh.store) as reader:
        for citation in citations:
            hashes = {stored.content_hash for stored in stored_texts(reader, citation.block_id)}
            said.append("gone" if not hashes else "valid" if citation.content_hash in hashes else "changed")
    return said


def each(settings: Settings, citations: Sequence[Citation]) -> list[str]:
    with open_reader(settings.store) as reader:
        return [check_citation(reader, citation).verdict for citation in citations]


def carried(settings: Settings, scratch: Path) -> Iterator[Settings]:
    """The store after backup and restore, and after export and import."""
    with open_reader(settings.store) as reader:
        backup(reader, scratch / "copy.db")
    restored = msgspec.structs.replace(settings, home=scratch / "restored")
    restore(scratch / "copy.db", restored.store)
    yield restored
    imported = msgspec.structs.replace(settings, home=scratch / "imported")
    with open_reader(settings.store) as reader, open_writer(imported.store) as writer:
        import_lines(
            writer, export_lines(reader), lambda texts: [Cleaned(Redacted(text)) for text in texts], rules="test"
        )
    yield imported


def blocks_of(settings: Settings) -> int:
    with open_reader(settings.store) as reader:
        return holdings(reader).blocks


def test_they_survive_what_leaves_the_words_alone(home: Settings, tmp_path: Path) -> None:
    citations = cited(home)
    all_valid = Counter(valid=CITATIONS)
    assert verdicts(home, citations) == all_valid

    before = blocks_of(home)
    for path in transcripts(home):  # append
        last = path.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)[-1]
        path.write_bytes(path.read_bytes().rstrip(b"\n") + b"\n" + last.replace(b"0", b"1") + b"\n")
    index(home)
    assert blocks_of(home) > before
    assert verdicts(home, citations) == all_valid

    index(home, transcripts(home), rebuild=True)  # rebuild
    assert verdicts(home, citations) == all_valid

    moved = home.user_home / ".claude" / "projects" / "-moved"  # rename
    for folder in sorted((home.user_home / ".claude" / "projects").glob("*")):
        folder.rename(moved.with_name(f"-moved-{folder.name}"))
    index(home)
    with open_reader(home.store) as reader:
        moved_to = {read(reader, citation.block_id).source for citation in citations}
    assert any("-moved-" in path for path in moved_to)
    assert verdicts(home, citations) == all_valid

    for other in carried(home, tmp_path):  # backup and restore, export and import
        with open_reader(other.store) as reader:
            for citation in citations:
                found = check_citation(reader, citation)
                assert (found.verdict, found.start, found.end) == ("valid", citation.start, citation.end)


def test_an_edit_changes_what_it_touches_and_nothing_else(home: Settings, tmp_path: Path) -> None:
    citations = cited(home)
    edited = transcripts(home)
    for path in edited:
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join(_edited(line) for line in lines))
    index(home, edited, rebuild=True)
    truth = expected(home, citations, tmp_path)
    assert truth.count("changed") > CITATIONS // 20
    assert truth.count("valid") > CITATIONS // 20
    assert each(home, citations) == truth
    for other in carried(home, tmp_path):
        assert each(other, citations) == truth
    with open_reader(home.store) as reader:
        for citation in citations:
            found = check_citation(reader, citation)
            assert found.valid == (found.verdict == "valid")
            if found.start is not None:
                now = read(reader, citation.block_id, revision=found.content_hash)
                assert now.text[found.start : found.end] == citation.quote
            elif found.verdict == "changed":
                assert citation.quote not in read(reader, citation.block_id).text
            before = read(reader, citation.block_id, revision=citation.content_hash)
            assert before.text[citation.start : citation.end] == citation.quote


def test_a_cut_leaves_the_words_readable_as_gone(home: Settings, tmp_path: Path) -> None:
    citations = cited(home)
    cut = transcripts(home)[::2]
    for path in cut:
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join(lines[: len(lines) // 2]) + b"\n")
    index(home, cut, rebuild=True)
    truth = expected(home, citations, tmp_path)
    assert truth.count("gone") > CITATIONS // 20
    assert each(home, citations) == truth
    with open_reader(home.store) as reader:
        for citation in citations:
            kept = read(reader, citation.block_id, revision=citation.content_hash)
            assert kept.text[citation.start : citation.end] == citation.quote


def _edited(line: bytes) -> bytes:
    """The record with a word put before every second text that it says or that a tool returned."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    for holder in (record.get("message"), record.get("payload")):
        if isinstance(holder, dict):
            _edit(holder)
    return json.dumps(record).encode()


def _edit(holder: dict[str, Any]) -> None:
    for key in ("text", "output", "content"):
        value = holder.get(key)
        if isinstance(value, str) and len(value) % 2:
            holder[key] = f"{EDIT} {value}"
        for part in value if isinstance(value, list) else ():
            if isinstance(part, dict):
                _edit(part)
