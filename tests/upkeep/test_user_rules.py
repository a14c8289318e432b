"""A person's own rules: they hold for capture at once, and for what was stored before after a refresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.capture import index
from recall_lab.capture.refreshing import refresh_redaction
from recall_lab.errors import UsageError
from recall_lab.settings import Settings, load_settings
from recall_lab.store.backup import check
from tests.capture.conftest import Home, record

from .conftest import bytes_below

RULES = """
[[rules]]
id = "harbour-key"
regex = 'harbour_[a-z0-9]{12}'
"""
KEY, MAIL = "harbour_a1b2c3d4e5f6", "keeper@lighthouse-mail.org"


@pytest.fixture
def place(tmp_path: Path) -> Home:
    return Home(tmp_path / "user")


def settings_of(place: Home, rules_cache: Path, text: str) -> Settings:
    home = place.settings.home
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text(text)
    environ = {"HOME": str(place.root), "TZ": "UTC", "RECALL_LAB_CACHE_DIR": str(rules_cache)}
    return load_settings(home, environ)


def test_own_rules_take_out_what_was_stored_and_what_comes(place: Home, rules_cache: Path) -> None:
    place.write(record(0, f"use {KEY} and write to {MAIL}"))
    index(settings_of(place, rules_cache, ""))
    assert place.texts() == [f"use {KEY} and write to {MAIL}"]
    place.settings.home.joinpath("mine.toml").write_text(RULES)
    settings = settings_of(place, rules_cache, 'redaction_rules = ["mine.toml"]\nmask_contacts = true\n')
    done = refresh_redaction(settings)
    assert (done.changed, done.findings) == (1, {"email": 1, "harbour_key": 1})
    place.append(record(1, f"again {KEY}", "assistant"))
    index(settings)
    assert place.texts() == [
        "use [REDACTED:harbour_key] and write to [REDACTED:email]",
        "again [REDACTED:harbour_key]",
    ]
    assert KEY.encode() not in bytes_below(place.settings.home)
    check(settings.store)


def test_what_is_allowed_stays(place: Home, rules_cache: Path) -> None:
    token = "gh" + "p_PliIX6meolEmA61eQjOMtei1jeZo3JOoJ37h"
    place.write(record(0, f"the example token {token}"))
    index(settings_of(place, rules_cache, 'redaction_allow = ["gh.*PliIX6.*"]\n'))
    assert place.texts() == [f"the example token {token}"]


@pytest.mark.parametrize(
    ("text", "says"),
    [('redaction_rules = ["none.toml"]', "none.toml"), ("redaction_allow = ['(']", "no regular expression")],
)
def test_rules_that_cannot_be_used_stop_the_capture_in_one_line(
    place: Home, rules_cache: Path, text: str, says: str
) -> None:
    place.write(record(0, "a"))
    with pytest.raises(UsageError, match=says) as caught:
        index(settings_of(place, rules_cache, text))
    assert "\n" not in str(caught.value)
    # A setting that cannot be read is told before there is a store.
    assert not place.settings.store.exists() or place.ask("SELECT count(*) FROM blocks") == [(0,)]
