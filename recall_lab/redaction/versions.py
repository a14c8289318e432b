"""The version of the rules: it changes when, and only when, what is found can change."""

from __future__ import annotations

import ast
import hashlib
import re
from functools import lru_cache
from importlib import resources

# These open and check the rules and decide on no finding.
_WITHOUT_JUDGEMENT = frozenset(("__init__.py", "loading.py", "records.py", "user_rules.py", "versions.py"))
_CONTACTS = ("contacts.py", "contacts.yaml")
_LAYOUT = frozenset(("ctx", "kind", "type_comment"))
_COMMENT = re.compile(r"^[ \t]*#.*\n?|^[ \t]*\n", re.MULTILINE)


def rules_version(*settings: str, contacts: bool) -> str:
    """Twelve hex of a hash over the settings, the rules and the code that judges what they find.

    Comments, docstrings and layout do not count, nor do the rules for contacts where they are not used. The hash is
    the same for every version of Python.

    Args:
        settings: What else decides: the detector's version, the user's rules, the allow list.
        contacts: Whether the rules for contacts are used.
    """
    digest = hashlib.sha256("\0".join((*settings, str(contacts))).encode("utf-8", "surrogatepass"))
    for name, part in _parts().items():
        if contacts or name not in _CONTACTS:
            digest.update(part)
    return digest.hexdigest()[:12]


@lru_cache(maxsize=1)
def _parts() -> dict[str, bytes]:
    """What counts of each file of this room, hashed."""
    parts: dict[str, bytes] = {}
    for file in sorted(resources.files("recall_lab.redaction").iterdir(), key=lambda item: item.name):
        if file.name.endswith(".py") and file.name not in _WITHOUT_JUDGEMENT:
            parts[file.name] = hashlib.sha256(meaning_of(file.read_text("utf-8")).encode()).digest()
        elif file.name.endswith(".yaml"):
            parts[file.name] = hashlib.sha256(_COMMENT.sub("", file.read_text("utf-8")).encode()).digest()
    return parts


def meaning_of(source: str) -> str:
    """A module without its comments, docstrings and layout, as one line."""
    parts: list[str] = []
    _tell(ast.parse(source), parts)
    return "".join(parts)


def _tell(node: ast.AST, parts: list[str]) -> None:
    parts.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _LAYOUT:
            continue
        if name == "body" and isinstance(value, list) and _is_docstring(value[0]):
            value = value[1:]
        parts.append(f" {name}=")
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, ast.AST):
                _tell(item, parts)
            else:
                parts.append(repr(item))
    parts.append(";")


def _is_docstring(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
