"""The part of the Lab that looks after the store: what is kept, what goes, and how much room it takes.

What takes something out says first what it would take; only ``really`` does it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from recall_lab.analysis import steps
from recall_lab.errors import MirrorError, NotFoundError, UsageError
from recall_lab.judging import Judging
from recall_lab.model import Record, Redacted

if TYPE_CHECKING:
    from recall_lab.capture.refreshing import Refresh
    from recall_lab.own_use import OwnUse
    from recall_lab.store import Writer
    from recall_lab.store.measuring import Stats
    from recall_lab.store.purging import Purge, Selection
    from recall_lab.store.scopes import Scope
    from recall_lab.uninstalling import Removal


class TakenOut(Record, frozen=True):
    """What goes, or went.

    Attributes:
        done: Whether it went; else this is a preview.
        purge: How much.
        scrubbed: Whether no trace of it is left in the store's file; None for a preview.
        held: Older generations of the mirror that another program still reads; they go when it lets go of them.
        copies: Files beside the store that are older than this and still hold it.
    """

    done: bool
    purge: Purge
    scrubbed: bool | None = None
    held: int = 0
    copies: tuple[str, ...] = ()


class Vacuumed(Record, frozen=True):
    """Bytes of the store before and after; ``scrubbed`` says whether free pages hold nothing any more."""

    before: int
    after: int
    scrubbed: bool


class Pinned(Record, frozen=True):
    """Texts of a block that are pinned now, or are not any more; content hashes, 64 hex."""

    block_id: str
    content_hashes: tuple[str, ...]
    pinned: bool


class Rescoped(Record, frozen=True):
    """Transcripts with their pins, and how many sessions these reach."""

    pins: tuple[Scope, ...]
    sessions: int


class Upkeep(Judging):
    """Looks after the store of one home."""

    # ---- taking out ----

    def forget(
        self,
        *,
        session: str | None = None,
        repo: str | None = None,
        block: str | None = None,
        since: str | None = None,
        until: str | None = None,
        really: bool = False,
        progress: bool = False,
    ) -> TakenOut:
        """Say what would be forgotten; with ``really``, take it out of text, index, mirror and revisions for good.

        What was forgotten is not captured again. A title that a host gave to a session goes with the session only.

        Args:
            session: A native id, or an unambiguous head of it; its subagents go with it.
            repo: A repository's key, or a folder of it.
            block: A block id, a head of one, or a receipt; it goes with all its revisions.
            since: Every block from this time on, as people type it.
            until: Every block before it; a day is included.
            really: Do it.
            progress: Show a progress bar for the mirror.

        Raises:
            NotFoundError: nothing in the store matches.
            UsageError: nothing is named, or more than one thing.
        """
        from recall_lab.store.purging import forget

        selection = self._selection(session=session, repo=repo, block=block, since=since, until=until)
        if not really:
            return TakenOut(done=False, purge=forget(self.reader, selection), copies=self._copies())
        with self._writing() as writer:
            gone = forget(writer, selection, writer=writer)
        return self._taken_out(gone, progress=progress)

    def _selection(self, *, since: str | None, until: str | None, **named: str | None) -> Selection:
        from recall_lab.store.purging import Selection
        from recall_lab.store.session_reading import find_session
        from recall_lab.times import parse_time

        session, repo, block = named["session"], named["repo"], named["block"]
        return Selection(
            session=find_session(self.reader, session).native_id if session else None,
            repo=self._repo(repo) if repo else None,
            block=self.read(block).block_id if block else None,
            since=parse_time(since, self.zone) if since else None,
            until=parse_time(until, self.zone, end=True) if until else None,
        )

    def _repo(self, name: str) -> str:
        """A repository by its key, or by a folder of it."""
        from recall_lab.capture.repositories import Repositories

        folder = Path(name).expanduser()
        if self.sessions(repos=(name,), limit=1) or not folder.is_dir():
            return name
        return Repositories().key(None, str(folder.absolute())) or name

    def prune(self, *, keep: int = 3, missing: bool = True, really: bool = False, progress: bool = False) -> TakenOut:
        """Say which old revisions and rows of missing sources would go; with ``really``, take them out.

        Args:
            keep: Revisions kept of each block, the newest; pinned ones always stay.
            missing: Also take out sources whose transcript is gone.
            really: Do it.
            progress: Show a progress bar for the mirror.
        """
        from recall_lab.store.purging import prune

        if not really:
            return TakenOut(done=False, purge=prune(self.reader, keep=keep, missing=missing), copies=self._copies())
        with self._writing() as writer:
            gone = prune(writer, keep=keep, missing=missing, writer=writer)
        return self._taken_out(gone, progress=progress)

    def gc(self, *, keep: int = 3, really: bool = False) -> TakenOut:
        """Say which old revisions would go; with ``really``, take them out. Sources are left alone."""
        return self.prune(keep=keep, missing=False, really=really)

    def vacuum(self) -> Vacuumed:
        """Rewrite the store's file: without holes, and without what was taken out of it."""
        from recall_lab.store.scrubbing import scrub
        from recall_lab.store.status import store_bytes

        before = store_bytes(self.settings.store)
        with self._writing() as writer:
            scrubbed = scrub(writer)
        return Vacuumed(before=before, after=store_bytes(self.settings.store), scrubbed=scrubbed)

    def _writing(self) -> Writer:
        """Let go of the store and open it for writing.

        Raises:
            NoStoreError: there is none.
        """
        from recall_lab.store import open_writer

        _ = self.reader  # says so where there is none; a writer would make one
        self.close()
        return open_writer(self.settings.store)

    def _taken_out(self, gone: Purge, *, progress: bool) -> TakenOut:
        from recall_lab.store.scrubbing import scrub_owed

        held = self._renew_mirror(progress=progress)
        scrubbed = not scrub_owed(self.reader)
        return TakenOut(done=True, purge=gone, scrubbed=scrubbed, held=held, copies=self._copies())

    def _renew_mirror(self, *, progress: bool) -> int:
        """Build the mirror whole, if there is one; return how many older generations cannot go yet.

        Vectors and the benchmark of judgments lose what was taken out, too.

        The old ones go first: what was taken out of the store must not stay in them where no new one can be built.
        """
        from recall_lab.mirror import discard

        self._owe_mirror()
        self._drop_stale_vectors()
        self._renew_judged()
        if not self.settings.mirror.exists():
            return 0
        held = discard(self.settings.mirror)
        with suppress(MirrorError):
            held = self.refresh(progress=progress).held
        return held

    def _copies(self) -> tuple[str, ...]:
        """Stores that a restore or a new schema set aside."""
        from recall_lab.store.backup import kept_beside

        return tuple(map(str, kept_beside(self.settings.store)))

    # ---- keeping ----

    def pin(self, block: str, *, revision: str | None = None, note: str | None = None) -> Pinned:
        """Keep a text of a block for good, so that what cites it can always be checked.

        Args:
            block: A block id, a head of one, or a receipt (whose hash then says which text).
            revision: The content hash of the text, or a head of it; the current one when left out.
            note: Why it is kept.

        Raises:
            UnknownBlockError: there is no such block, or no text of it has this hash.
        """
        from recall_lab.capture.rules import open_rules
        from recall_lab.store.pinning import pin

        text = self.read(block, revision=revision)
        said = open_rules(self.settings).redact([note])[0].text if note else None
        with self._writing() as writer:
            pin(writer, text.block_id, text.content_hash, said)
            writer.checkpoint()
        self._owe_mirror()
        return Pinned(block_id=text.block_id, content_hashes=(text.content_hash,), pinned=True)

    def unpin(self, block: str, *, revision: str | None = None) -> Pinned:
        """Let pinned texts of a block expire like others.

        Args:
            block: A block id, a head of one, or a receipt.
            revision: The content hash of one text, or a head of it; all pinned ones when left out.

        Returns:
            Those that were pinned.

        Raises:
            UnknownBlockError: there is no such block.
        """
        from recall_lab.store.pinning import unpin

        block_id = self.read(block).block_id
        pinned = [one.content_hash for one in self.revisions(block_id) if one.pinned]
        chosen = [content_hash for content_hash in pinned if content_hash.startswith((revision or "").lower())]
        with self._writing() as writer:
            freed = tuple(content_hash for content_hash in chosen if unpin(writer, block_id, content_hash))
            writer.checkpoint()
        self._owe_mirror()
        return Pinned(block_id=block_id, content_hashes=freed, pinned=False)

    # ---- which repository ----

    def rescope(
        self, source: str, *, cwd: Path | str | None = None, auto: bool = False, machine: str | None = None
    ) -> Rescoped:
        """Pin the sessions of a transcript to a folder's repository, or take the pin away.

        Args:
            source: The transcript's path, or its session's whole native id.
            cwd: A folder of the repository.
            auto: Take the pin away: the repository is the one of the session's own folder again.
            machine: The label of the machine that the transcript is from, where several have this path.

        Raises:
            NotFoundError: no captured transcript is called that, or there is no such folder.
            UsageError: neither or both of ``cwd`` and ``auto`` are given, or several transcripts are meant.
        """
        from recall_lab.capture.repositories import Repositories
        from recall_lab.capture.rules import open_rules
        from recall_lab.store.scopes import sources_named

        if (cwd is None) == (not auto):
            raise UsageError("say where the sessions belong: --cwd DIR pins them to its repository, --auto unpins them")
        named = [source, str(Path(source).expanduser().absolute())]
        found = next((known for name in named if (known := sources_named(self.reader, name, machine))), ())
        if not found:
            raise NotFoundError(f"no captured transcript is {source!r}; `recall-lab sources` lists them")
        if len({one.machine for one in found}) > 1:
            raise UsageError(f"{source!r} is there from several machines; name one with --machine")
        folder, repo = None, None
        if cwd is not None:
            place = Path(cwd).expanduser().absolute()
            if not place.is_dir():
                raise NotFoundError(f"{place}: there is no such folder; name one of the repository")
            key = Repositories().key(None, str(place)) or str(place)
            folder, repo = (one.text for one in open_rules(self.settings).redact([str(place), key]))
        pins = tuple(_scoped(one, folder, repo) for one in found)
        with self._writing() as writer:
            reached = writer.pin_scopes(pins)
            writer.checkpoint()
        with suppress(MirrorError):
            self.refresh(progress=False)
        return Rescoped(pins=pins, sessions=reached)

    def scopes(self) -> tuple[Scope, ...]:
        """List the transcripts whose sessions are pinned to a repository."""
        from recall_lab.store.scopes import scopes

        return scopes(self.reader)

    # ---- redaction ----

    def refresh_redaction(self, *, dry_run: bool = False, progress: bool = True) -> Refresh:
        """Redact again what other rules went through, revisions included, and build the mirror anew.

        Args:
            dry_run: Look and count, but write nothing.
            progress: Show a progress bar.

        Raises:
            NoStoreError: there is no store.
            RedactionError: the detector cannot be loaded; nothing was changed.
            StoreError: the store cannot be written; what was looked at before is kept.
        """
        from recall_lab.capture.refreshing import refresh_redaction

        with steps("redacting", show=progress) as step:
            if dry_run:
                return refresh_redaction(self.settings, dry_run=True, progress=step)
            _ = self.reader
            self.close()
            self._owe_mirror()
            done = refresh_redaction(self.settings, progress=step)
        self._renew_mirror(progress=progress)
        return replace(done, copies=self._copies()) if done.changed or done.strings else done

    # ---- how much ----

    def stats(self) -> Stats:
        """Count what the store holds by host and kind, and the room that each table and file takes."""
        from recall_lab.store.measuring import stats

        return stats(self.reader, self.settings.home)

    def own_use(self, by: str = "command", *, since: str | None = None) -> OwnUse:
        """Count how often recall_lab itself was used.

        Args:
            by: ``command``, ``month`` or ``repo``.
            since: A time as people type it; only from then on.

        Raises:
            UsageError: there is no such grouping.
        """
        from recall_lab.own_use import own_use

        return own_use(self.settings, by, since=since)

    def uninstall(self, *, really: bool = False) -> Removal:
        """Say what recall_lab made for this home; with ``really``, remove it. What it did not make stays.

        Raises:
            StoreBusyError: a capture is under way.
        """
        from recall_lab.uninstalling import plan, remove

        if not really:
            return plan(self.settings)
        self.close()
        return remove(self.settings)


def _scoped(scope: Scope, folder: Redacted | None, repo: Redacted | None) -> Scope:
    import msgspec

    return msgspec.structs.replace(scope, cwd=folder, repo=repo)
