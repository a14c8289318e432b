"""Identifiers in a text: paths, uuids, hashes, URLs, errors, issues, commands, symbols; pure.

Capture asks for every block, so cost is kept to one split and a memo: texts are cut at white space, and a piece that
was seen before is not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_VALUE: Final = 200  # code points of one value; longer ones are not identifiers that anybody types
MAX_ENTITIES: Final = 400  # of one block, in order of appearance

_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|json|jsonl|ya?ml|toml|md|mdx|rst|txt|csv|tsv|parquet|sql|db|sqlite|duckdb|sh|bash|zsh|"
    "rs|go|java|kt|swift|c|cc|cpp|h|hpp|cs|rb|php|lua|ex|exs|erl|scala|clj|hs|ml|vue|svelte|css|scss|html?|xml|svg|png|jpe?g|"
    "gif|webp|pdf|zip|tar|gz|tgz|log|lock|ini|cfg|conf|env|tf|proto|graphql|gradle|plist|patch|diff|map|wasm|bin|so|dylib|dll|exe"
)
_PIECE = re.compile(
    rf"""
    (?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,15}}://[^\s"'<>()\[\]{{}}|\\^`,;]+)
  | (?P<uuid>(?<![0-9A-Za-z])[0-9A-Fa-f]{{8}}-[0-9A-Fa-f]{{4}}-[0-9A-Fa-f]{{4}}-[0-9A-Fa-f]{{4}}-[0-9A-Fa-f]{{12}}(?![0-9A-Za-z]))
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
_NOT_AN_ISSUE = frozenset({"UTF", "SHA", "ISO", "RFC", "GPT", "MD", "CVE", "AES", "RSA", "HTTP", "HTTPS", "TLS", "UTC", "GMT"})
_INTERESTING = re.compile(r"[/\\_#.0-9-]|[a-z][A-Z]|[A-Z][A-Z]{3}|Error|Exception|Warning|Fault")

PROGRAMS: Final = frozenset(
    "git gh npm npx pnpm yarn bun deno node python python3 pip pip3 uv uvx poetry conda cargo rustc rustup docker podman kubectl "
    "helm terraform aws gcloud az brew apt apt-get systemctl journalctl ssh scp rsync curl wget psql sqlite3 mysql redis-cli "
    "pytest ruff mypy tox nox jest vitest eslint prettier tsc mvn gradle dotnet composer bundle rails mix ffmpeg tmux claude codex "
    "vercel netlify wrangler fly supabase prisma alembic cmake ninja bazel".split()
)
_COMMAND = re.compile(rf"(?<![\w./-])((?:{'|'.join(sorted(PROGRAMS, key=len, reverse=True))}) +[a-z][\w:-]*(?<![:-]))(?![\w/.])")
_AT_PROMPT = re.compile(r"^[ \t]*(?:\$|❯|➜) +([\w./-]+(?: +[a-z][\w:-]*)?)", re.MULTILINE)

_MEMO_SIZE: Final = 400_000
_MEMO_PIECE: Final = 80
_memo: dict[str, tuple[tuple[str, str], ...]] = {}
_plain: set[str] = set()


def entities(text: str) -> tuple[tuple[str, str], ...]:
    """Find the identifiers in a block.

    Args:
        text: A block's redacted text.

    Returns:
        Distinct ``(kind, value)`` in order of appearance (commands last), at most ``MAX_ENTITIES``; values have at most
        ``MAX_VALUE`` code points. Kinds: path, uuid, sha, url, error, issue, command, symbol. Uuids are lower case, an
        issue of a tracker's URL is given as ``#<number>`` too, an error without its module.
    """
    pieces = dict.fromkeys(text.split())
    fresh = pieces.keys() - _plain
    if not fresh:
        return ()
    if len(_memo) + len(_plain) > _MEMO_SIZE:
        _memo.clear()
        _plain.clear()
    found: dict[tuple[str, str], None] = {}
    for piece in pieces if len(fresh) == len(pieces) else [p for p in pieces if p in fresh]:
        known = _memo.get(piece)
        if known is None:
            known = _look(piece)
        for entity in known:
            found[entity] = None
    if not PROGRAMS.isdisjoint(pieces):
        for match in _COMMAND.finditer(text):
            found["command", " ".join(match.group(1).split())] = None
    if "$ " in text:
        for match in _AT_PROMPT.finditer(text):
            if len(match.group(1)) <= MAX_VALUE:
                found["command", " ".join(match.group(1).split())] = None
    return tuple(found)[:MAX_ENTITIES] if len(found) > MAX_ENTITIES else tuple(found)


def _look(piece: str) -> tuple[tuple[str, str], ...]:
    """Look at one piece between white space for the first time."""
    if not _INTERESTING.search(piece):
        if len(piece) <= _MEMO_PIECE and piece not in PROGRAMS:
            _plain.add(piece)
        return ()
    result = tuple(_of_piece(piece))
    if len(piece) <= _MEMO_PIECE:
        if result or piece in PROGRAMS:
            _memo[piece] = result
        else:
            _plain.add(piece)
    return result


def _of_piece(piece: str) -> Iterator[tuple[str, str]]:
    for match in _PIECE.finditer(piece):
        kind = match.lastgroup or ""
        value = match.group()
        if kind == "url":
            value = value.rstrip(".:!?*")
            number = _URL_ISSUE.search(value)
            if number:
                yield "issue", f"#{number.group(1)}"
        elif kind == "uuid":
            value = value.lower()
        elif kind in {"path", "win"}:
            kind = "path"
            value = value.rstrip(".")
            if not _is_path(value):
                continue
        elif kind == "error":
            value = value.rpartition(".")[2]
        elif kind == "issue":
            if value.partition("-")[0] in _NOT_AN_ISSUE:
                continue
        elif kind == "sha" and (value.isdigit() or value.isalpha()):
            continue
        if 1 < len(value) <= MAX_VALUE:
            yield kind, value


def _is_path(value: str) -> bool:
    """Whether slashes mean a folder here, and not ``and/or``, a date or a fraction."""
    if "/" not in value or value[0] in "/~.":
        return len(value) > 2
    inner = value.strip("/")
    return (inner.count("/") > 1 or "." in inner.rpartition("/")[2] or value.endswith("/")) and not all(
        part.isdigit() for part in inner.split("/")
    )
