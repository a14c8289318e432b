"""A model is loaded from this machine or asked for in one line; nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from recall_lab.errors import SemanticError
from recall_lab.semantic import models
from recall_lab.semantic.models import ModelFiles, model_files, open_model


def installed() -> bool:
    try:
        open_model()
    except SemanticError:
        return False
    return True


real = pytest.mark.skipif("not installed()", reason="wants the extra recall-lab[semantic]")


def test_a_missing_extra_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    files = ModelFiles("none", tmp_path / "model.onnx", tmp_path / "tokenizer.json")
    with pytest.raises(SemanticError) as raised:
        models._OnnxModel(files)
    assert "pip install 'recall-lab[semantic]'" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_missing_weights_are_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    with pytest.raises(SemanticError, match=r"recall-lab\[semantic\]"):
        model_files()


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(SemanticError, match="no model is here"):
        open_model(tmp_path)


def test_a_folder_is_found_in_both_layouts(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").touch()
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").touch()
    assert model_files(tmp_path).weights == tmp_path / "onnx" / "model.onnx"
    (tmp_path / "model.onnx").touch()
    assert model_files(tmp_path).weights == tmp_path / "model.onnx"


def test_what_is_no_model_is_said_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="wants the extra recall-lab[semantic]")
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(SemanticError, match="cannot be loaded"):
        open_model(tmp_path)


@real
@pytest.mark.disable_socket
def test_the_real_model_tells_meanings_apart_without_a_network() -> None:
    models._opened.cache_clear()
    model = open_model()
    near, far = model.passages(["The vehicle moved at high speed.", "Bake the bread for an hour."])
    query = model.query("a fast car")
    assert query @ near > 0.4 > query @ far
    assert np.linalg.norm(near) == pytest.approx(1, abs=1e-4)
    assert model.dims == len(query)


@real
def test_a_vector_does_not_depend_on_what_is_embedded_beside_it() -> None:
    model = open_model()
    alone = model.passages(["why did we reject batching"])[0]
    beside = model.passages(["why did we reject batching", "word " * 300, ""])
    assert alone @ beside[0] > 0.99
    assert np.isfinite(beside).all()


@real
def test_any_folder_with_the_files_is_the_same_model(tmp_path: Path) -> None:
    files = model_files()
    (tmp_path / "model.onnx").symlink_to(files.weights)
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)
    mine, theirs = open_model(tmp_path), open_model()
    assert mine.fingerprint == theirs.fingerprint
    assert mine.query("rain") @ theirs.query("rain") > 0.999
