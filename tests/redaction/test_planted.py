"""A secret of every kind in every field of every host is in nothing that is written, printed or raised."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from recall_lab.cli import run
from recall_lab.errors import RecallLabError
from recall_lab.evidence.saving import FORMS
from recall_lab.hosts import HOSTS
from recall_lab.lab import Lab, open_lab
from recall_lab.store.packing import pack
from tests.redaction.planted import Planter, bytes_of, sources, traces, written


def _rows(lab: Lab) -> Iterator[str]:
    """Everything in the store and the mirror, decoded."""
    store = apsw.Connection(str(lab.settings.store), flags=apsw.SQLITE_OPEN_READONLY)
    for (table,) in list(store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
        for row in store.execute(f'SELECT * FROM "{table}"'):
            yield from (cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell) for cell in row)
    store.close()
    tables = lab.sql("SELECT table_schema, table_name FROM information_schema.tables")
    for schema, table in tables.itertuples(index=False):
        yield lab.sql(f'SELECT * FROM "{schema}"."{table}"').to_csv()


def _said(call: Any) -> str:
    """What a call answers, or the whole traceback of what it raises."""
    try:
        return repr(call())
    except RecallLabError:
        return traceback.format_exc()


def _use(lab: Lab, out: Path, name: str, report: Any) -> Iterator[str]:
    """What a person gets to see of the store, and what is handed on."""
    yield repr(report)
    yield repr(lab.status())
    yield repr(lab.sources())
    yield _said(lab.doctor)
    for query in ("problems", "unknown_types", "sessions", "tools_and_failures", "failures_by_message"):
        yield lab.query(query).to_string()
    hits = lab.search("two lines batching brief file")
    yield repr(hits)
    for form in FORMS:
        yield _said(lambda form=form: lab.brief("lines", hits[:3]).save(out / f"{name}{form}"))
    yield _said(lambda: lab.report(out / f"{name}-dashboards.html"))
    yield _said(lambda: lab.backup(out / f"{name}-backup.db"))
    yield _said(lambda: pack(lab.settings.store))
    yield _said(lambda: lab.preview_export(out / "none.zip"))
    yield _said(lambda: lab.export_sessions(out / name, progress=False))
    yield _said(lambda: lab.export_store(out / f"{name}.jsonl", progress=False))
    yield _said(lambda: lab.export_store(out / f"{name}.db", sqlite=True, progress=False))
    for session in lab.sessions()[:5]:
        yield repr(session)
        yield _said(lambda session=session: lab.session_text(session.native_id))
        yield _said(lambda session=session: lab.session_text(session.native_id, "json"))
        yield _said(lambda session=session: lab.export_session(session.native_id, out / f"{name}-one.md"))
        yield _said(lambda session=session: lab.export_page(session.native_id))
        yield _said(lambda session=session: lab.session_relations(session.native_id))
        yield _said(lambda session=session: lab.continue_session(session.native_id))
        yield _said(lambda session=session: lab.skillify(session.native_id))


def _commands(raw: Path) -> None:
    """Commands as a person types them, one of which fails; what they print and note is looked at like all else."""
    for arguments in (
        ["index", str(raw / "nowhere")],
        ["search", "two lines"],
        ["sessions", "--json"],
        ["redact", "--audit", str(raw)],
    ):
        run(arguments)


@pytest.mark.parametrize("shaping", [False, True], ids=["what records say", "what shapes records"])
@pytest.mark.parametrize("host", HOSTS)
def test_no_secret_of_any_field_is_left_anywhere(
    host: str,
    shaping: bool,
    tmp_path: Path,
    rules_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for variable, value in (("HOME", tmp_path / "user"), ("RECALL_LAB_CACHE_DIR", rules_cache)):
        monkeypatch.setenv(variable, str(value))
    caplog.set_level(0)
    planter = Planter(len(host) + shaping)
    raw = tmp_path / "raw"
    for number, source in enumerate(sources(host, planter, shaping=shaping)):
        written(raw, number, host, source)
    assert len(planter.secrets) > 10
    out = tmp_path / "out"
    out.mkdir()
    seen: list[str] = []
    with open_lab(tmp_path / "home", create=True) as lab:
        report = lab.index([raw], host=host, progress=False)
        assert report.records > 0
        seen.extend(_use(lab, out, "handed-on", report))
        seen.extend(_rows(lab))
    monkeypatch.setenv("RECALL_LAB_HOME", str(tmp_path / "home"))
    _commands(raw)
    seen.extend(bytes_of(tmp_path / "home"))
    seen.extend(bytes_of(out))
    seen.extend((*capfd.readouterr(), caplog.text))
    assert sorted(set(traces(planter.secrets, "\n".join(seen)))) == []
