"""The tree of a transcript's records: which were seen, who follows whom, and which branches a rewind left dead."""

from __future__ import annotations

from array import array
from hashlib import sha256

import msgspec

_NO_PARENT = -1


class TreeState(msgspec.Struct, array_like=True, frozen=True):
    """A tree as bytes: parallel arrays, one entry a record; 16 bytes of uuid, then int32s."""

    keys: bytes = b""
    parents: bytes = b""
    starts: bytes = b""
    ends: bytes = b""
    prompts: bytes = b""
    waiting: dict[bytes, list[int]] = {}
    others: bytes = b""


def key_of(uuid: str) -> bytes:
    """Return 16 bytes for a record's uuid: its own, or of a hash when it is not in the usual form."""
    if len(uuid) == 36:
        try:
            key = bytes.fromhex(uuid.replace("-", ""))
        except ValueError:
            key = b""
        if len(key) == 16:
            return key
    return sha256(uuid.encode("utf-8", "surrogatepass")).digest()[:16]


class Tree:
    """Records in file order, linked by ``parentUuid``; a parent may also come after its child, or never."""

    def __init__(self, state: TreeState | None = None) -> None:
        state = state or TreeState()
        self._keys = bytearray(state.keys)
        self._parents = _ints(state.parents)
        self._starts = _ints(state.starts)
        self._ends = _ints(state.ends)
        self._prompts = bytearray(state.prompts)
        self._waiting = {key: list(children) for key, children in state.waiting.items()}
        self._others = bytearray(state.others)
        keys = state.keys
        self._places = {keys[at : at + 16]: at >> 4 for at in range(0, len(keys), 16)}
        self._seen = {state.others[at : at + 16] for at in range(0, len(state.others), 16)}

    def state(self) -> TreeState:
        """Return everything that a resume needs."""
        return TreeState(
            bytes(self._keys),
            self._parents.tobytes(),
            self._starts.tobytes(),
            self._ends.tobytes(),
            bytes(self._prompts),
            self._waiting,
            bytes(self._others),
        )

    def seen(self, key: bytes) -> bool:
        """Say whether a record with this key has come before."""
        return key in self._places or key in self._seen

    def note(self, key: bytes) -> None:
        """Remember the key of a record that is no part of this tree (a message of an embedded agent)."""
        self._seen.add(key)
        self._others += key

    def add(self, key: bytes, parent: str | None, start: int, end: int, *, prompt: bool) -> None:
        """Take in the next record.

        Args:
            key: Its key; not seen before.
            parent: The uuid of the record it follows.
            start: The ord of its first block.
            end: The ord after its last block.
            prompt: It is a user record without a tool's result: what makes a branch a branch.
        """
        place = len(self._parents)
        self._places[key] = place
        self._keys += key
        above = _NO_PARENT
        if parent:
            parent_key = key_of(parent)
            above = self._places.get(parent_key, _NO_PARENT)
            if above in (_NO_PARENT, place):
                above = _NO_PARENT
                self._waiting.setdefault(parent_key, []).append(place)
        self._parents.append(above)
        self._starts.append(start)
        self._ends.append(end)
        self._prompts.append(prompt)
        for child in self._waiting.pop(key, ()):
            if child != place:
                self._parents[child] = place

    def dead(self) -> tuple[tuple[int, int], ...]:
        """Return the half-open ranges of ord on dead branches.

        At a parent only those children count whose subtree holds a prompt; of two or more, the one latest in the file
        lives and the others are dead with all that follows them. Roots never die.
        """
        parents = self._parents
        holds = bytearray(len(parents))
        for place, prompt in enumerate(self._prompts):
            if prompt:
                at = place
                while at != _NO_PARENT and not holds[at]:
                    holds[at] = 1
                    at = parents[at]
        latest: dict[int, int] = {}
        dead: list[int] = []
        for place, parent in enumerate(parents):
            if parent != _NO_PARENT and holds[place]:
                if parent in latest:
                    dead.append(latest[parent])
                latest[parent] = place
        return self._ranges(dead) if dead else ()

    def _ranges(self, dead: list[int]) -> tuple[tuple[int, int], ...]:
        """Return the ranges of these records and all that follow them, joined where they touch."""
        children: dict[int, list[int]] = {}
        for place, parent in enumerate(self._parents):
            children.setdefault(parent, []).append(place)
        gone: set[int] = set()
        while dead:
            place = dead.pop()
            if place not in gone:
                gone.add(place)
                dead += children.get(place, ())
        ranges: list[tuple[int, int]] = []
        for place in sorted(gone):
            start, end = self._starts[place], self._ends[place]
            if start == end:
                continue
            if ranges and ranges[-1][1] == start:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((start, end))
        return tuple(ranges)


def _ints(data: bytes) -> array[int]:
    numbers = array("i")
    numbers.frombytes(data)
    return numbers
