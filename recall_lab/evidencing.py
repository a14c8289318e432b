"""The part of the Lab that reads, cites, checks and hands on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall_lab.analysis import Analysis
from recall_lab.errors import UsageError
from recall_lab.hits import CitableHit, Hits
from recall_lab.model import Check, Citation, Hit, Reading, Verification

if TYPE_CHECKING:
    from recall_lab.briefs import LabBrief
    from recall_lab.drafting import Draft
    from recall_lab.evidence import (
        Continuation,
        EarlierText,
        PagedSession,
        Repeat,
        Repository,
        RetainedText,
        SessionView,
        SkillDraft,
    )
    from recall_lab.search import RelatedSession
    from recall_lab.store.read_records import SessionInfo


class Evidence(Analysis):
    """Reads and cites from the store of one home."""

    _draft: Draft | None = None

    def cite(
        self,
        block: str | Hit | CitableHit,
        quote: str | None = None,
        *,
        start: int | None = None,
        end: int | None = None,
    ) -> Citation:
        """Cite exact words of a block, a span of it, or a hit's passage.

        Args:
            block: A block id, a head of one, a receipt, or a hit.
            quote: The words; of a hit the whole passage, of a block the span or the whole text when left out.
            start: Where the span starts, in code points; with a quote, which of its places is meant.
            end: Where the span ends, exclusive; at the text's end when left out.

        Raises:
            CitationError: the words are not in the block, or the span is not.
            UnknownBlockError: there is no such block.
        """
        from recall_lab.evidence import cite

        hit = block.hit if isinstance(block, CitableHit) else block
        revision = hit.content_hash if isinstance(hit, Hit) else None
        block_id = hit.block_id if isinstance(hit, Hit) else hit
        span = (hit.start, hit.end) if isinstance(hit, Hit) else None
        if start is not None or end is not None:
            first = start or 0
            if end is None and quote is None:
                end = self.read(block_id, start=0, length=0, revision=revision).length
            span = (first, first + len(quote or "") if end is None else end)
        return cite(self.reader, block_id, quote=quote, span=span, revision=revision)

    def check(self, block: str | Citation, quote: str | None = None, *, expected_hash: str | None = None) -> Check:
        """Check a citation, or words against a block: valid or not, every occurrence, changed or gone since.

        Args:
            block: A citation, a receipt, or a block id.
            quote: The exact words; a citation and a receipt have their own.
            expected_hash: The content hash that the citation was made from, or a head of it.

        Raises:
            UnknownBlockError: there is no such block.
            UsageError: there is nothing to check, or an id is malformed.
        """
        from recall_lab.evidence import check, check_citation

        if isinstance(block, Citation):
            return check_citation(self.reader, block)
        return check(self.reader, block, quote, expected_hash=expected_hash)

    def read(
        self,
        block: str,
        *,
        start: int = 0,
        length: int | None = None,
        neighbors: int = 0,
        revision: str | None = None,
    ) -> Reading:
        """Read a block, or a span of it, in its place.

        Args:
            block: A block id, a head of one (8 hex or more), or a receipt.
            start: First code point.
            length: How many code points; to the end when left out.
            neighbors: How many blocks before and after to bring along.
            revision: The content hash, or a head of it, of an earlier text.

        Raises:
            UnknownBlockError: there is no such block, or no text of it has this hash.
            UsageError: an id is malformed, or a number is negative.
        """
        from recall_lab.evidence import read

        return read(self.reader, block, start=start, length=length, neighbors=neighbors, revision=revision)

    def sessions(self, **filters: Any) -> tuple[SessionInfo, ...]:
        """List sessions, the newest first; filters as :func:`recall_lab.store.session_reading.sessions` has them."""
        from recall_lab.store.session_reading import sessions

        return sessions(self.reader, **filters)

    def session(self, session: str, **view: Any) -> SessionView:
        """Look at one session; views as :func:`recall_lab.evidence.session_view` has them."""
        from recall_lab.evidence import session_view

        return session_view(self.reader, session, zone=self.zone, **view)

    def pages(self, session: str, **options: Any) -> PagedSession:
        """Open a session to read it in pages; options as :func:`recall_lab.evidence.open_session` has them.

        Raises:
            NotFoundError: no session is called that.
            UsageError: several are.
        """
        from recall_lab.evidence import open_session

        return open_session(self.reader, session, **options)

    @property
    def draft(self) -> Draft:
        """What is gathered for a brief in this Lab, by hand and in panels; ``lab.brief(question, lab.draft)``."""
        if self._draft is None:
            from recall_lab.drafting import Draft

            self._draft = Draft()
        return self._draft

    def brief(
        self, question: str, chosen: Hits | Iterable[Any] | None = None, *, observe: bool = False, **options: Any
    ) -> LabBrief:
        """Make a document of citations; ``.save(path)`` writes it as .md, .html, .ipynb or .json.

        Args:
            question: What it answers.
            chosen: Hits, citations or receipts in the order wanted, or ``lab.draft``; the best passages for the
                question when left out.
            observe: Also say which branch and commit the working folder's repository is at now.
            options: More for :func:`recall_lab.evidence.compose`: session, notes, remarks, sections, reasons, title,
                filters, limit, surroundings.

        Raises:
            UsageError: there is neither a question nor anything chosen.
            CitationError: a citation's words are not in its block.
        """
        from recall_lab.briefs import LabBrief
        from recall_lab.evidence import compose

        picked = None if chosen is None else [self._picked(item) for item in chosen]
        options.setdefault("zone", self.zone)
        if observe:
            options.setdefault("repository", self._observed(Path.cwd()))
        return LabBrief(compose(self.reader, question, picked, **options))

    def _picked(self, item: Any) -> Any:
        if isinstance(item, CitableHit):
            return item.hit
        return self.cite(item) if isinstance(item, str) else item

    def _observed(self, folder: Path) -> Repository:
        """What git's files say of a folder; its names go into a document, so they pass the detector like others."""
        import msgspec

        from recall_lab.capture.rules import open_rules
        from recall_lab.evidence import observe

        seen = observe(folder)
        where, branch = (one.text for one in open_rules(self.settings).redact([seen.folder, seen.branch or ""]))
        return msgspec.structs.replace(seen, folder=where, branch=branch or None)

    def verify(self, path: Path | str, *, strict: bool = False, edits: bool = False) -> Verification:
        """Check every receipt in a file again, and that a brief is as it was saved.

        Args:
            path: The file.
            strict: Fail also what cannot be told: a receipt without its words beside it, a file without a seal.
            edits: Let the writer change what stands around the quotations and receipts.

        Raises:
            NotFoundError: there is no such file.
            UsageError: it cannot be read.
        """
        from recall_lab.evidence import verify

        return verify(self.reader, path, strict=strict, edits=edits)

    def revisions(self, block: str) -> tuple[RetainedText, ...]:
        """List the retained texts of a block: current ones first, then earlier ones, the newest first.

        Raises:
            UnknownBlockError: there is no such block.
        """
        from recall_lab.evidence import revisions

        return revisions(self.reader, block)

    def find_revisions(self, words: str, *, limit: int = 10) -> tuple[EarlierText, ...]:
        """Find words in earlier texts, which no transcript holds any more; the newest come first.

        Args:
            words: What the text must hold: words, "phrases", ``-words`` that it must not.
            limit: At most so many texts.

        Raises:
            UsageError: there is nothing to look for.
        """
        from recall_lab.evidence import find_revisions

        return find_revisions(self.reader, words, limit=limit)

    # ---- what a session is good for next ----

    def related(
        self,
        session: str | None = None,
        *,
        repo: str | None = None,
        branch: str | None = None,
        folder: Path | str | None = None,
        limit: int = 10,
    ) -> tuple[RelatedSession, ...]:
        """Find sessions that share descent, repository, branch or touched files, each with what it shares.

        Args:
            session: A native id, or an unambiguous head of it; else a repository is what counts.
            repo: A repository's key; the one of ``folder`` when left out.
            branch: A branch of it; the one that is checked out in ``folder`` when neither is named.
            folder: A folder of the repository; the working folder when left out.
            limit: At most so many.

        Raises:
            UsageError: the session is not known, or no session belongs to the folder's repository.
        """
        from recall_lab.asking import repository_with_sessions
        from recall_lab.evidence import observe
        from recall_lab.search import related

        if session is None and repo is None:
            place = Path(folder or Path.cwd()).expanduser().absolute()
            repo = repository_with_sessions(self.reader, place)
            if repo is None:
                raise UsageError(f"no session belongs to the repository of {place}; name a session or a repository")
            branch = branch or observe(place).branch
        return related(self.reader, session=session, repo=repo, branch=branch, limit=limit)

    def continue_session(self, session: str, *, host: str | None = None) -> Continuation:
        """Show where a session was left: last prompts, words and tool calls, open errors, folder and branch.

        Raises:
            NotFoundError: no session is called that.
            UsageError: several are.
        """
        from recall_lab.evidence import continue_session

        return continue_session(self.reader, session, host=host)

    def repeat_session(self, session: str, *, host: str | None = None) -> Repeat:
        """Show the prompts that drove a session, verbatim, each with its receipt.

        Raises:
            NotFoundError: no session is called that.
            UsageError: several are.
        """
        from recall_lab.evidence import repeat_session

        return repeat_session(self.reader, session, host=host)

    def skillify(self, session: str, **window: Any) -> SkillDraft:
        """Draft a SKILL.md from a window of a session; :func:`recall_lab.evidence.skillify` has the options.

        Raises:
            NotFoundError: no session is called that, or the window holds nothing.
            UsageError: several are, or the window runs backwards.
        """
        from recall_lab.evidence import skillify

        return skillify(self.reader, session, **window)

    def export_page(self, target: str | None = None, **options: Any) -> dict[str, Any]:
        """Return one page of a session as ``recall.session-export.v1``.

        Args:
            target: A session's native id, its transcript, or a receipt of one of its blocks.
            options: current, cursor, limit and host of :func:`recall_lab.evidence.export_page`.

        Raises:
            NotFoundError: no such session, or the current one cannot be told.
            UsageError: not exactly one of target, current and cursor, or a cursor that cannot be used.
        """
        from recall_lab.evidence import export_page

        return export_page(self.reader, self.settings.home / "cursors", target=target, **options)

    def session_relations(self, target: str, **options: Any) -> dict[str, Any]:
        """Return the graph of the sessions that belong to one as ``recall.session-relations.v1``.

        Args:
            target: A session's native id, whole.
            options: host, include_children and chain of :func:`recall_lab.evidence.session_relations`.

        Raises:
            NotFoundError: no such session, or the chain names one that is not captured.
        """
        from recall_lab.evidence import session_relations

        return session_relations(self.reader, target, **options)
