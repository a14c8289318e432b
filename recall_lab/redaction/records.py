"""What crosses the border of the redaction room, and what its readers hand to one another."""

from __future__ import annotations

from typing import NamedTuple

from recall_lab.model import Record, Redacted


class Finding(Record, frozen=True, gc=False):
    """Where a secret stands, and never the secret.

    ``start`` and ``end`` are code points in the scanned text, end exclusive; ``kind`` is of the vocabulary of
    ``kinds.KINDS``; ``rule`` names the rule that found it.
    """

    start: int
    end: int
    kind: str
    rule: str


class RedactedText(Record, frozen=True, gc=False):
    """A text without its secrets, and how many spans of each kind were taken out of it."""

    text: Redacted
    findings: tuple[tuple[str, int], ...] = ()


class Spot(NamedTuple):
    """A secret that a reader found: code points and its kind.

    An empty kind says that the reader has seen all that it would find between ``start`` and ``end``, so that other
    places which its rule reports there need no second look: this keeps overlapping looks linear.
    """

    start: int
    end: int
    kind: str
