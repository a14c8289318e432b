"""Any string in, a query out: never an exception, never an FTS syntax error; pure.

The language: words are OR-ed; ``"a phrase"`` is exact; ``-word`` and ``NOT word`` exclude; ``word*`` is a prefix;
``AND`` and ``OR`` in capitals join; all other punctuation is literal. Identifiers (paths, uuids, hashes, URLs, issue
numbers, snake_case, camelCase, kebab-case) are kept whole beside their words. A quotation that is not closed is still
being typed: its words are words, and the last one, at the very end, may go on. What has several lines was pasted, and
nothing in it excludes or joins.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, Literal

import msgspec

from recall_lab.search.dates import named_dates

MAX_QUERY: Final = 4000  # code points; more than anybody types, enough for a pasted error
MAX_CLAUSES: Final = 64

ClauseKind = Literal["word", "phrase", "prefix", "identifier", "compound"]


class Clause(msgspec.Struct, frozen=True):
    """One thing to look for.

    Attributes:
        kind: ``word``, quoted ``phrase``, ``prefix``, ``identifier`` (meant exactly as typed) or ``compound`` (a word
            with punctuation inside, such as ``don't``).
        text: As typed, without quotes and signs of the language.
        required: A hit must hold it.
        excluded: A hit must not hold it.
    """

    kind: ClauseKind
    text: str
    required: bool = False
    excluded: bool = False


class Query(msgspec.Struct, frozen=True):
    """A parsed query.

    Attributes:
        text: What was typed.
        clauses: What to look for, in order.
        alternatives: Indices of the clauses of each side of an ``OR``; one side when there is none.
        literal: The whole text may stand in a block as it is (no sign of the language but quotation marks was used).
        dates: The days and months that it names, as typed.
    """

    text: str
    clauses: tuple[Clause, ...]
    alternatives: tuple[tuple[int, ...], ...]
    literal: bool
    dates: tuple[str, ...] = ()


# Words that make a question and say nothing of what is asked.
_QUESTION_WORDS_TEXT: Final = """
a about after am an and any are as at be because been before being but by can could did do does doing for
from had has have having he her hers him his how i if in into is it its just me my no not of on or our ours
she should so than that the their theirs them then there these they this those to too up us was we were what
when where which who whom whose why will with would you your yours
"""
QUESTION_WORDS: Final = frozenset(_QUESTION_WORDS_TEXT.split())

_ITEM = re.compile(r'(?P<minus>-?)["“”](?P<phrase>[^"“”]+)["“”](?=\s|$|[,.;:!?)])|(?P<word>\S+)')
# From the last quotation mark, which begins a word and is closed by no other, up to the word that is being typed.
_OPEN = re.compile(r"""(?:^|[\s(\[{])["“]\w[^"“”]*(?<=\w)\Z""")
_PREFIX = re.compile(r"[^\W_][\w./:-]*[^\W_]\*|[^\W_]{2,}\*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,64}")
_ISSUE = re.compile(r"#\d+|[A-Z]{2,10}-\d+|GH-\d+")
_SIGNED = re.compile(r"c\+\+|[cf]#", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*")
_SNAKE = re.compile(r"_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*|_+[A-Za-z]\w*")
_KEBAB = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z0-9]+(?:[-.][A-Za-z0-9]+)+")
_EDGES = "\"'`“”\u2018\u2019.,;:!?()[]{}<>…*"
_SHELL_WORDS_TEXT: Final = """
rm ls cd mv cp cat grep rg sed awk find sort head tail mkdir chmod chown tar zip unzip echo export sudo kill
ps du df ln touch xargs make go sh bash env
"""
_SHELL_WORDS: Final = frozenset(_SHELL_WORDS_TEXT.split())
_FLAG: Final = 4  # characters of a word that is a flag of the program before it, as in ``bash -lc``, and no exclusion
_CMDLET = re.compile(r"\W*[A-Z][a-z]+-[A-Z]\w+")  # of PowerShell, whose flags are words
_OPERATORS = frozenset({"AND", "OR", "NOT"})


def parse(text: str) -> Query:
    """Turn any string into a query.

    Args:
        text: What was typed or pasted; beyond ``MAX_QUERY`` code points the rest is left out, from a word's beginning.

    Returns:
        The query; without clauses when nothing in the text can be searched.
    """
    if len(text) > MAX_QUERY:
        head = text[: MAX_QUERY + 1]
        # The beginning of a word is another word.
        text = head if head[-1].isspace() else head.rsplit(maxsplit=1)[0][:MAX_QUERY]
    text = text.replace("\x00", " ")
    items = [(m.group("minus"), m.group("phrase"), m.group("word") or "") for m in _ITEM.finditer(text)]
    as_it_is = "\n" in text.strip() or _is_command(text)
    clauses: list[Clause] = []
    sides: list[list[int]] = [[]]
    literal = True
    join, negate = False, False
    for position, (minus, phrase, typed) in enumerate(items):
        word = typed
        if word in _OPERATORS and not as_it_is and _has_operands(word, position, items):
            literal = False
            if word == "AND":
                join = True
                if sides[-1]:
                    last = sides[-1][-1]
                    clauses[last] = msgspec.structs.replace(clauses[last], required=not clauses[last].excluded)
            elif word == "OR":
                sides.append([])
                join = False
            else:
                negate = True
            continue
        excluded = negate or (bool(minus) and not as_it_is)
        negate = False
        if phrase is not None:
            clause = Clause("phrase", " ".join(phrase.split()))
            literal = literal and not excluded
        else:
            if word[0] == "-" and not as_it_is and re.match(r"-[^\W_]\w", word):
                excluded, word, literal = True, word[1:], False
            clause = _clause(word)
            literal = literal and clause.kind != "prefix"
            if position == len(items) - 1 and clause.text.isalnum() and len(clause.text) > 1 and _OPEN.search(text):
                clause = msgspec.structs.replace(clause, kind="prefix")
        if not any(map(str.isalnum, clause.text)) and not any(ord(c) > 0x7F for c in clause.text):
            continue
        if len(clauses) == MAX_CLAUSES:
            break
        sides[-1].append(len(clauses))
        if join or excluded:
            clause = msgspec.structs.replace(clause, required=join and not excluded, excluded=excluded)
        clauses.append(clause)
        join = False
    if clauses and all(clause.excluded for clause in clauses):
        # Nothing else to look for: then it is what to look for.
        clauses = [msgspec.structs.replace(clause, excluded=False) for clause in clauses]
    return Query(text, tuple(clauses), tuple(tuple(side) for side in sides if side), literal, named_dates(text))


def _has_operands(word: str, position: int, items: list[tuple[str, str, str]]) -> bool:
    after = position + 1 < len(items) and items[position + 1][2] not in _OPERATORS - {"NOT"}
    return after and (word == "NOT" or position > 0)


def _is_command(text: str) -> bool:
    """Whether a shell command was pasted, whose flags are no exclusions."""
    words = text.removeprefix("$ ").split()
    if len(words) < 2 or not any(word[0] == "-" for word in words[1:]):
        return False
    from recall_lab.text_entities import PROGRAMS

    programs = PROGRAMS | _SHELL_WORDS
    if words[0].rpartition("/")[2] in programs:
        return True
    return any(
        flag[0] == "-" and ((len(flag) <= _FLAG and one in programs) or _CMDLET.fullmatch(one) is not None)
        for one, flag in pairwise(words)
    )


def _clause(word: str) -> Clause:
    if _is_plain(word):
        return Clause("word", word)
    if word[-1] == "*" and _PREFIX.fullmatch(word):
        return Clause("prefix", word[:-1])
    if word.endswith("()"):
        word = word[:-2]
        kind: ClauseKind = "identifier"
    else:
        kind = "word"
    bare = word.strip(_EDGES) or word
    if word.startswith((".", "./", "../")) and len(bare) > 1 and "/" in word:
        bare = word.rstrip(_EDGES)
    owner, _, ending = bare.replace("\u2019", "'").rpartition("'")
    if ending.lower() == "s" and owner.isalnum() and owner.lower() not in QUESTION_WORDS:
        bare = owner
    if _SIGNED.fullmatch(bare) or _is_identifier(bare):
        kind = "identifier"
    elif (kind == "word" and not bare.replace("'", "").replace("\u2019", "").isalnum() and bare.isascii()) or (
        kind == "word" and ("'" in bare or "\u2019" in bare)
    ):
        kind = "compound"
    return Clause(kind, bare)


def _is_plain(word: str) -> bool:
    """Whether a word is of letters, of which the first alone may be a capital; most are."""
    return word.isalpha() and (len(word) == 1 or word[1:].islower())


def _is_identifier(word: str) -> bool:
    """Whether a word is meant exactly as it stands."""
    if _is_plain(word):
        return False
    if "://" in word or _UUID.fullmatch(word) or _HEX.fullmatch(word) or _ISSUE.fullmatch(word):
        return True
    if _CAMEL.fullmatch(word) or _SNAKE.fullmatch(word):
        return True
    if "/" in word or "\\" in word or "::" in word:
        return any(map(str.isalpha, word))
    if _KEBAB.fullmatch(word):
        dotted = "." in word and any(len(part) > 2 for part in word.split("."))
        return any(map(str.isdigit, word)) or dotted or word.count("-") > 1 or word.startswith("--")
    return False
