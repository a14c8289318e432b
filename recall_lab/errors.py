"""What can go wrong, as a tree. Every message is one line: what, with what, and the next step.

RecallLabError
├── UsageError (ValueError)          a value that a person typed cannot be used
│   ├── QueryError                   a named query or its parameter
│   └── TimeError                    a time that could not be understood
├── NotFoundError (LookupError)      an id, file or name that is not there
│   ├── NoStoreError                 there is no store yet
│   └── UnknownBlockError            no block has this id
├── CitationError (ValueError)       the words are not in the block
├── SourceError (OSError)            a transcript that cannot be read as one
├── StoreError (OSError)             the store cannot be opened, read or written
│   ├── StoreVersionError            made by a newer program, or by another program
│   ├── StoreBusyError               another writer holds it
│   └── StoreFullError               no room on the disk
├── MirrorError (OSError)            the mirror cannot be built or opened
├── RedactionError (RuntimeError)    the detector cannot be loaded; nothing is captured without it
└── SemanticError (RuntimeError)     search by meaning has no model or no vectors
"""

from __future__ import annotations


class RecallLabError(Exception):
    """Base of every error that recall_lab raises on purpose.

    Attributes:
        exit_code: What the command line returns for it (2, "cannot", unless a subclass says otherwise).
    """

    exit_code = 2


class UsageError(RecallLabError, ValueError):
    """A value that a person typed cannot be used."""


class QueryError(UsageError):
    """A named query, or one of its parameters, cannot be used."""


class TimeError(UsageError):
    """A time that could not be understood."""


class NotFoundError(RecallLabError, LookupError):
    """An id, a file or a name that is not there."""


class NoStoreError(NotFoundError):
    """There is no store yet."""


class UnknownBlockError(NotFoundError):
    """No block has this id."""


class CitationError(RecallLabError, ValueError):
    """The words are not in the block, or the span lies outside it."""

    exit_code = 1


class SourceError(RecallLabError, OSError):
    """A transcript that cannot be read as one."""


class StoreError(RecallLabError, OSError):
    """The store cannot be opened, read or written."""


class StoreVersionError(StoreError):
    """The file was made by a newer recall_lab, or by another program."""


class StoreBusyError(StoreError):
    """Another process is writing to the store."""


class StoreFullError(StoreError):
    """The disk has no room for the next write."""


class MirrorError(RecallLabError, OSError):
    """The mirror cannot be built or opened."""


class RedactionError(RecallLabError, RuntimeError):
    """The detector cannot be loaded, so nothing may be captured."""


class SemanticError(RecallLabError, RuntimeError):
    """Search by meaning has no model or no vectors."""
