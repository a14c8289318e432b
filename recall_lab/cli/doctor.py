"""``doctor``: what is wrong, or will be, and the one next step for each."""

from __future__ import annotations

import click

from recall_lab.cli._frame import Face, command
from recall_lab.cli._terminal import bold, dim
from recall_lab.display import one_line


@command("doctor")
@click.option("--deep", is_flag=True, help="Compare every transcript's content with what was captured.")
@click.option("--repair", is_flag=True, help="Put right what needs no answer from you; without it nothing is written.")
def doctor_(face: Face, *, deep: bool, repair: bool) -> int:
    """Check store and sources, and what a host will delete soon.

    Exits 1 when something is wrong; a warning is no failure.
    """
    lab = face.lab(create=True)
    done = lab.repair() if repair else ()
    found = lab.doctor(deep=deep)
    code = 1 if any(one.grade == "bad" for one in found) else 0
    if face.as_json:
        face.answer({"checks": found, "repaired": done})
        return code
    for line in done:
        click.echo(f"repaired  {one_line(line)}")
    for one in found:
        click.echo(f"{one.grade:<8}  {bold(one.check)}: {one_line(one.detail)}")
        if one.next and not one.next.startswith("nothing"):
            click.echo(dim(f"          next: {one_line(one.next)}"))
    return code
