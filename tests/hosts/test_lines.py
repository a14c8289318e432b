"""Lines of JSON, names and texts that the hosts share."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.hosts._json import LineReader, clean, fit, repaired
from recall_lab.hosts._names import TypeNames, plain_id, tidy_name, utc_time
from recall_lab.hosts._text import base64_size, placeholder, request_text


class Inner(msgspec.Struct):
    n: int | None = None
    words: list[str] | None = None


class Sample(msgspec.Struct, rename="camel"):
    type: str | None = None
    some_number: float | None = None
    inner: Inner | str | None = None
    anything: Any = None


calm = settings(deadline=None)
reader = LineReader(Sample, lambda sample: sample.type == "known")


@calm
@given(st.binary(max_size=200), st.booleans(), st.booleans())
def test_pieces_cover_the_line(data: bytes, at_start: bool, ended: bool) -> None:
    ends = [0]
    for piece in reader.pieces(data, at_start=at_start, ended=ended):
        assert piece.start == ends[-1]
        ends.append(piece.end)
    assert ends[-1] == len(data)


@calm
@given(
    st.lists(
        st.sampled_from([b'{"type":"known"}', b'{"type":"other"}', b" ", b"x", b'{"type":', b"\xff", b"\xef\xbb\xbf"])
    )
)
def test_any_mix_is_covered_and_known_records_are_found(parts: list[bytes]) -> None:
    data = b"".join(parts)
    pieces = reader.pieces(data)
    assert b"".join(data[piece.start : piece.end] for piece in pieces) == data
    if not {b"x", b'{"type":', b"\xff"} & set(parts):
        found = sum(1 for piece in pieces if piece.value is not None and piece.value.type == "known")
        assert found == parts.count(b'{"type":"known"}')


def test_an_unknown_object_is_a_record_only_where_a_line_starts() -> None:
    line = b'{"type":"other"}{"type":"other"}'
    assert [piece.value is not None for piece in reader.pieces(line)] == [True, False]
    assert [piece.value is not None for piece in reader.pieces(line, at_start=False)] == [False]
    assert [piece.note for piece in reader.pieces(line)] == [None, "not a record"]


def test_rescanning_a_line_takes_linear_time() -> None:
    line = b'x{"type":' * 200_000
    assert [piece.note for piece in reader.pieces(line)] == ["not a JSON object"]


def test_a_struct_takes_what_fits() -> None:
    found = {
        "type": 7,
        "someNumber": 1,
        "inner": {"n": "x", "words": ["a", 5, "\ud800b"]},
        "anything": [{"k": "\udc80"}],
    }
    assert fit(found, Sample) == Sample(None, 1.0, Inner(None, ["a", "\ufffdb"]), [{"k": "\ufffd"}])
    assert fit({"inner": "text"}, Sample).inner == "text"
    assert fit({"inner": [1], "someNumber": True}, Sample) == Sample()


@calm
@given(st.text(st.characters()))
def test_clean_text_can_be_written(text: str) -> None:
    assert clean(text).encode("utf-8").decode("utf-8") == clean(text)
    assert clean(clean(text)) == clean(text)


def test_clean_text_keeps_pairs() -> None:
    assert clean("\ud83d\ude42 \ud83d") == "\U0001f642 \ufffd"


@pytest.mark.parametrize(
    "name", ["hook_success", "queue-operation", "system.init", "mcpToolResult", "v2", "plan_mode_exit2"]
)
def test_names_that_are_words_stay(name: str) -> None:
    assert tidy_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["sk-live-51H8xYz0123456789abcdefghij", "<script>", "a b", "0123deadbeefdeadbeef", "x" * 41, "ключ", "A1b2C3d4"],
)
def test_names_that_are_none_are_other(name: str) -> None:
    assert tidy_name(name) == "other"


def test_names_have_an_end() -> None:
    names = TypeNames()
    assert [names(""), names(None), names({})] == ["unnamed"] * 3
    told = {names("kind" + "abcdefghij"[n % 10] * (n // 10 + 1)) for n in range(190)}
    assert "other" in told | {names("a" * n) for n in range(1, 25)}
    again = TypeNames(names.known)
    assert again("kinda") == "kinda"


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-05-01T10:00:00.123Z", "2026-05-01T10:00:00.123Z"),
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01T12:00:00.123456+02:00", "2026-05-01T10:00:00.123Z"),
        (1777629600, "2026-05-01T10:00:00.000Z"),
        ("2026-13-01T10:00:00.123Z", None),
        ("yesterday", None),
        (None, None),
        ("", None),
    ],
)
def test_times_are_utc(value: object, time: str | None) -> None:
    assert utc_time(value) == time


def test_ids_are_plain() -> None:
    assert plain_id("toolu_01Ab-c.d:e") == "toolu_01Ab-c.d:e"
    assert [plain_id(value) for value in (None, "", "a b", "../x", "a/b", "x" * 200, "a\n")] == [None] * 7


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=20,
)


def _strings(value: object, level: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict) and level < 5:
        return [text for item in value.values() for text in _strings(item, level + 1)]
    if isinstance(value, list) and level < 5:
        return [text for item in value for text in _strings(item, level + 1)]
    return []


@calm
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_a_request_holds_its_strings_as_they_are(request: dict[str, Any]) -> None:
    text = request_text("Tool", request)
    assert text == request_text("Tool", json.loads(json.dumps(request)))
    assert text.split("\n")[0] == "Tool"
    assert all(string in text for string in _strings(request))


def test_a_request_is_laid_out_for_reading() -> None:
    request = {
        "command": "ls",
        "edits": [{"old": "a\nb", "new": "c", "deep": {"x": [1, 2]}}, "plain", [True, None], {}],
        "none": None,
        "empty": [],
        "deep": {"1": {"2": {"3": {"4": {"5": {"6": {"7": "x"}}}}}}},
    }
    assert request_text("MultiEdit", request).split("\n") == [
        "MultiEdit",
        "command: ls",
        "edits:",
        "  - old:",
        "a",
        "b",
        "    new: c",
        "    deep:",
        "      x:",
        "        - 1",
        "        - 2",
        "  - plain",
        "  -",
        "    - true",
        "    - null",
        "  - {}",
        "none: null",
        "empty: []",
        "deep:",
        "  1:",
        "    2:",
        "      3:",
        "        4:",
        '          5: {"6":{"7":"x"}}',
    ]


@pytest.mark.parametrize(
    ("request_", "text"),
    [({}, "T"), (None, "T"), ("free\ntext", "T\nfree\ntext"), ([1], "T\n- 1"), (7, "T\n7"), (0, "T\n0")],
)
def test_odd_requests(request_: object, text: str) -> None:
    assert request_text("T", request_) == text
    assert request_text(None, request_).startswith("tool")


def test_placeholders_tell_type_and_size() -> None:
    assert placeholder("image", "image/png", 1234) == "[image: image/png, 1,234 bytes]"
    assert placeholder(None, None, None) == "[file]"
    assert [base64_size(data) for data in ("", "aGVsbG8=", "aGVsbA==", "aGVs")] == [0, 5, 4, 3]


@calm
@given(st.binary(max_size=60))
def test_repaired_bytes_are_utf8(data: bytes) -> None:
    assert repaired(data) == data.decode("utf-8", "replace").encode("utf-8")


@calm
@given(st.binary(max_size=6).filter(lambda data: not {0x22, 0x5C, 0x0A} & set(data)))
def test_bad_bytes_read_alike_wherever_the_object_stands(data: bytes) -> None:
    line = b'{"type":"known","inner":"' + data + b'"}'
    (alone,) = reader.pieces(line)
    _, second = reader.pieces(b'{"type":"known"}' + line)
    assert (alone.value, alone.note) == (second.value, second.note)
