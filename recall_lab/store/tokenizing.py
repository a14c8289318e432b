"""Terms: what the full-text index's own tokenizer makes of a text."""

from __future__ import annotations

from typing import Any, Final

import apsw

_TOKENIZER: Final = ("unicode61", "remove_diacritics", "2")
_STEMS_KEPT: Final = 50_000


class Tokenizing:
    """The tokenizer of the index, ``porter unicode61``, for texts and queries alike."""

    def __init__(self, db: apsw.Connection) -> None:
        self._tokenize = db.fts5_tokenizer("porter", list(_TOKENIZER))
        self._stems: dict[str, str] = {}

    def terms(self, form: str) -> list[str]:
        """Tokenise an index form; return the stemmed terms in order."""
        data = form.encode("utf-8", "replace")
        found: Any = self._tokenize(
            data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
        )
        return list(found)

    def stem(self, word: str) -> str:
        """The term of one word of letters and digits; remembered, as texts repeat their words."""
        found = self._stems.get(word)
        if found is None:
            if len(self._stems) >= _STEMS_KEPT:
                self._stems.clear()
            found = self._stems[word] = " ".join(self.terms(word))
        return found

    def tokens(self, form: str) -> list[tuple[int, int, str]]:
        """Tokenise an index form; return of each token its first byte in UTF-8, its end, and the stemmed term."""
        data = form.encode("utf-8", "replace")
        found: Any = self._tokenize(
            data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=True, include_colocated=False
        )
        return list(found)
