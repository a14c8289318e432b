"""What every command shares: its options, one JSON value or text on standard output, notices on standard error."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recall_lab.cli import _terminal
from recall_lab.display import HOSTILE, visible
from recall_lab.errors import UsageError

if TYPE_CHECKING:
    from recall_lab.lab import Lab

# What JSON may hold raw but a terminal should not see raw.
_UNPRINTABLE = re.compile(f"[{HOSTILE}]")


class NamedPath(click.Path):
    """A path that somebody named; an empty one would mean the working folder, which nobody named.

    Args:
        checks: What click may look at: ``exists``, ``file_okay``, ``dir_okay``.
    """

    def __init__(self, **checks: bool) -> None:
        super().__init__(path_type=Path, **checks)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or refuse the empty word."""
        if value == "":
            step = "name one" if param is not None and param.required else "name one, or leave it out"
            self.fail(f"the path is empty; {step}", param, ctx)
        return super().convert(value, param, ctx)


class Unread(Exception):  # noqa: N818 - nothing went wrong
    """Whoever read the answer has read enough."""


class Interrupted(Exception):  # noqa: N818 - the person wanted it
    """The person pressed Ctrl-C while a command ran."""


@dataclass
class Face:
    """One run of the command line: where the store is, and how the answer is printed.

    Attributes:
        home: The folder of ``--home``; ``None`` leaves it to RECALL_LAB_HOME and the default.
        as_json: Whether standard output takes one JSON value and nothing else.
        command: The command that ran, such as ``eval retrieval``; never its arguments.
    """

    home: Path | None = None
    as_json: bool = False
    command: str = ""
    _labs: dict[bool, Lab] = field(default_factory=dict)

    def lab(self, *, create: bool = False) -> Lab:
        """The Lab of this home; ``create`` allows a home that holds no store yet."""
        if create not in self._labs:
            from recall_lab.lab import open_lab

            self._labs[create] = open_lab(self.home, create=create)
            self._say_zone(self._labs[create].zone)
        return self._labs[create]

    def _say_zone(self, zone: str) -> None:
        """Say once that TZ cannot be used; a zone of the settings needs none."""
        from recall_lab.times import ignored_zone, local_zone

        ignored = ignored_zone()
        if ignored and zone == local_zone() and len(self._labs) == 1:
            self.note(f"note: TZ={ignored} is not a time zone that is known here; days and times are {zone}")

    def close(self) -> None:
        """Let go of the store."""
        for lab in self._labs.values():
            lab.close()

    def answer(self, value: object) -> None:
        """Print ``value`` as the one JSON value of this run."""
        click.echo(encode(value, indent=2 if _terminal.is_terminal(sys.stdout) else 0))

    def note(self, text: str) -> None:
        """Say something on standard error."""
        click.echo(visible(text), err=True)

    @property
    def progress(self) -> bool:
        """Whether a progress bar has somebody to look at it."""
        return _terminal.is_terminal(sys.stderr)


def encode(value: object, *, indent: int = 0) -> str:
    """``value`` as JSON that is safe to look at in a terminal: records, times and numbers as JSON has them."""
    import msgspec

    try:
        text = msgspec.json.Encoder(enc_hook=_plain, decimal_format="number").encode(value).decode()
    except UnicodeEncodeError:  # a file name that is not UTF-8
        text = json.dumps(msgspec.to_builtins(value, enc_hook=_plain))
    if indent:
        text = msgspec.json.format(text, indent=indent)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _plain(value: object) -> object:
    """The JSON form of a path, or of a number or time from a frame."""
    if isinstance(value, Path):
        return str(value)
    for method in ("item", "isoformat"):
        if hasattr(value, method):
            return getattr(value, method)()
    raise NotImplementedError(f"no JSON form for {type(value).__name__}")


def home_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--home``."""
    return click.option(
        "--home",
        type=NamedPath(file_okay=False),
        metavar="DIR",
        help="The folder that holds store, mirror, caches and settings (else RECALL_LAB_HOME, else the default).",
    )(function)


def command(
    name: str | None = None, *, json: bool = True, own_home: bool = False, **settings: Any
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command of a function that takes a :class:`Face` first; its docstring is the help.

    Args:
        name: The command's name; the function's name unless given.
        json: Whether it takes ``--json``.
        own_home: Whether it has a home of its own, and takes no ``--home``.
        settings: More for click.

    The function returns an exit code, or nothing for 0.
    """

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @click.pass_context
        @functools.wraps(function)
        def run(context: click.Context, /, *, home: Path | None = None, as_json: bool = False, **options: Any) -> int:
            face = context.find_object(Face)
            assert face is not None
            face.home = home or face.home
            face.as_json = as_json
            face.command = " ".join(context.command_path.split()[1:])
            try:
                return function(face, **{name: _argument(name, value) for name, value in options.items()}) or 0
            except KeyboardInterrupt as error:
                raise Interrupted from error  # before click sees it, which would print an empty line
            except BrokenPipeError as error:
                raise Unread from error  # likewise: click would end with 1, which is an answer

        made: Callable[..., Any] = run if own_home else home_option(run)
        if json:
            made = click.option("--json", "as_json", is_flag=True, help="Print one JSON value on standard output.")(
                made
            )
        label = name or function.__name__.removesuffix("_").replace("_", "-")
        return click.command(label, click.Command, **settings)(made)

    return decorate


def _argument(name: str, value: Any) -> Any:
    """What was typed for a parameter: text that is UTF-8, where other bytes become U+FFFD, and numbers that count."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, tuple):
        return tuple(_argument(name, one) for one in value)
    if isinstance(value, int | float) and not -(2**63) <= value < 2**63:  # what is no number is in no span
        raise UsageError(f"{name.replace('_', ' ')} {value}: beyond all that can be counted; give a smaller number")
    return value
