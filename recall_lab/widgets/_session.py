"""Shows a session in pages, and checks and cites what is selected in one of its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recall_lab.display import call_line, one_line
from recall_lab.errors import NotFoundError
from recall_lab.model import Block, Check, Citation
from recall_lab.widgets._base import Telling
from recall_lab.widgets._reader import check_line
from recall_lab.widgets._session_shown import PART, Spans, agent_shown, block_shown, key_of, session_place, turn_shown
from recall_lab.widgets.views import SessionReaderView, View

if TYPE_CHECKING:
    from recall_lab.evidence import PagedSession, SessionPage
    from recall_lab.lab import Lab

LEAD = 1_000  # code points shown before what is looked at, where it stands far into its block
PLACES = 200  # places of the same words that are listed
ID = 32  # characters of a block's id, with which its key begins


class SessionReader:
    """Drives a :class:`SessionReaderView`.

    Attributes:
        view: The view.
        session: The session that is open; ``None`` before one is, or for a block that no session holds any more.
        page: The blocks that are shown.
        block: The block that is looked at: that was opened, or in which words were selected last.
        citation: What was selected or checked last and stands in its block.
        check: What the last check found.
    """

    def __init__(self, lab: Lab, view: SessionReaderView, telling: Telling) -> None:
        self.lab = lab
        self.view = view
        self.session: PagedSession | None = None
        self.page: SessionPage | None = None
        self.block: str | None = None
        self.citation: Citation | None = None
        self.check: Check | None = None
        self._telling = telling
        self._blocks: dict[str, Block] = {}
        self._starts: dict[str, int] = {}  # of blocks, where the part that is shown begins
        self._marks: dict[str, list[tuple[str, tuple[int, int]]]] = {}
        self._places: list[tuple[int, int, str]] = []  # of the words that were checked
        self._turn_page = 1
        self._serial = 0
        self._messages: dict[str, Callable[[dict[str, Any]], None]] = {
            "select": lambda said: self.select(str(said["key"]), int(said["start"]), int(said["end"])),
            "page": lambda said: self.turn_to(int(said["page"])),
            "turns": lambda said: self._show_turns(int(said["page"])),
            "turn": lambda said: self.open_turn(int(said["turn"])),
            "part": lambda said: self._show_part(str(said["key"]), int(said["direction"])),
            "session": lambda said: self.open_session(str(said["session"])),
            "parent": lambda _: self.open_parent(),
            "place": lambda said: self._go_to_place(int(said["index"])),
            "add": lambda _: self.add(),
        }
        view.on_msg(self._on_message)

    # ---- opening ----

    def open_session(self, session: str, *, host: str | None = None, dead: bool = False) -> None:
        """Show the first page of a session.

        Args:
            session: Its native id, a head of it, or a subagent's id.
            host: The host, where two hosts use the same id.
            dead: Also blocks on dead branches.

        Raises:
            NotFoundError: no session is called that.
            UsageError: several are.
        """
        opened = self.lab.pages(session, host=host, dead=dead)
        self._forget()
        self.session = opened
        self.turn_to(1)

    def open_block(self, block: str, matches: Spans = (), start: int = 0, revision: str | None = None) -> None:
        """Show the page of a session on which a block stands.

        Args:
            block: Its id, a head of one, or a receipt.
            matches: Spans to highlight, in code points of the block.
            start: What should be in sight.
            revision: Of a block that no session holds any more, the hash of the text to show.

        Raises:
            UnknownBlockError: there is no such block.
        """
        reading = self.lab.read(block, revision=revision)
        if reading.start:  # a receipt, which reads its span
            start = start or reading.start
        self._forget()
        self.session = self.page = None
        for dead in (False, True) if reading.session else ():
            self.session = self.lab.pages(reading.session, host=reading.host, dead=dead)
            page = self.session.page_of_block(reading.block_id)
            if page is not None:
                self._load(page)
                break
        if not any(one.block_id == reading.block_id for one in self._blocks.values()):
            self._load_alone(reading.block_id, reading.content_hash)
        key = next(key for key, one in self._blocks.items() if one.block_id == reading.block_id)
        self.block = key
        self._starts[key] = 0 if start < PART - LEAD else start - LEAD
        self._marks[key] = [("match", span) for span in matches]
        self._draw()
        self._reveal(key)

    def verify(self, cited: Citation | str) -> None:
        """Show a citation's block, and what a check of it says.

        Args:
            cited: A citation, a receipt, or the JSON of a Web Annotation or of a citation.
        """
        from recall_lab.evidence import parse_pasted

        check = self.lab.check(cited)
        block = cited.block_id if isinstance(cited, Citation) else parse_pasted(cited).block
        self.open_block(block, start=check.start or 0, revision=check.content_hash)
        assert self.block is not None
        self._judge(self.block, check)

    def open_turn(self, turn: int) -> None:
        """Show the page on which a turn begins.

        Raises:
            NotFoundError: the session has no such turn, or none is open.
        """
        session = self._opened()
        self.turn_to(session.page_of_turn(turn))
        assert self.page is not None
        first = next((key for key, block in self._blocks.items() if block.turn == turn), None)
        if first is not None:
            self._reveal(first)

    def open_time(self, time: str) -> None:
        """Show what was going on at a time, as people type it.

        Raises:
            TimeError: the time cannot be understood.
            NotFoundError: no block of the session has a time, or no session is open.
        """
        self.open_turn(self._opened().turn_at(time, self.lab.zone))

    def open_parent(self) -> None:
        """Show the session that called the one that is open, where it did.

        Raises:
            NotFoundError: it has none, or that one is not captured.
        """
        child = self._opened().info
        if child.parent_id is None:
            raise NotFoundError("no other session called this one")
        self.open_session(child.parent_id, host=child.host)
        assert self.session is not None
        place = self.session.page_of_agent(child.native_id)
        if place is None:
            return
        self.turn_to(place)
        assert self.page is not None
        after = next((one.after for one in self.page.called if one.session.native_id == child.native_id), None)
        if after is not None and after < len(self._blocks):
            self._reveal(list(self._blocks)[after])

    def turn_to(self, number: int) -> None:
        """Show another page of the session.

        Raises:
            NotFoundError: there is no such page, or no session is open.
        """
        self._load(number)
        self._draw()
        if self._blocks:
            self._reveal(next(iter(self._blocks)))

    def _load(self, number: int) -> None:
        session = self._opened()
        self.page = session.page(number)
        self._blocks = {key_of(block): block for block in self.page.blocks}
        if self.page.blocks:
            self._turn_page = session.turn_page(self.page.blocks[0].turn)

    # ---- checking and citing ----

    def select(self, key: str, start: int, end: int) -> None:
        """Cite a span of a block that is shown.

        Args:
            key: What the view calls the block.
            start: First code point.
            end: Exclusive end.

        Raises:
            CitationError: the span is not in the block.
        """
        if key not in self._blocks:
            return
        citation = self.lab.cite(f"recall-lab://{key}#{start}-{end}")
        self._judge(key, self.lab.check(citation), citation)

    def look_for(self, quote: str) -> None:
        """Check whether exact words stand in the block that is looked at, and show where.

        Raises:
            NotFoundError: no block is looked at.
        """
        if self.block is None:
            raise NotFoundError("there is no block to look in; open one, or select words in it")
        self._judge(self.block, self.lab.check(self.block[:ID], quote))
        self._reveal(self.block)

    def add(self) -> None:
        """Add what was cited last to the draft of the brief."""
        if self.citation is not None:
            self.lab.draft.add(self.citation)
            self.view.cited = {**self.view.cited, "added": self._added()}

    def _added(self) -> str:
        place = None if self.citation is None else self.lab.draft.find(self.citation.receipt)
        return "" if place is None else f"In the brief as number {place + 1}"

    def _judge(self, key: str, check: Check, citation: Citation | None = None) -> None:
        self.block, self.check, self.citation = key, check, None
        cited: dict[str, Any] = {"key": key, "verdict": check.verdict, "message": check_line(check)}
        facts = [["hash", check.content_hash or "-"], ["block", key[:ID]]]
        here: Spans = ()
        if check.start is not None and check.end is not None:
            facts.insert(0, ["characters", f"{check.start:,} to {check.end:,}, counted in code points"])
            here = [(check.start, check.end)]
        if check.valid and here:
            self.citation = citation or self.lab.cite(key[:ID], start=here[0][0], end=here[0][1])
            cited |= {"receipt": self.citation.receipt, "code": call_line("check", self.citation.receipt)}
            cited["added"] = self._added()
        self._places = [(start, end, "exact") for start, end in check.occurrences]
        self._places += [(near.start, near.end, near.why) for near in check.near]
        listed = self._places[:PLACES]
        if len(listed) > 1 or check.near:
            more = f", the first {PLACES} of them" if len(self._places) > PLACES else ""
            cited["places_label"] = f"{len(self._places):,} places{more}:" if len(self._places) > 1 else "nearly there:"
            cited["places"] = [
                {"label": f"{start:,}-{end:,}", "why": why, "here": [(start, end)] == here}
                for start, end, why in listed
            ]
        cited["facts"] = facts
        self.view.cited = cited
        shown = [("also", (start, end)) for start, end, _ in self._places]
        self._marks = {key: [*shown, *(("here", span) for span in here)]}
        self._bring(key, here[0][0] if here else None)
        self._draw_blocks()

    def _go_to_place(self, index: int) -> None:
        """Look at another place of the words that were checked; it becomes the citation where it is exact."""
        if self.block is None or not 0 <= index < len(self._places):
            return
        start, end, why = self._places[index]
        key = self.block
        if why == "exact" and self.check is not None and self.check.valid:
            self.select(key, start, end)
        else:
            self._marks[key] = [("also", (start, end))]
            self._bring(key, start)
            self._draw_blocks()
        self._reveal(key)

    # ---- drawing ----

    def _forget(self) -> None:
        self.block = self.citation = self.check = None
        self._starts, self._marks, self._places = {}, {}, []
        self.view.cited = {}

    def _opened(self) -> PagedSession:
        if self.session is None:
            raise NotFoundError("no session is open; name one, or a block of one")
        return self.session

    def _load_alone(self, block_id: str, revision: str) -> None:
        """Take a text of a block that no session holds any more."""
        reading = self.lab.read(block_id, revision=revision)
        self.session = self.page = None
        alone = Block(
            block_id=reading.block_id,
            content_hash=reading.content_hash,
            role=reading.role,
            kind=reading.kind,
            text=reading.text,
            host=reading.host,
            session="",
            turn=0,
            ord=0,
            original_length=reading.length,
        )
        self._blocks = {key_of(alone): alone}

    def _show_turns(self, page: int) -> None:
        self._opened().turn_lines(page)  # refuses a page that is not there
        self._turn_page = page
        self._draw_frame()

    def _show_part(self, key: str, direction: int) -> None:
        if key in self._blocks:
            step = PART if direction > 0 else -PART
            self._starts[key] = min(max(0, self._starts.get(key, 0) + step), max(0, len(self._blocks[key].text) - 1))
            self._draw_blocks()

    def _bring(self, key: str, start: int | None) -> None:
        """Show the part of a block in which something stands."""
        begin = self._starts.get(key, 0)
        if start is not None and not begin <= start < begin + PART:
            self._starts[key] = max(0, start - LEAD)

    def _reveal(self, key: str) -> None:
        self._serial += 1
        self.view.reveal = {"key": key, "serial": self._serial}

    def _draw(self) -> None:
        self._draw_frame()
        self._draw_blocks()

    def _draw_frame(self) -> None:
        session, page = self.session, self.page
        if session is None or page is None:
            self.view.shown = {"title": "", "place": "No session holds this block any more; this is its last text"}
            return
        info = session.info
        here = {block.turn for block in page.blocks}
        lines = session.turn_lines(self._turn_page)
        last = page.first + len(page.blocks) - 1
        self.view.shown = {
            "title": one_line(info.title or ""),
            "place": " · ".join(
                [*session_place(info, self.lab.zone), f"blocks {page.first:,}-{last:,} of {page.total:,}"]
            ),
            "page": page.page,
            "pages": page.pages,
            "parent": info.parent_id is not None,
            "agents": [agent_shown(one.session) for one in page.called if one.after is None],
            "turns": [turn_shown(line, line.turn in here, self.lab.zone) for line in lines],
            "turn_page": self._turn_page,
            "turn_pages": session.turn_pages,
        }

    def _draw_blocks(self) -> None:
        called: dict[int, list[dict[str, str]]] = {}
        if self.page is not None:
            for one in self.page.called:
                if one.after is not None:
                    called.setdefault(one.after, []).append(agent_shown(one.session))
        self.view.blocks = [
            block_shown(block, self._starts.get(key, 0), self._marks.get(key, ()), called.get(at, []), self.lab.zone)
            for at, (key, block) in enumerate(self._blocks.items())
        ]

    def _on_message(self, _view: View, content: Any, _buffers: object) -> None:
        if not isinstance(content, dict) or content.get("type") not in self._messages:
            return
        with self._telling(self.view):
            self._messages[content["type"]](content)
