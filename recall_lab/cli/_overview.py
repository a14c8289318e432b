"""Every command with its place in ``recall-lab --help``; a test holds each line to the command's own docstring."""

from __future__ import annotations

from recall_lab.cli._commands import Entry

UPKEEP, EVIDENCE = "recall_lab.cli.upkeep", "recall_lab.cli.evidence"
ANALYSIS, WORKBENCH = "recall_lab.cli.analysis", "recall_lab.cli.workbench"
OUTCOMES, KEEPING, TENDING = "recall_lab.cli.outcomes", "recall_lab.cli.keeping", "recall_lab.cli.tending"
CAPTURE, FIND, CITE, NEXT = "Capture", "Search and read", "Cite", "Go on from a session"
COUNT, WORK, KEEP = "Count", "Workbench", "Look after the store"

COMMANDS: dict[str, Entry] = {
    "index": Entry("recall_lab.cli.capture", CAPTURE, "Capture what is new in your transcripts."),
    "status": Entry(UPKEEP, CAPTURE, "Count sources, sessions, records and bytes by what became of them."),
    "sources": Entry(UPKEEP, CAPTURE, "List the known transcripts and how far each is captured."),
    "doctor": Entry("recall_lab.cli.doctor", CAPTURE, "Check store and sources, and what a host will delete soon."),
    "redact": Entry(
        "recall_lab.cli.redact", CAPTURE, "Take secrets out of what is stored again, or find them in raw files."
    ),
    "config": Entry(UPKEEP, CAPTURE, "Show every setting, and where its value comes from."),
    "search": Entry("recall_lab.cli.search", FIND, "Find passages, best first, each with WHY and its receipt."),
    "semantic": Entry("recall_lab.cli.semantic", FIND, "Search by meaning, with a model on this machine."),
    "read": Entry(EVIDENCE, FIND, "Read a block in its place."),
    "sessions": Entry(UPKEEP, FIND, "List sessions, the newest first."),
    "session": Entry(UPKEEP, FIND, "Read one session, or a part of it."),
    "check": Entry(EVIDENCE, CITE, "Check whether exact words stand in a block."),
    "brief": Entry(EVIDENCE, CITE, "Write a cited brief for a question."),
    "verify": Entry(EVIDENCE, CITE, "Check every receipt in a file again."),
    "revisions": Entry(OUTCOMES, CITE, "List the texts that are kept of a block."),
    "related": Entry(OUTCOMES, NEXT, "List sessions that belong to another one, or to a repository, and why."),
    "continue": Entry(OUTCOMES, NEXT, "Show where a session was left, to take it up again."),
    "repeat": Entry(OUTCOMES, NEXT, "Show the prompts that drove a session, verbatim."),
    "skillify": Entry(OUTCOMES, NEXT, "Draft a SKILL.md from a window of a session."),
    "session-export": Entry(OUTCOMES, NEXT, "Export a session in pages for other programs."),
    "session-relations": Entry(OUTCOMES, NEXT, "Show how sessions belong together."),
    "usage": Entry(ANALYSIS, COUNT, "Add up tokens and cost, each model call once."),
    "report": Entry("recall_lab.cli.report", COUNT, "Write the dashboards as one HTML page that opens offline."),
    "query": Entry(ANALYSIS, COUNT, "Run a named query, or list them all."),
    "mirror": Entry(ANALYSIS, COUNT, "Bring the DuckDB mirror up to date."),
    "sql": Entry(ANALYSIS, COUNT, "Ask the mirror in DuckDB SQL."),
    "eval": Entry("recall_lab.cli.evaluation", COUNT, "Measure search and redaction on labelled data."),
    "bench": Entry("recall_lab.cli.bench", COUNT, "Measure what capture, search and mirror cost here."),
    "lab": Entry(WORKBENCH, WORK, "Open JupyterLab on your own copy of the notebooks."),
    "demo": Entry(WORKBENCH, WORK, "Walk through the main job on the packaged sample."),
    "export": Entry(OUTCOMES, KEEP, "Write a session, every session, or the whole store."),
    "import": Entry(KEEPING, KEEP, "Take in another store, redacted on the way."),
    "backup": Entry(KEEPING, KEEP, "Copy the store to a new file, and check the copy."),
    "restore": Entry(KEEPING, KEEP, "Put a backup in the place of the store."),
    "rescope": Entry(TENDING, KEEP, "Pin the sessions of a transcript to a repository."),
    "pin": Entry(TENDING, KEEP, "Keep a text of a block for good."),
    "unpin": Entry(TENDING, KEEP, "Let pinned texts of a block expire like others."),
    "gc": Entry(KEEPING, KEEP, "Drop old revisions; pinned ones stay."),
    "prune": Entry(KEEPING, KEEP, "Drop old revisions, and rows of transcripts that are gone."),
    "forget": Entry(KEEPING, KEEP, "Take something out of the store for good, and never capture it again."),
    "vacuum": Entry(TENDING, KEEP, "Rewrite the store's file without holes."),
    "stats": Entry(TENDING, KEEP, "Count what the store holds, and the room that it takes."),
    "activity": Entry(TENDING, KEEP, "Count how often recall_lab itself was used."),
    "uninstall": Entry(TENDING, KEEP, "Remove store, mirror, caches and settings."),
}
