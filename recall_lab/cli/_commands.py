"""The commands, each in a module that is imported when the command runs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True)
class Entry:
    """One command: the module that holds it, under what heading, and its line in the overview."""

    module: str
    heading: str
    line: str


class Commands(click.Group):
    """A group that knows its commands by name and imports only the one that runs."""

    def __init__(self, *args: object, entries: dict[str, Entry], **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every name, in the order of the overview."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command by its name."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        made = getattr(import_module(entry.module), cmd_name.replace("-", "_") + "_")
        assert isinstance(made, click.Command)
        return made

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one is answered with the nearest names."""
        name = args[0]
        if name not in self.entries and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, self.entries, n=2)
            step = f"did you mean {' or '.join(near)}?" if near else f"{ctx.command_path} --help lists them"
            raise click.UsageError(f"there is no command {name!r}; {step}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the overview by headings, without importing a command."""
        width = max(map(len, self.entries))
        for heading in dict.fromkeys(entry.heading for entry in self.entries.values()):
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(width), e.line) for name, e in self.entries.items() if e.heading == heading]
                )
