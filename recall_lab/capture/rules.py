"""The detector as the settings want it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from recall_lab.errors import StoreError
from recall_lab.settings import Settings
from recall_lab.store.connection import make_private_folder

if TYPE_CHECKING:
    from recall_lab.redaction import Redactor


def open_rules(settings: Settings) -> Redactor:
    """Load the rules: those that came with recall_lab, and what the settings add and allow.

    Raises:
        UsageError: a rule file or an expression of the settings cannot be used.
        RedactionError: the detector cannot be loaded.
    """
    from recall_lab.redaction import open_redactor

    if settings.cache.is_relative_to(settings.home):
        with suppress(StoreError):
            # The compiled rules may be the first that comes into a home, which is private from its beginning.
            make_private_folder(settings.home)
    return open_redactor(
        settings.cache / "rules",
        rules=settings.redaction_rules,
        allow=settings.redaction_allow,
        mask_contacts=settings.mask_contacts,
    )
