"""What every host promises, whatever the bytes: nothing raised, nothing lost, the same in one go or in pieces."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_lab.hosts import HOSTS, recognise
from recall_lab.hosts.base import Host, RawRecord
from tests.hosts.generated import PATHS, RECORDS, cuts, sessions
from tests.hosts.generated_documents import DOCUMENTS
from tests.hosts.reading import lines_of, problems_of, read
from tests.hosts.strategies import THOUGHT

every_host = pytest.mark.parametrize("name", sorted(HOSTS))
few = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
many = settings(few, max_examples=10_000)
DATA = st.data()


def a_source(data: st.DataObject, name: str, *, damaged: bool = True) -> tuple[bytes, str]:
    return data.draw(sessions(name, damaged=damaged), "source"), data.draw(st.sampled_from(PATHS[name]), "path")


def check_account(host: Host, source: bytes, path: str) -> None:
    assert problems_of(read(host, source, path), source) == []


def check_resume(host: Host, source: bytes, path: str, sizes: list[int], group: int) -> None:
    whole, pieces = read(host, source, path), read(host, source, path, cuts=sizes, group=group)
    assert pieces.blocks == whole.blocks
    assert pieces.ledger == whole.ledger
    assert pieces.model_calls == whole.model_calls
    assert pieces.tool_calls == whole.tool_calls
    assert pieces.dead == whole.dead
    assert pieces.checkpoint.offset == whole.checkpoint.offset
    assert problems_of(pieces, source) == []


def check_silence(host: Host, source: bytes, path: str) -> None:
    outcome = read(host, source, path)
    assert THOUGHT not in repr(outcome.events)
    assert THOUGHT.encode() not in outcome.checkpoint.state


def test_every_host_is_generated() -> None:
    assert RECORDS.keys() | DOCUMENTS.keys() == PATHS.keys() == HOSTS.keys()


@every_host
def test_a_host_is_known_by_its_name(name: str) -> None:
    assert HOSTS[name].name == name


@every_host
def test_an_empty_source_tells_nothing(name: str) -> None:
    outcome = read(HOSTS[name], b"", PATHS[name][0])
    assert outcome.records == []
    assert outcome.blocks == []


@every_host
@given(data=DATA)
@few
def test_the_ledger_adds_up_to_the_byte(name: str, data: st.DataObject) -> None:
    check_account(HOSTS[name], *a_source(data, name))


@every_host
@given(source=st.binary(max_size=400))
@few
def test_any_bytes_are_accounted_for(name: str, source: bytes) -> None:
    check_account(HOSTS[name], source, PATHS[name][0])


@every_host
@given(data=DATA, group=st.integers(1, 4))
@few
def test_pieces_give_what_the_whole_gives(name: str, data: st.DataObject, group: int) -> None:
    source, path = a_source(data, name)
    check_resume(HOSTS[name], source, path, data.draw(cuts(source), "cuts"), group)


@every_host
@given(data=DATA)
@few
def test_thinking_is_in_no_event(name: str, data: st.DataObject) -> None:
    check_silence(HOSTS[name], *a_source(data, name, damaged=False))


@every_host
@given(data=DATA)
@few
def test_reading_twice_gives_the_same(name: str, data: st.DataObject) -> None:
    source, path = a_source(data, name)
    assert read(HOSTS[name], source, path).events == read(HOSTS[name], source, path).events


@every_host
@given(source=st.binary(max_size=200))
@few
def test_recognising_never_raises(name: str, source: bytes) -> None:
    HOSTS[name].recognise(source.split(b"\n"), PurePath(PATHS[name][0]))
    recognise(source.split(b"\n"), PurePath("x.jsonl"))


@every_host
def test_a_very_long_line_costs_that_line(name: str) -> None:
    source = b'{"type":"user","x":"' + b"a" * 3_000_000 + b'"\n' + b'{"a":' * 300_000 + b"\n"
    outcome = read(HOSTS[name], source, PATHS[name][0])
    assert problems_of(outcome, source) == []
    found = [record.disposition for record in outcome.records]
    # A document ends where its outermost bracket closes: what does not close may still go on. A host that also keeps
    # logs tells by the second line, which begins with an object here, that this is one.
    whole: list[list[str]] = [["malformed"], ["pending"]] if HOSTS[name].rewrites else []
    assert found in [["malformed", "malformed"], *whole]


@every_host
def test_a_reason_holds_none_of_the_text(name: str) -> None:
    source = b'{"type":"hunter2hunter2\\q","payload":{}}\nhunter2hunter2\n{"type":"hunter2hunter2hunter2"}\n'
    for record in read(HOSTS[name], source, PATHS[name][0]).records:
        assert isinstance(record, RawRecord)
        assert "hunter2" not in (record.reason or "")
        assert "hunter2" not in record.record_type


@every_host
@pytest.mark.deep
@given(data=DATA, group=st.integers(1, 4))
@many
def test_the_promises_hold_ten_thousand_times(name: str, data: st.DataObject, group: int) -> None:
    source, path = a_source(data, name)
    host = HOSTS[name]
    check_account(host, source, path)
    check_silence(host, source, path)
    check_resume(host, source, path, data.draw(cuts(source), "cuts"), group)


@every_host
@pytest.mark.deep
def test_a_hundred_megabytes_on_one_line(name: str) -> None:
    source = b'{"type":"user","x":"' + b"a" * 100_000_000 + b'"}\n' + b"b" * 100_000_000 + b"\n"
    assert problems_of(read(HOSTS[name], source, PATHS[name][0]), source) == []


def test_lines_split_at_newlines_only() -> None:
    lines = lines_of("a\u2028b\r\n\x0bc".encode(), 7)
    assert [(line.offset, line.length, line.ended) for line in lines] == [(7, 7, True), (14, 2, False)]
