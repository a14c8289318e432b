"""A name and a value judged together: is this what the name promises, and which kind is it?"""

from __future__ import annotations

from recall_lab.redaction import shapes
from recall_lab.redaction.names import Promise


def accepts(candidate: str, held: Promise, name: str, *, quoted: bool) -> bool:
    """Is the candidate a secret of the sort that the name promises?"""
    if held == "password":
        return shapes.is_password(candidate, quoted=quoted) or shapes.is_secret(candidate, quoted=quoted)
    if held == "secret":
        return shapes.is_secret(candidate, quoted=quoted)
    if name.isupper() and name.endswith("KEY") and "PUBLIC" not in name and shapes.UUID.match(candidate):
        return True
    return shapes.is_strongly_random(candidate) and (name.isupper() or not shapes.HEX.match(candidate))


def kind_of_name(name: str, held: Promise) -> str:
    """The kind of a secret that only its name tells."""
    if held == "password":
        return "password"
    lowered = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    for part, kind in (
        ("clientsecret", "client_secret"),
        ("apikey", "api_key"),
        ("token", "access_token"),
        ("authorization", "access_token"),
        ("privatekey", "private_key"),
        ("accountkey", "azure_key"),
        ("sharedaccess", "azure_key"),
        ("aws", "aws_key"),
        ("accesskey", "access_key"),
    ):
        if part in lowered:
            return kind
    return "generic_secret"
