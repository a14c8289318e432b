"""The sample has a home of its own: nothing of the user's is in it, and nobody else can read it."""

from __future__ import annotations

from pathlib import Path

from recall_lab.capture.discovery import known_places
from recall_lab.sample import sample_home
from recall_lab.sampling import sample_settings
from recall_lab.settings import ENVIRONMENT_ONLY, load_settings
from recall_lab.store.connection import make_private_folder


def test_it_looks_in_no_folder_of_the_user_whatever_the_environment_names(tmp_path: Path) -> None:
    named = {variable: str(tmp_path) for name, variable in ENVIRONMENT_ONLY.items() if name not in ("home", "cache")}
    places = [folder for folder, _ in known_places(sample_settings(load_settings(tmp_path / "home", named)))]
    assert places
    assert all(folder.is_relative_to(sample_home()) for folder in places)


def test_every_folder_that_is_made_on_the_way_to_a_store_is_private(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "share" / "home" / "cache" / "sample")
    made = list(tmp_path.rglob("*"))
    assert len(made) == 4
    assert [folder for folder in made if folder.stat().st_mode & 0o077] == []
