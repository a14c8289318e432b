"""A large capture leaves the full-text index in one piece, and no room in the file that nothing uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.search import search
from recall_lab.store import open_reader, open_writer, writer
from tests.search.conftest import batch, block


def test_a_large_capture_puts_the_index_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = {}
    for much in (1, 10**9):
        monkeypatch.setattr(writer, "_MUCH", much)
        path = tmp_path / str(much) / "recall.db"
        with open_writer(path) as one:
            for number in range(12):
                texts = (f"a word of session {number}", "retry the queue", f"unlike{number}")
                one.apply(batch(f"s{number}", tuple(block(text, n) for n, text in enumerate(texts))))
            one.checkpoint()
        with open_reader(path) as reader:
            pieces[much] = reader.connection.execute("SELECT count(DISTINCT segid) FROM fulltext_idx").get
            found = [hit.session for hit in search(reader, "unlike7").hits]
            size = reader.connection.execute("PRAGMA page_count").get
            free = reader.connection.execute("PRAGMA freelist_count").get
        assert found == ["s7"]
        assert free < size / 4
    assert pieces[1] == 1 < pieces[10**9]
