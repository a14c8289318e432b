"""The work folder: private, its owner's changes never overwritten, opened on what there is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_lab.errors import UsageError
from recall_lab.shipped import shipped_folder
from recall_lab.workbench import copy_notebooks, default_folder

NAMES = sorted(path.name for path in shipped_folder("notebooks").glob("*.ipynb"))


def sources(path: Path) -> str:
    return "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])


def test_copies_are_private_and_ignored_by_git(tmp_path: Path) -> None:
    copies = copy_notebooks(tmp_path / "work", sample=True)
    assert copies.first == tmp_path / "work" / "00_start_here.ipynb"
    assert copies.kept == ()
    assert sorted(path.name for path in (tmp_path / "work").glob("*.ipynb")) == NAMES
    assert (tmp_path / "work").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "work").iterdir()} == {0o600}
    assert (tmp_path / "work" / ".gitignore").read_text() == "*\n"


def test_they_open_the_sample_or_the_users_history(tmp_path: Path) -> None:
    copy_notebooks(tmp_path / "a", sample=True)
    copy_notebooks(tmp_path / "b", sample=False)
    for name in NAMES:
        assert "SAMPLE = True" in sources(tmp_path / "a" / name)
        assert "SAMPLE = True" not in sources(tmp_path / "b" / name)
        assert "SAMPLE = False" in sources(tmp_path / "b" / name)
        # What the sample showed is not shown over somebody's own history.
        cells = json.loads((tmp_path / "b" / name).read_text())["cells"]
        assert not [cell for cell in cells if cell.get("outputs")]


def test_what_its_owner_changed_is_kept_and_the_rest_follows(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    copy_notebooks(folder, sample=True)
    mine = folder / NAMES[1]
    mine.write_text(mine.read_text().replace("# Search", "# My search"))
    again = copy_notebooks(folder, sample=False)
    assert again.kept == (NAMES[1],)
    assert "# My search" in mine.read_text()
    assert "SAMPLE = False" in sources(folder / NAMES[0])
    assert copy_notebooks(folder, sample=False).kept == (NAMES[1],)


def test_a_changed_copy_of_the_same_version_is_kept_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    copy_notebooks(folder, sample=True)
    (folder / NAMES[0]).write_text("{}")
    assert copy_notebooks(folder, sample=True).kept == ()
    assert (folder / NAMES[0]).read_text() == "{}"


def test_a_file_of_somebody_else_under_the_same_name_is_kept(tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).write_text("{}")
    assert copy_notebooks(tmp_path, sample=True).kept == (NAMES[0],)
    assert (tmp_path / NAMES[0]).read_text() == "{}"


def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="--work DIR"):
        copy_notebooks(tmp_path / "file" / "work", sample=True)


def test_the_folder_is_work_in_a_checkout_and_in_the_home_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_folder(tmp_path / "home") == tmp_path / "home" / "work"
    checkout = shipped_folder("notebooks").parent
    monkeypatch.chdir(checkout)
    assert default_folder(tmp_path / "home") == checkout / "work"
