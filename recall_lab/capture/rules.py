"""The detector as the settings want it; everything in this room that redacts opens it here."""

from __future__ import annotations

from recall_lab.capture.preparing import RedactsTexts
from recall_lab.redaction import open_redactor
from recall_lab.settings import Settings


def open_rules(settings: Settings) -> RedactsTexts:
    """Load the rules.

    Raises:
        RedactionError: they cannot be loaded.
    """
    return open_redactor(settings.cache / "rules")
