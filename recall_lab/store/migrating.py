"""Bringing an older store up to the schema of today, one version after the other and never back.

The step to version N is the file ``migrations/N.sql``; each is one transaction. Before the first one the store is
copied to ``<name>.v<version>.bak`` beside it (0600), with which the recall_lab that made it can go on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import apsw

from recall_lab.errors import StoreError, StoreVersionError
from recall_lab.store import connection as opened


def shipped_steps() -> dict[int, str]:
    """Return the SQL of every step by the version that it leads to."""
    folder = files("recall_lab.store").joinpath("migrations")
    steps = folder.iterdir() if folder.is_dir() else ()
    return {
        int(step.name.removesuffix(".sql")): step.read_text(encoding="utf-8")
        for step in steps
        if step.name.endswith(".sql")
    }


def migrate(
    db: apsw.Connection, path: Path, steps: Mapping[int, str] | None = None, *, kept: Path | None = None
) -> Path | None:
    """Bring a store up to date; the caller holds the write lock.

    Args:
        db: The store, open for writing.
        path: Its file.
        steps: SQL by the version that it leads to; the shipped ones when left out.
        kept: Where the older store is kept already; it is copied when left out.

    Returns:
        Where the copy of the older store is; None when it was up to date.

    Raises:
        StoreVersionError: a step is missing; nothing was changed.
        StoreError: the copy cannot be made, or a step fails; the store is of the version that it reached before.
    """
    version: int = db.pragma("user_version")
    todo = range(version + 1, opened.SCHEMA_VERSION + 1)
    if not todo:
        return None
    steps = shipped_steps() if steps is None else steps
    if missing := [number for number in todo if number not in steps]:
        raise StoreVersionError(
            f"{path}: its schema {version} cannot be brought to {missing[0]} by this recall_lab; "
            "`recall-lab export` with the version that made it, then `import` here"
        )
    kept = kept or _copy(db, path, version)
    for number in todo:
        with opened.explained(path):
            db.execute("BEGIN IMMEDIATE")
            try:
                db.execute(steps[number])
                db.execute(f"PRAGMA user_version = {number}")
                db.execute("COMMIT")
            except BaseException as error:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                if isinstance(error, apsw.SQLError):
                    raise StoreError(
                        f"{path}: step {number} of its schema failed ({error}); {kept} is as it was"
                    ) from error
                raise
    return kept


def _copy(db: apsw.Connection, path: Path, version: int) -> Path:
    """Copy the store as it is, and check that the copy can be read."""
    target = path.with_name(f"{path.name}.v{version}.bak")
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with opened.explained(part):
            db.execute("VACUUM INTO ?", (str(part),))
            copy = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                sound = copy.execute("PRAGMA quick_check(1)").get == "ok"
            finally:
                copy.close()
        if not sound:
            raise StoreError(f"{path}: damaged; restore a backup, or move it away and index again")
        part.rename(target)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{target}: cannot be written ({error.strerror}); free some space and repeat") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return target
