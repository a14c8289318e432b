"""The detector as the settings want it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from recall_lab.errors import StoreError
from recall_lab.settings import Settings
from recall_lab.store.connection import make_private_folder

if TYPE_CHECKING:
    from recall_lab.redaction import Redactor


def open_rules(settings: Settings) -> Redactor:
    """Load the rules: those that came with recall_lab, and what the settings add and allow.

    Where there is no place to keep them compiled, they are compiled for this once.

    Raises:
        UsageError: a rule file or an expression of the settings cannot be used.
        RedactionError: the detector cannot be loaded.
    """
    from recall_lab.redaction import open_redactor

    kept = settings.cache / "rules"
    with ExitStack() as stack:
        try:
            make_private_folder(kept)
        except StoreError:
            kept = Path(stack.enter_context(TemporaryDirectory(prefix="recall-lab-")))
        return open_redactor(
            kept,
            rules=settings.redaction_rules,
            allow=settings.redaction_allow,
            mask_contacts=settings.mask_contacts,
        )
