"""What capture, search and mirror cost, measured on a folder of transcripts or on a generated store."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from recall_lab.capture.discovery import Found, discover, known_folders
from recall_lab.capture.indexing import index
from recall_lab.capture.pipeline import readers_of
from recall_lab.capture.preparing import RedactsTexts
from recall_lab.capture.reading import BATCH_CHARS
from recall_lab.capture.rules import open_rules
from recall_lab.errors import NotFoundError
from recall_lab.evaluation.generating import generate_store
from recall_lab.evaluation.transcripts import generate_transcripts
from recall_lab.mirror import connect, refresh
from recall_lab.model import Status
from recall_lab.search import search
from recall_lab.settings import Settings
from recall_lab.store import Reader, open_reader, open_writer
from recall_lab.store.packing import pack
from recall_lab.store.refreshing import outdated_texts
from recall_lab.store.status import status
from recall_lab.text_entities import entities

_QUERIES: Final = 40  # of each kind
_REPEATS: Final = 3
_SAMPLE: Final = 4000  # texts that queries are made from


class Percentiles(msgspec.Struct, frozen=True):
    """Milliseconds."""

    p50: float
    p95: float


class SearchTimes(msgspec.Struct, frozen=True):
    """Milliseconds of a search in process, by kind of query."""

    identifier: Percentiles
    phrase: Percentiles
    rare: Percentiles
    common: Percentiles
    long: Percentiles


class CommandTimes(msgspec.Struct, frozen=True):
    """Seconds of ``recall-lab search WORD`` as a new process, compiled as an installer leaves it: the median."""

    seconds: float
    cpu_seconds: float


class MirrorTimes(msgspec.Struct, frozen=True):
    """Seconds for a mirror from nothing, and for one session that changed."""

    full_seconds: float
    one_session_seconds: float


class Timing(msgspec.Struct, frozen=True):
    """What ``bench`` prints; ``mb`` is 10^6 bytes, ``seconds`` a first capture without loading the rules.

    ``redaction_mb_per_s`` is the kept text that the rules alone go through in a second of one processor, in batches as
    capture hands them over. ``peak_rss_mb`` is of the first capture, every process counted.
    """

    mb: float
    seconds: float
    rules_seconds: float
    mb_per_s: float
    redaction_mb_per_s: float
    sources: int
    blocks: int
    store_bytes: int
    kept_text_bytes: int
    peak_rss_mb: float
    noop_seconds: float
    append_ms: float
    search_ms: SearchTimes
    search_cpu_ms: SearchTimes
    mirror: MirrorTimes
    open_seconds: float
    command: CommandTimes
    machine: str


def time_folder(settings: Settings, folder: Path) -> Timing:
    """Capture a folder of transcripts into a scratch home and measure each step.

    Args:
        settings: What is kept, and where compiled rules lie; its home is not touched.
        folder: A user's home folder, or any folder of transcripts.

    Raises:
        NotFoundError: there are no transcripts in the folder.
    """
    with tempfile.TemporaryDirectory(prefix="recall-lab-bench-") as scratch:
        home = Path(scratch)
        there = msgspec.structs.replace(
            settings, home=home / "home", user_home=folder.absolute(), claude_home=None, codex_home=None, roots=()
        )
        named = [] if any(known_folders(there)) else [folder]
        seen = discover(there, named)
        if not seen.found:
            raise NotFoundError(f"{folder}: no transcripts there; name a home folder or a folder of transcripts")
        first = index(there, named, discovery=seen)
        peak = _peak_rss_mb(readers_of(seen.bytes))
        captured = _Captured(
            mb=seen.bytes / 1e6,
            seconds=first.seconds - first.rules_seconds,
            rules_seconds=first.rules_seconds,
            peak_rss_mb=peak,
            state=_state(there.store),
            noop_seconds=_median(_seconds(lambda: index(there, named)) for _ in range(_REPEATS)),
            append_ms=_append_ms(
                there, home / "appended", [found for found in seen.found if found.host == "claude-code"]
            ),
        )
        return _measured(there, captured)


def time_transcripts(
    settings: Settings, size: int, file_size: int, progress: Callable[[int], None] | None = None
) -> Timing:
    """Write so many bytes of made transcripts and measure what ``time_folder`` does on them.

    Args:
        settings: What is kept, and where compiled rules lie; its home is not touched.
        size: Bytes of transcripts.
        file_size: Bytes of one of them.
        progress: Called with the bytes written so far.
    """
    with tempfile.TemporaryDirectory(prefix="recall-lab-bench-") as scratch:
        generate_transcripts(Path(scratch), size, file_size=file_size, progress=progress)
        return time_folder(settings, Path(scratch))


def time_generated(settings: Settings, blocks: int, progress: Callable[[int], None] | None = None) -> Timing:
    """Generate a store of so many blocks and measure search, mirror and opening; capture is not part of it.

    ``seconds`` is the time of writing the texts, ``mb`` their size.
    """
    with tempfile.TemporaryDirectory(prefix="recall-lab-bench-") as scratch:
        there = msgspec.structs.replace(settings, home=Path(scratch) / "home")
        seconds = _seconds(lambda: generate_store(there.store, blocks, progress))
        pack(there.store)  # as a capture does at its end
        peak, state = _peak_rss_mb(0), _state(there.store)
        return _measured(there, _Captured(mb=state.bytes.total / 1e6, seconds=seconds, peak_rss_mb=peak, state=state))


class _Captured(msgspec.Struct, frozen=True):
    """What writing a store came to, and the store then."""

    mb: float
    seconds: float
    peak_rss_mb: float
    state: Status
    rules_seconds: float = 0.0
    noop_seconds: float = 0.0
    append_ms: float = 0.0


def _state(store: Path) -> Status:
    with open_reader(store) as reader:
        return status(reader)


def _measured(settings: Settings, captured: _Captured) -> Timing:
    full = _seconds(lambda: refresh(settings.store, settings.mirror, full=True))
    one = _one_session_seconds(settings)
    opening = _median(_seconds(lambda: _open_and_ask(settings.store)) for _ in range(_REPEATS))
    with open_reader(settings.store) as reader:
        queries = _queries(reader)
        times, cpu_times = _search_times(reader, queries)
        command = _command_times(settings, queries["common"][:1] or ["error"])
        redaction = _redaction_mb_per_s(reader, open_rules(settings))
    state = captured.state
    return Timing(
        mb=round(captured.mb, 3),
        seconds=round(captured.seconds, 3),
        rules_seconds=round(captured.rules_seconds, 3),
        mb_per_s=round(captured.mb / captured.seconds, 1) if captured.seconds > 0 else 0.0,
        redaction_mb_per_s=round(redaction, 1),
        sources=state.sources,
        blocks=state.blocks,
        store_bytes=state.store_bytes,
        kept_text_bytes=state.kept_text_bytes,
        peak_rss_mb=round(captured.peak_rss_mb, 1),
        noop_seconds=round(captured.noop_seconds, 3),
        append_ms=round(captured.append_ms, 1),
        search_ms=times,
        search_cpu_ms=cpu_times,
        mirror=MirrorTimes(full_seconds=round(full, 3), one_session_seconds=round(one, 3)),
        open_seconds=round(opening, 3),
        command=command,
        machine=f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, {sys.platform}",
    )


def _redaction_mb_per_s(reader: Reader, redactor: RedactsTexts) -> float:
    size, seconds = 0, 0.0
    for portion in outdated_texts(reader, "", BATCH_CHARS):  # of every version of the rules: all texts
        texts: list[str] = [one.text for one in portion]
        started = time.process_time()
        redactor.redact(texts)
        seconds += time.process_time() - started
        size += sum(len(text.encode()) for text in texts)
    return size / 1e6 / seconds if seconds else 0.0


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _median(values: Iterable[float]) -> float:
    found = sorted(values)
    return found[len(found) // 2]


def _peak_rss_mb(children: int) -> float:
    """Return the peak memory of this process and so many others, each as large as the largest of them."""
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    own, largest = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + children * largest) * unit / 1e6


def _open_and_ask(store: Path) -> None:
    with open_reader(store) as reader:
        search(reader, "error", limit=10)


def _append_ms(settings: Settings, folder: Path, found: Sequence[Found]) -> float:
    """Append a turn to a copy of a middling transcript and capture it, with the rules loaded as in a watch."""
    if not found:
        return 0.0
    middle = sorted(found, key=lambda item: item.size)[len(found) // 2].path
    folder.mkdir()
    copy = folder / middle.name
    shutil.copyfile(middle, copy)
    index(settings, [copy])
    taken = []
    for number in range(5):
        with copy.open("ab") as file:
            file.write(_turn(copy.stem, number, starts_line=_ends_line(copy)))
        taken.append(index(settings, [copy]).seconds * 1000)
    return _median(taken)


def _ends_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _turn(session: str, number: int, *, starts_line: bool) -> bytes:
    def record(role: str, content: object, place: int) -> bytes:
        return msgspec.json.encode(
            {
                "type": role,
                "uuid": f"00000000-0000-4000-8000-{number:06d}{place:06d}",
                "parentUuid": None,
                "sessionId": session,
                "timestamp": f"2026-01-01T00:{number:02d}:{place:02d}.000Z",
                "message": {"role": role, "content": content},
            }
        )

    asked = record("user", f"what did step {number} of the benchmark change?", 0)
    answered = record("assistant", [{"type": "text", "text": "One appended turn, searchable at once."}], 1)
    return (b"" if starts_line else b"\n") + asked + b"\n" + answered + b"\n"


def _one_session_seconds(settings: Settings) -> float:
    """Mark one session as changed, as a capture would, and refresh the mirror."""
    with open_writer(settings.store) as writer, writer.transaction() as db:
        db.execute("UPDATE meta SET value = value + 1 WHERE key = 'change'")
        db.execute(
            "UPDATE sessions SET change = (SELECT value FROM meta WHERE key = 'change') "
            "WHERE session_id = (SELECT max(session_id) FROM sessions)"
        )
    taken = _seconds(lambda: refresh(settings.store, settings.mirror))
    with connect(settings.mirror):
        return taken


def _search_times(reader: Reader, queries: dict[str, list[str]]) -> tuple[SearchTimes, SearchTimes]:
    """Milliseconds on the wall, and of the processor: the same on a busy machine, more or less."""
    search(reader, "warm up")
    taken = {kind: _milliseconds(reader, some) for kind, some in queries.items()}
    wall, cpu = ({kind: _percentiles(both[n]) for kind, both in taken.items()} for n in (0, 1))
    return SearchTimes(**wall), SearchTimes(**cpu)


def _milliseconds(reader: Reader, queries: Sequence[str]) -> tuple[list[float], list[float]]:
    walls, cpus = [], []
    for query in queries:
        for _ in range(_REPEATS):
            wall, cpu = time.perf_counter(), time.process_time()
            search(reader, query)
            walls.append(1000 * (time.perf_counter() - wall))
            cpus.append(1000 * (time.process_time() - cpu))
    return walls, cpus


def _percentiles(taken: Sequence[float]) -> Percentiles:
    if not taken:
        return Percentiles(0.0, 0.0)
    order = sorted(taken)
    return Percentiles(round(order[len(order) // 2], 2), round(order[int(len(order) * 0.95)], 2))


def _command_times(settings: Settings, words: Sequence[str]) -> CommandTimes:
    """Run the command some times; the first time compiles it and is not counted."""
    with tempfile.TemporaryDirectory(prefix="recall-lab-bench-") as compiled:
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environ["PYTHONPYCACHEPREFIX"] = compiled
        start = "from recall_lab.cli import main; main()"
        command = [sys.executable, "-c", start, "search", "--scope", "all", "--home", str(settings.home), "--", *words]
        walls, cpus = [], []
        for _ in range(_REPEATS * 2 + 1):
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 (this program)
            walls.append(time.perf_counter() - started)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return CommandTimes(round(_median(walls[1:]), 3), round(_median(cpus[1:]), 3))


def _queries(reader: Reader) -> dict[str, list[str]]:
    """Make queries of each kind from the store's own texts; the same store gives the same queries."""
    dice = random.Random(7)  # noqa: S311 (a sample, not a secret)
    last = reader.connection.execute("SELECT coalesce(max(text_id), 0) FROM blocks").get
    texts = []
    for text_id in sorted(dice.sample(range(1, last + 1), min(_SAMPLE, last))):
        text = reader.connection.execute("SELECT text FROM blocks WHERE text_id = ? AND role <> 'host'", (text_id,)).get
        if text:
            texts.append(text)
    plain = [words for text in texts if len(words := [w for w in text.split() if w.isalpha()]) >= 12]
    counts: dict[str, int] = {}
    for words in plain:
        for word in {word.lower() for word in words}:
            counts[word] = counts.get(word, 0) + 1
    by_count = sorted(counts, key=lambda word: (-counts[word], word))
    named = [value for text in texts for kind, value in entities(text) if kind in {"path", "symbol", "uuid", "sha"}]
    dice.shuffle(plain)
    dice.shuffle(named)
    return {
        "identifier": named[:_QUERIES],
        "phrase": [f'"{" ".join(words[3:6])}"' for words in plain[:_QUERIES]],
        "rare": [word for word in reversed(by_count) if counts[word] == 1][:_QUERIES],
        "common": by_count[:_QUERIES],
        "long": [" ".join(words[:10]) for words in plain[-_QUERIES:]],
    }
