"""The one configuration for every history is at home in code too: no worse there than plain stemmed FTS5."""

from __future__ import annotations

import ast
import json
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_lab.evaluation.measures import MEASURES, by_query, mean
from recall_lab.evaluation.retrieval import evaluate_retrieval, opened
from tests.evaluation.test_retrieval import Plain

MODULES = ("argparse", "ast", "configparser", "difflib", "inspect", "ipaddress", "mailbox", "shutil", "statistics")


def functions() -> Iterator[tuple[str, str]]:
    """What functions of the standard library say they do, and the functions without saying so."""
    for module in MODULES:
        path = Path(sysconfig.get_path("stdlib")) / f"{module}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            said = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if isinstance(node, ast.FunctionDef) and said:
                first = " ".join(said.split("\n\n")[0].split())
                node.body = node.body[1:] or [ast.Pass()]
                code = ast.unparse(node)
                if 5 <= len(first.split()) <= 30 and len(code) > 80:
                    yield first, code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = list(functions())
    rows = [json.dumps({"id": f"f{n}", "text": code}) for n, (_, code) in enumerate(found)]
    asked = [json.dumps({"id": f"q{n}", "text": said}) for n, (said, _) in enumerate(found)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows))
    (tmp_path / "queries.jsonl").write_text("\n".join(asked))
    (tmp_path / "qrels.tsv").write_text("".join(f"q{n}\tf{n}\t1\n" for n in range(len(found))))
    return tmp_path


def fts5(folder: Path) -> dict[str, float | None]:
    """The measures of FTS5's own bm25 over every word of each query."""
    find = (
        "SELECT lower(hex(b.block_id)) FROM fulltext f JOIN blocks b ON b.text_id = f.rowid "
        "WHERE fulltext MATCH ? ORDER BY bm25(fulltext) LIMIT 10"
    )
    rankings = {}
    with opened(folder, Plain()) as (reader, benchmark, captured):
        for question in benchmark.questions:
            words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"[^\W_]+", question.text)))
            hits = reader.connection.execute(find, (words,))
            rankings[question.id] = [captured.rows[block_id] for (block_id,) in hits]
        values = by_query(MEASURES, rankings, benchmark.grades)
    return {name: mean(list(by.values())) for name, by in values.items()}


def test_code_is_found_as_well_as_by_plain_stemmed_fts5(folder: Path) -> None:
    reference = fts5(folder)
    ours = evaluate_retrieval(folder, redactor=Plain())
    assert ours.queries > 150
    for measure in ("recall@5", "recall@10", "ndcg@10", "mrr@10"):
        mine, theirs = ours.metrics[measure], reference[measure]
        assert mine is not None
        assert theirs is not None
        assert mine >= theirs - 0.01, measure
