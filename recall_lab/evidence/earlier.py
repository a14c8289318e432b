"""Looking through texts that no transcript holds any more."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from recall_lab.errors import UsageError
from recall_lab.evidence.records import EarlierText
from recall_lab.model import Redacted
from recall_lab.search.query import parse
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store.read_records import StoredText
from recall_lab.text import OffsetMap, fold

_AROUND_WORD = 120  # code points that are shown on either side


def find_revisions(reader: Reader, words: str, *, limit: int = 10) -> tuple[EarlierText, ...]:
    """Find words in the texts that no transcript holds any more; search looks through the others.

    A text is found when it holds every word, and every "phrase" as it stands; case and accents are folded, ``-word``
    leaves out the texts that hold it. The newest texts come first.

    Raises:
        UsageError: there is nothing to look for.
    """
    clauses = [(fold(clause.text), clause.excluded) for clause in parse(words).clauses]
    wanted = [text for text, excluded in clauses if not excluded]
    if not wanted:
        raise UsageError(f"revisions with what? {words!r} holds no word to look for")

    def holds(text: str) -> bool:
        folded = fold(text)
        return all((word in folded) is not excluded for word, excluded in clauses)

    with store.snapshot(reader):
        found = store.matching_revisions(reader, holds, limit)
        pinned = {block: store.pinned_hashes(reader, block) for block in {one.block_id for one in found}}
    return tuple(_earlier(one, wanted[0], pinned=one.content_hash in pinned[one.block_id]) for one in found)


def _earlier(stored: StoredText, word: str, *, pinned: bool) -> EarlierText:
    """Show a text around the place where the first word stands."""
    text = stored.text
    at = _place_of(text, word)
    start = max(0, at - _AROUND_WORD)
    end = min(len(text), at + len(word) + _AROUND_WORD)
    return EarlierText(
        block_id=stored.block_id,
        content_hash=stored.content_hash,
        text=Redacted(text[start:end]),
        start=start,
        end=end,
        length=len(text),
        pinned=pinned,
    )


def _place_of(text: str, word: str) -> int:
    """Where a folded word stands in a text, however it is written there; 0 when its letters stand apart."""
    offsets = OffsetMap(text)
    folded = [fold(char) for char in offsets.form]
    found = "".join(folded).find(word)
    if found < 0:
        return 0
    at = bisect_right(list(accumulate(map(len, folded))), found)
    return offsets.original(at, at + 1)[0]
