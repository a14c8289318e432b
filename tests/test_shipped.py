"""The queries and notebooks are found wherever recall_lab is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab import shipped
from recall_lab.errors import NotFoundError


def test_a_checkout_has_them_beside_the_package() -> None:
    for name in ("queries", "notebooks"):
        assert shipped.shipped_folder(name) == Path(shipped.__file__).resolve().parents[1] / name


def test_a_wheel_has_them_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "recall_lab" / "_shipped" / "queries"
    inside.mkdir(parents=True)
    (tmp_path / "queries").mkdir()  # somebody else's folder in site-packages
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "recall_lab")
    assert shipped.shipped_folder("queries") == inside


def test_a_stranger_s_folder_beside_an_installed_package_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queries").mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "recall_lab")
    with pytest.raises(NotFoundError, match="install it again"):
        shipped.shipped_folder("queries")
