"""A store whose file is damaged is explained, wherever it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_lab.errors import StoreError
from recall_lab.store import open_reader, open_writer
from recall_lab.store.connection import Reader
from recall_lab.store.export_reading import sessions_by_native_id
from recall_lab.store.reading import block_ids, holdings
from recall_lab.store.session_reading import find_session, sessions

_QUESTIONS: list[Callable[[Reader], Any]] = [
    sessions,
    holdings,
    lambda reader: find_session(reader, "5f0c7a3e"),
    lambda reader: block_ids(reader, "00000000"),
    lambda reader: sessions_by_native_id(reader, "5f0c7a3e"),
]


@pytest.mark.parametrize("question", _QUESTIONS)
def test_a_damaged_page_is_one_line(tmp_path: Path, question: Callable[[Reader], Any]) -> None:
    path = tmp_path / "recall.db"
    with open_writer(path) as writer:
        (root_pages,) = [writer.connection.execute("SELECT json_group_array(rootpage) FROM sqlite_schema").get]
        size = writer.connection.pragma("page_size")
        writer.checkpoint()
    data = bytearray(path.read_bytes())
    for page in map(int, root_pages.strip("[]").split(",")):
        if page > 1:
            data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    with open_reader(path) as reader, pytest.raises(StoreError, match="the file is damaged"):
        question(reader)
