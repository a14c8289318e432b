"""How long the detector takes over text that is made to slow it down.

A piece is repeated up to several sizes. Where the seconds for a megabyte stay the same from one size to the next, time
grows with the text and not faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from recall_lab.evaluation.redaction import ScansTexts

#: What is repeated: heads of secrets that never come, and what readers look around for.
PIECES: Mapping[str, str] = {
    "start of a key file": "-----BEGIN",
    "head of a private key": "-----BEGIN RSA " + "PRIVATE KEY-----\n",
    "end of a private key": "-----END " + "PRIVATE KEY-----\n",
    "key_": "key_",
    "API_KEY=": "API_KEY=",
    "API_KEY=1": "API_KEY=1",
    "pw=": "pw=",
    "password: ": "password: ",
    "password is ": "password is ",
    'password="': 'password="',
    "token,": "token,",
    "token,x\\n": "token,x\n",
    "| secret |": "| secret |",
    "a": "a",
    '"': '"',
    "backslash": "\\",
    "escaped quote": '\\"',
    "colour code": "\x1b[31m",
    "coloured key": "\x1b[31mAPI_KEY=\x1b[0m",
    "zero-width space": "\u200b",
    "zero-width in a word": "pass\u200bword=",
    "head of a JSON web token": "eyJ" + "hbGciOiJI.eyJ",
    "gh" + "p_": "gh" + "p_",
    "cut token": "gh" + "p_abc\n",
    "AK" + "IA": "AK" + "IA",
    "Cookie: a=": "Cookie: a=",
    "Authorization: Bearer ": "Authorization: Bearer ",
    "https://a:": "https://a:",
    "://a:b@": "://a:b@",
    "mysql -px ": "mysql -px ",
    " -u a:b": " -u a:b",
    "echo x | docker login --password-stdin ": "echo x | docker login --password-stdin ",
    "kind: Secret": "kind: Secret\ndata:\n",
    '"kty":{': '"kty":{',
    "seed phrase": "seed phrase able able ",
    "@a.bc:": "@a.bc:",
    "[REDACTED:password]": "[REDACTED:password]",
    "?token=&": "?token=&",
    "enable secret": "enable secret ",
    "login(a": 'login("a1',
    "tokens by host": '"bearer": {"a.b":',
    "member of cookies": 'cookies={"a":"b",',
    "foreign word": "\u5bc6\u7801\uff1a",
}
SIZES = (50_000, 100_000, 200_000, 400_000)  # code points
_ONE_MORE = 0.15  # seconds below which a time is measured again, because the clock is too coarse for it


class Slope(msgspec.Struct, frozen=True):
    """The seconds for a megabyte (10^6 bytes) of a repeated piece, by code points of the text."""

    piece: str
    seconds_per_mb: dict[int, float]


def measure_slopes(
    redactor: ScansTexts,
    *,
    pieces: Mapping[str, str] = PIECES,
    sizes: Sequence[int] = SIZES,
    progress: Callable[[int], None] | None = None,
) -> tuple[Slope, ...]:
    """Time the detector on every piece at every size, in seconds of the processor.

    Args:
        redactor: What is timed.
        pieces: What is repeated, by its name.
        sizes: Code points of the texts.
        progress: Called with 1 for each piece that is done.
    """
    slopes = []
    for name, piece in pieces.items():
        slopes.append(Slope(name, {size: _seconds_per_mb(redactor, piece, size) for size in sizes}))
        if progress:
            progress(1)
    return tuple(slopes)


def _seconds_per_mb(redactor: ScansTexts, piece: str, size: int) -> float:
    text = piece * (size // len(piece))
    seconds = _seconds(redactor, text)
    if seconds < _ONE_MORE:
        seconds = min(seconds, _seconds(redactor, text))
    return round(seconds / (len(text.encode()) / 1e6), 3)


def _seconds(redactor: ScansTexts, text: str) -> float:
    started = time.process_time()
    redactor.scan([text])
    return time.process_time() - started
