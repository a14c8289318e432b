"""Names and ids that a transcript brings: kept only where they look like what they claim to be.

They go into ledgers, keys and states as they are, without passing the detector as texts do, so nothing may hide in
them.
"""

from __future__ import annotations

import re
from datetime import datetime

from recall_lab.times import normalise_time

_MAX_NAMES = 200
_WORD = re.compile(r"[A-Za-z]{1,24}[0-9]{0,4}")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")
# How issuers begin their keys: what claims to be an id and begins like one is none.
_KEY = re.compile(
    r"gh[pousr]_|github_pat_|gl[a-z]{2,5}-|glsa_|glc_|[srp]k[-_]|whsec_|xox[a-z]-|xapp-|hf_|A[KS]IA|AIza|ya29\.|npm_|pypi-|"
    r"SG\.|hv[sbr]\.|eyJ|do[oprt]_v1_|shp[a-z]{2,4}_|lin_|gsk_|secret_|dckr_|ntn_|tskey-|dp\.|dapi|sbp_|sb_secret|AGE-|r8_|xai-|"
    r"nvapi-|pplx-|fig[dour]_|rubygems_|sntry|dt0|AT[ABCS][BT]|PMA[KT]-|key-|re_|rnd_|nf[pcou]_|pscale_|npg_|phx_|sq[0uap]|EAA|"
    r"tvly-|lsv2_|pcsk_|fw_|fc-|csk-|llx-|e2b_|jina_|rpa_|bk[a-z]{2}_|NR[AI][KIA]-|LTAI|GOCSPX-|fo1_|fm[12]|vc[a-z]_|cio|oy2|pat[A-Z0-9-]",
)
_LONGEST_PLAIN = 20  # a shorter one is no key, whatever it begins with
_HUMP = re.compile(r"[a-z][A-Z]")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class TypeNames:
    """Record types by name: short, of [A-Za-z0-9_.:-], of words rather than keys, and not without end.

    Args:
        known: Names met before; at most 200 different ones are told apart, the others are ``other``.
    """

    def __init__(self, known: list[str] | None = None) -> None:
        self._cache: dict[str, str] = {}
        self.known = list(known or [])

    def __call__(self, name: object) -> str:
        """Return the name to show for a type that nobody promised."""
        if not isinstance(name, str):
            return "unnamed"
        found = self._cache.get(name)
        if found is None:
            found = tidy_name(name)
            if found not in self.known:
                if len(self.known) >= _MAX_NAMES:
                    return "other"
                self.known.append(found)
            if len(self._cache) < _MAX_NAMES:
                self._cache[name] = found
        return found


def tidy_name(name: str) -> str:
    """Return a type's name when every part of it is a word, else ``other``; an empty one is ``unnamed``."""
    if not name:
        return "unnamed"
    parts = re.split(r"[_.:-]", name)
    if len(name) > 40 or not all(_WORD.fullmatch(part) or not part for part in parts) or len(_HUMP.findall(name)) > 4:
        return "other"
    return name


def plain_id(value: str | None) -> str | None:
    """Return an id (session, agent, call) as it stands; None when it is made otherwise, or begins as keys do."""
    if not value or not _ID.fullmatch(value) or (len(value) > _LONGEST_PLAIN and _KEY.match(value)):
        return None
    return value


def utc_time(value: object) -> str | None:
    """Return a time as the store keeps it (UTC, milliseconds, ``Z``), or None when the value is no time."""
    if isinstance(value, str) and len(value) == 24 and value[-1] == "Z" and value[10] == "T" and value[19] == ".":
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return None
        return value
    return normalise_time(value)


def is_uuid(value: str) -> bool:
    """Say whether a string is a UUID in its canonical form."""
    return _UUID.fullmatch(value) is not None
