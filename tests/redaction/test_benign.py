"""What is no secret stays whole: hashes, ids, names without values, references, placeholders, code."""

from __future__ import annotations

import base64
import hashlib
import random
from pathlib import Path

import msgspec
import pytest

from recall_lab.redaction import Redactor
from tests.redaction import fakes

_DIGEST = hashlib.sha256(b"x").hexdigest()
_SHA1 = hashlib.sha1(b"x").hexdigest()
_MD5 = hashlib.md5(b"x").hexdigest()
_BLOB = base64.b64encode(hashlib.sha512(b"y").digest()).decode()

LINES = [
    f"commit {_SHA1}",
    f"HEAD is now at {_SHA1[:9]} fix token refresh",
    f"sha256:{_DIGEST}  dist/app.tar.gz",
    f'"integrity": "sha512-{_BLOB}"',
    f"requests==2.31.0 --hash=sha256:{_DIGEST}",
    f"github.com/pkg/errors v0.9.1 h1:{_BLOB[:43]}=",
    f'ETag: "{_MD5}"',
    f"cache key {_MD5} hit",
    f"cacheKey = '{_MD5}'",
    f'"primary_key": "{_MD5}"',
    f"request_id={fakes.uuid(random.Random(1))} status=200",
    f"session id: {fakes.uuid(random.Random(2))}",
    f"secret_id_ref: /projects/{fakes.uuid(random.Random(3))}/secrets/db",
    f'<img src="data:image/png;base64,iVBORw0KGgo{_BLOB}">',
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{_BLOB[:44]} dev@host",
    "toolu_01H0ZPEEQQwwQMbXEwQ5KJxr asked for a token",
    '"next_page_token": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"',
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    f"the passage is `recall-lab://{_MD5}@{_DIGEST[:12]}#10-20`, see the brief",
    f'{{"target": {{"source": "recall-lab://{_MD5}@{_DIGEST[:12]}", "selector": [{{"start": 1}}]}}}}',
    "PWD=/home/x",
    '"conn-pw": "Host=db;Username=app;Password=;Database=x",',
    "OLDPWD=/home/dev/app",
    "max_tokens: 16384",
    "tokens: 18234 input, 512 output",
    "tokenizer=bert-base",
    "stop_token='</s>', pad_token_id=0",
    "token_type=bearer",
    "keyboard: mechanical-switches",
    "monkey: capuchin2000",
    "public_key = '9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit'",
    "csrf-token=Mj2qykJO5rELyHgezQ69nzUX0i3OH67V7+V4eUrLfpuyOuxmiW9rhROG",
    "const apiKey = process.env.API_KEY;",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "password: ${DB_PASSWORD}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: {{ vault_password }}",
    "secret_key_base: <%= ENV['SECRET_KEY_BASE'] %>",
    "password=$(vault read -field=password secret/db)",
    "Authorization: Bearer ${ACCESS_TOKEN}",
    "Authorization: Bearer <token>",
    "password = getpass()",
    "password = getpass.getpass('Password: ')",
    "def login(user: str, password: str, token: str | None = None) -> Session:",
    "function connect(apiKey: string, secret?: string) {",
    "self.token = token",
    "user.password = form.password.data",
    "if (password !== confirmPassword) { return }",
    "password: z.string().min(8)",
    'password: "string"',
    "DB_PASSWORD=changeme  # replace",
    "API_KEY=your-api-key-here",
    "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
    "SLACK_BOT_TOKEN=xoxb-your-bot-token",
    "STRIPE_SECRET_KEY=sk_" + "test_...",
    "OPENAI_API_KEY=sk-" + "...",
    "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "--password <password> --token TOKEN",
    "curl -u user:pass https://example.com",
    'curl -u "$USER:$PASS" https://example.com',
    "mkdir -p build/out && ls -u dir",
    "docker run -p 8080:80 -u 1000:1000 nginx",
    "unset AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID",
    "Set OPENAI_API_KEY, ANTHROPIC_API_KEY and AWS_SECRET_ACCESS_KEY before running.",
    "The GITHUB_TOKEN secret needs repo scope",
    'error: secret "db-credentials" not found in namespace default',
    "secretName: api-tls-cert",
    "The password must be at least 12 characters long and contain a digit.",
    "Password reset link expires in 24h",
    "the key is pressed twice, then released",
    "token expired at 2026-01-02T03:04:05Z",
    "invalid token at line 42, column 17",
    "unexpected token } in JSON at position 1234",
    "    --pass: #34d399;",
    "assert response.json()['token'] == expected_token",
    "encryption_key_id: arn:aws:kms:eu-west-1:123456789012:key/mrk-1",
    "client_id = 395607090781-2avt0m84hnznqfir6xwtro7i4sryazyf.apps.googleusercontent.com",
    "ssh -i ~/.ssh/id_ed25519 deploy@10.0.0.5",
    "SECRETS_FILE=/run/secrets/app.env",
    "token_url = 'https://login.example.org/oauth2/v2.0/token'",
    "Kind: Secret agents are a genre of fiction",
    "for key, value in items.items(): print(key, value)",
    "event.key === 'ArrowDown'",
    "password_hash = bcrypt.hashpw(password.encode('utf8'), salt)",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
]


@pytest.mark.parametrize("line", LINES)
def test_it_stays_whole(redactor: Redactor, line: str) -> None:
    for text in (line, f'{{"stdout": "a\\n{line}\\n"}}', f"     7→{line}\n     8→done"):
        assert redactor.redact([text])[0].text == text


def test_this_project_s_own_sources_stay_whole(redactor: Redactor) -> None:
    """Code about secrets, this room's above all, is the hardest text that holds none."""
    package = Path(__file__).parents[2] / "recall_lab"
    sources = [path.read_text("utf-8") for path in sorted(package.rglob("*.py"))]
    found = [finding for findings in redactor.scan(sources) for finding in findings]
    assert len(found) <= 1


@pytest.mark.corpus
def test_real_transcripts_stay_whole(redactor: Redactor, corpus: Path) -> None:
    """Fewer than one text in a thousand is changed, all of them together."""
    from recall_lab.evaluation.audit import _leaves

    texts: list[str] = []
    for path in sorted((corpus / "transcripts" / "home").rglob("*.jsonl"))[::2]:
        for line in path.read_bytes().split(b"\n"):
            try:
                texts.extend(_leaves(msgspec.json.decode(line)) if line.strip() else ())
            except msgspec.DecodeError:
                continue
    distinct = list(dict.fromkeys(texts))
    changed = sum(bool(findings) for findings in redactor.scan(distinct))
    assert changed < len(distinct) / 1000
