"""The Lab searches by a passage, says how a query was read, and answers before there is an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.display import why_words
from recall_lab.errors import UnknownBlockError, UsageError
from recall_lab.lab import Lab, open_lab
from recall_lab.model import Why
from tests.search.test_cold import transcript


def test_a_hit_its_receipt_and_its_block_lead_to_passages_like_it(lab: Lab) -> None:
    hit = lab.search("why did we reject batching", scope="all")[0]
    like = lab.more_like(hit, limit=5)
    assert [one.block_id for one in like] == [one.block_id for one in lab.more_like(hit.receipt, limit=5)]
    assert hit.block_id not in {one.block_id for one in like}
    assert len(lab.more_like(hit.block_id, limit=2)) == 2
    assert hit.receipt in like.code
    assert [one.block_id for one in eval(like.code, {"lab": lab})] == [one.block_id for one in like]
    assert all(one.role == "user" for one in lab.more_like(hit, role="user"))
    with pytest.raises(UnknownBlockError):
        lab.more_like("0" * 32)


def test_a_query_is_explained_among_what_the_filters_leave(lab: Lab) -> None:
    everything, users = lab.explain("batching"), lab.explain("batching", role="user")
    assert users.blocks < everything.blocks
    assert [part.label for part in everything.parts] == ["batching"]
    assert users.parts[0].blocks <= everything.parts[0].blocks


def test_why_tells_what_stands_in_the_title_of_a_session() -> None:
    why = Why(tier="some", neighbors=("queue",), title=("retry",), coverage=0.5)
    assert why_words(why) == ["50% of the terms by weight", "nearby queue", "title retry"]


def test_what_is_preferred_is_named(lab: Lab) -> None:
    hits = lab.search("batching", prefer="user", scope="all")
    assert "prefer='user'" in hits.code
    with pytest.raises(UsageError, match="prefer"):
        lab.search("batching", prefer="nobody")


def test_a_lab_without_an_index_searches_the_raw_transcripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules_cache: Path
) -> None:
    transcript(tmp_path / "user", 1, "the zeppelin was moored at last")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECALL_LAB_CACHE_DIR", str(rules_cache))
    with open_lab(tmp_path / "home", create=True) as lab:
        hits = lab.search("zeppelin")
        assert hits.answer.cold
        assert "cold scan" in hits.heading()
        assert "zeppelin" in repr(hits)
        assert not lab.settings.store.exists()
