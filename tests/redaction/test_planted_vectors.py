"""No secret is in what search by meaning keeps: neither in the vectors, which say what a text said, nor beside them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from recall_lab.errors import SemanticError
from recall_lab.hosts import HOSTS
from recall_lab.lab import open_lab
from recall_lab.semantic.models import Embedder, open_model
from recall_lab.semantic.vectors import segments, vectors_folder
from tests.redaction import fakes
from tests.redaction.planted import Planter, bytes_of, sources, traces, written


class Listening:
    """The installed model, and every text that it was given: a vector tells of nothing else."""

    def __init__(self, model: Embedder) -> None:
        self.name, self.fingerprint, self.dims = model.name, model.fingerprint, model.dims
        self._model = model
        self.given: list[str] = []

    def passages(self, texts: Sequence[str]) -> Any:
        self.given.extend(texts)
        return self._model.passages(texts)

    def query(self, text: str) -> Any:
        return self._model.query(text)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Listening:
    pytest.importorskip("onnxruntime", reason="wants the extra recall-lab[semantic]")
    try:
        listening = Listening(open_model())
    except SemanticError as error:
        pytest.skip(f"wants the extra recall-lab[semantic] ({error})")
    for place in ("models", "finding"):
        monkeypatch.setattr(f"recall_lab.semantic.{place}.open_model", lambda _=None: listening)
    return listening


@pytest.mark.parametrize("shaping", [False, True], ids=["what records say", "what shapes records"])
@pytest.mark.parametrize("host", HOSTS)
def test_no_secret_becomes_a_vector(
    host: str,
    shaping: bool,
    model: Listening,
    tmp_path: Path,
    rules_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for variable, value in (("HOME", tmp_path / "user"), ("RECALL_LAB_CACHE_DIR", rules_cache)):
        monkeypatch.setenv(variable, str(value))
    planter = Planter(len(host) + shaping)
    raw, home = tmp_path / "raw", tmp_path / "home"
    for number, source in enumerate(sources(host, planter, shaping=shaping)):
        written(raw, number, host, source)
    with open_lab(home, create=True) as lab:
        lab.index([raw], host=host, progress=False)
        built = lab.build_vectors(progress=False)
        said = [repr(built), repr(lab.vector_status()), repr(lab.search("two lines batching", mode="hybrid"))]
        folder = vectors_folder(lab.settings.store)
        kept = _hashes(lab.settings.store)
        beside = {int(one) for segment in segments(folder) for one in segment.rows.hashes}
    assert built.passages == len(model.given)
    assert beside <= kept  # a text is named by the hash of what was kept of it
    seen = [*model.given, *said, *bytes_of(folder), *capfd.readouterr()]
    assert sorted(set(traces(planter.secrets, "\n".join(seen)))) == []


def test_no_secret_of_a_conversation_becomes_a_vector(
    model: Listening, tmp_path: Path, rules_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secret of every kind in what is said, which is what becomes vectors."""
    for variable, value in (("HOME", tmp_path / "user"), ("RECALL_LAB_CACHE_DIR", rules_cache)):
        monkeypatch.setenv(variable, str(value))
    rng = random.Random(77)
    secrets = {kind: (name, make(rng)) for kind, (name, make) in fakes.TOKENS.items()}
    said = [
        {"role": ("user", "assistant")[number % 2], "content": f"{kind} of the build: {name}={secret} and go on"}
        for number, (kind, (name, secret)) in enumerate(secrets.items())
    ]
    (tmp_path / "chat.json").write_text(json.dumps({"title": "keys", "messages": said}))
    with open_lab(tmp_path / "home", create=True) as lab:
        lab.index([tmp_path / "chat.json"], host="chat-snapshot", progress=False)
        built = lab.build_vectors(progress=False)
        folder = vectors_folder(lab.settings.store)
    assert built.texts == len(said)
    assert len(model.given) == built.passages
    planted = {secret: kind for kind, (_, secret) in secrets.items()}
    assert sorted(set(traces(planted, "\n".join([*model.given, *bytes_of(folder)])))) == []


def _hashes(store: Path) -> set[int]:
    connection = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    found = [row[0] for row in connection.execute("SELECT content_hash FROM blocks")]
    connection.close()
    return {int.from_bytes(one[:8] if isinstance(one, bytes) else bytes.fromhex(one)[:8], "big") for one in found}
