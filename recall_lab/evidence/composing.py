"""Composing a brief: from a question, from hits, or from citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from recall_lab.errors import UsageError
from recall_lab.evidence import surroundings as around
from recall_lab.evidence.checking import cite
from recall_lab.evidence.excerpts import excerpt, excerpt_of, head_of
from recall_lab.evidence.receipts import citation_of
from recall_lab.evidence.records import Brief, Chosen, Coverage, Excerpt, Repository
from recall_lab.model import Answer, Citation, Filters, Hit, Record, Redacted, Searched, Why
from recall_lab.store import Reader, session_reading
from recall_lab.store import reading as store
from recall_lab.store.read_records import SessionInfo
from recall_lab.times import to_utc

PASSAGES = 8  # chosen for a question
_MOST = 1000
_LOOKED_AT = 4  # times as many hits are looked at
_SAME = 85.0  # percent of similarity above which two passages say the same
_WEAK = 0.5  # share of the best hit's coverage below which a hit is not worth quoting
_LAST = 3  # prompts that are quoted of a session without a question


def compose(
    reader: Reader,
    question: str = "",
    chosen: Answer | Sequence[Hit | Citation | Chosen] | None = None,
    *,
    session: str | None = None,
    notes: str | Sequence[str] = (),
    remarks: Mapping[str, str] | None = None,
    sections: Mapping[str, str] | None = None,
    reasons: Mapping[str, str] | None = None,
    title: str | None = None,
    filters: Filters | None = None,
    limit: int = PASSAGES,
    surroundings: bool = True,
    repository: Repository | None = None,
    zone: str = "UTC",
    now: datetime | None = None,
) -> Brief:
    """Make a brief: a document of citations, which is a sample and says so.

    Args:
        reader: The store.
        question: What the brief is about. Without ``chosen`` it is searched, among user and assistant prose only.
        chosen: Hits or citations in the order wanted, with reasons, notes and sections of their own as ``Chosen``, or a
            search's whole answer. Hits of one passage count once.
        session: A session's native id, or an unambiguous head of it: the question is searched in it alone; without a
            question its last prompts and last words are quoted.
        notes: What the writer has to say, one text or several.
        remarks: A note for single passages, by their receipt.
        sections: A heading for single passages, by their receipt; neighbours of one heading stand under it together.
        reasons: Why single passages were chosen, by their receipt.
        title: Defaults to the question.
        filters: Narrows the search; its roles are narrowed to user and assistant, its kinds to text.
        limit: How many passages are chosen for a question.
        surroundings: Also quote the opening ask, and what reads like decisions and open problems.
        repository: What ``observe`` saw, when the writer asked for it.
        zone: IANA zone that times are shown in.
        now: The present moment (aware); else the clock's.

    Returns:
        The brief. The opening ask, decisions and open problems come from user and assistant prose of the sessions that
        are cited; decisions and problems are found by the words that they are usually put in, newest first.

    Raises:
        UsageError: there is neither a question nor a session nor anything chosen, or the limit is out of bounds.
        NotFoundError: no session is called that.
        CitationError: a citation's span is not in its block.
        UnknownBlockError: a block, or the cited text of it, is not in the store.
    """
    if not 1 <= limit <= _MOST:
        raise UsageError(f"limit {limit}: a brief chooses 1 to {_MOST} passages for a question")
    if chosen is None and session is None and not question.strip():
        raise UsageError("a brief needs a question, a session, or passages that were chosen")
    told = _Told(remarks=remarks or {}, sections=sections or {}, reasons=reasons or {})
    with store.snapshot(reader):
        info = session_reading.find_session(reader, session) if session is not None else None
        answer: Answer | None = None
        if isinstance(chosen, Answer):
            answer, passages = chosen, _passages(reader, chosen.hits, told)
        elif chosen is not None:
            passages = _passages(reader, chosen, told)
        elif question.strip():
            answer = _ask(reader, question, _inside(filters or Filters(), info), limit)
            passages = _passages(reader, answer.hits, told)
        else:
            assert info is not None
            passages = _end_of(reader, info)
        opening, decisions, problems = around.surroundings(reader, passages) if surroundings else (None, (), ())
        coverage = _coverage(reader, answer, info, by_search=chosen is None)
    return Brief(
        title=(title or "").strip()
        or question.strip()
        or (info and (info.title or f"Session {info.native_id}"))
        or "Brief",
        question=question.strip(),
        created=to_utc(now or datetime.now(UTC)),
        passages=passages,
        coverage=coverage,
        opening=opening,
        decisions=decisions,
        problems=problems,
        notes=(notes,) if isinstance(notes, str) else tuple(notes),
        repository=repository,
        zone=zone,
    )


def _ask(reader: Reader, question: str, filters: Filters, limit: int) -> Answer:
    from recall_lab.search import search

    roles = tuple(role for role in filters.roles if role in {"user", "assistant"}) or ("user", "assistant")
    prose = msgspec.structs.replace(filters, roles=roles, kinds=("text",))
    answer = search(reader, question, filters=prose, limit=min(_MOST, limit * _LOOKED_AT))
    return msgspec.structs.replace(answer, hits=_worth_quoting(answer.hits)[:limit])


def _worth_quoting(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Leave out what is much weaker than the best hit, and what says the same as a hit before it."""
    from rapidfuzz import fuzz

    best = max((hit.why.coverage for hit in hits), default=0.0)
    kept: list[Hit] = []
    for hit in hits:
        weak = hit.why.tier == "some" and hit.why.coverage < best * _WEAK
        if not weak and not any(fuzz.ratio(hit.text, other.text, score_cutoff=_SAME) for other in kept):
            kept.append(hit)
    return tuple(kept)


def _inside(filters: Filters, info: SessionInfo | None) -> Filters:
    return msgspec.structs.replace(filters, sessions=(info.native_id,)) if info else filters


def _end_of(reader: Reader, info: SessionInfo) -> tuple[Excerpt, ...]:
    """The last prompts of a session and the last words of its agent."""
    prose = [step for step in session_reading.steps(reader, info.session_id) if step.live and step.kind == "text"]
    chosen = [(step, "One of the last prompts") for step in prose if step.role == "user"][-_LAST:]
    chosen += [(step, "Last words of the agent") for step in prose if step.role == "assistant"][-1:]
    blocks = store.blocks_at(reader, [(step.source_id, step.ord) for step, _ in chosen])
    return tuple(
        excerpt_of(block, citation_of(block, 0, head_of(block.text)), reason)
        for block, (_, reason) in zip(blocks, chosen, strict=True)
        if block.text
    )


class _Told(Record, frozen=True):
    """What the writer says of single passages, by their receipts."""

    remarks: Mapping[str, str]
    sections: Mapping[str, str]
    reasons: Mapping[str, str]

    def add_to(self, chosen: Chosen, receipt: str) -> Chosen:
        """What was picked, with what is said of that receipt in the place of its own."""
        return msgspec.structs.replace(
            chosen,
            reason=self.reasons.get(receipt, chosen.reason),
            note=self.remarks.get(receipt, chosen.note),
            section=self.sections.get(receipt, chosen.section),
        )


def _passages(reader: Reader, picked: Sequence[Hit | Citation | Chosen], told: _Told) -> tuple[Excerpt, ...]:
    found: dict[str, Excerpt] = {}
    for item in picked:
        asked = _chosen(item).citation
        citation = cite(reader, asked.block_id, span=(asked.start, asked.end), revision=asked.content_hash)
        receipt = citation.receipt
        if receipt not in found:
            chosen = told.add_to(_chosen(item), item.receipt if isinstance(item, Hit) else receipt)
            chosen = told.add_to(chosen, receipt)
            made = excerpt(reader, citation, chosen.reason, chosen.note)
            found[receipt] = msgspec.structs.replace(made, section=chosen.section)
    return tuple(found.values())


def _chosen(item: Hit | Citation | Chosen) -> Chosen:
    if isinstance(item, Chosen):
        return item
    return chosen_hit(item) if isinstance(item, Hit) else Chosen(citation=item)


def chosen_hit(hit: Hit) -> Chosen:
    """A hit's passage as it is picked for a brief, without white space around it, and the reason why it was found."""
    words = hit.text.strip() or hit.text
    before = hit.text.index(words)
    citation = Citation(
        block_id=hit.block_id,
        content_hash=hit.content_hash,
        start=hit.start + before,
        end=hit.end - (len(hit.text) - before - len(words)),
        quote=Redacted(words),
    )
    return Chosen(citation=citation, reason=reason_of(hit.why))


def reason_of(why: Why) -> str:
    """Say in one line why a search chose a passage."""
    parts = [{"exact": "Exact", "all": "Every word", "some": "Some of the words"}[why.tier]]
    if why.identifiers:
        parts.append("identifier " + ", ".join(why.identifiers))
    if why.phrases:
        parts.append("phrase " + ", ".join(f"“{phrase}”" for phrase in why.phrases))
    if why.terms:
        parts.append("words " + ", ".join(why.terms))
    if why.neighbors:
        parts.append("close to it " + ", ".join(why.neighbors))
    return "; ".join(parts)


def _coverage(reader: Reader, answer: Answer | None, info: SessionInfo | None, *, by_search: bool) -> Coverage:
    held = store.holdings(reader)
    notice = None
    if answer is not None:
        searched, scope, notice = answer.searched, answer.scope, answer.notice
    elif info is not None and by_search:
        searched, scope = Searched(blocks=info.blocks, sessions=1), f"session {info.native_id}"
    else:
        searched, scope = Searched(blocks=held.blocks, sessions=held.sessions), "the whole store"
    return Coverage(
        searched=searched,
        scope=scope,
        incomplete_sources=held.incomplete,
        chosen="search" if by_search else "person",
        notice=notice,
    )
