"""Text in, text and findings out; pure.

Doors: ``open_redactor`` loads the rules once; ``Redactor.redact`` takes secrets out of texts, ``Redactor.scan`` says
where they stand. Nothing here reads transcripts, writes text anywhere, or calls a network.
"""

from __future__ import annotations

from recall_lab.redaction.loading import open_redactor
from recall_lab.redaction.records import Finding, RedactedText
from recall_lab.redaction.redactor import Redactor

__all__ = ["Finding", "RedactedText", "Redactor", "open_redactor"]
