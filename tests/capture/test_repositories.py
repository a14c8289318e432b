"""One key for every clone and worktree of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.capture.repositories import Repositories, normalise_remote


@pytest.mark.parametrize(
    "remote",
    [
        "git@github.com:Owner/Name.git",
        "github.com:Owner/Name",
        "ssh://git@github.com:22/Owner/Name.git",
        "https://GitHub.com/Owner/Name",
        "https://user:word@github.com:443/Owner/Name.git/",
        "git://github.com/Owner/Name",
    ],
)
def test_all_forms_of_a_remote_are_one(remote: str) -> None:
    assert normalise_remote(remote) == "github.com/Owner/Name"


@pytest.mark.parametrize(
    "remote", ["", "/srv/git/name.git", "../name", "file:///srv/git/name", "C:\\git\\name", "C:/git/name"]
)
def test_paths_are_no_remotes(remote: str) -> None:
    assert normalise_remote(remote) is None


def make_repository(folder: Path, config: str = "") -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return folder


def test_origin_is_found_from_a_folder_below(tmp_path: Path) -> None:
    config = '[core]\n\tbare = false\n[remote "fork"]\n\turl = git@x.org:a/b\n[remote "origin"]\n\turl = https://x.org/c/d.git\n'
    folder = make_repository(tmp_path / "clone", config) / "src" / "deep"
    folder.mkdir(parents=True)
    assert Repositories().key(None, str(folder)) == "x.org/c/d"


def test_a_worktree_belongs_to_its_repository(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    git = main / ".git" / "worktrees" / "side"
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n", encoding="utf-8")
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {git}\n", encoding="utf-8")
    repositories = Repositories()
    assert repositories.key(None, str(side)) == repositories.key(None, str(main)) == str(main / ".git")


def test_what_the_host_logged_comes_first_and_the_folder_last(tmp_path: Path) -> None:
    repositories = Repositories()
    assert repositories.key("git@x.org:a/b.git", "/nowhere") == "x.org/a/b"
    assert repositories.key(None, "/no/such/folder") == "/no/such/folder"
    assert repositories.key("/srv/b.git", None) is None
    (tmp_path / ".git").write_text("nonsense", encoding="utf-8")
    assert repositories.key(None, str(tmp_path)) == str(tmp_path)


def test_a_damaged_config_costs_the_remote_only(tmp_path: Path) -> None:
    folder = make_repository(tmp_path, "[remote origin\nurl")
    assert Repositories().key(None, str(folder)) == str(folder / ".git")
