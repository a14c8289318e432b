"""The packaged sample: a dozen sessions over three invented repositories, laid out like a user's home folder."""

from __future__ import annotations

from pathlib import Path

__all__ = ["planted_secrets", "planted_thoughts", "sample_home"]


def sample_home() -> Path:
    """Return the folder that stands for a user's home: ``.claude/projects`` and ``.codex/sessions`` lie in it."""
    return Path(__file__).with_name("home")


def planted_secrets() -> tuple[str, ...]:
    """Return the made-up secrets that the sample's transcripts hold and that no store may contain."""
    from recall_lab.sample.invention import SECRETS

    return tuple(SECRETS.values())


def planted_thoughts() -> tuple[str, ...]:
    """Return what the sample's agents only thought: it stands in the transcripts and may not stand in a store."""
    from recall_lab.sample.generate import thoughts

    return thoughts()
