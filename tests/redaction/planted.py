"""Secrets of every kind, planted into every field of generated transcripts."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from recall_lab.redaction.vocabulary import word_set
from tests.hosts.generated import PATHS, RECORDS
from tests.hosts.generated_documents import DOCUMENTS
from tests.hosts.strategies import THOUGHT
from tests.redaction import fakes

_EXAMPLES = 25

# Known by themselves, without a name beside them, wherever they stand.
BARE = sorted(
    word_set(
        """
        github github-fine gitlab aws-id anthropic openai groq huggingface google-api google-oauth digitalocean jwt
        slack-bot stripe sendgrid npm pypi docker vault shopify grafana linear notion doppler supabase databricks
        tailscale
        """
    )
)
# Fields that decide how a record is read; planted apart from the others, since a record without them is another one.
SHAPING = word_set(
    "type role subtype sender content_type kind status operation commandMode permissionMode stop_reason author"
)


def drawn(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """The same examples in every run."""
    found: list[Any] = []

    @settings(
        max_examples=count,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def take(example: Any) -> None:
        found.append(example)

    take()
    return found


class Planter:
    """Replaces the strings of a record by secrets, or adds them, and remembers each with its place.

    Attributes:
        secrets: Every secret by the field that it was put into.
    """

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._count = 0
        self.secrets: dict[str, str] = {}

    def everywhere(self, value: Any, *, shaping: bool, field: str = "") -> Any:
        """A copy of a record with a secret in every string; in the fields that shape it, or in all the others."""
        if isinstance(value, dict):
            return {key: self.everywhere(item, shaping=shaping, field=f"{field}.{key}") for key, item in value.items()}
        if isinstance(value, list):
            return [self.everywhere(item, shaping=shaping, field=field) for item in value]
        last = field.rsplit(".", 1)[-1]
        if not isinstance(value, str) or THOUGHT in value or (last in SHAPING) != shaping:
            return value
        return self.planted(value, field)

    def planted(self, value: str, field: str) -> str:
        """The value with a secret: behind it, in its place, or in the middle of a path."""
        secret, shown = self.secret()
        self.secrets[secret] = field
        self._count += 1
        return (f"{value} {shown}", shown, f"/src/{shown}/x")[self._count % 3]

    def secret(self) -> tuple[str, str]:
        """A secret that was not drawn before, and the words that it stands in."""
        if self._rng.random() < 0.6:
            kind = self._rng.choice(BARE)
            secret = fakes.TOKENS[kind][1](self._rng)
            return secret, secret
        name, make = self._rng.choice(list(fakes.TOKENS.values()))
        secret = make(self._rng)
        return secret, f"{name}={secret}"


def traces(secrets: dict[str, str], text: str) -> Iterator[str]:
    """The fields whose secret, or a long part of it, is still in a text."""
    for secret, field in secrets.items():
        middle = max(0, len(secret) // 2 - 8)
        if secret in text or (len(secret) >= 24 and (secret[-16:] in text or secret[middle : middle + 16] in text)):
            yield field


def sources(host: str, planter: Planter, *, shaping: bool) -> Iterator[bytes]:
    """Files of a host with secrets in them: logs, documents, or both."""
    if host in RECORDS:
        records = drawn(RECORDS[host], _EXAMPLES)
        planted = [planter.everywhere(record, shaping=shaping) for record in records]
        kept = records[:3] if shaping else []  # the file has to stay one of this host
        yield b"".join(json.dumps(record).encode("utf-8", "surrogatepass") + b"\n" for record in [*kept, *planted])
    if host in DOCUMENTS:
        for document in drawn(DOCUMENTS[host], 12):
            planted = planter.everywhere(document, shaping=shaping)
            if planted:
                yield json.dumps(planted).encode("utf-8", "surrogatepass")


def written(raw: Path, number: int, host: str, source: bytes) -> None:
    """A source as its host leaves it: a file in a folder of its own, every other export inside an archive."""
    file = raw / str(number) / PATHS[host][0].split("#", 1)[0]
    file.parent.mkdir(parents=True)
    if file.name == "conversations.json" and number % 2:
        with zipfile.ZipFile(file.with_name("export.zip"), "w") as archive:
            archive.writestr(file.name, source)
    else:
        file.write_bytes(source)


def bytes_of(folder: Path) -> Iterator[str]:
    """The bytes of every file: the store, its log, the mirror, exports, briefs, notes of use."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield str(file.relative_to(folder))
            yield file.read_bytes().decode("latin-1")
