"""Finding the stretch of a text that is most like a quotation, for words that were edited since; pure."""

from __future__ import annotations

from recall_lab.model import Near

_ALIKE = 80.0  # percent of similarity below which words are called different
_SHORT = 96  # code points of a quote that is looked for as a whole
_PROBE = 64
_LIKELY = 60.0  # percent of similarity that the best of the probes has, where the quote is alike enough
_SURE = 95.0  # percent of similarity above which no better place is looked for
_DRIFT = 0.25  # of the quote's length, by which insertions and deletions may move its ends


def approximate(text: str, quote: str) -> Near | None:
    """Return the stretch of the text that is most like the quote, if it is alike enough; never a valid quotation.

    Similarity is the normalised Indel ratio (twice the longest common subsequence over both lengths), as rapidfuzz
    computes it. A short quote is compared with every window of the text. Of a longer one five pieces are looked for
    like that; each that is found says where the ends should be, the ends are looked for around there, and the whole is
    compared with what stands between them.
    """
    from rapidfuzz import fuzz

    if len(quote) < 8 or len(text) * len(quote) > 200_000_000 or len(text) < len(quote) // 2:
        return None
    if len(quote) <= _SHORT:
        best = fuzz.partial_ratio_alignment(quote, text, score_cutoff=_ALIKE)
        return None if best is None else _near_at(best.dest_start, best.dest_end, best.score)
    drift = int(len(quote) * _DRIFT) + _PROBE
    found: Near | None = None
    score = _ALIKE
    for begins in _likely_starts(text, quote):
        start = _end_near(text, quote[:_PROBE], begins, drift)[0]
        end = _end_near(text, quote[-_PROBE:], begins + len(quote) - _PROBE, drift)[1]
        alike = fuzz.ratio(quote, text[start:end], score_cutoff=score) if start < end else 0.0
        if alike > score or (alike == score and found is None):
            score, found = alike, _near_at(start, end, alike)
        if score > _SURE:
            break
    return found


def _likely_starts(text: str, quote: str) -> set[int]:
    """Where the quote would begin, by five pieces of it, where the text has something like them."""
    from rapidfuzz import fuzz

    last = len(quote) - _PROBE
    starts: set[int] = set()
    for at in {last * part // 4 for part in range(5)}:
        best = fuzz.partial_ratio_alignment(quote[at : at + _PROBE], text, score_cutoff=_LIKELY)
        if best is not None:
            starts.add(best.dest_start - at)
    return starts


def _end_near(text: str, piece: str, about: int, drift: int) -> tuple[int, int]:
    """Where a piece of the quote stands around a place: there, unless something is more like it nearby."""
    from rapidfuzz import fuzz

    start, end = max(0, about), min(len(text), max(0, about + len(piece)))
    here = fuzz.ratio(piece, text[start:end])
    low, high = max(0, about - drift), min(len(text), max(0, about + len(piece) + drift))
    best = fuzz.partial_ratio_alignment(piece, text[low:high], score_cutoff=max(here, _LIKELY)) if low < high else None
    if best is None or best.score <= here:
        return start, end
    return low + best.dest_start, low + best.dest_end


def _near_at(start: int, end: int, score: float) -> Near | None:
    return Near(start=start, end=end, why=f"about the same words ({score:.0f}% alike)") if start < end else None
