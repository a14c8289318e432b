"""Credentials that a syntax of their own carries: headers, cookies, URLs, command lines, password files."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import lru_cache

from recall_lab.redaction import shapes
from recall_lab.redaction.records import Spot
from recall_lab.redaction.vocabulary import word_set

_SCHEME = re.compile(
    r"[ \t]{0,8}[\\\"'`]{0,8}(?P<scheme>bearer|basic|token|apikey(?:-v1)?|api-key|bot|key|splunk|ghtoken|oauth|"
    r"sso-key|geniekey|klaviyo-api-key|jwt|flyv1|session|ssws)"
    r"(?:[ \t]|%20|\\{0,7}[\"'`](?=[ \t]{0,3}[+.&,]|[ \t]{0,3}\\{0,7}[\"'`])){1,6}"
    r"(?:[+.&,][ \t]{0,3})?[\\\"'`]{0,8}(?:token=[\\\"']{0,4})?",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(r"[A-Za-z0-9._~+/=|:!@#$%^&*-]{6,2048}")
_COOKIES = re.compile(
    r"(?:[\\\"'`\])]{0,8}[ \t]{0,4}[:=,][ \t]{0,4}|(?<=-b)[\"' =,]{1,4}|(?<=--cookie)[\"' =,]{1,4})"
    r"[\\\"'`]{0,8}(?P<pairs>[^\n\"'`\\]{3,8192})"
)
# ``cookies = {"sessionid": "X"}``, ``cookies.set("sessionid", "X")``, ``session.cookies["sessionid"] = "X"``.
_COOKIE_MEMBERS = re.compile(
    r"[\\\"']{0,3}(?:[ \t]{0,4}[:=][ \t]{0,4}(?:dict)?[({]|\.?(?:set|add|update|get_dict)?[(\[]\{?)(?P<pairs>(?:\s"
    r"|\\n){0,40}[^{}\n\"']{0,40}\\{0,3}[\"'][^{};]{3,4096})"
)
_COOKIE_MEMBER = re.compile(
    r"\\{0,3}[\"'](?P<name>[\w.%-]{1,80})\\{0,3}[\"'][ \t]{0,4}(?::|,|\][ \t]?=|=>)[ \t]{0,4}"
    r"\\{0,3}[\"'](?P<value>[^\"'\\\s]{6,2048})\\{0,3}[\"']"
)
_COOKIE = re.compile(r"(?P<name>[\w.%-]{1,80})=(?P<value>[^;,\s]{6,2048})")
_SESSION_COOKIE = re.compile(r"(?i)sess|sid\b|auth|token|jwt|csrf|xsrf|login|remember|secure|host-|user")
_ANALYTICS_COOKIE = re.compile(r"_g[a-z]{1,3}(?:_|\Z)|_fbp|_hj|utm|ajs_|_pk_|amplitude|mp_|optimizely|intercom-id")

_LONGEST_MAP = 4_000
_HOST_ENTRY = re.compile(
    r"[\"'](?:https?://)?[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,5}(?::\d{2,5})?"
    r"(?:/[\w./-]{0,80})?\\{0,3}[\"'][ \t]{0,4}:"
    r"[ \t]{0,4}\\{0,3}[\"'](?P<value>[A-Za-z0-9_+/=.~-]{16,512})\\{0,3}[\"']"
)
_SAMPLE_SIGNATURE = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"  # of the token that introductions to JWT show
_USERINFO = re.compile(
    r":(?://|\\/\\/)(?P<user>[^\s/@:\"'<>`]{0,120}):(?P<password>[^\s\"'<>`]{1,300}?)@"
    r"(?P<host>[A-Za-z0-9_\[$({<%][^\s/@\"'<>`]{0,200})"
)
_TOKEN_USER = re.compile(r"://(?P<user>[A-Za-z0-9_.~%=+!$*-]{16,300})@(?P<host>[a-z0-9.-]{3,100})", re.IGNORECASE)
# What recall_lab itself writes: the ids of a block and of its text.
_RECEIPT = re.compile(r"(?<=recall-lab)://[0-9a-f]{32}@[0-9a-f]{12}(?![0-9A-Za-z.-])")
_DEFAULT_USERINFO = word_set(
    """
    postgres root admin user guest test mysql redis mongo rabbitmq password pass secret pw
    """
)


def read_scheme(text: str, at: int) -> Spot | None:
    """An authorization scheme and its credential, as in ``Bearer eyJ...``; basic credentials must decode to a pair.

    Returns:
        None where no scheme stands; a spot without a kind where what follows the scheme is no secret.
    """
    scheme = _SCHEME.match(text, at)
    credential = _CREDENTIAL.match(text, scheme.end()) if scheme else None
    if not scheme or not credential:
        return None
    value = credential[0].rstrip(".,:;")
    start, end = credential.start(), credential.start() + len(value)
    if scheme["scheme"].lower() == "basic":
        return Spot(start, end, "basic_auth" if is_basic(value) else "")
    fits = len(value) >= 8 and not shapes.is_benign(value)
    random = shapes.is_secret(value, quoted=True) or (any(map(str.isdigit, value)) and shapes.oddness(value) > 0.2)
    return Spot(start, end, "bearer_token" if fits and random else "")


def is_basic(value: str) -> bool:
    """Does the value decode, as base64, to a user and a password that is no placeholder?"""
    try:
        pair = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
    user, colon, password = pair.partition(":")
    if not colon or not pair.isprintable() or not (user or password):
        return False
    return not shapes.is_placeholder(password or user) and not shapes.is_reference(password or user, quoted=False)


def read_cookies(text: str, start: int, end: int) -> Iterator[Spot]:
    """The values of cookies that are drawn at random or carry a session: in a header, or as a program writes them."""
    members = _COOKIE_MEMBERS.match(text, end)
    header = None if members else _COOKIES.match(text, end)
    if members:
        pairs, pattern, last = members, _COOKIE_MEMBER, members.end()
    elif header:
        pairs, pattern, last = header, _COOKIE, header.end("pairs")
    else:
        return
    for pair in pattern.finditer(text, pairs.start("pairs"), last):
        value = pair["value"].rstrip(".)]}")
        if _ANALYTICS_COOKIE.match(pair["name"]) or shapes.is_placeholder(value):
            continue
        known = len(value) >= 8 and _SESSION_COOKIE.search(pair["name"]) and shapes.is_secret(value, quoted=True)
        if known or shapes.looks_random(value) or (len(value) >= 32 and shapes.is_hex(value)):
            yield Spot(pair.start("value"), pair.start("value") + len(value), "cookie")
    yield Spot(start, last, "")


def read_host_map(text: str, _start: int, end: int) -> Iterator[Spot]:
    """Tokens by host, as package managers keep them: ``"bearer": {"packages.example.com": "X"}``."""
    closing = text.find("}", end, end + _LONGEST_MAP)
    limit = closing if closing >= 0 else min(len(text), end + _LONGEST_MAP)
    for entry in _HOST_ENTRY.finditer(text, end, limit):
        if shapes.is_secret(entry["value"]):
            yield Spot(entry.start("value"), entry.end("value"), "access_token")
    yield Spot(end, limit, "")


def read_url(text: str, start: int, end: int) -> Iterator[Spot]:
    """The password of a URL's userinfo; default pairs such as ``postgres:postgres`` are no secret."""
    for found in _USERINFO.finditer(text, start, min(len(text), end + 300)):
        if found.start() >= end:
            return
        user, password = found["user"], found["password"]
        low = found.start("password")
        # An unescaped @ may belong to the password: the host starts after the last one.
        rest = re.compile(r"[^\s/\"'<>`@]*@").match(text, found.end("password") + 1)
        while rest:
            password = text[low : rest.end() - 1]
            rest = re.compile(r"[^\s/\"'<>`@]*@").match(text, rest.end())
        if _is_url_password(user, password):
            yield Spot(low, low + len(password), "url_credentials")


def _is_url_password(user: str, password: str) -> bool:
    if password.lower() in _DEFAULT_USERINFO or password == user or re.match(r"\d{1,5}(?:/|\Z)", password):
        return False
    if re.match(r"[\[(]?[A-Z_]{4,}[\])]?\Z", password) or shapes.is_placeholder(password):
        return False
    return not (shapes.is_reference(password, quoted=False) or password.startswith(("{", "<", "${", "$(", "%(")))


def read_url_user(text: str, start: int, _end: int) -> Iterator[Spot]:
    """A token in the place of a URL's user, as code hosts accept it."""
    found = _TOKEN_USER.match(text, start)
    if not found or "sentry" in found["host"] or "ingest" in found["host"] or _RECEIPT.match(text, start):
        return
    user = found["user"]
    if shapes.is_secret(user) and (shapes.looks_random(user) or shapes.is_hex(user)):
        yield Spot(found.start("user"), found.end("user"), "url_credentials")


_JWT = re.compile(r"[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?(?:\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)?")


def read_jwt(text: str, start: int, _end: int) -> Iterator[Spot]:
    """A JSON web token (RFC 7519), signed or encrypted; its rule reports the head and the start of the next part."""
    rest = _JWT.match(text, text.index(".", start) + 1)
    if not rest:
        return
    head = text[start : text.index(".", start)]
    if start and text[start - 1].isalnum() and text[max(0, start - 2)] not in "\\%":
        return
    if text.startswith("pk.", max(0, start - 3)):  # publishable
        return
    if rest[0].endswith(_SAMPLE_SIGNATURE) or not _decodes_to_object(head):
        return
    yield Spot(start, rest.end(), "jwt")


@lru_cache(maxsize=256)
def _decodes_to_object(head: str) -> bool:
    try:
        return base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).lstrip().startswith(b"{")
    except (binascii.Error, ValueError):
        return False
