"""What stands under the ids that a search works with: texts, blocks, sessions, and what filters say of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import apsw
import msgspec

from recall_lab.errors import UsageError
from recall_lab.model import Filters
from recall_lab.store.connection import rows
from recall_lab.store.filtering import placement_conditions

_QUESTION: Final = 600  # bytes; a longer text tells more than it asks
_ASKING_KEPT: Final = 50_000  # texts


class LookingUp:
    """Looks ids up in the store; texts are known by their ``text_id``."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._asking: dict[int, bool] = {}

    def passing(self, ids: Iterable[int], filters: Filters) -> set[int] | None:
        """Which texts pass what the filters say of tools, models, branches, folders and errors; None: nothing said."""
        condition, bindings = placement_conditions(filters)
        if not condition:
            return None
        found = self._db.execute(
            "SELECT p.text_id FROM json_each(?) w CROSS JOIN placements p ON p.text_id = w.value "
            "JOIN blocks b ON b.text_id = p.text_id JOIN sessions s ON s.session_id = p.session_id "
            f"WHERE {condition}",
            (_json([int(i) for i in ids]), *bindings),
        )
        return {text_id for (text_id,) in found}

    def texts(self, ids: Iterable[int]) -> dict[int, str]:
        """The retained texts."""
        return dict(
            rows(
                self._db,
                "SELECT b.text_id, b.text FROM json_each(?) w CROSS JOIN blocks b ON b.text_id = w.value",
                (_json(list(ids)),),
            )
        )

    def asking(self, ids: Iterable[int]) -> set[int]:
        """Those of the texts that are short prose and end in a question mark; remembered until the store changes."""
        ids = list(ids)
        if len(self._asking) > _ASKING_KEPT:
            self._asking.clear()
        unknown = [text_id for text_id in ids if text_id not in self._asking]
        if unknown:
            self._asking.update(dict.fromkeys(unknown, False))
            self._asking.update(dict.fromkeys(self._ask(unknown), True))
        return {text_id for text_id in ids if self._asking[text_id]}

    def _ask(self, ids: list[int]) -> list[int]:
        found = self._db.execute(
            "SELECT b.text_id FROM json_each(?) w CROSS JOIN blocks b ON b.text_id = w.value "
            "WHERE octet_length(b.text) <= ? "
            "AND substr(rtrim(b.text, ' \n\t\r)\"''*_'), -1) IN ('?', '\uff1f', '\u061f')",
            (_json(ids), _QUESTION),
        )
        return [text_id for (text_id,) in found]

    def block_ids(self, ids: Iterable[int]) -> list[str]:
        """The block_id of each text, in the order asked for."""
        found = self._db.execute(
            "SELECT lower(hex(b.block_id)) FROM json_each(?) w CROSS JOIN blocks b ON b.text_id = w.value "
            "ORDER BY w.key",
            (_json(list(ids)),),
        )
        return [block_id for (block_id,) in found]

    def text_ids(self, block_ids: Iterable[str]) -> dict[str, int]:
        """By block_id, the text that sessions hold of it; blocks without one are left out."""
        found = rows(
            self._db,
            "SELECT w.value, max(b.text_id) FROM json_each(?) w CROSS JOIN blocks b ON b.block_id = unhex(w.value) "
            "WHERE EXISTS (SELECT 1 FROM placements p WHERE p.text_id = b.text_id) GROUP BY 1",
            (_json(list(block_ids)),),
        )
        return dict(found)

    def unknown(self, filters: Filters) -> list[tuple[str, str, tuple[str, ...]]]:
        """Names in filters that nothing in the store has: of what, the name, and names that are like it."""
        wanted = {"host": filters.hosts, "tool": filters.tools, "model": filters.models, "branch": filters.branches}
        missing: list[tuple[str, str, tuple[str, ...]]] = []
        if any(wanted.values()):
            named = [name for (name,) in rows(self._db, "SELECT name FROM names WHERE name NOT LIKE '/%'")]
            missing += [(what, name, near) for what in wanted for name, near in _missing(wanted[what], named)]
        if filters.project:
            told = rows(
                self._db, "SELECT DISTINCT value FROM sessions, json_each(json_array(repo, cwd)) WHERE value <> ''"
            )
            if not any(filters.project.lower() in name.lower() for (name,) in told):
                ends = {name.rstrip("/").rpartition("/")[2] for (name,) in told}
                missing += [("project", name, near) for name, near in _missing((filters.project,), sorted(ends))]
        return missing

    def resolve_session(self, typed: str) -> str:
        """Find the one session that a native id or the head of one names.

        Raises:
            UsageError: none or several are named so.
        """
        found: list[str] = [
            native_id
            for (native_id,) in self._db.execute(
                "SELECT DISTINCT native_id FROM sessions WHERE substr(native_id, 1, length(?1)) = ?1 "
                "ORDER BY native_id <> ?1, native_id LIMIT 200",
                (typed,),
            )
        ]
        if not found:
            raise UsageError(f"no session begins with {typed!r}; `recall-lab sessions` lists them")
        # The subagents of a session stand under its id.
        others = [native_id for native_id in found[1:] if not native_id.startswith(found[0] + "/")]
        if others and found[0] != typed:
            raise UsageError(f"several sessions begin with {typed!r}; type more of the id")
        return found[0]


def _json(values: list[int] | list[str]) -> str:
    return msgspec.json.encode(values).decode()


def _missing(wanted: Iterable[str], named: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Which names are not among others, case aside, and the one or two that are most like each."""
    from difflib import get_close_matches

    known = {name.casefold(): name for name in named}
    missing = [name for name in wanted if name.casefold() not in known]
    return [(name, tuple(known[one] for one in get_close_matches(name.casefold(), known, n=2))) for name in missing]
