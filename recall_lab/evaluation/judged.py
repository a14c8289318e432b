"""A person's judgments as a benchmark folder, which ``evaluate_retrieval`` reads like any other."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from recall_lab.errors import NotFoundError, StoreError
from recall_lab.evaluation.benchmark import Question, Row
from recall_lab.store import Reader
from recall_lab.store.connection import make_private_folder
from recall_lab.store.judging import judgments, texts_around

FILES: Final = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


class JudgedBenchmark(msgspec.Struct, frozen=True):
    """What was written: the folder, its questions, its grades, and the texts that are searched."""

    folder: str
    questions: int
    grades: int
    texts: int


def write_judged(reader: Reader, folder: Path) -> JudgedBenchmark:
    """Write every judgment as a benchmark folder (0700, files 0600).

    The corpus is every text of the sessions that something was judged in, as retained. A question whose passages all
    have grade 0 is unanswerable.

    Raises:
        NotFoundError: nothing is judged yet; a folder from earlier goes.
        StoreError: the folder cannot be written, or something else stands in its place.
    """
    given = judgments(reader)
    texts = texts_around(reader, [one.block_id for one in given])
    there = {one.block_id for one in texts}
    given = tuple(one for one in given if one.block_id in there)
    if not given:
        remove_judged(folder)
        raise NotFoundError("nothing is judged yet; lab.panels.judge() shows passages to grade")
    names = {question: f"q{number}" for number, question in enumerate(dict.fromkeys(one.question for one in given), 1)}
    rows = [
        Row(id=one.block_id, text=one.text, session=one.session, timestamp=one.timestamp, turn=one.turn)
        for one in texts
    ]
    questions = [Question(id=name, text=question) for question, name in names.items()]
    write_benchmark(folder, rows, questions, [(names[one.question], one.block_id, one.grade) for one in given])
    return JudgedBenchmark(str(folder), len(questions), len(given), len(rows))


def write_benchmark(
    folder: Path, rows: Iterable[Row], questions: Iterable[Question], grades: Iterable[tuple[str, str, int]]
) -> None:
    """Write a benchmark folder (0700, files 0600).

    Args:
        folder: Where to.
        rows: The corpus.
        questions: The queries.
        grades: Query, document and grade.

    Raises:
        StoreError: it cannot be written.
    """
    make_private_folder(folder)
    try:
        folder.chmod(stat.S_IRWXU)
        _write(folder / FILES[0], map(msgspec.json.encode, rows))
        _write(folder / FILES[1], map(msgspec.json.encode, questions))
        _write(folder / FILES[2], (f"{query}\t{document}\t{grade}".encode() for query, document, grade in grades))
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from error


def remove_judged(folder: Path, names: Sequence[str] = FILES) -> None:
    """Take the files of a benchmark folder away, and the folder when nothing else is in it."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _write(path: Path, lines: Iterable[bytes]) -> None:
    """Write beside and rename, so that nobody reads half a file."""
    beside = path.with_name(path.name + ".part")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(line + b"\n" for line in lines)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
