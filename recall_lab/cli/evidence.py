"""``read``, ``check``, ``brief`` and ``verify``."""

from __future__ import annotations

from pathlib import Path

import click

from recall_lab.cli._frame import Face, NamedPath, command
from recall_lab.cli._terminal import bold, dim
from recall_lab.display import check_words, count, one_line, visible
from recall_lab.model import Neighbor, Reading

_PLACES = 40  # of one quotation that are printed


@command("read")
@click.argument("block")
@click.option("--start", type=int, default=0, help="First character (Unicode code point).")
@click.option("--length", type=int, help="How many characters; to the end when left out.")
@click.option("--neighbors", type=int, default=0, metavar="N", help="Blocks before and after to bring along.")
@click.option("--revision", metavar="HASH", help="An earlier text of the block, by its content hash.")
def read_(face: Face, block: str, *, start: int, length: int | None, neighbors: int, revision: str | None) -> None:
    """Read a block in its place.

    BLOCK is an id, the beginning of one, or a receipt.
    """
    reading = face.lab().read(block, start=start, length=length, neighbors=neighbors, revision=revision)
    if face.as_json:
        face.answer(reading)
        return
    show_reading(reading)


def show_reading(reading: Reading) -> None:
    """Print a block for a person, its neighbours quieter."""
    place = [reading.host, f"session {reading.session}", f"turn {reading.turn}", f"{reading.role} {reading.kind}"]
    click.echo(f"{bold(one_line(reading.title or reading.block_id))}  {dim(' · '.join(place))}")
    extent = f"characters {reading.start:,} to {reading.end:,} of {reading.length:,}"
    cut = "; the retained text is a capped form of a longer original" if reading.truncated else ""
    click.echo(dim(f"{extent}{cut}"))
    for neighbor in reading.neighbors:
        if neighbor.offset < 0:
            _show_neighbor(neighbor)
    click.echo(visible(reading.text))
    for neighbor in reading.neighbors:
        if neighbor.offset > 0:
            _show_neighbor(neighbor)
    click.echo(dim(f"block {reading.block_id} hash {reading.content_hash}"))


def _show_neighbor(neighbor: Neighbor) -> None:
    click.echo(dim(f"── {neighbor.role} {neighbor.kind}, turn {neighbor.turn}, block {neighbor.block_id}"))
    click.echo(dim(neighbor.text))
    click.echo(dim("──"))


@command("check")
@click.argument("block")
@click.option("--quote", metavar="WORDS", help="The exact words; a receipt has its own.")
@click.option("--expected-hash", metavar="HASH", help="The content hash that the citation was made from.")
def check_(face: Face, block: str, quote: str | None, expected_hash: str | None) -> int:
    """Check whether exact words stand in a block.

    Exits 1 when they do not. BLOCK is an id, the beginning of one, or a receipt.
    """
    found = face.lab().check(block, quote, expected_hash=expected_hash)
    if face.as_json:
        face.answer(found)
        return 0 if found.valid else 1
    click.echo(f"{bold(found.verdict)}: {check_words(found)}")
    for start, end in found.occurrences[:_PLACES]:
        click.echo(f"  characters {start} to {end}")
    if len(found.occurrences) > _PLACES:
        click.echo(f"  … and {len(found.occurrences) - _PLACES:,} more; --json has all")
    for near in found.near:
        click.echo(f"  near: characters {near.start} to {near.end}, {near.why}")
    if found.content_hash:
        match = {True: ", as expected", False: ", not the expected one", None: ""}[found.hash_matches]
        click.echo(dim(f"  content hash {found.content_hash}{match}"))
    return 0 if found.valid else 1


@command("brief")
@click.argument("question", nargs=-1)
@click.option("-o", "--output", type=NamedPath(), required=True, metavar="FILE")
@click.option("--note", "notes", multiple=True, metavar="TEXT", help="What you have to say; may be repeated.")
@click.option("--title", metavar="TEXT", help="The question when left out.")
@click.option("--limit", type=int, default=8, show_default=True, help="How many passages are chosen.")
@click.option("--session", metavar="ID", help="Ask this session alone; without QUESTION its end is quoted.")
@click.option("--observe", is_flag=True, help="Also say which branch and commit this folder's repository is at now.")
def brief_(
    face: Face,
    question: tuple[str, ...],
    *,
    output: Path,
    notes: tuple[str, ...],
    title: str | None,
    limit: int,
    session: str | None,
    observe: bool,
) -> None:
    """Write a cited brief for a question.

    The suffix of FILE chooses the form: .md, .html, .ipynb or .json.
    """
    from recall_lab.evidence import check_replaceable

    check_replaceable(output)
    words = " ".join(question)
    made = face.lab().brief(words, notes=notes, title=title, limit=limit, session=session, observe=observe)
    saved = made.save(output)
    if face.as_json:
        face.answer(saved)
        return
    if not saved.citations:
        click.echo(f"{visible(saved.file)}: nothing was found, so it quotes nothing and there is nothing to verify")
        return
    click.echo(
        f"{visible(saved.file)}: {count(saved.citations, 'citation')} of {count(saved.sessions, 'session')}; "
        f"`recall-lab verify {visible(saved.file)}` checks them again"
    )


@command("verify")
@click.argument("file", type=NamedPath())
@click.option("--strict", is_flag=True, help="Also fail receipts without their words, and files without a seal.")
@click.option("--edits", is_flag=True, help="Let the writer change what stands around quotations and receipts.")
def verify_(face: Face, file: Path, *, strict: bool, edits: bool) -> int:
    """Check every receipt in a file again.

    Exits 1 when one fails, when there is none, and when a brief was changed since it was saved.
    """
    found = face.lab().verify(file, strict=strict, edits=edits)
    good = found.checked > 0 and not found.failed
    if face.as_json:
        face.answer(found)
        return 0 if good else 1
    if not found.checked:
        click.echo("no receipt in it, so nothing is verified")
        return 1
    click.echo(f"{found.valid} of {count(found.checked, 'receipt')} valid")
    for failed in found.failed:
        click.echo(f"  {bold(failed.verdict)}: {one_line(failed.receipt or 'the file')}: {one_line(failed.detail)}")
    return 0 if good else 1
