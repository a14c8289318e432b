"""A session in pages: they add up, turns and blocks are found on them, subagents stand where they were called."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_store import TinyStore, block_id, said

from recall_lab.errors import NotFoundError
from recall_lab.evidence import open_session, session_view

SESSION = "11111111-aaaa"


@pytest.mark.parametrize("per_page", [1, 3, 7, 100])
def test_pages_add_up_to_the_session_whatever_their_size(tiny: TinyStore, per_page: int) -> None:
    tiny.tell(*(said(f"b{n}", f"text {n}", n, turn=n // 3) for n in range(20)), dead=((4, 9),))
    reader = tiny.reader()
    for dead in (False, True):
        pages = open_session(reader, SESSION, dead=dead, per_page=per_page)
        read = [pages.page(number) for number in range(1, pages.pages + 1)]
        whole = session_view(reader, SESSION, dead=dead).blocks
        assert tuple(block for page in read for block in page.blocks) == whole
        assert [page.first for page in read] == [1 + per_page * number for number in range(pages.pages)]
        assert {page.total for page in read} == {len(whole)}
        for number in (0, pages.pages + 1):
            with pytest.raises(NotFoundError, match="there is no page"):
                pages.page(number)


def test_turns_times_and_blocks_are_found_on_their_pages(tiny: TinyStore) -> None:
    tiny.tell(*(said(f"b{n}", f"text {n}", n, turn=n // 2) for n in range(200)), dead=((150, 151),))
    reader = tiny.reader()
    pages = open_session(reader, SESSION, per_page=10)
    for number in range(200):
        page = pages.page_of_block(block_id(f"b{number}"))
        if number == 150:
            assert page is None
        else:
            assert block_id(f"b{number}") in {block.block_id for block in pages.page(page).blocks}
    for turn in range(100):
        if turn in pages.turns:
            assert turn in {block.turn for block in pages.page(pages.page_of_turn(turn)).blocks}
            assert turn in {line.turn for line in pages.turn_lines(pages.turn_page(turn))}
    with pytest.raises(NotFoundError, match="has no turn 100"):
        pages.page_of_turn(100)
    with pytest.raises(NotFoundError, match="2 pages"):
        pages.turn_lines(3)
    assert pages.turn_at("11:00", "UTC") == 30


def test_a_subagent_stands_where_its_call_does(tiny: TinyStore) -> None:
    prompt = "Find every place that writes."
    tiny.tell(
        said("ask", "ask", 0, role="user"),
        said("call-1", f"Task\nprompt: {prompt}", 1, kind="tool_use"),
        said("call-2", f"Task\nprompt: {prompt}", 2, kind="tool_use"),
        said("call-3", "Task\nprompt: other", 3, kind="tool_use"),
        said("result", "done by agent a1b2c3", 4, kind="tool_result", role="tool"),
    )
    child = {"parent_id": SESSION, "relation": "subagent"}
    for number, (name, words) in enumerate(
        {"e1e1e1": prompt, "e2e2e2": prompt, "a1b2c3": prompt, "e3e3e3": "nobody asked"}.items()
    ):
        tiny.tell(
            said(f"{name}-1", words, 10 + number, role="user"), session=f"{SESSION}/{name}", agent_id=name, **child
        )
    reader = tiny.reader()
    pages = open_session(reader, SESSION)
    placed = {one.session.agent_id: one.after for one in pages.page(1).called}
    assert placed == {"e1e1e1": 1, "e2e2e2": 2, "a1b2c3": 4, "e3e3e3": None}
    assert {one.session.agent_id: one.after for one in session_view(reader, SESSION).called} == placed
    assert pages.page_of_agent(f"{SESSION}/e2e2e2") == 1
    assert pages.page_of_agent(f"{SESSION}/e3e3e3") is None


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 20))
def test_every_turn_is_on_the_page_of_the_index_that_is_named(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], per_page: int
) -> None:
    tiny = TinyStore(tmp_path_factory.mktemp("paging"))
    turns = [turn for turn, size in enumerate(sizes) for _ in range(size)]
    tiny.tell(*(said(f"b{n}", f"text {n}", n, turn=turn) for n, turn in enumerate(turns)))
    pages = open_session(tiny.reader(), SESSION, per_page=per_page)
    assert sum(len(pages.turn_lines(number)) for number in range(1, pages.turn_pages + 1)) == len(sizes)
    for turn in range(len(sizes)):
        page = pages.page(pages.page_of_turn(turn))
        assert turn in {block.turn for block in page.blocks}
        assert page.first <= turns.index(turn) + 1 < page.first + per_page
    tiny.close()
