"""A secret that a sentence tells: ``the password for staging is X``, ``use X as the token``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction import chosen, shapes
from recall_lab.redaction.judgement import kind_of_name, of_a_digest
from recall_lab.redaction.names import Promise, promise
from recall_lab.redaction.records import Spot
from recall_lab.redaction.values import whole

_SENTENCE = re.compile(
    r"(?:[ \t]+(?:for|to|of|on|at|in|from|von|vom|für|fuer|zum|zur|beim|de|del|della|du|des|do|da|dos|di|para|pour"
    r"|per|voor|van|dla|do|för|til|для|от|на)[ \t]+[^\s,;]{1,60}(?:[ \t]+[^\s,;]{1,40}){0,3}?)?"
    r"(?:[ \t]+(?:we|you|they|I|I've|that|which|used?|using|here|there|provided|given|have|had|set)){0,5}"
    r"[ \t\"'`*)]{0,6}(?:[ \t]+(?:(?:is|was|has been) (?:generated|created|reset|set)(?: (?:for|as"
    r"|to) [^\s:]{1,60})?(?=:)|is set to|was set to|has been set to|"
    r"is|was|are|will be|should be|must be|would be|with(?: the)? value(?: of)?|as|changed to|set to|reset to|now|to"
    r"|from(?=[ \t]+[^\s]{8,512}[ \t]+to\b)|equals|"
    r"ist|lautet|auf|es|est|é|è|jest|je|är)(?:[ \t]+(?:now|still|just|currently|simply|only|also|likely))?[ \t]*[:=]?"
    r"|[ \t]*(?:\.{3,}(?=[ \t])|[:=](?=[ \t])|[\uff1a\uff1d是为為は는은]|->|→|\u2013|\u2014)"
    r"|['\u2019]s(?=[ \t])|[ \t]+-(?=[ \t]))"
    r"[ \t]{0,4}[\\\"'`*\u201c\u2018<(\[]{0,5}(?P<value>[^\s\"'`\u201d\u2019]{4,512})"
)
_RUN = re.compile(r"(?<![\w/+=.~@:&?#%-])[A-Za-z0-9_+/.~:-]{16,512}={0,2}(?![\w@=])")
# ``password X`` and, from configurations of routers, ``password 0 X``; ``creds: admin / X``.
_DIRECT = re.compile(
    r"[ \t]{1,2}(?:[057][ \t])?(?P<aside>\()?(?P<value>(?=[^\s]*[0-9])(?=[^\s]*[A-Za-z])[^\s\"'`]{8,200})(?=[\s,.]"
    r"|\Z)"
)
_CREDENTIAL_PAIR = re.compile(
    r"[ \t]*(?::|are|is|=)?[ \t]*[\"'`(]?[\w.@-]{1,60}[\"'`]?[ \t]{0,2}[/:|][ \t]{0,2}[\"'`]?"
    r"(?P<value>[^\s\"'`/]{6,200})(?![^\s\"'`]*/)"
)
# ``Password for the elastic user (...):`` with the value alone in the next line.
_BELOW = re.compile(
    r"[^\n]{0,120}:[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t>]{0,12}[`\"']?(?P<value>[^\s\"'`]{8,120})[`\"']?[ \t]*(?:\r?\n|\Z)"
)
# ``psk="several words"``, ``--passphrase 'several words'``.
_PHRASE = re.compile(
    r"[\"']?(?:[ \t]*(?:[:=]|is)[ \t]*|[ \t]+)\\{0,3}(?P<quote>[\"'])(?P<value>[^\"'\\\n]{11,120})\\{0,3}(?P=quote)"
)
_FOREIGN_TAIL = re.compile(r"(?<=[!-~])[^\x00-\x7f]+\Z")
_DIGIT_OR_SIGN = re.compile(r"[0-9!#$%&*@^]")
_ADJACENT = re.compile(r"[\s\"'`*:=(\[{<\\]{0,6}\Z")
_LABEL = re.compile(
    r"(?i)(?:^|[^a-z])(?:sha\d*|md5|commit|digest|checksum|integrity|hash|etag|blob|tree|revision|rev|ids?|uuid|guid|"
    r"trace|span|request|version|build|chunk|image|object|parent|files?|path|src|urls?|href|signature|fingerprint"
    r"|nonce|branch|"
    r"session|msg|message|call|task|agent|run|job|tool|block|node|name|model)\w{0,3}"
    r"[\\\"'`)\]]*[ \t]*[:=/(#]?[ \t]*[\\\"'`]?$"
)
_PRECEDING = re.compile(
    r"(?P<value>[^\s\"'`*][^\s\"'`]{5,511})[\"'`*]{0,3}"
    r"(?:[ \t]+(?:as|is|was|for)|,?[\"'`*]{0,3}[ \t]+(?:<-+|[-\u2013\u2014])?[ \t]*(?:and[ \t]+)?"
    r"(?:(?:by the way|btw),?[ \t]+)?(?P<told>(?:that|this|which|it)(?:['\u2019]s|[ \t]+(?:is|was))))[ \t]+"
    r"(?:(?:the|my|your|our|its|a|an|his|her|their)[ \t]+)?"
    r"(?:[\w-]{1,24}[ \t]+){0,3}$",
    re.IGNORECASE,
)
# ``password (temporary): X``, ``mot de passe admin: X``
_ASIDE = re.compile(
    r"[ \t]+(?:\([^()\n]{1,40}\)|(?P<owner>[A-Za-z]{2,20}))[ \t]?:[ \t]+"
    r"[\"'`]?(?P<value>[^\s\"'`]{6,80})(?=[\s\"'`]|\Z)"
)
_PHRASED = ("phrase", "psk", "pass_phrase", "pass-phrase")
_COMPOUND = re.compile(r"\w*[ \t]+(?!(?:for|of|to|on|in|at|by|and|but|or|we|you|I|now|btw|from|until|till|so)\b)[a-z]")


def read_spoken(text: str, right: int, name: str, held: Promise) -> Iterator[Spot]:
    """``password is X``, ``the token for staging: X``, and a random run further on in the line."""
    line_end = text.find("\n", right, right + 120)
    limit = line_end if line_end >= 0 else min(len(text), right + 120)
    below = _BELOW.match(text, right) if held == "password" else None
    if below and shapes.is_secret(below["value"]):
        yield Spot(*below.span("value"), kind_of_name(name, held))
        return
    phrase = _PHRASE.match(text, right) if held == "password" and name.lower().endswith(_PHRASED) else None
    if phrase and chosen.is_phrase(phrase["value"]):
        yield Spot(*phrase.span("value"), kind_of_name(name, held))
        return
    if not (_DIGIT_OR_SIGN if held == "password" else shapes.DIGIT).search(text, right, limit):
        return
    pair = _CREDENTIAL_PAIR.match(text, right) if "cred" in name.lower() else None
    direct = _DIRECT.match(text, right) if held == "password" else None
    for found in filter(None, (pair, direct)):
        start, candidate = found.start("value"), found["value"].rstrip(".,;:)>]}")
        weak = found is pair or not found["aside"]
        if shapes.is_secret(candidate) or (weak and shapes.is_password(candidate, quoted=found is pair)):
            yield Spot(start, start + len(candidate), "password")
            return
    aside = _ASIDE.match(text, right) if held == "password" else None
    owner = aside["owner"] if aside else None
    if aside and (owner is None or promise(f"{name}_{owner}")) and shapes.is_password(aside["value"].rstrip(".,;)")):
        start = aside.start("value")
        yield Spot(start, start + len(aside["value"].rstrip(".,;)")), "password")
        return
    sentence = _SENTENCE.match(text, right)
    if sentence:
        start = sentence.start("value")
        candidate = _FOREIGN_TAIL.sub("", sentence["value"].rstrip(".,;:)>]}*\\"))
        fits = shapes.is_secret(candidate) or (held == "password" and shapes.is_password(candidate))
        if fits and not shapes.CUT_OFF.match(text, start + len(candidate)) and not _is_digest(candidate, held, name):
            yield Spot(start, whole(text, start, start + len(candidate)), kind_of_name(name, held))
            return
    run = _RUN.search(text, right, limit)
    if not run:
        return
    start, candidate = run.start(), run[0]
    past_limit = _RUN.match(text, start)
    if past_limit:
        candidate = past_limit[0]
    if text[start + len(candidate) : start + len(candidate) + 1] not in ("\n", "\r"):
        candidate = candidate.rstrip(".:-")
    if shapes.CUT_OFF.match(text, start + len(candidate)):
        return
    if _LABEL.search(text, max(right, start - 24), start):
        return
    adjacent = _ADJACENT.match(text[right:start]) is not None
    random = shapes.is_strongly_random(candidate) and (adjacent or not shapes.HEX.match(candidate))
    if random and _is_digest(candidate, held, name):
        return
    if random or (adjacent and held != "hint" and shapes.is_secret(candidate)):
        yield Spot(start, whole(text, start, start + len(candidate)), kind_of_name(name, held))


def _is_digest(candidate: str, held: Promise, name: str) -> bool:
    return held == "hint" and shapes.HEX.match(candidate) is not None and of_a_digest(name)


def read_preceding(text: str, left: int, right: int, name: str, held: Promise) -> Iterator[Spot]:
    """``use X as the password``."""
    low = max(0, left - 200, text.rfind("\n", max(0, left - 200), left) + 1)
    before = _PRECEDING.search(text, low, left) if _DIGIT_OR_SIGN.search(text, low, left) else None
    if not before or (before["told"] and _COMPOUND.match(text, right)):
        return
    candidate = before["value"].rstrip(".,;:)*")
    fits = (
        shapes.is_secret(candidate) and (shapes.oddness(candidate) > 0.5 or shapes.UUID.match(candidate) is not None)
    ) or (held == "password" and shapes.is_password(candidate))
    if fits:
        start = before.start("value")
        yield Spot(start, start + len(candidate), kind_of_name(name, held))
