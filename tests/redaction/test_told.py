"""Secrets that a sentence, a command or a call tells: what comes before, behind and beside them decides."""

from __future__ import annotations

import random

import pytest

from recall_lab.redaction import Redactor
from tests.redaction import fakes

_TOKENS = (
    "poetry config pypi-token.internal VALUE",
    "poetry config http-basic.internal bob VALUE",
    "composer config github-oauth.github.com VALUE",
    "bundle config set --global gems.example.org bob:VALUE",
    "npm config set //npm.example.org/:_authToken VALUE",
    "aws configure set aws_secret_access_key VALUE",
    "snyk auth VALUE",
    "wandb login VALUE",
    "mc alias set store https://x.example.org bob VALUE",
    "gem push --key VALUE x.gem",
    "conan user -p VALUE bob",
    "createHmac('sha256', 'VALUE')",
    'jwt.sign(payload, "VALUE", {expiresIn: "1h"})',
    'hmac.new(b"VALUE", message, sha256)',
    "https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=VALUE",
    "it's VALUE, that's the token",
    "VALUE, by the way, that is the api key.",
    "`VALUE` <- this is my token",
    "log in as bob with VALUE (password)",
    "El token es VALUE",
    "La cl\u00e9 API est VALUE",
    "a chave da API \u00e9 VALUE",
    "\u30ad\u30fc: VALUE",
    "&quot;apiKey&quot;:&quot;VALUE&quot;",
    "%7B%22token%22%3A%22VALUE%22%7D",
    "2fa seed: VALUE",
)
_PASSWORDS = (
    "jarsigner -storepass VALUE x.jar alias",
    "security unlock-keychain -p VALUE login.keychain",
    "ansible-vault encrypt_string 'VALUE' --name db",
    "htpasswd -nbB bob VALUE",
    "wpa_passphrase home VALUE",
    "vncpasswd -f <<< VALUE",
    "pass is VALUE btw",
    "the db password's VALUE",
    "Password - VALUE",
    "it is VALUE, by the way, that is the password",
    "wachtwoord: VALUE",
    "has\u0142o: VALUE",
    "\u015fifre: VALUE",
)


@pytest.mark.parametrize("template", _TOKENS)
def test_a_token_is_told(redactor: Redactor, template: str) -> None:
    rng = random.Random(template)
    for length in (24, 32, 40):
        secret = fakes.draw(rng, fakes.B62, length)
        (text,) = redactor.redact([template.replace("VALUE", secret)])
        assert secret not in text.text
        assert text.text.count("[REDACTED:") == 1


@pytest.mark.parametrize("template", _PASSWORDS)
def test_a_password_is_told(redactor: Redactor, template: str) -> None:
    rng = random.Random(template)
    for secret in (
        f"Harbour{rng.randrange(1000, 9999)}!",
        f"tundra-qxvk-{rng.randrange(10, 99)}{fakes.draw(rng, fakes.B62, 3)}",
        f"q#{fakes.draw(rng, fakes.B62, 10)}",
    ):
        (text,) = redactor.redact([template.replace("VALUE", secret)])
        assert secret not in text.text


def test_a_word_that_somebody_chose_is_a_password_where_capitals_assign_it(redactor: Redactor) -> None:
    (text,) = redactor.redact(["DB_PASSWORD=sunflower\nPASSWORD=required\nADMIN_PASSWORD=changeme\n"])
    assert text.text == "DB_PASSWORD=[REDACTED:password]\nPASSWORD=required\nADMIN_PASSWORD=changeme\n"


def test_codes_for_a_lost_second_factor(redactor: Redactor) -> None:
    codes = ("a1b2c-3d4e5", "9f8e7-d6c5b", "k3m4n-p5q6r")
    for text in (f"Recovery codes:\n{chr(10).join(codes)}\n", f"backup codes: {', '.join(codes)}"):
        (redacted,) = redactor.redact([text])
        assert not [code for code in codes if code in redacted.text]


@pytest.mark.parametrize(
    "text",
    [
        "it's loginForm2, that's the password component",
        "it's useAuthToken2, that's the token hook",
        "README-v2 as the key document",
        "user bob with uid1000 (admin)",
        "Those that pass: 12, that fail: 3",
        "recovery codes: 10 remaining, made 2026-05-01",
        "poetry config virtualenvs.in-project true",
        "poetry config pypi-token.pypi $PYPI_TOKEN",
        "snyk auth\nwandb login --relogin",
        "openssl genrsa -passout file:pw.txt",
        "createHmac('sha256', process.env.SECRET)",
        "jwt.verify(token, publicKey, { algorithms: ['RS256'] })",
        "Cache hit for key Linux-pip-" + "3fa9" * 16,
        "NEXT_PUBLIC_STRIPE_KEY=pk_" + "test_" + "a8Kd" * 10,
        "Credential=AKID/20240101/us-east-1/s3/aws4_request",
        "el token ha caducado",
        "has\u0142o musi mie\u0107 8 znak\u00f3w",
        "der Schl\u00fcssel liegt unter der Matte",
        "Password - required, 8+ characters",
        "MAX_TOKENS=16384 and max_output_tokens: 12000",
    ],
)
def test_what_only_sounds_like_one_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact([text])[0].text == text
