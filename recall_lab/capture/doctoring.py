"""Looking for what is wrong or will be: the store, its sources, what is not captured and what the host will delete."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from recall_lab.capture.discovery import Discovery, Found, discover
from recall_lab.capture.files import begins_with
from recall_lab.errors import RecallLabError
from recall_lab.hosts import HOSTS
from recall_lab.model import Source, SourceState
from recall_lab.settings import Settings
from recall_lab.store import open_reader, open_writer
from recall_lab.store.backup import check
from recall_lab.store.scrubbing import scrub, scrub_owed
from recall_lab.store.status import known_sources, status, texts_of_older_rules

Grade = Literal["good", "warning", "bad"]

_DAY = 86_400.0
_DEFAULT_RETENTION = 30  # days Claude Code keeps transcripts unless cleanupPeriodDays says otherwise
_SOON = 7  # days ahead that a deletion is worth a warning
_SETTINGS_BYTES = 1 << 20
_SHOWN = 3  # unknown types that are named
_NEXT: dict[SourceState, str] = {
    "backlog": "run `recall-lab index` to go on",
    "partial_record": "nothing; the rest comes when the agent has written it",
    "source_changed": "`recall-lab index PATH --rebuild` takes the new content",
    "source_missing": "nothing; the text is kept, `recall-lab prune` would drop it",
    "rebuilding": "run `recall-lab index` to finish the rebuild",
    "rebuild_ready": "run `recall-lab index` to publish the rebuild",
    "conflict": "nothing; both texts are kept and found",
    "off": "nothing; it is left out on request",
}
_TROUBLE: tuple[SourceState, ...] = ("backlog", "source_changed", "rebuilding", "rebuild_ready")


class Diagnosis(msgspec.Struct, frozen=True):
    """One check: what was looked at, how it is, and the one next step."""

    check: str
    grade: Grade
    detail: str
    next: str = ""


def examine(settings: Settings, *, deep: bool = False, now: float | None = None) -> tuple[Diagnosis, ...]:
    """Check everything; nothing is written.

    Args:
        settings: Where store and transcripts are.
        deep: Also compare every transcript's content with what was captured, byte by byte.
        now: The present moment in epoch seconds; else the clock's.
    """
    seen = discover(settings)
    moment = time.time() if now is None else now
    known, key = _known(settings)
    found = [_privacy(settings), _store(settings)]
    found += _sources(known)
    found += _records(settings)
    found.append(_not_captured(seen, known))
    found.append(_at_risk(settings, seen, known, moment))
    found.append(_leftovers(settings))
    found += _redaction(settings)
    if deep:
        found += _content(seen, known, key)
    return tuple(found)


def repair(settings: Settings) -> tuple[str, ...]:
    """Put right what can be put right without asking; return what was done, one line each.

    Raises:
        StoreError: the store cannot be written.
    """
    done = []
    for path in _exposed(settings):
        path.chmod(0o700 if path.is_dir() else 0o600)
        done.append(f"{path}: made private")
    if not settings.store.exists():
        return tuple(done)
    with open_writer(settings.store) as writer:
        for path in _left(settings):
            path.unlink()
            done.append(f"{path}: removed, it was left by an interrupted run")
        if added := writer.mend_index():
            done.append(f"{settings.store}: {added} texts put back into the full-text index")
        if scrub_owed(writer) and scrub(writer):
            done.append(f"{settings.store}: free pages cleared of text that was taken out")
        writer.checkpoint()
    return tuple(done)


def source_next(source: Source) -> str:
    """Return the one next step for a source; empty when there is none to take."""
    return _NEXT.get(source.state, "").replace("PATH", source.path)


def retention_days(home: Path) -> int:
    """Return after how many days Claude Code deletes transcripts of this home, by its own settings."""
    for name in ("settings.local.json", "settings.json"):
        path = home / name
        try:
            if path.stat().st_size <= _SETTINGS_BYTES:
                days = json.loads(path.read_bytes()).get("cleanupPeriodDays")
                if isinstance(days, int) and not isinstance(days, bool) and days > 0:
                    return days
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
    return _DEFAULT_RETENTION


# ---- the checks ----------------------------------------------------------------------------------------------------


def _exposed(settings: Settings) -> list[Path]:
    """Return what others than the owner could read."""
    if not settings.home.is_dir():
        return []
    paths = [
        settings.home,
        *(
            path
            for name in ("recall*", "activity.*", "mirror", "mirror/*", "cursors", "cursors/*")
            for path in settings.home.glob(name)
        ),
    ]
    return sorted(path for path in paths if not path.is_symlink() and path.stat().st_mode & 0o077)


def _privacy(settings: Settings) -> Diagnosis:
    exposed = _exposed(settings)
    if exposed:
        what = str(exposed[0]) if len(exposed) == 1 else f"{exposed[0]} and {len(exposed) - 1} more files or folders"
        return Diagnosis("privacy", "bad", f"{what} can be read by others", "`recall-lab doctor --repair`")
    return Diagnosis("privacy", "good", "only you can read the store")


def _known(settings: Settings) -> tuple[dict[tuple[str, str], Source], bytes]:
    """Return what the store knows of the sources, and its fingerprints' key; nothing where it cannot be read."""
    try:
        with open_reader(settings.store) as reader:
            key: bytes = reader.connection.execute("SELECT value FROM meta WHERE key = 'hash_key'").get
            return known_sources(reader), key
    except RecallLabError:
        return {}, b""


def _store(settings: Settings) -> Diagnosis:
    try:
        counted = check(settings.store)
    except RecallLabError as error:
        text, _, step = str(error).partition("; ")
        return Diagnosis("store", "bad", text, step)
    return Diagnosis("store", "good", f"whole: {counted['blocks']:,} texts in {counted['sessions']:,} sessions")


def _sources(known: dict[tuple[str, str], Source]) -> Iterator[Diagnosis]:
    states: dict[SourceState, list[Source]] = {}
    for source in known.values():
        states.setdefault(source.state, []).append(source)
    for state, sources in sorted(states.items()):
        if state in {"complete", "not_captured"}:
            continue
        grade: Grade = "warning" if state in _TROUBLE else "good"
        step = source_next(sources[0]) if len(sources) == 1 else _NEXT.get(state, "")
        yield Diagnosis(f"sources {state}", grade, f"{len(sources):,} transcripts", step)


def _records(settings: Settings) -> Iterator[Diagnosis]:
    """Count what could not be read: lines that are no records, and types that nobody has described yet."""
    try:
        with open_reader(settings.store) as reader:
            counted = status(reader)
    except RecallLabError:
        return
    malformed, unknown = counted.records.by_disposition["malformed"], counted.unknown_types
    if not malformed and not unknown:
        yield Diagnosis("records", "good", "every record could be read")
        return
    names = ", ".join(list(unknown)[:_SHOWN]) + (" …" if len(unknown) > _SHOWN else "")
    told = [f"{malformed:,} malformed"] if malformed else []
    told += [f"{sum(unknown.values()):,} of unknown types ({names})"] if unknown else []
    # A torn line stays torn; a type may be known to a newer version.
    grade: Grade = "warning" if unknown else "good"
    yield Diagnosis("records", grade, " and ".join(told), "`recall-lab query problems` shows where each lies, and why")


def _not_captured(seen: Discovery, known: dict[tuple[str, str], Source]) -> Diagnosis:
    behind = [found for found in seen.found if _bytes_behind(found, known) > 0]
    size = sum(_bytes_behind(found, known) for found in behind)
    if behind:
        detail = f"{len(behind):,} transcripts have {size / 1e6:,.1f} MB that are not captured"
        return Diagnosis("coverage", "warning", detail, "run `recall-lab index`")
    if not seen.found:
        detail = "no transcripts lie in the folders that hosts use, so none were looked at"
        if known:
            return Diagnosis("coverage", "good", f"{detail}; {len(known):,} were captured from elsewhere or before")
        return Diagnosis("coverage", "warning", detail, "`recall-lab index PATH` captures what lies elsewhere")
    return Diagnosis("coverage", "good", f"all of {len(seen.found):,} transcripts are captured")


def _bytes_behind(found: Found, known: dict[tuple[str, str], Source]) -> int:
    source = known.get((found.machine, str(found.path)))
    return found.size - (source.cursor if source else 0)


def _at_risk(settings: Settings, seen: Discovery, known: dict[tuple[str, str], Source], now: float) -> Diagnosis:
    """Transcripts that are not captured whole and that Claude Code will delete soon."""
    risks = []
    homes = [settings.claude_home, settings.user_home / ".claude", *(root.path / ".claude" for root in settings.roots)]
    for home in homes:
        if home is None or not home.is_dir():
            continue
        limit = now - (retention_days(home) - _SOON) * _DAY
        for found in seen.found:
            inside = found.host == "claude-code" and found.path.is_relative_to(home)
            if inside and _bytes_behind(found, known) > 0 and _modified(found.path) < limit:
                risks.append(found)
    if risks:
        detail = (
            f"{len(risks):,} transcripts are not captured and will soon be deleted by Claude Code (cleanupPeriodDays)"
        )
        return Diagnosis("retention", "bad", detail, "run `recall-lab index` now")
    return Diagnosis("retention", "good", "nothing that is not captured will be deleted soon")


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return float("inf")


def _left(settings: Settings) -> list[Path]:
    return sorted(settings.home.glob("*.part")) if settings.home.is_dir() else []


def _leftovers(settings: Settings) -> Diagnosis:
    left = _left(settings)
    if left:
        return Diagnosis(
            "leftovers", "warning", f"{len(left)} files of interrupted runs", "`recall-lab doctor --repair`"
        )
    return Diagnosis("leftovers", "good", "none")


def _redaction(settings: Settings) -> Iterator[Diagnosis]:
    """What was taken out must be gone from free pages too, and everything have passed the newest rules."""
    try:
        with open_reader(settings.store) as reader:
            owed, older = scrub_owed(reader), texts_of_older_rules(reader)
    except RecallLabError:
        return
    if owed:
        yield Diagnosis(
            "free pages", "warning", "text that was taken out may still lie in free pages", "`recall-lab vacuum`"
        )
    if older:
        yield Diagnosis(
            "redaction", "warning", f"{older:,} texts went through older rules only", "`recall-lab redact --refresh`"
        )
    else:
        yield Diagnosis("redaction", "good", "every text went through the same rules")


def _content(seen: Discovery, known: dict[tuple[str, str], Source], key: bytes) -> Iterable[Diagnosis]:
    changed, compared = [], 0
    for found in seen.found:
        source = known.get((found.machine, str(found.path)))
        if source is None or source.state in {"off", "source_changed"} or not source.content_hash:
            continue
        if HOSTS[found.host].rewrites and found.size != source.size:
            continue  # it was written anew, as its host does; `index` takes it
        try:
            same = found.size >= source.cursor and begins_with(found.path, source, key)
        except OSError:
            continue
        compared += 1
        if not same:
            changed.append(source)
    if changed:
        step = f"`recall-lab index {changed[0].path} --rebuild`" + (" and the others" if len(changed) > 1 else "")
        return [Diagnosis("content", "bad", f"{len(changed)} transcripts differ from what was captured", step)]
    detail = "every transcript still begins with what was captured of it"
    return [Diagnosis("content", "good", detail if compared else "no captured transcript is there to compare")]
