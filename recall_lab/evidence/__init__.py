"""Reading, citation, brief, verification; outcomes and exports of a session."""

from recall_lab.evidence.checking import check, check_citation, cite
from recall_lab.evidence.composing import chosen_hit, compose
from recall_lab.evidence.csl import csl_items
from recall_lab.evidence.earlier import find_revisions
from recall_lab.evidence.exporting import export_page
from recall_lab.evidence.folders import observe
from recall_lab.evidence.forms.outcome_text import continuation_markdown, repeat_markdown, session_markdown
from recall_lab.evidence.forms.outline import outline
from recall_lab.evidence.forms.session_json import session_json
from recall_lab.evidence.outcomes import continue_session, repeat_session
from recall_lab.evidence.paging import PagedSession, SessionPage, open_session
from recall_lab.evidence.pasted import Pasted, parse_pasted
from recall_lab.evidence.reading import read, revisions, session_view
from recall_lab.evidence.receipts import Receipt, parse_receipt
from recall_lab.evidence.records import (
    Action,
    Brief,
    Called,
    Chosen,
    Continuation,
    Coverage,
    EarlierText,
    Excerpt,
    Repeat,
    Repository,
    RetainedText,
    SessionView,
    SkillDraft,
)
from recall_lab.evidence.relations import session_relations
from recall_lab.evidence.replacing import check_replaceable
from recall_lab.evidence.saving import save, write_private
from recall_lab.evidence.skills import skillify
from recall_lab.evidence.verifying import verify, verify_text

__all__ = [
    "Action",
    "Brief",
    "Called",
    "Chosen",
    "Continuation",
    "Coverage",
    "EarlierText",
    "Excerpt",
    "PagedSession",
    "Pasted",
    "Receipt",
    "Repeat",
    "Repository",
    "RetainedText",
    "SessionPage",
    "SessionView",
    "SkillDraft",
    "check",
    "check_citation",
    "check_replaceable",
    "chosen_hit",
    "cite",
    "compose",
    "continuation_markdown",
    "continue_session",
    "csl_items",
    "export_page",
    "find_revisions",
    "observe",
    "open_session",
    "outline",
    "parse_pasted",
    "parse_receipt",
    "read",
    "repeat_markdown",
    "repeat_session",
    "revisions",
    "save",
    "session_json",
    "session_markdown",
    "session_relations",
    "session_view",
    "skillify",
    "verify",
    "verify_text",
    "write_private",
]
