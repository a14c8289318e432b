"""Identifiers in a text: paths, uuids, hashes, URLs, errors, issues, commands, symbols; pure.

Capture asks for every block, so cost is kept to one split and a memo: a text is cut, as bytes, at every sign that
stands in no identifier but a URL or a path of Windows (those are taken out first), and a piece that was seen before is
not looked at again. An entity is kept as a span of its text, four bytes each; what it is called (a lower-case uuid,
``#12`` for the number in a tracker's URL) is derived from kind and span.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from recall_lab.text import camel_words

MAX_VALUE: Final = 200  # code points of one value; longer ones are not identifiers that anybody types
MAX_ENTITIES: Final = 400  # of one block, in order of appearance
MAX_START: Final = (1 << 21) - 1  # code points; what begins later in a text is not noted
KINDS: Final = ("path", "uuid", "sha", "url", "error", "issue", "command", "symbol")

_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|json|jsonl|ya?ml|toml|md|mdx|rst|txt|csv|tsv|parquet|sql|db|sqlite|duckdb|sh|bash|zsh|"
    "rs|go|java|kt|swift|c|cc|cpp|h|hpp|cs|rb|php|lua|ex|exs|erl|scala|clj|hs|ml|vue|svelte|css|scss|html?|xml|svg|png|jpe?g|"
    "gif|webp|pdf|zip|tar|gz|tgz|log|lock|ini|cfg|conf|env|tf|proto|graphql|gradle|plist|patch|diff|map|wasm|bin|so|dylib|dll|exe"
)
# One piece that is one identifier; the common case, and quick to try.
_WHOLE = re.compile(
    rf"""
    (?: (?P<path>(?:~|\.\.?)?(?:/[\w.@+~-]+)+/?|[\w.@+-]+(?:/[\w.@+-]+)+/?|[\w@+-]*(?:\.[\w@+-]+)*\.(?:{_EXTENSIONS}))
  | (?P<error>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Fault|Interrupt|Panic)
      | E[A-Z]{{4,14}}|SIG[A-Z]{{3,6}}|ERR_[A-Z_]+|TS\d{{4,5}}|[EWF]\d{{3,4}})
  | (?P<issue>\#\d{{1,7}}|[A-Z]{{2,10}}-\d{{1,6}})
  | (?P<sha>[0-9a-f]{{7,40}}|[0-9a-f]{{64}})
  | (?P<symbol>--[a-z][a-z0-9-]+|[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+){{2,}}|_*[A-Za-z][A-Za-z0-9]*_\w+
      | (?:[a-z][a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z])[A-Za-z0-9]*)
    ) \(?
  | (?P<call>[A-Za-z]\w*(?:(?:\.|::)[A-Za-z]\w*)+)\(
    """,
    re.VERBOSE,
)
# Identifiers anywhere in a piece; each begins where a run of its signs does, so that time stays linear.
_WITHIN = re.compile(
    rf"""
    (?P<uuid>(?<![0-9A-Za-z])[0-9A-Fa-f]{{8}}-(?:[0-9A-Fa-f]{{4}}-){{3}}[0-9A-Fa-f]{{12}}(?![0-9A-Za-z]))
  | (?P<path>(?<![\w.~/@+-])(?:~|\.\.?)?(?:/[\w.@+~-]+)+/?
      | (?<![\w.~/@+-])[\w.@+-]+(?:/[\w.@+-]+)+/?
      | (?<![\w.~/@+-])[\w@+-]*(?:\.[\w@+-]+)*\.(?:{_EXTENSIONS})(?![\w-]))
  | (?P<error>(?<!\w)[A-Z]\w*(?:Error|Exception|Warning|Fault|Interrupt|Panic)(?!\w)
      | (?<!\w)(?:E[A-Z]{{4,14}}|SIG[A-Z]{{3,6}}|ERR_[A-Z_]+|TS\d{{4,5}}|[EWF]\d{{3,4}})(?!\w))
  | (?P<issue>(?<![\w&#/])\#\d{{1,7}}(?!\w) | (?<![\w-])[A-Z]{{2,10}}-\d{{1,6}}(?![\w-]))
  | (?P<sha>(?<![\w-])(?:[0-9a-f]{{7,40}}|[0-9a-f]{{64}})(?![\w-]))
  | (?P<symbol>(?<![\w-])--[a-z][a-z0-9-]+(?!\w)
      | (?<![\w-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+){{2,}}(?![\w-])
      | (?<!\w)_*[A-Za-z][A-Za-z0-9]*_\w+
      | (?<!\w)(?:[a-z][a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z])[A-Za-z0-9]*(?!\w))
  | (?P<call>(?<![\w.:])[A-Za-z]\w*(?:(?:\.|::)[A-Za-z]\w*)+(?=\())
    """,
    re.VERBOSE,
)
_SCHEME_LENGTH: Final = 16
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}\Z")
_AFTER_SCHEME = re.compile(r"""://[^\s"'<>()\[\]{}|\\^`,;]+""")
_WINDOWS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:\\{1,2}[\w.@+~-]+(?:\\{1,2}[\w.@+~-]+)*")
_URL_ISSUE = re.compile(r"/(?:issues|pull|pulls|merge_requests)/(\d{1,7})(?!\d)")
_NOT_AN_ISSUE = frozenset(
    {"UTF", "SHA", "ISO", "RFC", "GPT", "MD", "CVE", "AES", "RSA", "HTTP", "HTTPS", "TLS", "UTC", "GMT"}
)
_INTERESTING = re.compile(
    r"[/_#]|[A-Za-z0-9]\.[A-Za-z@+]|--[a-z]|-[A-Za-z0-9]+-|[A-Z]{2}-\d|[a-z0-9][A-Z]|[A-Z]{5}|SIG[A-Z]"
    r"|TS\d|[EWF]\d\d\d|[0-9a-f]{7}|Error|Exception|Warning|Fault|Interrupt|Panic|::|(?<!\w)\.[A-Za-z]"
)

PROGRAMS: Final = frozenset(
    """
    git gh npm npx pnpm yarn bun deno node python python3 pip pip3 uv uvx poetry conda cargo rustc rustup docker
    podman kubectl helm terraform aws gcloud az brew apt apt-get systemctl journalctl ssh scp rsync curl wget psql
    sqlite3 mysql redis-cli pytest ruff mypy tox nox jest vitest eslint prettier tsc mvn gradle dotnet composer
    bundle rails mix ffmpeg tmux claude codex vercel netlify wrangler fly supabase prisma alembic cmake ninja
    bazel
    """.split()  # noqa: SIM905 - a list would take sixty lines
)
_BEFORE_PROGRAM = re.compile(r"[\w./-]")
_AFTER_PROGRAM = re.compile(r" +[a-z][\w:-]*(?<![:-])(?![\w/.])")
_AT_PROMPT = re.compile(r"^[ \t]*(?:\$|\u276f|\u279c) +([\w./-]+(?: +[a-z][\w:-]*)?)", re.MULTILINE)

# What cuts a text into pieces. One colon cuts and two do not, so two are written as one other sign before.
_SIGNS: Final = b"\x00\x1b\"'`)[]{}<>,;|*=!?%$^\\:"
_CUT: Final = bytes.maketrans(_SIGNS, b" " * len(_SIGNS))
_TWO_COLONS: Final = b"\x02"
_LONG_SIGNS: Final = ((b"::", _TWO_COLONS), ("\u2192".encode(), b" "), (b"(", b"( "))
_MARKS: Final = b"(.-+/@#&~\x02"
_SILENT: Final = b"(.-\x02"  # marks that mean nothing behind a word
_NUMBER: Final = b"0123456789(.-+/@&~\x02"

_CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
_COMMAND: Final = _CODES["command"]
_MEMO_SIZE: Final = 150_000
_MEMO_PIECE: Final = 80


class Analysis(NamedTuple):
    """What capture notes of a text.

    Attributes:
        spans: Entities as 32-bit numbers, little endian: 3 bits of kind (place in ``KINDS``), 8 bits of length, 21 bits
            of start; both in code points. In order of appearance, each entity once, commands last.
        words: The words inside camelCase identifiers and the like, for the full-text index.
    """

    spans: bytes
    words: str


# A piece that holds something: its text; its entities; its identifiers with the words inside them; whether a command
# may begin with it. An entity is: its kind and value as one string, its start within the piece in code points, and kind
# and length as a span has them. Plain tuples, because a large capture makes a million of them.
_Entity = tuple[str, int, int]
_Found = tuple[str, tuple[_Entity, ...], tuple[tuple[str, str], ...], bool]


class _Memo(dict[bytes, _Found | None]):
    """What every piece holds that was looked at lately; long ones are not worth remembering.

    When it is full it becomes the older half, and the half that was the older is forgotten: what recurs is kept.
    """

    def __init__(self) -> None:
        self._older: dict[bytes, _Found | None] = {}

    def __missing__(self, piece: bytes) -> _Found | None:
        found = self._older[piece] if piece in self._older else _look(piece)
        if len(piece) <= _MEMO_PIECE:
            self[piece] = found
        return found

    def make_room(self) -> None:
        """Keep memory bounded, however many different pieces there are."""
        if len(self) > _MEMO_SIZE // 2:
            self._older = dict(self)
            self.clear()


_memo = _Memo()


def analyse(text: str) -> Analysis:
    """Find the identifiers in a block, and the words inside them.

    Args:
        text: A block's redacted text.
    """
    numbers: dict[str, int] = {}
    words: dict[str, str] = {}
    rest = text
    if "://" in text or ":\\" in text:
        rest = _take_out(text, numbers, words)
    programs: set[str] = set()
    at = 0
    for piece, held, its_words, program in _pieces(rest):
        place = text.find(piece, at)
        if place < 0:
            continue
        at = place
        for key, start, bits in held:
            if key not in numbers and at + start <= MAX_START:
                numbers[key] = bits | at + start
        if its_words:
            words.update(its_words)
        if program:
            programs.add(piece)
    if rest is not text:
        numbers = dict(sorted(numbers.items(), key=_by_start))
    if programs or "$ " in text:
        for start, end in _commands(text, sorted(programs)):
            key = _key(_COMMAND, " ".join(text[start:end].split()))
            numbers.setdefault(key, _COMMAND << 29 | (end - start) << 21 | start)
    return Analysis(_pack(numbers.values()) if numbers else b"", " ".join(words.values()) if words else "")


def _by_start(item: tuple[str, int]) -> int:
    return item[1] & MAX_START


def _pieces(text: str) -> Iterator[_Found]:
    """Cut a text, and tell what each piece of it holds, in order of first appearance."""
    data = text.encode("utf-8", "surrogatepass")
    for sign, put in _LONG_SIGNS:
        if sign in data:
            data = data.replace(sign, put)
    _memo.make_room()
    return filter(None, map(_memo.__getitem__, dict.fromkeys(data.translate(_CUT).split())))


def _take_out(text: str, numbers: dict[str, int], words: dict[str, str]) -> str:
    """Note the URLs and the paths of Windows, and return the text with spaces in their places."""
    kept: list[str] = []
    done = 0
    for start, end, kind in _signed(text):
        if start < done:
            continue
        held, its_words = _look_at(kind, text[start:end])
        words.update(its_words)
        for key, within, bits in held:
            if key not in numbers and start + within <= MAX_START:
                numbers[key] = bits | start + within
        kept += (text[done:start], " " * (end - start))
        done = end
    return "".join((*kept, text[done:]))


def _signed(text: str) -> Iterator[tuple[int, int, str]]:
    """Find URLs, then paths of Windows where no URL is: start, end, kind."""
    places: list[tuple[int, int, str]] = []
    at = text.find("://")
    while at >= 0:
        scheme, rest = _SCHEME.search(text, max(0, at - _SCHEME_LENGTH), at), _AFTER_SCHEME.match(text, at)
        if scheme and rest:
            places.append((scheme.start(), rest.end(), "url"))
        at = text.find("://", rest.end() if rest else at + 1)
    if ":\\" in text:
        places += ((*match.span(), "path") for match in _WINDOWS.finditer(text))
        places.sort()
    return iter(places)


def entities(text: str, spans: bytes | None = None) -> tuple[tuple[str, str], ...]:
    """Name the identifiers in a block.

    Args:
        text: A block's redacted text.
        spans: What ``analyse`` noted of it; found anew when left out.

    Returns:
        Distinct ``(kind, value)`` in order of appearance, at most ``MAX_ENTITIES``; values have at most ``MAX_VALUE``
        code points. Kinds: path, uuid, sha, url, error, issue, command, symbol. Uuids are lower case, an issue of a
        tracker's URL is given as ``#<number>`` too, an error without its module.
    """
    packed = analyse(text).spans if spans is None else spans
    found: dict[tuple[str, str], None] = {}
    for number in _unpack(packed):
        kind, start = KINDS[number >> 29], number & MAX_START
        found[kind, entity_value(kind, text[start : start + (number >> 21 & 0xFF)])] = None
    return tuple(found)


def entity_value(kind: str, raw: str) -> str:
    """Return what an entity is called, from its kind and the characters of its span."""
    if kind == "uuid":
        return raw.lower()
    if kind == "command":
        return " ".join(raw.split())
    if kind == "issue" and raw.isdigit():
        return f"#{raw}"
    return raw


def _pack(numbers: Iterable[int]) -> bytes:
    packed = array("I", list(numbers)[:MAX_ENTITIES])
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpack(data: bytes) -> array[int]:
    numbers = array("I", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _look(piece: bytes) -> _Found | None:
    """Look at one piece for the first time; None when it holds nothing."""
    core = piece.strip(_MARKS)
    if core.isalpha() and (core[1:].islower() or len(core) == 1) and not piece[len(core) :].strip(_SILENT):
        # A word, with or without a full stop or the like behind it.
        return (text, (), (), True) if (text := piece.decode()) in PROGRAMS else None
    if not piece.strip(_NUMBER):
        return None
    text = piece.replace(_TWO_COLONS, b"::").decode("utf-8", "surrogatepass")
    held = _of_piece(text)
    words = () if core.islower() and b"+" not in piece and b"#" not in piece else camel_words(text)
    program = text in PROGRAMS
    return (text, held, words, program) if held or words or program else None


@lru_cache(20_000)
def _look_at(kind: str, raw: str) -> tuple[tuple[_Entity, ...], tuple[tuple[str, str], ...]]:
    """Look at a URL or a path of Windows: its entities, and its identifiers with the words inside them."""
    return tuple(_entities(kind, 0, raw)), camel_words(raw)


def _of_piece(piece: str) -> tuple[_Entity, ...]:
    whole = _WHOLE.fullmatch(piece.rstrip(".:"))
    if whole:
        kind = whole.lastgroup or ""
        return _entities(kind, 0, whole[kind])
    if _INTERESTING.search(piece):
        matches = _WITHIN.finditer(piece)
        return tuple(one for match in matches for one in _entities(match.lastgroup or "", match.start(), match[0]))
    return ()


def _entities(kind: str, start: int, raw: str) -> tuple[_Entity, ...]:
    """Turn a match into the identifiers that it stands for."""
    issue: tuple[_Entity, ...] = ()
    if kind == "path":
        raw = raw.rstrip(".")
        if not _is_path(raw):
            return ()
    elif kind == "url":
        raw = raw.rstrip(".:!?*")
        if number := _URL_ISSUE.search(raw):
            issue = (_entity("issue", start + number.start(1), number[1]),)
    elif kind == "error":
        name = raw.rpartition(".")[2]
        start, raw = start + len(raw) - len(name), name
    elif kind == "issue":
        if raw.partition("-")[0] in _NOT_AN_ISSUE:
            return ()
    elif kind == "sha":
        if raw.isdigit() or raw.isalpha():
            return ()
    elif kind == "call":
        kind = "symbol"
    return (*issue, _entity(kind, start, raw)) if 1 < len(raw) <= MAX_VALUE else issue


def _entity(kind: str, start: int, raw: str) -> _Entity:
    code = _CODES[kind]
    return _key(code, entity_value(kind, raw)), start, code << 29 | len(raw) << 21


def _key(code: int, value: str) -> str:
    """Kind and value as one string, whose hash Python keeps."""
    return f"{code}{value}"


def _commands(text: str, programs: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Find where a known program is followed by a subcommand, and what stands after a shell's prompt."""
    for program in programs:
        at = text.find(f"{program} ")
        while at >= 0:
            match = _AFTER_PROGRAM.match(text, at + len(program))
            begins = at == 0 or not _BEFORE_PROGRAM.match(text, at - 1)
            if match and begins and match.end() - at <= MAX_VALUE and match.end() <= MAX_START:
                yield at, match.end()
            at = text.find(f"{program} ", at + 1)
    if "$ " in text:
        for match in _AT_PROMPT.finditer(text):
            if match.end(1) - match.start(1) <= MAX_VALUE and match.end(1) <= MAX_START:
                yield match.span(1)


def _is_path(value: str) -> bool:
    """Whether slashes mean a folder here, and not ``and/or``, a date or a fraction."""
    if "/" not in value or value[0] in "/~.":
        return len(value) > 2
    inner = value.strip("/")
    return (inner.count("/") > 1 or "." in inner.rpartition("/")[2] or value.endswith("/")) and not all(
        part.isdigit() for part in inner.split("/")
    )
