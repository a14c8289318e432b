"""Measures checks and verifications over a store: ``RECALL_LAB_HOME=DIR python tests/evidence/measure_checks.py``.

Times are of the processor, since others may share it, and of the wall. Blocks are drawn at random, and the largest of the
store beside them.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from recall_lab.evidence import check, cite, compose, save, verify
from recall_lab.lab import open_lab

DRAWN, LARGEST, CITATIONS, REPEATS = 800, 200, 50, 9
FORMS = (".md", ".html", ".json", ".ipynb")


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the processor and of the wall."""
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return 1e3 * (time.process_time() - processor), 1e3 * (time.perf_counter() - wall)


def line(name: str, times: list[tuple[float, float]]) -> str:
    cells = []
    for side in (0, 1):
        ordered = sorted(pair[side] for pair in times)
        cells += [f"{ordered[int((len(ordered) - 1) * share)]:.1f}" for share in (0.5, 0.95, 0.99)]
    return f"| {name} | {len(times)} | {' | '.join(cells)} |"


def quotes(texts: list[tuple[str, str]], chance: random.Random) -> dict[str, list[tuple[str, str]]]:
    """Quotations of every kind, each with the block that it is looked for in."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for block, text in texts:
        start = chance.randrange(len(text))
        words = text[start : start + chance.randrange(10, 400)]
        other = chance.choice(texts)[1]
        away = chance.randrange(len(other))
        middle = len(words) // 2
        for kind, quote in (
            ("exact", words),
            ("other white space", words.replace(" ", "  ")),
            ("one character changed", f"{words[:middle]}\u00bf{words[middle + 1 :]}"),
            ("every second character changed", "".join(c if i % 2 else "x" for i, c in enumerate(words))),
            ("words of another block", other[away : away + chance.randrange(10, 2000)]),
        ):
            if quote.strip():
                kinds.setdefault(kind, []).append((block, quote))
    return kinds


def main() -> None:
    """Print the tables of docs/performance.md."""
    chance = random.Random(3)
    with open_lab() as lab:
        reader = lab.reader
        rows = reader.connection.execute(
            "SELECT DISTINCT lower(hex(block_id)), length FROM blocks JOIN placements USING (text_id) WHERE length > 0 "
            "ORDER BY length DESC, block_id"
        ).fetchall()
        names = [row[0] for row in [*rows[:LARGEST], *chance.sample(rows, min(DRAWN, len(rows)))]]
        texts = [(name, str(lab.read(name).text)) for name in names]
        print(
            "| a check of | cases | cpu p50 ms | p95 | p99 | wall p50 ms | p95 | p99 |\n|---|---|---|---|---|---|---|---|"
        )
        for kind, cases in quotes(texts, chance).items():
            print(line(kind, [timed(lambda one=one: check(reader, *one)) for one in cases]))
        cited = [cite(reader, name, span=(0, min(200, len(text)))) for name, text in texts[-CITATIONS:]]
        brief = compose(reader, "fifty", cited, surroundings=False)
        with tempfile.TemporaryDirectory() as folder:
            for suffix in FORMS:
                path = Path(folder, f"brief{suffix}")
                save(brief, path)
                found = verify(reader, path)
                times = [timed(lambda path=path: verify(reader, path)) for _ in range(REPEATS)]
                print(line(f"verify {suffix}, {found.valid} of {found.checked} receipts", times))


if __name__ == "__main__":
    main()
