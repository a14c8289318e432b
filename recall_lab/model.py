"""The nouns as frozen typed records; no I/O.

Offsets everywhere are Unicode code points in the retained, redacted text; ends are exclusive. Times are UTC,
ISO 8601 with a ``Z``. ``Redacted`` marks text that has been through the detector: only the redaction room makes it, and
the store takes nothing else.
"""

from __future__ import annotations

from typing import Literal, NewType, TypedDict, get_args

import msgspec

Redacted = NewType("Redacted", str)

Role = Literal["user", "assistant", "tool", "host"]
Kind = Literal["text", "tool_use", "tool_result", "summary"]
Disposition = Literal["indexed", "excluded", "metadata", "duplicate", "unknown", "malformed", "pending"]
SourceState = Literal[
    "not_captured",
    "complete",
    "backlog",
    "partial_record",
    "source_changed",
    "source_missing",
    "rebuilding",
    "rebuild_ready",
    "conflict",
    "off",
]
Relation = Literal["subagent", "fork", "continuation"]
Verdict = Literal["valid", "changed", "absent", "gone"]

ROLES: tuple[Role, ...] = get_args(Role)
KINDS: tuple[Kind, ...] = get_args(Kind)
DISPOSITIONS: tuple[Disposition, ...] = get_args(Disposition)
STATES: tuple[SourceState, ...] = get_args(SourceState)


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of the records that cross a room's border."""


# ---- what capture hands to the store -------------------------------------------------------------------------------


class Session(Record, frozen=True):
    """One conversation by its native key; a child when ``relation`` is set.

    ``native_id`` is the host's id; a subagent's is ``<parent id>/<agent id>``. ``parent_id`` is the native id of the
    session it was called from, forked from or continues.
    """

    host: str
    native_id: str
    parent_id: str | None = None
    relation: Relation | None = None
    agent_id: str | None = None
    agent_type: Redacted | None = None
    title: Redacted | None = None
    cwd: Redacted | None = None
    branch: Redacted | None = None
    repo: Redacted | None = None  # normalised remote, else common git directory, else path
    model: str | None = None
    version: str | None = None


class PlacedBlock(Record, frozen=True):
    """A block and where it stands in its source; ``text`` is what is retained."""

    block_id: str  # 32 lowercase hex
    content_hash: str  # sha256 of the retained redacted text, 64 hex
    role: Role
    kind: Kind
    text: Redacted
    original_length: int  # code points before a cap cut it
    ord: int  # position in the source, ascending, never reused
    turn: int
    timestamp: str | None = None
    cwd: Redacted | None = None
    branch: Redacted | None = None
    tool: Redacted | None = None
    call_id: str | None = None
    model: str | None = None
    queued: bool = False  # typed while the agent worked; yields to an equal delivered prompt
    agent: str | None = None  # the child session it belongs to, by agent id; None: the source's own session
    findings: tuple[tuple[str, int], ...] = ()  # (kind, how many spans were taken out)
    entities: bytes = b""  # identifiers as spans of the text: see text_entities.Analysis
    words: str | None = None  # words inside identifiers, for the full-text index; None: not looked for


class ModelCall(Record, frozen=True):
    """One model response. ``input_tokens`` excludes cache for every host; ``key`` is the call's identity everywhere."""

    key: str  # 32 lowercase hex
    model: str | None
    timestamp: str | None
    turn: int
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0  # inside output_tokens
    web_searches: int = 0
    final: bool = False  # the row carries a stop reason
    sidechain: bool = False
    logged_cost_usd: float | None = None
    agent: str | None = None


class ToolCall(Record, frozen=True):
    """One tool request with its outcome; request and result may arrive in different batches and are merged by id."""

    call_id: str
    turn: int
    tool: Redacted | None = None
    request_block: str | None = None
    result_block: str | None = None
    started: str | None = None
    ended: str | None = None
    failed: bool | None = None  # None until the outcome is known
    error: Redacted | None = None  # first line of the failure, at most 200 code points
    duration_ms: int | None = None  # as the host logged it; readers fall back to ended - started
    agent: str | None = None


class LedgerRow(Record, frozen=True):
    """How many records and bytes of one type came to one disposition, over the whole source."""

    record_type: str
    disposition: Disposition
    records: int
    bytes: int


class Problem(Record, frozen=True):
    """A record that could not be used; ``offset`` and ``length`` are bytes in the source."""

    offset: int
    length: int
    disposition: Disposition
    reason: str  # never text of the transcript


class Source(Record, frozen=True):
    """One transcript file (or one conversation of an export) as it stood when it was captured."""

    host: str
    path: Redacted
    machine: str = "local"
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    cursor: int = 0  # bytes read to the end of a record
    head_hash: str = ""  # keyed hash of the first bytes
    tail_hash: str = ""  # keyed hash of the bytes before the cursor
    content_hash: str = ""  # keyed hash of everything before the cursor
    state: SourceState = "not_captured"
    detail: str = ""
    lines: int = 0  # non-blank lines before the cursor
    resume_offset: int = 0
    resume_ord: int = 0
    parser_state: bytes | None = b""  # the host's own, structural only, never text; None: as the store has it


class Batch(Record, frozen=True):
    """What one transaction writes for one source.

    Placements of the source with ``ord >= from_ord`` are replaced by ``blocks``; ledger, problems and ``dead`` (unless
    it is None: not told yet) speak for the whole source; model and tool calls are merged by their keys. ``anew`` marks
    the first batch of a reading from the start of the source: what an earlier reading told of calls and sessions goes.
    """

    source: Source
    session: Session | None  # None for a source without a record of a session
    from_ord: int
    anew: bool = False
    children: tuple[Session, ...] = ()  # sessions told inside this source; records name them by agent id
    blocks: tuple[PlacedBlock, ...] = ()
    dropped: tuple[int, ...] = ()  # ords of queued prompts that a delivered prompt has made duplicates
    dead: tuple[tuple[int, int], ...] | None = ()  # half-open ranges of ord on dead branches
    model_calls: tuple[ModelCall, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    ledger: tuple[LedgerRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    rules_version: str = ""


class Revision(Record, frozen=True):
    """A text of a block that stands nowhere any more."""

    block_id: str
    content_hash: str
    role: Role
    kind: Kind
    host: str
    original_length: int
    rules: str  # version of the redaction rules
    text: Redacted
    entities: bytes = b""


class Applied(Record, frozen=True):
    """What a batch changed."""

    blocks_added: int = 0
    blocks_changed: int = 0
    conflicts: int = 0


# ---- what faces and programs read ----------------------------------------------------------------------------------
# Programs rely on the names of these fields in `--json`: more may come, none is renamed.


class SourceProblem(Record, frozen=True):
    """One thing that went wrong with one source, and the next step."""

    source: str
    state: SourceState
    detail: str
    next: str


class IndexReport(Record, frozen=True):
    """What ``index`` did."""

    sources_seen: int
    sources_changed: int
    records: int
    bytes: int
    blocks_added: int
    blocks_changed: int
    seconds: float
    problems: tuple[SourceProblem, ...] = ()
    rules_seconds: float = 0.0  # of ``seconds``, what loading the redaction rules took


class Tally(Record, frozen=True):
    """A total and its parts by disposition; the parts add up to the total."""

    total: int
    by_disposition: dict[Disposition, int]


class Status(Record, frozen=True):
    """The store at a glance."""

    sources: int
    sessions: int
    turns: int
    blocks: int
    records: Tally
    bytes: Tally
    states: dict[SourceState, int]
    store_bytes: int
    kept_text_bytes: int
    last_capture: str | None
    unknown_types: dict[str, int]


class Block(Record, frozen=True):
    """One block at its root placement."""

    block_id: str
    content_hash: str
    role: Role
    kind: Kind
    text: Redacted
    host: str
    session: str
    turn: int
    ord: int
    original_length: int
    title: Redacted | None = None
    timestamp: str | None = None
    repo: Redacted | None = None
    cwd: Redacted | None = None
    branch: Redacted | None = None
    source: Redacted | None = None
    tool: Redacted | None = None
    model: str | None = None
    live: bool = True


class Filters(Record, frozen=True):
    """What narrows a search; ``None`` and empty mean everything. Times are UTC, ``until`` exclusive."""

    since: str | None = None
    until: str | None = None
    hosts: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ("user", "assistant", "tool")
    kinds: tuple[Kind, ...] = ()
    tools: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    cwd: str | None = None  # this folder or below
    sessions: tuple[str, ...] = ()  # native ids or unambiguous heads of them
    repos: tuple[str, ...] = ()  # exact repository keys
    project: str | None = None  # part of a repository's or folder's name
    models: tuple[str, ...] = ()
    has_error: bool = False


class Why(Record, frozen=True):
    """Why a hit is here.

    ``tier`` is exact (an identifier or phrase), all (every term) or some (a share of the terms).
    """

    tier: Literal["exact", "all", "some"]
    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    neighbors: tuple[str, ...] = ()  # terms found in the blocks around it
    recency: float = 1.0  # the factor the score was multiplied by
    coverage: float = 1.0  # idf-weighted share of the query's terms
    title: tuple[str, ...] = ()  # terms found in its session's title
    parts: dict[str, float] = msgspec.field(default_factory=dict)  # what the score is made of


class Hit(Record, frozen=True):
    """One block found, with the passage that shows it. ``spans`` are offsets in the block."""

    block_id: str
    content_hash: str
    receipt: str  # of the passage
    text: Redacted  # the passage: block text[start:end]
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    role: Role
    kind: Kind
    host: str
    session: str
    turn: int
    score: float
    why: Why
    session_score: float = 0.0  # of its session as a whole, for ranking sessions
    repo: Redacted | None = None
    branch: Redacted | None = None
    timestamp: str | None = None
    source: Redacted | None = None
    cwd: Redacted | None = None
    title: Redacted | None = None
    tool: Redacted | None = None


class Searched(Record, frozen=True):
    """How much an answer looked through."""

    blocks: int
    sessions: int


class Answer(Record, frozen=True):
    """What a search returns."""

    query: str
    searched: Searched
    hits: tuple[Hit, ...]
    scope: str
    outside_scope: int  # hits that the same query has outside the scope
    gated: int  # candidates that matched only common words
    notice: str | None = None
    cold: bool = False  # drawn from raw transcripts, because there is no index yet


class Citation(Record, frozen=True):
    """An exact quotation: ``quote`` is the block's text[start:end]."""

    block_id: str
    content_hash: str
    start: int
    end: int
    quote: Redacted

    @property
    def receipt(self) -> str:
        """The citation as one line."""
        return f"recall-lab://{self.block_id}@{self.content_hash[:12]}#{self.start}-{self.end}"


class Near(Record, frozen=True):
    """Where the words stand after a normalisation; never a valid quotation."""

    start: int
    end: int
    why: str


class Check(Record, frozen=True):
    """What a quote check found."""

    verdict: Verdict
    valid: bool
    start: int | None
    end: int | None
    occurrences: tuple[tuple[int, int], ...]
    near: tuple[Near, ...]
    content_hash: str | None
    hash_matches: bool | None
    # How start and end were chosen: where the quotation stood, by the words around it, or the first occurrence.
    anchor: Literal["position", "context", "first"] | None = None


class Neighbor(Record, frozen=True):
    """A block beside the one that was read; ``offset`` is its distance in placements."""

    offset: int
    block_id: str
    role: Role
    kind: Kind
    turn: int
    text: Redacted
    timestamp: str | None = None


class Reading(Record, frozen=True):
    """A span of a block in its place; ``length`` is of the whole block."""

    block_id: str
    content_hash: str
    text: Redacted
    start: int
    end: int
    length: int
    role: Role
    kind: Kind
    session: str
    turn: int
    host: str
    neighbors: tuple[Neighbor, ...] = ()
    title: Redacted | None = None
    timestamp: str | None = None
    repo: Redacted | None = None
    branch: Redacted | None = None
    cwd: Redacted | None = None
    source: Redacted | None = None
    tool: Redacted | None = None
    truncated: bool = False  # the retained text is a capped form of a longer original


class Failed(Record, frozen=True):
    """A receipt that did not verify."""

    receipt: str
    verdict: str
    detail: str


class Verification(Record, frozen=True):
    """What ``verify`` found."""

    checked: int
    valid: int
    failed: tuple[Failed, ...]


class SavedBrief(Record, frozen=True):
    """A brief on disk."""

    file: str
    citations: int
    sessions: int


class UsageFilters(TypedDict, total=False):
    """Filters of usage. What is left out, or None, keeps all.

    ``host``, ``repo`` and ``model`` are names; "(no repository)" and the like, as reports call what has none, keep just
    that. ``since`` and ``until`` are times as people type them; an ``until`` that is a day includes it.
    """

    since: str | None
    until: str | None
    host: str | None
    repo: str | None
    model: str | None


class CoverageFilters(UsageFilters, total=False):
    """Filters of coverage: those of usage, for the sources and by when they were last written, and ``state``."""

    state: str | None
