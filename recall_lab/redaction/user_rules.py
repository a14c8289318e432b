"""The user's own rules: a TOML file of names and patterns, checked before the detector sees them.

::

    [[rules]]
    id = "acme-key"                     # its findings carry the kind acme_key, unless `kind` names another
    regex = 'acme_[a-z0-9]{32}'         # the syntax of Rust's regex crate: linear time, no look-around
    description = "keys of our gateway" # optional
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from recall_lab.errors import UsageError

_ID = re.compile(r"[a-z][a-z0-9_-]{1,39}\Z")
_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*rules[ \t]*\]\]", re.MULTILINE)


class UserRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule of a user's file."""

    id: str
    regex: str
    kind: str | None = None
    description: str = ""

    @property
    def rule_id(self) -> str:
        """What the detector calls it."""
        return f"user.{self.id}"

    @property
    def finding_kind(self) -> str:
        """The kind that its findings carry."""
        return (self.kind or self.id).replace("-", "_")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    rules: list[dict[str, object]] = []


def read_user_rules(paths: Sequence[Path]) -> tuple[UserRule, ...]:
    """Read and check rule files.

    Raises:
        UsageError: A file cannot be read or a rule cannot be used; the message names the file and the line.
    """
    rules: dict[str, UserRule] = {}
    for path in paths:
        for rule, place in _read(path):
            if rule.id in rules:
                raise UsageError(f"{place}: there is a rule {rule.id!r} already; give this one another id")
            rules[rule.id] = rule
    return tuple(rules.values())


def _read(path: Path) -> list[tuple[UserRule, str]]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{path}: the rule file cannot be read ({reason}); check the path in settings.toml") from None
    try:
        typed = msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}; write [[rules]] tables with id and regex") from None
    lines = [text.count("\n", 0, match.start()) + 1 for match in _TABLE.finditer(text)]
    found = []
    for index, fields in enumerate(typed.rules):
        place = f"{path}:{lines[index]}" if index < len(lines) else str(path)
        try:
            rule = msgspec.convert(fields, UserRule)
        except msgspec.ValidationError as error:
            raise UsageError(f"{place}: {error}; a rule has id, regex, kind and description") from None
        _check(rule, place)
        found.append((rule, place))
    return found


def _check(rule: UserRule, place: str) -> None:
    for label, name in (("id", rule.id), ("kind", rule.finding_kind)):
        if not _ID.match(name):
            raise UsageError(f"{place}: {label} {name!r} is not usable; write 2 to 40 of a-z, 0-9, - and _")
    if len(rule.regex) < 4:
        raise UsageError(
            f"{place}: the regex of {rule.id!r} would match nearly everything; write what the secret looks like"
        )
    problem = _compiles(rule)
    if problem:
        raise UsageError(f"{place}: the regex of {rule.id!r} does not compile ({problem}); correct it")


def _compiles(rule: UserRule) -> str | None:
    """None, or why the detector refuses the rule."""
    import kingfisher_sdk

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.yaml"
        path.write_text(as_yaml([rule]), "utf-8")
        try:
            loaded = kingfisher_sdk.Rules([path], builtins=False, cache=False)
            empty = kingfisher_sdk.Scanner(loaded, base64=False).scan(b"\n \n")
        except (OSError, ValueError, RuntimeError):  # the message quotes the pattern and does not say where it is wrong
            return _python_says(rule.regex)
    return "it matches white space" if empty else None


def _python_says(pattern: str) -> str:
    """Where a pattern is wrong: both dialects agree on most of their syntax."""
    try:
        re.compile(pattern)
    except re.error as error:
        return str(error)
    return "look-around and back references are not supported, and repeats must stay small"


def as_yaml(rules: Sequence[UserRule]) -> str:
    """The rules in the detector's format."""
    lines = ["rules:"]
    for rule in rules:
        pattern = rule.regex.replace("'", "''")
        lines += [f"  - id: {rule.rule_id}", f"    name: {rule.id}", f"    pattern: '({pattern})'"]
        lines += ["    confidence: high", "    min_entropy: 0.0"]
    return "\n".join(lines) + "\n"
