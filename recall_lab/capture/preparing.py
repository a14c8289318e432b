"""From a host's events to what the store may keep: redacted, capped, hashed, with its identifiers found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Protocol

import msgspec

from recall_lab.hosts.base import RawBlock, RawModelCall, RawSession, RawToolCall
from recall_lab.model import ModelCall, PlacedBlock, Redacted, Session, ToolCall
from recall_lab.settings import ToolResults
from recall_lab.text_entities import analyse

_SMALL_CACHE = 50_000
_SMALL = 300  # code points; longer ones are not worth remembering
_ERROR_LENGTH = 200


class _RedactedText(Protocol):
    @property
    def text(self) -> Redacted: ...
    @property
    def findings(self) -> tuple[tuple[str, int], ...]: ...


class RedactsTexts(Protocol):
    """What capture needs of the redaction room."""

    @property
    def version(self) -> str:
        """Version of the rules."""
        ...

    def redact(self, texts: Sequence[str]) -> Sequence[_RedactedText]:
        """Take the secrets out."""
        ...


class Prepared(msgspec.Struct, frozen=True):
    """The redacted records of some events, in their order."""

    blocks: tuple[PlacedBlock, ...]
    model_calls: tuple[ModelCall, ...]
    tool_calls: tuple[ToolCall, ...]


class Preparer:
    """Redacts events in batches; small strings that recur (folders, branches, tools) are redacted once."""

    def __init__(self, redactor: RedactsTexts, tool_results: ToolResults = "capped", cap: int = 8000) -> None:
        self._redactor = redactor
        self._tool_results = tool_results
        self._cap = cap
        self._small: dict[str, Redacted] = {}

    @property
    def rules_version(self) -> str:
        """Version of the redaction rules in use."""
        return self._redactor.version

    def keeps(self, block: RawBlock) -> bool:
        """Say whether the settings let this block in."""
        return block.kind != "tool_result" or self._tool_results != "off"

    def prepare(
        self,
        blocks: Sequence[RawBlock],
        models: Sequence[RawModelCall] = (),
        tools: Sequence[RawToolCall] = (),
    ) -> Prepared:
        """Redact everything in one batch and return what the store may keep."""
        small: set[str] = set()
        for block in blocks:
            small.update(s for s in (block.cwd, block.branch, block.tool, block.model, block.call_id) if s)
        small.update(call.model for call in models if call.model)
        for tool in tools:
            small.update(s for s in (tool.call_id, tool.tool, tool.error) if s)
        new = [text for text in small if text not in self._small]
        texts = [clean(block.text) for block in blocks]
        done = self._redactor.redact([*texts, *map(clean, new)])
        self._remember(new, [item.text for item in done[len(texts) :]])
        name = self._known
        prepared = Prepared(
            blocks=tuple(
                self._block(block, item.text, item.findings, name)
                for block, item in zip(blocks, done[: len(texts)], strict=True)
            ),
            model_calls=tuple(_model_call(call, name) for call in models),
            tool_calls=tuple(_tool_call(call, name) for call in tools),
        )
        if len(self._small) > _SMALL_CACHE:
            self._small.clear()
        return prepared

    def session(self, host: str, raw: RawSession, repo: str | None) -> Session:
        """Redact what is known of a session."""
        fields = {
            name: getattr(raw, name) for name in RawSession.__struct_fields__ if name not in {"remote", "relation"}
        }
        texts = {name: value for name, value in {**fields, "repo": repo}.items() if value}
        self._learn(texts.values())
        return Session(host=host, relation=raw.relation, **{key: self._small[text] for key, text in texts.items()})

    def raw_session(self, raw: RawSession) -> RawSession:
        """Redact the same, in the form that a parser takes back."""
        fields = {name: value for name, value in msgspec.structs.asdict(raw).items() if value and name != "relation"}
        self._learn(fields.values())
        return msgspec.structs.replace(raw, **{name: self._small[value] for name, value in fields.items()})

    def is_clean(self, state: bytes) -> bool:
        """Say whether a parser's state holds nothing that the detector would take out."""
        text = state.decode("latin-1").replace("\x00", " ")
        return self._redactor.redact([text])[0].text == text

    def small(self, text: str) -> Redacted:
        """Redact one short string (a path, a record type)."""
        self._learn([text])
        return self._small[text]

    def _learn(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._small]
        if new:
            self._remember(new, [item.text for item in self._redactor.redact([clean(text) for text in new])])

    def _remember(self, texts: Sequence[str], redacted: Sequence[Redacted]) -> None:
        self._small.update(zip(texts, redacted, strict=True))

    def _known(self, text: str | None) -> Redacted | None:
        return self._small[text] if text else None

    def _block(
        self,
        block: RawBlock,
        text: Redacted,
        findings: tuple[tuple[str, int], ...],
        name: Callable[[str | None], Redacted | None],
    ) -> PlacedBlock:
        kept = text
        if block.kind == "tool_result" and self._tool_results == "capped":
            kept = cap(text, self._cap)
        looked = analyse(kept)
        return PlacedBlock(
            block_id=block.block_id,
            content_hash=sha256(kept.encode("utf-8")).hexdigest(),
            role=block.role,
            kind=block.kind,
            text=kept,
            original_length=len(text),
            ord=block.ord,
            turn=block.turn,
            timestamp=block.timestamp,
            cwd=name(block.cwd),
            branch=name(block.branch),
            tool=name(block.tool),
            call_id=name(block.call_id),
            model=name(block.model),
            queued=block.queued,
            agent=block.agent,
            findings=findings,
            entities=looked.spans,
            words=looked.words,
        )


def clean(text: str) -> str:
    """Return text that every database keeps whole: lone surrogates become U+FFFD, NUL becomes U+2400.

    Both are one code point before and after, so offsets stand.
    """
    if "\x00" in text:
        text = text.replace("\x00", "\u2400")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def cap(text: Redacted, limit: int) -> Redacted:
    """Keep head and tail of a long text, with the cut marked in between; a redaction mark is never cut.

    Args:
        text: Redacted text.
        limit: Code points to keep, the mark not counted; two thirds are of the head.
    """
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, len(text) - limit // 3
    opened = text.rfind("[REDACTED:", 0, head)
    if opened >= 0 and text.find("]", opened) >= head:
        head = opened
    opened = text.rfind("[REDACTED:", 0, tail)
    if opened >= 0 and (closed := text.find("]", opened)) >= tail:
        tail = closed + 1
    return Redacted(f"{text[:head]}\n[… {tail - head:,} characters cut …]\n{text[tail:]}")


def _model_call(call: RawModelCall, name: Callable[[str | None], Redacted | None]) -> ModelCall:
    fields = msgspec.structs.asdict(call)
    fields["model"] = name(call.model)
    return ModelCall(**fields)


def _tool_call(call: RawToolCall, name: Callable[[str | None], Redacted | None]) -> ToolCall:
    fields = msgspec.structs.asdict(call)
    error = name(call.error)
    fields.update(call_id=name(call.call_id) or "", tool=name(call.tool), error=error and error[:_ERROR_LENGTH])
    return ToolCall(**fields)
