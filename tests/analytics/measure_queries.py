"""How long the mirror of a home and the named queries over it take: ``RECALL_LAB_HOME=DIR python tests/analytics/measure_queries.py``.

It builds the mirror from nothing, marks one session as changed and refreshes, and asks every named query five times. A
home that is not there yet is made with as many blocks as ``--blocks`` says.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from statistics import median

from recall_lab.analytics import Catalogue, bind
from recall_lab.evaluation.generating import generate_store
from recall_lab.mirror import connect, refresh
from recall_lab.settings import load_settings
from recall_lab.store import open_writer

ASKED = 5


def measured(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall, and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Measure, and print a line for each thing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--blocks", type=int, default=1_000_000, help="size of a home that is made")
    options.add_argument("--slowest", type=int, default=5, help="how many queries to name")
    asked = options.parse_args()
    settings = load_settings()
    if not settings.store.exists():
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        generate_store(settings.store, asked.blocks)
    wall, cpu = measured(lambda: refresh(settings.store, settings.mirror, full=True))
    print(f"mirror from nothing: {wall:.2f} s, {cpu:.2f} s of the processor")
    with open_writer(settings.store) as writer, writer.transaction() as database:
        database.execute("UPDATE meta SET value = value + 1 WHERE key = 'change'")
        database.execute(
            "UPDATE sessions SET change = (SELECT value FROM meta WHERE key = 'change') "
            "WHERE session_id = (SELECT max(session_id) FROM sessions)"
        )
    wall, cpu = measured(lambda: refresh(settings.store, settings.mirror))
    print(f"one changed session: {wall:.2f} s, {cpu:.2f} s of the processor")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    times = []
    with connect(settings.mirror) as mirror:
        for query in Catalogue.load():
            values = bind(query, {})
            walls = [measured(lambda: mirror.rows(query.sql, values))[0] for _ in range(ASKED)]  # noqa: B023
            times.append((median(walls), query.name))
    for seconds, name in sorted(times, reverse=True)[: asked.slowest]:
        print(f"{name}: {1000 * seconds:.0f} ms")


if __name__ == "__main__":
    main()
