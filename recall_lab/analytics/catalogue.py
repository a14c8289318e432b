"""The catalogue of named queries: one ``.sql`` file each, a comment head that says what it is, then plain DuckDB SQL.

The head is made of comment lines at the top of the file::

    -- title: Usage by day
    -- description: Tokens and cost of all model calls,
    --   by day of the zone.
    -- param since: time = none; only calls from this time on
    -- param zone: zone = local; the zone that days are counted in
    -- chart: usage_by_day

A parameter has a name, a type (text, integer, number, time, end, flag, zone), a default (``none`` is NULL) and a
meaning; the SQL names it as ``$since``. ``chart`` is a chart of ``recall_lab.analytics.charts`` with options, if the
result has one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from recall_lab.errors import QueryError
from recall_lab.model import Record
from recall_lab.shipped import shipped_folder

TYPES = ("text", "integer", "number", "time", "end", "flag", "zone")

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FIELD = re.compile(r"--\s*(title|description|chart|param\s+\S+)\s*:\s*(.*)")
_PARAMETER = re.compile(r"(?P<type>[a-z]+)\s*=\s*(?P<default>[^;]*?)\s*;\s*(?P<meaning>.+)")
# Quoted text, quoted names and comments are skipped, so that a $ within them is no parameter.
_USED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\$([A-Za-z_]\w*)", re.DOTALL)


class Parameter(Record, frozen=True, kw_only=True):
    """One parameter of a named query.

    Attributes:
        name: As the SQL names it after ``$``.
        type: One of ``TYPES``. ``time`` and ``end`` take the times that people type; an
            ``end`` that is a day includes it.
        default: As it is written in the head; None is NULL.
        meaning: What it does.
    """

    name: str
    type: str
    default: str | None
    meaning: str


class Chart(Record, frozen=True, kw_only=True):
    """The chart that shows a query's result: its name and its options."""

    name: str
    options: dict[str, str] = msgspec.field(default_factory=dict)


class NamedQuery(Record, frozen=True, kw_only=True):
    """A named query: what its head says, and its SQL."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    chart: Chart | None
    sql: str
    path: Path


class Catalogue:
    """All named queries: those that came with recall_lab, then the user's own, which may replace one by its name."""

    def __init__(self, queries: Mapping[str, NamedQuery], unusable: Mapping[str, QueryError] | None = None) -> None:
        self._queries = dict(sorted(queries.items()))
        self._unusable = dict(unusable or {})

    @classmethod
    def load(cls, extra_folders: Iterable[Path] = ()) -> Catalogue:
        """Read every ``.sql`` file of the shipped folder and of ``extra_folders``; a folder that is not there is empty.

        A file that cannot be used keeps nobody from the other queries; ``unusable`` says what is wrong with it.
        """
        queries = {query.name: query for query in map(read_query, sorted(shipped_folder("queries").glob("*.sql")))}
        unusable: dict[str, QueryError] = {}
        for folder in extra_folders:
            for path in sorted(folder.glob("*.sql")):
                try:
                    query = read_query(path)
                except QueryError as error:
                    queries.pop(path.stem, None)  # it was to take its place
                    unusable[path.stem] = error
                else:
                    queries[query.name] = query
                    unusable.pop(query.name, None)
        return cls(queries, unusable)

    @property
    def unusable(self) -> tuple[str, ...]:
        """What is wrong with the files that cannot be used: one line each, with the file and mostly the line."""
        return tuple(map(str, self._unusable.values()))

    def __iter__(self) -> Iterator[NamedQuery]:
        return iter(self._queries.values())

    def __len__(self) -> int:
        return len(self._queries)

    def __contains__(self, name: object) -> bool:
        return name in self._queries

    def get(self, name: str) -> NamedQuery:
        """Return the query of this name.

        Raises:
            QueryError: there is none, and the message names the nearest ones; or its file cannot be used.
        """
        if name in self._unusable:
            raise self._unusable[name]
        found = self._queries.get(name)
        if found is None:
            from difflib import get_close_matches

            near = get_close_matches(name, self._queries, n=3)
            hint = f"did you mean {', '.join(near)}?" if near else "run `recall-lab query` for the list"
            raise QueryError(f"there is no query named {name!r}; {hint}")
        return found


def read_query(path: Path) -> NamedQuery:
    """Read one named query.

    Raises:
        QueryError: it cannot be read, or its head or parameters cannot be used.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path}: cannot be read as a named query ({type(error).__name__})") from error
    return parse_query(text, path)


def parse_query(text: str, path: Path) -> NamedQuery:
    """Understand the text of one ``.sql`` file; its name is the file's.

    Raises:
        QueryError: the head or the parameters cannot be used; the message names the file and the line.
    """
    if not _NAME.fullmatch(path.stem):
        raise QueryError(f"{path}: a query's file is named in small letters, digits and _, such as my_query.sql")
    fields: dict[str, str] = {}
    parameters: list[Parameter] = []
    chart: Chart | None = None
    last = ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("--"):
            break
        found = _FIELD.fullmatch(line.rstrip())
        if found is None:
            if last not in fields:
                raise QueryError(
                    f"{path}:{number}: expected `-- title:`, `-- description:`, `-- param NAME:` or `-- chart:`"
                )
            fields[last] = f"{fields[last]} {line.removeprefix('--').strip()}".strip()
            continue
        last, value = found[1], found[2].strip()
        if last.startswith("param"):
            parameters.append(_parameter(last.split()[1], value, f"{path}:{number}"))
        elif last == "chart":
            chart = _chart(value, f"{path}:{number}")
        elif last in fields:
            raise QueryError(f"{path}:{number}: a second `-- {last}:`")
        else:
            fields[last] = value
    for field in ("title", "description"):
        if not fields.get(field):
            raise QueryError(f"{path}: the head lacks `-- {field}: …`")
    sql = "\n".join(lines[_head(lines) :]).strip().rstrip(";").strip()
    if not sql:
        raise QueryError(f"{path}: there is no SQL after the head")
    _check_parameters(parameters, sql, path)
    return NamedQuery(
        name=path.stem,
        title=fields["title"],
        description=fields["description"],
        parameters=tuple(parameters),
        chart=chart,
        sql=sql,
        path=path,
    )


def _head(lines: list[str]) -> int:
    return next((number for number, line in enumerate(lines) if not line.startswith("--")), len(lines))


def _parameter(name: str, text: str, where: str) -> Parameter:
    found = _PARAMETER.fullmatch(text)
    if found is None or not _NAME.fullmatch(name):
        raise QueryError(f"{where}: write a parameter as `-- param name: type = default; what it does`")
    if found["type"] not in TYPES:
        raise QueryError(f"{where}: {found['type']!r} is no type of a parameter; use one of {', '.join(TYPES)}")
    default = None if found["default"] in {"none", ""} else found["default"]
    return Parameter(name=name, type=found["type"], default=default, meaning=found["meaning"].strip())


def _chart(text: str, where: str) -> Chart:
    try:
        name, *options = shlex.split(text)
        pairs = [option.split("=", 1) for option in options]
        return Chart(name=name, options=dict((key, value) for key, value in pairs))  # noqa: C402 - checks the pairs
    except ValueError as error:
        raise QueryError(f"{where}: write a chart as `-- chart: name option=value`") from error


def _check_parameters(parameters: list[Parameter], sql: str, path: Path) -> None:
    names = [parameter.name for parameter in parameters]
    used = {match[1] for match in _USED.finditer(sql) if match[1]}
    for name in names:
        if names.count(name) > 1:
            raise QueryError(f"{path}: two parameters are named {name!r}")
        if name not in used:
            raise QueryError(f"{path}: the parameter {name!r} is not used in the SQL; remove it, or write ${name}")
    for name in sorted(used - set(names)):
        raise QueryError(f"{path}: the SQL uses ${name}, which the head does not declare; add `-- param {name}: …`")
