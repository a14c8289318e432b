"""A labelled set that is made when it is asked for: invented secrets in the formats of real ones, and lookalikes.

Nothing that looks like a live secret lies in the package: values are drawn from a seed, prefixes are put together. The
set measures kinds and places; it says nothing of how often they occur in anybody's history.
"""

from __future__ import annotations

import base64
import hashlib
import os
import random
import string
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from recall_lab.evaluation.labelled_places import PASSWORD_PLACES, PLACES
from recall_lab.evaluation.redaction import Row

_UPPER, _LOWER, _DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
_B62 = _UPPER + _LOWER + _DIGITS
_B64 = f"{_B62}+/"
_URL64 = f"{_B62}-_"
_HEX = f"{_DIGITS}abcdef"
_B36 = _LOWER + _DIGITS
_B32 = f"{_UPPER}234567"

Make = Callable[[random.Random], str]


def _draw(rng: random.Random, alphabet: str, length: int) -> str:
    while True:
        value = "".join(rng.choice(alphabet) for _ in range(length))
        if length < 8 or (any(map(str.isdigit, value)) and any(map(str.isalpha, value))) or alphabet == _DIGITS:
            return value


def _like(*parts: str | tuple[str, int]) -> Make:
    return lambda rng: "".join(part if isinstance(part, str) else _draw(rng, *part) for part in parts)


def _uuid(rng: random.Random) -> str:
    return "-".join(_draw(rng, _HEX, size) for size in (8, 4, 4, 4, 12))


def _password(rng: random.Random) -> str:
    word = rng.choice(("Falcon", "river", "Zebra", "monday", "Kestrel", "Okapi"))
    return rng.choice(
        (
            f"{word}{rng.randrange(10, 99)}{rng.choice('!*^')}{_draw(rng, _B62, 4)}",
            _draw(rng, _B62, rng.randrange(10, 20)),
            f"{_draw(rng, _LOWER, 3)}{rng.choice('!^*')}{_draw(rng, _B62, 8)}",
        )
    )


def _jwt(rng: random.Random) -> str:
    def part(value: dict[str, str]) -> str:
        return base64.urlsafe_b64encode(msgspec.json.encode(value)).decode().rstrip("=")

    body = {"sub": _draw(rng, _DIGITS, 9), "name": _draw(rng, _B36, 8)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(body)}.{_draw(rng, _URL64, 43)}"


#: kind -> (the variable that holds it, how a value is made).
SECRETS: Mapping[str, tuple[str, Make]] = {
    "aws-asia": ("AWS_ACCESS_KEY_ID", _like("AS" + "IA", (_B32, 16))),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", _like((_B64, 40))),
    "aws-ses-smtp": ("SES_SMTP_PASSWORD", _like("B", (_B64, 43))),
    "azure-sb": ("AZURE_SERVICEBUS_KEY", _like((_B64, 43), "=")),
    "azure-cosmos": ("COSMOS_PRIMARY_KEY", _like((_B64, 86), "==")),
    "azure-func": ("AZURE_FUNCTION_KEY", _like((_URL64, 52), "AzFu", (_URL64, 8), "==")),
    "azure-devops84": ("AZURE_DEVOPS_PAT", _like((_B62, 76), "AZDO", (_B62, 4))),
    "cf-global": ("CLOUDFLARE_API_KEY", _like((_HEX, 37))),
    "gh-s": ("GITHUB_TOKEN", _like("gh" + "s_", (_B62, 36))),
    "gh-r": ("GH_REFRESH_TOKEN", _like("gh" + "r_", (_B62, 76))),
    "gl-rt": ("RUNNER_TOKEN", _like("gl" + "rt-", (_URL64, 20))),
    "gl-ptt": ("TRIGGER_TOKEN", _like("gl" + "ptt-", (_HEX, 40))),
    "replicate": ("REPLICATE_API_TOKEN", _like("r8_", (_B62, 37))),
    "deepseek": ("DEEPSEEK_API_KEY", _like("sk-", (_HEX, 32))),
    "moonshot": ("MOONSHOT_API_KEY", _like("sk-", (_B62, 48))),
    "jina": ("JINA_API_KEY", _like("ji" + "na_", (_HEX, 32), (_URL64, 28))),
    "tavily": ("TAVILY_API_KEY", _like("tv" + "ly-dev-", (_B62, 32))),
    "langsmith": ("LANGSMITH_API_KEY", _like("ls" + "v2_pt_", (_HEX, 32), "_", (_HEX, 10))),
    "pinecone": ("PINECONE_API_KEY", _like("pc" + "sk_", (_B62, 6), "_", (_B62, 63))),
    "e2b": ("E2B_API_KEY", _like("e2" + "b_", (_HEX, 40))),
    "llama": ("LLAMA_CLOUD_API_KEY", _like("ll" + "x-", (_B62, 48))),
    "cerebras": ("CEREBRAS_API_KEY", _like("cs" + "k-", (_B36, 48))),
    "modal": ("MODAL_TOKEN_SECRET", _like("as-", (_B62, 22))),
    "runpod": ("RUNPOD_API_KEY", _like("rp" + "a_", (_UPPER + _DIGITS, 40), (_B36, 6))),
    "sambanova": ("SAMBANOVA_API_KEY", _uuid),
    "zhipu": ("ZHIPUAI_API_KEY", _like((_HEX, 32), ".", (_B62, 16))),
    "stability": ("STABILITY_API_KEY", _like("sk-", (_B62, 48))),
    "vertex-express": ("GEMINI_API_KEY", _like("AQ" + ".Ab8RN6", (_URL64, 40))),
    "slack-rot": ("SLACK_CONFIG_REFRESH_TOKEN", _like("xo" + "xe-1-", (_B62, 146))),
    "slack-xapp": (
        "SLACK_APP_TOKEN",
        _like("xa" + "pp-1-A", (_UPPER + _DIGITS, 10), "-", (_DIGITS, 13), "-", (_HEX, 64)),
    ),
    "razorpay": ("RAZORPAY_KEY_SECRET", _like((_B62, 24))),
    "coinbase": ("COINBASE_API_SECRET", _like((_B62, 32))),
    "binance": ("BINANCE_SECRET_KEY", _like((_B62, 64))),
    "kraken": ("KRAKEN_PRIVATE_KEY", _like((_B64, 86), "==")),
    "mollie": ("MOLLIE_API_KEY", _like("li" + "ve_", (_B62, 30))),
    "vonage": ("VONAGE_API_SECRET", _like((_B62, 16))),
    "messagebird": ("MESSAGEBIRD_ACCESS_KEY", _like((_B62, 25))),
    "mailjet": ("MAILJET_SECRET_KEY", _like((_HEX, 32))),
    "sparkpost": ("SPARKPOST_API_KEY", _like((_HEX, 40))),
    "heroku-new": ("HEROKU_API_KEY", _like("HR" + "KU-AA", (_URL64, 58))),
    "vultr": ("VULTR_API_KEY", _like((_UPPER + _DIGITS, 36))),
    "exoscale": ("EXOSCALE_API_SECRET", _like((_URL64, 43))),
    "ovh": ("OVH_CONSUMER_KEY", _like((_HEX, 32))),
    "aiven": ("AIVEN_PASSWORD", _like("AV" + "NS_", (_URL64, 19))),
    "influx": ("INFLUXDB_TOKEN", _like((_URL64, 86), "==")),
    "elastic": ("ELASTIC_API_KEY", _like((_B62, 58), "==")),
    "clickhouse": ("CLICKHOUSE_CLOUD_API_SECRET", _like("4b" + "1d", (_B62, 38))),
    "fauna": ("FAUNA_SECRET", _like("fnA", (_URL64, 37))),
    "algolia-admin": ("ALGOLIA_ADMIN_API_KEY", _like((_HEX, 32))),
    "meili": ("MEILI_MASTER_KEY", _like((_URL64, 44))),
    "typesense": ("TYPESENSE_API_KEY", _like((_B62, 32))),
    "turso": ("TURSO_AUTH_TOKEN", _jwt),
    "jenkins": ("JENKINS_API_TOKEN", _like("11", (_HEX, 32))),
    "teamcity": ("TEAMCITY_TOKEN", _like("ey" + "J0eXAiOiAiVENWMiJ9.", (_B62, 40), ".", (_B62, 48))),
    "sonar": ("SONAR_TOKEN", _like("sq" + "u_", (_HEX, 40))),
    "harness": ("HARNESS_API_KEY", _like("pa" + "t.", (_B62, 22), ".", (_HEX, 24), ".", (_B62, 20))),
    "spacelift": ("SPACELIFT_API_KEY_SECRET", _like((_HEX, 64))),
    "infisical": ("INFISICAL_TOKEN", _like("st.", (_HEX, 24), ".", (_HEX, 32), ".", (_HEX, 32))),
    "vault-legacy": ("VAULT_TOKEN", _like("s.", (_B62, 24))),
    "nomad": ("NOMAD_TOKEN", _uuid),
    "boundary": ("BOUNDARY_TOKEN", _like("at_", (_B62, 10), "_", (_B62, 120))),
    "zerotier": ("ZEROTIER_API_TOKEN", _like((_B62, 32))),
    "cf-tunnel": ("TUNNEL_TOKEN", _like("ey" + "JhIjoi", (_B62, 150))),
    "wireguard": ("WG_PRIVATE_KEY", _like((_B64, 42), "8", "=")),
    "radius": ("RADIUS_SECRET", _password),
    "ldap": ("LDAP_BIND_PASSWORD", _password),
    "win": ("ADMINISTRATOR_PASSWORD", _password),
    "rails-master": ("RAILS_MASTER_KEY", _like((_HEX, 32))),
    "symfony": ("APP_SECRET", _like((_HEX, 32))),
    "nextauth": ("NEXTAUTH_SECRET", _like((_B64, 43), "=")),
    "phoenix": ("SECRET_KEY_BASE", _like((_B64, 64))),
    "ghost": ("GHOST_ADMIN_API_KEY", _like((_HEX, 24), ":", (_HEX, 64))),
    "bigcommerce": ("BIGCOMMERCE_ACCESS_TOKEN", _like((_B36, 31))),
    "fcm": ("FCM_SERVER_KEY", _like("AA" + "AA", (_URL64, 7), ":APA91b", (_URL64, 134))),
    "tiktok": ("TIKTOK_CLIENT_SECRET", _like((_B62, 32))),
    "reddit": ("REDDIT_CLIENT_SECRET", _like((_URL64, 30))),
    "line": ("LINE_CHANNEL_ACCESS_TOKEN", _like((_B64, 170), "=")),
    "zoom": ("ZOOM_CLIENT_SECRET", _like((_B62, 32))),
    "matrix": ("MATRIX_ACCESS_TOKEN", _like("sy" + "t_", (_B62, 12), "_", (_B62, 20), "_", (_B62, 6))),
    "zulip": ("ZULIP_API_KEY", _like((_B62, 32))),
    "clickup": ("CLICKUP_API_TOKEN", _like("pk_", (_DIGITS, 8), "_", (_UPPER + _DIGITS, 32))),
    "coda": ("CODA_API_TOKEN", _uuid),
    "freshdesk": ("FRESHDESK_API_KEY", _like((_B62, 20))),
    "pipedrive": ("PIPEDRIVE_API_TOKEN", _like((_HEX, 40))),
    "amplitude": ("AMPLITUDE_SECRET_KEY", _like((_HEX, 32))),
    "opsgenie": ("OPSGENIE_API_KEY", _uuid),
    "rollbar": ("ROLLBAR_ACCESS_TOKEN", _like((_HEX, 32))),
    "splunk": ("SPLUNK_PASSWORD", _password),
    "sumo": ("SUMO_ACCESS_KEY", _like((_B62, 64))),
    "workos": ("WORKOS_API_KEY", _like("sk" + "_test_", (_B62, 60))),
    "openweather": ("OPENWEATHER_API_KEY", _like((_HEX, 32))),
    "newsapi": ("NEWS_API_KEY", _like((_HEX, 32))),
    "polygon": ("POLYGON_API_KEY", _like((_B62, 32))),
    "github-app-cs": ("GITHUB_CLIENT_SECRET", _like((_HEX, 40))),
    "fb-secret": ("FACEBOOK_APP_SECRET", _like((_HEX, 32))),
    "postgres": ("POSTGRES_PASSWORD", _password),
    "rabbit": ("RABBITMQ_DEFAULT_PASS", _password),
    "mongo": ("MONGO_INITDB_ROOT_PASSWORD", _password),
    "grafana-pw": ("GF_SECURITY_ADMIN_PASSWORD", _password),
    "minio": ("MINIO_SECRET_KEY", _like((_B62, 40))),
    "b2": ("B2_APPLICATION_KEY", _like("K00", (_B64, 28))),
    "wasabi": ("WASABI_SECRET_KEY", _like((_B62, 40))),
    "r2": ("R2_SECRET_ACCESS_KEY", _like((_HEX, 64))),
    "hcaptcha": ("HCAPTCHA_SECRET", _like("0x", (_HEX, 40))),
    "recaptcha": ("RECAPTCHA_SECRET_KEY", _like("6L", (_URL64, 38))),
    "turnstile": ("TURNSTILE_SECRET_KEY", _like("0x" + "4AAAAAA", (_URL64, 26))),
    "encryption": ("DATA_ENCRYPTION_KEY", _like((_B64, 43), "=")),
    "hmac": ("WEBHOOK_SIGNING_SECRET", _like((_HEX, 64))),
    "cookie-secret": ("OAUTH2_PROXY_COOKIE_SECRET", _like((_B64, 43), "=")),
    "scim": ("SCIM_TOKEN", _like((_B62, 50))),
    "pat-generic": ("GIT_PAT", _like((_B62, 40))),
    "svc": ("PAYMENTS_SERVICE_TOKEN", _like((_URL64, 32))),
    "internal": ("INTERNAL_SHARED_SECRET", _like((_B62, 28))),
    "docker-pat": ("DOCKER_PASSWORD", _like("dc" + "kr_pat_", (_URL64, 27))),
    "gcp-oauth": ("GOOGLE_CLIENT_SECRET", _like("GO" + "CSPX-", (_URL64, 28))),
    "openai-svc": ("OPENAI_API_KEY", _like("sk" + "-svcacct-", (_URL64, 74), "T3BlbkFJ", (_URL64, 74))),
    "anthropic-admin": ("ANTHROPIC_ADMIN_KEY", _like("sk" + "-ant-admin01-", (_URL64, 93), "AA")),
    "supabase-sr": ("SUPABASE_SERVICE_ROLE_KEY", _jwt),
    "dnsimple": ("DNSIMPLE_TOKEN", _like("dn" + "simple_a_", (_B62, 32))),
    "contentful": ("CONTENTFUL_MANAGEMENT_TOKEN", _like("CF" + "PAT-", (_URL64, 43))),
    "shippo": ("SHIPPO_TOKEN", _like("sh" + "ippo_live_", (_HEX, 40))),
    "plivo": ("PLIVO_AUTH_TOKEN", _like((_B62, 40))),
    "cloudinary": ("CLOUDINARY_API_SECRET", _like((_URL64, 27))),
    "pusher": ("PUSHER_APP_SECRET", _like((_HEX, 20))),
    "ably": ("ABLY_API_KEY", _like((_B62, 6), ".", (_B62, 6), ":", (_URL64, 43))),
    "livekit": ("LIVEKIT_API_SECRET", _like((_B62, 43))),
    "sendbird": ("SENDBIRD_API_TOKEN", _like((_HEX, 40))),
    "onesignal": ("ONESIGNAL_REST_API_KEY", _like("os" + "_v2_app_", (_B36, 100))),
}


def _lookalikes(rng: random.Random) -> dict[str, list[str]]:
    """What has to stay whole, by kind."""
    seed = _draw(rng, _B62, 12).encode()
    sha1, sha256 = hashlib.sha1(seed, usedforsecurity=False).hexdigest(), hashlib.sha256(seed).hexdigest()
    md5 = hashlib.md5(seed, usedforsecurity=False).hexdigest()
    blob = base64.b64encode(hashlib.sha512(seed).digest()).decode()
    return {
        "hash": [
            f"commit {sha1}",
            f"sha256:{sha256}: Pull complete",
            f'etag: W/"{md5}"',
            f"index {sha1[:7]}..{sha256[:7]} 100644",
            f"Cache hit for key Linux-pip-{sha256}",
            f"cache-key: v1-{sha1}",
        ],
        "lockfile": [
            f"  integrity sha512-{blob}",
            f'checksum = "{sha256}"',
            f"requests==2.31.0 --hash=sha256:{sha256}",
            f"github.com/x/y v0.9.1 h1:{blob[:43]}=",
        ],
        "id": [
            f"x-request-id: {_uuid(rng)}",
            f'"session_id": "{_uuid(rng)}"',
            f'"id":"toolu_01{_draw(rng, _B62, 22)}"',
            f"AZURE_TENANT_ID={_uuid(rng)}",
        ],
        "image": [
            f'<img src="data:image/png;base64,iVBORw0KGgo{blob}">',
            f"src: url(data:font/woff2;base64,d09GMgABAAAA{blob})",
        ],
        "public key": [
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{blob[:44]} dev@host",
            f"PublicKey = {blob[:43]}=",
            f"NEXT_PUBLIC_STRIPE_KEY=pk_test_{_draw(rng, _B62, 40)}",
            "-----BEGIN " + f"CERTIFICATE-----\n{blob[:64]}\n-----END CERTIFICATE-----",
        ],
        "placeholder": [
            "DB_PASSWORD=changeme  # replace",
            "API_KEY=your-api-key-here",
            "Authorization: Bearer <token>",
            "curl -u user:password https://x.example.org",
            "Password: [hidden]",
            "poetry config pypi-token.pypi $PYPI_TOKEN",
            'gh secret set TOKEN -b "$TOKEN"',
            "openssl rsa -passin env:PW",
        ],
        "reference": [
            "password: ${DB_PASSWORD}",
            "token: ${{ secrets.GITHUB_TOKEN }}",
            'api_key = os.environ["API_KEY"]',
            "const key = process.env.API_KEY",
            "export TOKEN=`cat token.txt`",
            "//registry.example.org/:_authToken=${NPM_TOKEN}",
        ],
        "name without a value": [
            "Set OPENAI_API_KEY and AWS_SECRET_ACCESS_KEY first.",
            "the token is invalid or expired",
            "| password | string | the user's password |",
            "unset AWS_SESSION_TOKEN",
            "it's loginForm2, that's the password component",
            "use bcrypt12 as the password hash",
            "README-v2 as the key document",
            "recovery codes: 10 remaining",
            "el token ha caducado",
            "has\u0142o musi mie\u0107 8 znak\u00f3w",
            'error: secret "db-credentials" not found',
        ],
        "count": ["max_tokens: 16384", '"input_tokens": 1234', "token_count=88", "3 passed in 0.12s"],
        "path": ["PWD=/home/dev/app", "KEY_FILE=/run/secrets/key.pem", "private_key_path = '~/.ssh/id_ed25519'"],
        "code": [
            "if password == confirm:",
            "def login(user: str, password: str, token: str | None = None) -> None: ...",
            "o.password=r.value,o.token=i",
            "for key, value in items.items(): print(key, value)",
            "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
        ],
    }


def labelled_rows(seed: int = 1, per_kind: int = 4) -> Iterator[Row]:
    """Make labelled rows: every kind in some of the places, passwords in all of theirs, and the lookalikes.

    Args:
        seed: The same seed makes the same rows.
        per_kind: In how many places each kind stands.
    """
    rng = random.Random(seed)  # noqa: S311 - examples of keys, not keys
    line = 0
    for kind, (name, make) in SECRETS.items():
        for place in rng.sample(sorted(PLACES), per_kind):
            line += 1
            yield _filled(PLACES[place], name, make(rng), kind, line)
    for place in PASSWORD_PLACES:
        line += 1
        yield _filled(PASSWORD_PLACES[place], "DB_PASSWORD", _password(rng), "password", line)
    for kind, texts in _lookalikes(rng).items():
        for text in texts:
            line += 1
            yield Row(text, (), kind, "benign", line)


def write_labelled(path: Path | str, *, seed: int = 1, per_kind: int = 4) -> Path:
    """Write labelled rows as ``eval redaction`` reads them; the file is private (0600).

    Args:
        path: The JSON Lines file; it is written anew.
        seed: The same seed makes the same rows.
        per_kind: In how many places each kind stands.
    """
    file = Path(path)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        for row in labelled_rows(seed, per_kind):
            out.write(msgspec.json.encode(row) + b"\n")
    return file


def _filled(template: str, name: str, value: str, kind: str, line: int) -> Row:
    lowered = name.lower()
    first, *rest = lowered.split("_")
    forms = {
        "camel": first + "".join(map(str.capitalize, rest)),
        "kebab": lowered.replace("_", "-"),
        "lower": lowered,
        "NAME": name,
    }
    before, after = template.split("VALUE", 1)
    for form, text in forms.items():
        before, after = before.replace(form, text), after.replace(form, text)
    return Row(before + value + after, ((len(before), len(before) + len(value)),), kind, "secret", line)
