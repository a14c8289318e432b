"""Which rules are loaded, and what becomes of the places that they report."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from recall_lab.redaction import answers, commands, credentials, devices, files, logins, shapes, statements, words
from recall_lab.redaction.contacts import read_contact
from recall_lab.redaction.kinds import kind_of_rule
from recall_lab.redaction.records import Spot
from recall_lab.redaction.vocabulary import word_set

# The layout of rules.yaml that this project keeps to, so that no YAML parser is needed.
_ENTRY = re.compile(r"^  - id: (?P<id>\S+)\n    name: .*\n    pattern: '(?P<pattern>(?:[^'\n]|'')*)'$", re.MULTILINE)
_LONGER = re.compile(r"\{([1-9]\d*),\d*\}(?=(?:=\{0,\d\})?(?:\||\)+\'$))", re.MULTILINE)
_PADDING = re.compile(r"=\{0,\d\}(?=\||\)+\'$)", re.MULTILINE)
_CLASS_AFTER_SIGN = re.compile(r"(\\\.|(?<=\(\?:):)\[(A-Z|0-9)\](?![*+?{])")
_CHARACTERS = {"A-Z": string.ascii_uppercase, "0-9": string.digits}

Reader = Callable[[str, int, int], Iterator[Spot]]

_READERS: dict[str, Reader] = {
    "word": words.read_word,
    "cookie": credentials.read_cookies,
    "cookie-flag": credentials.read_cookies,
    "jwt": credentials.read_jwt,
    "url": credentials.read_url,
    "url-user": credentials.read_url_user,
    "option": commands.read_option,
    "glued": commands.read_glued_option,
    "piped": commands.read_piped,
    "place": commands.read_place,
    "place-further": commands.read_place,
    "answer": answers.read_answer,
    "insert": statements.read_insert,
    "value-first": statements.read_value_first,
    "cipher-key": words.read_cipher_key,
    "login-pair": commands.read_login_pair,
    "keyed-call": commands.read_keyed_call,
    "login-call": logins.read_login_call,
    "login-call-auth": logins.read_login_call,
    "login-call-basic": logins.read_login_call,
    "login-call-bind": logins.read_login_call,
    "login-call-begin": logins.read_login_call,
    "login-call-client": logins.read_login_call,
    "login-call-connect": logins.read_login_call,
    "filled": logins.read_typed,
    "typed": logins.read_typed,
    "spoken-login": logins.read_spoken_login,
    "user-pass": logins.read_spoken_login,
    "characters": logins.read_characters,
    "device": devices.read_device,
    "shadow": devices.read_shadow,
    "host-map": credentials.read_host_map,
    "child-key": words.read_child_key,
    "child-key-application": words.read_child_key,
    "child-key-wireless": words.read_child_key,
    "identified": words.read_identified,
    "named-prefix": words.read_named_prefix,
    "password-file": files.read_password_file,
    "static-key": files.read_static_key,
    "jwk": files.read_jwk,
    "seed": files.read_seed,
    "recovery-key": files.read_recovery_key,
    "recovery-codes": files.read_recovery_codes,
    "mail-login": commands.read_mail_login,
    "mail-login-used": commands.read_mail_login,
    "private-keys": files.read_private_keys,
    "putty": files.read_putty,
    "vault": files.read_vault,
    "kubernetes": files.read_kubernetes,
}

# Rules of the bundled detector that are not used: those that need a companion anywhere in the same buffer (in a batch
# it may stand in somebody else's text) are found by their metadata; these cross lines without a bound, report more than
# the secret, or report what is meant to be public. rules.yaml and the readers cover their secrets.
_UNUSED = re.compile(
    r"betterleaks\.(?:private-key|gcp-(?:service-account|application-default-credentials)|kubernetes-secret-yaml|curl-auth-\w+|"
    r"generic-credential-uri|influxdb-api-token|jwt|posthog-project-api-key|mailgun-pub-key|lob-pub-api-key|"
    r"flutterwave-public-key|gitlab-feature-flag-client-token|gitlab-incoming-mail-address-token|"
    r"(?:\w+-)*client-id(?:\.\d)?|looker-client-id|sendbird-access-id|sumologic-access-id|new-relic-user-api-id|"
    r"new-relic-browser-api-token)\Z|veles\.secrets/(?:codec\w+credentials|bitbucketcredentials)\Z"
)

_CONNECTION_SECRET = re.compile(
    r"(?i)(?:SharedAccessKey|AccountKey|AccessKey|Password|Pwd|SharedAccessSignature|sig)=(?P<value>[^;\s\"'`<>]{4,512})"
)

_BOUNDED = {"aws-access-key-id": "aws_key", "okta": "access_token"}

# A prefix is not one when a letter or digit stands before it; the escapes of JSON, URLs and source code end in some.
_ESCAPE_BEFORE = re.compile(
    r"(?:\\[nrtfbv]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\\033\[[0-9;]*m|/bot)\Z"
)
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{24,}$")
# The secret that belongs to an access key id stands behind it, as an argument, in a cell, in the next line.
_BESIDE_ITS_ID = re.compile(
    r"[\"'`]?(?:\s{0,2}[,:;/|]\s{0,3}|[ \t]{1,4}(?:and[ \t]+)?(?:the[ \t]+)?(?:secret[ \t]+)?(?:key[ \t]+)?|\r?\n)"
    r"[\"'`]?(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"
)
# Tokens whose prefix is so short that the rest has to look random by itself.
_SHORT_PREFIX = word_set("okta modal sk xendit-midtrans-mollie yandex azure-signed-key discord")


class Rules:
    """The project's own rules, as the detector gets them and as Python reads on from where it found something.

    The detector reports every place where an open pattern could end, and each report costs time; so it gets patterns
    that end as soon as they can, and the whole of the token is matched here. A class behind a full stop or colon is
    spelled out for it: what it looks for are strings, and those of one character stand everywhere.
    """

    def __init__(self, source: str) -> None:
        patterns = {entry["id"]: entry["pattern"].replace("''", "'") for entry in _ENTRY.finditer(source)}
        self._tokens = {
            rule: re.compile(pattern) for rule, pattern in patterns.items() if rule.startswith("recall.token.")
        }
        self.for_detector = _ENTRY.sub(lambda entry: _for_detector(entry[0]), source)

    def whole_token(self, text: str, start: int, rule: str) -> int | None:
        """Where the token of a rule that starts at ``start`` ends."""
        token = self._tokens[rule].match(text, start)
        return token.end() if token else None


def without(ids: Iterable[str]) -> str:
    """Rules that find nothing, which the detector loads in the place of bundled ones: it need not look for those."""
    body = "name: unused\n    pattern: '(\\x01unused\\x01)'\n    confidence: high\n    min_entropy: 0.0"
    return "\n".join(("rules:", *(f"  - id: {one}\n    {body}" for one in ids), ""))


def unused_rules(loaded: Any) -> frozenset[str]:
    """Which of the detector's loaded rules are not used."""
    return frozenset(
        rule["id"]
        for rule in loaded.metadata()
        if not rule["visible"]
        or _UNUSED.match(rule["id"])
        or any(not part.get("optional") for part in loaded.detail(rule["id"])["depends_on_rule"])
    )


def _for_detector(entry: str) -> str:
    if "recall.token." in entry:
        entry = _LONGER.sub(r"{\1}", _PADDING.sub("", entry))
    return _CLASS_AFTER_SIGN.sub(_spelled_out, entry)


def _spelled_out(found: re.Match[str]) -> str:
    sign, characters = found.groups()
    return f"(?:{'|'.join(sign + character for character in _CHARACTERS[characters])})"


def reader_of(rule: str, rules: Rules) -> Reader:
    """What decides on the places that a rule reports."""
    if rule.startswith("recall.read."):
        name = rule[len("recall.read.") :]
        if name in _BOUNDED:
            return partial(_read_bounded, name=name, kind=_BOUNDED[name])
        return _READERS["word" if name.startswith("word") else name]
    if rule.startswith("recall.token."):
        return partial(_read_token, rule=rule, rules=rules)
    if rule.startswith("recall.contact."):
        return partial(read_contact, name=rule.rsplit(".", 1)[1])
    kind = kind_of_rule(rule)
    return _read_connection if kind == "connection_string" else partial(_read_bundled, kind=kind)


def _read_token(text: str, start: int, end: int, *, rule: str, rules: Rules) -> Iterator[Spot]:
    _, _, kind, name = rule.split(".", 3)
    if not _begins(text, start):
        return
    end = rules.whole_token(text, start, rule) or end
    while text[end - 1] == ".":
        end -= 1
    if _is_token(text, start, end, name) and not _in_blob(text, start):
        yield Spot(start, end, kind)


def _read_bounded(text: str, start: int, end: int, *, name: str, kind: str) -> Iterator[Spot]:
    """A token whose rule asks for a border before it, because the token overlaps itself in hostile text."""
    if _begins(text, start) and _is_token(text, start, end, name) and not _in_blob(text, start):
        yield Spot(start, end, kind)
        secret = _BESIDE_ITS_ID.match(text, end) if kind == "aws_key" else None
        if secret and not shapes.HEX.match(secret["value"]) and shapes.is_secret(secret["value"]):
            yield Spot(*secret.span("value"), kind)


def _read_bundled(text: str, start: int, end: int, *, kind: str) -> Iterator[Spot]:
    if not shapes.is_placeholder(text[start:end]) and not _in_blob(text, start):
        yield Spot(start, end, kind)


def _read_connection(text: str, start: int, end: int) -> Iterator[Spot]:
    """The credentials of a connection string, which the detector reports as a whole."""
    shown = text[start:end]
    if "@" in shown and "://" in shown:
        yield from credentials.read_url(text, start, end)
        return
    parts = list(_CONNECTION_SECRET.finditer(text, start, end))
    for part in parts:
        if not shapes.is_benign(part["value"]):
            yield Spot(part.start("value"), part.end("value"), "connection_string")
    if not parts and not shapes.is_placeholder(shown):
        yield Spot(start, end, "connection_string")


def _begins(text: str, start: int) -> bool:
    """May a token begin here, so that what stands before is none of it?"""
    return (
        not start or not text[start - 1].isalnum() or _ESCAPE_BEFORE.search(text, max(0, start - 12), start) is not None
    )


def _is_token(text: str, start: int, end: int, name: str) -> bool:
    if end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        return False
    if text.startswith("pk_", start - 3) and start >= 3:  # publishable
        return False
    value = text[start:end]
    if value.startswith("http"):  # the host of a webhook says nothing
        return not shapes.is_placeholder(value.replace("\\", "").split("/", 3)[-1])
    if shapes.is_placeholder(value):
        return False
    if name in _SHORT_PREFIX:
        return _random_body(value, name)
    return name == "aws-access-key-id" or shapes.oddness(value) >= 0.2


def _in_blob(text: str, start: int) -> bool:
    """Does the match stand inside a longer base64 text, where every prefix occurs by chance?"""
    if not start or text[start - 1] not in "+/_-":
        return False
    blob = _BLOB.search(text, max(0, start - 80), start)
    return blob is not None and shapes.looks_random(blob[0], odd=0.5)


def _random_body(value: str, name: str) -> bool:
    if name == "okta":
        return _mixed(value) and shapes.looks_random(value, odd=0.5)
    return any(map(str.isdigit, value)) and shapes.looks_random(value, odd=0.45)


def _mixed(value: str) -> bool:
    return any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))
