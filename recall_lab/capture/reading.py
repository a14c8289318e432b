"""Capturing one source: from where it was left, in batches that each can stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from recall_lab.capture.accounts import Accounts, Settled, decode, encode
from recall_lab.capture.files import Fingerprint, Opener, Part, Stat, path_text, read_lines, read_prefix, read_small
from recall_lab.capture.preparing import Preparer
from recall_lab.capture.privacy import is_private
from recall_lab.capture.repositories import Repositories
from recall_lab.errors import SourceError
from recall_lab.hosts import HOSTS
from recall_lab.hosts.base import (
    Checkpoint,
    Embedded,
    Event,
    RawBlock,
    RawModelCall,
    RawRecord,
    RawSession,
    RawToolCall,
)
from recall_lab.model import Batch, LedgerRow, Session, Source, SourceState

BATCH_CHARS = 1 << 20  # code points of text in one batch, about
_BATCH_BLOCKS = 20_000
# A parser's state grows with its file (it knows every record): written with each batch it would cost the square of it.
# So it waits until so many times its size have been read since the last time; after a kill that much is read again.
_READ_PER_STATE = 8


class Job(msgspec.Struct, frozen=True):
    """One source to read: where it lies, from where to go on, and what is known of it.

    ``cwd`` is the folder that it belongs to by a person's word, where it logs none.
    """

    path: Path
    host: str
    machine: str
    stat: Stat
    known: Source | None = None  # None: read from the start, replacing whatever stands under this path
    part: Part | None = None
    cwd: str | None = None


class Reading(msgspec.Struct, frozen=True):
    """A batch, and how many records and bytes of the source it is the first to cover."""

    batch: Batch
    records: int
    bytes: int
    last: bool  # of its source


class _Shared(msgspec.Struct, frozen=True):
    """What the sources of one pass have in common."""

    agents: frozenset[str]  # agents that have a file of their own
    private: tuple[str, ...]
    repositories: Repositories
    opener: Opener


class SourceReader:
    """Reads sources one after the other; keeps what they share (redacted names, repositories)."""

    def __init__(
        self, preparer: Preparer, hash_key: bytes, *, agents: frozenset[str], private: tuple[str, ...] = ()
    ) -> None:
        self._preparer = preparer
        self._key = hash_key
        self._shared = _Shared(agents, private, Repositories(), Opener())

    def read(self, job: Job) -> Iterator[Reading]:
        """Yield the batches of one source; the last one carries its final state.

        Raises:
            OSError: the file cannot be read.
        """
        yield from _Run(job, self._preparer, self._key, self._shared).batches()


class _Run:
    """One pass over one source."""

    def __init__(self, job: Job, preparer: Preparer, key: bytes, shared: _Shared) -> None:
        self._job = job
        self._preparer = preparer
        self._key = key
        self._private = shared.private
        self._repositories = shared.repositories
        self._opener = shared.opener
        known = job.known
        settled = decode(known.parser_state) if known else Settled()
        # Where nothing of the parser was kept (see ``_batch``) the source is read from its start.
        self._resume = (
            Checkpoint(known.resume_offset, known.resume_ord, settled.parser, settled.raw_session)
            if known and settled.parser
            else None
        )
        host = HOSTS[job.host]
        companion = host.companion(job.path)
        beside = read_small(Path(companion)) if companion else b""
        try:
            self._parser = host.parser(job.path, self._resume, agents=shared.agents, companion=beside)
        except SourceError:  # kept by another version of the host: likewise
            self._resume, settled = None, Settled(session=settled.session)
            self._parser = host.parser(job.path, None, agents=shared.agents, companion=beside)
        self._accounts = Accounts(settled)
        self._from_ord = self._resume.ord if self._resume else 0
        self._anew = self._resume is None
        self._raw_session: RawSession | None = None
        self._session = settled.session
        self._children: dict[str, Session] = {child.agent_id or "": child for child in settled.children}
        self._blocks: list[RawBlock] = []
        self._models: list[RawModelCall] = []
        self._tools: list[RawToolCall] = []
        self._chars = 0
        self._records = 0
        # The checkpoint that was handed on last (None: none so far), where that was, and how large its state is.
        self._kept = Checkpoint(self._resume.offset, self._resume.ord, b"") if self._resume else None
        self._kept_at = self._resume.offset if self._resume else 0
        self._kept_size = len(known.parser_state or b"") if known else 0

    def batches(self) -> Iterator[Reading]:
        """Read to the end of what was there when the job was made."""
        job = self._job
        start = self._resume.offset if self._resume else 0
        covered = job.known.cursor if job.known else 0
        cursor = start
        with self._opener.open(job.path, job.part) as file:
            fingerprint = read_prefix(file, start, Fingerprint(self._key))
            goes_on = not fingerprint.ends_line  # the rest of a line whose beginning was counted
            for lines in read_lines(file, start, job.stat.size):
                self._take(self._parser.feed(lines))
                self._accounts.lines([line.offset for line in lines[goes_on:] if line.data.strip()])
                goes_on = False
                fingerprint.update(b"\n".join([line.data for line in lines]))
                if lines[-1].ended:
                    fingerprint.update(b"\n")
                cursor = lines[-1].offset + lines[-1].length
                if self._is_private():
                    yield self._off(cursor, covered, fingerprint)
                    return
                if self._chars >= BATCH_CHARS or len(self._blocks) >= _BATCH_BLOCKS:
                    yield self._batch(cursor, covered, fingerprint, "backlog", dead=None)
                    covered = max(covered, cursor)
        self._take(self._parser.finish())
        if self._is_private():  # a document tells its session at its end
            yield self._off(cursor, covered, fingerprint)
            return
        state: SourceState = "partial_record" if self._accounts.pending else "complete"
        yield self._batch(cursor, covered, fingerprint, state, dead=self._parser.dead())

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, RawBlock):
                if self._preparer.keeps(event):
                    placed = event.cwd is not None or self._job.cwd is None
                    self._blocks.append(event if placed else msgspec.structs.replace(event, cwd=self._job.cwd))
                    self._chars += len(event.text)
            elif isinstance(event, RawRecord):
                self._accounts.record(event)
                self._records += event.records
            elif isinstance(event, Embedded):
                self._take_child(event.agent_id, event.event)
            elif isinstance(event, RawToolCall):
                self._tools.append(event)
            elif isinstance(event, RawModelCall):
                self._models.append(event)
            else:
                placed = event.cwd is not None or self._job.cwd is None
                told = event if placed else msgspec.structs.replace(event, cwd=self._job.cwd)
                self._raw_session = _told_over(self._raw_session, told)

    def _take_child(self, agent_id: str, event: RawBlock | RawSession | RawModelCall | RawToolCall) -> None:
        agent = self._preparer.small(agent_id)
        if isinstance(event, RawSession):
            repo = self._repositories.key(event.remote, event.cwd)
            child = self._preparer.session(self._job.host, event, repo)
            self._children[agent] = msgspec.structs.replace(child, agent_id=agent)
        else:
            self._take([msgspec.structs.replace(event, agent=agent)])

    def _batch(
        self,
        cursor: int,
        covered: int,
        fingerprint: Fingerprint,
        state: SourceState,
        dead: tuple[tuple[int, int], ...] | None,
    ) -> Reading:
        prepared = self._preparer.prepare(self._blocks, self._models, self._tools)
        blocks, dropped = self._accounts.deliver(prepared.blocks, [block.offset for block in self._blocks])
        session = self._session_record()
        children = tuple(self._children.values())
        checkpoint, parser_state = self._kept, None
        if checkpoint is None or state != "backlog" or cursor - self._kept_at >= _READ_PER_STATE * self._kept_size:
            checkpoint, parser_state = self._checkpoint(cursor, session, children)
        batch = Batch(
            source=self._source(cursor, fingerprint, state, checkpoint, parser_state),
            session=session,
            from_ord=self._from_ord,
            anew=self._anew,
            children=children,
            blocks=tuple(blocks),
            dropped=tuple(dropped),
            dead=dead,
            model_calls=prepared.model_calls,
            tool_calls=prepared.tool_calls,
            ledger=self._accounts.ledger(),
            problems=self._accounts.problems(),
            rules_version=self._preparer.rules_version,
        )
        if self._blocks:
            self._from_ord = self._blocks[-1].ord + 1
        self._anew = False
        reading = Reading(batch, self._records, max(0, cursor - covered), last=state != "backlog")
        self._blocks, self._models, self._tools, self._chars, self._records = [], [], [], 0, 0
        return reading

    def _checkpoint(
        self, cursor: int, session: Session | None, children: tuple[Session, ...]
    ) -> tuple[Checkpoint, bytes]:
        """Return where reading can go on from here, and everything that it needs to know then."""
        checkpoint = self._parser.checkpoint()
        raw = self._preparer.raw_session(checkpoint.session) if checkpoint.session else None
        settled = msgspec.structs.replace(
            self._accounts.settle(checkpoint), session=session, children=children, raw_session=raw
        )
        self._kept_at, self._kept_size = cursor, len(checkpoint.state)
        if not self._preparer.is_clean(checkpoint.state):
            # An id that looks like a secret: nothing of it is kept, and the source is read from its start next time.
            checkpoint, settled = Checkpoint(0, 0, b""), Settled(session=session)
        self._kept = Checkpoint(checkpoint.offset, checkpoint.ord, b"")
        return self._kept, encode(settled)

    def _source(
        self,
        cursor: int,
        fingerprint: Fingerprint,
        state: SourceState,
        checkpoint: Checkpoint,
        parser_state: bytes | None,
    ) -> Source:
        job = self._job
        return Source(
            host=job.host,
            path=self._preparer.small(path_text(job.path)),
            machine=job.machine,
            size=job.stat.size,
            mtime_ns=job.stat.mtime_ns,
            ctime_ns=job.stat.ctime_ns,
            cursor=cursor,
            head_hash=fingerprint.head,
            tail_hash=fingerprint.tail,
            content_hash=fingerprint.content,
            state=state,
            detail="the last record is not finished" if state == "partial_record" else "",
            lines=self._accounts.line_count,
            resume_offset=checkpoint.offset,
            resume_ord=checkpoint.ord,
            parser_state=parser_state,
        )

    def _session_record(self) -> Session | None:
        """Return what is known of the session, by this run or an earlier one."""
        raw = self._raw_session
        if raw is not None:
            known = self._session.repo if self._session else None  # a folder told later does not take its place
            repo = self._repositories.key(raw.remote, raw.cwd) if raw.remote or not known else known
            self._session = _told_over(self._session, self._preparer.session(self._job.host, raw, repo))
            self._raw_session = None
        return self._session

    def _is_private(self) -> bool:
        if not self._private:
            return False
        raw, known = self._raw_session, self._session
        ids = [raw.native_id if raw else None, raw.parent_id if raw else None, known.native_id if known else None]
        folders = [str(self._job.path), raw.cwd if raw else None, known.cwd if known else None]
        return is_private(self._private, ids, folders)

    def _off(self, cursor: int, covered: int, fingerprint: Fingerprint) -> Reading:
        """Leave a private source out: only its size is noted, and what may have been kept of it goes."""
        lines, size = self._accounts.line_count, self._job.stat.size
        source = self._source(cursor, fingerprint, "off", Checkpoint(0, 0, b""), encode(Settled()))
        row = LedgerRow(record_type="private", disposition="excluded", records=lines, bytes=size)
        session = Session(host=self._job.host, native_id=known.native_id) if (known := self._session) else None
        batch = Batch(
            source=msgspec.structs.replace(source, cursor=size, detail="listed as private in the settings"),
            session=session,
            from_ord=0,
            anew=True,
            ledger=(row,),
        )
        return Reading(batch, lines, max(0, size - covered), last=True)


_Told = TypeVar("_Told", RawSession, Session)


def _told_over(known: _Told | None, news: _Told) -> _Told:
    """Return what is known of a session now: a field that the news leaves open stays as it was."""
    if known is None or known.native_id != news.native_id:
        return news
    told = {name: value for name, value in msgspec.structs.asdict(news).items() if value is not None}
    return msgspec.structs.replace(known, **told)
