"""The door of the room: a search by words, by meaning, or by both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from recall_lab.errors import SemanticError
from recall_lab.model import Answer
from recall_lab.search import Fused, Lexical, SearchConfig, search
from recall_lab.search.context import beside
from recall_lab.semantic.fusing import fuse
from recall_lab.semantic.models import Embedder, model_files, open_model
from recall_lab.semantic.vectors import Array, Found, Segment, cosines_of, nearest, segments, still_say, vectors_folder
from recall_lab.store import Reader
from recall_lab.store.fulltext import fulltext_of
from recall_lab.store.prose import hashes_of, prose

_NEAREST: Final = 100  # texts that meaning brings
_WAYS: Final = 4  # times as many are looked at where filters take some away


class VectorStatus(msgspec.Struct, frozen=True):
    """What search by meaning stands on.

    Attributes:
        model: Name of the model that would be used; None when there is none.
        fingerprint: Of that model.
        problem: Why there is none, with the next step.
        texts: Texts of prose in the store.
        embedded: Those with vectors of this model, or of any model where this one is not there.
        passages: Vectors in all.
        stale: Vectors whose text is gone or says something else, or that another model made; a build takes them away.
        bytes: Size of the vectors on the disk.
        folder: Where they are.
    """

    model: str | None
    fingerprint: str | None
    problem: str | None
    texts: int
    embedded: int
    passages: int
    stale: int
    bytes: int
    folder: str


def find(
    reader: Reader,
    query: str,
    *,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    model: Embedder | Path | None = None,
    strict: bool = False,
    **asked: Any,
) -> Answer:
    """Search as ``config.mode`` says: by words, by meaning, or by both.

    Args:
        reader: The store, opened for reading; its vectors stand beside it.
        query: Anything that a person types or pastes.
        config: Weights and switches.
        model: An open model, or the folder of one; the installed one when None.
        strict: Raise instead of searching by words where both are wanted and meaning cannot be had.
        asked: Filters, scope, limit and offset: what ``search.search`` takes.

    Returns:
        The answer; its notice says when meaning was wanted and words alone were searched.

    Raises:
        SemanticError: there is no model or there are no vectors, and only they could answer.
        UsageError, StoreError: as ``search.search``.
    """
    if config.mode == "lexical":
        return search(reader, query, config=config, **asked)
    try:
        return search(reader, query, config=config, fusion=fusion(reader, config, model), **asked)
    except SemanticError as error:
        if strict or config.mode == "semantic":
            raise
        answer = search(reader, query, config=config, **asked)
        said = f"searched by words alone: {error}"
        return msgspec.structs.replace(answer, notice=f"{said}; {answer.notice}" if answer.notice else said)


def fusion(reader: Reader, config: SearchConfig, model: Embedder | Path | None = None) -> _Meaning:
    """What ``search.search`` asks for the last word on the order.

    Raises:
        SemanticError: there is no model, or there are no vectors of it.
    """
    folder = vectors_folder(reader.path)
    every = segments(folder)
    if not every:
        raise SemanticError("there are no vectors yet; run `recall-lab semantic build`")
    opened = open_model(model) if model is None or isinstance(model, Path) else model
    found = [segment for segment in every if segment.fingerprint == opened.fingerprint]
    if not found:
        raise SemanticError(f"another model made the vectors, not {opened.name}; run `recall-lab semantic build`")
    return _Meaning(reader, config, opened, found)


class _Meaning:
    """Looks a query up among the vectors and makes one order of both ways of finding."""

    def __init__(self, reader: Reader, config: SearchConfig, model: Embedder, found: Sequence[Segment]) -> None:
        self._reader = reader
        self._config = config
        self._model = model
        self._segments = found

    def __call__(self, lexical: Lexical) -> Fused:
        vector = self._model.query(lexical.query)
        near = nearest(self._segments, vector, lexical.eligible, _NEAREST * _WAYS)
        near = self._passing(lexical, near)
        near |= cosines_of(self._segments, vector, lexical.texts)
        current = self._current(near)
        if self._config.mode == "semantic":
            return fuse(lexical, current, self._config)
        return fuse(lexical, current, self._config, self._context(lexical, current, vector))

    def _context(self, lexical: Lexical, current: dict[int, Found], vector: Array) -> dict[int, float]:
        """What the texts beside each candidate add: their cosines, weighted as their words are."""
        import numpy as np

        config = self._config
        ids = np.union1d(_ids(current), lexical.texts).astype(np.int32)
        if not len(ids) or not (config.near or config.far):
            return {}
        texts, there = beside(fulltext_of(self._reader).columns, ids)
        others = self._current(cosines_of(self._segments, vector, np.unique(texts[there])))
        cosines = np.zeros(int(texts.max(initial=0)) + 1, np.float32)
        cosines[list(others)] = [one.cosine for one in others.values()]
        weights = np.array((config.far, config.near, config.near, config.far), np.float32)
        added = np.where(there, cosines[texts], np.float32(0)) @ weights
        return dict(zip(ids.tolist(), added.tolist(), strict=True))

    def _passing(self, lexical: Lexical, near: dict[int, Found]) -> dict[int, Found]:
        """The best of those that pass every filter."""
        passing = set(lexical.passing(_ids(near)).tolist())
        return {text: near[text] for text in [text for text in near if text in passing][:_NEAREST]}

    def _current(self, near: dict[int, Found]) -> dict[int, Found]:
        """Those whose text still says what it said when the vector was made."""
        now = hashes_of(self._reader, near)
        return {text: one for text, one in near.items() if now.get(text) == one.hash}


def status(reader: Reader, model: Path | None = None) -> VectorStatus:
    """Say what search by meaning stands on.

    Args:
        reader: The store, opened for reading.
        model: The folder of a model; the installed one when None.
    """
    import numpy as np

    opened, problem = None, None
    try:
        model_files(model)
        opened = open_model(model)
    except SemanticError as error:
        problem = str(error)
    folder = vectors_folder(reader.path)
    every = segments(folder)
    ids, hashes = prose(reader)
    embedded = np.zeros(int(ids.max(initial=-1)) + 1, bool)
    stale = 0
    for segment in every:
        rows = segment.rows
        current = still_say(rows, ids, hashes)
        if opened and segment.fingerprint != opened.fingerprint:
            current[:] = False
        stale += int(np.count_nonzero(~current))
        embedded[rows.texts[current]] = True
    return VectorStatus(
        model=opened.name if opened else None,
        fingerprint=opened.fingerprint if opened else None,
        problem=problem,
        texts=len(np.unique(ids)),
        embedded=int(np.count_nonzero(embedded)),
        passages=sum(len(segment.rows) for segment in every),
        stale=stale,
        bytes=sum(segment.path.stat().st_size for segment in every),
        folder=str(folder),
    )


def _ids(texts: dict[int, Found]) -> Array:
    import numpy as np

    return np.array(sorted(texts), np.int32)
