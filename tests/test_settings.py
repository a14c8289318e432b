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


def test_a_root_that_is_no_whole_path_lies_in_the_home_folder_or_beside_the_settings(tmp_path: Path) -> None:
    home = write(tmp_path, 'roots = ["~", "old", { path = "~/x", machine = "" }]')
    roots = load_settings(home, {"HOME": "/home/u"}).roots
    assert [(str(root.path), root.machine) for root in roots] == [
        ("/home/u", "local"),
        (str(tmp_path / "old"), "local"),
        ("/home/u/x", "local"),
    ]


def test_a_private_folder_may_be_written_with_a_tilde(tmp_path: Path) -> None:
    home = write(tmp_path, 'private = ["~/secret", "~", "/other/", "0196-an-id"]')
    private = load_settings(home, {"HOME": "/home/u"}).private
    assert private == ("/home/u/secret", "/home/u", "/other/", "0196-an-id")


def test_folders_of_the_environment_may_be_written_with_a_tilde() -> None:
    given = {
        "HOME": "/home/u",
        "RECALL_LAB_HOME": "~/lab",
        "RECALL_LAB_CACHE_DIR": "~/cache",
        "PI_CODING_AGENT_DIR": "~/pi",
    }
    settings = load_settings(environ=given)
    assert (settings.home, settings.cache, settings.pi_home) == tuple(
        Path("/home/u", n) for n in ("lab", "cache", "pi")
    )


@pytest.mark.parametrize(
    "variable", ["RECALL_LAB_HOME", "RECALL_LAB_CACHE_DIR", "CODEX_HOME", "RECALL_LAB_SEMANTIC_MODEL"]
)
def test_a_user_that_does_not_exist_is_told_with_the_variable(tmp_path: Path, variable: str) -> None:
    with pytest.raises(UsageError, match=f"^{variable}: .*'~no-such-user/x': there is no such user"):
        load_settings(environ={"HOME": "/home/u", "RECALL_LAB_HOME": str(tmp_path), variable: "~no-such-user/x"})


def test_a_home_that_is_no_folder_says_to_choose_another(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"Not a directory.*; choose another folder with --home DIR"):
        load_settings(tmp_path / "file", {"HOME": "/home/u"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zone = ", "settings.toml"),
        ('roots = [""]', "roots: '' is no path"),
        ('roots = ["a\\u0000b"]', "roots: .* is no path"),
        ('roots = [{ path = "/x", machin = "y" }]', "`machin`"),
        ('private = [""]', "private: '' is no path"),
        ('private = ["~no-such-user/x"]', "private: .*no such user"),
        ('redaction_rules = [""]', "redaction_rules: '' is no path"),
        ('redaction_rules = ["~no-such-user/x"]', "redaction_rules: .*no such user"),
        ('semantic_model = "\\u0000"', "semantic_model: .* is no path"),
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
