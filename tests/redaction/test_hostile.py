"""Time grows with the text, not faster, whatever the text is made of."""

from __future__ import annotations

import time

import pytest

from recall_lab.evaluation.hostile import PIECES, measure_slopes
from recall_lab.redaction import Redactor


def _seconds(redactor: Redactor, text: str) -> float:
    started = time.process_time()
    redactor.scan([text])
    return time.process_time() - started


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_time_is_linear(redactor: Redactor, piece: str) -> None:
    small, large = (piece * (size // len(piece)) for size in (25_000, 100_000))
    # Four times the text may take four times as long, doubled for a busy machine; a square would take sixteen times.
    for _ in range(3):
        before, after = _seconds(redactor, small), _seconds(redactor, large)
        if after < max(0.05, 8 * before):
            return
    pytest.fail(f"{before:.3f} s for 25 kB, {after:.3f} s for 100 kB")


def test_a_text_of_any_length_is_looked_at_in_pieces(redactor: Redactor) -> None:
    """The detector takes far longer over a buffer of more than 128 kB than over two of half its length."""
    small, large = ("@a.bc:" * (size // 6) for size in (50_000, 200_000))
    before, after = _seconds(redactor, small), _seconds(redactor, large)
    assert after < max(1.0, 16 * before)


@pytest.mark.parametrize("piece", ["API_KEY=", "key_", "token,", "secret ", "Authorization: Bearer ", "?token=&"])
def test_words_without_a_value_are_not_reported(redactor: Redactor, piece: str) -> None:
    """What a repeated name costs is what the detector reports; without a digit behind it there is nothing to look at."""
    text = piece * 1_000
    assert sum(map(len, redactor._places([text]).values())) <= 1


@pytest.mark.deep
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_megabyte_takes_seconds(redactor: Redactor, piece: str) -> None:
    assert _seconds(redactor, piece * (1_000_000 // len(piece))) < 30


def test_slopes_tell_the_seconds_of_every_size(redactor: Redactor) -> None:
    done: list[int] = []
    (slope,) = measure_slopes(redactor, pieces={"few": "key_"}, sizes=(400, 800), progress=done.append)
    assert slope.piece == "few"
    assert list(slope.seconds_per_mb) == [400, 800]
    assert min(slope.seconds_per_mb.values()) > 0
    assert done == [1]


def test_redacting_hostile_text_ends(redactor: Redactor) -> None:
    text = "".join(f"token{n}=[REDACTED:password]x9Kd{n}QwZ " for n in range(300))
    (once,) = redactor.redact([text])
    assert redactor.redact([once.text])[0].text == once.text
