"""What a name promises: does ``DB_PASSWORD``, ``max_tokens`` or ``publicKey`` hold a secret?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from recall_lab.redaction.vocabulary import word_set

#: ``password``: people choose the value, so weak ones count. ``secret``: a machine made it. ``hint``: the name only
#: suggests a secret, so the value has to be long and random. ``None``: the name says that it is something else.
Promise = Literal["password", "secret", "hint"] | None

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]+")

_PASSWORDS = word_set(
    """
    psk passe password passwd pwd pass passphrase passcode pswd passw pw psw mdp passwort kennwort senha
    wachtwoord heslo salasana adgangskode passord clave authtok
    contrasena пароль 密码 密碼 口令 パスワード 비밀번호 userpass sshpass dbpass pgpassword mypwd passwords passcodes
    """
)
# How a name ends in other languages, whatever stands before.
_FOREIGN_PASSWORDS = tuple(
    word_set(
        """
        пароль 密码 密碼 口令 パスワード 비밀번호 암호 contraseña hasło lösenord şifre סיסמה
        """
    )
    | {"mật khẩu", "كلمة المرور"}
)
_FOREIGN_SECRETS = tuple(
    word_set(
        """
        токен ключ 密钥 密鑰 令牌 トークン キー 토큰 schlüssel
        """
    )
    | {
        *("ключ api", "clé api", "clave api", "clave de api", "chave api", "chave da api", "chave de api"),
        "chiave api",
    }
)
_SECRETS = word_set(
    """
    secret secrets token apikey apitoken authtoken accesstoken secretkey accesskey privatekey authkey credential
    credentials cred creds jwt bearer authorization mnemonic seedphrase pat sas apikeys clientsecret appsecret
    refreshtoken bottoken authpass xapikey keys_secret csk hmac wif
    """
)
_KEY_QUALIFIERS = word_set(
    """
    api access secret private priv auth authorization encryption encrypt encrypted signing sign master account
    storage shared subscription license licence admin deploy consumer write read root hmac aes jwt crypto cipher
    decryption decrypt function functions host ingest ingestion integration merchant personal app application
    security validation vault unseal recovery wallet sdk service client x bot webhook stripe openai anthropic gemini
    groq mistral datadog dd sendgrid mailgun twilio algolia newrelic github gitlab slack aws gcp azure supabase role
    openrouter cohere pinecone hf huggingface replicate deepseek perplexity together elevenlabs serpapi tavily llm
    model instrumentation management product activation serial gpg pgp session
    """
)
# Services whose key is theirs to keep, whatever the name says besides.
_SERVICES = word_set(
    """
    abuseipdb accuweather alchemy alphavantage amplitude anyscale apify arize assemblyai bitly bugsnag bunny bytescale
    cartesia censys checkly chargebee clarifai claude clickup cloudflare coingecko coinmarketcap cloudinary cmc
    cohere comet contentful customerio deepgram deepl discourse elastic elasticsearch elevio etherscan exa fal fastly
    fauna finnhub firecrawl fireworks flagsmith freshdesk gemini giphy helicone heroku hetzner honeycomb hubspot
    hunter imgbb imgix infura ipinfo ipstack iterable jina jumpcloud klaviyo langfuse langsmith linode litellm loggly
    logzio lokalise loops mailchimp mailerlite mapbox mapquest meilisearch mixpanel moralis netlify newsapi ngrok nim
    nvidia nyt omdb onesignal opencage openweather openweathermap opsgenie outscraper pagerduty parseur pexels pixabay
    pinecone pipedrive plaid plivo polygon portkey posthog postman postmark qdrant quandl rapidapi rapid reka resend
    retool rollbar runpod sambanova scale scaleway securitytrails segment sendbird serper shippo shodan siliconflow
    singlestore sonar sparkpost spotify squarespace stability statsig svix tatum tinybird tmdb todoist toggl tomtom
    typeform typesense unkey unsplash upstash uptimerobot virustotal voyage vultr wakatime weather weatherapi
    weaviate webflow weatherstack windy xai youtube zendesk zerotier zhipu zhipuai
    """
)
# Services that hand out a primary and a secondary key.
_ACCOUNTS = word_set(
    """
    account access cosmos storage azure iot hub eventhub eventgrid servicebus search cognitive openai maps signalr
    device batch speech vision translator subscription master redis
    """
)
_NOT_KEYS = word_set(
    """
    uuid guid ulid
    public pub publishable foreign primary secondary sort partition cache object lookup dict map hash range index row
    idempotency routing event message group translation i18n config feature flag issue site measurement anon
    unique composite natural surrogate candidate query i18n intl locale label sorting shortcut hot arrow enter
    escape esc tab shift ctrl cmd alt meta space modifier any each other same first last next prev previous
    current selected active parent child missing unknown invalid duplicate react storage_key react_key state props
    prop attr attribute column field header param metadata meta json yaml toml ini dedup dedupe debounce throttle
    queue topic bucket folder file path s3 redis websocket socket
    """
)
_NOT_TOKENS = word_set(
    """
    max min num total input output prompt completion cached count n stop pad eos bos unk mask sep cls special next
    page continuation sync csrf xsrf cancellation cancel design color syntax public pagination cursor first last
    prev current each per new word text sub lexer parse parser keyword punctuation operator identifier comment
    string number context budget used remaining reasoning thinking type tokenizer abort resume watermark generated
    start end think image audio start_of end_of unknown position placeholder theme publishable
    """
)
# A name that ends in one of these speaks about a secret instead of holding it.
_ABOUT = word_set(
    """
    id ids name names url urls uri path paths file files filename dir folder type types count counts length len
    size limit limits budget usage used price cost field fields label labels expires expiry expiration expire ttl
    at on hash hint policy policies rule rules regex pattern prefix suffix format version ref refs reset error
    errors exception manager provider providers store storage handler class func function callback parser header
    headers param params parameter required enabled disabled valid invalid validation validator validate verified
    verification check checks checker strength min max input inputs prompt prompts placeholder title description
    text message messages msg help env var variable source sources index schema model view form page screen button
    icon option options mode method methods endpoint endpoints location region host port user username email
    status state count scope scopes owner issuer audience algorithm algo alg encoding length bits lifetime
    duration interval rotation rotated rotate created updated date time timestamp issued last exists missing found
    set present match matches equals confirm detected detector detection scanning scanner scan redaction redacted
    mask masked filter generator generate generation service services client server api request response
    middleware guard auth flow helper helpers util utils test tests spec mock fixture command cmd arn kind pair
    pairs bucket char chars character characters column vault per estimate ratio rate total sum avg embedding
    embeddings ids stream streams event events position positions number numbers key_id alias aliases comparison
    fingerprint fingerprints digest checksum kms lookup list map table cache queue pool bundle signature_method csrf
    """
)
# Two words that name a secret which neither names.
_PAIRS = frozenset(
    (
        *(("auth", "code"), ("authorization", "code"), ("activation", "code"), ("api", "hash")),
        *(("release", "cookie"), ("erlang", "cookie")),
    )
)
# These may follow the word that counts.
_TAILS = word_set(
    """
    value val string str raw plain plaintext text base b64 base64 hex prod production dev development stage
    staging test live sandbox qa uat local default main primary secondary backup old new current previous next one
    two a b v1 v2 v3 pypi testpypi confirmation confirm again
    private repeat encoded literal rw ro readonly write read admin root
    """
)
_STRONG_PARTS = ("password", "passwd", "passphrase", "passwort", "apikey", "secretkey", "accesskey", "authtoken")


@lru_cache(maxsize=16384)
def promise(name: str) -> Promise:
    """What a variable, field, flag, header or column of this name promises to hold."""
    if ".account.key." in name:
        return "secret"  # Azure's storage, with the host behind it
    if not name.isascii():
        lowered = name.lower()
        if lowered.endswith(_FOREIGN_PASSWORDS):
            return "password"
        if lowered.endswith(_FOREIGN_SECRETS):
            return "secret"
    elif " " in name and name.lower().endswith(_FOREIGN_SECRETS):
        return "secret"
    owner, dot, own = name.rpartition(".")
    if dot and owner and len(_WORDS.findall(own)) > 1:
        name = own  # what holds the field does not say what it is: config.secret_key
    words = [word.lower() for word in _WORDS.findall(name.replace("ñ", "n"))]
    while len(words) > 1 and (words[-1].isdigit() or (words[-1] in _TAILS and words[-1] not in _PASSWORDS)):
        words.pop()
    if not words:
        return None
    last = words[-1]
    before = words[:-1]
    found = _head(last, before, dashed=name.startswith("-"))
    if found != "unsure":
        return found
    if last in _ABOUT:
        return None
    return "hint" if _holds_part(before, name) else None


def _head(last: str, before: list[str], *, dashed: bool) -> Promise | Literal["unsure"]:
    if last in _PASSWORDS or last.endswith(("password", "passwd", "passphrase", "passwort")):
        return (
            None if before and before[-1] in ("no", "forgot", "reset", "change", "show", "hide", "bad") else "password"
        )
    if last in ("token", "tokens") and before and _NOT_TOKENS.intersection(before[-2:]):
        return None
    if last == "tokens":
        return "hint" if before and before[-1] in ("api", "access", "auth", "refresh") else None
    if last in _SECRETS or last.endswith(("token", "secret", "apikey", "secretkey", "accesskey")):
        return None if before and before[-1] in ("public", "publishable", "no", "hashed", "hash") else "secret"
    if last in ("key", "keys"):
        return _key(before, dashed=dashed)
    if last == "signature" and before and before[-1] in ("amz", "goog", "oss", "cos"):
        return "secret"  # of a URL, which anybody can open
    if last == "sid" and before and before[-1] in ("account", "service", "message", "call", "project", "workspace"):
        return None  # an id of Twilio
    if last == "salt" and before and before[-1] in ("nonce", "auth", "logged", "secure", "hash", "password"):
        return "secret"
    if last in ("auth", "salt", "seed", "sig", "signature", "sid", "pin", "cookie", "sessionid", "phpsessid"):
        return "hint"
    if last == "base" and "secret" in before:
        return "secret"
    if (before[-1] if before else "", last) in _PAIRS:
        return "secret"
    return "unsure"


def _key(before: list[str], *, dashed: bool) -> Promise:
    if not before and dashed:
        return "hint"
    if len(before) > 1 and before[-1] in ("primary", "secondary") and before[-2] in _ACCOUNTS:
        return "secret"
    if not before or _NOT_KEYS.intersection(before[-2:]):
        return None
    if (
        before[-1] in _KEY_QUALIFIERS
        or before[-1] in _SERVICES
        or before[-1].endswith(("secret", "access", "private", "auth", "api"))
    ):
        return "secret"
    return "hint"


def _holds_part(words: list[str], name: str) -> bool:
    lowered = name.lower()
    if any(part in lowered for part in _STRONG_PARTS):
        return True
    return any(
        word in _PASSWORDS or word in _SECRETS or (word == "key" and index and words[index - 1] in _KEY_QUALIFIERS)
        for index, word in enumerate(words)
    )
