"""What is there is found, and what is highlighted is what matched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recall_lab.model import Hit
from recall_lab.search import search
from recall_lab.store import Reader

TEXTS = (
    "我们决定为用户添加缓存",
    "The NAÏVE approach was rejected after a long talk",
    "运行itgc审计的结果",
    "We moved to C++ from plain C for the parser",
    "it's broken again on the staging machine",
    "see foo/bar for more of the same",
    "the pre-edit hook formats every file",
    'they wrote "unb here and never closed it',
    "don't do that, said the reviewer",
    "the wrong-book was ordered twice",
    "this fixes #4471 at last",
    "session 019f041d-c5d8-75f1-9773-ecfe229b46ae was resumed",
    "TypeError: cannot read properties of undefined (reading 'map') at src/app.ts:10:5",
    "getUserName returned 🚀 nothing",
    "die Straße und das Øre",
    "사용자를 추가했다",
    "การเขียนโปรแกรมภาษาไพธอน",
    "мы отклонили пакетную обработку запросов",
    "हिन्दी में खोज काम करती है",
    "το κείμενο έχει τόνους",
    "kuyruk için İstanbul sunucusu",
    "commit 3f9c2ab1d0 reverted the change in render_frame_twice()",
    "open http://localhost:8765/lab/tree?token=x to see it",
    "the ﬁle was ﬂagged",  # ligatures
    "データベースの移行スクリプト",
    "获取getUserRole函数的结果",
    "в логе Ошибка_404 снова",
    "the 🐛 in parse_v2 came back",
)


def marked(hit: Hit) -> list[str]:
    return [hit.text[start - hit.start : end - hit.start] for start, end in hit.spans]


FOUND = [
    ("用户", ["用户"]),
    ("缓", ["缓"]),
    ("naive", ["NAÏVE"]),
    ("itgc", ["itgc"]),
    ("审计", ["审计"]),
    ("C++", ["C++"]),
    ("it's", ["it's"]),
    ("foo/bar", ["foo/bar"]),
    ("pre-edit", ["pre-edit"]),
    ('"unb', ["unb"]),
    ("don't", ["don't"]),
    ("don’t", ["don't"]),
    ("wrong-book", ["wrong-book"]),
    ("#4471", ["#4471"]),
    ("019f041d", ["019f041d"]),
    ("019f041d-c5d8-75f1-9773-ecfe229b46ae", ["019f041d-c5d8-75f1-9773-ecfe229b46ae"]),
    ("getUserName", ["getUserName"]),
    ("user name", ["User", "Name"]),
    ("🚀", ["🚀"]),
    ("strasse", ["Straße"]),
    ("Øre", ["Øre"]),
    ("사용자", ["사용자"]),
    ("เขียน", ["เขียน"]),
    ("пакетную", ["пакетную"]),
    ("हिन्दी", ["हिन्दी"]),
    ("τονους", ["τόνους"]),
    ("istanbul", ["İstanbul"]),
    ("3f9c2ab1d0", ["3f9c2ab1d0"]),
    ("render_frame_twice", ["render_frame_twice"]),
    ("http://localhost:8765/lab/tree?token=x", ["http://localhost:8765/lab/tree?token=x"]),
    ("file flagged", ["ﬁle", "ﬂagged"]),
    ("移行", ["移行"]),
    ('"was rejected"', ["was rejected"]),
    ("reject*", ["rejected"]),
    ("rejecting", ["rejected"]),
    ("src/app.ts", ["src/app.ts"]),
    ("getUserRole", ["getUserRole"]),
    ("函数", ["函数"]),
    ("ошибка_404", ["Ошибка_404"]),
    ("🐛", ["🐛"]),
    ("parse_v2", ["parse_v2"]),
]


@pytest.mark.parametrize(("query", "spans"), FOUND)
def test_it_is_found_and_marked(told: Callable[..., Reader], query: str, spans: list[str]) -> None:
    answer = search(told(*TEXTS), query)
    assert answer.hits, answer.notice
    assert marked(answer.hits[0]) == spans


@pytest.mark.parametrize(("query", "spans"), FOUND)
@pytest.mark.parametrize("filling", ["line of a log\n", "ligne d’un journal, très longue\n"])
def test_it_is_found_in_a_long_text_too(
    told: Callable[..., Reader], query: str, spans: list[str], filling: str
) -> None:
    reader = told(*(filling * 150 + text + "\n" + filling * 150 for text in TEXTS))
    hit = search(reader, query).hits[0]
    assert [part for part in marked(hit) if part not in filling] == spans
    assert len(hit.text) <= 700


def test_an_error_pasted_whole_is_found_as_one_phrase(told: Callable[..., Reader]) -> None:
    hit = search(told(*TEXTS), "TypeError: cannot read properties of undefined (reading 'map')").hits[0]
    assert hit.why.tier == "exact"
    assert hit.text.startswith("TypeError")


def test_a_question_in_plain_words_finds_its_answer(told: Callable[..., Reader]) -> None:
    hits = search(told(*TEXTS), "why was the naive approach rejected?").hits
    assert "NAÏVE" in hits[0].text
    assert "why" not in hits[0].why.terms


def test_a_possessive_is_its_owner(history, told: Callable[..., Reader]) -> None:
    reader = told("Caroline went home", "nothing of the kind")
    assert search(reader, "Caroline's way home").hits[0].text == "Caroline went home"


def test_every_span_of_a_long_block_lies_in_its_passage(told: Callable[..., Reader]) -> None:
    text = "\n".join(f"line {n} of a long log about nothing" for n in range(400)) + "\nthe flux capacitor failed\n"
    text += "\n".join(f"line {n} afterwards" for n in range(400))
    hit = search(told(text), "flux capacitor").hits[0]
    assert text[hit.start : hit.end] == hit.text
    assert 300 <= len(hit.text) <= 640
    assert marked(hit) == ["flux", "capacitor"] or marked(hit) == ["flux capacitor"]
    assert hit.text.startswith("line")


def test_nothing_in_the_query_or_the_store_is_no_error(told: Callable[..., Reader]) -> None:
    reader = told(*TEXTS)
    for query in ("", "   ", "***", '"', '""', "-", "--", "( ) [ ]", "\x00", "AND", "NOT", "OR OR"):
        answer = search(reader, query)
        assert answer.hits or answer.notice


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("为什么我们拒绝了批处理", "我们决定不使用批处理，因为顺序会丢失"),
        ("登录为什么失败", "用户登录失败是因为令牌过期"),
        ("データベース移行はなぜ失敗したか", "データベースの移行に失敗したので、ロールバックしました"),
        ("배치 처리를 왜 거부했나", "배치 처리를 거부한 이유는 순서 때문입니다"),
        ("почему отклонили обработку", "мы отклонили обработку пакетами"),
        ("火星探测器", None),
    ],
)
def test_questions_in_scripts_without_spaces(told: Callable[..., Reader], question: str, answer: str | None) -> None:
    reader = told(
        "我们决定不使用批处理，因为顺序会丢失",
        "用户登录失败是因为令牌过期",
        "データベースの移行に失敗したので、ロールバックしました",
        "배치 처리를 거부한 이유는 순서 때문입니다",
        "мы отклонили обработку пакетами",
        *(f"nothing of it {n} 其他内容{n}" for n in range(30)),
    )
    hits = search(reader, question).hits
    assert (hits[0].text if hits else None) == answer
