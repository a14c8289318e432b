"""A seal over a saved file: a hash of all that it says, so that an edit anywhere in it is noticed; pure.

It tells an accident or a careless hand, not a forger: whoever can write the file can write a seal as well. What the
receipts say is checked against the store, whatever the seal says.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

BLANK = "0" * 64  # stands where the seal will be while it is counted
_SEAL = re.compile(r"[0-9a-f]{64}")


def seal_text(document: str, before: str) -> str:
    """Put the seal into a document that has ``before`` and ``BLANK`` in it once, at their first place."""
    return document.replace(before + BLANK, before + _hash(document), 1)


def holds(document: str, before: str) -> bool | None:
    """Say whether the document is as it was sealed; None when it has no seal behind ``before``."""
    at = document.find(before)
    if at < 0:
        return None
    begin = at + len(before)
    seal = document[begin : begin + 64]
    if not _SEAL.fullmatch(seal):
        return False
    return seal == _hash(document[:begin] + BLANK + document[begin + 64 :])


def seal_of(value: Any) -> str:
    """Return the seal of a JSON value, however it is spelt."""
    return _hash(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
