"""``redact``: secrets taken out of what is stored again, or found in raw files by place and kind, never a value."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import dim, table
from recall_lab.cli.keeping import note_copies
from recall_lab.display import count, megabytes, one_line
from recall_lab.errors import UsageError


@command("redact")
@click.argument("paths", nargs=-1, type=NamedPath())
@click.option("--refresh", is_flag=True, help="Redact again what older rules went through, revisions included.")
@click.option("--dry-run", is_flag=True, help="With --refresh: look and count, but write nothing.")
@click.option("--audit", is_flag=True, help="Look for secrets in raw files; nothing is written.")
@click.option("--hostile", is_flag=True, help="Time the rules on texts that are made to slow them down.")
def redact_(face: Face, paths: tuple[Path, ...], *, refresh: bool, dry_run: bool, audit: bool, hostile: bool) -> int:
    """Take secrets out of what is stored again, or find them in raw files.

    --refresh is for after an update of the rules; citations of a text that changes say so from then on. --audit looks
    at your transcripts, or at PATHS: files and folders of any kind. Places and kinds are shown, never a value.
    """
    if refresh + audit + hostile != 1:
        raise UsageError(
            "say what to do: --refresh looks at what is stored again, --audit at raw files, --hostile times the rules"
        )
    if (paths and not audit) or (dry_run and not refresh):
        raise UsageError("PATHS go with --audit, --dry-run goes with --refresh")
    if hostile:
        return _hostile(face)
    if refresh:
        return _refresh(face, dry_run=dry_run)
    _audit(face, paths)
    return 0


def _hostile(face: Face) -> int:
    from tqdm.auto import tqdm

    from recall_lab.capture.rules import open_rules
    from recall_lab.evaluation.hostile import PIECES, SIZES, measure_slopes
    from recall_lab.settings import load_settings

    redactor = open_rules(load_settings(face.home))
    with tqdm(total=len(PIECES), desc="timing", disable=not face.progress, leave=False) as bar:

        def step(done: int) -> None:
            bar.update(done)

        slopes = measure_slopes(redactor, pieces=PIECES, sizes=SIZES, progress=step)
    if face.as_json:
        face.answer(slopes)
        return 0
    rows = [(one.piece, *(f"{one.seconds_per_mb[size]:.2f}" for size in SIZES)) for one in slopes]
    table(("seconds a MB, repeated", *(f"{size // 1000} KB" for size in SIZES)), rows)
    return 0


def _refresh(face: Face, *, dry_run: bool) -> int:
    done = face.lab().refresh_redaction(dry_run=dry_run, progress=face.progress)
    if face.as_json:
        face.answer(done)
    else:
        would = "would change" if dry_run else "changed"
        strings = count(done.strings, "title, name or path", "titles, names and paths")
        looked = f"{count(done.texts, 'text')} ({megabytes(done.bytes)}) of older rules looked at"
        click.echo(f"{looked}: {done.changed:,} {would}, and {strings}, in {done.seconds:.1f} s")
        if done.findings:
            table(("kind", "spans taken out"), sorted(done.findings.items()))
    if done.scrubbed is False:
        face.note(
            "another program reads the store, so free pages still hold what was taken out; end it, then run "
            "`recall-lab vacuum`"
        )
    note_copies(face, done.copies)
    return 0


def _audit(face: Face, paths: tuple[Path, ...]) -> None:
    found = face.lab(create=True).audit(paths, progress=face.progress)
    if face.as_json:
        face.answer(found)
        return
    rows = [(one.kind, one.host, one.repo, one.month, f"{one.file}:{one.line}", one.count) for one in found.findings]
    table(("kind", "host", "repo", "month", "place", "count"), rows)
    looked = f"{count(found.files, 'file')}, {count(found.lines, 'line')}, {megabytes(found.bytes)} looked at"
    click.echo(dim(f"{looked}; rotate what is listed, then take it out of the file"))
    for name, why in found.unread.items():
        click.echo(f"not read: {one_line(name)}: {one_line(why)}")
