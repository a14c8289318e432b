"""Verifying a file: every receipt in it is checked again, with the words that the file prints."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from recall_lab.errors import NotFoundError, UsageError
from recall_lab.evidence.checking import check
from recall_lab.evidence.forms import html_page, markdown, notebook, web_annotations
from recall_lab.evidence.forms.printing import Contents, Quotation
from recall_lab.evidence.receipts import parse_receipt
from recall_lab.model import Failed, Verification
from recall_lab.store import Reader
from recall_lab.store import reading as store

_LARGEST = 256 * 1024 * 1024


def verify(reader: Reader, path: str | Path, *, strict: bool = False, edits: bool = False) -> Verification:
    """Check every receipt of a file in any of the four forms, or of any other text file.

    A receipt is valid when its block is there, a session holds the text that it was made from, and the words that the
    file prints are that text's characters at the receipt's span. A receipt without printed words is valid when the span
    lies inside the text. A file without receipts verifies nothing: ``checked`` is 0. A brief that was changed anywhere
    since it was saved fails as ``edited``.

    Args:
        reader: The store.
        path: The file.
        strict: Fail also what cannot be told: a receipt without its words beside it, a file without a seal.
        edits: Let the writer change what stands around the quotations and receipts.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read as UTF-8 text, or its JSON is broken.
    """
    target = Path(path).expanduser()
    try:
        text = _whole(target).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise NotFoundError(f"{target}: no such file; check the path") from error
    except OSError as error:
        raise UsageError(f"{target}: cannot be read ({error.strerror}); check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{target}: not UTF-8 text (byte {error.start}); verify the file as it was saved") from error
    return verify_text(reader, text, target.suffix, name=str(target), strict=strict, edits=edits)


def _whole(path: Path) -> bytes:
    """Read a file; a device, which may have no end, is none."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
            raise UsageError(f"{path}: a device, not a file; verify the file as it was saved")
        data = file.read(_LARGEST + 1) if found.st_size <= _LARGEST else b""
    if max(found.st_size, len(data)) > _LARGEST:
        raise UsageError(f"{path}: larger than {_LARGEST >> 20} MB; split it")
    return data


def verify_text(
    reader: Reader, text: str, suffix: str, *, name: str = "the document", strict: bool = False, edits: bool = False
) -> Verification:
    """Check every receipt of a document as ``verify`` does; ``suffix`` names its form, ``name`` is for messages.

    Raises:
        UsageError: its JSON is broken.
    """
    form = suffix.lower()
    # No form prints a carriage return as such: where every line ends in one, another program has put it there.
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        text = text.replace("\r\n", "\n")
    if form in {".html", ".htm"}:
        found = html_page.contents(text)
    elif form in {".json", ".ipynb", ".jsonld"}:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}: not JSON that can be read; verify the file as it was saved") from error
        found = notebook.contents(value) if notebook.is_notebook(value) else web_annotations.contents(value)
    else:
        found = markdown.contents(text)
    with store.snapshot(reader):
        verdicts = list(_verdicts(reader, found, strict=strict))
    failed = [verdict for verdict in verdicts if verdict is not None]
    valid = len(verdicts) - len(failed)
    if verdicts:
        failed += _file_verdicts(found, strict=strict, edits=edits)
    return Verification(checked=len(verdicts), valid=valid, failed=tuple(failed))


def _file_verdicts(found: Contents, *, strict: bool, edits: bool) -> Iterator[Failed]:
    """Yield what is wrong with the file as a whole; it has no receipt."""
    if found.sealed is False and not edits:
        detail = "it was changed since it was saved, around its quotations or in them"
        yield Failed(receipt="", verdict="edited", detail=detail)
    if found.sealed is None and strict:
        detail = "it has no seal, so changes around its quotations do not show"
        yield Failed(receipt="", verdict="unsealed", detail=detail)


def _verdicts(reader: Reader, found: Contents, *, strict: bool) -> Iterator[Failed | None]:
    """Yield one verdict for each receipt, None for valid."""
    for quotation in found.quotations:
        yield _verdict(reader, quotation)
    for receipt in found.bare:
        failed = _verdict(reader, Quotation(receipt=receipt, text=None))
        if failed is None and strict:
            detail = "the words that it is for do not stand beside it"
            failed = Failed(receipt=receipt, verdict="unquoted", detail=detail)
        yield failed
    for receipt, detail in found.damaged:
        yield Failed(receipt=receipt, verdict="damaged", detail=detail)
    if found.declared is not None and found.declared != len(found.quotations):
        yield Failed(
            receipt="",
            verdict="damaged",
            detail=f"the file says it has {found.declared} quotations, {len(found.quotations)} were found",
        )


def _verdict(reader: Reader, quotation: Quotation) -> Failed | None:
    def failed(verdict: str, detail: str) -> Failed:
        return Failed(receipt=quotation.receipt[:160], verdict=verdict, detail=detail)

    try:
        receipt = parse_receipt(quotation.receipt)
    except UsageError:
        return failed("damaged", "not a receipt any more; compare it with the place it was copied from")
    texts = store.stored_texts(reader, receipt.block_id)
    if not texts:
        return failed("gone", "no block has this id in this store")
    cited = next((stored for stored in texts if stored.content_hash.startswith(receipt.hash_head)), None)
    if cited is None:
        if not quotation.text:
            return failed("changed", "the block's text has another hash now")
        now = check(reader, receipt.block_id, quotation.text, position=receipt.start)
        where = f"; the words stand at {now.start}-{now.end} of it" if now.start is not None else ""
        return failed("changed", f"the block's text has another hash now{where}")
    if receipt.end > len(cited.text):
        return failed("absent", f"the span ends at {receipt.end}, the text at {len(cited.text)}")
    if quotation.content_hash not in {"", cited.content_hash}:
        return failed("damaged", "the hash beside the receipt is not that of the text")
    words = cited.text[receipt.start : receipt.end]
    if quotation.text is not None and words != quotation.text:
        return failed("absent", _difference(words, quotation.text))
    before = cited.text[max(0, receipt.start - len(quotation.prefix)) : receipt.start]
    after = cited.text[receipt.end : receipt.end + len(quotation.suffix)]
    if before != quotation.prefix or after != quotation.suffix:
        return failed("absent", "the words before or after the quotation are not those of the text")
    if cited.placed:
        return None
    now = check(reader, receipt.block_id, words, expected_hash=receipt.hash_head, position=receipt.start)
    if now.verdict == "gone":
        return failed("gone", "no session holds the block any more; its last text is kept as a revision")
    where = f"the words stand at {now.start}-{now.end} of it" if now.start is not None else "the words are not in it"
    return failed("changed", f"the block's text was edited since; {where}")


def _difference(words: str, printed: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(words, printed, strict=False)) if a != b), min(len(words), len(printed))
    )
    return f"the quotation as printed differs from the text at its character {at + 1}"
