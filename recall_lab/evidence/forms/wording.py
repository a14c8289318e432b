"""The sentences of a brief that every form says in the same words; pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from recall_lab.evidence.forms.printing import label
from recall_lab.evidence.records import Brief, Excerpt, Repository
from recall_lab.times import show_time

SAMPLE = (
    "This brief is a sample. It quotes the passages that were chosen and says nothing of those that were not; that "
    "something is not quoted here does not mean that it did not happen."
)
PROOF = (
    "A receipt that verifies proves that the quoted characters stand in the retained, redacted text of that block. It "
    "does not prove that what they say is true, or that what they tell of succeeded."
)
VERIFY = "Check every receipt again with: recall-lab verify FILE"


def coverage(brief: Brief) -> str:
    """Say how much was looked through."""
    found = brief.coverage
    blocks = f"{count(found.searched.blocks, 'block')} in {count(found.searched.sessions, 'session')}"
    how = "Passages were chosen by the program" if found.chosen == "search" else "Passages were chosen by a person"
    parts = [f"{how} from {blocks} (scope: {label(found.scope)})."]
    if found.incomplete_sources:
        parts.append(f"Not captured to their end: {count(found.incomplete_sources, 'source')}; see recall-lab status.")
    if found.notice:
        parts.append(label(found.notice))
    return " ".join(parts)


def made(brief: Brief) -> str:
    """Say when it was made."""
    return f"Made {show_time(brief.created, brief.zone)} {brief.zone}."


def count(number: int, noun: str) -> str:
    """Say how many of something there are."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def sections(brief: Brief) -> Iterator[tuple[str, tuple[Excerpt, ...]]]:
    """Yield the headings of a brief with their excerpts; empty sections are left out.

    Passages that follow one another under the same heading of the writer's stand under it once.
    """
    named = (
        ("Opening ask", (brief.opening,) if brief.opening else ()),
        *((label(name), tuple(run)) for name, run in groupby(brief.passages, lambda one: one.section or "Passages")),
        ("Newest decisions", brief.decisions),
        ("Open problems", brief.problems),
    )
    yield from ((heading, excerpts) for heading, excerpts in named if excerpts)


def place(excerpt: Excerpt, zone: str) -> list[str]:
    """Say where an excerpt stands, in a few words each."""
    when = f"{show_time(excerpt.timestamp, zone)} {zone}" if excerpt.timestamp else "undated"
    role = excerpt.role if excerpt.kind == "text" else f"{excerpt.role} {excerpt.kind}"
    words = [role, when, excerpt.host, f"session {excerpt.session or 'unknown'}", f"turn {excerpt.turn}"]
    return [label(word) for word in (*words, excerpt.repo, excerpt.branch, excerpt.title) if word]


def repository(brief: Brief) -> str | None:
    """Say what git says of the folder now."""
    seen = brief.repository
    if seen is None:
        return None
    return f"{folder_now(seen)} Observed when the brief was made, apart from the sessions."


def folder_now(seen: Repository) -> str:
    """Say what a folder is now."""
    if not seen.exists:
        return f"{label(seen.folder)} is not there any more."
    if seen.branch is None and seen.commit is None:
        return f"{label(seen.folder)} is there, and no git repository."
    branch = f"on branch {label(seen.branch)}" if seen.branch else "on no branch"
    commit = f"at commit {label(seen.commit)}" if seen.commit else "without a commit"
    kind = " a linked worktree," if seen.worktree else ""
    return f"{label(seen.folder)} is there,{kind} {branch}, {commit}."


def in_context(brief: Brief) -> tuple[tuple[int, Excerpt], ...]:
    """Return (number of the quotation, excerpt) for each excerpt that has more text around it than it quotes."""
    return tuple(
        (number, excerpt)
        for number, excerpt in enumerate(brief.excerpts, 1)
        if excerpt.context.quote != excerpt.citation.quote
    )
