"""What is gathered for a brief before it is written: quotations in an order, with notes and headings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from recall_lab.display import shortened, table_html
from recall_lab.errors import UsageError
from recall_lab.evidence import Chosen, chosen_hit
from recall_lab.hits import CitableHit
from recall_lab.model import Citation, Hit

_SHOWN = 80


class Draft:
    """The quotations gathered for a brief, in order; ``lab.brief(question, lab.draft)`` writes it.

    It lives as long as its Lab; a saved brief is what lasts. Panels show it and are told when it changes.
    """

    def __init__(self) -> None:
        self._items: list[Chosen] = []
        self._watchers: list[Callable[[], None]] = []

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Chosen]:
        return iter(tuple(self._items))

    def __getitem__(self, at: int) -> Chosen:
        return self._items[at]

    def add(
        self, chosen: Citation | Chosen | Hit | CitableHit, note: str | None = None, section: str | None = None
    ) -> int:
        """Put a quotation at the end; one that is there already stays where it is.

        Args:
            chosen: A citation, or a hit (its passage, with the reason why it was found).
            note: What the writer says of it.
            section: The heading that it stands under.

        Returns:
            Its place, from 0.
        """
        item = _chosen(chosen)
        place = self.find(item.citation.receipt)
        if place is None:
            place = len(self._items)
            self._items.append(item)
        self.change(
            place, note=note or self._items[place].note or "", section=section or self._items[place].section or ""
        )
        return place

    def find(self, receipt: str) -> int | None:
        """Say where a quotation stands; None when it is not there."""
        return next((at for at, item in enumerate(self._items) if item.citation.receipt == receipt), None)

    def change(self, at: int, *, note: str | None = None, section: str | None = None) -> None:
        """Give a quotation another note or heading; an empty one takes it away, None leaves it.

        Raises:
            UsageError: there is no such place.
        """
        item = self._items[self._place(at)]
        self._items[at] = msgspec.structs.replace(
            item,
            note=item.note if note is None else note.strip() or None,
            section=item.section if section is None else section.strip() or None,
        )
        self._tell()

    def move(self, at: int, to: int) -> None:
        """Put a quotation at another place; past an end means that end.

        Raises:
            UsageError: there is no such place.
        """
        item = self._items.pop(self._place(at))
        self._items.insert(max(0, to), item)
        self._tell()

    def remove(self, at: int) -> None:
        """Take a quotation out.

        Raises:
            UsageError: there is no such place.
        """
        del self._items[self._place(at)]
        self._tell()

    def clear(self) -> None:
        """Take everything out."""
        self._items.clear()
        self._tell()

    def watch(self, call: Callable[[], None]) -> None:
        """Call back after each change."""
        self._watchers.append(call)

    def unwatch(self, call: Callable[[], None]) -> None:
        """Do not call back any more."""
        if call in self._watchers:
            self._watchers.remove(call)

    def _tell(self) -> None:
        for call in tuple(self._watchers):
            call()

    def _place(self, at: int) -> int:
        if not 0 <= at < len(self._items):
            raise UsageError(f"the draft holds {len(self._items)} quotations; there is none at {at}")
        return at

    def __repr__(self) -> str:
        lines = [f"{at}. {shortened(item.citation.quote, _SHOWN)}" for at, item in enumerate(self._items)]
        return "\n".join([f"<Draft of {len(self._items)} quotations>", *lines])

    def _repr_html_(self) -> str:
        rows: list[tuple[Any, ...]] = [
            (at, item.section or "", item.citation.quote, item.note or "", item.citation.receipt)
            for at, item in enumerate(self._items)
        ]
        return table_html(("#", "section", "words", "note", "receipt"), rows, f"{len(rows)} quotations for a brief")


def _chosen(item: Citation | Chosen | Hit | CitableHit) -> Chosen:
    if isinstance(item, Chosen):
        return item
    if isinstance(item, CitableHit):
        item = item.hit
    return chosen_hit(item) if isinstance(item, Hit) else Chosen(citation=item)
