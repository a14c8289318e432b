"""Looking at everything that is stored again, after the redaction rules changed.

Texts go first, in batches, each written before the next is read; then the short strings; at last what is left of the
old wordings in free pages and indexes. It may be interrupted anywhere: what was looked at is not looked at again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from recall_lab.capture.accounts import Settled, decode, encode
from recall_lab.capture.preparing import RedactsTexts, clean
from recall_lab.capture.rules import open_rules
from recall_lab.model import Record
from recall_lab.settings import Settings
from recall_lab.store import open_reader, open_writer
from recall_lab.store.connection import OnStore
from recall_lab.store.importing import replace_all
from recall_lab.store.packing import pack
from recall_lab.store.refreshing import Rescanned, Stored, begin_refresh, outdated, outdated_texts, refresh_texts
from recall_lab.store.scrubbing import scrub, scrub_owed
from recall_lab.store.strings import (
    Resumption,
    all_strings,
    hash_at,
    parser_states,
    replace_strings,
    strings_are_new,
)
from recall_lab.text_entities import analyse

BATCH_CHARS = 4_000_000  # code points looked at in one go

Step = Callable[[int, int], None]


class Refresh(Record, frozen=True):
    """What a refresh of the redaction did, or would do.

    Attributes:
        rules: Version of the rules.
        versions: Texts by the version of the rules that they went through before.
        texts: Texts that were looked at, revisions included.
        bytes: UTF-8 bytes of those.
        changed: Texts that have another wording now.
        merged: Of those, the ones that became equal to another text of their block.
        strings: Titles, folders, branches, names, paths and errors that were replaced.
        findings: Spans that were taken out of texts now, by kind.
        scrubbed: Whether no trace of the old wordings is left in the store's file; None when nothing was to be done.
        seconds: How long it took.
        copies: Files beside the store that are older than this and still hold what was taken out.
    """

    rules: str
    versions: dict[str, int]
    texts: int
    bytes: int
    changed: int
    merged: int
    strings: int
    findings: dict[str, int]
    scrubbed: bool | None
    seconds: float
    copies: tuple[str, ...] = ()


def refresh_redaction(settings: Settings, *, dry_run: bool = False, progress: Step | None = None) -> Refresh:
    """Redact what is stored again where other rules went through it.

    Args:
        settings: Where the store is.
        dry_run: Look and count, but write nothing.
        progress: Called with (bytes looked at, bytes in all).

    Raises:
        NoStoreError: there is no store.
        RedactionError: the detector cannot be loaded; nothing was changed.
        StoreError: the store cannot be written; earlier batches are kept.
    """
    started = time.perf_counter()
    with open_reader(settings.store):
        redactor = open_rules(settings)
    if dry_run:
        with open_reader(settings.store) as reader:
            return _look(reader, redactor, progress).report(started, scrubbed=None)
    with open_writer(settings.store) as writer:
        run = _Run(writer, redactor, progress)
        if run.todo.texts:
            begin_refresh(writer)
        for same, changed in run.texts():
            run.merged += refresh_texts(writer, redactor.version, same, changed).merged
        if strings_are_new(writer, redactor.version):
            put, states = run.strings()
            run.replaced = replace_strings(writer, redactor.version, put, states)
        scrubbed = scrub(writer) if scrub_owed(writer) else None
        writer.checkpoint()
    pack(settings.store)
    return run.report(started, scrubbed=scrubbed)


def _look(store: OnStore, redactor: RedactsTexts, progress: Step | None) -> _Run:
    """Do everything but write."""
    run = _Run(store, redactor, progress)
    for _ in run.texts():
        pass
    if strings_are_new(store, redactor.version):
        put, states = run.strings()
        run.replaced = len(put) + len(states)
    return run


class _Run:
    """One look at a store, and the running counts."""

    def __init__(self, store: OnStore, redactor: RedactsTexts, progress: Step | None) -> None:
        self._store = store
        self._redactor = redactor
        self._progress = progress
        self.todo = outdated(store, redactor.version)
        self._done = 0
        self._findings: Counter[str] = Counter()
        self._changed = 0
        self.merged = self.replaced = 0

    def texts(self) -> Iterator[tuple[list[int], list[Rescanned]]]:
        """Yield, batch by batch, the texts that stay as they are (their numbers) and those that do not."""
        for portion in outdated_texts(self._store, self._redactor.version, BATCH_CHARS):
            same, changed = self._rescanned(portion)
            yield same, changed
            self._changed += len(changed)
            self._done += sum(len(item.text.encode()) for item in portion)
            if self._progress is not None:
                self._progress(min(self._done, self.todo.bytes), self.todo.bytes)

    def _rescanned(self, portion: Sequence[Stored]) -> tuple[list[int], list[Rescanned]]:
        same, changed = [], []
        cleaned = self._redactor.redact([clean(item.text) for item in portion])
        for item, now in zip(portion, cleaned, strict=True):
            if now.text == item.text:
                same.append(item.text_id)
                continue
            looked = analyse(now.text)
            self._findings.update(dict(now.findings))
            changed.append(
                Rescanned(
                    text_id=item.text_id,
                    text=now.text,
                    findings=now.findings,
                    entities=looked.spans,
                    words=looked.words,
                )
            )
        return same, changed

    def strings(self) -> tuple[dict[str, str], dict[int, Resumption]]:
        """Return what is to be put in the place of which strings, and from what which sources go on."""
        states = {source_id: _Held(self._store, source_id, state) for source_id, state in parser_states(self._store)}
        stored = all_strings(self._store)
        held = {text for state in states.values() for text in state.texts}
        put = self._replaced(sorted(stored | held))
        resumed = {source_id: now for source_id, state in states.items() if (now := state.replaced(put)) is not None}
        return {old: new for old, new in put.items() if old in stored}, resumed

    def _replaced(self, texts: Sequence[str]) -> dict[str, str]:
        cleaned = self._redactor.redact([clean(text) for text in texts])
        return {text: now.text for text, now in zip(texts, cleaned, strict=True) if now.text != text}

    def report(self, started: float, *, scrubbed: bool | None) -> Refresh:
        """Say what was done."""
        return Refresh(
            rules=self._redactor.version,
            versions=self.todo.versions,
            texts=self.todo.texts,
            bytes=self.todo.bytes,
            changed=self._changed,
            merged=self.merged,
            strings=self.replaced,
            findings=dict(self._findings),
            scrubbed=scrubbed,
            seconds=round(time.perf_counter() - started, 3),
        )


class _Held:
    """What a source's parser goes on from, with the strings in it."""

    def __init__(self, store: OnStore, source_id: int, state: bytes) -> None:
        try:
            settled = decode(state)
        except msgspec.MsgspecError:
            self._told: dict[str, Any] | None = None
            self.texts: frozenset[str] = frozenset()
            return
        queued = tuple(
            msgspec.structs.replace(one, content_hash=hash_at(store, source_id, one.ord) or one.content_hash)
            for one in settled.queued
        )
        self._moved = queued != settled.queued
        self._told = msgspec.to_builtins(msgspec.structs.replace(settled, queued=queued), builtin_types=(bytes,))
        self._parser = settled.parser.decode("latin-1").replace("\x00", " ")
        self._counted = frozenset(settled.ledger)
        self.texts = frozenset({self._parser, *_strings(self._told)})

    def replaced(self, put: Mapping[str, str]) -> Resumption | None:
        """Return what the parser goes on from now; None when that is what it was."""
        if self._told is None:
            return Resumption(state=b"", from_start=True)
        if not self._moved and not any(text in put for text in self.texts):
            return None
        told = self._told
        if self._parser in put or any(text in put for text in self._counted):
            # What cannot be replaced without losing count: the source is read from its start next time.
            return Resumption(state=_encoded({"session": told["session"]}, put), from_start=True)
        return Resumption(state=_encoded(told, put), from_start=False)


def _encoded(told: dict[str, Any], put: Mapping[str, str]) -> bytes:
    return encode(msgspec.convert(replace_all(told, put), Settled))


def _strings(value: Any) -> Iterator[str]:
    """Every string in plain values, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
