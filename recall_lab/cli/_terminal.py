"""What a terminal gets: highlights, tables, and whether anybody looks at it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO

import click

from recall_lab.display import cell, pieces, visible


def highlighted(text: str, spans: Iterable[tuple[int, int]], offset: int = 0) -> str:
    """``text`` safe for a terminal, its spans marked where colours are shown.

    Args:
        text: A passage.
        spans: Half-open spans in code points of the block.
        offset: Where the passage starts in the block.
    """
    return "".join(
        click.style(visible(piece), bold=True, fg="yellow") if marked else visible(piece)
        for piece, marked in pieces(text, spans, offset)
    )


def dim(text: str) -> str:
    """``text`` in the colour of what is beside the point, safe for a terminal."""
    return click.style(visible(text), dim=True)


def bold(text: str) -> str:
    """``text`` in bold, safe for a terminal."""
    return click.style(visible(text), bold=True)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table; numbers to the right, long cells folded at the terminal's width.

    Args:
        headers: One name a column.
        rows: Cells as numbers, strings or ``None``.
        title: A line above it.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    class Raising(Console):
        """A console that ends no process when the reader leaves; who runs the command decides that."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    shown = [list(row) for row in rows]
    grid = Table(
        box=box.SIMPLE_HEAD, show_edge=False, title=Text(title) if title else None, title_justify="left", pad_edge=False
    )
    for index, header in enumerate(headers):
        numeric = any(isinstance(row[index], int | float) for row in shown)
        grid.add_column(Text(header), justify="right" if numeric else "left", overflow="fold")
    for row in shown:
        grid.add_row(*(Text(cell(value)) for value in row))
    # A pipe has no width to fold at: every row stays one line there.
    width = None if is_terminal(sys.stdout) else 100_000
    Raising(file=sys.stdout, width=width, highlight=False).print(grid)


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person looks at ``stream``."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def someone_answers() -> bool:
    """Whether a question can be asked: a terminal to read it on and one to answer it on."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
