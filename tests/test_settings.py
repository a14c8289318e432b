"""Settings: defaults, then the file, then the environment; each value knows where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_lab.errors import UsageError
from recall_lab.settings import load_settings, settable


def write(home: Path, text: str) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text(text, encoding="utf-8")
    return home


def test_defaults_and_their_origins(tmp_path: Path) -> None:
    settings = load_settings(environ={"HOME": str(tmp_path), "RECALL_LAB_HOME": str(tmp_path / "lab")})
    assert settings.home == tmp_path / "lab"
    assert settings.store == tmp_path / "lab" / "recall.db"
    assert settings.user_home == tmp_path
    assert settings.tool_results == "capped"
    assert settings.origins["home"] == "RECALL_LAB_HOME"
    assert settings.origins["tool_results"] == "default"
    assert not (tmp_path / "lab").exists()


def test_the_environment_wins_over_the_file_and_the_option_over_both(tmp_path: Path) -> None:
    home = write(tmp_path / "lab", 'zone = "Asia/Tokyo"\ntool_results = "off"\nprivate = ["/secret"]\n')
    environ = {"HOME": str(tmp_path), "RECALL_LAB_HOME": "/elsewhere", "RECALL_LAB_TOOL_RESULTS": "full"}
    settings = load_settings(home, environ)
    assert (settings.zone, settings.tool_results, settings.private) == ("Asia/Tokyo", "full", ("/secret",))
    assert settings.origins["zone"] == str(home / "settings.toml")
    assert settings.origins["tool_results"] == "RECALL_LAB_TOOL_RESULTS"
    assert settings.origins["home"] == "--home"


def test_more_roots_with_machine_labels(tmp_path: Path) -> None:
    home = write(tmp_path, 'roots = ["~/old", { path = "/mnt/laptop", machine = "laptop" }]')
    roots = load_settings(home, {"HOME": "/home/u"}).roots
    assert [(str(root.path), root.machine) for root in roots] == [("/home/u/old", "local"), ("/mnt/laptop", "laptop")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zone = ", "settings.toml"),
        ("zone = 5", "zone"),
        ("colour = 'red'", "colour"),
        ('zone = "Moon/Base"', "IANA"),
        ('tool_results = "some"', "tool_results"),
        ("tool_result_cap = 3", "at least 200"),
        ("roots = [{ machine = 'x' }]", "path"),
        ('activity = "maybe"', "activity"),
    ],
)
def test_a_value_that_cannot_be_used_names_itself_on_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        load_settings(write(tmp_path, text), {"HOME": "/home/u"})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('zone = "Mars"', 2, "'Mars' is not a time zone"),
        ('"zone" = "Mars"', 2, "'Mars' is not a time zone"),
        ("tool_result_cap = 3", 2, "at least 200"),
        ("tool_result_cap = 'x'", 2, "int"),
        ("roots = [{ machine = 'x' }]", 2, "no `path`"),
        ("[[roots]]\nmachine = 'x'", 2, "no `path`"),
        ("private = ['a']\ncolour = 'red'", 3, "colour"),
        ("claude_home = '/c'", 2, "set CLAUDE_CONFIG_DIR"),
        ("cache = '/c'", 2, "set RECALL_LAB_CACHE_DIR"),
    ],
)
def test_a_value_of_the_file_is_told_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        load_settings(write(tmp_path, f"yes = true\n{text}\n"), {"HOME": "/home/u"})
    assert str(caught.value).startswith(f"{tmp_path / 'settings.toml'}:{line}: ")


def test_a_value_of_the_environment_is_told_with_its_variable(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^RECALL_LAB_ZONE: zone: 'Mars'"):
        load_settings(write(tmp_path, 'zone = "UTC"'), {"HOME": "/home/u", "RECALL_LAB_ZONE": "Mars"})


def test_what_can_set_a_value_can(tmp_path: Path) -> None:
    given = {"zone": "Asia/Tokyo", "tool_results": "off", "cache": "/c", "claude_home": "/c", "pi_home": "/c"}
    for name, value in given.items():
        *file, variable = settable(name)
        assert load_settings(tmp_path / "none", {"HOME": "/u", variable: value}).origins[name] == variable
        home = write(tmp_path / name, f'{name} = "{value}"')
        if file:
            assert load_settings(home, {"HOME": "/u"}).origins[name] == str(home / "settings.toml")
        else:
            with pytest.raises(UsageError, match=variable):
                load_settings(home, {"HOME": "/u"})
    assert settable("private") == ("settings.toml",)


def test_switches_from_the_environment() -> None:
    assert not load_settings("/x", {"RECALL_LAB_ACTIVITY": "off"}).activity
    with pytest.raises(UsageError, match="neither on nor off"):
        load_settings("/x", {"RECALL_LAB_ACTIVITY": "perhaps"})
