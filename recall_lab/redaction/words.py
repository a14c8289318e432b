"""What stands around a word that speaks of secrets: an assignment, a flag, a cell, a sentence.

The detector's broad rule reports the word; here its surroundings decide whether a value belongs to it, and the value
whether it is a secret. Every look is bounded, so the cost is linear in the number of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction import chosen, shapes
from recall_lab.redaction.credentials import read_scheme
from recall_lab.redaction.judgement import accepts, kind_of_name
from recall_lab.redaction.logins import has_login_beside
from recall_lab.redaction.names import Promise, promise
from recall_lab.redaction.prose import read_preceding, read_spoken
from recall_lab.redaction.records import Spot
from recall_lab.redaction.tables import read_columns
from recall_lab.redaction.values import Value, read_value, whole
from recall_lab.redaction.wraps import extended, joined

_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"
_LONGEST_NAME = 80
_NAME_TAIL = re.compile(r"[A-Za-z0-9_ñ$-]{0,80}(?:\.[A-Za-z_]\w{0,40}){0,6}")
_WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_LONGEST_WORD = 24
_AFTER = re.compile(
    r"(?P<close>(?:[\\\"'`\u201d\u2019\])*}!]|\?(?!=)|&quot;|&#3[49];|%22|u0022){0,16})[ \t]{0,24}"
    r"(?P<separator>=>|:=|<-(?!-)|%3[aAdD]|\?{1,2}=|\?\?|\|\|=?|:-|={1,3}|:{1,2}|\uff1a|\uff1d|->"
    r"|[→➜⇒⟶\u203a»]|(?:\.{3,}|…)(?=[ \t])|or\b|,|>|\||│)?"
)
_NAMED_VALUE = re.compile(
    r"[\\\"'`]{0,8}[ \t]*(?:[,;/(]|\{[^{}]{0,400}?(?=\bdefault\b))?(?:\s|\\[nrt]|\\\\n){0,24}"
    r"(?:(?:[\w-]{1,20}=\"[^\"<>\n]{0,40}\" ){0,3}"
    r"(?:[\\\"']{1,8}\w{1,20}[\\\"']{1,8}:[ ]?"
    r"(?:true|false|\d{1,9}|[\\\"']{1,8}[\w.:/ -]{0,40}[\\\"']{1,8}),\s{0,24}){0,2}"
    r"[\\\"']{0,8}(?:[a-z]{1,12}:)?(?:default_?|secret_?|new_?|string_?|plain(?:text)?_?)?"
    r"(?:value|val|default|content)[\\\"']{0,8}[ \t]{0,8}[:=]|--?(?:body|value|b)(?:[ =]|(?=[\"']))|"
    r"(?:[\w-]{1,20}=\"[^\"<>\n]{0,40}\"){0,3}>\s{0,40}<value>"
    r"|\)?\.(?:set|and_?return|returns|then_?return|will_?return|mock_?return_?value(?:_?once)?)\("
    r"|</?[\w-]{1,20}>[ \t]?[:=]?(?:\s|\\[nrt]){0,12}"
    r"<(?:string|(?:[a-z]{1,12}-)?value|data|val|td|dd|code|kbd|samp|tt)>)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?i)(?:assert|expect|equals?|same|compare|setItem|set|put|add|store|save)\w{0,20}!?\([ \t]{0,4}"
    r"(?::\w{1,40},[ \t]?)?:?$"
)
_NETRC = re.compile(r"(?:machine|login|account|user|default)[ \t]+[^\s]{1,100}(?:\s|\\n)+$")
_SETTING = re.compile(
    r"(?:^|[\s;&|\"'`(])(?:ENV|ARG|LABEL|setenv|setx|SETX|set|put|add|create|config|configure|secrets?|vars?"
    r"|variables?|env|"
    r"[a-z]+:set|--build-arg|define|#define|export)(?:[ \t]+[\w./:@=-]+){0,3}[ \t]+[\w./:-]{0,80}$",
    re.MULTILINE,
)
_ABOUT_IT = re.compile(
    r"(?i)(?:(?:checksum|hash|digest|sha\d*)/|(?:hash|digest|sha\d*|md5|crc32)\(|arn:aws[^\s]{0,100}:)$"
)
_FALLBACK = re.compile(  # name = settings.get(...) ?: "X"
    r"\\?[\"']?[^\n\"'`]{0,40}?(?:\([^\n()]{0,60}\)[\w.]{0,30}(?:\(\))?)?[ \t]*(?:\?:|\?\?|\|\||\bor)[ \t]*(?=[\"'])"
)
_SPACED = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}(?![\w ])")  # a mail account's password for a program
_SET_TO = re.compile(r"[\"'`]?[ \t]+to[ \t]+[\"'`]?(?P<value>[A-Za-z]{6,40})[\"'`]?(?=[\s.,;)]|\Z)")
_SETS = re.compile(r"(?i)\b(?:set|sets|setting|changed?|changing|reset)(?:[ \t]+the)?[ \t]+[\"'`]?$")
_TYPED_NEXT = re.compile(
    r"[ \t]{1,4}(?:\*|\[\])?[A-Za-z][\w.]{1,24}\??[ \t]{1,4}:?=[ \t]{1,4}(?=[\"'`]|\[\]byte\()"
)  # adminPassword string = 'X'
# def api_token():
#     return "X"
_RETURNED = re.compile(r"\([^\n()]{0,80}\)[^\n(){}\"']{0,40}[:{]?\s{0,24}(?:return|=>|=)[ \t]{1,4}(?=[\"'`])")
_DUMPED = re.compile(r"\s{1,12}string\(\d+\)[ ](?=\")")  # PHP's var_dump
_CHILD = re.compile(
    r"[ \t]*\r?\n(?:[ \t]{1,24}[A-Za-z]{1,24}:[^\n]{0,80}\n){0,3}[ \t]{1,24}(?:[dD]efault|[vV]alue):[ \t]+(?=[^\s|>])"
)  # YAML: the value of a named entry
# NAME     X, as commands list what is set; the name starts the line.
_COLUMN = re.compile(r"[ \t]{2,60}(?P<value>[^\s\"'`|]{6,512})[ \t]*(?=\r?\n|\\n|\Z)")
_LINE_BEFORE = re.compile(r"(?:^|\n|\\n)[ \t]{0,12}$")
_SET_IN_QUOTES = re.compile(r"(?:set|put|add|create)[ \t]+[\"'][\w:./-]{0,60}$")  # secrets set "NAME" "X"
_FORM_FIELD = re.compile(r"\\?\"(?:\r?\n|\\r\\n|\\n){2}(?P<value>[^\s\\]{4,200})(?=\s|\\|\Z)")  # of a multipart form
_ENDS_LINE = re.compile(r"[;&]|\\[nrt]|[ \t]*(?:[\r\n#]|\Z)")
_CREATED = re.compile(r"(?i)(?:user|role|login|alter|create)\b[^\n;]{1,120}\bwith[ \t]+(?:encrypted[ \t]+)?$")
_SHELL_WORD = re.compile(r"[ \t]{1,8}(?P<value>\\{0,7}[\"'][^\"'\n]{1,512}[\"']|[^\s\"'`|;&<>()]{4,512})")
_QUOTED_NEXT = re.compile(r"[ \t]{0,4}[({]?[ \t]{0,2}(?=\\{0,7}[nN]?[\"'])")
_CONNECTORS = (" as ", " is ", " was ", " for ", "'s ", "\u2019s ")
_ASIDE = re.compile(r"(?P<value>[^\s\"'`*][^\s\"'`]{5,199})[\"'`*]{0,3}[ \t]\($")
_IDENTIFIED = re.compile(
    r"identified[ \t]+(?:with[ \t]+[\w'\"`]{1,40}[ \t]+)?(?:by|as)(?:[ \t]+password)?(?=[ \t]*\\{0,7}[^\s;])",
    re.IGNORECASE,
)
_CIPHER = re.compile(r"\bAES|[cC]ipher|[eE]ncrypt|[dD]ecrypt|[hH]mac|HMAC|[fF]ernet|[sS]ecretbox")
_TOKEN_PREFIX = re.compile(r"(?<![A-Za-z0-9_+/-])(?:[a-z][a-z0-9]{0,15}[_-]){0,3}$")
_TOKEN_REST = re.compile(r"[A-Za-z0-9]{0,200}(?![A-Za-z0-9_+/-])")
_QUERY = re.compile(r"(?:[?&](?:amp;|#38;)?|\\u0026|%26)$")
_JOINTS = ("/", "(", ":")
_QUERY_ENDS = ("?", "&", ";", "6")
_PARAMETERS = frozenset(("key", "sig", "auth", "k"))  # of a query, where they carry what is random


# Words that speak of secrets, as they stand in a line; short ones only by themselves or in camel case.
_WORDS = re.compile(
    r"(?i:passw|passphrase|passcode|pwd|pswd|secret|cred|token|key|bearer|authorization|"
    r"(?<![a-z])(?:pass|auth|pw|psk|salt|pat|sig|sid|jwt|pin)(?![a-z]))|(?<=[a-z0-9])(?:Pass|Psk|Pat|Pw"
    r"|Auth)(?![a-z])"
)


def words_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where words that speak of secrets stand between two code points."""
    for found in _WORDS.finditer(text, start, end):
        yield found.span()


def read_word(text: str, start: int, end: int) -> Iterator[Spot]:
    """Yield the secrets that belong to the word at ``text[start:end]``."""
    if (
        text[end : end + 1] == " "
        and not shapes.DIGIT.search(text, max(0, start - 120), end + 120)
        and text[start] not in "pP"
    ):
        return  # prose: a secret that a machine made has a digit
    left, right, name = _name(text, start, end)
    if name.endswith(".set") and text.startswith("(", right):
        name, right = name[:-4], right - 4
    held = promise(name)
    in_query = text[left - 1 : left] in _QUERY_ENDS and _QUERY.search(text, max(0, left - 8), left) is not None
    if held is None and in_query and name.lower() in _PARAMETERS:
        held, name = "hint", name.upper()
    if held is None:
        return
    if held == "hint" and in_query:
        held = "secret"
    if text[left - 1 : left] in _JOINTS and _ABOUT_IT.search(text, max(0, left - 120), left):
        return
    value = _value(text, left, right, name, held, in_query=in_query)
    if value is not None:
        spaced = _SPACED.match(text, value.start) if held == "password" else None
        if spaced and shapes.is_password(spaced[0]):
            yield Spot(*spaced.span(), "password")
            return
        cut_off = shapes.CUT_OFF.match(text, value.end) is not None
        weaker: Promise = "secret" if value.wrapped and held == "password" else held
        candidate = text[value.start : value.end]
        assigned = held == "password" and chosen.is_word(candidate) and _is_assigned(text, left, right, name, value)
        if not cut_off and (assigned or accepts(candidate, weaker, name, quoted=value.quoted)):
            yield Spot(value.start, whole(text, value.start, value.end), kind_of_name(name, held))
            return
        elsewhere = value.end if value.wrapped else None if value.quoted else value.start
        fallback = None if elsewhere is None else _FALLBACK.match(text, elsewhere)
        other = read_value(text, fallback.end()) if fallback else None
        if other and other.quoted and accepts(text[other.start : other.end], held, name, quoted=True):
            yield Spot(other.start, other.end, kind_of_name(name, held))
            return
        spot = read_scheme(text, value.start) or _over_a_break(text, value, weaker, name)
        if spot:
            yield spot
            return
    elif name.lower() == "bearer":
        spot = read_scheme(text, left)
        if spot:
            yield spot
        return
    told = _SET_TO.match(text, right) if name.isupper() and "_" in name else None
    if told and held == "password" and chosen.is_word(told["value"]) and _SETS.search(text, max(0, left - 24), left):
        yield Spot(*told.span("value"), "password")
        return
    yield from read_spoken(text, right, name, held)
    yield from read_columns(text, left, right)
    if " " in text[left - 1 : left] and any(word in text[max(0, left - 48) : left] for word in _CONNECTORS):
        yield from read_preceding(text, left, right, name, held)
    elif text[left - 1 : left] == "(" and text[right : right + 1] == ")":
        aside = _ASIDE.search(text, max(0, left - 200), left)
        if aside and shapes.is_secret(aside["value"]):
            yield Spot(*aside.span("value"), kind_of_name(name, held))


def _is_assigned(text: str, left: int, right: int, name: str, value: Value) -> bool:
    """Does this place plainly assign a password, so that even a plain word is one?

    A name in capitals does, as in an env file; and so does a user with a value beside it. SQL says it in words.
    """
    if text[right : right + 1] == "=" and name.isupper():
        return True
    if value.quoted and _CREATED.search(text, max(0, left - 160), left):
        return True
    if not value.quoted and not _ENDS_LINE.match(text, value.end):
        return False
    return has_login_beside(text, left)


def _name(text: str, start: int, end: int) -> tuple[int, int, str]:
    """The whole name around a word: ``DB_PASSWORD_PROD`` around PASS; two words of prose such as ``api key``."""
    before = text[max(0, start - _LONGEST_NAME) : start]
    left = start - len(before) + len(before.rstrip(_NAME_CHARACTERS))
    if left < start and left > 0 and text[left - 1] == "\\" and text[left] in "nrt":
        left += 1
    tail = _NAME_TAIL.match(text, end)
    right = tail.end() if tail else end
    name = text[left:right]
    if name.lower() in ("key", "keys", "token", "secret", "password", "code", "phrase"):
        before = text[max(0, left - 1 - _LONGEST_WORD) : left - 1] if text[left - 1 : left] in (" ", "\t") else ""
        first = before[len(before.rstrip(_WORD_CHARACTERS)) :]
        if first:
            at = left - 1 - len(first)
            if text[at - 1 : at] == "\\" and first[0] in "nrt":
                first = first[1:]
            name = f"{first} {name}"
    return left, right, name


def _value(text: str, left: int, right: int, name: str, held: Promise, *, in_query: bool) -> Value | None:
    if text.startswith("//", left - 2) and text.startswith(":", right):
        return None  # the user of a URL, which has a reader of its own
    after = _AFTER.match(text, right)
    assert after is not None
    separator, at = after["separator"], after.end()
    if separator == "|" and text.rfind("{{", max(0, left - 80), left) > text.rfind("}}", max(0, left - 80), left):
        return None  # a filter of a template
    if separator in (None, ",", ">"):
        named = _NAMED_VALUE.match(text, right)
        if named:
            return read_value(text, named.end())
    if separator is None:
        returned = _RETURNED.match(text, right) if text[right : right + 1] == "(" else None
        if returned:
            return read_value(text, returned.end())
        field = _FORM_FIELD.match(text, right)
        if field:
            return Value(*field.span("value"), quoted=True)
        typed = _TYPED_NEXT.match(text, right)
        if typed and not after["close"]:
            return read_value(text, typed.end())
        if name.startswith("-"):
            return _shell_word(text, right)
        close = len(after["close"])
        if close == 1 and text[right] in "\"'" and _SET_IN_QUOTES.search(text, max(0, left - 80), left):
            return _shell_word(text, right + 1)
        column = None if close else _COLUMN.match(text, right)
        if column and _LINE_BEFORE.search(text, max(0, left - 14), left):
            return Value(*column.span("value"), quoted=False)
        quoted = _QUOTED_NEXT.match(text, right)
        if (
            quoted
            and not after["close"]
            and (held == "password" or quoted[0][:1] in "({" or (name.isupper() and "_" in name))
        ):
            return read_value(text, quoted.end())
        if text[left:right].lower() == "password" and _NETRC.search(text, max(0, left - 120), left):
            return _shell_word(text, right)
        word = _shell_word(text, right)
        if (
            word
            and accepts(text[word.start : word.end], held, name, quoted=word.quoted)
            and _SETTING.search(text, max(text.rfind("\n", max(0, left - 120), left) + 1, left - 120, 0), left)
        ):
            return word
        return None
    if separator in (",", "or"):
        value = read_value(text, at)
        if separator == "," and not after["close"].strip("])*}?!\\"):
            if value is None:
                return None
            if value.quoted:
                return value if _COMPARED.search(text, max(0, left - 40), left) else None
            return value if text[at : at + 1] not in " \t" and name.isupper() else None
        return value if value and value.quoted else None
    dumped = _DUMPED.match(text, at) if separator == "=>" else None
    if dumped:
        return read_value(text, dumped.end())
    child = _CHILD.match(text, at) if separator == ":" else None
    if child:
        return read_value(text, child.end(), colon=True)
    value = read_value(
        text,
        at,
        colon=separator == ":",
        parameter=in_query,
        name_at=left,
    )
    bar = text.find("|", value.start, value.end) if value and separator == "|" and not value.quoted else -1
    return value._replace(end=bar) if value and bar > value.start else value


def _shell_word(text: str, at: int) -> Value | None:
    word = _SHELL_WORD.match(text, at)
    if not word:
        return None
    return read_value(text, word.start("value"), name_at=0)


def _over_a_break(text: str, value: Value, held: Promise, name: str) -> Spot | None:
    """A value that only a line break keeps from being one."""
    if text[value.end : value.end + 1] not in "\r\n":
        return None
    end = extended(text, value.end)
    if end == value.end or not accepts(joined(text, value.start, end), held, name, quoted=value.quoted):
        return None
    return Spot(value.start, end, kind_of_name(name, held))


def read_identified(text: str, start: int, _end: int) -> Iterator[Spot]:
    """SQL's ``IDENTIFIED BY 'X'``."""
    clause = _IDENTIFIED.match(text, start)
    value = read_value(text, clause.end()) if clause else None
    candidate = text[value.start : value.end] if value else ""
    if value and (shapes.is_password(candidate, quoted=value.quoted) or (value.quoted and chosen.is_word(candidate))):
        yield Spot(value.start, value.end, "password")


def read_child_key(text: str, _start: int, end: int) -> Iterator[Spot]:
    """A bare ``key`` below or inside something that is encrypted or signed with it."""
    value = read_value(text, end, colon=True)
    if value and shapes.is_secret(text[value.start : value.end], quoted=value.quoted):
        yield Spot(value.start, value.end, "generic_secret")


def read_cipher_key(text: str, start: int, end: int) -> Iterator[Spot]:
    """A bare ``key`` that is random and has a cipher near it."""
    value = read_value(text, end - 1)
    if value and _CIPHER.search(text, max(0, start - 200), end + 400):
        candidate = text[value.start : value.end]
        if shapes.is_secret(candidate, quoted=True) and shapes.looks_random(candidate):
            yield Spot(value.start, value.end, "generic_secret")


def read_named_prefix(text: str, start: int, end: int) -> Iterator[Spot]:
    """A token of an unknown issuer whose prefix says what it is, such as ``acme_live_...``."""
    low = max(0, start - 40)
    prefix = _TOKEN_PREFIX.search(text, low, start)
    rest = _TOKEN_REST.match(text, end)
    if not prefix or not rest:
        return
    low, high = prefix.start(), rest.end()
    body = re.split(r"[-_]", text[start:high])[-1]
    random = any(map(str.isdigit, body)) and shapes.looks_random(body, shortest=20, odd=0.45)
    if random and not shapes.is_benign(text[low:high]):
        yield Spot(low, high, "api_key")
