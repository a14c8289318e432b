"""``redact --audit``: which secrets raw files still hold, by place and kind, never a value."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import dim, table
from recall_lab.display import count, megabytes, one_line
from recall_lab.errors import UsageError


@command("redact")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--audit", is_flag=True, help="Look for secrets in raw files; nothing is written.")
def redact_(face: Face, paths: tuple[Path, ...], *, audit: bool) -> None:
    """Say which secrets your transcripts still hold on the disk.

    With PATHS files and folders of any kind are looked at. Places and kinds are shown, never a value.
    """
    if not audit:
        raise UsageError("say what to do: --audit looks for secrets in raw files")
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
