"""Opening the detector: bundled rules, the project's own, the user's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from recall_lab.errors import RedactionError, UsageError
from recall_lab.redaction.redactor import Redactor
from recall_lab.redaction.rules import UNUSED


def open_redactor(
    cache_dir: Path, *, rules: Sequence[Path] = (), allow: Sequence[str] = (), mask_contacts: bool = False
) -> Redactor:
    """Load the rules: 4 to 10 seconds the first time, under half a second from the cache.

    Args:
        cache_dir: Folder for the compiled rules; made 0700 if it is not there.
        rules: The user's further rule files.
        allow: Regular expressions; a secret that one of them matches as a whole stays in the text.
        mask_contacts: Also take out mail addresses, telephone numbers and IP addresses.

    Raises:
        UsageError: A rule file or an expression of the allow list cannot be used; the message names the line.
        RedactionError: The detector cannot be loaded.
    """
    allowed = [_compile(expression) for expression in allow]
    own = resources.files("recall_lab.redaction").joinpath("rules.yaml")
    try:
        import kingfisher_sdk

        cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with resources.as_file(own) as path:
            loaded = kingfisher_sdk.Rules([path, *rules], builtins=True, cache_dir=cache_dir)
        scanner = kingfisher_sdk.Scanner(loaded, base64=False)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise RedactionError(f"the secret detector cannot be loaded: {error}; reinstall recall-lab") from error
    unused = frozenset(
        rule["id"]
        for rule in loaded.metadata()
        if not rule["visible"]
        or UNUSED.match(rule["id"])
        or any(not part.get("optional") for part in loaded.detail(rule["id"])["depends_on_rule"])
    )
    digest = hashlib.sha256(kingfisher_sdk.__version__.encode())
    for module in sorted(resources.files("recall_lab.redaction").iterdir(), key=lambda item: item.name):
        if module.name.endswith((".py", ".yaml")):
            digest.update(module.read_bytes())
    for path in rules:
        digest.update(path.read_bytes())
    digest.update("\0".join(allow).encode("utf-8", "surrogatepass"))
    return Redactor(scanner, unused, digest.hexdigest()[:12], allow=allowed, kinds={})


def _compile(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise UsageError(
            f"the allow list's {expression!r} is no regular expression: {error}; correct it in settings.toml"
        ) from None
