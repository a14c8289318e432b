"""Passwords and keys in the configuration of routers, switches and access points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction import shapes
from recall_lab.redaction.records import Spot

# What stands before the value: a command, then perhaps the number of how the value is encoded. Types 5, 8 and 9 are
# hashes; they can be guessed at leisure, so they count, too.
_LINE = re.compile(
    r"(?i)(?:enable[ \t]+(?:secret|password)(?:[ \t]+level[ \t]+\d+)?"
    r"|username[ \t]+\S+(?:[ \t]+(?:privilege|role)[ \t]+\S+)?[ \t]+(?:password|secret)|phash|pre-shared-secret"
    r"|(?:tacacs|radius)(?:-server|[ \t]+server)?[^\n]{0,60}?[ \t]key"
    r"|key-string|isakmp[ \t]+key|pre-shared-key(?:[ \t]+(?:local|remote|address[ \t]+\S+))?(?:[ \t]+(?:key"
    r"|ascii-text|hexadecimal))?"
    r"|neighbor[ \t]+\S+[ \t]+password|message-digest-key[ \t]+\d+[ \t]+md5|authentication[ \t]+(?:text|md5)"
    r"|snmp-server[ \t]+(?:community|user[ \t]+\S+[ \t]+\S+[ \t]+v3[ \t]+auth[ \t]+\w+)|snmp[ \t]+community"
    r"|set[ \t]+(?:passwd|password|psksecret|community)"
    r"|encrypted-password|plain-text-password-value|authentication-key(?:[ \t]+\d+[ \t]+md5)?|(?:wpa-psk|wpa2?-psk"
    r"|psk)[ \t]+(?:ascii"
    r"|hex)|set-key[ \t]+(?:ascii|hex)"
    r"|ppp[ \t]+(?:chap|pap)[^\n]{0,40}?password|ip[ \t]+ftp[ \t]+password|irreversible-cipher|password[ \t]+"
    r"(?:cipher|simple|ENC)"
    r"|^[ \t]*password)(?:[ \t]+(?:[056789]|10|sha512|md5|scrypt|cipher|simple|encrypted|ENC)(?=[ \t]))?[ \t]+[\"']?"
    r"(?P<value>[^\s\"';]{4,200})",
    re.MULTILINE,
)
_HASHED = re.compile(r"\$(?:1|5|6|8|9|14|y)\$\S{8,}|[0-9A-F]{10,}\Z|\*[0-9A-F]{40}\Z")
_NOT_A_VALUE = re.compile(
    r"(?i)(?:encryption|recovery|policy|level|required|prompt|ro|rw|view|group|traps|local|none|md5|sha\w*|default"
    r"|aging|history)\Z"
)
_SHADOW = re.compile(r":(?P<value>\$(?:1|5|6|y|2[aby]|apr1)\$[^\s:\"'\\]{12,200})(?=:\d*:)")


def read_device(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The value of a line such as ``enable secret 5 $1$…`` or ``tacacs-server key X``."""
    line = _LINE.match(text, start)
    if not line:
        return
    value = line["value"]
    if _HASHED.match(value):
        yield Spot(line.start("value"), line.end("value"), "password")
        return
    if _NOT_A_VALUE.match(value) or shapes.is_placeholder(value) or shapes.is_reference(value, quoted=False):
        return
    if shapes.is_password(value, quoted=True) or shapes.is_secret(value):
        yield Spot(line.start("value"), line.end("value"), "password")


def read_shadow(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The hash in a line of ``/etc/shadow``."""
    line = _SHADOW.match(text, start)
    if line:
        yield Spot(line.start("value"), line.end("value"), "password")
