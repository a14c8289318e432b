"""Names and values are told apart by what they look like."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_lab.redaction import shapes
from recall_lab.redaction.names import promise
from tests.redaction import fakes


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("DB_PASSWORD", "password"),
        ("oldPassword2", "password"),
        ("spring.datasource.password", "password"),
        ("smtp_pass", "password"),
        ("PGPASSWORD", "password"),
        ("contraseña", "password"),
        ("密码", "password"),
        ("openaiApiKey", "secret"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("SECRET_KEY_BASE", "secret"),
        ("Ocp-Apim-Subscription-Key", "secret"),
        ("--api-key", "secret"),
        ("GITHUB_PAT", "secret"),
        ("API_KEY_PROD", "secret"),
        ("FOO_KEY", "hint"),
        ("API_KEY_OPENAI", "hint"),
        ("max_tokens", None),
        ("nextPageToken", None),
        ("csrf-token", None),
        ("publicKey", None),
        ("foreign_key", None),
        ("cacheKey", None),
        ("secretName", None),
        ("kms_key_id", None),
        ("access_token_url", None),
        ("passwordHash", None),
        ("tokenizer", None),
        ("keyboard", None),
        ("author", None),
        ("monkey", None),
    ],
)
def test_what_a_name_promises(name: str, held: str | None) -> None:
    assert promise(name) == held


@pytest.mark.parametrize("alphabet", [fakes.B62, fakes.B64, fakes.URL64, fakes.B36, fakes.HEX])
@pytest.mark.parametrize("length", [20, 32, 64])
def test_random_strings_look_random(alphabet: str, length: int) -> None:
    rng = random.Random(length)
    drawn = ["".join(rng.choice(alphabet) for _ in range(length)) for _ in range(300)]
    assert sum(shapes.looks_random(value) for value in drawn) >= 285


@pytest.mark.parametrize(
    "value",
    [
        "getUserNameById",
        "AutoTokenizer.from_pretrained",
        "accounts_accountmembership",
        "react-chartjs-2.bundle",
        "mechanical-switches",
        "application/x-www-form-urlencoded",
        "test_password_reset_token_expires_after_one_hour",
        "2026-01-02T03:04:05.678Z",
        "https://login.example.org/oauth2/v2.0/token",
        "/home/dev/.config/app/credentials.json",
        "v1.22.3-rc.1+build.5",
        "correct-horse-battery-staple",
    ],
)
def test_words_paths_and_dates_are_no_secrets(value: str) -> None:
    assert not shapes.is_secret(value)
    assert not shapes.is_password(value)


@pytest.mark.parametrize(
    "value", ["changeme", "<your-password>", "xxxxxxxx", "REPLACE_ME", "example123", "****", "test1234"]
)
def test_placeholders(value: str) -> None:
    assert not shapes.is_password(value, quoted=True)


@pytest.mark.parametrize("value", ["hunter2", "Tr0ub4dor&3", "zeus9I%5cyYvr4!", "1ERUbiG0ZSvR3A", "P@ssw0rd", "s3cr3t"])
def test_passwords_that_people_choose(value: str) -> None:
    assert shapes.is_password(value, quoted=True)


@given(st.text(max_size=60))
def test_judging_never_fails(value: str) -> None:
    assert 0.0 <= shapes.oddness(value) <= 1.0
    shapes.is_secret(value)
    shapes.is_strongly_random(value)
    shapes.is_password(value)
    promise(value)
