"""Identifiers in a text: paths, uuids, hashes, URLs, errors, issues, commands, symbols; pure.

Capture asks for every block, so cost is kept to one split and a memo: texts are cut at white space, and a piece that
was seen before is not looked at again. An entity is kept as a span of its text, four bytes each; what it is called (a
lower-case uuid, ``#12`` for the number in a tracker's URL) is derived from kind and span.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator
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
_PIECE = re.compile(
    rf"""
    (?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,15}}://[^\s"'<>()\[\]{{}}|\\^`,;]+)
  | (?P<uuid>(?<![0-9A-Za-z])[0-9A-Fa-f]{{8}}-(?:[0-9A-Fa-f]{{4}}-){{3}}[0-9A-Fa-f]{{12}}(?![0-9A-Za-z]))
  | (?P<win>(?<![A-Za-z0-9])[A-Za-z]:\\{{1,2}}[\w.@+~-]+(?:\\{{1,2}}[\w.@+~-]+)*)
  | (?P<path>(?<![\w.~/-])(?:~|\.\.?)?(?:/[\w.@+~-]+)+/?
      | (?<![\w.~/-])[\w.@+-]+(?:/[\w.@+-]+)+/?
      | (?<![\w.~/-])[\w@+-]*(?:\.[\w@+-]+)*\.(?:{_EXTENSIONS})(?![\w-]))
  | (?P<error>(?<!\w)(?:[a-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Warning|Fault|Interrupt|Panic)(?!\w)
      | (?<!\w)(?:E[A-Z]{{4,14}}|SIG[A-Z]{{3,6}}|ERR_[A-Z_]+|TS\d{{4,5}}|[EWF]\d{{3,4}})(?!\w))
  | (?P<issue>(?<![\w&#/])\#\d{{1,7}}(?!\w) | (?<![\w-])[A-Z]{{2,10}}-\d{{1,6}}(?![\w-]))
  | (?P<sha>(?<![\w-])(?:[0-9a-f]{{7,40}}|[0-9a-f]{{64}})(?![\w-]))
  | (?P<symbol>(?<![\w-])--[a-z][a-z0-9-]+(?!\w)
      | (?<![\w-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+){{2,}}(?![\w-])
      | (?<!\w)_*[A-Za-z][A-Za-z0-9]*_\w+
      | (?<!\w)(?:[a-z]+[a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z])[A-Za-z0-9]*(?!\w)
      | (?<!\w)[A-Za-z]\w*(?:(?:\.|::)[A-Za-z]\w*)+(?=\())
    """,
    re.VERBOSE,
)
_URL_ISSUE = re.compile(r"/(?:issues|pull|pulls|merge_requests)/(\d{1,7})(?!\d)")
_NOT_AN_ISSUE = frozenset(
    {"UTF", "SHA", "ISO", "RFC", "GPT", "MD", "CVE", "AES", "RSA", "HTTP", "HTTPS", "TLS", "UTC", "GMT"}
)
_INTERESTING = re.compile(
    r"[/\\_#]|[A-Za-z0-9]\.[A-Za-z@+]|--[a-z]|-[A-Za-z0-9]+-|[A-Z]{2}-\d|[a-z0-9][A-Z]|[A-Z]{5}|SIG[A-Z]"
    r"|TS\d|[EWF]\d\d\d|[0-9a-f]{7}|Error|Exception|Warning|Fault|Interrupt|Panic|::|(?<!\w)\.[A-Za-z]"
)

PROGRAMS: Final = frozenset(
    [
        "git",
        "gh",
        "npm",
        "npx",
        "pnpm",
        "yarn",
        "bun",
        "deno",
        "node",
        "python",
        "python3",
        "pip",
        "pip3",
        "uv",
        "uvx",
        "poetry",
        "conda",
        "cargo",
        "rustc",
        "rustup",
        "docker",
        "podman",
        "kubectl",
        "helm",
        "terraform",
        "aws",
        "gcloud",
        "az",
        "brew",
        "apt",
        "apt-get",
        "systemctl",
        "journalctl",
        "ssh",
        "scp",
        "rsync",
        "curl",
        "wget",
        "psql",
        "sqlite3",
        "mysql",
        "redis-cli",
        "pytest",
        "ruff",
        "mypy",
        "tox",
        "nox",
        "jest",
        "vitest",
        "eslint",
        "prettier",
        "tsc",
        "mvn",
        "gradle",
        "dotnet",
        "composer",
        "bundle",
        "rails",
        "mix",
        "ffmpeg",
        "tmux",
        "claude",
        "codex",
        "vercel",
        "netlify",
        "wrangler",
        "fly",
        "supabase",
        "prisma",
        "alembic",
        "cmake",
        "ninja",
        "bazel",
    ]
)
_WORDY = re.compile(r"[A-Za-z0-9][A-Z]|[+#]")
_BEFORE_PROGRAM = re.compile(r"[\w./-]")
_AFTER_PROGRAM = re.compile(r" +[a-z][\w:-]*(?<![:-])(?![\w/.])")
_AT_PROMPT = re.compile(r"^[ \t]*(?:\$|\u276f|\u279c) +([\w./-]+(?: +[a-z][\w:-]*)?)", re.MULTILINE)

_CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
_COMMAND: Final = _CODES["command"]
_MEMO_SIZE: Final = 300_000
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


class _Found(NamedTuple):
    """What one piece between white space holds; starts are within the piece."""

    entities: tuple[tuple[int, int, int, str], ...]  # code of the kind, start, length, value
    words: tuple[tuple[str, str], ...]  # identifier, its words
    program: str = ""  # a program that a command may begin with


_found: dict[str, _Found] = {}  # pieces that hold something, and what
_hot: set[str] = set()  # the same pieces; a set meets another faster than a dictionary does
_seen: set[str] = set()  # every piece that was looked at


def analyse(text: str) -> Analysis:
    """Find the identifiers in a block, and the words inside them.

    Args:
        text: A block's redacted text.
    """
    pieces = set(text.split())
    if len(_seen) > _MEMO_SIZE:
        _found.clear()
        _hot.clear()
        _seen.clear()
    once: dict[str, _Found] = {}
    for piece in pieces - _seen:
        found = _look(piece)
        if len(piece) <= _MEMO_PIECE:
            _seen.add(piece)
            if found:
                _hot.add(piece)
                _found[piece] = found
        elif found:
            once[piece] = found
    numbers: dict[tuple[int, str], int] = {}
    words: dict[str, str] = {}
    here = [(text.find(piece), _found[piece]) for piece in pieces & _hot]
    here += [(text.find(piece), found) for piece, found in once.items()]
    here.sort(key=_place)
    programs: set[str] = set()
    for at, found in here:
        if found.words:
            words.update(found.words)
        if found.program:
            programs.add(found.program)
        for code, start, length, value in found.entities:
            if at + start <= MAX_START:
                numbers.setdefault((code, value), code << 29 | length << 21 | (at + start))
    if programs or "$ " in text:
        for start, end in _commands(text, sorted(programs)):
            value = " ".join(text[start:end].split())
            numbers.setdefault((_COMMAND, value), _COMMAND << 29 | (end - start) << 21 | start)
    return Analysis(_pack(numbers.values()) if numbers else b"", " ".join(words.values()) if words else "")


def _place(found: tuple[int, _Found]) -> int:
    return found[0]


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


def _look(piece: str) -> _Found | None:
    """Look at one piece for the first time; None when it holds nothing."""
    found = tuple(_of_piece(piece)) if _INTERESTING.search(piece) else ()
    words = camel_words(piece) if _WORDY.search(piece) else ()
    program = piece.lstrip("`'\"([{$>;&|")
    if program in PROGRAMS:
        return _Found(found, words, program)
    return _Found(found, words) if found or words else None


def _of_piece(piece: str) -> Iterator[tuple[int, int, int, str]]:
    for match in _PIECE.finditer(piece):
        kind, start, raw = match.lastgroup or "", match.start(), match.group()
        if kind == "url":
            raw = raw.rstrip(".:!?*")
            number = _URL_ISSUE.search(raw)
            if number:
                yield _CODES["issue"], start + number.start(1), len(number.group(1)), f"#{number.group(1)}"
        elif kind in {"path", "win"}:
            kind, raw = "path", raw.rstrip(".")
            if not _is_path(raw):
                continue
        elif kind == "error":
            name = raw.rpartition(".")[2]
            start, raw = start + len(raw) - len(name), name
        elif kind == "issue":
            if raw.partition("-")[0] in _NOT_AN_ISSUE:
                continue
        elif kind == "sha" and (raw.isdigit() or raw.isalpha()):
            continue
        if 1 < len(raw) <= MAX_VALUE:
            yield _CODES[kind], start, len(raw), entity_value(kind, raw)


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
