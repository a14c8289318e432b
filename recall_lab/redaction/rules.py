"""Which rules are loaded, and what becomes of the places that they report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recall_lab.redaction import commands, credentials, files, shapes, words
from recall_lab.redaction.kinds import kind_of_rule
from recall_lab.redaction.records import Spot

Reader = Callable[[str, int, int], Iterator[Spot]]

_READERS: dict[str, Reader] = {
    "word": words.read_word,
    "cookie": credentials.read_cookies,
    "jwt": credentials.read_jwt,
    "url": credentials.read_url,
    "url-user": credentials.read_url_user,
    "option": commands.read_option,
    "glued": commands.read_glued_option,
    "piped": commands.read_piped,
    "identified": words.read_identified,
    "password-file": files.read_password_file,
    "putty": files.read_putty,
    "vault": files.read_vault,
    "kubernetes": files.read_kubernetes,
}

# Rules of the bundled detector that are not used: those that need a companion anywhere in the same buffer (in a batch
# it may stand in somebody else's text) are found by their metadata; these cross lines without a bound, report more than
# the secret, or report what is meant to be public. rules.yaml and the readers cover their secrets.
UNUSED = re.compile(
    r"betterleaks\.(?:private-key|gcp-(?:service-account|application-default-credentials)|kubernetes-secret-yaml|curl-auth-\w+|"
    r"generic-credential-uri|influxdb-api-token|jwt|posthog-project-api-key|mailgun-pub-key|lob-pub-api-key|"
    r"flutterwave-public-key|gitlab-feature-flag-client-token|gitlab-incoming-mail-address-token|"
    r"(?:\w+-)*client-id(?:\.\d)?|looker-client-id|sendbird-access-id|sumologic-access-id|new-relic-user-api-id|"
    r"new-relic-browser-api-token)\Z|veles\.secrets/(?:codec\w+credentials|bitbucketcredentials)\Z"
)

# A prefix is not one when a letter or digit stands before it; the escapes of JSON, URLs and source code end in some.
_ESCAPE_BEFORE = re.compile(r"(?:\\[nrtfbv]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\\033\[[0-9;]*m)\Z")
_BLOB = re.compile(r"[A-Za-z0-9+/]{24,}$")
# Tokens whose prefix is so short that the rest has to look random by itself.
_SHORT_PREFIX = frozenset("okta named-prefix modal sk xendit-midtrans-mollie yandex azure-signed-key discord".split())


def judge(text: str, start: int, end: int, rule: str) -> Iterator[Spot]:
    """Yield the secrets at a place that a rule reported."""
    if rule.startswith("recall.read."):
        name = rule[len("recall.read.") :]
        yield from _READERS["word" if name.startswith("word") else name](text, start, end)
    elif rule.startswith("recall.token."):
        _, _, kind, name = rule.split(".", 3)
        while text[end - 1] == ".":
            end -= 1
        if _is_token(text, start, end, name) and not _in_blob(text, start):
            yield Spot(start, end, kind)
    elif not shapes.is_placeholder(text[start:end]) and not _in_blob(text, start):
        yield Spot(start, end, kind_of_rule(rule))


def _is_token(text: str, start: int, end: int, name: str) -> bool:
    if start and text[start - 1].isalnum() and not _ESCAPE_BEFORE.search(text, max(0, start - 12), start):
        return False
    if end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        return False
    value = text[start:end]
    if shapes.is_placeholder(value):
        return False
    if name in _SHORT_PREFIX:
        return _random_body(value, name)
    return name == "aws-access-key-id" or shapes.oddness(value) >= 0.2


def _in_blob(text: str, start: int) -> bool:
    """Does the match stand inside a longer base64 text, where every prefix occurs by chance?"""
    if not start or text[start - 1] not in "+/":
        return False
    blob = _BLOB.search(text, max(0, start - 80), start)
    return blob is not None and shapes.looks_random(blob[0], odd=0.5)


def _random_body(value: str, name: str) -> bool:
    if name == "okta":
        return _mixed(value) and shapes.looks_random(value, odd=0.5)
    body = re.split(r"[-_.]", value)[-1] if name == "named-prefix" else value
    return any(c.isdigit() for c in body) and shapes.looks_random(body, odd=0.45)


def _mixed(value: str) -> bool:
    return any(c.isupper() for c in value) and any(c.islower() for c in value) and any(c.isdigit() for c in value)
