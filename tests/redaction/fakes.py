"""Fake secrets in the formats of real ones, and places where they stand. All are made at run time, from a seed."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
B62 = UPPER + LOWER + DIGITS
B64 = B62 + "+/"
URL64 = B62 + "-_"
HEX = DIGITS + "abcdef"
B36 = LOWER + DIGITS
B32 = UPPER + "234567"

Make = Callable[[random.Random], str]


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    """A string of the alphabet; one that happens to hold no digit or no letter is drawn again."""
    while True:
        value = "".join(rng.choice(alphabet) for _ in range(length))
        if length < 8 or alphabet == DIGITS or (any(c.isdigit() for c in value) and any(c.isalpha() for c in value)):
            return value


def uuid(rng: random.Random) -> str:
    return "-".join(draw(rng, HEX, size) for size in (8, 4, 4, 4, 12))


def like(*parts: str | tuple[str, int]) -> Make:
    """Literal parts and (alphabet, length) parts, joined."""
    return lambda rng: "".join(part if isinstance(part, str) else draw(rng, *part) for part in parts)


def password(rng: random.Random) -> str:
    word = rng.choice(["Falcon", "river", "Zebra", "monday", "Kestrel", "blue", "Okapi", "tango"])
    return rng.choice(
        [
            f"{word}{rng.randrange(10, 99)}{rng.choice('!#%&*@')}{draw(rng, B62, 4)}",
            draw(rng, B62, rng.randrange(10, 20)),
            draw(rng, B62 + "!#%*", rng.randrange(12, 18)),
            f"{draw(rng, LOWER, 3)}{rng.choice('!@#%^*')}{draw(rng, B62, 8)}",
        ]
    )


def jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    body = {"sub": draw(rng, DIGITS, 9), "name": draw(rng, LOWER, 7), "iat": rng.randrange(10**9)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(body)}.{draw(rng, URL64, 43)}"


def pem(label: str, lines: int) -> Make:
    def make(rng: random.Random) -> str:
        body = "\n".join(draw(rng, B64, 64) for _ in range(lines)) + "\n" + draw(rng, B64, 30) + "=="
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    return make


#: kind -> (variable that holds it, maker). The prefixes are split so that a scanner of this file finds nothing.
TOKENS: dict[str, tuple[str, Make]] = {
    "github": ("GITHUB_TOKEN", like("gh" + "p_", (B62, 36))),
    "github-fine": ("GH_PAT", like("github" + "_pat_", (B62, 22), "_", (B62, 59))),
    "gitlab": ("GITLAB_TOKEN", like("glp" + "at-", (URL64, 20))),
    "gitlab-deploy": ("CI_DEPLOY_TOKEN", like("gld" + "t-", (URL64, 20))),
    "bitbucket": ("BITBUCKET_APP_PASSWORD", like("ATB" + "B", (B62, 32))),
    "azure-devops": ("AZURE_DEVOPS_EXT_PAT", like((B36, 52))),
    "aws-id": ("AWS_ACCESS_KEY_ID", like("AK" + "IA", (B32, 16))),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", like((B64, 40))),
    "aws-session": ("AWS_SESSION_TOKEN", like("IQoJb3Jp" + "Z2luX2Vj", (B64, 340), "==")),
    "azure-ad": ("AZURE_CLIENT_SECRET", like((B62, 3), "8Q" + "~", (URL64 + "~.", 34))),
    "azure-storage": ("AZURE_STORAGE_KEY", like((B64, 86), "==")),
    "azure-cognitive": ("AZURE_OPENAI_API_KEY", like((B62, 52), "JQQJ" + "99", (B62, 26))),
    "google-api": ("GOOGLE_API_KEY", like("AI" + "za", (URL64, 35))),
    "google-oauth": ("GOOGLE_OAUTH_TOKEN", like("ya" + "29.", (URL64, 120))),
    "google-refresh": ("GOOGLE_REFRESH_TOKEN", like("1/" + "/0", (URL64, 60))),
    "digitalocean": ("DIGITALOCEAN_TOKEN", like("dop" + "_v1_", (HEX, 64))),
    "linode": ("LINODE_TOKEN", like((HEX, 64))),
    "hetzner": ("HCLOUD_TOKEN", like((B62, 64))),
    "scaleway": ("SCW_SECRET_KEY", uuid),
    "heroku-old": ("HEROKU_API_KEY", uuid),
    "render": ("RENDER_API_KEY", like("rn" + "d_", (B62, 32))),
    "railway": ("RAILWAY_TOKEN", uuid),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", like((URL64, 40))),
    "vercel": ("VERCEL_TOKEN", like((B62, 24))),
    "fly": ("FLY_API_TOKEN", like("fm" + "2_", (B64, 180))),
    "openai": ("OPENAI_API_KEY", like("sk" + "-proj-", (URL64, 74), "T3Blbk" + "FJ", (URL64, 74))),
    "openai-admin": ("OPENAI_ADMIN_KEY", like("sk" + "-admin-", (URL64, 58), "T3Blbk" + "FJ", (URL64, 58))),
    "anthropic": ("ANTHROPIC_API_KEY", like("sk-" + "ant-api03-", (URL64, 93), "AA")),
    "anthropic-oauth": ("CLAUDE_CODE_OAUTH_TOKEN", like("sk-" + "ant-oat01-", (URL64, 93), "AA")),
    "groq": ("GROQ_API_KEY", like("gs" + "k_", (B62, 52))),
    "mistral": ("MISTRAL_API_KEY", like((B62, 32))),
    "cohere": ("CO_API_KEY", like((B62, 40))),
    "together": ("TOGETHER_API_KEY", like((HEX, 64))),
    "fireworks": ("FIREWORKS_API_KEY", like("f" + "w_", (B62, 24))),
    "elevenlabs": ("ELEVENLABS_API_KEY", like("s" + "k_", (HEX, 48))),
    "deepgram": ("DEEPGRAM_API_KEY", like((HEX, 40))),
    "assemblyai": ("ASSEMBLYAI_API_KEY", like((HEX, 32))),
    "huggingface": ("HF_TOKEN", like("h" + "f_", (B62, 34))),
    "voyage": ("VOYAGE_API_KEY", like("p" + "a-", (URL64, 43))),
    "serpapi": ("SERPAPI_API_KEY", like((HEX, 64))),
    "wandb": ("WANDB_API_KEY", like((HEX, 40))),
    "exa": ("EXA_API_KEY", uuid),
    "firecrawl": ("FIRECRAWL_API_KEY", like("f" + "c-", (HEX, 32))),
    "langfuse": ("LANGFUSE_SECRET_KEY", lambda rng: "sk-" + "lf-" + uuid(rng)),
    "slack-bot": ("SLACK_BOT_TOKEN", like("xo" + "xb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (B62, 24))),
    "slack-user": (
        "SLACK_TOKEN",
        like("xo" + "xp-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 13), "-", (HEX, 32)),
    ),
    "slack-signing": ("SLACK_SIGNING_SECRET", like((HEX, 32))),
    "discord": ("DISCORD_TOKEN", like("MT", (B62, 24), ".", "G", (B62, 5), ".", (URL64, 38))),
    "telegram": ("TELEGRAM_TOKEN", like((DIGITS, 10), ":" + "AA", (URL64, 33))),
    "twilio-auth": ("TWILIO_AUTH_TOKEN", like((HEX, 32))),
    "sendgrid": ("SENDGRID_API_KEY", like("S" + "G.", (URL64, 22), ".", (URL64, 43))),
    "mailgun": ("MAILGUN_API_KEY", like((HEX, 32), "-", (HEX, 8), "-", (HEX, 8))),
    "postmark": ("POSTMARK_SERVER_TOKEN", uuid),
    "mandrill": ("MANDRILL_KEY", like("m" + "d-", (URL64, 22))),
    "stripe": ("STRIPE_SECRET_KEY", like("sk" + "_live_", (B62, 99))),
    "stripe-restricted": ("STRIPE_RESTRICTED_KEY", like("rk" + "_test_", (B62, 24))),
    "paypal": ("PAYPAL_CLIENT_SECRET", like("E", (URL64, 79))),
    "square": ("SQUARE_ACCESS_TOKEN", like("EAA" + "A", (URL64, 60))),
    "plaid": ("PLAID_SECRET", like((HEX, 30))),
    "shopify": ("SHOPIFY_TOKEN", like("shp" + "at_", (HEX, 32))),
    "braintree": ("BRAINTREE_PRIVATE_KEY", like((HEX, 32))),
    "npm": ("NPM_TOKEN", like("np" + "m_", (B62, 36))),
    "pypi": ("PYPI_TOKEN", like("py" + "pi-AgEIcHlwaS5vcmc", (URL64, 150))),
    "nuget": ("NUGET_API_KEY", like("oy" + "2", (B36, 43))),
    "docker": ("DOCKERHUB_TOKEN", like("dckr" + "_pat_", (URL64, 27))),
    "vault": ("VAULT_TOKEN", like("hv" + "s.", (URL64, 95))),
    "consul": ("CONSUL_HTTP_TOKEN", uuid),
    "doppler": ("DOPPLER_TOKEN", like("dp" + ".st.prd.", (B62, 40))),
    "circleci": ("CIRCLE_TOKEN", like((HEX, 40))),
    "buildkite": ("BUILDKITE_TOKEN", like("bk" + "ua_", (HEX, 40))),
    "travis": ("TRAVIS_TOKEN", like((B62, 22))),
    "codecov": ("CODECOV_TOKEN", uuid),
    "snyk": ("SNYK_TOKEN", uuid),
    "sentry": ("SENTRY_AUTH_TOKEN", like("sntr" + "ys_eyJ", (B62, 120), "_", (B64, 43))),
    "datadog": ("DD_API_KEY", like((HEX, 32))),
    "datadog-app": ("DD_APP_KEY", like((HEX, 40))),
    "newrelic": ("NEW_RELIC_LICENSE_KEY", like((HEX, 36), "NR" + "AL")),
    "grafana": ("GRAFANA_TOKEN", like("gl" + "sa_", (B62, 32), "_", (HEX, 8))),
    "honeycomb": ("HONEYCOMB_API_KEY", like((B62, 22))),
    "pagerduty": ("PAGERDUTY_API_KEY", like("u+", (URL64, 18))),
    "splunk": ("SPLUNK_HEC_TOKEN", uuid),
    "launchdarkly": ("LAUNCHDARKLY_SDK_KEY", lambda rng: "sd" + "k-" + uuid(rng)),
    "segment": ("SEGMENT_WRITE_KEY", like((B62, 32))),
    "mixpanel": ("MIXPANEL_SECRET", like((HEX, 32))),
    "algolia": ("ALGOLIA_ADMIN_KEY", like((HEX, 32))),
    "airtable": ("AIRTABLE_PAT", like("pa" + "t", (B62, 14), ".", (HEX, 64))),
    "notion": ("NOTION_API_KEY", like("secr" + "et_", (B62, 43))),
    "linear": ("LINEAR_API_KEY", like("lin" + "_api_", (B62, 40))),
    "figma": ("FIGMA_TOKEN", like("fig" + "d_", (URL64, 40))),
    "jira": ("JIRA_API_TOKEN", like("ATA" + "TT3xFfGF0", (URL64, 170), "=", (HEX.upper(), 8))),
    "trello": ("TRELLO_TOKEN", like("ATT" + "A", (HEX, 64), (HEX.upper(), 8))),
    "zendesk": ("ZENDESK_API_TOKEN", like((B62, 40))),
    "intercom": ("INTERCOM_ACCESS_TOKEN", like("dG9r" + "Ojk", (B62, 52), "=")),
    "hubspot": ("HUBSPOT_ACCESS_TOKEN", lambda rng: "pat" + "-eu1-" + uuid(rng)),
    "salesforce": ("SF_ACCESS_TOKEN", like("00" + "D", (B62, 12), "!", (B62 + "._", 96))),
    "dropbox": ("DROPBOX_TOKEN", like("sl" + ".u.", (URL64, 130))),
    "facebook": ("FB_PAGE_TOKEN", like("EAA" + "C", (B62, 160))),
    "twitter": ("TWITTER_BEARER_TOKEN", like("AAAAAAAAAAAAAAAAAAAAA" + "A", (B62 + "%", 80))),
    "twitter-secret": ("TWITTER_API_SECRET", like((B62, 50))),
    "linkedin": ("LINKEDIN_CLIENT_SECRET", like((B62, 16))),
    "spotify": ("SPOTIFY_CLIENT_SECRET", like((HEX, 32))),
    "okta": ("OKTA_TOKEN", like("00", (URL64, 40))),
    "auth0": ("AUTH0_CLIENT_SECRET", like((URL64, 64))),
    "clerk": ("CLERK_SECRET_KEY", like("sk" + "_test_", (B62, 42))),
    "supabase": ("SUPABASE_ACCESS_TOKEN", like("sb" + "p_", (HEX, 40))),
    "planetscale": ("PLANETSCALE_PASSWORD", like("psc" + "ale_pw_", (URL64, 43))),
    "upstash": ("UPSTASH_REDIS_REST_TOKEN", like("AX", (B62, 52), "==")),
    "databricks": ("DATABRICKS_TOKEN", like("da" + "pi", (HEX, 32))),
    "snowflake": ("SNOWFLAKE_PASSWORD", password),
    "mapbox": ("MAPBOX_SECRET_TOKEN", like("sk" + ".eyJ1Ijoi", (B62, 60), ".", (URL64, 22))),
    "tailscale": ("TS_AUTHKEY", like("tsk" + "ey-auth-", (B62, 17), "-", (B62, 33))),
    "ngrok": ("NGROK_AUTHTOKEN", like("2", (B62, 26), "_", (B62, 21))),
    "jwt": ("ACCESS_JWT", jwt),
    "laravel": ("APP_KEY", like("base" + "64:", (B64, 43), "=")),
    "django": ("DJANGO_SECRET_KEY", like((LOWER + DIGITS + "!@#%^&*(-_=+)", 50))),
    "rails": ("SECRET_KEY_BASE", like((HEX, 128))),
    "fernet": ("FERNET_KEY", like((URL64, 43), "=")),
    "jwt-secret": ("JWT_SECRET", like((B64, 44))),
    "session-secret": ("SESSION_SECRET", like((B62, 32))),
    "encryption": ("ENCRYPTION_KEY", like((HEX, 64))),
    "webhook-secret": ("GITHUB_WEBHOOK_SECRET", like((HEX, 40))),
    "db-password": ("DB_PASSWORD", password),
    "root-password": ("MYSQL_ROOT_PASSWORD", password),
    "redis-password": ("REDIS_PASSWORD", password),
    "smtp-password": ("SMTP_PASS", password),
    "admin-password": ("ADMIN_PASSWORD", password),
    "wifi": ("WIFI_PSK", password),
    "keystore": ("KEYSTORE_PASSPHRASE", password),
    "acme": ("ACME_INTERNAL_API_KEY", like("ac" + "me_live_", (B62, 32))),
    "unknown-token": ("ZORB_TOKEN", like((B62, 36))),
    "unknown-secret": ("ZORB_CLIENT_SECRET", like((URL64, 48))),
    "eth-key": ("DEPLOYER_PRIVATE_KEY", like("0x", (HEX, 64))),
}


def camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(part.capitalize() for part in rest)


#: context -> template; NAME, camel, lower, kebab are forms of the variable, VALUE is where the secret goes.
CONTEXTS: dict[str, str] = {
    "env-file": "NODE_ENV=production\nNAME=VALUE\nPORT=3000\n",
    "env-quoted": 'DEBUG=0\nNAME="VALUE"\n',
    "export": "export NAME=VALUE && npm start",
    "inline-env": "NAME='VALUE' python manage.py migrate --noinput",
    "json": '{"region": "eu", "camel": "VALUE", "retries": 3}',
    "json-snake": '{\n  "lower": "VALUE",\n  "debug": false\n}',
    "json-in-json": '{"stdout": "{\\"lower\\": \\"VALUE\\", \\"ok\\": true}\\n"}',
    "json-three-deep": '{"a": "{\\"b\\": \\"{\\\\\\"camel\\\\\\": \\\\\\"VALUE\\\\\\"}\\"}"}',
    "yaml": "config:\n  lower: VALUE\n  timeout: 30\n",
    "yaml-list": "    environment:\n      - NAME=VALUE\n      - TZ=UTC\n",
    "yaml-quoted": "lower: 'VALUE'  # rotate quarterly\n",
    "k8s-env": '        - name: NAME\n          value: "VALUE"\n',
    "toml": '[auth]\nlower = "VALUE"\n',
    "ini": "[remote]\nlower = VALUE\nurl = https://x.example.org\n",
    "properties": "service.lower.dotted=VALUE\n",
    "xml": "<settings><camel>VALUE</camel><port>22</port></settings>",
    "xml-attribute": '<add key="NAME" value="VALUE" />',
    "plist": "<key>NAME</key>\n<string>VALUE</string>",
    "python": 'lower = "VALUE"\nclient = connect(lower)\n',
    "python-dict": "cfg = {'lower': 'VALUE', 'n': 2}",
    "python-kwarg": 'client = Client(lower="VALUE", timeout=5)',
    "python-typed": 'camel: str = "VALUE"',
    "python-environ": 'os.environ["NAME"] = "VALUE"',
    "python-default": 'key = os.environ.get("NAME", "VALUE")',
    "js-const": "const camel = 'VALUE';",
    "js-env": "process.env.NAME = `VALUE`;",
    "js-fallback": "const k = process.env.NAME || 'VALUE';",
    "ts-typed": 'private readonly camel: string = "VALUE";',
    "go": 'camel := "VALUE"',
    "go-setenv": 'os.Setenv("NAME", "VALUE")',
    "rust": 'let lower: &str = "VALUE";',
    "java": 'private static final String NAME = "VALUE";',
    "csharp": 'var camel = new Secret("VALUE");',
    "php": "define('NAME', 'VALUE');",
    "ruby": ":lower => 'VALUE',",
    "hcl": 'variable "lower" {\n  default = "VALUE"\n}',
    "hcl-assign": 'lower = "VALUE"',
    "dockerfile": "FROM alpine\nENV NAME VALUE\nRUN true",
    "dockerfile-eq": "ENV NAME=VALUE",
    "docker-run": "docker run -d -e NAME=VALUE -p 80:80 nginx",
    "powershell": '$env:NAME = "VALUE"',
    "cmd-set": "set NAME=VALUE",
    "fish": "set -x NAME VALUE",
    "csh": "setenv NAME VALUE",
    "makefile": "NAME := VALUE",
    "flag": "deploy --kebab VALUE --region eu",
    "flag-eq": "deploy --kebab=VALUE --verbose",
    "flag-json": '["--kebab", "VALUE", "--verbose"]',
    "kubectl": "kubectl create secret generic app --from-literal=NAME=VALUE",
    "gh-secret": 'gh secret set NAME --body "VALUE"',
    "heroku-set": "heroku config:set NAME=VALUE -a shop",
    "terraform-var": 'terraform apply -var="lower=VALUE"',
    "actions": "    env:\n      NAME: VALUE\n",
    "bearer": 'curl -H "Authorization: Bearer VALUE" https://api.example.org/v1',
    "bearer-py": 'headers = {"Authorization": "Bearer VALUE"}',
    "bearer-js": "headers: { Authorization: 'Bearer ' + 'VALUE' }",
    "token-header": "Authorization: token VALUE",
    "api-header": "x-api-key: VALUE",
    "api-header-json": '"headers": {"X-Auth-Token": "VALUE"}',
    "query": "GET https://api.example.org/v1/items?limit=5&access_token=VALUE&page=2",
    "query-apikey": "https://api.example.org/data?api_key=VALUE",
    "clone": "git clone https://oauth2:VALUE@git.example.org/team/app.git",
    "clone-user": "git clone https://VALUE@git.example.org/team/app.git",
    "remote": "origin\thttps://ci-bot:VALUE@git.example.org/team/app.git (fetch)",
    "stdin": "echo VALUE | docker login -u ci --password-stdin",
    "stdin-quoted": "echo 'VALUE' | gh auth login --with-token",
    "printf": "printf '%s' 'VALUE' | gh secret set NAME",
    "prose-is": "the service key is VALUE , please rotate it next week",
    "prose-my": "My api key is VALUE.",
    "prose-token": "I pasted the token: VALUE and it still fails",
    "prose-use": "use VALUE as the token for staging",
    "unauthorized": "E   AssertionError: 401 Unauthorized for token VALUE\n    at request (/app/src/http.ts:41)",
    "invalid": "Error: invalid API key: VALUE (request id 8f1)",
    "log": "2026-01-02T03:04:05Z INFO auth token=VALUE user=ci ok",
    "log-json": '{"level":"info","msg":"login","token":"VALUE"}',
    "cat-n": '     1→import os\n     2→NAME = "VALUE"\n     3→print(1)',
    "grep": "src/settings.py:12:NAME = 'VALUE'",
    "diff-add": "@@ -1,2 +1,2 @@\n-NAME=\n+NAME=VALUE\n",
    "table": "| NAME | VALUE |\n|---|---|",
    "markdown-bold": "- **NAME**: `VALUE`",
    "csv": "name,value\nNAME,VALUE\n",
    "printenv": "HOME=/root\nNAME=VALUE\nSHLVL=1",
    "escaped-env": '{"stdout": "HOME=/root\\nNAME=VALUE\\nSHLVL=1\\n"}',
    "colour": "\x1b[32mNAME\x1b[0m=\x1b[33mVALUE\x1b[0m",
    "npmrc": "//registry.example.org/:_authToken=VALUE",
    "assert": 'assert settings.NAME == "VALUE"',
    "comment": "# NAME=VALUE\n",
    "select": "UPDATE app SET lower = 'VALUE' WHERE id = 1;",
    "conn": "Server=db;User Id=app;Password=VALUE;Encrypt=true",
}

#: Contexts of passwords only.
PASSWORD_CONTEXTS: dict[str, str] = {
    "url": "postgresql://app:VALUE@db.example.org:5432/main",
    "url-redis": "REDIS_URL=redis://:VALUE@cache.example.org:6379/0",
    "curl-u": "curl -u deploy:VALUE https://nexus.example.org/x",
    "curl-user": "curl --user 'deploy:VALUE' https://nexus.example.org/x",
    "mysql": "mysql -h db -u root -pVALUE shop",
    "sshpass": "sshpass -p 'VALUE' ssh root@10.0.0.4",
    "docker-login": "docker login -u ci -p VALUE registry.example.org",
    "redis-cli": "redis-cli -h cache -a VALUE ping",
    "pgpassword": "PGPASSWORD=VALUE psql -h db -U app",
    "identified": "CREATE USER app IDENTIFIED BY 'VALUE';",
    "alter": "ALTER USER app WITH PASSWORD 'VALUE';",
    "netrc": "machine git.example.org\n  login ci\n  password VALUE\n",
    "netrc-line": "machine git.example.org login ci password VALUE",
    "pgpass": "db.example.org:5432:main:app:VALUE\n",
    "prose": "my password is VALUE",
    "prose-for": "the password for the staging box is VALUE",
    "prose-colon": "login: admin\npassword: VALUE\n",
    "chpasswd": "echo 'root:VALUE' | chpasswd",
    "sudo": "echo VALUE | sudo -S apt-get update",
    "ansible": "web1 ansible_user=root ansible_ssh_pass=VALUE",
    "wget": "wget --user=ci --password=VALUE https://x.example.org/f",
    "jdbc": "jdbc:mysql://db:3306/x?user=app&password=VALUE&useSSL=false",
    "smb": "smbclient //srv/share -U admin%VALUE",
    "openssl": "openssl enc -aes-256-cbc -pass pass:VALUE -in a -out b",
    "spring": "spring.datasource.password=VALUE",
    "german": "Das Passwort lautet VALUE",
    "spanish": "La contraseña es VALUE",
    "chinese": "密码：VALUE",
}


def place(template: str, name: str, value: str) -> tuple[str, int, int]:
    """Fill a template; returns the text and the span of the value in it."""
    lowered = name.lower()
    before, after = template.split("VALUE", 1)
    forms = (
        ("lower.dotted", lowered.replace("_", ".")),
        ("camel", camel(name)),
        ("kebab", lowered.replace("_", "-")),
        ("lower", lowered),
        ("NAME", name),
    )
    for form, text in forms:
        before, after = before.replace(form, text), after.replace(form, text)
    return before + value + after, len(before), len(before) + len(value)
