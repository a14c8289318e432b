"""Secrets that a layout tells: key files, vaults, manifests, headers, command lines; whole, cut off, wrapped, coloured."""

from __future__ import annotations

import base64
import json
import random

import pytest

from recall_lab.redaction import Redactor
from tests.redaction import fakes

RNG = random.Random(31)
KEY = fakes.pem("RSA " + "PRIVATE KEY", 6)(RNG)
TOKEN = fakes.TOKENS["github"][1](RNG)
PASSWORD = "Kestrel71" + "!xQ4v"


def _left(redactor: Redactor, text: str) -> str:
    return redactor.redact([text])[0].text


@pytest.mark.parametrize("label", ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "", "PGP "])
def test_private_keys_of_every_kind(redactor: Redactor, label: str) -> None:
    block = " BLOCK" if label == "PGP " else ""
    key = fakes.pem(f"{label}PRIVATE " + f"KEY{block}", 5)(random.Random(1))
    assert _left(redactor, f"file:\n{key}\nend") == "file:\n[REDACTED:private_key]\nend"


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ('{"private_key": "', KEY.replace("\n", "\\n") + "\\n", '", "type": "service_account"}'),
        ('{"stdout": "{\\"key\\": \\"', KEY.replace("\n", "\\\\n"), '\\"}"}'),
        ("", "\n".join(f"{n:>6}→{line}" for n, line in enumerate(KEY.split("\n"), 1))[7:], "\ndone"),
        ("    ", KEY.replace("\n", "\n    "), "\nnext: 1"),
        ("> ", KEY.replace("\n", "\n> "), "\n> bye"),
        ("", KEY[: len(KEY) // 2], ""),
        ("", KEY[: len(KEY) // 2], "\n[output truncated]"),
        ("... ", KEY[200:], "\nok"),
        ("", KEY.replace("\n", "\r\n"), "\r\nok"),
    ],
)
def test_private_keys_escaped_numbered_quoted_and_cut_off(
    redactor: Redactor, before: str, key: str, after: str
) -> None:
    left = _left(redactor, before + key + after)
    body = [line for line in KEY.split("\n")[1:-1] if len(line) > 30 and line in key.replace("\\n", "\n")]
    assert "[REDACTED:private_key]" in left
    assert not any(line in left for line in body)
    assert left.endswith(after.strip("\n\r")[-12:])


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN " + "PRIVATE KEY-----\nanything\n-----END " + "PRIVATE KEY-----",
        "grep -l 'BEGIN RSA " + "PRIVATE KEY' ~/.ssh/*",
        fakes.pem("PUBLIC KEY", 5)(RNG),
        fakes.pem("CERTIFICATE", 8)(RNG),
    ],
)
def test_mentions_public_keys_and_certificates_stay(redactor: Redactor, text: str) -> None:
    assert _left(redactor, text) == text


def test_a_secret_is_found_through_colours_and_invisible_characters(redactor: Redactor) -> None:
    middle = len(TOKEN) // 2
    for gap in ("\x1b[31m", "\x1b[0;1m", "\\u001b[32m", "\\x1b[0m", "\u200b", "\u00ad"):
        left = _left(redactor, f"token {TOKEN[:middle]}{gap}{TOKEN[middle:]} set")
        assert TOKEN[:middle] not in left
        assert TOKEN[middle:] not in left
        assert left.endswith(" set")


@pytest.mark.parametrize("brk", ["\n", "\r\n", "\\n", "\\\n", "\n    ", "\n> "])
def test_a_secret_is_found_over_line_breaks(redactor: Redactor, brk: str) -> None:
    middle = len(TOKEN) // 2
    left = _left(redactor, f"export GH={TOKEN[:middle]}{brk}{TOKEN[middle:]} && make")
    assert TOKEN[:middle] not in left
    assert TOKEN[middle:] not in left
    assert left.endswith(" && make")


def test_a_value_wrapped_by_a_terminal(redactor: Redactor) -> None:
    secret = fakes.TOKENS["session-secret"][1](random.Random(4)) * 3
    line = f"2026-01-02 INFO environment of the worker SESSION_SECRET={secret} and nothing else in this line"
    wrapped = "\n".join(line[at : at + 80] for at in range(0, len(line), 80))
    left = _left(redactor, wrapped)
    assert "and nothing else" in left.replace("\n", "")
    assert not any(secret[at : at + 12] in left for at in range(0, len(secret) - 12, 12))


def test_the_line_after_a_whole_token_stays(redactor: Redactor) -> None:
    assert _left(redactor, f"export GH={TOKEN}\nnpm run deploy\nPORT=3000") == (
        "export GH=[REDACTED:github_token]\nnpm run deploy\nPORT=3000"
    )


def test_kubernetes_secrets(redactor: Redactor) -> None:
    value = base64.b64encode(PASSWORD.encode()).decode()
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\n"
        f"data:\n  DB: {value}\n  ca.crt: {value}\n---\nkind: ConfigMap\ndata:\n  mode: {value}\n"
    )
    left = _left(redactor, text)
    assert left.count("[REDACTED:kubernetes_secret]") == 1
    assert f"ca.crt: {value}" in left
    assert f"mode: {value}" in left
    as_json = json.dumps({"kind": "Secret", "data": {"DB": value}, "metadata": {"name": "db"}})
    assert value not in _left(redactor, as_json)


def test_basic_credentials_have_to_decode_to_a_pair(redactor: Redactor) -> None:
    pair = base64.b64encode(f"ci:{PASSWORD}".encode()).decode()
    assert _left(redactor, f"Authorization: Basic {pair}") == "Authorization: Basic [REDACTED:basic_auth]"
    for text in ("Authorization: Basic dXNlcjpwYXNz" + "d29yZA==", "Basic information follows"):
        assert _left(redactor, text) == text


def test_docker_configuration(redactor: Redactor) -> None:
    pair = base64.b64encode(f"ci:{PASSWORD}".encode()).decode()
    assert pair not in _left(redactor, json.dumps({"auths": {"registry.example.org": {"auth": pair}}}))


def test_cookies_lose_their_random_values_only(redactor: Redactor) -> None:
    session = fakes.draw(random.Random(7), fakes.B36, 32)
    text = f"Cookie: theme=dark; sessionid={session}; lang=en-GB; _ga=GA1.2.1105472.1650000000"
    assert _left(redactor, text) == text.replace(session, "[REDACTED:cookie]")
    assert session not in _left(redactor, f"Set-Cookie: sid={session}; Path=/; HttpOnly")


@pytest.mark.parametrize(
    "text",
    [
        "postgres://postgres:postgres@localhost:5432/app",
        "postgresql://user:password@localhost:5432/db",
        "https://user:${TOKEN}@git.example.org/x.git",
        "http://localhost:8080/a@b",
        "mongodb://<user>:<password>@host/db",
        "ssh://git@github.com:22/org/repo",
        "https://0123456789abcdef0123456789abcdef@o1.ingest." + "sentry.io/42",
    ],
)
def test_addresses_without_a_secret_stay(redactor: Redactor, text: str) -> None:
    assert _left(redactor, text) == text


def test_a_password_of_a_url_may_hold_an_at_sign(redactor: Redactor) -> None:
    assert _left(redactor, "amqp://svc:p@ss" + "W0rd91@mq.example.org:5672/") == (
        "amqp://svc:[REDACTED:url_credentials]@mq.example.org:5672/"
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com/services/T" + "{B}/B{B}/{C}",
        "https://discord.com/api/webhooks/{N}/" + "{L}",
        "https://hooks.zapier.com/hooks/catch/" + "123456/{Z}",
        "https://chat.example.org/hooks/" + "{M}",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=" + "{U}",
    ],
)
def test_webhooks(redactor: Redactor, url: str) -> None:
    rng = random.Random(9)
    filled = (
        url.replace("{B}", fakes.draw(rng, fakes.UPPER + fakes.DIGITS, 10))
        .replace("{C}", fakes.draw(rng, fakes.B62, 24))
        .replace("{N}", fakes.draw(rng, fakes.DIGITS, 18))
        .replace("{L}", fakes.draw(rng, fakes.URL64, 68))
        .replace("{Z}", fakes.draw(rng, fakes.B36, 8))
        .replace("{M}", fakes.draw(rng, fakes.B36, 26))
        .replace("{U}", fakes.uuid(rng))
    )
    assert _left(redactor, f"post to {filled} now") == "post to [REDACTED:webhook] now"
    assert filled.split("/")[-1] not in _left(redactor, json.dumps({"url": filled}).replace("/", "\\/")).replace(
        "\\/", "/"
    )


def test_ansible_vault_and_putty(redactor: Redactor) -> None:
    rng = random.Random(10)
    body = "\n".join(fakes.draw(rng, fakes.HEX, 80) for _ in range(4))
    assert _left(redactor, f"v: !vault |\n$ANSIBLE_VAULT;1.1;AES256\n{body}\nnext: 1").endswith("\nnext: 1")
    assert body[:80] not in _left(redactor, f"$ANSIBLE_VAULT;1.1;AES256\n{body}\n")
    lines = "\n".join(fakes.draw(rng, fakes.B64, 64) for _ in range(3))
    assert lines[:64] not in _left(redactor, f"Private-Lines: 3\n{lines}\nPrivate-MAC: 00")
