"""The detector and what it does to a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recall_lab.model import Redacted
from recall_lab.redaction.buffers import cut
from recall_lab.redaction.kinds import precision_of
from recall_lab.redaction.records import Finding, RedactedText, Spot
from recall_lab.redaction.rules import Reader, Rules, reader_of
from recall_lab.redaction.views import views_of, without_unseen
from recall_lab.redaction.words import words_between
from recall_lab.redaction.wraps import extended, read_wrapped

_MARK = re.compile(r"\[REDACTED:[a-z0-9_]{2,40}\]")

# A text is redacted again until nothing more is found, so that redacting twice is redacting once. Hostile text could be
# built to need one more round each time, so the rounds are bounded.
_MAX_ROUNDS = 8

_WRAPPED = "recall.read.wrapped"
_WORD = "recall.read.word"
_LINE = "recall.read.line"  # from a word to what may be the value behind it
_UNSEEN = "recall.read.unseen"


class Redactor:
    """Loaded rules. Scanning and redacting are pure: they touch no file and no network.

    Attributes:
        version: Changes whenever the detector, the rules or the code that judges their findings change.
    """

    def __init__(
        self,
        scanner: Any,
        rules: Rules,
        version: str,
        *,
        unused: frozenset[str],
        kinds: Mapping[str, str],
        allow: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self._scanner = scanner
        self._rules = rules
        self._readers: dict[str, Reader] = {}
        self._unused = unused
        self._kinds = kinds  # of the user's rules
        self._allow = tuple(allow)
        self.version = version

    def scan(self, texts: Sequence[str]) -> list[tuple[Finding, ...]]:
        """Say where secrets stand: for every text its findings, ascending and not overlapping."""
        results: list[tuple[Finding, ...]] = [()] * len(texts)
        unseen = {index for index, text in enumerate(texts) if "\x1b" in text}
        for index, places in self._places(texts).items():
            results[index] = self._findings(texts[index], places)
            if any(rule == _UNSEEN for _, _, rule in places):
                unseen.add(index)
        # The surroundings of colour codes and invisible characters are looked at again without them.
        views = [(index, view) for index in sorted(unseen) for view in views_of(texts[index])]
        seen: dict[int, list[Finding]] = {}
        for place, places in self._places([view.text for _, view in views]).items():
            index, view = views[place]
            seen.setdefault(index, []).extend(map(view.original, self._findings(view.text, places)))
        for index in unseen:
            plain = without_unseen(texts[index], results[index])
            results[index] = tuple(_settle(texts[index], [*plain, *seen.get(index, ())]))
        return results

    def redact(self, texts: Sequence[str]) -> list[RedactedText]:
        """Take the secrets out: each span becomes ``[REDACTED:<kind>]``. Redacting the result changes nothing."""
        out = list(texts)
        counts: dict[int, Counter[str]] = {}
        left: Sequence[int] = range(len(out))
        for _ in range(_MAX_ROUNDS):
            found = self.scan([out[index] for index in left])
            changed = [(index, spans) for index, spans in zip(left, found, strict=True) if spans]
            for index, spans in changed:
                out[index] = _replace(out[index], spans)
                counts.setdefault(index, Counter()).update(span.kind for span in spans)
            left = [index for index, _ in changed]
            if not left:
                break
        return [
            RedactedText(text=Redacted(text), findings=tuple(sorted(counts[index].items())) if index in counts else ())
            for index, text in enumerate(out)
        ]

    def _places(self, texts: Sequence[str]) -> dict[int, list[tuple[int, int, str]]]:
        """What the detector reports, by text."""
        places: dict[int, list[tuple[int, int, str]]] = {}
        for buffer in cut(texts):
            spans: list[tuple[int, int, str]] = []
            for found in self._scanner.scan(buffer.data):
                rule = found.rule_id
                if rule not in self._unused:
                    location = found.location
                    spans.append((location["start_offset"], location["end_offset"], rule))
            for index, located in buffer.locate(spans).items():
                places.setdefault(index, []).extend(located)
        return places

    def _findings(self, text: str, places: list[tuple[int, int, str]]) -> tuple[Finding, ...]:
        found = list(self._judged(text, places))
        return tuple(_settle(text, found)) if found else ()

    def _judged(self, text: str, places: list[tuple[int, int, str]]) -> Iterator[Finding]:
        seen: dict[str, int] = {}  # up to where a reader has looked
        for start, end, rule in _with_words(text, places):
            reader = _WORD if rule.startswith(_WORD) else rule  # several rules report places for the reader of words
            if start < seen.get(reader, 0) or rule == _UNSEEN:
                continue
            if reader == _WORD:
                seen[_WORD] = end
            for low, high, kind in self._read(text, start, end, rule):
                if rule.startswith("recall.read."):
                    seen[reader] = max(seen.get(reader, 0), high)
                if kind and not self._allowed(text[low:high]):
                    last = extended(text, high) if text[high : high + 1] in "\r\n\\" else high
                    yield Finding(start=low, end=last, kind=kind, rule=rule)

    def _read(self, text: str, start: int, end: int, rule: str) -> Iterable[Spot]:
        if rule in self._kinds:
            return (Spot(start, end, self._kinds[rule]),)
        if rule == _WRAPPED:
            return read_wrapped(text, start, end, self._tokens)
        reader = self._readers.get(rule)
        if reader is None:
            reader = self._readers[rule] = reader_of(rule, self._rules)
        return reader(text, start, end)

    def _tokens(self, text: str) -> Iterator[Spot]:
        """The tokens of a short text, for readers that put one together."""
        for start, end, rule in self._places([text]).get(0, ()):
            if not rule.startswith("recall.read.") and rule not in self._kinds:
                yield from self._read(text, start, end, rule)

    def _allowed(self, secret: str) -> bool:
        return any(pattern.fullmatch(secret) for pattern in self._allow)


def _with_words(text: str, places: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The places in order, with the words of reported lines in the place of the lines, each once."""
    expanded: set[tuple[int, int, str]] = set()
    for place in places:
        if place[2].startswith(_LINE):
            expanded.update((start, end, _WORD) for start, end in words_between(text, place[0], place[1]))
        else:
            expanded.add(place)
    return sorted(expanded)


def _settle(text: str, found: Iterable[Finding]) -> list[Finding]:
    """Join overlapping findings; the kind that says most names the span. What is redacted already stays as it is."""
    ordered = sorted(found, key=lambda item: (item.start, -item.end))
    joined: list[Finding] = []
    for finding in ordered:
        if joined and finding.start < joined[-1].end:
            last = joined[-1]
            best = finding if precision_of(finding.kind) > precision_of(last.kind) else last
            joined[-1] = Finding(start=last.start, end=max(last.end, finding.end), kind=best.kind, rule=best.rule)
        else:
            joined.append(finding)
    return [part for finding in joined for part in _without_marks(text, finding)]


def _without_marks(text: str, finding: Finding) -> Iterator[Finding]:
    before = finding.start
    marks = list(_MARK.finditer(text, max(0, finding.start - 50), min(len(text), finding.end + 50)))
    if not marks:
        yield finding
        return
    for mark in marks:
        if mark.end() <= finding.start or mark.start() >= finding.end:
            continue
        if any(c.isalnum() for c in text[before : mark.start()]):
            yield Finding(start=before, end=mark.start(), kind=finding.kind, rule=finding.rule)
        before = max(before, mark.end())
    if before == finding.start or any(c.isalnum() for c in text[before : finding.end]):
        yield Finding(start=before, end=finding.end, kind=finding.kind, rule=finding.rule)


def _replace(text: str, spans: Sequence[Finding]) -> str:
    parts: list[str] = []
    before = 0
    for span in spans:
        parts += (text[before : span.start], f"[REDACTED:{span.kind}]")
        before = span.end
    parts.append(text[before:])
    return "".join(parts)
