"""The report is one private page that holds everything it shows, and nothing in it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from recall_lab.errors import NotFoundError, TimeError
from recall_lab.lab import Lab, open_lab
from recall_lab.model import Redacted
from tests.mirror.telling import Telling, called, said

HOSTILE = Redacted("</script><script>window.pwned=1</script><img src=https://a.example/x onerror=alert(1)>")


class Elements(HTMLParser):
    """The elements of a page, and where they point."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "action", "data"}]


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    telling = Telling(tmp_path)
    blocks = [said("try", f"cat\n{HOSTILE}/a.py", kind="tool_use", tool=HOSTILE)]
    calls = [called("c", model=HOSTILE, output_tokens=5)]
    telling.tell("main", *blocks, model_calls=calls, title=HOSTILE, repo=HOSTILE, source=f"/t/{HOSTILE}.jsonl")
    monkeypatch.setenv("RECALL_LAB_ZONE", "UTC")
    with open_lab(tmp_path) as lab:
        yield lab


def test_it_is_one_private_file_with_charts_and_numbers(lab: Lab, tmp_path: Path) -> None:
    made = lab.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o600
    assert made.bytes == len(page.encode())
    assert len(re.findall('id="chart-[0-9]+"', page)) == made.charts > 10
    assert "Europe/Helsinki" in page
    total = lab.usage("day").total
    assert f"<b>{total.calls:,}</b><span>model calls</span>" in page
    coverage = lab.coverage()
    assert f"<b>{coverage.sources}</b><span>sources</span>" in page
    parsed = Elements(page)
    assert {link for link in parsed.links if not link.startswith("#")} == set()
    assert parsed.names.count("script") == 1


def test_what_a_transcript_holds_stays_text(hostile: Lab, tmp_path: Path) -> None:
    hostile.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;window.pwned=1" in page
    parsed = Elements(page)
    assert parsed.names.count("script") == 1
    assert "img" not in parsed.names
    assert "window.pwned=1</script>" not in page


def test_filters_hold_and_what_cannot_be_narrowed_is_said(lab: Lab, tmp_path: Path) -> None:
    lab.report(tmp_path / "codex.html", host="codex", model="no such model")
    page = (tmp_path / "codex.html").read_text(encoding="utf-8")
    assert "host codex, model no such model" in page
    assert "<b>0</b><span>model calls</span>" in page
    assert "Not narrowed by model" in page
    with pytest.raises(TimeError):
        lab.report(tmp_path / "never.html", since="soonish")
    with pytest.raises(NotFoundError):
        lab.report(tmp_path / "nowhere" / "report.html")
    assert not (tmp_path / "never.html").exists()
