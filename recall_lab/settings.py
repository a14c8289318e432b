"""Where things are, and how the user wants them: defaults, then ``settings.toml``, then environment variables.

Every value remembers where it came from. Nothing is written here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from recall_lab.errors import UsageError
from recall_lab.times import check_zone, local_zone

ToolResults = Literal["full", "capped", "off"]
FILE_NAME = "settings.toml"
ENVIRONMENT = {
    "zone": "RECALL_LAB_ZONE",
    "tool_results": "RECALL_LAB_TOOL_RESULTS",
    "activity": "RECALL_LAB_ACTIVITY",
    "yes": "RECALL_LAB_YES",
    "mask_contacts": "RECALL_LAB_MASK_CONTACTS",
    "cache": "RECALL_LAB_CACHE_DIR",
    "semantic_model": "RECALL_LAB_SEMANTIC_MODEL",
}

# What the file cannot say: where it lies itself, and where another program's own variable says that its folder is.
ENVIRONMENT_ONLY = {
    "home": "RECALL_LAB_HOME or --home",
    "user_home": "HOME",
    "cache": ENVIRONMENT["cache"],
    "claude_home": "CLAUDE_CONFIG_DIR",
    "codex_home": "CODEX_HOME",
    "pi_home": "PI_CODING_AGENT_DIR",
    "copilot_home": "COPILOT_HOME",
    "gemini_home": "GEMINI_CLI_HOME",
}
_NAMED = re.compile(r"unknown field `([^`]+)`|\$\.(\w+)")


class Root(msgspec.Struct, frozen=True):
    """A home folder to look for transcripts in, and the label of the machine that it came from."""

    path: Path
    machine: str = "local"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be chosen.

    Attributes:
        home: The folder that holds store, mirror, caches and settings (``--home``, RECALL_LAB_HOME).
        user_home: Where transcripts are looked for (HOME).
        roots: More home folders to look in.
        zone: IANA name of the zone that days are counted in.
        tool_results: Keep tool results whole, capped (head and tail), or not at all.
        tool_result_cap: Code points kept of a capped tool result.
        private: Sessions (native ids) or folders that are never captured.
        activity: Whether recall_lab notes its own use.
        yes: Whether the first capture may start without asking.
        redaction_rules: Further rule files of the user's, TOML (see ``redaction.user_rules``).
        redaction_allow: Regular expressions of what looks like a secret and may stay.
        mask_contacts: Whether mail addresses, telephone numbers and IP addresses are taken out too.
        semantic_model: A folder with model.onnx and tokenizer.json for search by meaning; else the installed one.
        cache: Where compiled rules and the sample's store are kept.
        claude_home: Claude Code's folder when CLAUDE_CONFIG_DIR names one.
        codex_home: Codex's folder when CODEX_HOME names one.
        pi_home: pi's folder when PI_CODING_AGENT_DIR names one.
        copilot_home: Copilot CLI's folder when COPILOT_HOME names one.
        gemini_home: The folder that holds Gemini CLI's ``.gemini`` when GEMINI_CLI_HOME names one.
        origins: For each setting, where its value came from.
    """

    home: Path
    user_home: Path
    cache: Path
    zone: str
    roots: tuple[Root, ...] = ()
    tool_results: ToolResults = "capped"
    tool_result_cap: int = 8000
    private: tuple[str, ...] = ()
    activity: bool = True
    yes: bool = False
    redaction_rules: tuple[Path, ...] = ()
    redaction_allow: tuple[str, ...] = ()
    mask_contacts: bool = False
    semantic_model: Path | None = None
    claude_home: Path | None = None
    codex_home: Path | None = None
    pi_home: Path | None = None
    copilot_home: Path | None = None
    gemini_home: Path | None = None
    origins: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The SQLite store."""
        return self.home / "recall.db"

    @property
    def mirror(self) -> Path:
        """The folder of the DuckDB generations."""
        return self.home / "mirror"

    @property
    def activity_log(self) -> Path:
        """Where recall_lab's own use waits for the next capture."""
        return self.home / "activity.jsonl"

    @property
    def queries(self) -> Path:
        """The user's own folder of named queries."""
        return self.home / "queries"


class _File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings file, as typed by a person."""

    zone: str | None = None
    tool_results: ToolResults | None = None
    tool_result_cap: int | None = None
    roots: list[str | dict[str, str]] | None = None
    private: list[str] | None = None
    activity: bool | None = None
    yes: bool | None = None
    redaction_rules: list[str] | None = None
    redaction_allow: list[str] | None = None
    mask_contacts: bool | None = None
    semantic_model: str | None = None


def load_settings(home: Path | str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings that hold for ``home``.

    Args:
        home: The folder of store and mirror; else RECALL_LAB_HOME, else the platform's data folder.
        environ: Environment variables; else the process's own.

    Raises:
        UsageError: a value cannot be used; the message names the file and line, or the variable.
    """
    env = os.environ if environ is None else environ
    origins: dict[str, str] = {}
    user_home = Path(env.get("HOME") or Path.home()).absolute()
    if home is not None:
        folder, origins["home"] = _path(str(home), "--home", user_home), "--home"
    elif env.get("RECALL_LAB_HOME"):
        folder, origins["home"] = _path(env["RECALL_LAB_HOME"], "RECALL_LAB_HOME", user_home), "RECALL_LAB_HOME"
    else:
        import platformdirs

        folder, origins["home"] = Path(platformdirs.user_data_dir("recall-lab", appauthor=False)), "default"
    folder = folder.absolute()
    typed = _read_file(folder / FILE_NAME)
    values: dict[str, Any] = {}
    for name in _File.__struct_fields__:
        value = getattr(typed, name)
        if value is not None:
            values[name], origins[name] = value, str(folder / FILE_NAME)
    for name, variable in ENVIRONMENT.items():
        if env.get(variable):
            values[name], origins[name] = env[variable], variable
    places = {name: _place(origin, name) for name, origin in origins.items()}

    def path(name: str, text: str) -> Path:
        return folder / _path(text, f"{places[name]}: {name}", user_home)

    settings = Settings(
        home=folder,
        user_home=user_home,
        cache=_path(values["cache"], places["cache"], user_home).absolute() if "cache" in values else folder / "cache",
        zone=_zone(values["zone"], places["zone"]) if values.get("zone") else local_zone(env),
        roots=_roots(values.get("roots", []), path, places.get("roots", "")),
        tool_results=_choice(values.get("tool_results", "capped"), places.get("tool_results", "")),
        tool_result_cap=_cap(values.get("tool_result_cap", 8000), places.get("tool_result_cap", "")),
        private=_private(values.get("private", []), user_home, places.get("private", "")),
        activity=_switch(values.get("activity", True), places.get("activity", "")),
        yes=_switch(values.get("yes", False), places.get("yes", "")),
        redaction_rules=tuple(path("redaction_rules", name) for name in values.get("redaction_rules", ())),
        redaction_allow=_expressions(values.get("redaction_allow", []), folder / FILE_NAME),
        mask_contacts=_switch(values.get("mask_contacts", False), places.get("mask_contacts", "")),
        semantic_model=path("semantic_model", model) if (model := values.get("semantic_model")) else None,
        claude_home=_folder(env, "claude_home", user_home, origins),
        codex_home=_folder(env, "codex_home", user_home, origins),
        pi_home=_folder(env, "pi_home", user_home, origins),
        copilot_home=_folder(env, "copilot_home", user_home, origins),
        gemini_home=_folder(env, "gemini_home", user_home, origins),
        origins=origins,
    )
    for name in Settings.__struct_fields__:
        origins.setdefault(name, "default")
    return settings


def settable(name: str) -> tuple[str, ...]:
    """What can give a setting its value: the settings file, an environment variable, or either, the stronger last."""
    file = (FILE_NAME,) if name in _File.__struct_fields__ else ()
    variable = ENVIRONMENT.get(name) or ENVIRONMENT_ONLY.get(name)
    return (*file, variable) if variable else file


def _read_file(path: Path) -> _File:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return _File()
    except OSError as error:
        step = (
            "check its permissions" if isinstance(error, PermissionError) else "choose another folder with --home DIR"
        )
        raise UsageError(f"{path}: cannot be read ({error.strerror}); {step}") from error
    import tomllib

    try:
        return msgspec.convert(tomllib.loads(data.decode("utf-8")), _File)
    except msgspec.ValidationError as error:
        name = next((one or two for one, two in _NAMED.findall(str(error))), "")
        if name in ENVIRONMENT_ONLY:
            step = f"{name} cannot come from the file; take the line out and set {ENVIRONMENT_ONLY[name]}"
            raise UsageError(f"{_place(str(path), name)}: {step}") from error
        raise UsageError(f"{_place(str(path), name)}: {error}; correct it or take the line out") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}; correct it, or remove it to go back to the defaults") from error


def _place(origin: str, name: str) -> str:
    """Where a setting was given, for a message: the file with its line, or what else ``origin`` names."""
    if Path(origin).name != FILE_NAME:
        return origin
    given = re.compile(rf"""["']?{re.escape(name)}["']?\s*[=.]|\[+\s*["']?{re.escape(name)}\b""")
    lines = Path(origin).read_text("utf-8").splitlines()
    return next((f"{origin}:{number}" for number, line in enumerate(lines, 1) if given.match(line.lstrip())), origin)


def _zone(value: str, place: str) -> str:
    try:
        return check_zone(value)
    except UsageError as error:
        raise UsageError(f"{place}: zone: {error}") from error


def _path(text: str, place: str, user_home: Path) -> Path:
    """A path as a person typed it; ``~`` is the home folder that transcripts are looked for in."""
    if not text or "\0" in text:
        raise UsageError(f"{place}: {text!r} is no path; name one, or leave it out")
    if text == "~" or text.startswith("~/"):
        return user_home / text[2:]
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{place}: {text!r}: there is no such user here; write the whole path") from error


def _roots(typed: list[str | dict[str, str]], path: Callable[[str, str], Path], place: str) -> tuple[Root, ...]:
    roots = []
    for entry in typed:
        fields = {"path": entry} if isinstance(entry, str) else entry
        if "path" not in fields:
            raise UsageError(f'{place}: roots: an entry has no `path`; write {{ path = "/folder", machine = "name" }}')
        if strange := sorted(fields.keys() - {"path", "machine"}):
            raise UsageError(f"{place}: roots: an entry has `{strange[0]}`; only `path` and `machine` are known")
        found = path("roots", fields["path"])
        roots.append(Root(found, fields["machine"]) if fields.get("machine") else Root(found))
    return tuple(roots)


def _private(typed: list[str], user_home: Path, place: str) -> tuple[str, ...]:
    """Native ids as they are, and folders with their ``~`` written out; an empty entry would be every folder."""
    return tuple(
        str(_path(entry, f"{place}: private", user_home)) if entry.startswith("~") or not entry else entry
        for entry in typed
    )


def _choice(value: str, place: str) -> ToolResults:
    if value not in get_args(ToolResults):
        raise UsageError(f"{place}: tool_results is {value!r}; use full, capped or off")
    return value  # type: ignore[return-value]


def _cap(value: int, place: str) -> int:
    if value < 200:
        raise UsageError(f'{place}: tool_result_cap is {value}; use at least 200, or tool_results = "off"')
    return value


def _switch(value: bool | str, place: str) -> bool:
    if isinstance(value, bool):
        return value
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if value.lower() not in known:
        raise UsageError(f"{place}: {value!r} is neither on nor off; write on or off")
    return known[value.lower()]


def _expressions(typed: list[str], path: Path) -> tuple[str, ...]:
    """Check the allow list: regular expressions, of which none lets everything through."""
    for expression in typed:
        try:
            problem = "lets everything through" if re.compile(expression).fullmatch("") else None
        except re.error as error:
            problem = f"is no regular expression ({error})"
        if problem:
            place = f"{path}:{_line_of(expression, path)}"
            raise UsageError(f"{place}: redaction_allow: {expression!r} {problem}; correct it or take it out")
    return tuple(typed)


def _line_of(typed: str, path: Path) -> int:
    """The line of the settings file where a string stands, as TOML's literal or basic strings write it."""
    written = (typed, typed.replace("\\", "\\\\"))
    lines = path.read_text("utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if any(form in line for form in written)), 1)


def _folder(env: Mapping[str, str], name: str, user_home: Path, origins: dict[str, str]) -> Path | None:
    variable = ENVIRONMENT_ONLY[name]
    value = env.get(variable)
    if not value:
        return None
    origins[name] = variable
    return _path(value, variable, user_home).absolute()
