"""The page that lists the named queries, made from their heads.

``python -m recall_lab.analytics.documentation`` writes ``docs/queries.md`` of a checkout; a test sees that it is
current.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recall_lab.analytics.catalogue import Catalogue, NamedQuery

_TOP = """\
# Named queries

Each is one file of `queries/`: a comment head, then plain DuckDB SQL over the mirror (`recall_lab/mirror/schema.sql`
says what its tables hold). Run one with `recall-lab query NAME --param value`, `lab.query("NAME", param=value)` or, for
its picture, `lab.chart("NAME")`. A folder `queries/` in the home of the store adds your own, in the same form; one of
the same name goes before the one listed here.

A parameter of type `time` or `end` takes what people type (`2026-05-01`, `yesterday 3pm`, `last 48h`), in your zone; an
`end` that is a day includes it. `zone` is an IANA name. Left out, a parameter is its default.

This page is made from the heads by `python -m recall_lab.analytics.documentation`.
"""


def document(catalogue: Catalogue) -> str:
    """Return the page as Markdown: an overview, then each query with its parameters."""
    overview = [f"| [`{query.name}`](#{query.name}) | {query.title} |" for query in catalogue]
    parts = [_TOP, "\n".join(["| name | title |", "|---|---|", *overview]) + "\n"]
    parts.extend("\n".join(_section(query)) + "\n" for query in catalogue)
    return "\n".join(parts)


def _section(query: NamedQuery) -> Iterator[str]:
    yield f"## {query.name}"
    yield ""
    yield f"**{query.title}.** {query.description}"
    if query.chart is not None:
        yield ""
        yield f"Chart: `{query.chart.name}`."
    if query.parameters:
        yield ""
        yield "| parameter | type | default | |"
        yield "|---|---|---|---|"
        for parameter in query.parameters:
            default = "" if parameter.default is None else f"`{parameter.default}`"
            yield f"| `{parameter.name}` | {parameter.type} | {default} | {parameter.meaning} |"


def main() -> None:
    """Write the page beside the queries of this checkout."""
    page = Path(__file__).resolve().parents[2] / "docs" / "queries.md"
    page.write_text(document(Catalogue.load()), encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
