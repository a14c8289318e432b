"""Opening the detector: the user's rules, the allow list, contacts, versions."""

from __future__ import annotations

import ast
import random
import shutil
import sys
from pathlib import Path

import kingfisher_sdk
import pytest

import recall_lab.redaction
from recall_lab.errors import RedactionError, UsageError
from recall_lab.redaction import Redactor, open_redactor, versions
from recall_lab.redaction.rules import unused_rules
from recall_lab.redaction.user_rules import read_user_rules
from recall_lab.redaction.versions import meaning_of
from recall_lab.settings import load_settings
from tests.redaction import fakes

GOOD = """
[[rules]]
id = "acme-key"
regex = 'acme_[a-z0-9]{12}'
description = "keys of our gateway"
"""


@pytest.fixture(scope="module")
def own(rules_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Redactor:
    rules = tmp_path_factory.mktemp("rules") / "mine.toml"
    rules.write_text(GOOD, "utf-8")
    return open_redactor(rules_cache, rules=[rules], allow=["gh" + "p_A.*"], mask_contacts=True)


def test_a_user_s_rule_finds_and_names(own: Redactor) -> None:
    (result,) = own.redact(["curl -H 'k: acme_0123456789ab' x"])
    assert result.text == "curl -H 'k: [REDACTED:acme_key]' x"
    assert own.redact([result.text])[0].text == result.text


def test_the_bundled_rules_that_are_not_used_are_not_even_looked_for(rules_cache: Path) -> None:
    bundled = kingfisher_sdk.Rules([], builtins=True, cache_dir=rules_cache)
    listed = (Path(recall_lab.redaction.__file__).parent / "unused.txt").read_text("utf-8").split()
    assert listed == sorted(unused_rules(bundled))


def test_an_allowed_secret_stays(own: Redactor) -> None:
    tail = fakes.draw(random.Random(1), fakes.B62, 35)
    allowed, other = "gh" + "p_A" + tail, "gh" + "p_B" + tail
    assert own.redact([f"{allowed} {other}"])[0].text == f"{allowed} [REDACTED:github_token]"


def test_contacts_are_masked_where_asked_for(own: Redactor, redactor: Redactor) -> None:
    text = "mail jane.doe@corp.example.net, call +49 30 1234-5678, host 10.20.30.40 or 2001:db8::ff00:42:8329"
    assert own.redact([text])[0].text == (
        "mail [REDACTED:email], call [REDACTED:phone], host [REDACTED:ip_address] or [REDACTED:ip_address]"
    )
    assert redactor.redact([text])[0].text == text


def test_what_only_looks_like_a_contact_stays(own: Redactor) -> None:
    text = "git@github.com:org/repo.git 127.0.0.1 v1.2.3.4.5 12:34:56 2026-01-02 build 20260102030405 port 5432"
    assert own.redact([text])[0].text == text


def test_the_version_tells_rules_apart(own: Redactor, redactor: Redactor, rules_cache: Path) -> None:
    assert own.version != redactor.version
    assert open_redactor(rules_cache).version == redactor.version
    assert len(redactor.version) == 12


def _imported(room: Path, name: str) -> set[str]:
    """The modules of a room that one of them imports, and what these import."""
    seen: set[str] = set()
    left = {name}
    while left:
        seen.add(module := left.pop())
        for node in ast.walk(ast.parse((room / f"{module}.py").read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "recall_lab.redaction":
                left |= {alias.name for alias in node.names} - seen
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recall_lab.redaction."):
                left |= {str(node.module).rsplit(".", 1)[1]} - seen
    return seen


def test_code_that_judges_makes_a_new_version_and_no_other_file_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / "redaction"
    shutil.copytree(Path(versions.__file__).parent, room)
    monkeypatch.setattr(versions.resources, "files", lambda _: room)
    judging = {f"{module}.py" for module in _imported(room, "redactor")} - {"records.py"} | {"rules.yaml"}
    assert len(judging) > 15
    changes = {}
    for file in sorted(path for path in room.iterdir() if path.suffix in (".py", ".yaml")):
        told = []
        for more in ("", "\nextra: int = 1\n"):
            file.write_text(file.read_text("utf-8") + more, "utf-8")
            versions._parts.cache_clear()
            told.append(versions.rules_version("1", contacts=True))
        changes[file.name] = told[0] != told[1]
    versions._parts.cache_clear()
    assert {name for name, changed in changes.items() if changed} == judging | {"contacts.yaml"}


def test_a_comment_or_a_new_layout_is_no_new_version() -> None:
    code = 'def f(text: str) -> bool:\n    """Say so."""\n    return "a  b" in text  # why\n'
    same = 'def f(\n    text: str,\n) -> bool:\n    """Say it otherwise."""\n\n    return ("a  b" in text)\n'
    assert meaning_of(code) == meaning_of(same)
    for other in (code.replace("a  b", "a b"), code.replace("in", "not in"), code.replace("text", "words")):
        assert meaning_of(code) != meaning_of(other)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[[rules]]\nid = 'x'\n", 1, "regex"),
        (GOOD + "\n[[rules]]\nid = 'two'\nregex = 'ab(cd'\n", 7, "does not compile"),
        (GOOD + "\n[[rules]]\nid = 'Two!'\nregex = 'abcd'\n", 7, "not usable"),
        (GOOD + GOOD, 7, "already"),
        (GOOD + "\n[[rules]]\nid = 'two'\nregex = 'x'\n", 7, "nearly everything"),
        (GOOD + "\n[[rules]]\nid = 'two'\nregex = 'abcd'\ncolour = 1\n", 7, "colour"),
    ],
)
def test_a_bad_rule_is_named_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        read_user_rules([path])
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_toml_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(UsageError, match="cannot be read"):
        read_user_rules([path])
    path.write_text("[[rules]\n", "utf-8")
    with pytest.raises(UsageError, match="line 1"):
        read_user_rules([path])


def test_a_bad_allow_list_is_refused(rules_cache: Path) -> None:
    with pytest.raises(UsageError, match="allow"):
        open_redactor(rules_cache, allow=["a(b"])


@pytest.mark.parametrize(("expression", "says"), [("'a(b'", "regular expression"), ('"\\\\d*"', "everything")])
def test_a_bad_allow_list_of_the_settings_is_named_with_its_line(tmp_path: Path, expression: str, says: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f"activity = false\nredaction_allow = [\n  'fine-.+',\n  {expression},\n]\n", "utf-8")
    with pytest.raises(UsageError) as error:
        load_settings(tmp_path, {})
    assert str(error.value).startswith(f"{file}:4: ")
    assert says in str(error.value)


def test_without_a_detector_nothing_is_opened(rules_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    with pytest.raises(RedactionError, match="reinstall"):
        open_redactor(rules_cache)
