"""Account exports: a file, or an archive, that holds many conversations; each is a source of its own.

The path of a conversation is that of the file, ``#``, and the conversation's id. Together the conversations of a file
cover it to the byte: what stands before the first, between two and after the last belongs to the one before it (the
opening bracket to the first). An archive is read as a stream; nothing of it is written to the disk.
"""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from recall_lab.capture.files import Part, readable_archive
from recall_lab.errors import SourceError
from recall_lab.hosts import HOSTS, plain_id, recognise, value_end
from recall_lab.hosts.base import Conversation, Host
from recall_lab.model import Redacted
from recall_lab.settings import Settings

MAX_UNPACKED = 1 << 33
"""Bytes that an archive's entry may unpack to."""
MAX_RATIO = 200
"""How many times its packed size a large entry may unpack to; text rarely packs better than 20 to 1."""

_HARMLESS = 1 << 24  # bytes; smaller entries may pack as they like
_MAX_CONVERSATION = 1 << 28  # bytes; a longer one is not looked into
_CHUNK = 1 << 20
_HEAD = 1 << 20
_ENTRY = re.compile(r"conversations(?:[-_]?\d{1,6})?\.json")
_LEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
_GAP = re.compile(rb"[\s,]*+")


class Held(msgspec.Struct, frozen=True):
    """A conversation in an export.

    ``name`` tells it apart in its file: its id, or its number where it has none.
    """

    name: str
    host: str
    part: Part
    told: Conversation | None


class ConversationInfo(msgspec.Struct, frozen=True):
    """A conversation in an export, for a person to choose: ``id`` names it, ``bytes`` is what it takes in the file."""

    id: str
    title: Redacted | None
    created: str | None
    messages: int
    bytes: int
    host: str


class _Element(msgspec.Struct, frozen=True):
    """An element of the list: where it starts, and its bytes as far as they were kept."""

    start: int
    data: bytes


def held_in(path: Path, host: str | None = None) -> tuple[Held, ...] | None:
    """Return the conversations in a file, in its order; None when the file is no list of them.

    Args:
        path: A JSON file, or an archive that holds ``conversations.json``.
        host: Whose it is, where that is not recognised.

    Raises:
        SourceError: the archive is damaged, locked, or unpacks to more than is sensible.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        magic = file.read(4)
    held: list[Held] = []
    if magic == b"PK\x03\x04":
        for entry in _entries(path):
            with _archive(path) as archive, readable_archive(), closing(archive.open(entry)) as stream:
                held += _conversations(path, entry.filename, entry.file_size, stream, host)
    else:
        with path.open("rb") as stream:
            held += _conversations(path, None, path.stat().st_size, stream, host)
    return tuple(_told_apart(held)) or None


def preview_export(settings: Settings, path: Path) -> tuple[ConversationInfo, ...]:
    """List the conversations in an export, in its order; nothing is written.

    Args:
        settings: Where the redaction rules are kept: titles are redacted like everything else.
        path: A JSON file or an archive.

    Raises:
        SourceError: the file is no export, or cannot be read.
        RedactionError: the rules cannot be loaded.
    """
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise SourceError(f"{path}: not a regular file; name conversations.json, or its archive")
    try:
        held = held_in(path) or alone_in(path)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); check the name and its permissions") from error
    if not held:
        raise SourceError(f"{path}: holds no conversations of a known export; name conversations.json, or its archive")
    from recall_lab.capture.rules import open_rules

    titles = open_rules(settings).redact([(one.told and one.told.title) or "" for one in held])
    return tuple(
        ConversationInfo(
            id=one.name,
            title=title.text or None,
            created=one.told.created if one.told else None,
            messages=one.told.messages if one.told else 0,
            bytes=one.part.end - one.part.start,
            host=one.host,
        )
        for one, title in zip(held, titles, strict=True)
    )


def alone_in(path: Path) -> tuple[Held, ...]:
    """Return the one conversation that a file is; none when it is not one of an export."""
    size = path.stat().st_size
    if size > _MAX_CONVERSATION:
        return ()
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf").lstrip()
    owner = recognise(data[:_HEAD].split(b"\n"), path)
    if owner is None or not owner.collects:
        return ()
    told = owner.conversation(data)
    return (Held((told and plain_id(told.id)) or path.stem, owner.name, Part(path, None, 0, size), told),)


# ---- archives ------------------------------------------------------------------------------------------------------


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        with readable_archive():
            return zipfile.ZipFile(path)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}; download the export again") from None


def _entries(path: Path) -> list[zipfile.ZipInfo]:
    """Return the entries that hold conversations, by the last part of their names alone.

    Raises:
        SourceError: one of them is not fit to be read.
    """
    with _archive(path) as archive:
        found = [entry for entry in archive.infolist() if _ENTRY.fullmatch(PurePosixPath(entry.filename).name)]
    entries = [entry for entry in found if not entry.is_dir() and not stat.S_ISLNK(entry.external_attr >> 16)]
    for entry in entries:
        if entry.flag_bits & 1:
            raise SourceError(f"{path}: the archive needs a password; unpack it and name conversations.json")
        ratio = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > MAX_UNPACKED or (entry.file_size > _HARMLESS and ratio > MAX_RATIO):
            raise SourceError(
                f"{path}: conversations.json would unpack to {entry.file_size / 1e6:,.0f} MB, {ratio:,.0f} times its "
                "packed size; unpack it yourself if you trust it, and name that file"
            )
    return sorted(entries, key=lambda entry: entry.filename)


# ---- lists of conversations ----------------------------------------------------------------------------------------


def _conversations(path: Path, entry: str | None, size: int, stream: IO[bytes], host: str | None) -> Iterator[Held]:
    """Yield the conversations of one list; nothing when the stream is no list of them."""
    owner: Host | None = None
    before: Held | None = None
    for number, element in enumerate(_elements(stream), 1):
        if owner is None:
            owner = HOSTS[host] if host else recognise(element.data[:_HEAD].split(b"\n"), path)
            if owner is None or not owner.collects:
                return
        told = owner.conversation(element.data) if element.data[:1] == b"{" else None
        name = (told and plain_id(told.id)) or str(number)
        if before is not None:
            yield _until(before, element.start)
        start = element.start if before is not None else 0
        before = Held(name, owner.name, Part(path, entry, start, size), told)
    if before is not None:
        yield before


def _until(held: Held, end: int) -> Held:
    return msgspec.structs.replace(held, part=msgspec.structs.replace(held.part, end=end))


def _told_apart(found: list[Held]) -> Iterator[Held]:
    """Yield the conversations with names of their own."""
    names: dict[str, int] = {}
    for held in found:
        names[held.name] = times = names.get(held.name, 0) + 1
        yield held if times == 1 else msgspec.structs.replace(held, name=f"{held.name}~{times}")


def _elements(stream: IO[bytes]) -> Iterator[_Element]:
    """Yield the elements of the list that a stream holds, one by one, in bounded memory.

    The last one is cut where the stream ends, or where the list is no JSON any more: then it is all the rest.
    """
    buffer, base = b"", 0  # the offset of the buffer in the stream

    def more(least: int) -> bool:
        nonlocal buffer
        with readable_archive():
            data = stream.read(max(least, _CHUNK))
        buffer += data
        return bool(data)

    more(_CHUNK)
    lead = _LEAD.match(buffer)
    if lead is None:
        return
    at = lead.end()
    while True:
        at = _GAP.match(buffer, at).end()  # type: ignore[union-attr]
        if at >= len(buffer):
            if more(_CHUNK):
                continue
            return
        if buffer[at : at + 1] == b"]":
            return
        end = value_end(buffer, at)
        while end is None and len(buffer) - at <= _MAX_CONVERSATION and more(len(buffer) - at):
            end = value_end(buffer, at)
        if end is None or end == at:
            yield _Element(base + at, buffer[at:])
            return
        yield _Element(base + at, buffer[at:end])
        at = end
        if at > _CHUNK:
            buffer, base, at = buffer[at:], base + at, 0
