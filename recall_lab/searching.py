"""The part of the Lab that searches: by a query, by a passage, and saying how a query was read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall_lab.asking import Names, Wish, ask, filters_of
from recall_lab.display import call_line
from recall_lab.evaluating import Evaluating
from recall_lab.hits import CitableHit, Hits
from recall_lab.model import Answer, Hit

if TYPE_CHECKING:
    from recall_lab.search import Explanation


class Searching(Evaluating):
    """Searches the history of one home."""

    def search(
        self,
        query: str,
        *,
        since: str | None = None,
        until: str | None = None,
        host: Names = None,
        role: Names = None,
        kind: Names = None,
        tool: Names = None,
        branch: Names = None,
        cwd: Path | str | None = None,
        session: Names = None,
        project: str | None = None,
        model: Names = None,
        has_error: bool = False,
        limit: int = 10,
        offset: int = 0,
        scope: str | None = None,
        require_all: bool = False,
        half_life_days: float | None = None,
        mode: str | None = None,
        prefer: Names = None,
    ) -> Hits:
        """Search the history; before there is an index, the newest raw transcripts, as far as 20 seconds reach.

        Args:
            query: Words, ``"exact phrases"``, ``-without``, ``prefix*``, AND, OR, NOT; other punctuation is literal.
            since: A time as people type it, in the user's zone: ``2026-05-01``, ``yesterday 3pm``, ``last 48h``.
            until: Likewise; a day is included.
            host: One name or several, as for the next ones: ``claude-code``, ``codex``.
            role: ``user``, ``assistant``, ``tool``, ``host``; every one but ``host`` when left out.
            kind: ``text``, ``tool_use``, ``tool_result``, ``summary``.
            tool: Names of tools.
            branch: Git branches.
            cwd: A folder; what happened in it or below.
            session: Native ids, or unambiguous heads of them.
            project: Part of a repository's or folder's name.
            model: Names of models.
            has_error: Only what failed.
            limit: At most so many hits, 1 to 1,000.
            offset: Skip so many.
            scope: ``repo`` (the repository of the working folder), ``session`` (the one of ``session``) or ``all``; by
                default ``repo`` inside a repository that has sessions, else ``all``.
            require_all: A hit must hold every word.
            half_life_days: After how many days half of the recency share is gone; 0 leaves age out.
            mode: ``lexical`` (by words, the default), ``semantic`` (by meaning) or ``hybrid`` (both).
            prefer: Roles and kinds that come first where the evidence is alike.

        Raises:
            NotFoundError: there is no index and no transcript.
            TimeError: a time cannot be understood.
            UsageError: a filter, scope or limit cannot be used.
        """
        wish = Wish(
            since=since,
            until=until,
            host=host,
            role=role,
            kind=kind,
            tool=tool,
            branch=branch,
            cwd=cwd,
            session=session,
            project=project,
            model=model,
            has_error=has_error,
            limit=limit,
            offset=offset,
            scope=scope,
            require_all=require_all,
            half_life_days=half_life_days,
            mode=mode,
            prefer=prefer,
        )
        answer = self._answer(query, wish)
        return Hits(answer, self, call_line("search", query, **wish.told()), cut=len(answer.hits) == limit)

    def _answer(self, query: str, wish: Wish) -> Answer:
        """Ask the index, or the raw transcripts while there is none."""
        if self.settings.store.exists():
            return ask(self.reader, query, wish, self.zone, model=self.settings.semantic_model)
        from recall_lab.search import cold_search

        seen = sys.stderr.isatty() or "IPython" in sys.modules
        return cold_search(
            self.settings, query, find=lambda reader, text: ask(reader, text, wish, self.zone), progress=seen
        )

    def explain(self, query: str, *, half_life_days: float | None = None, **wish: Any) -> Explanation:
        """Say how a query is read: what is looked for, how rare it is, and what it counts.

        Args:
            query: Anything that a person types; what the parts of a hit's score are is in its ``why.parts``.
            half_life_days: As for ``search``.
            wish: Filters of ``search``.

        Raises:
            NoStoreError: there is no index yet.
            UsageError: a filter cannot be used.
        """
        from recall_lab.search import SearchConfig, explain

        config = SearchConfig() if half_life_days is None else SearchConfig(half_life_days=half_life_days)
        return explain(self.reader, query, config=config, filters=filters_of(Wish(**wish), self.zone))

    def more_like(
        self,
        passage: str | Hit | CitableHit,
        *,
        since: str | None = None,
        until: str | None = None,
        host: Names = None,
        role: Names = None,
        kind: Names = None,
        project: str | None = None,
        limit: int = 10,
    ) -> Hits:
        """Find passages like one: a search for the words that set it apart.

        Args:
            passage: A hit, a receipt, or a block id or the head of one (then all of the block).
            since: As for ``search``, as the next ones.
            until: Likewise; a day is included.
            host: Names of hosts.
            role: Names of roles.
            kind: Names of kinds.
            project: Part of a repository's or folder's name.
            limit: At most so many hits.

        Raises:
            UnknownBlockError: there is no such block.
            TimeError, UsageError: a time or a filter cannot be used.
        """
        from recall_lab.search import more_like

        one = passage.hit if isinstance(passage, CitableHit) else passage
        block_id, start, end = self._passage(one)
        wish = Wish(since=since, until=until, host=host, role=role, kind=kind, project=project, limit=limit)
        answer = more_like(
            self.reader, block_id, start=start, end=end, filters=filters_of(wish, self.zone), limit=limit
        )
        named = one.receipt if isinstance(one, Hit) else one
        return Hits(answer, self, call_line("more_like", named, **wish.told()), cut=len(answer.hits) == limit)

    def _passage(self, passage: str | Hit) -> tuple[str, int, int | None]:
        """The block that a passage stands in, where it begins and ends; None for the block's end."""
        if isinstance(passage, Hit):
            return passage.block_id, passage.start, passage.end
        if "://" in passage:
            from recall_lab.evidence import parse_receipt

            receipt = parse_receipt(passage)
            return receipt.block_id, receipt.start, receipt.end
        return self.read(passage, length=0).block_id, 0, None
