"""Opening the detector: bundled rules, the project's own, the user's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from recall_lab.errors import RedactionError, UsageError
from recall_lab.redaction.redactor import Redactor
from recall_lab.redaction.rules import Rules, unused_rules, without
from recall_lab.redaction.user_rules import as_yaml, read_user_rules
from recall_lab.redaction.versions import rules_version


def open_redactor(
    cache_dir: Path, *, rules: Sequence[Path] = (), allow: Sequence[str] = (), mask_contacts: bool = False
) -> Redactor:
    """Load the rules: 4 to 10 seconds the first time, under half a second from the cache.

    Args:
        cache_dir: Folder for the compiled rules; made 0700 if it is not there.
        rules: The user's further rule files (TOML, see ``user_rules``).
        allow: Regular expressions; a secret that one of them matches as a whole stays in the text.
        mask_contacts: Also take out mail addresses, telephone numbers and IP addresses.

    Raises:
        UsageError: A rule file or an expression of the allow list cannot be used; the message names the line.
        RedactionError: The detector cannot be loaded.
    """
    allowed = [_compile(expression) for expression in allow]
    users = read_user_rules(rules)
    folder = resources.files("recall_lab.redaction")
    own = Rules(folder.joinpath("rules.yaml").read_text("utf-8"))
    unused = frozenset(folder.joinpath("unused.txt").read_text("utf-8").split())
    try:
        import kingfisher_sdk

        cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(TemporaryDirectory()))
            sources = [
                own.for_detector,
                without(unused),
                folder.joinpath("contacts.yaml").read_text("utf-8") if mask_contacts else "",
            ]
            paths = []
            for index, source in enumerate((*sources, as_yaml(users) if users else "")):
                if source:
                    paths.append(scratch / f"{index}.yaml")
                    paths[-1].write_text(source, "utf-8")
            loaded = kingfisher_sdk.Rules(paths, builtins=True, cache_dir=cache_dir)
        scanner = kingfisher_sdk.Scanner(loaded, base64=False)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise RedactionError(f"the secret detector cannot be loaded ({error}); reinstall recall-lab") from error
    version = rules_version(kingfisher_sdk.__version__, as_yaml(users), *allow, contacts=mask_contacts)
    kinds = {rule.rule_id: rule.finding_kind for rule in users}
    return Redactor(scanner, own, version, unused=unused | unused_rules(loaded), kinds=kinds, allow=allowed)


def _compile(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise UsageError(
            f"allow: {expression!r} is no regular expression ({error}); correct it in settings.toml"
        ) from None
