"""The packaged sample as a home of its own: captured when it is first asked for, then used again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from recall_lab._version import __version__
from recall_lab.sample import sample_home
from recall_lab.settings import Settings

_READY = "sample-is-complete"


def sample_settings(settings: Settings, *, own_home: bool = True) -> Settings:
    """Settings under which the packaged sample is captured and read, with nothing of the user's own transcripts.

    Args:
        settings: The user's: zone, cache and whether activity is noted stay.
        own_home: Put the store into a folder of the cache, named by version and content of the sample; else into the
            settings' own home.
    """
    home = settings.cache / f"sample-{__version__}-{_fingerprint(sample_home())}" if own_home else settings.home
    return msgspec.structs.replace(
        settings,
        home=home,
        user_home=sample_home(),
        roots=(),
        private=(),
        tool_results="capped",
        redaction_rules=(),
        redaction_allow=(),
        mask_contacts=False,
        claude_home=None,
        codex_home=None,
        pi_home=None,
        copilot_home=None,
        gemini_home=None,
        origins={**settings.origins, "home": "the packaged sample", "user_home": "the packaged sample"},
    )


def capture_sample(settings: Settings, *, progress: bool = False) -> None:
    """Capture the sample if that was not done to its end before.

    Args:
        settings: What :func:`sample_settings` gave.
        progress: Show a progress bar on standard error.

    Raises:
        RedactionError: the detector cannot be loaded.
        StoreError: the store cannot be written.
    """
    ready = settings.home / _READY
    if ready.exists() and settings.store.exists():
        return
    from recall_lab.capture import index

    index(settings, progress=progress)
    os.close(os.open(ready, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def is_sample(settings: Settings) -> bool:
    """Whether a home holds the packaged sample."""
    return (settings.home / _READY).exists()


def _fingerprint(folder: Path) -> str:
    """What the sample holds, in eight hex digits: a new sample gets a new store."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
