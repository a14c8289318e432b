"""How records look to a person: lines that are safe in a terminal, and HTML in which transcript text is only text.

Transcript text is hostile. Terminals get it with its control characters written out; notebooks get it escaped, in
tables whose colours come from JupyterLab's theme and fall back to plain ones elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from recall_lab.model import Check, Citation, Hit, IndexReport, Neighbor, Reading, Status, Verification, Why
from recall_lab.times import show_time

# C0 without tab and newline, DEL, C1, and the characters that reorder or hide text: a transcript that holds them
# could repaint the screen, set its title, or show a command other than the one it is. U+2028 and U+2029 break lines in
# some programs; lone surrogates cannot be encoded.
HOSTILE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff"
)
_HOSTILE = re.compile(f"[{HOSTILE}]")

NEIGHBOR_LENGTH = 600  # code points shown of a neighbouring block
_QUIET = "color:var(--jp-content-font-color2,#616161)"
_CELL = "text-align:left;vertical-align:top;white-space:normal;padding:6px 10px;max-width:46em"
_PASSAGE = "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext"
_BAR = "border-left:3px solid var(--jp-brand-color1,#1976d2);padding:4px 10px"
_AS_CODE = ";font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px)"
_MARK = "background:#ffe082;color:#1a1a1a;border-radius:2px;padding:0 1px"  # reads on light and on dark


def visible(text: str) -> str:
    """``text`` with everything that a terminal would obey written out (ESC as ``x1b`` behind a backslash)."""
    return _HOSTILE.sub(_written_out, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """``text`` safe for a terminal and on one line."""
    lines = (line.strip() for line in visible(text).split("\n"))
    return " ".join(line for line in lines if line).replace("\t", " ")


def shortened(text: str, length: int) -> str:
    """``text`` on one safe line of at most ``length`` characters."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def pieces(text: str, spans: Iterable[tuple[int, int]], offset: int = 0) -> list[tuple[str, bool]]:
    """Cut a passage at its highlights.

    Args:
        text: The passage.
        spans: Half-open spans in code points of the block; they may overlap or leave the passage.
        offset: Where the passage starts in the block.

    Returns:
        Pieces in order with whether each is highlighted; joined they are ``text``.
    """
    cut: list[tuple[str, bool]] = []
    done = 0
    for span_start, span_end in sorted(spans):
        start, end = max(span_start - offset, done), min(span_end - offset, len(text))
        if start >= end:
            continue
        cut += [(text[done:start], False), (text[start:end], True)]
        done = end
    return [piece for piece in (*cut, (text[done:], False)) if piece[0]]


def call_line(method: str, *values: object, **named: object) -> str:
    """The line of Python that repeats a call of the Lab."""
    told = [repr(value) for value in values] + [f"{name}={value!r}" for name, value in named.items()]
    return f"lab.{method}({', '.join(told)})"


def why_words(why: Why) -> list[str]:
    """Say in a few words each why a hit is there."""
    tiers = {"exact": "exact match", "all": "every term", "some": f"{why.coverage:.0%} of the terms by weight"}
    meaning = why.parts.get("meaning")
    words = [tiers[why.tier]] if why.terms or why.neighbors or why.title or why.tier != "some" else []
    if meaning is not None:
        words.append(f"similar in meaning ({meaning:.2f})")
    words += [f"phrase “{phrase}”" for phrase in why.phrases]
    words += [f"identifier {identifier}" for identifier in why.identifiers]
    if why.terms:
        words.append("terms " + ", ".join(why.terms))
    if why.neighbors:
        words.append("nearby " + ", ".join(why.neighbors))
    if why.title:
        words.append("title " + ", ".join(why.title))
    if "date" in why.parts:
        words.append("from that time")
    if why.recency < 1:
        words.append(f"age x{why.recency:.2f}")
    return words


def passage_html(text: str, spans: Iterable[tuple[int, int]] = (), offset: int = 0) -> str:
    """A passage as HTML, escaped, its spans in ``mark``."""
    return "".join(
        f'<mark style="{_MARK}">{_escaped(piece)}</mark>' if marked else _escaped(piece)
        for piece, marked in pieces(text, spans, offset)
    )


def hits_html(heading: str, hits: Sequence[Hit], zone: str = "UTC") -> str:
    """Hits as a table: where each stands, the passage with its highlights, the receipt, and WHY."""
    rows = "".join(_hit_row(number, hit, zone) for number, hit in enumerate(hits, 1))
    head = "".join(f'<th scope="col" style="{_CELL}">{name}</th>' for name in ("#", "Passage", "WHY it is here"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if hits else ""
    return f'<div class="recall-lab"><p style="{_QUIET}">{_escaped(heading)}</p>{table}</div>'


def _hit_row(number: int, hit: Hit, zone: str) -> str:
    where = _escaped(" · ".join(hit_place(hit, zone)))
    why = "<br>".join(_escaped(word) for word in why_words(hit.why))
    title = f"<strong>{_escaped(one_line(hit.title))}</strong><br>" if hit.title else ""
    code = _AS_CODE if hit.kind in {"tool_use", "tool_result"} else ""
    return (
        f'<tr><td style="{_CELL}">{number}</td><td style="{_CELL}">{title}'
        f'<span style="{_QUIET}">{where}</span>'
        f'<div dir="auto" style="{_PASSAGE}{code}">{passage_html(hit.text, hit.spans, hit.start)}</div>'
        f'<code style="{_QUIET};overflow-wrap:anywhere">{_escaped(hit.receipt)}</code></td>'
        f'<td style="{_CELL};max-width:16em">{why}</td></tr>'
    )


def hit_place(hit: Hit, zone: str) -> list[str]:
    """Where a hit stands, in a few words each."""
    from recall_lab.times import show_time

    place = [
        show_time(hit.timestamp, zone) if hit.timestamp else "undated",
        hit.host,
        hit.role if hit.kind == "text" else f"{hit.role} {hit.kind}",
        f"turn {hit.turn}",
    ]
    place += [short_repo(hit.repo)] if hit.repo else []
    return [*place, *([one_line(hit.branch)] if hit.branch else []), f"session {hit.session[:8]}"]


def short_repo(repo: str) -> str:
    """A repository's key as people know it; of a long path its last two folders."""
    parts = one_line(repo).split("/")
    return f"…/{'/'.join(parts[-2:])}" if repo.startswith("/") and len(parts) > 3 else one_line(repo)


def table_html(headers: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Any small table, every cell escaped."""
    head = "".join(f'<th scope="col" style="{_CELL}">{_escaped(name)}</th>' for name in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{_escaped(cell(value))}</td>' for value in row) + "</tr>" for row in rows
    )
    top = f'<caption style="text-align:left;{_QUIET}">{_escaped(caption)}</caption>' if caption else ""
    return f'<div class="recall-lab"><table>{top}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def cell(value: object) -> str:
    """A table cell as text: grouped digits, a hyphen for nothing, one safe line for text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    return one_line(str(value))


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 session``, ``2 sessions``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def megabytes(size: int) -> str:
    """Bytes as people read them (MB of 10^6 bytes)."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size:,} bytes"


def citation_html(citation: Citation) -> str:
    """A citation: its words and its receipt."""
    return (
        f'<div class="recall-lab"><blockquote dir="auto" style="{_PASSAGE}">{_escaped(citation.quote)}</blockquote>'
        f"<code>{_escaped(citation.receipt)}</code></div>"
    )


def check_html(check: Check) -> str:
    """What a quote check found, and what that proves."""
    rows: list[tuple[str, object]] = [("verdict", check.verdict), *([("says", check_words(check))])]
    rows += [("occurrence", f"{start}-{end}") for start, end in check.occurrences]
    rows += [("near", f"{near.start}-{near.end}: {near.why}") for near in check.near]
    return table_html(("", ""), rows)


def check_words(check: Check) -> str:
    """Say what a check proves and what it does not."""
    if check.valid:
        places = len(check.occurrences)
        where = "once" if places == 1 else f"{places} times"
        return f"these characters stand in the retained text {where}; that says nothing of their truth"
    return {
        "changed": "the block's text has changed since the citation was made",
        "absent": "these characters are not in the retained text",
        "gone": "the block has no text any more",
    }.get(check.verdict, check.verdict)


def reading_html(reading: Reading, spans: Iterable[tuple[int, int]] = ()) -> str:
    """A block in its place: neighbours before and after it, quieter."""
    before = "".join(_neighbor(one) for one in reading.neighbors if one.offset < 0)
    after = "".join(_neighbor(one) for one in reading.neighbors if one.offset > 0)
    title = f"<strong>{_escaped(one_line(reading.title))}</strong> " if reading.title else ""
    place = f"{reading.host} · session {reading.session[:8]} · turn {reading.turn} · {reading.role} {reading.kind}"
    extent = f"characters {reading.start:,}-{reading.end:,} of {reading.length:,}"
    code = _AS_CODE if reading.kind in {"tool_use", "tool_result"} else ""
    return (
        f'<div class="recall-lab"><p>{title}<span style="{_QUIET}">{_escaped(place)} · {extent}</span></p>{before}'
        f'<div dir="auto" style="{_PASSAGE}{code};{_BAR}">'
        f"{passage_html(reading.text, spans, reading.start)}</div>{after}</div>"
    )


def neighbor_text(neighbor: Neighbor) -> str:
    """The part of a neighbouring block that is nearest to the one that is read."""
    text: str = neighbor.text
    if len(text) <= NEIGHBOR_LENGTH:
        return text
    return f"… {text[-NEIGHBOR_LENGTH:]}" if neighbor.offset < 0 else f"{text[:NEIGHBOR_LENGTH]} …"


def _neighbor(neighbor: Neighbor) -> str:
    code = _AS_CODE if neighbor.kind in {"tool_use", "tool_result"} else ""
    return (
        f'<div dir="auto" style="{_PASSAGE};{_QUIET};padding:4px 13px{code}"><em>{_escaped(neighbor.role)}</em>\n'
        f"{_escaped(neighbor_text(neighbor))}</div>"
    )


def status_html(status: Status) -> str:
    """The store at a glance."""
    rows: list[tuple[str, object]] = [
        (name.replace("_", " "), getattr(status, name))
        for name in ("sources", "sessions", "turns", "blocks", "store_bytes")
    ]
    rows += [(f"bytes {name}", size) for name, size in status.bytes.by_disposition.items() if size]
    rows += [(f"sources {state}", number) for state, number in status.states.items()]
    when = f"{show_time(status.last_capture, 'UTC')} UTC" if status.last_capture else "none"
    return table_html(("", ""), [*rows, ("last capture", when)])


def report_html(report: IndexReport) -> str:
    """What a capture did."""
    rows = [(name, getattr(report, name)) for name in IndexReport.__struct_fields__ if name != "problems"]
    problems = [(p.source, p.state, p.detail, p.next) for p in report.problems]
    listed = table_html(("source", "state", "detail", "next"), problems) if problems else ""
    return table_html(("", ""), rows) + listed


def verification_html(verification: Verification) -> str:
    """What ``verify`` found."""
    caption = f"{verification.valid} of {verification.checked} receipts are valid"
    failed = [(f.receipt, f.verdict, f.detail) for f in verification.failed]
    return table_html(("receipt", "verdict", "detail"), failed, caption)


def register(shell: object) -> None:
    """Teach an IPython shell to show records as HTML.

    Args:
        shell: What ``IPython.get_ipython()`` returns.
    """
    formatters = getattr(getattr(shell, "display_formatter", None), "formatters", {})
    if "text/html" not in formatters:
        return
    for kind, function in {
        Check: check_html,
        Citation: citation_html,
        IndexReport: report_html,
        Reading: reading_html,
        Status: status_html,
        Verification: verification_html,
    }.items():
        formatters["text/html"].for_type(kind, function)


def _escaped(text: str) -> str:
    from html import escape  # a terminal needs none

    return escape(visible(text), quote=True)
