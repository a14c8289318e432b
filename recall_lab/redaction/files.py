"""Secrets that the layout of a file gives away: PEM, PuTTY and vault bodies, password files, Kubernetes manifests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction import shapes
from recall_lab.redaction.records import Spot

_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Between the lines of an encoded key stand line breaks, real or escaped, and what printed them: quotes, a line number,
# a diff sign, a comment sign. Header lines (RFC 1421, RFC 4880) may come first.
_GAP = r"(?:[ \t\r\n\"'+,>|│*#;.()\[\]{}:…]|\n-(?!-)|\\+[nrt\"'/]|\d{1,6}[→|:\t])"
_BODY = re.compile(
    rf"{_GAP}{{0,40}}"
    rf"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID)[-: ][^\n\\]{{0,120}}{_GAP}{{0,40}})*"
    rf"(?:[A-Za-z0-9+/]{{20,20000}}={{0,3}}{_GAP}{{0,40}})*(?:[A-Za-z0-9+/]{{1,19}}={{0,3}}(?![A-Za-z0-9]))?"
)
_BODY_BACKWARDS = re.compile(r"[A-Za-z0-9+/]{16,200}={0,3}(?:[ \t\r\n]|\\+[nr]){1,8}$")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{16,}")
_HEX_BODY = re.compile(r"(?:(?:\s|\\+[nr]){1,8}[0-9a-f]{40,200})+", re.IGNORECASE)
_SHORT_HEX_BODY = re.compile(r"(?:(?:\s|\\+[nr]){1,8}[0-9a-f]{32}){2,32}", re.IGNORECASE)
_JWK_MEMBER = re.compile(
    r"[\\\"'](?:d|p|q|dp|dq|qi|k)[\\\"']{1,8}[ \t\n]{0,4}:[ \t\n]{0,4}[\\\"']{1,8}"
    r"(?P<value>[A-Za-z0-9_-]{20,1400})(?=[\\\"'])"
)
_SEED = re.compile(
    r"[\\\"'`*]{0,4}[ \t]{0,4}(?:is|:|=|:=)?[ \t]{0,4}(?:\\n|\n)?[\\\"'`*]{0,4}"
    r"(?P<words>(?:[a-z]{3,8}[ \t]{1,2}){11,23}[a-z]{3,8})(?![a-z ])"
)
_PUTTY = re.compile(r"(?:\s|\\+[nr]){0,4}(?:(?:[A-Za-z0-9+/=]{4,80})(?:\s|\\+[nr]){1,8}){1,400}")
_CODES = re.compile(r"[\\\"'`*)]{0,4}[ \t]{0,3}(?:[:=]|are\b|is\b|(?=\n|\\n))")
_CODE = re.compile(
    r"(?:[\s,;|\"'`*\[({•-]|\\n|\d{1,2}[.)][ ]){0,12}"
    r"(?P<value>(?=[A-Za-z0-9-]{0,40}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,3}|\d{8,10})(?![\w-])"
)
_MOST_CODES = 24
_HOST_END = re.compile(r"[A-Za-z0-9_.*-]")
_PGPASS = re.compile(
    r":(?:\d{4,5}|\*):[A-Za-z0-9_.*-]{1,64}:[A-Za-z0-9_.*@-]{1,64}:"
    r"(?P<value>[^\s:\"'`]{6,200})(?=\s|\\n|[\"'`]|\Z)"
)
_SECTION = re.compile(r"(?<![A-Za-z])[\\\"']{0,8}(?:data|stringData)[\\\"']{0,8}[ \t]{0,4}:")
_ENTRY = re.compile(
    r"[\\\"']{0,8}(?P<name>[\w.-]{1,80})[\\\"']{0,8}[ \t]{0,4}:[ \t]{0,4}"
    r"(?:[|>][+-]?\s{1,24})?[\\\"']{0,8}(?P<value>[A-Za-z0-9+/=_.~!@#$%^&*-]{4,8192})"
)
_BETWEEN_ENTRIES = re.compile(r"(?:[\s{,\\]|\\n){0,40}")
_AFTER_ENTRY = re.compile(r"[\\\"']{0,8}[ \t]{0,4},?")
_PUBLIC_ENTRY = re.compile(
    r"(?i).*\.crt\Z|ca\b|.*public|name|namespace|type|kind|apiversion|username|user|host|port|url|uri|region|.*email"
)


def read_private_keys(text: str, start: int, _end: int) -> Iterator[Spot]:
    """Encoded private keys, whole or cut off at either end, in the whole of a text: one pass from the first place on.

    A block without a body (a mention of the format) is left alone.
    """
    yield Spot(start, len(text), "")
    done = 0
    at = text.find("PRIVATE KEY", start)
    while at >= 0:
        step = at + len("PRIVATE KEY")
        begin = _BEGIN.search(text, max(done, at - 60), min(len(text), at + 30))
        if begin:
            span = _whole_key(text, begin.start(), begin.end())
            step = max(step, begin.end())
            if span:
                yield span
                done = step = max(step, span.end)
        else:
            closing = _END.search(text, max(done, at - 60), min(len(text), at + 30))
            if closing:
                span = _tail_of_key(text, done, closing.start(), closing.end())
                step = done = closing.end()
                if span:
                    yield span
        at = text.find("PRIVATE KEY", step)


def _whole_key(text: str, start: int, body: int) -> Spot | None:
    encoded = _BODY.match(text, body)
    stop = encoded.end() if encoded else body
    end = _END.match(text, stop)
    if not end:
        near = _END.search(text, stop, stop + 200)
        if near and "BEGIN" not in text[stop : near.start()]:
            end = near
    if sum(len(run) for run in _ENCODED.findall(text, body, stop)) < 24:
        return None
    return Spot(start, end.end() if end else stop, "private_key")


def _tail_of_key(text: str, lowest: int, start: int, end: int) -> Spot | None:
    low = start
    while low > lowest:
        line = _BODY_BACKWARDS.search(text, max(lowest, low - 220), low)
        if not line:
            break
        low = line.start()
    return Spot(low, end, "private_key") if start - low >= 24 else None


def read_putty(text: str, _start: int, end: int) -> Iterator[Spot]:
    """The private lines of a PuTTY key file."""
    body = _PUTTY.match(text, end)
    if body and body.end() - end >= 24:
        yield Spot(end, body.end(), "private_key")


def read_vault(text: str, start: int, end: int) -> Iterator[Spot]:
    """The hexadecimal body of an Ansible vault."""
    body = _HEX_BODY.match(text, end)
    if body:
        yield Spot(start, body.end(), "private_key")


def read_static_key(text: str, _start: int, end: int) -> Iterator[Spot]:
    """The hexadecimal lines of OpenVPN's shared key."""
    body = _HEX_BODY.match(text, end) or _SHORT_HEX_BODY.match(text, end)
    if body:
        yield Spot(end + len(body[0]) - len(body[0].lstrip("\\nr \t\r\n")), body.end(), "private_key")


def read_jwk(text: str, start: int, end: int) -> Iterator[Spot]:
    """The private members of a JSON web key (RFC 7517, RFC 7518)."""
    low = max(text.rfind("{", max(0, start - 4000), start), 0)
    close = text.find("}", end, end + 4000)
    high = close if close >= 0 else min(len(text), end + 4000)
    for member in _JWK_MEMBER.finditer(text, low, high):
        yield Spot(member.start("value"), member.end("value"), "private_key")
    yield Spot(start, high, "")


def read_seed(text: str, _start: int, end: int) -> Iterator[Spot]:
    """The words of a wallet (BIP 39): 12 to 24 of them, in threes."""
    phrase = _SEED.match(text, end)
    if phrase and len(phrase["words"].split()) in (12, 15, 18, 21, 24):
        yield Spot(phrase.start("words"), phrase.end("words"), "seed_phrase")


def read_recovery_key(text: str, start: int, end: int) -> Iterator[Spot]:
    """The recovery key of an encrypted disk: eight groups of six digits."""
    if len(set(text[start:end])) > 4:
        yield Spot(start, end, "generic_secret")


def read_recovery_codes(text: str, start: int, end: int) -> Iterator[Spot]:
    """The codes that stand for a lost second factor: a list of groups with digits, or of long numbers."""
    opened = _CODES.match(text, end)
    at = opened.end() if opened else end
    for _ in range(_MOST_CODES):
        code = _CODE.match(text, at) if opened else None
        if not code or shapes.is_known_shape(code["value"]):
            break
        yield Spot(code.start("value"), code.end("value"), "generic_secret")
        at = code.end()
    yield Spot(start, at, "")


def read_password_file(text: str, start: int, _end: int) -> Iterator[Spot]:
    """A line of PostgreSQL's password file: host:port:database:user:password."""
    line = _PGPASS.match(text, start) if _HOST_END.match(text, max(0, start - 1)) else None
    if line and (shapes.is_password(line["value"], quoted=True) or shapes.is_secret(line["value"])):
        yield Spot(line.start("value"), line.end("value"), "password")


def read_kubernetes(text: str, start: int, end: int) -> Iterator[Spot]:
    """The entries under ``data`` and ``stringData`` of a Kubernetes Secret, before or after its kind."""
    low = max(
        text.rfind("\n---", max(0, start - 4000), start), text.rfind("apiVersion", max(0, start - 4000), start), 0
    )
    high = text.find("\n---", end, end + 16000)
    high = high if high >= 0 else min(len(text), end + 16000)
    section = _SECTION.search(text, end, high) or _SECTION.search(text, low, start)
    if not section:
        yield Spot(start, high, "")
        return
    at = section.end()
    while True:
        gap = _BETWEEN_ENTRIES.match(text, at)
        found = _ENTRY.match(text, gap.end() if gap else at, high)
        if not found:
            yield Spot(start, at, "")
            return
        value = found["value"].rstrip(",")
        stands_for_itself = not shapes.is_placeholder(value) and not shapes.is_reference(value, quoted=False)
        if stands_for_itself and not _PUBLIC_ENTRY.match(found["name"]):
            yield Spot(found.start("value"), found.start("value") + len(value), "kubernetes_secret")
        tail = _AFTER_ENTRY.match(text, found.end())
        at = tail.end() if tail else found.end()
        if text.startswith("}", at):
            return
