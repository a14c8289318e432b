"""A secret of every kind in every field of every host is in nothing that is written, printed or raised."""

from __future__ import annotations

import json
import traceback
import zipfile
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
from tests.hosts.generated import PATHS, RECORDS
from tests.hosts.generated_documents import DOCUMENTS
from tests.redaction.planted import Planter, drawn, traces

_EXAMPLES = 25


def _sources(host: str, planter: Planter, *, shaping: bool) -> Iterator[bytes]:
    """Files of a host with secrets in them: logs, documents, or both."""
    if host in RECORDS:
        records = drawn(RECORDS[host], _EXAMPLES)
        planted = [planter.everywhere(record, shaping=shaping) for record in records]
        kept = records[:3] if shaping else []  # the file has to stay one of this host
        yield b"".join(json.dumps(record).encode("utf-8", "surrogatepass") + b"\n" for record in [*kept, *planted])
    if host in DOCUMENTS:
        for document in drawn(DOCUMENTS[host], 12):
            planted = planter.everywhere(document, shaping=shaping)
            if planted:
                yield json.dumps(planted).encode("utf-8", "surrogatepass")


def _written(raw: Path, number: int, host: str, source: bytes) -> None:
    """A source as its host leaves it: a file in a folder of its own, every other export inside an archive."""
    file = raw / str(number) / PATHS[host][0].split("#", 1)[0]
    file.parent.mkdir(parents=True)
    if file.name == "conversations.json" and number % 2:
        with zipfile.ZipFile(file.with_name("export.zip"), "w") as archive:
            archive.writestr(file.name, source)
    else:
        file.write_bytes(source)


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


def _bytes(folder: Path) -> Iterator[str]:
    """The bytes of every file: the store, its log, the mirror, exports, briefs, notes of use."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield str(file.relative_to(folder))
            yield file.read_bytes().decode("latin-1")


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
    for number, source in enumerate(_sources(host, planter, shaping=shaping)):
        _written(raw, number, host, source)
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
    seen.extend(_bytes(tmp_path / "home"))
    seen.extend(_bytes(out))
    seen.extend((*capfd.readouterr(), caplog.text))
    assert sorted(set(traces(planter.secrets, "\n".join(seen)))) == []
