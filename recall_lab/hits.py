"""What a search gives in a notebook: a sequence of hits that shows itself, becomes a frame, and cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import msgspec

from recall_lab.display import hit_place, hits_html, pieces, shortened, why_words
from recall_lab.model import Answer, Citation, Hit, Reading

if TYPE_CHECKING:
    import pandas as pd

    from recall_lab.evidencing import Evidence

_REPR_WIDTH = 100


class CitableHit:
    """A hit that can cite and read its block; every field of :class:`recall_lab.model.Hit` is an attribute.

    Attributes:
        hit: The record itself.
    """

    def __init__(self, hit: Hit, lab: Evidence) -> None:
        self.hit = hit
        self._lab = lab

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "hit":
            raise AttributeError(name)
        return getattr(self.hit, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *Hit.__struct_fields__})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CitableHit) and self.hit == other.hit

    def __hash__(self) -> int:
        return hash(self.hit.receipt)

    def cite(self, quote: str | None = None) -> Citation:
        """Cite exact words of the hit's block.

        Args:
            quote: The words; the whole passage when left out. Where they stand several times in the block, the
                occurrence in the passage is taken.

        Returns:
            A citation with offsets in code points of the block.

        Raises:
            CitationError: the words are not in the block.
        """
        return self._lab.cite(self.hit, quote)

    def read(self, *, neighbors: int = 2) -> Reading:
        """Read the whole block in its place."""
        return self._lab.read(self.hit.block_id, neighbors=neighbors)

    def __repr__(self) -> str:
        return f"Hit({self.hit.receipt}, tier={self.hit.why.tier!r}, score={self.hit.score:.3f})"

    def _repr_html_(self) -> str:
        return hits_html("", [self.hit], self._lab.zone)


class Hits(Sequence[CitableHit]):
    """The hits of one search, best first.

    Attributes:
        answer: The whole answer: scope, what was searched, what was gated, the notice.
        code: The line that repeats the search.
        cut: Whether there may be more hits than these.
    """

    def __init__(self, answer: Answer, lab: Evidence, code: str, *, cut: bool = False) -> None:
        self.answer = answer
        self.cut = cut
        self.code = code
        self._lab = lab

    def __len__(self) -> int:
        return len(self.answer.hits)

    @overload
    def __getitem__(self, index: int) -> CitableHit: ...
    @overload
    def __getitem__(self, index: slice) -> Hits: ...
    def __getitem__(self, index: int | slice) -> CitableHit | Hits:
        if isinstance(index, slice):
            answer = msgspec.structs.replace(self.answer, hits=self.answer.hits[index])
            return Hits(answer, self._lab, self.code, cut=self.cut or len(answer.hits) < len(self))
        return CitableHit(self.answer.hits[index], self._lab)

    def __iter__(self) -> Iterator[CitableHit]:
        return (CitableHit(hit, self._lab) for hit in self.answer.hits)

    def frame(self) -> pd.DataFrame:
        """The hits as a table: one row each, the fields of a hit, its WHY in columns of their own."""
        import pandas as pd

        why_fields = [f"why_{name}" for name in ("tier", "terms", "phrases", "identifiers", "neighbors", "recency")]
        fields = [name for name in Hit.__struct_fields__ if name != "why"]
        rows = [
            [getattr(hit, name) for name in fields]
            + [getattr(hit.why, name.removeprefix("why_")) for name in why_fields]
            for hit in self.answer.hits
        ]
        frame = pd.DataFrame(rows, columns=[*fields, *why_fields])
        frame["timestamp"] = pd.to_datetime(frame["timestamp"], utc=True, format="ISO8601")
        return frame

    def heading(self) -> str:
        """Say what was searched and found, in one line."""
        answer = self.answer
        if not answer.hits and answer.notice:  # which says what was searched, too
            return f"0 hits for “{shortened(answer.query, 60)}”; {answer.notice.rstrip('.')}."
        found = ("The best " if self.cut else "") + f"{len(self)} hit" + ("" if len(self) == 1 else "s")
        line = f"{found} for “{shortened(answer.query, 60)}” in {answer.searched.blocks:,} blocks of "
        line += f"{answer.searched.sessions:,} sessions (scope {answer.scope})"
        if answer.outside_scope:
            line += f"; {answer.outside_scope:,} more outside the scope"
        if answer.gated:
            line += f"; {answer.gated:,} matched only common words and are left out"
        line += "."
        return f"{line} {answer.notice.rstrip('.')}." if answer.notice else line

    def __repr__(self) -> str:
        lines = [self.heading()]
        for number, hit in enumerate(self.answer.hits, 1):
            passage = "".join(
                f"[{text}]" if marked else text for text, marked in pieces(hit.text, hit.spans, hit.start)
            )
            lines += [
                f"{number:>3}. {' · '.join(hit_place(hit, self._lab.zone))}",
                f"     {shortened(passage, _REPR_WIDTH)}",
                f"     {'; '.join(why_words(hit.why))}",
                f"     {hit.receipt}",
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return hits_html(self.heading(), self.answer.hits, self._lab.zone)
