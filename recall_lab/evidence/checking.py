"""Checking a quotation against the retained text, and citing it.

A valid check proves that these characters stand in the retained, redacted text of the block; it does not prove that
what they say is true, or that what they tell of succeeded.
"""

from __future__ import annotations

from collections.abc import Sequence

from recall_lab.errors import CitationError, UnknownBlockError, UsageError
from recall_lab.evidence.quotes import CONTEXT, approximate, best_occurrence, near_misses, occurrences
from recall_lab.evidence.receipts import SCHEME, block_head, hash_head, parse_receipt
from recall_lab.model import Check, Citation, Near, Record, Redacted, Verdict
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store.read_records import StoredText


def resolve_block(reader: Reader, block: str) -> str:
    """Return the whole block id that an id, an unambiguous head of one (8 hex or more) or a receipt names.

    Raises:
        UnknownBlockError: no block has it.
        UsageError: it is no id, or several blocks begin with it.
    """
    head = parse_receipt(block).block_id if block.strip().startswith(SCHEME) else block_head(block)
    found = store.block_ids(reader, head)
    if not found:
        raise UnknownBlockError(
            f"no block has the id {head}; copy it from a hit, or `recall-lab index` if it is from a newer transcript"
        )
    if len(found) > 1:
        raise UsageError(f"{head} begins several block ids ({', '.join(found)}); type more of it")
    return found[0]


def check(
    reader: Reader,
    block_id: str,
    quote: str | None = None,
    *,
    expected_hash: str | None = None,
    position: int | None = None,
    prefix: str = "",
    suffix: str = "",
) -> Check:
    """Say whether the exact words stand in a block, and where.

    The verdicts: ``valid``, the words stand in the current text (and its hash is the expected one, if one was given);
    ``changed``, the text is another than the one that was cited, start and end say where the words stand now, if they
    do; ``absent``, the words stand neither in the current text nor in a retained earlier one; ``gone``, no session
    holds the block any more, offsets are those of its last text that has the words.

    Args:
        reader: The store.
        block_id: A block id, an unambiguous head of one, or a receipt (whose hash is then expected, and whose slice is
            the quote if none is given).
        quote: The exact words.
        expected_hash: The content hash, or at least 8 hex of it, that the citation was made from.
        position: Where the quotation began, for choosing among occurrences.
        prefix: What stood before it.
        suffix: What stood after it.

    Raises:
        UnknownBlockError: no block has this id.
        UsageError: the quote is empty, or an id or hash is malformed.
    """
    whole_id = resolve_block(reader, block_id)
    texts = store.stored_texts(reader, whole_id)
    if block_id.strip().startswith(SCHEME):
        receipt = parse_receipt(block_id)
        expected_hash = expected_hash or receipt.hash_head
        position = receipt.start if position is None else position
        if quote is None:
            quote = _slice_of_receipt(texts, receipt.hash_head, receipt.start, receipt.end)
    if not quote:
        raise UsageError("there is no quotation to check; give the exact words with --quote")
    expected = hash_head(expected_hash) if expected_hash else None
    return _check_texts(texts, quote, expected, _Anchor(position=position, prefix=prefix, suffix=suffix))


def check_citation(reader: Reader, citation: Citation) -> Check:
    """Check a citation that was made earlier: its words, its hash and its place.

    Raises:
        UnknownBlockError: no block has its id.
    """
    return check(
        reader,
        citation.block_id,
        citation.quote,
        expected_hash=citation.content_hash,
        position=citation.start,
    )


def _slice_of_receipt(texts: Sequence[StoredText], head: str, start: int, end: int) -> str:
    for stored in texts:
        if stored.content_hash.startswith(head):
            if end > len(stored.text):
                raise CitationError(
                    f"the receipt ends at {end}, the text at {len(stored.text)}; copy the receipt again"
                )
            return stored.text[start:end]
    raise CitationError(
        f"no retained text of the block has the hash {head}…; give the words with --quote to look for them"
    )


class _Anchor(Record, frozen=True):
    """What is known of where a quotation stood."""

    position: int | None = None
    prefix: str = ""
    suffix: str = ""


def _check_texts(texts: Sequence[StoredText], quote: str, expected: str | None, anchor: _Anchor) -> Check:
    placed = [stored for stored in texts if stored.placed]
    found = {stored.text_id: occurrences(stored.text, quote) for stored in texts}
    was = next((stored for stored in texts if expected and stored.content_hash.startswith(expected)), None)
    at = anchor.position
    if was is not None and at is not None and not (anchor.prefix or anchor.suffix):
        end = at + len(quote)
        anchor = _Anchor(position=at, prefix=was.text[max(0, at - CONTEXT) : at], suffix=was.text[end : end + CONTEXT])

    def answer(verdict: Verdict, stored: StoredText, near: tuple[Near, ...] = ()) -> Check:
        spans = found[stored.text_id]
        best = (
            best_occurrence(stored.text, spans, prefix=anchor.prefix, suffix=anchor.suffix, near=at)
            if spans
            else (None, None)
        )
        return Check(
            verdict=verdict,
            valid=verdict == "valid",
            start=best[0],
            end=best[1],
            occurrences=spans,
            near=near,
            content_hash=stored.content_hash,
            hash_matches=None if expected is None else stored.content_hash.startswith(expected),
        )

    if not placed:
        last = next((stored for stored in texts if found[stored.text_id]), texts[0])
        return answer("gone", last, () if found[last.text_id] else _near(last.text, quote))
    wanted = [stored for stored in placed if expected is None or stored.content_hash.startswith(expected)]
    for stored in wanted:
        if found[stored.text_id]:
            return answer("valid", stored)
    for stored in placed:
        if found[stored.text_id]:
            return answer("changed", stored)
    current = (wanted or placed)[0]
    earlier = any(found[stored.text_id] for stored in texts if not stored.placed)
    return answer("changed" if earlier else "absent", current, _near(current.text, quote))


def _near(text: str, quote: str) -> tuple[Near, ...]:
    near = near_misses(text, quote)
    if near:
        return near
    about = approximate(text, quote)
    return (about,) if about else ()


def cite(
    reader: Reader,
    block_id: str,
    *,
    quote: str | None = None,
    span: tuple[int, int] | None = None,
    revision: str | None = None,
) -> Citation:
    """Make a citation of exact words, of a span, or of a whole block.

    Args:
        reader: The store.
        block_id: A block id, an unambiguous head of one, or a receipt (which is then cited again as it stands).
        quote: The exact words; the first occurrence, or the one nearest to the start of ``span``.
        span: Start and end, code points, end exclusive.
        revision: The content hash (or at least 8 hex of it) of an earlier text to cite from.

    Raises:
        CitationError: the words are not there, or the span lies outside the text.
        UnknownBlockError: no block has this id, or no text of it has this hash.
        UsageError: an id or hash is malformed.
    """
    whole_id = resolve_block(reader, block_id)
    if block_id.strip().startswith(SCHEME):
        receipt = parse_receipt(block_id)
        revision = revision or receipt.hash_head
        if quote is None and span is None:
            span = receipt.start, receipt.end
    stored = choose_text(store.stored_texts(reader, whole_id), revision)
    if quote is None:
        start, end = span or (0, len(stored.text))
        if not 0 <= start < end <= len(stored.text):
            raise CitationError(
                f"the span {start}-{end} is not inside block {whole_id[:8]}… of {len(stored.text)} characters"
            )
    else:
        start, end = _place_of(stored, quote, None if span is None else span[0])
    return Citation(
        block_id=whole_id,
        content_hash=stored.content_hash,
        start=start,
        end=end,
        quote=Redacted(stored.text[start:end]),
    )


def choose_text(texts: Sequence[StoredText], revision: str | None) -> StoredText:
    """Return the current text (or the last one, of a block that is gone), or the one whose hash begins so.

    Raises:
        UnknownBlockError: no retained text has this hash.
    """
    if revision is None:
        return texts[0]
    head = hash_head(revision)
    for stored in texts:
        if stored.content_hash.startswith(head):
            return stored
    raise UnknownBlockError(
        f"block {texts[0].block_id[:8]}… has no retained text {head[:12]}…; without a revision its current text is read"
    )


def _place_of(stored: StoredText, quote: str, at: int | None) -> tuple[int, int]:
    if not quote:
        raise CitationError("there is no quotation to cite; give the exact words")
    spans = occurrences(stored.text, quote)
    if spans:
        return best_occurrence(stored.text, spans, near=at)
    where = f"block {stored.block_id[:8]}…"
    near = _near(stored.text, quote)
    if near:
        raise CitationError(
            f"the exact words are not in {where}; {near[0].why} they stand at {near[0].start}-{near[0].end}: "
            "cite that span, or copy the words from the block"
        )
    raise CitationError(
        f"the words are not in {where}, nor anything like them; read the block and copy them from there"
    )
