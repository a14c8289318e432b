"""Searching without a query: passages like one passage, and sessions that belong to one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

from recall_lab.errors import UnknownBlockError, UsageError
from recall_lab.model import Answer, Filters, Redacted
from recall_lab.search.config import SearchConfig
from recall_lab.search.engine import search
from recall_lab.search.features import idf
from recall_lab.search.query import QUESTION_WORDS
from recall_lab.store import Reader
from recall_lab.store.fulltext import Fulltext, fulltext_of
from recall_lab.store.reading import block_at_root
from recall_lab.store.relating import SessionTraits, session_traits, touched_files
from recall_lab.text import index_form

_TERMS: Final = 16  # of a passage, that say what it is about
_HALF_LIFE_DAYS: Final = 30.0
_WEIGHTS: Final = {"family": 3.0, "repo": 1.0, "branch": 1.5, "files": 2.0}
_MAIN: Final = frozenset({"main", "master", "HEAD"})
_TAIL: Final = 3  # folders and name of a file that sessions are compared by
_TEXTS_OF_A_FILE: Final = 2000


def more_like(
    reader: Reader,
    block_id: str,
    *,
    start: int = 0,
    end: int | None = None,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    filters: Filters = Filters(),  # noqa: B008 (frozen)
    limit: int = 10,
    now: datetime | None = None,
) -> Answer:
    """Find passages like one passage: a search for the words that set it apart (tf times idf).

    Args:
        reader: The store, opened for reading.
        block_id: The block, 32 hex digits.
        start: Where the passage begins, code points.
        end: Where it ends; the block's end when None.
        config: Weights and switches.
        filters: What narrows the search.
        limit: Most hits to return.
        now: The moment that ages are counted from.

    Returns:
        The answer, without the block itself; its ``query`` holds the words.

    Raises:
        UnknownBlockError: no session holds this block.
    """
    block = block_at_root(reader, block_id)
    if block is None:
        raise UnknownBlockError(f"no session holds block {block_id[:32]}; search again for its id")
    index = fulltext_of(reader)
    passage = index_form(block.text[start:end])
    with index.snapshot():
        total = index.reach(filters).blocks
        words: dict[str, str] = {}
        data = passage.encode("utf-8", "replace")
        counts: Counter[str] = Counter()
        for first, last, term in index.tokens(passage):
            word = data[first:last].decode("utf-8", "replace")
            if len(word) > 2 and not word.isdigit() and word.lower() not in QUESTION_WORDS:
                counts[term] += 1
                words.setdefault(term, word)
        weights = {
            term: count * idf(total, min(total, blocks))
            for term, count in counts.most_common(_TERMS * 4)
            if (blocks := len(index.postings(term, words[term]).ids)) > 1
        }
    best = sorted(weights, key=lambda term: -weights[term])[:_TERMS]
    query = " ".join(words[term] for term in best)
    # Like a passage is what holds its words, not what stands beside them.
    alone = msgspec.structs.replace(config, near=0, far=0, answer=0, asking=0, date=0)
    answer = search(reader, query, config=alone, filters=filters, limit=min(1000, limit + 1), now=now)
    others = tuple(hit for hit in answer.hits if hit.block_id != block_id)
    return msgspec.structs.replace(answer, hits=others[:limit])


class RelatedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that belongs to another, and why.

    Attributes:
        host: Its host.
        session: Its native id.
        title: Its title.
        repo: Its repository.
        branch: Its branch.
        ended: When it ended, UTC.
        score: What they share, times the factor for its age.
        family: ``parent`` or ``child``, when one descends from the other.
        same_repo: Whether the repository is the same.
        same_branch: Whether the branch is the same, and not a main one.
        files: Files that both name, the rarest first.
        overlap: idf-weighted share of the first session's files that this one names.
    """

    host: str
    session: str
    title: Redacted | None
    repo: Redacted | None
    branch: Redacted | None
    ended: str | None
    score: float
    family: str | None
    same_repo: bool
    same_branch: bool
    files: tuple[str, ...]
    overlap: float


def related(
    reader: Reader,
    *,
    session: str | None = None,
    repo: str | None = None,
    branch: str | None = None,
    limit: int = 10,
    now: datetime | None = None,
) -> tuple[RelatedSession, ...]:
    """Find the sessions that share descent, repository, branch or touched files; the newest first among equals.

    Args:
        reader: The store, opened for reading.
        session: Native id of a session, or an unambiguous head of it.
        repo: A repository, when there is no session to start from.
        branch: A branch of it.
        limit: Most sessions to return.
        now: The moment that ages are counted from.

    Raises:
        UsageError: neither a session nor a repository is named, or the session is not known.
    """
    if session is None and repo is None:
        raise UsageError("related to what? name a session or a repository")
    index = fulltext_of(reader)
    with index.snapshot():
        native_id = index.resolve_session(session) if session else ""
        traits = session_traits(reader)
        me = next((one for one in traits if one.session == native_id), None)
        if me is None:
            me = SessionTraits(session_id=-1, host="", session="", repo=_redacted(repo), branch=_redacted(branch))
        files = _sessions_by_file(index, touched_files(reader, me.session_id))
    moment = now or datetime.now(UTC)
    found = [_related(me, one, files, len(traits), moment) for one in traits if one.session_id != me.session_id]
    found = [one for one in found if one.score > 0]
    found.sort(key=lambda one: one.ended or "", reverse=True)
    return tuple(sorted(found, key=lambda one: -one.score)[:limit])


def _redacted(text: str | None) -> Redacted | None:
    return Redacted(text) if text else None


def _sessions_by_file(index: Fulltext, files: Iterable[str]) -> dict[str, set[int]]:
    """Which sessions name each file, by the end of its path: checkouts stand in different folders."""
    columns = index.columns
    named: dict[str, set[int]] = {}
    for file in files:
        tail = "/".join(file.split("/")[-_TAIL:])
        rows = columns.where[index.phrase(index_form(tail), _TEXTS_OF_A_FILE)]
        named[file] = set(columns.session[rows[rows >= 0]].tolist())
    return named


def _related(
    me: SessionTraits, other: SessionTraits, files: dict[str, set[int]], sessions: int, now: datetime
) -> RelatedSession:
    family = None
    if me.session and me.session in {other.parent, other.session.rpartition("/")[0]}:
        family = "child"
    elif me.session and other.session in {me.parent, me.session.rpartition("/")[0]}:
        family = "parent"
    # A file that few sessions name says more.
    weights = {file: idf(sessions, min(sessions, len(named))) for file, named in files.items()}
    both = sorted((file for file, named in files.items() if other.session_id in named), key=lambda f: (-weights[f], f))
    overlap = sum(weights[file] for file in both) / (sum(weights.values()) or 1.0)
    same_repo = bool(me.repo) and me.repo == other.repo
    same_branch = same_repo and bool(me.branch) and me.branch == other.branch and me.branch not in _MAIN
    score = (
        _WEIGHTS["family"] * bool(family)
        + _WEIGHTS["files"] * overlap
        + _WEIGHTS["repo"] * same_repo
        + _WEIGHTS["branch"] * same_branch
    )
    age = (now - datetime.fromisoformat(other.ended)).total_seconds() / 86400 if other.ended else None
    fresh = 0.0 if age is None else 0.5 ** (max(age, 0.0) / _HALF_LIFE_DAYS)
    return RelatedSession(
        host=other.host,
        session=other.session,
        title=other.title,
        repo=other.repo,
        branch=other.branch,
        ended=other.ended,
        score=round(score * (0.5 + 0.5 * fresh), 4),
        family=family,
        same_repo=same_repo,
        same_branch=same_branch,
        files=tuple(both[:20]),
        overlap=round(overlap, 4),
    )
