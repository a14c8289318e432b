"""Making vectors for what has none, and taking away those whose text is gone or says something else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from recall_lab.errors import StoreBusyError, StoreError
from recall_lab.semantic.models import Embedder
from recall_lab.semantic.passages import cut
from recall_lab.semantic.vectors import (
    LARGEST,
    Rows,
    Segment,
    joined,
    packed,
    replace_segment,
    segments,
    still_say,
    write_segment,
)
from recall_lab.store import Reader
from recall_lab.store.connection import WriteLock, make_private_folder
from recall_lab.store.prose import prose, texts_of

_TEXTS_AT_ONCE: Final = 64
_ROWS_KEPT_BACK: Final = 2048  # what a kill may cost
_SMALL: Final = 8  # segments that are not full, before they become one


class Built(msgspec.Struct, frozen=True):
    """What a build did.

    Attributes:
        texts: Texts that got vectors.
        passages: Passages of them.
        dropped: Passages that went, because their text is gone or says something else, or another model made them.
        waiting: Texts that have none yet; 0 unless the build was cut short by ``most``.
    """

    texts: int
    passages: int
    dropped: int
    waiting: int


def build(
    reader: Reader,
    folder: Path,
    model: Embedder,
    *,
    most: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Make vectors for every text of prose that has none; the newest texts first.

    What is made is written every some thousand passages and when the build is interrupted, so the next build goes on
    from there.

    Args:
        reader: The store, opened for reading.
        folder: See ``vectors.vectors_folder``; made when it is not there.
        model: Makes the vectors; those of another model go first.
        most: At most so many texts.
        progress: Told how many texts are done, and of how many.

    Raises:
        StoreBusyError: another build is under way.
        StoreError: the folder cannot be written; what was written before is kept.
    """
    import numpy as np

    make_private_folder(folder)
    lock = WriteLock(folder / "build", wait=0)
    try:
        ids, hashes = prose(reader)
        dropped = _drop(folder, ids, hashes, model.fingerprint)
        known = [segment.rows.texts for segment in segments(folder, model.fingerprint)]
        todo = ids[~np.isin(ids, np.concatenate(known))] if known else ids
        chosen = todo[:most].tolist()
        writer = _Writer(folder, model)
        try:
            for start in range(0, len(chosen), _TEXTS_AT_ONCE):
                writer.add(texts_of(reader, chosen[start : start + _TEXTS_AT_ONCE]))
                if progress:
                    progress(min(start + _TEXTS_AT_ONCE, len(chosen)), len(chosen))
        finally:
            writer.flush()
        # What was forgotten or changed while this ran must not come back with it.
        dropped += _drop(folder, *prose(reader), model.fingerprint)
        _merge(folder, model.fingerprint)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{folder}: cannot be written ({error.strerror}); what was made before is kept") from error
    finally:
        lock.release()
    return Built(writer.texts, writer.passages, dropped, len(todo) - len(chosen))


def drop_stale(reader: Reader, folder: Path) -> int:
    """Take away the vectors of texts that are gone or say something else, of every model; return how many passages.

    Raises:
        StoreError: the folder cannot be written.
    """
    if not folder.is_dir():
        return 0
    try:
        lock = WriteLock(folder / "build")
    except StoreBusyError:
        # A build is under way, with texts that may be among those that have to go.
        for path in folder.glob("*.vectors"):
            path.unlink(missing_ok=True)
        raise
    try:
        return _drop(folder, *prose(reader), fingerprint=None)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror}); remove this folder by hand") from error
    finally:
        lock.release()


class _Writer:
    """Embeds texts and writes them in parts; the passages of a text stay together."""

    def __init__(self, folder: Path, model: Embedder) -> None:
        self._folder = folder
        self._model = model
        self._pending: list[Rows] = []
        self.texts = 0
        self.passages = 0

    def add(self, texts: dict[int, tuple[int, str]]) -> None:
        places = [(text_id, head, *span) for text_id, (head, text) in texts.items() for span in cut(text)]
        if not places:
            return
        vectors = self._model.passages([texts[text_id][1][start:end] for text_id, _, start, end in places])
        self._pending.append(packed(places, vectors))
        self.texts += len(texts)
        self.passages += len(places)
        if sum(map(len, self._pending)) >= _ROWS_KEPT_BACK:
            self.flush()

    def flush(self) -> None:
        if self._pending:
            write_segment(self._folder, self._model.fingerprint, joined(self._pending))
            self._pending = []


def _drop(folder: Path, ids: Any, hashes: Any, fingerprint: str | None) -> int:
    """Take rows away whose text is not among these with this hash, or that another model made.

    Returns:
        How many went.
    """
    import numpy as np

    for path in folder.glob("*.vectors.new"):
        path.unlink(missing_ok=True)
    dropped = 0
    for segment in segments(folder):
        rows = segment.rows
        if fingerprint not in {None, segment.fingerprint}:
            keep = np.zeros(len(rows), bool)
        else:
            keep = still_say(rows, ids, hashes)
        if not keep.all():
            dropped += int(np.count_nonzero(~keep))
            replace_segment(segment, rows.taken(keep))
    return dropped


def _merge(folder: Path, fingerprint: str) -> None:
    """Make few large segments of many small ones."""
    small = [segment for segment in segments(folder, fingerprint) if len(segment.rows) < LARGEST]
    if len(small) < _SMALL:
        return
    group: list[Segment] = []
    for segment in small:
        if sum(len(one.rows) for one in group) + len(segment.rows) > LARGEST:
            _join(folder, fingerprint, group)
            group = []
        group.append(segment)
    _join(folder, fingerprint, group)


def _join(folder: Path, fingerprint: str, group: list[Segment]) -> None:
    if len(group) < 2:
        return
    # Between the two steps rows are there twice, which changes no answer.
    write_segment(folder, fingerprint, joined([segment.rows for segment in group]))
    for segment in group:
        with suppress(FileNotFoundError):
            segment.path.unlink()
