"""The main job from transcripts to a verified brief, on the packaged sample and without a browser."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from recall_lab.display import cell, check_words, hit_place, one_line, pieces, visible, why_words
from recall_lab.errors import UsageError
from recall_lab.lab import Lab, open_lab
from recall_lab.model import DISPOSITIONS

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.text import Text

    from recall_lab.hits import CitableHit

QUESTION = "why did we reject batching"
QUOTE = "a crash between the acknowledgement and the flush loses readings"
MISQUOTE = "a crash between the acknowledgment and the flush loses readings"  # one letter short
CHARTS = ("usage_by_day", "coverage_by_source")
_NAME = "recall-lab"
_WIDTH = 100
_PASSAGE_LENGTH = 600
_MARKER = "made-by-recall-lab-demo"


def run_demo(folder: Path = Path("demo"), *, file: TextIO | None = None) -> int:
    """Capture the sample, search, quote, count, chart, and write a cited brief that is then verified.

    The store stays in ``folder/home``, so that the brief can be verified again later. A demo of before is replaced.

    Args:
        folder: Where everything goes; made when it is not there.
        file: Where the account is printed; standard output by default.

    Returns:
        0, or 1 when a receipt of the brief does not verify.

    Raises:
        UsageError: ``folder/home`` holds something that no demo made.
        RecallLabError: whatever a step cannot do.
    """
    home = _fresh_home(folder)
    with open_lab(home, sample=True) as lab:
        show = _Show(lab, file)
        show.capture()
        hits = lab.search(QUESTION, kind="text", limit=3)
        show.search(hits.heading(), hits)
        show.quotation(hits[0])
        show.usage()
        show.coverage()
        files = [_chart(lab, name, folder / f"{name}{suffix}") for name in CHARTS for suffix in (".svg", ".png")]
        brief = lab.brief("Why was batching rejected?", hits)
        files += [brief.save(folder / name).file for name in ("brief.md", "brief.html", "brief.json")]
        show.files(files)
        verification = lab.verify(folder / "brief.md")
        show.verification(verification.checked, verification.valid, folder)
    return 0 if verification.checked == verification.valid > 0 else 1


def _fresh_home(folder: Path) -> Path:
    """Make ``folder/home`` as if there had been no demo before; compiled rules stay."""
    home = folder / "home"
    if home.exists() and any(home.iterdir()) and not (home / _MARKER).exists():
        raise UsageError(f"{home} was not made by a demo; name another folder with `recall-lab demo --output DIR`")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / _MARKER).touch(mode=0o600)
    for entry in home.iterdir():
        if entry.is_dir() and entry.name != "cache":
            shutil.rmtree(entry)
        elif entry.is_file() and entry.name != _MARKER:
            entry.unlink()
    return home


def _chart(lab: Lab, name: str, path: Path) -> str:
    from recall_lab.analytics import save_chart

    return str(save_chart(lab.chart(name), path))


class _Show:
    """Prints the account, readable without colours and at any width."""

    def __init__(self, lab: Lab, file: TextIO | None) -> None:
        from rich.console import Console

        self.lab = lab
        self.console: Console = Console(file=file, highlight=False, markup=False, emoji=False)
        if not self.console.is_terminal:
            self.console.width = _WIDTH

    def heading(self, text: str) -> None:
        self.console.print()
        self.console.rule(text, align="left", characters="-", style="dim")

    def capture(self) -> None:
        status = self.lab.status()
        self.heading("1. Capture")
        self.console.print(
            f"{status.sources} transcripts: {status.sessions} sessions, {status.turns} turns, {status.blocks} blocks."
        )
        parts = [f"{size:,} {name}" for name, size in status.bytes.by_disposition.items() if size]
        self.console.print(f"Every byte is accounted for: {status.bytes.total:,} = {' + '.join(parts)}.")

    def search(self, heading: str, hits: Iterable[CitableHit]) -> None:
        self.heading(f"2. Search: {QUESTION}")
        self.console.print(one_line(heading))
        for number, hit in enumerate(hits, 1):
            self.console.print()
            self.console.print(f"{number}. {' · '.join(hit_place(hit.hit, self.lab.zone))}", style="dim")
            self.console.print(_highlighted(hit, _PASSAGE_LENGTH))
            self.console.print(f"WHY: {one_line('; '.join(why_words(hit.hit.why)))}", style="cyan")

    def quotation(self, hit: CitableHit) -> None:
        self.heading("3. A quotation, checked to the character")
        citation = hit.cite(QUOTE)
        check = self.lab.check(citation)
        self.console.print(f"“{visible(citation.quote)}”")
        self.console.print(citation.receipt, style="dim", soft_wrap=True)
        self.console.print(f"{check.verdict}: {check_words(check)}")
        wrong = self.lab.check(hit.block_id, MISQUOTE)
        self.console.print(f"With one letter left out: {wrong.verdict}: {check_words(wrong)}")

    def usage(self) -> None:
        self.heading(f"4. Usage (days of {self.lab.zone})")
        models = self.lab.query("tokens_by_model")
        counted = [name for name in models.columns if name.endswith("_tokens") and name != "reasoning_tokens"]
        self.frame(models[["model", "calls", *counted, "cost_usd", "unpriced_calls"]])
        tools = self.lab.query("tools_and_failures")
        self.frame(tools[tools["calls"] > 1][["tool", "calls", "failures", "median_seconds", "p95_seconds"]])

    def coverage(self) -> None:
        self.heading("5. Coverage, in bytes")
        sources = self.lab.query("coverage_by_source")
        parts = [name for name in (*DISPOSITIONS, "unread") if sources[name].any()]
        hosts = sources.groupby("host", as_index=False)[["size", *parts]].sum()
        hosts.insert(1, "sources", sources.groupby("host")["source"].count().to_numpy())
        self.frame(hosts)
        types = self.lab.query("ledger_by_type")
        strange = types[types["disposition"].isin(["unknown", "malformed"])]
        self.frame(strange[["host", "record_type", "disposition", "records", "bytes"]])
        self.frame(self.lab.query("redactions_by_kind")[["kind", "spans", "blocks"]])

    def frame(self, frame: pd.DataFrame) -> None:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, name in enumerate(frame.columns):
            header = str(name).removesuffix("_tokens").replace("_", " ")
            grid.add_column(
                Text(header),
                justify="right" if frame[name].dtype.kind in "iuf" else "left",
                overflow="fold",
                no_wrap=place == 0,
                min_width=max(map(len, header.split())),
            )
        for row in frame.itertuples(index=False):
            grid.add_row(*(Text(cell(_plain(value))) for value in row))
        self.console.print(grid)

    def files(self, files: Sequence[str]) -> None:
        self.heading("6. Charts and a cited brief")
        for name in files:
            self.console.print(name, soft_wrap=True)

    def verification(self, checked: int, valid: int, folder: Path) -> None:
        self.console.print(
            f"{folder / 'brief.md'}: {valid} of {checked} receipts are valid", style="bold", soft_wrap=True
        )
        self.console.print()
        self.console.print(
            f"Verify it again: RECALL_LAB_HOME={folder / 'home'} {command_here()} verify {folder / 'brief.md'}",
            soft_wrap=True,
        )


def command_here() -> str:
    """How the command is called here: by its name where that is found, else by the path it was called by."""
    called = sys.argv[0]
    return called if Path(called).name == _NAME and shutil.which(_NAME) is None else _NAME


def _highlighted(hit: CitableHit, length: int) -> Text:
    """The passage with its spans marked, cut when it is longer than ``length``."""
    from rich.text import Text

    text = Text()
    for piece, marked in pieces(hit.text, hit.spans, hit.start):
        text.append(visible(piece), style="bold yellow" if marked else "")
    text.rstrip()
    text.truncate(length, overflow="ellipsis")
    return text


def _plain(value: Any) -> Any:
    """A frame's value as a cell takes it: missing is None, numpy numbers are Python's."""
    import pandas as pd

    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
