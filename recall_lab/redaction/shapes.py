"""Does this string look like a secret? Judgements about a single value, without its context.

Three questions are kept apart: is it drawn at random (``looks_random``), does it stand for a value that is somewhere
else (``is_reference``), and is it a stand-in that people write where a secret would go (``is_placeholder``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from recall_lab.redaction.vocabulary import word_set

# The letter pairs that make up 96.5% of the pairs in the words of CPython's standard library (weighted by the
# logarithm of each word's frequency): 363 of 676. Words keep to them; a random pair leaves them half of the time.
_PAIRS = """
    abcdefghiklmnprstuvwxyz abceijloprstuy acdehiklmoprstuy abcdefgilmnoprstuy abcdefghiklmnopqrstuvwxy
    acdefilorstu aeghilmnorstu aeilmnortuy abcdefgklmnoprstvxz aeou aeilnorsu abcdefilmnopstuvy abdeilmopstuy
    abcdefghiklmnoprstuvy abcdefghiklmnoprstuvwxy acdefhiloprstuy u abcdefgiklmnoprstuvwy acdefghiklmnoprstuwy
    abcdefhilmnoprstuwyz abcdefgilmnoprst aeio aehinors aceiptx acelmnopst aeio
"""
_FOLLOWERS = {chr(97 + index): frozenset(letters) for index, letters in enumerate(_PAIRS.split())}

_SAMPLE = 256  # code points of a long value that are looked at

_BORDERS = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")  # of a letter and a digit
_RUN = re.compile(r"[A-Za-z0-9]+")
_SEGMENT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")

DIGIT = re.compile(r"[0-9]")
CUT_OFF = re.compile(r"\.{2}|…|\[\.{2,3}\]")  # what follows a value that is shown in part
HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+\Z")
UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")

# Words that fill the place of a secret in examples and tests.
STAND_INS = word_set(
    """
    your yours my mine the a an some example examples sample samples placeholder changeme change me replace
    replaced replaceme with here insert enter put add fill set todo tbd fixme xxx xxxx xx redacted masked hidden
    removed omitted secret secrets password passwd passphrase pass pwd pw passw token tokens key keys api apikey
    auth access private credential credentials cred creds client user username name login admin root guest test
    tests testing tester dummy fake mock stub foo bar baz qux foobar demo default none null nil undefined empty
    string str value val abc abcd abcde abcdef xyz qwerty letmein welcome bot webhook url id app application
    service db database db1 postgres mysql redis mongo rabbitmq minio elastic guest1 dev local localhost prod
    production staging live real actual new old super supersecret very long random generated from in of for to is
    not valid invalid wrong bad good ok stuff thing things this that it use used using please do dont don't and or
    if only env var variable environment config settings vault jwt bearer basic oauth sk pk ant proj xoxb ghp gho
    glpat github gitlab openai anthropic stripe slack aws google azure hf whatever something anything unused never
    same short
    """
)
_PLACEHOLDER = re.compile(
    r"""(?ix)
    (?-i:x{4,}|X{4,}) | \*{3,} | \.{3} | … | ●{2,} | •{2,} | _{6,} | \?{3,}
    | example(?![a-z]{3}) | placeholder | change[-_ ]?(?:me|this|it) | replace[-_ ]?(?:me|with|this) | your[-_ ]
    | \bredacted\b | \[?(?:masked|hidden|filtered|sensitive|removed)\]? \Z
    | insert[-_ ] | enter[-_ ] | todo\b | dummy | lorem | foobar | (?:my|the|some)[-_ ](?:secret|token|password|key|api)
    | abcdefghijk | 0123456789 | 1234567890 | deadbeefdeadbeef | 0{8,} | (?:1234){3,} | (?:abcd){3,} | 1234abcd
    """
)
_REFERENCE = re.compile(
    r"""(?x)
    \$ (?: [A-Za-z_({] | \d\b ) | \{\{ | \{% | <%  | <[A-Za-z_/!\[] | \#\{ | @\{ | @[A-Za-z_]+@\Z
    | %\( [A-Za-z_]+ \) s | % [A-Za-z_]+ %
    | %[sdrvq+](?![A-Za-z0-9]) | \{[A-Za-z_0-9.:!\[\]'"-]*\}\Z | \[[A-Za-z_ -]*\]\Z | <
    """
)
_CODE = re.compile(
    r"""(?x)
    (?: process\.env | os\.environ | os\.getenv | getenv | import\.meta | env(?:iron)?[.\[(] | ENV[.\[] | secrets?[.\[]
      | vars?\. | local\. | data\. | module\. | self\.?\b | this\b | config[.\[] | settings\b | cfg\. | args\. | argv
      | options?\. | opts\. | req(?:uest)?\. | res\. | ctx\. | params?[.\[] | props\. | state\. | await\b | new\b
      | function\b | lambda\b | async\b | return\b | typeof\b | null\b | None\b | nil\b | true\b | false\b | True\b
      | False\b | undefined\b | void\b | not\b | string\b | str\b | int\b | bool(?:ean)?\b | bytes\b | any\b | Any\b
      | Optional\[ | Option< | Vec< | Union\[ | List\[ | Dict\[ | String\b | z\. | Joi\. | yup\. | t\. | Field\( )
    """
)
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|!\.)[A-Za-z_$][\w$]*)+(?:\[|\(|\Z|!|;|,)")
_CALL = re.compile(r"(?:await |new |\[?\])?[A-Za-z_$][\w$.:]*(?:<[\w, ]*>)?[(\[]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:\\?/\\?/")
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@~+-]*(?:/|\Z|\.\w)|[A-Za-z]:\\\\?\w")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z")
_HASHED = re.compile(
    r"(?i)(?:sha\d{1,3}|md5|h1|blake\w{0,3}|xxh\w{0,4}|crc32)[-:=$]|\$2[aby]\$|\$argon2|\$[156]\$|\{SSHA\}|pbkdf2"
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]|\Z)|\d{1,2}[:/]\d{2}[:/]\d{2}")
_VERSION = re.compile(r"[vV~^=<>]{0,2}\d+(?:\.(?:\d+|[x*])){1,4}(?:[-+_.]?[A-Za-z]+[\w.+-]{0,24})?\Z")
_NUMBER = re.compile(
    r"#[0-9a-fA-F]{3,8}\b|[+-]?[\d.,_]+(?:[eE][+-]?\d+)?(?:px|em|rem|ms|s|m|h|d|kb|mb|gb|k|%)?\Z", re.IGNORECASE
)
_PUBLIC = re.compile(
    r"(?:pk(?![-_]prod_)|pub|public|phc|publishable|sb_publishable|sb-publishable|ca-pub|mob)[-_]|AAAA[BCE]3Nza|ssh-(?:rsa|ed25519|dss)|"
    r"ecdsa-sha2|Ag[A-D][A-Za-z0-9+/]{180}|data:|arn:|projects/|urn:|MII[BCDEFGHIJ][A-Za-z0-9+/]{60}|iVBORw0KGgo|R0lGOD|/9j/|UklGR|PHN2Zy|JVBERi"
)
_RECORD_ID = re.compile(
    r"(?:msg|toolu|call|chatcmpl|resp|rs|req|run|thread|asst|file|item|fc|ws|step|evt|ev|cus|sub|in|pi|ch|txn|acct|"
    r"prod|price|plan|batch|conv|conversation|session|task|agent|wf|job|trace|span|event|node|cmpl|gen|ctc|ig|mcp|"
    r"srvtoolu|block|doc|usr|org|proj|team|msgbatch|vs|ft|ftjob|modr|cm|env|skill|container|upload|rec|req_id)[-_]"
    r"(?:[a-z]{2,8}_)?[A-Za-z0-9_-]+\Z"
)
_PATTERN = re.compile(
    r"\(\?|\[\^|\\[dwsbDWS.]|\.\*|\]\+|\{\d+,|a-zA-Z|A-Za-z|[a-z]-z0-9|A-Z0-9|0-9a-f|-[zZ9]\]|[a-z_]{3,}\|[a-z_]{3,}"
)
_ALPHABET = re.compile(r"(?i)abcdefgh|hijklmno|stuvwxyz|01234567|12345678|23456789|89abcdef|qwertyui")
_HOST = re.compile(
    r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:com|org|net|io|dev|co|ai|app|edu|gov|local|internal|cloud|test|localhost)\Z"
)
_NAMED_ALGORITHM = re.compile(r"(?:X|Ed|ed|x|Curve|Secp|RSA|AES|Rsa|Aes|Hmac|SHA|Sha)\d{2,5}[A-Z][A-Za-z]*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b")
_FILE = re.compile(r"[\w@+-]{2,}\.[a-z][a-z0-9]{0,4}\Z")
_FIELDS = re.compile(r"[A-Za-z][\w .-]{0,40}=[^;=]{0,80};[A-Za-z][\w .-]{0,40}=")  # a connection string holds its own
_SYMBOLS = re.compile(r"[!@#$%^&*+=?~|;<>()\[\]{}]")
_CHOSEN = re.compile(
    r"\A(?=.*[A-Za-z]{2})(?=.*[0-9])[\w-]{2,40}[!@#$%^&*][\w!@#$%^&*-]*\Z"
)  # as people choose passwords
_UNMIXED = re.compile(r"(?:[a-z]+|[0-9]+)(?:[-_./:](?:[a-z]+|[0-9]+)){2,}\Z")  # words and numbers, each by itself
_APP_PASSWORD = re.compile(
    r"[a-z]{4}(?P<gap>[- ]?)[a-z]{4}(?P=gap)[a-z]{4}(?P=gap)[a-z]{4}\Z"
)  # as mail accounts give them
_PASSPHRASE = re.compile(r"(?=.*[A-Z][a-z])(?:[A-Za-z]{3,12}[-_.]){1,5}[A-Za-z]{3,12}[-_.]?[0-9]{1,4}[!?*#]?\Z")
_JOINED = re.compile(r"[-_./:]")
_ENDS_IN_HASH = re.compile(r"[-_:/][0-9a-f]{40,64}\Z")  # as the keys of caches do
_ENDS_IN_UUID = re.compile(r"[a-z][-_:/][0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]{4,}(?:[-_.][A-Za-z]+)*\Z")
_NO_TOKEN = re.compile(r"[^\w+/=.~:%|-]")
_WORDY = re.compile(r"[A-Za-z]+(?:[-_./: ][A-Za-z]+)*\Z")
_SPLIT = re.compile(r"[^A-Za-z0-9']+|(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_ALGORITHM = re.compile(
    r"(?i:sha|rs|hs|es|ps|ed|x|aes|rsa|md|utf|base|argon|bcrypt|scrypt|oauth|http|p|id|v|ipv|secp|curve|hmac)[-_]?"
    r"\d{1,5}(?:[-_]?(?:[A-Z]?[a-z]{1,8}|[A-Z]{1,5}|\d{1,5})){0,2}\Z"
)


@lru_cache(maxsize=8192)
def oddness(value: str) -> float:
    """The share of a value's letters and digits that no word explains, from 0 (words) to 1 (drawn at random).

    A segment of one case is a word when at most a quarter of its letter pairs are rare; one run of digits before or
    after a word belongs to it. Identifiers stay below .35 (99 in 100), random strings of 16 and more above .4.
    """
    total = explained = 0
    for run in _RUN.findall(value):
        segments: list[str] = _SEGMENT.findall(run)
        count = len(segments)
        for segment in segments:
            size = len(segment)
            total += size
            if segment[0].isdigit():
                if count == 1 or (count == 2 and size <= 4) or (size == 1 and count <= 3):
                    explained += size
            elif size <= 2:
                if count <= 2:
                    explained += size
            else:
                lowered = segment.lower()
                rare = sum(second not in _FOLLOWERS[first] for first, second in pairwise(lowered))
                if rare <= (size - 1) * 0.25:
                    explained += size
    return 1 - explained / total if total else 0.0


def is_hex(value: str) -> bool:
    """Hexadecimal with letters and digits both: a hash, a key, an id."""
    return bool(HEX.match(value)) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


@lru_cache(maxsize=8192)
def looks_random(value: str, *, shortest: int = 16, odd: float = 0.4) -> bool:
    """Is the value drawn at random, as far as its letters and digits tell?"""
    if len(value) < shortest:
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    if letters < 3 or len(set(value)) < min(8, len(value) * 0.45):
        return False
    if not digits and (value.islower() or value.isupper()) and len(value) < 20:
        return False
    return oddness(value) >= odd


@lru_cache(maxsize=8192)
def is_placeholder(value: str) -> bool:
    """Does the value stand where a secret would go: ``changeme``, ``<token>``, ``your-api-key-here``, ``xxxx``?"""
    if len(set(value)) <= 2:
        return True
    if "EXAMPLE" in value or "..." in value or "…" in value or value.startswith("[REDACTED") or _ALPHABET.search(value):
        return True
    if _PLACEHOLDER.search(value) and not (len(value) >= 24 and oddness(value) > 0.6 and "xxxx" not in value.lower()):
        return True
    words = [word for word in _SPLIT.split(value.lower() if value.isupper() else value) if word]
    return bool(words) and all(word.lower() in STAND_INS or (word.isdigit() and len(word) <= 4) for word in words)


@lru_cache(maxsize=8192)
def is_reference(value: str, *, quoted: bool) -> bool:
    """Does the value name another place that holds the secret: ``${TOKEN}``, ``os.environ[...]``, ``getpass()``?"""
    if _REFERENCE.match(value):
        return True
    if "${" in value or "{{" in value or "$(" in value:
        return True
    if quoted:
        return bool(_DOTTED.match(value)) and oddness(value) < 0.35
    if _CODE.match(value) and oddness(value) < 0.5:
        return True
    if _CALL.match(value) or (_DOTTED.match(value) and oddness(value) < 0.4):
        return True
    return value.startswith(("&", "*", "!", "(", "[", "{", "->", "=>", "=", "|", ">", "//", "--", "/*", "#")) and (
        oddness(value) < 0.5
    )


@lru_cache(maxsize=8192)
def is_known_shape(value: str) -> bool:
    """A shape with a meaning of its own, which is no secret: path, address, date, version, number, hash, public key."""
    if (
        _URL.match(value)
        or ("@" in value and _MAIL.match(value))
        or _DATE.match(value)
        or (_VERSION.match(value) and not looks_random(value, shortest=20))
        or _NUMBER.match(value)
    ):
        return True
    if _HOST.match(value) or _NAMED_ALGORITHM.match(value) or _FIELDS.match(value):
        return True
    if _HASHED.match(value) or _PUBLIC.match(value) or _RECORD_ID.match(value):
        return True
    if (_PATH.match(value) and oddness(value) < 0.5) or _is_file(value) or _PATTERN.search(value):
        return True
    if "/" in value and oddness(value) < 0.6 and any(_PLAIN_WORD.match(part) for part in value.split("/")):
        return True
    return value.endswith(".apps.googleusercontent.com")


def _is_file(value: str) -> bool:
    """A name with an extension; the hash in the name of a built file is short."""
    return _FILE.match(value) is not None and not looks_random(value.partition(".")[0], shortest=24, odd=0.5)


def is_benign(value: str, *, quoted: bool = False) -> bool:
    """Placeholder, reference or known shape."""
    return is_placeholder(value) or is_reference(value, quoted=quoted) or is_known_shape(value)


@lru_cache(maxsize=8192)
def is_secret(value: str, *, quoted: bool = False) -> bool:
    """Could the value of something called a secret, token or key be one?"""
    size = len(value)
    value = value[:_SAMPLE]
    if size < 8 or " " in value or is_benign(value, quoted=quoted):
        return False
    if UUID.match(value) or (size >= 16 and is_hex(value)):
        return True
    if size > 128 and _NO_TOKEN.search(value):
        return False
    if _UNMIXED.match(value):
        return False
    if looks_random(value, odd=0.35) or _is_mingled(value):
        return True
    if _WORDY.match(value) or not any(map(str.isdigit, value)):
        return size >= 12 and looks_random(value, shortest=12, odd=0.5)
    return (
        looks_random(value, shortest=8, odd=0.45)
        or bool(_CHOSEN.search(value))
        or (bool(_SYMBOLS.search(value)) and oddness(value) > 0.15)
    )


def _is_mingled(value: str) -> bool:
    """Letters with digits strewn in, which words do not have whatever their letter pairs."""
    return len(value) >= 16 and len(_BORDERS.findall(value)) >= 5 and _NO_TOKEN.search(value) is None


def is_strongly_random(value: str) -> bool:
    """A long random value, which needs only a faint hint from its context; never a hash or an id of a known form."""
    value = value[:_SAMPLE]
    if len(value) < 20 or _NO_TOKEN.search(value) or is_benign(value) or UUID.match(value):
        return False
    if _ENDS_IN_HASH.search(value) or _ENDS_IN_UUID.search(value):
        return False
    if HEX.match(value):
        return len(value) >= 32 and len(value) not in (40, 128) and is_hex(value)
    return any(map(str.isdigit, value)) and looks_random(value, shortest=20, odd=0.45)


@lru_cache(maxsize=8192)
def is_password(value: str, *, quoted: bool = False) -> bool:
    """Could the value of something called a password be one? People choose weak ones, so words with a digit count."""
    size = len(value)
    if size == 19 and " " in value and _APP_PASSWORD.match(value):
        return oddness(value) >= 0.3
    if size < 4 or size >= 256 or any(map(str.isspace, value)) or is_placeholder(value):
        return False
    if is_reference(value, quoted=quoted):
        return False
    if _APP_PASSWORD.match(value):
        return oddness(value) > 0 or oddness(value.replace("-", "")) > 0
    if _PASSPHRASE.match(value):
        return STAND_INS.isdisjoint(_SPLIT.split(value.lower()))
    if (_PATTERN.search(value) and quoted) or _COLOUR.match(value) or _UNMIXED.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    symbols = bool(_SYMBOLS.search(value))
    if digits == size:
        return size >= 6 and len(set(value)) >= 4 and value not in "01234567890123456789" and quoted
    if is_known_shape(value) and not (_CHOSEN.match(value) and "/" not in value and ":" not in value):
        return False
    if not letters or _ALGORITHM.match(value):
        return False
    if not digits:
        if symbols and letters and size >= 6 and not value.endswith((")", "]", "}", ">", ";", "=")):
            return quoted or oddness(value) > 0.3 or value.endswith("!")
        return size >= 8 and looks_random(value, shortest=8, odd=0.45)
    if size < 6:
        return False
    if symbols or oddness(value) >= 0.35:
        return True
    if _JOINED.search(value):
        return size >= 10 and oddness(value) >= 0.2
    return quoted or any(map(str.isupper, value)) or digits >= 2
