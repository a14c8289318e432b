"""Every command with its place in ``recall-lab --help``; a test holds each line to the command's own docstring."""

from __future__ import annotations

from recall_lab.cli._commands import Entry

UPKEEP, EVIDENCE = "recall_lab.cli.upkeep", "recall_lab.cli.evidence"
ANALYSIS, WORKBENCH = "recall_lab.cli.analysis", "recall_lab.cli.workbench"
CAPTURE, FIND, CITE, COUNT, WORK = "Capture", "Search and read", "Cite", "Count", "Workbench"

COMMANDS: dict[str, Entry] = {
    "index": Entry("recall_lab.cli.capture", CAPTURE, "Capture what is new in your transcripts."),
    "status": Entry(UPKEEP, CAPTURE, "Count sources, sessions, records and bytes by what became of them."),
    "sources": Entry(UPKEEP, CAPTURE, "List the known transcripts and how far each is captured."),
    "doctor": Entry(
        "recall_lab.cli.doctor", CAPTURE, "Check store, sources and privacy, and what a host will delete soon."
    ),
    "config": Entry(UPKEEP, CAPTURE, "Show every setting, and where its value comes from."),
    "usage": Entry(ANALYSIS, COUNT, "Add up tokens and cost, each model call once."),
    "query": Entry(ANALYSIS, COUNT, "Run a named query, or list them all."),
    "mirror": Entry(ANALYSIS, COUNT, "Bring the DuckDB mirror up to date."),
    "sql": Entry(ANALYSIS, COUNT, "Ask the mirror in DuckDB SQL."),
    "eval": Entry("recall_lab.cli.evaluation", COUNT, "Measure search and redaction on labelled data."),
    "lab": Entry(WORKBENCH, WORK, "Open JupyterLab on your own copy of the notebooks."),
    "demo": Entry(WORKBENCH, WORK, "Walk through the main job on the packaged sample."),
    "search": Entry("recall_lab.cli.search", FIND, "Find passages, best first, each with WHY and its receipt."),
    "read": Entry(EVIDENCE, FIND, "Read a block in its place."),
    "sessions": Entry(UPKEEP, FIND, "List sessions, the newest first."),
    "session": Entry(UPKEEP, FIND, "Read one session, or a part of it."),
    "check": Entry(EVIDENCE, CITE, "Check whether exact words stand in a block."),
    "brief": Entry(EVIDENCE, CITE, "Write a cited brief for a question."),
    "verify": Entry(EVIDENCE, CITE, "Check every receipt in a file again."),
}
