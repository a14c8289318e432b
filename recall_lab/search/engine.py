"""The door of the room: a query in, ranked and explained hits out."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec

from recall_lab.errors import UsageError
from recall_lab.model import Answer, Block, Citation, Filters, Hit, Kind, Redacted, Role, Searched, Why
from recall_lab.search.asked import Wanted
from recall_lab.search.config import SearchConfig
from recall_lab.search.dates import spans_of
from recall_lab.search.features import Features, extract
from recall_lab.search.fusing import Fusion, LexicalHit
from recall_lab.search.locating import Sought
from recall_lab.search.noticing import notice
from recall_lab.search.passages import Passage, show
from recall_lab.search.query import Query, parse
from recall_lab.search.ranking import Ranked, rank
from recall_lab.store import Reader
from recall_lab.store.fulltext import Fulltext, fulltext_of
from recall_lab.store.light import light_of
from recall_lab.store.reading import blocks_at

Scope = Literal["all", "repo", "session"]
MAX_LIMIT = 1000


def search(
    reader: Reader,
    query: str,
    *,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    filters: Filters = Filters(),  # noqa: B008 (frozen)
    scope: Scope = "all",
    repo: str | None = None,
    session: str | None = None,
    limit: int = 10,
    offset: int = 0,
    require_all: bool = False,
    prefer: Sequence[Role | Kind] = (),
    now: datetime | None = None,
    fusion: Fusion | None = None,
) -> Answer:
    """Search the store.

    Args:
        reader: The store, opened for reading.
        query: Anything that a person types or pastes; see ``search.query`` for the language.
        config: Weights and switches.
        filters: What narrows the search.
        scope: ``all``, the repository ``repo``, or the session ``session`` and its subagents.
        repo: Repository key, for scope ``repo``.
        session: Native id of a session or an unambiguous head of it, for scope ``session``.
        limit: Most hits to return, 1 to 1,000.
        offset: How many of the best hits to skip.
        require_all: A hit must hold every word of the query.
        prefer: Roles and kinds that come first where the evidence is alike.
        now: The moment that ages are counted from; the present one when None.
        fusion: Another way of finding, which has the last word on the order; see ``search.fusing``.

    Returns:
        The answer; empty with a notice when nothing passes the gate.

    Raises:
        UsageError: a limit, offset, scope or session that cannot be used.
        StoreError: the store cannot be read.
    """
    if not 1 <= limit <= MAX_LIMIT or offset < 0:
        raise UsageError(f"limit {limit}, offset {offset}: a limit is 1 to {MAX_LIMIT}, an offset 0 or more")
    light = light_of(reader) if fusion is None and not _has_numpy() else None
    index = light or fulltext_of(reader)
    now = now or datetime.now(UTC)
    with index.snapshot():
        parsed = parse(query)
        if require_all:
            parsed = _requiring_all(parsed)
        filters = _resolved(index, filters)
        inner, name = _scoped(index, filters, scope, repo, session)
        reach = index.reach(inner)
        features = extract(index, parsed, config, reach)
        wanted = Wanted(
            filters=inner,
            reach=reach,
            beyond=None if scope == "all" else index.reach(filters),
            now=now,
            offset=offset,
            limit=limit,
            alternatives=parsed.alternatives,
            prefer=tuple(prefer),
            required=tuple(n for n, clause in enumerate(parsed.clauses) if clause.required),
            spans=spans_of(parsed.dates, now) if config.date else (),
        )
        if light:
            from recall_lab.search.light import rank as rank_lightly

            ranking = rank_lightly(light, features, config, wanted)
        else:
            ranking = rank(index, features, config, wanted, query=query, fusion=fusion)
        columns = index.columns
        rows = [index.row_of(ranked.text_id, reach) for ranked in ranking.ranked]
        blocks = blocks_at(reader, [(int(columns.source[row]), int(columns.ord[row])) for row in rows])
        sought = Sought(index, features.positive)
        alone = _alone(features)
        hits = tuple(_hit(*pair, sought, alone) for pair in zip(blocks, ranking.ranked, strict=True))
        searched = Searched(blocks=reach.blocks, sessions=reach.sessions)
        said = notice(index, parsed, features, ranking, searched, config, filters=filters, scope=name)
    return Answer(
        query=query,
        searched=searched,
        hits=hits,
        scope=name,
        outside_scope=ranking.outside,
        gated=ranking.gated,
        notice=said,
    )


def _has_numpy() -> bool:
    """Whether numpy is loaded; loading it takes longer than a search of a small store."""
    return "numpy" in sys.modules


def lexical_ranking(
    reader: Reader,
    query: str,
    *,
    config: SearchConfig = SearchConfig(),  # noqa: B008 (frozen)
    filters: Filters = Filters(),  # noqa: B008 (frozen)
    limit: int = 100,
    now: datetime | None = None,
) -> tuple[LexicalHit, ...]:
    """Rank blocks by words alone, without their passages: what a fusion or an evaluation starts from.

    Args:
        reader: The store, opened for reading.
        query: Anything that a person types or pastes.
        config: Weights and switches.
        filters: What narrows the search.
        limit: Most blocks to return.
        now: The moment that ages are counted from; the present one when None.

    Returns:
        The blocks, best first; empty when the gate refuses.

    Raises:
        StoreError: the store cannot be read.
    """
    index = fulltext_of(reader)
    now = now or datetime.now(UTC)
    with index.snapshot():
        parsed = parse(query)
        filters = _resolved(index, filters)
        reach = index.reach(filters)
        wanted = Wanted(
            filters=filters,
            reach=reach,
            beyond=None,
            now=now,
            offset=0,
            limit=limit,
            alternatives=parsed.alternatives,
            required=tuple(n for n, clause in enumerate(parsed.clauses) if clause.required),
            spans=spans_of(parsed.dates, now) if config.date else (),
        )
        ranked = rank(index, extract(index, parsed, config, reach), config, wanted).ranked
        ids = index.block_ids([one.text_id for one in ranked])
    return tuple(
        LexicalHit(block_id, one.text_id, one.score, one.tier) for block_id, one in zip(ids, ranked, strict=True)
    )


def _requiring_all(query: Query) -> Query:
    clauses = tuple(c if c.excluded else msgspec.structs.replace(c, required=True) for c in query.clauses)
    return msgspec.structs.replace(query, clauses=clauses)


def _resolved(index: Fulltext, filters: Filters) -> Filters:
    if not filters.sessions:
        return filters
    return msgspec.structs.replace(filters, sessions=tuple(index.resolve_session(s) for s in filters.sessions))


def _scoped(
    index: Fulltext, filters: Filters, scope: Scope, repo: str | None, session: str | None
) -> tuple[Filters, str]:
    if scope == "all":
        return filters, "all"
    if scope == "repo":
        if not repo:
            raise UsageError("scope repo needs a repository; name one, or search with scope all")
        return msgspec.structs.replace(filters, repos=(repo,)), f"repo {repo}"
    if not session:
        raise UsageError("scope session needs a session; name one, or search with scope all")
    native_id = index.resolve_session(session)
    return msgspec.structs.replace(filters, sessions=(native_id,)), f"session {native_id}"


def _hit(block: Block, ranked: Ranked, sought: Sought, alone: Collection[int]) -> Hit:
    features = sought.features
    held = [(number, features[number]) for number in ranked.held]
    passage = Passage(*ranked.passage, ()) if ranked.passage else show(sought, block.text, ranked.held)
    text = Redacted(block.text[passage.start : passage.end])
    citation = Citation(
        block_id=block.block_id,
        content_hash=block.content_hash,
        start=passage.start,
        end=passage.end,
        quote=text,
    )
    return Hit(
        block_id=block.block_id,
        content_hash=block.content_hash,
        receipt=citation.receipt,
        text=text,
        start=passage.start,
        end=passage.end,
        spans=passage.spans,
        role=block.role,
        kind=block.kind,
        host=block.host,
        session=block.session,
        turn=block.turn,
        score=round(ranked.score, 4),
        session_score=round(ranked.session_score, 4),
        why=Why(
            tier=ranked.tier,
            terms=tuple([feature.label for _, feature in held if feature.kind == "term"]),
            phrases=tuple([f.label for number, f in held if f.kind == "phrase" or number in alone]),
            identifiers=tuple([feature.label for _, feature in held if feature.kind == "identifier"]),
            neighbors=tuple(dict.fromkeys([features[n].label for n in ranked.around])),
            title=tuple([features[n].label for n in ranked.title]),
            parts={
                "own": round(ranked.own, 4),
                "neighbors": round(ranked.near, 4),
                "session": round(ranked.prior, 4),
                "recency": round(ranked.recency, 4),
                "kind": round(ranked.kind, 4),
                **({"date": round(ranked.date, 4)} if ranked.date != 1 else {}),
                **ranked.parts,
            },
            recency=round(ranked.recency, 4),
            coverage=round(ranked.coverage, 4),
        ),
        repo=block.repo,
        branch=block.branch,
        timestamp=block.timestamp,
        source=block.source,
        cwd=block.cwd,
        title=block.title,
        tool=block.tool,
    )


def _alone(features: Features) -> frozenset[int]:
    """Words beside one another that are all that was asked for: a compound, or a run of a script without spaces."""
    exact = {feature.terms for feature in features.positive if feature.exact}
    identified = {feature.clauses for feature in features.positive if feature.kind == "identifier"}
    return frozenset(
        number
        for number, feature in enumerate(features.positive)
        if feature.kind == "loose" and feature.terms not in exact and feature.clauses not in identified
    )
