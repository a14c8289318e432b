"""The detector and what it does to a text."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from recall_lab._version import __version__
from recall_lab.errors import RedactionError
from recall_lab.model import Redacted
from recall_lab.redaction.buffers import cut
from recall_lab.redaction.kinds import kind_of_rule
from recall_lab.redaction.records import Finding, RedactedText

MARK = re.compile(r"\[REDACTED:[a-z0-9_]+\]")

#: A text is redacted again until nothing more is found, so that redacting twice is redacting once; hostile text could
#: be built to need one more round each time, so the rounds are bounded.
_MAX_ROUNDS = 8


class Redactor:
    """Loaded rules. Scanning is pure: it touches no file and no network."""

    def __init__(self, scanner: Any, skipped: frozenset[str], version: str) -> None:
        self._scanner = scanner
        self._skipped = skipped
        self.version = version

    def scan(self, texts: Sequence[str]) -> list[tuple[Finding, ...]]:
        """Say where secrets stand: for every text its findings, ascending and not overlapping."""
        raw: list[list[Finding]] = [[] for _ in texts]
        for buffer in cut(texts):
            for index, start, end, rule in buffer.locate(self._spans(buffer.data)):
                raw[index].append(Finding(start=start, end=end, kind=kind_of_rule(rule), rule=rule))
        return [tuple(_settle(text, found)) if found else () for text, found in zip(texts, raw, strict=True)]

    def redact(self, texts: Sequence[str]) -> list[RedactedText]:
        """Take the secrets out: each span becomes ``[REDACTED:<kind>]``."""
        out = list(texts)
        counts: dict[int, Counter[str]] = {}
        open_texts: Sequence[int] = range(len(out))
        for _ in range(_MAX_ROUNDS):
            found = self.scan([out[index] for index in open_texts])
            changed = [(index, spans) for index, spans in zip(open_texts, found, strict=True) if spans]
            for index, spans in changed:
                out[index] = _replace(out[index], spans)
                counts.setdefault(index, Counter()).update(span.kind for span in spans)
            open_texts = [index for index, _ in changed]
            if not open_texts:
                break
        return [
            RedactedText(
                text=Redacted(text), findings=tuple(sorted(counts[index].items())) if index in counts else ()
            )
            for index, text in enumerate(out)
        ]

    def _spans(self, data: bytes) -> list[tuple[int, int, str]]:
        spans: list[tuple[int, int, str]] = []
        for found in self._scanner.scan(data):
            if found.visible and found.rule_id not in self._skipped:
                location = found.location
                spans.append((location["start_offset"], location["end_offset"], found.rule_id))
        return spans


def open_redactor(
    cache_dir: Path, *, rules: Sequence[Path] = (), allow: Sequence[str] = (), mask_contacts: bool = False
) -> Redactor:
    """Load the rules.

    Args:
        cache_dir: Folder for the compiled rules; made 0700 if it is not there.
        rules: Further rule files of the user.
        allow: Regular expressions; a secret that one of them matches whole is left in the text.
        mask_contacts: Also take out mail addresses, phone numbers and IP addresses.

    Raises:
        RedactionError: The detector or a rule file cannot be loaded.
    """
    try:
        import kingfisher_sdk

        cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        loaded = kingfisher_sdk.Rules(rules, builtins=True, cache_dir=cache_dir)
        scanner = kingfisher_sdk.Scanner(loaded, base64=False)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise RedactionError(
            f"the secret detector cannot be loaded: {error}; reinstall recall-lab"
        ) from error
    skipped = frozenset(
        rule["id"]
        for rule in loaded.metadata()
        if any(not part.get("optional") for part in loaded.detail(rule["id"])["depends_on_rule"])
    )
    digest = hashlib.sha256(f"{kingfisher_sdk.__version__} {__version__}".encode())
    for path in rules:
        digest.update(path.read_bytes())
    return Redactor(scanner, skipped, digest.hexdigest()[:12])


def _settle(text: str, found: Iterable[Finding]) -> list[Finding]:
    """Join overlapping findings (the first one names the kind), and keep out what is a mark already."""
    marks = [match.span() for match in MARK.finditer(text)]
    joined: list[Finding] = []
    for finding in sorted(found, key=lambda item: (item.start, -item.end)):
        if any(low < finding.end and finding.start < high for low, high in marks):
            continue
        if joined and finding.start < joined[-1].end:
            last = joined[-1]
            if finding.end > last.end:
                joined[-1] = Finding(start=last.start, end=finding.end, kind=last.kind, rule=last.rule)
            continue
        joined.append(finding)
    return joined


def _replace(text: str, spans: Sequence[Finding]) -> str:
    parts: list[str] = []
    before = 0
    for span in spans:
        parts += (text[before : span.start], f"[REDACTED:{span.kind}]")
        before = span.end
    parts.append(text[before:])
    return "".join(parts)
