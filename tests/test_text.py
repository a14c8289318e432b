"""Forms of a text, and the maps that lead back from them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.text import ByteMap, OffsetMap, camel_parts, fold, identifier_words, index_form, unspaced_runs

# Characters that join, decompose, fold or are wide, among any others.
TRICKY = st.text(
    st.sampled_from("ab ßøé→─и“用户각ᆨ가\u0301\u0327\u064bｶﾞﾟ´ﾠ½ά🚀ำเ\u093c\u09be\u09c7İſ…—ﬁ\ud800\u200d")
    | st.characters(),
    max_size=40,
)


def test_ascii_is_its_own_form() -> None:
    text = "plain ASCII, snake_case and C++"
    assert index_form(text) is text


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Straße Øre đ ł æ", "Strasse Ore d l ae"),
        ("ﬁle ｆｕｌｌ", "file full"),
        ("用户", " 用  户 "),
        ("τόνος", "τονος"),
        ("كِتاب", "كتاب"),
        ("ёлка", "елка"),
    ],
)
def test_forms(text: str, form: str) -> None:
    assert index_form(text) == form


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", "get User Name"),
        ("HTTPServer2 failed", "HTTP Server2"),
        ("snake_case kebab-case plain", ""),
        ("moved to C++ and F#", "cplusplus fsharp"),
        ("UPPER lower Title", ""),
    ],
)
def test_words_inside_identifiers(text: str, words: str) -> None:
    assert identifier_words(text) == words


def test_folding() -> None:
    assert fold("NAÏVE Straße") == "naive strasse"


def test_signs_and_letters_one_by_one_have_the_form_of_their_map() -> None:
    for point in (*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x1F000, 0x20000)):
        assert OffsetMap(chr(point)).form == index_form(chr(point))


@given(TRICKY)
def test_the_map_has_the_same_form(text: str) -> None:
    assert OffsetMap(text).form == index_form(text)


@given(TRICKY)
def test_every_place_of_the_form_comes_from_a_place_of_the_text(text: str) -> None:
    offsets = OffsetMap(text)
    last = 0
    for at in range(len(offsets.form)):
        start, end = offsets.original(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last
        last = start
    assert offsets.original(0, len(offsets.form))[0] == 0 or not offsets.form


@given(TRICKY)
def test_bytes_and_code_points_lead_to_one_another(text: str) -> None:
    known = ByteMap(text)
    byte = 0
    for point, char in enumerate(text):
        assert known.to_byte(point) == byte
        width = len(char.encode("utf-8", "surrogatepass"))
        assert {known.to_point(byte + inside) for inside in range(width)} == {point}
        byte += width
    assert known.to_byte(len(text)) == byte
    assert known.to_point(byte) == len(text)


def test_runs_of_scripts_without_spaces() -> None:
    assert unspaced_runs("itgc审计 log") == [("itgc", False), ("审计", True), (" log", False)]


@given(st.text(st.sampled_from("aAbB09_- é"), max_size=40))
def test_a_capital_after_a_letter_makes_words_wherever_it_stands_in_the_run(text: str) -> None:
    runs = [run.lstrip("0123456789") for run in re.findall("[A-Za-z0-9]+", text)]
    humped = [run for run in runs if any(char.isupper() for char in run[1:])]
    assert "".join(part for *_, part in camel_parts(text)) == "".join(humped)
    assert all(text[start:end] == part for start, end, part in camel_parts(text))
