"""``bench``: what capture, search and mirror cost here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import table
from recall_lab.errors import UsageError

if TYPE_CHECKING:
    from tqdm.auto import tqdm


def _advance(bar: tqdm[NoReturn], done: int) -> None:
    bar.update(done - bar.n)


@command("bench")
@click.argument("folder", required=False, metavar="[DIR]", type=NamedPath())
@click.option("--generate", type=click.IntRange(min=1), metavar="N", help="A made store of N blocks in place of DIR.")
@click.option(
    "--transcripts", type=click.FloatRange(0.01, 1e6), metavar="MB", help="Made transcripts of MB in place of DIR."
)
@click.option(
    "--file-size", type=click.FloatRange(0.0001, 1e6), metavar="MB", default=1.0, help="MB of one made transcript."
)
def bench_(
    face: Face, *, folder: Path | None, generate: int | None, transcripts: float | None, file_size: float
) -> None:
    """Measure what capture, search and mirror cost here.

    DIR is captured into a scratch home and measured there; nothing of yours is touched. What is made is the same every
    time.
    """
    from tqdm.auto import tqdm

    from recall_lab.evaluation.timing import time_folder, time_generated, time_transcripts
    from recall_lab.settings import load_settings

    settings = load_settings(face.home)
    if sum(given is not None for given in (folder, generate, transcripts)) > 1:
        raise UsageError("choose one: a folder, --generate N or --transcripts MB")
    if transcripts is not None:
        size, of_one = int(transcripts * 1e6), int(file_size * 1e6)
        with tqdm(total=size, unit="B", unit_scale=True, desc="writing", disable=not face.progress, leave=False) as bar:
            timing = time_transcripts(settings, size, of_one, lambda done: _advance(bar, done))
    elif generate is not None:
        with tqdm(total=generate, unit=" blocks", desc="generating", disable=not face.progress, leave=False) as bar:
            timing = time_generated(settings, generate, lambda done: _advance(bar, done))
    elif folder is not None:
        timing = time_folder(settings, folder)
    else:
        raise UsageError("name a folder of transcripts, or --transcripts MB or --generate N for made ones")
    if face.as_json:
        face.answer(timing)
        return
    ratio = timing.store_bytes / timing.kept_text_bytes if timing.kept_text_bytes else 0.0
    table(
        ("measured", "figure"),
        [
            ("transcripts", f"{timing.mb:,.1f} MB in {timing.sources:,} sources"),
            ("blocks", f"{timing.blocks:,}"),
            ("first capture", f"{timing.seconds:.2f} s, {timing.mb_per_s:.1f} MB/s"),
            ("loading the rules", f"{timing.rules_seconds:.2f} s"),
            ("redaction alone", f"{timing.redaction_mb_per_s:.1f} MB/s of text on one processor"),
            ("nothing new", f"{timing.noop_seconds:.3f} s"),
            ("an appended turn", f"{timing.append_ms:.1f} ms"),
            ("store", f"{timing.store_bytes / 1e6:,.1f} MB, {ratio:.2f} times the text"),
            ("peak memory", f"{timing.peak_rss_mb:.0f} MB"),
            ("mirror, whole", f"{timing.mirror.full_seconds:.2f} s"),
            ("mirror, one session", f"{timing.mirror.one_session_seconds:.2f} s"),
            ("open and search", f"{timing.open_seconds:.3f} s"),
            (
                "the command, cold",
                f"{timing.command.seconds:.2f} s, {timing.command.cpu_seconds:.2f} s of the processor",
            ),
            *(
                (
                    f"search: {kind}",
                    f"p50 {times.p50:.1f} ms, p95 {times.p95:.1f} ms (processor {cpu.p50:.1f}, {cpu.p95:.1f})",
                )
                for kind in ("identifier", "phrase", "rare", "common", "long")
                for times, cpu in ((getattr(timing.search_ms, kind), getattr(timing.search_cpu_ms, kind)),)
            ),
        ],
    )
