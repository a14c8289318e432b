"""Vectors on the disk answer as the vectors that were put there."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest

from recall_lab.semantic import vectors
from recall_lab.semantic.vectors import cosines_of, joined, nearest, packed, replace_segment, segments, write_segment

MODEL = "0f" * 16


def drawn(count: int, dims: int = 64, seed: int = 1) -> np.ndarray:
    """Vectors in clusters, as those of texts are."""
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(12, dims))
    found = centres[dice.integers(0, 12, count)] + 0.6 * dice.normal(size=(count, dims))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def rows_of(values: np.ndarray, first: int = 0) -> vectors.Rows:
    return packed([(first + n, 1000 + first + n, 0, 10) for n in range(len(values))], values)


def test_the_nearest_are_those_of_brute_force(tmp_path: Path) -> None:
    values = drawn(500)
    write_segment(tmp_path, MODEL, rows_of(values[:200]))
    write_segment(tmp_path, MODEL, rows_of(values[200:], 200))
    query = drawn(1, seed=2)[0]
    found = nearest(segments(tmp_path, MODEL), query, np.ones(500, bool), 10)
    exact = values @ query
    assert set(found) == set(np.argsort(-exact)[:10].tolist())
    assert list(found) == sorted(found, key=lambda text: -found[text].cosine)
    for text, one in found.items():
        assert one.cosine == pytest.approx(exact[text], abs=0.01)
        assert one.hash == 1000 + text


def test_narrowing_by_signs_loses_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = drawn(20_000, 384)
    write_segment(tmp_path, MODEL, rows_of(values))
    held = segments(tmp_path)
    everything = np.ones(20_000, bool)
    queries = drawn(20, 384, seed=3)
    # A search asks for more than it keeps.
    exact = [list(nearest(held, query, everything, 400))[:100] for query in queries]
    monkeypatch.setattr(vectors, "EXACT", 100)
    narrowed = [list(nearest(held, query, everything, 400))[:100] for query in queries]
    shared = [len({*one} & {*other}) / 100 for one, other in zip(exact, narrowed, strict=True)]
    assert np.mean(shared) > 0.9
    assert [one[:5] for one in exact] == [one[:5] for one in narrowed]


def test_only_eligible_texts_are_found_and_newer_texts_are_none(tmp_path: Path) -> None:
    values = drawn(50)
    write_segment(tmp_path, MODEL, rows_of(values))
    eligible = np.zeros(20, bool)
    eligible[[3, 7]] = True
    assert set(nearest(segments(tmp_path), values[3], eligible, 10)) == {3, 7}
    assert nearest(segments(tmp_path), values[3], np.zeros(0, bool), 10) == {}
    assert set(cosines_of(segments(tmp_path), values[3], np.array([4, 49, 80]))) == {4, 49}


def test_a_text_is_found_once_by_its_best_passage(tmp_path: Path) -> None:
    values = drawn(3)
    write_segment(tmp_path, MODEL, packed([(5, 9, 0, 10), (5, 9, 10, 20), (6, 9, 0, 10)], values))
    found = nearest(segments(tmp_path), values[1], np.ones(10, bool), 10)
    assert (found[5].start, found[5].end) == (10, 20)


def test_a_file_that_is_cut_short_or_foreign_is_passed_over(tmp_path: Path) -> None:
    whole = write_segment(tmp_path, MODEL, rows_of(drawn(10)))
    (tmp_path / "00000002.vectors").write_bytes(whole.read_bytes()[:-1])
    (tmp_path / "00000003.vectors").write_bytes(b"something else")
    (tmp_path / "00000004.vectors").write_bytes(b"")
    assert [segment.path for segment in segments(tmp_path)] == [whole]
    assert segments(tmp_path, "00" * 16) == ()
    assert segments(tmp_path / "nowhere") == ()


def test_files_are_private_and_replaced_whole(tmp_path: Path) -> None:
    path = write_segment(tmp_path, MODEL, rows_of(drawn(10)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (segment,) = segments(tmp_path)
    replace_segment(segment, segment.rows.taken(segment.rows.texts < 4))
    (after,) = segments(tmp_path)
    assert after.rows.texts.tolist() == [0, 1, 2, 3]
    assert len(joined([after.rows, after.rows])) == 8
    replace_segment(after, after.rows.taken(after.rows.texts < 0))
    assert list(tmp_path.iterdir()) == []
