"""A name and a value judged together: is this what the name promises, and which kind is it?"""

from __future__ import annotations

import re

from recall_lab.redaction import shapes
from recall_lab.redaction.names import Promise
from recall_lab.redaction.vocabulary import word_set

_DIGITS_OF_KEYS = frozenset((32, 40, 48, 64))  # of keys that are drawn as hexadecimal
# What is looked up by the digest of its content, so that its key is no secret.
_NAMES_OF_DIGESTS = word_set(
    """
    artifact asset blob block branch build bundle cell checkpoint chunk cid commit component content conversation data
    digest doc document dom edge embedding entity entry etag event fingerprint fixture frame graph image item job layer
    manifest media message metric module node note package page patch pattern photo pin plan post prompt record release
    render repo resource result revision rollup run series shard slot snapshot span sprite state step store storage
    subject sum summary task template texture thread thumb thumbnail tile trace tree trie turn upload version vertex
    video view vnode widget workflow
    """
)
_SPLIT = re.compile(r"[^a-z]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def accepts(candidate: str, held: Promise, name: str, *, quoted: bool) -> bool:
    """Is the candidate a secret of the sort that the name promises?"""
    if held == "password":
        return shapes.is_password(candidate, quoted=quoted) or shapes.is_secret(candidate, quoted=quoted)
    if held == "secret":
        return shapes.is_secret(candidate, quoted=quoted)
    if name.isupper() and name.endswith("KEY") and "PUBLIC" not in name and shapes.UUID.match(candidate):
        return True
    if shapes.HEX.match(candidate) and name.lower().endswith("key"):
        return not of_a_digest(name) and len(candidate) in _DIGITS_OF_KEYS and shapes.is_hex(candidate)
    return shapes.is_strongly_random(candidate) and (name.isupper() or not shapes.HEX.match(candidate))


def of_a_digest(name: str) -> bool:
    """Is what the name calls a key the digest of something, as in ``blobKey``?"""
    words = name.lower() if name.isupper() else _HUMPS.sub("_", name).lower()
    return not _NAMES_OF_DIGESTS.isdisjoint(_SPLIT.split(words))


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
