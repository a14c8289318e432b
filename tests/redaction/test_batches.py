"""Texts scanned together give what each gives alone, wherever one ends and the next begins."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.redaction import Redactor
from recall_lab.redaction.buffers import OVERLAP_BYTES, PIECE_BYTES, SEPARATOR, Buffer, cut
from tests.redaction import fakes


def _samples(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    tokens, contexts = list(fakes.TOKENS.values()), list(fakes.CONTEXTS.values())
    samples = []
    for _ in range(count):
        name, make = rng.choice(tokens)
        samples.append(fakes.place(rng.choice(contexts), name, make(rng))[0])
    return samples


def _alone(redactor: Redactor, texts: list[str]) -> list[object]:
    return [redactor.scan([text])[0] for text in texts]


def test_a_batch_finds_what_single_scans_find(redactor: Redactor) -> None:
    texts = [
        *_samples(1, 120),
        "",
        "clé 🔑",
        *(fakes.pem("RSA " + "PRIVATE KEY", 4)(random.Random(n)) for n in range(3)),
    ]
    assert redactor.scan(texts) == _alone(redactor, texts)


@pytest.mark.parametrize("filler", ["plain words go on and on\n", "größer é 🔑 words\n"])
@pytest.mark.parametrize("place", [PIECE_BYTES - OVERLAP_BYTES, PIECE_BYTES, 2 * PIECE_BYTES - OVERLAP_BYTES])
def test_a_long_text_finds_what_a_short_one_finds(redactor: Redactor, filler: str, place: int) -> None:
    """A text is scanned in pieces; a secret at any distance from a cut is found once, as in a text of its own."""
    lines = place // len(filler.encode())
    long, short = filler * (lines + 3_000), filler * 30
    for distance, sample in enumerate(_samples(place, 12), -6):
        at = (lines + distance * 8) * len(filler)
        texts = [long[:at] + sample + "\n" + long[at:], short + sample + "\n" + short]
        moved, alone = (
            [(f.start - offset, f.end - offset, f.kind) for f in found]
            for found, offset in zip(redactor.scan(texts), (at, len(short)), strict=True)
        )
        assert moved == alone, (distance, sample)


@given(st.text(alphabet="aé🔑\n", max_size=30), st.integers(1, 900))
@settings(max_examples=40, deadline=None)
def test_pieces_overlap_and_say_where_they_stand(text: str, times: int) -> None:
    whole = text * times * 20
    pieces = [(buffer.piece, buffer.data.strip(b"\n").strip(b"\x1f")[1:-1].decode()) for buffer in cut([whole])]
    assert all(whole.startswith(shown, piece.points) for piece, shown in pieces)
    ends = [piece.points + len(shown) for piece, shown in pieces]
    assert not whole or ends[-1] == len(whole)
    assert all(piece.points < end for (piece, _), end in zip(pieces[1:], ends[:-1], strict=True))
    assert [piece.cut_after for piece, _ in pieces] == [*[True] * (len(pieces) - 1), *[False] * bool(pieces)]


def test_no_secret_is_found_across_a_boundary(redactor: Redactor) -> None:
    """Text cut anywhere: the two halves give, side by side, what they give apart."""
    rng = random.Random(3)
    whole = "\n".join([*_samples(4, 3), fakes.pem("PRIVATE " + "KEY", 2)(rng)])
    for at in range(0, len(whole), 3):
        halves = [whole[:at], whole[at:]]
        assert redactor.scan(halves) == _alone(redactor, halves), at


def test_every_gap_between_word_and_value_is_shorter_than_the_separator(redactor: Redactor) -> None:
    """A word that ends one text claims no value of the next."""
    rng = random.Random(6)
    for name in ("amplitude KEY", "influx token", "cloudinary API_SECRET", "azure storage key", "PASSWORD", "heroku"):
        for alphabet, length in ((fakes.HEX, 32), (fakes.B62, 40), (fakes.B64, 88), (fakes.B62, 92)):
            value = fakes.draw(rng, alphabet, length)
            texts = [f"the {name} = ", value, f"{name}:", f'"{value}"']
            assert redactor.scan(texts) == _alone(redactor, texts), (name, length)


@given(st.lists(st.text(alphabet="aé🔑\n\x00\ud800 -\"'=:", max_size=12), min_size=1, max_size=6), st.integers(1, 4000))
@settings(max_examples=60, deadline=None)
def test_places_are_mapped_back_in_code_points(pieces: list[str], size: int) -> None:
    texts = [f"{piece}SECRET{piece}" for piece in pieces]
    for buffer in cut(texts, size):
        spans = []
        at = buffer.data.find(b"SECRET")
        while at >= 0:
            spans.append((at, at + 6, "rule"))
            at = buffer.data.find(b"SECRET", at + 1)
        for index, found in buffer.locate(spans).items():
            assert [texts[index][low:high] for low, high, _ in found] == ["SECRET"]


def test_what_lies_in_a_separator_belongs_to_no_text() -> None:
    buffer = Buffer(0, ["a", "b"], [b"a", b"b"])
    step = len(SEPARATOR)
    assert buffer.locate([(step + 1, step + 1 + step, "rule")]) == {}


def test_an_offset_inside_a_character_moves_no_other() -> None:
    text = "é🔑SECRET"
    buffer = Buffer(0, [text], [text.encode()])
    at = buffer.data.find(b"SECRET")
    middle = buffer.data.find("🔑".encode()) + 2
    located = buffer.locate([(middle, at, "cut"), (at, at + 6, "whole")])
    assert located == {0: [(2, 2, "cut"), (2, 8, "whole")]}


def test_many_buffers_cover_all_texts(redactor: Redactor) -> None:
    texts = _samples(9, 30)
    small = [buffer.first + index for buffer in cut(texts, 200) for index in range(len(buffer.texts))]
    assert small == list(range(30))
