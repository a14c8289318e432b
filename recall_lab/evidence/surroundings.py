"""What stands around the passages of a brief: the opening ask, and what reads like decisions and open problems."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recall_lab.evidence.excerpts import LONGEST, excerpt_of, head_of
from recall_lab.evidence.receipts import citation_of
from recall_lab.evidence.records import Excerpt
from recall_lab.model import Block
from recall_lab.store import Reader, session_reading
from recall_lab.store import reading as store

_CUED = 3  # decisions and problems that are shown of each
_SCANNED = 2000  # newest prose blocks of the cited sessions that are looked through for them

# English words that decisions and open problems are put in; what they find is labelled as found by them.
_DECISION = re.compile(
    r"\b(?:decid(?:ed|ing) (?:to|on|against|that)|decision(?: is)?:|we(?:'ll| will) (?:go|use|keep|drop)|going with|"
    r"chose|settled on|agreed (?:to|on|that)|rejected|ruled out|in favou?r of|let's (?:go with|use|keep|drop|stick))\b",
    re.IGNORECASE,
)
_PROBLEM = re.compile(
    r"\b(?:still (?:fail\w*|broken|open|missing|unclear)|not (?:yet|working)|(?:does|(?<=s )do)(?:n't| not) work|"
    r"todo\b|blocked (?:on|by)|unresolved|open (?:question|problem|issue)s?|remains? (?:open|unclear|to be)|"
    r"known issues?|needs? (?:a )?follow-?up|left (?:open|to do))\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


def surroundings(
    reader: Reader, passages: Sequence[Excerpt]
) -> tuple[Excerpt | None, tuple[Excerpt, ...], tuple[Excerpt, ...]]:
    """The opening ask of the first cited session; the newest decisions and open problems of all cited ones."""
    cited = list(dict.fromkeys((passage.host, passage.session) for passage in passages if passage.session))
    opening: Excerpt | None = None
    places: list[tuple[str, int, int]] = []
    for number, (host, native_id) in enumerate(cited):
        info = session_reading.find_session(reader, native_id, host)
        prose = [
            step
            for step in session_reading.steps(reader, info.session_id)
            if step.live and step.kind == "text" and step.role in {"user", "assistant"}
        ]
        asked = [step for step in prose if step.role == "user"]
        # What a host has a user say before the first prompt (turn 0) is no ask, where there is another.
        first = next((step for step in asked if step.turn > 0), None) or next(iter(asked), None)
        if number == 0 and first is not None:
            (block,) = store.blocks_at(reader, [(first.source_id, first.ord)])
            opening = excerpt_of(
                block, citation_of(block, 0, head_of(block.text)), "First prompt of the first session cited"
            )
        places += [(step.timestamp or "", step.source_id, step.ord) for step in prose]
    newest = sorted(places, reverse=True)[:_SCANNED]
    blocks = store.blocks_at(reader, [(source_id, ord_) for _, source_id, ord_ in newest])
    shown = {passage.citation.block_id for passage in passages}
    decisions = _cued(blocks, _DECISION, shown, "a decision")
    shown |= {found.citation.block_id for found in decisions}
    return opening, decisions, _cued(blocks, _PROBLEM, shown, "an open problem")


def _cued(blocks: Sequence[Block], cue: re.Pattern[str], shown: set[str], what: str) -> tuple[Excerpt, ...]:
    found: dict[str, Excerpt] = {}
    for block in blocks:
        match = cue.search(block.text) if block.block_id not in shown else None
        if match is None or block.block_id in found:
            continue
        start, end = _sentence(block.text, match.start(), match.end())
        reason = f"Reads like {what} (“{' '.join(match.group().split())}”); the newest come first"
        found[block.block_id] = excerpt_of(block, citation_of(block, start, end), reason)
        if len(found) == _CUED:
            break
    return tuple(found.values())


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence or line around a span, at most ``LONGEST`` code points."""
    low = max(0, start - LONGEST // 2)
    begins = low
    for match in _SENTENCE_END.finditer(text, low, start):
        begins = match.end()
    ending = _SENTENCE_END.search(text, end)
    ends = min(ending.end() if ending else len(text), end + LONGEST // 2)
    words = text[begins:ends]
    begins += len(words) - len(words.lstrip())
    return begins, begins + len(words.strip())
