"""Where the members of a document stand: to the byte, in linear time, whatever the bytes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.hosts._branches import beside
from recall_lab.hosts._scan import LineStarts, container, scalars, value_end

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
calm = settings(deadline=None)


@calm
@given(
    found=st.dictionaries(st.text(max_size=6), JSON, max_size=5) | st.lists(JSON, max_size=5),
    indent=st.sampled_from([None, 0, 3]),
    ascii_=st.booleans(),
)
def test_members_are_where_they_are(found: Any, indent: int | None, ascii_: bool) -> None:
    data = json.dumps(found, indent=indent, ensure_ascii=ascii_).encode("utf-8", "surrogatepass")
    seen = container(data, 0)
    assert (seen.state, seen.end) == ("whole", len(data))
    if isinstance(found, dict):
        assert {member.key: json.loads(data[member.value : member.end]) for member in seen.members} == found
        plain = {key: value for key, value in found.items() if not isinstance(value, dict | list)}
        assert scalars(data, seen, found) == plain
    else:
        assert [json.loads(data[member.start : member.end]) for member in seen.members] == found


@calm
@given(found=st.dictionaries(st.text(max_size=4), JSON, min_size=1, max_size=4), data=st.data())
def test_what_is_cut_keeps_its_whole_members(found: dict[str, Any], data: st.DataObject) -> None:
    whole = json.dumps(found).encode()
    size = data.draw(st.integers(1, len(whole) - 1))
    seen = container(whole[:size], 0)
    assert seen.state == "cut"
    kept = {member.key: json.loads(whole[member.value : member.end]) for member in seen.members}
    assert list(kept.items()) == list(found.items())[: len(kept)]


@calm
@given(st.binary(max_size=60))
def test_any_bytes_end_somewhere(data: bytes) -> None:
    for opening in (b"{", b"["):
        seen = container(opening + data, 0)
        edges = [0, *(edge for member in seen.members for edge in (member.start, member.end))]
        assert edges == sorted(edges)
        assert edges[-1] <= seen.end <= len(data) + 1


@pytest.mark.parametrize(
    ("data", "state"),
    [
        (b"{", "cut"),
        (b'{"a', "cut"),
        (b'{"a"', "cut"),
        (b'{"a":', "cut"),
        (b'{"a":1', "cut"),
        (b'{"a" 1}', "broken"),
        (b"{a: 1}", "broken"),
        (b'{"a":}', "broken"),
        (b"[1 2]", "whole"),
        (b"[:]", "broken"),
        (b"[}", "broken"),
    ],
)
def test_where_reading_stops(data: bytes, state: str) -> None:
    assert container(data, 0).state == state


@pytest.mark.parametrize("hostile", [b"[" * 400_000, b'["' + b"\\" * 400_000, b'["",' * 200_000, b'{"a":' * 200_000])
def test_hostile_documents_take_linear_time(hostile: bytes) -> None:
    def seconds(data: bytes) -> float:
        started = time.perf_counter()
        container(data, 0)
        return time.perf_counter() - started

    small, large = seconds(hostile[: len(hostile) // 8]), seconds(hostile)
    assert large < 1 + small * 40


def test_ends_of_values() -> None:
    assert value_end(b'{"a": "}]"} x', 0) == 11
    assert value_end(b'"a\\"b" ', 0) == 6
    assert value_end(b"12, 3", 0) == 2
    assert value_end(b"12", 0) is None
    assert value_end(b"[[]", 0) is None


def test_lines_are_counted_where_their_first_character_stands() -> None:
    lines = LineStarts(b"\n {\n\n  1\r\n \t\n}")
    assert lines.between(0, 14) == 3
    assert (lines.between(0, 3), lines.between(3, 9), lines.between(13, 14)) == (1, 1, 1)


def test_a_branch_beside_the_live_one() -> None:
    tree = {"a": ("", 0, 1), "b": ("a", 1, 2), "c": ("a", 2, 4), "d": ("c", 4, 4), "e": ("b", 4, 5), "f": ("x", 5, 6)}
    assert beside(tree, "e") == ((2, 4),)
    assert beside(tree, "d") == ((1, 2), (4, 5))
    assert beside(tree, "f") == beside(tree, "nobody") == ()
    assert beside({"a": ("b", 0, 1), "b": ("a", 1, 2)}, "a") == ()
