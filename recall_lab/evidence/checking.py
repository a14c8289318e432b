"""Checking a quotation against the retained text, and citing it.

A valid check proves that these characters stand in the retained, redacted text of the block; it does not prove that
what they say is true, or that what they tell of succeeded.
"""

from __future__ import annotations

from collections.abc import Sequence

from recall_lab.errors import CitationError, UnknownBlockError, UsageError
from recall_lab.evidence.folding import near_misses
from recall_lab.evidence.likeness import approximate
from recall_lab.evidence.pasted import parse_pasted
from recall_lab.evidence.quotes import CONTEXT, best_occurrence, occurrences
from recall_lab.evidence.receipts import hash_head
from recall_lab.model import Check, Citation, Near, Record, Redacted, Verdict
from recall_lab.store import Reader
from recall_lab.store import reading as store
from recall_lab.store.read_records import StoredText


def resolve_block(reader: Reader, head: str) -> str:
    """Return the whole block id that begins with a head of 8 to 32 hex digits.

    Raises:
        UnknownBlockError: no block has it.
        UsageError: several blocks begin with it.
    """
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
    block: str,
    quote: str | None = None,
    *,
    expected_hash: str | None = None,
    position: int | None = None,
) -> Check:
    """Say whether the exact words stand in a block, and where.

    The verdicts: ``valid``, the words stand in the current text (and its hash is the expected one, if one was given);
    ``changed``, the text is another than the one that was cited, start and end say where the words stand now, if they
    do; ``absent``, the words stand neither in the current text nor in a retained earlier one; ``gone``, no session
    holds the block any more, offsets are those of its last text that has the words.

    Start and end are the occurrence where the quotation stood, else the one with the words that stood around it, else
    the first. Where no exact occurrence is left, ``near`` says where the words stand after normalisation, else where
    the most similar words stand; neither is ever valid.

    Args:
        reader: The store.
        block: A block id or an unambiguous head of one; or what carries a quotation, a hash and a position with it: a
            receipt, the JSON of a Web Annotation or of a citation.
        quote: The exact words; else those that ``block`` carries.
        expected_hash: The content hash, or at least 8 hex of it, that the citation was made from; likewise.
        position: Where the quotation began, for choosing among occurrences; likewise.

    Raises:
        UnknownBlockError: no block has this id.
        UsageError: there is no quotation, or an id, hash or paste is malformed.
        CitationError: the receipt's own words cannot be told, because its text is not retained or is shorter.
    """
    given = parse_pasted(block)
    with store.snapshot(reader):
        texts = store.stored_texts(reader, resolve_block(reader, given.block))
    expected = hash_head(expected_hash) if expected_hash else given.hash_head
    at = given.start if position is None else position
    words = quote if quote is not None else given.quote
    if words is None and given.start is not None and given.end is not None:
        words = _slice(texts, given.hash_head, given.start, given.end)
    if not words:
        raise UsageError("there is no quotation to check; give the exact words with --quote")
    return _check_texts(texts, words, expected, _Anchor(position=at, prefix=given.prefix, suffix=given.suffix))


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


def _slice(texts: Sequence[StoredText], head: str | None, start: int, end: int) -> str:
    for stored in texts:
        if head is None or stored.content_hash.startswith(head):
            if end > len(stored.text):
                raise CitationError(f"the span ends at {end}, the text at {len(stored.text)}; copy the receipt again")
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
        best = best_occurrence(stored.text, spans, anchor.prefix, anchor.suffix, at) if spans else None
        return Check(
            verdict=verdict,
            valid=verdict == "valid",
            start=best.start if best else None,
            end=best.end if best else None,
            occurrences=spans,
            near=near,
            content_hash=stored.content_hash,
            hash_matches=None if expected is None else stored.content_hash.startswith(expected),
            anchor=best.how if best else None,
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
    block: str,
    *,
    quote: str | None = None,
    span: tuple[int, int] | None = None,
    revision: str | None = None,
) -> Citation:
    """Make a citation of exact words, of a span, or of a whole block.

    Args:
        reader: The store.
        block: A block id, an unambiguous head of one, or a receipt (which is then cited again as it stands).
        quote: The exact words; the first occurrence, or the one nearest to the start of ``span``.
        span: Start and end, code points, end exclusive.
        revision: The content hash (or at least 8 hex of it) of an earlier text to cite from.

    Raises:
        CitationError: the words are not there, or the span lies outside the text.
        UnknownBlockError: no block has this id, or no text of it has this hash.
        UsageError: an id or hash is malformed.
    """
    given = parse_pasted(block)
    with store.snapshot(reader):
        stored = choose_text(
            store.stored_texts(reader, resolve_block(reader, given.block)), revision or given.hash_head
        )
    if span is None and given.start is not None and given.end is not None:
        span = given.start, given.end
    whole_id = stored.block_id
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
        best = best_occurrence(stored.text, spans, near=at)
        return best.start, best.end
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
